/* edges.h -- edge lists: the simplest form of a graph, one line a link. */
#ifndef SF_TOPOLOGY_EDGES_H
#define SF_TOPOLOGY_EDGES_H

#include "topology/family.h"

#include <stdio.h>

/* Reads the edge list 'text', which sf_edges_read() changes, into 'sketch',
 * with 'p' hosts on every switch.  'path' is for messages. */
enum sf_status sf_edges_read(char *text, size_t length, const char *path,
                             uint32_t p, struct sf_sketch *sketch,
                             struct sf_error *err);

/* Writes 'topo' as an edge list of switch numbers. */
void sf_edges_write(const struct sf_topology *topo, FILE *stream);

#endif
