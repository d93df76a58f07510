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

/* Above every rank that a channel can have: see sf_turn_rank(). */
#define SF_ANY_RANK UINT32_MAX

/* Whether a path may go over arc 'in' to some switch and on over the arc 'hop'
 * of that switch, where it takes a channel of rank 'next' after that
 * (SF_ANY_RANK if it ends or all turns are allowed).  If so, the rank of its
 * channel on 'hop', or SF_ANY_RANK without 'turns'; if not, 0. */
static inline uint32_t
sf_turn_rank(const struct sf_layer_job *job, uint32_t in, uint32_t hop,
             uint32_t next)
{
    const struct sf_turns *turns = job->params->turns;
    if (!turns) {
        return SF_ANY_RANK;
    }
    const struct sf_graph *graph = job->graph;
    uint32_t at = graph->arcs[in].to;
    size_t from = job->reverse[in] - graph->first[at];
    uint8_t vl =
        turns->vls[turns->first[at] + from * sf_graph_degree(graph, at) + hop];
    if (vl == SF_NO_TURN) {
        return 0;
    }
    /* A path may start with 'in', too: on VL 0. */
    size_t out = graph->first[at] + hop;
    uint32_t rank = turns->ranks[out * turns->n_vls + vl];
    return turns->ranks[(size_t)in * turns->n_vls] < rank && rank < next ? rank
                                                                         : 0;
}

#endif
