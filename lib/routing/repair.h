/* repair.h -- routes of an earlier state of a network, mended for the present
 * one. */
#ifndef SF_ROUTING_REPAIR_H
#define SF_ROUTING_REPAIR_H

#include "routing/earlier.h"

/* Mends 'before', the routes of the earlier network, for the present one: next
 * hops change only where a path does not lead to its destination any more, is
 * longer than 'usual_hops' and than the shortest from the farthest switch,
 * does not obey the turns that the routes have or, in layer 0, is longer than
 * it need be, unless the routes were fitted to jobs and the column was so
 * before.  Where 'evens_loads', paths then leave links that carry more than
 * any did before.  Paths are free of loops.  The result has no lanes yet.
 * SF_ELANES if the turns do not allow a path that is needed. */
enum sf_status sf_routes_repair(const struct sf_earlier *earlier,
                                const struct sf_routes *before,
                                uint32_t usual_hops, bool evens_loads,
                                struct sf_routes **routesp,
                                struct sf_error *err);

#endif
