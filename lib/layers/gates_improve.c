/* gates_improve.c -- scheme gates: how trees become better.  Each switch in
 * turn looks for what is cheapest with the others as they are:
 * - a leaf goes over another link;
 * - it opens, as a relay for those next to it that come over a gate of too
 *   much load;
 * - a relay on whom the layer is wasted closes, if its children find others;
 * - a leaf that has lost half of its layers recruits a neighbour as its
 *   relay.
 * All is made of moves of leaves. */
#include "layers/gates_cost.h"

#include <string.h>

/* Of making a relay of a leaf on whom the layer is wasted, all the more the
 * more of them are; found as what stands in gates_cost.h. */
#define PIN_PRICE SF_GATES_UNIT

/* Whether the path of 's' over 'v' shares a middle link with its path in
 * another layer. */
static bool
shares_middle(const struct sf_gates_tree *tree, uint32_t s, uint32_t v)
{
    const struct sf_graph *graph = tree->graph;
    const struct sf_layers *layers = tree->task->job->layers;

    for (; v != tree->destination; v = sf_gates_parent(tree, v)) {
        uint32_t link = graph->arcs[graph->first[v] + tree->hops[v]].link;
        for (uint32_t l = 0; l < layers->n_layers; l++) {
            const uint16_t *hops =
                sf_layers_tree(layers, l, tree->destination);
            if (l == tree->layer || hops[s] == SF_NO_HOP) {
                continue;
            }
            for (uint32_t w = s; w != tree->destination;) {
                const struct sf_arc *arc =
                    &graph->arcs[graph->first[w] + hops[w]];
                if (arc->link == link) {
                    return true;
                }
                w = arc->to;
            }
        }
    }
    return false;
}

static int32_t
present_cost(const struct sf_gates_tree *tree, uint32_t s)
{
    uint32_t arc = tree->graph->first[s] + tree->hops[s];
    return sf_gates_path_cost(tree, s, arc, tree->graph->arcs[arc].to);
}

static uint32_t
present_shared(const struct sf_gates_tree *tree, uint32_t s)
{
    uint32_t arc = tree->graph->first[s] + tree->hops[s];
    return sf_gates_count_shared(tree, s, arc, tree->nodes[s].gate);
}

/* Whether the leaf 's' may go over 'arc' to 'v'. */
static inline bool
may_go(const struct sf_gates_tree *tree, uint32_t s, uint32_t arc, uint32_t v)
{
    return tree->depth[v] < tree->max_hops && sf_gates_parent(tree, v) != s &&
           sf_gates_may_turn(tree, arc, v);
}

/* What it costs others if the leaf 'v' becomes a relay: it must stay. */
static int32_t
pin_cost(const struct sf_gates_tree *tree, uint32_t v)
{
    if (v == tree->destination || tree->nodes[v].child != SF_NONE ||
        !present_shared(tree, v)) {
        return 0;
    }
    return PIN_PRICE * sf_gates_need(tree, v);
}

/* Lists in worker->near the arcs of 's' to switches from which the way is
 * short enough.  Most are not, in no order that a processor could guess:
 * there is no branch. */
static inline uint32_t
list_near(const struct sf_gates_tree *tree, uint32_t s)
{
    const struct sf_arc *arcs = tree->graph->arcs;
    const uint16_t *depth = tree->depth;
    uint32_t *near = tree->worker->near;
    uint32_t end = tree->graph->first[s + 1], n = 0;
    uint32_t max_hops = tree->max_hops;

    for (uint32_t i = tree->graph->first[s]; i < end; i++) {
        near[n] = i;
        n += depth[arcs[i].to] < max_hops;
    }
    return n;
}

/* The cheapest hop of the leaf 's' below '*costp', not to 'avoid'; SF_NONE if
 * there is none. */
static uint32_t
cheapest_hop(const struct sf_gates_tree *tree, uint32_t s, uint32_t avoid,
             int32_t *costp)
{
    const struct sf_graph *graph = tree->graph;
    const struct sf_arc *arcs = graph->arcs;
    uint32_t n_near = list_near(tree, s), best_hop = SF_NONE;

    for (uint32_t j = 0; j < n_near; j++) {
        uint32_t i = tree->worker->near[j], v = arcs[i].to;
        int32_t cost = sf_gates_path_cost(tree, s, i, v);
        if (cost >= *costp || v == avoid) {
            continue;
        }
        cost += pin_cost(tree, v);
        if (cost < *costp && tree->task->check_middle &&
            shares_middle(tree, s, v)) {
            cost += sf_gates_waste_cost(tree, s, 1);
        }
        if (cost < *costp &&
            (v == tree->destination || may_go(tree, s, i, v))) {
            *costp = cost;
            best_hop = i - graph->first[s];
        }
    }
    return best_hop;
}

/* The cheapest way for the leaf 's' to be a relay: short enough for others to
 * come.  SF_NONE if there is none. */
static uint32_t
relay_hop(const struct sf_gates_tree *tree, uint32_t s)
{
    const struct sf_graph *graph = tree->graph;
    uint32_t best_hop = SF_NONE;
    int32_t best = SF_GATES_NEVER;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t v = graph->arcs[i].to;
        if (tree->depth[v] + 2u > tree->max_hops || v == tree->destination ||
            !may_go(tree, s, i, v)) {
            continue;
        }
        int32_t cost = sf_gates_path_cost(tree, s, i, v);
        if (cost < best) {
            best = cost;
            best_hop = i - graph->first[s];
        }
    }
    return best_hop;
}

/* Whether 'c' is a leaf that comes over a gate of too much load and could go
 * over a new relay instead. */
static inline bool
would_follow(const struct sf_gates_tree *tree, uint32_t c)
{
    const struct sf_gates_node *node = &tree->nodes[c];
    return (node->height == 0) & (tree->depth[c] >= tree->max_hops) &
           (tree->worker->gate_price[node->gate] > 0);
}

/* Whether 'n' of the links of 's' are enough to make it a relay: more relays
 * than needed waste the layer on more switches. */
static bool
are_enough(const struct sf_gates_tree *tree, uint32_t s, uint32_t n)
{
    return 2 * n >= sf_graph_degree(tree->graph, s);
}

/* Whether leaves next to 's' are likely to gain more than the relay 's' would
 * lose, going by the prices of gates alone. */
static bool
may_open(const struct sf_gates_tree *tree, uint32_t s)
{
    const struct sf_graph *graph = tree->graph;
    const int32_t *price = tree->worker->gate_price;
    int32_t own = price[tree->worker->minimal[s].gate];
    int64_t gain = 0;
    uint32_t n = 0;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t c = graph->arcs[i].to;
        int32_t gained = price[tree->nodes[c].gate] - own;
        bool follows = (gained > 0) & would_follow(tree, c);
        gain += gained & -(int32_t)follows;
        n += follows;
    }
    return are_enough(tree, s, n) && gain > sf_gates_waste_cost(tree, s, 2);
}

/* Lists in worker->moves the leaves next to the new relay 's' that are better
 * off with it, each with its best link, and tells what they gain; false if
 * they are too few. */
static bool
list_followers(const struct sf_gates_tree *tree, uint32_t s,
               uint32_t *n_movesp, int64_t *gainp)
{
    const struct sf_graph *graph = tree->graph;
    const struct sf_gates_worker *worker = tree->worker;
    const struct sf_gates_node *nodes = tree->nodes;
    int32_t step = sf_gates_price_step(tree, s);
    bool full = worker->gate_price[nodes[s].gate] > 0;
    uint32_t n = 0, n_links = 0, last = SF_NONE;
    int32_t last_gain = 0;

    *gainp = 0;
    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t c = graph->arcs[i].to, back = tree->task->job->reverse[i];
        if (!would_follow(tree, c) || !may_go(tree, c, back, s)) {
            continue;
        }
        bool is_parallel = c == last;
        uint32_t n_before = is_parallel ? n - 1 : n;
        int32_t gain = present_cost(tree, c) -
                       sf_gates_path_cost(tree, c, back, s) -
                       (full ? step * (int32_t)n_before : 0);
        if (gain <= 0) {
            continue;
        }
        n_links++;
        if (is_parallel && gain <= last_gain) {
            continue;
        }
        *gainp += is_parallel ? gain - last_gain : gain;
        worker->moves[n_before] =
            (struct sf_gates_move){ .s = c, .hop = back - graph->first[c] };
        n = n_before + 1;
        last = c;
        last_gain = gain;
    }
    *n_movesp = n;
    return are_enough(tree, s, n_links);
}

/* Makes the leaf 's' a relay if its gate has too much load and that relieves
 * it for less than it costs. */
static void
try_to_open(const struct sf_gates_tree *tree, uint32_t s)
{
    const struct sf_gates_worker *worker = tree->worker;
    const struct sf_gates_node *node = &tree->nodes[s];
    uint32_t old_hop = tree->hops[s], n_moves;
    int64_t gained;

    if (node->child != SF_NONE || sf_gates_need(tree, s) > 1 ||
        tree->depth[s] < tree->max_hops ||
        (int64_t)tree->worker->gate_price[node->gate] *
                sf_graph_degree(tree->graph, s) <=
            sf_gates_waste_cost(tree, s, 2) ||
        !may_open(tree, s)) {
        return;
    }
    uint32_t hop = relay_hop(tree, s);
    if (hop == SF_NONE) {
        return;
    }
    int64_t gain = present_cost(tree, s);
    sf_gates_move_leaf(tree, s, hop);
    gain -= present_cost(tree, s);
    if (present_shared(tree, s)) {
        gain -= PIN_PRICE / 2 * sf_gates_need(tree, s);
    }
    if (!list_followers(tree, s, &n_moves, &gained) || gain + gained <= 0) {
        sf_gates_move_leaf(tree, s, old_hop);
        return;
    }
    for (uint32_t i = 0; i < n_moves; i++) {
        sf_gates_move_leaf(tree, worker->moves[i].s, worker->moves[i].hop);
    }
}

/* Finds another place for every child of the relay 's', in worker->moves;
 * false if one has none or if they lose 'limit' or more in sum. */
static bool
list_leavers(const struct sf_gates_tree *tree, uint32_t s, int64_t limit,
             uint32_t *n_movesp)
{
    const struct sf_gates_worker *worker = tree->worker;
    int64_t loss = 0;
    uint32_t n = 0;

    for (uint32_t c = tree->nodes[s].child; c != SF_NONE;
         c = tree->nodes[c].next) {
        int32_t cost = SF_GATES_NEVER;
        uint32_t hop = cheapest_hop(tree, c, s, &cost);
        if (hop == SF_NONE) {
            return false;
        }
        loss += cost - present_cost(tree, c);
        if (loss >= limit) {
            return false;
        }
        worker->moves[n++] = (struct sf_gates_move){ .s = c, .hop = hop };
    }
    *n_movesp = n;
    return true;
}

/* Lets the relay 's', whose path shares links with other layers, become a
 * leaf with a path of its own, if its children find other relays and the
 * gain is worth their loss. */
static void
try_to_close(const struct sf_gates_tree *tree, uint32_t s)
{
    const struct sf_gates_worker *worker = tree->worker;
    uint32_t n_moves;
    int32_t now = present_cost(tree, s), cost = now;

    if (tree->nodes[s].height != 1 || !present_shared(tree, s)) {
        return;
    }
    uint32_t hop = cheapest_hop(tree, s, SF_NONE, &cost);
    if (hop == SF_NONE ||
        !list_leavers(tree, s, (int64_t)now - cost, &n_moves)) {
        return;
    }
    /* One move may spoil the next: each is looked at again. */
    for (uint32_t i = 0; i < n_moves; i++) {
        uint32_t c = worker->moves[i].s, next_hop = worker->moves[i].hop;
        uint32_t arc = tree->graph->first[c] + next_hop;
        uint32_t v = tree->graph->arcs[arc].to;
        if (tree->nodes[c].child != SF_NONE ||
            (v != tree->destination && !may_go(tree, c, arc, v))) {
            return;
        }
        sf_gates_move_leaf(tree, c, next_hop);
    }
    cost = now;
    hop = cheapest_hop(tree, s, SF_NONE, &cost);
    if (hop != SF_NONE) {
        sf_gates_move_leaf(tree, s, hop);
    }
}

/* Whether half of the layers are wasted on 's', this one with them. */
static bool
is_poor(const struct sf_gates_tree *tree, uint32_t s)
{
    uint32_t n_wasted = tree->worker->wasted[s] + 1u;
    return 2 * n_wasted >= tree->task->job->layers->n_layers &&
           present_shared(tree, s);
}

/* Makes a leaf next to 's' its relay if that costs the leaf less than it
 * gives to 's': no switch is to be poor. */
static void
try_to_recruit(const struct sf_gates_tree *tree, uint32_t s)
{
    const struct sf_graph *graph = tree->graph;
    uint32_t best_arc = SF_NONE, best_hop = SF_NONE;
    int32_t need = sf_gates_need(tree, s);
    int32_t best = sf_gates_waste_cost(tree, s, 1);

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t v = graph->arcs[i].to;
        if (tree->nodes[v].child != SF_NONE ||
            sf_gates_need(tree, v) >= need ||
            tree->depth[v] < tree->max_hops) {
            continue;
        }
        uint32_t hop = relay_hop(tree, v);
        if (hop == SF_NONE) {
            continue;
        }
        uint32_t arc = graph->first[v] + hop, w = graph->arcs[arc].to;
        uint32_t gate = sf_gates_gate(tree, arc, w);
        if (sf_gates_count_shared(tree, s, i, gate) > 0) {
            continue;
        }
        int32_t cost =
            sf_gates_path_cost(tree, v, arc, w) - present_cost(tree, v);
        if (cost < best) {
            best = cost;
            best_arc = i;
            best_hop = hop;
        }
    }
    if (best_arc == SF_NONE) {
        return;
    }
    uint32_t v = graph->arcs[best_arc].to, old_hop = tree->hops[v];
    sf_gates_move_leaf(tree, v, best_hop);
    if (may_go(tree, s, best_arc, v)) {
        sf_gates_move_leaf(tree, s, best_arc - graph->first[s]);
    } else {
        sf_gates_move_leaf(tree, v, old_hop);
    }
}

static void
improve(const struct sf_gates_tree *tree, uint32_t s)
{
    if (tree->nodes[s].child != SF_NONE) {
        try_to_close(tree, s);
        return;
    }
    try_to_open(tree, s);
    if (tree->nodes[s].child == SF_NONE) {
        int32_t cost = present_cost(tree, s);
        if (cost < tree->task->good_enough) {
            return;
        }
        if (tree->task->check_middle &&
            shares_middle(tree, s, sf_gates_parent(tree, s))) {
            cost += sf_gates_waste_cost(tree, s, 1);
        }
        uint32_t hop = cheapest_hop(tree, s, SF_NONE, &cost);
        if (hop != SF_NONE && hop != tree->hops[s]) {
            sf_gates_move_leaf(tree, s, hop);
        }
    }
    if (tree->nodes[s].child == SF_NONE && tree->depth[s] > 1 &&
        is_poor(tree, s)) {
        try_to_recruit(tree, s);
    }
}

void
sf_gates_improve(const struct sf_gates_tree *tree, struct sf_random *random)
{
    const struct sf_search *search = &tree->worker->search;
    uint32_t *todo = tree->worker->scratch, n = search->n_reached - 1;

    memcpy(todo, search->order + 1, n * sizeof *todo);
    sf_random_shuffle(random, todo, n);
    for (uint32_t i = 0; i < n; i++) {
        improve(tree, todo[i]);
    }
}
