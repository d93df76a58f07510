/* network.c -- see slimfly/network.h. */
#include "slimfly/network.h"

#include "base/mem.h"

/* Makes room for a network of 'graph', which it takes over. */
static enum sf_status
begin(struct sf_graph *graph, struct sf_network **networkp,
      struct sf_error *err)
{
    struct sf_network *network = sf_calloc(1, sizeof *network);

    *networkp = network;
    if (!network) {
        sf_graph_free(graph);
        return sf_fail(err, SF_ENOMEM, "out of memory for a network");
    }
    network->graph = graph;
    network->reverse =
        sf_calloc(2 * (size_t)graph->n_links, sizeof *network->reverse);
    network->n_hosts = sf_calloc(graph->n_nodes, sizeof *network->n_hosts);
    network->first_host =
        sf_calloc((size_t)graph->n_nodes + 1, sizeof *network->first_host);
    if (!network->reverse || !network->n_hosts || !network->first_host) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %u switches",
                       graph->n_nodes);
    }
    sf_graph_pair_arcs(graph, network->reverse);
    return SF_OK;
}

/* Numbers the hosts, of which there are n_hosts[] on each switch. */
static void
number_hosts(struct sf_network *network)
{
    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        network->first_host[s + 1] =
            network->first_host[s] + network->n_hosts[s];
    }
}

/* Finds the ports of arcs and hosts. */
static enum sf_status
find_ports(struct sf_network *network, const uint32_t *link_ports,
           struct sf_error *err)
{
    const struct sf_graph *graph = network->graph;
    const struct sf_fabric *fabric = network->fabric;

    network->arc_ports =
        sf_calloc(2 * (size_t)graph->n_links, sizeof *network->arc_ports);
    network->host_ports = sf_calloc(sf_network_count_hosts(network),
                                    sizeof *network->host_ports);
    if (!network->arc_ports || !network->host_ports) {
        return sf_fail(err, SF_ENOMEM, "out of memory for ports");
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        const struct sf_node *node = &fabric->nodes[s];
        uint32_t host = network->first_host[s];
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            uint32_t link = graph->arcs[i].link;
            bool is_b = graph->links[link].b == s;
            network->arc_ports[i] = link_ports[2 * link + is_b];
        }
        for (uint32_t i = 0; i < node->n_ports; i++) {
            uint32_t peer = fabric->ports[node->first_port + i].peer;
            if (peer != SF_NONE &&
                fabric->ports[peer].node >= fabric->n_switches) {
                network->host_ports[host++] = peer;
            }
        }
    }
    return SF_OK;
}

/* Hands a network over, or frees it. */
static enum sf_status
end(struct sf_network *network, enum sf_status status,
    struct sf_network **networkp)
{
    *networkp = status == SF_OK ? network : NULL;
    if (status != SF_OK) {
        sf_network_free(network);
    }
    return status;
}

enum sf_status
sf_network_build(const struct sf_fabric *fabric, struct sf_network **networkp,
                 struct sf_error *err)
{
    struct sf_network *network = NULL;
    struct sf_graph *graph;
    uint32_t *link_ports = NULL;

    *networkp = NULL;
    enum sf_status status = sf_fabric_graph(fabric, &graph, &link_ports, err);
    if (status == SF_OK) {
        status = begin(graph, &network, err);
    }
    if (status == SF_OK) {
        status = sf_fabric_copy(fabric, &network->fabric, err);
    }
    if (status == SF_OK) {
        sf_fabric_count_hosts(fabric, network->n_hosts);
        number_hosts(network);
        status = find_ports(network, link_ports, err);
    }
    free(link_ports);
    return end(network, status, networkp);
}

enum sf_status
sf_network_from_graph(const struct sf_graph *graph, const uint32_t *n_hosts,
                      struct sf_network **networkp, struct sf_error *err)
{
    struct sf_network *network = NULL;
    struct sf_graph *copy;

    *networkp = NULL;
    enum sf_status status = sf_graph_copy(graph, &copy, err);
    if (status == SF_OK) {
        status = begin(copy, &network, err);
    }
    if (status == SF_OK) {
        for (uint32_t s = 0; n_hosts && s < graph->n_nodes; s++) {
            network->n_hosts[s] = n_hosts[s];
        }
        number_hosts(network);
    }
    return end(network, status, networkp);
}

enum sf_status
sf_network_copy(const struct sf_network *network, struct sf_network **copyp,
                struct sf_error *err)
{
    return network->fabric ? sf_network_build(network->fabric, copyp, err)
                           : sf_network_from_graph(
                                 network->graph, network->n_hosts, copyp, err);
}

void
sf_network_free(struct sf_network *network)
{
    if (network) {
        free(network->host_ports);
        free(network->first_host);
        free(network->n_hosts);
        free(network->arc_ports);
        free(network->reverse);
        sf_graph_free(network->graph);
        sf_fabric_free(network->fabric);
        free(network);
    }
}
