/* values.c -- members of JSON documents, and how people read them. */
#include "io/xml.h"
#include "report/results/parts.h"

#include <math.h>
#include <string.h>

bool
sf_results_fine(const struct results_page *page)
{
    return page->reader.status == SF_OK;
}

const json_t *
sf_results_find(const json_t *object, const char *path)
{
    char key[64];

    while (object) {
        size_t length = strcspn(path, ".");
        if (length >= sizeof key) {
            return NULL;
        }
        memcpy(key, path, length);
        key[length] = '\0';
        object = json_object_get(object, key);
        if (!path[length]) {
            return object;
        }
        path += length + 1;
    }
    return NULL;
}

double
sf_results_number(const json_t *object, const char *path)
{
    const json_t *value = sf_results_find(object, path);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *
sf_results_text(const json_t *object, const char *path, const char *otherwise)
{
    const char *text = json_string_value(sf_results_find(object, path));
    return text ? text : otherwise;
}

bool
sf_results_truth(const json_t *object, const char *path)
{
    return json_is_true(sf_results_find(object, path));
}

uint64_t
sf_results_whole(struct results_page *page, const json_t *object,
                 const char *path)
{
    const json_t *value = sf_results_find(object, path);

    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        sf_json_refuse(&page->reader, "%s: expected a whole number%s", path,
                       value ? "" : ", and it is missing");
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

const json_t *
sf_results_array(struct results_page *page, const json_t *object,
                 const char *path)
{
    const json_t *array = sf_results_find(object, path), *item;
    size_t i;

    if (!json_is_array(array)) {
        sf_json_refuse(&page->reader, "%s: expected an array%s", path,
                       array ? "" : ", and it is missing");
        return NULL;
    }
    json_array_foreach(array, i, item)
    {
        if (!json_is_object(item)) {
            sf_json_refuse(&page->reader, "%s[%zu]: expected an object", path,
                           i);
            return NULL;
        }
    }
    return array;
}

/* Writes a whole number with commas between thousands. */
static void
format_count(double value, char text[RESULTS_VALUE_SIZE])
{
    char digits[RESULTS_VALUE_SIZE];
    size_t n = 0;
    int length = snprintf(digits, sizeof digits, "%.0f", fabs(value));

    if (value < 0) {
        text[n++] = '-';
    }
    for (int i = 0; i < length && n + 2 < RESULTS_VALUE_SIZE; i++) {
        if (i && (length - i) % 3 == 0) {
            text[n++] = ',';
        }
        text[n++] = digits[i];
    }
    text[n] = '\0';
}

/* Writes 'value' in the largest of 'units', each 'step' times the one before,
 * of which it has one or more. */
static void
format_scaled(double value, double first, double step,
              const char *const *units, char text[RESULTS_VALUE_SIZE])
{
    double scale = first;

    while (units[1] && fabs(value) >= scale * step) {
        scale *= step;
        units++;
    }
    snprintf(text, RESULTS_VALUE_SIZE, "%.4g\u00a0%s", value / scale, *units);
}

const char *
sf_results_format(double value, enum results_unit unit,
                  char text[RESULTS_VALUE_SIZE])
{
    static const char *const seconds[] = { "ns", "\u00b5s", "ms", "s", NULL };
    static const char *const bytes[] = {
        "B", "KiB", "MiB", "GiB", "TiB", NULL
    };

    text[0] = '\0';
    if (!isfinite(value)) {
        return text;
    }
    switch (unit) {
    case RESULTS_COUNT:
        format_count(value, text);
        break;
    case RESULTS_LABEL:
        snprintf(text, RESULTS_VALUE_SIZE, "%.0f", value);
        break;
    case RESULTS_PERCENT:
        snprintf(text, RESULTS_VALUE_SIZE, "%.1f\u00a0%%", 100 * value);
        break;
    case RESULTS_SIGNED:
        snprintf(text, RESULTS_VALUE_SIZE, "%+.1f\u00a0%%", 100 * value);
        break;
    case RESULTS_SECONDS:
        format_scaled(value, 1e-9, 1000, seconds, text);
        break;
    case RESULTS_BYTES:
        format_scaled(value, 1, 1024, bytes, text);
        break;
    case RESULTS_PLAIN:
    case RESULTS_MIXED:
        if (fabs(value) >= 1e3 && fabs(value) < 1e15) {
            format_count(value, text);
        } else {
            snprintf(text, RESULTS_VALUE_SIZE, "%.4g", value);
        }
        break;
    }
    return text;
}

void
sf_results_write(FILE *stream, const char *before, const char *text,
                 const char *after)
{
    fputs(before, stream);
    sf_xml_write(text, stream);
    fputs(after, stream);
}

void
sf_results_write_origin(const json_t *root, const char *path, FILE *stream)
{
    const char *program = sf_results_text(root, "program", NULL);
    const char *command = sf_results_text(root, "command", NULL);

    sf_results_write(stream, "<p class=\"made\"><b>", path, "</b>");
    if (command) {
        sf_results_write(stream, " of <code>", command, "</code>");
    } else {
        fputs(", which does not say what command made it", stream);
    }
    if (program) {
        sf_results_write(stream, ", ", program, "");
    }
    fputs("</p>\n", stream);
}
