/* network.h -- what routing needs of a fabric: its switches as a graph, the
 * ports behind the links, and the hosts on each switch.  Built once and passed
 * alone to all that makes, repairs, measures or encodes routes.
 *
 * An arc is a link as seen from one end (graph.h).  A host is a port of a host
 * that is plugged into a switch; hosts are numbered through, switch by switch,
 * in the order of the switch's ports. */
#ifndef SLIMFLY_NETWORK_H
#define SLIMFLY_NETWORK_H

#include "slimfly/fabric.h"

#pragma GCC visibility push(default)

struct sf_network {
    struct sf_fabric *fabric; /* A copy; NULL if made from a bare graph, and
                               * then there are no ports either. */
    struct sf_graph *graph;   /* Node s is switch s of the fabric. */
    uint32_t *reverse;        /* [2E] Each arc as seen from its other end. */
    uint32_t *arc_ports;      /* [2E] The port by which an arc leaves its
                               * switch, an index into fabric->ports. */
    uint32_t *n_hosts;        /* [V] Hosts on each switch. */
    uint32_t *first_host;     /* [V + 1] The first host of each switch. */
    uint32_t *host_ports;     /* [hosts] The host's own port, an index into
                               * fabric->ports. */
};

/* The number of all hosts. */
static inline uint32_t
sf_network_count_hosts(const struct sf_network *network)
{
    return network->first_host[network->graph->n_nodes];
}

/* The number of the port by which 'arc' leaves its switch. */
static inline uint32_t
sf_network_port(const struct sf_network *network, uint32_t arc)
{
    return network->fabric->ports[network->arc_ports[arc]].number;
}

/* Builds the network of 'fabric', which it copies.  On success the caller owns
 * '*networkp'; on failure it is NULL. */
enum sf_status sf_network_build(const struct sf_fabric *fabric,
                                struct sf_network **networkp,
                                struct sf_error *err);

/* The same from a graph whose switches carry 'n_hosts' [V] hosts each; NULL:
 * none.  For studies of graphs that nobody has wired. */
enum sf_status sf_network_from_graph(const struct sf_graph *graph,
                                     const uint32_t *n_hosts,
                                     struct sf_network **networkp,
                                     struct sf_error *err);

enum sf_status sf_network_copy(const struct sf_network *network,
                               struct sf_network **copyp,
                               struct sf_error *err);
void sf_network_free(struct sf_network *network);

#pragma GCC visibility pop
#endif
