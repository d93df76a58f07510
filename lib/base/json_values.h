/* json_values.h -- values of JSON that may be missing. */
#ifndef SF_BASE_JSON_VALUES_H
#define SF_BASE_JSON_VALUES_H

#include <jansson.h>
#include <math.h>

/* JSON has neither infinity nor what is no number. */
static inline json_t *
real_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

static inline json_t *
text_or_null(const char *text)
{
    json_t *value = text && *text ? json_string(text) : NULL;
    return value ? value : json_null();
}

#endif
