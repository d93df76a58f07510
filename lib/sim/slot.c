/* slot.c -- one slot: hosts and links decide, then packets move.
 *
 * Decisions take packets out of queues and places in buffers ahead of them,
 * which nobody else looks at in this slot.  What others would see, packets
 * that come to queues and places that become free, waits until all is
 * decided. */
#include "sim/packet_state.h"

#include <assert.h>

static inline void
mark(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= (uint64_t)1 << i % 64;
}

static inline void
unmark(uint64_t *bits, uint32_t i)
{
    bits[i / 64] &= ~((uint64_t)1 << i % 64);
}

/* VLs get packets waiting, or room. */
static inline void
add_vls(struct sf_packet_sim *sim, uint32_t number, uint32_t waiting,
        uint32_t open)
{
    struct sim_link *link = &sim->links[number];
    bool was_blocked = is_blocked(link);

    link->waiting = (uint16_t)(link->waiting | waiting);
    link->open = (uint16_t)(link->open | open);
    if (link->waiting & link->open) {
        mark(sim->ready, number);
        link->n_blocked +=
            was_blocked ? sim->slot + 1 - link->blocked_since : 0;
    } else if (link->waiting && !was_blocked) {
        link->blocked_since = sim->slot + 1;
    }
}

/* Lets a packet in the buffer 'at' wait for its next channel. */
static inline void
line_up(struct sf_packet_sim *sim, uint32_t number)
{
    struct packet *packet = &sim->packets[number];
    uint32_t hop = sf_route_shift(packet->route, sim->hop_bits);
    uint32_t wanted = sim->links[packet->at >> sim->vl_bits].base + hop;
    struct channel *channel = &sim->channels[wanted];
    bool was_empty = channel->queue.first == SF_NONE;

    queue_push(&channel->queue, sim->packets, number);
    if (was_empty) {
        uint32_t vl = wanted & ((1u << sim->vl_bits) - 1);
        add_vls(sim, wanted >> sim->vl_bits, 1u << vl, 0);
    }
}

/* The packet has entered the buffer 'at'. */
static inline void
arrive(struct sf_packet_sim *sim, uint32_t number, uint32_t at)
{
    sim->packets[number].at = at;
    bool is_first = sim->params.queues == SF_SIM_VOQ ||
                    sim->channels[at].room == sim->params.buffer - 1;
    if (is_first) {
        line_up(sim, number);
    } else {
        queue_push(&sim->behind[at], sim->packets, number);
    }
}

/* A packet has left the buffer 'at'. */
static inline void
leave(struct sf_packet_sim *sim, uint32_t at)
{
    if (sim->channels[at].room++ == 0) {
        uint32_t link = at >> sim->vl_bits;
        add_vls(sim, link, 0, 1u << (at & ((1u << sim->vl_bits) - 1)));
        if (link < sim->params.n_hosts) {
            sf_packet_sim_wake(sim, link);
        }
    }
    if (sim->params.queues == SF_SIM_FIFO &&
        sim->behind[at].first != SF_NONE) {
        line_up(sim, queue_pop(&sim->behind[at], sim->packets));
    }
}

static inline void
deliver(struct sf_packet_sim *sim, uint32_t number, uint32_t channel)
{
    struct packet *packet = &sim->packets[number];

    sim->channels[channel].room++;
    packet->next = sim->first_free;
    sim->first_free = number;
    sim->n_free++;
    if (sim->feeder.delivered) {
        sim->feeder.delivered(sim->feeder.context, packet->tag,
                              sim->slot + 1 - packet->born);
    }
}

static inline void
apply(struct sf_packet_sim *sim, struct move move)
{
    leave(sim, sim->packets[move.packet].at);
    if (sim->links[move.channel >> sim->vl_bits].to_host) {
        deliver(sim, move.packet, move.channel);
    } else {
        arrive(sim, move.packet, move.channel);
    }
}

/* The first of 'vls' from 'turn' on, around. */
static inline uint32_t
first_from(uint32_t vls, uint32_t turn)
{
    uint32_t later = vls >> turn << turn;
    return (uint32_t)__builtin_ctz(later ? later : vls);
}

/* Takes a place in a buffer for a packet. */
static inline void
take_place(struct sim_link *link, struct channel *channel, uint32_t vl)
{
    channel->n_carried++;
    if (--channel->room == 0) {
        link->open = (uint16_t)(link->open & ~(1u << vl));
    }
}

/* A packet that waited for a channel is to cross it. */
static inline void
send(struct sf_packet_sim *sim, uint32_t number, uint32_t vl, uint32_t packet)
{
    struct sim_link *link = &sim->links[number];
    struct channel *channel = &sim->channels[number << sim->vl_bits | vl];

    take_place(link, channel, vl);
    if (channel->queue.first == SF_NONE) {
        link->waiting = (uint16_t)(link->waiting & ~(1u << vl));
    }
    link->turn = (uint8_t)(vl + 1);
    if (!(link->waiting & link->open)) {
        unmark(sim->ready, number);
        link->blocked_since = sim->slot + 1;
    }
    sim->moves[sim->n_moves++] =
        (struct move){ packet, number << sim->vl_bits | vl };
}

/* Takes the first packet out of a queue whose input link did not yet hand one
 * over; SF_NONE if there is none. */
static uint32_t
take_from_free_input(struct sf_packet_sim *sim, struct queue *queue)
{
    uint32_t before = SF_NONE;

    for (uint32_t i = queue->first; i != SF_NONE; i = sim->packets[i].next) {
        struct sim_link *input =
            &sim->links[sim->packets[i].at >> sim->vl_bits];
        if (input->handed == sim->slot + 1) {
            before = i;
            continue;
        }
        input->handed = sim->slot + 1;
        if (before == SF_NONE) {
            queue->first = sim->packets[i].next;
        } else {
            sim->packets[before].next = sim->packets[i].next;
        }
        if (queue->last == i) {
            queue->last = before;
        }
        return i;
    }
    return SF_NONE;
}

static void
decide_fifo(struct sf_packet_sim *sim, uint32_t number)
{
    struct sim_link *link = &sim->links[number];
    uint32_t vls = link->waiting & link->open;

    while (vls) {
        uint32_t vl = first_from(vls, link->turn);
        struct queue *queue =
            &sim->channels[number << sim->vl_bits | vl].queue;
        uint32_t packet = take_from_free_input(sim, queue);
        if (packet != SF_NONE) {
            send(sim, number, vl, packet);
            return;
        }
        vls &= ~(1u << vl);
    }
}

static inline void
decide_voq(struct sf_packet_sim *sim, uint32_t number)
{
    struct sim_link *link = &sim->links[number];
    uint32_t vl = first_from(link->waiting & link->open, link->turn);
    struct queue *queue = &sim->channels[number << sim->vl_bits | vl].queue;

    send(sim, number, vl, queue_pop(queue, sim->packets));
}

static inline void
decide(struct sf_packet_sim *sim, uint32_t link)
{
    if (sim->params.queues == SF_SIM_FIFO) {
        decide_fifo(sim, link);
    } else {
        decide_voq(sim, link);
    }
}

static void
decide_upwards(struct sf_packet_sim *sim)
{
    for (uint32_t i = 0; i < sim->n_words; i++) {
        for (uint64_t left = sim->ready[i]; left; left &= left - 1) {
            decide(sim, i * 64 + (uint32_t)__builtin_ctzll(left));
        }
    }
}

static void
decide_downwards(struct sf_packet_sim *sim)
{
    for (uint32_t i = sim->n_words; i-- > 0;) {
        uint64_t left = sim->ready[i];
        while (left) {
            uint32_t bit = 63 - (uint32_t)__builtin_clzll(left);
            left ^= (uint64_t)1 << bit;
            decide(sim, i * 64 + bit);
        }
    }
}

/* Wakes whose time has come. */
static void
wake_hosts(struct sf_packet_sim *sim)
{
    uint32_t next = SF_NONE;

    if (sim->slot < sim->next_wake) {
        return;
    }
    for (uint32_t i = 0; i < sim->params.n_hosts; i++) {
        if (sim->wake_at[i] <= sim->slot) {
            sf_packet_sim_wake(sim, i);
        } else if (sim->wake_at[i] < next) {
            next = sim->wake_at[i];
        }
    }
    sim->next_wake = next;
}

/* Asks a host, and takes a packet from it if it has one. */
static void
ask(struct sf_packet_sim *sim, uint32_t host)
{
    struct sim_link *link = &sim->links[host];
    struct sf_sim_offer offer;

    offer.wake = SF_NEVER;
    if (!link->open || !sim->feeder.next ||
        !sim->feeder.next(sim->feeder.context, host, sim->slot, link->open,
                          &offer)) {
        unmark(sim->awake, host);
        uint32_t wake = offer.wake < SF_NONE ? (uint32_t)offer.wake : SF_NONE;
        sim->wake_at[host] = wake;
        sim->next_wake = wake < sim->next_wake ? wake : sim->next_wake;
        return;
    }
    uint32_t number = sim->first_free;
    struct packet *packet = &sim->packets[number];
    sim->first_free = packet->next;
    sim->n_free--;

    uint32_t vl = sf_sim_first_vl(&offer.route);
    uint32_t channel = host << sim->vl_bits | vl;
    packet->route[0] = offer.route.words[0] >> 4 | offer.route.words[1] << 60;
    packet->route[1] = offer.route.words[1] >> 4;
    packet->born = (uint32_t)offer.born;
    packet->tag = offer.tag;
    assert(link->open >> vl & 1); /* What next() promised. */
    take_place(link, &sim->channels[channel], vl);
    sim->moves[sim->n_moves++] = (struct move){ number, channel };
}

static void
ask_hosts(struct sf_packet_sim *sim)
{
    wake_hosts(sim);
    for (uint32_t i = 0; i < sim->n_host_words; i++) {
        for (uint64_t left = sim->awake[i]; left; left &= left - 1) {
            ask(sim, i * 64 + (uint32_t)__builtin_ctzll(left));
        }
    }
}

void
sf_packet_sim_step(struct sf_packet_sim *sim)
{
    bool upwards = __builtin_parity(sim->slot) == 0;

    /* Moves of hosts stand first, those of switches after them. */
    sim->n_moves = 0;
    ask_hosts(sim);
    uint32_t n_new = sim->n_moves;
    if (upwards) {
        decide_upwards(sim);
        for (uint32_t i = 0; i < n_new; i++) {
            arrive(sim, sim->moves[i].packet, sim->moves[i].channel);
        }
    } else {
        decide_downwards(sim);
    }
    for (uint32_t i = n_new; i < sim->n_moves; i++) {
        apply(sim, sim->moves[i]);
    }
    if (!upwards) {
        for (uint32_t i = n_new; i-- > 0;) {
            arrive(sim, sim->moves[i].packet, sim->moves[i].channel);
        }
    }
    sim->n_switch_hops += sim->n_moves - n_new;
    sim->slot++;
}
