/* gates.c -- our own layers, for any graph.
 *
 * The links into a destination d are its gates.  Each layer above 0 has one
 * of them as its main gate for d: all that can reach d through it within the
 * hop limit does, the switches next to the gate being the relays for all
 * others.  In a graph of diameter 2 and with paths of 3 hops
 * - two layers with different main gates give a switch two paths that share
 *   no last link, and if it goes to different relays no link at all;
 * - a relay's own path is minimal, as in layer 0 already, so that a layer is
 *   wasted on it.  A relay of degree k serves k - 1 switches at most: about
 *   V / k of them are needed in every tree, and the neighbours of one gate
 *   are as few as that.
 * What is left to choose is chosen by prices, in rounds over all
 * destinations, by moving leaves of the trees, which keeps them valid:
 * - a path costs on each link what it may collide with there.  Two first hops
 *   of one switch never meet in a permutation of traffic, nor do two last
 *   hops into one, so first hops pay for others' middle and last hops only;
 * - a link with more than its share of routes costs more and more.  Where
 *   that is the main gate, further switches become relays over other gates,
 *   if many follow them; and before a destination has any routes, those that
 *   its main gates will carry are reserved, so that others keep off;
 * - sharing the first or last link with another layer costs most, all the
 *   more the less of its layers a pair has to itself already;
 * - relays whose switches find others, and which are better off as leaves
 *   themselves, give up; a switch that loses half of its layers has one of
 *   its neighbours made a relay.
 * Pairs with several shortest paths take in layer 0 one that no main gate
 * offers, so that they are not wasted as relays.  What exceeds the mean load
 * in the end is levelled: see level.c.
 *
 * O(R L V E) time for R rounds; 24 E + O(V k) bytes for each thread beside
 * the result.  Destinations are routed in batches against the same prices,
 * with random numbers of their own, and merged in order: threads change
 * nothing.  All costs are integers: machines change nothing either. */
#include "routing/level.h"
#include "routing/trees.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "slimfly/random.h"

#include <string.h>

/* Costs are in units of 1/UNIT of a path over an evenly loaded link. */
#define UNIT 1024

/* Found by experiment over q = 5 to 13, 4 to 16 layers; flat around. */
static const int32_t overlap_cost = 6 * UNIT; /* Not disjoint, */
static const int32_t overlap_more = UNIT / 2; /* at both ends, */
static const int32_t repeat_cost = 16 * UNIT; /* and the same all along,
                                               * where layers outnumber gates
                                               * and none has one to itself. */
static const int32_t fairness = 20;           /* Times as much for every
                                               * layer wasted before. */
static const int32_t pin_price = UNIT; /* Of a relay on whom the layer is
                                        * wasted, for each of those. */
static const int32_t overload_slope = 15 * UNIT;
static const int32_t main_gate_cost = 3 * UNIT / 2; /* In layer 0. */

/* Small graphs can afford more rounds, and need them: a single path is more of
 * their loads, which they must keep below the mean to stay near it. */
#define SMALL_GRAPH    128
#define SMALL_ROUNDS   6
#define SMALL_OVERLOAD 100 /* Percent of the mean load. */
#define SMALL_BEND     40  /* How much steeper the price is at twice it. */
#define MIDDLE_GRAPH   200
#define MIDDLE_ROUNDS  4
#define LARGE_ROUNDS   2
#define LARGE_OVERLOAD 101
#define LARGE_BEND     20
#define HUGE_GRAPH     400
#define HUGE_ENOUGH    (2 * UNIT) /* Cheaper paths are not searched for. */

#define NEVER INT32_MAX

/* No path costs more, however long and overloaded: sums of a few such costs
 * are below NEVER. */
#define MAX_REST (INT32_MAX / 4)

#define MAX_WEIGHT 16

/* Routes over an arc, by what the arc is to them. */
struct kinds {
    uint32_t first, middle, last;
};

struct prices {
    int32_t first, middle, last;
};

/* A switch in the tree at hand. */
struct node {
    int32_t rest;    /* Cost of the path from here, this being its middle. */
    uint16_t gate;   /* The arc of the destination that it arrives on. */
    uint16_t height; /* Hops from the farthest switch that comes this way. */
    uint32_t rank;   /* Of the channel after its first turn. */
    uint32_t child;  /* The first that comes directly, SF_NONE for a leaf; */
    uint32_t next, previous; /* its siblings. */
};

/* What a thread needs for one destination. */
struct worker {
    struct sf_search search;
    struct kinds *own;       /* [2E] The destination's own routes; 0 when not
                              * in use. */
    struct prices *prices;   /* [2E] */
    uint8_t *first_used;     /* [2E] Layers in which the arc's switch starts
                              * with it. */
    uint8_t *last_used;      /* [V * max_degree] Layers in which a switch
                              * arrives through a gate. */
    uint8_t *wasted;         /* [V] Layers in which its path shares an end link
                              * with another layer's, or will. */
    struct node *nodes;      /* [V] */
    uint16_t *depth;         /* [V] Hops to go in the tree at hand. */
    struct node *minimal;    /* [V] The same in layer 0, */
    uint16_t *minimal_depth; /* [V] both. */
    uint32_t *todo;          /* [V] Switches in the order of a pass. */
    uint32_t *gates;         /* [max_degree] In random order: the main gate of
                              * layer l is number l - 1. */
    uint64_t *gate_load;     /* [max_degree] Routes of all destinations. */
    int32_t *gate_price;     /* [max_degree] */
    uint32_t *near;          /* [max_degree] Arcs to choose from. */
    uint32_t *moves;         /* [2V] Children and new hops. */
    uint32_t *offers;        /* [V] Switches with an offer, */
    int32_t *offer_cost;     /* [V] its cost, NEVER if there is none, */
    uint16_t *offer_hop;     /* [V] and the hop it is for. */
};

/* The whole task. */
struct gates {
    const struct sf_layer_job *job;
    uint32_t max_degree;
    bool check_middle; /* Paths may share a middle link only. */
    uint32_t round;
    const uint32_t *order; /* Destinations of this round; */
    uint32_t begin;        /* those of the batch start here. */
    struct kinds *loads;   /* [2E] */
    struct kinds *removed; /* [2E] */
    struct prices *prices; /* [2E] Those of the batch. */
    uint32_t n_rounds;
    uint32_t overload_percent; /* From which load on a link costs more, */
    uint64_t overload_bend;    /* and how steeply. */
    int32_t good_enough;       /* The cost of paths that are left alone. */
    const uint32_t *weights;   /* [V] Hosts, to scale. */
    uint64_t n_routes_to;      /* Their sum. */
    uint64_t target;           /* The mean load when all is done; */
    uint64_t scale;            /* 2^32 UNIT of it. */
    uint64_t others;           /* The part that is not last hops. */
    struct worker *workers;    /* [n_threads] */
    uint32_t *stuck;           /* [batch] */
};

/* One tree: of 'destination', in 'layer'. */
struct tree {
    const struct gates *gates;
    const struct sf_graph *graph;
    struct worker *worker;
    const struct prices *prices; /* [2E] */
    struct node *nodes;
    uint16_t *depth;
    uint16_t *hops;
    uint32_t destination, layer;
    uint32_t max_hops; /* To this destination. */
    uint32_t main_gate;
    int32_t usual_waste; /* Layers that are lost on every switch. */
    uint64_t gate_limit; /* Load from which on gates cost more. */
};

static uint32_t
routes_between(const struct gates *gates, uint32_t s, uint32_t d)
{
    return gates->weights[s] * gates->weights[d];
}

static uint32_t
parent_of(const struct tree *tree, uint32_t s)
{
    return tree->graph->arcs[tree->graph->first[s] + tree->hops[s]].to;
}

/* Adds the routes to 'd' in all layers to 'loads'. */
static void
count_routes(const struct gates *gates, uint32_t d, struct kinds *loads)
{
    const struct sf_graph *graph = gates->job->graph;
    const struct sf_layers *layers = gates->job->layers;

    for (uint32_t l = 0; l < layers->n_layers; l++) {
        const uint16_t *hops = sf_layers_tree(layers, l, d);
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            if (hops[s] == SF_NO_HOP) {
                continue;
            }
            uint32_t routes = routes_between(gates, s, d);
            uint32_t arc = graph->first[s] + hops[s], v = graph->arcs[arc].to;
            loads[arc].first += routes;
            while (v != d) {
                arc = graph->first[v] + hops[v];
                v = graph->arcs[arc].to;
                if (v == d) {
                    loads[arc].last += routes;
                } else {
                    loads[arc].middle += routes;
                }
            }
        }
    }
}

/* What load above 'limit' costs. */
static int32_t
overload(const struct gates *gates, uint64_t load, uint64_t limit)
{
    if (load <= limit) {
        return 0;
    }
    uint64_t over = (load - limit) * UNIT / gates->target;
    over = over < 4 * UNIT ? over : 4 * UNIT;
    return (int32_t)(over * (uint64_t)overload_slope / UNIT *
                     (UNIT + gates->overload_bend * over) / UNIT);
}

/* What an arc of that load costs. */
static struct prices
price_of(const struct gates *gates, struct kinds load)
{
    uint64_t limit = gates->target * gates->overload_percent / 100;
    uint64_t all = (uint64_t)load.first + load.middle + load.last;
    int32_t over = all > limit ? overload(gates, all, limit) : 0;
    int32_t first = (int32_t)(load.first * gates->scale >> 32);
    int32_t middle = (int32_t)(load.middle * gates->scale >> 32) + over;
    int32_t last = (int32_t)(load.last * gates->scale >> 32);

    return (struct prices){ .first = middle + last,
                            .middle = first + middle + last,
                            .last = first + middle };
}

/* The prices for the routes to 'd', which do not collide with each other:
 * those of the batch, less its own routes. */
static const struct prices *
find_prices(const struct gates *gates, uint32_t d, struct worker *worker)
{
    const struct sf_graph *graph = gates->job->graph;
    const struct sf_layers *layers = gates->job->layers;
    struct kinds *own = worker->own;

    if (gates->round == 0) {
        return gates->prices; /* It has none yet. */
    }
    memcpy(worker->prices, gates->prices,
           2 * (size_t)graph->n_links * sizeof *worker->prices);
    count_routes(gates, d, own);
    for (uint32_t l = 0; l < layers->n_layers; l++) {
        const uint16_t *hops = sf_layers_tree(layers, l, d);
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            uint32_t arc = graph->first[s] + hops[s];
            if (hops[s] == SF_NO_HOP ||
                (own[arc].first | own[arc].middle | own[arc].last) == 0) {
                continue; /* The second: has been dealt with. */
            }
            struct kinds load = gates->loads[arc];
            load.first -= own[arc].first;
            load.middle -= own[arc].middle;
            load.last -= own[arc].last;
            worker->prices[arc] = price_of(gates, load);
            own[arc] = (struct kinds){ 0 };
        }
    }
    return worker->prices;
}

static void
change_gate_load(const struct tree *tree, uint32_t gate, uint64_t change)
{
    struct worker *worker = tree->worker;

    worker->gate_load[gate] += change;
    worker->gate_price[gate] =
        overload(tree->gates, worker->gate_load[gate], tree->gate_limit);
}

/* Whether the path of 's' over 'v' shares a middle link with its path in
 * another layer. */
static bool
shares_middle(const struct tree *tree, uint32_t s, uint32_t v)
{
    const struct sf_graph *graph = tree->graph;
    const struct sf_layers *layers = tree->gates->job->layers;

    for (; v != tree->destination; v = parent_of(tree, v)) {
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

/* By how much the loss of a layer weighs more for 's' than for others. */
static int32_t
need_of(const struct tree *tree, uint32_t s)
{
    int32_t wasted = tree->worker->wasted[s], usual = tree->usual_waste;
    return 1 + (wasted > usual ? fairness * (wasted - usual) : 0);
}

/* What it costs 's' not to have the layer for itself. */
static int32_t
waste_cost(const struct tree *tree, uint32_t s, uint32_t n_shared)
{
    return (overlap_cost + (int32_t)(n_shared - 1) * overlap_more) *
           need_of(tree, s);
}

/* Whether the path of 's' over 'arc' to 'v' is its path in another layer. */
static bool
is_repeated(const struct tree *tree, uint32_t s, uint32_t arc, uint32_t v)
{
    const struct sf_layers *layers = tree->gates->job->layers;

    for (uint32_t l = 0; l < layers->n_layers; l++) {
        const uint16_t *hops = sf_layers_tree(layers, l, tree->destination);
        if (l == tree->layer || tree->graph->first[s] + hops[s] != arc) {
            continue;
        }
        uint32_t w = v;
        while (w != tree->destination && hops[w] == tree->hops[w]) {
            w = parent_of(tree, w);
        }
        if (w == tree->destination) {
            return true;
        }
    }
    return false;
}

/* The gate through which 'arc' to 'v' leads. */
static inline uint32_t
gate_over(const struct tree *tree, uint32_t arc, uint32_t v)
{
    return v == tree->destination
               ? tree->gates->job->reverse[arc] - tree->graph->first[v]
               : tree->nodes[v].gate;
}

/* At how many ends the path of 's' over 'arc' to 'gate' shares its link with
 * other layers. */
static inline uint32_t
count_shared(const struct tree *tree, uint32_t s, uint32_t arc, uint32_t gate)
{
    const struct worker *worker = tree->worker;
    size_t at = (size_t)s * tree->gates->max_degree + gate;
    return (worker->first_used[arc] > 0 ? 1u : 0u) +
           (worker->last_used[at] > 0 ? 1u : 0u);
}

/* The cost of the path of 's' over 'arc' to 'v'. */
static inline int32_t
path_cost(const struct tree *tree, uint32_t s, uint32_t arc, uint32_t v)
{
    const struct worker *worker = tree->worker;
    uint32_t gate = gate_over(tree, arc, v);
    uint32_t n_shared = count_shared(tree, s, arc, gate);
    int32_t cost = tree->prices[arc].first;

    if (v != tree->destination) {
        cost += tree->nodes[v].rest + worker->gate_price[gate];
    }
    if (n_shared > 0) {
        cost += waste_cost(tree, s, n_shared);
    }
    if (n_shared == 2 && tree->usual_waste > 0 &&
        is_repeated(tree, s, arc, v)) {
        cost += repeat_cost * need_of(tree, s);
    }
    return cost;
}

static int32_t
present_cost(const struct tree *tree, uint32_t s)
{
    uint32_t arc = tree->graph->first[s] + tree->hops[s];
    return path_cost(tree, s, arc, tree->graph->arcs[arc].to);
}

static uint32_t
present_shared(const struct tree *tree, uint32_t s)
{
    uint32_t arc = tree->graph->first[s] + tree->hops[s];
    return count_shared(tree, s, arc, tree->nodes[s].gate);
}

/* The rank of the channel on which a path goes on at 'v' when it comes over
 * 'arc'; 0 if it may not. */
static inline uint32_t
turn_rank(const struct tree *tree, uint32_t arc, uint32_t v)
{
    if (!tree->gates->job->params->turns || v == tree->destination) {
        return SF_ANY_RANK;
    }
    return sf_turn_rank(tree->gates->job, arc, tree->hops[v],
                        tree->nodes[v].rank);
}

/* Sets the next hop of 's' and what follows for 's' itself. */
static void
settle(const struct tree *tree, uint32_t s, uint32_t hop)
{
    struct node *node = &tree->nodes[s];
    uint32_t arc = tree->graph->first[s] + hop;
    uint32_t v = tree->graph->arcs[arc].to;
    const struct prices *price = &tree->prices[arc];

    tree->hops[s] = (uint16_t)hop;
    node->gate = (uint16_t)gate_over(tree, arc, v);
    node->rank = turn_rank(tree, arc, v);
    tree->depth[s] = (uint16_t)(tree->depth[v] + 1);
    int32_t rest = v == tree->destination
                       ? price->last
                       : price->middle + tree->nodes[v].rest;
    node->rest = rest < MAX_REST ? rest : MAX_REST;
}

/* Puts 's' among the children of its parent. */
static void
join_parent(const struct tree *tree, uint32_t s)
{
    struct node *nodes = tree->nodes, *node = &nodes[s];
    uint32_t v = parent_of(tree, s), height = node->height;

    node->previous = SF_NONE;
    node->next = nodes[v].child;
    if (node->next != SF_NONE) {
        nodes[node->next].previous = s;
    }
    nodes[v].child = s;
    while (nodes[v].height <= height) {
        nodes[v].height = (uint16_t)++height;
        if (v == tree->destination) {
            return;
        }
        v = parent_of(tree, v);
    }
}

static uint16_t
height_over_children(const struct tree *tree, uint32_t v)
{
    const struct node *nodes = tree->nodes;
    uint16_t height = 0;

    for (uint32_t c = nodes[v].child; c != SF_NONE; c = nodes[c].next) {
        if (nodes[c].height >= height) {
            height = (uint16_t)(nodes[c].height + 1);
        }
        if (height == nodes[v].height) {
            break; /* It has not become less. */
        }
    }
    return height;
}

static void
leave_parent(const struct tree *tree, uint32_t s)
{
    struct node *nodes = tree->nodes, *node = &nodes[s];
    uint32_t v = parent_of(tree, s);

    if (node->previous != SF_NONE) {
        nodes[node->previous].next = node->next;
    } else {
        nodes[v].child = node->next;
    }
    if (node->next != SF_NONE) {
        nodes[node->next].previous = node->previous;
    }
    for (;; v = parent_of(tree, v)) {
        uint16_t height = height_over_children(tree, v);
        if (height == nodes[v].height) {
            return;
        }
        nodes[v].height = height;
        if (v == tree->destination) {
            return;
        }
    }
}

/* Moves the leaf 's' to another next hop. */
static void
move(const struct tree *tree, uint32_t s, uint32_t hop)
{
    uint64_t routes = routes_between(tree->gates, s, tree->destination);

    leave_parent(tree, s);
    change_gate_load(tree, tree->nodes[s].gate, -routes);
    settle(tree, s, hop);
    change_gate_load(tree, tree->nodes[s].gate, routes);
    join_parent(tree, s);
}

/* Whether the leaf 's' may go over 'arc' to 'v'. */
static inline bool
may_go(const struct tree *tree, uint32_t s, uint32_t arc, uint32_t v)
{
    return tree->depth[v] < tree->max_hops && parent_of(tree, v) != s &&
           turn_rank(tree, arc, v) != 0;
}

/* What it costs others if the leaf 'v' becomes a relay: it must stay. */
static int32_t
pin_cost(const struct tree *tree, uint32_t v)
{
    if (v == tree->destination || tree->nodes[v].child != SF_NONE ||
        !present_shared(tree, v)) {
        return 0;
    }
    return pin_price * need_of(tree, v);
}

/* Lists in worker->near the arcs of 's' to switches from which the way is
 * short enough.  Most are not, in no order that a processor could guess:
 * there is no branch. */
static inline uint32_t
list_near(const struct tree *tree, uint32_t s)
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
cheapest_hop(const struct tree *tree, uint32_t s, uint32_t avoid,
             int32_t *costp)
{
    const struct sf_graph *graph = tree->graph;
    const struct sf_arc *arcs = graph->arcs;
    uint32_t n_near = list_near(tree, s), best_hop = SF_NONE;

    for (uint32_t j = 0; j < n_near; j++) {
        uint32_t i = tree->worker->near[j], v = arcs[i].to;
        int32_t cost = path_cost(tree, s, i, v);
        if (cost >= *costp || v == avoid) {
            continue;
        }
        cost += pin_cost(tree, v);
        if (cost < *costp && tree->gates->check_middle &&
            shares_middle(tree, s, v)) {
            cost += waste_cost(tree, s, 1);
        }
        if (cost < *costp &&
            (v == tree->destination || may_go(tree, s, i, v))) {
            *costp = cost;
            best_hop = i - graph->first[s];
        }
    }
    return best_hop;
}

/* Offers the way over 'v' to the leaves next to it that do not come through
 * the main gate yet, and notes in worker->offers who has one and which is the
 * cheapest. */
static uint32_t
offer_way(const struct tree *tree, uint32_t v, uint32_t n_offers)
{
    const struct sf_graph *graph = tree->graph;
    const struct worker *worker = tree->worker;

    for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
        uint32_t s = graph->arcs[i].to, arc = tree->gates->job->reverse[i];
        if (tree->nodes[s].child != SF_NONE || tree->depth[s] <= 1 ||
            tree->nodes[s].gate == tree->main_gate ||
            turn_rank(tree, arc, v) == 0) {
            continue;
        }
        int32_t cost = path_cost(tree, s, arc, v);
        if (worker->offer_cost[s] == NEVER) {
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
lead_to_main_gate(const struct tree *tree, struct sf_random *random)
{
    const struct worker *worker = tree->worker;
    const struct sf_graph *graph = tree->graph;
    uint32_t *level = worker->todo, *next = worker->moves, n_level = 1;

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
            move(tree, s, worker->offer_hop[s]);
            worker->offer_cost[s] = NEVER;
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

/* The cheapest way for the leaf 's' to be a relay: short enough for others to
 * come.  SF_NONE if there is none. */
static uint32_t
relay_hop(const struct tree *tree, uint32_t s)
{
    const struct sf_graph *graph = tree->graph;
    uint32_t best_hop = SF_NONE;
    int32_t best = NEVER;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t v = graph->arcs[i].to;
        if (tree->depth[v] + 2u > tree->max_hops || v == tree->destination ||
            !may_go(tree, s, i, v)) {
            continue;
        }
        int32_t cost = path_cost(tree, s, i, v);
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
would_follow(const struct tree *tree, uint32_t c)
{
    const struct node *node = &tree->nodes[c];
    return node->child == SF_NONE && tree->depth[c] >= tree->max_hops &&
           tree->worker->gate_price[node->gate] > 0;
}

/* Whether 'n' of the links of 's' are enough to make it a relay: more relays
 * than needed waste the layer on more switches. */
static bool
are_enough(const struct tree *tree, uint32_t s, uint32_t n)
{
    return 2 * n >= sf_graph_degree(tree->graph, s);
}

/* Whether leaves next to 's' are likely to gain more than the relay 's' would
 * lose, going by the prices of gates alone. */
static bool
may_open(const struct tree *tree, uint32_t s)
{
    const struct sf_graph *graph = tree->graph;
    const int32_t *price = tree->worker->gate_price;
    int32_t own = price[tree->worker->minimal[s].gate];
    int64_t gain = 0;
    uint32_t n = 0;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t c = graph->arcs[i].to;
        int32_t gained = price[tree->nodes[c].gate] - own;
        if (gained > 0 && would_follow(tree, c)) {
            gain += gained;
            n++;
        }
    }
    return are_enough(tree, s, n) && gain > waste_cost(tree, s, 2);
}

/* Lists in worker->moves the leaves next to the new relay 's' that are better
 * off with it, each with its best link, and tells what they gain; false if
 * they are too few. */
static bool
list_followers(const struct tree *tree, uint32_t s, uint32_t *n_movesp,
               int64_t *gainp)
{
    const struct sf_graph *graph = tree->graph;
    const struct worker *worker = tree->worker;
    const struct node *nodes = tree->nodes;
    int32_t step =
        (int32_t)((uint64_t)routes_between(tree->gates, s, tree->destination) *
                  (uint64_t)overload_slope / tree->gates->target);
    bool full = worker->gate_price[nodes[s].gate] > 0;
    uint32_t n = 0, n_links = 0, last = SF_NONE;
    int32_t last_gain = 0;

    *gainp = 0;
    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t c = graph->arcs[i].to, back = tree->gates->job->reverse[i];
        if (!would_follow(tree, c) || !may_go(tree, c, back, s)) {
            continue;
        }
        bool is_parallel = c == last;
        uint32_t n_before = is_parallel ? n - 1 : n;
        int32_t gain = present_cost(tree, c) - path_cost(tree, c, back, s) -
                       (full ? step * (int32_t)n_before : 0);
        if (gain <= 0) {
            continue;
        }
        n_links++;
        if (is_parallel && gain <= last_gain) {
            continue;
        }
        *gainp += is_parallel ? gain - last_gain : gain;
        worker->moves[2 * n_before] = c;
        worker->moves[2 * n_before + 1] = back - graph->first[c];
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
try_to_open(const struct tree *tree, uint32_t s)
{
    const struct worker *worker = tree->worker;
    const struct node *node = &tree->nodes[s];
    uint32_t old_hop = tree->hops[s], n_moves;
    int64_t gained;

    if (node->child != SF_NONE || need_of(tree, s) > 1 ||
        tree->depth[s] < tree->max_hops ||
        (int64_t)tree->worker->gate_price[node->gate] *
                sf_graph_degree(tree->graph, s) <=
            waste_cost(tree, s, 2) ||
        !may_open(tree, s)) {
        return;
    }
    uint32_t hop = relay_hop(tree, s);
    if (hop == SF_NONE) {
        return;
    }
    int64_t gain = present_cost(tree, s);
    move(tree, s, hop);
    gain -= present_cost(tree, s);
    if (present_shared(tree, s)) {
        gain -= pin_price / 2 * need_of(tree, s);
    }
    if (!list_followers(tree, s, &n_moves, &gained) || gain + gained <= 0) {
        move(tree, s, old_hop);
        return;
    }
    for (uint32_t i = 0; i < n_moves; i++) {
        move(tree, worker->moves[2 * i], worker->moves[2 * i + 1]);
    }
}

/* Finds another place for every child of the relay 's', in worker->moves;
 * false if one has none or if they lose more than 'limit' in sum. */
static bool
list_leavers(const struct tree *tree, uint32_t s, int64_t limit,
             uint32_t *n_movesp, int64_t *lossp)
{
    const struct worker *worker = tree->worker;
    uint32_t n = 0;

    *lossp = 0;
    for (uint32_t c = tree->nodes[s].child; c != SF_NONE;
         c = tree->nodes[c].next) {
        int32_t cost = NEVER;
        uint32_t hop = cheapest_hop(tree, c, s, &cost);
        if (hop == SF_NONE) {
            return false;
        }
        *lossp += cost - present_cost(tree, c);
        if (*lossp >= limit) {
            return false;
        }
        worker->moves[2 * n] = c;
        worker->moves[2 * n + 1] = hop;
        n++;
    }
    *n_movesp = n;
    return true;
}

/* Lets the relay 's', whose path shares links with other layers, become a
 * leaf with a path of its own, if its children find other relays and the
 * gain is worth their loss. */
static void
try_to_close(const struct tree *tree, uint32_t s)
{
    const struct worker *worker = tree->worker;
    uint32_t n_moves;
    int64_t loss;
    int32_t now = present_cost(tree, s), cost = now;

    if (tree->nodes[s].height != 1 || !present_shared(tree, s)) {
        return;
    }
    uint32_t hop = cheapest_hop(tree, s, SF_NONE, &cost);
    if (hop == SF_NONE ||
        !list_leavers(tree, s, (int64_t)now - cost, &n_moves, &loss)) {
        return;
    }
    /* One move may spoil the next: each is looked at again. */
    for (uint32_t i = 0; i < n_moves; i++) {
        uint32_t c = worker->moves[2 * i];
        uint32_t arc = tree->graph->first[c] + worker->moves[2 * i + 1];
        uint32_t v = tree->graph->arcs[arc].to;
        if (tree->nodes[c].child != SF_NONE ||
            (v != tree->destination && !may_go(tree, c, arc, v))) {
            return;
        }
        move(tree, c, worker->moves[2 * i + 1]);
    }
    cost = now;
    hop = cheapest_hop(tree, s, SF_NONE, &cost);
    if (hop != SF_NONE) {
        move(tree, s, hop);
    }
}

/* Whether half of the layers are wasted on 's', this one with them. */
static bool
is_poor(const struct tree *tree, uint32_t s)
{
    uint32_t n_wasted = tree->worker->wasted[s] + 1u;
    return 2 * n_wasted >= tree->gates->job->layers->n_layers &&
           present_shared(tree, s);
}

/* Makes a leaf next to 's' its relay if that costs the leaf less than it
 * gives to 's': no switch is to be poor. */
static void
try_to_recruit(const struct tree *tree, uint32_t s)
{
    const struct sf_graph *graph = tree->graph;
    uint32_t best_arc = SF_NONE, best_hop = SF_NONE;
    int32_t need = need_of(tree, s), best = waste_cost(tree, s, 1);

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t v = graph->arcs[i].to;
        if (tree->nodes[v].child != SF_NONE || need_of(tree, v) >= need ||
            tree->depth[v] < tree->max_hops) {
            continue;
        }
        uint32_t hop = relay_hop(tree, v), arc = graph->first[v] + hop;
        if (hop == SF_NONE ||
            count_shared(tree, s, i,
                         gate_over(tree, arc, graph->arcs[arc].to)) > 0) {
            continue;
        }
        int32_t cost = path_cost(tree, v, arc, graph->arcs[arc].to) -
                       present_cost(tree, v);
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
    move(tree, v, best_hop);
    if (may_go(tree, s, best_arc, v)) {
        move(tree, s, best_arc - graph->first[s]);
    } else {
        move(tree, v, old_hop);
    }
}

static void
improve(const struct tree *tree, uint32_t s)
{
    if (tree->nodes[s].child != SF_NONE) {
        try_to_close(tree, s);
        return;
    }
    try_to_open(tree, s);
    if (tree->nodes[s].child == SF_NONE) {
        int32_t cost = present_cost(tree, s);
        if (cost < tree->gates->good_enough) {
            return;
        }
        if (tree->gates->check_middle &&
            shares_middle(tree, s, parent_of(tree, s))) {
            cost += waste_cost(tree, s, 1);
        }
        uint32_t hop = cheapest_hop(tree, s, SF_NONE, &cost);
        if (hop != SF_NONE && hop != tree->hops[s]) {
            move(tree, s, hop);
        }
    }
    if (tree->nodes[s].child == SF_NONE && tree->depth[s] > 1 &&
        is_poor(tree, s)) {
        try_to_recruit(tree, s);
    }
}

/* Notes which end links the tree uses (or, if not 'used', no longer uses),
 * and on whom it is wasted. */
static void
note_use(const struct tree *tree, bool used)
{
    const struct worker *worker = tree->worker;

    for (uint32_t i = 1; i < worker->search.n_reached; i++) {
        uint32_t s = worker->search.order[i];
        size_t at = (size_t)s * tree->gates->max_degree + tree->nodes[s].gate;
        uint8_t *first =
            &worker->first_used[tree->graph->first[s] + tree->hops[s]];
        uint8_t *last = &worker->last_used[at];
        if (used) {
            worker->wasted[s] =
                (uint8_t)(worker->wasted[s] + (*first > 0 || *last > 0));
            ++*first;
            ++*last;
        } else {
            --*first;
            --*last;
            worker->wasted[s] =
                (uint8_t)(worker->wasted[s] - (*first > 0 || *last > 0));
        }
    }
}

/* Fills tree->nodes from tree->hops. */
static void
load_tree(const struct tree *tree)
{
    const struct sf_search *search = &tree->worker->search;
    struct node *nodes = tree->nodes;
    uint32_t *stack = tree->worker->todo;

    for (uint32_t i = 0; i < search->n_reached; i++) {
        struct node *node = &nodes[search->order[i]];
        node->child = SF_NONE;
        node->height = 0;
        tree->depth[search->order[i]] = UINT16_MAX;
    }
    tree->depth[tree->destination] = 0;
    nodes[tree->destination].rest = 0;
    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t n = 0, s = search->order[i];
        while (tree->depth[s] == UINT16_MAX) {
            stack[n++] = s;
            s = parent_of(tree, s);
        }
        while (n > 0) {
            s = stack[--n];
            settle(tree, s, tree->hops[s]);
            join_parent(tree, s);
        }
    }
}

/* Finds only the gates. */
static void
find_gates(const struct tree *tree)
{
    const struct sf_search *search = &tree->worker->search;
    const struct sf_graph *graph = tree->graph;
    uint32_t d = tree->destination;

    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t v = search->order[i], arc;
        do {
            arc = graph->first[v] + tree->hops[v];
            v = graph->arcs[arc].to;
        } while (v != d);
        tree->nodes[search->order[i]].gate =
            (uint16_t)(tree->gates->job->reverse[arc] - graph->first[d]);
    }
}

static bool
is_main_gate(const struct tree *tree, uint32_t gate)
{
    uint32_t n_layers = tree->gates->job->layers->n_layers;
    uint32_t degree = sf_graph_degree(tree->graph, tree->destination);

    for (uint32_t i = 0; i + 1 < n_layers && i < degree; i++) {
        if (tree->worker->gates[i] == gate) {
            return true;
        }
    }
    return false;
}

/* Makes the tree of layer 0: shortest paths, off the main gates where there
 * is a choice; or, if 'is_cautious', with the most room for those behind to
 * take turns.  Returns a switch that the turns leave without one, or
 * SF_NONE. */
static uint32_t
grow_minimal(const struct tree *tree, bool is_cautious)
{
    const struct sf_graph *graph = tree->graph;
    const struct sf_search *search = &tree->worker->search;
    struct node *nodes = tree->nodes;

    for (uint32_t i = 0; i < search->n_reached; i++) {
        nodes[search->order[i]].child = SF_NONE;
        nodes[search->order[i]].height = 0;
    }
    tree->depth[tree->destination] = 0;
    nodes[tree->destination].rest = 0;
    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t s = search->order[i], best_hop = SF_NONE;
        int32_t best = NEVER;
        for (uint32_t arc = graph->first[s]; arc < graph->first[s + 1];
             arc++) {
            uint32_t v = graph->arcs[arc].to;
            if (search->distance[v] + 1 != search->distance[s]) {
                continue;
            }
            uint32_t rank = turn_rank(tree, arc, v);
            if (rank == 0) {
                continue;
            }
            int32_t cost = path_cost(tree, s, arc, v);
            if (is_main_gate(tree, gate_over(tree, arc, v))) {
                cost += main_gate_cost;
            }
            if (is_cautious) {
                cost = rank < NEVER ? NEVER - 1 - (int32_t)rank : 0;
            }
            if (cost < best) {
                best = cost;
                best_hop = arc - graph->first[s];
            }
        }
        if (best_hop == SF_NONE) {
            return s;
        }
        settle(tree, s, best_hop);
        join_parent(tree, s);
    }
    return SF_NONE;
}

/* Adds the routes of the whole tree to the loads of the gates. */
static void
load_gates(const struct tree *tree)
{
    const struct sf_search *search = &tree->worker->search;

    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t s = search->order[i];
        change_gate_load(tree, tree->nodes[s].gate,
                         routes_between(tree->gates, s, tree->destination));
    }
}

/* Counts as wasted what the main gates will waste: the layers whose gate a
 * switch uses in layer 0.  So no switch is made a relay twice as long as
 * there are others. */
static void
expect_waste(const struct tree *tree)
{
    const struct worker *worker = tree->worker;
    uint32_t n_layers = tree->gates->job->layers->n_layers;
    uint32_t degree = sf_graph_degree(tree->graph, tree->destination);

    for (uint32_t i = 1; i < worker->search.n_reached; i++) {
        uint32_t s = worker->search.order[i];
        for (uint32_t l = 1; l < n_layers && worker->minimal_depth[s] > 1;
             l++) {
            if (worker->gates[(l - 1) % degree] == worker->minimal[s].gate) {
                worker->wasted[s]++;
            }
        }
    }
}

/* Takes back what was expected of this layer. */
static void
stop_expecting_waste(const struct tree *tree)
{
    const struct worker *worker = tree->worker;

    for (uint32_t i = 1; i < worker->search.n_reached; i++) {
        uint32_t s = worker->search.order[i];
        if (worker->minimal_depth[s] > 1 &&
            worker->minimal[s].gate == tree->main_gate) {
            worker->wasted[s]--;
        }
    }
}

/* Lists the switches to visit, in random order. */
static void
shuffle_todo(const struct tree *tree, struct sf_random *random)
{
    const struct sf_search *search = &tree->worker->search;
    uint32_t n = search->n_reached - 1;

    memcpy(tree->worker->todo, search->order + 1,
           n * sizeof *tree->worker->todo);
    sf_random_shuffle(random, tree->worker->todo, n);
}

static void
improve_all(const struct tree *tree, struct sf_random *random)
{
    shuffle_todo(tree, random);
    for (uint32_t i = 0; i + 1 < tree->worker->search.n_reached; i++) {
        improve(tree, tree->worker->todo[i]);
    }
}

/* Works out anew what follows for all that come over 'v'. */
static void
settle_children(const struct tree *tree, uint32_t v)
{
    for (uint32_t c = tree->nodes[v].child; c != SF_NONE;
         c = tree->nodes[c].next) {
        settle(tree, c, tree->hops[c]);
        settle_children(tree, c);
    }
}

/* Lets the switch at the main gate use that link, and not one parallel to it
 * as in layer 0.  With turns that might break the paths of others: then the
 * parallel link is the main gate. */
static void
enter_main_gate(struct tree *tree)
{
    const struct sf_graph *graph = tree->graph;
    uint32_t arc = graph->first[tree->destination] + tree->main_gate;
    uint32_t g = graph->arcs[arc].to;

    if (tree->nodes[g].gate == tree->main_gate) {
        return;
    }
    if (tree->gates->job->params->turns) {
        tree->main_gate = tree->nodes[g].gate;
        return;
    }
    settle(tree, g, tree->gates->job->reverse[arc] - graph->first[g]);
    settle_children(tree, g);
}

/* Makes the tree of a layer above 0 for the first time: from the tree of
 * layer 0, the leaves go to the main gate: the switches next to it, then
 * those that find a relay, in as many passes as it may take. */
static void
grow_to_main_gate(struct tree *tree, struct sf_random *random)
{
    const struct sf_layer_job *job = tree->gates->job;
    uint32_t n = tree->graph->n_nodes, d = tree->destination;

    memcpy(tree->nodes, tree->worker->minimal, n * sizeof *tree->nodes);
    memcpy(tree->depth, tree->worker->minimal_depth, n * sizeof *tree->depth);
    memcpy(tree->hops, sf_layers_tree(job->layers, 0, d),
           n * sizeof *tree->hops);
    enter_main_gate(tree);
    load_gates(tree);
    lead_to_main_gate(tree, random);
}

static void
reverse_order(uint32_t *order, uint32_t begin, uint32_t end)
{
    while (begin + 1 < end) {
        uint32_t swap = order[begin];
        order[begin++] = order[--end];
        order[end] = swap;
    }
}

/* Moves the first 'n' to the end. */
static void
rotate_order(uint32_t *order, uint32_t length, uint32_t n)
{
    reverse_order(order, 0, n);
    reverse_order(order, n, length);
    reverse_order(order, 0, length);
}

/* Puts the gates of 'd' into its order: the main gate of layer l is number
 * l - 1.  It is the one that turns were designed for, or any at random.  Each
 * host of a switch has the main gates behind those of the host before it, so
 * that together they use all, and differ in the switches that must relay. */
static void
order_gates(const struct gates *gates, uint32_t d, uint32_t *order)
{
    const struct sf_layers_params *params = gates->job->params;
    const struct sf_graph *graph = gates->job->graph;
    const uint16_t *designed = params->turns && params->turns->gates
                                   ? params->turns->gates + graph->first[d]
                                   : NULL;
    uint32_t degree = sf_graph_degree(graph, d);
    struct sf_random random;

    for (uint32_t i = 0; i < degree; i++) {
        order[i] = designed ? designed[i] : i;
    }
    if (!designed) {
        sf_random_init(&random, params->seed, UINT64_C(1) << 63 | d);
        sf_random_shuffle(&random, order, degree);
    }
    if (degree > 0) {
        uint64_t n_before =
            (uint64_t)params->variant * (gates->job->layers->n_layers - 1);
        n_before += n_before / degree; /* No two start alike too soon. */
        rotate_order(order, degree, (uint32_t)(n_before % degree));
    }
}

/* What the links into a destination are to carry. */
struct forecast {
    uint64_t last;   /* Routes to it, */
    uint64_t others; /* and to others. */
};

/* Forecasts the load of the main gates of 'd' and of its other gates.  Main
 * gates are kept free for what is to come through them: if they are few, half
 * as many routes to others go over them as over a link on average. */
static void
forecast_gates(const struct gates *gates, uint32_t d, struct forecast *main,
               struct forecast *other)
{
    uint32_t n_layers = gates->job->layers->n_layers;
    uint32_t degree = sf_graph_degree(gates->job->graph, d);
    uint32_t n_main = n_layers - 1 < degree ? n_layers - 1 : degree;
    uint64_t routes = (uint64_t)gates->weights[d] * gates->n_routes_to;
    uint64_t all = routes * n_layers;

    *main = *other = (struct forecast){ .last = all / (degree ? degree : 1),
                                        .others = gates->others };
    if (n_main == 0 || n_main == degree) {
        return;
    }
    main->others = gates->others * (degree + n_main) / (2 * degree);
    other->others =
        (gates->others * degree - main->others * n_main) / (degree - n_main);
    uint64_t room = gates->target - main->others;
    uint64_t last = room < routes ? room : routes;
    if (last > main->last) {
        main->last = last;
        other->last = all > last * n_main
                          ? (all - last * n_main) / (degree - n_main)
                          : 0;
    }
}

/* Adds (or if 'done' takes back) the routes to 'd' that its gates are to
 * carry, so that others keep off its main gates before it is routed. */
static void
reserve_gates(const struct gates *gates, uint32_t d, bool done)
{
    const struct sf_graph *graph = gates->job->graph;
    uint32_t degree = sf_graph_degree(graph, d);
    uint32_t *order = gates->workers[0].gates;
    struct forecast main, other;

    order_gates(gates, d, order);
    forecast_gates(gates, d, &main, &other);
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t arc = gates->job->reverse[graph->first[d] + order[i]];
        bool is_main = i + 1 < gates->job->layers->n_layers;
        uint32_t last = (uint32_t)(is_main ? main.last : other.last);
        gates->loads[arc].last += done ? -last : last;
    }
}

/* Starts the loads of the gates of a destination from a forecast, or in later
 * rounds from what they are. */
static void
begin_gates(struct tree *tree)
{
    const struct gates *gates = tree->gates;
    const struct worker *worker = tree->worker;
    uint32_t first = tree->graph->first[tree->destination];
    uint32_t degree = sf_graph_degree(tree->graph, tree->destination);
    struct forecast main, other;

    forecast_gates(gates, tree->destination, &main, &other);
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t g = worker->gates[i];
        const struct kinds *load =
            &gates->loads[gates->job->reverse[first + g]];
        bool is_main = i + 1 < gates->job->layers->n_layers;
        worker->gate_load[g] = 0;
        change_gate_load(tree, g,
                         gates->round > 0 ? (uint64_t)load->first +
                                                load->middle + load->last
                         : is_main ? main.others
                                   : other.others);
    }
}

/* Prepares 'worker' for a destination. */
static void
begin_destination(const struct gates *gates, struct worker *worker,
                  struct tree *tree, uint32_t d)
{
    const struct sf_graph *graph = gates->job->graph;
    uint32_t degree = sf_graph_degree(graph, d);

    sf_search_run(&worker->search, graph, d, NULL);
    tree->prices = find_prices(gates, d, worker);
    memset(worker->first_used, 0, 2 * (size_t)graph->n_links);
    memset(worker->last_used, 0, (size_t)graph->n_nodes * gates->max_degree);
    memset(worker->wasted, 0, graph->n_nodes);

    order_gates(gates, d, worker->gates);

    /* A destination of few links cannot keep their load down: it gets a
     * limit of its own. */
    uint64_t fair = gates->others;
    if (degree > 0) {
        fair += (uint64_t)gates->weights[d] * gates->n_routes_to *
                gates->job->layers->n_layers / degree;
    }
    fair = fair > gates->target ? fair : gates->target;
    uint32_t n_gated = gates->job->layers->n_layers - 1;
    tree->usual_waste = degree == 0 ? 0 : (int32_t)(n_gated / degree);
    tree->usual_waste += n_gated > degree ? (int32_t)(n_gated - degree) : 0;
    tree->gate_limit = fair * gates->overload_percent / 100;
    begin_gates(tree);
}

static void
use_layer(struct tree *tree, uint32_t layer)
{
    uint32_t degree = sf_graph_degree(tree->graph, tree->destination);

    tree->layer = layer;
    tree->hops =
        sf_layers_tree(tree->gates->job->layers, layer, tree->destination);
    if (layer == 0) {
        tree->nodes = tree->worker->minimal;
        tree->depth = tree->worker->minimal_depth;
    } else {
        tree->nodes = tree->worker->nodes;
        tree->depth = tree->worker->depth;
        tree->main_gate = tree->worker->gates[(layer - 1) % degree];
    }
}

/* Routes a destination for the first time. */
static uint32_t
route_first(struct tree *tree, struct sf_random *random)
{
    use_layer(tree, 0);
    uint32_t stuck = grow_minimal(tree, false);
    if (stuck != SF_NONE) {
        stuck = grow_minimal(tree, true);
    }
    if (stuck != SF_NONE) {
        return stuck;
    }
    load_gates(tree);
    note_use(tree, true);
    expect_waste(tree);
    for (uint32_t l = 1; l < tree->gates->job->layers->n_layers; l++) {
        use_layer(tree, l);
        stop_expecting_waste(tree);
        grow_to_main_gate(tree, random);
        improve_all(tree, random);
        note_use(tree, true);
    }
    return SF_NONE;
}

/* Improves what a destination has, against the prices of now. */
static void
route_again(struct tree *tree, struct sf_random *random)
{
    uint32_t n_layers = tree->gates->job->layers->n_layers;

    for (uint32_t l = 0; l < n_layers; l++) {
        use_layer(tree, l);
        find_gates(tree);
        note_use(tree, true);
    }
    for (uint32_t l = 1; l < n_layers; l++) {
        use_layer(tree, l);
        load_tree(tree);
        note_use(tree, false);
        improve_all(tree, random);
        note_use(tree, true);
    }
}

static void
route_destination(void *aux, uint32_t task, uint32_t worker_index)
{
    struct gates *gates = aux;
    struct worker *worker = &gates->workers[worker_index];
    uint32_t d = gates->order[gates->begin + task];
    struct sf_random random;
    struct tree tree = { .gates = gates,
                         .graph = gates->job->graph,
                         .worker = worker,
                         .destination = d,
                         .max_hops = gates->job->limits[d] };

    gates->stuck[task] = SF_NONE;
    begin_destination(gates, worker, &tree, d);
    if (worker->search.n_reached == 1) {
        return; /* Alone in its part. */
    }
    sf_random_init(&random, gates->job->seed,
                   ((uint64_t)gates->round + 1) << 32 | d);
    if (gates->round == 0) {
        gates->stuck[task] = route_first(&tree, &random);
    } else {
        route_again(&tree, &random);
    }
}

/* Routes the batch that starts at gates->begin and merges its loads. */
static enum sf_status
route_batch(struct gates *gates, uint32_t n_tasks, struct sf_error *err)
{
    const struct sf_graph *graph = gates->job->graph;
    size_t n_arcs = 2 * (size_t)graph->n_links;
    const uint32_t *order = gates->order + gates->begin;

    gates->scale = ((uint64_t)UNIT << 32) / gates->target;
    for (size_t i = 0; i < n_arcs; i++) {
        gates->prices[i] = price_of(gates, gates->loads[i]);
    }
    memset(gates->removed, 0, n_arcs * sizeof *gates->removed);
    for (uint32_t i = 0; i < n_tasks && gates->round > 0; i++) {
        count_routes(gates, order[i], gates->removed);
    }
    sf_parallel_for(gates->job->n_threads, n_tasks, route_destination, gates);
    for (uint32_t i = 0; i < n_tasks; i++) {
        if (gates->stuck[i] != SF_NONE) {
            return sf_fail(err, SF_EUNREACHABLE,
                           "the allowed turns leave no shortest path from "
                           "switch %s to switch %s; the lanes dfsssp do "
                           "without turns",
                           sf_graph_name(graph, gates->stuck[i]).text,
                           sf_graph_name(graph, order[i]).text);
        }
        count_routes(gates, order[i], gates->loads);
        if (gates->round == 0) {
            reserve_gates(gates, order[i], true);
        }
    }
    for (size_t i = 0; i < n_arcs && gates->round > 0; i++) {
        gates->loads[i].first -= gates->removed[i].first;
        gates->loads[i].middle -= gates->removed[i].middle;
        gates->loads[i].last -= gates->removed[i].last;
    }
    return SF_OK;
}

/* Guesses the mean load before there is any: layers above 0 have paths that
 * are nearly a hop longer than the shortest. */
static void
guess_loads(struct gates *gates)
{
    const struct sf_layer_job *job = gates->job;
    double n_arcs = job->graph->n_links ? 2.0 * job->graph->n_links : 1;
    double routes = (double)gates->n_routes_to * (double)gates->n_routes_to;
    double extra = job->usual_hops > job->usual_diameter ? 0.85 : 0;
    double n_layers = job->layers->n_layers;
    double all = n_layers * job->mean_distance + (n_layers - 1) * extra;

    gates->target = 1 + (uint64_t)(routes * all / n_arcs);
    /* Below one hop a route on average, as where all switches are adjacent,
     * there are none. */
    gates->others =
        all > n_layers ? (uint64_t)(routes * (all - n_layers) / n_arcs) : 0;
}

static void
measure_loads(struct gates *gates)
{
    uint32_t n_arcs = 2 * gates->job->graph->n_links;
    uint64_t all = 0;

    for (uint32_t i = 0; i < n_arcs; i++) {
        all += (uint64_t)gates->loads[i].first + gates->loads[i].middle +
               gates->loads[i].last;
    }
    gates->target = 1 + all / (n_arcs ? n_arcs : 1);
}

static void
set_effort(struct gates *gates)
{
    uint32_t n = gates->job->graph->n_nodes;

    gates->n_rounds = n <= SMALL_GRAPH    ? SMALL_ROUNDS
                      : n <= MIDDLE_GRAPH ? MIDDLE_ROUNDS
                                          : LARGE_ROUNDS;
    gates->overload_percent =
        n <= SMALL_GRAPH ? SMALL_OVERLOAD : LARGE_OVERLOAD;
    gates->overload_bend = n <= SMALL_GRAPH ? SMALL_BEND : LARGE_BEND;
    gates->good_enough = n <= HUGE_GRAPH ? 0 : HUGE_ENOUGH;
    if (2 * gates->job->layers->n_layers > gates->max_degree &&
        gates->n_rounds == LARGE_ROUNDS) {
        gates->n_rounds++; /* Few gates are left to even loads. */
    }
    if (gates->job->layers->n_layers == 1) {
        gates->n_rounds = 1; /* Nothing is to be improved in layer 0. */
    }
}

static enum sf_status
route_rounds(struct gates *gates, uint32_t *order, struct sf_error *err)
{
    uint32_t n = gates->job->graph->n_nodes;
    uint32_t batch_size = sf_batch_size(gates->job->graph);
    enum sf_status status = SF_OK;
    struct sf_random random;

    sf_random_init(&random, gates->job->seed, UINT64_MAX);
    gates->order = order;
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
        reserve_gates(gates, i, false);
    }
    for (; gates->round < gates->n_rounds; gates->round++) {
        sf_random_shuffle(&random, order, n);
        for (uint32_t i = 0; i < n && status == SF_OK; i += batch_size) {
            gates->begin = i;
            status = route_batch(gates,
                                 n - i < batch_size ? n - i : batch_size, err);
        }
        measure_loads(gates);
    }
    return status;
}

/* Takes routes off the links that are above the others still. */
static enum sf_status
level_loads(const struct gates *gates, struct sf_error *err)
{
    size_t n_arcs = 2 * (size_t)gates->job->graph->n_links;
    uint64_t *loads = sf_calloc(n_arcs, sizeof *loads);

    if (!loads) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %zu loads", n_arcs);
    }
    for (size_t i = 0; i < n_arcs; i++) {
        const struct kinds *load = &gates->loads[i];
        loads[i] = (uint64_t)load->first + load->middle + load->last;
    }
    enum sf_status status =
        sf_layers_level(gates->job, gates->weights, loads, err);
    free(loads);
    return status;
}

static void
clear_worker(struct worker *worker)
{
    sf_search_clear(&worker->search);
    free(worker->own);
    free(worker->prices);
    free(worker->first_used);
    free(worker->last_used);
    free(worker->wasted);
    free(worker->nodes);
    free(worker->minimal);
    free(worker->depth);
    free(worker->minimal_depth);
    free(worker->todo);
    free(worker->gates);
    free(worker->gate_load);
    free(worker->gate_price);
    free(worker->near);
    free(worker->moves);
    free(worker->offers);
    free(worker->offer_cost);
    free(worker->offer_hop);
}

static bool
init_worker(struct worker *worker, uint32_t n, size_t n_arcs, uint32_t degree)
{
    bool made = sf_search_init(&worker->search, n);

    worker->own = sf_calloc(n_arcs, sizeof *worker->own);
    worker->prices = sf_calloc(n_arcs, sizeof *worker->prices);
    worker->first_used = sf_calloc(n_arcs, sizeof *worker->first_used);
    worker->last_used =
        sf_calloc((size_t)n * degree, sizeof *worker->last_used);
    worker->wasted = sf_calloc(n, sizeof *worker->wasted);
    worker->nodes = sf_calloc(n, sizeof *worker->nodes);
    worker->minimal = sf_calloc(n, sizeof *worker->minimal);
    worker->depth = sf_calloc(n, sizeof *worker->depth);
    worker->minimal_depth = sf_calloc(n, sizeof *worker->minimal_depth);
    worker->todo = sf_calloc(n, sizeof *worker->todo);
    worker->gates = sf_calloc(degree, sizeof *worker->gates);
    worker->gate_load = sf_calloc(degree, sizeof *worker->gate_load);
    worker->gate_price = sf_calloc(degree, sizeof *worker->gate_price);
    worker->near = sf_calloc(degree, sizeof *worker->near);
    worker->moves = sf_calloc(2 * (size_t)n, sizeof *worker->moves);
    worker->offers = sf_calloc(n, sizeof *worker->offers);
    worker->offer_cost = sf_calloc(n, sizeof *worker->offer_cost);
    worker->offer_hop = sf_calloc(n, sizeof *worker->offer_hop);
    if (!worker->offers || !worker->offer_cost || !worker->offer_hop) {
        return false;
    }
    for (uint32_t s = 0; s < n; s++) {
        worker->offer_cost[s] = NEVER;
    }
    return made && worker->own && worker->prices && worker->first_used &&
           worker->last_used && worker->wasted && worker->nodes &&
           worker->minimal && worker->depth && worker->minimal_depth &&
           worker->todo && worker->gates && worker->gate_load &&
           worker->gate_price && worker->near && worker->moves;
}

/* The largest weight with which 32 bits hold the load of any link: there are
 * at most (weight V)^2 / 4 routes over it in a layer, if it parts the graph.
 */
static uint64_t
largest_weight(const struct sf_layer_job *job)
{
    uint64_t n = job->graph->n_nodes, weight = MAX_WEIGHT;

    while (weight > 1 &&
           weight * weight * n * n / 4 > UINT32_MAX / job->layers->n_layers) {
        weight--;
    }
    return weight;
}

/* Takes the weights down to what counters hold. */
static void
scale_weights(struct gates *gates, uint32_t *weights)
{
    const struct sf_layer_job *job = gates->job;
    uint64_t most = 1, limit = largest_weight(job);

    for (uint32_t s = 0; s < job->graph->n_nodes; s++) {
        most = job->weights[s] > most ? job->weights[s] : most;
    }
    for (uint32_t s = 0; s < job->graph->n_nodes; s++) {
        uint64_t weight = job->weights[s];
        weights[s] =
            (uint32_t)(most <= limit ? weight
                                     : (weight * limit + most - 1) / most);
        gates->n_routes_to += weights[s];
    }
    gates->weights = weights;
}

static enum sf_status
build(const struct sf_layer_job *job, struct sf_error *err)
{
    const struct sf_graph *graph = job->graph;
    uint32_t n = graph->n_nodes;
    size_t n_arcs = 2 * (size_t)graph->n_links;
    enum sf_status status = SF_OK;
    struct gates gates = { .job = job, .check_middle = job->max_hops > 3 };

    for (uint32_t s = 0; s < n; s++) {
        uint32_t degree = sf_graph_degree(graph, s);
        gates.max_degree =
            degree > gates.max_degree ? degree : gates.max_degree;
    }
    for (uint32_t i = 0; i < graph->n_links; i++) {
        gates.check_middle |= sf_graph_is_parallel(graph, i);
    }
    uint32_t *order = sf_calloc(n, sizeof *order);
    uint32_t *weights = sf_calloc(n, sizeof *weights);
    gates.loads = sf_calloc(n_arcs, sizeof *gates.loads);
    gates.removed = sf_calloc(n_arcs, sizeof *gates.removed);
    gates.prices = sf_calloc(n_arcs, sizeof *gates.prices);
    gates.stuck = sf_calloc(sf_batch_size(graph), sizeof *gates.stuck);
    gates.workers = sf_calloc(job->n_threads, sizeof *gates.workers);
    bool made = order && weights && gates.loads && gates.removed &&
                gates.prices && gates.stuck && gates.workers;
    for (uint32_t i = 0; made && i < job->n_threads; i++) {
        made = init_worker(&gates.workers[i], n, n_arcs, gates.max_degree);
    }
    if (made) {
        scale_weights(&gates, weights);
        guess_loads(&gates);
        set_effort(&gates);
        status = route_rounds(&gates, order, err);
        if (status == SF_OK) {
            status = level_loads(&gates, err);
        }
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
    }

    for (uint32_t i = 0; gates.workers && i < job->n_threads; i++) {
        clear_worker(&gates.workers[i]);
    }
    free(gates.workers);
    free(gates.stuck);
    free(gates.prices);
    free(gates.removed);
    free(gates.loads);
    free(weights);
    free(order);
    return status;
}

static const struct sf_layer_ops ops = { .build = build };

const struct sf_layer_scheme sf_scheme_gates = {
    .name = "gates",
    .title = "a gate a layer, by prices",
    .summary = "each layer enters a destination through a link of its own; "
               "disjoint paths, even loads",
    .extra_hops = 1,
    .takes_turns = true,
    .ops = &ops,
};
