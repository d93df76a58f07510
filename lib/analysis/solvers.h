/* solvers.h -- the largest throughput over given paths: exactly by linear
 * programming, or between bounds. */
#ifndef SF_ANALYSIS_SOLVERS_H
#define SF_ANALYSIS_SOLVERS_H

#include "analysis/paths.h"

#define SF_DEFAULT_GAP 0.005

/* Whether bounds are as close as 'gap' asks for (0: the default). */
bool sf_bounds_are_close(double lower, double upper, double gap);

/* Solves the linear program over 'paths' with CLP and fills the net_ bounds,
 * the method and n_paths of 'result'.  The bounds are computed anew from what
 * CLP returns, and are one number if CLP was right to seven digits.  If CLP
 * stopped before that, for example after 'max_rounds' iterations of the
 * simplex method (0: no limit), they are far apart, but still bounds. */
enum sf_status sf_throughput_linear(const struct sf_net *net,
                                    const struct sf_paths *paths,
                                    uint32_t max_rounds,
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
