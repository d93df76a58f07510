/* direct_paths.h -- the ways to switches by the ports on the way, for those
 * who ask them whatever the forwarding tables say. */
#ifndef SF_IB_DIRECT_PATHS_H
#define SF_IB_DIRECT_PATHS_H

#include "slimfly/fabric.h"

#include <infiniband/mad.h>

#include <stdbool.h>

/* The node with this machine's 'guid'.  SF_NONE, having said so on standard
 * error, if 'fabric' does not have it. */
uint32_t sf_direct_paths_self(const struct sf_fabric *fabric, uint64_t guid);

/* Finds the ways from the port 'self_port' of node 'self' to all switches,
 * breadth first: 'paths' and 'is_found', [n_switches] of zeros.  False if
 * memory ran out. */
bool sf_direct_paths_find(const struct sf_fabric *fabric, uint32_t self,
                          uint8_t self_port, ib_dr_path_t *paths,
                          bool *is_found);

/* Adds the way out of port 'number' to 'path'; false if it gets too long. */
bool sf_direct_path_extend(ib_dr_path_t *path, uint32_t number);

#endif
