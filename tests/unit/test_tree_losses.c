/* test_tree_losses.c -- the bound on what trees lose, against all trees of
 * small graphs and against the layers of our schemes. */
#include "../oracle/routing_oracle.h"
#include "analysis/tree_losses.h"
#include "helpers.h"
#include "slimfly/layers.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NODES  9
#define MAX_LAYERS 3

/* Which switches are relays in a tree, by bits, and in which such trees there
 * are. */
struct trees {
    const struct sf_graph *graph;
    uint32_t destination;
    const uint32_t *distances;   /* [V * V] */
    uint32_t next[MAX_NODES];    /* Of the tree at hand. */
    bool exists[1 << MAX_NODES]; /* A tree with these relays. */
};

static uint32_t
distance_to(const struct trees *trees, uint32_t s)
{
    return trees->distances[s * trees->graph->n_nodes + trees->destination];
}

/* The hops of 's' in the tree at hand; more than 3 if it has a loop. */
static uint32_t
count_hops(const struct trees *trees, uint32_t s)
{
    uint32_t n = 0;

    while (s != trees->destination && n <= 3) {
        s = trees->next[s];
        n++;
    }
    return n;
}

/* Tries all next hops of 's' and of those behind it. */
static void
try_from(struct trees *trees, uint32_t s)
{
    const struct sf_graph *graph = trees->graph;
    uint32_t relays = 0;

    if (s < graph->n_nodes) {
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            trees->next[s] = graph->arcs[i].to;
            if (s != trees->destination || i == graph->first[s]) {
                try_from(trees, s + 1);
            }
        }
        return;
    }
    for (s = 0; s < graph->n_nodes; s++) {
        if (count_hops(trees, s) > 3) {
            return;
        }
        if (distance_to(trees, s) == 2 &&
            distance_to(trees, trees->next[s]) == 1) {
            relays |= 1u << s;
        }
    }
    trees->exists[relays] = true;
}

/* How many links of 's' lead next to the destination. */
static uint32_t
count_near(const struct trees *trees, uint32_t s)
{
    const struct sf_graph *graph = trees->graph;
    uint32_t n = 0;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        n += distance_to(trees, graph->arcs[i].to) == 1;
    }
    return n;
}

/* The least losses over all choices of 'n_left' more trees, given how often
 * each switch is a relay in those chosen. */
static uint32_t
least_losses(const struct trees *trees, uint32_t n_left,
             const uint32_t *n_relays)
{
    uint32_t n = trees->graph->n_nodes, least = UINT32_MAX, losses = 0;

    for (uint32_t s = 0; s < n && n_left == 0; s++) {
        if (distance_to(trees, s) == 2) {
            uint32_t free_ones = count_near(trees, s) - 1;
            losses += n_relays[s] > free_ones ? n_relays[s] - free_ones : 0;
        }
    }
    for (uint32_t relays = 0; relays < 1u << n && n_left > 0; relays++) {
        uint32_t more[MAX_NODES];
        for (uint32_t s = 0; s < n; s++) {
            more[s] = n_relays[s] + (relays >> s & 1);
        }
        if (trees->exists[relays]) {
            uint32_t found = least_losses(trees, n_left - 1, more);
            least = found < least ? found : least;
        }
    }
    return n_left == 0 ? losses : least;
}

/* A random graph in which all are within two hops of each other, or NULL. */
static struct sf_graph *
draw_graph(struct sf_random *random)
{
    uint32_t n = 5 + sf_random_below(random, 3);
    struct sf_link links[MAX_NODES * MAX_NODES];
    struct sf_graph *graph;
    uint32_t n_links = 0;

    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = a + 1; b < n; b++) {
            uint32_t dice = sf_random_below(random, 20);
            for (uint32_t i = 0; i < (dice == 0  ? 2u
                                      : dice < 8 ? 1u
                                                 : 0u);
                 i++) {
                links[n_links++] = (struct sf_link){ .a = a, .b = b };
            }
        }
    }
    CHECK(sf_graph_build(n, links, n_links, &graph, NULL) == SF_OK);
    uint32_t *distances = oracle_route_distances(graph);
    bool is_close = true;
    for (uint32_t i = 0; i < n * n; i++) {
        is_close &= distances[i] <= 2;
    }
    free(distances);
    if (!is_close) {
        sf_graph_free(graph);
        return NULL;
    }
    return graph;
}

TEST(tree_losses_of_small_graphs)
{
    struct sf_random random;
    uint32_t n_graphs = 0, n_met = 0, n_asked = 0;

    sf_random_init(&random, 4, 0);
    while (n_graphs < 40) {
        struct sf_graph *graph = draw_graph(&random);
        if (!graph) {
            continue;
        }
        n_graphs++;
        uint32_t *distances = oracle_route_distances(graph);
        for (uint32_t d = 0; d < 2; d++) {
            struct trees trees = { .graph = graph,
                                   .destination = d,
                                   .distances = distances };
            uint32_t none[MAX_NODES] = { 0 };
            try_from(&trees, 0);
            for (uint32_t l = 1; l <= MAX_LAYERS; l++) {
                uint32_t bound, least = least_losses(&trees, l - 1, none);
                CHECK(sf_tree_losses_to(graph, d, l, &bound, NULL) == SF_OK);
                CHECK_FOR(bound <= least, "%u layers: %u, trees lose %u", l,
                          bound, least);
                n_met += bound == least;
                n_asked++;
            }
        }
        free(distances);
        sf_graph_free(graph);
    }
    /* It is a bound that is worth something. */
    CHECK_FOR(10 * n_met >= 9 * n_asked, "met %u times of %u", n_met, n_asked);
}

/* Moore graphs: a switch in k must be a relay. */
TEST(tree_losses_of_moore_graphs)
{
    struct sf_topology *topo = build("sf:q=5");
    uint32_t n_lost;

    for (uint32_t d = 0; d < topo->graph->n_nodes; d++) {
        for (uint32_t l = 1; l <= 16; l++) {
            CHECK(sf_tree_losses_to(topo->graph, d, l, &n_lost, NULL) ==
                  SF_OK);
            CHECK_EQ(n_lost, (l - 1) * 6);
        }
    }
    sf_topology_free(topo);
}

TEST(tree_losses_of_schemes)
{
    static const char *const specs[] = { "sf:q=4", "sf:q=5", "pf:q=4",
                                         "hx2:4x4", "hx2:3x3,links=2" };
    static const char *const schemes[] = { "gates", "paper", "rues",
                                           "minimal" };

    for (size_t i = 0; i < ARRAY_SIZE(specs) * ARRAY_SIZE(schemes); i++) {
        struct sf_topology *topo = build("%s", specs[i / 4]);
        const struct sf_graph *graph = topo->graph;
        uint32_t *distances = oracle_route_distances(graph);
        for (uint32_t l = 2; l <= 8; l += 3) {
            struct sf_layers_params params = { .scheme = schemes[i % 4],
                                               .n_layers = l,
                                               .max_hops = 3 };
            struct sf_layers *layers;
            CHECK(build_layers(graph, topo->n_hosts, &params, &layers, NULL) ==
                  SF_OK);
            for (uint32_t d = 0; d < graph->n_nodes; d += 3) {
                uint32_t bound, n_lost = 0;
                for (uint32_t s = 0; s < graph->n_nodes; s++) {
                    if (distances[s * graph->n_nodes + d] == 2) {
                        n_lost +=
                            l - oracle_count_disjoint(layers, graph, s, d);
                    }
                }
                CHECK(sf_tree_losses_to(graph, d, l, &bound, NULL) == SF_OK);
                CHECK_FOR(bound <= n_lost, "%s, %s, %u layers: %u, lost %u",
                          specs[i / 4], schemes[i % 4], l, bound, n_lost);
            }
            sf_layers_free(layers);
        }
        free(distances);
        sf_topology_free(topo);
    }
}

/* Dealt out: the bound in sum for each destination, no pair more than one
 * apart from another, the same for any number of threads. */
TEST(tree_losses_are_dealt)
{
    struct sf_topology *topo = build("sf:q=7");
    uint32_t n = topo->graph->n_nodes;
    struct sf_demand demands[] = { { 0, 1, 0, 1 }, { 1, 90, 0, 1 } };
    struct sf_traffic traffic = {
        .n_switches = n, .n_sets = 1, .n_demands = 2, .demands = demands
    };
    uint32_t *distances = oracle_route_distances(topo->graph);
    uint16_t *losses, *again;

    CHECK(sf_tree_losses(topo->graph, &traffic, 8, 1, 1, &losses, NULL) ==
          SF_OK);
    CHECK(sf_tree_losses(topo->graph, &traffic, 8, 1, 3, &again, NULL) ==
          SF_OK);
    for (uint32_t d = 0; d < n; d++) {
        uint32_t sum = 0, bound, most = 0, least = UINT32_MAX;
        for (uint32_t s = 0; s < n; s++) {
            uint32_t here = losses[s * n + d];
            CHECK_EQ(again[s * n + d], here);
            sum += here;
            if (distances[s * n + d] == 2) {
                most = here > most ? here : most;
                least = here < least ? here : least;
            } else {
                CHECK_EQ(here, 0);
            }
        }
        CHECK(sf_tree_losses_to(topo->graph, d, 8, &bound, NULL) == SF_OK);
        CHECK_EQ(sum, d == 1 || d == 90 ? bound : 0);
        CHECK(most <= least + 1);
    }
    free(again);
    free(losses);
    free(distances);
    sf_topology_free(topo);
}

TEST(tree_losses_are_refused_beyond_two_hops)
{
    struct sf_topology *topo = build("df:a=4,h=2");
    struct sf_error err = { 0 };
    uint32_t n_lost;

    CHECK(sf_tree_losses_to(topo->graph, 0, 4, &n_lost, &err) == SF_EINVAL);
    CHECK(strstr(err.text, "within two hops"));
    sf_topology_free(topo);
}
