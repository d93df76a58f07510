/* none.c -- no lanes: everything on SL 0 and VL 0, for showing what goes
 * wrong, and for routings that need none. */
#include "lanes/lane_scheme.h"

static enum sf_status
build(const struct sf_lane_job *job, struct sf_error *err)
{
    (void)job;
    (void)err;
    return SF_OK;
}

static const struct sf_lane_ops ops = { .build = build };

const struct sf_lane_scheme sf_lanes_none = {
    .name = "none",
    .title = "no lanes",
    .summary = "one lane for all: packets may wait for each other for ever",
    .allows_one_vl = true,
    .ops = &ops,
};
