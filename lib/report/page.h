/* page.h -- what the HTML pages have in common: each is one file that needs no
 * other and asks no server for anything. */
#ifndef SF_REPORT_PAGE_H
#define SF_REPORT_PAGE_H

#include <stdio.h>

/* The files beside this one that become part of pages. */
enum sf_page_part {
    SF_GUIDE_CSS,
    SF_GUIDE_JS,
    SF_LABELS_CSS,
    SF_EVALUATION_CSS,
    SF_RESULTS_CSS,
    SF_RESULTS_JS,
};

/* Writes such a file as it is. */
void sf_page_write_part(enum sf_page_part part, FILE *stream);

/* Starts a page with the title "'what': 'of'"; it is still in its head. */
void sf_page_begin(const char *what, const char *of, FILE *stream);

#endif
