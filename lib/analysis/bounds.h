/* bounds.h -- bounds of the throughput that take no solver: flows that are
 * shared out evenly, and prices that are easy to guess.  Often they are close
 * enough; where not, solvers start from them. */
#ifndef SF_ANALYSIS_BOUNDS_H
#define SF_ANALYSIS_BOUNDS_H

#include "analysis/paths.h"

/* Throughput upside down: the load of the fullest edge when all demands are
 * met once. */
struct sf_bounds {
    double suffices; /* A flow has this congestion. */
    double needed;   /* Prices prove that none has less. */
};

/* Bounds 'traffic' over all paths of 'net'.  The flow takes all shortest paths
 * of a demand alike.  The prices are the same on every edge, or on those out
 * of or into one switch.  '*longestp' is the length of the longest path, or
 * SF_NONE if a demand has none, and then there are no bounds; '*n_pairsp' is
 * the number of pairs of switches with a demand.  O(V E). */
enum sf_status sf_bounds_of_net(const struct sf_net *net,
                                const struct sf_traffic *traffic,
                                struct sf_bounds *bounds, uint32_t *longestp,
                                uint64_t *n_pairsp, struct sf_error *err);

/* Bounds the demands of 'paths' over these paths and, if 'grow', any others.
 * The flow takes all paths of a demand alike, or all of its shortest ones,
 * whichever is better; 'shares' [paths] becomes that flow. */
enum sf_status sf_bounds_of_paths(const struct sf_paths *paths,
                                  const struct sf_net *net, bool grow,
                                  struct sf_bounds *bounds, double *shares,
                                  struct sf_error *err);

#endif
