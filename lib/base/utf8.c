/* utf8.c -- see utf8.h. */
#include "base/utf8.h"

size_t
sf_utf8_decode(const char *text, uint32_t *characterp)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *at = (const unsigned char *)text;
    size_t length = at[0] < 0x80             ? 1
                    : (at[0] & 0xe0) == 0xc0 ? 2
                    : (at[0] & 0xf0) == 0xe0 ? 3
                    : (at[0] & 0xf8) == 0xf0 ? 4
                                             : 0;
    uint32_t c = length > 1 ? at[0] & (0x7fu >> length) : at[0];

    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
        c = c << 6 | (at[i] & 0x3f);
    }
    *characterp = c;
    return length && c >= least[length] && c <= 0x10ffff &&
                   (c < 0xd800 || c > 0xdfff)
               ? length
               : 0;
}

bool
sf_utf8_is_shown(uint32_t c)
{
    return c >= 0x20 && (c < 0x7f || c >= 0xa0) &&
           (c < 0x2028 || c >= 0x202f) && (c < 0x2066 || c >= 0x206a) &&
           c != 0x200e && c != 0x200f && c != 0x61c;
}

const char *
sf_utf8_find_unseen(const char *text)
{
    while (*text) {
        uint32_t c = 0;
        size_t length = sf_utf8_decode(text, &c);
        if (length == 0 || (c != '\t' && !sf_utf8_is_shown(c))) {
            return text;
        }
        text += length;
    }
    return NULL;
}
