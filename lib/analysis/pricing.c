#include "analysis/pricing.h"

#include <math.h>
#include <string.h>

/* The cheapest paths from one source, level by level: entry h * n_nodes + v
 * is that of the cheapest path to v of at most h hops. */
struct levels {
    const struct sf_net *net;
    const double *prices;
    double *costs;
    uint32_t *edges; /* The last edge; SF_NONE if it has fewer hops. */
    uint32_t n_levels, max_levels;
    uint32_t *hops; /* [n_nodes] A path. */
};

/* Makes room for one more level. */
static bool
grow_levels(struct levels *levels)
{
    size_t n = levels->net->n_nodes;

    if (levels->n_levels < levels->max_levels) {
        return true;
    }
    uint32_t max = levels->max_levels ? 2 * levels->max_levels : 4;
    double *costs = sf_realloc(levels->costs, max * n, sizeof *levels->costs);
    if (costs) {
        levels->costs = costs;
    }
    uint32_t *edges =
        sf_realloc(levels->edges, max * n, sizeof *levels->edges);
    if (edges) {
        levels->edges = edges;
    }
    if (!costs || !edges) {
        return false;
    }
    levels->max_levels = max;
    return true;
}

/* Adds a level; '*changedp' says whether it makes a difference. */
static bool
add_level(struct levels *levels, bool *changedp)
{
    const struct sf_net *net = levels->net;
    size_t n = net->n_nodes;

    if (!grow_levels(levels)) {
        return false;
    }
    double *costs = levels->costs + levels->n_levels * n;
    uint32_t *edges = levels->edges + levels->n_levels * n;
    const double *before = costs - n;
    levels->n_levels++;
    memcpy(costs, before, n * sizeof *costs);
    *changedp = false;
    for (size_t v = 0; v < n; v++) {
        edges[v] = SF_NONE;
    }
    for (uint32_t v = 0; v < n; v++) {
        if (before[v] == HUGE_VAL) {
            continue;
        }
        for (uint32_t e = net->first[v]; e < net->first[v + 1]; e++) {
            double cost = before[v] + levels->prices[e];
            uint32_t to = net->heads[e];
            if (cost < costs[to]) {
                costs[to] = cost;
                edges[to] = e;
                *changedp = true;
            }
        }
    }
    return true;
}

/* Finds the cheapest paths from 'source'. */
static bool
search(struct levels *levels, uint32_t source, uint32_t max_hops)
{
    bool changed = true;

    levels->n_levels = 0;
    if (!grow_levels(levels)) {
        return false;
    }
    for (uint32_t v = 0; v < levels->net->n_nodes; v++) {
        levels->costs[v] = v == source ? 0 : HUGE_VAL;
        levels->edges[v] = SF_NONE;
    }
    levels->n_levels = 1;
    while (changed && (max_hops == 0 || levels->n_levels <= max_hops)) {
        if (!add_level(levels, &changed)) {
            return false;
        }
    }
    return true;
}

/* What the cheapest path to 'v' costs. */
static double
cost_to(const struct levels *levels, uint32_t v)
{
    size_t last = levels->n_levels - 1;
    return levels->costs[last * levels->net->n_nodes + v];
}

/* The tail of edge 'e': edges stand by their tails. */
static uint32_t
tail_of(const struct sf_net *net, uint32_t e)
{
    uint32_t low = 0, high = net->n_nodes;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (net->first[middle] <= e) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Writes the path to 'destination' to levels->hops and returns its length. */
static uint32_t
trace(struct levels *levels, uint32_t destination)
{
    uint32_t n_hops = 0;

    for (uint32_t h = levels->n_levels, at = destination; h-- > 0;) {
        uint32_t e = levels->edges[(size_t)h * levels->net->n_nodes + at];
        if (e != SF_NONE) {
            levels->hops[n_hops++] = e;
            at = tail_of(levels->net, e);
        }
    }
    for (uint32_t i = 0; i < n_hops / 2; i++) {
        uint32_t hop = levels->hops[i];
        levels->hops[i] = levels->hops[n_hops - 1 - i];
        levels->hops[n_hops - 1 - i] = hop;
    }
    return n_hops;
}

/* Copies demand 'k' with its paths and adds the one that was found. */
static enum sf_status
extend_demand(const struct sf_paths *paths, size_t k, struct levels *levels,
              struct sf_paths *more, struct sf_error *err)
{
    const struct sf_demand *demand = &paths->demands.items[k];
    const uint32_t *first_hop = paths->first_hop.items;
    enum sf_status status = sf_paths_begin(more, demand, err);

    for (uint32_t p = paths->first_path.items[k];
         status == SF_OK && p < paths->first_path.items[k + 1]; p++) {
        status = sf_paths_append(more, paths->hops.items + first_hop[p],
                                 first_hop[p + 1] - first_hop[p], err);
    }
    if (status == SF_OK) {
        uint32_t n_hops = trace(levels, demand->destination);
        status = sf_paths_add(more, levels->hops, n_hops, err);
    }
    return status;
}

enum sf_status
sf_paths_price(const struct sf_paths *paths, const struct sf_net *net,
               uint32_t max_hops, const double *prices, struct sf_paths *more,
               double *costp, struct sf_error *err)
{
    struct levels levels = { .net = net, .prices = prices };
    enum sf_status status = SF_OK;

    *costp = 0;
    levels.hops = sf_calloc((size_t)net->n_nodes + 1, sizeof *levels.hops);
    for (size_t k = 0; status == SF_OK && k < paths->demands.n; k++) {
        const struct sf_demand *demand = &paths->demands.items[k];
        if (k == 0 || demand->source != demand[-1].source) {
            if (!levels.hops || !search(&levels, demand->source, max_hops)) {
                status = sf_fail(err, SF_ENOMEM,
                                 "out of memory for cheapest paths");
                break;
            }
        }
        *costp += demand->amount * cost_to(&levels, demand->destination);
        status = extend_demand(paths, k, &levels, more, err);
    }
    free(levels.hops);
    free(levels.edges);
    free(levels.costs);
    return status;
}
