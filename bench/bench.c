/* bench.c -- side-by-side measurements, in one run on one machine.
 *
 * Each line times something of ours and something to compare it with, turn by
 * turn, and prints the medians and their ratio: on a noisy machine the ratio
 * says more than the seconds. */
#define _GNU_SOURCE
#include "oracle/oracle.h"
#include "slimfly/slimfly.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define MAX_RUNS 15

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int
compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double
median(double *times, int n)
{
    qsort(times, (size_t)n, sizeof *times, compare_doubles);
    return times[n / 2];
}

static struct sf_topology *
build(const char *spec)
{
    struct sf_topology *topo;
    struct sf_error err;
    if (sf_topology_build(spec, &topo, &err) != SF_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(EXIT_FAILURE);
    }
    return topo;
}

static void
build_and_free(const char *spec)
{
    sf_topology_free(build(spec));
}

static void
build_and_measure(const char *spec)
{
    struct sf_topology *topo = build(spec);
    struct sf_properties properties;
    if (sf_properties_measure(topo, &properties, NULL) != SF_OK) {
        exit(EXIT_FAILURE);
    }
    sf_properties_clear(&properties);
    sf_topology_free(topo);
}

/* The same distances by a breadth-first search from each switch. */
static void
build_and_search(const char *spec)
{
    struct sf_topology *topo = build(spec);
    struct oracle_graph *graph = oracle_graph_of(topo->graph);
    if (oracle_diameter(graph) == SF_NONE) {
        exit(EXIT_FAILURE);
    }
    oracle_graph_free(graph);
    sf_topology_free(topo);
}

static struct sf_plan *
plan(const char *spec)
{
    struct sf_topology *topo = build(spec);
    struct sf_plan *plan;
    struct sf_error err;
    if (sf_plan_build(topo, NULL, NULL, &plan, &err) != SF_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(EXIT_FAILURE);
    }
    sf_topology_free(topo);
    return plan;
}

/* Plans, and writes every file of the plan but the pictures. */
static void
plan_and_write(const char *spec)
{
    struct sf_plan *planned = plan(spec);
    FILE *sink = fopen("/dev/null", "w");
    if (!sink) {
        exit(EXIT_FAILURE);
    }
    for (const struct sf_plan_file *file = sf_plan_files; file->name; file++) {
        if (file->write(planned, sink, NULL) != SF_OK) {
            exit(EXIT_FAILURE);
        }
    }
    fclose(sink);
    sf_plan_free(planned);
}

/* Plans, swaps two cables and finds that out, told by 'sources'. */
static void
verify_by(const char *spec, unsigned sources)
{
    struct sf_plan *planned = plan(spec);
    struct sf_fabric *found;
    struct sf_verification *verification;
    struct sf_verify_params params = { .sources = sources };
    uint32_t last = planned->n_cables - 1;

    if (sf_fabric_copy(planned->fabric, &found, NULL) != SF_OK) {
        exit(EXIT_FAILURE);
    }
    sf_fabric_unplug(found, planned->cables[last].a);
    sf_fabric_unplug(found, planned->cables[last - 9].a);
    sf_fabric_plug(found, planned->cables[last].a,
                   planned->cables[last - 9].b);
    sf_fabric_plug(found, planned->cables[last - 9].a,
                   planned->cables[last].b);
    if (sf_verify(planned, found, &params, &verification, NULL) != SF_OK ||
        verification->n_moves != 2) {
        exit(EXIT_FAILURE);
    }
    sf_verification_free(verification);
    sf_fabric_free(found);
    sf_plan_free(planned);
}

static void
verify_by_name(const char *spec)
{
    verify_by(spec, SF_IDENTITY_NAME);
}

static void
verify_by_structure(const char *spec)
{
    verify_by(spec, SF_IDENTITY_STRUCTURE);
}

/* The network of a spec, of which nobody has wired the ports. */
static struct sf_network *
build_network(const char *spec)
{
    struct sf_topology *topo = build(spec);
    struct sf_network *network;
    if (sf_network_from_graph(topo->graph, topo->n_hosts, &network, NULL) !=
        SF_OK) {
        exit(EXIT_FAILURE);
    }
    sf_topology_free(topo);
    return network;
}

/* Makes layers by 'scheme' on one core. */
static void
route_by(const char *spec, const char *scheme, uint32_t n_layers,
         uint32_t n_threads)
{
    struct sf_network *network = build_network(spec);
    struct sf_layers *layers;
    struct sf_layers_params params = {
        .scheme = scheme,
        .n_layers = n_layers,
        .seed = 1,
        .n_threads = n_threads,
    };
    if (sf_layers_build(network, &params, &layers, NULL) != SF_OK) {
        exit(EXIT_FAILURE);
    }
    sf_layers_free(layers);
    sf_network_free(network);
}

static void
route_4(const char *spec)
{
    route_by(spec, "gates", 4, 1);
}

static void
route_8(const char *spec)
{
    route_by(spec, "gates", 8, 1);
}

static void
route_4_by_2_threads(const char *spec)
{
    route_by(spec, "gates", 4, 2);
}

static void
route_4_by_paper(const char *spec)
{
    route_by(spec, "paper", 4, 1);
}

static void
route_8_by_paper(const char *spec)
{
    route_by(spec, "paper", 8, 1);
}

/* Throughput of 8 layers of gates; 'effort' as in throughput.h. */
static void
solve_by(const char *spec, const char *text, enum sf_throughput_mode mode,
         enum sf_throughput_effort effort)
{
    /* Of the last spec: routing is not what is measured here. */
    static struct sf_network *network;
    static struct sf_routes *routes;
    static const char *last;
    struct sf_traffic *traffic;
    struct sf_throughput found;

    if (!network || last != spec) {
        sf_routes_free(routes);
        sf_network_free(network);
        network = build_network(spec);
        struct sf_layers_params params = { .n_layers = 8, .n_threads = 2 };
        if (sf_routes_make(network, 1, &routes, NULL) != SF_OK ||
            sf_layers_build(network, &params, &routes->sets[0], NULL) !=
                SF_OK) {
            exit(EXIT_FAILURE);
        }
        last = spec;
    }
    struct sf_traffic_params where = { .network = network, .seed = 1 };
    struct sf_throughput_params params = {
        .mode = mode,
        .routes = routes,
        .effort = effort,
        .n_threads = 2,
    };
    if (sf_traffic_build(text, &where, &traffic, NULL) != SF_OK ||
        sf_throughput_measure(network->graph, traffic, &params, &found,
                              NULL) != SF_OK ||
        found.upper > 1.0051 * found.lower) {
        exit(EXIT_FAILURE);
    }
    sf_traffic_free(traffic);
}

static void
bound_all_to_all(const char *spec)
{
    solve_by(spec, "all-to-all", SF_THROUGHPUT_LAYERS, SF_EFFORT_APPROXIMATE);
}

static void
solve_all_to_all(const char *spec)
{
    solve_by(spec, "all-to-all", SF_THROUGHPUT_LAYERS, SF_EFFORT_EXACT);
}

static void
bound_permutation(const char *spec)
{
    solve_by(spec, "permutation", SF_THROUGHPUT_LAYERS, SF_EFFORT_APPROXIMATE);
}

static void
bound_switch_permutation(const char *spec)
{
    solve_by(spec, "switch-permutation", SF_THROUGHPUT_LAYERS,
             SF_EFFORT_APPROXIMATE);
}

static void
solve_switch_permutation(const char *spec)
{
    solve_by(spec, "switch-permutation", SF_THROUGHPUT_LAYERS,
             SF_EFFORT_EXACT);
}

static void
bound_adversarial(const char *spec)
{
    solve_by(spec, "adversarial:load=0.1", SF_THROUGHPUT_LAYERS,
             SF_EFFORT_APPROXIMATE);
}

static void
bound_any_path(const char *spec)
{
    solve_by(spec, "switch-permutation", SF_THROUGHPUT_ANY, SF_EFFORT_AUTO);
}

/* A plain generator in Python, as research code often is. */
static void
build_in_python(const char *spec)
{
    char command[512];
    snprintf(command, sizeof command, "/usr/bin/python3 %s/mms.py %s",
             BENCH_DIR, spec + strlen("sf:q="));
    if (system(command) != 0) { /* NOLINT(cert-env33-c) */
        exit(EXIT_FAILURE);
    }
}

static void
compare(const char *what, const char *spec, void (*ours)(const char *),
        void (*theirs)(const char *), int n_runs)
{
    double our_times[MAX_RUNS], their_times[MAX_RUNS];

    for (int i = 0; i < n_runs; i++) {
        double start = now();
        ours(spec);
        our_times[i] = now() - start;
        if (theirs) {
            start = now();
            theirs(spec);
            their_times[i] = now() - start;
        }
    }
    double our_time = median(our_times, n_runs);
    printf("%-44s %10.2f ms", what, 1e3 * our_time);
    if (theirs) {
        double their_time = median(their_times, n_runs);
        printf(" %12.2f ms %9.1f x", 1e3 * their_time, their_time / our_time);
    }
    putchar('\n');
    fflush(stdout);
}

int
main(void)
{
    printf("%-44s %13s %15s %11s\n", "", "ours", "other", "ratio");
    compare("build sf:q=43 | plain Python", "sf:q=43", build_and_free,
            build_in_python, 3);
    compare("build and check sf:q=43 | plain searches", "sf:q=43",
            build_and_measure, build_and_search, 5);
    compare("build and check sf:q=27 | plain searches", "sf:q=27",
            build_and_measure, build_and_search, 9);
    compare("build and check sf:q=64", "sf:q=64", build_and_measure, NULL, 5);
    compare("build and check ft3:ports=64", "ft3:ports=64", build_and_measure,
            NULL, 5);
    compare("build and check df:a=32,h=16 ", "df:a=32,h=16", build_and_measure,
            NULL, 3);

    compare("plan sf:q=19 and write its files", "sf:q=19", plan_and_write,
            NULL, 5);
    compare("plan and verify sf:q=19 | by wiring alone", "sf:q=19",
            verify_by_name, verify_by_structure, 5);

    compare("gates, sf:q=11, 4 layers | paper", "sf:q=11", route_4,
            route_4_by_paper, 5);
    compare("gates, sf:q=13, 8 layers | paper", "sf:q=13", route_8,
            route_8_by_paper, 3);
    compare("gates, sf:q=19, 4 layers | paper", "sf:q=19", route_4,
            route_4_by_paper, 3);
    compare("gates, sf:q=27, 4 layers | paper", "sf:q=27", route_4,
            route_4_by_paper, 1);
    compare("gates, sf:q=19, by 2 threads | by 1", "sf:q=19",
            route_4_by_2_threads, route_4, 3);

    compare("throughput, q=5, all-to-all | CLP barrier", "sf:q=5",
            bound_all_to_all, solve_all_to_all, 5);
    compare("throughput, q=7, all-to-all | CLP barrier", "sf:q=7",
            bound_all_to_all, solve_all_to_all, 1);
    compare("throughput, q=13, all-to-all", "sf:q=13", bound_all_to_all, NULL,
            3);
    compare("throughput, q=13, adversarial", "sf:q=13", bound_adversarial,
            NULL, 3);
    compare("throughput, q=13, permutation", "sf:q=13", bound_permutation,
            NULL, 3);
    compare("throughput, q=13, of switches | CLP simplex", "sf:q=13",
            bound_switch_permutation, solve_switch_permutation, 3);
    compare("throughput, q=13, of switches, any path", "sf:q=13",
            bound_any_path, NULL, 3);
    compare("throughput, q=19, all-to-all", "sf:q=19", bound_all_to_all, NULL,
            1);

    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("largest memory of the whole run: %ld MiB\n",
           usage.ru_maxrss / 1024);
    return EXIT_SUCCESS;
}
