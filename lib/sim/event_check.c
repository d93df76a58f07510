/* event_check.c -- whether the state of a network simulated by events adds
 * up. */
#include "base/mem.h"
#include "sim/event_state.h"

/* What was found. */
struct tally {
    const struct sf_event_sim *sim;
    uint64_t *held;     /* [channels] Bytes of packets and credits to come. */
    uint32_t n_packets; /* In queues and events. */
    uint32_t n_events;
};

static void
count_event(struct tally *tally, const struct sf_event *event)
{
    uint32_t kind = sf_event_class(event);
    uint32_t number = event->order & ((1u << EVENT_NUMBER_BITS) - 1);

    tally->n_events++;
    tally->n_packets += kind == EVENT_READY || kind == EVENT_DELIVER;
    if (kind == EVENT_CREDIT) {
        tally->held[number] += event->argument;
    }
}

static void
count_events(struct tally *tally)
{
    const struct sf_wheel *wheel = &tally->sim->wheel;

    for (uint32_t i = wheel->head; i < wheel->end; i++) {
        count_event(tally, &wheel->due[i]);
    }
    for (uint32_t i = 0; i < wheel->n_days * SF_WHEEL_CLASSES; i++) {
        uint32_t first =
            wheel->days[i / SF_WHEEL_CLASSES][i % SF_WHEEL_CLASSES];
        for (uint32_t j = first; j != SF_NONE; j = wheel->nodes[j].next) {
            count_event(tally, &wheel->nodes[j].event);
        }
    }
}

/* Counts the packets of the queue of a channel; 'channel' is what they want or
 * where they are. */
static bool
count_queue(struct tally *tally, const struct event_queue *queue,
            uint32_t channel, bool wants)
{
    const struct event_packet *packets = tally->sim->packets;
    uint32_t n = 0;

    for (uint32_t i = queue->first; i != SF_NONE; i = packets[i].next) {
        if (++n > tally->sim->n_packets ||
            (wants ? packets[i].wants : packets[i].at) != channel) {
            return false;
        }
        tally->n_packets++;
    }
    return true;
}

static bool
count_buffer(struct tally *tally, uint32_t number)
{
    const struct event_buffer *buffer = &tally->sim->buffers[number];
    const struct event_packet *packets = tally->sim->packets;

    if (buffer->first == SF_NONE && buffer->behind.first != SF_NONE) {
        return false;
    }
    if (buffer->first < LEAVING && packets[buffer->first].at != number) {
        return false;
    }
    return count_queue(tally, &buffer->behind, number, false);
}

static enum sf_status
check_channel(struct tally *tally, uint32_t number, struct sf_error *err)
{
    const struct sf_event_sim *sim = tally->sim;
    const struct event_channel *channel = &sim->channels[number];
    const struct event_link *link = &sim->links[number >> sim->vl_bits];
    bool is_waiting = link->waiting >> vl_of(sim, number) & 1;

    if (!count_queue(tally, &channel->queue, number, true) ||
        is_waiting != (channel->queue.first != SF_NONE) ||
        (sim->params.queues == SF_SIM_FIFO && !count_buffer(tally, number))) {
        return sf_fail(err, SF_EINVAL, "channel %u: wrong queues, waiting %x",
                       number, link->waiting);
    }
    if (!link->to_host &&
        tally->held[number] + channel->credit != sim->params.buffer) {
        return sf_fail(err, SF_EINVAL,
                       "buffer %u of %u bytes holds %llu and has credit %u",
                       number, sim->params.buffer,
                       (unsigned long long)tally->held[number],
                       channel->credit);
    }
    return SF_OK;
}

/* A link is not idle if it could send, and is known to be blocked if it cannot
 * for want of credit. */
static enum sf_status
check_link(const struct sf_event_sim *sim, uint32_t number,
           struct sf_error *err)
{
    const struct event_link *link = &sim->links[number];
    bool any_credit = false;

    if (link->is_planned || link->is_listed || number < sim->params.n_hosts) {
        return SF_OK;
    }
    for (uint32_t vl = 0; vl < sim->params.n_vls; vl++) {
        uint32_t channel = number << sim->vl_bits | vl;
        uint32_t first = sim->channels[channel].queue.first;
        any_credit |= first != SF_NONE &&
                      has_credit(sim, channel, sim->packets[first].bytes);
    }
    bool is_blocked = link->waiting && !any_credit;
    if ((any_credit && sim->params.queues == SF_SIM_VOQ) ||
        is_blocked != (link->blocked_since != SF_NEVER)) {
        return sf_fail(err, SF_EINVAL,
                       "link %u, waiting %x, credit %d, blocked %d", number,
                       link->waiting, any_credit,
                       link->blocked_since != SF_NEVER);
    }
    return SF_OK;
}

static enum sf_status
check_all(struct tally *tally, struct sf_error *err)
{
    const struct sf_event_sim *sim = tally->sim;
    enum sf_status status = SF_OK;

    count_events(tally);
    for (uint32_t i = 0; i < sim->n_packets; i++) {
        if (sim->packets[i].at != SF_NONE) {
            tally->held[sim->packets[i].at] += sim->packets[i].bytes;
        }
    }
    for (uint32_t i = 0; status == SF_OK && i < sim->ports.n_channels; i++) {
        status = check_channel(tally, i, err);
    }
    for (uint32_t i = 0; status == SF_OK && i < sim->params.n_links; i++) {
        status = check_link(sim, i, err);
    }
    if (status == SF_OK &&
        (tally->n_packets != sf_event_sim_n_in_flight(sim) ||
         tally->n_events != sim->wheel.n)) {
        status = sf_fail(err, SF_EINVAL,
                         "%u packets found, %u in flight; %u events of %u",
                         tally->n_packets, sf_event_sim_n_in_flight(sim),
                         tally->n_events, sim->wheel.n);
    }
    return status;
}

enum sf_status
sf_event_sim_check(const struct sf_event_sim *sim, struct sf_error *err)
{
    struct tally tally = {
        .sim = sim,
        .held = sf_calloc(sim->ports.n_channels, sizeof *tally.held),
    };
    if (!tally.held) {
        return sf_fail(err, SF_ENOMEM, "check of %u buffers",
                       sim->ports.n_channels);
    }
    enum sf_status status = check_all(&tally, err);
    free(tally.held);
    return status;
}
