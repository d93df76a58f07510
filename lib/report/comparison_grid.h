/* comparison_grid.h -- the routings and numbers of layers of a comparison, as
 * the rows and columns of its figures. */
#ifndef SF_REPORT_COMPARISON_GRID_H
#define SF_REPORT_COMPARISON_GRID_H

#include "report/chart.h"
#include "slimfly/comparison.h"

#define SF_COMPARISON_MAX_LINES 64

struct sf_comparison_grid {
    const struct sf_comparison *comparison;
    const char *labels[SF_COMPARISON_MAX_LINES];
    uint32_t n_labels;
    uint32_t layers[SF_COMPARISON_MAX_LINES]; /* Growing. */
    uint32_t n_layers;
};

/* Finds what has layers; 'with_paths': and metrics of paths. */
struct sf_comparison_grid
sf_comparison_grid_of(const struct sf_comparison *comparison, bool with_paths);

/* The row of a label and a number of layers; SF_NONE if there is none. */
uint32_t sf_comparison_grid_row(const struct sf_comparison_grid *grid,
                                uint32_t label, uint32_t column);

/* "TITLE, NETWORK, 10 seeds". */
void sf_comparison_title(const struct sf_comparison *comparison,
                         const char *title, struct sf_chart *chart);

#endif
