/* decode.c -- the routes that forwarding tables and SL-to-VL tables amount
 * to. */
#include "base/mem.h"
#include "routes/ports.h"
#include "slimfly/ib.h"
#include "slimfly/progress.h"

#include <string.h>

struct decoder {
    const struct sf_network *network;
    const struct sf_tables *tables;
    const uint16_t *hop_of_port;
    uint32_t n_layers;
    uint16_t *columns; /* [n_layers * V] Of the host at hand. */
    uint16_t *found;   /* [sets * n_layers * V] Of the switch at hand: the
                        * path sets found so far, */
    bool *is_known;    /* [sets * n_layers] as far as they are known. */
    uint32_t n_found;
    uint32_t *host_sets; /* [hosts] */
    uint32_t n_sets;     /* The most that a switch has. */
};

static const struct sf_port *
port_of(const struct sf_network *network, uint32_t host)
{
    return &network->fabric->ports[network->host_ports[host]];
}

/* The LIDs of 'host'. */
static const struct sf_ib_port *
lids_of(const struct sf_network *network, uint32_t host)
{
    return sf_ib_port(network->fabric, network->host_ports[host]);
}

static enum sf_status
check(const struct sf_network *network, const struct sf_tables *tables,
      struct sf_error *err)
{
    uint32_t n_hosts = sf_network_count_hosts(network);

    if (tables->n_switches != network->graph->n_nodes) {
        return sf_fail(err, SF_EINVAL,
                       "the tables are not of this fabric: they have %u "
                       "switches, and it has %u",
                       tables->n_switches, network->graph->n_nodes);
    }
    if (n_hosts == 0) {
        return sf_fail(err, SF_EINVAL,
                       "no host is plugged into a switch of this fabric");
    }
    for (uint32_t host = 0; host < n_hosts; host++) {
        const struct sf_ib_port *lids = lids_of(network, host);
        uint32_t lmc = lids->lmc <= SF_MAX_LMC ? lids->lmc : 0;
        uint32_t last = lids->lid + (1u << lmc) - 1;
        const char *name =
            network->fabric->nodes[port_of(network, host)->node].name;
        if (!lids->lid) {
            return sf_fail(err, SF_EINVAL,
                           "host '%s' has no LID, so that the tables cannot "
                           "say where its packets go",
                           name);
        }
        if (lids->lmc > SF_MAX_LMC || last > tables->max_lid) {
            return sf_fail(err, SF_EINVAL,
                           "the tables are not of this fabric: host '%s' has "
                           "LIDs %u to %u, and the tables end at %u",
                           name, lids->lid, last, tables->max_lid);
        }
    }
    return SF_OK;
}

/* Reads the next hops towards 'lid' of switch 'd' into 'column'. */
static void
read_column(const struct decoder *decoder, uint32_t lid, uint32_t d,
            uint16_t *column)
{
    const struct sf_fabric *fabric = decoder->network->fabric;

    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        uint32_t port =
            lid > decoder->tables->max_lid
                ? SF_NONE
                : sf_fabric_port(fabric, s,
                                 sf_tables_of(decoder->tables, s)[lid]);
        column[s] =
            s == d || port == SF_NONE ? SF_NO_HOP : decoder->hop_of_port[port];
    }
}

/* The column of 'layer' of set number 'set' of the switch at hand. */
static uint16_t *
found_column(const struct decoder *decoder, uint32_t set, uint32_t layer)
{
    return decoder->found + ((size_t)set * decoder->n_layers + layer) *
                                decoder->network->graph->n_nodes;
}

/* Whether the columns at hand are those of 'set', as far as it is known. */
static bool
is_of_set(const struct decoder *decoder, uint32_t set)
{
    size_t n = decoder->network->graph->n_nodes;

    for (uint32_t l = 0; l < decoder->n_layers; l++) {
        if (decoder->is_known[set * decoder->n_layers + l] &&
            memcmp(found_column(decoder, set, l), decoder->columns + l * n,
                   n * sizeof *decoder->columns) != 0) {
            return false;
        }
    }
    return true;
}

/* Reads the columns of the addresses from 'lid' on, 'n' of them, of switch
 * 'd' or of a host there, and finds the path set that has them. */
static uint32_t
find_set(struct decoder *decoder, uint32_t d, uint32_t lid, uint32_t n)
{
    size_t n_switches = decoder->network->graph->n_nodes;
    uint32_t set = 0;

    for (uint32_t l = 0; l < decoder->n_layers; l++) {
        read_column(decoder, lid + l % n, d,
                    decoder->columns + l * n_switches);
    }
    while (set < decoder->n_found && !is_of_set(decoder, set)) {
        set++;
    }
    for (uint32_t l = 0; l < decoder->n_layers; l++) {
        memcpy(found_column(decoder, set, l),
               decoder->columns + l * n_switches,
               n_switches * sizeof *decoder->columns);
        decoder->is_known[set * decoder->n_layers + l] = true;
    }
    decoder->n_found = set < decoder->n_found ? decoder->n_found : set + 1;
    return set;
}

/* Finds the path sets of switch 'd'.  Set 0 is that of the switch itself, of
 * which layer 0 alone is known unless it has more addresses. */
static void
find_sets(struct decoder *decoder, uint32_t d)
{
    const struct sf_network *network = decoder->network;
    const struct sf_ib_node *node = sf_ib_node(network->fabric, d);

    decoder->n_found = 0;
    if (node->lid) {
        uint32_t n = 1u << node->lmc;
        find_set(decoder, d, node->lid, n);
        for (uint32_t l = n; l < decoder->n_layers; l++) {
            decoder->is_known[l] = false;
        }
    }
    for (uint32_t host = network->first_host[d];
         host < network->first_host[d + 1]; host++) {
        const struct sf_ib_port *lids = lids_of(network, host);
        decoder->host_sets[host] =
            find_set(decoder, d, lids->lid, 1u << lids->lmc);
    }
    decoder->n_sets = decoder->n_found > decoder->n_sets ? decoder->n_found
                                                         : decoder->n_sets;
}

/* Copies what was found of switch 'd'. */
static void
copy_sets(const struct decoder *decoder, uint32_t d, struct sf_routes *routes)
{
    size_t n = decoder->network->graph->n_nodes;

    for (uint32_t set = 0; set < decoder->n_found; set++) {
        for (uint32_t l = 0; l < decoder->n_layers; l++) {
            if (decoder->is_known[set * decoder->n_layers + l]) {
                memcpy(sf_layers_tree(routes->sets[set], l, d),
                       found_column(decoder, set, l),
                       n * sizeof *decoder->found);
            }
        }
    }
}

/* The most addresses that a host has. */
static uint32_t
count_addresses(const struct sf_network *network)
{
    uint32_t most = 1;

    for (uint32_t host = 0; host < sf_network_count_hosts(network); host++) {
        uint32_t n = 1u << lids_of(network, host)->lmc;
        most = n > most ? n : most;
    }
    return most;
}

static enum sf_status
decode(struct decoder *decoder, struct sf_routes **routesp,
       struct sf_error *err)
{
    uint32_t n = decoder->network->graph->n_nodes;
    struct sf_routing_params params;
    struct sf_routes *routes;

    for (uint32_t d = 0; d < n; d++) {
        sf_progress_report("finding the paths of tables", d, 2 * n);
        find_sets(decoder, d);
    }
    enum sf_status status =
        sf_routes_make(decoder->network, decoder->n_sets, &routes, err);
    for (uint32_t i = 0; status == SF_OK && i < decoder->n_sets; i++) {
        status = sf_layers_make(decoder->n_layers, n, &routes->sets[i], err);
    }
    for (uint32_t d = 0; status == SF_OK && d < n; d++) {
        sf_progress_report("finding the paths of tables", n + d, 2 * n);
        find_sets(decoder, d);
        copy_sets(decoder, d, routes);
    }
    if (status != SF_OK) {
        sf_routes_free(routes);
        return status;
    }
    sf_ib_count_addresses(decoder->network->fabric, &params);
    routes->n_addresses = params.n_addresses;
    routes->n_switch_addresses = params.n_switch_addresses;
    memcpy(routes->host_sets, decoder->host_sets,
           sf_network_count_hosts(decoder->network) *
               sizeof *routes->host_sets);
    *routesp = routes;
    return SF_OK;
}

enum sf_status
sf_ib_decode(const struct sf_network *network, const struct sf_tables *tables,
             uint32_t n_layers, struct sf_routes **routesp,
             struct sf_error *err)
{
    size_t n = network->graph->n_nodes, most_hosts = 0;
    uint16_t *hop_of_port = NULL;

    *routesp = NULL;
    enum sf_status status = check(network, tables, err);
    if (status != SF_OK) {
        return status;
    }
    n_layers = n_layers ? n_layers : count_addresses(network);
    for (uint32_t s = 0; s < n; s++) {
        most_hosts = network->n_hosts[s] > most_hosts ? network->n_hosts[s]
                                                      : most_hosts;
    }
    hop_of_port = sf_network_hops_of_ports(network);
    struct decoder decoder = {
        .network = network,
        .tables = tables,
        .hop_of_port = hop_of_port,
        .n_layers = n_layers,
        .n_sets = 1,
        .columns = sf_calloc(n_layers * n, sizeof *decoder.columns),
        .found =
            sf_calloc((most_hosts + 1) * n_layers * n, sizeof *decoder.found),
        .is_known =
            sf_calloc((most_hosts + 1) * n_layers, sizeof *decoder.is_known),
        .host_sets = sf_calloc(sf_network_count_hosts(network),
                               sizeof *decoder.host_sets),
    };
    status = hop_of_port && decoder.columns && decoder.found &&
                     decoder.is_known && decoder.host_sets
                 ? decode(&decoder, routesp, err)
                 : sf_fail(err, SF_ENOMEM, "out of memory for routes");
    free(decoder.host_sets);
    free(decoder.is_known);
    free(decoder.found);
    free(decoder.columns);
    free(hop_of_port);
    return status;
}

/* Takes the VLs of all turns at switch 's' out of 'sl2vl'. */
static enum sf_status
read_turns(const struct sf_network *network, const struct sf_sl2vl *sl2vl,
           uint32_t s, struct sf_turns *turns, struct sf_error *err)
{
    const struct sf_graph *graph = network->graph;
    uint32_t first = graph->first[s], degree = sf_graph_degree(graph, s);
    uint8_t *vls = turns->vls + turns->first[s];

    for (uint32_t j = 0; j < degree; j++) {
        uint32_t out = sf_network_port(network, first + j);
        for (uint32_t i = 0; i < degree; i++) {
            uint32_t in = sf_network_port(network, first + i);
            uint8_t vl = sf_sl2vl_of(sl2vl, s, in, out)[0];
            vls[i * degree + j] = vl < turns->n_vls ? vl : SF_NO_TURN;
        }
        for (uint32_t host = network->first_host[s];
             host < network->first_host[s + 1]; host++) {
            uint32_t in =
                network->fabric->ports[port_of(network, host)->peer].number;
            if (sf_sl2vl_of(sl2vl, s, in, out)[0] != 0) {
                return sf_fail(err, SF_ELANES,
                               "switch %s does not put what hosts send on "
                               "VL 0, as lanes by turns do",
                               network->fabric->nodes[s].name);
            }
        }
    }
    return SF_OK;
}

static uint32_t
count_vls(const struct sf_sl2vl *sl2vl)
{
    uint32_t n_vls = 1;

    for (uint32_t s = 0; s < sl2vl->n_switches; s++) {
        size_t n_rows = (size_t)sl2vl->n_ports[s] + 1;
        const uint8_t *vls = sf_sl2vl_of(sl2vl, s, 0, 0);
        for (size_t i = 0; i < n_rows * n_rows; i++) {
            uint8_t vl = vls[i * SF_N_SLS];
            n_vls = vl < SF_DROP_VL && vl >= n_vls ? vl + 1u : n_vls;
        }
    }
    return n_vls;
}

enum sf_status
sf_ib_decode_turns(const struct sf_network *network,
                   const struct sf_sl2vl *sl2vl, struct sf_routes *routes,
                   struct sf_error *err)
{
    struct sf_turns *turns;
    enum sf_status status =
        sf_turns_make(network->graph, count_vls(sl2vl), &turns, err);

    for (uint32_t s = 0; status == SF_OK && s < network->graph->n_nodes; s++) {
        status = read_turns(network, sl2vl, s, turns, err);
    }
    if (status == SF_OK) {
        status = sf_turns_rank_channels(network, routes, false, turns, err);
    }
    if (status == SF_OK) {
        sf_turns_free(routes->turns);
        routes->turns = turns;
        turns = NULL;
    }
    sf_turns_free(turns);
    return status;
}
