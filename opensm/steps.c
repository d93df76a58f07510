/* steps.c -- see steps.h.  Steps are planned anew in each sweep, from what
 * switches hold then.  So a sweep that fails, or a fault between two steps,
 * needs no special care. */
#define _POSIX_C_SOURCE 200809L
#include "steps.h"

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

struct sf_changes {
    struct sf_change_state state;

    /* What switches and senders had when the last change was complete: of
     * 'fabric'; NULL if that is not known. */
    struct sf_fabric *fabric;
    struct sf_sl2vl *sl2vl;
    struct sf_path_sls *path_sls;
    uint32_t n_done; /* Steps since then. */

    /* The sweep under way. */
    const struct sf_fabric *new_fabric;
    const struct sf_ib_tables *target;
    struct sf_tables *held, *next; /* Before it and after it; 'next' is NULL
                                    * if that is the target. */
    struct sf_sl2vl *old_sl2vl;    /* Before it, in new_fabric. */
    struct sf_path_sls *old_sls;   /* Likewise. */
    bool has_old_lanes; /* Whether old_sl2vl is what stays in this sweep. */
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

/* Ends the sweep under way. */
static void
clear_sweep(struct sf_changes *changes)
{
    sf_path_sls_free(changes->old_sls);
    sf_sl2vl_free(changes->old_sl2vl);
    sf_tables_free(changes->next);
    sf_tables_free(changes->held);
    changes->old_sls = NULL;
    changes->old_sl2vl = NULL;
    changes->next = changes->held = NULL;
    changes->has_old_lanes = false;
}

void
sf_changes_forget(struct sf_changes *changes)
{
    clear_sweep(changes);
    sf_path_sls_free(changes->path_sls);
    sf_sl2vl_free(changes->sl2vl);
    sf_fabric_free(changes->fabric);
    changes->path_sls = NULL;
    changes->sl2vl = NULL;
    changes->fabric = NULL;
    changes->n_done = 0;
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

/* Whether a switch sends packets to a port that nothing is plugged into any
 * more, and must learn better. */
static bool
has_fault(const struct sf_changes *changes)
{
    const struct sf_fabric *fabric = changes->new_fabric;
    const struct sf_tables *held = changes->held,
                           *target = changes->target->lfts;

    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        const uint8_t *old = sf_tables_of(held, s),
                      *new = sf_tables_of(target, s);
        for (uint32_t lid = 1; lid <= held->max_lid; lid++) {
            uint32_t port = old[lid] == new[lid] || old[lid] == SF_NO_PORT ||
                                    old[lid] == 0 ||
                                    held->targets[lid] == SF_NONE
                                ? SF_NONE
                                : sf_fabric_port(fabric, s, old[lid]);
            if (port != SF_NONE && fabric->ports[port].peer == SF_NONE) {
                return true;
            }
        }
    }
    return false;
}

/* The tables of before as tables of the new fabric. */
static bool
carry(struct sf_changes *changes)
{
    return sf_sl2vl_carry(changes->sl2vl, changes->fabric, changes->new_fabric,
                          &changes->old_sl2vl, NULL) == SF_OK &&
           sf_path_sls_carry(changes->path_sls, changes->fabric,
                             changes->new_fabric,
                             changes->target->lfts->max_lid, &changes->old_sls,
                             NULL) == SF_OK;
}

/* Takes the first of 'steps' for this sweep. */
static void
take_step(struct sf_changes *changes, const struct sf_steps *steps)
{
    struct sf_change_state *state = &changes->state;
    const struct sf_fabric *fabric = changes->new_fabric;

    state->kind = SF_CHANGE_STEPS;
    state->is_judged = state->is_safe = true;
    state->step = changes->n_done + 1;
    state->n_steps = changes->n_done + steps->n_steps;
    state->n_pairs_lost += steps->n_pairs_lost;
    if (steps->n_steps > 1) {
        if (sf_tables_carry(changes->held, fabric, fabric, &changes->next,
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
    struct sf_step_side before = { changes->held, changes->old_sl2vl,
                                   changes->old_sls };
    struct sf_step_side after = { target->lfts, target->sl2vl,
                                  target->path_sls };
    struct sf_steps *steps;
    struct sf_error err = { 0 };

    if (sf_steps_plan(changes->new_fabric, &before, &after, NULL, &steps,
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

void
sf_changes_begin(struct sf_changes *changes, const struct sf_fabric *fabric,
                 struct sf_tables *held, const struct sf_ib_tables *target)
{
    struct sf_change_state *state = &changes->state;
    uint64_t n_pairs_lost = changes->n_done ? state->n_pairs_lost : 0;
    double start = now();

    clear_sweep(changes);
    *state = (struct sf_change_state){ .n_pairs_lost = n_pairs_lost };
    changes->new_fabric = fabric;
    changes->target = target;
    changes->held = held;
    if (!held || !changes->fabric || !carry(changes)) {
        state->kind = SF_CHANGE_UNKNOWN;
        snprintf(state->text, sizeof state->text,
                 "what the switches held before is not known; all is written "
                 "at once");
    } else if (has_fault(changes)) {
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
    return changes->has_old_lanes ? changes->old_sl2vl
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
    struct sf_mixture_side before = { changes->held, changes->old_sl2vl,
                                      changes->old_sls };
    struct sf_mixture_side after = { target->lfts, target->sl2vl,
                                     target->path_sls };
    const char *why =
        state->kind == SF_CHANGE_FAULT ? "fault: all was" : "all was";
    uint64_t size =
        (uint64_t)changes->new_fabric->n_switches * target->lfts->max_lid;
    struct sf_mixture *mixture;
    char text[256] = "";
    double start = now();

    if (size > MAX_JUDGED ||
        sf_mixture_build(changes->new_fabric, &before, &after, NULL, &mixture,
                         NULL) != SF_OK) {
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
        append_cycle(mixture, changes->new_fabric, text, sizeof text);
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

/* Notes what switches hold, now that all is written. */
static void
settle(struct sf_changes *changes)
{
    const struct sf_fabric *fabric = changes->new_fabric;
    const struct sf_ib_tables *target = changes->target;
    struct sf_fabric *copy = NULL;
    struct sf_sl2vl *sl2vl = NULL;
    struct sf_path_sls *path_sls = NULL;
    bool is_last = !changes->next && !changes->has_old_lanes;
    /* Senders use old SLs until the change is complete, at least. */
    const struct sf_path_sls *sls =
        is_last || !changes->old_sls ? target->path_sls : changes->old_sls;

    changes->n_done = is_last ? 0 : changes->n_done + 1;
    if (sf_fabric_copy(fabric, &copy, NULL) != SF_OK ||
        sf_sl2vl_carry(sf_changes_sl2vl(changes), fabric, fabric, &sl2vl,
                       NULL) != SF_OK ||
        sf_path_sls_carry(sls, fabric, fabric, target->lfts->max_lid,
                          &path_sls, NULL) != SF_OK) {
        sf_path_sls_free(path_sls);
        sf_sl2vl_free(sl2vl);
        sf_fabric_free(copy);
        sf_changes_forget(changes); /* Then it is not known. */
        return;
    }
    uint32_t n_done = changes->n_done;
    sf_changes_forget(changes);
    changes->n_done = n_done;
    changes->fabric = copy;
    changes->sl2vl = sl2vl;
    changes->path_sls = path_sls;
}

bool
sf_changes_end(struct sf_changes *changes)
{
    struct sf_change_state *state = &changes->state;
    bool is_last = !changes->next && !changes->has_old_lanes;

    if (!changes->target) {
        return false;
    }
    if (state->kind == SF_CHANGE_FAULT ||
        (state->kind == SF_CHANGE_AT_ONCE && changes->old_sl2vl)) {
        judge(changes);
    } else if (state->kind == SF_CHANGE_STEPS && is_last) {
        describe_steps(state);
    }
    settle(changes);
    changes->target = NULL;
    return !is_last;
}

/* Whether this sweep writes the SL-to-VL tables that there were. */
static bool
has_same_lanes(const struct sf_changes *changes)
{
    const struct sf_sl2vl *old = changes->old_sl2vl,
                          *new = changes->target->sl2vl;

    for (uint32_t s = 0; old && s < new->n_switches; s++) {
        size_t n = (size_t)(new->n_ports[s] + 1) * (new->n_ports[s] + 1);
        if (memcmp(old->vls + old->first[s], new->vls + new->first[s],
                   n * SF_N_SLS) != 0) {
            return false;
        }
    }
    return old != NULL;
}

/* OpenSM knows which forwarding tables were written, but not which SL-to-VL
 * tables. */
void
sf_changes_fail(struct sf_changes *changes)
{
    if (changes->target && !has_same_lanes(changes)) {
        sf_changes_forget(changes);
    }
    changes->target = NULL;
}

const struct sf_change_state *
sf_changes_state(const struct sf_changes *changes)
{
    return &changes->state;
}
