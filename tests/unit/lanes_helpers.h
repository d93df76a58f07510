/* lanes_helpers.h -- fabrics, routings and their judges, for the suites of
 * lanes. */
#ifndef SF_TEST_LANES_HELPERS_H
#define SF_TEST_LANES_HELPERS_H

#include "../oracle/lanes_oracle.h"
#include "helpers.h"
#include "slimfly/audit.h"
#include "slimfly/random.h"
#include "slimfly/routing.h"

/* The fabric of a spec, with addresses for 'n_layers'. */
struct sf_fabric *lanes_fabric(const char *spec, uint32_t n_layers);

/* That of a random connected graph: a tree and 'n_more' links, of which some
 * may be parallel. */
struct sf_fabric *lanes_random_fabric(uint32_t n_switches, uint32_t n_more,
                                      uint32_t n_layers,
                                      struct sf_random *random);

/* Unplugs 'n' cables between switches, never cutting the fabric; fewer if
 * that cannot be. */
void lanes_unplug(struct sf_fabric *fabric, uint32_t n,
                  struct sf_random *random);

/* 'fabric' without switch 's' and its hosts. */
struct sf_fabric *lanes_without(const struct sf_fabric *fabric, uint32_t s);

/* Whether all its switches reach each other. */
bool lanes_is_connected(const struct sf_fabric *fabric);

/* Fails the test unless 'routing' keeps what its scheme of lanes promises,
 * for the oracle and for the audit. */
void lanes_check(const struct sf_routing *routing, const char *what);

/* Whether all behaviours that the scheme of 'routing' is made for are free of
 * deadlock, with 'tables', 'sl2vl' and 'path_sls'; the oracle and the audit
 * must agree. */
bool lanes_are_sound(const struct sf_routing *routing, const char *what);

/* Fails the test unless both hold the same bytes. */
void lanes_check_same(const struct sf_routing *a, const struct sf_routing *b,
                      const char *what);

#endif
