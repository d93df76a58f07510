/* write_plan.h -- writes the files of a plan: tables, the guide, labels and
 * diagrams. */
#ifndef SF_CLI_WRITE_PLAN_H
#define SF_CLI_WRITE_PLAN_H

#include "cli.h"

/* Writes them into 'folder', all or none; returns an exit code.  Diagrams of
 * an earlier plan go. */
int cli_write_plan(const struct sf_plan *plan,
                   const struct sf_label_sizes *sizes, const char *folder);

#endif
