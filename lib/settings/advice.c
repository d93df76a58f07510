/* advice.c -- measures with how many of its addresses a traffic does best; see
 * advice.h. */
#include "slimfly/advice.h"

#include "base/mem.h"
#include "routing/job_demands.h"
#include "slimfly/progress.h"
#include "slimfly/throughput.h"

#include <math.h>
#include <string.h>

/* Fewer addresses are fewer connections.  So much of the throughput is not
 * worth more of them. */
#define ENOUGH 0.98

/* Draws of random traffic. */
#define N_DRAWS 5

const struct sf_advice_kind sf_advice_kinds[SF_N_ADVICES] = {
    [SF_ADVICE_ALL_TO_ALL] = { "all-to-all", "job-alltoall.env",
                               "all-to-all of the whole machine" },
    [SF_ADVICE_SMALL] = { "small-jobs", "job-small.env",
                          "all-to-all in jobs of 32 neighbours" },
    [SF_ADVICE_PAIRS] = { "pairs", "job-pairs.env",
                          "pairs of hosts, all over the machine" },
    [SF_ADVICE_SWITCHES] = { "switches", "job-switches.env",
                             "all hosts of a switch to another switch" },
    [SF_ADVICE_JOBS] = { "jobs", "job-known.env",
                         "the jobs of --advise, all at once" },
};

/* Where traffic of traffic_kinds.c stands for the pattern. */
static const struct {
    const char *text;
    uint32_t n_draws;
} traffics[SF_N_ADVICES] = {
    [SF_ADVICE_ALL_TO_ALL] = { "all-to-all", 1 },
    [SF_ADVICE_PAIRS] = { "permutation", N_DRAWS },
    [SF_ADVICE_SWITCHES] = { "switch-permutation:distance=2", N_DRAWS },
};

typedef SF_VEC(struct sf_demand) demand_list;

struct measurement {
    const struct sf_network *network;
    const struct sf_routes *routes;
    struct sf_advice *advice;
};

/* Adds what each number of addresses gets under 'traffic', of 'n_draws'. */
static enum sf_status
add_speeds(const struct measurement *m, const struct sf_traffic *traffic,
           uint32_t n_draws, struct sf_advice_row *row, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; status == SF_OK && i < m->advice->n_steps; i++) {
        struct sf_throughput_params params = {
            .mode = SF_THROUGHPUT_EQUAL,
            .routes = m->routes,
            .n_used = m->advice->steps[i],
        };
        struct sf_throughput result = { 0 };
        status = sf_throughput_measure(m->network->graph, traffic, &params,
                                       &result, err);
        row->speeds[i] += fmin(1, result.lower) / n_draws;
    }
    return status;
}

/* Measures a pattern that is a kind of traffic. */
static enum sf_status
measure_traffic(const struct measurement *m, enum sf_advice_pattern pattern,
                struct sf_advice_row *row, struct sf_error *err)
{
    uint32_t n_draws = traffics[pattern].n_draws;
    enum sf_status status = SF_OK;

    for (uint32_t seed = 1; status == SF_OK && seed <= n_draws; seed++) {
        struct sf_traffic_params params = {
            .network = m->network,
            .host_sets = m->routes->host_sets,
            .n_sets = m->routes->n_sets,
            .seed = seed,
        };
        struct sf_traffic *traffic;
        status =
            sf_traffic_build(traffics[pattern].text, &params, &traffic, err);
        if (status == SF_OK) {
            status = add_speeds(m, traffic, n_draws, row, err);
        }
        sf_traffic_free(traffic);
    }
    return status;
}

/* Adds the demands of 'job' to 'list'. */
static enum sf_status
add_job(const struct measurement *m, const struct sf_job *job,
        demand_list *list, struct sf_error *err)
{
    struct sf_job_demands more;
    enum sf_status status =
        sf_job_demands_build(m->network, m->routes, job, &more, err);

    for (size_t i = 0; status == SF_OK && i < more.n; i++) {
        if (!sf_vec_push(list, more.items[i])) {
            status = sf_fail(err, SF_ENOMEM, "out of memory for jobs");
        }
    }
    free(more.items);
    return status;
}

/* Measures jobs that all send at once.  The order of demands does not matter
 * at equal shares. */
static enum sf_status
measure_jobs(const struct measurement *m, const struct sf_jobs *jobs,
             struct sf_advice_row *row, struct sf_error *err)
{
    demand_list list = { 0 };
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; status == SF_OK && i < jobs->n_jobs; i++) {
        status = add_job(m, &jobs->jobs[i], &list, err);
    }
    if (status == SF_OK) {
        struct sf_traffic traffic = {
            .n_switches = m->network->graph->n_nodes,
            .n_sets = m->routes->n_sets,
            .n_demands = list.n,
            .demands = list.items,
            .max_host = 1,
            .unit = 1,
        };
        status = add_speeds(m, &traffic, 1, row, err);
    }
    free(list.items);
    return status;
}

/* Measures the machine full of small jobs. */
static enum sf_status
measure_small(const struct measurement *m, struct sf_advice_row *row,
              struct sf_error *err)
{
    uint32_t n_hosts = sf_network_count_hosts(m->network);
    uint32_t n_jobs =
        (n_hosts + SF_ADVICE_SMALL_JOB - 1) / SF_ADVICE_SMALL_JOB;
    struct sf_jobs jobs = { n_jobs, sf_calloc(n_jobs, sizeof *jobs.jobs) };
    uint32_t *hosts = sf_calloc(n_hosts, sizeof *hosts);
    enum sf_status status = SF_ENOMEM;

    if (n_hosts < 2) {
        status = sf_fail(err, SF_EINVAL, "expected two hosts or more");
    } else if (jobs.jobs && hosts) {
        for (uint32_t i = 0; i < n_hosts; i++) {
            struct sf_job *job = &jobs.jobs[i / SF_ADVICE_SMALL_JOB];
            hosts[i] = i;
            job->hosts = job->n_hosts++ ? job->hosts : &hosts[i];
            job->unit = job->n_hosts > 1 ? job->n_hosts - 1 : 1;
        }
        status = measure_jobs(m, &jobs, row, err);
    } else {
        sf_fail(err, SF_ENOMEM, "out of memory for jobs");
    }
    free(hosts);
    free(jobs.jobs);
    return status;
}

/* The fewest addresses that do nearly as well as any of 'limit' at most. */
static uint32_t
choose(const struct sf_advice *advice, const struct sf_advice_row *row,
       uint32_t limit)
{
    double most = 0;
    uint32_t i = 0;

    for (uint32_t k = 0; k < advice->n_steps && advice->steps[k] <= limit;
         k++) {
        most = fmax(most, row->speeds[k]);
    }
    while (row->speeds[i] < ENOUGH * most) {
        i++;
    }
    return advice->steps[i];
}

static enum sf_status
measure_row(const struct measurement *m, enum sf_advice_pattern pattern,
            const struct sf_jobs *jobs, struct sf_error *err)
{
    struct sf_advice_row *row = &m->advice->rows[pattern];
    enum sf_status status =
        pattern == SF_ADVICE_JOBS    ? measure_jobs(m, jobs, row, err)
        : pattern == SF_ADVICE_SMALL ? measure_small(m, row, err)
                                     : measure_traffic(m, pattern, row, err);

    if (status == SF_OK) {
        row->n_addresses = choose(m->advice, row, UINT32_MAX);
        row->n_few = choose(m->advice, row, SF_ADVICE_FEW);
    } else {
        *row = (struct sf_advice_row){ 0 };
    }
    return status;
}

enum sf_status
sf_advice_measure(const struct sf_network *network,
                  const struct sf_routes *routes, uint32_t n_addresses,
                  const struct sf_jobs *jobs, struct sf_advice *advice,
                  struct sf_error *err)
{
    struct measurement m = { network, routes, advice };
    struct sf_error own = { 0 };

    *advice = (struct sf_advice){ 0 };
    for (uint32_t n = 1; n < n_addresses; n *= 2) {
        advice->steps[advice->n_steps++] = n;
    }
    advice->steps[advice->n_steps++] = n_addresses;
    for (enum sf_advice_pattern i = 0; i < SF_N_ADVICES; i++) {
        sf_progress_report("measuring addresses", i, SF_N_ADVICES);
        enum sf_status status = i == SF_ADVICE_JOBS && !jobs
                                    ? SF_OK
                                    : measure_row(&m, i, jobs, &own);
        if (status == SF_ENOMEM) {
            return sf_fail(err, SF_ENOMEM, "%s", own.text);
        }
        if (status != SF_OK) {
            advice->reason = own;
        }
    }
    return SF_OK;
}

void
sf_advice_use_all(struct sf_advice *advice)
{
    uint32_t most = advice->steps[advice->n_steps - 1];

    for (uint32_t i = 0; i < SF_N_ADVICES; i++) {
        struct sf_advice_row *row = &advice->rows[i];
        if (row->n_addresses > 0) {
            row->n_addresses = most;
            row->n_few = most < SF_ADVICE_FEW ? most : SF_ADVICE_FEW;
        }
    }
}
