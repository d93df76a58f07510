/* level.c -- takes routes off the links that carry too many.
 *
 * Prices keep loads even on the whole; some links still end above the others.
 * The leaves of trees, switches over which nobody sends, go another way if
 * that has more room: first where no pair loses a path by it, which is all
 * that most graphs need; then down to a load that must not be exceeded, as
 * long as pairs keep a few paths.  Where distant parts are joined by few
 * links, as in a Dragonfly, even loads and different paths exclude each
 * other.
 *
 * O(L V^2 H) time a pass beside the moves. */
#include "layers/level.h"

#include "base/mem.h"
#include "layers/trees.h"
#include "slimfly/progress.h"

/* Separate paths that a pair must keep, if it has as many. */
enum keep {
    ALL,
    ALL_BUT_ONE, /* Of as many as there are layers, but three. */
    HALF,        /* Of that, but two. */
    TWO
};

/* Passes go down to so many routes a link, in percent of the mean.  With many
 * layers, a pair that has much fewer paths than others decides what all can
 * have at once; but in the end even loads come first. */
static const struct pass {
    uint32_t percent;
    enum keep keep;
} passes[] = {
    { 106, ALL }, { 111, ALL_BUT_ONE }, { 113, HALF },
    { 113, TWO }, { 113, TWO },
};

#define N_PASSES (sizeof passes / sizeof *passes)

struct levelling {
    const struct sf_layer_job *job;
    const uint32_t *weights; /* [V] */
    uint64_t *loads;         /* [2E] */
    uint64_t limit;          /* Above it, a link carries too much; */
    uint64_t most;           /* above that none does. */
    uint32_t enough; /* Separate paths that a pair must keep, if it has as
                      * many. */
    uint32_t *path;  /* [max_hops] */
};

/* By how much the links of a path would exceed the limit with 'routes' more,
 * in sum; UINT64_MAX if one came to have the most of all. */
static uint64_t
excess_of(const struct levelling *levelling, const uint32_t *arcs, uint32_t n,
          uint64_t routes)
{
    uint64_t excess = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t load = levelling->loads[arcs[i]] + routes;
        if (load > levelling->most) {
            return UINT64_MAX;
        }
        excess += load > levelling->limit ? load - levelling->limit : 0;
    }
    return excess;
}

static void
add_routes(struct levelling *levelling, const uint32_t *arcs, uint32_t n,
           uint64_t routes)
{
    for (uint32_t i = 0; i < n; i++) {
        levelling->loads[arcs[i]] += routes;
    }
}

static bool
starts_with(const struct sf_ends *ends, uint32_t n, uint32_t first)
{
    for (uint32_t i = 0; i < n; i++) {
        if (ends[i].first == first) {
            return true;
        }
    }
    return false;
}

/* Lets the leaf 's' go another way, over links with more room, if it can.
 * Where no path may be lost, it must start with a link that no other layer
 * starts with, which rules out most ways at once. */
static void
redirect(struct levelling *levelling, uint32_t layer, uint32_t s, uint32_t d)
{
    const struct sf_layer_job *job = levelling->job;
    const struct sf_graph *graph = job->graph;
    uint16_t *hop = &sf_layers_tree(job->layers, layer, d)[s];
    uint64_t routes = (uint64_t)levelling->weights[s] * levelling->weights[d];
    uint32_t *path = levelling->path;
    uint32_t n = sf_tree_follow(job, layer, s, d, job->limits[d], path);
    uint32_t most_hops = layer == 0 ? n : job->limits[d];
    uint32_t n_layers = job->layers->n_layers;
    struct sf_ends ends[SF_MAX_LAYERS];

    sf_layers_find_ends(job->layers, graph, s, d, ends);
    uint32_t enough =
        sf_ends_count_separate(ends, n_layers, levelling->enough);
    add_routes(levelling, path, n, -routes);
    uint64_t least = excess_of(levelling, path, n, routes);
    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        if (levelling->enough == SF_NONE && starts_with(ends, n_layers, i)) {
            continue;
        }
        path[0] = i;
        n = sf_tree_follow(job, layer, graph->arcs[i].to, d, most_hops - 1,
                           path + 1);
        if (n == SF_NONE) {
            continue;
        }
        uint64_t excess = excess_of(levelling, path, n + 1, routes);
        if (excess >= least || !sf_path_is_allowed(job, path, n + 1)) {
            continue;
        }
        struct sf_ends present = ends[layer];
        ends[layer] = (struct sf_ends){ path[0], path[n] };
        if (sf_ends_count_separate(ends, n_layers, enough) == enough) {
            least = excess;
            *hop = (uint16_t)(i - graph->first[s]);
        } else {
            ends[layer] = present;
        }
    }
    n = sf_tree_follow(job, layer, s, d, job->limits[d], path);
    add_routes(levelling, path, n, routes);
}

/* Whether a link on the path of 's' to 'd' carries too much. */
static bool
is_crowded(const struct levelling *levelling, const uint16_t *hops, uint32_t s,
           uint32_t d)
{
    const struct sf_graph *graph = levelling->job->graph;

    while (s != d) {
        uint32_t arc = graph->first[s] + hops[s];
        if (levelling->loads[arc] > levelling->limit) {
            return true;
        }
        s = graph->arcs[arc].to;
    }
    return false;
}

/* Lets all leaves of a tree on crowded paths go other ways. */
static void
level_tree(struct levelling *levelling, uint32_t layer, uint32_t d)
{
    const struct sf_layer_job *job = levelling->job;
    const uint16_t *hops = sf_layers_tree(job->layers, layer, d);

    if (levelling->weights[d] == 0) {
        return;
    }
    for (uint32_t s = 0; s < job->graph->n_nodes; s++) {
        if (hops[s] != SF_NO_HOP && levelling->weights[s] > 0 &&
            is_crowded(levelling, hops, s, d) &&
            sf_tree_is_leaf(job, layer, d, s)) {
            redirect(levelling, layer, s, d);
        }
    }
}

/* Sets the limit of a pass; false if no link is above it. */
static bool
find_limit(struct levelling *levelling, uint32_t percent)
{
    uint32_t n_arcs = 2 * levelling->job->graph->n_links;
    uint64_t sum = 0;

    levelling->most = 0;
    for (uint32_t i = 0; i < n_arcs; i++) {
        uint64_t load = levelling->loads[i];
        sum += load;
        levelling->most = load > levelling->most ? load : levelling->most;
    }
    levelling->limit = sum * percent / 100 / (n_arcs ? n_arcs : 1);
    return levelling->most > levelling->limit;
}

/* Whether pairs have links at their ends that no layer uses.  Without, paths
 * do not find others as good. */
static bool
has_spare_links(const struct sf_layer_job *job)
{
    uint64_t n_used =
        (uint64_t)(job->layers->n_layers - 1) * job->graph->n_nodes;
    return 4 * n_used <= 3 * 2 * (uint64_t)job->graph->n_links;
}

static uint32_t
paths_to_keep(uint32_t n_layers, enum keep keep)
{
    switch (keep) {
    case ALL:
        return SF_NONE;
    case ALL_BUT_ONE:
        return n_layers > 4 ? n_layers - 1 : 3;
    case HALF:
        return n_layers > 4 ? n_layers / 2 : 2;
    case TWO:
        break;
    }
    return 2;
}

enum sf_status
sf_layers_level(const struct sf_layer_job *job, const uint32_t *weights,
                uint64_t *loads, struct sf_error *err)
{
    const struct sf_graph *graph = job->graph;
    struct levelling levelling = { .job = job,
                                   .weights = weights,
                                   .loads = loads };
    enum sf_status status = SF_OK;

    levelling.path =
        sf_calloc((size_t)job->max_hops + 1, sizeof *levelling.path);
    if (!levelling.path) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches",
                         graph->n_nodes);
    }
    for (size_t pass = 0; status == SF_OK && pass < N_PASSES; pass++) {
        if (!find_limit(&levelling, passes[pass].percent) ||
            (passes[pass].keep == ALL && !has_spare_links(job))) {
            continue;
        }
        levelling.enough =
            paths_to_keep(job->layers->n_layers, passes[pass].keep);
        for (uint32_t d = 0; d < graph->n_nodes; d++) {
            sf_progress_report("evening out the loads of links",
                               pass * graph->n_nodes + d,
                               N_PASSES * graph->n_nodes);
            for (uint32_t l = job->layers->n_layers; l-- > 0;) {
                level_tree(&levelling, l, d);
            }
        }
    }
    free(levelling.path);
    return status;
}
