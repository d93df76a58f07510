/* share_leaf.c -- where a leaf goes best: a switch over which nobody comes.
 *
 * Nearly all switches are leaves, and all have as many routes.  So what one of
 * them more costs on each arc is kept, and the links that a leaf would be the
 * better for are asked in a row. */
#include "layers/share_parts.h"

/* Lists the arcs of the leaf 's' above layer 0 that cost it less than 'limit',
 * with the next ones behind them.  That of now may be there. */
static void
list_near_leaf(struct sf_sharing *sharing, uint32_t s, uint64_t limit)
{
    const struct sf_graph *graph = sharing->job->graph;
    const struct sf_arc *arcs = graph->arcs;
    const struct sf_share_place *places = sharing->places;
    const uint64_t *prices = sharing->prices;
    uint32_t *near = sharing->near;
    uint32_t last = graph->first[s + 1], n = 0;

    for (uint32_t i = graph->first[s]; i < last; i++) {
        near[n] = i;
        n += prices[i] + places[arcs[i].to].price < limit;
    }
    sharing->n_near = n;
}

/* Adds to the price of 'w' that one more other layer of the leaf uses its arc.
 */
static void
join(struct sf_sharing *sharing, uint32_t w)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < sharing->n_joins; i++) {
        n += sharing->joins[i] == w;
    }
    sharing->joins[sharing->n_joins++] = w;
    sharing->places[w].price += sharing->overlaps[n + 1];
    sharing->places[w].price -= sharing->overlaps[n];
}

/* Sets the prices of switches as they are for the leaf 's': without its routes
 * on the path of now, and with what it pays for arcs that its paths in other
 * layers use. */
static void
lift_leaf(struct sf_sharing *sharing, uint32_t s)
{
    const struct sf_layers *layers = sharing->job->layers;
    const uint32_t *first = sharing->job->graph->first;
    struct sf_share_place *places = sharing->places;
    uint32_t d = sharing->destination;

    for (uint32_t w = places[s].parent; w != d; w = places[w].parent) {
        uint32_t load = sharing->uses[first[w] + sharing->hops[w]].load;
        places[w].price = sf_share_step_of_load(sharing, load - sharing->unit);
    }
    for (uint32_t l = 0, i = 0; l < layers->n_layers; l++) {
        const uint16_t *hops = sf_layers_tree(layers, l, d);
        const uint32_t *parents = sf_share_parents(sharing, l);
        if (l == sharing->layer) {
            continue;
        }
        sharing->starts[i++] = hops[s];
        for (uint32_t w = parents[s]; w != d; w = parents[w]) {
            if (hops[w] == sharing->hops[w]) {
                join(sharing, w);
            }
        }
    }
}

static void
drop_leaf(struct sf_sharing *sharing, uint32_t s)
{
    const struct sf_share_place *places = sharing->places;

    for (uint32_t w = places[s].parent; w != sharing->destination;
         w = places[w].parent) {
        sf_share_set_place_price(sharing, w);
    }
    while (sharing->n_joins > 0) {
        sf_share_set_place_price(sharing, sharing->joins[--sharing->n_joins]);
    }
}

/* What it costs the leaf 's', which has been lifted, to take 'arc' and to go
 * on to the destination; if that is not below 'limit', something that is not
 * either. 'cost' is that of 'arc' itself. */
static inline uint64_t
cost_of_leaf(const struct sf_sharing *sharing, uint32_t s, uint32_t arc,
             uint64_t cost, uint64_t limit)
{
    const struct sf_graph *graph = sharing->job->graph;
    uint32_t hop = arc - graph->first[s], n = 0;

    for (uint32_t v = graph->arcs[arc].to;
         v != sharing->destination && cost < limit;
         v = sharing->places[v].parent) {
        cost += sharing->places[v].price;
    }
    for (uint32_t i = 0;
         cost < limit && i + 1 < sharing->job->layers->n_layers; i++) {
        n += sharing->starts[i] == hop;
    }
    return cost + sharing->overlaps[n];
}

/* Counts in how many other layers 's' goes over each arc of its 'path' [n],
 * which is given by switches. */
static void
count_overlaps(const struct sf_sharing *sharing, const uint32_t *path,
               uint32_t n, uint32_t *counts)
{
    const struct sf_layers *layers = sharing->job->layers;
    uint32_t d = sharing->destination;

    for (uint32_t l = 0; l < layers->n_layers; l++) {
        const uint16_t *hops = sf_layers_tree(layers, l, d);
        const uint32_t *parents = sf_share_parents(sharing, l);
        if (l == sharing->layer) {
            continue;
        }
        for (uint32_t w = path[0]; w != d; w = parents[w]) {
            for (uint32_t i = 0; hops[w] == sharing->hops[w] && i < n; i++) {
                counts[i] += path[i] == w;
            }
        }
    }
}

/* Whether the way of the leaf 's' costs so little that no other is looked for:
 * what it costs is what cost_of_leaf() would say. */
bool
sf_share_is_leaf_well(const struct sf_sharing *sharing, uint32_t s)
{
    const uint32_t *first = sharing->job->graph->first;
    uint32_t path[SF_SHARE_MOST_HOPS], counts[SF_SHARE_MOST_HOPS] = { 0 };
    uint32_t n = 0;
    uint64_t cost = 0;

    if (sharing->well == 0 || sharing->places[s].depth > SF_SHARE_MOST_HOPS) {
        return false;
    }
    for (uint32_t v = s; v != sharing->destination;
         v = sharing->places[v].parent) {
        uint32_t load = sharing->uses[first[v] + sharing->hops[v]].load;
        cost += sf_share_step_of_load(sharing, load - sharing->unit);
        path[n++] = v;
    }
    if (n == 0 || cost > sharing->well) {
        return false;
    }
    count_overlaps(sharing, path, n, counts);
    for (uint32_t i = 0; i < n; i++) {
        cost += sharing->overlaps[counts[i]];
    }
    return cost <= sharing->well;
}

uint32_t
sf_share_best_arc_of_leaf(struct sf_sharing *sharing, uint32_t s)
{
    uint32_t now = sharing->job->graph->first[s] + sharing->hops[s];
    uint32_t load = sharing->uses[now].load - sharing->unit, best = now;

    lift_leaf(sharing, s);
    uint64_t least = cost_of_leaf(
        sharing, s, now, sf_share_step_of_load(sharing, load), UINT64_MAX);
    if (sharing->layer == 0) {
        sf_share_list_near(sharing, s);
    } else {
        list_near_leaf(sharing, s, least);
    }
    for (uint32_t i = 0; i < sharing->n_near; i++) {
        uint32_t arc = sharing->near[i];
        uint64_t cost =
            cost_of_leaf(sharing, s, arc, sharing->prices[arc], least);
        if (cost < least && arc != now && sf_share_may_turn(sharing, s, arc)) {
            least = cost;
            best = arc;
        }
    }
    drop_leaf(sharing, s);
    return best;
}
