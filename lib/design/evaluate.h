/* evaluate.h -- everything about one candidate: built, measured, planned and
 * paid. */
#ifndef SF_DESIGN_EVALUATE_H
#define SF_DESIGN_EVALUATE_H

#include "slimfly/design.h"

/* Fills 'candidate' for its spec, ports, generation, backend and addresses of
 * a host, which the caller
 * has set; what else the caller has set stays. */
enum sf_status sf_evaluate_candidate(struct sf_candidate *candidate,
                                     struct sf_error *err);

/* The same except for what takes time and a chart does not show: distances
 * and bisection. */
enum sf_status sf_evaluate_cost(struct sf_candidate *candidate,
                                struct sf_error *err);

/* The same for a topology and a plan of it that are there.  'topo' has the
 * hosts of the plan, and is connected. */
enum sf_status sf_evaluate_planned(const struct sf_topology *topo,
                                   const struct sf_plan *plan,
                                   struct sf_candidate *candidate,
                                   struct sf_error *err);

#endif
