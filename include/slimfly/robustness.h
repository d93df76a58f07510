/* robustness.h -- what one dead link does to the addresses of hosts.
 *
 * Two hosts talk over address k of both: packets take the path of address k
 * there and the path of address k back, which need not be the same links.  A
 * dead link hits an address of a pair if it is on either path. */
#ifndef SLIMFLY_ROBUSTNESS_H
#define SLIMFLY_ROBUSTNESS_H

#include "slimfly/routes.h"

#pragma GCC visibility push(default)

/* Pairs of hosts on different switches that paths join in both directions.
 * Links of hosts themselves do not count. */
struct sf_robustness {
    uint64_t n_pairs;
    uint64_t n_apart;   /* Two addresses share no link, */
    uint64_t n_covered; /* or any two do, but no link is on all; */
    uint64_t n_hit;     /* or one dead link hits all addresses: */
    uint64_t n_bridged; /* of these, a bridge is between the hosts: no routing
                         * can do better; */
    uint64_t n_neighbours_hit; /* of these, the hosts are on neighbouring
                                * switches and no bridge is between them. */
    uint32_t hosts[2], link;   /* One of n_hit, not of n_bridged if there are
                                * others: hosts of the network and a link of
                                * its graph; SF_NONE if there is none. */
};

/* Looks at all pairs of hosts.  O((switches * sets)^2 * layers * hops). */
enum sf_status sf_robustness_measure(const struct sf_network *network,
                                     const struct sf_routes *routes,
                                     struct sf_robustness *robustness,
                                     struct sf_error *err);

#pragma GCC visibility pop
#endif
