/* scheme.h -- what a layer scheme provides, and what it gets to work with.
 * One scheme a file, one line in layers.c. */
#ifndef SF_ROUTING_SCHEME_H
#define SF_ROUTING_SCHEME_H

#include "slimfly/layers.h"

/* A routing task. */
struct sf_layer_job {
    const struct sf_graph *graph;
    const struct sf_layers_params *params;
    const uint32_t *weights; /* [V] Hosts on each switch; one each where no
                              * switch carries any. */
    const uint32_t *reverse; /* [2E] Each arc as seen from its other end. */
    const size_t *turns_at;  /* [V] Where a switch's turns start; NULL if all
                              * turns are allowed. */
    uint32_t diameter;       /* The longest finite distance. */
    double mean_distance; /* Over pairs with a path, each with itself too. */
    uint32_t max_hops;    /* At least the diameter. */
    /* By default a fault that takes a few switches farther away does not make
     * all paths longer: most destinations have the usual limit, those with
     * farther switches as much as they need. */
    uint32_t usual_diameter;  /* Median of the farthest distances. */
    uint32_t usual_hops;      /* The limit for most. */
    const uint32_t *limits;   /* [V] Hops at most, by destination. */
    uint32_t n_threads;       /* At least 1. */
    struct sf_layers *layers; /* To be filled; SF_NO_HOP everywhere. */
};

struct sf_layer_ops {
    /* Fills job->layers.  The graph may be disconnected: then each part is
     * routed by itself. */
    enum sf_status (*build)(const struct sf_layer_job *job,
                            struct sf_error *err);
};

/* Below every class that a further turn may still take: see
 * sf_turn_class(). */
#define SF_ANY_CLASS 256u

/* The class of the turn from arc 'in', which ends at some switch, to the arc
 * 'hop' of that switch, if a path that goes on with a turn of class 'next'
 * (SF_ANY_CLASS if with none) may take it; 0 if it may not.  Without 'turns'
 * always SF_ANY_CLASS. */
static inline uint32_t
sf_turn_class(const struct sf_layer_job *job, uint32_t in, uint32_t hop,
              uint32_t next)
{
    if (!job->turns_at) {
        return SF_ANY_CLASS;
    }
    const struct sf_graph *graph = job->graph;
    uint32_t at = graph->arcs[in].to;
    size_t from = job->reverse[in] - graph->first[at];
    uint32_t class =
        job->params->turns->classes[job->turns_at[at] +
                                    from * sf_graph_degree(graph, at) + hop];
    if (!job->params->turns->rising) {
        return class ? SF_ANY_CLASS : 0;
    }
    return class < next ? class : 0;
}

#endif
