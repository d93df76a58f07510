/* kept.h -- measurements that are kept in a folder, so that interrupted work
 * goes on where it was, and several processes can share it out. */
#ifndef SF_CLI_KEPT_H
#define SF_CLI_KEPT_H

#include "cli.h"

/* Measurements that are kept in a folder of their own below another one. */
#define CLI_KEPT_FOLDER "measured"
#define CLI_CLAIMS_FILE ".claims"
struct cli_kept {
    char *folder;
    int claimed;             /* File in which others see what is claimed. */
    int64_t opened;          /* When, in seconds since 1970.  Who opens it
                              * late sets when the command began before. */
    struct sf_claims claims; /* Of processes that use the folder at once. */
    struct sf_measurement_store store; /* These point to the struct. */
    struct sf_simulation_store simulations;
    struct sf_evaluation_store evaluations;
    struct sf_failure_store failures;
};

/* Makes the folder and finds again what an earlier run has finished; on
 * failure says so and returns false.  The caller calls cli_kept_clear() in any
 * case; it accepts zeros, and removes the temporary files of processes that
 * were lost while they kept something. */
bool cli_kept_open(struct cli_kept *kept, const char *folder);
void cli_kept_clear(struct cli_kept *kept);

/* One of the processes with the same line 'meeting' prints the results.  This
 * process is number 'rank' of its launch.  The first function waits while
 * another process prints.
 *
 * Returns true when this process prints the results.  It then calls the second
 * function.  'meeting' is NULL there if the results could not be printed:
 * another process will try.  Returns false when another process of the same
 * launch has printed the results.
 *
 * Launches may have the same line.  They are told apart by two rules.  What
 * was printed more than MAX_LATE seconds (kept.c) before this process called
 * cli_kept_open() is of an earlier launch.  So is what was printed before a
 * process with the number 'rank' last came: a number comes once in a
 * launch.  On file systems without locks, number 0 prints. */
bool cli_kept_begin_telling(struct cli_kept *kept, const char *meeting,
                            uint32_t rank);
void cli_kept_end_telling(struct cli_kept *kept, const char *meeting,
                          uint32_t rank);

#endif
