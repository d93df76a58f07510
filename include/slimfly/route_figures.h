/* route_figures.h -- what routes are like: how long their paths are and how
 * evenly they share the links. */
#ifndef SLIMFLY_ROUTE_FIGURES_H
#define SLIMFLY_ROUTE_FIGURES_H

#include "slimfly/routes.h"

#pragma GCC visibility push(default)

#define SF_FIGURES_MAX_HOPS 64

/* Figures over all paths from switches that carry hosts to the addresses of
 * hosts on other switches. */
struct sf_route_figures {
    uint64_t n_paths;
    uint64_t n_broken; /* Paths that do not arrive: no entry, or a loop. */
    uint64_t n_by_hops[SF_FIGURES_MAX_HOPS + 1]; /* Links between switches. */
    double mean_hops;
    uint32_t most_hops;
    uint64_t min_load, max_load; /* Paths over a direction of a link. */
    double mean_load;
};

/* Follows every path.  O(sets * layers * V^2 * hops). */
enum sf_status sf_route_figures_measure(const struct sf_network *network,
                                        const struct sf_routes *routes,
                                        struct sf_route_figures *figures,
                                        struct sf_error *err);

#pragma GCC visibility pop
#endif
