/* mixture_oracle.c -- see mixture_oracle.h. */
#include "mixture_oracle.h"

#include "lanes_oracle.h"
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#define MAX_VLS 16

static uint32_t
peer_of(const struct sf_fabric *fabric, uint32_t s, uint32_t port)
{
    uint32_t i = port ? sf_fabric_port(fabric, s, port) : SF_NONE;
    return i == SF_NONE ? SF_NONE : fabric->ports[i].peer;
}

bool
oracle_is_link(const struct sf_fabric *fabric, uint32_t s, uint32_t port)
{
    uint32_t peer = peer_of(fabric, s, port);
    return peer != SF_NONE && fabric->ports[peer].node < fabric->n_switches;
}

/* Whether 'port' of switch 's' leads to the owner of 'lid'. */
static bool
is_delivery(const struct oracle_change *change, uint32_t s, uint32_t port,
            uint32_t lid)
{
    const struct sf_fabric *fabric = change->fabric;
    uint32_t target = change->tables[1]->targets[lid];
    uint32_t peer = peer_of(fabric, s, port);

    return port == 0 ? target == s
                     : peer != SF_NONE && fabric->ports[peer].node == target &&
                           target >= fabric->n_switches;
}

enum end {
    ARRIVES,
    DEAD,
    LOOPS
};

/* Follows 'lid' from 's' where switch i holds the entry of side 'sides'[i]. */
static enum end
follow(const struct oracle_change *change, const int *sides, uint32_t s,
       uint32_t lid)
{
    for (uint32_t i = 0; i <= change->fabric->n_switches; i++) {
        uint32_t port = sf_tables_of(change->tables[sides[s]], s)[lid];
        if (is_delivery(change, s, port, lid)) {
            return ARRIVES;
        }
        if (!oracle_is_link(change->fabric, s, port)) {
            return DEAD;
        }
        s = change->fabric->ports[peer_of(change->fabric, s, port)].node;
    }
    return LOOPS;
}

/* Makes all mixtures for 'lid', and follows them from 's'. */
static void
judge_pair(const struct oracle_change *change, uint32_t s, uint32_t lid,
           struct oracle_mixtures *mixtures)
{
    uint32_t n = change->fabric->n_switches, n_free = 0;
    int *sides = oracle_calloc(n, sizeof *sides);
    uint32_t *free_at = oracle_calloc(n, sizeof *free_at);
    bool loops = false, dead = false;

    for (uint32_t i = 0; i < n; i++) {
        if (sf_tables_of(change->tables[0], i)[lid] !=
            sf_tables_of(change->tables[1], i)[lid]) {
            free_at[n_free++] = i;
        }
    }
    for (uint32_t mask = 0; mask < 1u << n_free; mask++) {
        for (uint32_t i = 0; i < n_free; i++) {
            sides[free_at[i]] = (int)(mask >> i & 1);
        }
        enum end end = follow(change, sides, s, lid);
        loops |= end == LOOPS;
        dead |= end == DEAD;
    }
    for (uint32_t i = 0; i < n; i++) {
        sides[i] = 0;
    }
    bool old = follow(change, sides, s, lid) == ARRIVES;
    for (uint32_t i = 0; i < n; i++) {
        sides[i] = 1;
    }
    bool new = follow(change, sides, s, lid) == ARRIVES;
    mixtures->n_loops += loops;
    mixtures->n_dead_ends += dead;
    mixtures->n_faulty += loops || dead;
    mixtures->n_faulty_old += (loops || dead) && !old;
    mixtures->n_faulty_new += (loops || dead) && !new;
    mixtures->n_mixed += (loops || dead) && old && new;
    free(free_at);
    free(sides);
}

/* What a packet for one LID has seen: the channels that it was on, by out
 * port of the fabric and VL, and for all packets what waits for what. */
struct packets {
    const struct oracle_change *change;
    uint32_t n_channels;
    bool *was_here; /* [n_channels] With this LID and SL. */
    bool *is_used;  /* [n_channels] */
    bool *waits;    /* [n_channels^2] */
};

static uint8_t
vl_of(const struct oracle_change *change, int lane, uint32_t s, uint32_t in,
      uint32_t out, uint32_t sl)
{
    const struct sf_sl2vl *sl2vl = change->sl2vl[lane];
    return sl2vl ? sf_sl2vl_of(sl2vl, s, in, out)[sl] : 0;
}

/* A packet is on the channel of out port 'out' of 's', on 'vl'. */
static void
go(struct packets *packets, uint32_t s, uint32_t out, uint32_t vl,
   uint32_t lid, uint32_t sl)
{
    const struct oracle_change *change = packets->change;
    const struct sf_fabric *fabric = change->fabric;
    uint32_t channel = sf_fabric_port(fabric, s, out) * MAX_VLS + vl;

    packets->is_used[channel] = true;
    if (packets->was_here[channel]) {
        return;
    }
    packets->was_here[channel] = true;
    const struct sf_port *in = &fabric->ports[peer_of(fabric, s, out)];
    for (int side = 0; side < 2; side++) {
        uint32_t port = sf_tables_of(change->tables[side], in->node)[lid];
        for (int lane = 0; oracle_is_link(fabric, in->node, port) && lane < 2;
             lane++) {
            uint8_t next = vl_of(change, lane, in->node, in->number, port, sl);
            if (next < SF_DROP_VL) {
                uint32_t to =
                    sf_fabric_port(fabric, in->node, port) * MAX_VLS + next;
                packets->waits[(size_t)channel * packets->n_channels + to] =
                    true;
                go(packets, in->node, port, next, lid, sl);
            }
        }
    }
}

/* Starts packets with 'sl' at each host of switch 's'. */
static void
start(struct packets *packets, uint32_t s, uint32_t lid, uint32_t sl)
{
    const struct oracle_change *change = packets->change;
    const struct sf_node *node = &change->fabric->nodes[s];

    for (uint32_t in = 1; in <= node->n_ports; in++) {
        if (peer_of(change->fabric, s, in) == SF_NONE ||
            oracle_is_link(change->fabric, s, in)) {
            continue;
        }
        for (int i = 0; i < 4; i++) {
            uint32_t port = sf_tables_of(change->tables[i % 2], s)[lid];
            uint8_t vl = oracle_is_link(change->fabric, s, port)
                             ? vl_of(change, i / 2, s, in, port, sl)
                             : SF_DROP_VL;
            if (vl < SF_DROP_VL) {
                go(packets, s, port, vl, lid, sl);
            }
        }
    }
}

static void
send_all(struct packets *packets)
{
    const struct oracle_change *change = packets->change;

    for (uint32_t lid = 1; lid <= change->tables[1]->max_lid; lid++) {
        for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
            memset(packets->was_here, 0, packets->n_channels);
            for (uint32_t s = 0; s < change->fabric->n_switches; s++) {
                bool has_sl = change->one_sl == (int)sl;
                for (int side = 0; change->one_sl < 0 && side < 2; side++) {
                    const struct sf_path_sls *sls = change->path_sls[side];
                    uint8_t said = sls ? sf_path_sls_of(sls, s)[lid] : 0;
                    has_sl |= (said == SF_NO_SL ? 0u : said) == sl;
                }
                if (has_sl && change->tables[1]->targets[lid] != SF_NONE) {
                    start(packets, s, lid, sl);
                }
            }
        }
    }
}

/* The channels of a shortest circle through 'start', or 0. */
static uint32_t
shortest_from(const struct packets *packets, uint32_t start)
{
    uint32_t n = packets->n_channels, n_queued = 0, found = 0;
    uint32_t *queue = oracle_calloc(n, sizeof *queue);
    uint32_t *far = oracle_calloc(n, sizeof *far);

    queue[n_queued++] = start;
    far[start] = 1;
    for (uint32_t i = 0; i < n_queued && !found; i++) {
        for (uint32_t d = 0; d < n && !found; d++) {
            if (!packets->waits[(size_t)queue[i] * n + d]) {
                continue;
            }
            if (d == start) {
                found = far[queue[i]];
            } else if (!far[d]) {
                far[d] = far[queue[i]] + 1;
                queue[n_queued++] = d;
            }
        }
    }
    free(far);
    free(queue);
    return found;
}

struct oracle_mixtures
oracle_mix(const struct oracle_change *change)
{
    struct oracle_mixtures mixtures = { 0 };
    uint32_t n = change->fabric->n_ports * MAX_VLS;
    struct packets packets = { change, n, oracle_calloc(n, 1),
                               oracle_calloc(n, 1),
                               oracle_calloc((size_t)n * n, 1) };

    for (uint32_t lid = 1; lid <= change->tables[1]->max_lid; lid++) {
        for (uint32_t s = 0; change->tables[1]->targets[lid] != SF_NONE &&
                             s < change->fabric->n_switches;
             s++) {
            judge_pair(change, s, lid, &mixtures);
        }
    }
    send_all(&packets);
    for (uint32_t c = 0; c < n; c++) {
        mixtures.n_channels += packets.is_used[c];
        for (uint32_t d = 0; packets.is_used[c] && d < n; d++) {
            mixtures.n_waits += packets.waits[(size_t)c * n + d];
        }
        uint32_t length = packets.is_used[c] ? shortest_from(&packets, c) : 0;
        if (length && (!mixtures.n_shortest || length < mixtures.n_shortest)) {
            mixtures.n_shortest = length;
        }
    }
    free(packets.waits);
    free(packets.is_used);
    free(packets.was_here);
    return mixtures;
}
