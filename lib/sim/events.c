/* events.c -- networks simulated by events: made, asked, run. */
#include "sim/events.h"

#include "base/mem.h"
#include "sim/event_state.h"

#define PICOSECONDS UINT64_C(1000000000000) /* In a second. */

/* 'bytes' below 2^24 and 'rate' below 2^40 do not overflow. */
static uint64_t
duration_at(uint64_t rate, uint32_t bytes)
{
    return (bytes * PICOSECONDS + rate / 2) / rate;
}

uint32_t
sf_event_duration(const struct sf_event_sim *sim, uint32_t bytes)
{
    return bytes == sim->params.packet_bytes
               ? sim->full_duration
               : (uint32_t)duration_at(sim->params.rate, bytes);
}

static enum sf_status
check_sizes(const struct sf_event_params *params, struct sf_error *err)
{
    uint32_t bytes = params->packet_bytes;

    if (params->rate < 1 || params->rate > SF_EVENT_MAX_RATE) {
        return sf_fail(err, SF_EINVAL, "links of %llu bytes a second",
                       (unsigned long long)params->rate);
    }
    if (bytes < 1 || bytes > SF_EVENT_MAX_BYTES) {
        return sf_fail(err, SF_EINVAL, "packets of %u bytes; 1 to %u can be",
                       bytes, SF_EVENT_MAX_BYTES);
    }
    if (params->buffer < bytes || params->buffer == UINT32_MAX) {
        return sf_fail(err, SF_EINVAL,
                       "buffers of %u bytes for packets of %u bytes",
                       params->buffer, bytes);
    }
    if (duration_at(params->rate, bytes) > SF_EVENT_MAX_DELAY) {
        return sf_fail(err, SF_EINVAL,
                       "packets of %u bytes at %llu bytes a second", bytes,
                       (unsigned long long)params->rate);
    }
    return SF_OK;
}

/* Finds the longest delay of a cable. */
static enum sf_status
check_delays(const struct sf_event_params *params, uint32_t *longestp,
             struct sf_error *err)
{
    *longestp = 0;
    for (uint32_t i = 0; params->delays && i < params->n_links; i++) {
        uint32_t delay = params->delays[i];
        *longestp = delay > *longestp ? delay : *longestp;
    }
    if (*longestp > SF_EVENT_MAX_DELAY ||
        params->switch_delay > SF_EVENT_MAX_DELAY) {
        return sf_fail(err, SF_EINVAL,
                       "delays of %u and %u picoseconds; %u is the most",
                       *longestp, params->switch_delay, SF_EVENT_MAX_DELAY);
    }
    return SF_OK;
}

static bool
allocate(struct sf_event_sim *sim, uint32_t longest)
{
    uint32_t n_links = sim->params.n_links, n_hosts = sim->params.n_hosts;
    uint32_t n_channels = sim->ports.n_channels;
    bool is_fifo = sim->params.queues == SF_SIM_FIFO;
    uint32_t unordered = 1u << EVENT_CREDIT | (is_fifo ? 0 : 1u << EVENT_IDLE);
    uint64_t ahead =
        (uint64_t)longest + sim->params.switch_delay + sim->full_duration;

    sim->links = sf_calloc(n_links, sizeof *sim->links);
    sim->channels = sf_calloc(n_channels, sizeof *sim->channels);
    sim->buffers = sf_calloc(is_fifo ? n_channels : 0, sizeof *sim->buffers);
    sim->deciding = sf_calloc(n_links, sizeof *sim->deciding);
    sim->hosts = sf_calloc(n_hosts, sizeof *sim->hosts);
    sim->asked = sf_calloc(2 * (size_t)n_hosts, sizeof *sim->asked);
    return sim->links && sim->channels && sim->buffers && sim->deciding &&
           sim->hosts && sim->asked && sf_heap_reserve(&sim->wakes, n_hosts) &&
           sf_wheel_build(&sim->wheel, ahead, 4 * n_links, unordered);
}

/* The credit with which a link can send on until credit is back that is given
 * now: what it carries in that time, a packet that it then still sends, and
 * one that it may start.  Packets may take half a picosecond less than they
 * should. */
static uint32_t
ample_credit(const struct sf_event_sim *sim, uint32_t delay)
{
    double time = (double)sim->full_duration + delay;
    double byte = (double)PICOSECONDS / (double)sim->params.rate - 0.5;
    double bytes = time / byte + 1 + 2.0 * sim->params.packet_bytes;

    return bytes < sim->params.buffer ? (uint32_t)bytes + 1 : UINT32_MAX;
}

static void
set_up(struct sf_event_sim *sim, const uint32_t *delays)
{
    for (uint32_t i = 0; i < sim->params.n_links; i++) {
        struct event_link *link = &sim->links[i];
        link->blocked_since = SF_NEVER;
        link->to_host = sf_ports_to_host(&sim->ports, i);
        link->base = sf_ports_base(&sim->ports, i);
        link->delay = delays ? delays[i] : 0;
        link->source = SF_NONE;
    }
    for (uint32_t i = 0; i < sim->ports.n_channels; i++) {
        struct event_channel *channel = &sim->channels[i];
        channel->queue.first = SF_NONE;
        channel->ample =
            ample_credit(sim, sim->links[i >> sim->vl_bits].delay);
        channel->credit = sim->links[i >> sim->vl_bits].to_host
                              ? UINT32_MAX
                              : sim->params.buffer;
        if (sim->params.queues == SF_SIM_FIFO) {
            sim->buffers[i].first = SF_NONE;
            sim->buffers[i].behind.first = SF_NONE;
        }
    }
}

static enum sf_status
fill(struct sf_event_sim *sim, const struct sf_event_params *params,
     uint32_t longest, struct sf_error *err)
{
    enum sf_status status =
        sf_ports_build(&sim->ports, params->n_nodes, params->n_hosts,
                       params->links, params->n_links, params->n_vls, err);
    if (status != SF_OK) {
        return status;
    }
    sim->params = *params;
    sim->params.links = NULL;
    sim->params.delays = NULL;
    sim->vl_bits = sim->ports.vl_bits;
    sim->hop_bits = sim->ports.hop_bits;
    sim->full_duration =
        (uint32_t)duration_at(params->rate, params->packet_bytes);
    sim->first_free = SF_NONE;
    if (!allocate(sim, longest)) {
        return sf_fail(err, SF_ENOMEM, "simulation of %u links",
                       params->n_links);
    }
    set_up(sim, params->delays);
    return SF_OK;
}

enum sf_status
sf_event_sim_build(const struct sf_event_params *params,
                   struct sf_event_sim **simp, struct sf_error *err)
{
    uint32_t longest;

    *simp = NULL;
    enum sf_status status = check_sizes(params, err);
    if (status == SF_OK) {
        status = check_delays(params, &longest, err);
    }
    if (status != SF_OK) {
        return status;
    }
    struct sf_event_sim *sim = sf_calloc(1, sizeof *sim);
    if (!sim) {
        return sf_fail(err, SF_ENOMEM, "simulation of %u links",
                       params->n_links);
    }
    status = fill(sim, params, longest, err);
    if (status != SF_OK) {
        sf_event_sim_free(sim);
        return status;
    }
    *simp = sim;
    return SF_OK;
}

void
sf_event_sim_free(struct sf_event_sim *sim)
{
    if (!sim) {
        return;
    }
    sf_wheel_clear(&sim->wheel);
    free(sim->labels);
    free(sim->packets);
    sf_heap_clear(&sim->wakes);
    free(sim->asked);
    free(sim->hosts);
    free(sim->deciding);
    free(sim->buffers);
    free(sim->channels);
    free(sim->links);
    sf_ports_clear(&sim->ports);
    free(sim);
}

enum sf_status
sf_event_sim_encode(const struct sf_event_sim *sim,
                    const struct sf_sim_hop *hops, uint32_t n_hops,
                    struct sf_sim_route *route, struct sf_error *err)
{
    return sf_ports_encode(&sim->ports, hops, n_hops, route, err);
}

enum sf_status
sf_event_sim_feed(struct sf_event_sim *sim, const struct sf_sim_feeder *feeder,
                  struct sf_error *err)
{
    if (sf_event_sim_n_in_flight(sim) > 0) {
        return sf_fail(err, SF_EINVAL,
                       "another feeder while %u packets are under way",
                       sf_event_sim_n_in_flight(sim));
    }
    sim->feeder = *feeder;
    for (uint32_t i = 0; i < sim->params.n_hosts; i++) {
        sf_event_sim_wake(sim, i);
    }
    return SF_OK;
}

void
sf_event_sim_wake(struct sf_event_sim *sim, uint32_t host)
{
    sim->hosts[host].is_awake = true;
    sf_heap_remove(&sim->wakes, host);
    list_host(sim, host);
}

uint64_t
sf_event_sim_next(struct sf_event_sim *sim)
{
    if (sim->n_asked > 0) {
        return sim->now;
    }
    const struct sf_event *event = sf_wheel_first(&sim->wheel);
    uint64_t next = event ? event->time : SF_NEVER;
    if (sim->wakes.n > 0) {
        uint64_t wake = (uint64_t)sf_heap_least(&sim->wakes);
        next = wake < next ? wake : next;
    }
    return next;
}

static void
go_to(struct sf_event_sim *sim, uint64_t time)
{
    sim->now = time;
    sf_wheel_advance(&sim->wheel, time);
}

enum sf_status
sf_event_sim_run(struct sf_event_sim *sim, uint64_t until,
                 struct sf_error *err)
{
    uint64_t end = until == SF_NEVER ? SF_EVENT_MAX_TIME : until;
    uint64_t next;

    if (end > SF_EVENT_MAX_TIME) {
        return sf_fail(err, SF_ELIMIT, "a run until %llu picoseconds",
                       (unsigned long long)until);
    }
    while ((next = sf_event_sim_next(sim)) < end) {
        go_to(sim, next);
        if (!sf_event_sim_round(sim)) {
            return sf_fail(err, SF_ENOMEM, "%u packets in flight",
                           sf_event_sim_n_in_flight(sim));
        }
    }
    if (until != SF_NEVER && until > sim->now) {
        go_to(sim, until);
    }
    return SF_OK;
}

uint64_t
sf_event_sim_now(const struct sf_event_sim *sim)
{
    return sim->now;
}

uint32_t
sf_event_sim_n_in_flight(const struct sf_event_sim *sim)
{
    return sim->n_packets - sim->n_free;
}

uint64_t
sf_event_sim_n_switch_hops(const struct sf_event_sim *sim)
{
    return sim->n_switch_hops;
}

uint64_t
sf_event_sim_busy(const struct sf_event_sim *sim, uint32_t number, uint32_t vl)
{
    const struct event_link *link = &sim->links[number];
    uint64_t busy = sim->channels[number << sim->vl_bits | vl].busy;
    bool is_now = link->busy_until > sim->now && link->turn == vl + 1;

    return busy - (is_now ? link->busy_until - sim->now : 0);
}

uint64_t
sf_event_sim_blocked(const struct sf_event_sim *sim, uint32_t number)
{
    const struct event_link *link = &sim->links[number];
    bool is_now = link->blocked_since != SF_NEVER;

    return link->blocked + (is_now ? sim->now - link->blocked_since : 0);
}
