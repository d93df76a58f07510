/* turn_columns.h -- allowed turns, in the order in which trees ask for them.
 *
 * A tree fixes where each switch goes on; who may come over it is asked for
 * many of its links in a row.  So turns stand here by the arc that they lead
 * to: what a tree asks at a switch lies within a cache line or two, where
 * struct sf_turns has it a line apart each. */
#ifndef SF_LAYERS_TURN_COLUMNS_H
#define SF_LAYERS_TURN_COLUMNS_H

#include "routes/turn_table.h"

_Static_assert(SF_NO_TURN % 32 == 31, "no VL is taken for no turn");

struct sf_turn_columns {
    const struct sf_turns *turns; /* NULL: all turns are allowed. */
    uint8_t *vls; /* VLs by turn, those of each switch where they are in
                   * 'turns'; SF_NO_TURN also where no path may start so. */
};

/* 'reverse' [2E] is each arc as seen from its other end; 'turns' are kept.
 * False if out of memory; sf_turn_columns_clear() may be called all the same.
 * O(turns). */
bool sf_turn_columns_init(struct sf_turn_columns *columns,
                          const struct sf_graph *graph,
                          const uint32_t *reverse,
                          const struct sf_turns *turns);
void sf_turn_columns_clear(struct sf_turn_columns *columns);

/* As sf_turns_rank(). */
static inline uint32_t
sf_turn_columns_rank(const struct sf_turn_columns *columns,
                     const struct sf_graph *graph, const uint32_t *reverse,
                     uint32_t in, uint32_t hop, uint32_t next)
{
    const struct sf_turns *turns = columns->turns;

    if (!turns) {
        return SF_ANY_RANK;
    }
    uint32_t at = graph->arcs[in].to, first = graph->first[at];
    uint32_t degree = graph->first[at + 1] - first;
    uint8_t vl = columns->vls[turns->first[at] + (size_t)hop * degree +
                              (reverse[in] - first)];
    if (vl == SF_NO_TURN) {
        return 0;
    }
    uint32_t rank = turns->ranks[(size_t)(first + hop) * turns->n_vls + vl];
    return rank < next ? rank : 0;
}

/* The links of 'at' over which paths may come that go on over its arc 'hop',
 * and then on a channel of rank 'next': a bit for each of the first 64. */
static inline uint64_t
sf_turn_columns_may(const struct sf_turn_columns *columns,
                    const struct sf_graph *graph, uint32_t at, uint32_t hop,
                    uint32_t next)
{
    const struct sf_turns *turns = columns->turns;
    uint32_t first = graph->first[at], degree = graph->first[at + 1] - first;
    const uint32_t *ranks =
        turns->ranks + (size_t)(first + hop) * turns->n_vls;
    const uint8_t *vls =
        columns->vls + turns->first[at] + (size_t)hop * degree;
    uint64_t may = 0;
    uint32_t rising = 0; /* VLs; there are less than 31. */

    for (uint32_t vl = 0; vl < turns->n_vls; vl++) {
        rising |= (uint32_t)(ranks[vl] < next) << vl;
    }
    for (uint32_t from = 0; from < degree && from < 64; from++) {
        may |= (uint64_t)(rising >> vls[from] % 32 & 1) << from;
    }
    return may;
}

#endif
