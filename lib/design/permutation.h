/* permutation.h -- what hosts can get when each sends to one other, whichever
 * that is. */
#ifndef SF_DESIGN_PERMUTATION_H
#define SF_DESIGN_PERMUTATION_H

#include "design/bisection.h"

/* All hosts of a switch send to those of another. */
struct switch_pair {
    uint32_t from, to;
    uint32_t hops;     /* Between the two. */
    uint32_t n_direct; /* Paths of so many hops that share no link, at most. */
};

/* A permutation of the switches with hosts, none of which stays in its place:
 * as far apart as a greedy search gets them. */
struct permutation {
    uint32_t n;
    struct switch_pair *pairs;
};

/* Makes one for 'topo', which is connected and has at least two switches with
 * hosts. */
enum sf_status sf_permutation_make(const struct sf_topology *topo,
                                   struct permutation *permutation,
                                   struct sf_error *err);
void sf_permutation_clear(struct permutation *permutation);

/* No routing gives all hosts of 'topo' more than this share of their rate
 * under 'permutation'; at most 1. */
double sf_permutation_share(const struct sf_topology *topo,
                            const struct permutation *permutation);

/* Sets '*at_mostp' to a share of their rate that the hosts of 'topo' cannot
 * all pass under the worst permutation of hosts, whatever the routing; NAN if
 * not known.  'average' is the mean distance of switches with hosts.  design.h
 * says how. */
enum sf_status sf_permutation_bound(const struct sf_topology *topo,
                                    const struct bisection *bisection,
                                    double average, double *at_mostp,
                                    struct sf_error *err);

/* Whether every permutation of the hosts of 'topo' is known to get full
 * rate. */
bool sf_permutation_is_never_blocked(const struct sf_topology *topo);

#endif
