/* gates_cost.h -- what a path costs its switch: the prices of its links, and
 * what it shares with the switch's paths in other layers.  Growth and
 * improvement ask for every link of every switch: so it stands inline. */
#ifndef SF_LAYERS_GATES_COST_H
#define SF_LAYERS_GATES_COST_H

#include "layers/gates.h"

/* Of a path that shares an end with another layer's, more if it shares both,
 * and of one that is the same all along, where layers outnumber gates and none
 * has one to itself; so many times as much for every layer wasted before.
 * Found by experiment over q = 5 to 13, 4 to 16 layers; flat around. */
#define SF_GATES_OVERLAP_COST (6 * SF_GATES_UNIT)
#define SF_GATES_OVERLAP_MORE (SF_GATES_UNIT / 2)
#define SF_GATES_REPEAT_COST  (16 * SF_GATES_UNIT)
#define SF_GATES_FAIRNESS     20

/* By how much the loss of a layer weighs more for 's' than for others. */
static inline int32_t
sf_gates_need(const struct sf_gates_tree *tree, uint32_t s)
{
    int32_t wasted = tree->worker->wasted[s], usual = tree->usual_waste;
    return 1 + (wasted > usual ? SF_GATES_FAIRNESS * (wasted - usual) : 0);
}

/* What it costs 's' not to have the layer for itself. */
static inline int32_t
sf_gates_waste_cost(const struct sf_gates_tree *tree, uint32_t s,
                    uint32_t n_shared)
{
    return (SF_GATES_OVERLAP_COST +
            (int32_t)(n_shared - 1) * SF_GATES_OVERLAP_MORE) *
           sf_gates_need(tree, s);
}

/* At how many ends the path of 's' over 'arc' to 'gate' shares its link with
 * other layers. */
static inline uint32_t
sf_gates_count_shared(const struct sf_gates_tree *tree, uint32_t s,
                      uint32_t arc, uint32_t gate)
{
    const struct sf_gates_worker *worker = tree->worker;
    size_t at = (size_t)s * tree->task->max_degree + gate;
    return (worker->first_used[arc] > 0 ? 1u : 0u) +
           (worker->last_used[at] > 0 ? 1u : 0u);
}

/* Whether the path of 's' over 'arc' to 'v' is its path in another layer.
 * Rarely asked, so not inline. */
static bool
sf_gates_is_repeated(const struct sf_gates_tree *tree, uint32_t s,
                     uint32_t arc, uint32_t v)
{
    const struct sf_layers *layers = tree->task->job->layers;

    for (uint32_t l = 0; l < layers->n_layers; l++) {
        const uint16_t *hops = sf_layers_tree(layers, l, tree->destination);
        if (l == tree->layer || tree->graph->first[s] + hops[s] != arc) {
            continue;
        }
        uint32_t w = v;
        while (w != tree->destination && hops[w] == tree->hops[w]) {
            w = sf_gates_parent(tree, w);
        }
        if (w == tree->destination) {
            return true;
        }
    }
    return false;
}

/* The cost of the path of 's' over 'arc' to 'v'. */
static inline int32_t
sf_gates_path_cost(const struct sf_gates_tree *tree, uint32_t s, uint32_t arc,
                   uint32_t v)
{
    const struct sf_gates_worker *worker = tree->worker;
    uint32_t gate = sf_gates_gate(tree, arc, v);
    uint32_t n_shared = sf_gates_count_shared(tree, s, arc, gate);
    int32_t cost = tree->prices[arc].first;

    if (v != tree->destination) {
        cost += tree->nodes[v].rest + worker->gate_price[gate];
    }
    if (n_shared > 0) {
        cost += sf_gates_waste_cost(tree, s, n_shared);
    }
    if (n_shared == 2 && tree->usual_waste > 0 &&
        sf_gates_is_repeated(tree, s, arc, v)) {
        cost += SF_GATES_REPEAT_COST * sf_gates_need(tree, s);
    }
    return cost;
}

#endif
