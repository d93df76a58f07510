/* sweep_steps.c -- see sweep_steps.h.  Steps are planned anew in each sweep,
 * from what switches hold then.  So a fault between two steps, or another
 * change, needs no special care. */
#define _POSIX_C_SOURCE 200809L
#include "sweep_steps.h"

#include "base/mem.h"
#include "slimfly/change_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Steps in a row.  More than a change should ever take. */
#define MAX_STEPS 64

/* Switches times LIDs beyond which a change at once is not judged: OpenSM
 * could not react meanwhile. */
#define MAX_JUDGED UINT64_C(100000000)

/* What switches and senders of a fabric hold. */
struct held {
    struct sf_fabric *fabric; /* NULL: that is not known. */
    struct sf_tables *lfts;
    struct sf_sl2vl *sl2vl;
    struct sf_path_sls *path_sls;
};

struct sf_changes {
    struct sf_change_state state;
    struct held held;  /* After the last sweep that wrote all, */
    struct held tried; /* and what one after it could not write in full. */
    uint32_t n_done;   /* Steps of this change. */

    /* The sweep under way, or the last one. */
    bool is_open; /* It is under way. */
    const struct sf_fabric *fabric;
    const struct sf_ib_tables *target;
    struct held old;        /* As 'held', for the fabric of now. */
    struct sf_tables *next; /* After it; NULL if that is the target. */
    bool has_old_lanes;     /* The old SL-to-VL tables stay in this sweep. */
};

const char *
sf_change_kind_name(enum sf_change_kind kind)
{
    static const char *const names[] = { "none", "unknown", "steps", "fault",
                                         "at once" };
    return names[kind];
}

enum sf_status
sf_changes_new(struct sf_changes **changesp, struct sf_error *err)
{
    *changesp = sf_calloc(1, sizeof **changesp);
    return *changesp ? SF_OK
                     : sf_fail(err, SF_ENOMEM, "out of memory for changes");
}

static void
clear_held(struct held *held)
{
    sf_path_sls_free(held->path_sls);
    sf_sl2vl_free(held->sl2vl);
    sf_tables_free(held->lfts);
    sf_fabric_free(held->fabric);
    *held = (struct held){ 0 };
}

/* Ends the sweep under way. */
static void
clear_sweep(struct sf_changes *changes)
{
    clear_held(&changes->old);
    sf_tables_free(changes->next);
    changes->next = NULL;
    changes->has_old_lanes = false;
}

void
sf_changes_forget(struct sf_changes *changes)
{
    clear_sweep(changes);
    clear_held(&changes->tried);
    clear_held(&changes->held);
    changes->n_done = 0;
}

/* What may be 'held', borrowed. */
struct holding {
    const struct sf_fabric *fabric;
    const struct sf_tables *lfts;
    const struct sf_sl2vl *sl2vl;
    const struct sf_path_sls *path_sls;
};

static struct holding
holding_of(const struct held *held)
{
    return (struct holding){ held->fabric, held->lfts, held->sl2vl,
                             held->path_sls };
}

/* Makes 'to' what 'from' is, for 'fabric'; empty if memory ran out. */
static bool
carry(struct holding from, const struct sf_fabric *fabric, struct held *to)
{
    *to = (struct held){ 0 };
    if (sf_fabric_copy(fabric, &to->fabric, NULL) == SF_OK &&
        sf_tables_carry(from.lfts, from.fabric, fabric, &to->lfts, NULL) ==
            SF_OK &&
        sf_sl2vl_carry(from.sl2vl, from.fabric, fabric, &to->sl2vl, NULL) ==
            SF_OK &&
        sf_path_sls_carry(from.path_sls, from.fabric, fabric,
                          to->lfts->max_lid, &to->path_sls, NULL) == SF_OK) {
        return true;
    }
    clear_held(to);
    return false;
}

void
sf_changes_free(struct sf_changes *changes)
{
    if (changes) {
        sf_changes_forget(changes);
        free(changes);
    }
}

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool
has_fault(const struct sf_changes *changes, const struct sf_tables *held)
{
    return sf_steps_has_fault(changes->fabric, held, changes->target->lfts);
}

/* Takes the first of 'steps' for this sweep. */
static void
take_step(struct sf_changes *changes, const struct sf_steps *steps)
{
    struct sf_change_state *state = &changes->state;
    const struct sf_fabric *fabric = changes->fabric;

    state->kind = SF_CHANGE_STEPS;
    state->is_judged = state->is_safe = true;
    state->step = changes->n_done + 1;
    state->n_steps = changes->n_done + steps->n_steps;
    state->n_pairs_lost += steps->n_lost_first;
    if (steps->n_steps > 1) {
        if (sf_tables_carry(changes->old.lfts, fabric, fabric, &changes->next,
                            NULL) != SF_OK) {
            state->kind = SF_CHANGE_AT_ONCE;
            state->is_judged = false;
            snprintf(state->text, sizeof state->text,
                     "written at once: out of memory for steps");
            return;
        }
        sf_steps_apply(steps, 0, changes->next);
    }
    changes->has_old_lanes =
        steps->lanes_step != SF_NONE && steps->lanes_step > 0;
    snprintf(state->text, sizeof state->text,
             "step %u of %u, %zu entries: no mixture of old and new entries "
             "can deadlock",
             state->step, state->n_steps, steps->first[1] - steps->first[0]);
}

/* Splits the change into steps, if there are any that are safe. */
static void
plan(struct sf_changes *changes)
{
    struct sf_change_state *state = &changes->state;
    const struct sf_ib_tables *target = changes->target;
    struct sf_step_side before = { changes->old.lfts, changes->old.sl2vl,
                                   changes->old.path_sls };
    struct sf_step_side after = { target->lfts, target->sl2vl,
                                  target->path_sls };
    struct sf_steps_params params = { .max_detour = SF_STEPS_MAX_DETOUR };
    struct sf_steps *steps;
    struct sf_error err = { 0 };

    if (sf_steps_plan(changes->fabric, &before, &after, &params, &steps,
                      &err) != SF_OK) {
        state->kind = SF_CHANGE_AT_ONCE;
        snprintf(state->text, sizeof state->text, "written at once: %.400s",
                 err.text);
        return;
    }
    if (!steps->n_steps) {
        state->kind = SF_CHANGE_NONE;
        state->is_judged = state->is_safe = true;
    } else if (!steps->is_safe || changes->n_done >= MAX_STEPS) {
        state->kind = SF_CHANGE_AT_ONCE;
        snprintf(state->text, sizeof state->text, "written at once: %.400s",
                 steps->is_safe ? "it takes too many steps" : steps->reason);
    } else {
        take_step(changes, steps);
    }
    sf_steps_free(steps);
}

/* Whether the SL-to-VL tables of this sweep, or those of the target, are the
 * ones that there were. */
static bool
is_as_before(const struct sf_changes *changes, const struct sf_sl2vl *new)
{
    const struct sf_sl2vl *old = changes->old.sl2vl;

    for (uint32_t s = 0; old && s < new->n_switches; s++) {
        size_t n = (size_t)(new->n_ports[s] + 1) * (new->n_ports[s] + 1);
        if (memcmp(old->vls + old->first[s], new->vls + new->first[s],
                   n * SF_N_SLS) != 0) {
            return false;
        }
    }
    return old != NULL;
}

/* Writes again what could not be written in full; what was said of that step
 * holds.  False if there is a fault, or nothing to write again. */
static bool
try_again(struct sf_changes *changes, const struct sf_change_state *before)
{
    struct held tried;

    if (!changes->tried.fabric ||
        !carry(holding_of(&changes->tried), changes->fabric, &tried)) {
        return false;
    }
    bool is_fine = !has_fault(changes, tried.lfts) &&
                   !has_fault(changes, changes->old.lfts);
    if (is_fine) {
        changes->next = tried.lfts;
        tried.lfts = NULL;
        /* Only steps that left the lanes alone are tried again. */
        changes->has_old_lanes =
            !is_as_before(changes, changes->target->sl2vl);
        changes->state = *before;
    }
    clear_held(&tried);
    return is_fine;
}

void
sf_changes_begin(struct sf_changes *changes, const struct sf_fabric *fabric,
                 const struct sf_ib_tables *target)
{
    struct sf_change_state *state = &changes->state, before = *state;
    double start = now();

    clear_sweep(changes);
    *state = (struct sf_change_state){
        .n_pairs_lost = changes->n_done ? before.n_pairs_lost : 0
    };
    changes->is_open = true;
    changes->fabric = fabric;
    changes->target = target;
    if (!changes->held.fabric ||
        !carry(holding_of(&changes->held), fabric, &changes->old)) {
        state->kind = SF_CHANGE_UNKNOWN;
        snprintf(state->text, sizeof state->text,
                 "what the switches held before is not known; all is written "
                 "at once");
    } else if (try_again(changes, &before)) {
        return;
    } else if (changes->tried.fabric ||
               has_fault(changes, changes->old.lfts)) {
        state->kind = SF_CHANGE_FAULT;
        snprintf(state->text, sizeof state->text,
                 "fault: all is written at once");
    } else {
        plan(changes);
    }
    state->seconds = now() - start;
}

const struct sf_tables *
sf_changes_lfts(const struct sf_changes *changes)
{
    return changes->next ? changes->next : changes->target->lfts;
}

const struct sf_sl2vl *
sf_changes_sl2vl(const struct sf_changes *changes)
{
    if (!changes->is_open && changes->held.fabric && !changes->tried.fabric) {
        return changes->held.sl2vl;
    }
    return changes->has_old_lanes ? changes->old.sl2vl
                                  : changes->target->sl2vl;
}

/* Adds the channels of a shortest cycle to 'text'. */
static void
append_cycle(const struct sf_mixture *mixture, const struct sf_fabric *fabric,
             char *text, size_t size)
{
    const struct sf_mixture_deadlock *deadlock = mixture->deadlock;
    size_t length = 0;

    while (deadlock->is_free) {
        deadlock++; /* One of them is not. */
    }
    for (uint32_t i = 0; i < deadlock->n_steps && length + 1 < size; i++) {
        const struct sf_mixture_step *step = &deadlock->steps[i];
        int n = snprintf(text + length, size - length, "%s%s port %u VL %u",
                         i ? " waits for " : "", fabric->nodes[step->at].name,
                         step->port, step->vl);
        length += n > 0 ? (size_t)n : 0;
    }
}

/* Judges the mixtures of a change that was written at once. */
static void
judge(struct sf_changes *changes)
{
    struct sf_change_state *state = &changes->state;
    const struct sf_ib_tables *target = changes->target;
    struct sf_mixture_side before = { changes->old.lfts, changes->old.sl2vl,
                                      changes->old.path_sls };
    struct sf_mixture_side after = { target->lfts, target->sl2vl,
                                     target->path_sls };
    const char *why =
        state->kind == SF_CHANGE_FAULT ? "fault: all was" : "all was";
    uint64_t size =
        (uint64_t)changes->fabric->n_switches * target->lfts->max_lid;
    struct sf_mixture *mixture;
    char text[256] = "";
    double start = now();

    if (size > MAX_JUDGED || sf_mixture_build(changes->fabric, &before, &after,
                                              NULL, &mixture, NULL) != SF_OK) {
        return;
    }
    state->is_judged = true;
    state->is_safe = mixture->deadlock[SF_AUDIT_PATH_SLS].is_free;
    if (state->is_safe) {
        snprintf(state->text, sizeof state->text,
                 "%s written at once; no mixture of old and new entries could "
                 "deadlock",
                 why);
    } else {
        append_cycle(mixture, changes->fabric, text, sizeof text);
        snprintf(state->text, sizeof state->text,
                 "%s written at once; meanwhile a mixture of old and new "
                 "entries could deadlock: %s",
                 why, text);
    }
    sf_mixture_free(mixture);
    state->seconds += now() - start;
}

/* Says what held, after the last step. */
static void
describe_steps(struct sf_change_state *state)
{
    if (state->n_pairs_lost) {
        snprintf(state->text, sizeof state->text,
                 "no mixture could deadlock in %u steps; %llu pairs of switch "
                 "and LID had no path for one of them",
                 state->n_steps, (unsigned long long)state->n_pairs_lost);
    } else {
        snprintf(state->text, sizeof state->text,
                 "every mixture safe in %u step%s", state->n_steps,
                 state->n_steps == 1 ? "" : "s");
    }
}

/* Whether switches hold all of the target after this sweep. */
static bool
is_last_step(const struct sf_changes *changes)
{
    const struct sf_tables *next = changes->next,
                           *lfts = changes->target->lfts;

    return !changes->has_old_lanes &&
           (!next ||
            memcmp(next->ports, lfts->ports,
                   (size_t)lfts->n_switches * (lfts->max_lid + 1)) == 0);
}

/* What this sweep writes. */
static bool
copy_written(const struct sf_changes *changes, struct held *written)
{
    /* Senders use old SLs until the change is complete, at least. */
    bool has_old_sls = changes->old.path_sls && !is_last_step(changes);
    struct holding from = {
        .fabric = changes->fabric,
        .lfts = sf_changes_lfts(changes),
        .sl2vl = sf_changes_sl2vl(changes),
        .path_sls =
            has_old_sls ? changes->old.path_sls : changes->target->path_sls,
    };
    return carry(from, changes->fabric, written);
}

bool
sf_changes_end(struct sf_changes *changes)
{
    struct sf_change_state *state = &changes->state;
    struct held written;

    if (!changes->is_open) {
        return false;
    }
    bool is_last = is_last_step(changes);
    if (state->kind == SF_CHANGE_STEPS && is_last) {
        describe_steps(state);
    } else if ((state->kind == SF_CHANGE_FAULT ||
                state->kind == SF_CHANGE_AT_ONCE) &&
               !changes->tried.fabric) {
        judge(changes);
    }
    uint32_t n_done = is_last ? 0 : changes->n_done + 1;
    bool is_known = copy_written(changes, &written);
    sf_changes_forget(changes);
    if (is_known) {
        changes->held = written;
        changes->n_done = n_done;
    }
    changes->is_open = false;
    return !is_last;
}

void
sf_changes_fail(struct sf_changes *changes)
{
    struct held tried;

    if (!changes->is_open) {
        return;
    }
    if (changes->state.kind != SF_CHANGE_NONE &&
        (changes->state.kind != SF_CHANGE_STEPS ||
         !is_as_before(changes, sf_changes_sl2vl(changes)) ||
         !copy_written(changes, &tried))) {
        sf_changes_forget(changes); /* Too much may be mixed. */
    } else if (changes->state.kind == SF_CHANGE_STEPS) {
        clear_held(&changes->tried);
        changes->tried = tried;
    }
    changes->is_open = false;
}

const struct sf_change_state *
sf_changes_state(const struct sf_changes *changes)
{
    return &changes->state;
}
