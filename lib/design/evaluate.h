/* evaluate.h -- everything about one candidate: built, measured, planned and
 * paid. */
#ifndef SF_DESIGN_EVALUATE_H
#define SF_DESIGN_EVALUATE_H

#include "slimfly/design.h"

/* Fills 'candidate' for its spec, ports, generation, backend and addresses of
 * a host, which the caller
 * has set; what else the caller has set stays. */
enum sf_status evaluate_candidate(struct sf_candidate *candidate,
                                  struct sf_error *err);

/* The same except for what takes time and a chart does not show: distances
 * and bisection. */
enum sf_status evaluate_cost(struct sf_candidate *candidate,
                             struct sf_error *err);

#endif
