/* ftree.c -- d-mod-k for Fat Trees [Zahavi10].
 *
 * The levels are read off the graph: switches with hosts are leaves, others
 * stand as high as they are far from the nearest leaf.  Every link must join
 * two neighbouring levels.  The switch at level i that can reach destination
 * number x over k links, all equally short, takes link number x / (k of the
 * levels below) mod k: neighbouring destinations go over different links, and
 * all switches of a level that send to one destination agree.
 *
 * Layer l numbers the destinations from l * step on instead of from 0, where
 * the step spreads the layers of a destination over the links of a leaf.  So
 * each layer by itself uses all links evenly, for senders that know the first
 * address only, and the layers of a destination start on different links.
 * O(L V E) time. */
#include "layers/trees.h"

#include "base/mem.h"

#include <assert.h>

struct ftree {
    const struct sf_layer_job *job;
    struct sf_search search;
    uint32_t *level;  /* [V] */
    uint32_t *number; /* [V] Among the switches of the level. */
    uint32_t *stride; /* [V] How many destinations share a link upwards. */
    uint32_t step;    /* Between the layers of a destination. */
};

/* Finds the levels: a search from all leaves at once, and then from any switch
 * of each part that has none. */
static void
find_levels(struct ftree *ftree)
{
    const struct sf_graph *graph = ftree->job->graph;
    uint32_t *queue = ftree->search.order, head = 0, tail = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        ftree->level[s] = SF_NONE;
        if (ftree->job->weights[s] > 0) {
            ftree->level[s] = 0;
            queue[tail++] = s;
        }
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        while (head < tail) {
            uint32_t v = queue[head++];
            for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
                uint32_t w = graph->arcs[i].to;
                if (ftree->level[w] == SF_NONE) {
                    ftree->level[w] = ftree->level[v] + 1;
                    queue[tail++] = w;
                }
            }
        }
        if (ftree->level[s] == SF_NONE) {
            ftree->level[s] = 0;
            queue[tail++] = s;
        }
    }
}

static enum sf_status
check_levels(const struct ftree *ftree, struct sf_error *err)
{
    const struct sf_graph *graph = ftree->job->graph;

    for (uint32_t i = 0; i < graph->n_links; i++) {
        const struct sf_link *link = &graph->links[i];
        if (ftree->level[link->a] == ftree->level[link->b]) {
            return sf_fail(err, SF_EINVAL,
                           "not a Fat Tree: a link joins switches %s and %s, "
                           "both at level %u",
                           sf_graph_name(graph, link->a).text,
                           sf_graph_name(graph, link->b).text,
                           ftree->level[link->a]);
        }
    }
    return SF_OK;
}

static uint32_t
count_links_up(const struct ftree *ftree, uint32_t s)
{
    const struct sf_graph *graph = ftree->job->graph;
    uint32_t n = 0;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        n += ftree->level[graph->arcs[i].to] > ftree->level[s];
    }
    return n;
}

/* Numbers the switches of each level, and multiplies up the links upwards:
 * the stride of a switch is that of one below it times its links up. */
static void
number_switches(struct ftree *ftree)
{
    const struct sf_graph *graph = ftree->job->graph;
    uint32_t n_numbered = 0;

    for (uint32_t level = 0; n_numbered < graph->n_nodes; level++) {
        uint32_t number = 0;
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            if (ftree->level[s] != level) {
                continue;
            }
            n_numbered++;
            ftree->number[s] = number++;
            ftree->stride[s] = 1;
            for (uint32_t i = graph->first[s];
                 i < graph->first[s + 1] && level > 0; i++) {
                uint32_t below = graph->arcs[i].to;
                if (ftree->level[below] < level) {
                    uint64_t stride = (uint64_t)ftree->stride[below] *
                                      count_links_up(ftree, below);
                    ftree->stride[s] =
                        stride > UINT32_MAX ? UINT32_MAX : (uint32_t)stride;
                    break;
                }
            }
        }
    }
}

/* The arc of 's' on a shortest path, chosen by the destination's number.  On
 * the way down there is a choice among parallel links only, and it is that of
 * the switch below on its way up. */
static uint16_t
choose(const struct ftree *ftree, uint32_t s, uint64_t x)
{
    const struct sf_graph *graph = ftree->job->graph;
    const uint32_t *distance = ftree->search.distance;
    uint32_t n_shortest = 0, next = s;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        if (distance[graph->arcs[i].to] + 1 == distance[s]) {
            next = graph->arcs[i].to;
            n_shortest++;
        }
    }
    assert(n_shortest > 0); /* 's' reaches the destination. */
    uint32_t lower = ftree->level[next] < ftree->level[s] ? next : s;
    uint64_t wanted = x / ftree->stride[lower] % n_shortest;
    uint32_t i = graph->first[s];
    for (;; i++) {
        if (distance[graph->arcs[i].to] + 1 == distance[s] && wanted-- == 0) {
            return (uint16_t)(i - graph->first[s]);
        }
    }
}

/* How far apart the layers of a destination are: as far as the links up of
 * the leaf with the fewest allow. */
static uint32_t
find_step(const struct ftree *ftree)
{
    uint32_t n_layers = ftree->job->layers->n_layers, fewest = UINT32_MAX;

    for (uint32_t s = 0; s < ftree->job->graph->n_nodes; s++) {
        uint32_t n_up = ftree->level[s] == 0 ? count_links_up(ftree, s) : 0;
        fewest = n_up && n_up < fewest ? n_up : fewest;
    }
    return fewest != UINT32_MAX && fewest > n_layers ? fewest / n_layers : 1;
}

static void
build_layers(struct ftree *ftree)
{
    const struct sf_layer_job *job = ftree->job;
    uint32_t n_layers = job->layers->n_layers;
    uint32_t n_sets = job->params->n_sets ? job->params->n_sets : 1;

    for (uint32_t d = 0; d < job->graph->n_nodes; d++) {
        sf_layers_report(job, d, job->graph->n_nodes);
        sf_search_run(&ftree->search, job->graph, d, NULL);
        for (uint32_t l = 0; l < n_layers; l++) {
            uint64_t host =
                (uint64_t)ftree->number[d] * n_sets + job->params->set;
            uint64_t x = host + (uint64_t)l * ftree->step;
            uint16_t *tree = sf_layers_tree(job->layers, l, d);
            for (uint32_t i = 1; i < ftree->search.n_reached; i++) {
                uint32_t s = ftree->search.order[i];
                tree[s] = choose(ftree, s, x);
            }
        }
    }
}

static enum sf_status
build(const struct sf_layer_job *job, struct sf_error *err)
{
    uint32_t n = job->graph->n_nodes;
    enum sf_status status = SF_OK;
    struct ftree ftree = { .job = job };
    bool made = sf_search_init(&ftree.search, n);

    ftree.level = sf_calloc(n, sizeof *ftree.level);
    ftree.number = sf_calloc(n, sizeof *ftree.number);
    ftree.stride = sf_calloc(n, sizeof *ftree.stride);
    if (!made || !ftree.level || !ftree.number || !ftree.stride) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
        goto done;
    }
    find_levels(&ftree);
    status = check_levels(&ftree, err);
    if (status == SF_OK) {
        number_switches(&ftree);
        ftree.step = find_step(&ftree);
        build_layers(&ftree);
    }
done:
    free(ftree.stride);
    free(ftree.number);
    free(ftree.level);
    sf_search_clear(&ftree.search);
    return status;
}

/* Whether no link joins switches that are equally far from hosts. */
static enum sf_status
is_fat_tree(const struct sf_network *network, bool *is_treep,
            struct sf_error *err)
{
    const struct sf_graph *graph = network->graph;
    struct sf_layer_job job = { .graph = graph, .weights = network->n_hosts };
    struct ftree ftree = { .job = &job };
    bool made = sf_search_init(&ftree.search, graph->n_nodes);
    enum sf_status status = SF_OK;

    ftree.level = sf_calloc(graph->n_nodes, sizeof *ftree.level);
    if (!made || !ftree.level) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches",
                         graph->n_nodes);
    } else if (graph->n_links > 0) {
        find_levels(&ftree);
        *is_treep = check_levels(&ftree, NULL) == SF_OK;
    }
    free(ftree.level);
    sf_search_clear(&ftree.search);
    return status;
}

static const struct sf_layer_ops ops = { .build = build,
                                         .suits = is_fat_tree };

const struct sf_layer_scheme sf_scheme_ftree = {
    .name = "ftree",
    .title = "d-mod-k for Fat Trees",
    .summary = "up and down a Fat Tree, the links up dealt out by the "
               "destination's number",
    .reference = "Zahavi10",
    .is_per_host = true,
    .minimal_first = true,
    .made_for = "a Fat Tree",
    .ops = &ops,
};
