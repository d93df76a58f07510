/* earlier_figures.h -- files that an earlier run of a command left. */
#ifndef SF_CLI_EARLIER_FIGURES_H
#define SF_CLI_EARLIER_FIGURES_H

#include "result_output.h"

/* The length of the name of a figure without its ending; 0: it is none. */
size_t cli_figure_stem(const char *name);

/* Between cli_begin_files() and cli_end_files(): lets files of results that
 * these take the place of go, which whoever finds them would take for files of
 * these.  Figures go in all forms; those of the same results stay in forms
 * that are not drawn now.  It does so only where the folder has results of
 * this command, and leaves files that may be those of others.  Returns an exit
 * code. */
int cli_remove_earlier_figures(const char *command,
                               const struct cli_results *results,
                               const char *folder);

#endif
