/* resweep.c -- see resweep.h.  A heavy sweep clears the flag before it reports
 * its start, so what was asked for until then is seen by that sweep, and what
 * is asked for later stays. */
#include "resweep.h"

void
sf_resweep(osm_opensm_t *osm)
{
    osm->subn.force_heavy_sweep = TRUE;
    osm_opensm_sweep(osm);
}
