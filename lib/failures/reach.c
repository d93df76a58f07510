/* reach.c -- which switches the routes lead to which hosts. */
#include "base/mem.h"
#include "failures/study.h"

#include <string.h>

/* What is known of a switch: whether its packets arrive. */
enum {
    UNKNOWN,
    ON_THE_WAY,
    ARRIVES,
    LOST
};

/* Follows all paths of a column towards 'd', each switch once. */
static void
follow_all(const struct sf_graph *graph, const uint16_t *column, uint32_t d,
           uint8_t *states, uint32_t *path)
{
    memset(states, UNKNOWN, graph->n_nodes);
    states[d] = ARRIVES;
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t n = 0, at = s;
        while (states[at] == UNKNOWN && column[at] != SF_NO_HOP) {
            states[at] = ON_THE_WAY;
            path[n++] = at;
            at = graph->arcs[graph->first[at] + column[at]].to;
        }
        uint8_t end = states[at] == ARRIVES ? ARRIVES : LOST;
        states[at] = end;
        while (n > 0) {
            states[path[--n]] = end;
        }
    }
}

/* Counts pairs of hosts towards switch 'd'. */
static void
count_pairs(const struct sf_network *network, const struct sf_routes *routes,
            uint32_t d, struct sf_failure_reach *reach)
{
    for (uint32_t host = network->first_host[d];
         host < network->first_host[d + 1]; host++) {
        for (uint32_t s = 0; s < reach->n_switches; s++) {
            if (s != d &&
                sf_failure_leads(reach, routes->host_sets[host], s, d)) {
                reach->n_pairs += network->n_hosts[s];
            }
        }
        reach->n_pairs += network->n_hosts[d] - 1;
    }
}

enum sf_status
sf_failure_reach_build(const struct sf_network *network,
                       const struct sf_routes *routes,
                       struct sf_failure_reach *reach, struct sf_error *err)
{
    size_t n = network->graph->n_nodes;
    uint8_t *states = sf_calloc(n, sizeof *states);
    uint32_t *path = sf_calloc(n, sizeof *path);

    *reach = (struct sf_failure_reach){
        .n_switches = network->graph->n_nodes,
        .leads = sf_calloc(routes->n_sets * n * n, sizeof *reach->leads),
    };
    bool made = states && path && reach->leads;
    if (made) {
        memset(reach->leads, true, routes->n_sets * n * n);
    }
    for (uint32_t set = 0; made && set < routes->n_sets; set++) {
        for (uint32_t l = 0; l < sf_routes_n_layers(routes); l++) {
            for (uint32_t d = 0; d < n; d++) {
                bool *leads = reach->leads + (set * n + d) * n;
                follow_all(network->graph,
                           sf_layers_tree(routes->sets[set], l, d), d, states,
                           path);
                for (uint32_t s = 0; s < n; s++) {
                    leads[s] &= states[s] == ARRIVES;
                }
            }
        }
    }
    for (uint32_t d = 0; made && d < n; d++) {
        count_pairs(network, routes, d, reach);
    }
    free(path);
    free(states);
    return made ? SF_OK
                : sf_fail(err, SF_ENOMEM, "out of memory to follow routes");
}

void
sf_failure_reach_clear(struct sf_failure_reach *reach)
{
    free(reach->leads);
    *reach = (struct sf_failure_reach){ 0 };
}
