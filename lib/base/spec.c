/* spec.c -- see spec.h. */
#include "base/spec.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECTED_SIZE 200
#define NUMBER_SIZE   48 /* Room for any number in its one spelling. */

uint32_t
sf_params_count(const struct sf_param *params)
{
    uint32_t n = 0;
    while (n < SF_MAX_PARAMS && params[n].key) {
        n++;
    }
    return n;
}

/* Writes "tree, minimal or none". */
static void
list_words(const struct sf_param *param, char *list, size_t size)
{
    size_t used = 0;

    list[0] = '\0';
    for (uint32_t i = 0; i < SF_MAX_WORDS && param->words[i] && used < size;
         i++) {
        bool is_last = i + 1 == SF_MAX_WORDS || !param->words[i + 1];
        used += (size_t)snprintf(list + used, size - used, "%s%s",
                                 i == 0    ? ""
                                 : is_last ? " or "
                                           : ", ",
                                 param->words[i]);
    }
}

/* Writes "from 0 to 1", or "above 0 and up to 1". */
static void
describe_range(const struct sf_range *range, char *text, size_t size)
{
    if (range->above_min) {
        snprintf(text, size, "above %g and %s %g", range->min,
                 range->below_max ? "below" : "up to", range->max);
    } else {
        snprintf(text, size, "from %g %s %g", range->min,
                 range->below_max ? "and below" : "to", range->max);
    }
}

/* Writes what is expected of a value: "a whole number from 1 to 64". */
static void
describe_values(const struct sf_param *param, char *text, size_t size)
{
    char range[EXPECTED_SIZE - 16];

    switch (param->kind) {
    case SF_PARAM_NUMBER:
        snprintf(text, size, "a whole number from %u to %u", param->min,
                 param->max);
        break;
    case SF_PARAM_SEED:
        snprintf(text, size, "a whole number of at most 64 bits");
        break;
    case SF_PARAM_SHAPE:
        snprintf(text, size, "ROWSxCOLUMNS, such as 13x13, each from %u to %u",
                 param->min, param->max);
        break;
    case SF_PARAM_REAL:
        describe_range(&param->range, range, sizeof range);
        snprintf(text, size, "a number %s", range);
        break;
    case SF_PARAM_CHOICE:
        list_words(param, text, size);
        break;
    case SF_PARAM_FILE:
        snprintf(text, size, "the name of a file");
        break;
    }
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

static bool
parse_number(const struct sf_param *param, const char *text,
             struct sf_value *value)
{
    return parse_digits(text, strlen(text), &value->number) &&
           value->number >= param->min && value->number <= param->max;
}

static bool
parse_seed(const char *text, struct sf_value *value)
{
    return parse_digits(text, strlen(text), &value->number) &&
           (value->number < UINT64_MAX ||
            !strcmp(text, "18446744073709551615"));
}

static bool
parse_shape(const struct sf_param *param, const char *text,
            struct sf_value *value)
{
    const char *x = strchr(text, 'x');
    uint64_t rows, columns;

    if (!x || !parse_digits(text, (size_t)(x - text), &rows) ||
        !parse_digits(x + 1, strlen(x + 1), &columns) || rows < param->min ||
        rows > param->max || columns < param->min || columns > param->max) {
        return false;
    }
    value->rows = (uint32_t)rows;
    value->columns = (uint32_t)columns;
    return true;
}

static bool
parse_real(const struct sf_param *param, const char *text,
           struct sf_value *value)
{
    const struct sf_range *range = &param->range;
    char *end;

    /* strtod() would also take "inf", "nan" and "0x1p-1". */
    if (strspn(text, "0123456789.eE+-") != strlen(text)) {
        return false;
    }
    double real = strtod(text, &end);
    value->real = real == 0 ? 0 : real; /* There is no -0. */
    return end != text && !*end &&
           (range->above_min ? real > range->min : real >= range->min) &&
           (range->below_max ? real < range->max : real <= range->max);
}

static bool
parse_choice(const struct sf_param *param, const char *text,
             struct sf_value *value)
{
    for (uint32_t i = 0; i < SF_MAX_WORDS && param->words[i]; i++) {
        if (!strcmp(param->words[i], text)) {
            value->number = i;
            return true;
        }
    }
    return false;
}

/* Reads 'text', which is not empty; false if it is no value of 'param'. */
static bool
parse_text(const struct sf_param *param, const char *text,
           struct sf_value *value)
{
    switch (param->kind) {
    case SF_PARAM_NUMBER:
        return parse_number(param, text, value);
    case SF_PARAM_SEED:
        return parse_seed(text, value);
    case SF_PARAM_SHAPE:
        return parse_shape(param, text, value);
    case SF_PARAM_REAL:
        return parse_real(param, text, value);
    case SF_PARAM_CHOICE:
        return parse_choice(param, text, value);
    case SF_PARAM_FILE:
        value->text = text;
        return true;
    }
    return false;
}

static enum sf_status
parse_value(const struct sf_param *param, const char *text,
            struct sf_value *value, struct sf_error *err)
{
    char expected[EXPECTED_SIZE];

    if (value->given) {
        return sf_fail(err, SF_EINVAL, "%s is given twice", param->key);
    }
    value->given = true;
    if (*text && parse_text(param, text, value)) {
        return SF_OK;
    }
    describe_values(param, expected, sizeof expected);
    return *text ? sf_fail(err, SF_EINVAL, "%s = %.40s: expected %s",
                           param->key, text, expected)
                 : sf_fail(err, SF_EINVAL, "%s has no value: expected %s",
                           param->key, expected);
}

/* The default of 'param', if it is a value; a file has none. */
static bool
find_default(const struct sf_param *param, struct sf_value *value)
{
    struct sf_value found = { 0 };

    if (!param->by_default || param->kind == SF_PARAM_FILE ||
        !parse_text(param, param->by_default, &found)) {
        return false;
    }
    *value = found;
    return true;
}

/* Says which keys there are, for want of what 'item' says. */
static enum sf_status
refuse_item(const struct sf_spec_head *head, const char *item, bool is_key,
            struct sf_error *err)
{
    char keys[160] = "";
    size_t used = 0;
    uint32_t n = sf_params_count(head->params);

    for (uint32_t i = 0; i < n && used < sizeof keys; i++) {
        used += (size_t)snprintf(keys + used, sizeof keys - used, "%s%s",
                                 i ? ", " : "", head->params[i].key);
    }
    if (n == 0) {
        return sf_fail(err, SF_EINVAL, "'%.40s': %s takes no settings", item,
                       head->name);
    }
    if (is_key) {
        return sf_fail(err, SF_EINVAL, "'%.40s' is not a key of %s; it has %s",
                       item, head->name, keys);
    }
    if (!head->example) {
        return sf_fail(err, SF_EINVAL,
                       "'%.40s': expected KEY=VALUE; %s has the key%s %s",
                       item, head->name, n == 1 ? "" : "s", keys);
    }
    return sf_fail(err, SF_EINVAL, "'%.40s': expected KEY=VALUE, as in %s",
                   item, head->example);
}

/* Parses one item of a spec, "KEY=VALUE" or, for a positional parameter in
 * the first item, "VALUE". */
static enum sf_status
parse_item(struct sf_spec *parsed, char *item, bool is_first,
           struct sf_error *err)
{
    const struct sf_param *params = parsed->head.params;
    char *equals = strchr(item, '=');

    if (!equals) {
        return is_first && params[0].key && params[0].positional
                   ? parse_value(&params[0], item, &parsed->values[0], err)
                   : refuse_item(&parsed->head, item, false, err);
    }
    *equals = '\0';
    for (uint32_t i = 0; i < sf_params_count(params); i++) {
        if (!strcmp(item, params[i].key)) {
            return parse_value(&params[i], equals + 1, &parsed->values[i],
                               err);
        }
    }
    return refuse_item(&parsed->head, item, true, err);
}

/* The name of a file that is all there is may have commas and the like. */
static bool
is_one_file(const struct sf_param *params)
{
    return sf_params_count(params) == 1 && params[0].positional &&
           params[0].kind == SF_PARAM_FILE;
}

static enum sf_status
parse_items(struct sf_spec *parsed, char *items, struct sf_error *err)
{
    bool is_first = true;

    if (items && is_one_file(parsed->head.params)) {
        return parse_value(&parsed->head.params[0], items, &parsed->values[0],
                           err);
    }
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
    return SF_OK;
}

/* Gives what was not given its default, and refuses what has none. */
static enum sf_status
fill_defaults(struct sf_spec *parsed, struct sf_error *err)
{
    for (uint32_t i = 0; i < sf_params_count(parsed->head.params); i++) {
        const struct sf_param *param = &parsed->head.params[i];
        if (parsed->values[i].given ||
            find_default(param, &parsed->values[i]) || param->by_default) {
            continue;
        }
        return sf_fail(err, SF_EINVAL, "%s is missing (%s)%s%s", param->key,
                       param->meaning, parsed->head.example ? ", as in " : "",
                       parsed->head.example ? parsed->head.example : "");
    }
    return SF_OK;
}

/* Whether 'value' is what 'param' has anyway. */
static bool
is_default(const struct sf_param *param, const struct sf_value *value)
{
    struct sf_value usual;

    return find_default(param, &usual) && usual.number == value->number &&
           usual.rows == value->rows && usual.columns == value->columns &&
           usual.real == value->real;
}

/* Writes 'real' with as few digits as tell it from all others. */
static size_t
spell_real(double real, char *text, size_t size)
{
    int n = 0;

    for (int digits = 1; digits <= 17; digits++) {
        n = snprintf(text, size, "%.*g", digits, real);
        if (strtod(text, NULL) == real) {
            break;
        }
    }
    return (size_t)n;
}

static size_t
spell_value(const struct sf_param *param, const struct sf_value *value,
            char *text, size_t size)
{
    switch (param->kind) {
    case SF_PARAM_NUMBER:
    case SF_PARAM_SEED:
        return (size_t)snprintf(text, size, "%" PRIu64, value->number);
    case SF_PARAM_SHAPE:
        return (size_t)snprintf(text, size, "%ux%u", value->rows,
                                value->columns);
    case SF_PARAM_REAL:
        return spell_real(value->real, text, size);
    case SF_PARAM_CHOICE:
        return (size_t)snprintf(text, size, "%s", param->words[value->number]);
    case SF_PARAM_FILE:
        return (size_t)snprintf(text, size, "%s", value->text);
    }
    return 0;
}

/* Room for the canonical text, its NUL included. */
static size_t
measure_spelling(const struct sf_spec *parsed)
{
    size_t size = strlen(parsed->head.name) + 1;

    for (uint32_t i = 0; i < sf_params_count(parsed->head.params); i++) {
        const struct sf_param *param = &parsed->head.params[i];
        const struct sf_value *value = &parsed->values[i];
        const char *text = param->kind == SF_PARAM_CHOICE
                               ? param->words[value->number]
                               : value->text;
        size += strlen(param->key) + 2 + (text ? strlen(text) : NUMBER_SIZE);
    }
    return size;
}

enum sf_status
sf_spec_spell(struct sf_spec *parsed, struct sf_error *err)
{
    size_t size = measure_spelling(parsed);
    bool keeps_given = parsed->sort->keeps_given;
    char separator = ':';

    free(parsed->canonical);
    parsed->canonical = sf_calloc(size, 1);
    if (!parsed->canonical) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    size_t used =
        (size_t)snprintf(parsed->canonical, size, "%s", parsed->head.name);
    for (uint32_t i = 0; i < sf_params_count(parsed->head.params); i++) {
        const struct sf_param *param = &parsed->head.params[i];
        const struct sf_value *value = &parsed->values[i];
        bool has_key = !keeps_given || !param->positional;
        if (!value->given || (!keeps_given && is_default(param, value))) {
            continue;
        }
        used += (size_t)snprintf(
            parsed->canonical + used, size - used, "%c%s%s", separator,
            has_key ? param->key : "", has_key ? "=" : "");
        used +=
            spell_value(param, value, parsed->canonical + used, size - used);
        separator = ',';
    }
    return SF_OK;
}

size_t
sf_spec_find(const struct sf_spec_sort *sort, const char *text)
{
    size_t length = strcspn(text, ":");
    struct sf_spec_head head;

    for (size_t i = 0; sort->head(i, &head); i++) {
        if (strlen(head.name) == length && !memcmp(head.name, text, length)) {
            return i;
        }
    }
    return SF_NO_HEAD;
}

static enum sf_status
refuse_name(const struct sf_spec_sort *sort, const char *name,
            struct sf_error *err)
{
    char names[300] = "";
    size_t used = 0;
    struct sf_spec_head head;

    for (size_t i = 0; sort->head(i, &head) && used < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i ? ", " : "", head.name);
    }
    return sf_fail(err, SF_EINVAL, "'%.40s' is not %s; there are %s", name,
                   sort->what, names);
}

enum sf_status
sf_spec_parse(const struct sf_spec_sort *sort, const char *text,
              struct sf_spec *parsed, struct sf_error *err)
{
    *parsed = (struct sf_spec){ .sort = sort,
                                .index = sf_spec_find(sort, text),
                                .text = sf_strdup(text) };
    if (!parsed->text) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    char *colon = strchr(parsed->text, ':');
    if (colon) {
        *colon = '\0';
    }
    if (parsed->index == SF_NO_HEAD) {
        return refuse_name(sort, parsed->text, err);
    }
    sort->head(parsed->index, &parsed->head);
    enum sf_status status = parse_items(parsed, colon ? colon + 1 : NULL, err);
    if (status == SF_OK) {
        status = fill_defaults(parsed, err);
    }
    return status == SF_OK ? sf_spec_spell(parsed, err) : status;
}

void
sf_spec_clear(struct sf_spec *parsed)
{
    free(parsed->canonical);
    free(parsed->text);
    *parsed = (struct sf_spec){ 0 };
}

enum sf_status
sf_spec_copy_text(const struct sf_spec *parsed, char text[SF_SCHEME_SIZE],
                  struct sf_error *err)
{
    if (strlen(parsed->canonical) >= SF_SCHEME_SIZE) {
        return sf_fail(err, SF_EINVAL,
                       "%.40s...: expected less than %d characters",
                       parsed->canonical, SF_SCHEME_SIZE);
    }
    snprintf(text, SF_SCHEME_SIZE, "%s", parsed->canonical);
    return SF_OK;
}

struct sf_value *
sf_spec_value(struct sf_spec *parsed, const char *key)
{
    for (uint32_t i = 0; i < sf_params_count(parsed->head.params); i++) {
        if (!strcmp(parsed->head.params[i].key, key)) {
            return &parsed->values[i];
        }
    }
    return NULL;
}

void
sf_param_write_text(const struct sf_param *param, FILE *stream)
{
    char text[EXPECTED_SIZE];

    fputs(param->meaning, stream);
    switch (param->kind) {
    case SF_PARAM_NUMBER:
        fprintf(stream, "; %u to %u", param->min, param->max);
        break;
    case SF_PARAM_SHAPE:
        fprintf(stream, ", each %u to %u", param->min, param->max);
        break;
    case SF_PARAM_REAL:
        describe_range(&param->range, text, sizeof text);
        fprintf(stream, "; %s", text);
        break;
    case SF_PARAM_CHOICE:
        list_words(param, text, sizeof text);
        fprintf(stream, "; %s", text);
        break;
    case SF_PARAM_SEED:
    case SF_PARAM_FILE:
        break;
    }
    if (param->by_default) {
        fprintf(stream, " (default: %s)", param->by_default);
    }
    fputc('\n', stream);
}
