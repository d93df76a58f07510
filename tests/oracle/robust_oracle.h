/* robust_oracle.h -- fails every link in turn and looks who is cut off. */
#ifndef SF_ROBUST_ORACLE_H
#define SF_ROBUST_ORACLE_H

#include "slimfly/routes.h"

struct oracle_robustness {
    uint64_t n_pairs; /* Pairs of hosts that some address joins, both ways. */
    uint64_t n_hit;   /* Of these, some dead link hits all addresses; */
    uint64_t n_bridged; /* of these, no path is left at all. */
};

/* Follows the paths of all addresses of all pairs of hosts on different
 * switches, once for each link that is dead. */
struct oracle_robustness oracle_robustness(const struct sf_network *network,
                                           const struct sf_routes *routes);

/* Whether two addresses of two hosts share no link, there and back. */
bool oracle_are_apart(const struct sf_network *network,
                      const struct sf_routes *routes, uint32_t host_a,
                      uint32_t host_b);

/* Whether some layer of path set 0 leads from each of the two neighbours to
 * the other without a link that joins them. */
bool oracle_goes_around(const struct sf_graph *graph,
                        const struct sf_layers *layers, uint32_t a,
                        uint32_t b);

#endif
