/* earlier_figures.h -- figures that an earlier run of a command left. */
#ifndef SF_CLI_EARLIER_FIGURES_H
#define SF_CLI_EARLIER_FIGURES_H

#include "result_output.h"

/* The length of the name of a figure without its ending; 0: it is none. */
size_t cli_figure_stem(const char *name);

/* Between cli_begin_files() and cli_end_files(): lets figures of results that
 * these take the place of go, which whoever finds them would take for figures
 * of these.  It does so only where the folder has results of this command, and
 * leaves figures that may be those of others.  Returns an exit code. */
int cli_remove_earlier_figures(const char *command,
                               const struct cli_results *results,
                               const char *folder);

#endif
