/* test_robust.c -- layers of which one dead link does not hit all, judged by
 * failing every link in turn. */
#include "../oracle/robust_oracle.h"
#include "../oracle/routing_oracle.h"
#include "base/mem.h"
#include "helpers.h"
#include "layers/robust.h"
#include "slimfly/random.h"
#include "slimfly/robustness.h"
#include "slimfly/routing.h"
#include "slimfly/topology.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define ROBUST "gates:robust=yes"

/* The routing of 'network', or fails the test. */
static struct sf_routing *
route(const struct sf_network *network, const char *scheme, uint32_t n_layers,
      const char *lanes, uint32_t n_threads)
{
    struct sf_routing_params params = {
        .layers = { .scheme = scheme,
                    .n_layers = n_layers,
                    .n_threads = n_threads,
                    .seed = 1 },
        .lanes = lanes,
    };
    struct sf_routing *routing;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_routing_build(network, &params, &routing, &err) == SF_OK,
              "%s: %s", scheme, err.text);
    return routing;
}

/* What the library says of the routing; the oracle must say the same. */
static struct sf_robustness
judge(const struct sf_routing *routing)
{
    struct sf_robustness robustness;
    struct oracle_robustness oracle =
        oracle_robustness(routing->network, routing->routes);

    CHECK_EQ(sf_robustness_measure(routing->network, routing->routes,
                                   &robustness, NULL),
             SF_OK);
    CHECK_EQ(robustness.n_pairs, oracle.n_pairs);
    CHECK_EQ(robustness.n_hit, oracle.n_hit);
    CHECK_EQ(robustness.n_bridged, oracle.n_bridged);
    CHECK_EQ(robustness.n_apart + robustness.n_covered + robustness.n_hit,
             robustness.n_pairs);
    CHECK_EQ(robustness.link == SF_NONE, robustness.n_hit == 0);
    return robustness;
}

/* Whether the layers are as all layers must be. */
static void
check_sound(const struct sf_routing *routing)
{
    const struct sf_routes *routes = routing->routes;
    struct sf_layers_claims claims = { .max_hops = routing->max_hops,
                                       .minimal_first = true,
                                       .turns = routes->turns };
    struct sf_error err = { 0 };

    for (uint32_t i = 0; i < routes->n_sets; i++) {
        CHECK_FOR(sf_layers_check(routes->sets[i], routing->network->graph,
                                  &claims, &err) == SF_OK,
                  "%s", err.text);
        CHECK(oracle_is_valid(routes->sets[i], routing->network->graph,
                              routing->max_hops, true));
    }
}

/* Few hosts make the oracle fast; two show path sets. */
static struct sf_network *
network_of_spec(const char *spec, uint32_t hosts)
{
    struct sf_topology *topo = build("%s", spec);

    for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
        topo->n_hosts[s] = topo->n_hosts[s] > 0 ? hosts : 0;
    }
    struct sf_network *network = network_of(topo->graph, topo->n_hosts);
    sf_topology_free(topo);
    return network;
}

/* What is promised for which network: the most pairs of switches that may be
 * hit, with lanes by turns where these can be, and without. */
TEST(robust_layers_on_all_families)
{
    static const struct {
        const char *spec;
        uint32_t n_layers, hit_by_turns, hit_without;
    } cases[] = {
        { "sf:q=4", 4, 0, 0 },
        { "sf:q=5", 4, 0, 0 },
        { "sf:q=5", 8, 0, 0 },
        { "hx2:5x4", 4, 0, 0 },
        { "hx2:4x4,links=2", 3, 0, 0 },
        { "df:a=4,h=2,p=2", 4, 40, 8 },
        { "pf:q=5", 4, 0, 0 },
        { "xpander:k=7,lift=4", 4, 0, 0 },
        { "jellyfish:n=40,k=7,seed=2", 4, 0, 0 },
        { "ft2:leaf=6,core=3,up=2,p=6", 4, 0, 0 },
        { "ft3:ports=4", 4, SF_NONE, 0 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_network *network = network_of_spec(cases[i].spec, 1);
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t most = k ? cases[i].hit_without : cases[i].hit_by_turns;
            if (most == SF_NONE) {
                continue; /* Turns leave no shortest paths there. */
            }
            struct sf_routing *routing = route(
                network, ROBUST, cases[i].n_layers, k ? "none" : "turns", 1);
            struct sf_robustness found = judge(routing);
            check_sound(routing);
            CHECK_FOR(found.n_hit <= most, "%s: %llu hit", cases[i].spec,
                      (unsigned long long)found.n_hit);
            CHECK_EQ(found.n_bridged, 0u);
            sf_routing_free(routing);
        }
        sf_network_free(network);
    }
}

/* Without the option the same networks do have such pairs: all neighbours in a
 * graph of girth 5. */
TEST(robust_layers_are_worth_an_option)
{
    struct sf_network *network = network_of_spec("sf:q=5", 1);
    struct sf_routing *plain = route(network, "gates", 4, "turns", 1);
    struct sf_routing *robust = route(network, ROBUST, 4, "turns", 1);
    const struct sf_graph *graph = network->graph;

    CHECK_EQ(judge(plain).n_hit, graph->n_links);
    CHECK_EQ(judge(plain).n_neighbours_hit, graph->n_links);
    CHECK_EQ(judge(robust).n_apart, 50u * 49u / 2u);
    for (uint32_t i = 0; i < graph->n_links; i++) {
        uint32_t a = graph->links[i].a, b = graph->links[i].b;
        CHECK(!oracle_goes_around(graph, plain->routes->sets[0], a, b));
        CHECK(oracle_goes_around(graph, robust->routes->sets[0], a, b));
        CHECK(oracle_are_apart(network, robust->routes, a, b));
    }
    sf_routing_free(robust);
    sf_routing_free(plain);
    sf_network_free(network);
}

/* Path sets: hosts of different sets are pairs, too. */
TEST(robust_layers_with_path_sets)
{
    struct sf_network *network = network_of_spec("sf:q=4", 2);
    struct sf_routing *plain = route(network, "gates:sets=2", 4, "none", 1);
    struct sf_routing *routing =
        route(network, ROBUST ",sets=2", 4, "none", 1);
    struct sf_robustness before = judge(plain), after = judge(routing);

    CHECK_EQ(routing->routes->n_sets, 2u);
    check_sound(routing);
    CHECK_FOR(10 * after.n_hit < before.n_hit, "%llu hit, %llu before",
              (unsigned long long)after.n_hit,
              (unsigned long long)before.n_hit);
    sf_routing_free(routing);
    sf_routing_free(plain);
    sf_network_free(network);
}

/* Two layers with shortest paths in the first cannot serve all neighbours: the
 * other layer enters each switch over some link. */
TEST(robust_layers_of_one_and_two)
{
    struct sf_network *network = network_of_spec("sf:q=4", 1);

    for (uint32_t n_layers = 1; n_layers <= 2; n_layers++) {
        struct sf_routing *routing =
            route(network, ROBUST, n_layers, "none", 1);
        struct sf_robustness found = judge(routing);
        check_sound(routing);
        CHECK(found.n_neighbours_hit >= 32 / 2);
        CHECK(n_layers == 2 || found.n_hit == found.n_pairs);
        sf_routing_free(routing);
    }
    sf_network_free(network);
}

/* Random graphs with few links have bridges, and long ways round. */
TEST(robust_layers_of_random_graphs)
{
    struct sf_random random;

    sf_random_init(&random, 9, 0);
    for (uint32_t trial = 0; trial < 60; trial++) {
        struct sf_link links[40];
        uint32_t n_hosts[16];
        uint32_t n = 2 + sf_random_below(&random, 14), n_links = 0;
        uint32_t n_more = sf_random_below(&random, 24);
        struct sf_graph *graph;

        for (uint32_t i = 0; i < n; i++) {
            n_hosts[i] = sf_random_below(&random, 3);
            if (i > 0) {
                links[n_links++] =
                    (struct sf_link){ i, sf_random_below(&random, i) };
            }
        }
        while (n_more-- > 0) {
            uint32_t a = sf_random_below(&random, n);
            uint32_t b = sf_random_below(&random, n);
            if (a != b) {
                links[n_links++] = (struct sf_link){ a, b };
            }
        }
        CHECK_EQ(sf_graph_build(n, links, n_links, &graph, NULL), SF_OK);
        struct sf_network *network = network_of(graph, n_hosts);
        struct sf_routing *routing =
            route(network, trial % 3 ? ROBUST : ROBUST ",sets=2",
                  1 + trial % 5, trial % 2 ? "none" : "dfsssp", 1);
        check_sound(routing);
        judge(routing);
        sf_routing_free(routing);
        sf_network_free(network);
        sf_graph_free(graph);
    }
}

/* A link that joins two halves: pairs across it are counted apart. */
TEST(robustness_knows_bridges)
{
    struct sf_link links[13];
    uint32_t n_links = 0;
    struct sf_graph *graph;

    for (uint32_t half = 0; half < 8; half += 4) {
        for (uint32_t a = 0; a < 4; a++) {
            for (uint32_t b = 0; b < a; b++) {
                links[n_links++] = (struct sf_link){ half + a, half + b };
            }
        }
    }
    links[n_links++] = (struct sf_link){ 0, 4 };
    CHECK_EQ(sf_graph_build(8, links, n_links, &graph, NULL), SF_OK);
    struct sf_network *network = network_of(graph, NULL);
    /* A bare graph has no hosts; one each. */
    static const uint32_t ones[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    sf_network_free(network);
    network = network_of(graph, ones);
    struct sf_routing *routing = route(network, ROBUST, 4, "none", 1);
    struct sf_robustness found = judge(routing);
    CHECK_EQ(found.n_pairs, 28u);
    CHECK_EQ(found.n_bridged, 16u);
    CHECK_EQ(found.n_hit, 16u);
    CHECK_EQ(found.n_neighbours_hit, 0u);
    CHECK_EQ(found.n_apart, 12u);
    sf_routing_free(routing);
    sf_network_free(network);
    sf_graph_free(graph);
}

/* The same bytes with any number of threads. */
TEST(robust_layers_do_not_depend_on_threads)
{
    struct sf_network *network = network_of_spec("sf:q=7", 1);
    struct sf_routing *one = route(network, ROBUST, 4, "turns", 1);
    struct sf_routing *three = route(network, ROBUST, 4, "turns", 3);
    const struct sf_layers *a = one->routes->sets[0],
                           *b = three->routes->sets[0];

    CHECK_EQ(memcmp(a->hops, b->hops,
                    (size_t)a->n_layers * a->n_switches * a->n_switches *
                        sizeof *a->hops),
             0);
    sf_routing_free(three);
    sf_routing_free(one);
    sf_network_free(network);
}

/* Larger ones: what doc/routing.md says. */
TEST_LONG(robust_layers_of_larger_networks)
{
    static const char *const specs[] = { "sf:q=7", "sf:q=8", "pf:q=9",
                                         "hx2:9x9" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_network *network = network_of_spec(specs[i], 1);
        struct sf_routing *routing = route(network, ROBUST, 4, "turns", 2);
        check_sound(routing);
        CHECK_FOR(judge(routing).n_hit == 0, "%s", specs[i]);
        sf_routing_free(routing);
        sf_network_free(network);
    }
}

TEST(robust_layers_nomem)
{
    struct sf_network *network = network_of_spec("hx2:3x3", 1);

    for (unsigned long nth = 1; nth < 400; nth++) {
        struct sf_layers_params params = { .scheme = ROBUST, .n_layers = 3 };
        struct sf_layers *layers = NULL;
        sf_mem_fail_at(nth);
        enum sf_status status =
            sf_layers_build(network, &params, &layers, NULL);
        sf_mem_fail_at(0);
        CHECK(status == SF_OK || status == SF_ENOMEM);
        CHECK_EQ(layers != NULL, status == SF_OK);
        if (status == SF_OK) {
            CHECK(nth > 20);
            struct sf_layers *sets[] = { layers };
            uint32_t host_sets[9] = { 0 };
            struct sf_routes routes = { .n_sets = 1,
                                        .sets = sets,
                                        .host_sets = host_sets,
                                        .n_addresses = 3 };
            struct sf_robustness found;
            for (unsigned long k = 1; k < 20; k++) {
                sf_mem_fail_at(k);
                status = sf_robustness_measure(network, &routes, &found, NULL);
                sf_mem_fail_at(0);
                CHECK_EQ(status, k <= 6 ? SF_ENOMEM : SF_OK);
            }
            sf_layers_free(layers);
            sf_network_free(network);
            return;
        }
    }
    CHECK(false);
}
