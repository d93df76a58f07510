/* fuzz_figure.c -- any bytes as a figure on the page of results: no crash, and
 * what passes can neither run nor lead anywhere: no element and no attribute
 * but those that draw, and what is open is closed. */
#include "report/results/parts.h"

#include <ctype.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether 'text' has 'part', in capital letters or not. */
static bool
has(const char *text, size_t length, const char *part)
{
    size_t n = strlen(part);

    for (size_t i = 0; i + n <= length; i++) {
        size_t k = 0;
        while (k < n && tolower((unsigned char)text[i + k]) == part[k]) {
            k++;
        }
        if (k == n) {
            return true;
        }
    }
    return false;
}

/* Follows the tags by hand: '<' begins one wherever it stands, since texts and
 * values have none. */
static void
check_tags(const char *text, size_t length)
{
    long depth = 0;

    for (size_t i = 0; i < length; i++) {
        if (text[i] != '<') {
            continue;
        }
        size_t end = i;
        char quote = '\0';
        while (end < length && (quote || text[end] != '>')) {
            if (quote ? text[end] == quote
                      : text[end] == '"' || text[end] == '\'') {
                char opened = text[end];
                if (quote) {
                    opened = '\0';
                }
                quote = opened;
            }
            end++;
        }
        if (end == length || has(text + i, end - i, "script") ||
            has(text + i, end - i, "<image") ||
            has(text + i, end - i, "<foreign") ||
            has(text + i, end - i, "<a ") || has(text + i, end - i, " on")) {
            /* Words in labels are fine. */
            if (end == length || !has(text + i, end - i, "aria-label")) {
                abort();
            }
        }
        depth += text[i + 1] == '/' ? -1 : text[end - 1] == '/' ? 0 : 1;
        if (depth < 0) {
            abort();
        }
        i = end;
    }
    if (depth) {
        abort();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_error err;
    struct results_page page = { .reader = { .path = "fuzz", .err = &err } };
    char *text = NULL;
    size_t length;

    page.stream = open_memstream(&text, &length);
    if (!page.stream) {
        abort();
    }
    enum sf_status status =
        sf_results_write_svg(&page, "fuzz", (const char *)data, size);
    if (fclose(page.stream) != 0) {
        abort();
    }
    if (status == SF_OK) {
        check_tags(text, length);
    }
    free(text);
    for (size_t i = 0; i < page.styles.n; i++) {
        free(page.styles.items[i]);
    }
    free(page.styles.items);
    return 0;
}
