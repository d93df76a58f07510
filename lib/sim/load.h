/* load.h -- feeds a packet simulation (packet.h) with an offered load, for
 * curves of latency over throughput.
 *
 * In each slot each host gets a new packet with probability 'rate'; its route
 * is drawn from those of the host, each as likely as the next.  (A route that
 * is given twice is drawn twice as often.)  Packets wait in the host, in one
 * queue without end, of which only the first may be sent.  Latency counts from
 * birth.  The queue takes no memory: a birth is drawn when the packet before
 * it has been sent, from random numbers of the host's own. */
#ifndef SF_SIM_LOAD_H
#define SF_SIM_LOAD_H

#include "sim/packet.h"

struct sf_load_params {
    double rate; /* 0 to 1 packets a slot and host. */
    uint64_t seed;
    const struct sf_sim_route *routes; /* The caller keeps them. */
    const uint32_t *first; /* [hosts + 1] Where those of a host start, and the
                            * end; the caller keeps them too.  A host without
                            * routes sends nothing. */
    void *context;
    /* A packet was delivered over route number 'route'; may be NULL. */
    void (*delivered)(void *context, uint32_t route, uint32_t latency);
};

struct sf_load; /* Opaque. */

/* Sets up to feed 'sim' from its next slot on.  '*loadp' must live until 'sim'
 * is given another feeder or runs no more.  SF_EINVAL while packets are under
 * way. */
enum sf_status sf_load_build(struct sf_packet_sim *sim,
                             const struct sf_load_params *params,
                             struct sf_load **loadp, struct sf_error *err);
void sf_load_free(struct sf_load *load);

/* How many packets were born in 'host' in the slots that are done and not
 * sent.  O(slots since the birth of the oldest). */
uint32_t sf_load_n_waiting(const struct sf_load *load, uint32_t host);

#endif
