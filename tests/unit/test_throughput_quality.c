/* test_throughput_quality.c -- how good the layers of 'gates' are: throughput
 * against the layers of the paper and against paths chosen freely for each
 * pair, under permutations of switches two hops apart. */
#include "helpers.h"
#include "slimfly/slimfly.h"
#include "test.h"

#define N_SEEDS 10

static double
measure_mean(const struct sf_topology *topo,
             const struct sf_throughput_params *params)
{
    double sum = 0;

    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        struct sf_traffic_params where = { .graph = topo->graph,
                                           .n_hosts = topo->n_hosts,
                                           .seed = seed };
        struct sf_throughput_params again = *params;
        struct sf_traffic *traffic;
        struct sf_throughput found;
        again.seed = seed;
        CHECK(sf_traffic_build("switch-permutation:distance=2", &where,
                               &traffic, NULL) == SF_OK);
        CHECK(sf_throughput_measure(topo->graph, traffic, &again, &found,
                                    NULL) == SF_OK);
        sum += found.lower;
        sf_traffic_free(traffic);
    }
    return sum / N_SEEDS;
}

static double
measure_scheme(const struct sf_topology *topo, const char *scheme,
               uint32_t n_layers)
{
    struct sf_layers_params layer_params = { .scheme = scheme,
                                             .n_layers = n_layers,
                                             .seed = 1 };
    struct sf_layers *layers;
    CHECK(sf_layers_build(topo->graph, topo->n_hosts, &layer_params, &layers,
                          NULL) == SF_OK);
    struct sf_throughput_params params = { .variants = &layers,
                                           .n_variants = 1 };
    double mean = measure_mean(topo, &params);
    sf_layers_free(layers);
    return mean;
}

static void
compare_schemes(const char *spec, uint32_t n_layers, double against_paper,
                double against_free)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_throughput_params free_choice = { .mode = SF_THROUGHPUT_FREE,
                                                .n_paths = n_layers,
                                                .max_hops = 3 };
    double gates = measure_scheme(topo, "gates", n_layers);
    double paper = measure_scheme(topo, "paper", n_layers);
    double chosen = measure_mean(topo, &free_choice);

    printf("# %s, %u layers: gates %.4f, paper %.4f (%.2f x), free %.4f "
           "(%.2f x)\n",
           spec, n_layers, gates, paper, gates / paper, chosen,
           gates / chosen);
    CHECK_FOR(gates >= against_paper * paper,
              "%s, %u layers: %.4f, paper %.4f", spec, n_layers, gates, paper);
    CHECK_FOR(gates >= against_free * chosen, "%s, %u layers: %.4f, free %.4f",
              spec, n_layers, gates, chosen);
    sf_topology_free(topo);
}

TEST(throughput_quality_q5)
{
    compare_schemes("sf:q=5", 4, 1.2, 0.9);
    compare_schemes("sf:q=5", 8, 1.2, 0.9);
}

TEST(throughput_quality_q7)
{
    compare_schemes("sf:q=7", 4, 1.2, 0.9);
    compare_schemes("sf:q=7", 8, 1.2, 0.9);
}
