/* packet_check.c -- whether the state of a simulated network adds up. */
#include "sim/packet.h"

#include "base/mem.h"
#include "sim/packet_state.h"

/* Adds the packets of a queue to the buffers they are in; counts them. */
static uint32_t
count_queue(const struct sf_packet_sim *sim, const struct queue *queue,
            uint32_t *n_in)
{
    uint32_t n = 0;
    for (uint32_t i = queue->first; i != SF_NONE && n < sim->n_packets;
         i = sim->packets[i].next) {
        n_in[sim->packets[i].at]++;
        n++;
    }
    return n;
}

static enum sf_status
check_channel(const struct sf_packet_sim *sim, uint32_t number, uint32_t n_in,
              struct sf_error *err)
{
    const struct channel *channel = &sim->channels[number];
    const struct sim_link *link = &sim->links[number >> sim->vl_bits];
    uint32_t bit = 1u << (number & ((1u << sim->vl_bits) - 1));
    uint32_t size = link->to_host ? SF_SIM_MAX_BUFFER : sim->params.buffer;

    if (n_in + channel->room != size) {
        return sf_fail(err, SF_EINVAL,
                       "buffer %u of %u packets has %u and room for %u",
                       number, size, n_in, channel->room);
    }
    bool is_lane = bit >> sim->params.n_vls == 0;
    if (is_lane && !(link->open & bit) != (channel->room == 0)) {
        return sf_fail(err, SF_EINVAL, "buffer %u: room for %u, open %x",
                       number, channel->room, link->open);
    }
    if (!(link->waiting & bit) != (channel->queue.first == SF_NONE)) {
        return sf_fail(err, SF_EINVAL, "channel %u: waiting %x", number,
                       link->waiting);
    }
    return SF_OK;
}

static enum sf_status
check_ready(const struct sf_packet_sim *sim, struct sf_error *err)
{
    for (uint32_t i = 0; i < sim->params.n_links; i++) {
        bool is_ready = sim->links[i].waiting & sim->links[i].open;
        bool is_marked = sim->ready[i / 64] >> i % 64 & 1;
        if (is_ready != is_marked) {
            return sf_fail(err, SF_EINVAL, "link %u is %sready, marked %d", i,
                           is_ready ? "" : "not ", is_marked);
        }
    }
    return SF_OK;
}

enum sf_status
sf_packet_sim_check(const struct sf_packet_sim *sim, struct sf_error *err)
{
    uint32_t n_found = 0;
    enum sf_status status = SF_OK;
    uint32_t *n_in = sf_calloc(sim->n_channels, sizeof *n_in);
    if (!n_in) {
        return sf_fail(err, SF_ENOMEM, "check of %u buffers", sim->n_channels);
    }
    for (uint32_t i = 0; i < sim->n_channels; i++) {
        n_found += count_queue(sim, &sim->channels[i].queue, n_in);
        if (sim->params.queues == SF_SIM_FIFO) {
            n_found += count_queue(sim, &sim->behind[i], n_in);
        }
    }
    if (n_found != sf_packet_sim_n_in_flight(sim)) {
        status = sf_fail(err, SF_EINVAL, "%u packets in queues, %u in flight",
                         n_found, sf_packet_sim_n_in_flight(sim));
    }
    for (uint32_t i = 0; status == SF_OK && i < sim->n_channels; i++) {
        status = check_channel(sim, i, n_in[i], err);
    }
    free(n_in);
    return status == SF_OK ? check_ready(sim, err) : status;
}
