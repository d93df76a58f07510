/* mix_walk.c -- where packets get in all mixtures of old and new tables.
 *
 * At each switch a packet goes on by the old or by the new entry, on the VL
 * of the old or of the new SL-to-VL table.  So the states that it can be in,
 * a channel and an SL, are found by a breadth-first search with at most four
 * ways on from each. */
#include "ib/audit/mixer.h"

static bool
is_same_mixed(const struct mixed *mixed, const uint32_t k[N_SIDES])
{
    return mixed->k[OLD] == k[OLD] && mixed->k[NEW] == k[NEW];
}

/* The columns that LID number 'i' of the home belongs to; a new one if there
 * is none like it yet. */
static struct mixed *
find_mixed(struct mixer *mixer, uint32_t i, uint32_t lid)
{
    const struct auditor *sides = mixer->sides;
    uint32_t k[N_SIDES] = { sides[OLD].column_of[i], sides[NEW].column_of[i] };
    uint32_t j = 0;

    while (j < mixer->n_mixed && !is_same_mixed(&mixer->mixed[j], k)) {
        j++;
    }
    struct mixed *mixed = &mixer->mixed[j];
    if (j == mixer->n_mixed) {
        mixer->n_mixed++;
        *mixed = (struct mixed){
            .columns = { &sides[OLD].columns[k[OLD]],
                         &sides[NEW].columns[k[NEW]] },
            .k = { k[OLD], k[NEW] },
            .sls = mixer->sl_buffer + (size_t)j * mixer->fabric->n_switches,
            .lid = lid,
        };
        for (uint32_t s = 0; s < mixer->fabric->n_switches; s++) {
            mixed->sls[s] = 0;
        }
    }
    return mixed;
}

void
sf_mixer_make_columns(struct mixer *mixer, uint32_t home)
{
    struct auditor *sides = mixer->sides;
    uint32_t first = sides[NEW].first_lid[home];

    sf_auditor_make_columns(&sides[OLD], home);
    sf_auditor_make_columns(&sides[NEW], home);
    mixer->home = home;
    mixer->n_mixed = 0;
    for (uint32_t i = first; i < sides[NEW].first_lid[home + 1]; i++) {
        uint32_t lid = sides[NEW].lids[i];
        struct mixed *mixed = find_mixed(mixer, i - first, lid);
        mixed->n_lids++;
        if (sides[NEW].homes[lid].is_host && mixed->n_host_lids++ == 0) {
            mixed->lid = lid;
        }
        for (uint32_t s = 0; s < mixer->fabric->n_switches; s++) {
            mixed->sls[s] |=
                (uint16_t)(sf_auditor_sl_set(&sides[OLD], s, lid) |
                           sf_auditor_sl_set(&sides[NEW], s, lid));
        }
    }
}

void
sf_mixer_follow(struct mixer *mixer, const struct mixed *mixed)
{
    for (enum side side = OLD; side < N_SIDES; side++) {
        sf_auditor_follow(&mixer->sides[side], mixed->columns[side],
                          mixer->home);
    }
}

uint8_t
sf_mixer_entry(const struct mixer *mixer, const struct mixed *mixed,
               enum side side, uint32_t at)
{
    return sf_tables_of(mixer->sides[side].tables, at)[mixed->lid];
}

enum sf_mixture_origin
sf_mixer_origin(const struct mixer *mixer, const struct mixed *mixed,
                uint32_t at, uint32_t out)
{
    if (sf_mixer_entry(mixer, mixed, OLD, at) ==
        sf_mixer_entry(mixer, mixed, NEW, at)) {
        return SF_MIXTURE_SAME;
    }
    return mixer->sides[OLD].next[at] == out ? SF_MIXTURE_OLD : SF_MIXTURE_NEW;
}

/* Notes that a packet can be in a state, which it gets to from the one at
 * 'parent' in the queue. */
static void
reach(struct mixer *mixer, struct state state, uint32_t parent)
{
    uint16_t *vls = &mixer->reached[(size_t)state.arc * SF_N_SLS + state.sl];

    if (*vls >> state.vl & 1) {
        return;
    }
    *vls |= (uint16_t)(1u << state.vl);
    mixer->parents[mixer->n_queued] = parent;
    mixer->queue[mixer->n_queued++] = state;
    mixer->cdg->is_used[(size_t)state.arc * mixer->cdg->n_vls + state.vl] =
        true;
}

/* Starts packets with 'sl' from one endpoint of switch 's'. */
static enum sf_status
start(struct mixer *mixer, uint32_t s, enum endpoint endpoint, uint8_t sl)
{
    for (enum side side = OLD; side < N_SIDES; side++) {
        uint32_t arc = mixer->sides[side].next[s];
        if (arc == SF_NONE) {
            continue;
        }
        size_t i = (size_t)arc * SF_N_SLS + sl;
        unsigned vls = mixer->sides[OLD].start_vls[endpoint][i] |
                       mixer->sides[NEW].start_vls[endpoint][i];
        if (!vls) {
            return sf_auditor_fail_no_vl(&mixer->sides[NEW], s, arc, sl);
        }
        for (vls &= (1u << SF_DROP_VL) - 1; vls; vls &= vls - 1) {
            reach(mixer,
                  (struct state){ arc, sl, (uint8_t)__builtin_ctz(vls) },
                  SF_NONE);
        }
    }
    return SF_OK;
}

/* The SLs that packets from an endpoint of switch 's' have: a set. */
static unsigned
sls_from(const struct mixer *mixer, const struct mixed *mixed,
         enum sf_audit_behaviour behaviour, uint32_t s, enum endpoint endpoint)
{
    unsigned sls = mixed->sls[s];

    if (behaviour == SF_AUDIT_ONE_SL) {
        return 1u << mixer->audit_params[NEW].one_sl;
    }
    for (enum side side = OLD; side < N_SIDES; side++) {
        const struct auditor *auditor = &mixer->sides[side];
        if (behaviour == SF_AUDIT_REPLIES && auditor->params->path_sls &&
            sf_auditor_has_replies(auditor, mixed->n_lids, mixed->n_host_lids,
                                   mixer->home)) {
            sls |= auditor->sls_to[endpoint][(size_t)mixer->home *
                                                 mixer->fabric->n_switches +
                                             s];
        }
    }
    return sls;
}

static enum sf_status
start_all(struct mixer *mixer, const struct mixed *mixed,
          enum sf_audit_behaviour behaviour)
{
    enum sf_status status = SF_OK;

    for (uint32_t s = 0; s < mixer->fabric->n_switches; s++) {
        for (enum endpoint endpoint = HOSTS; endpoint < N_ENDPOINTS;
             endpoint++) {
            unsigned sls =
                sf_auditor_is_source(&mixer->sides[NEW], s, endpoint)
                    ? sls_from(mixer, mixed, behaviour, s, endpoint)
                    : 0;
            for (; status == SF_OK && sls; sls &= sls - 1) {
                status =
                    start(mixer, s, endpoint, (uint8_t)__builtin_ctz(sls));
            }
        }
    }
    return status;
}

/* A packet in the state at 'i' in the queue goes on by arc 'out', on VL 'vl'
 * of a side. */
static enum sf_status
go_on(struct mixer *mixer, const struct mixed *mixed, uint32_t i, uint32_t out,
      uint8_t vl)
{
    struct state from = mixer->queue[i];
    uint16_t *row = sf_cdg_row(mixer->cdg, from.arc, from.vl, out);
    enum sf_status status = SF_OK;

    if (vl >= SF_DROP_VL) {
        return SF_OK; /* Thrown away: nothing waits. */
    }
    if (!mixer->is_explaining) {
        *row |= (uint16_t)(1u << vl);
    } else if (*row >> vl & 1) {
        *row &= (uint16_t) ~(1u << vl);
        status = sf_mixer_explain(mixer, mixed, i, out, vl);
    }
    reach(mixer, (struct state){ out, from.sl, vl }, i);
    return status;
}

/* A packet in the state at 'i' in the queue goes on by the entry of 'side'. */
static enum sf_status
go_on_by(struct mixer *mixer, const struct mixed *mixed, uint32_t i,
         enum side side)
{
    struct state from = mixer->queue[i];
    uint32_t at = mixer->cdg->arcs[from.arc].to;
    uint32_t out = mixer->sides[side].next[at];
    uint8_t vls[N_SIDES];
    enum sf_status status = SF_OK;

    if (out == SF_NONE) {
        return SF_OK; /* Arrived, or lost. */
    }
    for (enum side lane = OLD; lane < N_SIDES; lane++) {
        vls[lane] =
            auditor_vl(&mixer->sides[lane], at,
                       auditor_in_port(&mixer->sides[NEW], from.arc),
                       auditor_out_port(&mixer->sides[NEW], out), from.sl);
    }
    if (vls[OLD] > SF_DROP_VL && vls[NEW] > SF_DROP_VL) {
        return sf_auditor_fail_no_vl(&mixer->sides[NEW], at, out, from.sl);
    }
    for (enum side lane = OLD; status == SF_OK && lane < N_SIDES; lane++) {
        status = go_on(mixer, mixed, i, out, vls[lane]);
    }
    return status;
}

enum sf_status
sf_mixer_walk(struct mixer *mixer, const struct mixed *mixed,
              enum sf_audit_behaviour behaviour)
{
    mixer->n_queued = 0;
    enum sf_status status = start_all(mixer, mixed, behaviour);

    for (uint32_t i = 0; status == SF_OK && i < mixer->n_queued; i++) {
        for (enum side side = OLD; status == SF_OK && side < N_SIDES; side++) {
            status = go_on_by(mixer, mixed, i, side);
        }
    }
    for (size_t i = 0; i < mixer->n_queued; i++) {
        const struct state *state = &mixer->queue[i];
        mixer->reached[(size_t)state->arc * SF_N_SLS + state->sl] = 0;
    }
    return status;
}
