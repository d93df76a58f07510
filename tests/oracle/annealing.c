/* annealing.c -- see annealing.h. */
#include "annealing.h"

#include "slimfly/random.h"

#include <math.h>
#include <stdlib.h>

#define MAX_HOPS    3
#define FIRST_WASTE 6.0  /* What the first wasted layer of a pair costs, */
#define NEXT_WASTE  60.0 /* and any other. */
#define START       0.7  /* Temperature. */

enum {
    FIRST,
    MIDDLE,
    LAST,
    N_KINDS
};

struct anneal {
    struct sf_layers *layers;
    const struct sf_graph *graph;
    double (*loads)[N_KINDS]; /* [2E] Routes by what the arc is to them. */
    double mean;
    uint16_t *n_children; /* As layers->hops. */
};

/* A path: its arcs. */
struct path {
    uint32_t arcs[MAX_HOPS], n;
};

static size_t
entry(const struct anneal *anneal, uint32_t l, uint32_t s, uint32_t d)
{
    size_t n = anneal->graph->n_nodes;
    return (l * n + d) * n + s;
}

/* The path of 's' that starts with 'arc'; n is 0 if it is too long. */
static struct path
path_over(const struct anneal *anneal, uint32_t l, uint32_t arc, uint32_t d)
{
    const struct sf_graph *graph = anneal->graph;
    struct path path = { .arcs = { arc }, .n = 1 };

    while (graph->arcs[arc].to != d) {
        if (path.n == MAX_HOPS) {
            path.n = 0;
            break;
        }
        arc = sf_layers_arc(anneal->layers, graph, l, graph->arcs[arc].to, d);
        path.arcs[path.n++] = arc;
    }
    return path;
}

static int
kind_of(const struct path *path, uint32_t i)
{
    return i == 0 ? FIRST : i + 1 == path->n ? LAST : MIDDLE;
}

static void
add(struct anneal *anneal, const struct path *path, double routes)
{
    for (uint32_t i = 0; i < path->n; i++) {
        anneal->loads[path->arcs[i]][kind_of(path, i)] += routes;
    }
}

/* What a path may meet: neither other first hops of its switch nor other last
 * hops into its destination. */
static double
collisions(const struct anneal *anneal, const struct path *path)
{
    double sum = 0;

    for (uint32_t i = 0; i < path->n; i++) {
        const double *load = anneal->loads[path->arcs[i]];
        int kind = kind_of(path, i);
        sum += load[FIRST] + load[MIDDLE] + load[LAST];
        sum -= kind == MIDDLE ? 0 : load[kind];
    }
    return sum / anneal->mean;
}

/* What the wasted layers of a pair cost if layer 'l' has 'path'. */
static double
waste(const struct anneal *anneal, uint32_t l, uint32_t s, uint32_t d,
      const struct path *path)
{
    struct path kept[SF_MAX_LAYERS];
    uint32_t n_layers = anneal->layers->n_layers, n = 0;

    for (uint32_t k = 0; k < n_layers; k++) {
        uint32_t arc = sf_layers_arc(anneal->layers, anneal->graph, k, s, d);
        struct path is = k == l ? *path : path_over(anneal, k, arc, d);
        uint32_t i = 0;
        while (i < n && kept[i].arcs[0] != is.arcs[0] &&
               kept[i].arcs[kept[i].n - 1] != is.arcs[is.n - 1]) {
            i++;
        }
        if (i == n) {
            kept[n++] = is;
        }
    }
    return n == n_layers ? 0 : FIRST_WASTE + NEXT_WASTE * (n_layers - n - 1.0);
}

/* Tries one move. */
static void
try_move(struct anneal *anneal, double temperature, struct sf_random *random)
{
    const struct sf_graph *graph = anneal->graph;
    uint32_t l = 1 + sf_random_below(random, anneal->layers->n_layers - 1);
    uint32_t d = sf_random_below(random, graph->n_nodes);
    uint32_t s = sf_random_below(random, graph->n_nodes);

    if (s == d || anneal->n_children[entry(anneal, l, s, d)] > 0) {
        return;
    }
    uint32_t hop = sf_random_below(random, sf_graph_degree(graph, s));
    uint32_t old_arc = sf_layers_arc(anneal->layers, graph, l, s, d);
    uint32_t new_arc = graph->first[s] + hop;
    struct path old = path_over(anneal, l, old_arc, d);
    struct path new = path_over(anneal, l, new_arc, d);
    if (new_arc == old_arc || old.n == 1 || new.n == 0) {
        return;
    }
    add(anneal, &old, -1);
    double more = collisions(anneal, &new) + waste(anneal, l, s, d, &new) -
                  collisions(anneal, &old) - waste(anneal, l, s, d, &old);
    double chance = exp(-more / temperature) * (1u << 30);
    if (more > 0 && sf_random_below(random, 1u << 30) >= chance) {
        add(anneal, &old, 1);
        return;
    }
    add(anneal, &new, 1);
    sf_layers_tree(anneal->layers, l, d)[s] = (uint16_t)hop;
    anneal->n_children[entry(anneal, l, graph->arcs[old_arc].to, d)]--;
    anneal->n_children[entry(anneal, l, graph->arcs[new_arc].to, d)]++;
}

void
oracle_anneal(struct sf_layers *layers, const struct sf_graph *graph,
              uint64_t seed, uint32_t n_sweeps)
{
    uint32_t n = graph->n_nodes;
    size_t n_arcs = 2 * (size_t)graph->n_links;
    size_t n_entries = (size_t)layers->n_layers * n * n;
    struct anneal anneal = { .layers = layers, .graph = graph };
    struct sf_random random;

    anneal.loads = calloc(n_arcs, sizeof *anneal.loads);
    anneal.n_children = calloc(n_entries, sizeof *anneal.n_children);
    for (size_t i = 0; anneal.loads && anneal.n_children && i < n_entries;
         i++) {
        uint32_t s = (uint32_t)(i % n), d = (uint32_t)(i / n % n);
        uint32_t l = (uint32_t)(i / n / n);
        if (s != d) {
            uint32_t arc = sf_layers_arc(layers, graph, l, s, d);
            struct path path = path_over(&anneal, l, arc, d);
            add(&anneal, &path, 1);
            anneal.mean += (double)path.n / (double)n_arcs;
            anneal.n_children[entry(&anneal, l, graph->arcs[arc].to, d)]++;
        }
    }
    sf_random_init(&random, seed, 0);
    for (uint32_t i = 0; anneal.loads && anneal.n_children && i < n_sweeps;
         i++) {
        double temperature = START * (n_sweeps - i) / n_sweeps;
        for (size_t k = 0; k < n_entries; k++) {
            try_move(&anneal, temperature, &random);
        }
    }
    free(anneal.n_children);
    free(anneal.loads);
}
