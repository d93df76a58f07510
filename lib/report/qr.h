/* qr.h -- QR codes as parts of HTML pages. */
#ifndef SF_REPORT_QR_H
#define SF_REPORT_QR_H

#include "slimfly/error.h"

#include <stdint.h>
#include <stdio.h>

/* A code that is drawn several times on a page: labels are many, so it is
 * written once and referred to then. */
struct sf_qr {
    const char *text; /* Not owned; also its name in the page. */
    uint32_t width;   /* In modules, without the margin. */
};

/* Draws the QR code of 'text', with the margin that readers need, as an SVG
 * element, and fills 'qr'.  Each text may be drawn once on a page. */
enum sf_status sf_qr_draw(struct sf_qr *qr, const char *text, FILE *stream,
                          struct sf_error *err);

/* Draws the same code again. */
void sf_qr_draw_again(const struct sf_qr *qr, FILE *stream);

#endif
