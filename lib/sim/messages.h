/* messages.h -- feeds a packet simulation (packet.h) with messages: flows of
 * so many packets, each over the routes of its set in turn.
 *
 * A host serves its flows in turn, a packet each.  A flow is left out while as
 * many of its packets are under way as its window allows, and passed over
 * while the VL of its next packet has no room.  Packets are born when they are
 * sent, so latencies are those of the network. */
#ifndef SF_SIM_MESSAGES_H
#define SF_SIM_MESSAGES_H

#include "sim/packet.h"

#define SF_SIM_ENDLESS UINT64_MAX

struct sf_message {
    uint32_t host;                     /* The sender. */
    uint32_t n_routes;                 /* At least 1. */
    const struct sf_sim_route *routes; /* From that host; the caller keeps
                                        * them. */
    uint64_t n_packets;                /* Or SF_SIM_ENDLESS. */
    uint32_t window;                   /* At least 1. */
};

/* How far a message is. */
struct sf_message_state {
    uint64_t n_sent, n_delivered;
    uint32_t finished; /* The slot in which the last packet came; SF_NONE. */
};

struct sf_messages; /* Opaque. */

/* Sets up to feed 'sim' from its next slot on.  '*messagesp' must live until
 * 'sim' is given another feeder or runs no more.  SF_EINVAL while packets are
 * under way. */
enum sf_status sf_messages_build(struct sf_packet_sim *sim,
                                 const struct sf_message *messages,
                                 uint32_t n_messages,
                                 struct sf_messages **messagesp,
                                 struct sf_error *err);
void sf_messages_free(struct sf_messages *messages);

struct sf_message_state sf_messages_state(const struct sf_messages *messages,
                                          uint32_t message);

/* How many messages are not finished. */
uint32_t sf_messages_n_left(const struct sf_messages *messages);

#endif
