/* pdf.h -- pages of PDF from SVG.
 *
 * librsvg and cairo draw them.  They bring fifty libraries, which would take
 * ten times as long to load as the rest of the program, so they are loaded
 * when the first page is drawn. */
#ifndef SF_REPORT_PDF_H
#define SF_REPORT_PDF_H

#include "slimfly/error.h"

#include <stddef.h>
#include <stdio.h>

struct sf_pdf_page {
    const char *svg; /* Of 'length' bytes. */
    size_t length;
    double width, height;      /* Points. */
    const char *title, *about; /* For catalogues; "": none. */
};

/* Whether pages can be drawn.  SF_EINVAL: this build has no PDF, or librsvg is
 * not there; the error says which. */
enum sf_status sf_pdf_check(struct sf_error *err);

/* Draws one page.  The same page gives the same bytes on a machine with the
 * same fonts.  SF_EINVAL: as above, or the SVG is none; SF_ENOMEM.  Whether
 * the stream could be written is for whoever closes it: SF_OK says nothing
 * about it, but errno is that of the write that failed. */
enum sf_status sf_pdf_write(const struct sf_pdf_page *page, FILE *stream,
                            struct sf_error *err);

#endif
