/* wires.h -- the links of a network by the numbers that simulations use.
 *
 * Nodes are hosts, then switches.  A link is in one direction.  Link h leads
 * from host h to its switch.  Behind these stand the links out of each switch:
 * its arcs in their order, then those to its hosts. */
#ifndef SF_SIM_WIRES_H
#define SF_SIM_WIRES_H

#include "sim/packet.h"
#include "slimfly/path_source.h"

struct sf_wires {
    const struct sf_network *network; /* The caller keeps it. */
    uint32_t n_hosts, n_nodes, n_links;
    struct sf_sim_link *links; /* [n_links] Sorted by 'from'. */
};

enum sf_status sf_wires_build(const struct sf_network *network,
                              struct sf_wires **wiresp, struct sf_error *err);
void sf_wires_free(struct sf_wires *wires);

/* The link of 'arc', an index into graph->arcs. */
static inline uint32_t
sf_wires_of_arc(const struct sf_wires *wires, uint32_t arc)
{
    const struct sf_network *network = wires->network;
    uint32_t from = network->graph->arcs[network->reverse[arc]].to;
    return wires->n_hosts + network->first_host[from] + arc;
}

/* The link from its switch 's' to 'host'. */
static inline uint32_t
sf_wires_to_host(const struct sf_wires *wires, uint32_t s, uint32_t host)
{
    return wires->n_hosts + wires->network->graph->first[s + 1] + host;
}

/* The arc of 'link'; SF_NONE if it is a link of a host. */
uint32_t sf_wires_arc_of(const struct sf_wires *wires, uint32_t link);

/* The switch of 'host'. */
static inline uint32_t
sf_wires_switch_of(const struct sf_wires *wires, uint32_t host)
{
    return wires->links[host].to - wires->n_hosts;
}

#define SF_MAX_PATH_LINKS (SF_MAX_PATH_ARCS + 2)

/* 'path' from host 'from' to host 'to' as links and VLs; returns how many. */
uint32_t sf_wires_hops(const struct sf_wires *wires,
                       const struct sf_path *path, uint32_t from, uint32_t to,
                       struct sf_sim_hop hops[SF_MAX_PATH_LINKS]);

#endif
