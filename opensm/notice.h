/* notice.h -- notices of OpenSM as traps. */
#ifndef SF_OPENSM_NOTICE_H
#define SF_OPENSM_NOTICE_H

#include "subnet.h"
#include "traps.h"

/* Reads 'notice' into 'trap', without LID and name.  False if no device sent
 * it: OpenSM makes some itself, for each host that comes or goes and each
 * multicast group. */
bool sf_notice_read(const ib_mad_notice_attr_t *notice, struct sf_trap *trap);

/* The node that sent 'trap': its LID, and its name as 'engine' has it, or else
 * as it calls itself.  Under osm->lock. */
void sf_notice_name(const osm_opensm_t *osm, struct sf_engine *engine,
                    struct sf_trap *trap);

#endif
