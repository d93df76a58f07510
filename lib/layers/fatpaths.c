/* fatpaths.c -- the layers of FatPaths [Besta20]: acyclic, with minimum
 * overlap.
 *
 * Every layer above 0 puts the switches into a random order and goes only
 * upwards in it, so that no cycle of links can form.  Below its destination a
 * switch takes the way of fewest routes, over links that fewer layers used
 * for the same pair first; others fall back to paths as short as can be, for
 * an acyclic layer cannot join all pairs.  O(L V E) time. */
#include "layers/trees.h"

#include "base/mem.h"
#include "slimfly/random.h"

struct fatpaths {
    const struct sf_layer_job *job;
    struct sf_search search;
    uint32_t *by_rank; /* [V] The switches in the order of the layer; */
    uint32_t *rank;    /* [V] where each of them stands. */
    uint32_t *depth;   /* [V] */
    uint64_t *cost;    /* [V] */
    uint64_t *loads;   /* [2E] */
};

static void
draw_order(struct fatpaths *fatpaths, uint32_t layer)
{
    uint32_t n = fatpaths->job->graph->n_nodes;
    struct sf_random random;

    sf_random_init(&random, fatpaths->job->seed, UINT64_MAX - layer);
    for (uint32_t s = 0; s < n; s++) {
        fatpaths->by_rank[s] = s;
    }
    sf_random_shuffle(&random, fatpaths->by_rank, n);
    for (uint32_t i = 0; i < n; i++) {
        fatpaths->rank[fatpaths->by_rank[i]] = i;
    }
}

/* In how many layers below 'layer' 's' goes over 'hop' to 'd'. */
static uint64_t
count_uses(const struct sf_layers *layers, uint32_t layer, uint32_t s,
           uint32_t d, uint32_t hop)
{
    uint64_t n = 0;
    for (uint32_t l = 0; l < layer; l++) {
        n += sf_layers_tree(layers, l, d)[s] == hop;
    }
    return n;
}

/* Finds the way of 's' upwards, if there is one within the limit. */
static void
choose_way_up(struct fatpaths *fatpaths, uint32_t layer, uint32_t s,
              uint32_t d, uint64_t overlap_cost)
{
    const struct sf_layer_job *job = fatpaths->job;
    const struct sf_graph *graph = job->graph;
    uint16_t *tree = sf_layers_tree(job->layers, layer, d);
    uint64_t least = UINT64_MAX;

    for (uint32_t a = graph->first[s]; a < graph->first[s + 1]; a++) {
        uint32_t v = graph->arcs[a].to, hop = a - graph->first[s];
        if (fatpaths->rank[v] < fatpaths->rank[s] ||
            fatpaths->depth[v] == SF_NONE ||
            fatpaths->depth[v] >= job->limits[d]) {
            continue;
        }
        uint64_t cost =
            fatpaths->cost[v] + fatpaths->loads[a] +
            overlap_cost * count_uses(job->layers, layer, s, d, hop);
        if (cost < least) {
            least = cost;
            tree[s] = (uint16_t)hop;
            fatpaths->depth[s] = fatpaths->depth[v] + 1;
            fatpaths->cost[s] = cost;
        }
    }
}

static void
route(struct fatpaths *fatpaths, uint32_t layer, uint32_t d,
      uint64_t overlap_cost)
{
    const struct sf_layer_job *job = fatpaths->job;

    for (uint32_t s = 0; s < job->graph->n_nodes; s++) {
        fatpaths->depth[s] = SF_NONE;
    }
    fatpaths->depth[d] = 0;
    fatpaths->cost[d] = 0;
    for (uint32_t i = fatpaths->rank[d]; i-- > 0;) {
        choose_way_up(fatpaths, layer, fatpaths->by_rank[i], d, overlap_cost);
    }
    sf_search_run(&fatpaths->search, job->graph, d, NULL);
    sf_tree_complete(job, layer, d, &fatpaths->search, fatpaths->depth);
    sf_tree_count_loads(job, layer, d, fatpaths->loads);
}

/* More than any way weighs. */
static uint64_t
sum_loads(const struct fatpaths *fatpaths)
{
    uint64_t sum = 1;
    for (uint32_t i = 0; i < 2 * fatpaths->job->graph->n_links; i++) {
        sum += fatpaths->loads[i];
    }
    return sum;
}

static enum sf_status
build(const struct sf_layer_job *job, struct sf_error *err)
{
    uint32_t n = job->graph->n_nodes;
    enum sf_status status = SF_OK;
    struct fatpaths fatpaths = { .job = job };
    bool made = sf_search_init(&fatpaths.search, n);

    fatpaths.by_rank = sf_calloc(n, sizeof *fatpaths.by_rank);
    fatpaths.rank = sf_calloc(n, sizeof *fatpaths.rank);
    fatpaths.depth = sf_calloc(n, sizeof *fatpaths.depth);
    fatpaths.cost = sf_calloc(n, sizeof *fatpaths.cost);
    fatpaths.loads =
        sf_calloc(2 * (size_t)job->graph->n_links, sizeof *fatpaths.loads);
    if (!made || !fatpaths.by_rank || !fatpaths.rank || !fatpaths.depth ||
        !fatpaths.cost || !fatpaths.loads) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
        goto done;
    }
    status = sf_minimal_layers(job, 0, 1, fatpaths.loads, err);
    for (uint32_t l = 1; l < job->layers->n_layers && status == SF_OK; l++) {
        uint64_t overlap_cost = sum_loads(&fatpaths);
        draw_order(&fatpaths, l);
        for (uint32_t d = 0; d < n; d++) {
            sf_layers_report_layer(job, l, d);
            route(&fatpaths, l, d, overlap_cost);
        }
    }
done:
    free(fatpaths.loads);
    free(fatpaths.cost);
    free(fatpaths.depth);
    free(fatpaths.rank);
    free(fatpaths.by_rank);
    sf_search_clear(&fatpaths.search);
    return status;
}

static const struct sf_layer_ops ops = { .build = build };

const struct sf_layer_scheme sf_scheme_fatpaths = {
    .name = "fatpaths",
    .title = "FatPaths: acyclic layers",
    .summary = "each layer follows a random order of the switches; least "
               "overlap",
    .reference = "Besta20",
    .extra_hops = 1,
    .params = { SF_SETS_PARAM },
    .minimal_first = true,
    .ops = &ops,
};
