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
    struct sf_claims claims; /* Of processes that use the folder at once. */
    struct sf_measurement_store store; /* These point to the struct. */
    struct sf_simulation_store simulations;
    struct sf_evaluation_store evaluations;
};

/* Makes the folder and finds again what an earlier run has finished; on
 * failure says so and returns false.  The caller calls cli_kept_clear() in any
 * case; it accepts zeros, and removes the temporary files of processes that
 * were lost while they kept something. */
bool cli_kept_open(struct cli_kept *kept, const char *folder);
void cli_kept_clear(struct cli_kept *kept);

#endif
