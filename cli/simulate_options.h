/* simulate_options.h -- what a user asks of 'slimfly simulate'. */
#ifndef SF_CLI_SIMULATE_OPTIONS_H
#define SF_CLI_SIMULATE_OPTIONS_H

#include "runs.h"

/* Options that say to do something else than to simulate. */
enum {
    OPT_LIST_WORKLOADS = CLI_OWN,
    OPT_GOAL,
    OPT_OF_SIMULATION, /* The first of the others. */
};

extern const struct cli_option cli_simulate_options[];

/* The word of --format for file number 'i' of a simulation. */
const char *cli_simulation_format(size_t i);

/* Reads the options: how networks are routed, and what runs on them.  On
 * failure says so and returns false. */
bool cli_simulate_read(const struct cli_args *args,
                       struct cli_subject_params *how,
                       struct cli_runs_params *params);

#endif
