/* test_lanes_trees.c -- Fat Trees with faults: what d-mod-k, the repair and
 * the lanes untangle make of them. */
#include "lanes_helpers.h"
#include "test.h"

#include <string.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof *(array))

static const char *const specs[] = {
    "ft2:ports=8",          "ft2:leaf=6,core=3,up=3,p=4",
    "ft2b:ports=12,over=3", "ft3:ports=8",
    "ft3:ports=6",
};

/* Fails the test unless 'routing' goes up and down a tree on two VLs at most.
 */
static void
check_tree(const struct routed *routing, const char *what)
{
    const struct sf_routing_params *params = &routing->routing->params;
    bool is_untangled = strcmp(params->lanes, "untangle") == 0;

    CHECK_FOR(strcmp(params->layers.scheme, "ftree") == 0 &&
                  (is_untangled || strcmp(params->lanes, "single") == 0),
              "%s: %s with lanes by %s", what, params->layers.scheme,
              params->lanes);
    CHECK_FOR(routing->lanes->n_vls <= 1U + is_untangled, "%s: %u VLs", what,
              routing->lanes->n_vls);
    lanes_check(routing, what);
}

/* One link of a Fat Tree that was gone once made all routes new, by another
 * scheme that left a third of the throughput: hosts reach a switch without
 * hosts that has lost a link by going down and up again, and one lane does not
 * allow that.  Two do. */
TEST(lanes_of_fat_trees_with_faults_are_two)
{
    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_fabric *fabric = lanes_fabric(specs[i], 4), *damaged;
        struct sf_routing_params params = { .layers = { .n_layers = 4 } };
        struct routed *base, *anew, *repaired;
        struct sf_error err = { 0 };
        CHECK_EQ(routed_build(fabric, &params, &base, &err), SF_OK);
        check_tree(base, specs[i]);
        for (uint32_t seed = 0; seed < 24; seed++) {
            struct sf_random random;
            uint32_t n_dead = 1 + seed / 4;
            char what[96];
            snprintf(what, sizeof what, "%s, %u links less, seed %u", specs[i],
                     n_dead, seed);
            sf_random_init(&random, seed, i);
            CHECK_EQ(sf_fabric_copy(fabric, &damaged, NULL), SF_OK);
            lanes_unplug(damaged, n_dead, &random);
            CHECK_FOR(routed_build(damaged, &params, &anew, &err) == SF_OK,
                      "%s: %s", what, err.text);
            check_tree(anew, what);
            CHECK_FOR(routed_repair(base, damaged, &repaired, &err) == SF_OK,
                      "%s: %s", what, err.text);
            check_tree(repaired, what);
            routed_free(repaired);
            routed_free(anew);
            sf_fabric_free(damaged);
        }
        routed_free(base);
        sf_fabric_free(fabric);
    }
}

/* Lanes that were asked for stay: who wants one alone gets no second one by a
 * repair. */
TEST(lanes_asked_for_are_not_untangled_by_a_repair)
{
    struct sf_fabric *fabric = lanes_fabric("ft3:ports=4", 2), *damaged;
    struct sf_routing_params params = { .layers = { .n_layers = 2 },
                                        .lanes = "single" };
    struct routed *base, *repaired;
    struct sf_error err = { 0 };
    uint32_t n_refused = 0;

    CHECK_EQ(routed_build(fabric, &params, &base, &err), SF_OK);
    for (uint32_t seed = 0; seed < 20; seed++) {
        struct sf_random random;
        sf_random_init(&random, seed, 0);
        CHECK_EQ(sf_fabric_copy(fabric, &damaged, NULL), SF_OK);
        lanes_unplug(damaged, 2, &random);
        if (routed_repair(base, damaged, &repaired, &err) == SF_OK) {
            CHECK_STR(repaired->routing->params.lanes, "single");
            routed_free(repaired);
        } else {
            CHECK_EQ(err.status, SF_ELANES);
            n_refused++;
        }
        sf_fabric_free(damaged);
    }
    CHECK(n_refused > 0);
    routed_free(base);
    sf_fabric_free(fabric);
}

/* The port that 's' sends on to 'lid'. */
static uint32_t
port_to(const struct routed *routing, uint32_t s, uint32_t lid)
{
    return sf_tables_of(routing->tables, s)[lid];
}

/* Distances of all switches to 'd', by plain search; SF_NONE without a way. */
static void
measure(const struct sf_graph *graph, uint32_t d, uint32_t *distance)
{
    bool has_changed = true;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        distance[s] = s == d ? 0 : SF_NONE;
    }
    while (has_changed) {
        has_changed = false;
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
                uint32_t of_next = distance[graph->arcs[i].to];
                if (of_next != SF_NONE && of_next + 1 < distance[s]) {
                    distance[s] = of_next + 1;
                    has_changed = true;
                }
            }
        }
    }
}

/* How many next hops towards hosts are not what they were in the whole tree
 * although they still lead along a shortest path. */
static uint32_t
count_moved(const struct routed *whole, const struct routed *damaged)
{
    const struct sf_fabric *fabric = damaged->fabric;
    uint32_t n = fabric->n_switches, distance[512] = { 0 }, n_moved = 0;

    CHECK(n <= ARRAY_SIZE(distance));
    for (uint32_t lid = 1; lid <= damaged->tables->max_lid; lid++) {
        uint32_t host = damaged->tables->targets[lid];
        if (host == SF_NONE || host < n) {
            continue;
        }
        uint32_t peer = fabric->ports[sf_fabric_port(fabric, host, 1)].peer;
        uint32_t d = fabric->ports[peer].node;
        measure(damaged->graph, d, distance);
        for (uint32_t s = 0; s < n; s++) {
            uint32_t before = port_to(whole, s, lid);
            uint32_t port = sf_fabric_port(fabric, s, before);
            uint32_t other = s == d ? SF_NONE : fabric->ports[port].peer;
            if (other != SF_NONE &&
                distance[fabric->ports[other].node] + 1 == distance[s]) {
                n_moved += port_to(damaged, s, lid) != before;
            }
        }
    }
    return n_moved;
}

/* Which of parallel links is gone, a graph does not tell: then those behind it
 * move up. */
static bool
has_parallel_links(const struct sf_graph *graph)
{
    for (uint32_t i = 1; i < graph->n_links; i++) {
        if (graph->links[i].a == graph->links[i - 1].a &&
            graph->links[i].b == graph->links[i - 1].b) {
            return true;
        }
    }
    return false;
}

/* One link that was gone once changed the numbers of all that came after it,
 * and what switches of a level had agreed on before: some links then carried
 * twice as much as others. */
TEST(fat_trees_with_faults_route_as_without_where_that_still_leads_there)
{
    uint32_t n_simple = 0;

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_fabric *fabric = lanes_fabric(specs[i], 4), *damaged;
        struct sf_routing_params params = {
            .layers = { .scheme = "ftree", .n_layers = 4 }, .lanes = "none"
        };
        struct routed *whole, *anew;
        CHECK_EQ(routed_build(fabric, &params, &whole, NULL), SF_OK);
        bool is_simple = !has_parallel_links(whole->graph);
        n_simple += is_simple;
        for (uint32_t seed = 0; is_simple && seed < 8; seed++) {
            struct sf_random random;
            sf_random_init(&random, seed, i);
            CHECK_EQ(sf_fabric_copy(fabric, &damaged, NULL), SF_OK);
            lanes_unplug(damaged, 1 + seed % 4, &random);
            CHECK_EQ(routed_build(damaged, &params, &anew, NULL), SF_OK);
            uint32_t n_moved = count_moved(whole, anew);
            CHECK_FOR(n_moved == 0, "%s, seed %u: %u moved", specs[i], seed,
                      n_moved);
            routed_free(anew);
            sf_fabric_free(damaged);
        }
        routed_free(whole);
        sf_fabric_free(fabric);
    }
    CHECK_EQ(n_simple, 4u);
}
