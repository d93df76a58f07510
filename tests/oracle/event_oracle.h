/* event_oracle.h -- the model of lib/sim/events.h, as it is written there: an
 * array of packets, each with the times at which it started on its links.
 * Every question is answered by looking at these times, and every link is
 * looked at whenever one of them can matter. */
#ifndef SF_EVENT_ORACLE_H
#define SF_EVENT_ORACLE_H

#include "sim/events.h"

#define EVENT_ORACLE_MAX_HOPS 12

/* Its host sends the earliest packet, by number, that is born and whose first
 * VL has credit for a full packet. */
struct event_oracle_packet {
    uint32_t host, bytes;
    uint64_t born;
    uint32_t n_hops;
    struct sf_sim_hop hops[EVENT_ORACLE_MAX_HOPS];
    uint32_t n_done; /* Hops that it started on. */
    uint64_t starts[EVENT_ORACLE_MAX_HOPS];
    uint64_t came; /* Which one it was to get ready where it is; 0: not yet. */
    uint64_t waits; /* Which one it was to begin to wait; 0: it does not. */
};

struct event_oracle {
    struct sf_event_params params;
    uint32_t n_packets;
    struct event_oracle_packet *packets; /* By host and number. */
    uint64_t now;
    uint64_t clock;    /* Tells apart what happens at a moment. */
    uint32_t *turn;    /* [links] */
    uint64_t *blocked; /* [links] Time, until now. */
};

/* Keeps pointers to the arguments. */
struct event_oracle *event_oracle_make(const struct sf_event_params *params,
                                       struct event_oracle_packet *packets,
                                       uint32_t n_packets);
void event_oracle_free(struct event_oracle *oracle);

/* Does all that happens now. */
void event_oracle_act(struct event_oracle *oracle);

/* Goes to the next moment at which something can change; false if there is
 * none. */
bool event_oracle_advance(struct event_oracle *oracle);

/* When a packet is delivered; SF_NEVER if that is not known yet. */
uint64_t event_oracle_delivery(const struct event_oracle *oracle,
                               const struct event_oracle_packet *packet);

/* For how long a link carried packets on a VL until now. */
uint64_t event_oracle_busy(const struct event_oracle *oracle,
                           struct sf_sim_hop hop);

/* Whether a packet in one buffer is to go on to another. */
bool event_oracle_waits(const struct event_oracle *oracle,
                        struct sf_sim_hop from, struct sf_sim_hop to);

#endif
