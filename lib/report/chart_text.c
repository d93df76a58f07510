/* chart_text.c -- numbers and words of charts, and the room that they take. */
#include "io/xml.h"
#include "report/chart_parts.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Hundredths are finer than anyone sees; printf() would ask the locale for
 * the decimal point. */
static void
print_number(double number, FILE *stream)
{
    long long hundredths = llround(number * 100);
    long long size = hundredths < 0 ? -hundredths : hundredths;
    long long part = size % 100;

    fprintf(stream, "%s%lld", hundredths < 0 ? "-" : "", size / 100);
    if (part % 10) {
        fprintf(stream, ".%02lld", part);
    } else if (part) {
        fprintf(stream, ".%lld", part / 10);
    }
}

void
sf_chart_print(FILE *stream, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    for (; *format; format++) {
        if (*format != '%') {
            fputc(*format, stream);
            continue;
        }
        switch (*++format) {
        case 'f':
            print_number(va_arg(args, double), stream);
            break;
        case 's':
            sf_xml_write(va_arg(args, const char *), stream);
            break;
        case 'u':
            fprintf(stream, "%u", va_arg(args, unsigned));
            break;
        case 'c':
            fputc(va_arg(args, int), stream);
            break;
        default:
            fputc('%', stream);
        }
    }
    va_end(args);
}

/* In ems of DejaVu Sans, the widest font that "sans-serif" usually means. */
static double
letter_width(unsigned char letter)
{
    if (letter >= 0x80) {
        /* The first byte of a letter counts for it. */
        return letter >= 0xc0 ? 0.7 : 0;
    }
    if (strchr("ijl.,:;|!' ", letter)) {
        return 0.34;
    }
    if (strchr("frt()[]-/\"", letter)) {
        return 0.42;
    }
    if (strchr("mwMW%@&+=<>", letter)) {
        return 0.95;
    }
    return letter >= 'A' && letter <= 'Z' ? 0.74 : 0.64;
}

double
sf_chart_text_width(const char *text, double size)
{
    double ems = 0;

    for (; *text; text++) {
        ems += letter_width((unsigned char)*text);
    }
    return ems * size;
}

void
sf_chart_shorten(const char *text, double text_size, double width,
                 char *short_text, size_t size)
{
    static const char ellipsis[] = "…";
    double room = width - 0.7 * text_size;
    size_t n = 0;

    if (sf_chart_text_width(text, text_size) <= width && strlen(text) < size) {
        memcpy(short_text, text, strlen(text) + 1);
        return;
    }
    while (text[n] && n + sizeof ellipsis < size) {
        room -= letter_width((unsigned char)text[n]) * text_size;
        if (room < 0) {
            break;
        }
        n++;
    }
    /* Never through the middle of a letter. */
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) {
        n--;
    }
    memcpy(short_text, text, n);
    memcpy(short_text + n, ellipsis, sizeof ellipsis);
}

void
sf_chart_write(FILE *stream, double x, double y, const char *anchor,
               const char *class, const char *text)
{
    sf_chart_print(stream,
                   "<text class=\"%s\" x=\"%f\" y=\"%f\" "
                   "text-anchor=\"%s\">%s</text>\n",
                   class, x, y, anchor, text);
}

void
sf_chart_write_within(FILE *stream, double x, double y, const char *anchor,
                      const char *class, const char *text, double text_size,
                      double width)
{
    char cut[SF_CHART_NOTE_SIZE];

    sf_chart_shorten(text, text_size, width, cut, sizeof cut);
    if (!strcmp(cut, text)) {
        sf_chart_write(stream, x, y, anchor, class, text);
        return;
    }
    sf_chart_print(stream, "<g><title>%s</title>", text);
    sf_chart_write(stream, x, y, anchor, class, cut);
    fputs("</g>\n", stream);
}

void
sf_chart_write_upright(FILE *stream, double x, double y, const char *text,
                       double length)
{
    char cut[SF_CHART_NOTE_SIZE];

    sf_chart_shorten(text, SF_CHART_TEXT, length, cut, sizeof cut);
    sf_chart_print(stream,
                   "<text transform=\"translate(%f %f)rotate(-90)\" "
                   "text-anchor=\"middle\">%s</text>\n",
                   x, y, cut);
}
