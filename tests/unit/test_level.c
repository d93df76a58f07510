/* test_level.c -- evening out of loads, on layers of all kinds, and help for
 * pairs with too few paths. */
#include "base/mem.h"
#include "helpers.h"
#include "layers/level.h"
#include "layers/poor.h"
#include "layers/trees.h"
#include "slimfly/lanes.h"
#include "slimfly/random.h"
#include "slimfly/topology.h"
#include "test.h"

#include <string.h>

/* Layers, and all that a scheme would have when they are done. */
struct work {
    struct sf_topology *topo;
    struct sf_turns *turns;
    struct sf_layers *layers;
    struct sf_layers_params params;
    struct sf_layer_job job;
    uint32_t *weights, *reverse, *limits;
    uint64_t *loads;
    size_t n_arcs;
};

static struct work
begin(const char *spec, const char *scheme, uint32_t n_layers, uint64_t seed,
      bool with_turns, bool is_even)
{
    struct work work = {
        .params = { .scheme = scheme, .n_layers = n_layers, .seed = seed }
    };
    struct sf_error err = { 0 };
    struct sf_random random;

    CHECK(sf_topology_build(spec, &work.topo, NULL) == SF_OK);
    const struct sf_graph *graph = work.topo->graph;
    uint32_t n = graph->n_nodes;
    work.n_arcs = 2 * (size_t)graph->n_links;
    work.weights = sf_calloc(n, sizeof *work.weights);
    work.limits = sf_calloc(n, sizeof *work.limits);
    work.reverse = sf_calloc(work.n_arcs, sizeof *work.reverse);
    work.loads = sf_calloc(work.n_arcs, sizeof *work.loads);
    CHECK(work.weights && work.limits && work.reverse && work.loads);
    if (with_turns) {
        struct sf_lanes_params lanes = { .max_vls = 4, .seed = seed };
        struct sf_network *network = network_of(graph, NULL);
        CHECK(sf_turns_design(network, &lanes, n_layers - 1, &work.turns,
                              NULL) == SF_OK);
        sf_network_free(network);
        work.params.turns = work.turns;
    }
    /* Some switches carry nothing, some much, if not all the same. */
    sf_random_init(&random, seed, 99);
    for (uint32_t s = 0; s < n; s++) {
        work.weights[s] = is_even ? 1 : sf_random_below(&random, 4);
    }
    CHECK_FOR(build_layers(graph, work.weights, &work.params, &work.layers,
                           &err) == SF_OK,
              "%s: %s", spec, err.text);
    for (uint32_t s = 0; s < n; s++) {
        work.limits[s] = work.layers->max_hops;
    }
    sf_graph_pair_arcs(graph, work.reverse);
    sf_layers_loads(work.layers, graph, work.weights, work.loads);
    return work;
}

/* What a scheme would say at its end. */
static void
set_job(struct work *work)
{
    work->job = (struct sf_layer_job){ .graph = work->topo->graph,
                                       .params = &work->params,
                                       .weights = work->weights,
                                       .reverse = work->reverse,
                                       .max_hops = work->layers->max_hops,
                                       .limits = work->limits,
                                       .n_threads = 1,
                                       .layers = work->layers };
}

/* For a level by itself; gates have been levelled once already. */
static void
level(struct work *work)
{
    set_job(work);
    CHECK_EQ(sf_layers_level(&work->job, work->weights, work->loads, NULL),
             SF_OK);
}

static void
end(struct work *work)
{
    sf_layers_free(work->layers);
    sf_turns_free(work->turns);
    free(work->loads);
    free(work->reverse);
    free(work->limits);
    free(work->weights);
    sf_topology_free(work->topo);
}

static uint64_t
most_load(const struct work *work)
{
    uint64_t most = 0;

    for (size_t i = 0; i < work->n_arcs; i++) {
        most = work->loads[i] > most ? work->loads[i] : most;
    }
    return most;
}

/* Whether a layer has a path that shares neither end with that of layer 0. */
static bool
has_second(const struct work *work, uint32_t s, uint32_t d)
{
    const struct sf_graph *graph = work->topo->graph;
    uint32_t first[16], last[16];

    for (uint32_t l = 0; s != d && l < work->layers->n_layers; l++) {
        first[l] = last[l] = sf_layers_arc(work->layers, graph, l, s, d);
        while (graph->arcs[last[l]].to != d) {
            last[l] = sf_layers_arc(work->layers, graph, l,
                                    graph->arcs[last[l]].to, d);
        }
        if (first[l] != first[0] && last[l] != last[0]) {
            return true;
        }
    }
    return false;
}

static void
check_level(const char *spec, const char *scheme, uint32_t n_layers,
            uint64_t seed, bool with_turns)
{
    struct work work = begin(spec, scheme, n_layers, seed, with_turns, false);
    const struct sf_graph *graph = work.topo->graph;
    uint32_t n = graph->n_nodes;
    uint64_t before = most_load(&work);
    uint64_t *recount = sf_calloc(work.n_arcs, sizeof *recount);
    bool *had_second = sf_calloc((size_t)n * n, sizeof *had_second);
    struct sf_error err = { 0 };

    CHECK(recount && had_second);
    for (uint32_t i = 0; i < n * n; i++) {
        had_second[i] = has_second(&work, i / n, i % n);
    }
    level(&work);

    struct sf_layers_claims claims = { .max_hops = work.layers->max_hops,
                                       .minimal_first = true,
                                       .turns = work.turns };
    CHECK_FOR(sf_layers_check(work.layers, graph, &claims, &err) == SF_OK,
              "%s, %s: %s", spec, scheme, err.text);
    sf_layers_loads(work.layers, graph, work.weights, recount);
    CHECK_FOR(!memcmp(recount, work.loads, work.n_arcs * sizeof *recount),
              "%s, %s: loads are not kept", spec, scheme);
    CHECK_FOR(most_load(&work) <= before, "%s, %s: %llu routes, before %llu",
              spec, scheme, (unsigned long long)most_load(&work),
              (unsigned long long)before);
    for (uint32_t i = 0; i < n * n; i++) {
        CHECK_FOR(!had_second[i] || has_second(&work, i / n, i % n),
                  "%s, %s: %u to %u has no second path any more", spec, scheme,
                  i / n, i % n);
    }
    free(had_second);
    free(recount);
    end(&work);
}

TEST(level_keeps_what_layers_promise)
{
    static const char *const specs[] = {
        "sf:q=4",     "sf:q=5",      "hx2:4x5", "hx2:3x3,links=2",
        "df:a=4,h=2", "ft2:ports=6", "pf:q=4",  "jellyfish:n=30,k=4",
    };
    static const char *const schemes[] = { "gates", "minimal", "paper", "rues",
                                           "fatpaths" };

    for (uint32_t i = 0; i < 8 * 5; i++) {
        check_level(specs[i / 5], schemes[i % 5], i % 3 + 2, i, false);
    }
}

TEST(level_obeys_turns)
{
    static const char *const specs[] = { "sf:q=4", "sf:q=5", "hx2:4x5",
                                         "pf:q=4" };

    for (uint32_t i = 0; i < 4 * 4; i++) {
        check_level(specs[i % 4], i / 4 % 2 ? "minimal" : "gates", i % 3 + 2,
                    i, true);
    }
}

/* A star of paths that could be even: two ways of the same length, of which
 * the scheme took one for all. */
TEST(level_spreads_over_ways_of_the_same_length)
{
    struct work work =
        begin("ft2:leaf=4,core=2,up=1", "minimal", 1, 1, false, false);
    const struct sf_graph *graph = work.topo->graph;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        work.weights[s] = s < 4;
        for (uint32_t d = 0; d < 4; d++) {
            if (s < 4 && s != d) {
                sf_layers_tree(work.layers, 0, d)[s] = 0;
            }
        }
    }
    sf_layers_loads(work.layers, graph, work.weights, work.loads);
    CHECK_EQ(most_load(&work), 3);
    level(&work);
    CHECK_EQ(most_load(&work), 2);
    end(&work);
}

/* Whether 's' has three layers to 'd', more than a hop away, of which no two
 * share a first or last link; counted as layers come. */
static bool
is_rich(const struct work *work, uint32_t s, uint32_t d)
{
    const struct sf_graph *graph = work->topo->graph;
    uint32_t first[3], last[3], n = 0;

    for (uint32_t l = 0; n < 3 && l < work->layers->n_layers; l++) {
        uint32_t begin = sf_layers_arc(work->layers, graph, l, s, d), arc;
        for (arc = begin; graph->arcs[arc].to != d;) {
            arc =
                sf_layers_arc(work->layers, graph, l, graph->arcs[arc].to, d);
        }
        bool is_other = true;
        for (uint32_t i = 0; i < n; i++) {
            is_other = is_other && first[i] != begin && last[i] != arc;
        }
        first[n] = begin;
        last[n] = arc;
        n += is_other;
    }
    return n == 3;
}

/* Pairs of switches with hosts, more than a hop apart, that are not rich. */
static uint32_t
count_poor(const struct work *work)
{
    const struct sf_graph *graph = work->topo->graph;
    uint32_t n_poor = 0;

    for (uint32_t i = 0; i < graph->n_nodes * graph->n_nodes; i++) {
        uint32_t s = i / graph->n_nodes, d = i % graph->n_nodes;
        n_poor +=
            s != d && work->weights[s] > 0 && work->weights[d] > 0 &&
            graph->arcs[sf_layers_arc(work->layers, graph, 0, s, d)].to != d &&
            !is_rich(work, s, d);
    }
    return n_poor;
}

/* Lets the leaf 's' take the first hop of layer 0 in 'layer', if it may. */
static void
follow_layer_0(struct work *work, uint32_t layer, uint32_t s, uint32_t d)
{
    const struct sf_graph *graph = work->topo->graph;
    uint32_t path[16] = { sf_layers_arc(work->layers, graph, 0, s, d) };
    uint32_t n = sf_tree_follow(&work->job, layer, graph->arcs[path[0]].to, d,
                                work->layers->max_hops - 1, path + 1);

    if (n != SF_NONE && sf_tree_is_leaf(&work->job, layer, d, s) &&
        sf_path_is_allowed(&work->job, path, n + 1)) {
        sf_layers_tree(work->layers, layer, d)[s] =
            sf_layers_tree(work->layers, 0, d)[s];
    }
}

/* Lets some pairs have the path of layer 0 in other layers, too. */
static void
make_poor(struct work *work, uint64_t seed, uint32_t n_pairs)
{
    const struct sf_graph *graph = work->topo->graph;
    struct sf_random random;

    sf_random_init(&random, seed, 98);
    for (uint32_t i = 0; i < n_pairs; i++) {
        uint32_t s = sf_random_below(&random, graph->n_nodes);
        uint32_t d = sf_random_below(&random, graph->n_nodes);
        for (uint32_t l = 1; s != d && l < work->layers->n_layers; l++) {
            follow_layer_0(work, l, s, d);
        }
    }
    sf_layers_loads(work->layers, graph, work->weights, work->loads);
}

/* Makes pairs poor and helps them; returns how many are left of how many. */
static uint32_t
check_help(const char *spec, uint32_t n_layers, uint64_t seed, bool with_turns,
           uint32_t *n_beforep)
{
    struct work work = begin(spec, "gates", n_layers, seed, with_turns, true);
    const struct sf_graph *graph = work.topo->graph;
    struct sf_layers_claims claims = { .max_hops = work.layers->max_hops,
                                       .minimal_first = true,
                                       .turns = work.turns };
    uint64_t *recount = sf_calloc(work.n_arcs, sizeof *recount);
    struct sf_error err = { 0 };

    CHECK(recount != NULL);
    set_job(&work);
    make_poor(&work, seed, 8);
    *n_beforep = count_poor(&work);
    CHECK_EQ(sf_layers_help_poor(&work.job, work.weights, work.loads, NULL),
             SF_OK);
    CHECK_FOR(sf_layers_check(work.layers, graph, &claims, &err) == SF_OK,
              "%s: %s", spec, err.text);
    sf_layers_loads(work.layers, graph, work.weights, recount);
    CHECK_FOR(!memcmp(recount, work.loads, work.n_arcs * sizeof *recount),
              "%s: loads are not kept", spec);
    uint32_t n_left = count_poor(&work);
    CHECK_FOR(n_left <= *n_beforep, "%s: %u poor pairs, before %u", spec,
              n_left, *n_beforep);
    free(recount);
    end(&work);
    return n_left;
}

TEST(poor_pairs_are_helped)
{
    static const char *const specs[] = { "sf:q=5",     "hx2:5x5",
                                         "pf:q=5",     "sf:q=4",
                                         "df:a=4,h=2", "jellyfish:n=30,k=5" };
    uint32_t n_before = 0, n_left = 0;

    for (uint32_t i = 0; i < 4 * ARRAY_SIZE(specs); i++) {
        const char *spec = specs[i / 4];
        uint32_t n_poor;
        uint32_t left =
            check_help(spec, 4 + i % 2, i, i % 4 < 2 && i / 4 < 4, &n_poor);
        if (n_poor <= 10) {
            n_before += n_poor;
            n_left += left;
        }
    }
    CHECK_FOR(n_before > 20, "%u poor pairs", n_before);
    CHECK_FOR(5 * n_left <= n_before, "%u of %u poor pairs are left", n_left,
              n_before);
}
