/* no_pdf.c -- in place of pdf.c where librsvg is missing. */
#include "report/pdf.h"

enum sf_status
sf_pdf_check(struct sf_error *err)
{
    return sf_fail(err, SF_EINVAL,
                   "this slimfly was built without librsvg and has no PDF; "
                   "figures as svg work without");
}

enum sf_status
sf_pdf_write(const struct sf_pdf_page *page, FILE *stream,
             struct sf_error *err)
{
    (void)page, (void)stream;
    return sf_pdf_check(err);
}
