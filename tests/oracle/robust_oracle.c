#include "robust_oracle.h"

#include <stdlib.h>
#include <string.h>

/* Whether packets to address 'address' of 'to' arrive from switch 's' if
 * 'dead' carries nothing. */
static bool
arrives(const struct sf_network *network, const struct sf_routes *routes,
        uint32_t s, uint32_t to, uint32_t to_switch, uint32_t address,
        uint32_t dead)
{
    const struct sf_graph *graph = network->graph;
    const uint16_t *column = sf_routes_column(routes, to, address, to_switch);

    for (uint32_t n = 0; s != to_switch; n++) {
        if (n > graph->n_nodes || column[s] == SF_NO_HOP) {
            return false;
        }
        const struct sf_arc *arc = &graph->arcs[graph->first[s] + column[s]];
        if (arc->link == dead) {
            return false;
        }
        s = arc->to;
    }
    return true;
}

static uint32_t
switch_of(const struct sf_network *network, uint32_t host)
{
    uint32_t s = 0;
    while (network->first_host[s + 1] <= host) {
        s++;
    }
    return s;
}

/* Whether any address joins two hosts, on two switches, both ways. */
static bool
talk(const struct sf_network *network, const struct sf_routes *routes,
     uint32_t a, uint32_t sa, uint32_t b, uint32_t sb, uint32_t dead)
{
    for (uint32_t k = 0; k < routes->n_addresses; k++) {
        if (arrives(network, routes, sa, b, sb, k, dead) &&
            arrives(network, routes, sb, a, sa, k, dead)) {
            return true;
        }
    }
    return false;
}

/* Whether links other than 'dead' join two switches: marks spread until
 * nothing changes. */
static bool
are_joined(const struct sf_graph *graph, uint32_t a, uint32_t b, uint32_t dead)
{
    bool *mark = calloc(graph->n_nodes, sizeof *mark), changes = true;

    mark[a] = true;
    while (changes) {
        changes = false;
        for (uint32_t i = 0; i < graph->n_links; i++) {
            const struct sf_link *link = &graph->links[i];
            if (i != dead && mark[link->a] != mark[link->b]) {
                mark[link->a] = mark[link->b] = changes = true;
            }
        }
    }
    bool joined = mark[b];
    free(mark);
    return joined;
}

struct oracle_robustness
oracle_robustness(const struct sf_network *network,
                  const struct sf_routes *routes)
{
    struct oracle_robustness result = { 0 };
    const struct sf_graph *graph = network->graph;
    uint32_t n_hosts = network->first_host[graph->n_nodes];

    for (uint32_t a = 0; a < n_hosts; a++) {
        for (uint32_t b = a + 1; b < n_hosts; b++) {
            uint32_t sa = switch_of(network, a), sb = switch_of(network, b);
            bool is_hit = false, is_bridged = false;
            if (sa == sb || !talk(network, routes, a, sa, b, sb, SF_NONE)) {
                continue;
            }
            for (uint32_t i = 0; i < graph->n_links; i++) {
                if (!talk(network, routes, a, sa, b, sb, i)) {
                    is_hit = true;
                    is_bridged |= !are_joined(graph, sa, sb, i);
                }
            }
            result.n_pairs++;
            result.n_hit += is_hit;
            result.n_bridged += is_bridged;
        }
    }
    return result;
}

/* Marks the links of address 'address' between the two. */
static void
mark_links(const struct sf_network *network, const struct sf_routes *routes,
           uint32_t a, uint32_t b, uint32_t address, bool *marks)
{
    const struct sf_graph *graph = network->graph;
    uint32_t ends[2] = { switch_of(network, a), switch_of(network, b) };

    for (uint32_t way = 0; way < 2; way++) {
        uint32_t s = ends[way], to = ends[!way];
        const uint16_t *column =
            sf_routes_column(routes, way == 0 ? b : a, address, to);
        while (s != to) {
            const struct sf_arc *arc =
                &graph->arcs[graph->first[s] + column[s]];
            marks[arc->link] = true;
            s = arc->to;
        }
    }
}

bool
oracle_are_apart(const struct sf_network *network,
                 const struct sf_routes *routes, uint32_t host_a,
                 uint32_t host_b)
{
    uint32_t n = network->graph->n_links;
    bool *marks = calloc((size_t)routes->n_addresses * n, sizeof *marks);
    bool found = false;

    for (uint32_t k = 0; k < routes->n_addresses; k++) {
        mark_links(network, routes, host_a, host_b, k, marks + (size_t)k * n);
    }
    for (uint32_t k = 0; k < routes->n_addresses; k++) {
        for (uint32_t m = 0; m < k; m++) {
            uint32_t n_both = 0;
            for (uint32_t i = 0; i < n; i++) {
                n_both += marks[(size_t)k * n + i] && marks[(size_t)m * n + i];
            }
            found |= n_both == 0;
        }
    }
    free(marks);
    return found;
}

bool
oracle_goes_around(const struct sf_graph *graph,
                   const struct sf_layers *layers, uint32_t a, uint32_t b)
{
    for (uint32_t l = 0; l < layers->n_layers; l++) {
        bool is_direct = false;
        for (uint32_t way = 0; way < 2; way++) {
            uint32_t s = way ? b : a, d = way ? a : b;
            while (s != d) {
                uint32_t arc = sf_layers_arc(layers, graph, l, s, d);
                const struct sf_link *link =
                    &graph->links[graph->arcs[arc].link];
                is_direct |= (link->a == a && link->b == b) ||
                             (link->a == b && link->b == a);
                s = graph->arcs[arc].to;
            }
        }
        if (!is_direct) {
            return true;
        }
    }
    return false;
}
