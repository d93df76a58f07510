/* paths.h -- demands and the paths that they may take, laid out for the
 * solvers. */
#ifndef SF_ANALYSIS_PATHS_H
#define SF_ANALYSIS_PATHS_H

#include "base/mem.h"
#include "slimfly/throughput.h"

/* A directed network with capacities.  Edges stand by their tails; their
 * numbers are those of the graph's arcs, or of bundles of parallel arcs. */
struct sf_net {
    const struct sf_graph *graph;
    uint32_t n_nodes, n_edges;
    uint32_t *first;    /* [n_nodes + 1] Where a node's edges start. */
    uint32_t *heads;    /* [n_edges] */
    double *capacities; /* [n_edges] */
};

/* Builds the net of 'graph'.  If 'bundled', parallel arcs are one edge of the
 * sum of their capacities: where paths are free to choose among them, that is
 * the same and there are fewer paths. */
enum sf_status sf_net_build(struct sf_net *net, const struct sf_graph *graph,
                            bool bundled, struct sf_error *err);
void sf_net_clear(struct sf_net *net);

/* Commodities, each with its paths, each with its edges from the source on.
 * sf_paths_begin() and sf_paths_add() fill it in this order. */
struct sf_paths {
    SF_VEC(struct sf_demand) demands;
    SF_VEC(uint32_t) first_path; /* [demands.n + 1] */
    SF_VEC(uint32_t) first_hop;  /* [number of paths + 1] */
    SF_VEC(uint32_t) hops;       /* Edges of the net. */
    size_t max_paths;            /* Refuse more; 0: no limit but the type's. */
};

static inline size_t
sf_paths_count(const struct sf_paths *paths)
{
    return paths->first_hop.n ? paths->first_hop.n - 1 : 0;
}

/* Starts the paths of a further demand. */
enum sf_status sf_paths_begin(struct sf_paths *paths,
                              const struct sf_demand *demand,
                              struct sf_error *err);

/* Adds a path of the demand begun last unless it has it already. */
enum sf_status sf_paths_add(struct sf_paths *paths, const uint32_t *hops,
                            uint32_t n_hops, struct sf_error *err);

/* The same for one that it is known not to have. */
enum sf_status sf_paths_append(struct sf_paths *paths, const uint32_t *hops,
                               uint32_t n_hops, struct sf_error *err);
void sf_paths_clear(struct sf_paths *paths);

/* The sentence for a demand that no path serves. */
enum sf_status sf_fail_unserved(const struct sf_graph *graph,
                                const struct sf_demand *demand,
                                uint32_t max_hops, struct sf_error *err);

/* Fills 'paths', which is empty, with those of the layers. */
enum sf_status sf_paths_of_layers(struct sf_paths *paths,
                                  const struct sf_graph *graph,
                                  const struct sf_traffic *traffic,
                                  const struct sf_routes *routes,
                                  struct sf_error *err);

/* ... with up to 'n_paths' paths of at most 'max_hops' that share no link, the
 * shortest first, each drawn among all shortest ones of what links are
 * left; with fewer by 'losses' [source * n_nodes + destination], if nonnull,
 * but one at least. */
enum sf_status sf_paths_disjoint(struct sf_paths *paths,
                                 const struct sf_graph *graph,
                                 const struct sf_traffic *traffic,
                                 uint32_t n_paths, uint32_t max_hops,
                                 const uint16_t *losses, uint64_t seed,
                                 struct sf_error *err);

/* ... with all paths of at most 'max_hops' over the edges of 'net', or as many
 * hops as there must be to get there, if 'at_least_one'.  SF_ELIMIT if there
 * are more than max_paths.  Demands that differ in their path sets only
 * are one. */
enum sf_status sf_paths_enumerate(struct sf_paths *paths,
                                  const struct sf_net *net,
                                  const struct sf_traffic *traffic,
                                  uint32_t max_hops, bool at_least_one,
                                  struct sf_error *err);

/* The loads of 'shares' [paths] on the edges: demand times share, summed, into
 * 'loads' [n_edges]. */
void sf_paths_loads(const struct sf_paths *paths, const struct sf_net *net,
                    const double *shares, double *loads);

/* The largest load over capacity. */
double sf_net_congestion(const struct sf_net *net, const double *loads);

/* The sum of demands times the length of their shortest path in 'paths' under
 * the edge lengths 'prices' [n_edges]. */
double sf_paths_cost(const struct sf_paths *paths, const double *prices);

#endif
