#include "report/qr.h"

#include "io/xml.h"

#include <errno.h>
#include <qrencode.h>
#include <stdbool.h>
#include <string.h>

#define MARGIN 4 /* Modules, as ISO 18004 asks for. */

static void
begin(uint32_t width, FILE *stream)
{
    uint32_t all = width + 2 * MARGIN;

    /* Lines are drawn along the middle of a row. */
    fprintf(stream, "<svg class=\"qr\" viewBox=\"-%d -%d.5 %u %u\">", MARGIN,
            MARGIN, all, all);
}

/* Writes a row as lines over its dark modules. */
static void
write_row(const unsigned char *modules, uint32_t width, uint32_t y,
          FILE *stream)
{
    uint32_t pen = 0; /* Where it is; at the start of a row nowhere. */
    bool is_there = false;

    for (uint32_t x = 0; x < width; x++) {
        uint32_t from = x;
        while (x < width && modules[x] & 1) {
            x++;
        }
        if (x == from) {
            continue;
        }
        if (is_there) {
            fprintf(stream, "m%u 0h%u", from - pen, x - from);
        } else {
            fprintf(stream, "M%u %uh%u", from, y, x - from);
        }
        is_there = true;
        pen = x;
    }
}

enum sf_status
sf_qr_draw(struct sf_qr *qr, const char *text, FILE *stream,
           struct sf_error *err)
{
    QRcode *code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1);

    if (!code) {
        return errno == ENOMEM
                   ? sf_fail(err, SF_ENOMEM, "out of memory for a QR code")
                   : sf_fail(err, SF_EINVAL, "no QR code can hold '%s': %s",
                             text, strerror(errno));
    }
    *qr = (struct sf_qr){ text, (uint32_t)code->width };
    begin(qr->width, stream);
    fputs("<path id=\"", stream);
    sf_xml_write(text, stream);
    fputs("\" d=\"", stream);
    for (uint32_t y = 0; y < qr->width; y++) {
        write_row(code->data + (size_t)y * qr->width, qr->width, y, stream);
    }
    fputs("\"/></svg>", stream);
    QRcode_free(code);
    return SF_OK;
}

void
sf_qr_draw_again(const struct sf_qr *qr, FILE *stream)
{
    begin(qr->width, stream);
    fputs("<use href=\"#", stream);
    sf_xml_write(qr->text, stream);
    fputs("\"/></svg>", stream);
}
