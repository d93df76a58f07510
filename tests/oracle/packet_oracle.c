#include "oracle/packet_oracle.h"

#include "oracle/oracle.h"

#include <stdlib.h>

struct oracle_packets *
oracle_packets_make(const struct sf_packet_params *params,
                    struct oracle_packet *packets, uint32_t n_packets)
{
    struct oracle_packets *oracle = oracle_calloc(1, sizeof *oracle);
    oracle->params = *params;
    oracle->packets = packets;
    oracle->n_packets = n_packets;
    oracle->turn = oracle_calloc(params->n_links, sizeof *oracle->turn);
    oracle->n_blocked =
        oracle_calloc(params->n_links, sizeof *oracle->n_blocked);
    for (uint32_t i = 0; i < n_packets; i++) {
        packets[i].n_done = 0;
        packets[i].waits = 0;
        packets[i].delivered = SF_NONE;
    }
    return oracle;
}

void
oracle_packets_free(struct oracle_packets *oracle)
{
    free(oracle->n_blocked);
    free(oracle->turn);
    free(oracle);
}

static bool
same(struct sf_sim_hop a, struct sf_sim_hop b)
{
    return a.link == b.link && a.vl == b.vl;
}

static bool
is_in_network(const struct oracle_packet *packet)
{
    return packet->n_done > 0 && packet->n_done < packet->n_hops;
}

static bool
is_in(const struct oracle_packet *packet, struct sf_sim_hop buffer)
{
    return is_in_network(packet) &&
           same(packet->hops[packet->n_done - 1], buffer);
}

uint32_t
oracle_packets_in(const struct oracle_packets *oracle,
                  struct sf_sim_hop buffer)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        n += is_in(&oracle->packets[i], buffer);
    }
    return n;
}

bool
oracle_packets_waits(const struct oracle_packets *oracle,
                     struct sf_sim_hop from, struct sf_sim_hop to)
{
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        const struct oracle_packet *packet = &oracle->packets[i];
        if (is_in(packet, from) && packet->waits &&
            same(packet->hops[packet->n_done], to)) {
            return true;
        }
    }
    return false;
}

static bool
has_room(const struct oracle_packets *oracle, struct sf_sim_hop hop)
{
    return oracle->params.links[hop.link].to < oracle->params.n_hosts ||
           oracle_packets_in(oracle, hop) < oracle->params.buffer;
}

/* The packet that a host sends; SF_NONE. */
static uint32_t
choose_new(const struct oracle_packets *oracle, uint32_t host)
{
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        const struct oracle_packet *packet = &oracle->packets[i];
        if (packet->host == host && packet->n_done == 0 &&
            packet->born <= oracle->slot &&
            has_room(oracle, packet->hops[0])) {
            return i;
        }
    }
    return SF_NONE;
}

/* Who waits longest for 'hop', of those whose input is not used; SF_NONE. */
static uint32_t
choose_waiting(const struct oracle_packets *oracle, struct sf_sim_hop hop,
               const bool *is_used)
{
    uint32_t best = SF_NONE;
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        const struct oracle_packet *packet = &oracle->packets[i];
        if (is_in_network(packet) && packet->waits &&
            same(packet->hops[packet->n_done], hop) &&
            !is_used[packet->hops[packet->n_done - 1].link] &&
            (best == SF_NONE || packet->waits < oracle->packets[best].waits)) {
            best = i;
        }
    }
    return best;
}

/* The packet that a link out of a switch carries; SF_NONE. */
static uint32_t
choose(struct oracle_packets *oracle, uint32_t link, bool *is_used)
{
    uint32_t n_vls = oracle->params.n_vls;

    for (uint32_t i = 0; i < n_vls; i++) {
        struct sf_sim_hop hop = { link, (oracle->turn[link] + i) % n_vls };
        uint32_t found = has_room(oracle, hop)
                             ? choose_waiting(oracle, hop, is_used)
                             : SF_NONE;
        if (found != SF_NONE) {
            const struct oracle_packet *packet = &oracle->packets[found];
            is_used[packet->hops[packet->n_done - 1].link] =
                oracle->params.queues == SF_SIM_FIFO;
            oracle->turn[link] = (hop.vl + 1) % n_vls;
            return found;
        }
    }
    return SF_NONE;
}

/* Counts links for which packets wait, none of them with room. */
static void
count_blocked(struct oracle_packets *oracle)
{
    for (uint32_t i = oracle->params.n_hosts; i < oracle->params.n_links;
         i++) {
        bool waits = false, goes = false;
        for (uint32_t j = 0; j < oracle->n_packets; j++) {
            const struct oracle_packet *packet = &oracle->packets[j];
            if (is_in_network(packet) && packet->waits &&
                packet->hops[packet->n_done].link == i) {
                waits = true;
                goes |= has_room(oracle, packet->hops[packet->n_done]);
            }
        }
        oracle->n_blocked[i] += waits && !goes;
    }
}

/* The packet of a buffer that entered first; NULL if it is empty. */
static struct oracle_packet *
first_in(const struct oracle_packets *oracle, struct sf_sim_hop buffer)
{
    struct oracle_packet *first = NULL;
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        struct oracle_packet *packet = &oracle->packets[i];
        if (is_in(packet, buffer) &&
            (!first || packet->entered < first->entered)) {
            first = packet;
        }
    }
    return first;
}

/* Lets the first packet of a buffer wait, if it does not yet. */
static void
begin_waiting(struct oracle_packets *oracle, struct sf_sim_hop buffer)
{
    struct oracle_packet *first = first_in(oracle, buffer);
    if (first && !first->waits) {
        first->waits = ++oracle->clock;
    }
}

static void
move(struct oracle_packets *oracle, struct oracle_packet *packet)
{
    packet->waits = 0;
    packet->entered = ++oracle->clock;
    packet->n_done++;
    if (packet->n_done > 1) {
        begin_waiting(oracle, packet->hops[packet->n_done - 2]);
    }
    if (packet->n_done == packet->n_hops) {
        packet->delivered = oracle->slot;
    } else if (oracle->params.queues == SF_SIM_VOQ) {
        packet->waits = ++oracle->clock;
    } else {
        begin_waiting(oracle, packet->hops[packet->n_done - 1]);
    }
}

static bool
is_upwards(uint32_t slot)
{
    uint32_t n_ones = 0;
    for (; slot; slot /= 2) {
        n_ones += slot % 2;
    }
    return n_ones % 2 == 0;
}

void
oracle_packets_step(struct oracle_packets *oracle)
{
    uint32_t n_links = oracle->params.n_links;
    uint32_t *chosen = oracle_calloc(n_links, sizeof *chosen);
    bool *is_used = oracle_calloc(n_links, sizeof *is_used);
    bool upwards = is_upwards(oracle->slot);

    count_blocked(oracle);
    for (uint32_t i = 0; i < n_links; i++) {
        uint32_t link = upwards ? i : n_links - 1 - i;
        chosen[i] = link < oracle->params.n_hosts
                        ? choose_new(oracle, link)
                        : choose(oracle, link, is_used);
    }
    for (uint32_t i = 0; i < n_links; i++) {
        if (chosen[i] != SF_NONE) {
            move(oracle, &oracle->packets[chosen[i]]);
        }
    }
    oracle->slot++;
    free(is_used);
    free(chosen);
}
