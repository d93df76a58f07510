/* test_layers_faults.c -- layers on damaged and on random graphs. */
#include "../oracle/routing_oracle.h"
#include "helpers.h"
#include "slimfly/random.h"
#include "slimfly/topology.h"
#include "test.h"

#include <stdlib.h>

static bool
is_connected(const struct sf_graph *graph)
{
    uint32_t *distance = oracle_route_distances(graph);
    bool connected = true;

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        connected &= distance[i] != SF_NONE;
    }
    free(distance);
    return connected;
}

/* Routes 'graph' by every scheme: connected and valid, or refused. */
static void
check_all_schemes(const struct sf_graph *graph, uint32_t n_layers,
                  uint64_t seed)
{
    bool connected = is_connected(graph);

    for (size_t i = 0; sf_layer_schemes[i]; i++) {
        struct sf_layers_params params = { .scheme = sf_layer_schemes[i]->name,
                                           .n_layers = n_layers,
                                           .seed = seed };
        struct sf_layers_claims claims = {
            .minimal_first = sf_layer_schemes[i]->minimal_first
        };
        struct sf_layers *layers;
        struct sf_error err = { 0 };
        enum sf_status status =
            build_layers(graph, NULL, &params, &layers, &err);
        if (strcmp(params.scheme, "ftree") == 0) {
            CHECK(status == SF_EINVAL || status == SF_EUNREACHABLE);
            continue;
        }
        CHECK_FOR(status == (connected ? SF_OK : SF_EUNREACHABLE), "%s: %s",
                  params.scheme, err.text);
        if (connected) {
            claims.max_hops = layers->max_hops;
            CHECK_FOR(sf_layers_check(layers, graph, &claims, &err) == SF_OK,
                      "%s: %s", params.scheme, err.text);
        }
        sf_layers_free(layers);
    }
}

/* Takes 'n_removals' links and switches away, one after the other, and starts
 * anew with a whole graph after every 'n_in_a_row'. */
static void
remove_and_route(const char *spec, uint32_t n_removals, uint32_t n_in_a_row,
                 uint32_t n_layers)
{
    struct sf_topology *topo;
    struct sf_graph *graph = NULL;
    struct sf_random random;

    CHECK_EQ(sf_topology_build(spec, &topo, NULL), SF_OK);
    sf_random_init(&random, 7, n_removals);
    for (uint32_t i = 0; i < n_removals; i++) {
        const struct sf_graph *whole = i % n_in_a_row ? graph : topo->graph;
        bool take_link = sf_random_below(&random, 4) > 0;
        struct sf_graph *less = oracle_remove(
            whole,
            take_link ? sf_random_below(&random, whole->n_links) : SF_NONE,
            take_link ? SF_NONE : sf_random_below(&random, whole->n_nodes));
        sf_graph_free(graph);
        graph = less;
        check_all_schemes(graph, n_layers, i);
    }
    sf_graph_free(graph);
    sf_topology_free(topo);
}

TEST(layers_survive_50_removals_at_q_5)
{
    remove_and_route("sf:q=5", 50, 50, 3);
}

TEST_LONG(layers_survive_1000_removals_at_q_5)
{
    remove_and_route("sf:q=5", 1000, 50, 3);
}

TEST(layers_survive_10_removals_at_q_7)
{
    remove_and_route("sf:q=7", 10, 50, 2);
}

TEST_LONG(layers_survive_250_removals_at_q_7)
{
    remove_and_route("sf:q=7", 250, 50, 2);
}

/* A few dead links do not let all paths become longer: three hops are the
 * limit still, but to the ends of such a link, which are four hops apart. */
TEST(layers_stay_short_with_dead_links)
{
    struct sf_topology *topo;
    struct sf_graph *graph;
    struct sf_layers *layers;
    struct sf_layers_params params = { .n_layers = 4 };

    CHECK_EQ(sf_topology_build("sf:q=5", &topo, NULL), SF_OK);
    struct sf_graph *one = oracle_remove(topo->graph, 100, SF_NONE);
    struct sf_graph *two = oracle_remove(one, 50, SF_NONE);
    graph = oracle_remove(two, 3, SF_NONE);
    CHECK_EQ(build_layers(graph, NULL, &params, &layers, NULL), SF_OK);
    for (uint32_t d = 0; d < graph->n_nodes; d++) {
        uint32_t n_links = sf_graph_degree(graph, d), longest = 0;
        for (uint32_t i = 0; i < 4 * graph->n_nodes; i++) {
            uint32_t n_hops = 0, l = i % 4;
            for (uint32_t s = i / 4; s != d; n_hops++) {
                s = graph->arcs[sf_layers_arc(layers, graph, l, s, d)].to;
            }
            longest = n_hops > longest ? n_hops : longest;
        }
        CHECK_FOR(longest <= (n_links < 7 ? 4u : 3u), "%u hops to %u", longest,
                  d);
    }
    sf_layers_free(layers);
    sf_graph_free(graph);
    sf_graph_free(two);
    sf_graph_free(one);
    sf_topology_free(topo);
}

/* Few links a switch, so that much breaks apart. */
TEST(layers_on_sparse_random_graphs)
{
    struct sf_random random;

    sf_random_init(&random, 3, 0);
    for (uint64_t i = 0; i < 300; i++) {
        uint32_t n = 2 + sf_random_below(&random, 24);
        uint32_t n_links = n - 1 + sf_random_below(&random, 2 * n);
        struct sf_link links[100];
        struct sf_graph *graph;
        for (uint32_t j = 0; j < n_links; j++) {
            uint32_t a = sf_random_below(&random, n);
            uint32_t b = (a + 1 + sf_random_below(&random, n - 1)) % n;
            links[j] = (struct sf_link){ a, b };
        }
        CHECK_EQ(sf_graph_build(n, links, n_links, &graph, NULL), SF_OK);
        check_all_schemes(graph, 1 + (uint32_t)(i % 5), i);
        sf_graph_free(graph);
    }
}
