/* path_order.h -- the order of channels in which the paths of hosts use them,
 * on virtual lanes that follow from the ports alone. */
#ifndef SF_ROUTING_PATH_ORDER_H
#define SF_ROUTING_PATH_ORDER_H

#include "slimfly/routes.h"

/* Makes turns on the VLs of 'lanes', which ignore service levels, that allow
 * every path along which the order rises: all that start at hosts in 'routes',
 * and others.  SF_ELANES: there is no such order, and packets can wait for
 * each other in a circle. */
enum sf_status sf_path_order_build(const struct sf_network *network,
                                   const struct sf_lanes *lanes,
                                   const struct sf_routes *routes,
                                   struct sf_turns **turnsp,
                                   struct sf_error *err);

#endif
