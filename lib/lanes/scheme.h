/* scheme.h -- what a lane scheme provides, and what it gets to work with.  One
 * scheme a file, one line in lanes.c. */
#ifndef SF_LANES_SCHEME_H
#define SF_LANES_SCHEME_H

#include "base/spec.h"
#include "lanes/columns.h"
#include "slimfly/lanes.h"

/* A task. */
struct sf_lane_job {
    const struct sf_value *values; /* In the order of the scheme's params. */
    const struct sf_fabric *fabric;
    const struct sf_graph *graph;
    const uint32_t *reverse;   /* [2E] Each arc as seen from its other end. */
    const uint32_t *arc_ports; /* [2E] The number of the out port. */
    const uint32_t *n_hosts;   /* [V] */
    const struct sf_lft_columns *columns; /* All paths. */
    const struct sf_turns *turns;         /* If the scheme needs them. */
    uint32_t max_vls;
    uint32_t max_sls; /* More may be needed, which is refused afterwards. */
    uint64_t seed;
    struct sf_lanes *lanes; /* To be filled.  The SL-to-VL tables say VL 0 for
                             * everything, the path SLs SL 0. */
};

struct sf_lane_ops {
    enum sf_status (*build)(const struct sf_lane_job *job,
                            struct sf_error *err);
};

/* Sets the VL of switch 's' from port 'in' to port 'out' for all SLs. */
void sf_sl2vl_set_all(struct sf_sl2vl *sl2vl, uint32_t s, uint32_t in,
                      uint32_t out, uint8_t vl);

#endif
