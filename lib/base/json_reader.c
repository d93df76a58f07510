#include "base/json_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
sf_json_refuse(struct sf_json_reader *reader, const char *format, ...)
{
    char text[300];
    va_list args;

    if (reader->status != SF_OK) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    reader->status =
        sf_fail(reader->err, SF_EPARSE, "%s: %s", reader->path, text);
}

void
sf_json_fail_memory(struct sf_json_reader *reader)
{
    if (reader->status == SF_OK) {
        reader->status = sf_fail(reader->err, SF_ENOMEM, "out of memory");
    }
}

/* "WHERE.KEY", or "KEY" at the top. */
static const char *
join(char place[SF_JSON_PLACE_SIZE], const char *where, const char *key)
{
    snprintf(place, SF_JSON_PLACE_SIZE, "%s%s%s", where, *where ? "." : "",
             key);
    return place;
}

uint32_t
sf_json_number(struct sf_json_reader *reader, const json_t *object,
               const char *where, const char *key, uint32_t min, uint32_t max)
{
    const json_t *value = json_object_get(object, key);
    char place[SF_JSON_PLACE_SIZE];

    if (!json_is_integer(value) || json_integer_value(value) < min ||
        json_integer_value(value) > max) {
        sf_json_refuse(reader, "%s: expected a whole number from %u to %u%s",
                       join(place, where, key), min, max,
                       value ? "" : ", and it is missing");
        return min;
    }
    return (uint32_t)json_integer_value(value);
}

double
sf_json_amount(struct sf_json_reader *reader, const json_t *object,
               const char *where, const char *key, const char *what,
               double max)
{
    const json_t *value = json_object_get(object, key);
    double number = json_number_value(value);
    char place[SF_JSON_PLACE_SIZE];

    join(place, where, key);
    if (!value) {
        sf_json_refuse(reader, "%s: expected %s, and it is missing", place,
                       what);
    } else if (!json_is_number(value)) {
        sf_json_refuse(reader, "%s: expected %s, a number", place, what);
    } else if (!(number >= 0 && number <= max)) {
        sf_json_refuse(reader, "%s: expected %s from 0 to %g, found %g", place,
                       what, max, number);
    }
    return number;
}

const char *
sf_json_text(struct sf_json_reader *reader, const json_t *object,
             const char *where, const char *key, size_t max_length)
{
    const char *text = json_string_value(json_object_get(object, key));
    char place[SF_JSON_PLACE_SIZE];

    if (!text || !*text || strlen(text) > max_length) {
        sf_json_refuse(reader, "%s: expected a text of 1 to %zu characters",
                       join(place, where, key), max_length);
        return "?";
    }
    return text;
}

const json_t *
sf_json_array(struct sf_json_reader *reader, const json_t *object,
              const char *key)
{
    const json_t *array = json_object_get(object, key);
    if (!json_is_array(array)) {
        sf_json_refuse(reader, "%s: expected an array", key);
    }
    return array;
}
