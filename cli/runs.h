/* runs.h -- the runs of 'slimfly simulate': one for each combination of what
 * lists on its command line hold, on each routing of each network. */
#ifndef SF_CLI_RUNS_H
#define SF_CLI_RUNS_H

#include "fits.h"
#include "nets.h"

/* Lists over which runs go, the last the fastest. */
enum cli_axis {
    CLI_AXIS_PLACEMENT,
    CLI_AXIS_NODES,
    CLI_AXIS_WORKLOAD,
    CLI_AXIS_SIZE,
    CLI_AXIS_MODEL,
    CLI_AXIS_QUEUES,
    CLI_AXIS_SELECT,
    CLI_N_AXES,
};

#define CLI_MAX_LOADS 200
struct cli_runs_params {
    const struct cli_list *axes[CLI_N_AXES]; /* NULL: one run, no word. */
    double loads[CLI_MAX_LOADS];             /* 0: messages. */
    uint32_t n_loads;
    struct sf_simulation_params common; /* What all runs share. */
    struct cli_net_params net;
    const char *one_sl; /* As in struct sf_simulation_row. */
    uint64_t seed;      /* Of the first run. */
    bool is_for_jobs;   /* Each runs on routes for its hosts. */
};

struct cli_runs {
    struct sf_simulation_task *tasks; /* [n] */
    struct sf_simulation_row *rows;   /* [n] */
    uint32_t n;
    char (*labels)[512]; /* [n] */
    struct cli_fits fits;
};

/* Reads loads as "0.3", "0.05..1" or "0.1..1/0.1"; without a list, messages
 * are sent.  On failure says so and returns false, as do the others. */
bool cli_runs_read_loads(const struct cli_list *list,
                         struct cli_runs_params *params);

/* Refuses what cannot be on a network, before routings take their time. */
bool cli_runs_check(const struct cli_runs_params *params,
                    const struct cli_subjects *subjects);

/* Sets up the runs, whose params point to the lists and 'subjects'.  The
 * caller calls cli_runs_clear() in any case. */
bool cli_runs_make(struct cli_runs *runs, const struct cli_runs_params *params,
                   const struct cli_subjects *subjects);
void cli_runs_clear(struct cli_runs *runs);

#endif
