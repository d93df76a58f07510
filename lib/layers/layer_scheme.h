/* layer_scheme.h -- what a layer scheme provides, and what it gets to work
 * with. One scheme a file, one line in layers.c. */
#ifndef SF_LAYERS_LAYER_SCHEME_H
#define SF_LAYERS_LAYER_SCHEME_H

#include "base/spec.h"
#include "layers/turn_columns.h"
#include "slimfly/layers.h"

/* The last parameter of each scheme that can have several path sets, which
 * sf_layers_build() makes one by one. */
#define SF_SETS_KEY "sets"
#define SF_SETS_PARAM                                                     \
    {                                                                     \
        .key = SF_SETS_KEY, SF_PARAM_NUMBER, 1, SF_MAX_PORTS, false, "1", \
        "path sets, among which the hosts of a switch are dealt"          \
    }

/* The parameter of schemes that can keep layers apart (robust.h). */
#define SF_ROBUST_PARAM                                                     \
    {                                                                       \
        .key = "robust", .kind = SF_PARAM_CHOICE, .words = { "no", "yes" }, \
        .by_default = "no",                                                 \
        .meaning = "whether each pair of switches gets two layers whose "   \
                   "paths there and back share no link, so that one dead "  \
                   "link does not hit all addresses of a host; neighbours " \
                   "get a way around their link, with paths of one hop "    \
                   "more"                                                   \
    }

/* A routing task. */
struct sf_layer_job {
    const struct sf_graph *graph; /* Of the network. */
    const struct sf_layers_params *params;
    const struct sf_value *values; /* In the order of the scheme's params. */
    uint64_t seed;           /* Of this path set alone; that in 'params' is
                              * common to all. */
    const uint32_t *weights; /* [V] Hosts on each switch; one each where no
                              * switch carries any. */
    const uint32_t *reverse; /* [2E] Each arc as seen from its other end. */
    const struct sf_turn_columns *turns; /* Those in 'params'; NULL: look
                                          * there. */
    uint32_t diameter;                   /* The longest finite distance. */
    double mean_distance; /* Over pairs with a path, each with itself too. */
    uint32_t max_hops;    /* At least the diameter. */
    /* By default a fault that takes a few switches farther away does not make
     * all paths longer: most destinations have the usual limit, those with
     * farther switches as much as they need. */
    uint32_t usual_diameter;  /* Farthest distance, without outliers. */
    uint32_t usual_hops;      /* The limit for most. */
    const uint32_t *limits;   /* [V] Hops at most, by destination. */
    uint32_t n_threads;       /* At least 1. */
    struct sf_layers *layers; /* To be filled; SF_NO_HOP everywhere. */
};

struct sf_layer_ops {
    /* Fills job->layers as slimfly/layers.h promises of every scheme, with at
     * most limits[d] hops to each destination d.  The graph may be
     * disconnected: then each part is routed by itself.  Random numbers come
     * from job->seed, in a stream for each thing that threads may do in any
     * order, so that the result does not depend on them. */
    enum sf_status (*build)(const struct sf_layer_job *job,
                            struct sf_error *err);

    /* Changes what 'spec' says of the scheme where 'values' make it differ.
     * NULL: they never do. */
    void (*settle)(const struct sf_value *values, struct sf_layer_spec *spec);

    /* Sets '*suitsp' to whether a network is what the scheme is made for;
     * NULL: none is. */
    enum sf_status (*suits)(const struct sf_network *network, bool *suitsp,
                            struct sf_error *err);
};

/* Reports that 'done' of 'total' steps are done, all layers of the job taken
 * together. */
void sf_layers_report(const struct sf_layer_job *job, uint64_t done,
                      uint64_t total);

/* The same for schemes that take one layer after the other: all before
 * 'layer' are done, and of this one so many destinations. */
void sf_layers_report_layer(const struct sf_layer_job *job, uint32_t layer,
                            uint32_t n_destinations);

/* The limits that sf_layers_build() would set: to most destinations, and to
 * those of which some switches are farther away. */
enum sf_status sf_layers_limits(const struct sf_network *network,
                                const struct sf_layers_params *params,
                                uint32_t *usual_hopsp, uint32_t *max_hopsp,
                                struct sf_error *err);

/* Whether layers by 'params' can reach everything: as sf_layers_build() would
 * refuse it, before it or anything else does any work. */
enum sf_status sf_layers_check_reach(const struct sf_network *network,
                                     const struct sf_layers_params *params,
                                     struct sf_error *err);

/* sf_turns_rank() for a job. */
static inline uint32_t
sf_turn_rank(const struct sf_layer_job *job, uint32_t in, uint32_t hop,
             uint32_t next)
{
    return job->turns ? sf_turn_columns_rank(job->turns, job->graph,
                                             job->reverse, in, hop, next)
                      : sf_turns_rank(job->params->turns, job->graph,
                                      job->reverse, in, hop, next);
}

#endif
