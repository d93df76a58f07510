/* annealing.h -- layers by annealing: what a search without ideas, but with
 * all the time in the world, makes of them. */
#ifndef SF_ORACLE_ANNEALING_H
#define SF_ORACLE_ANNEALING_H

#include "slimfly/layers.h"

/* Improves 'layers', all but layer 0, for a connected 'graph' without parallel
 * links and of diameter 2: leaves of the trees move to other next hops within
 * 3 hops, at random, even if that costs more, but ever less often.  What costs
 * are routes that can collide in a permutation of switches, and layers whose
 * path shares an end with one before.  Loads may be as uneven as they like.
 * 'n_sweeps' tries for each entry. */
void oracle_anneal(struct sf_layers *layers, const struct sf_graph *graph,
                   uint64_t seed, uint32_t n_sweeps);

#endif
