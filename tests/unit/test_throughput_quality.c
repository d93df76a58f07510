/* test_throughput_quality.c -- how good the layers of 'gates' are: throughput
 * against the layers of the paper and against paths chosen freely for each
 * pair, under permutations of switches two hops apart. */
#include "../oracle/annealing.h"
#include "helpers.h"
#include "slimfly/slimfly.h"
#include "test.h"

#define N_SEEDS 10
#define N_SETS  2

static double
measure_mean(const struct sf_network *network,
             const struct sf_throughput_params *params)
{
    double sum = 0;

    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        const struct sf_routes *routes = params->routes;
        struct sf_traffic_params where = {
            .network = network,
            .host_sets = routes ? routes->host_sets : NULL,
            .n_sets = routes ? routes->n_sets : 0,
            .seed = seed,
        };
        struct sf_throughput_params again = *params;
        struct sf_traffic *traffic;
        struct sf_throughput found;
        again.seed = seed;
        CHECK(sf_traffic_build("switch-permutation:distance=2", &where,
                               &traffic, NULL) == SF_OK);
        CHECK(sf_throughput_measure(network->graph, traffic, &again, &found,
                                    NULL) == SF_OK);
        sum += found.lower;
        sf_traffic_free(traffic);
    }
    return sum / N_SEEDS;
}

/* Routes of 'n_sets' path sets, which know nothing of lanes. */
static struct sf_routes *
routes_by(const struct sf_network *network, const char *scheme,
          uint32_t n_layers, uint32_t n_sets)
{
    struct sf_routes *routes;

    CHECK(sf_routes_make(network, n_sets, &routes, NULL) == SF_OK);
    for (uint32_t i = 0; i < n_sets; i++) {
        struct sf_layers_params how = { .scheme = scheme,
                                        .n_layers = n_layers,
                                        .set = i,
                                        .n_sets = n_sets,
                                        .seed = 1 };
        CHECK(sf_layers_build(network, &how, &routes->sets[i], NULL) == SF_OK);
    }
    return routes;
}

/* With hosts that are dealt among 'n_sets' of paths. */
static double
measure_scheme(const struct sf_network *network, const char *scheme,
               uint32_t n_layers, uint32_t n_sets)
{
    struct sf_routes *routes = routes_by(network, scheme, n_layers, n_sets);
    struct sf_throughput_params params = { .routes = routes };

    double mean = measure_mean(network, &params);
    sf_routes_free(routes);
    return mean;
}

static double
measure_free_choice(const struct sf_network *network,
                    enum sf_throughput_mode mode, uint32_t n_paths)
{
    struct sf_throughput_params params = { .mode = mode,
                                           .n_paths = n_paths,
                                           .max_hops = 3 };
    return measure_mean(network, &params);
}

/* The network of a spec. */
static struct sf_network *
network_by(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_network *network = network_of(topo->graph, topo->n_hosts);

    sf_topology_free(topo);
    return network;
}

/* 'within_trees' is against a free choice of as many paths as layers can have
 * at best. */
static void
compare_schemes(const char *spec, uint32_t n_layers, double against_paper,
                double against_free, double within_trees)
{
    struct sf_network *network = network_by(spec);
    double gates = measure_scheme(network, "gates:for=split", n_layers, 1);
    double paper = measure_scheme(network, "paper", n_layers, 1);
    double chosen = measure_free_choice(network, SF_THROUGHPUT_FREE, n_layers);
    double trees = measure_free_choice(network, SF_THROUGHPUT_TREES, n_layers);

    printf("# %s, %u layers: gates %.4f, paper %.4f (%.2f x), free %.4f "
           "(%.2f x), less what trees lose %.4f (%.2f x)\n",
           spec, n_layers, gates, paper, gates / paper, chosen, gates / chosen,
           trees, gates / trees);
    CHECK_FOR(gates >= against_paper * paper,
              "%s, %u layers: %.4f, paper %.4f", spec, n_layers, gates, paper);
    CHECK_FOR(gates >= against_free * chosen, "%s, %u layers: %.4f, free %.4f",
              spec, n_layers, gates, chosen);
    CHECK_FOR(gates >= within_trees * trees, "%s, %u layers: %.4f, trees %.4f",
              spec, n_layers, gates, trees);
    sf_network_free(network);
}

TEST(throughput_quality_q5)
{
    compare_schemes("sf:q=5", 4, 1.2, 0.9, 0.95);
    compare_schemes("sf:q=5", 8, 1.2, 0.999, 0.999);
}

TEST(throughput_quality_q7)
{
    compare_schemes("sf:q=7", 4, 1.2, 0.9, 0.94);
}

TEST_LONG(throughput_quality_q7_of_many_layers)
{
    compare_schemes("sf:q=7", 8, 1.2, 0.95, 0.98);
    compare_schemes("sf:q=7", 16, 1.15, 1.0, 1.0);
}

/* All-to-all at equal shares, one set. */
static double
measure_shared(const struct sf_network *network, const char *scheme,
               uint32_t n_layers)
{
    struct sf_traffic_params where = { .network = network };
    struct sf_routes *routes = routes_by(network, scheme, n_layers, 1);
    struct sf_throughput_params params = { .mode = SF_THROUGHPUT_EQUAL,
                                           .routes = routes };
    struct sf_traffic *traffic;
    struct sf_throughput found;

    CHECK(sf_traffic_build("all-to-all", &where, &traffic, NULL) == SF_OK);
    CHECK(sf_throughput_measure(network->graph, traffic, &params, &found,
                                NULL) == SF_OK);
    CHECK(found.lower <= found.even);
    sf_traffic_free(traffic);
    sf_routes_free(routes);
    return found.lower;
}

/* What is deployed serves equal shares: that is why it is the default. */
TEST(throughput_quality_of_the_default_at_equal_shares)
{
    static const struct {
        const char *spec;
        double gain;
    } cases[] = {
        { "sf:q=5", 1.03 },
        { "sf:q=7", 1.02 },
        { "hx2:6x6", 1.05 },
        { "jellyfish:n=60,k=9", 1.05 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_network *network = network_by(cases[i].spec);
        double split = measure_shared(network, "gates:for=split", 4);
        double usual = measure_shared(network, "gates", 4);
        CHECK_FOR(usual >= cases[i].gain * split, "%s: %.4f, split %.4f",
                  cases[i].spec, usual, split);
        sf_network_free(network);
    }
}

/* 1.2 times the paper's scheme is more than all paths of three hops have. */
TEST_LONG(throughput_quality_q7_has_no_more)
{
    struct sf_network *network = network_by("sf:q=7");
    struct sf_throughput_params all = { .mode = SF_THROUGHPUT_HOPS,
                                        .max_hops = 3 };
    double paper = measure_scheme(network, "paper", 16, 1);
    double most = measure_mean(network, &all);

    printf("# sf:q=7, 16 layers: paper %.4f, all paths %.4f (%.2f x)\n", paper,
           most, most / paper);
    CHECK_FOR(most < 1.2 * paper, "all paths %.4f, paper %.4f", most, paper);
    sf_network_free(network);
}

/* Where one set of in-trees falls short of paths chosen freely for each pair,
 * two sets for the hosts of a switch do not. */
static void
compare_two_sets(const char *spec)
{
    struct sf_network *network = network_by(spec);
    double gates = measure_scheme(network, "gates", 4, N_SETS);
    double chosen = measure_free_choice(network, SF_THROUGHPUT_FREE, 4);

    printf("# %s, 4 layers: gates in 2 sets %.4f, free %.4f (%.2f x)\n", spec,
           gates, chosen, gates / chosen);
    CHECK_FOR(gates >= chosen, "%s: %.4f, free %.4f", spec, gates, chosen);
    sf_network_free(network);
}

TEST(throughput_quality_of_two_sets)
{
    compare_two_sets("sf:q=4");
    compare_two_sets("sf:q=5");
}

TEST_LONG(throughput_quality_of_two_sets_at_q_7)
{
    compare_two_sets("sf:q=7");
}

/* Is there more in in-trees than 'gates' finds?  Annealing, which takes a
 * hundred times as long and need not even loads, must not find much. */
TEST(throughput_quality_against_annealing)
{
    static const char *const specs[] = { "sf:q=5", "sf:q=7" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_network *network = network_by(specs[i]);
        struct sf_layers_claims claims = { .max_hops = 3,
                                           .minimal_first = true };
        struct sf_routes *routes = routes_by(network, NULL, 4, 1);
        struct sf_throughput_params params = { .routes = routes };
        double gates = measure_mean(network, &params);
        oracle_anneal(routes->sets[0], network->graph, 1, 200);
        CHECK(sf_layers_check(routes->sets[0], network->graph, &claims,
                              NULL) == SF_OK);
        double annealed = measure_mean(network, &params);
        printf("# %s, 4 layers: gates %.4f, annealed %.4f (%.2f x)\n",
               specs[i], gates, annealed, annealed / gates);
        CHECK_FOR(annealed <= 1.04 * gates, "%s: %.4f, annealed %.4f",
                  specs[i], gates, annealed);
        sf_routes_free(routes);
        sf_network_free(network);
    }
}
