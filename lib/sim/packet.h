/* packet.h -- a network of links and buffers, packet by packet, in slots.
 *
 * The model.  Time goes in slots; in a slot a link carries one packet, and all
 * packets are of that size.  Nodes are hosts or switches.  Links are directed.
 * A host has one link out, its injection link, and at most one link in, its
 * ejection link.  A packet carries its route: links and the virtual lane (VL)
 * on each.
 *
 * At the far end of each link there is a buffer of 'buffer' packets for each
 * VL.  A packet crosses a link on a VL only if that buffer has room.  A packet
 * holds its place until it has left the buffer.  Hosts consume at link rate:
 * ejection links always have room.
 *
 * All that is decided in slot t is decided on the state at its start.  So a
 * packet that enters a buffer in slot t may leave it in slot t + 1, and the
 * place that it leaves there is free in slot t + 2: a credit takes one slot to
 * return.  A link runs at full rate from two packets of buffer on.
 *
 * A switch sends packets over each of its links on their own:
 *
 *   voq    Packets wait for a link and VL in the order in which they came to
 *          the switch.  An input link may hand over several in a slot.
 *   fifo   The same, but only the first packet of each buffer waits, since it
 *          became the first; it blocks all behind it.  An input link hands
 *          over at most one packet in a slot, whatever its VLs: who waits
 *          behind a busy input is passed over.
 *
 * A link serves its VLs in turn: the first VL after the one served last that
 * has a packet waiting and room for it.
 *
 * Links decide one after another, and what they decided takes effect in the
 * same order: upwards by number in slots with an even number of ones in binary
 * (Thue-Morse), downwards in others.  That settles who came first of those who
 * came in one slot, and favours nobody in the long run.  Nothing else depends
 * on the order but which link gets the one packet of a fifo input.
 *
 * Virtual cut-through: a packet of latency L slots crossed L links without
 * waiting.  Not modelled: delays of switches and cables, packets of other
 * sizes, weights of VLs, control traffic, faults, congestion control.
 *
 * A run has at most 2^32 - 2 slots. */
#ifndef SF_SIM_PACKET_H
#define SF_SIM_PACKET_H

#include "sim/switch_ports.h"
#include "slimfly/simulation.h"

#define SF_SIM_MAX_BUFFER 32767

struct sf_packet_params {
    uint32_t n_nodes;
    uint32_t n_hosts; /* Nodes below are hosts, others switches. */
    const struct sf_sim_link *links; /* Sorted by 'from': link h is that out
                                      * of host h. */
    uint32_t n_links;
    uint32_t n_vls;  /* 1 to SF_SIM_MAX_VLS. */
    uint32_t buffer; /* Packets a link and VL, 1 to SF_SIM_MAX_BUFFER. */
    enum sf_sim_queues queues;
};

struct sf_packet_sim; /* Opaque. */

/* Builds an empty network in slot 0.  SF_EINVAL if it is none, SF_ELIMIT if it
 * has too many links. */
enum sf_status sf_packet_sim_build(const struct sf_packet_params *params,
                                   struct sf_packet_sim **simp,
                                   struct sf_error *err);

/* Frees 'sim', which may be NULL. */
void sf_packet_sim_free(struct sf_packet_sim *sim);

/* Encodes a route of 'n_hops' links.  SF_EINVAL if it does not lead from host
 * to host, SF_ELIMIT if it is too long: ports times VLs of the largest switch
 * take some bits a hop, of which there are 124.  64 ports with 4 VLs, or 32
 * with 8, have room for 16 links. */
enum sf_status sf_packet_sim_encode(const struct sf_packet_sim *sim,
                                    const struct sf_sim_hop *hops,
                                    uint32_t n_hops,
                                    struct sf_sim_route *route,
                                    struct sf_error *err);

/* Sets who feeds the hosts from now on, and wakes them all.  SF_EINVAL while
 * packets are under way: their tags mean nothing to another feeder. */
enum sf_status sf_packet_sim_feed(struct sf_packet_sim *sim,
                                  const struct sf_sim_feeder *feeder,
                                  struct sf_error *err);

/* Lets 'host' be asked in the next slot. */
void sf_packet_sim_wake(struct sf_packet_sim *sim, uint32_t host);

/* Runs 'n_slots' slots.  After SF_ENOMEM, all slots up to the one that failed
 * are done.  O(packets that move), and a little for each slot. */
enum sf_status sf_packet_sim_run(struct sf_packet_sim *sim, uint32_t n_slots,
                                 struct sf_error *err);

/* How many slots are done: the number of the next, or, when a packet is
 * delivered, of this one. */
uint32_t sf_packet_sim_slot(const struct sf_packet_sim *sim);

/* How many packets are in buffers. */
uint32_t sf_packet_sim_n_in_flight(const struct sf_packet_sim *sim);

/* How many packets left a switch, over all links. */
uint64_t sf_packet_sim_n_switch_hops(const struct sf_packet_sim *sim);

/* How many packets a link carried on a VL. */
uint32_t sf_packet_sim_n_carried(const struct sf_packet_sim *sim,
                                 uint32_t link, uint32_t vl);

/* In how many slots packets waited for a link out of a switch and none of
 * their VLs had room. */
uint64_t sf_packet_sim_n_blocked(const struct sf_packet_sim *sim,
                                 uint32_t link);

/* A deadlock: buffers that are full for ever. */
struct sf_sim_deadlock {
    uint32_t n_stuck; /* How many there are; 0 if there is no deadlock. */
    uint32_t n_cycle;
    struct sf_sim_hop *cycle; /* [n_cycle] Some of them: a packet in each waits
                               * for the next, and one of the last for the
                               * first. */
};

/* Looks for a deadlock, also one beside which others still move: the largest
 * set of full buffers all of whose packets (fifo: whose first packets) wait
 * for a buffer of the set.  O(buffers + packets).  On failure the result is
 * empty. */
enum sf_status sf_packet_sim_find_deadlock(const struct sf_packet_sim *sim,
                                           struct sf_sim_deadlock *deadlock,
                                           struct sf_error *err);
void sf_sim_deadlock_clear(struct sf_sim_deadlock *deadlock);

/* SF_EINVAL if packets and free places do not add up, or what is kept for
 * speed is not what it stands for.  For tests. */
enum sf_status sf_packet_sim_check(const struct sf_packet_sim *sim,
                                   struct sf_error *err);

#endif
