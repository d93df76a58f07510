/* Path metrics: against an oracle on random graphs and routings, good and bad,
 * and against numbers that can be worked out by hand. */
#include "analysis/disjoint.h"
#include "base/mem.h"
#include "helpers.h"
#include "oracle/paths_oracle.h"
#include "slimfly/path_metrics.h"
#include "slimfly/random.h"
#include "test.h"

/* How many bins of that value there are. */
static uint64_t
count_of(const struct sf_path_metrics *metrics, enum sf_path_metric which,
         uint64_t value)
{
    const struct sf_histogram *by = &metrics->by[which];

    for (uint32_t i = 0; i < by->n_bins; i++) {
        if (by->bins[i].value == value) {
            return by->bins[i].n;
        }
    }
    return 0;
}

static void
check_bins(const struct sf_path_metrics *metrics)
{
    for (int which = 0; which < SF_N_PATH_METRICS; which++) {
        const struct sf_histogram *by = &metrics->by[which];
        for (uint32_t i = 0; i < by->n_bins; i++) {
            CHECK(by->bins[i].n > 0);
            CHECK(i == 0 || by->bins[i - 1].value < by->bins[i].value);
        }
    }
}

/* Takes one value off a histogram; fails the test if it is not there. */
static void
take(struct sf_path_metrics *metrics, enum sf_path_metric which,
     uint64_t value)
{
    struct sf_histogram *by = &metrics->by[which];

    for (uint32_t i = 0; i < by->n_bins; i++) {
        if (by->bins[i].value == value && by->bins[i].n > 0) {
            by->bins[i].n--;
            return;
        }
    }
    test_fail(__FILE__, __LINE__, "no %llu left of metric %d",
              (unsigned long long)value, (int)which);
}

/* Whether the hosts of some switch have paths of their own. */
static bool
has_own_paths(const struct sf_network *network, const struct sf_routes *routes)
{
    bool has_own = false;

    for (uint32_t d = 0; d < network->graph->n_nodes; d++) {
        for (uint32_t j = 1; j < network->n_hosts[d]; j++) {
            const uint32_t *sets = routes->host_sets + network->first_host[d];
            has_own = has_own || sets[j] != sets[0];
        }
    }
    return has_own;
}

/* Takes everything that the oracle sees off the metrics: nothing is left. */
static void
check_with_oracle(const struct sf_network *network,
                  const struct sf_routes *routes, uint32_t n_threads)
{
    const struct sf_graph *graph = network->graph;
    bool has_hosts = sf_network_count_hosts(network) > 0;
    bool is_per_host = has_own_paths(network, routes);
    struct sf_path_metrics *metrics;
    uint32_t *loads = sf_calloc((size_t)2 * graph->n_links, sizeof *loads);
    uint64_t n_pairs = 0, n_incomplete = 0;

    CHECK_EQ(sf_path_metrics_build(network, routes, n_threads, &metrics, NULL),
             SF_OK);
    check_bins(metrics);
    CHECK_EQ(metrics->n_layers, routes->sets[0]->n_layers);
    CHECK_EQ(metrics->is_per_host, is_per_host);
    for (uint32_t d = 0; d < graph->n_nodes; d++) {
        uint32_t n_here = has_hosts ? network->n_hosts[d] : 1;
        n_here = n_here && !is_per_host ? 1 : n_here;
        for (uint32_t j = 0; j < n_here; j++) {
            uint32_t set =
                has_hosts ? routes->host_sets[network->first_host[d] + j] : 0;
            for (uint32_t s = 0; s < graph->n_nodes; s++) {
                if (s == d || (has_hosts && !network->n_hosts[s])) {
                    continue;
                }
                struct oracle_pair pair =
                    oracle_look_at_pair(graph, routes->sets[set], s, d, loads);
                n_pairs += pair.is_complete;
                n_incomplete += !pair.is_complete;
                if (pair.is_complete) {
                    take(metrics, SF_PATH_TOTALS, pair.total);
                    take(metrics, SF_PATH_LONGEST, pair.longest);
                    take(metrics, SF_PATH_DISTINCT, pair.distinct);
                    take(metrics, SF_PATH_DISJOINT, pair.disjoint);
                }
            }
        }
    }
    CHECK_EQ(metrics->n_pairs, n_pairs);
    CHECK_EQ(metrics->n_incomplete, n_incomplete);
    CHECK_EQ(sf_histogram_count(&metrics->by[SF_PATH_HOPS]),
             n_pairs * metrics->n_layers);
    for (uint32_t i = 0; i < 2 * graph->n_links; i++) {
        take(metrics, SF_PATH_LOADS, loads[i]);
    }
    for (int i = SF_PATH_LOADS; i < SF_N_PATH_METRICS; i++) {
        CHECK_EQ(sf_histogram_count(&metrics->by[i]), 0);
    }
    free(loads);
    sf_path_metrics_free(metrics);
}

/* A random graph, connected or not, with parallel links. */
static struct sf_graph *
random_graph(struct sf_random *random, uint32_t n_nodes, uint32_t n_links)
{
    struct sf_link links[64];
    struct sf_graph *graph;

    for (uint32_t i = 0; i < n_links; i++) {
        links[i].a = sf_random_below(random, n_nodes);
        links[i].b =
            (links[i].a + 1 + sf_random_below(random, n_nodes - 1)) % n_nodes;
    }
    CHECK_EQ(sf_graph_build(n_nodes, links, n_links, &graph, NULL), SF_OK);
    return graph;
}

/* Next hops at random, so that many paths never arrive; 'n_wrong' of a hundred
 * of the hops that a scheme would take, if there are paths at all. */
static void
spoil(struct sf_random *random, const struct sf_graph *graph,
      struct sf_layers *layers, uint32_t n_wrong)
{
    uint32_t n = graph->n_nodes;

    for (uint32_t i = 0; i < layers->n_layers * n * n; i++) {
        uint32_t s = i % n, degree = sf_graph_degree(graph, s);
        if (sf_random_below(random, 100) < n_wrong && s != i / n % n) {
            uint32_t hop = sf_random_below(random, degree + 1);
            layers->hops[i] = hop == degree ? SF_NO_HOP : (uint16_t)hop;
        }
    }
}

TEST(path_metrics_agree_with_the_oracle)
{
    static const char *const schemes[] = { "minimal", "paper", "rues",
                                           "fatpaths", "gates" };
    struct sf_random random;

    sf_random_init(&random, 7, 0);
    for (uint32_t round = 0; round < 300; round++) {
        uint32_t n = 2 + sf_random_below(&random, 9);
        struct sf_graph *graph =
            random_graph(&random, n, n + sf_random_below(&random, 2 * n));
        struct sf_layers_params params = {
            .scheme = schemes[round % ARRAY_SIZE(schemes)],
            .n_layers = 1 + sf_random_below(&random, 7),
            .max_hops = n,
            .seed = round,
            .within_parts = true,
        };
        uint32_t n_sets = 1 + round % 3, n_hosts[16];
        struct sf_routes *routes;
        for (uint32_t i = 0; i < n; i++) {
            n_hosts[i] = sf_random_below(&random, 4);
        }
        struct sf_network *network =
            network_of(graph, round % 2 ? n_hosts : NULL);
        CHECK_EQ(sf_routes_make(network, n_sets, &routes, NULL), SF_OK);
        for (uint32_t i = 0; i < n_sets; i++) {
            params.seed += i;
            CHECK_EQ(
                build_layers(graph, NULL, &params, &routes->sets[i], NULL),
                SF_OK);
            spoil(&random, graph, routes->sets[i], round % 4 ? 0 : round % 50);
        }
        check_with_oracle(network, routes, 1 + round % 3);
        /* Hosts need not have path sets in turn. */
        for (uint32_t h = 0; h < sf_network_count_hosts(network); h++) {
            routes->host_sets[h] = sf_random_below(&random, n_sets);
        }
        check_with_oracle(network, routes, 1 + round % 3);
        sf_routes_free(routes);
        sf_network_free(network);
        sf_graph_free(graph);
    }
}

/* Routes of one path set, of layers as 'params' says, between all switches. */
static struct sf_routes *
routes_of(const struct sf_network *network,
          const struct sf_layers_params *params)
{
    struct sf_routes *routes;

    CHECK_EQ(sf_routes_make(network, 1, &routes, NULL), SF_OK);
    CHECK_EQ(sf_layers_build(network, params, &routes->sets[0], NULL), SF_OK);
    return routes;
}

static struct sf_path_metrics *
metrics_of(const char *spec, const char *scheme, uint32_t n_layers,
           uint32_t n_threads)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_layers_params params = { .scheme = scheme,
                                       .n_layers = n_layers,
                                       .seed = 1 };
    struct sf_network *network = network_of(topo->graph, NULL);
    struct sf_routes *routes = routes_of(network, &params);
    struct sf_path_metrics *metrics;

    CHECK_EQ(sf_path_metrics_build(network, routes, n_threads, &metrics, NULL),
             SF_OK);
    sf_routes_free(routes);
    sf_network_free(network);
    sf_topology_free(topo);
    return metrics;
}

/* In the 50-switch graph any two switches have exactly one shortest path, of
 * 1 hop for 350 ordered pairs and of 2 for 2100: 4550 in all, the same 13 on
 * each of 350 directions, by symmetry. */
TEST(path_metrics_of_minimal_paths_follow_from_symmetry)
{
    struct sf_path_metrics *metrics = metrics_of("sf:q=5", "minimal", 3, 1);
    const struct sf_histogram *by = metrics->by;

    CHECK_EQ(metrics->n_pairs, 2450);
    CHECK_EQ(count_of(metrics, SF_PATH_HOPS, 1), 3 * 350);
    CHECK_EQ(count_of(metrics, SF_PATH_HOPS, 2), 3 * 2100);
    CHECK_EQ(count_of(metrics, SF_PATH_TOTALS, 3), 350);
    CHECK_EQ(count_of(metrics, SF_PATH_TOTALS, 6), 2100);
    CHECK_EQ(count_of(metrics, SF_PATH_LONGEST, 2), 2100);
    CHECK_EQ(count_of(metrics, SF_PATH_DISTINCT, 1), 2450);
    CHECK_EQ(count_of(metrics, SF_PATH_DISJOINT, 1), 2450);
    CHECK_EQ(count_of(metrics, SF_PATH_LOADS, 3 * 13), 350);
    CHECK_EQ(sf_histogram_count(&by[SF_PATH_LOADS]), 350);
    CHECK_NEAR(sf_histogram_mean(&by[SF_PATH_HOPS]), 4550.0 / 2450, 1e-12);
    CHECK_NEAR(sf_histogram_variation(&by[SF_PATH_LOADS]), 0, 1e-12);
    sf_path_metrics_free(metrics);
}

/* An adjacent pair of a graph of girth 5 has no second path of up to 3 hops;
 * all other pairs have 7 disjoint ones, and gates finds them with 8 layers. */
TEST(path_metrics_reach_the_ceiling_of_three_hops)
{
    struct sf_path_metrics *metrics = metrics_of("sf:q=5", "gates", 8, 2);

    CHECK_EQ(count_of(metrics, SF_PATH_DISJOINT, 1), 350);
    CHECK_EQ(count_of(metrics, SF_PATH_DISJOINT, 7), 2100);
    CHECK_EQ(sf_histogram_count_from(&metrics->by[SF_PATH_DISJOINT], 3), 2100);
    sf_path_metrics_free(metrics);
}

TEST(path_metrics_do_not_depend_on_threads)
{
    struct sf_path_metrics *one = metrics_of("sf:q=7", "rues", 4, 1);
    struct sf_path_metrics *many = metrics_of("sf:q=7", "rues", 4, 7);

    for (int i = 0; i < SF_N_PATH_METRICS; i++) {
        CHECK_EQ(one->by[i].n_bins, many->by[i].n_bins);
        CHECK(!memcmp(one->by[i].bins, many->by[i].bins,
                      one->by[i].n_bins * sizeof *one->by[i].bins));
    }
    sf_path_metrics_free(many);
    sf_path_metrics_free(one);
}

TEST(path_metrics_refuse_layers_of_another_graph)
{
    struct sf_topology *topo = build("sf:q=4"), *other = build("sf:q=5");
    struct sf_network *network = network_of(topo->graph, NULL);
    struct sf_network *other_network = network_of(other->graph, NULL);
    struct sf_layers_params params = { .n_layers = 2, .seed = 1 };
    struct sf_path_metrics *metrics = UNSET(struct sf_path_metrics);
    struct sf_routes *even, *uneven;
    struct sf_error err;

    even = routes_of(network, &params);
    CHECK_EQ(sf_routes_make(network, 2, &uneven, NULL), SF_OK);
    CHECK_EQ(sf_layers_build(network, &params, &uneven->sets[0], NULL), SF_OK);
    params.n_layers = 3;
    CHECK_EQ(sf_layers_build(network, &params, &uneven->sets[1], NULL), SF_OK);
    CHECK_EQ(sf_path_metrics_build(other_network, even, 1, &metrics, &err),
             SF_EINVAL);
    CHECK(metrics == NULL);
    CHECK_STR(err.text, "layers for 32 switches do not go with a graph of 50");
    CHECK_EQ(sf_path_metrics_build(network, uneven, 1, &metrics, &err),
             SF_EINVAL);
    CHECK_STR(err.text, "hosts of one switch have 2 and 3 layers");
    sf_routes_free(uneven);
    sf_routes_free(even);
    sf_network_free(other_network);
    sf_network_free(network);
    sf_topology_free(other);
    sf_topology_free(topo);
}

TEST(path_metrics_add_up)
{
    struct sf_path_metrics *sum = metrics_of("sf:q=5", "paper", 4, 1);
    struct sf_path_metrics *more = metrics_of("sf:q=5", "rues", 4, 1);
    uint64_t n_before[SF_N_PATH_METRICS][64];

    for (int i = 0; i < SF_N_PATH_METRICS; i++) {
        for (uint32_t value = 0; value < 64; value++) {
            n_before[i][value] = count_of(sum, (enum sf_path_metric)i, value);
        }
    }
    CHECK_EQ(sf_path_metrics_add(sum, more, NULL), SF_OK);
    check_bins(sum);
    CHECK_EQ(sum->n_pairs, 4900);
    for (int i = 0; i < SF_N_PATH_METRICS; i++) {
        for (uint32_t value = 0; value < 64; value++) {
            CHECK_EQ(count_of(sum, (enum sf_path_metric)i, value),
                     n_before[i][value] +
                         count_of(more, (enum sf_path_metric)i, value));
        }
    }
    sf_path_metrics_free(more);
    sf_path_metrics_free(sum);
}

TEST(path_metrics_histograms_have_moments)
{
    struct sf_bin bins[] = { { 2, 1 }, { 4, 2 }, { 6, 1 } };
    struct sf_histogram some = { bins, 3 }, none = { NULL, 0 };

    CHECK_EQ(sf_histogram_count(&some), 4);
    CHECK_EQ(sf_histogram_count_from(&some, 4), 3);
    CHECK_EQ(sf_histogram_count_from(&some, 7), 0);
    CHECK_EQ(sf_histogram_min(&some), 2);
    CHECK_EQ(sf_histogram_max(&some), 6);
    CHECK_NEAR(sf_histogram_mean(&some), 4, 1e-12);
    CHECK_NEAR(sf_histogram_variation(&some), 1.4142135623730951 / 4, 1e-12);
    CHECK_EQ(sf_histogram_count(&none), 0);
    CHECK_EQ(sf_histogram_min(&none), 0);
    CHECK_EQ(sf_histogram_max(&none), 0);
    CHECK_NEAR(sf_histogram_mean(&none), 0, 0);
    CHECK_NEAR(sf_histogram_variation(&none), 0, 0);
}

static void
join(struct sf_path_set *conflicts, uint32_t a, uint32_t b)
{
    conflicts[a].words[b / 64] |= UINT64_C(1) << b % 64;
    conflicts[b].words[a / 64] |= UINT64_C(1) << a % 64;
}

TEST(disjoint_agrees_with_all_subsets)
{
    struct sf_random random;

    sf_random_init(&random, 3, 0);
    for (uint32_t round = 0; round < 400; round++) {
        uint32_t n = sf_random_below(&random, 15), density = round % 100;
        struct sf_path_set conflicts[16] = { { { 0 } } };
        bool matrix[16 * 16] = { false };
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < i; j++) {
                if (sf_random_below(&random, 100) < density) {
                    join(conflicts, i, j);
                    matrix[i * n + j] = matrix[j * n + i] = true;
                }
            }
        }
        CHECK_EQ(sf_disjoint_most(conflicts, n),
                 oracle_independent(matrix, n));
    }
}

/* 'n_rings' rings of 5, of which two fit each and the bound of cliques says
 * three; their numbers lie across both words of a set. */
static void
check_disjoint_rings(uint32_t n_rings)
{
    struct sf_path_set conflicts[SF_MAX_LAYERS] = { { { 0 } } };

    for (uint32_t ring = 0; ring < n_rings; ring++) {
        for (uint32_t i = 0; i < 5; i++) {
            join(conflicts, ring + n_rings * i,
                 ring + n_rings * ((i + 1) % 5));
        }
    }
    CHECK_EQ(sf_disjoint_most(conflicts, 5 * n_rings), 2 * n_rings);
    CHECK_EQ(sf_disjoint_most(conflicts, 0), 0);
}

TEST(disjoint_of_100_paths_is_exact)
{
    check_disjoint_rings(20);
}

TEST_LONG(disjoint_of_125_paths_is_exact)
{
    check_disjoint_rings(25);
}

/* Two switches with 9 neighbours each, all of which are joined to those of the
 * other: 81 paths of 3 hops, one a layer, of which 9 share no link. */
TEST(path_metrics_of_more_layers_than_a_word_has_bits)
{
    enum {
        K = 9,
        N = 2 + 2 * K
    };
    struct sf_link links[K * K + 2 * K];
    uint32_t n_links = 0, n_hosts[N] = { 1, 1 };
    struct sf_graph *graph;
    struct sf_path_metrics *metrics;
    struct sf_routes *routes;

    for (uint32_t i = 0; i < K; i++) {
        links[n_links++] = (struct sf_link){ 0, 2 + i };
        links[n_links++] = (struct sf_link){ 1, 2 + K + i };
        for (uint32_t j = 0; j < K; j++) {
            links[n_links++] = (struct sf_link){ 2 + i, 2 + K + j };
        }
    }
    CHECK_EQ(sf_graph_build(N, links, n_links, &graph, NULL), SF_OK);
    struct sf_network *network = network_of(graph, n_hosts);
    CHECK_EQ(sf_routes_make(network, 1, &routes, NULL), SF_OK);
    CHECK_EQ(sf_layers_make(K * K, N, &routes->sets[0], NULL), SF_OK);
    routes->sets[0]->max_hops = 3;
    for (uint32_t l = 0; l < K * K; l++) {
        uint16_t i = (uint16_t)(l / K), j = (uint16_t)(l % K);
        uint16_t *there = sf_layers_tree(routes->sets[0], l, 1);
        uint16_t *back = sf_layers_tree(routes->sets[0], l, 0);
        there[0] = i;
        there[2 + i] = (uint16_t)(1 + j);
        there[2 + K + j] = 0;
        back[1] = j;
        back[2 + K + j] = (uint16_t)(1 + i);
        back[2 + i] = 0;
    }
    CHECK_EQ(sf_path_metrics_build(network, routes, 1, &metrics, NULL), SF_OK);
    CHECK_EQ(metrics->n_pairs, 2);
    CHECK_EQ(count_of(metrics, SF_PATH_TOTALS, (uint64_t)3 * K * K), 2);
    CHECK_EQ(count_of(metrics, SF_PATH_DISTINCT, K * K), 2);
    CHECK_EQ(count_of(metrics, SF_PATH_DISJOINT, K), 2);
    CHECK_EQ(count_of(metrics, SF_PATH_LOADS, K), (uint64_t)4 * K);
    CHECK_EQ(count_of(metrics, SF_PATH_LOADS, 1), (uint64_t)2 * K * K);
    sf_path_metrics_free(metrics);
    sf_routes_free(routes);
    sf_network_free(network);
    sf_graph_free(graph);
}

TEST(path_metrics_nomem)
{
    struct sf_topology *topo = build("sf:q=4,p=1");
    struct sf_layers_params params = { .n_layers = 2, .seed = 1 };
    struct sf_network *network = network_of(topo->graph, NULL);
    struct sf_routes *routes = routes_of(network, &params);
    struct sf_path_metrics *metrics = NULL;
    struct sf_error err;
    unsigned long nth = 0;

    do {
        sf_mem_fail_at(++nth);
    } while (sf_path_metrics_build(network, routes, 2, &metrics, &err) ==
                 SF_ENOMEM &&
             !metrics);
    sf_mem_fail_at(0);
    CHECK(metrics != NULL);
    CHECK(nth > 20);
    sf_path_metrics_free(metrics);
    sf_routes_free(routes);
    sf_network_free(network);
    sf_topology_free(topo);
}
