/* comparison_key.c -- see comparison_key.h. */
#include "analysis/comparison_key.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>

uint64_t
sf_key_of_network(const struct sf_network *network)
{
    const struct sf_graph *graph = network->graph;
    const uint32_t *n_hosts = network->n_hosts;
    uint64_t hash =
        sf_hash_bytes(SF_HASH_START, &graph->n_nodes, sizeof(uint32_t));

    hash = sf_hash_bytes(hash, n_hosts, graph->n_nodes * sizeof *n_hosts);
    return sf_hash_bytes(hash, graph->links,
                         graph->n_links * sizeof *graph->links);
}

static uint64_t
hash_number(uint64_t hash, uint32_t number)
{
    return sf_hash_bytes(hash, &number, sizeof number);
}

static uint64_t
hash_turns(uint64_t hash, const struct sf_graph *graph,
           const struct sf_turns *turns)
{
    size_t n = 0;

    for (uint32_t v = 0; v < graph->n_nodes; v++) {
        size_t degree = sf_graph_degree(graph, v);
        n += degree * degree;
    }
    hash = hash_number(hash, turns->n_vls);
    hash = sf_hash_bytes(hash, turns->vls, n * sizeof *turns->vls);
    return sf_hash_bytes(hash, turns->ranks,
                         (size_t)2 * graph->n_links * turns->n_vls *
                             sizeof *turns->ranks);
}

uint64_t
sf_key_of_routes(const struct sf_network *network,
                 const struct sf_routes *routes)
{
    const struct sf_lanes *lanes = routes->lanes;
    uint64_t hash =
        sf_hash_bytes(SF_HASH_START, routes->host_sets,
                      sf_network_count_hosts(network) * sizeof(uint32_t));

    hash = hash_number(hash, routes->n_addresses);
    hash = hash_number(hash, routes->n_switch_addresses);
    hash = hash_number(hash, routes->n_sets);
    for (uint32_t i = 0; i < routes->n_sets; i++) {
        const struct sf_layers *layers = routes->sets[i];
        size_t n = layers->n_switches;
        hash = hash_number(hash, layers->n_layers);
        hash = sf_hash_bytes(hash, layers->hops,
                             layers->n_layers * n * n * sizeof *layers->hops);
    }
    hash = hash_number(hash, routes->turns != NULL);
    if (routes->turns) {
        hash = hash_turns(hash, network->graph, routes->turns);
    }
    hash = hash_number(hash, lanes ? lanes->n_vls : 0);
    return lanes ? sf_hash_bytes(hash, lanes->scheme->name,
                                 strlen(lanes->scheme->name))
                 : hash;
}

/* Field by field, for there may be holes between them. */
uint64_t
sf_key_of_traffic(const struct sf_traffic *traffic)
{
    uint64_t hash =
        sf_hash_bytes(SF_HASH_START, &traffic->max_host, sizeof(double));

    for (size_t i = 0; i < traffic->n_demands; i++) {
        const struct sf_demand *demand = &traffic->demands[i];
        hash = sf_hash_bytes(hash, &demand->source, sizeof demand->source);
        hash = sf_hash_bytes(hash, &demand->destination,
                             sizeof demand->destination);
        hash = sf_hash_bytes(hash, &demand->set, sizeof demand->set);
        hash = sf_hash_bytes(hash, &demand->amount, sizeof demand->amount);
    }
    return hash;
}

enum sf_status
sf_key_of_routing(const struct sf_comparison_row *row,
                  const struct sf_network *network, uint32_t n_sets,
                  uint64_t seed, char *text, size_t size, struct sf_error *err)
{
    struct sf_layer_spec spec;
    enum sf_status status = SF_OK;

    if (sf_throughput_counts_paths(row->mode)) {
        snprintf(text, size, "%s paths=%u seed=%llu",
                 sf_throughput_mode_name(row->mode), row->n_layers,
                 (unsigned long long)seed);
    } else if (row->mode != SF_THROUGHPUT_LAYERS) {
        text[0] = '\0';
    } else if (row->given) {
        snprintf(text, size, "routes=%016llx",
                 (unsigned long long)sf_key_of_routes(network, row->given));
    } else {
        const struct sf_routing_params *routing = &row->routing;
        status =
            sf_layer_spec_parse(routing->layers.scheme, n_sets, &spec, err);
        snprintf(text, size,
                 "scheme=%s%s max_hops=%u exceed=%d parts=%d layers=%u "
                 "addresses=%u sets=%u lanes=%s guarantee=%d vls=%u sls=%u "
                 "seed=%llu",
                 routing->layers.scheme ? "" : "default:", spec.text,
                 routing->layers.max_hops, routing->layers.may_exceed,
                 routing->layers.within_parts, row->n_layers,
                 routing->n_addresses, n_sets,
                 routing->without_lanes ? "free"
                 : routing->lanes       ? routing->lanes
                                        : "default",
                 (int)routing->guarantee, routing->max_vls, routing->max_sls,
                 (unsigned long long)seed);
    }
    return status;
}
