/* failing_run.c -- one run: takes parts out, repairs, measures. */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "failures/study.h"
#include "slimfly/route_figures.h"

#include <math.h>
#include <time.h>

/* What a run holds while it lasts. */
struct runner {
    const struct sf_failure_study *study;
    struct sf_failure_left left;
    struct sf_routing *repaired;      /* NULL if nothing failed. */
    const struct sf_routing *routing; /* That, or the base. */
    struct sf_failure_reach reach;
    struct sf_failure_run *run;
};

/* CPU time of this thread alone: others may be at other runs. */
static double
cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Makes all routes anew, as asked or else as can be.  If neither is possible,
 * the error says why it cannot be as asked. */
static enum sf_status
make_anew(struct runner *runner, struct sf_error *err)
{
    const struct sf_network *network = runner->left.network;
    const struct sf_routing_params *asked = &runner->study->asked;
    struct sf_routing_params open = sf_routing_fallback(asked);
    struct sf_error first = { 0 }, second = { 0 };

    runner->run->is_made_anew = true;
    enum sf_status status =
        sf_routing_build(network, asked, &runner->repaired, &first);
    if (status != SF_OK && status != SF_ENOMEM) {
        enum sf_status other =
            sf_routing_build(network, &open, &runner->repaired, &second);
        runner->run->is_fallback = other == SF_OK;
        if (other == SF_OK || other == SF_ENOMEM) {
            status = other;
            first = second;
        }
    }
    if (status != SF_OK && err) {
        *err = first;
    }
    return status;
}

/* Routes what is left, as the plugin does: by a repair if the lanes allow
 * it. */
static enum sf_status
reroute(struct runner *runner, struct sf_error *err)
{
    const struct sf_failure_study *study = runner->study;
    double start = cpu_seconds();
    enum sf_status status = sf_routing_repair(
        study->base, runner->left.network, &runner->repaired, err);

    if (status == SF_ELANES) {
        status = make_anew(runner, err);
    }
    if (!study->params->without_times) {
        runner->run->figures[SF_FAILURE_SECONDS] = cpu_seconds() - start;
    }
    runner->routing = runner->repaired;
    return status;
}

/* Sets the figure that is a share 'part' of 'whole', if that is something. */
static void
set_share(struct runner *runner, enum sf_failure_figure figure, uint64_t part,
          uint64_t whole)
{
    if (whole > 0) {
        runner->run->figures[figure] = (double)part / (double)whole;
    }
}

static uint64_t
count_pairs(uint32_t n_hosts)
{
    return n_hosts > 0 ? (uint64_t)n_hosts * (n_hosts - 1) : 0;
}

/* Sets what is known of 'n_reached' ordered pairs of hosts. */
static void
set_reach(struct runner *runner, uint64_t n_reached)
{
    uint64_t n_left = count_pairs(runner->left.n_hosts);

    set_share(runner, SF_FAILURE_REACHED, n_reached, n_left);
    set_share(runner, SF_FAILURE_REACHED_ALL, n_reached,
              count_pairs(runner->study->failures->n_hosts));
    runner->run->is_disconnected = n_reached < n_left;
}

/* Counts what is gone. */
static void
count_dead(struct runner *runner, const struct sf_failure_dead *dead)
{
    const struct sf_network *network = runner->study->network;
    double *figures = runner->run->figures;
    uint32_t n_links = 0, n_switches = 0;

    for (uint32_t l = 0; l < network->graph->n_links; l++) {
        n_links += dead->links[l];
    }
    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        n_switches += dead->nodes[s];
    }
    figures[SF_FAILURE_DEAD_LINKS] = n_links;
    figures[SF_FAILURE_DEAD_SWITCHES] = n_switches;
    figures[SF_FAILURE_DEAD_HOSTS] =
        runner->study->failures->n_hosts - runner->left.n_hosts;
}

static enum sf_status
measure_entries(struct runner *runner, struct sf_error *err)
{
    struct sf_failure_entries entries;
    enum sf_status status = sf_failure_entries_count(
        &runner->left, runner->study->base, runner->routing, &entries, err);

    if (status == SF_OK) {
        runner->run->figures[SF_FAILURE_CHANGED] = (double)entries.n_changed;
        set_share(runner, SF_FAILURE_CHANGED_SHARE, entries.n_changed,
                  entries.n);
    }
    return status;
}

static enum sf_status
measure_paths(struct runner *runner, struct sf_error *err)
{
    struct sf_route_figures figures;
    enum sf_status status = sf_route_figures_measure(
        runner->left.network, runner->routing->routes, &figures, err);

    if (status == SF_OK && figures.n_paths > figures.n_broken) {
        runner->run->figures[SF_FAILURE_LONGEST] = figures.most_hops;
        runner->run->figures[SF_FAILURE_MEAN_HOPS] = figures.mean_hops;
    }
    return status;
}

/* What is asked of a throughput: 'split' of the demands over the layers. */
static struct sf_throughput_params
throughput_params(const struct runner *runner, enum sf_comparison_split split)
{
    const struct sf_failures_params *params = runner->study->params;

    return (struct sf_throughput_params){
        .mode = split == SF_SPLIT_EQUAL ? SF_THROUGHPUT_EQUAL
                                        : SF_THROUGHPUT_LAYERS,
        .routes = runner->routing->routes,
        .without_host_links = params->without_host_links,
        .effort = params->effort,
        .gap = params->gap,
    };
}

/* Measures the load of the busiest link. */
static enum sf_status
measure_load(struct runner *runner, struct sf_error *err)
{
    struct sf_throughput_params params =
        throughput_params(runner, SF_SPLIT_EQUAL);
    struct sf_throughput throughput;
    struct sf_traffic *traffic;
    double left_out;
    enum sf_status status = sf_failure_traffic(
        &runner->left, runner->routing->routes, &runner->reach, "all-to-all",
        0, &traffic, &left_out, err);

    if (status == SF_OK && traffic && traffic->n_demands > 0) {
        status = sf_throughput_measure(runner->left.network->graph, traffic,
                                       &params, &throughput, err);
        if (status == SF_OK) {
            runner->run->figures[SF_FAILURE_LOAD] = 1 / throughput.net_lower;
        }
    }
    sf_traffic_free(traffic);
    return status;
}

/* Measures all splits of traffic number 't'. */
static enum sf_status
measure_traffic(struct runner *runner, uint32_t t, uint64_t seed,
                struct sf_error *err)
{
    const struct sf_failures *failures = runner->study->failures;
    struct sf_failure_run *run = runner->run;
    struct sf_traffic *traffic;
    enum sf_status status = sf_failure_traffic(
        &runner->left, runner->routing->routes, &runner->reach,
        failures->params.traffics[t], seed, &traffic, &run->left_out[t], err);
    bool is_some = status == SF_OK && traffic && traffic->n_demands > 0;

    for (uint32_t i = 0; is_some && i < failures->n_splits; i++) {
        struct sf_throughput_params params =
            throughput_params(runner, failures->splits[i]);
        struct sf_throughput throughput;
        status = sf_throughput_measure(runner->left.network->graph, traffic,
                                       &params, &throughput, err);
        if (status != SF_OK) {
            break;
        }
        run->throughputs[(size_t)i * failures->params.n_traffics + t] =
            throughput.lower;
    }
    sf_traffic_free(traffic);
    return status;
}

/* Measures what two switches with hosts are needed for. */
static enum sf_status
measure(struct runner *runner, uint32_t number, struct sf_error *err)
{
    const struct sf_failures_params *params = runner->study->params;
    enum sf_status status = sf_failure_reach_build(
        runner->left.network, runner->routing->routes, &runner->reach, err);

    if (status == SF_OK) {
        set_reach(runner, runner->reach.n_pairs);
        status = measure_paths(runner, err);
    }
    if (status == SF_OK) {
        status = measure_entries(runner, err);
    }
    if (status == SF_OK) {
        status = measure_load(runner, err);
    }
    for (uint32_t t = 0; status == SF_OK && t < params->n_traffics; t++) {
        status = measure_traffic(runner, t, params->seed + number, err);
    }
    return status;
}

/* Without routes: hosts of one switch reach each other. */
static void
set_local_reach(struct runner *runner)
{
    const struct sf_network *network = runner->left.network;
    uint64_t n_pairs = 0;

    for (uint32_t s = 0; network && s < network->graph->n_nodes; s++) {
        n_pairs += count_pairs(network->n_hosts[s]);
    }
    set_reach(runner, n_pairs);
}

static void
forget(const struct sf_failure_study *study, struct sf_failure_run *run)
{
    size_t n_traffics = study->params->n_traffics;

    run->is_made_anew = run->is_fallback = run->is_disconnected = false;
    for (size_t i = 0; i < SF_N_FAILURE_FIGURES; i++) {
        run->figures[i] = (double)NAN;
    }
    for (size_t i = 0; i < study->failures->n_splits * n_traffics; i++) {
        run->throughputs[i] = (double)NAN;
    }
    for (size_t i = 0; i < n_traffics; i++) {
        run->left_out[i] = (double)NAN;
    }
}

enum sf_status
sf_failure_run(const struct sf_failure_study *study,
               const struct sf_failure_point *point,
               const struct sf_failure_dead *dead, uint32_t number,
               struct sf_failure_run *run, struct sf_error *err)
{
    struct runner runner = { .study = study,
                             .routing = study->base,
                             .run = run };

    forget(study, run);
    enum sf_status status =
        sf_failure_left_build(study, dead, &runner.left, err);
    if (status == SF_OK) {
        count_dead(&runner, dead);
    }
    if (status == SF_OK && runner.left.n_carriers < 2) {
        set_local_reach(&runner);
    } else if (status == SF_OK) {
        if (point->kind != SF_FAILURE_NONE) {
            status = reroute(&runner, err);
        }
        if (status == SF_OK) {
            status = measure(&runner, number, err);
        }
    }
    sf_failure_reach_clear(&runner.reach);
    sf_routing_free(runner.repaired);
    sf_failure_left_clear(&runner.left);
    return status;
}
