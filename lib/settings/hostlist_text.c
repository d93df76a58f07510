#include "settings/hostlist_text.h"

#include <stdlib.h>
#include <string.h>

/* The length of what stands before the number at the end of 'name'; that of
 * 'name' if there is no number, or nothing before it, or too much of either.
 */
static size_t
prefix_length(const char *name)
{
    size_t length = strlen(name), n = length;

    while (n && name[n - 1] >= '0' && name[n - 1] <= '9') {
        n--;
    }
    return n == 0 || n > SF_HOSTLIST_PREFIX || length - n > SF_HOSTLIST_DIGITS
               ? length
               : n;
}

/* Whether the number 'b' follows 'a', written alike: with as many digits, or
 * both without zeros in front. */
static bool
is_next(const char *a, const char *b)
{
    bool is_padded = (a[0] == '0' && a[1]) || (b[0] == '0' && b[1]);

    return strtoul(b, NULL, 10) == strtoul(a, NULL, 10) + 1 &&
           (strlen(a) == strlen(b) || !is_padded);
}

/* Writes the range that waits; 'goes_on' if another with the same prefix
 * follows. */
static void
write_range(struct sf_hostlist *list, bool goes_on)
{
    bool is_single = !strcmp(list->first, list->last);

    if (!list->is_open) {
        fprintf(list->stream, "%s%s%s", list->has_names ? "," : "",
                list->prefix, goes_on || !is_single ? "[" : "");
        list->has_names = true;
    }
    list->is_open = list->is_open || goes_on || !is_single;
    fprintf(list->stream, "%s%s%s", list->first, is_single ? "" : "-",
            is_single ? "" : list->last);
    if (goes_on) {
        fputc(',', list->stream);
    } else if (list->is_open) {
        fputc(']', list->stream);
        list->is_open = false;
    }
    list->has_range = false;
}

void
sf_hostlist_add(struct sf_hostlist *list, const char *name)
{
    size_t n = prefix_length(name);
    const char *digits = name + n;
    bool is_same = list->has_range && *digits && strlen(list->prefix) == n &&
                   !strncmp(list->prefix, name, n);

    if (is_same && is_next(list->last, digits)) {
        snprintf(list->last, sizeof list->last, "%s", digits);
        return;
    }
    if (list->has_range) {
        write_range(list, is_same);
    }
    if (!*digits) {
        fprintf(list->stream, "%s%s", list->has_names ? "," : "", name);
        list->has_names = true;
        return;
    }
    snprintf(list->prefix, sizeof list->prefix, "%.*s", (int)n, name);
    snprintf(list->first, sizeof list->first, "%s", digits);
    snprintf(list->last, sizeof list->last, "%s", digits);
    list->has_range = true;
}

void
sf_hostlist_end(struct sf_hostlist *list)
{
    if (list->has_range) {
        write_range(list, false);
    }
}
