/* lanes_helpers.h -- fabrics, routings and their judges, for the suites of
 * lanes. */
#ifndef SF_TEST_LANES_HELPERS_H
#define SF_TEST_LANES_HELPERS_H

#include "../oracle/lanes_oracle.h"
#include "helpers.h"
#include "slimfly/audit.h"
#include "slimfly/ib.h"
#include "slimfly/random.h"

/* A routing and its tables, laid out for judges that look at tables alone. */
struct routed {
    struct sf_routing *routing;
    struct sf_ib_tables *encoded;
    struct sf_routing_params params;
    const struct sf_fabric *fabric;
    const struct sf_graph *graph;
    struct sf_tables *tables;
    const struct sf_turns *turns;
    uint32_t max_hops;
    struct sf_error refusal;
    struct sf_routing_specs refused;
    struct routed_lanes {
        const struct sf_lane_scheme *scheme;
        uint32_t n_vls, n_sls, n_host_sls;
        struct sf_sl2vl *sl2vl;
        struct sf_path_sls *path_sls;
    } * lanes;
};

/* Routes 'fabric' and encodes that; repairs 'base' for 'fabric'.  As
 * sf_routing_build() and sf_routing_repair(). */
enum sf_status routed_build(const struct sf_fabric *fabric,
                            const struct sf_routing_params *params,
                            struct routed **routedp, struct sf_error *err);
enum sf_status routed_repair(const struct routed *base,
                             const struct sf_fabric *fabric,
                             struct routed **routedp, struct sf_error *err);
void routed_free(struct routed *routed);

/* Finds the turns that 'routed' obeys in its tables. */
enum sf_status routed_find_turns(const struct routed *routed,
                                 struct sf_turns **turnsp,
                                 struct sf_error *err);

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
void lanes_check(const struct routed *routing, const char *what);

/* Whether all behaviours that the scheme of 'routing' is made for are free of
 * deadlock, with 'tables', 'sl2vl' and 'path_sls'; the oracle and the audit
 * must agree. */
bool lanes_are_sound(const struct routed *routing, const char *what);

/* Fails the test unless both hold the same bytes. */
void lanes_check_same(const struct routed *a, const struct routed *b,
                      const char *what);

#endif
