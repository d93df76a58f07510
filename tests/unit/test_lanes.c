/* test_lanes.c -- what every lane scheme promises: no deadlock under what
 * senders do, or a refusal that says what would do. */
#include "../oracle/oracle.h"
#include "../oracle/routing_oracle.h"
#include "base/mem.h"
#include "lanes_helpers.h"
#include "test.h"

#include <stdlib.h>

/* One case of the matrix. */
struct lane_case {
    const char *layers, *lanes;
    uint32_t n_layers, max_vls, seed;
    uint32_t n_path_sets;
};

static struct sf_routing_params
params_of(const struct lane_case *is)
{
    return (struct sf_routing_params){
        .layers = { .scheme = is->layers,
                    .n_layers = is->n_layers,
                    .seed = is->seed },
        .n_path_sets = is->n_path_sets,
        .lanes = is->lanes,
        .max_vls = is->max_vls,
    };
}

/* Fails unless what a refusal says would do does do. */
static void
check_advice(const struct sf_fabric *fabric, const struct lane_case *is,
             const char *text)
{
    struct sf_routing_params params = params_of(is);
    const char *takes = strstr(text, "takes "), *take = strstr(text, "take ");
    struct routed *routing;
    struct sf_error err = { 0 };

    if (takes) { /* dfsssp counts. */
        params.lanes = "dfsssp";
        params.max_vls = (uint32_t)strtoul(takes + 6, NULL, 10);
        CHECK_FOR(params.max_vls > is->max_vls, "%s", text);
    } else if (take && strstr(text, "by hops")) {
        const char *comma = strstr(text, "each hop, ");
        CHECK_FOR(comma != NULL, "%s", text);
        params.max_vls = (uint32_t)strtoul(comma + 10, NULL, 10);
        CHECK_FOR(params.max_vls > is->max_vls, "%s", text);
    } else if (strstr(text, "the lanes dfsssp") || strstr(text, "or dfsssp")) {
        params.lanes = "dfsssp";
        params.max_vls = SF_MAX_VLS;
    } else {
        CHECK_FOR(strstr(text, "at least 2 VLs"), "no advice: %s", text);
        params.lanes = NULL; /* Turns, or what else does. */
        params.guarantee = SF_PATH_SL;
        params.max_vls = SF_DEFAULT_VLS;
    }
    CHECK_FOR(params.max_vls > SF_MAX_VLS ||
                  routed_build(fabric, &params, &routing, &err) == SF_OK,
              "it said \"%s\", but: %s", text, err.text);
    if (params.max_vls <= SF_MAX_VLS) {
        routed_free(routing);
    }
}

/* Routes 'fabric' and checks what comes out.  Whether it was routed. */
static bool
check_case(const struct sf_fabric *fabric, const char *spec,
           const struct lane_case *is)
{
    struct sf_routing_params params = params_of(is);
    struct routed *routing = UNSET(struct routed);
    struct sf_error err = { 0 };
    bool has_turns = !is->lanes || strcmp(is->lanes, "turns") == 0;
    char what[256];

    snprintf(what, sizeof what,
             "%s, %s in %u layers, %u sets, %s with %u VLs, seed %u", spec,
             is->layers, is->n_layers, is->n_path_sets,
             is->lanes ? is->lanes : "default", is->max_vls, is->seed);
    enum sf_status status = routed_build(fabric, &params, &routing, &err);
    if (status == SF_OK) {
        lanes_check(routing, what);
        routed_free(routing);
        return true;
    }
    CHECK_FOR(routing == NULL, "%s: refused, but not NULL", what);
    CHECK_FOR(
        status == err.status &&
            (status == SF_ELANES || (status == SF_EUNREACHABLE && has_turns)),
        "%s: status %d: %s", what, (int)status, err.text);
    check_advice(fabric, is, err.text);
    return false;
}

/* Draws a case that makes sense on 'spec'. */
static struct lane_case
draw_case(const char *spec, struct sf_random *random)
{
    static const char *const layers[] = { "gates",  "minimal", "ordered",
                                          "paper",  "rues",    "fatpaths",
                                          "updown", "ftree" };
    static const char *const lanes[] = { "turns",  "dfsssp",   "hops", "none",
                                         "single", "untangle", NULL };
    static const uint32_t n_layers[] = { 1, 2, 4, 8 };
    static const uint32_t max_vls[] = { 1, 2, 3, 4, 8, 15 };
    static const uint32_t n_path_sets[] = { 1, 1, 1, 2, SF_NONE };
    uint32_t n_schemes = strncmp(spec, "ft", 2) == 0 ? 8 : 7;
    struct lane_case is = {
        .layers = layers[sf_random_below(random, n_schemes)],
        .lanes = lanes[sf_random_below(random, ARRAY_SIZE(lanes))],
        .n_layers = n_layers[sf_random_below(random, 4)],
        .max_vls = max_vls[sf_random_below(random, 6)],
        .seed = sf_random_below(random, 1000),
        .n_path_sets = n_path_sets[sf_random_below(random, 5)],
    };

    if (is.lanes && strcmp(is.lanes, "turns") == 0 &&
        !sf_layer_scheme_find(is.layers)->takes_turns &&
        !sf_layer_scheme_find(is.layers)->makes_turns) {
        is.layers = layers[sf_random_below(random, 3)];
    }
    return is;
}

/* Cases of each fabric; more of them for who has time. */
static uint32_t
n_cases(uint32_t by_default)
{
    const char *asked = getenv("SLIMFLY_LANE_CASES");
    return asked ? (uint32_t)atoi(asked) : by_default;
}

TEST(lanes_are_safe_or_refused_on_all_families)
{
    static const char *const specs[] = {
        "sf:q=4",
        "sf:q=5,p=2",
        "sf:q=7,p=1",
        "hx2:4x3",
        "hx2:3x3,links=2",
        "df:a=4,h=2,p=1",
        "ft2:leaf=6,core=3,up=2,p=3",
        "ft3:ports=4",
        "xpander:k=5,lift=4,p=2",
        "jellyfish:n=20,k=4,p=2,seed=2",
        "pf:q=4",
    };
    struct sf_random random;
    uint32_t n_routed = 0, n_refused = 0;

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        sf_random_init(&random, 1, i);
        for (uint32_t j = 0; j < n_cases(8); j++) {
            struct lane_case is = draw_case(specs[i], &random);
            struct sf_fabric *fabric = lanes_fabric(specs[i], is.n_layers);
            if (j % 3 == 2) {
                lanes_unplug(fabric, 1 + sf_random_below(&random, 4), &random);
                is.layers =
                    strcmp(is.layers, "ftree") == 0 ? "updown" : is.layers;
            }
            bool is_routed = check_case(fabric, specs[i], &is);
            n_routed += is_routed;
            n_refused += !is_routed;
            sf_fabric_free(fabric);
        }
    }
    CHECK_FOR(n_routed > n_refused && n_refused > 0, "%u routed, %u refused",
              n_routed, n_refused);
}

TEST(lanes_are_safe_or_refused_on_random_graphs)
{
    struct sf_random random;

    for (uint32_t i = 0; i < n_cases(120); i++) {
        sf_random_init(&random, 2, i);
        struct lane_case is = draw_case("edges", &random);
        uint32_t n = 2 + sf_random_below(&random, 16);
        struct sf_fabric *fabric = lanes_random_fabric(
            n, sf_random_below(&random, 2 * n), is.n_layers, &random);
        char spec[64];
        snprintf(spec, sizeof spec, "random graph %u", i);
        check_case(fabric, spec, &is);
        sf_fabric_free(fabric);
    }
}

/* Routes 'fabric', or fails the test. */
static struct routed *
route(const struct sf_fabric *fabric, const struct lane_case *is)
{
    struct sf_routing_params params = params_of(is);
    struct routed *routing;
    struct sf_error err = { 0 };

    CHECK_FOR(routed_build(fabric, &params, &routing, &err) == SF_OK,
              "%s in %u layers, %s with %u VLs: %s", is->layers, is->n_layers,
              is->lanes, is->max_vls, err.text);
    return routing;
}

/* Layers that 'lanes' can protect on any small network. */
static const char *
layers_for(const struct sf_lane_scheme *lanes)
{
    return lanes->only_hosts ? "minimal" : "gates";
}

/* A ring of 'n' switches. */
static struct sf_fabric *
ring(uint32_t n, uint32_t n_layers)
{
    char text[512] = "", spec[128];
    size_t length = 0;

    for (uint32_t i = 0; i < n; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%u %u\n", i, (i + 1) % n);
    }
    struct temporary file = temporary_write(text);
    snprintf(spec, sizeof spec, "edges:%s,p=2", file.name);
    struct sf_fabric *fabric = lanes_fabric(spec, n_layers);
    temporary_remove(&file);
    return fabric;
}

/* Shortest paths round a ring of five or more wait for each other both ways
 * round; every scheme that is safe mends that, or says that it cannot: hops
 * from 8 switches on, where paths have four, and VLs that follow from a turn
 * alone from 7 on, where each turn is taken by the one shortest path that goes
 * on from it to the next. */
TEST(lanes_none_deadlocks_on_a_ring)
{
    for (uint32_t n = 5; n <= 9; n++) {
        struct sf_fabric *fabric = ring(n, 1);
        for (size_t i = 0; sf_lane_schemes[i]; i++) {
            const struct sf_lane_scheme *scheme = sf_lane_schemes[i];
            struct lane_case is = { "minimal", scheme->name, 1, 3, n, 1 };
            if (scheme->only_proves ||
                (n >= 8 && strcmp(is.lanes, "hops") == 0) ||
                (n >= 7 && scheme->ignores_sls)) {
                CHECK(!check_case(fabric, "ring", &is));
                continue;
            }
            struct routed *routing = route(fabric, &is);
            lanes_check(routing, is.lanes);
            /* What promises nothing may be sound by chance; none is not. */
            if (scheme->is_safe || strcmp(is.lanes, "none") == 0) {
                CHECK_EQ(lanes_are_sound(routing, is.lanes), scheme->is_safe);
            }
            routed_free(routing);
        }
        sf_fabric_free(fabric);
    }
}

TEST(lanes_by_hops_take_at_most_6_sls)
{
    static const uint32_t qs[] = { 3, 4, 5, 7, 8, 9, 11, 13, 16 };

    for (size_t i = 0; i < ARRAY_SIZE(qs); i++) {
        char spec[32];
        snprintf(spec, sizeof spec, "sf:q=%u,p=1", qs[i]);
        struct lane_case is = { "gates", "hops", qs[i] < 11 ? 8 : 2, 3, 1, 1 };
        struct sf_fabric *fabric = lanes_fabric(spec, is.n_layers);
        struct routed *routing = route(fabric, &is);
        CHECK_FOR(routing->lanes->n_sls <= 6, "%s: %u SLs", spec,
                  routing->lanes->n_sls);
        CHECK_EQ(routing->lanes->n_vls, 3);
        if (qs[i] < 8) {
            lanes_check(routing, spec);
        }
        routed_free(routing);
        sf_fabric_free(fabric);
    }
}

/* The hops of the longest paths are on VLs of their own, and none is idle. */
TEST(lanes_by_hops_use_other_vls_for_each_hop)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=5,p=2", 4);
    struct lane_case is = { "gates", "hops", 4, 8, 1, 1 };
    struct routed *routing = route(fabric, &is);
    const struct routed_lanes *lanes = routing->lanes;
    uint32_t used[3] = { 0 };

    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        for (uint32_t lid = 1; lid <= routing->tables->max_lid; lid++) {
            uint32_t ports[50], in = 1 + lid % 2;
            if (routing->tables->targets[lid] == SF_NONE ||
                oracle_follow(fabric, routing->tables, s, lid, ports) != 3) {
                continue;
            }
            uint8_t sl = sf_path_sls_of(lanes->path_sls, s)[lid];
            for (uint32_t i = 0; i < 3; i++) {
                const struct sf_port *port = &fabric->ports[ports[i]];
                used[i] |= 1u << sf_sl2vl_of(lanes->sl2vl, port->node, in,
                                             port->number)[sl];
                in = fabric->ports[port->peer].number;
            }
        }
    }
    CHECK((used[0] & used[1]) == 0 && used[0] < used[1]);
    CHECK((used[1] & used[2]) == 0 && used[1] < used[2]);
    CHECK_EQ(used[0] | used[1] | used[2], 0xff);
    routed_free(routing);
    sf_fabric_free(fabric);
}

/* Fails unless 'is' is refused on 'spec' with these words. */
static void
check_refused(const char *spec, const struct lane_case *is,
              enum sf_status status, const char *says)
{
    struct sf_routing_params params = params_of(is);
    struct sf_fabric *fabric = lanes_fabric(spec, is->n_layers);
    struct routed *routing = UNSET(struct routed);
    struct sf_error err = { 0 };

    CHECK_EQ(routed_build(fabric, &params, &routing, &err), status);
    CHECK(routing == NULL);
    CHECK_EQ(err.status, status);
    CHECK_FOR(strstr(err.text, says), "%s: %s", is->lanes, err.text);
    sf_fabric_free(fabric);
}

TEST(lanes_refuse_what_cannot_be)
{
    static const struct {
        const char *spec;
        struct lane_case is;
        enum sf_status status;
        const char *says;
    } cases[] = {
        { "sf:q=5", { "gates", "turns", 2, 1, 0, 1 }, SF_ELANES, "2 VLs" },
        { "sf:q=5", { "gates", "hops", 2, 2, 0, 1 }, SF_ELANES, "3" },
        { "sf:q=5", { "minimal", "hops", 1, 1, 0, 1 }, SF_ELANES, "2" },
        { "df:a=4,h=2", { "gates", "hops", 2, 8, 0, 1 }, SF_ELANES, "3 hops" },
        { "ft3:ports=4",
          { "ftree", "hops", 1, 8, 0, 1 },
          SF_ELANES,
          "3 hops" },
        { "sf:q=5", { "gates", "dfsssp", 4, 2, 0, 1 }, SF_ELANES, "VLs" },
        { "sf:q=5", { "paper", "turns", 2, 8, 0, 1 }, SF_ELANES, "dfsssp" },
        { "sf:q=5", { "gates", "turns", 2, 16, 0, 1 }, SF_EINVAL, "15" },
        { "sf:q=5",
          { "gates", "nonsense", 2, 8, 0, 1 },
          SF_EINVAL,
          "nonsense" },
        { "sf:q=5",
          { "nonsense", "turns", 2, 8, 0, 1 },
          SF_EINVAL,
          "nonsense" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        check_refused(cases[i].spec, &cases[i].is, cases[i].status,
                      cases[i].says);
    }
}

/* Hosts of a switch with paths of their own: all of these obey the turns. */
TEST(lanes_of_paths_per_host_are_safe)
{
    static const char *const specs[] = { "sf:q=4,p=2", "hx2:3x3,links=2,p=3" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_fabric *fabric = lanes_fabric(specs[i], 2);
        for (size_t j = 0; sf_lane_schemes[j]; j++) {
            struct lane_case is = { layers_for(sf_lane_schemes[j]),
                                    sf_lane_schemes[j]->name,
                                    2,
                                    8,
                                    1,
                                    SF_NONE };
            if (sf_lane_schemes[j]->only_proves) {
                continue;
            }
            struct routed *routing = route(fabric, &is);
            lanes_check(routing, is.lanes);
            routed_free(routing);
        }
        sf_fabric_free(fabric);
    }
}

/* Tables from elsewhere may lead round and round. */
TEST(lanes_refuse_tables_that_go_round)
{
    struct sf_fabric *fabric = ring(5, 1);
    struct lane_case is = { "minimal", "none", 1, 2, 0, 1 };
    struct routed *routing = route(fabric, &is);
    struct sf_turns *turns = UNSET(struct sf_turns);
    uint32_t lid = sf_ib_node(fabric, 0)->lid;

    /* What 1 sends to 0 and what 2 sends to 0 goes to each other. */
    for (uint32_t s = 1; s <= 2; s++) {
        uint32_t number = 1;
        uint32_t peer;
        do {
            peer = fabric->ports[sf_fabric_port(fabric, s, number++)].peer;
        } while (fabric->ports[peer].node != 3 - s);
        sf_tables_of(routing->tables, s)[lid] = (uint8_t)(number - 1);
    }
    const struct sf_network *network = routing->routing->network;
    struct sf_routes *routes;
    CHECK_EQ(sf_ib_decode(network, routing->tables, 0, &routes, NULL), SF_OK);
    for (size_t i = 0; sf_lane_schemes[i]; i++) {
        struct sf_lanes_params params = { .scheme = sf_lane_schemes[i]->name };
        struct sf_error err = { 0 };
        if (sf_lane_schemes[i]->needs_turns) {
            continue;
        }
        CHECK_EQ(sf_lanes_build(network, &params, routes, &err), SF_EINVAL);
        CHECK(routes->lanes == NULL);
        CHECK_FOR(strstr(err.text, "loop"), "%s", err.text);
    }
    CHECK_EQ(routed_find_turns(routing, &turns, NULL), SF_EINVAL);
    CHECK(turns == NULL);
    sf_routes_free(routes);
    routed_free(routing);
    sf_fabric_free(fabric);
}

/* Without a wish, turns give way to a single lane where that is enough, and
 * the routing says why. */
TEST(lanes_by_default_say_why_they_are_others)
{
    struct sf_fabric *fabric = ring(4, 1);
    struct sf_routing_params params = {
        .layers = { .scheme = "updown", .n_layers = 1 },
        .max_vls = 1,
    };
    struct routed *routing;

    CHECK_EQ(routed_build(fabric, &params, &routing, NULL), SF_OK);
    CHECK_STR(routing->params.lanes, "single");
    CHECK_EQ(routing->refusal.status, SF_OK);
    routed_free(routing);
    sf_fabric_free(fabric);

    fabric = lanes_fabric("hx2:1x5", 1);
    params.layers.scheme = "minimal";
    for (int with_err = 0; with_err < 2; with_err++) {
        struct sf_error err = { 0 };
        CHECK_EQ(
            routed_build(fabric, &params, &routing, with_err ? &err : NULL),
            SF_OK);
        CHECK_STR(routing->params.lanes, "single");
        CHECK_STR(routing->refused.lanes, "turns");
        CHECK_EQ(routing->refusal.status, SF_ELANES);
        CHECK(routing->refusal.text[0] != '\0');
        routed_free(routing);
    }
    sf_fabric_free(fabric);
}

/* The arc of 'port' in the graph of 'routing'. */
static uint32_t
arc_of(const struct routed *routing, uint32_t port)
{
    const struct sf_graph *graph = routing->graph;
    uint32_t s = routing->fabric->ports[port].node;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        if (routing->routing->network->arc_ports[i] == port) {
            return i;
        }
    }
    test_fail(__FILE__, __LINE__, "port %u has no link", port);
}

/* Fails unless along every path the ranks of 'turns' rise, on the VLs that
 * the SL-to-VL tables have for all SLs. */
static void
check_ranks(const struct routed *routing, const struct sf_turns *turns)
{
    const struct sf_fabric *fabric = routing->fabric;
    const struct sf_graph *graph = routing->graph;
    const struct sf_tables *tables = routing->tables;

    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        for (uint32_t lid = 1; lid <= tables->max_lid; lid++) {
            uint32_t ports[64];
            if (tables->targets[lid] == SF_NONE) {
                continue;
            }
            uint32_t n = oracle_follow(fabric, tables, s, lid, ports);
            uint32_t vl = 0, rank = 0;
            CHECK(n != SF_NONE);
            for (uint32_t i = 0; i < n; i++) {
                uint32_t arc = arc_of(routing, ports[i]);
                if (i > 0) {
                    uint32_t b = fabric->ports[ports[i]].node;
                    uint32_t in = fabric->ports[ports[i - 1]].peer;
                    uint32_t degree = sf_graph_degree(graph, b);
                    vl = turns->vls[turns->first[b] +
                                    (arc_of(routing, in) - graph->first[b]) *
                                        degree +
                                    (arc - graph->first[b])];
                    CHECK(vl < turns->n_vls);
                    CHECK_EQ(vl, sf_sl2vl_of(
                                     routing->lanes->sl2vl, b,
                                     fabric->ports[in].number,
                                     fabric->ports[ports[i]].number)[s % 16]);
                }
                uint32_t next = turns->ranks[(size_t)arc * turns->n_vls + vl];
                CHECK_FOR(i == 0 || next > rank,
                          "LID %u from switch %u: rank %u after %u", lid, s,
                          next, rank);
                rank = next;
            }
        }
    }
}

TEST(lanes_by_turns_are_recalled)
{
    static const char *const specs[] = { "sf:q=5,p=1", "hx2:3x3,links=2",
                                         "jellyfish:n=20,k=4,p=1,seed=1" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_fabric *fabric = lanes_fabric(specs[i], 4);
        struct lane_case is = { "gates", "turns", 4, i % 2 ? 8 : 4, 3, 1 };
        struct routed *routing = route(fabric, &is);
        struct sf_turns *turns;
        struct sf_error err = { 0 };
        check_ranks(routing, routing->turns);
        CHECK_FOR(routed_find_turns(routing, &turns, &err) == SF_OK, "%s: %s",
                  specs[i], err.text);
        check_ranks(routing, turns);
        sf_turns_free(turns);
        routed_free(routing);
        sf_fabric_free(fabric);
    }
}

/* What deadlocks with all on SL 0 has no turns to recall. */
TEST(lanes_that_deadlock_are_not_recalled)
{
    static const char *const schemes[] = { "none", "dfsssp" };

    for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
        struct sf_fabric *fabric = ring(7, 2);
        struct lane_case is = { "minimal", schemes[i], 2, 8, 0, 1 };
        struct routed *routing = route(fabric, &is);
        struct sf_turns *turns = UNSET(struct sf_turns);
        struct sf_error err = { 0 };
        CHECK_EQ(routed_find_turns(routing, &turns, &err), SF_ELANES);
        CHECK(turns == NULL && err.text[0]);
        routed_free(routing);
        sf_fabric_free(fabric);
    }
}

TEST(lanes_are_the_same_for_a_seed_and_any_threads)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=4,p=2", 4);

    for (size_t i = 0; sf_lane_schemes[i]; i++) {
        if (sf_lane_schemes[i]->only_proves) {
            continue;
        }
        struct sf_routing_params params = {
            .layers = { .scheme = layers_for(sf_lane_schemes[i]),
                        .n_layers = 4,
                        .seed = 5,
                        .n_threads = 1 },
            .lanes = sf_lane_schemes[i]->name,
        };
        struct routed *first, *again;
        CHECK_EQ(routed_build(fabric, &params, &first, NULL), SF_OK);
        params.layers.n_threads = 2;
        CHECK_EQ(routed_build(fabric, &params, &again, NULL), SF_OK);
        lanes_check_same(first, again, params.lanes);
        routed_free(again);

        params.layers.seed = 6;
        CHECK_EQ(routed_build(fabric, &params, &again, NULL), SF_OK);
        CHECK_FOR(memcmp(first->tables->ports, again->tables->ports,
                         (size_t)first->tables->n_switches *
                             (first->tables->max_lid + 1)) != 0,
                  "%s does not heed the seed", params.lanes);
        routed_free(again);
        routed_free(first);
    }
    sf_fabric_free(fabric);
}

TEST(lanes_survive_failed_allocations)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=3,p=1", 2);

    for (size_t i = 0; sf_lane_schemes[i]; i++) {
        struct sf_routing_params params = {
            .layers = { .n_layers = 2 },
            .lanes = sf_lane_schemes[i]->name,
        };
        if (sf_lane_schemes[i]->only_proves) {
            params.layers =
                (struct sf_layers_params){ .scheme = "updown", .n_layers = 1 };
        }
        enum sf_status status = SF_ENOMEM;
        unsigned long nth = 0;
        while (status != SF_OK) {
            struct routed *routing = UNSET(struct routed);
            struct sf_error err = { 0 };
            sf_mem_fail_at(++nth);
            status =
                routed_build(fabric, &params, &routing, nth % 2 ? &err : NULL);
            CHECK_FOR(status == SF_OK || (status == SF_ENOMEM && !routing),
                      "%s, allocation %lu: status %d: %s", params.lanes, nth,
                      (int)status, err.text);
            /* After a success the allocation must still be to come. */
            void *memory = sf_calloc(1, 1);
            CHECK_FOR((memory == NULL) == (status == SF_OK),
                      "%s: failure of allocation %lu went unnoticed",
                      params.lanes, nth);
            free(memory);
            sf_mem_fail_at(0);
            routed_free(status == SF_OK ? routing : NULL);
        }
        CHECK(nth > 10);
    }
    sf_fabric_free(fabric);
}

/* Changes one thing of 'routing' at random; 'undo' says how to change it
 * back. */
struct undo {
    uint8_t *at, was;
};

static struct undo
mutate(const struct routed *routing, struct sf_random *random)
{
    const struct routed_lanes *lanes = routing->lanes;
    uint32_t s = sf_random_below(random, routing->fabric->n_switches);
    uint32_t n_ports = routing->fabric->nodes[s].n_ports;
    uint32_t lid;
    uint8_t *at = NULL;
    uint32_t n = 0;

    do {
        lid = 1 + sf_random_below(random, routing->tables->max_lid);
    } while (routing->tables->targets[lid] == SF_NONE);
    switch (sf_random_below(random, 3)) {
    case 0:
        at = &sf_sl2vl_of(
            lanes->sl2vl, s, 1 + sf_random_below(random, n_ports),
            1 + sf_random_below(
                    random, n_ports))[sf_random_below(random, lanes->n_sls)];
        n = lanes->n_vls;
        break;
    case 1:
        at = &sf_path_sls_of(lanes->path_sls, s)[lid];
        n = lanes->n_sls;
        break;
    default:
        at = &sf_tables_of(routing->tables, s)[lid];
        n = n_ports + 1;
    }
    struct undo undo = { at, *at };
    *at = (uint8_t)sf_random_below(random, n);
    return undo;
}

/* A few changes at random: the audit and the oracle agree on all that comes
 * of it, down to the number of dependencies. */
TEST(lanes_with_a_change_are_judged_alike)
{
    struct sf_random random;
    uint32_t n_harmful = 0, n_harmless = 0;

    sf_random_init(&random, 7, 0);
    for (uint32_t i = 0; i < 8; i++) {
        struct sf_fabric *fabric = i < 4
                                       ? lanes_fabric("sf:q=3,p=1", 2)
                                       : lanes_random_fabric(6, 5, 2, &random);
        struct lane_case is = { i < 4 ? "gates" : "minimal",
                                sf_lane_schemes[i % 3]->name,
                                2,
                                8,
                                i,
                                1 };
        struct routed *routing = route(fabric, &is);
        for (uint32_t j = 0; j < 40; j++) {
            struct undo undo[3];
            uint32_t n = 1 + j % 3;
            for (uint32_t k = 0; k < n; k++) {
                undo[k] = mutate(routing, &random);
            }
            bool is_sound = lanes_are_sound(routing, is.lanes);
            n_harmless += is_sound;
            n_harmful += !is_sound;
            while (n-- > 0) {
                *undo[n].at = undo[n].was;
            }
        }
        routed_free(routing);
        sf_fabric_free(fabric);
    }
    CHECK_FOR(n_harmful > 50 && n_harmless > 50, "%u harmful, %u harmless",
              n_harmful, n_harmless);
}

TEST(lanes_for_each_path_are_few)
{
    static const struct {
        const char *spec;
        uint32_t n_layers, max_vls;
    } cases[] = {
        { "sf:q=5,p=1", 1, 2 }, { "sf:q=5,p=1", 2, 3 }, { "sf:q=5,p=1", 4, 4 },
        { "sf:q=5,p=1", 8, 5 }, { "sf:q=7,p=1", 8, 5 },
    };

    for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
        struct lane_case is = { "gates",
                                "dfsssp",
                                cases[i / 2].n_layers,
                                cases[i / 2].max_vls,
                                (uint32_t)i % 2 + 1,
                                1 };
        struct sf_fabric *fabric =
            lanes_fabric(cases[i / 2].spec, is.n_layers);
        routed_free(route(fabric, &is));
        sf_fabric_free(fabric);
    }
}

/* The layers behind the tables of 'routing': the paths to the first host of
 * each switch. */
static struct sf_layers *
layers_of(const struct routed *routing, uint32_t n_layers)
{
    const struct sf_fabric *fabric = routing->fabric;
    uint32_t n = fabric->n_switches;
    struct sf_layers *layers = oracle_calloc(1, sizeof *layers);

    *layers = (struct sf_layers){
        .n_layers = n_layers,
        .n_switches = n,
        .hops = oracle_calloc((size_t)n_layers * n * n, sizeof(uint16_t)),
    };
    for (uint32_t i = 0; i < n_layers * n * n; i++) {
        uint32_t l = i / (n * n), d = i / n % n, s = i % n;
        uint32_t host = fabric->ports[fabric->nodes[d].first_port].peer;
        uint32_t lid = sf_ib_port(fabric, host)->lid + l;
        uint32_t port =
            sf_fabric_port(fabric, s, sf_tables_of(routing->tables, s)[lid]);
        layers->hops[i] =
            s == d
                ? SF_NO_HOP
                : (uint16_t)(arc_of(routing, port) - routing->graph->first[s]);
    }
    return layers;
}

/* One SL for everything costs no pair its three disjoint paths: 4 VLs and 4
 * layers on the 50 switches of the installation. */
TEST(lanes_by_turns_keep_three_disjoint_paths)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=5,p=1", 4);
    uint32_t n_fewer[3] = { 0 };

    for (uint32_t seed = 1; seed <= 3; seed++) {
        struct lane_case is = { "gates", "turns", 4, 4, seed, 1 };
        struct routed *routing = route(fabric, &is);
        struct sf_layers *layers = layers_of(routing, 4);
        uint32_t *distances = oracle_route_distances(routing->graph);
        uint32_t n = fabric->n_switches;
        CHECK_EQ(routing->lanes->n_vls, 4);
        for (uint32_t i = 0; i < n * n; i++) {
            n_fewer[seed - 1] += distances[i] == 2 &&
                                 oracle_count_disjoint(layers, routing->graph,
                                                       i / n, i % n) < 3;
        }
        free(distances);
        sf_layers_free(layers);
        routed_free(routing);
    }
    sf_fabric_free(fabric);
    CHECK_FOR(n_fewer[0] + n_fewer[1] + n_fewer[2] == 0,
              "%u, %u and %u pairs have fewer with seeds 1 to 3", n_fewer[0],
              n_fewer[1], n_fewer[2]);
}
