/* bisection.h -- how many links a fair cut through a network must cross. */
#ifndef SF_DESIGN_BISECTION_H
#define SF_DESIGN_BISECTION_H

#include "slimfly/topology.h"

struct bisection {
    uint32_t at_most; /* Links across the best cut found. */
    double at_least;  /* No balanced cut crosses fewer; NAN if not known. */
    uint32_t n_half;  /* Hosts on the smaller side of such a cut. */
};

/* Bounds the bisection of 'topo'; design.h says how. */
enum sf_status sf_bisection_bound(const struct sf_topology *topo,
                                  struct bisection *bisection,
                                  struct sf_error *err);

#endif
