/* shared_work.h -- processes of one command that share its work out: mpirun or
 * srun started them, or somebody did by hand. */
#ifndef SF_CLI_SHARED_WORK_H
#define SF_CLI_SHARED_WORK_H

#include "cli.h"
#include "kept.h"

/* Whether processes that were started together have a folder in which they
 * meet, or are to work alone.  On failure says so and returns false. */
bool cli_share_check(const struct cli_args *args);

/* Whether this process shows how far it is: one of them does, and each where
 * the command has nothing to share. */
bool cli_share_shows_progress(const struct cli_args *args);

/* Prints what is to be known before there are results to standard error, in
 * one process of all; nothing if 'text' is "". */
void cli_share_note(const struct cli_args *args, const char *text);

/* How many of them this machine has, as far as is known. */
uint32_t cli_share_n_here(void);

/* All of them have all results when they end, and one tells these: the first
 * that comes.  Others wait here until that is done, so that the end of one
 * does not make mpirun end the one that tells; if that one is lost, the next
 * tells.  Returns whether this process is to tell; it then calls the second
 * function with whether it could.  'kept' is NULL without a folder. */
bool cli_share_begin_telling(const struct cli_args *args,
                             struct cli_kept *kept);
void cli_share_end_telling(const struct cli_args *args, struct cli_kept *kept,
                           bool is_told);

#endif
