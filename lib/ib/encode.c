/* encode.c -- routes as forwarding tables, SL-to-VL tables and path SLs. */
#include "base/mem.h"
#include "ib/tables.h"
#include "routes/ports.h"
#include "slimfly/ib.h"
#include "slimfly/progress.h"

#include <string.h>

void
sf_ib_count_addresses(const struct sf_fabric *fabric,
                      struct sf_routing_params *params)
{
    params->n_addresses = params->n_switch_addresses = 1;
    for (uint32_t i = 0; i < fabric->n_switches; i++) {
        uint32_t n = UINT32_C(1) << sf_ib_node(fabric, i)->lmc;
        if (n > params->n_switch_addresses) {
            params->n_switch_addresses = n;
        }
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_ib_port *port = sf_ib_port(fabric, i);
        uint32_t n = UINT32_C(1) << port->lmc;
        if (port->lid && n > params->n_addresses) {
            params->n_addresses = n;
        }
    }
}

/* Fills the entries of 'lid' from the column towards switch 'destination',
 * where it leaves by 'last_port'. */
static void
fill_lid(struct sf_tables *tables, uint32_t lid,
         const struct sf_network *network, const uint16_t *column,
         uint32_t destination, uint32_t last_port)
{
    const struct sf_graph *graph = network->graph;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint8_t *entry = &sf_tables_of(tables, s)[lid];
        if (s == destination) {
            *entry = (uint8_t)last_port;
        } else if (column[s] != SF_NO_HOP) {
            *entry =
                (uint8_t)sf_network_port(network, graph->first[s] + column[s]);
        }
    }
}

enum sf_status
sf_ib_encode_lfts(const struct sf_network *network,
                  const struct sf_routes *routes, struct sf_tables **tablesp,
                  struct sf_error *err)
{
    const struct sf_fabric *fabric = network->fabric;
    uint32_t n_layers = sf_routes_n_layers(routes);
    enum sf_status status = sf_tables_make(fabric, tablesp, err);

    for (uint32_t d = 0; status == SF_OK && d < fabric->n_switches; d++) {
        sf_progress_report("making forwarding tables", d, fabric->n_switches);
        const struct sf_ib_node *node = sf_ib_node(fabric, d);
        for (uint32_t k = 0; node->lid && k < 1u << node->lmc; k++) {
            fill_lid(*tablesp, node->lid + k, network,
                     sf_layers_tree(routes->sets[0], k % n_layers, d), d, 0);
        }
        for (uint32_t host = network->first_host[d];
             host < network->first_host[d + 1]; host++) {
            uint32_t index = network->host_ports[host];
            const struct sf_ib_port *port = sf_ib_port(fabric, index);
            for (uint32_t k = 0; port->lid && k < 1u << port->lmc; k++) {
                fill_lid(*tablesp, port->lid + k, network,
                         sf_routes_column(routes, host, k, d), d,
                         fabric->ports[fabric->ports[index].peer].number);
            }
        }
    }
    return status;
}

/* Fills the rows of switch 's'.  Ports without an arc lead to hosts, to the
 * switch itself or nowhere. */
static void
fill_switch(const struct sf_network *network, const struct sf_lanes *lanes,
            const uint16_t *hop_of_port, uint32_t s, struct sf_sl2vl *sl2vl)
{
    const struct sf_node *node = &network->fabric->nodes[s];
    uint32_t degree = sf_graph_degree(network->graph, s);

    for (uint32_t in = 0; in <= node->n_ports; in++) {
        uint32_t from = in ? hop_of_port[node->first_port + in - 1] : degree;
        for (uint32_t out = 0; out <= node->n_ports; out++) {
            uint32_t to =
                out ? hop_of_port[node->first_port + out - 1] : degree;
            memcpy(sf_sl2vl_of(sl2vl, s, in, out),
                   sf_lanes_of(lanes, network->graph, s,
                               from < degree ? from : degree,
                               to < degree ? to : degree),
                   SF_N_SLS);
        }
    }
}

static enum sf_status
encode_sl2vl(const struct sf_network *network, const struct sf_lanes *lanes,
             struct sf_sl2vl **sl2vlp, struct sf_error *err)
{
    uint16_t *hop_of_port = sf_network_hops_of_ports(network);

    if (!hop_of_port) {
        return sf_fail(err, SF_ENOMEM, "out of memory for ports");
    }
    enum sf_status status = sf_sl2vl_make(network->fabric, sl2vlp, err);
    for (uint32_t s = 0; status == SF_OK && s < network->graph->n_nodes; s++) {
        fill_switch(network, lanes, hop_of_port, s, *sl2vlp);
    }
    free(hop_of_port);
    return status;
}

/* Fills in the SLs of the paths from all switches to 'lid', which leads over
 * 'layer' of 'set' to switch 'd'. */
static void
fill_sls(const struct sf_lanes *lanes, uint32_t set, uint32_t layer,
         uint32_t d, uint32_t lid, struct sf_path_sls *path_sls)
{
    for (uint32_t s = 0; s < path_sls->n_switches; s++) {
        sf_path_sls_of(path_sls, s)[lid] =
            sf_lanes_path_sl(lanes, path_sls->n_switches, set, layer, d, s);
    }
}

static enum sf_status
encode_path_sls(const struct sf_network *network,
                const struct sf_routes *routes, uint32_t max_lid,
                struct sf_path_sls **path_slsp, struct sf_error *err)
{
    const struct sf_fabric *fabric = network->fabric;
    uint32_t n_layers = sf_routes_n_layers(routes);
    enum sf_status status = sf_path_sls_make(fabric, max_lid, path_slsp, err);

    if (status != SF_OK) {
        return status;
    }
    struct sf_path_sls *path_sls = *path_slsp;
    memset(path_sls->sls, 0,
           path_sls->n_switches * ((size_t)path_sls->max_lid + 1));
    if (!routes->lanes->path_sls) {
        return SF_OK; /* All are on SL 0. */
    }
    for (uint32_t d = 0; d < fabric->n_switches; d++) {
        const struct sf_ib_node *node = sf_ib_node(fabric, d);
        for (uint32_t k = 0; node->lid && k < 1u << node->lmc; k++) {
            fill_sls(routes->lanes, 0, k % n_layers, d, node->lid + k,
                     path_sls);
        }
        for (uint32_t host = network->first_host[d];
             host < network->first_host[d + 1]; host++) {
            uint32_t index = network->host_ports[host];
            const struct sf_ib_port *port = sf_ib_port(fabric, index);
            for (uint32_t k = 0; port->lid && k < 1u << port->lmc; k++) {
                fill_sls(routes->lanes, routes->host_sets[host], k % n_layers,
                         d, port->lid + k, path_sls);
            }
        }
    }
    return SF_OK;
}

enum sf_status
sf_ib_encode(const struct sf_routing *routing, struct sf_ib_tables **tablesp,
             struct sf_error *err)
{
    const struct sf_network *network = routing->network;
    const struct sf_routes *routes = routing->routes;
    struct sf_ib_tables *tables = sf_calloc(1, sizeof *tables);

    *tablesp = NULL;
    if (!tables) {
        return sf_fail(err, SF_ENOMEM, "out of memory for tables");
    }
    enum sf_status status =
        sf_ib_encode_lfts(network, routes, &tables->lfts, err);
    if (status == SF_OK) {
        status = encode_sl2vl(network, routes->lanes, &tables->sl2vl, err);
    }
    if (status == SF_OK) {
        status = encode_path_sls(network, routes, tables->lfts->max_lid,
                                 &tables->path_sls, err);
    }
    if (status == SF_OK) {
        *tablesp = tables;
    } else {
        sf_ib_tables_free(tables);
    }
    return status;
}

void
sf_ib_tables_free(struct sf_ib_tables *tables)
{
    if (tables) {
        sf_path_sls_free(tables->path_sls);
        sf_sl2vl_free(tables->sl2vl);
        sf_tables_free(tables->lfts);
        free(tables);
    }
}
