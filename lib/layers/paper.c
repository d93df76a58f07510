/* paper.c -- the layers of the Slim Fly installation [Blach24], section 4 and
 * appendix B.
 *
 * Layer 0 has balanced shortest paths.  In every other layer ordered pairs
 * come up by priority (the pairs with the fewest almost-minimal paths so far
 * first, at random within a level); a pair gets the almost-minimal path of
 * least weight among those that leave all paths of the layer as they are.
 * Each new path weighs on its links as many routes as are new there.  Pairs
 * for which there is none go minimally.
 *
 * Almost minimal is 'min-hops' to 'max_hops' hops; the paper's 3 to 3 at
 * diameter 2.  O(L V^2 k^2) time at 3 hops, 11 V^2 bytes beside the
 * result.  Sequential by nature: every path depends on all before it. */
#include "layers/trees.h"

#include "base/mem.h"
#include "slimfly/random.h"

#include <string.h>

#define FAR UINT16_MAX

/* The parameters. */
enum {
    MIN_HOPS,
    SETS
};

struct paper {
    const struct sf_layer_job *job;
    uint32_t min_hops, max_hops;
    uint32_t layer;
    uint16_t *distance; /* [V * V] */
    uint8_t *priority;  /* [V * V] By source, destination. */
    uint32_t *pairs;    /* [V * V] In the order of this layer. */
    uint64_t *loads;    /* [2E] */
    struct sf_random random;

    /* The search at hand: the path so far, and the best one. */
    uint32_t *path, *best; /* [max_hops] Arcs. */
    uint32_t n_best;
    uint64_t best_cost;
    uint32_t n_equal; /* Paths of that cost so far. */
};

static void
keep_if_best(struct paper *paper, uint32_t n_hops, uint64_t cost)
{
    if (cost > paper->best_cost) {
        return;
    }
    if (cost < paper->best_cost) {
        paper->n_equal = 0;
    }
    paper->n_equal++;
    if (sf_random_below(&paper->random, paper->n_equal) == 0) {
        memcpy(paper->best, paper->path, n_hops * sizeof *paper->best);
        paper->n_best = n_hops;
        paper->best_cost = cost;
    }
}

static bool
is_on_path(const struct paper *paper, uint32_t v, uint32_t n_hops)
{
    const struct sf_layer_job *job = paper->job;

    for (uint32_t i = 0; i < n_hops; i++) {
        if (job->graph->arcs[job->reverse[paper->path[i]]].to == v) {
            return true;
        }
    }
    return false;
}

/* Extends the path of 'n_hops' hops, which has got to 'v', in every way that
 * reaches 'd' in time and follows the next hops that the layer has. */
static void
extend(struct paper *paper, uint32_t v, uint32_t d, uint32_t n_hops,
       uint64_t cost)
{
    const struct sf_graph *graph = paper->job->graph;
    uint16_t fixed = sf_layers_tree(paper->job->layers, paper->layer, d)[v];
    uint32_t begin = graph->first[v], end = graph->first[v + 1];

    if (v == d) {
        if (n_hops >= paper->min_hops) {
            keep_if_best(paper, n_hops, cost);
        }
        return;
    }
    if (fixed != SF_NO_HOP) {
        begin += fixed;
        end = begin + 1;
    }
    for (uint32_t arc = begin; arc < end; arc++) {
        uint32_t w = graph->arcs[arc].to;
        uint32_t to_go = paper->distance[(size_t)d * graph->n_nodes + w];
        uint64_t new_cost = cost + paper->loads[arc];
        if (n_hops + 1 + to_go > paper->max_hops ||
            new_cost > paper->best_cost || is_on_path(paper, w, n_hops)) {
            continue;
        }
        paper->path[n_hops] = arc;
        extend(paper, w, d, n_hops + 1, new_cost);
    }
}

static uint64_t
routes_between(const struct paper *paper, uint32_t s, uint32_t d)
{
    const uint32_t *weights = paper->job->weights;
    return (uint64_t)weights[s] * weights[d];
}

/* Adds 'routes' to all links of the path of 's' to 'd'. */
static void
add_routes(struct paper *paper, uint32_t s, uint32_t d, uint64_t routes)
{
    const struct sf_layer_job *job = paper->job;

    for (uint32_t v = s; v != d;) {
        uint32_t arc =
            sf_layers_arc(job->layers, job->graph, paper->layer, v, d);
        paper->loads[arc] += routes;
        v = job->graph->arcs[arc].to;
    }
}

/* Puts the best path into the layer.  Switches on it that had no next hop get
 * one, from the far end on, and their routes and priorities with it. */
static void
insert_best(struct paper *paper, uint32_t d)
{
    const struct sf_layer_job *job = paper->job;
    const struct sf_graph *graph = job->graph;
    uint16_t *tree = sf_layers_tree(job->layers, paper->layer, d);

    for (uint32_t i = paper->n_best; i-- > 0;) {
        uint32_t arc = paper->best[i];
        uint32_t v = graph->arcs[job->reverse[arc]].to;
        if (tree[v] != SF_NO_HOP) {
            continue;
        }
        tree[v] = (uint16_t)(arc - graph->first[v]);
        add_routes(paper, v, d, routes_between(paper, v, d));
        if (paper->n_best - i >= paper->min_hops) {
            paper->priority[(size_t)v * graph->n_nodes + d]++;
        }
    }
}

static void
route_pair(struct paper *paper, uint32_t s, uint32_t d)
{
    const struct sf_layer_job *job = paper->job;

    if (s == d ||
        sf_layers_tree(job->layers, paper->layer, d)[s] != SF_NO_HOP ||
        paper->distance[(size_t)d * job->graph->n_nodes + s] == FAR) {
        return;
    }
    paper->best_cost = UINT64_MAX;
    paper->n_best = 0;
    paper->n_equal = 0;
    extend(paper, s, d, 0, 0);
    if (paper->n_best > 0) {
        insert_best(paper, d);
    }
}

/* Lists the pairs by priority, shuffled within each: a shuffle of all and a
 * stable counting sort. */
static void
order_pairs(struct paper *paper, uint32_t *shuffled)
{
    uint32_t n = paper->job->graph->n_nodes;
    uint32_t n_pairs = n * n;
    uint32_t starts[SF_MAX_LAYERS + 1] = { 0 };

    for (uint32_t i = 0; i < n_pairs; i++) {
        shuffled[i] = i;
        starts[paper->priority[i] + 1]++;
    }
    sf_random_shuffle(&paper->random, shuffled, n_pairs);
    for (uint32_t i = 0; i < SF_MAX_LAYERS; i++) {
        starts[i + 1] += starts[i];
    }
    for (uint32_t i = 0; i < n_pairs; i++) {
        paper->pairs[starts[paper->priority[shuffled[i]]]++] = shuffled[i];
    }
}

/* Fills what is left of the tree towards 'd' with minimal paths.  Where these
 * would become too long over switches that are not on a minimal path
 * themselves, those go minimally, too. */
static void
fall_back(struct paper *paper, struct sf_search *search, uint32_t d,
          uint32_t *depth, uint32_t *depth_before)
{
    const struct sf_layer_job *job = paper->job;
    const struct sf_graph *graph = job->graph;
    const uint16_t *tree = sf_layers_tree(job->layers, paper->layer, d);

    sf_search_run(search, graph, d, NULL);
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        depth[s] = s == d ? 0 : SF_NONE;
    }
    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t s = search->order[i], n_hops = 0;
        if (tree[s] == SF_NO_HOP) {
            continue;
        }
        for (uint32_t v = s; v != d; n_hops++) {
            v = graph->arcs[graph->first[v] + tree[v]].to;
        }
        depth[s] = n_hops;
        add_routes(paper, s, d, 0 - routes_between(paper, s, d));
    }
    memcpy(depth_before, depth, graph->n_nodes * sizeof *depth);
    sf_tree_complete(job, paper->layer, d, search, depth);
    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t s = search->order[i];
        add_routes(paper, s, d, routes_between(paper, s, d));
        if (depth_before[s] != SF_NONE && depth_before[s] >= paper->min_hops &&
            depth[s] < paper->min_hops) {
            paper->priority[(size_t)s * graph->n_nodes + d]--;
        }
    }
}

static enum sf_status
build_layers(struct paper *paper, struct sf_error *err)
{
    const struct sf_layer_job *job = paper->job;
    uint32_t n = job->graph->n_nodes;
    struct sf_search search;
    enum sf_status status = SF_OK;
    uint32_t *shuffled = sf_calloc((size_t)n * n, sizeof *shuffled);
    uint32_t *depth = sf_calloc(n, sizeof *depth);
    uint32_t *depth_before = sf_calloc(n, sizeof *depth_before);

    if (!sf_search_init(&search, n) || !shuffled || !depth || !depth_before) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
        goto done;
    }
    for (uint32_t d = 0; d < n; d++) {
        sf_search_run(&search, job->graph, d, NULL);
        for (uint32_t s = 0; s < n; s++) {
            paper->distance[(size_t)d * n + s] =
                search.distance[s] == SF_NONE ? FAR
                                              : (uint16_t)search.distance[s];
        }
    }
    for (paper->layer = 1; paper->layer < job->layers->n_layers;
         paper->layer++) {
        order_pairs(paper, shuffled);
        for (uint32_t i = 0; i < n * n; i++) {
            if (i % n == 0) {
                sf_layers_report_layer(job, paper->layer, i / n);
            }
            route_pair(paper, paper->pairs[i] / n, paper->pairs[i] % n);
        }
        for (uint32_t d = 0; d < n; d++) {
            fall_back(paper, &search, d, depth, depth_before);
        }
    }
done:
    free(depth_before);
    free(depth);
    free(shuffled);
    sf_search_clear(&search);
    return status;
}

static enum sf_status
build(const struct sf_layer_job *job, struct sf_error *err)
{
    size_t n = job->graph->n_nodes;
    enum sf_status status = SF_OK;
    struct paper paper = { .job = job };

    /* Pairs are numbered in 32 bits, distances in 16. */
    if (n >= FAR) {
        return sf_fail(err, SF_ELIMIT, "%zu switches: the limit is %u", n,
                       FAR - 1);
    }
    paper.max_hops = job->usual_hops;
    paper.min_hops = sf_value_or(&job->values[MIN_HOPS], paper.max_hops);
    if (paper.min_hops > paper.max_hops) {
        return sf_fail(err, SF_EINVAL,
                       "almost-minimal paths of %u hops or more, but at most "
                       "%u: there are none",
                       paper.min_hops, paper.max_hops);
    }
    sf_random_init(&paper.random, job->seed, UINT64_MAX);
    paper.distance = sf_calloc(n * n, sizeof *paper.distance);
    paper.priority = sf_calloc(n * n, sizeof *paper.priority);
    paper.pairs = sf_calloc(n * n, sizeof *paper.pairs);
    paper.loads =
        sf_calloc(2 * (size_t)job->graph->n_links, sizeof *paper.loads);
    paper.path = sf_calloc(paper.max_hops, sizeof *paper.path);
    paper.best = sf_calloc(paper.max_hops, sizeof *paper.best);
    if (!paper.distance || !paper.priority || !paper.pairs || !paper.loads ||
        !paper.path || !paper.best) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %zu switches", n);
        goto done;
    }
    status = sf_minimal_layers(job, 0, 1, paper.loads, err);
    if (status == SF_OK) {
        status = build_layers(&paper, err);
    }
done:
    free(paper.best);
    free(paper.path);
    free(paper.loads);
    free(paper.pairs);
    free(paper.priority);
    free(paper.distance);
    return status;
}

static const struct sf_layer_ops ops = { .build = build };

const struct sf_layer_scheme sf_scheme_paper = {
    .name = "paper",
    .title = "the Slim Fly installation's layers",
    .summary = "almost-minimal paths of least weight, pair by pair in the "
               "order of priority",
    .reference = "Blach24",
    .extra_hops = 1,
    .params = {
        [MIN_HOPS] = { .key = "min-hops", SF_PARAM_NUMBER, 1, 64, false,
                       "the longest path allowed",
                       "hops from which on a path counts as almost minimal" },
        [SETS] = SF_SETS_PARAM,
    },
    .minimal_first = true,
    .ops = &ops,
};
