/* figure.h -- charts in the form that is asked for. */
#ifndef SF_REPORT_FIGURE_H
#define SF_REPORT_FIGURE_H

#include "report/chart.h"
#include "slimfly/figure.h"

/* Draws 'chart', for screens if 'figure' is NULL.  SF_EINVAL: there is no
 * panel, or the figure is none that sf_figure_check() takes; SF_ENOMEM. */
enum sf_status sf_figure_draw(const struct sf_figure *figure,
                              const struct sf_chart *chart, FILE *stream,
                              struct sf_error *err);

#endif
