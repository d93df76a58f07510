/* feeder.h -- who tells hosts what to send, packet by packet.  The two packet
 * simulations, in slots (packet.h) and by events (events.h), ask the same
 * way.  A tick is a slot in one and a picosecond in the other. */
#ifndef SF_SIM_FEEDER_H
#define SF_SIM_FEEDER_H

#include <stdbool.h>
#include <stdint.h>

#define SF_NEVER UINT64_MAX

/* One hop of a route, or a buffer. */
struct sf_sim_hop {
    uint32_t link, vl;
};

/* A route in the form in which packets carry it: the VL of the first link in
 * the lowest 4 bits, then out port and VL of each switch. */
struct sf_sim_route {
    uint64_t words[2];
};

static inline uint32_t
sf_sim_first_vl(const struct sf_sim_route *route)
{
    return route->words[0] & 15;
}

/* What a host is to send next. */
struct sf_sim_offer {
    struct sf_sim_route route;
    uint64_t born;  /* The tick from which latency counts; this or earlier. */
    uint32_t tag;   /* Whatever the feeder knows the packet by. */
    uint32_t bytes; /* On the wire; 0: a full packet.  Slots are full. */
    uint64_t wake;  /* If there is nothing: when to ask again; SF_NEVER if only
                     * a call that wakes the host or a new credit is to
                     * tell. */
};

/* Who feeds the hosts. */
struct sf_sim_feeder {
    void *context;

    /* Whether 'host' sends a packet now, and which.  Its route must
     * begin on one of 'vls', a set of bits: those with room.  Slots
     * ask at most once each, hosts in ascending order. */
    bool (*next)(void *context, uint32_t host, uint64_t now, uint32_t vls,
                 struct sf_sim_offer *offer);

    /* A packet was delivered, 'latency' ticks after its birth; may be NULL.
     * May wake hosts. */
    void (*delivered)(void *context, uint32_t tag, uint64_t latency);
};

#endif
