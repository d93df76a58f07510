/* changes.h -- slimfly audit OLD NEW: is a change of tables safe while it is
 * made? */
#ifndef SF_CLI_CHANGES_H
#define SF_CLI_CHANGES_H

#include "cli.h"

/* Whether both words name tables and their fabric, so that they are the old
 * and the new tables of a change. */
bool cli_is_change(const char *before, const char *after);

/* Judges all mixtures of the tables that 'before' and 'after' name: folders,
 * or live.  Writes to 'output', as JSON or as text.  Returns an exit code. */
int cli_judge_change(const char *before, const char *after,
                     const struct sf_mixture_params *params, uint32_t timeout,
                     bool is_json, const char *output);

#endif
