/* packet_oracle.h -- the model of lib/sim/packet.h, as it is written there:
 * an array of packets, each with the place where it is, and every question
 * answered by looking at all of them. */
#ifndef SF_PACKET_ORACLE_H
#define SF_PACKET_ORACLE_H

#include "sim/packet.h"

#define ORACLE_MAX_HOPS 12

/* Its host sends the earliest packet, by number, that is born and whose first
 * VL has room. */
struct oracle_packet {
    uint32_t host, born;
    uint32_t n_hops;
    struct sf_sim_hop hops[ORACLE_MAX_HOPS];
    uint32_t n_done;    /* Hops; the packet is in the buffer of the last. */
    uint32_t delivered; /* The slot of the last hop; SF_NONE. */

    uint64_t entered; /* When it came into its buffer, */
    uint64_t waits;   /* and since when it waits; 0: it does not. */
};

struct oracle_packets {
    struct sf_packet_params params;
    uint32_t n_packets;
    struct oracle_packet *packets; /* By host and number. */
    uint32_t slot;
    uint64_t clock;      /* Tells apart what happens in a slot. */
    uint32_t *turn;      /* [links] */
    uint64_t *n_blocked; /* [links] */
};

/* Keeps pointers to the arguments. */
struct oracle_packets *
oracle_packets_make(const struct sf_packet_params *params,
                    struct oracle_packet *packets, uint32_t n_packets);
void oracle_packets_free(struct oracle_packets *oracle);

void oracle_packets_step(struct oracle_packets *oracle);

/* How many packets are in a buffer. */
uint32_t oracle_packets_in(const struct oracle_packets *oracle,
                           struct sf_sim_hop buffer);

/* Whether a packet in one buffer waits to go to another. */
bool oracle_packets_waits(const struct oracle_packets *oracle,
                          struct sf_sim_hop from, struct sf_sim_hop to);

#endif
