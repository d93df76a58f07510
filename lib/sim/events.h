/* events.h -- a network of links and buffers, packet by packet, at the exact
 * time: the model of packet.h with delays, bytes and packets of all sizes.
 *
 * The model.  Time is in picoseconds and whole.  Nodes, links, VLs, routes and
 * queues are those of packet.h.  All links have one rate.  A packet of B bytes
 * takes B / rate of a link, rounded to the nearest picosecond for each packet,
 * halves upwards.
 *
 * Virtual cut-through.  A packet starts on a link and VL at time t if the link
 * is idle and the sender has credit for its B bytes.  Then
 *
 *   t + B / rate            the link is idle again, and the tail has left the
 *                           buffer that the packet came from;
 *   one cable delay later   (of the link into that buffer) the sender behind
 *                           has its credit back: a credit takes no time on the
 *                           wire and no bandwidth;
 *   t + cable + switch      it can be sent on, if it goes to a switch;
 *   t + cable + B / rate    it is delivered, if it goes to a host.
 *
 * At the far end of each link there is a buffer of 'buffer' bytes for each VL.
 * Hosts consume at link rate: ejection links always have credit.  Hosts begin
 * packets only on VLs with credit for a full packet, since they are asked for
 * a packet before its size is known.
 *
 * A switch sends packets over each of its links on their own:
 *
 *   voq    Packets wait for a link and VL in the order in which they could be
 *          sent on.  An input link may hand over several at once.
 *   fifo   The same, but only the first packet of each buffer waits.  The next
 *          becomes the first when its tail has left.  An input link hands over
 *          one packet at a time, whatever its VLs: who waits behind a busy
 *          input is passed over.
 *
 * Nobody passes a packet for which there is no credit, not even if its input
 * is busy.  A link serves its VLs in turn: the first VL after the one served
 * last that has a packet waiting and credit for it.
 *
 * At each moment, all that is due takes effect first; then links decide, and
 * hosts are asked in ascending order.  What is due at the same moment because
 * of that, where there are no delays, follows in another round.  Of packets
 * that begin to wait in the same round, those that became the first of their
 * buffer (fifo) come before those that arrived.  Within these, and for links
 * that decide on packets of one input, the order is that of the numbers of
 * links: upwards or downwards by a bit that is a hash of the time
 * (sf_event_upwards()), which favours nobody in the long run.
 *
 * Not modelled: weights of VLs, control traffic, faults, congestion control.
 *
 * A run ends before 2^53 ps, two and a half hours. */
#ifndef SF_SIM_EVENTS_H
#define SF_SIM_EVENTS_H

#include "sim/packet.h"

#define SF_EVENT_MAX_TIME  ((uint64_t)1 << 53)
#define SF_EVENT_MAX_DELAY ((uint32_t)1 << 31)     /* 2 ms. */
#define SF_EVENT_MAX_RATE  UINT64_C(1000000000000) /* A byte a picosecond. */
#define SF_EVENT_MAX_BYTES ((uint32_t)1 << 24)     /* Of a packet. */

struct sf_event_params {
    uint32_t n_nodes;
    uint32_t n_hosts; /* Nodes below are hosts, others switches. */
    const struct sf_sim_link *links; /* Sorted by 'from': link h is that out
                                      * of host h. */
    uint32_t n_links;
    uint32_t n_vls;         /* 1 to SF_SIM_MAX_VLS. */
    const uint32_t *delays; /* [n_links] Of cables, at most
                             * SF_EVENT_MAX_DELAY; NULL: none. */
    uint64_t rate;          /* Bytes a second, at most SF_EVENT_MAX_RATE.  A
                             * full packet takes at most
                             * SF_EVENT_MAX_DELAY. */
    uint32_t switch_delay;  /* At most SF_EVENT_MAX_DELAY. */
    uint32_t packet_bytes;  /* Of a full packet, at most SF_EVENT_MAX_BYTES;
                             * no packet has more. */
    uint32_t buffer;        /* Bytes a link and VL: at least a full packet. */
    enum sf_sim_queues queues;
};

/* Whether ties at 'time' are settled upwards. */
static inline bool
sf_event_upwards(uint64_t time)
{
    uint64_t hash = time * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return !(hash >> 63);
}

struct sf_event_sim; /* Opaque. */

/* Builds an empty network at time 0.  SF_EINVAL if it is none, SF_ELIMIT if it
 * has too many links. */
enum sf_status sf_event_sim_build(const struct sf_event_params *params,
                                  struct sf_event_sim **simp,
                                  struct sf_error *err);

/* Frees 'sim', which may be NULL. */
void sf_event_sim_free(struct sf_event_sim *sim);

/* As sf_packet_sim_encode(). */
enum sf_status sf_event_sim_encode(const struct sf_event_sim *sim,
                                   const struct sf_sim_hop *hops,
                                   uint32_t n_hops, struct sf_sim_route *route,
                                   struct sf_error *err);

/* Sets who feeds the hosts from now on, and wakes them all.  SF_EINVAL while
 * packets are under way. */
enum sf_status sf_event_sim_feed(struct sf_event_sim *sim,
                                 const struct sf_sim_feeder *feeder,
                                 struct sf_error *err);

/* Lets 'host' be asked as soon as its link is idle: at this very moment, if it
 * is.  A host that is told to ask again at a time that is not in the future is
 * asked a picosecond later. */
void sf_event_sim_wake(struct sf_event_sim *sim, uint32_t host);

/* Does all that happens before 'until', at most SF_EVENT_MAX_TIME; it is then
 * 'until'.  With SF_NEVER, goes on until nothing is left to happen.  Where a
 * run is cut into parts changes nothing.  After SF_ENOMEM only
 * sf_event_sim_free() may follow. */
enum sf_status sf_event_sim_run(struct sf_event_sim *sim, uint64_t until,
                                struct sf_error *err);

/* When something happens next, now at the earliest; SF_NEVER.  Feeders must
 * not call it while they are asked or told. */
uint64_t sf_event_sim_next(struct sf_event_sim *sim);

uint64_t sf_event_sim_now(const struct sf_event_sim *sim);

/* How many packets have started and are not yet delivered. */
uint32_t sf_event_sim_n_in_flight(const struct sf_event_sim *sim);

/* How many packets started on a link out of a switch, over all links. */
uint64_t sf_event_sim_n_switch_hops(const struct sf_event_sim *sim);

/* For how long a link carried packets on a VL until now. */
uint64_t sf_event_sim_busy(const struct sf_event_sim *sim, uint32_t link,
                           uint32_t vl);

/* For how long a link out of a switch was idle while packets waited for it and
 * none of its VLs had credit for the first of them. */
uint64_t sf_event_sim_blocked(const struct sf_event_sim *sim, uint32_t link);

/* Looks for a deadlock, also one beside which others still move: the largest
 * set of packets none of which can ever have credit, since credit comes back
 * only from packets outside of the set.  Buffers are stuck that never again
 * have room for a full packet.  With packets of one size this is the
 * definition of sf_packet_sim_find_deadlock().  On failure the result is
 * empty; clear it with sf_sim_deadlock_clear().  O((buffers + packets) *
 * passes). */
enum sf_status sf_event_sim_find_deadlock(const struct sf_event_sim *sim,
                                          struct sf_sim_deadlock *deadlock,
                                          struct sf_error *err);

/* SF_EINVAL if packets and credits do not add up, or what is kept for speed is
 * not what it stands for.  For tests. */
enum sf_status sf_event_sim_check(const struct sf_event_sim *sim,
                                  struct sf_error *err);

#endif
