/* figure.c -- see figure.h. */
#define _POSIX_C_SOURCE 200809L
#include "report/figure.h"

#include "base/mem.h"
#include "report/chart_parts.h"
#include "report/pdf.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define MAX_FONT 200
#define POINTS   (72 / 25.4) /* Of a millimetre. */

const char *
sf_figure_format_name(unsigned format)
{
    static const char *const names[SF_N_FIGURE_FORMATS] = { "pdf", "svg",
                                                            "csv" };
    return format < SF_N_FIGURE_FORMATS ? names[format] : NULL;
}

/* The default stands for 0. */
static double
or_default(double number, double usual)
{
    return number == 0 ? usual : number;
}

static enum sf_status
check_range(double number, double min, double max, const char *what,
            struct sf_error *err)
{
    if (!(number >= min && number <= max)) {
        return sf_fail(err, SF_EINVAL, "expected %s from %g to %g, found %g",
                       what, min, max, number);
    }
    return SF_OK;
}

/* Whether 'letter' may stand in the name of a font: all that cannot end a text
 * of CSS. */
static bool
is_of_name(char letter)
{
    return isalnum((unsigned char)letter) || (unsigned char)letter >= 0x80 ||
           (letter && strchr(" -_.+", letter));
}

static enum sf_status
check_font(const char *font, struct sf_error *err)
{
    bool has_name = false;

    if (strlen(font) > MAX_FONT) {
        return sf_fail(err, SF_EINVAL,
                       "expected a font of at most %d characters, found %zu",
                       MAX_FONT, strlen(font));
    }
    for (const char *at = font;; at++) {
        if (!*at || *at == ',') {
            if (!has_name) {
                return sf_fail(err, SF_EINVAL,
                               "expected names of fonts, separated by "
                               "commas, found '%s'",
                               font);
            }
            has_name = false;
            if (!*at) {
                return SF_OK;
            }
        } else if (!is_of_name(*at)) {
            return sf_fail(err, SF_EINVAL,
                           "expected letters, digits, spaces and -_.+ in the "
                           "name of a font, found '%c' in '%s'",
                           *at, font);
        } else {
            has_name |= *at != ' ';
        }
    }
}

enum sf_status
sf_figure_check(const struct sf_figure *figure, struct sf_error *err)
{
    enum sf_status status = check_range(
        or_default(figure->width, SF_FIGURE_WIDTH), SF_FIGURE_MIN_WIDTH,
        SF_FIGURE_MAX_WIDTH, "a width in millimetres", err);

    if (!status) {
        status = check_range(or_default(figure->text_size, SF_FIGURE_SIZE),
                             SF_FIGURE_MIN_SIZE, SF_FIGURE_MAX_SIZE,
                             "a size of text in points", err);
    }
    if (!status && figure->font) {
        status = check_font(figure->font, err);
    }
    if (!status && figure->format == SF_FIGURE_PDF) {
        status = sf_pdf_check(err);
    }
    return status;
}

/* Writes the names of 'font' as CSS has them: in quotes, but for the words
 * that stand for kinds of fonts. */
static void
spell_font(const char *font, char *text, size_t size)
{
    static const char kinds[] = ",serif,sans-serif,monospace,cursive,fantasy,"
                                "system-ui,";
    size_t n = 0;

    for (const char *at = font; *at && n + 4 < size;) {
        char key[MAX_FONT + 4];
        at += strspn(at, " ,");
        size_t length = strcspn(at, ",");
        while (length && at[length - 1] == ' ') {
            length--;
        }
        snprintf(key, sizeof key, ",%.*s,", (int)length, at);
        const char *quote = strstr(kinds, key) ? "" : "'";
        n += (size_t)snprintf(text + n, size - n, "%s%s%.*s%s", n ? "," : "",
                              quote, (int)length, at, quote);
        at += strcspn(at, ",");
    }
}

/* Draws the SVG into memory, and the PDF from that. */
static enum sf_status
draw_pdf(const struct sf_chart *chart, struct sf_chart_paper *paper,
         FILE *stream, struct sf_error *err)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    enum sf_status status =
        memory ? sf_chart_draw_paper(chart, paper, memory, err)
               : sf_fail(err, SF_ENOMEM, "out of memory for a figure");

    if (memory && fclose(memory) != 0 && !status) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for a figure");
    }
    if (!status) {
        struct sf_pdf_page page = { .svg = text,
                                    .length = length,
                                    .width = paper->width,
                                    .height = paper->height,
                                    .title = chart->title,
                                    .about = chart->note };
        status = sf_pdf_write(&page, stream, err);
    }
    free(text);
    return status;
}

enum sf_status
sf_figure_draw(const struct sf_figure *figure, const struct sf_chart *chart,
               FILE *stream, struct sf_error *err)
{
    char family[3 * MAX_FONT];

    if (!figure) {
        return sf_chart_draw(chart, stream, err);
    }
    enum sf_status status = sf_figure_check(figure, err);
    if (status) {
        return status;
    }
    if (figure->format == SF_FIGURE_CSV) {
        return sf_chart_write_csv(chart, stream, err);
    }
    spell_font(figure->font ? figure->font : SF_FIGURE_FONT, family,
               sizeof family);
    struct sf_chart_paper paper = {
        .width = POINTS * or_default(figure->width, SF_FIGURE_WIDTH),
        .text_size = or_default(figure->text_size, SF_FIGURE_SIZE),
        .family = family,
    };
    status = figure->format == SF_FIGURE_PDF
                 ? draw_pdf(chart, &paper, stream, err)
                 : sf_chart_draw_paper(chart, &paper, stream, err);
    if (!status && figure->shown_sizep) {
        *figure->shown_sizep = paper.text_size;
    }
    if (!status && figure->shown_heightp) {
        *figure->shown_heightp = paper.height / POINTS;
    }
    return status;
}
