/* alternates.c -- where packets go while a link is down: see sf_ip_encode() in
 * slimfly/ip.h for what an alternate is and what it gives.
 *
 * Why it arrives: let the link from s to n be down, and let s send to m, whose
 * path to the destination does not lead through s.  No switch on that path but
 * s sends towards n over this link, and only n sends over it the other way, to
 * s, which is not on the path.  So the path does not use the link, no switch
 * on it takes an alternate, and it is the path that the routing has.  If it
 * does not lead through n either, it does not use any link of n. */
#include "ip/ranks.h"
#include "ip/switch_routes.h"
#include "routes/turn_table.h"

/* --- Lanes. --------------------------------------------------------------
 *
 * Ranks of channels rise along all paths of the routing.  If they also rise
 * where packets go by an alternate, no packets can wait for each other in a
 * circle while some do.  A packet that turns where no path does is in the
 * lossy class from there on: nobody waits for it. */

/* The lanes that 'routes' have, as turns of which the ranks are not known. */
static enum sf_status
turns_of_lanes(const struct sf_network *network,
               const struct sf_routes *routes, struct sf_turns **turnsp,
               struct sf_error *err)
{
    const struct sf_graph *graph = network->graph;
    enum sf_status status =
        sf_turns_make(graph, routes->lanes->n_vls, turnsp, err);

    for (uint32_t s = 0; status == SF_OK && s < graph->n_nodes; s++) {
        uint32_t degree = sf_graph_degree(graph, s);
        uint8_t *vls = (*turnsp)->vls + (*turnsp)->first[s];
        for (uint32_t i = 0; i < degree * degree; i++) {
            size_t turn = (*turnsp)->first[s] + i;
            bool is_allowed =
                !routes->turns || routes->turns->vls[turn] != SF_NO_TURN;
            if (is_allowed) {
                vls[i] = *sf_lanes_of(routes->lanes, graph, s, i / degree,
                                      i % degree);
            }
        }
    }
    return status;
}

enum sf_status
sf_ip_chooser_make(struct sf_ip_chooser *chooser, uint32_t n_trees,
                   struct sf_error *err)
{
    const struct sf_network *network = chooser->network;
    const struct sf_routes *routes = chooser->routes;
    enum sf_status status = SF_OK;

    chooser->loads =
        sf_calloc(2 * (size_t)network->graph->n_links, sizeof *chooser->loads);
    chooser->lanes = sf_calloc((size_t)n_trees * network->graph->n_nodes,
                               sizeof *chooser->lanes);
    if (!chooser->loads || !chooser->lanes) {
        return sf_fail(err, SF_ENOMEM, "out of memory for alternates");
    }
    if (chooser->wanted != SF_IP_ALTERNATES_LANES) {
        return SF_OK;
    }
    if (!routes->lanes || !sf_lanes_ignore_sls(routes->lanes)) {
        return sf_fail(err, SF_ELANES,
                       "alternates cannot keep lanes: the routing has none "
                       "that follow from ports alone");
    }
    status = turns_of_lanes(network, routes, &chooser->turns, err);
    if (status == SF_OK) {
        status = sf_ip_rank_channels(network, routes, chooser->turns, err);
    }
    return status;
}

void
sf_ip_chooser_clear(struct sf_ip_chooser *chooser)
{
    free(chooser->loads);
    free(chooser->lanes);
    sf_turns_free(chooser->turns);
}

/* The lane of packets that go from arc 'in' on to arc 'out'. */
static uint8_t
lane_of(const struct sf_ip_chooser *chooser, uint32_t in, uint32_t out)
{
    const struct sf_network *network = chooser->network;

    return chooser->turns->vls[sf_turn_number(
        chooser->turns->first, network->graph, network->reverse, in, out)];
}

/* The arc by which 's' sends along 'tree'; SF_NONE at its root. */
static uint32_t
arc_of(const struct sf_graph *graph, const struct sf_ip_tree *tree, uint32_t s)
{
    return tree->depth[s] == 0 || tree->hops[s] == SF_NO_HOP
               ? SF_NONE
               : graph->first[s] + tree->hops[s];
}

void
sf_ip_chooser_learn(struct sf_ip_chooser *chooser,
                    const struct sf_ip_grove *grove, uint32_t i)
{
    const struct sf_graph *graph = grove->graph;
    const struct sf_ip_tree *tree = &grove->trees[i];
    uint16_t *lanes = chooser->lanes + (size_t)i * graph->n_nodes;

    if (!chooser->turns) {
        return;
    }
    uint32_t depth = 0;
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        lanes[s] = chooser->network->n_hosts[s] > 0; /* What starts there. */
        if (tree->depth[s] != SF_NONE && tree->depth[s] > depth) {
            depth = tree->depth[s];
        }
    }
    for (; depth > 1; depth--) { /* From far off towards the destination. */
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            if (tree->depth[s] == depth && lanes[s]) {
                uint32_t in = arc_of(graph, tree, s);
                uint32_t to = graph->arcs[in].to;
                uint8_t lane = lane_of(chooser, in, arc_of(graph, tree, to));
                lanes[to] |= (uint16_t)(lane == SF_NO_TURN ? 0 : 1u << lane);
            }
        }
    }
}

/* Whether a packet that comes over arc 'in' on 'lane' can go on over arc 'out'
 * and then along 'tree'; with SF_NONE as 'in' it starts with 'out'. */
static bool
ranks_rise(const struct sf_ip_chooser *chooser, const struct sf_ip_tree *tree,
           uint32_t in, uint8_t lane, uint32_t out)
{
    const struct sf_graph *graph = chooser->network->graph;
    const uint32_t *ranks = chooser->turns->ranks;
    size_t n_vls = chooser->turns->n_vls;

    while (out != SF_NONE) {
        uint8_t next = in == SF_NONE ? 0 : lane_of(chooser, in, out);
        if (next == SF_NO_TURN) {
            return true;
        }
        if (in != SF_NONE &&
            ranks[in * n_vls + lane] >= ranks[out * n_vls + next]) {
            return false;
        }
        in = out;
        lane = next;
        out = arc_of(graph, tree, graph->arcs[out].to);
    }
    return true;
}

/* Whether all packets of 'tree' that come to 's' can go on over arc 'out'. */
static bool
keeps_lanes(const struct sf_ip_chooser *chooser, const struct sf_ip_tree *tree,
            uint32_t s, uint32_t out)
{
    const struct sf_graph *graph = chooser->network->graph;
    const uint16_t *lanes =
        chooser->lanes + (size_t)tree->number * graph->n_nodes;

    if (chooser->network->n_hosts[s] > 0 &&
        !ranks_rise(chooser, tree, SF_NONE, 0, out)) {
        return false;
    }
    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t in = chooser->network->reverse[i];
        if (arc_of(graph, tree, graph->arcs[i].to) != in) {
            continue; /* Nothing comes from there. */
        }
        for (uint32_t lane = 0; lane < chooser->turns->n_vls; lane++) {
            if (lanes[graph->arcs[i].to] & 1u << lane &&
                !ranks_rise(chooser, tree, in, (uint8_t)lane, out)) {
                return false;
            }
        }
    }
    return true;
}

/* --- Alternates. --------------------------------------------------------- */

enum sf_ip_kind
sf_ip_judge(const struct sf_ip_chooser *chooser, const struct sf_ip_tree *tree,
            uint32_t s, uint32_t hop)
{
    const struct sf_graph *graph = chooser->network->graph;
    const struct sf_arc *arcs = graph->arcs + graph->first[s];
    uint32_t m = arcs[hop].to, n = arcs[tree->hops[s]].to;

    if (hop == tree->hops[s] || !sf_ip_tree_avoids(tree, m, s) ||
        (chooser->turns &&
         !keeps_lanes(chooser, tree, s, graph->first[s] + hop))) {
        return SF_IP_UNREACHABLE;
    }
    return tree->depth[n] > 0 && sf_ip_tree_avoids(tree, m, n)
               ? SF_IP_ALTERNATE_SWITCH
               : SF_IP_ALTERNATE;
}

/* How good an arc is as an alternate: less is better, in this order. */
struct merit {
    uint32_t n_unserved, is_other, is_unsafe, depth, load;
};

static bool
is_better(const struct merit *a, const struct merit *b)
{
    return a->n_unserved != b->n_unserved ? a->n_unserved < b->n_unserved
           : a->is_other != b->is_other   ? a->is_other < b->is_other
           : a->is_unsafe != b->is_unsafe ? a->is_unsafe < b->is_unsafe
           : a->depth != b->depth         ? a->depth < b->depth
                                          : a->load < b->load;
}

/* Judges arc 'hop' of 's' for all trees; false if it does not serve the
 * first.  The kind is that which holds for all that it serves. */
static bool
weigh(const struct sf_ip_chooser *chooser,
      const struct sf_ip_tree *const *trees, uint32_t n_trees, uint32_t s,
      uint32_t hop, struct merit *merit)
{
    const struct sf_graph *graph = chooser->network->graph;
    uint32_t arc = graph->first[s] + hop;
    uint32_t n = graph->arcs[graph->first[s] + trees[0]->hops[s]].to;

    if (sf_ip_judge(chooser, trees[0], s, hop) == SF_IP_UNREACHABLE) {
        return false;
    }
    *merit = (struct merit){
        .is_other = graph->arcs[arc].to != n,
        .depth = trees[0]->depth[graph->arcs[arc].to],
        .load = chooser->loads[arc],
    };
    for (uint32_t i = 0; i < n_trees; i++) {
        enum sf_ip_kind kind = sf_ip_judge(chooser, trees[i], s, hop);
        merit->n_unserved += kind == SF_IP_UNREACHABLE;
        merit->is_unsafe |= kind == SF_IP_ALTERNATE;
    }
    return true;
}

struct sf_ip_choice
sf_ip_choose(struct sf_ip_chooser *chooser,
             const struct sf_ip_tree *const *trees, uint32_t n_trees,
             uint32_t s)
{
    const struct sf_graph *graph = chooser->network->graph;
    struct sf_ip_choice choice = { .hop = SF_NO_HOP };
    struct merit best = { 0 }, merit;

    if (chooser->wanted == SF_IP_ALTERNATES_NONE) {
        return choice;
    }
    for (uint32_t hop = 0; hop < sf_graph_degree(graph, s); hop++) {
        if (weigh(chooser, trees, n_trees, s, hop, &merit) &&
            (choice.hop == SF_NO_HOP || is_better(&merit, &best))) {
            best = merit;
            choice.hop = (uint16_t)hop;
            choice.kind =
                merit.is_unsafe ? SF_IP_ALTERNATE : SF_IP_ALTERNATE_SWITCH;
        }
    }
    return choice;
}
