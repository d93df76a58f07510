/* figure.h -- the form of the figures of results: SVG for screens, or what a
 * paper needs: the width of a column, its fonts, nothing but black, white and
 * colours that grey print keeps apart, and the numbers beside it.
 *
 * Writers of results have a 'figure' among what they are given.  NULL stands
 * for SVG for screens, which has a title, notes below the pointer and follows
 * the viewer's dark scheme. */
#ifndef SLIMFLY_FIGURE_H
#define SLIMFLY_FIGURE_H

#include "slimfly/error.h"

#include <stdbool.h>

#pragma GCC visibility push(default)

enum sf_figure_format {
    SF_FIGURE_PDF, /* One page, as large as the figure, with its fonts. */
    SF_FIGURE_SVG,
    SF_FIGURE_CSV, /* What is drawn, as numbers. */
    SF_N_FIGURE_FORMATS,
};

/* Limits and defaults; doc/figures.md has the reasons. */
#define SF_FIGURE_MIN_WIDTH 30 /* Millimetres. */
#define SF_FIGURE_MAX_WIDTH 500
#define SF_FIGURE_WIDTH     84
#define SF_FIGURE_PAGE      240 /* About as tall as the text of a page. */
#define SF_FIGURE_MIN_SIZE  4   /* Points. */
#define SF_FIGURE_MAX_SIZE  24
#define SF_FIGURE_SIZE      8
#define SF_FIGURE_FONT      "Helvetica,Arial,sans-serif"

struct sf_figure {
    enum sf_figure_format format;
    double width;     /* Of the whole figure, millimetres; 0: the default. */
    double text_size; /* Of the labels of axes, points; 0: the default. */
    const char *font; /* Families, the first that is there is taken, separated
                       * by commas; NULL: the default. */

    /* Set to the size that text has, which is less than 'text_size' where the
     * panels have no room otherwise; NULL: nobody asks. */
    double *shown_sizep;
    double *shown_heightp; /* Set to the height, millimetres; may be NULL. */
};

/* "pdf", "svg", "csv"; NULL behind the last. */
const char *sf_figure_format_name(unsigned format);

/* Whether figures of this form can be drawn.  SF_EINVAL: a size beyond the
 * limits, a font that is no list of names, or PDF where there is no librsvg;
 * the error says which. */
enum sf_status sf_figure_check(const struct sf_figure *figure,
                               struct sf_error *err);

#pragma GCC visibility pop
#endif
