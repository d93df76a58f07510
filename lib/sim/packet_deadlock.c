/* packet_deadlock.c -- cycles of waiting.
 *
 * Begin with all full buffers as suspects.  A buffer is cleared if one of its
 * packets that may move next waits for a buffer that is cleared or has room;
 * these packets stand in the queue of what they wait for, so each queue is
 * looked at once.  Who remains waits only for others who remain: none of them
 * ever moves. */
#include "sim/packet_deadlock.h"

#include "base/mem.h"
#include "sim/packet_state.h"

struct search {
    const struct sf_packet_sim *sim;
    bool *is_stuck; /* [channels] Not cleared yet. */
    uint32_t *work; /* [channels] Cleared, with a queue to be looked at. */
    uint32_t n_work;
    uint32_t *wants; /* [channels] For which one a packet in it waits. */
};

static void
suspect_full_buffers(struct search *search)
{
    for (uint32_t i = 0; i < search->sim->n_channels; i++) {
        search->is_stuck[i] = search->sim->channels[i].room == 0;
        if (!search->is_stuck[i]) {
            search->work[search->n_work++] = i;
        }
    }
}

static void
clear_who_waits_for(struct search *search, uint32_t channel)
{
    const struct packet *packets = search->sim->packets;

    for (uint32_t i = search->sim->channels[channel].queue.first; i != SF_NONE;
         i = packets[i].next) {
        uint32_t at = packets[i].at;
        if (search->is_stuck[at]) {
            search->is_stuck[at] = false;
            search->work[search->n_work++] = at;
        }
    }
}

/* Counts the stuck buffers, notes for which a packet in each waits, and
 * returns one of them. */
static uint32_t
follow_stuck(struct search *search, uint32_t *n_stuckp)
{
    const struct sf_packet_sim *sim = search->sim;
    uint32_t found = SF_NONE;

    *n_stuckp = 0;
    for (uint32_t i = 0; i < sim->n_channels; i++) {
        if (!search->is_stuck[i]) {
            continue;
        }
        ++*n_stuckp;
        found = i;
        for (uint32_t j = sim->channels[i].queue.first; j != SF_NONE;
             j = sim->packets[j].next) {
            search->wants[sim->packets[j].at] = i;
        }
    }
    return found;
}

enum sf_status
sf_deadlock_list_cycle(const uint32_t *wants, uint32_t *steps,
                       uint32_t n_channels, uint32_t vl_bits, uint32_t channel,
                       struct sf_sim_deadlock *deadlock, struct sf_error *err)
{
    uint32_t step = 1;

    for (uint32_t i = 0; i < n_channels; i++) {
        steps[i] = 0;
    }
    for (; !steps[channel]; channel = wants[channel]) {
        steps[channel] = step++;
    }
    deadlock->n_cycle = step - steps[channel];
    deadlock->cycle = sf_calloc(deadlock->n_cycle, sizeof *deadlock->cycle);
    if (!deadlock->cycle) {
        *deadlock = (struct sf_sim_deadlock){ 0 };
        return sf_fail(err, SF_ENOMEM, "a deadlock of %u buffers",
                       step - steps[channel]);
    }
    for (uint32_t i = 0; i < deadlock->n_cycle; i++) {
        deadlock->cycle[i] = (struct sf_sim_hop){
            .link = channel >> vl_bits,
            .vl = channel & ((1u << vl_bits) - 1),
        };
        channel = wants[channel];
    }
    return SF_OK;
}

enum sf_status
sf_packet_sim_find_deadlock(const struct sf_packet_sim *sim,
                            struct sf_sim_deadlock *deadlock,
                            struct sf_error *err)
{
    enum sf_status status = SF_OK;
    uint32_t n = sim->n_channels;
    struct search search = {
        .sim = sim,
        .is_stuck = sf_calloc(n, sizeof *search.is_stuck),
        .work = sf_calloc(n, sizeof *search.work),
        .wants = sf_calloc(n, sizeof *search.wants),
    };

    *deadlock = (struct sf_sim_deadlock){ 0 };
    if (!search.is_stuck || !search.work || !search.wants) {
        status =
            sf_fail(err, SF_ENOMEM, "search for deadlock in %u buffers", n);
        goto done;
    }
    suspect_full_buffers(&search);
    while (search.n_work > 0) {
        clear_who_waits_for(&search, search.work[--search.n_work]);
    }
    uint32_t found = follow_stuck(&search, &deadlock->n_stuck);
    if (found != SF_NONE) {
        status = sf_deadlock_list_cycle(search.wants, search.work, n,
                                        sim->vl_bits, found, deadlock, err);
    }
done:
    free(search.wants);
    free(search.work);
    free(search.is_stuck);
    return status;
}

void
sf_sim_deadlock_clear(struct sf_sim_deadlock *deadlock)
{
    free(deadlock->cycle);
    *deadlock = (struct sf_sim_deadlock){ 0 };
}
