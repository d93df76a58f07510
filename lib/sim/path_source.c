/* path_source.c -- the paths of routes that are about to be deployed. */
#include "slimfly/path_source.h"

#include "base/hash.h"
#include "sim/trip.h"

/* Follows the column from switch 's' to the switch of the receiver, 'd'. */
static enum sf_status
find_arcs(const struct sf_trip *trip, const uint16_t *column, uint32_t s,
          uint32_t d, struct sf_path *path, struct sf_error *err)
{
    const struct sf_graph *graph = trip->network->graph;

    path->n_arcs = 0;
    while (s != d) {
        if (column[s] == SF_NO_HOP) {
            return sf_trip_fail(trip, SF_EUNREACHABLE, s, "no next hop", err);
        }
        if (sf_trip_is_circle(trip, path->n_arcs)) {
            return sf_trip_fail(trip, SF_EUNREACHABLE, s,
                                "the path goes round in a circle", err);
        }
        uint32_t arc = graph->first[s] + column[s];
        sf_trip_add(path, arc);
        s = graph->arcs[arc].to;
    }
    return sf_trip_check_length(trip, d, path, err);
}

/* The VL on which switch 's' sends on what came over its arc number 'in' by
 * its arc number 'out'; SF_EUNREACHABLE if it sends that on none. */
static enum sf_status
find_vl(const struct sf_trip *trip, const struct sf_lanes *lanes, uint32_t s,
        uint32_t in, uint32_t out, uint32_t sl, uint8_t *vlp,
        struct sf_error *err)
{
    *vlp =
        lanes ? sf_lanes_of(lanes, trip->network->graph, s, in, out)[sl] : 0;
    return *vlp < SF_MAX_VLS ? SF_OK
                             : sf_trip_fail(trip, SF_EUNREACHABLE, s,
                                            "packets are dropped", err);
}

/* Fills in the VLs of 'path', which starts at switch 's'. */
static enum sf_status
find_vls(const struct sf_trip *trip, const struct sf_lanes *lanes, uint32_t s,
         struct sf_path *path, struct sf_error *err)
{
    const struct sf_graph *graph = trip->network->graph;
    uint32_t in = sf_graph_degree(graph, s);
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; status == SF_OK && i < path->n_arcs; i++) {
        uint32_t arc = path->arcs[i];
        status = find_vl(trip, lanes, s, in, arc - graph->first[s], path->sl,
                         &path->vls[i], err);
        s = graph->arcs[arc].to;
        in = trip->network->reverse[arc] - graph->first[s];
    }
    if (status != SF_OK) {
        return status;
    }
    return find_vl(trip, lanes, s, in, sf_graph_degree(graph, s), path->sl,
                   &path->last_vl, err);
}

static uint8_t
choose_sl(const struct sf_path_source *source, const struct sf_trip *trip,
          uint32_t s, uint32_t d)
{
    const struct sf_routes *routes = source->held;

    if (source->one_sl != SF_SL_OF_PATH) {
        return (uint8_t)source->one_sl;
    }
    return routes->lanes
               ? sf_lanes_path_sl(routes->lanes, trip->network->graph->n_nodes,
                                  routes->host_sets[trip->to],
                                  trip->address % sf_routes_n_layers(routes),
                                  d, s)
               : 0;
}

static enum sf_status
follow(const struct sf_path_source *source, uint32_t from, uint32_t to,
       uint32_t address, struct sf_path *path, struct sf_error *err)
{
    const struct sf_routes *routes = source->held;
    struct sf_trip trip = { source->network, from, to,
                            address % source->n_addresses };
    uint32_t s = sf_trip_switch(source->network, from);
    uint32_t d = sf_trip_switch(source->network, to);

    enum sf_status status = find_arcs(
        &trip, sf_routes_column(routes, to, trip.address, d), s, d, path, err);
    if (status != SF_OK) {
        return status;
    }
    path->sl = choose_sl(source, &trip, s, d);
    path->first_vl = sf_trip_first_vl(
        path->sl, source->n_vls, routes->lanes ? routes->lanes->n_sls : 1);
    return find_vls(&trip, routes->lanes, s, path, err);
}

/* Hashes all that decides the paths. */
static uint64_t
hash_routes(const struct sf_network *network, const struct sf_routes *routes)
{
    const struct sf_graph *graph = network->graph;
    const struct sf_lanes *lanes = routes->lanes;
    size_t n = graph->n_nodes;
    size_t n_hops = sf_routes_n_layers(routes) * n * n;
    uint64_t hash =
        sf_hash_bytes(sf_trip_hash(network), routes->host_sets,
                      sf_network_count_hosts(network) * sizeof(uint32_t));

    hash =
        sf_hash_bytes(hash, &routes->n_addresses, sizeof routes->n_addresses);
    for (uint32_t i = 0; i < routes->n_sets; i++) {
        hash = sf_hash_bytes(hash, routes->sets[i]->hops,
                             n_hops * sizeof *routes->sets[i]->hops);
        if (lanes && lanes->path_sls) {
            hash = sf_hash_bytes(hash, lanes->path_sls[i], n_hops);
        }
    }
    if (lanes) {
        hash = sf_hash_bytes(hash, &lanes->n_vls, sizeof lanes->n_vls);
        hash = sf_hash_bytes(hash, &lanes->n_sls, sizeof lanes->n_sls);
    }
    for (uint32_t s = 0; lanes && s < n; s++) {
        size_t side = (size_t)sf_graph_degree(graph, s) + 1;
        hash = sf_hash_bytes(hash, lanes->vls + lanes->first[s],
                             side * side * SF_N_SLS);
    }
    return hash;
}

enum sf_status
sf_path_source_of_routes(const struct sf_network *network,
                         const struct sf_routes *routes, int one_sl,
                         struct sf_path_source *source, struct sf_error *err)
{
    *source = (struct sf_path_source){
        .network = network,
        .n_addresses = routes->n_addresses,
        .n_vls = routes->lanes ? routes->lanes->n_vls : 1,
        .one_sl = one_sl,
        .held = routes,
        .identity = hash_routes(network, routes),
        .follow = follow,
    };
    return sf_trip_check_sl(one_sl, err);
}
