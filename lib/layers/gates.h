/* gates.h -- what the files of the scheme gates share: the task, a thread's
 * workspace, a tree.  gates.c tells what it is all for. */
#ifndef SF_LAYERS_GATES_H
#define SF_LAYERS_GATES_H

#include "layers/trees.h"
#include "slimfly/random.h"

/* Costs are in units of 1/SF_GATES_UNIT of a path over an evenly loaded
 * link. */
#define SF_GATES_UNIT  1024
#define SF_GATES_NEVER INT32_MAX

/* Routes over an arc, by what the arc is to them. */
struct sf_gates_load {
    uint32_t first, middle, last;
};

/* What one more costs there. */
struct sf_gates_price {
    int32_t first, middle, last;
};

/* A switch in the tree at hand. */
struct sf_gates_node {
    int32_t rest;    /* Cost of the path from here, this being its middle. */
    uint16_t gate;   /* The arc of the destination that it arrives on. */
    uint16_t height; /* Hops from the farthest switch that comes this way. */
    uint32_t rank;   /* Of the channel after its first turn. */
    uint64_t may;    /* A bit for each of its links over which others may come;
                      * 0: not found yet. */
    uint32_t child;  /* The first that comes directly, SF_NONE for a leaf; */
    uint32_t next, previous; /* its siblings. */
};

/* A switch and the hop that it is to have. */
struct sf_gates_move {
    uint32_t s, hop;
};

/* What a thread needs for one destination. */
struct sf_gates_worker {
    struct sf_search search;
    struct sf_gates_load *own;     /* [2E] The destination's own routes; 0 when
                                    * not in use. */
    struct sf_gates_price *prices; /* [2E] */
    uint8_t *first_used; /* [2E] Layers in which the arc's switch starts with
                          * it. */
    uint8_t *last_used;  /* [V * max_degree] Layers in which a switch arrives
                          * through a gate. */
    uint8_t *wasted;     /* [V] Layers in which its path shares an end link
                          * with another layer's, or will. */
    struct sf_gates_node *nodes;   /* [V] */
    uint16_t *depth;               /* [V] Hops to go in the tree at hand. */
    struct sf_gates_node *minimal; /* [V] The same in layer 0, */
    uint16_t *minimal_depth;       /* [V] both. */
    uint32_t *gate_order; /* [max_degree] The main gate of layer l is number
                           * l - 1. */
    uint64_t *gate_load;  /* [max_degree] Routes of all destinations. */
    int32_t *gate_price;  /* [max_degree] What is too much of it costs. */

    /* For the time of one function and of those that it calls: */
    uint32_t *scratch; /* [2V] Switches: a stack, a level and the next, or in
                        * the order of visits. */
    uint32_t *near;    /* [max_degree] Arcs to choose from. */
    struct sf_gates_move *moves; /* [V] To be made together. */
    uint32_t *offers;            /* [V] Switches with an offer, */
    int32_t *offer_cost; /* [V] its cost, SF_GATES_NEVER if there is none, */
    uint16_t *offer_hop; /* [V] and the hop it is for. */
};

/* The whole task. */
struct sf_gates_task {
    const struct sf_layer_job *job;
    uint32_t max_degree;
    bool check_middle; /* Paths may share a middle link only. */
    uint32_t n_rounds;
    uint32_t overload_percent; /* From which load on a link costs more, */
    uint64_t overload_bend;    /* and how steeply. */
    int32_t good_enough;       /* The cost of paths that are left alone. */
    const uint32_t *weights;   /* [V] Hosts, to scale. */
    uint64_t n_routes_to;      /* Their sum. */

    uint32_t round;
    const uint32_t *order; /* [V] Destinations of this round; */
    uint32_t begin;        /* those of the batch start here. */
    uint32_t *stuck; /* [batch] A switch without a path, by destination. */
    struct sf_gates_load *loads;     /* [2E] */
    struct sf_gates_load *removed;   /* [2E] What the batch had before. */
    struct sf_gates_price *prices;   /* [2E] Those of the batch. */
    uint64_t target;                 /* The mean load when all is done; */
    uint64_t scale;                  /* 2^32 SF_GATES_UNIT over it. */
    uint64_t others;                 /* The part that is not last hops. */
    struct sf_gates_worker *workers; /* [n_threads] */
};

/* One tree: of 'destination', in 'layer'. */
struct sf_gates_tree {
    const struct sf_gates_task *task;
    const struct sf_graph *graph;
    struct sf_gates_worker *worker;
    const struct sf_gates_price *prices; /* [2E] */
    struct sf_gates_node *nodes;         /* [V] Of the worker, */
    uint16_t *depth;                     /* [V] as this is. */
    uint16_t *hops;                      /* [V] Of the layers. */
    uint32_t destination, layer;
    uint32_t max_hops; /* To this destination. */
    uint32_t main_gate;
    int32_t usual_waste; /* Layers that are lost on every switch. */
    uint64_t gate_limit; /* Load from which on gates cost more. */
};

/* How many routes lead from 's' to 'd' in a layer. */
static inline uint32_t
sf_gates_routes(const struct sf_gates_task *task, uint32_t s, uint32_t d)
{
    return task->weights[s] * task->weights[d];
}

/* Where 's' goes first. */
static inline uint32_t
sf_gates_parent(const struct sf_gates_tree *tree, uint32_t s)
{
    return tree->graph->arcs[tree->graph->first[s] + tree->hops[s]].to;
}

/* The gate through which 'arc' to 'v' leads. */
static inline uint32_t
sf_gates_gate(const struct sf_gates_tree *tree, uint32_t arc, uint32_t v)
{
    return v == tree->destination
               ? tree->task->job->reverse[arc] - tree->graph->first[v]
               : tree->nodes[v].gate;
}

/* The rank of the channel on which a path goes on at 'v' when it comes over
 * 'arc'; 0 if it may not. */
static inline uint32_t
sf_gates_turn_rank(const struct sf_gates_tree *tree, uint32_t arc, uint32_t v)
{
    if (!tree->task->job->params->turns || v == tree->destination) {
        return SF_ANY_RANK;
    }
    return sf_turn_rank(tree->task->job, arc, tree->hops[v],
                        tree->nodes[v].rank);
}

/* Whether a path may come over 'arc' to 'v' and go on. */
static inline bool
sf_gates_may_turn(const struct sf_gates_tree *tree, uint32_t arc, uint32_t v)
{
    const struct sf_layer_job *job = tree->task->job;
    struct sf_gates_node *node = &tree->nodes[v];

    if (!job->params->turns || v == tree->destination) {
        return true;
    }
    uint32_t from = job->reverse[arc] - tree->graph->first[v];
    if (from >= 64) {
        return sf_gates_turn_rank(tree, arc, v) != 0;
    }
    if (node->may == 0) {
        node->may = sf_turn_columns_may(job->turns, tree->graph, v,
                                        tree->hops[v], node->rank);
    }
    return node->may >> from & 1;
}

/* How much a link costs above its share; found as what stands in
 * gates_cost.h. */
#define SF_GATES_OVERLOAD_SLOPE (UINT64_C(15) * SF_GATES_UNIT)

/* What load above 'limit' costs. */
static inline int32_t
sf_gates_overload(const struct sf_gates_task *task, uint64_t load,
                  uint64_t limit)
{
    if (load <= limit) {
        return 0;
    }
    uint64_t over = (load - limit) * SF_GATES_UNIT / task->target;
    over = over < 4 * SF_GATES_UNIT ? over : 4 * SF_GATES_UNIT;
    return (int32_t)(over * SF_GATES_OVERLOAD_SLOPE / SF_GATES_UNIT *
                     (SF_GATES_UNIT + task->overload_bend * over) /
                     SF_GATES_UNIT);
}

/* Adds 'change' to the load of a gate, and sets its price. */
static inline void
sf_gates_change_load(const struct sf_gates_tree *tree, uint32_t gate,
                     uint64_t change)
{
    struct sf_gates_worker *worker = tree->worker;

    worker->gate_load[gate] += change;
    worker->gate_price[gate] = sf_gates_overload(
        tree->task, worker->gate_load[gate], tree->gate_limit);
}

/* What the routes of 's' more add to the price of a gate of too much load, at
 * least. */
static inline int32_t
sf_gates_price_step(const struct sf_gates_tree *tree, uint32_t s)
{
    const struct sf_gates_task *task = tree->task;
    uint64_t routes = sf_gates_routes(task, s, tree->destination);

    return (int32_t)(routes * SF_GATES_OVERLOAD_SLOPE / task->target);
}

/* gates_loads.c: routes and prices, of all destinations. */

/* Sets 'weights' [V], which the task keeps, to the hosts of each switch, taken
 * down to what counters hold. */
void sf_gates_scale_weights(struct sf_gates_task *task, uint32_t *weights);

/* Guesses the mean load before there is any; then measures it. */
void sf_gates_guess_loads(struct sf_gates_task *task);
void sf_gates_measure_loads(struct sf_gates_task *task);

/* Adds the routes to 'd' in all layers to 'loads' [2E]. */
void sf_gates_count_routes(const struct sf_gates_task *task, uint32_t d,
                           struct sf_gates_load *loads);

/* Sets the prices for a batch, by the loads of now. */
void sf_gates_set_prices(struct sf_gates_task *task);

/* The prices [2E] for the routes to 'd', which do not collide with each
 * other: those of the batch, less its own routes. */
const struct sf_gates_price *
sf_gates_find_prices(const struct sf_gates_task *task, uint32_t d,
                     struct sf_gates_worker *worker);

/* Adds (or if 'done' takes back) the routes to 'd' that its gates, which
 * stand in 'gate_order', are to carry, so that others keep off its main gates
 * before it is routed. */
void sf_gates_reserve(struct sf_gates_task *task, uint32_t d,
                      const uint32_t *gate_order, bool done);

/* Starts the loads of the gates of a destination from a forecast, or in later
 * rounds from what they are, and sets their limit. */
void sf_gates_begin_loads(struct sf_gates_tree *tree);

/* gates_tree.c: a tree and what is always true of it. */

/* Takes all switches off the tree. */
void sf_gates_clear_tree(const struct sf_gates_tree *tree);

/* Lets 's', which is not in the tree, join it over 'hop'. */
void sf_gates_attach(const struct sf_gates_tree *tree, uint32_t s,
                     uint32_t hop);

/* Moves the leaf 's' to another next hop. */
void sf_gates_move_leaf(const struct sf_gates_tree *tree, uint32_t s,
                        uint32_t hop);

/* Lets 's' go to its parent over another of the links between them, before
 * its routes are added to the loads of gates. */
void sf_gates_change_link(const struct sf_gates_tree *tree, uint32_t s,
                          uint32_t hop);

/* Makes the tree from tree->hops, or finds only the gates. */
void sf_gates_restore_tree(const struct sf_gates_tree *tree);
void sf_gates_find_gates(const struct sf_gates_tree *tree);

/* Notes which end links the tree uses and on whom it is wasted, or forgets
 * that. */
void sf_gates_note_use(const struct sf_gates_tree *tree);
void sf_gates_forget_use(const struct sf_gates_tree *tree);

/* gates_grow.c: how trees come about. */

/* Makes the tree of layer 0, and counts as wasted on relays what the layers
 * above it are going to waste.  Returns a switch that the turns leave without
 * a path, or SF_NONE. */
uint32_t sf_gates_grow_minimal(const struct sf_gates_tree *tree);

/* Makes the tree of a layer above 0 for the first time.  What was expected of
 * it is no longer counted as wasted. */
void sf_gates_grow_to_main_gate(struct sf_gates_tree *tree,
                                struct sf_random *random);

/* gates_improve.c: how they become better. */

/* Visits all switches of the tree once and moves those that gain by it. */
void sf_gates_improve(const struct sf_gates_tree *tree,
                      struct sf_random *random);

#endif
