/* event_carrier.c -- events as a carrier.  A tick is a picosecond. */
#include "sim/carrier.h"

#include "base/mem.h"
#include "sim/events.h"

#include <math.h>

#define TICKS_A_SECOND 1e12

/* Metres of the cable of 'link'. */
static double
length_of(const struct sf_run_setup *setup, uint32_t link)
{
    const struct sf_simulation_params *params = setup->params;
    const struct sf_wires *wires = setup->wires;
    const struct sf_network *network = wires->network;

    if (!params->lengths || !network->fabric) {
        return params->length;
    }
    uint32_t arc = sf_wires_arc_of(wires, link);
    if (arc != SF_NONE) {
        return params->lengths[network->arc_ports[arc]];
    }
    uint32_t host = link < wires->n_hosts ? link : wires->links[link].to;
    return params->lengths[network->host_ports[host]];
}

static enum sf_status
to_ticks(double seconds, const char *what, uint32_t *ticksp,
         struct sf_error *err)
{
    double ticks = round(seconds * TICKS_A_SECOND);

    if (!(ticks >= 0 && ticks <= SF_EVENT_MAX_DELAY)) {
        return sf_fail(err, SF_EINVAL,
                       "%s of %g seconds, expected 0 to %g seconds", what,
                       seconds, SF_EVENT_MAX_DELAY / TICKS_A_SECOND);
    }
    *ticksp = (uint32_t)ticks;
    return SF_OK;
}

static enum sf_status
find_delays(const struct sf_run_setup *setup, uint32_t *delays,
            struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (uint32_t l = 0; status == SF_OK && l < setup->wires->n_links; l++) {
        double seconds = length_of(setup, l) * setup->params->net.cable_delay;
        status = to_ticks(seconds, "a cable delay", &delays[l], err);
    }
    return status;
}

static enum sf_status
build_with(const struct sf_run_setup *setup, const struct sf_run_sizes *sizes,
           uint32_t *delays, struct sf_event_sim **simp, struct sf_error *err)
{
    const struct sf_sim_net *net = &setup->params->net;
    struct sf_event_params params = {
        .n_nodes = setup->wires->n_nodes,
        .n_hosts = setup->wires->n_hosts,
        .links = setup->wires->links,
        .n_links = setup->wires->n_links,
        .n_vls = setup->source->n_vls,
        .delays = delays,
        .rate = (uint64_t)llround(net->rate),
        .packet_bytes = sizes->packet_bytes,
        .buffer = net->buffer / setup->source->n_vls,
        .queues = setup->params->queues,
    };
    enum sf_status status = find_delays(setup, delays, err);
    if (status == SF_OK) {
        status = to_ticks(net->switch_delay, "a switch delay",
                          &params.switch_delay, err);
    }
    return status == SF_OK ? sf_event_sim_build(&params, simp, err) : status;
}

static enum sf_status
build_events(const struct sf_run_setup *setup,
             const struct sf_run_sizes *sizes, void **simp,
             struct sf_error *err)
{
    uint32_t *delays = sf_calloc(setup->wires->n_links, sizeof *delays);
    struct sf_event_sim *sim = NULL;
    enum sf_status status =
        delays ? build_with(setup, sizes, delays, &sim, err)
               : sf_fail(err, SF_ENOMEM, "out of memory for cables");

    free(delays);
    *simp = sim;
    return status;
}

static void
free_events(void *sim)
{
    sf_event_sim_free(sim);
}

static enum sf_status
encode_events(const void *sim, const struct sf_sim_hop *hops, uint32_t n_hops,
              struct sf_sim_route *route, struct sf_error *err)
{
    return sf_event_sim_encode(sim, hops, n_hops, route, err);
}

static enum sf_status
feed_events(void *sim, const struct sf_sim_feeder *feeder,
            struct sf_error *err)
{
    return sf_event_sim_feed(sim, feeder, err);
}

static void
wake_events(void *sim, uint32_t host)
{
    sf_event_sim_wake(sim, host);
}

static uint64_t
now_events(const void *sim)
{
    return sf_event_sim_now(sim);
}

static enum sf_status
run_events(void *sim, uint64_t n_ticks, struct sf_error *err)
{
    return sf_event_sim_run(sim, sf_event_sim_now(sim) + n_ticks, err);
}

static uint32_t
n_in_flight_events(const void *sim)
{
    return sf_event_sim_n_in_flight(sim);
}

static uint64_t
n_switch_hops_events(const void *sim)
{
    return sf_event_sim_n_switch_hops(sim);
}

static double
busy_events(const void *sim, uint32_t link, uint32_t vl)
{
    return (double)sf_event_sim_busy(sim, link, vl);
}

static double
blocked_events(const void *sim, uint32_t link)
{
    return (double)sf_event_sim_blocked(sim, link);
}

static enum sf_status
find_deadlock_events(const void *sim, struct sf_sim_deadlock *deadlock,
                     struct sf_error *err)
{
    return sf_event_sim_find_deadlock(sim, deadlock, err);
}

static double
tick_events(const struct sf_run_sizes *sizes)
{
    (void)sizes;
    return 1 / TICKS_A_SECOND;
}

static uint64_t
packet_ticks_events(const struct sf_run_sizes *sizes)
{
    return (uint64_t)llround(sizes->slot * TICKS_A_SECOND);
}

const struct sf_carrier_ops sf_carrier_events = {
    .name = "events",
    .build = build_events,
    .free = free_events,
    .encode = encode_events,
    .feed = feed_events,
    .wake = wake_events,
    .run = run_events,
    .now = now_events,
    .arrived = now_events, /* A packet is delivered at its moment. */
    .n_in_flight = n_in_flight_events,
    .n_switch_hops = n_switch_hops_events,
    .busy = busy_events,
    .blocked = blocked_events,
    .find_deadlock = find_deadlock_events,
    .tick = tick_events,
    .packet_ticks = packet_ticks_events,
};
