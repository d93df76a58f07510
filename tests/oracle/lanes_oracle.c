#include "lanes_oracle.h"

#include "oracle/oracle.h"
#include "slimfly/ib_addresses.h"

#include <stdlib.h>

#define N_VLS 16

/* Dependencies: waits[c * (most ports + 1) + out] are the VLs, one bit each,
 * on out port 'out' of the next switch for which channel c waits.  Channel c
 * is port c / N_VLS of the fabric on VL c % N_VLS. */
struct waits {
    uint32_t n_channels, width;
    uint16_t *vls;
};

static bool
has_lid(const struct sf_fabric *fabric, uint32_t i, uint32_t lid)
{
    const struct sf_ib_port *port = sf_ib_port(fabric, i);

    return port->lid != 0 && lid >= port->lid &&
           lid < port->lid + (1u << port->lmc);
}

uint32_t
oracle_lid_home(const struct sf_fabric *fabric, uint32_t lid)
{
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        if (sf_ib_node(fabric, s)->lid == lid) {
            return s;
        }
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (port->node >= fabric->n_switches && has_lid(fabric, i, lid) &&
            port->peer != SF_NONE) {
            return fabric->ports[port->peer].node;
        }
    }
    return SF_NONE;
}

uint32_t
oracle_follow(const struct sf_fabric *fabric, const struct sf_tables *tables,
              uint32_t s, uint32_t lid, uint32_t *ports)
{
    for (uint32_t n = 0; n < fabric->n_switches; n++) {
        const struct sf_node *node = &fabric->nodes[s];
        uint32_t number =
            tables->ports[(size_t)s * (tables->max_lid + 1) + lid];
        if (number == 0) {
            return sf_ib_node(fabric, s)->lid == lid ? n : SF_NONE;
        }
        if (number > node->n_ports) {
            return SF_NONE;
        }
        uint32_t port = node->first_port + number - 1;
        uint32_t peer = fabric->ports[port].peer;
        if (peer == SF_NONE) {
            return SF_NONE;
        }
        if (fabric->ports[peer].node >= fabric->n_switches) {
            return has_lid(fabric, peer, lid) ? n : SF_NONE;
        }
        ports[n] = port;
        s = fabric->ports[peer].node;
    }
    return SF_NONE;
}

/* Sends one packet that comes in at port number 'in' of the first switch over
 * 'ports' with 'sl'. */
static void
send(const struct oracle_traffic *traffic, uint32_t in, const uint32_t *ports,
     uint32_t n, uint32_t sl, struct waits *waits,
     struct oracle_verdict *verdict)
{
    const struct sf_fabric *fabric = traffic->fabric;
    const struct sf_sl2vl *sl2vl = traffic->sl2vl;
    uint32_t before = SF_NONE;

    for (uint32_t i = 0; i < n; i++) {
        const struct sf_port *port = &fabric->ports[ports[i]];
        uint32_t vl = 0;
        if (sl2vl) {
            size_t width = sl2vl->n_ports[port->node] + 1;
            vl = sl2vl->vls[sl2vl->first[port->node] +
                            (in * width + port->number) * SF_N_SLS + sl];
        }
        if (vl >= 15) {
            verdict->n_unsaid += vl != 15;
            verdict->n_dropped += vl == 15;
            return;
        }
        verdict->n_vls = vl + 1 > verdict->n_vls ? vl + 1 : verdict->n_vls;
        if (before != SF_NONE) {
            waits->vls[(size_t)before * waits->width + port->number] |=
                (uint16_t)(1u << vl);
        }
        before = ports[i] * N_VLS + vl;
        in = fabric->ports[port->peer].number;
    }
}

/* Sends from all that switch 's' has to 'lid', with 'sl'. */
static void
send_all(const struct oracle_traffic *traffic, uint32_t s, uint32_t lid,
         uint32_t sl, uint32_t *ports, struct waits *waits,
         struct oracle_verdict *verdict)
{
    const struct sf_fabric *fabric = traffic->fabric;
    const struct sf_node *node = &fabric->nodes[s];
    uint32_t n = oracle_follow(fabric, traffic->tables, s, lid, ports);

    if (n == SF_NONE) {
        verdict->n_lost++;
        return;
    }
    if (n == 0) {
        return;
    }
    verdict->most_hops = n > verdict->most_hops ? n : verdict->most_hops;
    if (traffic->with_switches) {
        send(traffic, 0, ports, n, sl, waits, verdict);
    }
    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t peer = fabric->ports[node->first_port + i].peer;
        if (peer != SF_NONE &&
            fabric->ports[peer].node >= fabric->n_switches) {
            send(traffic, i + 1, ports, n, sl, waits, verdict);
            verdict->n_sls = sl + 1 > verdict->n_sls ? sl + 1 : verdict->n_sls;
        }
    }
}

/* Whether no channel waits for itself in the end: goes down from each, as
 * deep as it gets; who comes upon a channel that it came through has found a
 * cycle. */
static bool
is_acyclic(const struct sf_fabric *fabric, const struct waits *waits)
{
    enum {
        NEW,
        OPEN,
        DONE
    };
    uint32_t n = waits->n_channels, n_next = waits->width * N_VLS;
    uint8_t *state = oracle_calloc(n, 1);
    uint32_t *stack = oracle_calloc(n, sizeof *stack);
    uint32_t *next = oracle_calloc(n, sizeof *next);
    bool is_free = true;

    for (uint32_t start = 0; is_free && start < n; start++) {
        uint32_t depth = 0;
        if (state[start] == NEW) {
            state[start] = OPEN;
            stack[depth++] = start;
        }
        while (is_free && depth > 0) {
            uint32_t c = stack[depth - 1], i = next[c]++;
            if (i == n_next) {
                state[c] = DONE;
                depth--;
                continue;
            }
            uint16_t vls = waits->vls[(size_t)c * waits->width + i / N_VLS];
            if (!(vls >> i % N_VLS & 1)) {
                continue;
            }
            uint32_t peer = fabric->ports[c / N_VLS].peer;
            uint32_t s = fabric->ports[peer].node;
            uint32_t port = fabric->nodes[s].first_port + i / N_VLS - 1;
            uint32_t d = port * N_VLS + i % N_VLS;
            is_free = state[d] != OPEN;
            if (state[d] == NEW) {
                state[d] = OPEN;
                stack[depth++] = d;
            }
        }
    }
    free(next);
    free(stack);
    free(state);
    return is_free;
}

struct oracle_verdict
oracle_judge(const struct oracle_traffic *traffic)
{
    const struct sf_fabric *fabric = traffic->fabric;
    uint32_t n = fabric->n_switches, max_lid = traffic->tables->max_lid;
    struct oracle_verdict verdict = { 0 };
    struct waits waits = { .n_channels = fabric->n_ports * N_VLS, .width = 1 };

    for (uint32_t s = 0; s < n; s++) {
        uint32_t width = fabric->nodes[s].n_ports + 1;
        waits.width = width > waits.width ? width : waits.width;
    }
    size_t n_entries = (size_t)waits.n_channels * waits.width;
    waits.vls = oracle_calloc(n_entries + 1, sizeof *waits.vls);
    uint32_t *ports = oracle_calloc((size_t)n + 1, sizeof *ports);
    uint32_t *homes = oracle_calloc((size_t)max_lid + 1, sizeof *homes);
    /* The SLs, one bit each, by which hosts of one switch ask hosts of
     * another. */
    uint16_t *asked = oracle_calloc((size_t)n * n + 1, sizeof *asked);

    for (uint32_t lid = 1; lid <= max_lid; lid++) {
        homes[lid] = oracle_lid_home(fabric, lid);
    }
    for (uint32_t s = 0; s < n; s++) {
        for (uint32_t lid = 1; lid <= max_lid; lid++) {
            uint32_t sl = traffic->one_sl;
            if (homes[lid] == SF_NONE) {
                continue;
            }
            if (traffic->path_sls) {
                sl = traffic->path_sls->sls[(size_t)s * (max_lid + 1) + lid];
            }
            if (sl >= SF_N_SLS) {
                verdict.n_unsaid += homes[lid] != s;
                sl = 0;
            }
            send_all(traffic, s, lid, sl, ports, &waits, &verdict);
            if (sf_ib_node(fabric, homes[lid])->lid != lid) {
                asked[(size_t)s * n + homes[lid]] |= (uint16_t)(1u << sl);
            }
        }
    }
    for (uint32_t d = 0; traffic->with_replies && d < n; d++) {
        for (uint32_t lid = 1; lid <= max_lid; lid++) {
            uint32_t s = homes[lid];
            if (s == SF_NONE || sf_ib_node(fabric, s)->lid == lid) {
                continue;
            }
            for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
                if (asked[(size_t)s * n + d] >> sl & 1) {
                    send_all(traffic, d, lid, sl, ports, &waits, &verdict);
                }
            }
        }
    }
    for (size_t i = 0; i < n_entries; i++) {
        for (uint16_t vls = waits.vls[i]; vls; vls &= (uint16_t)(vls - 1)) {
            verdict.n_waits++;
        }
    }
    verdict.is_free = is_acyclic(fabric, &waits);
    free(asked);
    free(homes);
    free(ports);
    free(waits.vls);
    return verdict;
}

bool
oracle_is_sound(const struct oracle_verdict *verdict)
{
    return verdict->is_free && verdict->n_lost == 0 &&
           verdict->n_unsaid == 0 && verdict->n_dropped == 0;
}
