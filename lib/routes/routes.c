/* routes.c -- see slimfly/routes.h. */
#include "slimfly/routes.h"

#include "base/mem.h"

#include <string.h>

enum sf_status
sf_layers_make(uint32_t n_layers, uint32_t n_switches,
               struct sf_layers **layersp, struct sf_error *err)
{
    size_t n = n_switches, n_trees = n * n_layers;
    struct sf_layers *layers = sf_calloc(1, sizeof *layers);

    if (layers) {
        layers->n_layers = n_layers;
        layers->n_switches = n_switches;
        layers->hops = sf_calloc(n_trees, n * sizeof *layers->hops);
    }
    if (!layers || !layers->hops) {
        sf_layers_free(layers);
        *layersp = NULL;
        return sf_fail(err, SF_ENOMEM,
                       "out of memory for %u layers of %u switches", n_layers,
                       n_switches);
    }
    memset(layers->hops, 0xff, n_trees * n * sizeof *layers->hops);
    *layersp = layers;
    return SF_OK;
}

void
sf_layers_free(struct sf_layers *layers)
{
    if (layers) {
        free(layers->hops);
        free(layers);
    }
}

void
sf_layers_loads(const struct sf_layers *layers, const struct sf_graph *graph,
                const uint32_t *n_hosts, uint64_t *loads)
{
    memset(loads, 0, 2 * (size_t)graph->n_links * sizeof *loads);
    for (uint32_t l = 0; l < layers->n_layers; l++) {
        for (uint32_t d = 0; d < layers->n_switches; d++) {
            for (uint32_t s = 0; s < layers->n_switches; s++) {
                uint64_t routes =
                    n_hosts ? (uint64_t)n_hosts[s] * n_hosts[d] : 1;
                uint32_t arc = sf_layers_arc(layers, graph, l, s, d);
                while (arc != SF_NONE) {
                    loads[arc] += routes;
                    arc = sf_layers_arc(layers, graph, l, graph->arcs[arc].to,
                                        d);
                }
            }
        }
    }
}

void
sf_lanes_free(struct sf_lanes *lanes, uint32_t n_sets)
{
    if (lanes) {
        for (uint32_t i = 0; lanes->path_sls && i < n_sets; i++) {
            free(lanes->path_sls[i]);
        }
        free(lanes->path_sls);
        free(lanes->vls);
        free(lanes->first);
        free(lanes);
    }
}

void
sf_routes_deal(const struct sf_network *network, uint32_t n_sets,
               uint32_t *host_sets)
{
    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        for (uint32_t j = 0; j < network->n_hosts[s]; j++) {
            host_sets[network->first_host[s] + j] = j % n_sets;
        }
    }
}

enum sf_status
sf_routes_make(const struct sf_network *network, uint32_t n_sets,
               struct sf_routes **routesp, struct sf_error *err)
{
    uint32_t n_hosts = sf_network_count_hosts(network);
    struct sf_routes *routes = sf_calloc(1, sizeof *routes);

    *routesp = routes;
    if (routes) {
        routes->n_sets = n_sets;
        routes->sets = sf_calloc(n_sets, sizeof *routes->sets);
        routes->host_sets = sf_calloc(n_hosts, sizeof *routes->host_sets);
    }
    if (!routes || !routes->sets || !routes->host_sets) {
        sf_routes_free(routes);
        *routesp = NULL;
        return sf_fail(err, SF_ENOMEM, "out of memory for routes");
    }
    sf_routes_deal(network, n_sets, routes->host_sets);
    routes->n_addresses = routes->n_switch_addresses = 1;
    return SF_OK;
}

void
sf_routes_free(struct sf_routes *routes)
{
    if (routes) {
        sf_lanes_free(routes->lanes, routes->n_sets);
        sf_turns_free(routes->turns);
        for (uint32_t i = 0; routes->sets && i < routes->n_sets; i++) {
            sf_layers_free(routes->sets[i]);
        }
        free(routes->host_sets);
        free(routes->sets);
        free(routes);
    }
}
