/* utf8.h -- which bytes of a text are characters that can be shown. */
#ifndef SF_BASE_UTF8_H
#define SF_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* U+FEFF in bytes, which some editors put before the first line of a file. */
#define SF_UTF8_MARK "\xef\xbb\xbf"

/* Decodes a character of UTF-8 at 'text', which ends with a NUL.  Returns its
 * length, or 0 if there is none: a lone byte, one encoded too long, a
 * surrogate. */
size_t sf_utf8_decode(const char *text, uint32_t *characterp);

/* Whether a terminal shows 'c'.  It acts on control characters, and on marks
 * that turn the direction of the text after them. */
bool sf_utf8_is_shown(uint32_t c);

/* The first byte of 'text' that is neither a tab nor of a character that is
 * shown; NULL if there is none. */
const char *sf_utf8_find_unseen(const char *text);

#endif
