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
    int64_t opened;          /* When, in seconds since 1970. */
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

/* Of the processes that have the line 'meeting' in common, one tells what all
 * have found.  Waits until none of them is telling, and returns whether this
 * process, number 'rank', is to tell now, and to call the second function.  It
 * is if nobody has told since a little before it began, or if it came before:
 * then the others were of an earlier launch.  The second function takes NULL
 * for 'meeting' if nothing could be told, which is then up to others. */
bool cli_kept_begin_telling(struct cli_kept *kept, const char *meeting,
                            uint32_t rank);
void cli_kept_end_telling(struct cli_kept *kept, const char *meeting,
                          uint32_t rank);

#endif
