/* rues.c -- random uniform edge selection, the simple variant of [Besta20]:
 * every layer above 0 keeps a random share of the links and has shortest
 * paths over what it keeps.  A layer is not kept connected: pairs that it
 * does not join, or not within the hop limit, fall back to paths as short as
 * can be.  O(L V E) time. */
#include "layers/trees.h"

#include "base/mem.h"
#include "slimfly/random.h"

/* The parameters. */
enum {
    FRACTION,
    SETS
};

/* Draws the links that 'layer' keeps. */
static void
draw_links(const struct sf_layer_job *job, uint32_t layer, bool *keep)
{
    uint64_t below = (uint64_t)(job->values[FRACTION].real * 4294967296.0);
    struct sf_random random;

    sf_random_init(&random, job->seed, UINT64_MAX - layer);
    for (uint32_t i = 0; i < job->graph->n_links; i++) {
        keep[i] = (sf_random_next(&random) >> 32) < below;
    }
}

/* Gives every switch that 'kept' has reached the shortest path over
 * the kept links that starts with the lightest of them. */
static void
grow_tree(const struct sf_layer_job *job, const bool *keep,
          const struct sf_search *kept, uint16_t *tree, uint32_t *depth,
          const uint64_t *loads)
{
    const struct sf_graph *graph = job->graph;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        depth[s] = SF_NONE;
    }
    depth[kept->order[0]] = 0;
    for (uint32_t i = 1; i < kept->n_reached; i++) {
        uint32_t s = kept->order[i];
        uint64_t least = UINT64_MAX;
        if (kept->distance[s] > job->limits[kept->order[0]]) {
            return;
        }
        depth[s] = kept->distance[s];
        for (uint32_t a = graph->first[s]; a < graph->first[s + 1]; a++) {
            const struct sf_arc *arc = &graph->arcs[a];
            if (keep[arc->link] && loads[a] < least &&
                kept->distance[arc->to] + 1 == kept->distance[s]) {
                least = loads[a];
                tree[s] = (uint16_t)(a - graph->first[s]);
            }
        }
    }
}

static enum sf_status
build(const struct sf_layer_job *job, struct sf_error *err)
{
    uint32_t n = job->graph->n_nodes;
    struct sf_search all = { 0 }, kept = { 0 };
    bool *keep = sf_calloc(job->graph->n_links, sizeof *keep);
    uint32_t *depth = sf_calloc(n, sizeof *depth);
    uint64_t *loads =
        sf_calloc(2 * (size_t)job->graph->n_links, sizeof *loads);
    bool made = sf_search_init(&all, n);
    enum sf_status status = SF_OK;

    made = sf_search_init(&kept, n) && made;
    if (!made || !keep || !depth || !loads) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
        goto done;
    }
    status = sf_minimal_layers(job, 0, 1, loads, err);
    for (uint32_t l = 1; l < job->layers->n_layers && status == SF_OK; l++) {
        draw_links(job, l, keep);
        for (uint32_t d = 0; d < n; d++) {
            sf_layers_report_layer(job, l, d);
            sf_search_run(&kept, job->graph, d, keep);
            grow_tree(job, keep, &kept, sf_layers_tree(job->layers, l, d),
                      depth, loads);
            sf_search_run(&all, job->graph, d, NULL);
            sf_tree_complete(job, l, d, &all, depth);
            sf_tree_count_loads(job, l, d, loads);
        }
    }
done:
    free(loads);
    free(depth);
    free(keep);
    sf_search_clear(&kept);
    sf_search_clear(&all);
    return status;
}

static const struct sf_layer_ops ops = { .build = build };

const struct sf_layer_scheme sf_scheme_rues = {
    .name = "rues",
    .title = "random uniform edge selection",
    .summary = "shortest paths over a random share of the links in each "
               "layer; pairs that it does not join fall back to paths as "
               "short as can be",
    .reference = "Besta20",
    .extra_hops = SF_NONE,
    .params = {
        [FRACTION] = { .key = "fraction",
                       .kind = SF_PARAM_REAL,
                       .range = { .min = 0, .max = 1, .above_min = true },
                       .positional = true,
                       .by_default = "0.6",
                       .meaning = "share of links that a layer keeps" },
        [SETS] = SF_SETS_PARAM,
    },
    .minimal_first = true,
    .ops = &ops,
};
