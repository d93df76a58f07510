/* spec.c -- reads FAMILY:KEY=VALUE,KEY=VALUE... */
#include "slimfly/field.h"
#include "topology/family.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t
count_params(const struct sf_family *family)
{
    uint32_t n = 0;
    while (n < SF_MAX_PARAMS && family->params[n].key) {
        n++;
    }
    return n;
}

/* Parses 'text' as digits and nothing else.  Numbers beyond 64 bits become
 * UINT64_MAX, which is beyond every limit as well. */
static bool
parse_digits(const char *text, size_t length, uint64_t *numberp)
{
    uint64_t number = 0;

    if (length == 0) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        uint64_t digit = (uint64_t)(text[i] - '0');
        number = number > (UINT64_MAX - digit) / 10 ? UINT64_MAX
                                                    : number * 10 + digit;
    }
    *numberp = number;
    return true;
}

static enum sf_status
parse_number(const struct sf_param *param, const char *text,
             struct sf_value *value, struct sf_error *err)
{
    if (parse_digits(text, strlen(text), &value->number) &&
        value->number >= param->min && value->number <= param->max) {
        return SF_OK;
    }
    return sf_fail(err, SF_EINVAL,
                   "%s = %.40s: expected a whole number from %u to %u",
                   param->key, text, param->min, param->max);
}

static enum sf_status
parse_seed(const struct sf_param *param, const char *text,
           struct sf_value *value, struct sf_error *err)
{
    if (parse_digits(text, strlen(text), &value->number) &&
        (value->number < UINT64_MAX ||
         !strcmp(text, "18446744073709551615"))) {
        return SF_OK;
    }
    return sf_fail(err, SF_EINVAL,
                   "%s = %.40s: expected a whole number of at most 64 bits",
                   param->key, text);
}

static enum sf_status
parse_shape(const struct sf_param *param, const char *text,
            struct sf_value *value, struct sf_error *err)
{
    const char *x = strchr(text, 'x');
    uint64_t rows, columns;

    if (x && parse_digits(text, (size_t)(x - text), &rows) &&
        parse_digits(x + 1, strlen(x + 1), &columns) && rows >= param->min &&
        rows <= param->max && columns >= param->min && columns <= param->max) {
        value->rows = (uint32_t)rows;
        value->columns = (uint32_t)columns;
        return SF_OK;
    }
    return sf_fail(err, SF_EINVAL,
                   "%s = %.40s: expected ROWSxCOLUMNS, such as 13x13, each "
                   "from %u to %u",
                   param->key, text, param->min, param->max);
}

static enum sf_status
parse_value(const struct sf_param *param, const char *text,
            struct sf_value *value, struct sf_error *err)
{
    if (value->given) {
        return sf_fail(err, SF_EINVAL, "%s is given twice", param->key);
    }
    if (!*text) {
        return sf_fail(err, SF_EINVAL, "%s has no value", param->key);
    }
    value->given = true;
    value->text = text;
    switch (param->kind) {
    case SF_PARAM_NUMBER:
        return parse_number(param, text, value, err);
    case SF_PARAM_SEED:
        return parse_seed(param, text, value, err);
    case SF_PARAM_SHAPE:
        return parse_shape(param, text, value, err);
    case SF_PARAM_FILE:
        return SF_OK;
    }
    return SF_OK;
}

/* Fills 'list' with the keys of 'family', for a message. */
static void
list_keys(const struct sf_family *family, char *list, size_t size)
{
    size_t used = 0;

    list[0] = '\0';
    for (uint32_t i = 0; i < count_params(family) && used < size; i++) {
        used += (size_t)snprintf(list + used, size - used, "%s%s",
                                 i ? ", " : "", family->params[i].key);
    }
}

/* Parses one item of a spec, "KEY=VALUE" or, for a positional parameter in
 * the first item, "VALUE". */
static enum sf_status
parse_item(struct sf_spec *parsed, char *item, bool is_first,
           struct sf_error *err)
{
    const struct sf_family *family = parsed->family;
    char *equals = strchr(item, '=');

    if (!equals) {
        if (is_first && family->params[0].positional) {
            return parse_value(&family->params[0], item, &parsed->values[0],
                               err);
        }
        return sf_fail(err, SF_EINVAL, "'%.40s': expected KEY=VALUE, as in %s",
                       item, family->example);
    }

    *equals = '\0';
    for (uint32_t i = 0; i < count_params(family); i++) {
        if (!strcmp(item, family->params[i].key)) {
            return parse_value(&family->params[i], equals + 1,
                               &parsed->values[i], err);
        }
    }
    char keys[128];
    list_keys(family, keys, sizeof keys);
    return sf_fail(err, SF_EINVAL, "'%.40s' is not a key of %s; it has %s",
                   item, family->name, keys);
}

static const struct sf_family *
find_family(const char *name)
{
    for (uint32_t i = 0; sf_families[i]; i++) {
        if (!strcmp(sf_families[i]->name, name)) {
            return sf_families[i];
        }
    }
    return NULL;
}

static enum sf_status
fail_unknown_family(const char *name, struct sf_error *err)
{
    char names[160];
    size_t used = 0;

    for (uint32_t i = 0; sf_families[i] && used < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i ? ", " : "", sf_families[i]->name);
    }
    return sf_fail(err, SF_EINVAL,
                   "'%.40s' is not a family of topologies; there are %s", name,
                   names);
}

/* Spells the values out in the family's order of keys, numbers without
 * leading zeros; never longer than the spec as given, whose length with its
 * NUL is 'size'. */
static char *
write_canonical(const struct sf_spec *parsed, size_t size)
{
    char *text = sf_calloc(size, 1);
    if (!text) {
        return NULL;
    }
    size_t used = (size_t)snprintf(text, size, "%s", parsed->family->name);
    char separator = ':';
    for (uint32_t i = 0; i < count_params(parsed->family); i++) {
        const struct sf_param *param = &parsed->family->params[i];
        const struct sf_value *value = &parsed->values[i];
        if (!value->given) {
            continue;
        }
        used += (size_t)snprintf(text + used, size - used, "%c%s%s", separator,
                                 param->positional ? "" : param->key,
                                 param->positional ? "" : "=");
        if (param->kind == SF_PARAM_NUMBER || param->kind == SF_PARAM_SEED) {
            used += (size_t)snprintf(text + used, size - used, "%" PRIu64,
                                     value->number);
        } else if (param->kind == SF_PARAM_SHAPE) {
            used += (size_t)snprintf(text + used, size - used, "%ux%u",
                                     value->rows, value->columns);
        } else {
            used +=
                (size_t)snprintf(text + used, size - used, "%s", value->text);
        }
        separator = ',';
    }
    return text;
}

static enum sf_status
parse_items(struct sf_spec *parsed, char *items, struct sf_error *err)
{
    bool is_first = true;

    while (items) {
        char *comma = strchr(items, ',');
        if (comma) {
            *comma = '\0';
        }
        enum sf_status status = parse_item(parsed, items, is_first, err);
        if (status != SF_OK) {
            return status;
        }
        is_first = false;
        items = comma ? comma + 1 : NULL;
    }
    for (uint32_t i = 0; i < count_params(parsed->family); i++) {
        const struct sf_param *param = &parsed->family->params[i];
        if (!param->by_default && !parsed->values[i].given) {
            return sf_fail(err, SF_EINVAL, "%s is missing (%s), as in %s",
                           param->key, param->meaning,
                           parsed->family->example);
        }
    }
    return SF_OK;
}

enum sf_status
sf_spec_parse(const char *spec, struct sf_spec *parsed, struct sf_error *err)
{
    *parsed = (struct sf_spec){ 0 };
    parsed->text = sf_strdup(spec);
    if (!parsed->text) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }

    char *colon = strchr(parsed->text, ':');
    if (colon) {
        *colon = '\0';
    }
    parsed->family = find_family(parsed->text);
    if (!parsed->family) {
        return fail_unknown_family(parsed->text, err);
    }
    enum sf_status status = parse_items(parsed, colon ? colon + 1 : NULL, err);
    if (status != SF_OK) {
        return status;
    }
    parsed->canonical = write_canonical(parsed, strlen(spec) + 1);
    if (!parsed->canonical) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    return SF_OK;
}

void
sf_spec_clear(struct sf_spec *parsed)
{
    free(parsed->canonical);
    free(parsed->text);
    *parsed = (struct sf_spec){ 0 };
}

enum sf_status
sf_check_prime_power(uint32_t q, struct sf_error *err)
{
    if (!sf_is_prime_power(q, NULL, NULL)) {
        return sf_fail(err, SF_EINVAL,
                       "q = %u is not a prime power; the nearest are %u and "
                       "%u",
                       q, sf_prime_power_below(q), sf_prime_power_above(q));
    }
    return SF_OK;
}
