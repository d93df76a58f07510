/* settings_advice.h -- measures for 'slimfly settings' which addresses serve
 * which traffic. */
#ifndef SF_CLI_SETTINGS_ADVICE_H
#define SF_CLI_SETTINGS_ADVICE_H

#include "cli.h"

/* Fills 'advice' and lets 'settings' have it, if that is wanted: for the
 * tables of 'settings' unless options ask for other routes, else for its
 * routing; and for the jobs of the file 'jobs' if that is not NULL.  Returns
 * an exit code. */
int cli_settings_advise(struct sf_settings *settings,
                        const struct cli_args *args, const char *jobs,
                        struct sf_advice *advice);

#endif
