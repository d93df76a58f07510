/* recall.h -- the turns of an earlier state of a fabric. */
#ifndef SF_ROUTING_RECALL_H
#define SF_ROUTING_RECALL_H

#include "slimfly/routing.h"

/* Gives 'routing' the turns of 'base' as far as their links are still there.
 * New links may be the first or the last of a path. */
enum sf_status sf_turns_carry(const struct sf_routing *base,
                              struct sf_routing *routing,
                              struct sf_error *err);

#endif
