/* steps.h -- a change of forwarding tables, in steps that are safe.
 *
 * While tables are written, each switch holds the old or the new entry for
 * each LID (mixture.h).  A change is therefore split into steps: within one,
 * no mixture of the tables before and after it can deadlock, and none has a
 * loop.  The next step begins when all of the last one is written and packets
 * that were under way have arrived.
 *
 * A loop is a deadlock, too: a packet that goes round in a circle waits for a
 * channel that packets like it hold. */
#ifndef SLIMFLY_STEPS_H
#define SLIMFLY_STEPS_H

#include "slimfly/sl2vl.h"
#include "slimfly/tables.h"

#pragma GCC visibility push(default)

/* What switches and senders hold. */
struct sf_step_side {
    const struct sf_tables *tables;
    const struct sf_sl2vl *sl2vl;       /* NULL: VL 0 for all. */
    const struct sf_path_sls *path_sls; /* NULL: SL 0 for all. */
};

/* An entry that changes. */
struct sf_step_entry {
    uint32_t s;   /* The switch, */
    uint32_t lid; /* the LID, */
    uint8_t port; /* and the out port from now on. */
};

struct sf_steps {
    uint32_t n_steps;
    size_t *first; /* [n_steps + 1] Where the entries of a step start. */
    struct sf_step_entry *entries; /* [n_entries] */
    size_t n_entries;
    uint32_t lanes_step; /* The step that changes the SL-to-VL tables, and
                          * nothing else if it is safe; SF_NONE: they stay. */
    bool is_safe;        /* Within each step, no mixture can deadlock.  If
                          * not, there is one step with all, and */
    char reason[SF_ERROR_TEXT_SIZE]; /* this says why; else "". */
    uint32_t n_columns;    /* LIDs of one switch with the same entries that
                            * change, counted once; of these, */
    uint32_t n_split;      /* written in more than one step (with those
                            * that only the way over a tree changes), */
    uint32_t n_dropped;    /* without some entries for a time, by which */
    uint64_t n_pairs_lost; /* so many pairs of switch and LID have no path for
                            * a time; of these, */
    uint64_t n_lost_first; /* so many after the first step. */
};

/* Switches times LIDs beyond which the plugin for OpenSM plans no way over a
 * tree, which takes about a second there, and that in each sweep. */
#define SF_STEPS_MAX_DETOUR UINT64_C(250000)

struct sf_steps_params {
    bool has_port_0;     /* Packets start at port 0 of switches too. */
    bool stays_direct;   /* Do not go by way of a tree; */
    uint64_t max_detour; /* nor with more switches times LIDs than this; 0: any
                          * number. */
    uint32_t max_steps;  /* Give up beyond; 0: 64. */
};

/* Splits the change from 'before' to 'after' on 'fabric' into few steps.
 * Senders use the old or the new SL of a path.  'params' may be NULL.
 * SF_EINVAL if the tables are not those of 'fabric'.  That the change cannot
 * be made safely is not an error: see is_safe.
 *
 * Greedy: a step takes every column that it can as a whole, and of others the
 * entries that it can, those nearest to the destination first.  Where nothing
 * can go on, the entries in the way are taken out for one step.  O(columns *
 * switches) time for each step, and as much for each entry that must be tried
 * by itself.
 *
 * SL-to-VL tables change in a step of their own, the first or the last.  Where
 * neither is safe, all paths first go over to one tree, on which any lanes
 * will do, and from there to the new ones. */
enum sf_status sf_steps_plan(const struct sf_fabric *fabric,
                             const struct sf_step_side *before,
                             const struct sf_step_side *after,
                             const struct sf_steps_params *params,
                             struct sf_steps **stepsp, struct sf_error *err);

/* The same, planned anew after each step from what switches hold then, as the
 * plugin for OpenSM does: these are the steps that it takes. */
enum sf_status sf_steps_plan_sweeps(const struct sf_fabric *fabric,
                                    const struct sf_step_side *before,
                                    const struct sf_step_side *after,
                                    const struct sf_steps_params *params,
                                    struct sf_steps **stepsp,
                                    struct sf_error *err);
void sf_steps_free(struct sf_steps *steps);

/* Whether a switch with the tables 'before' sends packets to a port of
 * 'fabric' that nothing is plugged into any more, and must learn better.  Then
 * packets are lost until 'after' is there, and steps would only take longer.
 */
bool sf_steps_has_fault(const struct sf_fabric *fabric,
                        const struct sf_tables *before,
                        const struct sf_tables *after);

/* Brings 'tables', which hold what there is before step 'k', to what there is
 * after it. */
void sf_steps_apply(const struct sf_steps *steps, uint32_t k,
                    struct sf_tables *tables);

#pragma GCC visibility pop
#endif
