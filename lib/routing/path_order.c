/* path_order.c -- see path_order.h. */
#include "routing/path_order.h"

#include "slimfly/lanes.h"

/* Allows all turns but those back, on the VLs of 'lanes': ranks decide. */
static void
allow_turns(const struct sf_graph *graph, const struct sf_lanes *lanes,
            struct sf_turns *turns)
{
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t degree = sf_graph_degree(graph, s);
        for (uint32_t i = 0; i < degree * degree; i++) {
            uint32_t in = i / degree, out = i % degree;
            turns->vls[turns->first[s] + i] =
                in == out ? SF_NO_TURN
                          : sf_lanes_of(lanes, graph, s, in, out)[0];
        }
    }
}

enum sf_status
sf_path_order_build(const struct sf_network *network,
                    const struct sf_lanes *lanes,
                    const struct sf_routes *routes, struct sf_turns **turnsp,
                    struct sf_error *err)
{
    struct sf_turns *turns;
    enum sf_status status =
        sf_turns_make(network->graph, lanes->n_vls, &turns, err);

    if (status == SF_OK) {
        allow_turns(network->graph, lanes, turns);
        status = sf_turns_rank_channels(network, routes, true, turns, err);
    }
    *turnsp = status == SF_OK ? turns : NULL;
    if (status != SF_OK) {
        sf_turns_free(turns);
    }
    return status;
}
