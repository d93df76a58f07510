#include "slimfly/error.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A context longer than this hides the sentence that follows it. */
#define CONTEXT_MAX 80

/* Leaves nothing in 'text' but characters that can be shown: one '?' stands
 * for each other character, and for each byte that belongs to none. */
static void
replace_unseen(char *text)
{
    unsigned char *from = (unsigned char *)text, *to = from;

    while (*from) {
        uint32_t c = 0;
        size_t length = sf_utf8_decode((const char *)from, &c);
        if (length == 0 || !sf_utf8_is_shown(c)) {
            *to++ = '?';
            from += length ? length : 1;
            continue;
        }
        memmove(to, from, length);
        to += length;
        from += length;
    }
    *to = '\0';
}

/* In brackets: error.h has a macro of this name for an analyzer. */
enum sf_status(sf_fail)(struct sf_error *err, enum sf_status status,
                        const char *format, ...)
{
    if (err) {
        va_list args;

        err->status = status;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        replace_unseen(err->text);
    }
    return status;
}

void
sf_error_add_context(struct sf_error *err, const char *context)
{
    if (!err || err->status == SF_OK) {
        return;
    }

    char sentence[SF_ERROR_TEXT_SIZE];
    size_t length = strlen(context);
    memcpy(sentence, err->text, sizeof sentence);
    int n = snprintf(err->text, sizeof err->text, "%.*s%s: ",
                     length > CONTEXT_MAX ? CONTEXT_MAX - 3 : (int)length,
                     context, length > CONTEXT_MAX ? "..." : "");
    snprintf(err->text + n, sizeof err->text - (size_t)n, "%s", sentence);
    replace_unseen(err->text);
}
