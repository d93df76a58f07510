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
measure_mean(const struct sf_topology *topo,
             const struct sf_throughput_params *params)
{
    double sum = 0;

    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        struct sf_traffic_params where = { .graph = topo->graph,
                                           .n_hosts = topo->n_hosts,
                                           .n_variants = params->n_variants,
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

/* With hosts that are dealt among 'n_sets' of paths. */
static double
measure_scheme(const struct sf_topology *topo, const char *scheme,
               uint32_t n_layers, uint32_t n_sets)
{
    struct sf_layers *sets[N_SETS] = { NULL };
    struct sf_throughput_params params = { .variants = sets,
                                           .n_variants = n_sets };

    for (uint32_t i = 0; i < n_sets; i++) {
        struct sf_layers_params how = { .scheme = scheme,
                                        .n_layers = n_layers,
                                        .variant = i,
                                        .n_variants = n_sets,
                                        .seed = 1 };
        CHECK(sf_layers_build(topo->graph, topo->n_hosts, &how, &sets[i],
                              NULL) == SF_OK);
    }
    double mean = measure_mean(topo, &params);
    for (uint32_t i = 0; i < n_sets; i++) {
        sf_layers_free(sets[i]);
    }
    return mean;
}

static double
measure_free_choice(const struct sf_topology *topo,
                    enum sf_throughput_mode mode, uint32_t n_paths)
{
    struct sf_throughput_params params = { .mode = mode,
                                           .n_paths = n_paths,
                                           .max_hops = 3 };
    return measure_mean(topo, &params);
}

/* 'within_trees' is against a free choice of as many paths as layers can have
 * at best. */
static void
compare_schemes(const char *spec, uint32_t n_layers, double against_paper,
                double against_free, double within_trees)
{
    struct sf_topology *topo = build("%s", spec);
    double gates = measure_scheme(topo, "gates", n_layers, 1);
    double paper = measure_scheme(topo, "paper", n_layers, 1);
    double chosen = measure_free_choice(topo, SF_THROUGHPUT_FREE, n_layers);
    double trees = measure_free_choice(topo, SF_THROUGHPUT_TREES, n_layers);

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
    sf_topology_free(topo);
}

TEST(throughput_quality_q5)
{
    compare_schemes("sf:q=5", 4, 1.2, 0.9, 0.95);
    compare_schemes("sf:q=5", 8, 1.2, 0.999, 0.999);
}

TEST(throughput_quality_q7)
{
    compare_schemes("sf:q=7", 4, 1.2, 0.9, 0.94);
    compare_schemes("sf:q=7", 8, 1.2, 0.95, 0.98);
    compare_schemes("sf:q=7", 16, 1.15, 1.0, 1.0);
}

/* 1.2 times the paper's scheme is more than all paths of three hops have. */
TEST(throughput_quality_q7_has_no_more)
{
    struct sf_topology *topo = build("sf:q=7");
    struct sf_throughput_params all = { .mode = SF_THROUGHPUT_HOPS,
                                        .max_hops = 3 };
    double paper = measure_scheme(topo, "paper", 16, 1);
    double most = measure_mean(topo, &all);

    printf("# sf:q=7, 16 layers: paper %.4f, all paths %.4f (%.2f x)\n", paper,
           most, most / paper);
    CHECK_FOR(most < 1.2 * paper, "all paths %.4f, paper %.4f", most, paper);
    sf_topology_free(topo);
}

/* Where one set of in-trees falls short of paths chosen freely for each pair,
 * two sets for the hosts of a switch do not. */
TEST(throughput_quality_of_two_sets)
{
    static const char *const specs[] = { "sf:q=4", "sf:q=5", "sf:q=7" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_topology *topo = build("%s", specs[i]);
        double gates = measure_scheme(topo, "gates", 4, N_SETS);
        double chosen = measure_free_choice(topo, SF_THROUGHPUT_FREE, 4);
        printf("# %s, 4 layers: gates in 2 sets %.4f, free %.4f (%.2f x)\n",
               specs[i], gates, chosen, gates / chosen);
        CHECK_FOR(gates >= chosen, "%s: %.4f, free %.4f", specs[i], gates,
                  chosen);
        sf_topology_free(topo);
    }
}

/* Is there more in in-trees than 'gates' finds?  Annealing, which takes a
 * hundred times as long and need not even loads, must not find much. */
TEST(throughput_quality_against_annealing)
{
    static const char *const specs[] = { "sf:q=5", "sf:q=7" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_topology *topo = build("%s", specs[i]);
        struct sf_layers_params how = { .n_layers = 4, .seed = 1 };
        struct sf_layers_claims claims = { .max_hops = 3,
                                           .minimal_first = true };
        struct sf_layers *layers;
        struct sf_throughput_params params = { .variants = &layers,
                                               .n_variants = 1 };
        CHECK(sf_layers_build(topo->graph, topo->n_hosts, &how, &layers,
                              NULL) == SF_OK);
        double gates = measure_mean(topo, &params);
        oracle_anneal(layers, topo->graph, 1, 200);
        CHECK(sf_layers_check(layers, topo->graph, &claims, NULL) == SF_OK);
        double annealed = measure_mean(topo, &params);
        printf("# %s, 4 layers: gates %.4f, annealed %.4f (%.2f x)\n",
               specs[i], gates, annealed, annealed / gates);
        CHECK_FOR(annealed <= 1.04 * gates, "%s: %.4f, annealed %.4f",
                  specs[i], gates, annealed);
        sf_layers_free(layers);
        sf_topology_free(topo);
    }
}
