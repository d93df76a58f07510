#include "slimfly/port_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LITERAL 24   /* Characters around the number. */
#define MAX_DIGITS  9    /* Of a number with leading zeros. */
#define MAX_FIRST   9999 /* So that 32 bits hold every number, */
#define MAX_STEP    999  /* of ten digits at most. */
#define MAX_NUMBER  254  /* Of a port. */

#define LINUX_NAME_MAX 15 /* IFNAMSIZ without the NUL. */

static enum sf_status
refuse(const char *rule, const char *problem, struct sf_error *err)
{
    return sf_fail(err, SF_EINVAL,
                   "port names '%s': %s; expected letters, digits and -_./: "
                   "around one %%d, such as swp%%d or "
                   "Ethernet%%d:first=0,step=4",
                   rule, problem);
}

/* Where the options start, at their colon: a colon with a word and '=' after
 * it; else where the text ends. */
static const char *
find_options(const char *text)
{
    const char *end = text + strlen(text);

    for (const char *c = text; (c = strchr(c, ':')); c++) {
        size_t length = 0;
        while (islower((unsigned char)c[1 + length])) {
            length++;
        }
        if (length > 0 && c[1 + length] == '=') {
            return c;
        }
    }
    return end;
}

/* Reads a decimal number of at most 'max' after "KEY=", and moves '*textp'
 * behind it. */
static bool
read_option(const char **textp, const char *key, uint32_t max,
            uint32_t *valuep)
{
    size_t length = strlen(key);
    const char *text = *textp;
    char *end;

    if (strncmp(text, key, length) != 0 || text[length] != '=' ||
        !isdigit((unsigned char)text[length + 1])) {
        return false;
    }
    unsigned long value = strtoul(text + length + 1, &end, 10);
    if (value > max) {
        return false;
    }
    *valuep = (uint32_t)value;
    *textp = end;
    return true;
}

/* Reads ":first=0,step=4" and the like; false if that is something else. */
static bool
read_options(const char *text, struct sf_port_form *form)
{
    bool has_first = false, has_step = false;

    while (*text) {
        text++; /* The colon, or a comma. */
        if (!has_first &&
            read_option(&text, "first", MAX_FIRST, &form->first)) {
            has_first = true;
        } else if (!has_step &&
                   read_option(&text, "step", MAX_STEP, &form->step)) {
            has_step = true;
        } else {
            return false;
        }
        if (*text && *text != ',') {
            return false;
        }
    }
    return form->step > 0;
}

/* Copies what stands around the number; false if that cannot be in a name. */
static bool
copy_literal(const char *text, size_t length, char *copy)
{
    if (length > MAX_LITERAL) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x80 || (!isalnum(c) && !strchr("-_./:", c))) {
            return false;
        }
        copy[i] = text[i];
    }
    copy[length] = '\0';
    return true;
}

/* Reads "%d" or "%02d"; returns where it ends, or NULL if it is neither. */
static const char *
read_number(const char *text, uint32_t *n_digitsp)
{
    *n_digitsp = 0;
    text++;
    if (*text == '0') {
        text++;
        if (*text < '1' || *text > '0' + MAX_DIGITS) {
            return NULL;
        }
        *n_digitsp = (uint32_t)(*text++ - '0');
    }
    return *text == 'd' ? text + 1 : NULL;
}

/* Adds a form to the rule, without what is by default anyway. */
static void
spell(const struct sf_port_form *form, struct sf_port_names *names)
{
    char number[8] = "%d", first[24] = "", step[24] = "";
    size_t used = strlen(names->rule);

    if (form->n_digits) {
        snprintf(number, sizeof number, "%%0%ud", form->n_digits % 10);
    }
    if (form->first != 1) {
        snprintf(first, sizeof first, ":first=%u", form->first);
    }
    if (form->step != 1) {
        snprintf(step, sizeof step, "%cstep=%u", *first ? ',' : ':',
                 form->step);
    }
    snprintf(names->rule + used, sizeof names->rule - used, "%s%s%s%s%s%s",
             used ? "|" : "", form->before, number, form->after, first, step);
}

/* Reads one form; the whole 'rule' is for messages. */
static enum sf_status
parse_form(const char *text, const char *rule, struct sf_port_form *form,
           struct sf_error *err)
{
    const char *options = find_options(text);
    const char *number = memchr(text, '%', (size_t)(options - text));

    if (!number) {
        return refuse(rule, "there is no %d in it", err);
    }
    const char *after = read_number(number, &form->n_digits);
    if (!after || after > options) {
        return refuse(rule, "the number is neither %d nor %02d or the like",
                      err);
    }
    size_t n_before = (size_t)(number - text);
    size_t n_after = (size_t)(options - after);
    if (n_before + n_after > MAX_LITERAL) {
        return refuse(rule, "more than 24 characters beside the number", err);
    }
    if (!copy_literal(text, n_before, form->before) ||
        !copy_literal(after, n_after, form->after)) {
        return refuse(rule, "there is something in it that no name has", err);
    }
    form->first = 1;
    form->step = 1;
    return read_options(options, form)
               ? SF_OK
               : refuse(rule,
                        "its options are not first=0...9999 or step=1...999",
                        err);
}

static char *
make_name(const struct sf_port_form *form, uint32_t number,
          char name[SF_PORT_NAME_SIZE])
{
    snprintf(name, SF_PORT_NAME_SIZE, "%.24s%0*u%.24s", form->before,
             (int)(form->n_digits % 10),
             form->first + (number - 1) * form->step, form->after);
    return name;
}

/* The number at the start of 'text', up to what 32 bits hold; false if there
 * is none. */
static bool
read_value(const char *text, uint64_t *valuep)
{
    uint64_t value = 0;

    for (const char *c = text; isdigit((unsigned char)*c); c++) {
        value = 10 * value + (uint64_t)(*c - '0');
        if (value > UINT32_MAX) {
            return false;
        }
    }
    *valuep = value;
    return isdigit((unsigned char)*text);
}

static uint32_t
read_name(const struct sf_port_form *form, const char *name)
{
    size_t n_before = strlen(form->before);
    char same[SF_PORT_NAME_SIZE];
    uint64_t value;

    if (strncmp(name, form->before, n_before) != 0 ||
        !read_value(name + n_before, &value) || value < form->first) {
        return 0;
    }
    uint64_t number = (value - form->first) / form->step + 1;
    /* One spelling counts: not swp01 for swp1, nor a number between two. */
    return number <= UINT32_MAX &&
                   !strcmp(make_name(form, (uint32_t)number, same), name)
               ? (uint32_t)number
               : 0;
}

/* SF_EINVAL if the last form gives a port a name that an earlier one gives to
 * another port. */
static enum sf_status
check_collisions(const struct sf_port_names *names, struct sf_error *err)
{
    const struct sf_port_form *last = &names->forms[names->n_forms - 1];
    char name[SF_PORT_NAME_SIZE];

    for (uint32_t number = 1; number <= MAX_NUMBER; number++) {
        make_name(last, number, name);
        for (const struct sf_port_form *form = names->forms; form < last;
             form++) {
            uint32_t other = read_name(form, name);
            if (other && other <= MAX_NUMBER && other != number) {
                return sf_fail(err, SF_EINVAL,
                               "port names '%s': %s would be port %u and "
                               "port %u",
                               names->rule, name, other, number);
            }
        }
    }
    return SF_OK;
}

static enum sf_status
parse(const char *rule, struct sf_port_names *names, struct sf_error *err)
{
    const char *text = rule;
    enum sf_status status = SF_OK;
    bool is_last = false;

    while (status == SF_OK && !is_last) {
        char part[SF_PORT_NAME_SIZE];
        size_t length = strcspn(text, "|");
        if (length >= sizeof part) {
            return refuse(rule, "it is too long", err);
        }
        if (names->n_forms == SF_MAX_PORT_FORMS) {
            return refuse(rule, "it has more than four names", err);
        }
        memcpy(part, text, length);
        part[length] = '\0';
        struct sf_port_form form = { 0 };
        status = parse_form(part, rule, &form, err);
        if (status == SF_OK) {
            spell(&form, names);
            names->forms[names->n_forms++] = form;
            status = check_collisions(names, err);
        }
        is_last = !text[length];
        text += length + 1;
    }
    return status;
}

enum sf_status
sf_port_names_parse(const char *rule, struct sf_port_names *names,
                    struct sf_error *err)
{
    *names = (struct sf_port_names){ 0 };
    enum sf_status status = parse(rule, names, err);
    if (status != SF_OK) {
        *names = (struct sf_port_names){ 0 };
    }
    return status;
}

char *
sf_port_name(const struct sf_port_names *names, uint32_t number,
             char name[SF_PORT_NAME_SIZE])
{
    if (sf_port_names_exist(names)) {
        return make_name(&names->forms[0], number, name);
    }
    snprintf(name, SF_PORT_NAME_SIZE, "%u", number);
    return name;
}

uint32_t
sf_port_number(const struct sf_port_names *names, const char *name)
{
    static const struct sf_port_form bare = { .first = 1, .step = 1 };
    uint32_t number = 0;

    for (uint32_t i = 0; !number && i < names->n_forms; i++) {
        number = read_name(&names->forms[i], name);
    }
    return sf_port_names_exist(names) ? number : read_name(&bare, name);
}

enum sf_status
sf_port_names_check_linux(const struct sf_port_names *names, uint32_t n_ports,
                          struct sf_error *err)
{
    char name[SF_PORT_NAME_SIZE];

    if (!sf_port_names_exist(names)) {
        return sf_fail(err, SF_EINVAL,
                       "the ports have numbers and no names; Linux needs "
                       "names, such as those of the rule swp%%d");
    }
    sf_port_name(names, n_ports, name); /* The longest. */
    if (strpbrk(name, "/:")) {
        return sf_fail(err, SF_EINVAL,
                       "port names %s: Linux takes no '/' and no ':' in the "
                       "name of an interface",
                       names->rule);
    }
    if (strlen(name) > LINUX_NAME_MAX) {
        return sf_fail(err, SF_EINVAL,
                       "port names %s: %s is longer than the %d characters "
                       "that Linux takes in the name of an interface",
                       names->rule, name, LINUX_NAME_MAX);
    }
    if (strspn(name, "0123456789") == strlen(name)) {
        return sf_fail(err, SF_EINVAL,
                       "port names %s: tools of Linux take a number alone "
                       "for the index of an interface",
                       names->rule);
    }
    return SF_OK;
}
