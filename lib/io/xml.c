#include "io/xml.h"

void
sf_xml_write(const char *text, FILE *stream)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        default:
            /* XML 1.0 has no way to write other control characters. */
            fputc(*text == '\n'                 ? ' '
                  : (unsigned char)*text < 0x20 ? '?'
                                                : *text,
                  stream);
        }
    }
}
