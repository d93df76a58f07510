/* hostlist.c -- see hostlist.h.  Names are spelled out one at a time, so that
 * a list of billions costs nothing if the first is refused. */
#include "traffic/hostlist.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAX_DIGITS 9

struct speller {
    sf_take_name *take;
    void *aux;
    struct sf_error *err;
    char name[SF_HOSTLIST_NAME + 1];
};

static enum sf_status
fail(const struct speller *speller, const char *expected, const char *found)
{
    return sf_fail(speller->err, SF_EPARSE, "expected %s, found '%.40s'",
                   expected, found);
}

static enum sf_status spell(struct speller *speller, size_t length,
                            const char *rest, const char *end);

/* Reads a number of few digits; its end, or NULL. */
static const char *
read_number(const char *text, uint32_t *valuep)
{
    size_t n = strspn(text, "0123456789");

    *valuep = 0;
    for (size_t i = 0; i < n && n <= MAX_DIGITS; i++) {
        *valuep = *valuep * 10 + (uint32_t)(text[i] - '0');
    }
    return n == 0 || n > MAX_DIGITS ? NULL : text + n;
}

/* Spells the names with each number from 'low' to 'high', of at least 'width'
 * digits; 'rest' follows. */
static enum sf_status
spell_range(struct speller *speller, size_t length, uint32_t low,
            uint32_t high, int width, const char *rest, const char *end)
{
    enum sf_status status = SF_OK;

    for (uint32_t i = low; status == SF_OK && i <= high; i++) {
        char digits[MAX_DIGITS + 2];
        int n = snprintf(digits, sizeof digits, "%0*u", width, i);
        if (length + (size_t)n > SF_HOSTLIST_NAME) {
            return fail(speller, "a shorter name", rest);
        }
        memcpy(speller->name + length, digits, (size_t)n);
        status = spell(speller, length + (size_t)n, rest, end);
    }
    return status;
}

/* Spells the names of the bracket that starts before 'text'. */
static enum sf_status
spell_bracket(struct speller *speller, size_t length, const char *text,
              const char *end)
{
    const char *close = memchr(text, ']', (size_t)(end - text));
    enum sf_status status = SF_OK;
    bool goes_on = true;

    if (!close) {
        return fail(speller, "a list of numbers that ends with ]", text - 1);
    }
    while (status == SF_OK && goes_on) {
        uint32_t low, high;
        const char *next = read_number(text, &low);
        int width = next ? (int)(next - text) : 0;
        high = low;
        if (next && *next == '-') {
            next = read_number(next + 1, &high);
        }
        if (!next || (*next != ',' && *next != ']')) {
            return fail(speller, "numbers as in [0-31,40]", text);
        }
        if (high < low) {
            return fail(speller, "a range that rises", text);
        }
        status =
            spell_range(speller, length, low, high, width, close + 1, end);
        goes_on = *next == ',';
        text = next + 1;
    }
    return status;
}

/* Spells the names that start with the first 'length' characters of 'name' and
 * go on with 'rest' up to 'end'. */
static enum sf_status
spell(struct speller *speller, size_t length, const char *rest,
      const char *end)
{
    for (; rest < end && *rest != '['; rest++) {
        if (*rest == ']') {
            return fail(speller, "a [ before ]", rest);
        }
        if (length == SF_HOSTLIST_NAME) {
            return fail(speller, "a shorter name", rest);
        }
        speller->name[length++] = *rest;
    }
    if (rest < end) {
        return spell_bracket(speller, length, rest + 1, end);
    }
    speller->name[length] = '\0';
    return length > 0
               ? speller->take(speller->aux, speller->name, speller->err)
               : fail(speller, "the name of a host", rest);
}

/* Where the first name of 'list', with its brackets, ends. */
static const char *
find_end(const char *list)
{
    bool is_inside = false;

    for (; *list && (is_inside || *list != ','); list++) {
        is_inside = *list == '[' || (is_inside && *list != ']');
    }
    return list;
}

enum sf_status
sf_hostlist_read(const char *list, sf_take_name *take, void *aux,
                 struct sf_error *err)
{
    struct speller speller = { .take = take, .aux = aux, .err = err };
    enum sf_status status = SF_OK;

    for (bool goes_on = true; status == SF_OK && goes_on;) {
        const char *end = find_end(list);
        status = spell(&speller, 0, list, end);
        goes_on = *end == ',';
        list = end + 1;
    }
    return status;
}
