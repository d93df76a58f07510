/* table_path_source.c -- the paths that packets take through the tables that
 * switches hold, entry by entry.
 *
 * It reads tables as the audit does (audit.h) and shares nothing with it. */
#include "base/hash.h"
#include "base/mem.h"
#include "sim/trip.h"
#include "slimfly/ib.h"

/* The port of the switch that 'host' is plugged into. */
static const struct sf_port *
port_of_host(const struct sf_network *network, uint32_t host)
{
    const struct sf_fabric *fabric = network->fabric;
    return &fabric->ports[fabric->ports[network->host_ports[host]].peer];
}

/* The arc that leaves switch 's' by its port 'number'; SF_NONE if that leads
 * to no switch. */
static uint32_t
find_arc(const struct sf_network *network, uint32_t s, uint32_t number)
{
    const struct sf_graph *graph = network->graph;
    uint32_t port = sf_fabric_port(network->fabric, s, number);

    for (uint32_t arc = graph->first[s];
         port != SF_NONE && arc < graph->first[s + 1]; arc++) {
        if (network->arc_ports[arc] == port) {
            return arc;
        }
    }
    return SF_NONE;
}

/* Follows the entries of 'lid' from switch 's' to the port that it lives
 * behind. */
static enum sf_status
find_arcs(const struct sf_trip *trip, const struct sf_tables *tables,
          uint32_t lid, uint32_t s, struct sf_path *path, struct sf_error *err)
{
    const struct sf_network *network = trip->network;
    const struct sf_port *home = port_of_host(network, trip->to);

    path->n_arcs = 0;
    for (;;) {
        uint8_t entry = sf_tables_of(tables, s)[lid];
        if (s == home->node && entry == home->number) {
            return sf_trip_check_length(trip, s, path, err);
        }
        if (entry == SF_NO_PORT) {
            return sf_trip_fail(trip, SF_EUNREACHABLE, s, "no entry", err);
        }
        uint32_t arc = find_arc(network, s, entry);
        if (arc == SF_NONE) {
            return sf_trip_fail(trip, SF_EUNREACHABLE, s, "a dead end", err);
        }
        if (sf_trip_is_circle(trip, path->n_arcs)) {
            return sf_trip_fail(trip, SF_EUNREACHABLE, s,
                                "the path goes round in a circle", err);
        }
        sf_trip_add(path, arc);
        s = network->graph->arcs[arc].to;
    }
}

/* The VL on which switch 's' sends out at port 'out' what came in at port
 * 'in'. */
static enum sf_status
find_vl(const struct sf_trip *trip, const struct sf_sl2vl *sl2vl, uint32_t s,
        uint32_t in, uint32_t out, uint32_t sl, uint8_t *vlp,
        struct sf_error *err)
{
    *vlp = sl2vl ? sf_sl2vl_of(sl2vl, s, in, out)[sl] : 0;
    if (*vlp == SF_DROP_VL) {
        return sf_trip_fail(trip, SF_EUNREACHABLE, s,
                            "packets are dropped (VL 15)", err);
    }
    return *vlp < SF_DROP_VL
               ? SF_OK
               : sf_trip_fail(trip, SF_EINVAL, s,
                              "the SL-to-VL tables do not say the VL", err);
}

/* Fills in the VLs of 'path', which starts at switch 's'. */
static enum sf_status
find_vls(const struct sf_trip *trip, const struct sf_sl2vl *sl2vl, uint32_t s,
         struct sf_path *path, struct sf_error *err)
{
    const struct sf_network *network = trip->network;
    uint32_t in = port_of_host(network, trip->from)->number;
    uint32_t out = port_of_host(network, trip->to)->number;

    for (uint32_t i = 0; i < path->n_arcs; i++) {
        uint32_t arc = path->arcs[i];
        enum sf_status status =
            find_vl(trip, sl2vl, s, in, sf_network_port(network, arc),
                    path->sl, &path->vls[i], err);
        if (status != SF_OK) {
            return status;
        }
        s = network->graph->arcs[arc].to;
        in = sf_network_port(network, network->reverse[arc]);
    }
    /* Nobody waits for the link of a receiver, so the audit does not ask for
     * its VL, only whether packets are dropped there. */
    if (sl2vl && sf_sl2vl_of(sl2vl, s, in, out)[path->sl] == SF_NO_VL) {
        path->last_vl = 0;
        return SF_OK;
    }
    return find_vl(trip, sl2vl, s, in, out, path->sl, &path->last_vl, err);
}

static uint8_t
choose_sl(const struct sf_path_source *source, uint32_t s, uint32_t lid)
{
    const struct sf_ib_held *held = source->held;

    if (source->one_sl != SF_SL_OF_PATH) {
        return (uint8_t)source->one_sl;
    }
    uint8_t sl =
        held->path_sls ? sf_path_sls_of(held->path_sls, s)[lid] : SF_NO_SL;
    return sl == SF_NO_SL ? 0 : sl;
}

static enum sf_status
follow(const struct sf_path_source *source, uint32_t from, uint32_t to,
       uint32_t address, struct sf_path *path, struct sf_error *err)
{
    const struct sf_network *network = source->network;
    const struct sf_ib_held *held = source->held;
    const struct sf_ib_port *port =
        sf_ib_port(network->fabric, network->host_ports[to]);
    struct sf_trip trip = { network, from, to, address % (1u << port->lmc) };
    uint32_t lid = port->lid + trip.address;
    uint32_t s = port_of_host(network, from)->node;

    if (!port->lid) {
        return sf_trip_fail(&trip, SF_EUNREACHABLE,
                            port_of_host(network, to)->node,
                            "the receiver has no LID", err);
    }
    enum sf_status status = find_arcs(&trip, held->tables, lid, s, path, err);
    if (status != SF_OK) {
        return status;
    }
    path->sl = choose_sl(source, s, lid);
    path->first_vl = sf_trip_first_vl(path->sl, source->n_vls, held->n_sls);
    return find_vls(&trip, held->sl2vl, s, path, err);
}

static enum sf_status
check_fit(const struct sf_network *network, const struct sf_ib_held *held,
          struct sf_error *err)
{
    const struct sf_fabric *fabric = network->fabric;
    const struct sf_sl2vl *sl2vl = held->sl2vl;
    const struct sf_path_sls *path_sls = held->path_sls;
    uint32_t n = network->graph->n_nodes;

    bool fits = fabric && held->tables->n_switches == n &&
                (!sl2vl || sl2vl->n_switches == n) &&
                (!path_sls || (path_sls->n_switches == n &&
                               path_sls->max_lid == held->tables->max_lid));
    for (uint32_t s = 0; fits && sl2vl && s < n; s++) {
        fits = sl2vl->n_ports[s] == fabric->nodes[s].n_ports;
    }
    return fits ? SF_OK
                : sf_fail(err, SF_EINVAL,
                          "the tables are not those of this fabric");
}

/* Notes the LIDs of a port in 'is_seen' [max_lid + 1]. */
static enum sf_status
see_lids(uint32_t lid, uint32_t lmc, uint32_t max_lid, bool *is_seen,
         struct sf_error *err)
{
    for (uint32_t k = 0; lid && k < 1u << lmc; k++) {
        if (lid + k > max_lid) {
            return sf_fail(err, SF_EINVAL,
                           "the tables end before LID %u of the fabric",
                           lid + k);
        }
        if (is_seen[lid + k]) {
            return sf_fail(err, SF_EINVAL,
                           "LID %u belongs to two ports of the fabric",
                           lid + k);
        }
        is_seen[lid + k] = true;
    }
    return SF_OK;
}

/* The tables have entries for all LIDs of what is plugged in, each of which is
 * there once; '*mostp' is how many a host has at most. */
static enum sf_status
check_lids(const struct sf_network *network, uint32_t max_lid, uint32_t *mostp,
           struct sf_error *err)
{
    bool *is_seen = sf_calloc((size_t)max_lid + 1, sizeof *is_seen);
    enum sf_status status = SF_OK;

    if (!is_seen) {
        return sf_fail(err, SF_ENOMEM, "out of memory for LIDs");
    }
    for (uint32_t s = 0; status == SF_OK && s < network->graph->n_nodes; s++) {
        const struct sf_ib_node *node = sf_ib_node(network->fabric, s);
        status = see_lids(node->lid, node->lmc, max_lid, is_seen, err);
    }
    *mostp = 1;
    for (uint32_t h = 0;
         status == SF_OK && h < sf_network_count_hosts(network); h++) {
        const struct sf_ib_port *port =
            sf_ib_port(network->fabric, network->host_ports[h]);
        *mostp = 1u << port->lmc > *mostp ? 1u << port->lmc : *mostp;
        status = see_lids(port->lid, port->lmc, max_lid, is_seen, err);
    }
    free(is_seen);
    return status;
}

/* The highest VL that the tables name, plus 1. */
static uint32_t
count_vls(const struct sf_sl2vl *sl2vl)
{
    uint32_t n_vls = 1;

    for (uint32_t s = 0; sl2vl && s < sl2vl->n_switches; s++) {
        size_t n = (sl2vl->n_ports[s] + 1) * ((size_t)sl2vl->n_ports[s] + 1);
        const uint8_t *vls = sf_sl2vl_of(sl2vl, s, 0, 0);
        for (size_t i = 0; i < n * SF_N_SLS; i++) {
            n_vls =
                vls[i] < SF_DROP_VL && vls[i] >= n_vls ? vls[i] + 1u : n_vls;
        }
    }
    return n_vls;
}

/* The highest SL of a path, plus 1; all if nothing is known. */
static uint32_t
count_sls(const struct sf_path_sls *path_sls)
{
    uint32_t n_sls = 1;

    if (!path_sls) {
        return SF_N_SLS;
    }
    for (uint32_t s = 0; s < path_sls->n_switches; s++) {
        const uint8_t *sls = sf_path_sls_of(path_sls, s);
        for (uint32_t lid = 1; lid <= path_sls->max_lid; lid++) {
            n_sls = sls[lid] < SF_N_SLS && sls[lid] >= n_sls ? sls[lid] + 1u
                                                             : n_sls;
        }
    }
    return n_sls;
}

/* Hashes all that decides the paths. */
static uint64_t
hash_held(const struct sf_network *network, const struct sf_ib_held *held)
{
    const struct sf_tables *tables = held->tables;
    const struct sf_sl2vl *sl2vl = held->sl2vl;
    const struct sf_path_sls *path_sls = held->path_sls;
    uint64_t hash = sf_trip_hash(network);

    for (uint32_t h = 0; h < sf_network_count_hosts(network); h++) {
        const struct sf_ib_port *port =
            sf_ib_port(network->fabric, network->host_ports[h]);
        hash = sf_hash_bytes(hash, &port->lid, sizeof port->lid);
        hash = sf_hash_bytes(hash, &port->lmc, sizeof port->lmc);
    }
    for (uint32_t s = 0; s < tables->n_switches; s++) {
        hash =
            sf_hash_bytes(hash, sf_tables_of(tables, s), tables->max_lid + 1u);
        if (sl2vl) {
            size_t side = (size_t)sl2vl->n_ports[s] + 1;
            hash = sf_hash_bytes(hash, sf_sl2vl_of(sl2vl, s, 0, 0),
                                 side * side * SF_N_SLS);
        }
        if (path_sls) {
            hash = sf_hash_bytes(hash, sf_path_sls_of(path_sls, s),
                                 path_sls->max_lid + 1u);
        }
    }
    return hash;
}

enum sf_status
sf_ib_path_source(const struct sf_network *network, struct sf_ib_held *held,
                  int one_sl, struct sf_path_source *source,
                  struct sf_error *err)
{
    uint32_t n_addresses = 1;
    enum sf_status status = sf_trip_check_sl(one_sl, err);

    *source = (struct sf_path_source){ 0 };
    if (status == SF_OK) {
        status = check_fit(network, held, err);
    }
    if (status == SF_OK) {
        status = check_lids(network, held->tables->max_lid, &n_addresses, err);
    }
    if (status != SF_OK) {
        return status;
    }
    held->n_sls = count_sls(held->path_sls);
    *source = (struct sf_path_source){
        .network = network,
        .n_addresses = n_addresses,
        .n_vls = count_vls(held->sl2vl),
        .one_sl = one_sl,
        .held = held,
        .identity = hash_held(network, held),
        .follow = follow,
    };
    return SF_OK;
}
