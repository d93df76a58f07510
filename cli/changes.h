/* changes.h -- slimfly audit OLD NEW: is a change of tables safe while it is
 * made? */
#ifndef SF_CLI_CHANGES_H
#define SF_CLI_CHANGES_H

#include "cli.h"

/* Whether both words name tables and their fabric, so that they are the old
 * and the new tables of a change. */
bool cli_is_change(const char *before, const char *after);

/* Judges all mixtures of the tables that two words name: folders
 * or live, the two words of 'args'.  Writes as JSON or as text, as these ask.
 * Returns an exit code. */
int cli_judge_change(const struct cli_args *args,
                     const struct sf_mixture_params *params);

#endif
