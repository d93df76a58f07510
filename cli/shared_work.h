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

/* Every process of a launch has all results when it ends.  One process prints
 * them: the first that calls cli_share_begin_telling().
 *
 * Returns true when this process prints the results.  It then calls
 * cli_share_end_telling(), with whether all was printed.  Returns false when
 * another process of the launch has printed them; this process then prints
 * nothing.
 *
 * The function waits while another process prints.  So no process ends before
 * the results are printed, as mpirun could then end the printing one.  If the
 * printing process crashes, the next one prints.
 *
 * A process that shares its work with nobody always prints.  'kept' is NULL
 * without a folder. */
bool cli_share_begin_telling(const struct cli_args *args,
                             struct cli_kept *kept);
void cli_share_end_telling(const struct cli_args *args, struct cli_kept *kept,
                           bool is_told);

#endif
