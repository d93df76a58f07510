/* changes_helpers.h -- changes of tables, for the suites of mixtures and
 * steps. */
#ifndef SF_TEST_CHANGES_HELPERS_H
#define SF_TEST_CHANGES_HELPERS_H

#include "ib/tables.h"
#include "lanes_helpers.h"
#include "slimfly/mixture.h"

/* Routes 'fabric', or fails the test; 'scheme' and 'lanes' may be NULL. */
struct routed *changes_route(const struct sf_fabric *fabric, uint32_t n_layers,
                             uint64_t seed, const char *scheme,
                             const char *lanes);

/* Judges the change from 'before' to 'after', both of 'fabric'. */
struct sf_mixture *changes_mix(const struct sf_fabric *fabric,
                               const struct routed *before,
                               const struct routed *after);

#endif
