/* guids.h -- the nodes of a fabric by GUID. */
#ifndef SF_FABRIC_GUIDS_H
#define SF_FABRIC_GUIDS_H

#include "base/ids.h"
#include "slimfly/fabric.h"

/* Sorts the first 'n' nodes of 'fabric', such as all switches, by GUID, for
 * sf_ids_find().  False if memory runs out; the caller clears 'ids' in any
 * case. */
bool sf_fabric_sort_guids(const struct sf_fabric *fabric, uint32_t n,
                          struct sf_ids *ids);

#endif
