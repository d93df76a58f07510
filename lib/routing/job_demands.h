/* job_demands.h -- what jobs send between switches, and what that puts onto
 * links at equal shares over the addresses. */
#ifndef SF_ROUTING_JOB_DEMANDS_H
#define SF_ROUTING_JOB_DEMANDS_H

#include "slimfly/job_routes.h"

/* The demands of a job, sorted by destination, set and source. */
struct sf_job_demands {
    struct sf_demand *items;
    size_t n;
};

/* Adds up the flows of 'job'; the caller frees items. */
enum sf_status sf_job_demands_build(const struct sf_network *network,
                                    const struct sf_routes *routes,
                                    const struct sf_job *job,
                                    struct sf_job_demands *demands,
                                    struct sf_error *err);

/* The share of its addresses by which a host is reached over 'layer'. */
double sf_layer_share(const struct sf_routes *routes, uint32_t layer);

/* Adds 'amount' to the arcs from 's' along 'hops'. */
static inline void
sf_load_path(const struct sf_graph *graph, const uint16_t *hops, uint32_t s,
             double amount, double *loads)
{
    while (hops[s] != SF_NO_HOP) {
        uint32_t arc = graph->first[s] + hops[s];
        loads[arc] += amount;
        s = graph->arcs[arc].to;
    }
}

/* Adds what 'demands' put onto arcs to 'loads' [2E]. */
void sf_demands_load(const struct sf_network *network,
                     const struct sf_routes *routes,
                     const struct sf_demand *demands, size_t n_demands,
                     double *loads);

/* Adds 'amount' for each host of each switch to the arcs along 'hops', a
 * column. */
void sf_column_load(const struct sf_network *network, const uint16_t *hops,
                    double amount, double *loads);

/* What each host sends to the hosts of 'set' on switch 'd' in total, if it
 * sends 1 to all others evenly. */
double sf_uniform_amount(const struct sf_network *network,
                         const struct sf_routes *routes, uint32_t set,
                         uint32_t d);

#endif
