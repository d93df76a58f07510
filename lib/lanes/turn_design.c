/* turn_design.c -- lanes by turns alone: safe whatever SL a packet has.
 *
 * The VL on a link follows from the link before it; the first link of a path
 * is on VL 0.  So senders need not know of lanes: UCX and NCCL, which put all
 * traffic on one SL and ask for no path records, are as safe as others.
 *
 * What makes it so is an order.  Every channel, a direction of a link on a VL,
 * has a rank, and ranks rise along every path.  All paths of two hops are
 * allowed; of those of three hops as many as possible, and some for every
 * pair.  The layers must then keep to allowed paths: sf_layers_params.turns.
 * Layers by gates arrive through a few links of each switch only, as many as
 * there are layers above 0.  Which these are is chosen here, too.
 *
 * There are two ways.  Levels of arcs (turn_arcs.c) are fast, do with two VLs
 * and allow three quarters of the paths at any size.  Where there are four
 * VLs, all are used, since with two of them packets wait more.  Where pairs
 * have few paths of three hops, each of them counts, and levels of arcs tie
 * them together too much: there levels of channels (turn_channels.c) are
 * searched. */
#include "lanes/turn_design.h"

#include "base/mem.h"

/* Paths of three hops that a pair has in the mean, below which each counts, if
 * some pairs have no shorter one. */
#define FEW_PATHS 12

/* Beyond so many paths, there is no time for the rounds of a search. */
#define MANY_PATHS 300000

/* Marks who is within two hops of 's' by s + 1; returns whether all are. */
static bool
is_near_all(const struct sf_graph *graph, uint32_t s, uint32_t *marks)
{
    uint32_t n_near = 0;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t b = graph->arcs[i].to;
        n_near += marks[b] != s + 1;
        marks[b] = s + 1;
        for (uint32_t j = graph->first[b]; j < graph->first[b + 1]; j++) {
            uint32_t c = graph->arcs[j].to;
            n_near += marks[c] != s + 1;
            marks[c] = s + 1;
        }
    }
    return n_near == graph->n_nodes;
}

/* Whether some pairs are more than two hops apart. */
static enum sf_status
find_far(const struct sf_graph *graph, bool *is_farp, struct sf_error *err)
{
    uint32_t *marks = sf_calloc(graph->n_nodes, sizeof *marks);

    *is_farp = false;
    if (!marks) {
        return sf_fail(err, SF_ENOMEM, "out of memory for turns");
    }
    for (uint32_t s = 0; s < graph->n_nodes && !*is_farp; s++) {
        *is_farp = !is_near_all(graph, s, marks);
    }
    free(marks);
    return SF_OK;
}

/* Whether pairs have so few paths that each counts. */
static bool
are_scarce(const struct sf_graph *graph)
{
    uint64_t n_paths = 0, n_pairs = (uint64_t)graph->n_nodes * graph->n_nodes;

    for (uint32_t i = 0; i < graph->n_links; i++) {
        uint32_t a = sf_graph_degree(graph, graph->links[i].a);
        uint32_t b = sf_graph_degree(graph, graph->links[i].b);
        n_paths += 2 * (uint64_t)(a - 1) * (b - 1);
    }
    return n_paths < FEW_PATHS * n_pairs && n_paths <= MANY_PATHS;
}

/* Copies the turns of a switch, and lets those that fall take two VLs by
 * turns, and those that rise one of their own. */
static void
spread_switch(const struct sf_graph *graph, const struct sf_turns *few,
              struct sf_turns *more, uint32_t s)
{
    uint32_t degree = sf_graph_degree(graph, s);

    for (uint32_t in = 0; in < degree; in++) {
        for (uint32_t out = 0; out < degree; out++) {
            size_t turn = few->first[s] + (size_t)in * degree + out;
            uint8_t vl = few->vls[turn];
            bool is_other = vl == 0 || in % 2;
            more->vls[turn] = vl == SF_NO_TURN
                                  ? SF_NO_TURN
                                  : (uint8_t)(vl + (is_other ? 2 : 0));
        }
    }
}

/* Spreads turns of two VLs over four, so that fewer packets wait behind each
 * other: packets that hosts send stay on VL 0, those that rise go on VL 2, and
 * those that fall on VLs 1 and 3.  A rank does not depend on the copy, so that
 * ranks rise along the same paths as before. */
static enum sf_status
spread(const struct sf_graph *graph, struct sf_turns **turnsp,
       struct sf_error *err)
{
    struct sf_turns *few = *turnsp, *more;
    enum sf_status status = sf_turns_make(graph, 4, &more, err);

    *turnsp = NULL;
    if (status == SF_OK) {
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            spread_switch(graph, few, more, s);
        }
        for (size_t i = 0; i < 2 * (size_t)graph->n_links; i++) {
            for (uint32_t vl = 0; vl < 4; vl++) {
                more->ranks[4 * i + vl] = few->ranks[2 * i + vl % 2];
            }
        }
        more->gates = few->gates;
        few->gates = NULL;
        *turnsp = more;
    }
    sf_turns_free(few);
    return status;
}

enum sf_status
sf_turns_design(const struct sf_network *network,
                const struct sf_lanes_params *params, uint32_t n_gates,
                struct sf_turns **turnsp, struct sf_error *err)
{
    uint32_t max_vls = params->max_vls ? params->max_vls : SF_DEFAULT_VLS;
    bool is_far;

    *turnsp = NULL;
    if (max_vls < 2) {
        return sf_fail(err, SF_ELANES,
                       "turns that are designed before the layers take at "
                       "least 2 VLs, and there is 1; use the scheme ordered, "
                       "which needs one");
    }
    enum sf_status status = find_far(network->graph, &is_far, err);
    if (status != SF_OK) {
        return status;
    }
    if (max_vls >= SF_CHANNELS_VLS && is_far && are_scarce(network->graph)) {
        return sf_turns_by_channels(network, params->seed, n_gates, turnsp,
                                    err);
    }
    status = sf_turns_by_arcs(network, params->seed, n_gates, max_vls, is_far,
                              turnsp, err);
    return status == SF_OK && (*turnsp)->n_vls == 2 && max_vls >= 4
               ? spread(network->graph, turnsp, err)
               : status;
}
