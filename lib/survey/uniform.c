/* uniform.c -- uniform load on the networks of a survey, packet by packet: the
 * latency without queues, and the load that each takes, which is searched for.
 * Each step of the search is one sweep over all networks. */
#include "base/mem.h"
#include "survey/survey_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double first_loads[] = { 0.1, 0.4, 0.7, 1 };
#define N_FIRST (sizeof first_loads / sizeof *first_loads)

#define LABEL_SIZE 128

/* The runs of a sweep, and where they belong. */
struct round {
    struct sf_simulation_task *tasks;
    struct sf_survey_run **runs; /* A result goes to each. */
    char (*labels)[LABEL_SIZE];
    uint32_t n;
};

static struct sf_simulation_params
params_of(const struct sf_survey *survey,
          const struct sf_survey_network *network, double load,
          enum sf_sim_timing timing)
{
    return (struct sf_simulation_params){
        .jobs = { .workload = "all-to-all",
                  .placement = "switches",
                  .load = load },
        .model = SF_SIM_PACKET,
        .timing = timing,
        .queues = SF_SIM_VOQ,
        .select = SF_SELECT_STRIPE,
        .net = network->net,
        .lengths = network->lengths,
        .length = 5,
        .seed = survey->params.seed,
    };
}

static void
add_task(struct round *round, const struct sf_survey *survey,
         const struct sf_survey_network *network,
         const struct sf_path_source *source, struct sf_survey_run *run,
         enum sf_sim_timing timing)
{
    struct sf_simulation_task *task = &round->tasks[round->n];

    snprintf(round->labels[round->n], LABEL_SIZE, "%.100s, load %.3g %%",
             network->name, 100 * run->load);
    run->params = params_of(survey, network, run->load, timing);
    *task = (struct sf_simulation_task){
        .source = source,
        .params = run->params,
        .label = round->labels[round->n],
    };
    round->runs[round->n++] = run;
}

/* Makes room for a run of 'load' in its place. */
static struct sf_survey_run *
add_run(struct sf_survey_network *network, double load)
{
    uint32_t at = network->n_runs++;

    while (at > 0 && network->runs[at - 1].load > load) {
        network->runs[at] = network->runs[at - 1];
        at--;
    }
    network->runs[at] = (struct sf_survey_run){ .load = load };
    return &network->runs[at];
}

static enum sf_status
run_round(const struct sf_survey *survey, struct round *round,
          struct sf_error *err)
{
    enum sf_status status =
        sf_simulation_sweep(round->tasks, round->n, survey->params.n_threads,
                            survey->params.simulations, err);

    for (uint32_t i = 0; status == SF_OK && i < round->n; i++) {
        round->runs[i]->result = round->tasks[i].result;
    }
    round->n = 0;
    return status;
}

static enum sf_status
run_first(struct sf_survey *survey, const struct sf_path_source *sources,
          struct round *round, struct sf_error *err)
{
    for (uint32_t i = 0; i < survey->n_networks; i++) {
        struct sf_survey_network *network = &survey->networks[i];
        network->slow.load = SF_SURVEY_LOW_LOAD;
        add_task(round, survey, network, &sources[i], &network->slow,
                 SF_SIM_EXACT);
        for (uint32_t k = 0; k < N_FIRST; k++) {
            add_task(round, survey, network, &sources[i],
                     add_run(network, first_loads[k]), SF_SIM_SLOTS);
        }
    }
    return run_round(survey, round, err);
}

/* The load to be tried next; 0: what a network takes is known.  That is mostly
 * about what comes at full load, so the search begins just below and goes on
 * just above it; else it halves what is left. */
static double
next_load(const struct sf_survey_network *network)
{
    struct sf_survey_saturation known = sf_survey_saturation(network);
    double below = floor(100 * known.accepted - 1.5) / 100;
    double above = below + 0.03;

    if (isnan(known.refused) || network->n_runs == SF_SURVEY_MAX_LOADS ||
        known.refused - known.taken < SF_SURVEY_LOAD_STEP) {
        return 0;
    }
    if (below > known.taken && below < known.refused) {
        return below;
    }
    if (above > known.taken && above < known.refused) {
        return above;
    }
    return round(500 * (known.taken + known.refused)) / 1000;
}

static enum sf_status
search(struct sf_survey *survey, const struct sf_path_source *sources,
       struct round *round, struct sf_error *err)
{
    enum sf_status status = SF_OK;
    bool is_known = false;

    while (status == SF_OK && !is_known) {
        for (uint32_t i = 0; i < survey->n_networks; i++) {
            struct sf_survey_network *network = &survey->networks[i];
            double load = next_load(network);
            if (load > 0) {
                add_task(round, survey, network, &sources[i],
                         add_run(network, load), SF_SIM_SLOTS);
            }
        }
        is_known = round->n == 0;
        status = is_known ? SF_OK : run_round(survey, round, err);
    }
    return status;
}

enum sf_status
sf_survey_simulate(struct sf_survey *survey, struct sf_error *err)
{
    size_t n = survey->n_networks, n_most = n * (N_FIRST + 1);
    struct sf_path_source *sources = sf_calloc(n, sizeof *sources);
    struct round round = { sf_calloc(n_most, sizeof *round.tasks),
                           sf_calloc(n_most, sizeof(struct sf_survey_run *)),
                           sf_calloc(n_most, LABEL_SIZE), 0 };
    enum sf_status status = SF_OK;

    if (!sources || !round.tasks || !round.runs || !round.labels) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for simulations");
    }
    for (uint32_t i = 0; status == SF_OK && i < n; i++) {
        const struct sf_survey_network *network = &survey->networks[i];
        status = sf_path_source_of_routes(network->network,
                                          network->routing->routes,
                                          SF_SL_OF_PATH, &sources[i], err);
    }
    if (status == SF_OK) {
        status = run_first(survey, sources, &round, err);
    }
    if (status == SF_OK) {
        status = search(survey, sources, &round, err);
    }
    free(round.labels);
    free(round.runs);
    free(round.tasks);
    free(sources);
    return status;
}
