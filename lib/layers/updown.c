/* updown.c -- up*-down* routing [Schroeder91]: a root gives every link a
 * direction, up being nearer to the root; paths go up first and then down
 * and never up again, so that nothing can deadlock within a layer.
 *
 * Every layer has a root of its own: switches of most links first, at random
 * among equals.  With 'first=minimal' layer 0 has shortest paths, as in all
 * other schemes, which are not safe by themselves.
 * A hop limit that up and down cannot keep is an error: anything else would
 * break the promise in silence.  O(L V E) time. */
#include "layers/trees.h"

#include "base/mem.h"
#include "slimfly/random.h"

/* The parameters, and the words of the first. */
enum {
    FIRST,
    SETS
};
enum {
    FIRST_TREE,
    FIRST_MINIMAL
};

struct updown {
    const struct sf_layer_job *job;
    struct sf_search from_root; /* Levels, and all switches by level. */
    uint32_t *rank;             /* [V] By level, then by search order. */
    uint32_t *by_rank;          /* [V] */
    uint32_t *roots;            /* [V] In the order of the layers. */
    uint32_t *depth;            /* [V] */
    bool *down;                 /* [V] Whether all the way is down. */
    uint64_t *loads;            /* [2E] */
};

/* Orders the roots: random, then by the number of links, most first. */
static void
order_roots(struct updown *updown)
{
    const struct sf_graph *graph = updown->job->graph;
    struct sf_random random;
    uint32_t n = graph->n_nodes;

    sf_random_init(&random, updown->job->seed, UINT64_MAX);
    for (uint32_t s = 0; s < n; s++) {
        updown->depth[s] = s;
    }
    sf_random_shuffle(&random, updown->depth, n);
    uint32_t n_placed = 0, most = 0;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t degree = sf_graph_degree(graph, s);
        most = degree > most ? degree : most;
    }
    for (uint32_t degree = most + 1; degree-- > 0 && n_placed < n;) {
        for (uint32_t i = 0; i < n; i++) {
            if (sf_graph_degree(graph, updown->depth[i]) == degree) {
                updown->roots[n_placed++] = updown->depth[i];
            }
        }
    }
}

/* Ranks all switches as seen from 'root'; those of other parts, which have
 * roots of their own, behind. */
static void
rank_from(struct updown *updown, uint32_t root)
{
    const struct sf_graph *graph = updown->job->graph;
    uint32_t n_ranked = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        updown->rank[s] = SF_NONE;
    }
    for (uint32_t i = 0; i <= graph->n_nodes; i++) {
        uint32_t start = i == 0 ? root : i - 1;
        if (updown->rank[start] != SF_NONE) {
            continue;
        }
        sf_search_run(&updown->from_root, graph, start, NULL);
        for (uint32_t j = 0; j < updown->from_root.n_reached; j++) {
            uint32_t s = updown->from_root.order[j];
            updown->by_rank[n_ranked] = s;
            updown->rank[s] = n_ranked++;
        }
    }
}

/* Joins 's' to the tree over the best of its arcs: to a higher rank if it is
 * to go down, else to a lower one; the shortest, then the lightest. */
static void
choose(struct updown *updown, uint16_t *tree, uint32_t s, bool down)
{
    const struct sf_graph *graph = updown->job->graph;
    uint64_t least = UINT64_MAX;

    for (uint32_t a = graph->first[s]; a < graph->first[s + 1]; a++) {
        uint32_t v = graph->arcs[a].to;
        bool goes_down = updown->rank[v] > updown->rank[s];
        if (goes_down != down || updown->depth[v] == SF_NONE ||
            (down && !updown->down[v]) ||
            updown->depth[v] + 1 > updown->depth[s]) {
            continue;
        }
        if (updown->depth[v] + 1 < updown->depth[s] ||
            updown->loads[a] < least) {
            updown->depth[s] = updown->depth[v] + 1;
            updown->down[s] = down;
            least = updown->loads[a];
            tree[s] = (uint16_t)(a - graph->first[s]);
        }
    }
}

/* Makes the tree of 'd': first, from 'd' upwards, the switches that come down
 * all the way; then, from the root downwards, those that go up first. */
static enum sf_status
route(struct updown *updown, uint32_t layer, uint32_t d, struct sf_error *err)
{
    const struct sf_layer_job *job = updown->job;
    const struct sf_graph *graph = job->graph;
    uint32_t n = graph->n_nodes;
    uint16_t *tree = sf_layers_tree(job->layers, layer, d);

    for (uint32_t s = 0; s < n; s++) {
        updown->depth[s] = SF_NONE;
        updown->down[s] = s == d;
    }
    updown->depth[d] = 0;
    for (uint32_t i = updown->rank[d]; i-- > 0;) {
        choose(updown, tree, updown->by_rank[i], true);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = updown->by_rank[i];
        if (updown->depth[s] == SF_NONE) {
            choose(updown, tree, s, false);
        }
        if (updown->depth[s] != SF_NONE && updown->depth[s] > job->max_hops &&
            !job->params->may_exceed) {
            return sf_fail(err, SF_EUNREACHABLE,
                           "up and down from root %s takes %u hops from "
                           "switch %s to switch %s; the limit is %u",
                           sf_graph_name(graph, updown->by_rank[0]).text,
                           updown->depth[s], sf_graph_name(graph, s).text,
                           sf_graph_name(graph, d).text, job->max_hops);
        }
    }
    sf_tree_count_loads(job, layer, d, updown->loads);
    return SF_OK;
}

static enum sf_status
build_layers(struct updown *updown, struct sf_error *err)
{
    const struct sf_layer_job *job = updown->job;
    uint32_t n = job->graph->n_nodes;
    uint32_t first = job->values[FIRST].number == FIRST_MINIMAL ? 1 : 0;
    enum sf_status status = SF_OK;

    if (first == 1) {
        status = sf_minimal_layers(job, 0, 1, updown->loads, err);
    }
    order_roots(updown);
    for (uint32_t l = first; l < job->layers->n_layers; l++) {
        rank_from(updown, updown->roots[(l - first) % n]);
        for (uint32_t d = 0; d < n && status == SF_OK; d++) {
            sf_layers_report_layer(job, l, d);
            status = route(updown, l, d, err);
        }
    }
    return status;
}

static enum sf_status
build(const struct sf_layer_job *job, struct sf_error *err)
{
    uint32_t n = job->graph->n_nodes;
    enum sf_status status = SF_OK;
    struct updown updown = { .job = job };
    bool made = sf_search_init(&updown.from_root, n);

    updown.rank = sf_calloc(n, sizeof *updown.rank);
    updown.by_rank = sf_calloc(n, sizeof *updown.by_rank);
    updown.roots = sf_calloc(n, sizeof *updown.roots);
    updown.depth = sf_calloc(n, sizeof *updown.depth);
    updown.down = sf_calloc(n, sizeof *updown.down);
    updown.loads =
        sf_calloc(2 * (size_t)job->graph->n_links, sizeof *updown.loads);
    if (!made || !updown.rank || !updown.by_rank || !updown.roots ||
        !updown.depth || !updown.down || !updown.loads) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
    } else if (n > 0) {
        status = build_layers(&updown, err);
    }
    free(updown.loads);
    free(updown.down);
    free(updown.depth);
    free(updown.roots);
    free(updown.by_rank);
    free(updown.rank);
    sf_search_clear(&updown.from_root);
    return status;
}

/* A mended path need not go up and down.  With shortest paths in layer 0
 * nobody relies on that. */
static void
settle(const struct sf_value *values, struct sf_layer_spec *spec)
{
    bool is_tree = values[FIRST].number == FIRST_TREE;

    spec->minimal_first = !is_tree;
    spec->resists_repair = is_tree;
}

static const struct sf_layer_ops ops = { .build = build, .settle = settle };

const struct sf_layer_scheme sf_scheme_updown = {
    .name = "updown",
    .title = "up*-down*",
    .summary = "up towards a root and down again, a root for each layer; free "
               "of deadlock within a layer",
    .reference = "Schroeder91",
    .extra_hops = SF_NONE,
    .params = {
        [FIRST] = { .key = "first",
                    .kind = SF_PARAM_CHOICE,
                    .words = { [FIRST_TREE] = "tree",
                               [FIRST_MINIMAL] = "minimal" },
                    .by_default = "tree",
                    .meaning = "paths of layer 0: up and down a tree too, or "
                               "shortest ones, which need more lanes" },
        [SETS] = SF_SETS_PARAM,
    },
    .resists_repair = true,
    .ops = &ops,
};
