/* resweep.h -- asks OpenSM for another sweep. */
#ifndef SF_OPENSM_RESWEEP_H
#define SF_OPENSM_RESWEEP_H

#include <opensm/osm_config.h> /* First: it changes structs of the others. */

#include <opensm/osm_opensm.h>

/* Makes OpenSM sweep in full, so that it routes again: after the sweep that is
 * under way, if there is one, else at once.  From any thread, and from what
 * OpenSM calls.  Asking several times before that sweep begins is asking
 * once. */
void sf_resweep(osm_opensm_t *osm);

#endif
