/* test_share.c -- layers for equal shares, judged by sums over all paths. */
#include "../oracle/routing_oracle.h"
#include "base/mem.h"
#include "helpers.h"
#include "layers/share_parts.h"
#include "slimfly/lanes.h"
#include "slimfly/random.h"
#include "slimfly/topology.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Complete layers, and all that a scheme would have with them. */
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

static void
design_turns(struct work *work)
{
    struct sf_lanes_params lanes = { .max_vls = 4, .seed = 1 };
    struct sf_network *network = network_of(work->topo->graph, NULL);

    CHECK_EQ(sf_turns_design(network, &lanes, work->params.n_layers - 1,
                             &work->turns, NULL),
             SF_OK);
    sf_network_free(network);
    work->params.turns = work->turns;
}

static struct work
begin(const char *spec, const char *scheme, uint32_t n_layers, uint64_t seed,
      bool with_turns)
{
    struct work work = {
        .params = { .scheme = scheme, .n_layers = n_layers, .seed = seed }
    };
    struct sf_error err = { 0 };
    struct sf_random random;

    CHECK_EQ(sf_topology_build(spec, &work.topo, NULL), SF_OK);
    const struct sf_graph *graph = work.topo->graph;
    work.n_arcs = 2 * (size_t)graph->n_links;
    work.weights = sf_calloc(graph->n_nodes, sizeof *work.weights);
    work.limits = sf_calloc(graph->n_nodes, sizeof *work.limits);
    work.reverse = sf_calloc(work.n_arcs, sizeof *work.reverse);
    work.loads = sf_calloc(work.n_arcs, sizeof *work.loads);
    CHECK(work.weights && work.limits && work.reverse && work.loads);
    if (with_turns) {
        design_turns(&work);
    }
    /* Some switches carry nothing, some much. */
    sf_random_init(&random, seed, 99);
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        work.weights[s] = sf_random_below(&random, 4);
    }
    CHECK_FOR(build_layers(graph, work.weights, &work.params, &work.layers,
                           &err) == SF_OK,
              "%s: %s", spec, err.text);
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        work.limits[s] = work.layers->max_hops;
    }
    sf_graph_pair_arcs(graph, work.reverse);
    sf_layers_loads(work.layers, graph, work.weights, work.loads);
    return work;
}

static enum sf_status
share(struct work *work, uint32_t overlap)
{
    work->job = (struct sf_layer_job){ .graph = work->topo->graph,
                                       .params = &work->params,
                                       .seed = work->params.seed,
                                       .weights = work->weights,
                                       .reverse = work->reverse,
                                       .max_hops = work->layers->max_hops,
                                       .limits = work->limits,
                                       .layers = work->layers };
    return sf_layers_share(&work->job, work->weights, overlap, work->loads,
                           NULL);
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

/* Sums over all paths, walked one by one. */
struct sums {
    double hops;    /* Links of all paths. */
    double squares; /* Of the paths of a pair over a link. */
    double most;    /* Load of the most loaded link. */
    double power;   /* Sum of the sixteenth powers of loads over mean. */
};

static struct sums
add_up(const struct work *work)
{
    const struct sf_graph *graph = work->topo->graph;
    uint32_t n = graph->n_nodes;
    double *loads = calloc(work->n_arcs, sizeof *loads);
    double *pair = calloc(work->n_arcs, sizeof *pair);
    struct sums sums = { 0 };

    CHECK(loads && pair);
    for (uint32_t i = 0; i < n * n; i++) {
        uint32_t s = i / n, d = i % n;
        double weight = (double)work->weights[s] * work->weights[d];
        memset(pair, 0, work->n_arcs * sizeof *pair);
        for (uint32_t l = 0; l < work->layers->n_layers; l++) {
            for (uint32_t at = s; at != d;) {
                uint32_t arc = sf_layers_arc(work->layers, graph, l, at, d);
                sums.hops += weight;
                pair[arc]++;
                at = graph->arcs[arc].to;
            }
        }
        for (size_t a = 0; a < work->n_arcs; a++) {
            loads[a] += weight * pair[a];
            sums.squares += weight * pair[a] * pair[a];
        }
    }
    for (size_t a = 0; a < work->n_arcs; a++) {
        sums.most = fmax(sums.most, loads[a]);
        sums.power += pow(loads[a] * (double)work->n_arcs / sums.hops, 16);
    }
    free(pair);
    free(loads);
    return sums;
}

static void
check_share(const char *spec, const char *scheme, uint32_t n_layers,
            uint64_t seed, bool with_turns)
{
    struct work work = begin(spec, scheme, n_layers, seed, with_turns);
    const struct sf_graph *graph = work.topo->graph;
    uint64_t *recount = sf_calloc(work.n_arcs, sizeof *recount);
    uint32_t overlap = (uint32_t)(seed % 4 * seed % 4 * 100);
    struct sf_error err = { 0 };

    CHECK(recount != NULL);
    CHECK_EQ(share(&work, overlap), SF_OK);
    struct sf_layers_claims claims = { .max_hops = work.layers->max_hops,
                                       .minimal_first = true,
                                       .turns = work.turns };
    CHECK_FOR(sf_layers_check(work.layers, graph, &claims, &err) == SF_OK,
              "%s, %s: %s", spec, scheme, err.text);
    CHECK_FOR(oracle_is_valid(work.layers, graph, work.layers->max_hops, true),
              "%s, %s: the oracle disagrees", spec, scheme);
    sf_layers_loads(work.layers, graph, work.weights, recount);
    CHECK_FOR(!memcmp(recount, work.loads, work.n_arcs * sizeof *recount),
              "%s, %s: loads are not kept", spec, scheme);
    free(recount);
    end(&work);
}

TEST(share_keeps_what_layers_promise)
{
    static const char *const specs[] = {
        "sf:q=4",     "sf:q=5",      "hx2:4x5", "hx2:3x3,links=2",
        "df:a=4,h=2", "ft2:ports=6", "pf:q=4",  "jellyfish:n=30,k=4",
    };
    static const char *const schemes[] = { "gates", "minimal", "rues" };

    for (uint32_t i = 0; i < 8 * 3; i++) {
        check_share(specs[i / 3], schemes[i % 3], i % 3 + 1 + i / 12, i,
                    false);
    }
}

TEST(share_obeys_turns)
{
    static const char *const specs[] = { "sf:q=4", "sf:q=5", "hx2:4x5",
                                         "pf:q=4" };

    for (uint32_t i = 0; i < 8; i++) {
        check_share(specs[i % 4], i / 4 ? "minimal" : "gates", i % 3 + 2, i,
                    true);
    }
}

/* What overlap costs decides between short paths and paths apart. */
TEST(share_trades_length_for_overlap)
{
    static const char *const specs[] = { "sf:q=5", "hx2:4x5", "pf:q=5",
                                         "jellyfish:n=40,k=6" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sums sums[3];
        struct sums before = { 0 };
        for (uint32_t k = 0; k < 3; k++) {
            static const uint32_t overlaps[] = { 0, 128, 2048 };
            struct work work = begin(specs[i], "gates:for=split", 4, i, false);
            before = add_up(&work);
            CHECK_EQ(share(&work, overlaps[k]), SF_OK);
            sums[k] = add_up(&work);
            end(&work);
        }
        CHECK_FOR(sums[0].most < before.most, "%s", specs[i]);
        CHECK_FOR(sums[0].hops < sums[1].hops, "%s", specs[i]);
        CHECK_FOR(sums[1].hops < sums[2].hops, "%s", specs[i]);
        CHECK_FOR(sums[0].squares > sums[1].squares, "%s", specs[i]);
        CHECK_FOR(sums[1].squares > sums[2].squares, "%s", specs[i]);
        CHECK_FOR(sums[1].power < before.power, "%s", specs[i]);
    }
}

/* The 50-switch Slim Fly has one shortest path for each pair, and with these
 * alone even loads: nothing else is as good for all-to-all. */
TEST(share_for_all_to_all_finds_the_shortest_paths)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct work work = begin("sf:q=5", "gates:for=split", 4, seed, false);
        for (uint32_t s = 0; s < 50; s++) {
            work.weights[s] = 1;
        }
        sf_layers_loads(work.layers, work.topo->graph, work.weights,
                        work.loads);
        CHECK_EQ(share(&work, 0), SF_OK);
        struct sums sums = add_up(&work);
        CHECK_NEAR(sums.hops, 4 * 50 * (7 + 42 * 2), 0);
        CHECK_NEAR(sums.most, 4 * 13, 0);
        end(&work);
    }
}

/* Two ways around a ring: with much overlap the second layer goes the other
 * way wherever a tree allows it, without any the short way. */
TEST(share_on_a_ring)
{
    for (uint32_t k = 0; k < 2; k++) {
        struct work work = begin("jellyfish:n=3,k=2", "gates", 2, 1, false);
        for (uint32_t s = 0; s < 3; s++) {
            work.weights[s] = 1;
        }
        sf_layers_loads(work.layers, work.topo->graph, work.weights,
                        work.loads);
        CHECK_EQ(share(&work, k * 10000), SF_OK);
        struct sums sums = add_up(&work);
        /* Of two sources only one can go around: over the other. */
        CHECK_NEAR(sums.hops, k ? 6 + 3 * (1 + 2) : 12, 0);
        CHECK_NEAR(sums.squares, k ? 3 * (2 * 2 + 1 + 1 + 1) : 6 * 4, 0);
        end(&work);
    }
}

TEST(share_is_the_same_for_a_seed_and_any_threads)
{
    struct sf_topology *topo = build("sf:q=5");
    struct sf_layers_params params = { .scheme = "gates:for=mixed",
                                       .n_layers = 4,
                                       .seed = 3 };
    size_t size = 4 * 50 * 50 * sizeof(uint16_t);
    struct sf_layers *layers[3];

    for (uint32_t i = 0; i < 3; i++) {
        params.n_threads = i + 1;
        params.seed = i < 2 ? 3 : 4;
        CHECK_EQ(build_layers(topo->graph, topo->n_hosts, &params, &layers[i],
                              NULL),
                 SF_OK);
    }
    CHECK(!memcmp(layers[0]->hops, layers[1]->hops, size));
    CHECK(memcmp(layers[0]->hops, layers[2]->hops, size) != 0);
    for (uint32_t i = 0; i < 3; i++) {
        sf_layers_free(layers[i]);
    }
    sf_topology_free(topo);
}

/* Only the last choice takes paths of 4 hops, and a limit holds for it. */
TEST(share_of_the_choices_of_gates)
{
    static const struct {
        const char *scheme;
        uint32_t max_hops, expected;
    } cases[] = {
        { "gates", 0, 3 },
        { "gates:for=split", 0, 3 },
        { "gates:for=uniform", 0, 3 },
        { "gates:for=mixed", 0, 3 },
        { "gates:for=adversarial", 0, 4 },
        { "gates:for=adversarial", 3, 3 },
    };
    struct sf_topology *topo = build("sf:q=5");

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_layers_params params = { .scheme = cases[i].scheme,
                                           .n_layers = 3,
                                           .max_hops = cases[i].max_hops };
        struct sf_layers *layers;
        CHECK_EQ(build_layers(topo->graph, NULL, &params, &layers, NULL),
                 SF_OK);
        CHECK_EQ(layers->max_hops, cases[i].expected);
        CHECK(oracle_is_valid(layers, topo->graph, layers->max_hops, true));
        sf_layers_free(layers);
    }
    sf_topology_free(topo);
}

/* What share.c would have in the middle of its work. */
static struct sf_sharing
begin_sharing(struct work *work)
{
    const struct sf_graph *graph = work->topo->graph;
    size_t n = graph->n_nodes;
    struct sf_sharing sharing = { .job = &work->job,
                                  .grain = 1,
                                  .unit = 1,
                                  .unit_cost = 5,
                                  .target = 40,
                                  .power = 4 };

    work->job =
        (struct sf_layer_job){ .graph = graph, .layers = work->layers };
    sharing.uses = sf_calloc(work->n_arcs, sizeof *sharing.uses);
    sharing.costs = sf_calloc(SF_SHARE_N_COSTS, sizeof *sharing.costs);
    sharing.steps = sf_calloc(SF_SHARE_N_COSTS, sizeof *sharing.steps);
    sharing.places = sf_calloc(n, sizeof *sharing.places);
    sharing.parents =
        sf_calloc(n * work->layers->n_layers, sizeof *sharing.parents);
    CHECK(sharing.uses && sharing.costs && sharing.steps && sharing.places &&
          sharing.parents);
    memset(sharing.costs, 0xff, SF_SHARE_N_COSTS * sizeof *sharing.costs);
    memset(sharing.steps, 0xff, SF_SHARE_N_COSTS * sizeof *sharing.steps);
    for (uint32_t i = 0; i < work->n_arcs; i++) {
        sharing.uses[i].load = 1 + i * 7 % 80;
    }
    for (uint32_t k = 0; k < SF_MAX_LAYERS; k++) {
        sharing.overlaps[k] = 1000 * k * k;
    }
    return sharing;
}

static void
end_sharing(struct sf_sharing *sharing)
{
    free(sharing->parents);
    free(sharing->places);
    free(sharing->steps);
    free(sharing->costs);
    free(sharing->uses);
}

static bool
uses_arc(const struct sf_sharing *sharing, uint32_t layer, uint32_t s,
         uint32_t wanted)
{
    const struct sf_graph *graph = sharing->job->graph;

    while (s != sharing->destination) {
        uint32_t arc = sf_layers_arc(sharing->job->layers, graph, layer, s,
                                     sharing->destination);
        if (arc == wanted) {
            return true;
        }
        s = graph->arcs[arc].to;
    }
    return false;
}

/* What 's' pays for its way, arc by arc and layer by layer. */
static uint64_t
pays(const struct sf_sharing *sharing, uint32_t s)
{
    const struct sf_graph *graph = sharing->job->graph;
    uint64_t sum = 0;

    for (uint32_t v = s; v != sharing->destination;) {
        uint32_t arc = sf_layers_arc(sharing->job->layers, graph,
                                     sharing->layer, v, sharing->destination);
        uint32_t n_others = 0, load = sharing->uses[arc].load;
        for (uint32_t l = 0; l < sharing->job->layers->n_layers; l++) {
            n_others += l != sharing->layer && uses_arc(sharing, l, s, arc);
        }
        sum += sf_share_cost(load, sharing->target, sharing->power) -
               sf_share_cost(load - 1, sharing->target, sharing->power) +
               sharing->unit_cost + 1000 * n_others * n_others;
        v = graph->arcs[arc].to;
    }
    return sum;
}

static void
set_tree(struct sf_sharing *sharing, uint32_t layer, uint32_t d)
{
    const struct sf_graph *graph = sharing->job->graph;
    uint32_t n = graph->n_nodes;

    sharing->layer = layer;
    sharing->destination = d;
    sharing->hops = sf_layers_tree(sharing->job->layers, layer, d);
    for (uint32_t i = 0; i < n * sharing->job->layers->n_layers; i++) {
        uint32_t s = i % n, l = i / n;
        sharing->parents[i] =
            s == d ? s
                   : graph
                         ->arcs[sf_layers_arc(sharing->job->layers, graph, l,
                                              s, d)]
                         .to;
    }
    for (uint32_t s = 0; s < n; s++) {
        uint16_t depth = 0;
        for (uint32_t v = s; v != d; depth++) {
            v = sf_share_parents(sharing, layer)[v];
        }
        sharing->places[s] = (struct sf_share_place){
            .parent = sf_share_parents(sharing, layer)[s], .depth = depth
        };
    }
}

/* Leaves keep their ways up to what these cost, counted one by one. */
TEST(share_leaves_alone_who_pays_little)
{
    static const char *const specs[] = { "sf:q=4", "hx2:3x4,links=2" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct work work = begin(specs[i], "gates:for=uniform", 4, i, false);
        struct sf_sharing sharing = begin_sharing(&work);
        uint32_t n = work.topo->graph->n_nodes;
        for (uint32_t k = 0; k < n * n * 4; k++) {
            uint32_t s = k % n;
            if (s == 0) {
                set_tree(&sharing, k / n / n, k / n % n);
            }
            if (s == sharing.destination) {
                continue;
            }
            uint64_t cost = pays(&sharing, s);
            sharing.well = 0;
            CHECK(!sf_share_is_leaf_well(&sharing, s));
            sharing.well = cost;
            CHECK(sf_share_is_leaf_well(&sharing, s));
            sharing.well = cost - 1;
            CHECK(!sf_share_is_leaf_well(&sharing, s));
        }
        end_sharing(&sharing);
        end(&work);
    }
}

TEST(share_survives_failed_allocations)
{
    struct work work = begin("hx2:3x3", "gates", 2, 1, false);
    enum sf_status status;
    unsigned long nth = 0;

    do {
        sf_mem_fail_at(++nth);
        status = share(&work, 64);
        CHECK(status == SF_OK || status == SF_ENOMEM);
    } while (status != SF_OK);
    sf_mem_fail_at(0);
    CHECK_EQ(nth, 18); /* Seventeen allocations. */
    end(&work);
}
