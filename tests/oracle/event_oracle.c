#include "oracle/event_oracle.h"

#include "oracle/oracle.h"

#include <stdlib.h>

struct event_oracle *
event_oracle_make(const struct sf_event_params *params,
                  struct event_oracle_packet *packets, uint32_t n_packets)
{
    struct event_oracle *oracle = oracle_calloc(1, sizeof *oracle);

    oracle->params = *params;
    oracle->packets = packets;
    oracle->n_packets = n_packets;
    oracle->turn = oracle_calloc(params->n_links, sizeof *oracle->turn);
    oracle->blocked = oracle_calloc(params->n_links, sizeof *oracle->blocked);
    for (uint32_t i = 0; i < n_packets; i++) {
        packets[i].n_done = 0;
        packets[i].came = packets[i].waits = 0;
    }
    return oracle;
}

void
event_oracle_free(struct event_oracle *oracle)
{
    free(oracle->turn);
    free(oracle->blocked);
    free(oracle);
}

/* To the nearest picosecond; small numbers only. */
static uint64_t
duration(const struct event_oracle *oracle, uint32_t bytes)
{
    uint64_t rate = oracle->params.rate;
    return (2 * bytes * UINT64_C(1000000000000) + rate) / (2 * rate);
}

static uint64_t
delay(const struct event_oracle *oracle, uint32_t link)
{
    return oracle->params.delays ? oracle->params.delays[link] : 0;
}

static bool
is_hop(struct sf_sim_hop a, struct sf_sim_hop b)
{
    return a.link == b.link && a.vl == b.vl;
}

/* When the tail of a packet has left for hop 'i'; SF_NEVER. */
static uint64_t
tail_left(const struct event_oracle *oracle,
          const struct event_oracle_packet *packet, uint32_t i)
{
    return i < packet->n_done
               ? packet->starts[i] + duration(oracle, packet->bytes)
               : SF_NEVER;
}

/* When a packet can be sent on after hop 'i'; SF_NEVER. */
static uint64_t
ready(const struct event_oracle *oracle,
      const struct event_oracle_packet *packet, uint32_t i)
{
    return i < packet->n_done && i + 1 < packet->n_hops
               ? packet->starts[i] + delay(oracle, packet->hops[i].link) +
                     oracle->params.switch_delay
               : SF_NEVER;
}

/* When the credit of hop 'i' is back; SF_NEVER. */
static uint64_t
credit_back(const struct event_oracle *oracle,
            const struct event_oracle_packet *packet, uint32_t i)
{
    uint64_t left = tail_left(oracle, packet, i + 1);
    return left == SF_NEVER ? SF_NEVER
                            : left + delay(oracle, packet->hops[i].link);
}

uint64_t
event_oracle_delivery(const struct event_oracle *oracle,
                      const struct event_oracle_packet *packet)
{
    uint32_t last = packet->n_hops - 1;
    uint64_t left = tail_left(oracle, packet, last);
    return left == SF_NEVER ? SF_NEVER
                            : left + delay(oracle, packet->hops[last].link);
}

/* Whether 'bytes' may be sent over 'hop' by what the sender knows. */
static bool
has_credit(const struct event_oracle *oracle, struct sf_sim_hop hop,
           uint32_t bytes)
{
    uint64_t used = 0;

    if (oracle->params.links[hop.link].to < oracle->params.n_hosts) {
        return true;
    }
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        const struct event_oracle_packet *packet = &oracle->packets[i];
        for (uint32_t j = 0; j < packet->n_done; j++) {
            if (is_hop(packet->hops[j], hop) &&
                credit_back(oracle, packet, j) > oracle->now) {
                used += packet->bytes;
            }
        }
    }
    return used + bytes <= oracle->params.buffer;
}

static bool
is_idle(const struct event_oracle *oracle, uint32_t link)
{
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        const struct event_oracle_packet *packet = &oracle->packets[i];
        for (uint32_t j = 0; j < packet->n_done; j++) {
            if (packet->hops[j].link == link &&
                tail_left(oracle, packet, j) > oracle->now) {
                return false;
            }
        }
    }
    return true;
}

/* Whether a packet is leaving one of the buffers behind 'link'. */
static bool
hands_over(const struct event_oracle *oracle, uint32_t link)
{
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        const struct event_oracle_packet *packet = &oracle->packets[i];
        for (uint32_t j = 0; j + 1 < packet->n_done; j++) {
            if (packet->hops[j].link == link &&
                tail_left(oracle, packet, j + 1) > oracle->now) {
                return true;
            }
        }
    }
    return false;
}

static bool
is_in(const struct event_oracle_packet *packet, struct sf_sim_hop buffer)
{
    return packet->n_done > 0 && packet->n_done < packet->n_hops &&
           is_hop(packet->hops[packet->n_done - 1], buffer);
}

/* Lets the first packet of a buffer wait, unless another is still leaving. */
static void
begin_waiting(struct event_oracle *oracle, struct sf_sim_hop buffer)
{
    struct event_oracle_packet *first = NULL;

    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        struct event_oracle_packet *packet = &oracle->packets[i];
        for (uint32_t j = 0; j + 1 < packet->n_done; j++) {
            if (is_hop(packet->hops[j], buffer) &&
                tail_left(oracle, packet, j + 1) > oracle->now) {
                return;
            }
        }
        if (is_in(packet, buffer) && packet->came &&
            (!first || packet->came < first->came)) {
            first = packet;
        }
    }
    if (first && !first->waits) {
        first->waits = ++oracle->clock;
    }
}

/* What leaves over 'link' and has now left makes another one the first. */
static void
note_left(struct event_oracle *oracle, uint32_t link)
{
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        const struct event_oracle_packet *packet = &oracle->packets[i];
        for (uint32_t j = 1; j < packet->n_done; j++) {
            if (packet->hops[j].link == link &&
                tail_left(oracle, packet, j) == oracle->now) {
                begin_waiting(oracle, packet->hops[j - 1]);
            }
        }
    }
}

/* A packet behind 'link' has now got ready. */
static void
note_ready(struct event_oracle *oracle, uint32_t link)
{
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        struct event_oracle_packet *packet = &oracle->packets[i];
        uint32_t last = packet->n_done - 1;
        if (packet->n_done == 0 || packet->hops[last].link != link ||
            packet->came || ready(oracle, packet, last) != oracle->now) {
            continue;
        }
        packet->came = ++oracle->clock;
        if (oracle->params.queues == SF_SIM_VOQ) {
            packet->waits = ++oracle->clock;
        } else {
            begin_waiting(oracle, packet->hops[last]);
        }
    }
}

static void
start(struct event_oracle *oracle, struct event_oracle_packet *packet)
{
    packet->starts[packet->n_done++] = oracle->now;
    packet->came = packet->waits = 0;
}

/* Of the packets that wait for a hop, the next after 'last'; NULL if there is
 * none. */
static struct event_oracle_packet *
next_waiting(const struct event_oracle *oracle, struct sf_sim_hop hop,
             const struct event_oracle_packet *last)
{
    struct event_oracle_packet *next = NULL;

    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        struct event_oracle_packet *packet = &oracle->packets[i];
        if (packet->waits > (last ? last->waits : 0) &&
            is_hop(packet->hops[packet->n_done], hop) &&
            (!next || packet->waits < next->waits)) {
            next = packet;
        }
    }
    return next;
}

/* The packet that may start on a hop; NULL if none may. */
static struct event_oracle_packet *
choose(const struct event_oracle *oracle, struct sf_sim_hop hop)
{
    struct event_oracle_packet *packet = NULL;

    while ((packet = next_waiting(oracle, hop, packet)) &&
           has_credit(oracle, hop, packet->bytes)) {
        if (oracle->params.queues == SF_SIM_VOQ ||
            !hands_over(oracle, packet->hops[packet->n_done - 1].link)) {
            return packet;
        }
    }
    return NULL;
}

/* A link out of a switch sends, if it can. */
static bool
decide(struct event_oracle *oracle, uint32_t link)
{
    uint32_t n_vls = oracle->params.n_vls;

    if (!is_idle(oracle, link)) {
        return false;
    }
    for (uint32_t i = 0; i < n_vls; i++) {
        struct sf_sim_hop hop = { link, (oracle->turn[link] + i) % n_vls };
        struct event_oracle_packet *packet = choose(oracle, hop);
        if (packet) {
            start(oracle, packet);
            oracle->turn[link] = (hop.vl + 1) % n_vls;
            return true;
        }
    }
    return false;
}

static bool
decide_host(struct event_oracle *oracle, uint32_t host)
{
    if (!is_idle(oracle, host)) {
        return false;
    }
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        struct event_oracle_packet *packet = &oracle->packets[i];
        if (packet->host == host && packet->n_done == 0 &&
            packet->born <= oracle->now &&
            has_credit(oracle, packet->hops[0], oracle->params.packet_bytes)) {
            start(oracle, packet);
            return true;
        }
    }
    return false;
}

void
event_oracle_act(struct event_oracle *oracle)
{
    uint32_t n = oracle->params.n_links;
    bool upwards = sf_event_upwards(oracle->now), any = true;

    while (any) {
        for (uint32_t i = 0; oracle->params.queues == SF_SIM_FIFO && i < n;
             i++) {
            note_left(oracle, upwards ? i : n - 1 - i);
        }
        for (uint32_t i = 0; i < n; i++) {
            note_ready(oracle, upwards ? i : n - 1 - i);
        }
        any = false;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t link = upwards ? i : n - 1 - i;
            any |= link < oracle->params.n_hosts ? decide_host(oracle, link)
                                                 : decide(oracle, link);
        }
    }
}

static bool
is_blocked(const struct event_oracle *oracle, uint32_t link)
{
    bool waits = false;

    for (uint32_t vl = 0; vl < oracle->params.n_vls; vl++) {
        struct sf_sim_hop hop = { link, vl };
        const struct event_oracle_packet *first =
            next_waiting(oracle, hop, NULL);
        if (first && has_credit(oracle, hop, first->bytes)) {
            return false;
        }
        waits |= first != NULL;
    }
    return waits && is_idle(oracle, link);
}

/* The lower of two times, if it is still to come. */
static uint64_t
sooner(const struct event_oracle *oracle, uint64_t next, uint64_t time)
{
    return time > oracle->now && time < next ? time : next;
}

bool
event_oracle_advance(struct event_oracle *oracle)
{
    uint64_t next = SF_NEVER;

    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        const struct event_oracle_packet *packet = &oracle->packets[i];
        next = sooner(oracle, next, packet->born);
        next = sooner(oracle, next, event_oracle_delivery(oracle, packet));
        for (uint32_t j = 0; j < packet->n_done; j++) {
            next = sooner(oracle, next, tail_left(oracle, packet, j));
            next = sooner(oracle, next, ready(oracle, packet, j));
            next = sooner(oracle, next, credit_back(oracle, packet, j));
        }
    }
    if (next == SF_NEVER) {
        return false;
    }
    for (uint32_t i = oracle->params.n_hosts; i < oracle->params.n_links;
         i++) {
        oracle->blocked[i] += is_blocked(oracle, i) ? next - oracle->now : 0;
    }
    oracle->now = next;
    return true;
}

uint64_t
event_oracle_busy(const struct event_oracle *oracle, struct sf_sim_hop hop)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        const struct event_oracle_packet *packet = &oracle->packets[i];
        for (uint32_t j = 0; j < packet->n_done; j++) {
            uint64_t end = tail_left(oracle, packet, j);
            if (is_hop(packet->hops[j], hop)) {
                sum += (end < oracle->now ? end : oracle->now) -
                       packet->starts[j];
            }
        }
    }
    return sum;
}

bool
event_oracle_waits(const struct event_oracle *oracle, struct sf_sim_hop from,
                   struct sf_sim_hop to)
{
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        const struct event_oracle_packet *packet = &oracle->packets[i];
        if (is_in(packet, from) && is_hop(packet->hops[packet->n_done], to)) {
            return true;
        }
    }
    return false;
}
