/* design_figure.h -- the chart of a design in the form of a paper. */
#ifndef SF_CLI_DESIGN_FIGURE_H
#define SF_CLI_DESIGN_FIGURE_H

#include "cli.h"

/* Writes the chart, 'format', into the folder of --output, as --figure says;
 * returns an exit code. */
int cli_write_design_figure(const struct cli_args *args,
                            const struct sf_design_format *format,
                            const struct sf_design *design,
                            const struct sf_design_view *view);

#endif
