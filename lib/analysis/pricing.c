#include "analysis/pricing.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

#define N_PARTS 16 /* Of the demands, whatever the threads. */

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
    const uint32_t *edges_before = edges - n;
    bool is_first = levels->n_levels == 1;
    levels->n_levels++;
    memcpy(costs, before, n * sizeof *costs);
    *changedp = false;
    for (size_t v = 0; v < n; v++) {
        edges[v] = SF_NONE;
    }
    for (uint32_t v = 0; v < n; v++) {
        /* From elsewhere it was tried before. */
        if (edges_before[v] == SF_NONE &&
            !(is_first && before[v] < HUGE_VAL)) {
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

/* Some of the sources, with a search of its own. */
struct part {
    size_t first, end; /* Demands. */
    struct levels levels;
    double cost;
    bool has_failed;         /* Memory ran out. */
    SF_VEC(uint32_t) hops;   /* The paths found, one after the other; */
    SF_VEC(uint32_t) n_hops; /* of each demand, 0 for one that is not new. */
};

struct pricing {
    const struct sf_paths *paths;
    uint32_t max_hops;
    double tolerance; /* Negative: no paths are wanted, only the cost. */
    struct part *parts;
};

/* What the cheapest listed path of demand 'k' costs. */
static double
cost_listed(const struct sf_paths *paths, size_t k, const double *prices)
{
    const uint32_t *first_hop = paths->first_hop.items;
    double least = HUGE_VAL;

    for (uint32_t p = paths->first_path.items[k];
         p < paths->first_path.items[k + 1]; p++) {
        double cost = 0;
        for (uint32_t i = first_hop[p]; i < first_hop[p + 1]; i++) {
            cost += prices[paths->hops.items[i]];
        }
        least = cost < least ? cost : least;
    }
    return least;
}

/* Keeps the path found for demand 'k' if it is cheaper than those listed. */
static bool
keep_path(const struct pricing *pricing, struct part *part, size_t k)
{
    const struct sf_demand *demand = &pricing->paths->demands.items[k];
    struct levels *levels = &part->levels;
    double cost = cost_to(levels, demand->destination);
    uint32_t n_hops = 0;

    if (cost * (1 + pricing->tolerance) <
        cost_listed(pricing->paths, k, levels->prices)) {
        n_hops = trace(levels, demand->destination);
    }
    for (uint32_t i = 0; i < n_hops; i++) {
        if (!sf_vec_push(&part->hops, levels->hops[i])) {
            return false;
        }
    }
    return sf_vec_push(&part->n_hops, n_hops);
}

static void
price_part(void *aux, uint32_t task, uint32_t worker)
{
    const struct pricing *pricing = aux;
    struct part *part = &pricing->parts[task];

    (void)worker;
    for (size_t k = part->first; k < part->end; k++) {
        const struct sf_demand *demand = &pricing->paths->demands.items[k];
        if ((k == part->first || demand->source != demand[-1].source) &&
            !search(&part->levels, demand->source, pricing->max_hops)) {
            part->has_failed = true;
            return;
        }
        part->cost +=
            demand->amount * cost_to(&part->levels, demand->destination);
        if (pricing->tolerance >= 0 && !keep_path(pricing, part, k)) {
            part->has_failed = true;
            return;
        }
    }
}

/* Copies all demands with their paths and adds those that were found. */
static enum sf_status
merge_parts(const struct pricing *pricing, struct sf_paths *more,
            struct sf_error *err)
{
    const struct sf_paths *paths = pricing->paths;
    const uint32_t *first_hop = paths->first_hop.items;
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; i < N_PARTS; i++) {
        const struct part *part = &pricing->parts[i];
        const uint32_t *found = part->hops.items;
        for (size_t k = part->first; k < part->end; k++) {
            uint32_t n_hops = part->n_hops.items[k - part->first];
            status = sf_paths_begin(more, &paths->demands.items[k], err);
            for (uint32_t p = paths->first_path.items[k];
                 status == SF_OK && p < paths->first_path.items[k + 1]; p++) {
                status =
                    sf_paths_append(more, paths->hops.items + first_hop[p],
                                    first_hop[p + 1] - first_hop[p], err);
            }
            if (status == SF_OK && n_hops) {
                status = sf_paths_add(more, found, n_hops, err);
                found += n_hops;
            }
            if (status != SF_OK) {
                return status;
            }
        }
    }
    return SF_OK;
}

/* Parts the demands at sources, so that each is searched from once. */
static bool
reserve_parts(struct part *parts, const struct sf_paths *paths,
              const struct sf_net *net, const double *prices)
{
    const struct sf_demand *demands = paths->demands.items;
    size_t n = paths->demands.n, k = 0;

    for (uint32_t i = 0; i < N_PARTS; i++) {
        size_t goal = n / N_PARTS * (i + 1);
        parts[i].levels = (struct levels){ .net = net, .prices = prices };
        parts[i].levels.hops =
            sf_calloc((size_t)net->n_nodes + 1, sizeof(uint32_t));
        if (!parts[i].levels.hops) {
            return false;
        }
        parts[i].first = k;
        while (k < n &&
               (i + 1 == N_PARTS || k < goal ||
                (k > 0 && demands[k].source == demands[k - 1].source))) {
            k++;
        }
        parts[i].end = k;
    }
    return true;
}

enum sf_status
sf_paths_price(const struct sf_paths *paths, const struct sf_net *net,
               uint32_t max_hops, const double *prices, double tolerance,
               uint32_t n_threads, struct sf_paths *more, double *costp,
               struct sf_error *err)
{
    struct part parts[N_PARTS] = { 0 };
    struct pricing pricing = { paths, max_hops, more ? tolerance : -1, parts };
    enum sf_status status = SF_OK;
    bool is_ready = reserve_parts(parts, paths, net, prices);

    *costp = 0;
    if (is_ready) {
        sf_parallel_for(n_threads, N_PARTS, price_part, &pricing);
    }
    for (uint32_t i = 0; i < N_PARTS; i++) {
        is_ready = is_ready && !parts[i].has_failed;
        *costp += parts[i].cost;
    }
    if (!is_ready) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for cheapest paths");
    } else if (more) {
        status = merge_parts(&pricing, more, err);
    }
    for (uint32_t i = 0; i < N_PARTS; i++) {
        free(parts[i].n_hops.items);
        free(parts[i].hops.items);
        free(parts[i].levels.hops);
        free(parts[i].levels.edges);
        free(parts[i].levels.costs);
    }
    return status;
}
