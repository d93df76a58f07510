/* keep_lids.h -- nodes that took the place of others (slimfly/replace.h) get
 * their LIDs.
 *
 * OpenSM keeps LIDs by GUID.  Between its discovery and the moment that it
 * gives LIDs, what it keeps for the old GUID is handed over to the new one. */
#ifndef SF_OPENSM_KEEP_LIDS_H
#define SF_OPENSM_KEEP_LIDS_H

#include "slimfly/fabric.h"
#include "subnet.h"

/* Hands over the LIDs of what is gone of 'base'.  To be called when a heavy
 * sweep has found all, by the thread that sweeps.  Returns of how many
 * ports. */
uint32_t sf_keep_lids(osm_opensm_t *osm, const struct sf_fabric *base);

#endif
