/* failures.h -- what is left of a network when parts of it fail: reach, paths,
 * loads and throughput after our own routing has repaired what can be
 * repaired, and what the repair takes.  Also how many links may fail before
 * two hosts are cut off.
 *
 * A study takes a plan, for racks and bundles of cables, and routes it once.
 * Each run takes parts out of the healthy network, repairs the healthy routing
 * as the plugin and 'route --previous' do, and measures.  Where the lanes do
 * not allow a repair, all routes are made anew, as there.  A run is of one
 * point (a kind of failure and a share) and one seed. */
#ifndef SLIMFLY_FAILURES_H
#define SLIMFLY_FAILURES_H

#include "slimfly/claims.h"
#include "slimfly/comparison.h"
#include "slimfly/plan.h"
#include "slimfly/routing.h"

#pragma GCC visibility push(default)

/* What fails. */
enum sf_failure_kind {
    SF_FAILURE_NONE,     /* Nothing: what the others are compared with. */
    SF_FAILURE_LINKS,    /* A share of the cables between switches, drawn at
                          * random; at least one. */
    SF_FAILURE_SWITCHES, /* A share of the switches, likewise.  Their hosts
                          * are gone with them. */
    SF_FAILURE_RACK,     /* All that stands in one rack of the plan. */
    SF_FAILURE_BUNDLE,   /* All cables from switches in one rack to switches
                          * in one other. */
    SF_N_FAILURE_KINDS,
};

/* "none", "links", "switches", "rack", "bundle". */
const char *sf_failure_kind_name(enum sf_failure_kind kind);

/* What is measured in a run, besides throughput.  "All to all" is the traffic
 * of that name: each host that is left sends 1, the rate of its link, evenly
 * to all others that are left, over all its addresses alike.  What it would
 * send to hosts that cannot be reached is left out. */
enum sf_failure_figure {
    SF_FAILURE_DEAD_LINKS,    /* Cables between switches that are gone, also
                               * with their switch. */
    SF_FAILURE_DEAD_SWITCHES, /* Switches that are gone, */
    SF_FAILURE_DEAD_HOSTS,    /* and hosts. */
    SF_FAILURE_REACHED,       /* Share of the ordered pairs of hosts that are
                               * left which all addresses join; */
    SF_FAILURE_REACHED_ALL,   /* of all ordered pairs of the healthy
                               * network. */
    SF_FAILURE_LONGEST,       /* Hops of the longest path, */
    SF_FAILURE_MEAN_HOPS,     /* and of the mean one, between hosts on
                               * different switches. */
    SF_FAILURE_LOAD,          /* All to all: load of the busiest direction of
                               * a link, in rates of a host's link. */
    SF_FAILURE_CHANGED,       /* Entries of forwarding tables that the repair
                               * changes: pairs of a switch and an address of
                               * a switch or host, of all that are left. */
    SF_FAILURE_CHANGED_SHARE, /* The same as a share of these entries. */
    SF_FAILURE_SECONDS,       /* CPU seconds of the repair on one core, or of
                               * making all anew.  The only figure that is
                               * not the same each time. */
    SF_N_FAILURE_FIGURES,
};

/* For files and programs: "reached_all". */
const char *sf_failure_figure_name(enum sf_failure_figure figure);

/* A figure over all runs of a point that have it.  A figure is missing where
 * it means nothing: no two hosts are left on different switches that reach
 * each other.  Without any run that has it all is 0. */
struct sf_failure_range {
    double mean, min, max;
    uint32_t n; /* Runs that have it. */
};

/* A run.  What is missing is NAN. */
struct sf_failure_run {
    double figures[SF_N_FAILURE_FIGURES];
    double *throughputs;  /* [n_splits * n_traffics] Lower bounds. */
    double *left_out;     /* [n_traffics] Share of the traffic between switches
                           * that is left out, as no path is left for it. */
    bool is_made_anew;    /* A repair was not possible within the lanes. */
    bool is_fallback;     /* The routing asked for was impossible on what is
                           * left; the default routing was used. */
    bool is_disconnected; /* Some hosts that are left cannot reach others. */
};

/* A point of the curves: all runs with one kind of failure and share. */
struct sf_failure_point {
    enum sf_failure_kind kind;
    double share;    /* Of links or switches; 0 for other kinds. */
    uint32_t n_runs; /* One for each seed.  Of racks and bundles each run has
                      * another one, so that there are no more runs than
                      * these; 0 if there are none that can fail. */
    struct sf_failure_run *runs; /* [n_runs] */

    /* Over all runs: */
    uint32_t n_made_anew, n_fallback, n_disconnected;
    struct sf_failure_range figures[SF_N_FAILURE_FIGURES];
    struct sf_failure_range *throughputs; /* [n_splits * n_traffics] */
    struct sf_failure_range *left_out;    /* [n_traffics] */
};

#define SF_FAILURE_LEAST_ORDERS 100

/* How many faults it takes until two switches with hosts are cut off from each
 * other. */
struct sf_failure_cuts {
    bool has_pairs;    /* Two switches have hosts; else nothing here counts. */
    uint32_t n_orders; /* As many as seeds, but at least
                        * SF_FAILURE_LEAST_ORDERS, as they cost little. */
    uint32_t *until_cut; /* [n_orders] Links that fail one by one, in random
                          * order, until it happens: the number of the link
                          * that does it, from 1; 0 if the healthy network is
                          * disconnected. */
    struct sf_failure_range links; /* Over these. */

    /* The bounds: fewer faults never do it, wherever they are. */
    uint32_t least_links;    /* Links that must fail at least, */
    uint32_t link_ends[2];   /* for these switches; */
    uint32_t least_switches; /* other switches that must fail at least;
                              * SF_NONE if no number does, as all switches with
                              * hosts are neighbours, */
    uint32_t switch_ends[2]; /* for these, or SF_NONE. */
};

/* Keeps what is finished.  'settings' is one line, all that a result depends
 * on.  load() returns a text that the caller frees, or NULL.  Only one thread
 * at a time calls save().  Several threads may call load() at once, also while
 * one calls save(). */
struct sf_failure_store {
    char *(*load)(void *aux, const char *settings);
    enum sf_status (*save)(void *aux, const char *settings, const char *text,
                           struct sf_error *err);
    void *aux;
    const struct sf_claims *claims; /* Of processes with the same store; NULL:
                                     * there is no other. */
};

/* The question; nothing is owned, and zero stands for a default everywhere but
 * in 'plan' and the number of layers. */
struct sf_failures_params {
    const char *name;           /* Of the network, for progress and errors;
                                 * NULL: the spec of the plan. */
    const struct sf_plan *plan; /* With hosts. */
    struct sf_routing_params routing;
    bool without_kinds[SF_N_FAILURE_KINDS]; /* Kinds that are left out.
                                             * SF_FAILURE_NONE is always
                                             * there. */
    uint32_t n_shares;
    const double *shares; /* Of links and of switches; above 0, at most 1. */
    uint32_t n_traffics;
    const char *const *traffics; /* As sf_traffic_build() takes them, but for
                                  * files, which name hosts that may be gone.
                                  * Drawn for the hosts that are left, by the
                                  * seed of the run. */
    bool without_splits[SF_N_SPLITS]; /* Splits that are left out. */
    bool without_host_links; /* Throughput: hosts send as fast as they like. */
    enum sf_throughput_effort effort;
    double gap;
    bool without_times; /* Leave SF_FAILURE_SECONDS out, so that the same
                         * question has the same answer to the last byte. */
    bool without_cuts;  /* Leave sf_failure_cuts out. */
    uint32_t n_seeds;   /* 0: 1 */
    uint64_t seed;      /* The first of them. */
    uint32_t n_threads; /* Changes nothing but the time. */
    const struct sf_failure_store *store; /* May be NULL. */
};

struct sf_failures {
    struct sf_failures_params params; /* As asked, with what they point to. */
    uint32_t n_splits;                /* Those that were measured, */
    enum sf_comparison_split splits[SF_N_SPLITS]; /* in their order. */
    uint32_t n_switches, n_links, n_hosts;        /* Of the healthy network, */
    uint32_t n_racks, n_bundles;                  /* and of its plan. */
    uint32_t n_points;
    struct sf_failure_point *points; /* [n_points] NONE first; then kind by
                                      * kind, the shares as given. */
    bool has_cuts;
    struct sf_failure_cuts cuts;
};

/* The range of a throughput by number of split and traffic. */
static inline const struct sf_failure_range *
sf_failure_throughput(const struct sf_failures *failures,
                      const struct sf_failure_point *point, uint32_t split,
                      uint32_t traffic)
{
    return &point->throughputs[(size_t)split * failures->params.n_traffics +
                               traffic];
}

/* Runs the study.  On success the caller owns '*failuresp', which points to
 * what 'params' points to; on failure it is NULL.  SF_EINVAL: shares, traffic
 * or routing that cannot be.  SF_ELANES, SF_EUNREACHABLE: the healthy network
 * cannot be routed as asked. */
enum sf_status sf_failures_build(const struct sf_failures_params *params,
                                 struct sf_failures **failuresp,
                                 struct sf_error *err);
void sf_failures_free(struct sf_failures *failures);

#pragma GCC visibility pop
#endif
