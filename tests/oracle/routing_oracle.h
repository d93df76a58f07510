/* routing_oracle.h -- slow and obvious judges of routing layers, which share
 * nothing with the library but the graph. */
#ifndef SF_ROUTING_ORACLE_H
#define SF_ROUTING_ORACLE_H

#include "slimfly/layers.h"

/* Distances between all nodes, by relaxing every link until nothing changes;
 * SF_NONE if out of reach.  Free with free(). */
uint32_t *oracle_route_distances(const struct sf_graph *graph);

/* Whether every tree leads to its destination without loops, within
 * 'max_hops' (0: any), minimally in layer 0 if 'minimal_first', and has no
 * hop where there is no path. */
bool oracle_is_valid(const struct sf_layers *layers,
                     const struct sf_graph *graph, uint32_t max_hops,
                     bool minimal_first);

/* How many paths of the layers from 's' to 'd' share no link with each other:
 * the largest set, by trying all. */
uint32_t oracle_count_disjoint(const struct sf_layers *layers,
                               const struct sf_graph *graph, uint32_t s,
                               uint32_t d);

/* The largest number of paths on an arc over the mean, all pairs and layers
 * counted once. */
double oracle_load_ratio(const struct sf_layers *layers,
                         const struct sf_graph *graph);

/* 'graph' without 'link', or without 'node' (SF_NONE: none), whose number the
 * last node takes. */
struct sf_graph *oracle_remove(const struct sf_graph *graph, uint32_t link,
                               uint32_t node);

#endif
