/* moment.c -- a moment: what is due takes effect, then links and hosts
 * decide. */
#include "base/mem.h"
#include "sim/event_state.h"

#include <assert.h>
#include <string.h>

#define AHEAD 4 /* So many are fetched before they are needed. */

static inline void
push(struct event_queue *queue, struct event_packet *packets, uint32_t packet)
{
    packets[packet].next = SF_NONE;
    if (queue->first == SF_NONE) {
        queue->first = packet;
    } else {
        packets[queue->last].next = packet;
    }
    queue->last = packet;
}

static inline void
plan(struct sf_event_sim *sim, uint64_t time, enum event_kind kind,
     uint32_t number, uint32_t argument)
{
    sf_wheel_add(&sim->wheel, time,
                 (uint32_t)kind << EVENT_NUMBER_BITS | number, argument);
}

static inline void
plan_idle(struct sf_event_sim *sim, uint32_t number)
{
    struct event_link *link = &sim->links[number];

    if (!link->is_planned) {
        link->is_planned = true;
        plan(sim, link->busy_until, EVENT_IDLE, number, 0);
    }
}

/* Lets a link decide in this round; if it is busy, when it is idle. */
static inline void
list_link(struct sf_event_sim *sim, uint32_t number)
{
    struct event_link *link = &sim->links[number];

    if (link->busy_until > sim->now) {
        plan_idle(sim, number);
    } else if (!link->is_listed) {
        link->is_listed = true;
        sim->deciding[sim->n_deciding++] = number;
    }
}

/* Lets a packet wait for the channel that it wants. */
static inline void
line_up(struct sf_event_sim *sim, uint32_t number)
{
    uint32_t wants = sim->packets[number].wants;
    uint32_t link = wants >> sim->vl_bits;
    struct event_queue *queue = &sim->channels[wants].queue;

    /* Behind another one it changes nothing, unless it may pass. */
    if (queue->first == SF_NONE || sim->params.queues == SF_SIM_FIFO) {
        sim->links[link].waiting =
            (uint16_t)(sim->links[link].waiting | 1u << vl_of(sim, wants));
        list_link(sim, link);
    }
    push(queue, sim->packets, number);
}

/* With fifo queues: the tail of the first packet has left 'at'.  The next one
 * of the buffer waits, and the input can hand over the first packets of its
 * other VLs too. */
static void
end_leaving(struct sf_event_sim *sim, uint32_t at)
{
    uint32_t input = at >> sim->vl_bits;
    struct event_buffer *buffer = &sim->buffers[at];
    uint32_t next = buffer->behind.first;

    sim->links[input].hands_over = false;
    buffer->first = next;
    if (next != SF_NONE) {
        buffer->behind.first = sim->packets[next].next;
        line_up(sim, next);
    }
    for (uint32_t vl = 0; vl < sim->params.n_vls; vl++) {
        uint32_t first = sim->buffers[input << sim->vl_bits | vl].first;
        if (first < LEAVING) {
            list_link(sim, sim->packets[first].wants >> sim->vl_bits);
        }
    }
}

static inline void
become_idle(struct sf_event_sim *sim, uint32_t number)
{
    struct event_link *link = &sim->links[number];

    link->is_planned = false;
    if (number < sim->params.n_hosts) {
        list_host(sim, number);
        return;
    }
    if (link->source != SF_NONE) {
        end_leaving(sim, link->source);
        link->source = SF_NONE;
    }
    if (link->waiting) {
        list_link(sim, number);
    }
}

static inline void
become_ready(struct sf_event_sim *sim, uint32_t number)
{
    if (sim->params.queues == SF_SIM_FIFO) {
        struct event_buffer *buffer = &sim->buffers[sim->packets[number].at];
        if (buffer->first != SF_NONE) {
            push(&buffer->behind, sim->packets, number);
            return;
        }
        buffer->first = number;
    }
    line_up(sim, number);
}

static inline void
get_credit(struct sf_event_sim *sim, uint32_t number, uint32_t bytes)
{
    struct event_channel *channel = &sim->channels[number];
    uint32_t link = number >> sim->vl_bits;
    uint32_t before = channel->credit;

    channel->credit += bytes;
    if (link < sim->params.n_hosts) {
        if (before < sim->params.packet_bytes &&
            channel->credit >= sim->params.packet_bytes) {
            sf_event_sim_wake(sim, link);
        }
    } else if (channel->queue.first != SF_NONE &&
               (sim->params.queues == SF_SIM_FIFO ||
                sim->packets[channel->queue.first].bytes > before)) {
        list_link(sim, link); /* With fifo queues, others pass the first. */
    }
}

static inline void
deliver(struct sf_event_sim *sim, uint32_t number)
{
    struct event_packet *packet = &sim->packets[number];

    packet->at = SF_NONE;
    packet->next = sim->first_free;
    sim->first_free = number;
    sim->n_free++;
    if (sim->feeder.delivered) {
        sim->feeder.delivered(sim->feeder.context, sim->labels[number].tag,
                              sim->now - sim->labels[number].born);
    }
}

/* Fetches what an event will need. */
static inline void
fetch_ahead(const struct sf_event_sim *sim, const struct sf_event *event,
            enum event_kind kind)
{
    if (kind == EVENT_READY || kind == EVENT_DELIVER) {
        __builtin_prefetch(&sim->packets[event->argument].next);
    }
}

/* Events of one kind: 'n' of them, upwards or downwards. */
static inline void
take_effects(struct sf_event_sim *sim, const struct sf_event *events,
             uint32_t n)
{
    enum event_kind kind = (enum event_kind)sf_event_class(events);
    bool upwards = n == 1 || sf_event_upwards(sim->now);
    const struct sf_event *event = upwards ? events : events + n - 1;
    int step = upwards ? 1 : -1;

    for (; n > 0; n--, event += step) {
        if (n > AHEAD) {
            fetch_ahead(sim, event + AHEAD * step, kind);
        }
        uint32_t number = event->order & ((1u << EVENT_NUMBER_BITS) - 1);
        switch (kind) {
        case EVENT_IDLE:
            become_idle(sim, number);
            break;
        case EVENT_READY:
            become_ready(sim, event->argument);
            break;
        case EVENT_CREDIT:
            get_credit(sim, number, event->argument);
            break;
        case EVENT_DELIVER:
            deliver(sim, event->argument);
            break;
        }
    }
}

/* What is due at this moment.  An effect plans one event at most, except that
 * an input with fifo queues lets all its first packets be looked at. */
static bool
take_what_is_due(struct sf_event_sim *sim)
{
    const struct sf_event *first = sf_wheel_first(&sim->wheel);
    uint32_t head = sim->wheel.head, end = head;

    if (!first || first->time != sim->now) {
        return true;
    }
    while (end < sim->wheel.end && sim->wheel.due[end].time == sim->now) {
        end++;
    }
    sf_wheel_take(&sim->wheel, end - head);
    uint32_t most =
        sim->params.queues == SF_SIM_FIFO ? sim->params.n_vls + 2 : 1;
    if (!sf_wheel_reserve(&sim->wheel, (end - head) * most)) {
        return false;
    }
    const struct sf_event *due = sim->wheel.due;
    while (head < end) {
        uint32_t from = head++;
        while (head < end &&
               sf_event_class(&due[head]) == sf_event_class(&due[from])) {
            head++;
        }
        take_effects(sim, due + from, head - from);
    }
    return true;
}

/* A packet starts on a link out of where it is, now. */
static inline void
start(struct sf_event_sim *sim, uint32_t number, uint32_t channel)
{
    struct event_packet *packet = &sim->packets[number];
    uint32_t link_number = channel >> sim->vl_bits;
    struct event_link *link = &sim->links[link_number];
    uint64_t head = sim->now + link->delay;
    uint32_t duration = sf_event_duration(sim, packet->bytes);

    link->busy_until = sim->now + duration;
    link->turn = (uint8_t)(vl_of(sim, channel) + 1);
    sim->channels[channel].busy += duration;
    packet->at = channel;
    if (link->to_host) {
        packet->wants = SF_NONE;
        plan(sim, head + duration, EVENT_DELIVER, link_number, number);
        return;
    }
    sim->channels[channel].credit -= packet->bytes;
    packet->wants = link->base + sf_route_shift(packet->route, sim->hop_bits);
    plan(sim, head + sim->params.switch_delay, EVENT_READY, link_number,
         number);
}

/* Plans the return of credit for 'bytes' that have left the buffer 'at' when
 * 'left' comes.
 *
 * If the sender has ample credit, it cannot come to need these bytes before
 * they are back: then it may have them now, and nobody sees the difference.
 * Others that it was given early do not count against it.  Those still to come
 * at a time t were given after t less the longest way back; the first of them
 * was given when there was ample credit, and what was given before is back. */
static inline void
return_credit(struct sf_event_sim *sim, uint32_t at, uint32_t bytes,
              uint64_t left)
{
    struct event_channel *channel = &sim->channels[at];

    if (channel->credit >= channel->ample) {
        channel->credit += bytes;
    } else {
        uint32_t delay = sim->links[at >> sim->vl_bits].delay;
        plan(sim, left + delay, EVENT_CREDIT, at, bytes);
    }
}

/* Notes whether packets wait in vain for an idle link. */
static inline void
set_blocked(struct sf_event_sim *sim, struct event_link *link, bool is_blocked)
{
    if (is_blocked == (link->blocked_since != SF_NEVER)) {
        return;
    }
    link->blocked += is_blocked ? 0 : sim->now - link->blocked_since;
    link->blocked_since = is_blocked ? sim->now : SF_NEVER;
}

/* A packet that has been taken out of the queue of 'channel' leaves its
 * buffer. */
static inline void
send(struct sf_event_sim *sim, uint32_t number, uint32_t channel)
{
    uint32_t at = sim->packets[number].at;
    uint32_t link_number = channel >> sim->vl_bits;
    struct event_link *link = &sim->links[link_number];

    if (sim->channels[channel].queue.first == SF_NONE) {
        link->waiting =
            (uint16_t)(link->waiting & ~(1u << vl_of(sim, channel)));
    }
    set_blocked(sim, link, false);
    start(sim, number, channel);
    return_credit(sim, at, sim->packets[number].bytes, link->busy_until);
    if (sim->params.queues == SF_SIM_FIFO) {
        sim->links[at >> sim->vl_bits].hands_over = true;
        sim->buffers[at].first = LEAVING;
        link->source = at;
        plan_idle(sim, link_number);
    } else if (link->waiting) {
        plan_idle(sim, link_number);
    }
    sim->n_switch_hops++;
}

/* The first of 'vls' from 'turn' on, around. */
static inline uint32_t
first_from(uint32_t vls, uint32_t turn)
{
    uint32_t later = vls >> turn << turn;
    return (uint32_t)__builtin_ctz(later ? later : vls);
}

static inline void
decide_voq(struct sf_event_sim *sim, uint32_t number)
{
    struct event_link *link = &sim->links[number];

    for (uint32_t vls = link->waiting; vls;) {
        uint32_t vl = first_from(vls, link->turn);
        uint32_t channel = number << sim->vl_bits | vl;
        struct event_queue *queue = &sim->channels[channel].queue;
        uint32_t packet = queue->first;
        if (has_credit(sim, channel, sim->packets[packet].bytes)) {
            queue->first = sim->packets[packet].next;
            send(sim, packet, channel);
            return;
        }
        vls &= ~(1u << vl);
    }
    set_blocked(sim, link, link->waiting != 0);
}

/* Takes the first packet out of the queue of 'channel' whose input hands
 * nothing over.  SF_NONE if there is none, or no credit for it or for one
 * before it. */
static uint32_t
take_from_free_input(struct sf_event_sim *sim, uint32_t channel)
{
    struct event_queue *queue = &sim->channels[channel].queue;
    struct event_packet *packets = sim->packets;
    uint32_t before = SF_NONE, i = queue->first;

    while (i != SF_NONE && has_credit(sim, channel, packets[i].bytes) &&
           sim->links[packets[i].at >> sim->vl_bits].hands_over) {
        before = i;
        i = packets[i].next;
    }
    if (i == SF_NONE || !has_credit(sim, channel, packets[i].bytes)) {
        return SF_NONE;
    }
    if (before == SF_NONE) {
        queue->first = packets[i].next;
    } else {
        packets[before].next = packets[i].next;
    }
    if (queue->last == i) {
        queue->last = before;
    }
    return i;
}

static void
decide_fifo(struct sf_event_sim *sim, uint32_t number)
{
    struct event_link *link = &sim->links[number];
    bool any_credit = false;

    for (uint32_t vls = link->waiting; vls;) {
        uint32_t vl = first_from(vls, link->turn);
        uint32_t channel = number << sim->vl_bits | vl;
        uint32_t first = sim->channels[channel].queue.first;
        any_credit |= has_credit(sim, channel, sim->packets[first].bytes);
        uint32_t packet = take_from_free_input(sim, channel);
        if (packet != SF_NONE) {
            send(sim, packet, channel);
            return;
        }
        vls &= ~(1u << vl);
    }
    set_blocked(sim, link, link->waiting && !any_credit);
}

/* Sorts what is 'gap' apart by insertion. */
static inline void
sort_by_gap(uint32_t *numbers, uint32_t n, uint32_t gap)
{
    for (uint32_t i = gap; i < n; i++) {
        uint32_t number = numbers[i], j = i;
        for (; j >= gap && numbers[j - gap] > number; j -= gap) {
            numbers[j] = numbers[j - gap];
        }
        numbers[j] = number;
    }
}

/* There are few at most moments, and often in order. */
static void
sort(uint32_t *numbers, uint32_t n)
{
    static const uint32_t gaps[] = { 1750, 701, 301, 132, 57, 23, 10, 4 };

    for (uint32_t k = 0; n > 10 && k < sizeof gaps / sizeof *gaps; k++) {
        sort_by_gap(numbers, n, gaps[k]);
    }
    sort_by_gap(numbers, n, 1);
}

static void
decide_links_fifo(struct sf_event_sim *sim)
{
    uint32_t n = sim->n_deciding;
    bool upwards = sf_event_upwards(sim->now);

    sort(sim->deciding, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = sim->deciding[upwards ? i : n - 1 - i];
        sim->links[number].is_listed = false;
        decide_fifo(sim, number);
    }
}

/* With virtual output queues, no link decides on what another one sees. */
static inline void
decide_links(struct sf_event_sim *sim)
{
    if (sim->params.queues == SF_SIM_FIFO) {
        decide_links_fifo(sim);
    } else {
        for (uint32_t i = 0; i < sim->n_deciding; i++) {
            uint32_t number = sim->deciding[i];
            if (i + AHEAD < sim->n_deciding) {
                uint32_t later = sim->deciding[i + AHEAD];
                __builtin_prefetch(&sim->channels[later << sim->vl_bits]);
            }
            sim->links[number].is_listed = false;
            decide_voq(sim, number);
        }
    }
    sim->n_deciding = 0;
}

/* The VLs on which 'host' may begin a full packet. */
static inline uint32_t
open_vls(const struct sf_event_sim *sim, uint32_t host)
{
    uint32_t vls = 0;

    for (uint32_t vl = 0; vl < sim->params.n_vls; vl++) {
        uint32_t channel = host << sim->vl_bits | vl;
        vls |= (uint32_t)has_credit(sim, channel, sim->params.packet_bytes)
               << vl;
    }
    return vls;
}

static void
fall_asleep(struct sf_event_sim *sim, uint32_t host, uint64_t wake)
{
    sim->hosts[host].is_awake = false;
    if (wake < SF_EVENT_MAX_TIME) {
        wake = wake > sim->now ? wake : sim->now + 1;
        sf_heap_set(&sim->wakes, host, (double)wake);
    }
}

/* Starts the packet that a host offers. */
static inline void
inject(struct sf_event_sim *sim, uint32_t host,
       const struct sf_sim_offer *offer)
{
    uint32_t number = sim->first_free;
    struct event_packet *packet = &sim->packets[number];
    uint32_t bytes = offer->bytes ? offer->bytes : sim->params.packet_bytes;

    sim->first_free = packet->next;
    sim->n_free--;
    packet->route[0] = offer->route.words[0] >> 4 | offer->route.words[1]
                                                        << 60;
    packet->route[1] = offer->route.words[1] >> 4;
    packet->bytes = bytes;
    sim->labels[number] = (struct event_label){ offer->born, offer->tag };
    start(sim, number, host << sim->vl_bits | sf_sim_first_vl(&offer->route));
    plan_idle(sim, host);
}

/* Asks a host, and takes a packet from it if it has one. */
static void
ask(struct sf_event_sim *sim, uint32_t host)
{
    struct sf_sim_offer offer;
    uint32_t vls = open_vls(sim, host);

    offer.wake = SF_NEVER;
    offer.bytes = 0;
    if (!vls || !sim->feeder.next ||
        !sim->feeder.next(sim->feeder.context, host, sim->now, vls, &offer)) {
        fall_asleep(sim, host, offer.wake);
        return;
    }
    /* What next() promised. */
    assert(vls >> sf_sim_first_vl(&offer.route) & 1);
    assert(offer.bytes <= sim->params.packet_bytes);
    inject(sim, host, &offer);
}

/* Hosts that are woken while others are asked are asked in the next round. */
static void
ask_hosts(struct sf_event_sim *sim)
{
    uint32_t n = sim->n_asked;
    uint32_t *asked = sim->asked + sim->params.n_hosts;

    memcpy(asked, sim->asked, n * sizeof *asked);
    sim->n_asked = 0;
    sort(asked, n);
    for (uint32_t i = 0; i < n; i++) {
        sim->hosts[asked[i]].is_listed = false;
        if (sim->hosts[asked[i]].is_awake) {
            ask(sim, asked[i]);
        }
    }
}

static void
wake_hosts(struct sf_event_sim *sim)
{
    while (sim->wakes.n > 0 &&
           (uint64_t)sf_heap_least(&sim->wakes) <= sim->now) {
        sf_event_sim_wake(sim, sf_heap_first(&sim->wakes));
    }
}

/* Sees to it that there are packets for all hosts that are asked. */
static bool
reserve_packets(struct sf_event_sim *sim)
{
    if (sim->n_free >= sim->n_asked) {
        return true;
    }
    uint64_t n = sim->n_packets + (uint64_t)sim->n_packets / 2 +
                 sim->params.n_hosts + 64;
    struct event_packet *packets =
        n < LEAVING ? sf_realloc(sim->packets, n, sizeof *packets) : NULL;
    if (!packets) {
        return false;
    }
    sim->packets = packets;
    struct event_label *labels = sf_realloc(sim->labels, n, sizeof *labels);
    if (!labels) {
        return false;
    }
    sim->labels = labels;
    /* The lowest is taken first. */
    for (uint32_t i = (uint32_t)n; i-- > sim->n_packets;) {
        packets[i].at = SF_NONE;
        packets[i].next = sim->first_free;
        sim->first_free = i;
    }
    sim->n_free += (uint32_t)n - sim->n_packets;
    sim->n_packets = (uint32_t)n;
    return true;
}

bool
sf_event_sim_round(struct sf_event_sim *sim)
{
    wake_hosts(sim);
    if (!take_what_is_due(sim)) {
        return false;
    }
    /* A start plans its end, its arrival and a credit. */
    if (!sf_wheel_reserve(&sim->wheel, 3 * (sim->n_deciding + sim->n_asked)) ||
        !reserve_packets(sim)) {
        return false;
    }
    decide_links(sim);
    ask_hosts(sim);
    return true;
}
