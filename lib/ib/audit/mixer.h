/* mixer.h -- what the files that judge mixtures share.
 *
 *     mixture.c     arguments, memory, the verdict
 *     mix_walk.c    where packets for a column get in all mixtures
 *     mix_faults.c  loops and dead ends
 *     mix_cycles.c  channels that wait for each other
 *
 * Each side, old and new, is an auditor of its own for the same fabric, so
 * that switches, LIDs and arcs have the same numbers in both. */
#ifndef SF_IB_AUDIT_MIXER_H
#define SF_IB_AUDIT_MIXER_H

#include "ib/audit/auditor.h"
#include "slimfly/mixture.h"

enum side {
    OLD,
    NEW,
    N_SIDES,
};

/* LIDs of one switch that have the same entries everywhere, on each side. */
struct mixed {
    const struct column *columns[N_SIDES];
    uint32_t k[N_SIDES];
    uint16_t *sls; /* [n_switches] SLs from a switch to them, of either side:
                    * a set. */
    uint32_t lid;  /* One of them; a host's if there are any. */
    uint32_t n_lids, n_host_lids;
};

/* A state of a packet: it is on a channel, with an SL. */
struct state {
    uint32_t arc;
    uint8_t sl, vl;
};

struct mixer {
    struct auditor sides[N_SIDES];
    struct sf_audit audits[N_SIDES]; /* For their counts. */
    struct sf_audit_params audit_params[N_SIDES];
    struct sf_mixture *mixture;
    const struct sf_fabric *fabric;
    const struct sf_cdg *cdg; /* Of the new side. */
    struct sf_error *err;

    /* The columns of the switch that is looked at. */
    uint32_t home;
    struct mixed *mixed; /* [most LIDs of a switch] */
    uint32_t n_mixed;
    uint16_t *sl_buffer; /* [most LIDs of a switch * n_switches] */

    /* A walk through all mixtures of one column. */
    uint16_t *reached;   /* [n_arcs * SF_N_SLS] VLs: a set. */
    struct state *queue; /* States in the order in which they are reached. */
    size_t n_queued, max_queued;
    uint32_t *parents; /* [max_queued] Where in the queue the state before
                        * stands; SF_NONE at the start. */

    /* Faults of one column. */
    uint32_t *to_dead_end; /* [n_switches] Hops at least; SF_NONE: none. */
    bool *ends;            /* [n_switches] All walks come to an end. */

    struct sf_mixture_deadlock *deadlock;
    bool is_explaining;    /* Whether paths are looked for that cause the */
    const uint32_t *cycle; /* dependencies of this cycle, of which */
    uint32_t n_explained;  /* so many have theirs. */
};

enum sf_status sf_mixer_fail_memory(struct mixer *mixer);

/* Sorts the LIDs of switch 'home' into columns of both sides. */
void sf_mixer_make_columns(struct mixer *mixer, uint32_t home);

/* Finds out where 'mixed' leads from every switch, on each side. */
void sf_mixer_follow(struct mixer *mixer, const struct mixed *mixed);

/* The entry of switch 'at' for 'mixed' on a side. */
uint8_t sf_mixer_entry(const struct mixer *mixer, const struct mixed *mixed,
                       enum side side, uint32_t at);

/* Where an entry comes from that leads switch 'at' to arc 'out'. */
enum sf_mixture_origin sf_mixer_origin(const struct mixer *mixer,
                                       const struct mixed *mixed, uint32_t at,
                                       uint32_t out);

/* Counts the pairs of switch and LID of 'mixed' that can meet a fault, and
 * keeps examples; sf_mixer_follow() came before. */
enum sf_status sf_mixer_find_faults(struct mixer *mixer,
                                    const struct mixed *mixed);

/* Brings packets for 'mixed', with the SLs that senders give them, wherever a
 * mixture can; adds what they wait for to the graph or, when a cycle is
 * explained, names paths.  sf_mixer_follow() came before. */
enum sf_status sf_mixer_walk(struct mixer *mixer, const struct mixed *mixed,
                             enum sf_audit_behaviour behaviour);

/* Names the path to the state at 'last' in the queue, and on to channel
 * (out, vl), as the cause of a dependency of the cycle, if it is one. */
enum sf_status sf_mixer_explain(struct mixer *mixer, const struct mixed *mixed,
                                uint32_t last, uint32_t out, uint8_t vl);

/* Looks for a cycle among the channels of all mixtures. */
enum sf_status sf_mixer_check_deadlock(struct mixer *mixer,
                                       enum sf_audit_behaviour behaviour);

#endif
