/* traffic_left.c -- traffic of the hosts that are left, without what has no
 * path. */
#include "base/mem.h"
#include "failures/study.h"

/* Takes out the demands that routes do not serve; returns the sum of all, and
 * in '*removedp' that of what was taken out. */
static double
take_out(const struct sf_failure_reach *reach, struct sf_traffic *traffic,
         double *removedp)
{
    double sum = 0;
    size_t n = 0;

    *removedp = 0;
    for (size_t k = 0; k < traffic->n_demands; k++) {
        const struct sf_demand *demand = &traffic->demands[k];
        sum += demand->amount;
        if (sf_failure_leads(reach, demand->set, demand->source,
                             demand->destination)) {
            traffic->demands[n++] = *demand;
        } else {
            *removedp += demand->amount;
        }
    }
    traffic->n_demands = n;
    return sum;
}

/* Switches with hosts in each part, by its first switch. */
static void
count_carriers(const struct sf_failure_left *left, uint32_t *n_carriers)
{
    for (uint32_t s = 0; s < left->network->graph->n_nodes; s++) {
        n_carriers[left->parts[s]] += left->network->n_hosts[s] > 0;
    }
}

/* Draws traffic as if switches without another to talk to had no hosts: kinds
 * that pair all switches can do no other.  '*n_silentp' are their hosts. */
static enum sf_status
draw_in_parts(const struct sf_failure_left *left,
              const struct sf_routes *routes, const char *text, uint64_t seed,
              uint32_t *n_silentp, struct sf_traffic **trafficp,
              struct sf_error *err)
{
    const struct sf_network *network = left->network;
    uint32_t n = network->graph->n_nodes, n_left = 0;
    uint32_t *n_carriers = sf_calloc(n, sizeof *n_carriers);
    uint32_t *n_hosts = sf_calloc(n, sizeof *n_hosts);
    uint32_t *host_sets = sf_calloc(left->n_hosts, sizeof *host_sets);
    struct sf_network *talking = NULL;
    enum sf_status status = SF_OK;

    *trafficp = NULL;
    if (!n_carriers || !n_hosts || !host_sets) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for traffic");
        goto done;
    }
    count_carriers(left, n_carriers);
    for (uint32_t s = 0; s < n; s++) {
        n_hosts[s] = n_carriers[left->parts[s]] > 1 ? network->n_hosts[s] : 0;
        for (uint32_t i = 0; i < n_hosts[s]; i++) {
            host_sets[n_left++] =
                routes->host_sets[network->first_host[s] + i];
        }
    }
    *n_silentp = left->n_hosts - n_left;
    if (n_left > 0) {
        status = sf_network_from_graph(network->graph, n_hosts, &talking, err);
    }
    if (talking) {
        status = sf_traffic_build(
            text,
            &(struct sf_traffic_params){ .network = talking,
                                         .host_sets = host_sets,
                                         .n_sets = routes->n_sets,
                                         .seed = seed },
            trafficp, err);
    }

done:
    sf_network_free(talking);
    free(host_sets);
    free(n_hosts);
    free(n_carriers);
    return status;
}

enum sf_status
sf_failure_traffic(const struct sf_failure_left *left,
                   const struct sf_routes *routes,
                   const struct sf_failure_reach *reach, const char *text,
                   uint64_t seed, struct sf_traffic **trafficp,
                   double *left_outp, struct sf_error *err)
{
    struct sf_traffic_params params = { .network = left->network,
                                        .host_sets = routes->host_sets,
                                        .n_sets = routes->n_sets,
                                        .seed = seed };
    uint32_t n_silent = 0;
    double removed = 0, sum = 0;
    enum sf_status status = sf_traffic_build(text, &params, trafficp, err);

    if (status == SF_EUNREACHABLE) {
        status =
            draw_in_parts(left, routes, text, seed, &n_silent, trafficp, err);
    }
    if (status != SF_OK) {
        return status;
    }
    if (*trafficp) {
        sum = take_out(reach, *trafficp, &removed);
    }
    /* A host that is silent would have sent 1. */
    sum += n_silent;
    removed += n_silent;
    *left_outp = sum > 0 ? removed / sum : 0;
    return SF_OK;
}
