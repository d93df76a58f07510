/* origin_json.h -- what made a result, in JSON. */
#ifndef SF_BASE_ORIGIN_JSON_H
#define SF_BASE_ORIGIN_JSON_H

#include "slimfly/origin.h"

#include <jansson.h>
#include <stdbool.h>

/* Adds the members "program" and "command" to 'root', where 'origin', if
 * nonnull, knows them.  What JSON cannot hold becomes '?'.  False if memory
 * ran out. */
bool sf_origin_add_json(json_t *root, const struct sf_origin *origin);

#endif
