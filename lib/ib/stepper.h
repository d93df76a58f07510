/* stepper.h -- what the files that split a change into steps share.
 *
 *     steps.c         which columns and entries change in which step
 *     step_columns.c  LIDs whose entries change alike
 *     step_tree.c     entries on a tree, for when lanes change
 *     step_walk.c     which channels packets wait for within a step
 *     waits.c         the graph of these, which refuses circles */
#ifndef SF_IB_STEPPER_H
#define SF_IB_STEPPER_H

#include "ib/waits.h"
#include "slimfly/steps.h"

/* LIDs of one switch, their home, that have the same entries everywhere, both
 * old and new; the right entry at home is written as 0. */
struct step_column {
    uint32_t home;
    uint32_t first_lid, n_lids; /* In stepper->lids. */
    uint8_t *now;               /* [n_switches] What switches hold, */
    uint8_t *next;              /* what they hold after this step, */
    uint8_t *goal;              /* and at last. */
    bool is_split;              /* Written in more than one step. */
    bool is_dropped;            /* Entries were taken out on the way to the
                                 * goal. */
};

/* A packet on a channel, with an SL. */
struct step_state {
    uint32_t arc;
    uint8_t sl, vl;
};

struct stepper {
    const struct sf_fabric *fabric;
    const struct sf_step_side *before, *after;
    const struct sf_steps_params *params;
    struct sf_error *err;
    struct sf_steps *steps;
    struct sf_waits *waits;
    SF_VEC(struct sf_step_entry) entries;
    SF_VEC(size_t) firsts;

    uint32_t *homes; /* [max_lid + 1] The switch where a LID lives, SF_NONE */
    uint8_t *home_ports; /* [max_lid + 1] if nowhere, and the port there. */
    bool *has_hosts;     /* [n_switches] */
    uint32_t *lids;      /* [n_lids] By column. */
    SF_VEC(struct step_column) columns;

    bool is_detour;   /* The goal is not yet that of the change. */
    bool ignores_sls; /* The VL is the same for all SLs. */
    const struct sf_sl2vl *lanes[2]; /* That switches may hold, */
    uint32_t n_lanes;                /* one of them or either. */
    uint16_t *start_vls; /* [n_arcs * SF_N_SLS] VLs of packets that start at
                          * the switch of an arc: a set. */
    uint16_t *reached;   /* [n_arcs * SF_N_SLS] Sets of VLs. */
    struct step_state *queue; /* [n_queued] */
    size_t n_queued;
    uint32_t *depths;   /* [n_switches] Hops to home by the new entries, and */
    uint32_t *by_depth; /* [n_switches] the switches in that order. */
};

enum sf_status sf_stepper_fail_memory(struct stepper *stepper);

/* Finds all columns.  The caller calls sf_stepper_clear_columns() in any case.
 */
enum sf_status sf_stepper_find_columns(struct stepper *stepper);
void sf_stepper_clear_columns(struct stepper *stepper);

/* Lets all columns be as 'now' says, and head for 'goal'; NULL: as they are.
 */
void sf_stepper_set_columns(struct stepper *stepper,
                            const struct sf_tables *now,
                            const struct sf_tables *goal);

/* Lets all columns head for entries along a tree. */
enum sf_status sf_stepper_aim_at_tree(struct stepper *stepper);

/* The arc that the entry 'port' of switch 's' leads to, or SF_NONE. */
uint32_t sf_stepper_arc(const struct stepper *stepper, uint32_t s,
                        uint8_t port);

/* Whether VLs are the same for all SLs in the tables of both sides. */
bool sf_stepper_ignores_sls(const struct stepper *stepper);

/* Fills start_vls, for the lanes that switches may hold. */
void sf_stepper_find_start_vls(struct stepper *stepper);

/* Brings packets for 'column' wherever they can get while each switch holds
 * the entry of 'now' or of 'next', on the VL of any of the lanes.  Notes what
 * they wait for or, if 'is_adding', adds it to the graph in order: SF_ELANES,
 * with the graph as before, if that would close a circle or if no lane says a
 * VL. */
enum sf_status sf_stepper_walk(struct stepper *stepper,
                               const struct step_column *column,
                               bool is_adding);

#endif
