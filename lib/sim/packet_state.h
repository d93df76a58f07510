/* packet_state.h -- what a simulated network is made of.
 *
 * A channel is a link and a VL, number link << vl_bits | vl.  It stands for
 * the buffer at the far end of the link, and for the packets at its near end
 * that wait for it.  A waiting packet is in the queue of the channel it waits
 * for; 'at' tells in which buffer it takes a place.  With fifo queues, only
 * first packets are there, and all others in the list of those behind.
 *
 * Links that can send are marked in 'ready', so a slot looks at no others. */
#ifndef SF_SIM_PACKET_STATE_H
#define SF_SIM_PACKET_STATE_H

#include "sim/packet.h"

/* Half a cache line. */
struct packet {
    uint64_t route[2]; /* What is left of it. */
    uint32_t next;     /* In its queue, or in the list of free ones. */
    uint32_t at;       /* The channel whose buffer it is in. */
    uint32_t born;
    uint32_t tag;
};

/* Packets in order; 'last' means nothing if 'first' is SF_NONE. */
struct queue {
    uint32_t first, last;
};

/* A quarter of a cache line. */
struct channel {
    struct queue queue; /* Who waits for it. */
    uint32_t n_carried;
    uint32_t room; /* Free places in its buffer. */
};

/* Half a cache line. */
struct sim_link {
    uint16_t waiting;       /* VLs for which packets wait. */
    uint16_t open;          /* VLs that have room. */
    uint8_t turn;           /* The VL after the one served last. */
    bool to_host;           /* An ejection link. */
    uint32_t base;          /* The first channel out of its far end. */
    uint32_t handed;        /* 1 + the slot in which it last handed over. */
    uint32_t blocked_since; /* While blocked: the first such slot. */
    uint64_t n_blocked;     /* Slots, until it was last unblocked. */
};

_Static_assert(sizeof(struct packet) == 32, "two a cache line");
_Static_assert(sizeof(struct channel) == 16, "four a cache line");
_Static_assert(sizeof(struct sim_link) == 32, "two a cache line");

/* A packet crosses a link. */
struct move {
    uint32_t packet, channel;
};

struct sf_packet_sim {
    struct sf_packet_params params; /* But for 'links'. */
    struct sf_ports ports;
    uint32_t vl_bits, hop_bits, n_channels; /* Those of 'ports'. */
    struct sim_link *links;                 /* [links] */
    struct channel *channels;               /* [channels] */
    struct queue *behind;                   /* [channels] Empty unless fifo. */
    uint32_t n_words;                       /* Of 'ready'. */
    uint64_t *ready; /* [links] bits: something waits and has room. */
    uint32_t n_moves;
    struct move *moves; /* [links] Those of this slot. */

    /* Hosts. */
    struct sf_sim_feeder feeder;
    uint32_t n_host_words;
    uint64_t *awake;    /* [hosts] bits: to be asked. */
    uint32_t *wake_at;  /* [hosts] When they wake; SF_NONE. */
    uint32_t next_wake; /* Not later than the first of them. */

    /* The pool of packets. */
    uint32_t n_packets, n_free, first_free;
    struct packet *packets; /* [n_packets] */

    uint32_t slot;
    uint64_t n_switch_hops;
};

/* Whether packets wait for a link, and for VLs without room only. */
static inline bool
is_blocked(const struct sim_link *link)
{
    return link->waiting && !(link->waiting & link->open);
}

static inline void
queue_push(struct queue *queue, struct packet *packets, uint32_t packet)
{
    packets[packet].next = SF_NONE;
    if (queue->first == SF_NONE) {
        queue->first = packet;
    } else {
        packets[queue->last].next = packet;
    }
    queue->last = packet;
}

static inline uint32_t
queue_pop(struct queue *queue, const struct packet *packets)
{
    uint32_t packet = queue->first;
    queue->first = packets[packet].next;
    return packet;
}

/* One slot: slot.c. */
void sf_packet_sim_step(struct sf_packet_sim *sim);

#endif
