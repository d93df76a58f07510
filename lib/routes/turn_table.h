/* turn_table.h -- whether a path may take a turn: what layers and repairs
 * share. */
#ifndef SF_ROUTES_TURN_TABLE_H
#define SF_ROUTES_TURN_TABLE_H

#include "slimfly/routes.h"

/* Above every rank that a channel can have. */
#define SF_ANY_RANK UINT32_MAX

/* The number of the turn from arc 'in' to arc 'out', where those of each
 * switch start at 'first' [V]. */
static inline size_t
sf_turn_number(const size_t *first, const struct sf_graph *graph,
               const uint32_t *reverse, uint32_t in, uint32_t out)
{
    uint32_t at = graph->arcs[in].to;
    return first[at] +
           (size_t)(reverse[in] - graph->first[at]) *
               sf_graph_degree(graph, at) +
           (out - graph->first[at]);
}

/* Whether a path may go over arc 'in' to some switch and on over the arc 'hop'
 * of that switch, where it takes a channel of rank 'next' after that
 * (SF_ANY_RANK if it ends or all turns are allowed).  If so, the rank of its
 * channel on 'hop', or SF_ANY_RANK if 'turns' is NULL; if not, 0.  'reverse'
 * [2E] is each arc as seen from its other end. */
static inline uint32_t
sf_turns_rank(const struct sf_turns *turns, const struct sf_graph *graph,
              const uint32_t *reverse, uint32_t in, uint32_t hop,
              uint32_t next)
{
    if (!turns) {
        return SF_ANY_RANK;
    }
    uint32_t at = graph->arcs[in].to;
    size_t from = reverse[in] - graph->first[at];
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
