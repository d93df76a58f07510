#include "slimfly/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A context longer than this hides the sentence that follows it. */
#define CONTEXT_MAX 80

/* Decodes a character of UTF-8 at 'text'.  Returns its length, or 0 if there
 * is none: a lone byte, one encoded too long, a surrogate. */
static size_t
decode(const unsigned char *text, uint32_t *characterp)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t length = text[0] < 0x80             ? 1
                    : (text[0] & 0xe0) == 0xc0 ? 2
                    : (text[0] & 0xf0) == 0xe0 ? 3
                    : (text[0] & 0xf8) == 0xf0 ? 4
                                               : 0;
    uint32_t c = length > 1 ? text[0] & (0x7fu >> length) : text[0];

    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        c = c << 6 | (text[i] & 0x3f);
    }
    *characterp = c;
    return length && c >= least[length] && c <= 0x10ffff &&
                   (c < 0xd800 || c > 0xdfff)
               ? length
               : 0;
}

/* Whether a terminal may act on 'c' instead of showing it: control characters,
 * and marks that turn the direction of the text after them. */
static bool
is_acted_on(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) ||
           (c >= 0x2028 && c < 0x202f) || (c >= 0x2066 && c < 0x206a) ||
           c == 0x200e || c == 0x200f || c == 0x61c;
}

/* Leaves nothing in 'text' but characters that can be shown: one '?' stands
 * for each other character, and for each byte that belongs to none. */
static void
replace_unseen(char *text)
{
    unsigned char *from = (unsigned char *)text, *to = from;

    while (*from) {
        uint32_t c = 0;
        size_t length = decode(from, &c);
        if (length == 0 || is_acted_on(c)) {
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
