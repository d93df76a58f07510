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
    if (sf_properties_measure(topo, NULL, &properties, NULL) != SF_OK) {
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

    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("largest memory of the whole run: %ld MiB\n",
           usage.ru_maxrss / 1024);
    return EXIT_SUCCESS;
}
