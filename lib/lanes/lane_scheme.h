/* lane_scheme.h -- what a lane scheme provides, and what it gets to work with.
 * One scheme a file, one line in lanes.c. */
#ifndef SF_LANES_LANE_SCHEME_H
#define SF_LANES_LANE_SCHEME_H

#include "base/spec.h"
#include "lanes/path_columns.h"
#include "slimfly/lanes.h"

/* A task. */
struct sf_lane_job {
    const struct sf_value *values; /* In the order of the scheme's params. */
    const struct sf_network *network;
    const struct sf_graph *graph;          /* Of the network. */
    const struct sf_routes *routes;        /* What is to be protected; */
    const struct sf_path_columns *columns; /* all of its paths. */
    uint32_t max_vls;
    uint32_t max_sls; /* More may be needed, which is refused afterwards. */
    uint64_t seed;
    struct sf_lanes *lanes; /* To be filled.  Everything is on VL 0 and SL 0,
                             * and there are no path SLs yet. */
};

struct sf_lane_ops {
    /* Sets the VLs of turns (sf_lanes_of() has them by SL, sf_lanes_set_all()
     * sets one for all SLs) and job->lanes->n_vls.  If paths have SLs of their
     * own, it sets these too, and n_sls and n_host_sls. */
    enum sf_status (*build)(const struct sf_lane_job *job,
                            struct sf_error *err);
};

/* Sets the VL of switch 's' from arc 'in' to arc 'out' for all SLs. */
void sf_lanes_set_all(const struct sf_lane_job *job, uint32_t s, uint32_t in,
                      uint32_t out, uint8_t vl);

/* Gives the path from each switch in each column its SL out of 'sls'
 * [n_columns * V]. */
enum sf_status sf_lanes_set_path_sls(const struct sf_lane_job *job,
                                     const uint8_t *sls, struct sf_error *err);

#endif
