/* jobs_check.h -- what the jobs of a file would get on a fabric. */
#ifndef SF_CLI_JOBS_CHECK_H
#define SF_CLI_JOBS_CHECK_H

#include "cli.h"

/* Reads the jobs of the file 'path', fits the routes of the fabric 'word' to
 * them, and prints what they get.  A folder of 'slimfly route' has routes; any
 * other fabric is routed.  Returns an exit code: jobs that must be left out
 * are findings. */
int cli_check_jobs(const struct cli_args *args, const char *word,
                   const char *path);

#endif
