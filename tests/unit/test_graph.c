/* test_graph.c -- the compact graph, against a matrix. */
#include "base/mem.h"
#include "helpers.h"
#include "oracle/oracle.h"
#include "slimfly/graph.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static struct sf_graph *
build_graph(uint32_t n, const struct sf_link *links, uint32_t n_links)
{
    struct sf_graph *graph = NULL;
    struct sf_error err = { 0 };

    enum sf_status status = sf_graph_build(n, links, n_links, &graph, &err);
    CHECK_FOR(status == SF_OK, "%u nodes, %u links: %s", n, n_links, err.text);
    CHECK(graph != NULL);
    return graph;
}

/* Whether 'graph' is what graph.h says, for the links that it was built
 * from. */
static void
check_graph(const struct sf_graph *graph, uint32_t n,
            const struct sf_link *links, uint32_t n_links)
{
    struct oracle_graph *naive = oracle_graph_make(n, links, n_links);
    uint32_t *matrix = oracle_matrix(naive);
    uint32_t *n_seen = oracle_calloc(n_links, sizeof *n_seen);

    CHECK_EQ(graph->n_nodes, n);
    CHECK_EQ(graph->n_links, n_links);
    for (uint32_t l = 0; l < n_links; l++) {
        const struct sf_link *link = &graph->links[l];
        CHECK(link->a < link->b && link->b < n);
        if (l > 0) {
            const struct sf_link *before = link - 1;
            bool same = before->a == link->a && before->b == link->b;
            CHECK(before->a < link->a ||
                  (before->a == link->a && before->b <= link->b));
            CHECK(sf_graph_is_parallel(graph, l) == same);
        } else {
            CHECK(!sf_graph_is_parallel(graph, l));
        }
    }

    struct oracle_graph *built = oracle_graph_of(graph);
    uint32_t *built_matrix = oracle_matrix(built);
    CHECK(memcmp(matrix, built_matrix, (size_t)n * n * sizeof *matrix) == 0);

    CHECK_EQ(graph->first[0], 0);
    CHECK_EQ(graph->first[n], 2 * n_links);
    for (uint32_t v = 0; v < n; v++) {
        CHECK(graph->first[v] <= graph->first[v + 1]);
        CHECK_EQ(sf_graph_degree(graph, v), naive->degree[v]);
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            const struct sf_arc *arc = &graph->arcs[i];
            CHECK(arc->link < n_links);
            const struct sf_link *link = &graph->links[arc->link];
            CHECK((link->a == v && link->b == arc->to) ||
                  (link->b == v && link->a == arc->to));
            n_seen[arc->link]++;
            if (i > graph->first[v]) {
                CHECK(arc[-1].to < arc->to ||
                      (arc[-1].to == arc->to && arc[-1].link < arc->link));
            }
        }
    }
    for (uint32_t l = 0; l < n_links; l++) {
        CHECK_EQ(n_seen[l], 2);
    }

    oracle_graph_free(built);
    free(built_matrix);
    free(n_seen);
    free(matrix);
    oracle_graph_free(naive);
}

/* Random links between 'n' > 1 nodes, all in the first 'spread' of them. */
static void
draw_links(struct sf_random *random, uint32_t spread, struct sf_link *links,
           uint32_t n_links)
{
    for (uint32_t l = 0; l < n_links; l++) {
        links[l].a = sf_random_below(random, spread);
        links[l].b = sf_random_below(random, spread - 1);
        links[l].b += links[l].b >= links[l].a;
    }
}

TEST(graph_of_random_links)
{
    struct sf_random random;

    sf_random_init(&random, 1, 0);
    for (int round = 0; round < 400; round++) {
        struct sf_link links[200], given[200];
        uint32_t n = 2 + sf_random_below(&random, 40);
        uint32_t spread = 2 + sf_random_below(&random, n - 1);
        uint32_t n_links = sf_random_below(&random, 201);

        draw_links(&random, spread, links, n_links);
        memcpy(given, links, sizeof *links * n_links);
        struct sf_graph *graph = build_graph(n, given, n_links);
        CHECK(memcmp(given, links, sizeof *links * n_links) == 0);
        check_graph(graph, n, links, n_links);
        sf_graph_free(graph);
    }
}

TEST(graph_does_not_depend_on_the_order_of_links_and_ends)
{
    struct sf_random random;

    sf_random_init(&random, 2, 0);
    for (int round = 0; round < 100; round++) {
        struct sf_link links[100], other[100];
        uint32_t order[100];
        uint32_t n = 2 + sf_random_below(&random, 20);
        uint32_t n_links = sf_random_below(&random, 101);

        draw_links(&random, n, links, n_links);
        for (uint32_t l = 0; l < n_links; l++) {
            order[l] = l;
        }
        sf_random_shuffle(&random, order, n_links);
        for (uint32_t l = 0; l < n_links; l++) {
            struct sf_link link = links[order[l]];
            other[l] = sf_random_below(&random, 2)
                           ? link
                           : (struct sf_link){ link.b, link.a };
        }

        struct sf_graph *a = build_graph(n, links, n_links);
        struct sf_graph *b = build_graph(n, other, n_links);
        CHECK(memcmp(a->links, b->links, n_links * sizeof *a->links) == 0);
        CHECK(memcmp(a->first, b->first, (n + 1) * sizeof *a->first) == 0);
        CHECK(memcmp(a->arcs, b->arcs, 2 * n_links * sizeof *a->arcs) == 0);
        sf_graph_free(a);
        sf_graph_free(b);
    }
}

TEST(graph_of_many_nodes)
{
    enum {
        N = 1000,
        N_LINKS = 5000
    };
    static struct sf_link links[N_LINKS];
    struct sf_random random;

    sf_random_init(&random, 3, 0);
    draw_links(&random, N, links, N_LINKS);
    struct sf_graph *graph = build_graph(N, links, N_LINKS);
    check_graph(graph, N, links, N_LINKS);
    sf_graph_free(graph);
}

TEST(graph_of_parallel_links_only)
{
    struct sf_link links[7];

    for (uint32_t l = 0; l < 7; l++) {
        links[l] = l % 2 ? (struct sf_link){ 3, 1 } : (struct sf_link){ 1, 3 };
    }
    struct sf_graph *graph = build_graph(5, links, 7);
    check_graph(graph, 5, links, 7);
    CHECK_EQ(sf_graph_degree(graph, 1), 7);
    CHECK_EQ(sf_graph_degree(graph, 3), 7);
    CHECK_EQ(sf_graph_degree(graph, 0), 0);
    for (uint32_t l = 0; l < 7; l++) {
        CHECK(sf_graph_is_parallel(graph, l) == (l > 0));
        CHECK_EQ(graph->arcs[l].link, l);
    }
    sf_graph_free(graph);
}

TEST(graph_without_links)
{
    struct sf_link none = { 0, 0 };

    for (uint32_t n = 0; n <= 3; n++) {
        struct sf_graph *graph = build_graph(n, &none, 0);
        check_graph(graph, n, &none, 0);
        CHECK_EQ(sf_graph_is_connected(graph), n < 2);
        sf_graph_free(graph);
        graph = build_graph(n, NULL, 0);
        check_graph(graph, n, &none, 0);
        sf_graph_free(graph);
    }
}

TEST(graph_in_parts)
{
    static const struct sf_link links[] = {
        { 0, 3 }, { 3, 1 }, { 2, 4 }, { 4, 1 }
    };
    struct sf_graph *parts = build_graph(5, links, 3);
    struct sf_graph *whole = build_graph(5, links, 4);

    CHECK(!sf_graph_is_connected(parts));
    CHECK(sf_graph_is_connected(whole));
    sf_graph_free(whole);
    sf_graph_free(parts);
}

TEST(graph_refuses_bad_links)
{
    static const struct {
        uint32_t n;
        struct sf_link link;
    } cases[] = {
        { 3, { 1, 1 } },       { 3, { 0, 0 } },       { 3, { 0, 3 } },
        { 3, { 3, 0 } },       { 3, { 3, 4 } },       { 3, { 3, 3 } },
        { 3, { SF_NONE, 0 } }, { 3, { 0, SF_NONE } }, { 1, { 0, 0 } },
        { 1, { 0, 1 } },       { 0, { 0, 1 } },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_graph *graph = NULL;
        struct sf_error err = { 0 };

        CHECK_EQ(sf_graph_build(cases[i].n, &cases[i].link, 1, &graph, &err),
                 SF_EINVAL);
        CHECK(graph == NULL);
        CHECK_EQ(err.status, SF_EINVAL);
        CHECK(err.text[0] != '\0');
        CHECK_EQ(sf_graph_build(cases[i].n, &cases[i].link, 1, &graph, NULL),
                 SF_EINVAL);
        CHECK(graph == NULL);
    }

    /* Among good ones, wherever it stands. */
    for (int place = 0; place < 5; place++) {
        struct sf_link links[5] = {
            { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 }, { 0, 2 }
        };
        struct sf_graph *graph = NULL;
        links[place].b = links[place].a;
        CHECK_EQ(sf_graph_build(4, links, 5, &graph, NULL), SF_EINVAL);
        CHECK(graph == NULL);
    }
}

TEST(graph_free_accepts_null)
{
    sf_graph_free(NULL);
}

TEST(graph_names)
{
    const struct sf_link link = { 0, 1 };
    char long_name[200];
    struct sf_graph *graph;

    CHECK(sf_graph_build(2, &link, 1, &graph, NULL) == SF_OK);
    CHECK_STR(sf_graph_name(graph, 1).text, "1");
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    graph->names = sf_calloc(2, sizeof *graph->names);
    graph->names[0] = sf_strdup("leaf");
    graph->names[1] = sf_strdup(long_name);
    CHECK_STR(sf_graph_name(graph, 0).text, "leaf");
    CHECK_EQ(strlen(sf_graph_name(graph, 1).text), 63);
    CHECK(strstr(sf_graph_name(graph, 1).text, "x...") != NULL);
    sf_graph_free(graph);
}
