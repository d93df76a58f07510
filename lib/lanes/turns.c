/* turns.c -- lanes by turns: the VL follows from the two links of a turn, so
 * that one service level is enough (turn_design.c chooses the VLs). */
#include "lanes/lane_scheme.h"

/* All SLs mean the VL of the turn.  Packets of hosts and of the switch itself
 * start on VL 0, and so they end. */
static enum sf_status
build(const struct sf_lane_job *job, struct sf_error *err)
{
    const struct sf_graph *graph = job->graph;
    const struct sf_turns *turns = job->routes->turns;
    struct sf_lanes *lanes = job->lanes;

    (void)err;
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t degree = sf_graph_degree(graph, s);
        for (uint32_t i = 0; i < degree * degree; i++) {
            uint8_t vl = turns->vls[turns->first[s] + i];
            if (vl != SF_NO_TURN) {
                sf_lanes_set_all(job, s, i / degree, i % degree, vl);
                lanes->n_vls = vl >= lanes->n_vls ? vl + 1u : lanes->n_vls;
            }
        }
    }
    return SF_OK;
}

static const struct sf_lane_ops ops = { .build = build };

const struct sf_lane_scheme sf_lanes_turns = {
    .name = "turns",
    .title = "lanes by turns",
    .summary = "the VL follows from the ports alone: one SL for all traffic, "
               "safe under UCX and NCCL",
    .is_safe = true,
    .ignores_sls = true,
    .needs_turns = true,
    .ops = &ops,
};
