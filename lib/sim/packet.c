/* packet.c -- networks of links and buffers: made, asked, run. */
#include "sim/packet.h"

#include "base/mem.h"
#include "sim/packet_state.h"

static enum sf_status
check_buffer(const struct sf_packet_params *params, struct sf_error *err)
{
    if (params->buffer < 1 || params->buffer > SF_SIM_MAX_BUFFER) {
        return sf_fail(err, SF_EINVAL, "buffers of %u packets; 1 to %d can be",
                       params->buffer, SF_SIM_MAX_BUFFER);
    }
    return SF_OK;
}

static bool
allocate(struct sf_packet_sim *sim)
{
    uint32_t n_links = sim->params.n_links, n_hosts = sim->params.n_hosts;
    bool is_fifo = sim->params.queues == SF_SIM_FIFO;

    sim->links = sf_calloc(n_links, sizeof *sim->links);
    sim->channels = sf_calloc(sim->n_channels, sizeof *sim->channels);
    sim->behind =
        sf_calloc(is_fifo ? sim->n_channels : 0, sizeof *sim->behind);
    sim->ready = sf_calloc(sim->n_words, sizeof *sim->ready);
    sim->moves = sf_calloc(n_links, sizeof *sim->moves);
    sim->awake = sf_calloc(sim->n_host_words, sizeof *sim->awake);
    sim->wake_at = sf_calloc(n_hosts, sizeof *sim->wake_at);
    return sim->links && sim->channels && sim->behind && sim->ready &&
           sim->moves && sim->awake && sim->wake_at;
}

static void
set_up_links(struct sf_packet_sim *sim)
{
    const struct sf_packet_params *params = &sim->params;

    for (uint32_t i = 0; i < params->n_links; i++) {
        struct sim_link *link = &sim->links[i];
        link->open = (uint16_t)((1u << params->n_vls) - 1);
        link->to_host = sf_ports_to_host(&sim->ports, i);
        link->base = sf_ports_base(&sim->ports, i);
    }
    for (uint32_t i = 0; i < sim->n_channels; i++) {
        struct channel *channel = &sim->channels[i];
        channel->queue.first = SF_NONE;
        /* A packet to a host takes a place until the end of its slot. */
        bool to_host = sim->links[i >> sim->vl_bits].to_host;
        channel->room = to_host ? SF_SIM_MAX_BUFFER : params->buffer;
        if (params->queues == SF_SIM_FIFO) {
            sim->behind[i].first = SF_NONE;
        }
    }
    for (uint32_t i = 0; i < params->n_hosts; i++) {
        sim->wake_at[i] = SF_NONE;
    }
}

enum sf_status
sf_packet_sim_build(const struct sf_packet_params *params,
                    struct sf_packet_sim **simp, struct sf_error *err)
{
    *simp = NULL;
    enum sf_status status = check_buffer(params, err);
    if (status != SF_OK) {
        return status;
    }
    struct sf_packet_sim *sim = sf_calloc(1, sizeof *sim);
    if (!sim) {
        return sf_fail(err, SF_ENOMEM, "simulation of %u links",
                       params->n_links);
    }
    status =
        sf_ports_build(&sim->ports, params->n_nodes, params->n_hosts,
                       params->links, params->n_links, params->n_vls, err);
    if (status != SF_OK) {
        sf_packet_sim_free(sim);
        return status;
    }
    sim->params = *params;
    sim->params.links = NULL;
    sim->vl_bits = sim->ports.vl_bits;
    sim->hop_bits = sim->ports.hop_bits;
    sim->n_channels = sim->ports.n_channels;
    sim->n_words = (params->n_links + 63) / 64;
    sim->n_host_words = (params->n_hosts + 63) / 64;
    sim->first_free = SF_NONE;
    sim->next_wake = SF_NONE;
    if (!allocate(sim)) {
        sf_packet_sim_free(sim);
        return sf_fail(err, SF_ENOMEM, "simulation of %u links",
                       params->n_links);
    }
    set_up_links(sim);
    *simp = sim;
    return SF_OK;
}

void
sf_packet_sim_free(struct sf_packet_sim *sim)
{
    if (!sim) {
        return;
    }
    free(sim->packets);
    free(sim->wake_at);
    free(sim->awake);
    free(sim->moves);
    free(sim->ready);
    free(sim->behind);
    free(sim->channels);
    free(sim->links);
    sf_ports_clear(&sim->ports);
    free(sim);
}

enum sf_status
sf_packet_sim_encode(const struct sf_packet_sim *sim,
                     const struct sf_sim_hop *hops, uint32_t n_hops,
                     struct sf_sim_route *route, struct sf_error *err)
{
    return sf_ports_encode(&sim->ports, hops, n_hops, route, err);
}

enum sf_status
sf_packet_sim_feed(struct sf_packet_sim *sim,
                   const struct sf_sim_feeder *feeder, struct sf_error *err)
{
    if (sf_packet_sim_n_in_flight(sim) > 0) {
        return sf_fail(err, SF_EINVAL,
                       "another feeder while %u packets are under way",
                       sf_packet_sim_n_in_flight(sim));
    }
    sim->feeder = *feeder;
    for (uint32_t i = 0; i < sim->params.n_hosts; i++) {
        sf_packet_sim_wake(sim, i);
    }
    return SF_OK;
}

void
sf_packet_sim_wake(struct sf_packet_sim *sim, uint32_t host)
{
    sim->awake[host / 64] |= (uint64_t)1 << host % 64;
    sim->wake_at[host] = SF_NONE;
}

/* Sees to it that a packet is free for each host. */
static enum sf_status
reserve_packets(struct sf_packet_sim *sim, struct sf_error *err)
{
    if (sim->n_free >= sim->params.n_hosts) {
        return SF_OK;
    }
    uint64_t n = sim->n_packets + (uint64_t)sim->n_packets / 2 +
                 sim->params.n_hosts + 64;
    struct packet *packets =
        n < SF_NONE ? sf_realloc(sim->packets, n, sizeof *packets) : NULL;
    if (!packets) {
        return sf_fail(err, SF_ENOMEM, "%llu packets in flight",
                       (unsigned long long)n);
    }
    sim->packets = packets;
    /* The lowest is taken first. */
    for (uint32_t i = (uint32_t)n; i-- > sim->n_packets;) {
        packets[i].next = sim->first_free;
        sim->first_free = i;
    }
    sim->n_free += (uint32_t)n - sim->n_packets;
    sim->n_packets = (uint32_t)n;
    return SF_OK;
}

/* If nothing moves before a host wakes, goes on to that slot: programs that
 * compute for long would else spend most of the time on empty slots. */
static void
skip_idle_slots(struct sf_packet_sim *sim, uint32_t end)
{
    if (sf_packet_sim_n_in_flight(sim) > 0) {
        return;
    }
    for (uint32_t i = 0; i < sim->n_host_words; i++) {
        if (sim->awake[i]) {
            return;
        }
    }
    uint32_t next = sim->next_wake < end ? sim->next_wake : end;
    sim->slot = next > sim->slot ? next : sim->slot;
}

enum sf_status
sf_packet_sim_run(struct sf_packet_sim *sim, uint32_t n_slots,
                  struct sf_error *err)
{
    if (n_slots >= SF_NONE - sim->slot) {
        return sf_fail(err, SF_ELIMIT,
                       "%u slots after %u; a run has at most 2^32 - 2",
                       n_slots, sim->slot);
    }
    uint32_t end = sim->slot + n_slots;
    while (sim->slot < end) {
        enum sf_status status = reserve_packets(sim, err);
        if (status != SF_OK) {
            return status;
        }
        sf_packet_sim_step(sim);
        skip_idle_slots(sim, end);
    }
    return SF_OK;
}

uint32_t
sf_packet_sim_slot(const struct sf_packet_sim *sim)
{
    return sim->slot;
}

uint32_t
sf_packet_sim_n_in_flight(const struct sf_packet_sim *sim)
{
    return sim->n_packets - sim->n_free;
}

uint64_t
sf_packet_sim_n_switch_hops(const struct sf_packet_sim *sim)
{
    return sim->n_switch_hops;
}

uint32_t
sf_packet_sim_n_carried(const struct sf_packet_sim *sim, uint32_t link,
                        uint32_t vl)
{
    return sim->channels[link << sim->vl_bits | vl].n_carried;
}

uint64_t
sf_packet_sim_n_blocked(const struct sf_packet_sim *sim, uint32_t link)
{
    const struct sim_link *state = &sim->links[link];
    return state->n_blocked +
           (is_blocked(state) ? sim->slot - state->blocked_since : 0);
}
