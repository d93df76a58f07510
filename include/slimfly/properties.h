/* properties.h -- what a topology is like: a checker that trusts nothing that
 * a family claims and measures the graph itself. */
#ifndef SLIMFLY_PROPERTIES_H
#define SLIMFLY_PROPERTIES_H

#include "slimfly/topology.h"

#pragma GCC visibility push(default)

/* How far apart pairs of switches are. */
struct sf_distances {
    uint32_t diameter; /* The longest distance between two of them; SF_NONE
                        * if some pair is not connected. */
    double average;    /* Over ordered pairs of two; NAN if not connected. */
    uint64_t *n_pairs; /* [n_distances] Ordered pairs at each distance; 0
                        * at distance 0. */
    uint32_t n_distances; /* Longest finite distance + 1. */
};

struct sf_properties {
    uint32_t n_switches, n_links, n_endpoints;
    uint32_t n_parts;          /* Connected components; 1 if connected. */
    uint32_t min_degree;       /* Links at a switch, fewest */
    uint32_t max_degree;       /* and most: the network radix k'. */
    bool regular;              /* Whether these are the same. */
    uint32_t n_parallel_links; /* Links that join two switches which another
                                * link with a lower number joins already. */
    uint32_t girth;            /* Length of the shortest cycle, 2 with parallel
                                * links; SF_NONE without cycles. */
    struct sf_distances all;   /* Between all switches. */
    struct sf_distances hosts; /* Between switches that carry hosts. */

    /* The most switches that degree k' and the diameter allow, infinite if
     * that is too many to count, NAN if not connected. */
    double moore_bound;

    uint32_t concentration; /* p: hosts on each switch that carries any. */
    uint32_t radix;         /* Ports that a switch needs, at most. */

    /* The largest p for which all hosts can send to uniformly random hosts at
     * full rate, if shortest paths share the links out perfectly [Besta14]:
     * link directions / (switches with hosts * average distance, pairs of a
     * switch with itself included).  NAN if it does not apply. */
    double full_bandwidth_p;
};

/* Measures 'topo'.  Release with sf_properties_clear().  Breadth-first
 * searches from 512 switches at once: O(V E D / 512) words. */
enum sf_status sf_properties_measure(const struct sf_topology *topo,
                                     struct sf_properties *properties,
                                     struct sf_error *err);
void sf_properties_clear(struct sf_properties *properties);

#pragma GCC visibility pop
#endif
