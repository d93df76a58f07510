/* event_state.h -- what a network simulated by events is made of.
 *
 * A channel (switch_ports.h) stands for the buffer at the far end of its link,
 * and for the packets at its near end that wait for it.  A waiting packet is
 * in the queue of the channel it 'wants'; 'at' tells in which buffer it takes
 * room.  With fifo queues only first packets are there, and all others in the
 * list of those behind.
 *
 * Links that something changed for are on a list of those that decide in this
 * round, and hosts that may send on another.  No event is spent on a link that
 * becomes idle and has nothing to do then: who comes to it looks at the
 * time. */
#ifndef SF_SIM_EVENT_STATE_H
#define SF_SIM_EVENT_STATE_H

#include "sim/events.h"
#include "sim/heap.h"
#include "sim/wheel.h"

/* What can be due, in the order in which it takes effect: the class of an
 * event.  The other bits of its order are the number of a link or, for a
 * credit, of a channel. */
enum event_kind {
    EVENT_IDLE,    /* The link is idle.  Planned if that matters. */
    EVENT_READY,   /* A packet, the argument, can be sent on from the far end
                    * of the link. */
    EVENT_CREDIT,  /* As many bytes as the argument says are free. */
    EVENT_DELIVER, /* A packet, the argument, has come to its host. */
};
#define EVENT_NUMBER_BITS SF_WHEEL_CLASS_BITS

/* Half a cache line. */
struct event_packet {
    uint64_t route[2]; /* What is left of it. */
    uint32_t next;     /* In its queue, or in the list of free ones. */
    uint32_t at;    /* The channel whose buffer it is in; SF_NONE if free. */
    uint32_t wants; /* The channel after that; SF_NONE if it is the last. */
    uint32_t bytes;
};
_Static_assert(sizeof(struct event_packet) == 32, "two a cache line");

/* What matters at both ends of its way only. */
struct event_label {
    uint64_t born;
    uint32_t tag;
};

/* Packets in order; 'last' means nothing if 'first' is SF_NONE. */
struct event_queue {
    uint32_t first, last;
};

struct event_channel {
    struct event_queue queue; /* Who waits for it. */
    uint32_t credit;          /* Bytes that may be sent. */
    uint32_t ample; /* Credit that lasts until more comes: moment.c. */
    uint64_t busy;  /* Until all that started has ended. */
};

/* A buffer with fifo queues. */
struct event_buffer {
    uint32_t first;            /* The packet that waits, SF_NONE, LEAVING. */
    struct event_queue behind; /* Those after it. */
};
#define LEAVING (SF_NONE - 1)

struct event_link {
    uint64_t busy_until;
    uint64_t blocked_since; /* SF_NEVER if it is not. */
    uint64_t blocked;       /* Until it was last unblocked. */
    uint32_t base;          /* The first channel out of its far end. */
    uint32_t delay;
    uint32_t source;  /* Fifo: the buffer it takes a packet from. */
    uint16_t waiting; /* VLs for which packets wait. */
    uint8_t turn;     /* The VL after the one served last. */
    bool to_host;     /* An ejection link. */
    bool is_planned;  /* There is an event for when it is idle. */
    bool is_listed;   /* It decides in this round. */
    bool hands_over;  /* Fifo: a packet leaves a buffer of it. */
};

struct event_host {
    bool is_awake;  /* To be asked when its link is idle. */
    bool is_listed; /* To be asked in this round. */
};

struct sf_event_sim {
    struct sf_event_params params; /* But for 'links' and 'delays'. */
    struct sf_ports ports;
    uint32_t vl_bits, hop_bits;     /* Those of 'ports'. */
    uint32_t full_duration;         /* Of a full packet. */
    struct event_link *links;       /* [links] */
    struct event_channel *channels; /* [channels] */
    struct event_buffer *buffers;   /* [channels] Empty unless fifo. */
    uint32_t n_deciding, n_asked;
    uint32_t *deciding; /* [links] */

    /* Hosts. */
    struct sf_sim_feeder feeder;
    struct event_host *hosts; /* [hosts] */
    uint32_t *asked;          /* [2 * hosts] Those of this round, and of the
                               * one before. */
    struct sf_heap wakes;     /* Hosts by the times when they wake. */

    /* The pool of packets. */
    uint32_t n_packets, n_free, first_free;
    struct event_packet *packets; /* [n_packets] */
    struct event_label *labels;   /* [n_packets] */

    struct sf_wheel wheel;
    uint64_t now;
    uint64_t n_switch_hops;
};

static inline uint32_t
vl_of(const struct sf_event_sim *sim, uint32_t channel)
{
    return channel & ((1u << sim->vl_bits) - 1);
}

/* Whether a packet of 'bytes' may start on 'channel'.  Channels to hosts have
 * credit that is never used. */
static inline bool
has_credit(const struct sf_event_sim *sim, uint32_t channel, uint32_t bytes)
{
    return sim->channels[channel].credit >= bytes;
}

/* Lets a host be asked in this round if its link is idle; if not, it will be
 * when it is. */
static inline void
list_host(struct sf_event_sim *sim, uint32_t host)
{
    struct event_host *state = &sim->hosts[host];

    if (!state->is_listed && sim->links[host].busy_until <= sim->now) {
        state->is_listed = true;
        sim->asked[sim->n_asked++] = host;
    }
}

/* How long 'bytes' take. */
uint32_t sf_event_duration(const struct sf_event_sim *sim, uint32_t bytes);

/* All that happens at this moment, but for what follows from it at once:
 * moment.c.  False if out of memory. */
bool sf_event_sim_round(struct sf_event_sim *sim);

#endif
