/* design_formats.h -- the forms in which designs and the paper's tables are
 * written: a const table, one file a format in lib/io/. */
#ifndef SLIMFLY_DESIGN_FORMATS_H
#define SLIMFLY_DESIGN_FORMATS_H

#include "slimfly/design.h"
#include "slimfly/figure.h"
#include "slimfly/origin.h"

#include <stdio.h>

#pragma GCC visibility push(default)

/* How much of a design to write. */
struct sf_design_view {
    struct sf_origin origin;
    uint32_t limit; /* At most so many candidates; 0: all. */
    bool is_wide;   /* Text: all columns, however long the lines. */
    const struct sf_figure *figure; /* The form of the chart. */
};

/* 'write' writes candidates; if 'is_chart', those of sf_design_series().
 * 'write_paper' is NULL where the tables have no such form. */
struct sf_design_format {
    const char *name, *summary;
    bool is_chart;
    enum sf_status (*write)(const struct sf_design *design,
                            const struct sf_design_view *view, FILE *stream,
                            struct sf_error *err);
    enum sf_status (*write_paper)(const struct sf_paper *paper, FILE *stream,
                                  struct sf_error *err);
};

/* All formats, ended by one without a name. */
extern const struct sf_design_format sf_design_formats[];

#pragma GCC visibility pop
#endif
