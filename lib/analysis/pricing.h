/* pricing.h -- the cheapest path of every demand under prices of edges, among
 * all paths there are. */
#ifndef SF_ANALYSIS_PRICING_H
#define SF_ANALYSIS_PRICING_H

#include "analysis/paths.h"

/* Finds for each demand of 'paths' a path of at most 'max_hops' (0: any) that
 * is cheapest under 'prices' [n_edges], all above 0, and sets '*costp' to what
 * the demands pay on these together.  'more', which is empty, becomes 'paths'
 * with these paths, as far as they are cheaper than those listed by the
 * factor 1 + 'tolerance': the one that is new, if any, is the last of its
 * demand.  With 'more' NULL, only the cost is found.  Bellman and Ford, hop by
 * hop: O(V E H) for paths of up to H hops. */
enum sf_status sf_paths_price(const struct sf_paths *paths,
                              const struct sf_net *net, uint32_t max_hops,
                              const double *prices, double tolerance,
                              uint32_t n_threads, struct sf_paths *more,
                              double *costp, struct sf_error *err);

#endif
