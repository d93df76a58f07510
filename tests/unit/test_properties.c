/* test_properties.c -- what is measured, against the oracles. */
#include "helpers.h"
#include "oracle/oracle.h"
#include "slimfly/progress.h"
#include "slimfly/properties.h"
#include "slimfly/random.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

/* 1 + k + k (k - 1) + ... + k (k - 1)^(D - 1). */
static double
moore_bound(uint32_t k, uint32_t diameter)
{
    double sum = 1, shell = k;
    for (uint32_t i = 0; i < diameter; i++) {
        sum += shell;
        shell *= (double)k - 1;
    }
    return sum;
}

static void
check_double(const char *what, const char *which, double actual,
             double expected)
{
    if (isnan(expected) || isinf(expected)) {
        CHECK_FOR(isnan(actual) == isnan(expected) &&
                      isinf(actual) == isinf(expected),
                  "%s: %s is %g, expected %g", which, what, actual, expected);
    } else {
        CHECK_FOR(fabs(actual - expected) <= 1e-9 * fabs(expected),
                  "%s: %s is %.12g, expected %.12g", which, what, actual,
                  expected);
    }
}

static void
check_distances(const char *which, const struct sf_distances *actual,
                const struct oracle_distances *expected)
{
    CHECK_FOR(actual->diameter == expected->diameter,
              "%s: diameter %u, expected %u", which, actual->diameter,
              expected->diameter);
    /* What holds where no pair is connected has a test of its own. */
    if (expected->sum > 0) {
        CHECK_FOR(actual->n_distances == expected->n_distances,
                  "%s: %u distances, expected %u", which, actual->n_distances,
                  expected->n_distances);
        for (uint32_t d = 0; d < expected->n_distances; d++) {
            CHECK_FOR(actual->n_pairs[d] == expected->n_pairs[d],
                      "%s: %llu pairs at distance %u, expected %llu", which,
                      (unsigned long long)actual->n_pairs[d], d,
                      (unsigned long long)expected->n_pairs[d]);
        }
    }
    /* A switch alone has no average: nothing is promised. */
    if (expected->n_members > 1) {
        check_double("average", which, actual->average, expected->average);
    }
}

/* Measures 'topo' and compares everything with what the oracles make of
 * 'graph', whose nodes are numbered as the switches are or differently: then
 * all must carry the same number of hosts. */
static void
check_properties(const struct sf_topology *topo,
                 const struct oracle_graph *graph, bool with_girth)
{
    const char *which = topo->spec;
    struct sf_properties properties;
    struct sf_error err = { 0 };
    bool *member = oracle_calloc(graph->n, sizeof *member);
    uint32_t *matrix = oracle_matrix(graph);
    uint32_t fewest = SF_NONE, most = 0, n_parallel = 0, n_hosts = 0, p = 0;
    uint32_t radix = 0;

    enum sf_status status = sf_properties_measure(topo, &properties, &err);
    CHECK_FOR(status == SF_OK, "%s: %s", which, err.text);

    for (uint32_t v = 0; v < graph->n; v++) {
        fewest = graph->degree[v] < fewest ? graph->degree[v] : fewest;
        most = graph->degree[v] > most ? graph->degree[v] : most;
        member[v] = topo->n_hosts[v] > 0;
        n_hosts += topo->n_hosts[v];
        p = topo->n_hosts[v] > p ? topo->n_hosts[v] : p;
        if (graph->degree[v] + topo->n_hosts[v] > radix) {
            radix = graph->degree[v] + topo->n_hosts[v];
        }
        for (uint32_t w = 0; w < v; w++) {
            uint32_t n_links = matrix[(size_t)v * graph->n + w];
            n_parallel += n_links > 1 ? n_links - 1 : 0;
        }
    }
    CHECK_EQ(properties.n_switches, graph->n);
    CHECK_EQ(properties.n_links, graph->n_links);
    CHECK_EQ(properties.n_endpoints, n_hosts);
    CHECK_EQ(properties.n_parts, oracle_n_parts(graph));
    CHECK_EQ(properties.min_degree, fewest);
    CHECK_EQ(properties.max_degree, most);
    CHECK(properties.regular == (fewest == most));
    CHECK_EQ(properties.n_parallel_links, n_parallel);
    CHECK_EQ(properties.concentration, p);
    CHECK_EQ(properties.radix, radix);
    if (with_girth) {
        CHECK_FOR(properties.girth == oracle_girth(graph),
                  "%s: girth %u, expected %u", which, properties.girth,
                  oracle_girth(graph));
    }

    struct oracle_distances *all = oracle_distances(graph, NULL);
    struct oracle_distances *hosts = oracle_distances(graph, member);
    check_distances(which, &properties.all, all);
    check_distances(which, &properties.hosts, hosts);
    double moore = all->diameter == SF_NONE ? (double)NAN
                                            : moore_bound(most, all->diameter);
    /* Where "too many to count" begins is for the library to say. */
    if (isnan(moore) || moore < 4e9) {
        check_double("Moore bound", which, properties.moore_bound, moore);
    }
    if (hosts->diameter == SF_NONE) {
        check_double("full bandwidth p", which, properties.full_bandwidth_p,
                     (double)NAN);
    } else if (hosts->n_members > 1) {
        double n = hosts->n_members;
        double average = (double)hosts->sum / (n * n);
        check_double("full bandwidth p", which, properties.full_bandwidth_p,
                     2.0 * graph->n_links / (n * average));
    }

    oracle_distances_free(hosts);
    oracle_distances_free(all);
    sf_properties_clear(&properties);
    free(matrix);
    free(member);
}

/* The same for a graph of our own, through an edge list. */
static void
check_links(uint32_t n, const struct sf_link *links, uint32_t n_links,
            uint32_t p)
{
    size_t size = 64 + (size_t)n_links * 24;
    char *text = oracle_calloc(size, 1);
    size_t used = (size_t)snprintf(text, size, "# Nodes: %u\n", n);
    for (uint32_t l = 0; l < n_links; l++) {
        used += (size_t)snprintf(text + used, size - used, "%u %u\n",
                                 links[l].a, links[l].b);
    }

    struct temporary file = temporary_write(text);
    struct sf_topology *topo = NULL;
    struct sf_error err = { 0 };
    char spec[128];
    snprintf(spec, sizeof spec, "edges:%s,p=%u", file.name, p);
    enum sf_status status = sf_topology_build(spec, &topo, &err);
    temporary_remove(&file);
    CHECK_FOR(status == SF_OK && topo, "%s: %s", text, err.text);

    struct oracle_graph *graph = oracle_graph_make(n, links, n_links);
    check_properties(topo, graph, n_links <= 400);
    oracle_graph_free(graph);
    sf_topology_free(topo);
    free(text);
}

/* From a few links to many, so that most graphs are in several parts at
 * first and none in the end; half of them with parallel links. */
TEST(properties_of_random_graphs)
{
    struct sf_random random;

    sf_random_init(&random, 1, 0);
    for (uint32_t round = 0; round < 300; round++) {
        struct sf_link links[200];
        uint32_t n = 2 + sf_random_below(&random, 30);
        uint32_t n_links = 0, n_wanted = sf_random_below(&random, 3 * n);
        bool *linked = oracle_calloc((size_t)n * n, sizeof *linked);

        for (uint32_t i = 0; i < n_wanted; i++) {
            uint32_t a = sf_random_below(&random, n);
            uint32_t b = sf_random_below(&random, n);
            if (a != b && (round % 2 || !linked[a * n + b])) {
                linked[a * n + b] = linked[b * n + a] = true;
                links[n_links++] = (struct sf_link){ a, b };
            }
        }
        free(linked);
        check_links(n, links, n_links, 1 + round % 4);
    }
}

TEST(properties_of_random_trees)
{
    struct sf_random random;

    sf_random_init(&random, 2, 0);
    for (uint32_t n = 1; n <= 40; n++) {
        struct sf_link links[40];
        for (uint32_t v = 1; v < n; v++) {
            links[v - 1] = (struct sf_link){ v, sf_random_below(&random, v) };
        }
        check_links(n, links, n - 1, 1);
        /* One link twice: a cycle of two. */
        if (n > 1) {
            links[n - 1] = links[sf_random_below(&random, n - 1)];
            check_links(n, links, n, 1);
        }
    }
}

TEST(properties_of_cycles_and_paths)
{
    for (uint32_t n = 3; n <= 40; n++) {
        struct sf_link links[40];
        for (uint32_t v = 0; v < n; v++) {
            links[v] = (struct sf_link){ v, (v + 1) % n };
        }
        check_links(n, links, n, 1);
        check_links(n, links, n - 1, 1);
        check_links(n + 1, links, n, 1); /* And a switch alone. */
    }
}

TEST(properties_of_two_cycles)
{
    for (uint32_t n = 3; n <= 12; n++) {
        for (uint32_t m = 3; m <= 12; m++) {
            struct sf_link links[24];
            for (uint32_t v = 0; v < n; v++) {
                links[v] = (struct sf_link){ v, (v + 1) % n };
            }
            for (uint32_t v = 0; v < m; v++) {
                links[n + v] = (struct sf_link){ n + v, n + (v + 1) % m };
            }
            check_links(n + m, links, n + m, 1);
            /* A bridge joins them. */
            struct sf_link bridge = links[n + m - 1];
            links[n + m - 1] = (struct sf_link){ 0, n };
            check_links(n + m, links, n + m, 1);
            links[n + m - 1] = bridge;
        }
    }
}

TEST(properties_of_complete_graphs)
{
    for (uint32_t n = 2; n <= 16; n++) {
        struct sf_link links[120];
        uint32_t n_links = 0;
        for (uint32_t a = 0; a < n; a++) {
            for (uint32_t b = 0; b < a; b++) {
                links[n_links++] = (struct sf_link){ a, b };
            }
        }
        check_links(n, links, n_links, 2);
    }
}

TEST(properties_without_links)
{
    for (uint32_t n = 1; n <= 5; n++) {
        struct sf_link none = { 0, 0 };
        check_links(n, &none, 0, 1);
    }
}

/* One switch alone, and one leaf alone: the longest distance is 0, so that
 * there is one distance, at which there is no pair. */
TEST(properties_of_a_switch_alone_have_distance_0)
{
    struct temporary file = temporary_write("# Nodes: 1\n");
    struct sf_topology *alone = build("edges:%s", file.name);
    struct sf_topology *leaf = build("ft2:leaf=1,core=1,up=1,p=1");
    struct sf_properties properties;

    temporary_remove(&file);
    CHECK_EQ(sf_properties_measure(alone, &properties, NULL), SF_OK);
    CHECK_EQ(properties.all.diameter, 0);
    CHECK_EQ(properties.all.n_distances, 1);
    CHECK_EQ(properties.all.n_pairs[0], 0);
    sf_properties_clear(&properties);

    CHECK_EQ(sf_properties_measure(leaf, &properties, NULL), SF_OK);
    CHECK_EQ(properties.all.diameter, 1);
    CHECK_EQ(properties.hosts.diameter, 0);
    CHECK_EQ(properties.hosts.n_distances, 1);
    CHECK_EQ(properties.hosts.n_pairs[0], 0);
    sf_properties_clear(&properties);
    sf_topology_free(leaf);
    sf_topology_free(alone);
}

/* Searches run from 512 switches at once: sizes around that, sparse ones and
 * some in several parts. */
TEST(properties_around_the_size_of_a_block)
{
    static const uint32_t sizes[] = { 63,  64,  65,  127,  129, 511,
                                      512, 513, 600, 1023, 1025 };
    struct sf_random random;

    sf_random_init(&random, 3, 0);
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        for (uint32_t factor = 1; factor <= 3; factor++) {
            static struct sf_link links[4000];
            uint32_t n = sizes[i], n_links = factor * n, used = 0;
            for (uint32_t v = 1; v < n && factor > 1; v++) {
                links[used++] =
                    (struct sf_link){ v, sf_random_below(&random, v) };
            }
            while (used < n_links) {
                uint32_t a = sf_random_below(&random, n);
                uint32_t b = sf_random_below(&random, n);
                if (a != b) {
                    links[used++] = (struct sf_link){ a, b };
                }
            }
            check_links(n, links, n_links, 1);
        }
    }
}

/* A long ring of 600: the diameter is far from small. */
TEST(properties_of_a_long_ring)
{
    enum {
        N = 600
    };
    static struct sf_link links[N];

    for (uint32_t v = 0; v < N; v++) {
        links[v] = (struct sf_link){ v, (v + 1) % N };
    }
    check_links(N, links, N, 1);
}

TEST(properties_of_all_families)
{
    static const char *const specs[] = {
        "sf:q=3",
        "sf:q=4",
        "sf:q=5",
        "sf:q=7",
        "sf:q=8",
        "sf:q=9,p=1",
        "ft2:ports=4",
        "ft2:ports=12",
        "ft2:leaf=12,core=6,up=3,p=18",
        "ft2:leaf=1,core=1,up=1,p=1",
        "ft2:leaf=1,core=2,up=3",
        "ft2b:ports=16,over=3",
        "ft3:ports=2",
        "ft3:ports=4",
        "ft3:ports=6",
        "ft3:ports=8,pods=3",
        "hx2:1x2",
        "hx2:4x5",
        "hx2:5x5,links=2",
        "df:a=2,h=1",
        "df:a=4,h=2,p=2",
        "df:a=4,h=2,g=5",
        "df:a=3,h=2,g=2",
        "xpander:k=5,lift=6",
        "xpander:k=2,lift=7",
        "jellyfish:n=50,k=7",
        "jellyfish:n=40,k=3",
        "jellyfish:n=30,k=29",
        "pf:q=2",
        "pf:q=3",
        "pf:q=4",
        "pf:q=7",
    };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_topology *topo = build("%s", specs[i]);
        struct oracle_graph *graph = oracle_graph_of(topo->graph);
        check_properties(topo, graph, graph->n_links <= 700);
        oracle_graph_free(graph);
        sf_topology_free(topo);
    }
}

/* Leaves of a Fat Tree are never one hop apart. */
TEST(properties_between_hosts_of_fat_trees)
{
    struct sf_properties properties;

    for (uint32_t ports = 4; ports <= 12; ports += 2) {
        uint64_t half = ports / 2, n = ports;
        struct sf_topology *topo = build("ft2:ports=%u", ports);
        CHECK_EQ(sf_properties_measure(topo, &properties, NULL), SF_OK);
        CHECK_EQ(properties.hosts.diameter, 2);
        CHECK_EQ(properties.hosts.n_distances, 3);
        CHECK_EQ(properties.hosts.n_pairs[0], 0);
        CHECK_EQ(properties.hosts.n_pairs[1], 0);
        CHECK_EQ(properties.hosts.n_pairs[2], n * (n - 1));
        CHECK_NEAR(properties.hosts.average, 2.0, 1e-12);
        sf_properties_clear(&properties);
        sf_topology_free(topo);

        topo = build("ft3:ports=%u", ports);
        n = ports * half;
        CHECK_EQ(sf_properties_measure(topo, &properties, NULL), SF_OK);
        CHECK_EQ(properties.hosts.diameter, 4);
        CHECK_EQ(properties.hosts.n_distances, 5);
        CHECK_EQ(properties.hosts.n_pairs[1], 0);
        CHECK_EQ(properties.hosts.n_pairs[2], n * (half - 1));
        CHECK_EQ(properties.hosts.n_pairs[3], 0);
        CHECK_EQ(properties.hosts.n_pairs[4], n * (n - half));
        CHECK_EQ(properties.radix, ports);
        sf_properties_clear(&properties);
        sf_topology_free(topo);
    }
}

TEST(properties_moore_bound)
{
    static const struct {
        const char *spec;
        double bound;
    } cases[] = {
        { "sf:q=5", 50 },       { "sf:q=3", 26 },
        { "ft3:ports=4", 161 }, { "hx2:1x9", 9 },
        { "hx2:13x13", 577 },   { "hx2:1x2", 2 },
        { "df:a=4,h=2", 106 },  { "xpander:k=9,lift=1", 10 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_properties properties;
        struct sf_topology *topo = build("%s", cases[i].spec);
        CHECK_EQ(sf_properties_measure(topo, &properties, NULL), SF_OK);
        CHECK_NEAR(properties.moore_bound, cases[i].bound, 1e-9);
        sf_properties_clear(&properties);
        sf_topology_free(topo);
    }
}

/* A ladder with 1200 rungs: 3 * 2^1200 switches are beyond any number. */
TEST(properties_moore_bound_can_be_infinite)
{
    enum {
        N = 1200
    };
    size_t size = 3 * N * 16, used = 0;
    char *text = oracle_calloc(size, 1), spec[128];
    struct sf_properties properties;
    struct sf_topology *topo = NULL;

    for (uint32_t i = 0; i < N; i++) {
        used += (size_t)snprintf(text + used, size - used, "%u %u\n", 2 * i,
                                 2 * i + 1);
        for (uint32_t side = 0; side < 2 && i + 1 < N; side++) {
            used += (size_t)snprintf(text + used, size - used, "%u %u\n",
                                     2 * i + side, 2 * i + 2 + side);
        }
    }
    struct temporary file = temporary_write(text);
    free(text);
    snprintf(spec, sizeof spec, "edges:%s", file.name);
    enum sf_status status = sf_topology_build(spec, &topo, NULL);
    temporary_remove(&file);
    CHECK_EQ(status, SF_OK);
    CHECK_EQ(sf_properties_measure(topo, &properties, NULL), SF_OK);
    CHECK_EQ(properties.all.diameter, N);
    CHECK_EQ(properties.girth, 4);
    CHECK(isinf(properties.moore_bound) && properties.moore_bound > 0);
    sf_properties_clear(&properties);
    sf_topology_free(topo);
}

/* [Besta14] rounds it to half the degree; the exact numbers are these. */
TEST(properties_full_bandwidth)
{
    static const struct {
        const char *spec;
        double p;
    } cases[] = {
        { "sf:q=5", 350 / (50 * (50 * (7 + 2 * 42) / 2500.0)) },
        { "ft2:ports=36", 2 * 648 / (36 * (36 * 35 * 2 / 1296.0)) },
        { "hx2:13x13", 2 * 2028 / (169 * (169 * (24 + 288) / 28561.0)) },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_properties properties;
        struct sf_topology *topo = build("%s", cases[i].spec);
        CHECK_EQ(sf_properties_measure(topo, &properties, NULL), SF_OK);
        CHECK_NEAR(properties.full_bandwidth_p, cases[i].p, 1e-9);
        sf_properties_clear(&properties);
        sf_topology_free(topo);
    }
}

struct heard {
    const char *what;
    uint64_t done, total, n_reports;
    bool wrong;
};

static void
hear(void *aux, const char *what, uint64_t done, uint64_t total)
{
    struct heard *heard = aux;
    heard->wrong |= !what || done > total;
    /* Within one work the steps go up, and their number stays. */
    if (what && heard->what && strcmp(what, heard->what) == 0) {
        heard->wrong |= done < heard->done || total != heard->total;
    }
    heard->what = what;
    heard->done = done;
    heard->total = total;
    heard->n_reports++;
}

TEST(properties_report_their_progress)
{
    struct heard heard = { 0 };
    struct sf_progress progress = { hear, &heard };
    struct sf_properties properties;
    struct sf_topology *topo = build("sf:q=25");

    CHECK(sf_progress_listen(&progress) == NULL);
    CHECK_EQ(sf_properties_measure(topo, &properties, NULL), SF_OK);
    CHECK(!heard.wrong);
    CHECK(heard.n_reports > 0);
    sf_properties_clear(&properties);

    progress.report = NULL;
    CHECK_EQ(sf_properties_measure(topo, &properties, NULL), SF_OK);
    CHECK(sf_progress_listen(NULL) == &progress);
    sf_properties_clear(&properties);
    sf_topology_free(topo);
}

/* The searches of the oracle against distances found without any. */
TEST(oracle_searches_agree_with_floyd_warshall)
{
    static const char *const specs[] = { "sf:q=4", "ft3:ports=4",
                                         "jellyfish:n=60,k=3", "df:a=4,h=2" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_topology *topo = build("%s", specs[i]);
        struct oracle_graph *graph = oracle_graph_of(topo->graph);
        uint32_t *distances = oracle_floyd_warshall(graph);
        uint32_t *distance = oracle_calloc(graph->n, sizeof *distance);
        for (uint32_t v = 0; v < graph->n; v++) {
            oracle_bfs(graph, v, distance);
            CHECK(memcmp(distance, distances + (size_t)v * graph->n,
                         graph->n * sizeof *distance) == 0);
        }
        free(distance);
        free(distances);
        oracle_graph_free(graph);
        sf_topology_free(topo);
    }
}

/* An oracle that says yes to everything would be of no use. */
TEST(oracle_tells_graphs_apart)
{
    struct oracle_graph *pf = oracle_polarfly(5), *other;
    struct sf_link links[512];

    CHECK(oracle_isomorphic(pf, pf));
    /* Renumbered, it is still the same. */
    for (uint32_t l = 0; l < pf->n_links; l++) {
        links[l].a = (pf->links[l].a * 7 + 3) % pf->n;
        links[l].b = (pf->links[l].b * 7 + 3) % pf->n;
    }
    other = oracle_graph_make(pf->n, links, pf->n_links);
    CHECK(oracle_isomorphic(pf, other));
    oracle_graph_free(other);

    /* Two links crossed: the same degrees, another graph. */
    CHECK(pf->n_links > 1);
    struct sf_link *first = &links[0], *last = &links[pf->n_links - 1];
    uint32_t b = first->b;
    CHECK(first->a != last->a && first->b != last->b);
    first->b = last->b;
    last->b = b;
    other = oracle_graph_make(pf->n, links, pf->n_links);
    CHECK(!oracle_isomorphic(pf, other));
    oracle_graph_free(other);
    oracle_graph_free(pf);
}
