/* lanes_by_ports.c -- the lanes of a routing by ports: see slimfly/ip.h. */
#include "ip/switch_routes.h"
#include "routes/ports.h"
#include "slimfly/lanes.h"

#include <string.h>

void
sf_ip_lanes_free(struct sf_ip_lanes *lanes)
{
    if (lanes) {
        free(lanes->lanes);
        free(lanes->first);
        free(lanes);
    }
}

static struct sf_ip_lanes *
make_lanes(const struct sf_fabric *fabric)
{
    struct sf_ip_lanes *lanes = sf_calloc(1, sizeof *lanes);
    size_t n = 0;

    if (!lanes) {
        return NULL;
    }
    lanes->first = sf_calloc(fabric->n_switches, sizeof *lanes->first);
    for (uint32_t s = 0; lanes->first && s < fabric->n_switches; s++) {
        size_t side = (size_t)fabric->nodes[s].n_ports + 1;
        lanes->first[s] = n;
        n += side * side;
    }
    lanes->lanes = lanes->first ? sf_calloc(n, 1) : NULL;
    if (!lanes->lanes) {
        sf_ip_lanes_free(lanes);
        return NULL;
    }
    memset(lanes->lanes, SF_IP_NO_LANE, n);
    return lanes;
}

/* Fills in one switch.  Ports without an arc lead to hosts or nowhere; packets
 * from there and to there are as those of the switch itself. */
static void
fill_switch(const struct sf_network *network, const struct sf_routes *routes,
            const uint16_t *hop_of_port, uint32_t s, struct sf_ip_lanes *lanes)
{
    const struct sf_node *node = &network->fabric->nodes[s];
    uint32_t degree = sf_graph_degree(network->graph, s);
    uint8_t *lane = lanes->lanes + lanes->first[s];

    for (uint32_t in = 0; in <= node->n_ports; in++) {
        uint32_t from = in ? hop_of_port[node->first_port + in - 1] : degree;
        from = from < degree ? from : degree;
        for (uint32_t out = 0; out <= node->n_ports; out++, lane++) {
            uint32_t to =
                out ? hop_of_port[node->first_port + out - 1] : degree;
            to = to < degree ? to : degree;
            bool is_turn = from < degree && to < degree;
            if (!is_turn || !routes->turns ||
                routes->turns->vls[routes->turns->first[s] + from * degree +
                                   to] != SF_NO_TURN) {
                *lane =
                    *sf_lanes_of(routes->lanes, network->graph, s, from, to);
            }
        }
    }
}

enum sf_status
sf_ip_encode_lanes(const struct sf_network *network,
                   const struct sf_routes *routes, struct sf_ip_tables *tables,
                   struct sf_error *err)
{
    if (!sf_lanes_ignore_sls(routes->lanes)) {
        return SF_OK; /* Switches of Ethernet know no service levels. */
    }
    uint16_t *hop_of_port = sf_network_hops_of_ports(network);
    tables->lanes = hop_of_port ? make_lanes(network->fabric) : NULL;
    if (!tables->lanes) {
        free(hop_of_port);
        return sf_fail(err, SF_ENOMEM, "out of memory for lanes");
    }
    tables->lanes->n_lanes = routes->lanes->n_vls;
    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        fill_switch(network, routes, hop_of_port, s, tables->lanes);
    }
    free(hop_of_port);
    return SF_OK;
}

uint8_t
sf_ip_lane(const struct sf_ip_tables *tables, uint32_t s, uint32_t n_ports,
           uint32_t in, uint32_t out)
{
    return tables->lanes
               ? tables->lanes->lanes[tables->lanes->first[s] +
                                      (size_t)in * (n_ports + 1) + out]
               : SF_IP_NO_LANE;
}
