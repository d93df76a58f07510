/* test_layers.c -- what every layer scheme promises, and how good ours is. */
#include "../oracle/routing_oracle.h"
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/random.h"
#include "slimfly/routing.h"
#include "slimfly/topology.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static struct sf_topology *
build_topology(const char *spec)
{
    struct sf_topology *topo;
    struct sf_error err = { 0 };
    enum sf_status status = sf_topology_build(spec, &topo, &err);
    CHECK_FOR(status == SF_OK, "%s", err.text);
    return topo;
}

static struct sf_layers *
layers_of(const struct sf_topology *topo,
          const struct sf_layers_params *params)
{
    struct sf_layers *layers;
    struct sf_error err = { 0 };
    enum sf_status status =
        build_layers(topo->graph, topo->n_hosts, params, &layers, &err);
    CHECK_FOR(status == SF_OK, "%s, %s: %s", topo->spec, params->scheme,
              err.text);
    return layers;
}

/* Checks layers with the library's checker and with the oracle. */
static void
check_valid(const struct sf_layers *layers, const struct sf_graph *graph,
            const struct sf_layers_params *params)
{
    struct sf_error err = { 0 };
    struct sf_layer_spec spec;
    CHECK_EQ(sf_layer_spec_parse(params->scheme, 0, &spec, NULL), SF_OK);
    struct sf_layers_claims claims = { .max_hops = layers->max_hops,
                                       .minimal_first = spec.minimal_first,
                                       .within_parts = params->within_parts,
                                       .turns = params->turns };

    CHECK_FOR(sf_layers_check(layers, graph, &claims, &err) == SF_OK, "%s: %s",
              params->scheme, err.text);
    CHECK_FOR(
        oracle_is_valid(layers, graph, layers->max_hops, spec.minimal_first),
        "%s: the oracle disagrees", params->scheme);
}

/* Whether 'scheme' is for any graph. */
static bool
is_general(const struct sf_layer_scheme *scheme)
{
    return strcmp(scheme->name, "ftree") != 0;
}

TEST(layers_are_valid_on_all_families)
{
    static const char *const specs[] = {
        "sf:q=4",
        "sf:q=5",
        "sf:q=7",
        "hx2:5x4",
        "hx2:4x4,links=2",
        "hx2:3x3,links=5", /* More links on a switch than switches. */
        "df:a=4,h=2,p=2",
        "pf:q=5",
        "xpander:k=5,lift=5",
        "jellyfish:n=40,k=4,seed=2",
        "ft2:leaf=6,core=3,up=2,p=6",
        "ft3:ports=4",
    };
    static const uint32_t n_layers[] = { 1, 2, 3, 4, 8 };

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct sf_topology *topo = build_topology(specs[i]);
        for (size_t j = 0; sf_layer_schemes[j]; j++) {
            const struct sf_layer_scheme *scheme = sf_layer_schemes[j];
            bool fits = is_general(scheme) || strncmp(specs[i], "ft", 2) == 0;
            for (size_t k = 0; fits && k < ARRAY_SIZE(n_layers); k++) {
                struct sf_layers_params params = { .scheme = scheme->name,
                                                   .n_layers = n_layers[k],
                                                   .seed = 10 * k + j };
                struct sf_layers *layers = layers_of(topo, &params);
                CHECK_EQ(layers->n_layers, n_layers[k]);
                check_valid(layers, topo->graph, &params);
                sf_layers_free(layers);
            }
        }
        sf_topology_free(topo);
    }
}

/* Random graphs of few switches and many parallel links. */
TEST(layers_are_valid_with_many_parallel_links)
{
    struct sf_random random;

    sf_random_init(&random, 6, 0);
    for (uint32_t trial = 0; trial < 40; trial++) {
        struct sf_link links[60];
        uint32_t n = 3 + sf_random_below(&random, 4), n_links = n - 1;
        struct sf_graph *graph;
        for (uint32_t i = 0; i < n - 1; i++) {
            links[i] =
                (struct sf_link){ i + 1, sf_random_below(&random, i + 1) };
        }
        while (n_links < ARRAY_SIZE(links)) {
            uint32_t a = sf_random_below(&random, n);
            uint32_t b = sf_random_below(&random, n);
            uint32_t n_same = 1 + sf_random_below(&random, 12);
            while (a != b && n_same-- > 0 && n_links < ARRAY_SIZE(links)) {
                links[n_links++] = (struct sf_link){ a, b };
            }
        }
        CHECK_EQ(sf_graph_build(n, links, n_links, &graph, NULL), SF_OK);
        for (size_t j = 0; sf_layer_schemes[j]; j++) {
            struct sf_layers_params params = {
                .scheme = sf_layer_schemes[j]->name,
                .n_layers = 2 + trial % 4,
                .seed = trial,
            };
            struct sf_layers *layers;
            if (!is_general(sf_layer_schemes[j])) {
                continue;
            }
            CHECK_EQ(build_layers(graph, NULL, &params, &layers, NULL), SF_OK);
            check_valid(layers, graph, &params);
            sf_layers_free(layers);
        }
        sf_graph_free(graph);
    }
}

/* Switches without links are parts by themselves, for every scheme. */
TEST(layers_of_switches_without_links)
{
    static const struct sf_link none[1];
    static const uint32_t n_hosts[] = { 0, 2, 0 };
    struct sf_graph *graph;

    CHECK_EQ(sf_graph_build(3, none, 0, &graph, NULL), SF_OK);
    for (size_t j = 0; sf_layer_schemes[j]; j++) {
        for (uint32_t n_layers = 1; n_layers < 4; n_layers++) {
            struct sf_layers_params params = {
                .scheme = sf_layer_schemes[j]->name,
                .n_layers = n_layers,
                .within_parts = true,
            };
            struct sf_layers *layers;
            CHECK_EQ(build_layers(graph, n_hosts, &params, &layers, NULL),
                     SF_OK);
            for (uint32_t i = 0; i < n_layers * 9; i++) {
                CHECK_EQ(layers->hops[i], SF_NO_HOP);
            }
            sf_layers_free(layers);
        }
    }
    sf_graph_free(graph);
}

/* A pair whose path would be too long goes minimally; the others towards the
 * same destination keep their almost-minimal paths. */
TEST(layers_paper_falls_back_pair_by_pair)
{
    static const char *const specs[] = { "sf:q=7", "sf:q=8", "df:a=4,h=2" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_topology *topo = build_topology(specs[i]);
        struct sf_layers_params params = { .scheme = "paper", .n_layers = 8 };
        struct sf_layers *layers = layers_of(topo, &params);
        size_t size = topo->graph->n_nodes * sizeof(uint16_t);
        for (uint32_t d = 0; d < topo->graph->n_nodes; d++) {
            const uint16_t *first = sf_layers_tree(layers, 0, d);
            for (uint32_t l = 1; l < params.n_layers; l++) {
                CHECK_FOR(memcmp(sf_layers_tree(layers, l, d), first, size),
                          "%s: layer %u is all minimal towards %u", specs[i],
                          l, d);
            }
        }
        check_valid(layers, topo->graph, &params);
        sf_layers_free(layers);
        sf_topology_free(topo);
    }
}

/* Path sets of one seed are not those of the next. */
TEST(layers_of_neighbouring_seeds_share_no_path_sets)
{
    struct sf_topology *topo = build_topology("sf:q=4");
    size_t size =
        2 * sizeof(uint16_t) * topo->graph->n_nodes * topo->graph->n_nodes;

    for (size_t j = 0; sf_layer_schemes[j]; j++) {
        struct sf_layers_params params = { .scheme = sf_layer_schemes[j]->name,
                                           .n_layers = 2,
                                           .seed = 1,
                                           .n_sets = 2,
                                           .set = 1 };
        if (!is_general(sf_layer_schemes[j])) {
            continue;
        }
        struct sf_layers *one = layers_of(topo, &params);
        params.seed = 2;
        params.set = 0;
        struct sf_layers *two = layers_of(topo, &params);
        CHECK_FOR(memcmp(one->hops, two->hops, size) != 0, "%s",
                  params.scheme);
        sf_layers_free(two);
        sf_layers_free(one);
    }
    sf_topology_free(topo);
}

TEST(layers_are_the_same_for_a_seed_and_any_threads)
{
    struct sf_topology *topo = build_topology("sf:q=7");
    size_t size =
        3 * sizeof(uint16_t) * topo->graph->n_nodes * topo->graph->n_nodes;

    for (size_t i = 0; sf_layer_schemes[i]; i++) {
        struct sf_layers_params params = { .scheme = sf_layer_schemes[i]->name,
                                           .n_layers = 3,
                                           .seed = 11 };
        if (!is_general(sf_layer_schemes[i])) {
            continue;
        }
        struct sf_layers *first = layers_of(topo, &params);
        for (params.n_threads = 1; params.n_threads < 6;
             params.n_threads += 2) {
            struct sf_layers *again = layers_of(topo, &params);
            CHECK_FOR(memcmp(first->hops, again->hops, size) == 0,
                      "%s differs with %u threads", params.scheme,
                      params.n_threads);
            sf_layers_free(again);
        }
        params.seed = 12;
        struct sf_layers *other = layers_of(topo, &params);
        CHECK_FOR(memcmp(first->hops, other->hops, size) != 0,
                  "%s does not heed the seed", params.scheme);
        sf_layers_free(other);
        sf_layers_free(first);
    }
    sf_topology_free(topo);
}

TEST(layers_refuse_what_cannot_be)
{
    struct sf_topology *topo = build_topology("sf:q=5");
    struct sf_layers *layers;
    struct sf_error err;
    static const struct {
        struct sf_layers_params params;
        enum sf_status status;
        const char *says;
    } cases[] = {
        { { .scheme = "nonsense", .n_layers = 1 }, SF_EINVAL, "nonsense" },
        { { .n_layers = 0 }, SF_EINVAL, "0 layers" },
        { { .n_layers = 129 }, SF_EINVAL, "129 layers" },
        { { .n_layers = 2, .max_hops = 1 }, SF_EUNREACHABLE, "diameter is 2" },
        { { .scheme = "paper:min-hops=4", .n_layers = 2 },
          SF_EINVAL,
          "there are none" },
        { { .scheme = "ftree", .n_layers = 2 }, SF_EINVAL, "not a Fat Tree" },
        { { .scheme = "rues:1.5", .n_layers = 2 },
          SF_EINVAL,
          "rues:1.5: fraction = 1.5: expected a number above 0 and up to 1" },
        { { .scheme = "updown", .n_layers = 2, .max_hops = 2 },
          SF_EUNREACHABLE,
          "the limit is 2" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_EQ(
            build_layers(topo->graph, NULL, &cases[i].params, &layers, &err),
            cases[i].status);
        CHECK(layers == NULL);
        CHECK_FOR(strstr(err.text, cases[i].says), "%s", err.text);
    }
    sf_topology_free(topo);
}

TEST(layers_of_a_disconnected_graph)
{
    /* A triangle with a tail, a pair, a single switch. */
    static const struct sf_link links[] = {
        { 0, 1 }, { 1, 2 }, { 0, 2 }, { 2, 3 }, { 4, 5 },
    };
    struct sf_graph *graph;
    CHECK_EQ(sf_graph_build(7, links, 5, &graph, NULL), SF_OK);

    for (size_t i = 0; sf_layer_schemes[i]; i++) {
        struct sf_layers_params params = { .scheme = sf_layer_schemes[i]->name,
                                           .n_layers = 3 };
        struct sf_layers *layers;
        struct sf_error err;
        if (!is_general(sf_layer_schemes[i])) {
            continue;
        }
        CHECK_EQ(build_layers(graph, NULL, &params, &layers, &err),
                 SF_EUNREACHABLE);
        CHECK_FOR(strstr(err.text, "3 parts") &&
                      strstr(err.text, "4 with switch 0, 2 with switch 4, "
                                       "1 with switch 6"),
                  "%s", err.text);
        params.within_parts = true;
        CHECK_EQ(build_layers(graph, NULL, &params, &layers, &err), SF_OK);
        check_valid(layers, graph, &params);
        sf_layers_free(layers);
    }
    sf_graph_free(graph);
}

/* Random VLs for all turns of 'graph' and random ranks above those of VL 0,
 * which leaves all paths of two hops. */
static struct sf_turns *
draw_turns(const struct sf_graph *graph, uint32_t n_vls, uint64_t seed)
{
    struct sf_random random;
    struct sf_turns *turns;
    size_t n_turns = 0;

    CHECK_EQ(sf_turns_make(graph, n_vls, &turns, NULL), SF_OK);
    sf_random_init(&random, seed, 0);
    for (uint32_t v = 0; v < graph->n_nodes; v++) {
        n_turns +=
            (size_t)sf_graph_degree(graph, v) * sf_graph_degree(graph, v);
    }
    for (size_t i = 0; i < n_turns; i++) {
        turns->vls[i] = (uint8_t)(1 + sf_random_below(&random, n_vls - 1));
    }
    for (size_t i = 0; i < (size_t)2 * graph->n_links * n_vls; i++) {
        turns->ranks[i] =
            i % n_vls == 0 ? 0 : 1 + sf_random_below(&random, 50);
    }
    return turns;
}

TEST(layers_obey_turns)
{
    static const char *const specs[] = { "sf:q=5", "sf:q=7",
                                         "hx2:4x4,links=2" };

    for (size_t i = 0; i < 12; i++) {
        struct sf_topology *topo = build_topology(specs[i % 3]);
        struct sf_turns *turns =
            draw_turns(topo->graph, 2 + (uint32_t)i % 4, i);
        struct sf_layers_params params = {
            .scheme = i % 6 < 3 ? "gates" : "minimal",
            .n_layers = 4,
            .max_hops = i % 2 ? 4 : 0,
            .turns = turns,
        };
        struct sf_layers *layers = layers_of(topo, &params);
        check_valid(layers, topo->graph, &params);
        sf_layers_free(layers);
        sf_turns_free(turns);
        sf_topology_free(topo);
    }
}

TEST(layers_refuse_turns_that_leave_no_path)
{
    struct sf_topology *topo = build_topology("sf:q=5");
    struct sf_turns *turns = draw_turns(topo->graph, 2, 1);
    struct sf_layers_params params = { .n_layers = 2, .turns = turns };
    struct sf_layers *layers;
    struct sf_error err;

    memset(turns->vls, SF_NO_TURN, 7); /* From the first link of switch 0. */
    CHECK_EQ(build_layers(topo->graph, NULL, &params, &layers, &err),
             SF_EUNREACHABLE);
    CHECK_FOR(strstr(err.text, "turns"), "%s", err.text);
    params.scheme = "paper";
    CHECK_EQ(build_layers(topo->graph, NULL, &params, &layers, &err),
             SF_EINVAL);
    sf_turns_free(turns);
    sf_topology_free(topo);
}

/* Every single changed hop is found, or harmless to the oracle too. */
TEST(layers_checker_finds_mutations)
{
    struct sf_topology *topo = build_topology("sf:q=4");
    struct sf_layers_params params = { .n_layers = 3 };
    struct sf_layers *layers = layers_of(topo, &params);
    struct sf_layers_claims claims = { .max_hops = 3, .minimal_first = true };
    struct sf_random random;
    uint32_t n = topo->graph->n_nodes, n_harmful = 0;

    sf_random_init(&random, 5, 0);
    for (int i = 0; i < 300; i++) {
        uint16_t *hop = &layers->hops[sf_random_below(&random, 3 * n * n)];
        uint16_t old = *hop;
        *hop = i % 10 ? (uint16_t)sf_random_below(&random, 8) : SF_NO_HOP;
        bool sound =
            sf_layers_check(layers, topo->graph, &claims, NULL) == SF_OK;
        CHECK_EQ(sound, oracle_is_valid(layers, topo->graph, 3, true));
        n_harmful += !sound;
        *hop = old;
    }
    CHECK(n_harmful > 50);
    sf_layers_free(layers);
    sf_topology_free(topo);
}

TEST(layers_checker_names_switches)
{
    struct sf_topology *topo = build_topology("sf:q=3");
    struct sf_layers_params params = { .n_layers = 1 };
    struct sf_layers *layers = layers_of(topo, &params);
    struct sf_layers_claims claims = { 0 };
    uint32_t n = topo->graph->n_nodes;
    char *names[18], east[] = "east", west[] = "west";
    struct sf_error err;

    CHECK_EQ(n, ARRAY_SIZE(names));
    for (uint32_t i = 0; i < n; i++) {
        names[i] = i == 1 ? east : west;
    }
    struct sf_graph named = *topo->graph;
    named.names = names;
    layers->hops[1] = SF_NO_HOP; /* Of switch 1 to switch 0. */
    CHECK_EQ(sf_layers_check(layers, &named, &claims, &err), SF_EINVAL);
    CHECK_STR(err.text,
              "layer 0, switch east to switch west: the path ends early");
    sf_layers_free(layers);
    sf_topology_free(topo);
}

TEST(layers_survive_failed_allocations)
{
    struct sf_topology *topo = build_topology("ft2:leaf=4,core=2,up=2,p=4");

    for (size_t i = 0; sf_layer_schemes[i]; i++) {
        struct sf_layers_params params = { .scheme = sf_layer_schemes[i]->name,
                                           .n_layers = 3 };
        struct sf_layers *layers = NULL;
        unsigned long nth = 0;
        enum sf_status status;
        do {
            sf_mem_fail_at(++nth);
            status = build_layers(topo->graph, topo->n_hosts, &params, &layers,
                                  NULL);
            CHECK(status == SF_OK || (status == SF_ENOMEM && !layers));
        } while (status != SF_OK);
        sf_mem_fail_at(0);
        CHECK(nth > 5);
        sf_layers_free(layers);
    }
    sf_topology_free(topo);
}

TEST(layers_loads_count_routes)
{
    /* A path of three switches with 3, 2 and 1 hosts. */
    static const struct sf_link links[] = { { 0, 1 }, { 1, 2 } };
    static const uint32_t n_hosts[] = { 3, 2, 1 };
    struct sf_layers_params params = { .scheme = "minimal", .n_layers = 2 };
    struct sf_graph *graph;
    struct sf_layers *layers;
    uint64_t loads[4];

    CHECK_EQ(sf_graph_build(3, links, 2, &graph, NULL), SF_OK);
    CHECK_EQ(build_layers(graph, n_hosts, &params, &layers, NULL), SF_OK);
    sf_layers_loads(layers, graph, n_hosts, loads);
    CHECK_EQ(loads[0], 2 * (3 * 2 + 3 * 1)); /* 0 to 1. */
    CHECK_EQ(loads[1], 2 * (2 * 3 + 1 * 3)); /* 1 to 0. */
    CHECK_EQ(loads[2], 2 * (2 * 1 + 3 * 1)); /* 1 to 2. */
    CHECK_EQ(loads[3], 2 * (1 * 2 + 1 * 3)); /* 2 to 1. */
    sf_layers_free(layers);
    sf_graph_free(graph);
}

/* The fewest disjoint paths of any pair at a distance of 'distance'. */
static uint32_t
fewest_disjoint(const struct sf_layers *layers, const struct sf_graph *graph,
                uint32_t distance)
{
    uint32_t n = graph->n_nodes, fewest = SF_NONE;
    uint32_t *distances = oracle_route_distances(graph);

    for (uint32_t i = 0; i < n * n; i++) {
        if (distances[i] == distance) {
            uint32_t count =
                oracle_count_disjoint(layers, graph, i / n, i % n);
            fewest = count < fewest ? count : fewest;
        }
    }
    free(distances);
    return fewest;
}

/* On the 50 switches of the installation: three disjoint paths with four
 * layers, all seven with eight; with four hops also for neighbours. */
TEST(layers_gates_disjoint_paths)
{
    struct sf_topology *topo = build_topology("sf:q=5");

    for (uint64_t seed = 0; seed < 3; seed++) {
        struct sf_layers_params params = { .n_layers = 4, .seed = seed };
        struct sf_layers *layers = layers_of(topo, &params);
        CHECK(fewest_disjoint(layers, topo->graph, 2) >= 3);
        sf_layers_free(layers);

        params.n_layers = 8;
        layers = layers_of(topo, &params);
        CHECK_EQ(fewest_disjoint(layers, topo->graph, 2), 7);
        sf_layers_free(layers);

        /* With equal shares in mind, neighbours keep to their link. */
        params.max_hops = 4;
        params.scheme = "gates:for=split";
        layers = layers_of(topo, &params);
        CHECK(fewest_disjoint(layers, topo->graph, 1) >= 3);
        check_valid(layers, topo->graph, &params);
        sf_layers_free(layers);
    }
    sf_topology_free(topo);
}

/* How many switches at distance 2 have the same path to 'd' in 'layer' as in
 * layer 0, on a graph without parallel links: the layer is wasted on them. */
static uint32_t
count_repeats(const struct sf_layers *layers, const struct sf_graph *graph,
              uint32_t layer, uint32_t d)
{
    uint32_t n_repeats = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t arc = sf_layers_arc(layers, graph, 0, s, d);
        if (s == d || graph->arcs[arc].to == d) {
            continue;
        }
        uint32_t v = graph->arcs[arc].to;
        n_repeats += sf_layers_arc(layers, graph, layer, s, d) == arc &&
                     sf_layers_arc(layers, graph, layer, v, d) ==
                         sf_layers_arc(layers, graph, 0, v, d);
    }
    return n_repeats;
}

static uint32_t
hop_to(const struct sf_graph *graph, uint32_t s, uint32_t to)
{
    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        if (graph->arcs[i].to == to) {
            return i - graph->first[s];
        }
    }
    return SF_NONE;
}

/* Puts all paths to 'd' in layer 1 through its neighbour 'gate', but for
 * those of its other neighbours. */
static void
enter_by_one_gate(struct sf_layers *layers, const struct sf_graph *graph,
                  uint32_t d, uint32_t gate)
{
    uint16_t *hops = sf_layers_tree(layers, 1, d);

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        if (s == d || hop_to(graph, s, d) != SF_NONE) {
            continue;
        }
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            uint32_t v = graph->arcs[i].to;
            if (v == gate || hop_to(graph, v, gate) != SF_NONE) {
                hops[s] = (uint16_t)(i - graph->first[s]);
            }
        }
    }
}

/* What doc/routing.md says of in-trees with paths of 3 hops on the 50
 * switches: none is wasted on less than 6 of 42, whatever the scheme, and the
 * tree through a single gate on no more. */
TEST(layers_least_waste_of_a_tree)
{
    static const char *const schemes[] = { "gates", "paper", "rues" };
    struct sf_topology *topo = build_topology("sf:q=5");
    struct sf_graph *graph = topo->graph;

    for (size_t i = 0; i < 3; i++) {
        struct sf_layers_params params = { .scheme = schemes[i],
                                           .n_layers = 4,
                                           .max_hops = 3 };
        struct sf_layers *layers = layers_of(topo, &params);
        for (uint32_t d = 0; d < graph->n_nodes; d++) {
            for (uint32_t l = 1; l < 4; l++) {
                CHECK(count_repeats(layers, graph, l, d) >= 6);
            }
        }
        sf_layers_free(layers);
    }

    struct sf_layers_params params = { .scheme = "minimal", .n_layers = 2 };
    struct sf_layers *layers = layers_of(topo, &params);
    layers->max_hops = 3;
    for (uint32_t d = 0; d < graph->n_nodes; d++) {
        enter_by_one_gate(layers, graph, d, graph->arcs[graph->first[d]].to);
        CHECK_EQ(count_repeats(layers, graph, 1, d), 6);
    }
    check_valid(layers, graph, &params);
    sf_layers_free(layers);
    sf_topology_free(topo);
}

/* Loads of links with 2 to 16 layers. */
static void
check_even_loads(const char *spec)
{
    static const uint32_t n_layers[] = { 2, 3, 4, 8, 16 };
    static uint32_t n_checked; /* So that both schemes get all numbers. */

    for (size_t i = 0; i < ARRAY_SIZE(n_layers); i++, n_checked++) {
        bool is_split = n_checked % 2 == 0;
        struct sf_topology *topo = build_topology(spec);
        struct sf_layers_params params = { .scheme = is_split
                                                         ? "gates:for=split"
                                                         : "gates",
                                           .n_layers = n_layers[i],
                                           .seed = 1 };
        if (spec[0] == 'd' && params.n_layers < 4) {
            sf_topology_free(topo);
            continue; /* Pairs keep a second path, over a third group. */
        }
        struct sf_layers *layers = layers_of(topo, &params);
        double ratio = oracle_load_ratio(layers, topo->graph);
        CHECK_FOR(ratio <= (is_split ? 1.15 : 1.16), "%s, %u layers: %.3f",
                  spec, n_layers[i], ratio);
        sf_layers_free(layers);
        sf_topology_free(topo);
    }
}

TEST(layers_gates_even_loads)
{
    static const char *const specs[] = {
        "sf:q=4",
        "sf:q=5",
        "sf:q=7",
        "hx2:6x6",
        "pf:q=7",
        "df:a=4,h=2",
        "jellyfish:n=50,k=7",
        "xpander:k=7,lift=6",
    };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        check_even_loads(specs[i]);
    }
}

/* Above 400 switches trees are left to share.c early. */
TEST(layers_gates_even_loads_of_hundreds)
{
    struct sf_topology *topo = build_topology("sf:q=16");
    struct sf_layers_params params = { .n_layers = 4, .seed = 1 };
    struct sf_layers *layers = layers_of(topo, &params);
    uint32_t n_few = 0, n = topo->graph->n_nodes;

    CHECK(oracle_load_ratio(layers, topo->graph) <= 1.03);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t d = (i * 7 + 1) % n;
        n_few +=
            i != d && oracle_count_disjoint(layers, topo->graph, i, d) < 3;
    }
    CHECK_FOR(20 * n_few <= n, "%u of %u pairs have few paths", n_few, n);
    sf_layers_free(layers);
    sf_topology_free(topo);
}

TEST_LONG(layers_gates_even_loads_of_large_ones)
{
    check_even_loads("sf:q=8");
    check_even_loads("sf:q=9");
    check_even_loads("sf:q=11");
    check_even_loads("hx2:9x9");
    check_even_loads("hx2:6x6,links=2");
    check_even_loads("df:a=6,h=3");
}

/* How often each arc of leaf 's' is the first hop in 'layer' towards hosts of
 * other leaves, each of which sends its traffic over its own path set. */
static void
count_first_hops(const struct sf_routing *routing, uint32_t s, uint32_t layer,
                 uint32_t *counts)
{
    const struct sf_network *network = routing->network;

    memset(counts, 0, sf_graph_degree(network->graph, s) * sizeof *counts);
    for (uint32_t d = 0; d < network->graph->n_nodes; d++) {
        for (uint32_t h = network->first_host[d];
             d != s && h < network->first_host[d + 1]; h++) {
            uint16_t hop = sf_routes_column(routing->routes, h, layer, d)[s];
            CHECK(hop != SF_NO_HOP);
            counts[hop]++;
        }
    }
}

/* Most senders know the first address only, so each layer of a Fat Tree must
 * spread over all links up by itself: with 4 layers the first one once used 9
 * of 18. */
TEST(each_layer_of_a_fat_tree_uses_all_links_up_evenly)
{
    static const struct {
        const char *spec;
        uint32_t n_layers;
    } cases[] = {
        { "ft2:ports=36,leaf=12", 4 }, { "ft2:ports=36,leaf=12", 1 },
        { "ft2:ports=8", 4 },          { "ft2:ports=12", 8 },
        { "ft3:ports=8", 4 },          { "ft3:ports=8", 2 },
        { "ft2b:ports=12,over=3", 4 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sf_topology *topo = build("%s", cases[i].spec);
        struct sf_network *network = network_of(topo->graph, topo->n_hosts);
        struct sf_routing_params params = {
            .layers = { .scheme = "ftree", .n_layers = cases[i].n_layers },
        };
        struct sf_routing *routing;
        struct sf_error err = { 0 };
        CHECK_FOR(sf_routing_build(network, &params, &routing, &err) == SF_OK,
                  "%s", err.text);
        for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
            uint32_t degree = sf_graph_degree(network->graph, s);
            uint32_t counts[64] = { 0 };
            CHECK(degree <= 64);
            for (uint32_t l = 0; network->n_hosts[s] && l < cases[i].n_layers;
                 l++) {
                count_first_hops(routing, s, l, counts);
                uint32_t least = UINT32_MAX, most = 0;
                for (uint32_t k = 0; k < degree; k++) {
                    least = counts[k] < least ? counts[k] : least;
                    most = counts[k] > most ? counts[k] : most;
                }
                CHECK_FOR(most <= least + 2, "%s layer %u: %u to %u",
                          cases[i].spec, l, least, most);
            }
        }
        sf_routing_free(routing);
        sf_network_free(network);
        sf_topology_free(topo);
    }
}
