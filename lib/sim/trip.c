#include "sim/trip.h"

#include "base/hash.h"

#include <stdio.h>

/* Which ports are plugged into which: tables and the lengths of cables know
 * links by their ports. */
static uint64_t
hash_ports(const struct sf_network *network, uint64_t hash)
{
    const struct sf_fabric *fabric = network->fabric;

    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        hash = sf_hash_bytes(hash, &port->node, sizeof port->node);
        hash = sf_hash_bytes(hash, &port->number, sizeof port->number);
        hash = sf_hash_bytes(hash, &port->peer, sizeof port->peer);
    }
    return hash;
}

uint64_t
sf_trip_hash(const struct sf_network *network)
{
    const struct sf_graph *graph = network->graph;
    uint64_t hash =
        sf_hash_bytes(SF_HASH_START, &graph->n_nodes, sizeof graph->n_nodes);

    hash = sf_hash_bytes(hash, network->n_hosts,
                         graph->n_nodes * sizeof *network->n_hosts);
    hash = sf_hash_bytes(hash, graph->links,
                         graph->n_links * sizeof *graph->links);
    return network->fabric ? hash_ports(network, hash) : hash;
}

uint32_t
sf_trip_switch(const struct sf_network *network, uint32_t host)
{
    uint32_t low = 0, high = network->graph->n_nodes - 1;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (network->first_host[middle + 1] <= host) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What to call a host, and a switch, with or without a fabric. */
static struct sf_node_name
name_host(const struct sf_network *network, uint32_t host)
{
    const struct sf_fabric *fabric = network->fabric;
    struct sf_node_name name;

    if (fabric) {
        uint32_t node = fabric->ports[network->host_ports[host]].node;
        snprintf(name.text, sizeof name.text, "%s", fabric->nodes[node].name);
    } else {
        snprintf(name.text, sizeof name.text, "host %u", host);
    }
    return name;
}

static struct sf_node_name
name_switch(const struct sf_network *network, uint32_t s)
{
    struct sf_node_name name;

    if (!network->fabric) {
        return sf_graph_name(network->graph, s);
    }
    snprintf(name.text, sizeof name.text, "%s",
             network->fabric->nodes[s].name);
    return name;
}

enum sf_status
sf_trip_fail(const struct sf_trip *trip, enum sf_status status, uint32_t at,
             const char *what, struct sf_error *err)
{
    return sf_fail(err, status, "%s to address %u of %s: %s at switch %s",
                   name_host(trip->network, trip->from).text, trip->address,
                   name_host(trip->network, trip->to).text, what,
                   name_switch(trip->network, at).text);
}

enum sf_status
sf_trip_check_length(const struct sf_trip *trip, uint32_t at,
                     const struct sf_path *path, struct sf_error *err)
{
    char what[64];

    if (path->n_arcs <= SF_MAX_PATH_ARCS) {
        return SF_OK;
    }
    snprintf(what, sizeof what,
             "the path has %u links, more than %d, and ends", path->n_arcs,
             SF_MAX_PATH_ARCS);
    return sf_trip_fail(trip, SF_ELIMIT, at, what, err);
}

enum sf_status
sf_trip_check_sl(int one_sl, struct sf_error *err)
{
    return one_sl == SF_SL_OF_PATH || (one_sl >= 0 && one_sl < SF_N_SLS)
               ? SF_OK
               : sf_fail(err, SF_EINVAL, "SL %d: expected 0 to 15", one_sl);
}
