/* test_topology.c -- every family against its definition. */
#include "helpers.h"
#include "oracle/oracle.h"
#include "slimfly/properties.h"
#include "slimfly/topology.h"
#include "test.h"

#include <stdlib.h>

static int
compare_names(const void *a_, const void *b_)
{
    const char *const *a = a_, *const *b = b_;
    return strcmp(*a, *b);
}

/* What holds in every family: endpoints add up, and no two switches share a
 * name or a place. */
static void
check_any(const struct sf_topology *topo)
{
    uint32_t n = topo->graph->n_nodes, n_endpoints = 0, most = 0;
    char *names = oracle_calloc(n, SF_MAX_NAME);
    char **sorted = oracle_calloc(n, sizeof *sorted);

    CHECK(topo->family != NULL && topo->spec != NULL);
    CHECK(n <= SF_MAX_SWITCHES && topo->graph->n_links <= SF_MAX_LINKS);
    CHECK(topo->n_coords <= SF_MAX_COORDS);
    for (uint32_t i = 0; i < SF_MAX_COORDS; i++) {
        CHECK((topo->family->coords[i] != NULL) == (i < topo->n_coords));
    }
    for (uint32_t s = 0; s < n; s++) {
        n_endpoints += topo->n_hosts[s];
        most = topo->n_hosts[s] > most ? topo->n_hosts[s] : most;
        sorted[s] = names + (size_t)s * SF_MAX_NAME;
        CHECK(sf_topology_switch_name(topo, s, sorted[s]) == sorted[s]);
        CHECK(memchr(sorted[s], '\0', SF_MAX_NAME) != NULL);
        CHECK(sorted[s][0] != '\0');
    }
    CHECK_EQ(topo->n_endpoints, n_endpoints);
    CHECK_EQ(sf_topology_concentration(topo), most);
    for (uint32_t s = 0; s < n; s++) {
        CHECK(topo->n_hosts[s] == 0 || topo->n_hosts[s] == most);
    }
    qsort(sorted, n, sizeof *sorted, compare_names);
    for (uint32_t s = 1; s < n; s++) {
        CHECK_FOR(strcmp(sorted[s - 1], sorted[s]) != 0,
                  "%s: two switches are called %s", topo->spec, sorted[s]);
    }
    for (uint32_t a = 0; a < n && n <= 1000; a++) {
        for (uint32_t b = 0; b < a; b++) {
            CHECK_FOR(memcmp(sf_topology_place(topo, a),
                             sf_topology_place(topo, b),
                             topo->n_coords * sizeof *topo->places) != 0,
                      "%s: %u and %u are at one place", topo->spec, b, a);
        }
    }
    free(sorted);
    free(names);
}

static void
check_sizes(const struct sf_topology *topo, uint32_t n_endpoints,
            uint32_t n_switches, uint32_t n_links)
{
    CHECK_FOR(topo->n_endpoints == n_endpoints &&
                  topo->graph->n_nodes == n_switches &&
                  topo->graph->n_links == n_links,
              "%s: %u endpoints, %u switches, %u links; expected %u, %u, %u",
              topo->spec, topo->n_endpoints, topo->graph->n_nodes,
              topo->graph->n_links, n_endpoints, n_switches, n_links);
}

static void
check_regular(const struct sf_topology *topo, uint32_t degree)
{
    for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
        CHECK_FOR(sf_graph_degree(topo->graph, s) == degree,
                  "%s: switch %u has %u links, expected %u", topo->spec, s,
                  sf_graph_degree(topo->graph, s), degree);
    }
}

static void
check_simple(const struct sf_topology *topo)
{
    for (uint32_t l = 0; l < topo->graph->n_links; l++) {
        CHECK_FOR(!sf_graph_is_parallel(topo->graph, l),
                  "%s: link %u is parallel", topo->spec, l);
    }
}

static void
check_diameter(const struct sf_topology *topo, uint32_t expected)
{
    struct oracle_graph *graph = oracle_graph_of(topo->graph);
    uint32_t diameter = oracle_diameter(graph);
    oracle_graph_free(graph);
    CHECK_FOR(diameter == expected, "%s: diameter %u, expected %u", topo->spec,
              diameter, expected);
}

static bool
is_connected(const struct sf_topology *topo)
{
    struct oracle_graph *graph = oracle_graph_of(topo->graph);
    uint32_t n_parts = oracle_n_parts(graph);
    oracle_graph_free(graph);
    return n_parts == 1;
}

static bool
same_graph(const struct sf_topology *a, const struct sf_topology *b)
{
    return a->graph->n_nodes == b->graph->n_nodes &&
           a->graph->n_links == b->graph->n_links &&
           memcmp(a->graph->links, b->graph->links,
                  a->graph->n_links * sizeof *a->graph->links) == 0;
}

/* Slim Fly. */

static uint32_t
mms_degree(uint32_t q)
{
    return q % 4 == 0   ? 3 * q / 2
           : q % 4 == 1 ? (3 * q - 1) / 2
                        : (3 * q + 1) / 2;
}

static void
check_mms_shape(const struct sf_topology *topo, uint32_t q)
{
    uint32_t degree = mms_degree(q), p = (degree + 1) / 2;

    check_sizes(topo, 2 * q * q * p, 2 * q * q, q * q * degree);
    check_regular(topo, degree);
    check_simple(topo);
}

/* [McKay98]: 2q^2 switches of degree (3q - delta) / 2 at diameter 2. */
TEST(topology_sf_shape)
{
    static const uint32_t orders[] = { 3,  4,  5,  7,  8,  9, 11,
                                       13, 16, 17, 19, 23, 25 };

    for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
        struct sf_topology *topo = build("sf:q=%u", orders[i]);
        check_any(topo);
        check_mms_shape(topo, orders[i]);
        check_diameter(topo, 2);
        sf_topology_free(topo);
    }
}

TEST_LONG(topology_sf_shape_of_large_ones)
{
    static const uint32_t orders[] = { 27, 29, 31, 32, 37, 41, 43,
                                       47, 49, 53, 59, 61, 64 };

    for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
        struct sf_properties properties;
        struct sf_topology *topo = build("sf:q=%u", orders[i]);
        check_mms_shape(topo, orders[i]);
        CHECK_EQ(sf_properties_measure(topo, &properties, NULL), SF_OK);
        CHECK_EQ(properties.all.diameter, 2);
        CHECK_EQ(properties.min_degree, mms_degree(orders[i]));
        CHECK_EQ(properties.max_degree, mms_degree(orders[i]));
        sf_properties_clear(&properties);
        sf_topology_free(topo);
    }
}

/* The number that oracle_mms() gives the switch. */
static uint32_t
mms_node(const struct sf_topology *topo, uint32_t q, uint32_t s)
{
    const uint32_t *place = sf_topology_place(topo, s);
    CHECK(place[0] < 2 && place[1] < q && place[2] < q);
    return place[0] * q * q + place[1] * q + place[2];
}

TEST(topology_sf_is_that_of_the_oracle)
{
    static const uint32_t orders[] = { 3, 4, 5, 7, 8, 9, 11, 13, 16 };

    for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
        uint32_t q = orders[i], n = 2 * q * q;
        struct sf_topology *topo = build("sf:q=%u", q);
        struct oracle_graph *naive = oracle_mms(q);
        uint32_t *matrix = oracle_matrix(naive);

        CHECK_EQ(topo->n_coords, 3);
        CHECK_EQ(topo->graph->n_links, naive->n_links);
        for (uint32_t l = 0; l < topo->graph->n_links; l++) {
            const struct sf_link *link = &topo->graph->links[l];
            size_t a = mms_node(topo, q, link->a);
            size_t b = mms_node(topo, q, link->b);
            CHECK_FOR(matrix[a * n + b] == 1, "q = %u: no link %zu-%zu", q, a,
                      b);
        }
        free(matrix);
        oracle_graph_free(naive);
        sf_topology_free(topo);
    }
}

/* A rack takes the same group of both subgroups; any two racks share 2q
 * cables. */
TEST(topology_sf_racks)
{
    static const uint32_t orders[] = { 3, 4, 5, 7, 8, 9, 11, 13 };

    for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
        uint32_t q = orders[i];
        struct sf_topology *topo = build("sf:q=%u", q);
        uint32_t rack = topo->family->group_coord;
        uint32_t *n_in = oracle_calloc(q, sizeof *n_in);
        uint32_t *shared = oracle_calloc((size_t)q * q, sizeof *shared);

        CHECK(rack < topo->n_coords);
        for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
            CHECK(sf_topology_place(topo, s)[rack] < q);
            n_in[sf_topology_place(topo, s)[rack]]++;
        }
        for (uint32_t l = 0; l < topo->graph->n_links; l++) {
            const struct sf_link *link = &topo->graph->links[l];
            uint32_t a = sf_topology_place(topo, link->a)[rack];
            uint32_t b = sf_topology_place(topo, link->b)[rack];
            shared[a * q + b]++;
            shared[b * q + a]++;
        }
        for (uint32_t a = 0; a < q; a++) {
            CHECK_EQ(n_in[a], 2 * q);
            for (uint32_t b = 0; b < q; b++) {
                CHECK(a == b || shared[a * q + b] == 2 * q);
            }
        }
        free(shared);
        free(n_in);
        sf_topology_free(topo);
    }
}

/* Degree 7, girth 5 and 50 switches: there is only one such graph. */
TEST(topology_sf_5_is_the_hoffman_singleton_graph)
{
    struct sf_topology *topo = build("sf:q=5");
    struct oracle_graph *graph = oracle_graph_of(topo->graph);

    CHECK_EQ(graph->n, 50);
    check_regular(topo, 7);
    CHECK_EQ(oracle_girth(graph), 5);
    CHECK_EQ(oracle_diameter(graph), 2);
    oracle_graph_free(graph);
    sf_topology_free(topo);
}

TEST(topology_sf_sizes_of_the_paper)
{
    static const struct {
        uint32_t q, n_endpoints, n_switches, n_links;
    } cases[] = {
        { 5, 200, 50, 175 },
        { 11, 2178, 242, 2057 },
        { 16, 6144, 512, 6144 },
        { 17, 7514, 578, 7225 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_topology *topo = build("sf:q=%u", cases[i].q);
        check_sizes(topo, cases[i].n_endpoints, cases[i].n_switches,
                    cases[i].n_links);
        sf_topology_free(topo);
    }
}

/* PolarFly. */

TEST(topology_pf)
{
    static const uint32_t orders[] = { 2, 3, 4, 5, 7, 8, 9, 11, 13 };

    for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
        uint32_t q = orders[i], n = q * q + q + 1, n_quadrics = 0;
        struct sf_topology *topo = build("pf:q=%u", q);
        struct oracle_graph *graph = oracle_graph_of(topo->graph);
        struct oracle_graph *naive = oracle_polarfly(q);

        check_any(topo);
        check_simple(topo);
        check_diameter(topo, 2);
        CHECK_EQ(topo->graph->n_nodes, n);
        CHECK_EQ(topo->n_endpoints, n * ((q + 2) / 2));
        /* The q + 1 points on the quadric miss a link to themselves. */
        for (uint32_t s = 0; s < n; s++) {
            uint32_t degree = sf_graph_degree(topo->graph, s);
            CHECK(degree == q || degree == q + 1);
            n_quadrics += degree == q;
        }
        CHECK_EQ(n_quadrics, q + 1);
        CHECK_FOR(oracle_isomorphic(graph, naive),
                  "pf:q=%u is not the polarity graph", q);
        oracle_graph_free(naive);
        oracle_graph_free(graph);
        sf_topology_free(topo);
    }
}

/* Fat Trees. */

TEST(topology_ft2)
{
    static const struct {
        const char *spec;
        uint32_t n_leaf, n_core, up, p;
    } cases[] = {
        { "ft2:ports=36", 36, 18, 1, 18 },
        { "ft2:ports=40", 40, 20, 1, 20 },
        { "ft2:ports=64", 64, 32, 1, 32 },
        { "ft2:ports=4", 4, 2, 1, 2 },
        { "ft2:ports=2", 2, 1, 1, 1 },
        { "ft2:leaf=12,core=6,up=3,p=18", 12, 6, 3, 18 },
        { "ft2:leaf=12,core=6,up=3", 12, 6, 3, 18 },
        { "ft2:leaf=4,core=2", 4, 2, 1, 2 },
        { "ft2:leaf=4,core=2,p=5", 4, 2, 1, 5 },
        { "ft2:leaf=1,core=1,up=1,p=1", 1, 1, 1, 1 },
        { "ft2:ports=36,leaf=36", 36, 18, 1, 18 },
        { "ft2:ports=36,leaf=12", 12, 6, 3, 18 },
        { "ft2:ports=36,leaf=18", 18, 9, 2, 18 },
        { "ft2b:ports=36,over=3", 36, 9, 1, 27 },
        { "ft2b:ports=40,over=3", 40, 10, 1, 30 },
        { "ft2b:ports=64,over=3", 64, 16, 1, 48 },
        { "ft2b:ports=64,over=3,leaf=43", 43, 16, 1, 48 },
        { "ft2b:ports=8,over=1", 8, 4, 1, 4 },
        { "ft2b:ports=36,over=3,p=20", 36, 9, 1, 20 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_topology *topo = build("%s", cases[i].spec);
        check_any(topo);
        const char *wrong = oracle_check_fat_tree2(
            topo, cases[i].n_leaf, cases[i].n_core, cases[i].up, cases[i].p);
        CHECK_FOR(!wrong, "%s: %s", cases[i].spec, wrong);
        sf_topology_free(topo);
    }
}

TEST(topology_fat_tree_sizes_of_the_paper)
{
    static const struct {
        const char *spec;
        uint32_t n_endpoints, n_switches, n_links;
    } cases[] = {
        { "ft2:ports=36", 648, 54, 648 },
        { "ft2:ports=40", 800, 60, 800 },
        { "ft2:ports=64", 2048, 96, 2048 },
        { "ft2:leaf=12,core=6,up=3,p=18", 216, 18, 216 },
        { "ft2b:ports=36,over=3", 972, 45, 324 },
        { "ft2b:ports=40,over=3", 1200, 50, 400 },
        { "ft2b:ports=64,over=3", 3072, 80, 1024 },
        { "ft3:ports=36", 11664, 1620, 23328 },
        { "ft3:ports=40", 16000, 2000, 32000 },
        { "ft3:ports=64", 65536, 5120, 131072 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_topology *topo = build("%s", cases[i].spec);
        check_sizes(topo, cases[i].n_endpoints, cases[i].n_switches,
                    cases[i].n_links);
        sf_topology_free(topo);
    }
}

/* A tree has no more ports than were asked for, and as many links up as
 * hosts. */
TEST(topology_ft2_ports_are_enough)
{
    for (uint32_t ports = 2; ports <= 40; ports += 2) {
        for (uint32_t leaf = 1; leaf <= ports; leaf++) {
            struct sf_topology *topo =
                build("ft2:ports=%u,leaf=%u", ports, leaf);
            uint32_t n_leaf = 0;
            for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
                uint32_t degree = sf_graph_degree(topo->graph, s);
                CHECK_FOR(degree + topo->n_hosts[s] <= ports,
                          "%s: switch %u needs %u ports", topo->spec, s,
                          degree + topo->n_hosts[s]);
                if (topo->n_hosts[s]) {
                    n_leaf++;
                    CHECK_FOR(degree >= topo->n_hosts[s],
                              "%s: %u links up for %u hosts", topo->spec,
                              degree, topo->n_hosts[s]);
                }
            }
            CHECK_EQ(n_leaf, leaf);
            sf_topology_free(topo);
        }
    }
}

TEST(topology_ft3)
{
    for (uint32_t ports = 2; ports <= 16; ports += 2) {
        struct sf_topology *topo = build("ft3:ports=%u", ports);
        check_any(topo);
        check_sizes(topo, ports * ports * ports / 4,
                    ports * ports + ports * ports / 4,
                    ports * ports * ports / 2);
        const char *wrong = oracle_check_fat_tree3(topo, ports);
        CHECK_FOR(!wrong, "%s: %s", topo->spec, wrong);
        sf_topology_free(topo);
    }
    CHECK(has_word(refusal("ft3:ports=7", SF_EINVAL), "ports"));
}

/* With fewer pods the edge switches stay what they were, at full bandwidth,
 * and no switch needs more ports. */
TEST(topology_ft3_with_fewer_pods)
{
    for (uint32_t ports = 2; ports <= 12; ports += 2) {
        for (uint32_t pods = 1; pods <= ports; pods++) {
            struct sf_topology *topo =
                build("ft3:ports=%u,pods=%u", ports, pods);
            uint32_t n_edge = 0, half = ports / 2;

            check_any(topo);
            CHECK_EQ(topo->n_endpoints, pods * half * half);
            CHECK_FOR(is_connected(topo), "%s: not connected", topo->spec);
            for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
                uint32_t degree = sf_graph_degree(topo->graph, s);
                CHECK(degree + topo->n_hosts[s] <= ports);
                if (topo->n_hosts[s]) {
                    n_edge++;
                    CHECK_EQ(degree, half);
                }
            }
            CHECK_EQ(n_edge, pods * half);
            sf_topology_free(topo);
        }
    }
}

/* HyperX. */

TEST(topology_hx2)
{
    for (uint32_t rows = 1; rows <= 7; rows++) {
        for (uint32_t columns = 1; columns <= 7; columns++) {
            for (uint32_t n_parallel = 1; n_parallel <= 3; n_parallel++) {
                if (rows * columns == 1) {
                    continue;
                }
                uint32_t degree = n_parallel * (rows + columns - 2);
                struct sf_topology *topo =
                    build("hx2:%ux%u,links=%u", rows, columns, n_parallel);
                check_any(topo);
                check_regular(topo, degree);
                CHECK_EQ(sf_topology_concentration(topo), (degree + 1) / 2);
                const char *wrong =
                    oracle_check_hyperx(topo, rows, columns, n_parallel);
                CHECK_FOR(!wrong, "%s: %s", topo->spec, wrong);
                check_diameter(topo, rows > 1 && columns > 1 ? 2 : 1);
                sf_topology_free(topo);
            }
        }
    }
}

TEST(topology_hx2_sizes_of_the_paper)
{
    static const struct {
        uint32_t side, p, n_endpoints, n_switches, n_links;
    } cases[] = {
        { 13, 12, 2028, 169, 2028 },
        { 13, 13, 2197, 169, 2028 },
        { 14, 14, 2744, 196, 2548 },
        { 22, 22, 10648, 484, 10164 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_topology *topo =
            build("hx2:%ux%u,p=%u", cases[i].side, cases[i].side, cases[i].p);
        check_sizes(topo, cases[i].n_endpoints, cases[i].n_switches,
                    cases[i].n_links);
        check_diameter(topo, 2);
        sf_topology_free(topo);
    }
}

/* Dragonfly. */

TEST(topology_df)
{
    for (uint32_t a = 1; a <= 6; a++) {
        for (uint32_t h = 1; h <= 4; h++) {
            uint32_t g = a * h + 1;
            struct sf_topology *topo = build("df:a=%u,h=%u", a, h);
            check_any(topo);
            check_simple(topo);
            check_regular(topo, a - 1 + h);
            check_sizes(topo, a * g * h, a * g,
                        g * (a * (a - 1) / 2) + g * (g - 1) / 2);
            const char *wrong = oracle_check_dragonfly(topo, a, h, g);
            CHECK_FOR(!wrong, "%s: %s", topo->spec, wrong);
            check_diameter(topo, a == 1 ? 1 : 3);
            sf_topology_free(topo);
        }
    }
}

TEST(topology_df_with_fewer_groups)
{
    for (uint32_t a = 1; a <= 6; a++) {
        for (uint32_t h = 1; h <= 4; h++) {
            for (uint32_t g = 2; g <= a * h + 1; g++) {
                struct sf_topology *topo =
                    build("df:a=%u,h=%u,g=%u,p=3", a, h, g);
                check_any(topo);
                CHECK_EQ(topo->n_endpoints, 3 * a * g);
                const char *wrong = oracle_check_dragonfly(topo, a, h, g);
                CHECK_FOR(!wrong, "%s: %s", topo->spec, wrong);

                struct oracle_graph *graph = oracle_graph_of(topo->graph);
                CHECK_FOR(oracle_diameter(graph) <= 3, "%s: diameter %u",
                          topo->spec, oracle_diameter(graph));
                oracle_graph_free(graph);
                sf_topology_free(topo);
            }
        }
    }
}

TEST(topology_df_has_a_largest_number_of_groups)
{
    CHECK(has_word(refusal("df:a=4,h=2,g=10", SF_EINVAL), "g"));
    CHECK(has_word(refusal("df:a=1,h=1,g=3", SF_EINVAL), "g"));
}

/* Xpander. */

TEST(topology_xpander)
{
    for (uint32_t k = 2; k <= 8; k++) {
        for (uint32_t lift = 1; lift <= 8; lift++) {
            for (uint32_t seed = 0; seed < 3; seed++) {
                struct sf_topology *topo =
                    build("xpander:k=%u,lift=%u,seed=%u", k, lift, seed);
                check_any(topo);
                check_simple(topo);
                check_regular(topo, k);
                CHECK_EQ(topo->n_endpoints, (k + 1) * lift * ((k + 1) / 2));
                const char *wrong = oracle_check_xpander(topo, k, lift);
                CHECK_FOR(!wrong, "%s: %s", topo->spec, wrong);
                sf_topology_free(topo);
            }
        }
    }
}

/* Jellyfish. */

static void
check_jellyfish(uint32_t n, uint32_t k, uint32_t seed)
{
    struct sf_topology *topo =
        build("jellyfish:n=%u,k=%u,seed=%u", n, k, seed);

    check_any(topo);
    check_sizes(topo, n * ((k + 1) / 2), n, n * k / 2);
    check_regular(topo, k);
    check_simple(topo);
    CHECK_FOR(is_connected(topo), "%s: not connected", topo->spec);
    sf_topology_free(topo);
}

TEST(topology_jellyfish_of_every_small_size)
{
    check_jellyfish(2, 1, 1);
    for (uint32_t n = 3; n <= 24; n++) {
        for (uint32_t k = 2; k < n; k++) {
            if (n * k % 2 == 0) {
                check_jellyfish(n, k, n + k);
            }
        }
    }
}

TEST(topology_jellyfish_of_large_sizes)
{
    static const struct {
        uint32_t n, k;
    } cases[] = {
        { 50, 7 },    { 100, 99 }, { 100, 98 }, { 101, 98 },  { 101, 100 },
        { 64, 60 },   { 63, 2 },   { 200, 2 },  { 1000, 3 },  { 1000, 20 },
        { 150, 149 }, { 151, 4 },  { 60, 30 },  { 300, 297 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        for (uint32_t seed = 1; seed <= 3; seed++) {
            check_jellyfish(cases[i].n, cases[i].k, seed);
        }
    }
}

TEST(topology_jellyfish_that_cannot_be)
{
    refusal("jellyfish:n=5,k=3", SF_EINVAL);
    refusal("jellyfish:n=5,k=5", SF_EINVAL);
    refusal("jellyfish:n=6,k=6", SF_EINVAL);
    refusal("jellyfish:n=2,k=1024", SF_EINVAL);
}

TEST(topology_random_families_follow_their_seed)
{
    static const char *const specs[] = { "jellyfish:n=50,k=7",
                                         "xpander:k=7,lift=6" };
    enum {
        N_SEEDS = 12
    };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_topology *topos[N_SEEDS];
        for (uint32_t seed = 0; seed < N_SEEDS; seed++) {
            topos[seed] = build("%s,seed=%u", specs[i], seed);
            struct sf_topology *again = build("%s,seed=%u", specs[i], seed);
            CHECK(same_graph(topos[seed], again));
            sf_topology_free(again);
            for (uint32_t other = 0; other < seed; other++) {
                CHECK_FOR(!same_graph(topos[seed], topos[other]),
                          "%s: seeds %u and %u give the same", specs[i], other,
                          seed);
            }
        }
        struct sf_topology *by_default = build("%s", specs[i]);
        CHECK(same_graph(by_default, topos[1]));
        sf_topology_free(by_default);
        for (uint32_t seed = 0; seed < N_SEEDS; seed++) {
            sf_topology_free(topos[seed]);
        }
    }

    /* Seeds have 64 bits, all of which count. */
    struct sf_topology *low = build("jellyfish:n=50,k=7,seed=1");
    struct sf_topology *high = build("jellyfish:n=50,k=7,seed=4294967297");
    struct sf_topology *most =
        build("jellyfish:n=50,k=7,seed=18446744073709551615");
    CHECK(!same_graph(low, high) && !same_graph(low, most) &&
          !same_graph(high, most));
    sf_topology_free(most);
    sf_topology_free(high);
    sf_topology_free(low);
}

/* Edge lists. */

static struct sf_topology *
build_edges(const char *text)
{
    struct temporary file = temporary_write(text);
    struct sf_topology *topo = NULL;
    struct sf_error err = { 0 };
    char spec[128];

    snprintf(spec, sizeof spec, "edges:%s", file.name);
    enum sf_status status = sf_topology_build(spec, &topo, &err);
    temporary_remove(&file);
    CHECK_FOR(status == SF_OK && topo, "\"%s\": %s", text, err.text);
    return topo;
}

TEST(topology_edges_keeps_names_and_parallel_links)
{
    struct sf_topology *topo = build_edges("# a comment\n"
                                           "left middle\n"
                                           "\n"
                                           "middle right\n"
                                           "right middle\n");
    bool seen[3] = { false };

    check_any(topo);
    CHECK_EQ(topo->graph->n_nodes, 3);
    CHECK_EQ(topo->graph->n_links, 3);
    CHECK_EQ(topo->n_endpoints, 3);
    for (uint32_t s = 0; s < 3; s++) {
        char name[SF_MAX_NAME];
        uint32_t degree = sf_graph_degree(topo->graph, s);
        sf_topology_switch_name(topo, s, name);
        seen[degree - 1] = true;
        CHECK_STR(name, degree == 1   ? "left"
                        : degree == 2 ? "right"
                                      : "middle");
    }
    CHECK(seen[0] && seen[1] && seen[2]);
    sf_topology_free(topo);
}

TEST(topology_edges_counts_isolated_nodes)
{
    struct sf_topology *topo = build_edges("# Nodes: 5\n0 1\n1 3\n");
    check_any(topo);
    CHECK_EQ(topo->graph->n_nodes, 5);
    CHECK_EQ(topo->graph->n_links, 2);
    sf_topology_free(topo);

    topo = build_edges("# Nodes: 3\n");
    check_any(topo);
    CHECK_EQ(topo->graph->n_nodes, 3);
    CHECK_EQ(topo->graph->n_links, 0);
    sf_topology_free(topo);
}

TEST(topology_edges_reads_what_editors_leave)
{
    static const char *const texts[] = {
        "0 1\n1 2",
        "0 1\r\n1 2\r\n",
        "0\t1\n1  2\n",
        "  0 1  \n\n\n1 2\n# the end",
    };

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct sf_topology *topo = build_edges(texts[i]);
        check_any(topo);
        CHECK_EQ(topo->graph->n_nodes, 3);
        CHECK_EQ(topo->graph->n_links, 2);
        sf_topology_free(topo);
    }
}

TEST(topology_edges_names_the_line_that_is_wrong)
{
    static const struct {
        const char *text;
        unsigned line;
    } cases[] = {
        { "0 1\n1\n", 2 },
        { "0 1\n\n2 2\n", 3 },
        { "# Nodes: 2\n0 1\n1 2\n", 3 },
        { "0 1\n1 2\nthis is no link\n", 3 },
        { "# Nodes: 3\n0 1\n0 -1\n", 3 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct temporary file = temporary_write(cases[i].text);
        char spec[128], where[128];
        snprintf(spec, sizeof spec, "edges:%s", file.name);
        snprintf(where, sizeof where, "%s:%u: ", file.name, cases[i].line);
        const char *text = refusal(spec, SF_EPARSE);
        temporary_remove(&file);
        CHECK_FOR(strstr(text, where), "\"%s\": %s", cases[i].text, text);
    }
}

/* Names that are too long are refused, or else still tell switches apart. */
TEST(topology_edges_with_long_names)
{
    char text[400] = "", spec[128];
    for (size_t i = 0; i < 300; i++) {
        text[i] = 'n';
    }
    text[100] = ' ';
    text[201] = '\0';
    text[200] = 'm'; /* Different only at the end, beyond SF_MAX_NAME. */
    struct temporary file = temporary_write(text);
    struct sf_topology *topo = UNSET(struct sf_topology);

    snprintf(spec, sizeof spec, "edges:%s", file.name);
    enum sf_status status = sf_topology_build(spec, &topo, NULL);
    temporary_remove(&file);
    if (status == SF_OK) {
        check_any(topo);
        sf_topology_free(topo);
    } else {
        CHECK(status == SF_EPARSE || status == SF_ELIMIT);
        CHECK(topo == NULL);
    }
}

TEST(topology_edges_without_a_file)
{
    refusal("edges:/nonexistent/slimfly", SF_EIO);
    refusal("edges:/tmp", SF_EIO);
}

/* All families. */

TEST(topology_specs_are_canonical)
{
    static const struct {
        const char *given, *canonical;
    } cases[] = {
        { "sf:q=5", "sf:q=5" },
        { "sf:p=4,q=5", "sf:q=5,p=4" },
        { "df:p=2,h=2,a=4", "df:a=4,h=2,p=2" },
        { "df:g=5,a=4,h=2", "df:a=4,h=2,g=5" },
        { "ft2:p=18,up=3,core=6,leaf=12", "ft2:leaf=12,core=6,up=3,p=18" },
        { "ft2b:over=3,ports=36", "ft2b:ports=36,over=3" },
        { "jellyfish:seed=3,k=7,n=50", "jellyfish:n=50,k=7,seed=3" },
        { "xpander:seed=3,lift=6,k=7", "xpander:k=7,lift=6,seed=3" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_topology *topo = build("%s", cases[i].given);
        CHECK_STR(topo->spec, cases[i].canonical);
        sf_topology_free(topo);
    }

    struct sf_topology *a = build("hx2:4x5,p=2");
    struct sf_topology *b = build("hx2:p=2,size=4x5");
    CHECK(same_graph(a, b));
    CHECK_STR(a->spec, b->spec);
    sf_topology_free(a);
    sf_topology_free(b);
}

/* The spec of a topology builds the same again, and stays as it is. */
TEST(topology_specs_build_the_same_again)
{
    for (size_t i = 0; sf_families[i]; i++) {
        if (strcmp(sf_families[i]->name, "edges") == 0) {
            continue;
        }
        struct sf_topology *topo = build("%s", sf_families[i]->example);
        struct sf_topology *again = build("%s", topo->spec);
        check_any(topo);
        CHECK(topo->family == sf_families[i]);
        CHECK(same_graph(topo, again));
        CHECK_STR(again->spec, topo->spec);
        CHECK(memcmp(again->n_hosts, topo->n_hosts,
                     topo->graph->n_nodes * sizeof *topo->n_hosts) == 0);
        sf_topology_free(again);
        sf_topology_free(topo);
    }
}

TEST(topology_concentration_can_be_given)
{
    static const char *const specs[] = {
        "sf:q=5",
        "ft3:ports=8",
        "ft2:ports=8",
        "hx2:3x4",
        "ft2b:ports=8,over=3",
        "df:a=4,h=2",
        "xpander:k=3,lift=4",
        "jellyfish:n=10,k=3",
        "pf:q=3",
    };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_topology *topo = build("%s,p=3", specs[i]);
        check_any(topo);
        CHECK_EQ(sf_topology_concentration(topo), 3);
        sf_topology_free(topo);
    }
}

TEST(topology_free_accepts_null)
{
    sf_topology_free(NULL);
}
