/* event_deadlock.c -- cycles of waiting, in bytes.
 *
 * Begin with all packets as suspects.  A packet is cleared if the buffer that
 * it wants would have room once all cleared packets have left it, and if it
 * need not wait behind a suspect.  That is as if cleared packets took no room
 * elsewhere, so who remains can really never move: the first of them to move
 * would need room that only another of them can make.  When nothing moves any
 * more, nobody is cleared. */
#include "sim/packet_deadlock.h"

#include "base/mem.h"
#include "sim/event_state.h"

/* Where a packet is. */
enum place {
    ON_THE_WAY, /* Not yet ready to be sent on. */
    WAITING,    /* In a queue. */
    BEHIND,     /* Behind the first of its buffer. */
};

struct search {
    const struct sf_event_sim *sim;
    uint8_t *places;  /* [packets] */
    bool *is_cleared; /* [packets] Also who is not in the network. */
    uint64_t *room;   /* [channels] Without suspects. */
    uint32_t *wants;  /* [channels] For which one a packet in it waits. */
    uint32_t *steps;  /* [channels] */
    bool is_changed;
};

static void
note_places(struct search *search, const struct event_queue *queue,
            enum place place)
{
    for (uint32_t i = queue->first; i != SF_NONE;
         i = search->sim->packets[i].next) {
        search->places[i] = (uint8_t)place;
    }
}

static void
suspect_all(struct search *search)
{
    const struct sf_event_sim *sim = search->sim;

    for (uint32_t i = 0; i < sim->ports.n_channels; i++) {
        bool to_host = sim->links[i >> sim->vl_bits].to_host;
        search->room[i] = to_host ? UINT64_MAX / 2 : sim->params.buffer;
        search->wants[i] = SF_NONE;
        note_places(search, &sim->channels[i].queue, WAITING);
        if (sim->params.queues == SF_SIM_FIFO) {
            note_places(search, &sim->buffers[i].behind, BEHIND);
        }
    }
    for (uint32_t i = 0; i < sim->n_packets; i++) {
        const struct event_packet *packet = &sim->packets[i];
        search->is_cleared[i] =
            packet->at == SF_NONE || packet->wants == SF_NONE;
        if (!search->is_cleared[i]) {
            search->room[packet->at] -= packet->bytes;
        }
    }
}

/* Clears a packet if there is room for it; returns whether it is cleared. */
static bool
try_to_clear(struct search *search, uint32_t number)
{
    const struct event_packet *packet = &search->sim->packets[number];

    if (!search->is_cleared[number] &&
        search->room[packet->wants] >= packet->bytes) {
        search->is_cleared[number] = true;
        search->room[packet->at] += packet->bytes;
        search->is_changed = true;
    }
    return search->is_cleared[number];
}

/* Nobody passes a packet that never has credit. */
static void
look_at_queue(struct search *search, const struct event_queue *queue)
{
    const struct event_packet *packets = search->sim->packets;
    uint32_t i = queue->first;

    while (i != SF_NONE && try_to_clear(search, i)) {
        i = packets[i].next;
    }
}

static void
look_behind(struct search *search, const struct event_buffer *buffer)
{
    const struct event_packet *packets = search->sim->packets;

    if (buffer->first < LEAVING && !search->is_cleared[buffer->first]) {
        return;
    }
    for (uint32_t i = buffer->behind.first; i != SF_NONE;
         i = packets[i].next) {
        if (!try_to_clear(search, i)) {
            return;
        }
    }
}

/* Looks at all packets once. */
static void
pass(struct search *search)
{
    const struct sf_event_sim *sim = search->sim;

    for (uint32_t i = 0; i < sim->ports.n_channels; i++) {
        look_at_queue(search, &sim->channels[i].queue);
        if (sim->params.queues == SF_SIM_FIFO) {
            look_behind(search, &sim->buffers[i]);
        }
    }
    for (uint32_t i = 0; i < sim->n_packets; i++) {
        if (search->places[i] == ON_THE_WAY) {
            try_to_clear(search, i);
        }
    }
}

/* Notes what the first suspect of a buffer with fifo queues waits for. */
static void
follow_buffer(struct search *search, uint32_t channel)
{
    const struct sf_event_sim *sim = search->sim;
    const struct event_buffer *buffer = &sim->buffers[channel];
    uint32_t i = buffer->first < LEAVING ? buffer->first : SF_NONE;

    if (i == SF_NONE || search->is_cleared[i]) {
        i = buffer->behind.first;
    }
    while (i != SF_NONE && search->is_cleared[i]) {
        i = sim->packets[i].next;
    }
    if (i != SF_NONE) {
        search->wants[channel] = sim->packets[i].wants;
    }
}

/* Counts the stuck buffers, notes for which a packet in each waits, and
 * returns one of them. */
static uint32_t
follow_stuck(struct search *search, uint32_t *n_stuckp)
{
    const struct sf_event_sim *sim = search->sim;
    uint32_t found = SF_NONE;

    for (uint32_t i = 0; i < sim->n_packets; i++) {
        if (!search->is_cleared[i]) {
            search->wants[sim->packets[i].at] = sim->packets[i].wants;
        }
    }
    *n_stuckp = 0;
    for (uint32_t i = 0; i < sim->ports.n_channels; i++) {
        if (sim->params.queues == SF_SIM_FIFO) {
            follow_buffer(search, i);
        }
        if (search->room[i] < sim->params.packet_bytes) {
            ++*n_stuckp;
            found = i;
        }
    }
    return found;
}

static void
free_search(struct search *search)
{
    free(search->steps);
    free(search->wants);
    free(search->room);
    free(search->is_cleared);
    free(search->places);
}

enum sf_status
sf_event_sim_find_deadlock(const struct sf_event_sim *sim,
                           struct sf_sim_deadlock *deadlock,
                           struct sf_error *err)
{
    enum sf_status status = SF_OK;
    uint32_t n = sim->ports.n_channels;
    struct search search = {
        .sim = sim,
        .places = sf_calloc(sim->n_packets, sizeof *search.places),
        .is_cleared = sf_calloc(sim->n_packets, sizeof *search.is_cleared),
        .room = sf_calloc(n, sizeof *search.room),
        .wants = sf_calloc(n, sizeof *search.wants),
        .steps = sf_calloc(n, sizeof *search.steps),
    };

    *deadlock = (struct sf_sim_deadlock){ 0 };
    if (!search.places || !search.is_cleared || !search.room ||
        !search.wants || !search.steps) {
        free_search(&search);
        return sf_fail(err, SF_ENOMEM, "search for deadlock in %u buffers", n);
    }
    suspect_all(&search);
    do {
        search.is_changed = false;
        pass(&search);
    } while (search.is_changed);
    uint32_t found = follow_stuck(&search, &deadlock->n_stuck);
    if (found != SF_NONE) {
        status = sf_deadlock_list_cycle(search.wants, search.steps, n,
                                        sim->vl_bits, found, deadlock, err);
    }
    free_search(&search);
    return status;
}
