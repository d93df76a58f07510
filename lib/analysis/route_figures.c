/* route_figures.c -- figures of routes, column by column: all addresses that
 * use a column count at once. */
#include "slimfly/route_figures.h"

#include "base/mem.h"
#include "slimfly/progress.h"

/* Follows the path from 's' to 'destination' in a column that 'n' addresses
 * use, and counts it. */
static void
follow(const struct sf_graph *graph, const uint16_t *column, uint32_t s,
       uint32_t destination, uint64_t n, uint64_t *loads,
       struct sf_route_figures *figures)
{
    uint32_t n_hops = 0;

    while (s != destination && n_hops < SF_FIGURES_MAX_HOPS &&
           column[s] != SF_NO_HOP) {
        uint32_t arc = graph->first[s] + column[s];
        loads[arc] += n;
        s = graph->arcs[arc].to;
        n_hops++;
    }
    figures->n_paths += n;
    if (s == destination) {
        figures->n_by_hops[n_hops] += n;
    } else {
        figures->n_broken += n;
    }
}

/* Counts the paths of all columns towards 'd'; 'n_hosts' [n_sets] is
 * workspace. */
static void
measure_destination(const struct sf_network *network,
                    const struct sf_routes *routes, uint32_t d,
                    uint32_t *n_hosts, uint64_t *loads,
                    struct sf_route_figures *figures)
{
    const struct sf_graph *graph = network->graph;
    uint32_t n_layers = sf_routes_n_layers(routes);

    for (uint32_t set = 0; set < routes->n_sets; set++) {
        n_hosts[set] = 0;
    }
    for (uint32_t host = network->first_host[d];
         host < network->first_host[d + 1]; host++) {
        n_hosts[routes->host_sets[host]]++;
    }
    for (uint32_t set = 0; set < routes->n_sets; set++) {
        for (uint32_t l = 0; n_hosts[set] && l < n_layers; l++) {
            /* Addresses l, l + n_layers, ... lead over this layer. */
            uint64_t n_addresses =
                (routes->n_addresses + n_layers - 1 - l) / n_layers;
            const uint16_t *column = sf_layers_tree(routes->sets[set], l, d);
            for (uint32_t s = 0; n_addresses && s < graph->n_nodes; s++) {
                if (s != d && network->n_hosts[s]) {
                    follow(graph, column, s, d, n_addresses * n_hosts[set],
                           loads, figures);
                }
            }
        }
    }
}

static void
summarize(uint32_t n_arcs, const uint64_t *loads,
          struct sf_route_figures *figures)
{
    uint64_t sum = 0, n_arrived = 0, n_hops = 0;

    figures->min_load = n_arcs ? UINT64_MAX : 0;
    for (uint32_t i = 0; i < n_arcs; i++) {
        uint64_t load = loads[i];
        sum += load;
        figures->min_load =
            load < figures->min_load ? load : figures->min_load;
        figures->max_load =
            load > figures->max_load ? load : figures->max_load;
    }
    figures->mean_load = n_arcs ? (double)sum / n_arcs : 0;
    for (uint32_t i = 0; i <= SF_FIGURES_MAX_HOPS; i++) {
        n_arrived += figures->n_by_hops[i];
        n_hops += i * figures->n_by_hops[i];
        figures->most_hops = figures->n_by_hops[i] ? i : figures->most_hops;
    }
    figures->mean_hops = n_arrived ? (double)n_hops / (double)n_arrived : 0;
}

enum sf_status
sf_route_figures_measure(const struct sf_network *network,
                         const struct sf_routes *routes,
                         struct sf_route_figures *figures,
                         struct sf_error *err)
{
    uint32_t n_arcs = 2 * network->graph->n_links;
    uint64_t *loads = sf_calloc(n_arcs, sizeof *loads);
    uint32_t *n_hosts = sf_calloc(routes->n_sets, sizeof *n_hosts);
    enum sf_status status = SF_OK;

    *figures = (struct sf_route_figures){ 0 };
    if (loads && n_hosts) {
        for (uint32_t d = 0; d < network->graph->n_nodes; d++) {
            sf_progress_report("measuring paths", d, network->graph->n_nodes);
            measure_destination(network, routes, d, n_hosts, loads, figures);
        }
        summarize(n_arcs, loads, figures);
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory to measure routes");
    }
    free(n_hosts);
    free(loads);
    return status;
}
