/* switch_ports.h -- the links of a simulated network by the ports of its
 * nodes, and routes as packets carry them.  Slots (packet.h) and events
 * (events.h) share both.
 *
 * A channel is a link and a VL, number link << vl_bits | vl.  A hop of a route
 * is the number of its channel, counted from the first one out of its
 * switch. */
#ifndef SF_SIM_SWITCH_PORTS_H
#define SF_SIM_SWITCH_PORTS_H

#include "sim/feeder.h"
#include "slimfly/graph.h"

#define SF_SIM_MAX_VLS 16

struct sf_sim_link {
    uint32_t from, to; /* Nodes. */
};

struct sf_ports {
    uint32_t n_nodes, n_hosts, n_links, n_vls;
    uint32_t vl_bits, hop_bits; /* Of a VL, and of a hop in a route. */
    uint32_t n_channels;
    struct sf_sim_link *ends; /* [n_links] */
    uint32_t *first;          /* [n_nodes + 1] The first link out of each. */
};

/* Fills in 'ports' with a copy of 'links', which are sorted by 'from': link h
 * is the only one out of host h, and at most one leads to each host. SF_EINVAL
 * if they are not so, SF_ELIMIT if there are too many.  On failure 'ports' is
 * empty. */
enum sf_status sf_ports_build(struct sf_ports *ports, uint32_t n_nodes,
                              uint32_t n_hosts,
                              const struct sf_sim_link *links,
                              uint32_t n_links, uint32_t n_vls,
                              struct sf_error *err);
void sf_ports_clear(struct sf_ports *ports);

/* Encodes a route of 'n_hops' links.  SF_EINVAL if it does not lead from host
 * to host, SF_ELIMIT if it is too long. */
enum sf_status sf_ports_encode(const struct sf_ports *ports,
                               const struct sf_sim_hop *hops, uint32_t n_hops,
                               struct sf_sim_route *route,
                               struct sf_error *err);

static inline bool
sf_ports_to_host(const struct sf_ports *ports, uint32_t link)
{
    return ports->ends[link].to < ports->n_hosts;
}

/* The first channel out of the far end of 'link'. */
static inline uint32_t
sf_ports_base(const struct sf_ports *ports, uint32_t link)
{
    return ports->first[ports->ends[link].to] << ports->vl_bits;
}

/* Takes the first hop, of 'bits' bits, off the 128 of a route. */
static inline uint32_t
sf_route_shift(uint64_t route[2], uint32_t bits)
{
    uint32_t hop = (uint32_t)route[0] & ((1u << bits) - 1);

    /* Two shifts, as there may be 0 bits a hop. */
    route[0] = route[0] >> bits | route[1] << 1 << (63 - bits);
    route[1] >>= bits;
    return hop;
}

#endif
