/* test_channel_order.c -- the order of channels that grows with the paths,
 * beside a slow one that looks for circles from scratch. */
#include "base/mem.h"
#include "helpers.h"
#include "layers/channel_order.h"
#include "slimfly/layers.h"
#include "slimfly/random.h"
#include "slimfly/topology.h"
#include "test.h"

#include <string.h>

static struct sf_topology *
build_topology(const char *spec)
{
    struct sf_topology *topo;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_topology_build(spec, &topo, &err) == SF_OK, "%s: %s", spec,
              err.text);
    return topo;
}

/* Which channel waits for which: [n * n]. */
struct slow_order {
    uint32_t n;
    bool *waits;
};

/* Whether 'from' comes to wait for 'to'. */
static bool
leads_to(const struct slow_order *slow, uint32_t from, uint32_t to, bool *seen)
{
    if (from == to) {
        return true;
    }
    seen[from] = true;
    for (uint32_t i = 0; i < slow->n; i++) {
        if (slow->waits[(size_t)from * slow->n + i] && !seen[i] &&
            leads_to(slow, i, to, seen)) {
            return true;
        }
    }
    return false;
}

/* Adds a wait, unless that closes a circle. */
static bool
add_slowly(struct slow_order *slow, uint32_t from, uint32_t to)
{
    bool *seen = calloc(slow->n, sizeof *seen);
    CHECK(seen != NULL);
    bool is_fine = !leads_to(slow, to, from, seen);

    free(seen);
    if (is_fine) {
        slow->waits[(size_t)from * slow->n + to] = true;
    }
    return is_fine;
}

/* A graph of 'n' switches, connected, with 'n_more' links beside a tree. */
static struct sf_topology *
draw_graph(uint32_t n, uint32_t n_more, struct sf_random *random)
{
    char text[2048] = "", spec[128];
    size_t length = 0;

    for (uint32_t i = 1; i < n + n_more; i++) {
        uint32_t a = i < n ? i : sf_random_below(random, n);
        uint32_t b = sf_random_below(random, i < n ? i : n);
        if (a != b) {
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       "%u %u\n", a, b);
        }
    }
    struct temporary file = temporary_write(text);
    snprintf(spec, sizeof spec, "edges:%s", file.name);
    struct sf_topology *topo = build_topology(spec);
    temporary_remove(&file);
    return topo;
}

/* Whether 'arc' is part of the spanning tree. */
static bool
is_tree(const struct sf_channel_order *order, uint32_t arc)
{
    const struct sf_graph *graph = order->graph;
    uint32_t back = order->reverse[arc];
    return order->parents[graph->arcs[back].to] == arc ||
           order->parents[graph->arcs[arc].to] == back;
}

/* With one VL there is nothing to choose: a turn is refused exactly if it
 * would close a circle. */
TEST(channel_order_on_one_vl_refuses_circles_only)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct sf_random random;
        sf_random_init(&random, seed, 0);
        uint32_t n = 2 + sf_random_below(&random, 9);
        struct sf_topology *topo =
            draw_graph(n, sf_random_below(&random, 12), &random);
        struct sf_network *network = network_of(topo->graph, NULL);
        const struct sf_graph *graph = network->graph;
        struct sf_channel_order order;
        uint32_t n_arcs = 2 * graph->n_links, n_refused = 0;
        struct slow_order slow = { n_arcs, calloc((size_t)n_arcs * n_arcs,
                                                  sizeof *slow.waits) };
        CHECK(slow.waits != NULL);
        CHECK_EQ(
            sf_channel_order_begin(graph, network->reverse, 1, &order, NULL),
            SF_OK);
        for (uint32_t in = 0; in < n_arcs; in++) {
            uint32_t at = graph->arcs[in].to;
            for (uint32_t out = graph->first[at]; out < graph->first[at + 1];
                 out++) {
                if (out != network->reverse[in] && is_tree(&order, in) &&
                    is_tree(&order, out)) {
                    CHECK(add_slowly(&slow, in, out));
                }
            }
        }
        for (uint32_t i = 0; i < 40 * n; i++) {
            uint32_t in = sf_random_below(&random, n_arcs);
            uint32_t at = graph->arcs[in].to;
            uint32_t out =
                graph->first[at] +
                sf_random_below(&random, sf_graph_degree(graph, at));
            if (out == network->reverse[in]) {
                continue;
            }
            bool is_added = sf_channel_order_add(&order, in, out, SF_NONE);
            CHECK_EQ(is_added, add_slowly(&slow, in, out));
            n_refused += !is_added;
            sf_channel_order_keep(&order);
        }
        struct sf_turns *turns = sf_channel_order_finish(&order);
        for (uint32_t from = 0; from < n_arcs; from++) {
            for (uint32_t to = 0; to < n_arcs; to++) {
                CHECK(!slow.waits[(size_t)from * n_arcs + to] ||
                      turns->ranks[from] < turns->ranks[to]);
            }
        }
        CHECK(seed > 0 || n_refused > 0 || graph->n_links < n);
        sf_turns_free(turns);
        sf_channel_order_clear(&order);
        free(slow.waits);
        sf_network_free(network);
        sf_topology_free(topo);
    }
}

/* What is taken back leaves no trace: the same can be added after it. */
TEST(channel_order_takes_back_what_was_added)
{
    struct sf_topology *topo = build_topology("sf:q=3");
    struct sf_network *network = network_of(topo->graph, NULL);
    const struct sf_graph *graph = network->graph;

    for (uint32_t n_vls = 1; n_vls <= 4; n_vls++) {
        struct sf_channel_order order;
        struct sf_random random;
        size_t n_turns = 0;
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            n_turns +=
                (size_t)sf_graph_degree(graph, s) * sf_graph_degree(graph, s);
        }
        CHECK_EQ(sf_channel_order_begin(graph, network->reverse, n_vls, &order,
                                        NULL),
                 SF_OK);
        uint8_t *vls = malloc(n_turns + 1);
        uint16_t *arrivals = malloc((n_turns + 1) * sizeof *arrivals);
        CHECK(vls && arrivals);
        sf_random_init(&random, 7, n_vls);
        for (uint32_t i = 0; i < 200; i++) {
            memcpy(vls, order.turns->vls, n_turns);
            memcpy(arrivals, order.arrivals, n_turns * sizeof *arrivals);
            for (uint32_t j = 0; j < 10; j++) {
                uint32_t in = sf_random_below(&random, 2 * graph->n_links);
                uint32_t b = graph->arcs[in].to;
                uint32_t out =
                    graph->first[b] +
                    sf_random_below(&random, sf_graph_degree(graph, b));
                uint32_t c = graph->arcs[out].to;
                uint32_t next =
                    graph->first[c] +
                    sf_random_below(&random, sf_graph_degree(graph, c));
                if (out != network->reverse[in] &&
                    next != network->reverse[out]) {
                    sf_channel_order_add(&order, in, out, next);
                }
            }
            if (i % 2) {
                sf_channel_order_keep(&order);
                continue;
            }
            sf_channel_order_undo(&order);
            CHECK(memcmp(vls, order.turns->vls, n_turns) == 0);
            CHECK(memcmp(arrivals, order.arrivals,
                         n_turns * sizeof *arrivals) == 0);
        }
        free(arrivals);
        free(vls);
        sf_channel_order_clear(&order);
    }
    sf_network_free(network);
    sf_topology_free(topo);
}

/* Builds layers by "ordered" on 'n_vls' VLs and checks that they obey the
 * turns that come with them, in ranks that rise. */
static void
check_ordered(struct sf_topology *topo, uint32_t n_layers, uint32_t n_vls,
              uint64_t seed)
{
    struct sf_network *network = network_of(topo->graph, NULL);
    struct sf_turns *turns = NULL;
    struct sf_layers *layers;
    struct sf_error err = { 0 };
    struct sf_layers_params params = { .scheme = "ordered",
                                       .n_layers = n_layers,
                                       .n_vls = n_vls,
                                       .turnsp = &turns,
                                       .seed = seed };

    CHECK_FOR(sf_layers_build(network, &params, &layers, &err) == SF_OK, "%s",
              err.text);
    CHECK(turns != NULL && turns->n_vls <= n_vls);
    struct sf_layers_claims claims = { .turns = turns };
    CHECK_FOR(sf_layers_check(layers, network->graph, &claims, &err) == SF_OK,
              "%u VLs: %s", n_vls, err.text);
    sf_layers_free(layers);
    sf_turns_free(turns);
    sf_network_free(network);
}

TEST(ordered_layers_refuse_no_connected_graph)
{
    for (uint64_t seed = 0; seed < 120; seed++) {
        struct sf_random random;
        sf_random_init(&random, seed, 3);
        uint32_t n = 2 + sf_random_below(&random, 30);
        struct sf_topology *topo =
            draw_graph(n, sf_random_below(&random, 2 * n), &random);
        check_ordered(topo, 1 + (uint32_t)seed % 5,
                      1 + sf_random_below(&random, 5), seed);
        sf_topology_free(topo);
    }
}
