/* swaps.h -- makes a cut through a graph smaller. */
#ifndef SF_DESIGN_SWAPS_H
#define SF_DESIGN_SWAPS_H

#include "slimfly/graph.h"

#include <stdint.h>

/* Swaps nodes between the two sides, -1 and 1 in 'side' [n_nodes], as long as
 * fewer links cross; the sides keep their sizes [Kernighan70].  A pass is
 * O(V^2 + E). */
enum sf_status sf_swaps_improve(const struct sf_graph *graph, int8_t *side,
                                struct sf_error *err);

#endif
