/* step_walk.c -- which channels packets wait for while a column changes.  Each
 * switch holds the entry of before or of after the step; a breadth-first
 * search finds all channels that a packet can be on. */
#include "ib/stepper.h"

uint32_t
sf_stepper_arc(const struct stepper *stepper, uint32_t s, uint8_t port)
{
    uint32_t found = port == SF_NO_PORT
                         ? SF_NONE
                         : sf_fabric_port(stepper->fabric, s, port);
    return found == SF_NONE ? SF_NONE : stepper->waits->arc_of_port[found];
}

static bool
has_same_vls(const struct sf_sl2vl *sl2vl)
{
    for (uint32_t s = 0; sl2vl && s < sl2vl->n_switches; s++) {
        size_t n = (size_t)(sl2vl->n_ports[s] + 1) * (sl2vl->n_ports[s] + 1);
        const uint8_t *vls = sl2vl->vls + sl2vl->first[s];
        for (size_t i = 0; i < n * SF_N_SLS; i++) {
            if (vls[i] != vls[i - i % SF_N_SLS]) {
                return false;
            }
        }
    }
    return true;
}

bool
sf_stepper_ignores_sls(const struct stepper *stepper)
{
    return has_same_vls(stepper->before->sl2vl) &&
           has_same_vls(stepper->after->sl2vl);
}

static uint8_t
vl_of(const struct stepper *stepper, uint32_t lane, uint32_t s, uint32_t in,
      uint32_t out, uint32_t sl)
{
    const struct sf_sl2vl *sl2vl = stepper->lanes[lane];
    return sl2vl ? sf_sl2vl_of(sl2vl, s, in, out)[sl] : 0;
}

/* The VLs on which packets that come in by port 'in' leave by 'out': a set;
 * 0 if no lane says one.  VL 15 is where packets are thrown away. */
static unsigned
vls_of(const struct stepper *stepper, uint32_t s, uint32_t in, uint32_t out,
       uint32_t sl)
{
    unsigned vls = 0;

    for (uint32_t lane = 0; lane < stepper->n_lanes; lane++) {
        uint8_t vl = vl_of(stepper, lane, s, in, out, sl);
        vls |= vl <= SF_DROP_VL ? 1u << vl : 0;
    }
    return vls;
}

/* The SLs of packets from switch 's' to the LIDs of 'column': a set. */
static unsigned
sls_of(const struct stepper *stepper, const struct step_column *column,
       uint32_t s)
{
    uint32_t lid = stepper->lids[column->first_lid];
    unsigned sls = 0;

    if (stepper->ignores_sls) {
        return 1;
    }
    for (int i = 0; i < 2; i++) {
        const struct sf_path_sls *path_sls =
            i ? stepper->after->path_sls : stepper->before->path_sls;
        uint8_t sl = path_sls ? sf_path_sls_of(path_sls, s)[lid] : 0;
        sls |= 1u << (sl < SF_N_SLS ? sl : 0);
    }
    return sls;
}

static void
reach(struct stepper *stepper, uint32_t arc, uint8_t sl, unsigned vls)
{
    uint16_t *reached = &stepper->reached[(size_t)arc * SF_N_SLS + sl];

    for (vls &= ~(unsigned)*reached & ((1u << SF_DROP_VL) - 1); vls;
         vls &= vls - 1) {
        uint8_t vl = (uint8_t)__builtin_ctz(vls);
        *reached |= (uint16_t)(1u << vl);
        stepper->queue[stepper->n_queued++] =
            (struct step_state){ arc, sl, vl };
    }
}

/* The VLs on which packets that start at the arc's switch take it: a set. */
static unsigned
start_vls_of(const struct stepper *stepper, uint32_t arc, uint32_t sl)
{
    const struct sf_fabric *fabric = stepper->fabric;
    uint32_t s = stepper->waits->arcs[arc].from,
             out = stepper->waits->arcs[arc].out;
    const struct sf_node *node = &fabric->nodes[s];
    unsigned vls =
        stepper->params->has_port_0 ? vls_of(stepper, s, 0, out, sl) : 0;

    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t peer = fabric->ports[node->first_port + i].peer;
        if (peer != SF_NONE &&
            fabric->ports[peer].node >= fabric->n_switches) {
            vls |= vls_of(stepper, s, i + 1, out, sl);
        }
    }
    return vls;
}

void
sf_stepper_find_start_vls(struct stepper *stepper)
{
    for (uint32_t arc = 0; arc < stepper->waits->n_arcs; arc++) {
        for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
            stepper->start_vls[(size_t)arc * SF_N_SLS + sl] =
                (uint16_t)start_vls_of(stepper, arc, sl);
        }
    }
}

/* Packets from the arc's switch take 'arc'. */
static void
start_on(struct stepper *stepper, const struct step_column *column,
         uint32_t arc)
{
    uint32_t s = stepper->waits->arcs[arc].from;

    for (unsigned sls = sls_of(stepper, column, s); sls; sls &= sls - 1) {
        uint8_t sl = (uint8_t)__builtin_ctz(sls);
        reach(stepper, arc, sl,
              stepper->start_vls[(size_t)arc * SF_N_SLS + sl]);
    }
}

static void
start_all(struct stepper *stepper, const struct step_column *column)
{
    for (uint32_t s = 0; s < stepper->fabric->n_switches; s++) {
        if (!stepper->has_hosts[s] && !stepper->params->has_port_0) {
            continue;
        }
        uint32_t now = sf_stepper_arc(stepper, s, column->now[s]);
        uint32_t next = sf_stepper_arc(stepper, s, column->next[s]);
        if (now != SF_NONE) {
            start_on(stepper, column, now);
        }
        if (next != SF_NONE && next != now) {
            start_on(stepper, column, next);
        }
    }
}

/* A packet in 'state' goes on by the entry 'port' of the switch that it is
 * at. */
static enum sf_status
go_on(struct stepper *stepper, struct step_state state, uint8_t port,
      bool is_adding)
{
    struct sf_waits *waits = stepper->waits;
    const struct sf_waits_arc *arc = &waits->arcs[state.arc];
    uint32_t out = sf_stepper_arc(stepper, arc->to, port);
    enum sf_status status = SF_OK;

    if (out == SF_NONE) {
        return SF_OK; /* Arrived, or lost. */
    }
    unsigned vls =
        vls_of(stepper, arc->to, arc->in, waits->arcs[out].out, state.sl);
    if (!vls) {
        return SF_ELANES;
    }
    for (unsigned rest = vls & ((1u << SF_DROP_VL) - 1);
         status == SF_OK && rest; rest &= rest - 1) {
        uint32_t vl = (uint32_t)__builtin_ctz(rest);
        if (is_adding) {
            status = sf_waits_add(waits, state.arc, state.vl, out, vl);
        } else {
            sf_waits_note(waits, state.arc, state.vl, out, vl);
        }
    }
    reach(stepper, out, state.sl, vls);
    return status;
}

enum sf_status
sf_stepper_walk(struct stepper *stepper, const struct step_column *column,
                bool is_adding)
{
    size_t n_added = stepper->waits->added.n;
    enum sf_status status = SF_OK;

    stepper->n_queued = 0;
    start_all(stepper, column);
    for (size_t i = 0; status == SF_OK && i < stepper->n_queued; i++) {
        struct step_state state = stepper->queue[i];
        uint32_t at = stepper->waits->arcs[state.arc].to;
        status = go_on(stepper, state, column->now[at], is_adding);
        if (status == SF_OK && column->next[at] != column->now[at]) {
            status = go_on(stepper, state, column->next[at], is_adding);
        }
    }
    for (size_t i = 0; i < stepper->n_queued; i++) {
        const struct step_state *state = &stepper->queue[i];
        stepper->reached[(size_t)state->arc * SF_N_SLS + state->sl] = 0;
    }
    if (status != SF_OK) {
        sf_waits_undo(stepper->waits, n_added);
    }
    return status == SF_ENOMEM ? sf_stepper_fail_memory(stepper) : status;
}
