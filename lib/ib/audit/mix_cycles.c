/* mix_cycles.c -- channels that can wait for each other in a circle in some
 * mixture of old and new tables.
 *
 * The graph has the dependencies of all mixtures together (mix_walk.c).  If it
 * has a cycle, all columns are gone through once more, to name a path for each
 * dependency of a shortest one. */
#include "base/mem.h"
#include "ib/audit/mixer.h"
#include "slimfly/progress.h"

static enum sf_mixture_origin
lane_origin(const struct mixer *mixer, uint32_t at, uint32_t in, uint32_t out,
            struct state state)
{
    uint8_t old = auditor_vl(&mixer->sides[OLD], at, in, out, state.sl);
    uint8_t new = auditor_vl(&mixer->sides[NEW], at, in, out, state.sl);

    return old == new        ? SF_MIXTURE_SAME
           : state.vl == old ? SF_MIXTURE_OLD
                             : SF_MIXTURE_NEW;
}

/* The hop by which a packet gets into 'state' from the arc 'in', SF_NONE if it
 * starts with that. */
static struct sf_mixture_hop
hop_into(const struct mixer *mixer, const struct mixed *mixed, uint32_t in,
         struct state state)
{
    const struct auditor *auditor = &mixer->sides[NEW];
    uint32_t at = mixer->cdg->arcs[state.arc].from;
    uint32_t out = auditor_out_port(auditor, state.arc);

    return (struct sf_mixture_hop){
        .at = at,
        .port = (uint8_t)out,
        .vl = state.vl,
        .entry = sf_mixer_origin(mixer, mixed, at, state.arc),
        .lane = in == SF_NONE
                    ? SF_MIXTURE_SAME
                    : lane_origin(mixer, at, auditor_in_port(auditor, in), out,
                                  state),
    };
}

/* Whether a host of the source can start with the first hop of 'path'. */
static bool
starts_at_host(const struct mixer *mixer, const struct sf_mixture_path *path)
{
    uint32_t port =
        sf_fabric_port(mixer->fabric, path->source, path->hops[0].port);
    size_t i = (size_t)mixer->cdg->arc_of_port[port] * SF_N_SLS + path->sl;
    unsigned vls = mixer->sides[OLD].start_vls[HOSTS][i] |
                   mixer->sides[NEW].start_vls[HOSTS][i];

    return mixer->sides[NEW].n_hosts[path->source] > 0 &&
           (vls >> path->hops[0].vl & 1);
}

/* Fills in the path of the state at 'last' in the queue, and on to 'next'. */
static void
fill_path(const struct mixer *mixer, const struct mixed *mixed, uint32_t last,
          struct state next, struct sf_mixture_path *path)
{
    uint32_t i = path->n_hops - 1, at = last;

    path->hops[i] = hop_into(mixer, mixed, mixer->queue[last].arc, next);
    for (; at != SF_NONE; at = mixer->parents[at]) {
        uint32_t before = mixer->parents[at];
        path->hops[--i] =
            hop_into(mixer, mixed,
                     before == SF_NONE ? SF_NONE : mixer->queue[before].arc,
                     mixer->queue[at]);
    }
    path->source = path->hops[0].at;
    path->lid = mixed->lid;
    path->sl = next.sl;
    path->is_port_0 = !starts_at_host(mixer, path);
}

enum sf_status
sf_mixer_explain(struct mixer *mixer, const struct mixed *mixed, uint32_t last,
                 uint32_t out, uint8_t vl)
{
    struct sf_mixture_deadlock *deadlock = mixer->deadlock;
    struct state from = mixer->queue[last];
    uint32_t channel = from.arc * mixer->cdg->n_vls + from.vl, i = 0,
             n_hops = 1;

    while (mixer->cycle[i] != channel) {
        i++; /* All that is asked for is in the cycle. */
    }
    for (uint32_t at = last; at != SF_NONE; at = mixer->parents[at]) {
        n_hops++;
    }
    struct sf_mixture_step *step = &deadlock->steps[i];
    step->path.hops = sf_calloc(n_hops, sizeof *step->path.hops);
    if (!step->path.hops) {
        return sf_mixer_fail_memory(mixer);
    }
    step->path.n_hops = n_hops;
    fill_path(mixer, mixed, last, (struct state){ out, from.sl, vl },
              &step->path);
    step->at = mixer->cdg->arcs[from.arc].from;
    step->port = (uint8_t)auditor_out_port(&mixer->sides[NEW], from.arc);
    step->vl = from.vl;
    mixer->n_explained++;
    return SF_OK;
}

/* Walks all columns as senders with 'behaviour' make packets. */
static enum sf_status
walk_all(struct mixer *mixer, enum sf_audit_behaviour behaviour)
{
    enum sf_status status = SF_OK;
    uint32_t n = mixer->fabric->n_switches;

    for (uint32_t home = 0; status == SF_OK && home < n; home++) {
        sf_mixer_make_columns(mixer, home);
        for (uint32_t i = 0; status == SF_OK && i < mixer->n_mixed; i++) {
            sf_mixer_follow(mixer, &mixer->mixed[i]);
            status = sf_mixer_walk(mixer, &mixer->mixed[i], behaviour);
        }
        sf_progress_report("mixing old and new entries", home + 1, n);
        if (mixer->is_explaining &&
            mixer->n_explained == mixer->deadlock->n_steps) {
            break;
        }
    }
    return status;
}

/* Goes through all columns again and names, for each dependency of the cycle,
 * a path that causes it. */
static enum sf_status
explain_all(struct mixer *mixer, enum sf_audit_behaviour behaviour)
{
    struct sf_mixture_deadlock *deadlock = mixer->deadlock;
    struct sf_cdg *cdg = mixer->sides[NEW].cdg;

    deadlock->steps = sf_calloc(deadlock->n_steps, sizeof *deadlock->steps);
    if (!deadlock->steps) {
        return sf_mixer_fail_memory(mixer);
    }
    sf_cdg_clear(cdg);
    for (uint32_t i = 0; i < deadlock->n_steps; i++) {
        uint32_t c = mixer->cycle[i],
                 d = mixer->cycle[(i + 1) % deadlock->n_steps];
        *sf_cdg_row(cdg, c / cdg->n_vls, c % cdg->n_vls, d / cdg->n_vls) |=
            (uint16_t)(1u << d % cdg->n_vls);
    }
    mixer->is_explaining = true;
    mixer->n_explained = 0;
    enum sf_status status = walk_all(mixer, behaviour);
    mixer->is_explaining = false;
    return status;
}

enum sf_status
sf_mixer_check_deadlock(struct mixer *mixer, enum sf_audit_behaviour behaviour)
{
    struct sf_mixture_deadlock *deadlock =
        &mixer->mixture->deadlock[behaviour];
    const struct sf_cdg *cdg = mixer->cdg;
    uint32_t *cycle = NULL;

    mixer->deadlock = deadlock;
    sf_cdg_clear(mixer->sides[NEW].cdg);
    enum sf_status status = walk_all(mixer, behaviour);
    if (status != SF_OK) {
        return status;
    }
    for (size_t i = 0; i < (size_t)cdg->n_arcs * cdg->n_vls; i++) {
        deadlock->n_channels += cdg->is_used[i];
    }
    for (size_t i = 0; i < cdg->n_rows; i++) {
        deadlock->n_dependencies += (uint64_t)__builtin_popcount(cdg->rows[i]);
    }
    deadlock->is_checked = true;
    deadlock->sl = mixer->audit_params[NEW].one_sl;
    status =
        sf_cdg_shortest_cycle(cdg, &cycle, &deadlock->n_steps, mixer->err);
    deadlock->is_free = status == SF_OK && deadlock->n_steps == 0;
    if (status == SF_OK && !deadlock->is_free) {
        mixer->cycle = cycle;
        status = explain_all(mixer, behaviour);
        mixer->cycle = NULL;
    }
    free(cycle);
    return status;
}
