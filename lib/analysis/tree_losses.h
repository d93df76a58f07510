/* tree_losses.h -- how many disjoint paths layers must lose because they are
 * trees. */
#ifndef SF_ANALYSIS_TREE_LOSSES_H
#define SF_ANALYSIS_TREE_LOSSES_H

#include "slimfly/traffic.h"

/* Of the paths of at most 3 hops to 'destination' in 'n_layers' layers, the
 * first of shortest paths, how many at least are not disjoint from the others
 * of their pair, in sum over the switches that are two hops away.  SF_EINVAL
 * if one is farther. */
enum sf_status sf_tree_losses_to(const struct sf_graph *graph,
                                 uint32_t destination, uint32_t n_layers,
                                 uint32_t *n_lostp, struct sf_error *err);

/* Deals these losses out among the pairs of each destination of 'traffic', as
 * evenly as they go and else at random, into '*lossesp' [source * n_nodes +
 * destination], to be freed. */
enum sf_status sf_tree_losses(const struct sf_graph *graph,
                              const struct sf_traffic *traffic,
                              uint32_t n_layers, uint64_t seed,
                              uint32_t n_threads, uint16_t **lossesp,
                              struct sf_error *err);

#endif
