/* cable_runs.h -- cables of a plan that are wired together and share a page of
 * the guide. */
#ifndef SF_REPORT_CABLE_RUNS_H
#define SF_REPORT_CABLE_RUNS_H

#include "base/mem.h"
#include "report/switch_order.h"

/* Cables that are wired together: those of a step between two parts, or
 * inside one. */
struct cable_run {
    enum sf_step step;
    uint32_t left, right; /* The parts; twice the same inside one. */
    uint32_t first, n;    /* In the plan's cables. */
    uint64_t hash;        /* Of its pattern. */
    uint32_t leader;      /* First run of the same pattern, or itself. */
};

/* All runs of a plan. */
struct cable_runs {
    const struct sf_plan *plan;          /* Not owned. */
    const struct sf_switch_order *order; /* Not owned. */
    SF_VEC(struct cable_run) list;       /* In the order of wiring. */
};

/* Cuts the cables of 'plan', whose switches stand in 'order', into runs and
 * finds those of the same pattern.  False if out of memory; clear 'runs' with
 * sf_cable_runs_clear() then, too. */
bool sf_cable_runs_find(const struct sf_plan *plan,
                        const struct sf_switch_order *order,
                        struct cable_runs *runs);
void sf_cable_runs_clear(struct cable_runs *runs);

/* Whether a run joins the switches of one part. */
static inline bool
cable_run_is_inside(const struct cable_run *run)
{
    return run->left == run->right && run->step != SF_STEP_HOSTS;
}

#endif
