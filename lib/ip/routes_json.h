/* routes_json.h -- routes as a JSON object, for files that a lab and a
 * controller keep: who reads them knows the network. */
#ifndef SF_IP_ROUTES_JSON_H
#define SF_IP_ROUTES_JSON_H

#include "base/json_reader.h"
#include "slimfly/routes.h"

#include <jansson.h>

/* The path sets of hosts and all columns, as out ports of switches.  NULL if
 * there is no memory. */
json_t *sf_routes_to_json(const struct sf_network *network,
                          const struct sf_routes *routes);

/* Reads them from 'object', which messages call 'where'.  Numbers are checked,
 * and ports must have links to switches; whether the columns are trees is not
 * looked at.  On failure '*routesp' is NULL. */
enum sf_status sf_routes_from_json(struct sf_json_reader *reader,
                                   const json_t *object, const char *where,
                                   const struct sf_network *network,
                                   struct sf_routes **routesp);

#endif
