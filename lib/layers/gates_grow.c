/* gates_grow.c -- scheme gates: how the trees of a destination come about.
 * That of layer 0 has shortest paths; the others start from it and lead all
 * that can get there to their main gates. */
#include "layers/gates_cost.h"

#include <string.h>

/* Of a path through a main gate in layer 0; found as what stands in
 * gates_cost.h. */
#define MAIN_GATE_COST (3 * SF_GATES_UNIT / 2)

/* Adds the routes of the whole tree to the loads of the gates. */
static void
add_routes(const struct sf_gates_tree *tree)
{
    const struct sf_search *search = &tree->worker->search;

    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t s = search->order[i];
        sf_gates_change_load(
            tree, tree->nodes[s].gate,
            sf_gates_routes(tree->task, s, tree->destination));
    }
}

static bool
is_main_gate(const struct sf_gates_tree *tree, uint32_t gate)
{
    uint32_t n_layers = tree->task->job->layers->n_layers;
    uint32_t degree = sf_graph_degree(tree->graph, tree->destination);

    for (uint32_t i = 0; i + 1 < n_layers && i < degree; i++) {
        if (tree->worker->gate_order[i] == gate) {
            return true;
        }
    }
    return false;
}

/* The best first hop of 's' on a shortest path, SF_NONE if the turns leave
 * none: off the main gates where there is a choice; or, if 'is_cautious', with
 * the most room for those behind to take turns. */
static uint32_t
best_minimal_hop(const struct sf_gates_tree *tree, uint32_t s,
                 bool is_cautious)
{
    const struct sf_graph *graph = tree->graph;
    const uint32_t *distance = tree->worker->search.distance;
    uint32_t best_hop = SF_NONE;
    int32_t best = SF_GATES_NEVER;

    for (uint32_t arc = graph->first[s]; arc < graph->first[s + 1]; arc++) {
        uint32_t v = graph->arcs[arc].to;
        if (distance[v] + 1 != distance[s]) {
            continue;
        }
        uint32_t rank = sf_gates_turn_rank(tree, arc, v);
        if (rank == 0) {
            continue;
        }
        int32_t cost = sf_gates_path_cost(tree, s, arc, v);
        if (is_main_gate(tree, sf_gates_gate(tree, arc, v))) {
            cost += MAIN_GATE_COST;
        }
        if (is_cautious) {
            cost =
                rank < SF_GATES_NEVER ? SF_GATES_NEVER - 1 - (int32_t)rank : 0;
        }
        if (cost < best) {
            best = cost;
            best_hop = arc - graph->first[s];
        }
    }
    return best_hop;
}

/* Makes the tree of layer 0; returns a switch that has no path, or SF_NONE. */
static uint32_t
try_to_grow_minimal(const struct sf_gates_tree *tree, bool is_cautious)
{
    const struct sf_search *search = &tree->worker->search;

    sf_gates_clear_tree(tree);
    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t s = search->order[i];
        uint32_t hop = best_minimal_hop(tree, s, is_cautious);
        if (hop == SF_NONE) {
            return s;
        }
        sf_gates_attach(tree, s, hop);
    }
    return SF_NONE;
}

/* Counts as wasted what the main gates will waste: the layers whose gate a
 * switch uses in layer 0.  So no switch is made a relay twice as long as
 * there are others. */
static void
expect_waste(const struct sf_gates_tree *tree)
{
    const struct sf_gates_worker *worker = tree->worker;
    uint32_t n_layers = tree->task->job->layers->n_layers;
    uint32_t degree = sf_graph_degree(tree->graph, tree->destination);

    for (uint32_t i = 1; i < worker->search.n_reached; i++) {
        uint32_t s = worker->search.order[i];
        for (uint32_t l = 1; l < n_layers && worker->minimal_depth[s] > 1;
             l++) {
            if (worker->gate_order[(l - 1) % degree] ==
                worker->minimal[s].gate) {
                worker->wasted[s]++;
            }
        }
    }
}

uint32_t
sf_gates_grow_minimal(const struct sf_gates_tree *tree)
{
    uint32_t stuck = try_to_grow_minimal(tree, false);

    if (stuck != SF_NONE) {
        stuck = try_to_grow_minimal(tree, true);
    }
    if (stuck == SF_NONE) {
        add_routes(tree);
        expect_waste(tree);
    }
    return stuck;
}

/* Takes back what was expected of this layer. */
static void
stop_expecting_waste(const struct sf_gates_tree *tree)
{
    const struct sf_gates_worker *worker = tree->worker;

    for (uint32_t i = 1; i < worker->search.n_reached; i++) {
        uint32_t s = worker->search.order[i];
        if (worker->minimal_depth[s] > 1 &&
            worker->minimal[s].gate == tree->main_gate) {
            worker->wasted[s]--;
        }
    }
}

/* Lets the switch at the main gate use that link, and not one parallel to it
 * as in layer 0.  With turns that might break the paths of others: then the
 * parallel link is the main gate. */
static void
enter_main_gate(struct sf_gates_tree *tree)
{
    const struct sf_graph *graph = tree->graph;
    uint32_t arc = graph->first[tree->destination] + tree->main_gate;
    uint32_t g = graph->arcs[arc].to;

    if (tree->nodes[g].gate == tree->main_gate) {
        return;
    }
    if (tree->task->job->params->turns) {
        tree->main_gate = tree->nodes[g].gate;
        return;
    }
    sf_gates_change_link(tree, g,
                         tree->task->job->reverse[arc] - graph->first[g]);
}

/* Offers the way over 'v' to the leaves next to it that do not come through
 * the main gate yet, and notes in worker->offers who has one and which is the
 * cheapest. */
static uint32_t
offer_way(const struct sf_gates_tree *tree, uint32_t v, uint32_t n_offers)
{
    const struct sf_graph *graph = tree->graph;
    const struct sf_gates_worker *worker = tree->worker;

    for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
        uint32_t s = graph->arcs[i].to, arc = tree->task->job->reverse[i];
        if (tree->nodes[s].child != SF_NONE || tree->depth[s] <= 1 ||
            tree->nodes[s].gate == tree->main_gate ||
            !sf_gates_may_turn(tree, arc, v)) {
            continue;
        }
        int32_t cost = sf_gates_path_cost(tree, s, arc, v);
        if (worker->offer_cost[s] == SF_GATES_NEVER) {
            worker->offers[n_offers++] = s;
        }
        if (cost < worker->offer_cost[s]) {
            worker->offer_cost[s] = cost;
            worker->offer_hop[s] = (uint16_t)(arc - graph->first[s]);
        }
    }
    return n_offers;
}

/* Brings all leaves that can get there in time to the main gate: first those
 * next to it, then those next to them, and so on. */
static void
lead_to_main_gate(const struct sf_gates_tree *tree, struct sf_random *random)
{
    const struct sf_gates_worker *worker = tree->worker;
    const struct sf_graph *graph = tree->graph;
    uint32_t *level = worker->scratch, *next = level + graph->n_nodes;
    uint32_t n_level = 1;

    level[0] =
        graph->arcs[graph->first[tree->destination] + tree->main_gate].to;
    for (uint32_t d = 1; d < tree->max_hops && n_level > 0; d++) {
        uint32_t n_offers = 0, n_next = 0;
        sf_random_shuffle(random, level, n_level);
        for (uint32_t i = 0; i < n_level; i++) {
            n_offers = offer_way(tree, level[i], n_offers);
        }
        for (uint32_t i = 0; i < n_offers; i++) {
            uint32_t s = worker->offers[i];
            sf_gates_move_leaf(tree, s, worker->offer_hop[s]);
            worker->offer_cost[s] = SF_GATES_NEVER;
        }
        for (uint32_t i = 0; i < n_level; i++) {
            for (uint32_t c = tree->nodes[level[i]].child; c != SF_NONE;
                 c = tree->nodes[c].next) {
                next[n_next++] = c;
            }
        }
        uint32_t *swap = level;
        level = next;
        next = swap;
        n_level = n_next;
    }
}

/* From the tree of layer 0, the leaves go to the main gate: the switches next
 * to it, then those that find a relay, in as many passes as it may take. */
void
sf_gates_grow_to_main_gate(struct sf_gates_tree *tree,
                           struct sf_random *random)
{
    const struct sf_layer_job *job = tree->task->job;
    uint32_t n = tree->graph->n_nodes, d = tree->destination;

    stop_expecting_waste(tree);
    memcpy(tree->nodes, tree->worker->minimal, n * sizeof *tree->nodes);
    memcpy(tree->depth, tree->worker->minimal_depth, n * sizeof *tree->depth);
    memcpy(tree->hops, sf_layers_tree(job->layers, 0, d),
           n * sizeof *tree->hops);
    enter_main_gate(tree);
    add_routes(tree);
    lead_to_main_gate(tree, random);
}
