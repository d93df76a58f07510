/* earlier.c -- see earlier.h. */
#include "routing/earlier.h"

#include "base/mem.h"
#include "fabric/guids.h"
#include "routes/ports.h"

#include <string.h>

/* The number in 'earlier' of each switch of 'fabric', by GUID. */
static bool
match_switches(const struct sf_fabric *fabric, const struct sf_fabric *earlier,
               uint32_t *switches)
{
    struct sf_ids ids;
    bool made = sf_fabric_sort_guids(earlier, earlier->n_switches, &ids);

    for (uint32_t s = 0; made && s < fabric->n_switches; s++) {
        switches[s] = sf_ids_find(&ids, fabric->nodes[s].guid);
    }
    sf_ids_clear(&ids);
    return made;
}

/* Finds the arcs that leave by the same ports of the same switches. */
static void
match_hops(struct sf_earlier *match, const uint16_t *hop_of_port)
{
    const struct sf_graph *graph = match->earlier->graph;

    memset(match->hops, 0xff,
           2 * (size_t)graph->n_links * sizeof *match->hops);
    for (uint32_t s = 0; s < match->network->graph->n_nodes; s++) {
        uint32_t before = match->switches[s];
        if (before == SF_NONE) {
            continue;
        }
        for (uint32_t i = graph->first[before]; i < graph->first[before + 1];
             i++) {
            uint32_t port = sf_fabric_port(match->network->fabric, s,
                                           sf_network_port(match->earlier, i));
            match->hops[i] = port == SF_NONE ? SF_NO_HOP : hop_of_port[port];
        }
    }
}

enum sf_status
sf_earlier_build(const struct sf_network *network,
                 const struct sf_network *earlier, struct sf_earlier *result,
                 struct sf_error *err)
{
    *result = (struct sf_earlier){ .network = network, .earlier = earlier };
    result->switches =
        sf_calloc(network->graph->n_nodes, sizeof *result->switches);
    result->hops =
        sf_calloc(2 * (size_t)earlier->graph->n_links, sizeof *result->hops);
    uint16_t *hop_of_port = sf_network_hops_of_ports(network);
    bool made =
        result->switches && result->hops && hop_of_port &&
        match_switches(network->fabric, earlier->fabric, result->switches);
    if (made) {
        match_hops(result, hop_of_port);
    }
    free(hop_of_port);
    return made ? SF_OK
                : sf_fail(err, SF_ENOMEM, "out of memory to compare networks");
}

void
sf_earlier_clear(struct sf_earlier *earlier)
{
    free(earlier->hops);
    free(earlier->switches);
    *earlier = (struct sf_earlier){ 0 };
}

uint32_t
sf_earlier_arc(const struct sf_earlier *earlier, uint32_t s, uint32_t arc)
{
    const struct sf_network *now = earlier->network, *then = earlier->earlier;
    uint32_t from = earlier->switches[s];
    uint32_t to = earlier->switches[now->graph->arcs[arc].to];

    if (from == SF_NONE || to == SF_NONE) {
        return SF_NONE;
    }
    for (uint32_t i = then->graph->first[from];
         i < then->graph->first[from + 1]; i++) {
        if (then->graph->arcs[i].to == to &&
            sf_network_port(then, i) == sf_network_port(now, arc) &&
            sf_network_port(then, then->reverse[i]) ==
                sf_network_port(now, now->reverse[arc])) {
            return i;
        }
    }
    return SF_NONE;
}

/* The number of the switch's port that a host is plugged into. */
static uint32_t
place_of(const struct sf_network *network, uint32_t host)
{
    const struct sf_fabric *fabric = network->fabric;
    return fabric->ports[fabric->ports[network->host_ports[host]].peer].number;
}

/* The host of the earlier network on switch 'before' that 'host' is: the one
 * with the same GUID of its port or, if nobody knows that, in the same place.
 * SF_NONE if there is none. */
static uint32_t
find_host(const struct sf_earlier *match, uint32_t before, uint32_t host)
{
    const struct sf_network *earlier = match->earlier;
    const struct sf_network *network = match->network;
    uint64_t guid = network->fabric->ports[network->host_ports[host]].guid;

    for (uint32_t was = earlier->first_host[before];
         was < earlier->first_host[before + 1]; was++) {
        if (earlier->fabric->ports[earlier->host_ports[was]].guid == guid &&
            (guid || place_of(earlier, was) == place_of(network, host))) {
            return was;
        }
    }
    return SF_NONE;
}

void
sf_earlier_host_sets(const struct sf_earlier *earlier,
                     const struct sf_routes *routes, uint32_t *host_sets)
{
    const struct sf_network *network = earlier->network;

    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        uint32_t first = network->first_host[s], before = earlier->switches[s];
        uint32_t sibling = SF_NONE; /* The set of the first that was there. */
        for (uint32_t host = first; host < network->first_host[s + 1];
             host++) {
            uint32_t was =
                before == SF_NONE ? SF_NONE : find_host(earlier, before, host);
            host_sets[host] =
                was == SF_NONE ? SF_NONE : routes->host_sets[was];
            sibling = sibling == SF_NONE ? host_sets[host] : sibling;
        }
        for (uint32_t host = first; host < network->first_host[s + 1];
             host++) {
            if (host_sets[host] == SF_NONE) {
                host_sets[host] = sibling == SF_NONE ? 0 : sibling;
            }
        }
    }
}
