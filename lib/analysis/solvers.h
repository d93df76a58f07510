/* solvers.h -- the largest throughput over given paths: exactly by linear
 * programming, or between bounds. */
#ifndef SF_ANALYSIS_SOLVERS_H
#define SF_ANALYSIS_SOLVERS_H

#include "analysis/paths.h"

/* Solves the linear program over 'paths' with CLP and fills the net_ bounds,
 * the method and n_paths of 'result'.  The bounds are computed anew from what
 * CLP returns, and are one number if CLP was right to seven digits. */
enum sf_status sf_throughput_linear(const struct sf_net *net,
                                    const struct sf_paths *paths,
                                    struct sf_throughput *result,
                                    struct sf_error *err);

/* Bounds the throughput over 'paths' and, if 'grow', over all others of at
 * most 'max_hops' (0: any) that are found to be of use: 'paths' grows by
 * them. */
enum sf_status
sf_throughput_approximate(const struct sf_net *net, struct sf_paths *paths,
                          bool grow, uint32_t max_hops,
                          const struct sf_throughput_params *params,
                          struct sf_throughput *result, struct sf_error *err);

#endif
