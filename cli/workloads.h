/* workloads.h -- which workloads there are, and what one does, as text. */
#ifndef SF_CLI_WORKLOADS_H
#define SF_CLI_WORKLOADS_H

#include "runs.h"

/* Explains all workloads; returns an exit code. */
int cli_list_workloads(void);

/* Writes what the jobs of the first run on the first network do to the file
 * 'path' ("-": standard output) in GOAL.  Returns an exit code. */
int cli_write_goal(const char *path, const struct cli_runs_params *params,
                   const struct cli_subjects *subjects);

#endif
