/* mix_faults.c -- loops and dead ends that packets can meet in some mixture.
 *
 * The old and the new entries for a column are a graph with at most two ways
 * on from each switch.  A walk can go on for ever if it can get to a circle of
 * this graph; such a circle passes each switch once, so one mixture has it. */
#include "base/mem.h"
#include "ib/audit/mixer.h"

/* Whether the entry of 'side' at 'at' leads nowhere, or there is none. */
static bool
is_dead_end(const struct mixer *mixer, enum side side, uint32_t at)
{
    return mixer->sides[side].next[at] == SF_NONE &&
           mixer->sides[side].outcomes[at] != ARRIVES;
}

/* The switch that the entry of 'side' leads to, or SF_NONE. */
static uint32_t
after(const struct mixer *mixer, enum side side, uint32_t at)
{
    uint32_t arc = mixer->sides[side].next[at];
    return arc == SF_NONE ? SF_NONE : mixer->cdg->arcs[arc].to;
}

/* Fills 'to_dead_end' and 'ends', each until nothing changes any more. */
static void
search(struct mixer *mixer)
{
    uint32_t n = mixer->fabric->n_switches;

    for (uint32_t s = 0; s < n; s++) {
        bool is_dead =
            is_dead_end(mixer, OLD, s) || is_dead_end(mixer, NEW, s);
        mixer->to_dead_end[s] = is_dead ? 0 : SF_NONE;
        mixer->ends[s] = false;
    }
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (uint32_t s = 0; s < n; s++) {
            bool ends = true;
            for (enum side side = OLD; side < N_SIDES; side++) {
                uint32_t to = after(mixer, side, s);
                if (to == SF_NONE) {
                    continue;
                }
                ends = ends && mixer->ends[to];
                if (mixer->to_dead_end[to] < mixer->to_dead_end[s] &&
                    mixer->to_dead_end[to] + 1 < mixer->to_dead_end[s]) {
                    mixer->to_dead_end[s] = mixer->to_dead_end[to] + 1;
                    is_changed = true;
                }
            }
            if (ends && !mixer->ends[s]) {
                mixer->ends[s] = true;
                is_changed = true;
            }
        }
    }
}

/* Whether a path to a fault goes on, from switch 'at', by the entry of
 * 'side'. */
static bool
is_way_on(const struct mixer *mixer, enum side side, uint32_t at, bool is_loop)
{
    uint32_t to = after(mixer, side, at);

    if (to == SF_NONE) {
        return !is_loop && is_dead_end(mixer, side, at);
    }
    return is_loop ? !mixer->ends[to]
                   : mixer->to_dead_end[at] &&
                         mixer->to_dead_end[to] < mixer->to_dead_end[at];
}

/* Adds the path from switch 's' to a fault as an example. */
static enum sf_status
add_example(struct mixer *mixer, const struct mixed *mixed, uint32_t s,
            bool is_loop)
{
    uint32_t n = mixer->fabric->n_switches, n_hops = 0, at = s;
    struct sf_mixture_hop *hops = sf_calloc((size_t)n + 1, sizeof *hops);
    bool *is_passed = sf_calloc(n, sizeof *is_passed);
    uint8_t port = SF_NO_PORT;

    if (!hops || !is_passed) {
        free(is_passed);
        free(hops);
        return sf_mixer_fail_memory(mixer);
    }
    while (at != SF_NONE && !is_passed[at]) {
        enum side side = is_way_on(mixer, NEW, at, is_loop) ? NEW : OLD;
        bool is_same = sf_mixer_entry(mixer, mixed, OLD, at) ==
                       sf_mixer_entry(mixer, mixed, NEW, at);
        port = sf_mixer_entry(mixer, mixed, side, at);
        hops[n_hops++] = (struct sf_mixture_hop){
            .at = at,
            .port = port,
            .vl = SF_NO_VL,
            .entry = is_same       ? SF_MIXTURE_SAME
                     : side == OLD ? SF_MIXTURE_OLD
                                   : SF_MIXTURE_NEW,
        };
        is_passed[at] = true;
        at = after(mixer, side, at);
    }
    free(is_passed);
    mixer->mixture->examples[mixer->mixture->n_examples++] =
        (struct sf_mixture_example){
            .fault = is_loop              ? SF_AUDIT_LOOP
                     : port == SF_NO_PORT ? SF_AUDIT_NO_ENTRY
                                          : SF_AUDIT_DEAD_END,
            .path = { .source = s,
                      .lid = mixed->lid,
                      .n_hops = n_hops,
                      .hops = hops },
        };
    return SF_OK;
}

/* Counts what packets from switch 's' can meet. */
static enum sf_status
count_faults(struct mixer *mixer, const struct mixed *mixed, uint32_t s)
{
    struct sf_mixture *mixture = mixer->mixture;
    bool is_loop = !mixer->ends[s];
    bool is_dead = mixer->to_dead_end[s] != SF_NONE;
    bool old = mixer->sides[OLD].outcomes[s] == ARRIVES;
    bool new = mixer->sides[NEW].outcomes[s] == ARRIVES;

    if (!is_loop && !is_dead) {
        return SF_OK;
    }
    mixture->n_loops += is_loop ? mixed->n_lids : 0;
    mixture->n_dead_ends += is_dead ? mixed->n_lids : 0;
    mixture->n_faulty += mixed->n_lids;
    mixture->n_faulty_old += old ? 0 : mixed->n_lids;
    mixture->n_faulty_new += new ? 0 : mixed->n_lids;
    mixture->n_mixed += old && new ? mixed->n_lids : 0;
    /* The room is for paths that only mixtures have. */
    bool is_wanted =
        old && new && mixture->n_examples < SF_MIXTURE_MAX_EXAMPLES;
    return is_wanted ? add_example(mixer, mixed, s, is_loop) : SF_OK;
}

enum sf_status
sf_mixer_find_faults(struct mixer *mixer, const struct mixed *mixed)
{
    enum sf_status status = SF_OK;

    search(mixer);
    for (uint32_t s = 0; status == SF_OK && s < mixer->fabric->n_switches;
         s++) {
        status = count_faults(mixer, mixed, s);
        if (sf_mixer_entry(mixer, mixed, OLD, s) !=
            sf_mixer_entry(mixer, mixed, NEW, s)) {
            mixer->mixture->n_changed += mixed->n_lids;
        }
    }
    return status;
}
