/* distances.h -- hops between the nodes of a graph. */
#ifndef SF_BASE_DISTANCES_H
#define SF_BASE_DISTANCES_H

#include "slimfly/graph.h"

#define SF_OUT_OF_REACH UINT16_MAX

/* The hops between all nodes of 'graph', by source [n_nodes * n_nodes];
 * SF_OUT_OF_REACH between different parts.  NULL if memory runs out; the
 * caller frees it.  O(V E). */
uint16_t *sf_graph_distances(const struct sf_graph *graph);

#endif
