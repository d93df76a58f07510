/* planned.h -- the planned fabric in the place of a base (engine.h) that is
 * not known.
 *
 * A manager that starts or takes over while links are down would make a base
 * without them.  Where there is a plan, what is missing of it is known: base
 * is made of the planned fabric and repaired, as it was while all was there.
 * So managers that have the same plan agree, and need not share a file. */
#ifndef SF_OPENSM_PLANNED_H
#define SF_OPENSM_PLANNED_H

#include "slimfly/verify.h"

/* Makes '*fabricp' of 'found', which has LIDs, and of what 'plan' has beside
 * it, which gets none.  Nodes are in the order of sf_subnet_read().  'map'
 * tells the GUIDs of switches that are missing, else 'plan' does if it has
 * those of the others; it may be NULL.
 *
 * '*fabricp' is NULL, and that is fine, if 'found' has all links that are
 * planned, others than these, or less than four fifths of them: a fabric that
 * is still being built is better routed as it is. */
enum sf_status sf_planned_base(const struct sf_fabric *plan,
                               const struct sf_guid_map *map,
                               const struct sf_fabric *found,
                               struct sf_fabric **fabricp,
                               struct sf_error *err);

#endif
