/* sweep_plan.c -- the steps that the plugin for OpenSM takes: it plans anew in
 * each sweep, from what switches hold then, and writes the first step. */
#include "slimfly/steps.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The steps so far, and what switches hold after them. */
struct sweeps {
    struct sf_steps *steps;
    SF_VEC(size_t) first;
    SF_VEC(struct sf_step_entry) entries;
    struct sf_tables tables; /* With 'ports' of its own. */
    const struct sf_sl2vl *sl2vl;
    struct sf_error *err;
};

static enum sf_status
fail_memory(const struct sweeps *sweeps)
{
    return sf_fail(sweeps->err, SF_ENOMEM, "out of memory for steps");
}

/* Takes the first of the steps that were 'planned', and makes it true. */
static enum sf_status
take_first(struct sweeps *sweeps, const struct sf_steps *planned,
           const struct sf_sl2vl *new_lanes)
{
    struct sf_steps *steps = sweeps->steps;
    uint32_t number = (uint32_t)sweeps->first.n;

    if (!sf_vec_push(&sweeps->first, sweeps->entries.n)) {
        return fail_memory(sweeps);
    }
    for (size_t i = planned->first[0]; i < planned->first[1]; i++) {
        if (!sf_vec_push(&sweeps->entries, planned->entries[i])) {
            return fail_memory(sweeps);
        }
    }
    if (planned->lanes_step == 0) {
        steps->lanes_step = number;
        sweeps->sl2vl = new_lanes;
    }
    steps->n_columns += number ? 0 : planned->n_columns;
    steps->n_split += number ? 0 : planned->n_split;
    steps->n_dropped += planned->n_lost_first ? planned->n_dropped : 0;
    steps->n_pairs_lost += planned->n_lost_first;
    steps->n_lost_first += number ? 0 : planned->n_lost_first;
    steps->is_safe = planned->is_safe;
    memcpy(steps->reason, planned->reason, sizeof steps->reason);
    sf_steps_apply(planned, 0, &sweeps->tables);
    return SF_OK;
}

/* Plans and takes steps until there are none left. */
static enum sf_status
go(struct sweeps *sweeps, const struct sf_fabric *fabric,
   const struct sf_step_side *before, const struct sf_step_side *after,
   const struct sf_steps_params *params, uint32_t max_steps)
{
    enum sf_status status = SF_OK;

    for (bool is_done = false; status == SF_OK && !is_done;) {
        struct sf_step_side held = { &sweeps->tables, sweeps->sl2vl,
                                     before->path_sls };
        struct sf_steps *planned;
        status =
            sf_steps_plan(fabric, &held, after, params, &planned, sweeps->err);
        if (status != SF_OK) {
            return status;
        }
        is_done = planned->n_steps <= 1;
        if (planned->n_steps && sweeps->first.n == max_steps) {
            sweeps->steps->is_safe = false;
            snprintf(sweeps->steps->reason, sizeof sweeps->steps->reason,
                     "it takes too many steps");
            is_done = true;
        } else if (planned->n_steps) {
            status = take_first(sweeps, planned, after->sl2vl);
        }
        sf_steps_free(planned);
    }
    return status;
}

enum sf_status
sf_steps_plan_sweeps(const struct sf_fabric *fabric,
                     const struct sf_step_side *before,
                     const struct sf_step_side *after,
                     const struct sf_steps_params *params,
                     struct sf_steps **stepsp, struct sf_error *err)
{
    size_t size = (size_t)before->tables->n_switches *
                  ((size_t)before->tables->max_lid + 1);
    struct sweeps sweeps = { .steps = sf_calloc(1, sizeof *sweeps.steps),
                             .tables = *before->tables,
                             .sl2vl = before->sl2vl,
                             .err = err };

    *stepsp = NULL;
    sweeps.tables.ports = sf_calloc(size, 1);
    enum sf_status status =
        sweeps.steps && sweeps.tables.ports ? SF_OK : fail_memory(&sweeps);
    if (status == SF_OK) {
        memcpy(sweeps.tables.ports, before->tables->ports, size);
        sweeps.steps->is_safe = true;
        sweeps.steps->lanes_step = SF_NONE;
        status = go(&sweeps, fabric, before, after, params,
                    params && params->max_steps ? params->max_steps : 64);
    }
    if (status == SF_OK && !sf_vec_push(&sweeps.first, sweeps.entries.n)) {
        status = fail_memory(&sweeps);
    }
    if (sweeps.steps) {
        sweeps.steps->n_steps = (uint32_t)sweeps.first.n - (status == SF_OK);
        sweeps.steps->first = sweeps.first.items;
        sweeps.steps->n_entries = sweeps.entries.n;
        sweeps.steps->entries = sweeps.entries.items;
    }
    free(sweeps.tables.ports);
    if (status != SF_OK) {
        sf_steps_free(sweeps.steps);
        return status;
    }
    *stepsp = sweeps.steps;
    return SF_OK;
}
