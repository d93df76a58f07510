/* Forwarding tables: every LID is reached from everywhere over the path of
 * its layer; a repair changes little and keeps that true. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "routing/repair.h"
#include "slimfly/ib.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdlib.h>

/* A routed fabric. */
struct routed {
    struct sf_fabric *fabric;
    struct sf_network *network;
    const struct sf_graph *graph; /* Of the network. */
    struct sf_routes *routes;
    const struct sf_layers *layers; /* The path set of the routes. */
    struct sf_tables *tables;
};

static struct sf_fabric *
fabric_of(const char *spec)
{
    struct sf_topology *topo;
    struct sf_fabric *fabric;
    struct sf_error err = { 0 };
    CHECK_FOR(sf_topology_build(spec, &topo, &err) == SF_OK, "%s", err.text);
    CHECK_FOR(sf_fabric_from_topology(topo, NULL, &fabric, &err) == SF_OK,
              "%s", err.text);
    sf_topology_free(topo);
    return fabric;
}

/* Routes 'fabric', which it takes over. */
static struct routed
route(struct sf_fabric *fabric, uint32_t n_layers, const char *scheme,
      const struct sf_fabric *previous)
{
    struct routed is = { .fabric = fabric };
    struct sf_layers_params params = { .scheme = scheme,
                                       .n_layers = n_layers,
                                       .seed = 1 };
    struct sf_error err = { 0 };

    CHECK_FOR(sf_fabric_assign_lids(fabric, sf_lmc_for_layers(n_layers),
                                    previous, &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(sf_network_build(fabric, &is.network, &err), SF_OK);
    is.graph = is.network->graph;
    CHECK_EQ(sf_routes_make(is.network, 1, &is.routes, &err), SF_OK);
    is.routes->n_addresses = 1u << sf_lmc_for_layers(n_layers);
    CHECK_FOR(build_layers(is.graph, NULL, &params, &is.routes->sets[0],
                           &err) == SF_OK,
              "%s", err.text);
    is.layers = is.routes->sets[0];
    CHECK_EQ(sf_ib_encode_lfts(is.network, is.routes, &is.tables, &err),
             SF_OK);
    return is;
}

/* Repairs 'before' for the fabric of 'after': tables, routes unless NULL, and
 * how many entries changed. */
static enum sf_status
repair_routed(const struct routed *before, const struct routed *after,
              uint32_t usual_hops, bool evens_loads,
              struct sf_tables **tablesp, struct sf_routes **routesp,
              struct sf_repair *repair)
{
    struct sf_earlier earlier;
    struct sf_routes *routes = NULL;

    *tablesp = NULL;
    enum sf_status status =
        sf_earlier_build(after->network, before->network, &earlier, NULL);
    if (status == SF_OK) {
        status = sf_routes_repair(&earlier, before->routes, usual_hops,
                                  evens_loads, &routes, NULL);
    }
    if (status == SF_OK) {
        status = sf_ib_encode_lfts(after->network, routes, tablesp, NULL);
    }
    if (status == SF_OK) {
        status = sf_tables_compare(before->tables, before->fabric, *tablesp,
                                   after->fabric, repair, NULL);
    }
    if (status != SF_OK) {
        sf_tables_free(*tablesp);
        *tablesp = NULL;
    }
    if (routesp) {
        *routesp = routes;
    } else {
        sf_routes_free(routes);
    }
    sf_earlier_clear(&earlier);
    return status;
}

static void
clear(struct routed *is)
{
    sf_tables_free(is->tables);
    sf_routes_free(is->routes);
    sf_network_free(is->network);
    sf_fabric_free(is->fabric);
}

/* Follows the tables from switch 's' to 'lid'; returns the switches passed
 * before the one where the LID lives, SF_NONE if it does not arrive. */
static uint32_t
walk(const struct sf_fabric *fabric, const struct sf_tables *tables,
     uint32_t s, uint32_t lid)
{
    for (uint32_t n = 0; n <= fabric->n_switches; n++) {
        uint8_t port = sf_tables_of(tables, s)[lid];
        if (port == 0) {
            return sf_ib_node(fabric, s)->lid == lid ? n : SF_NONE;
        }
        uint32_t index = sf_fabric_port(fabric, s, port);
        if (index == SF_NONE || fabric->ports[index].peer == SF_NONE) {
            return SF_NONE;
        }
        uint32_t peer = fabric->ports[index].peer;
        const struct sf_ib_port *lids = sf_ib_port(fabric, peer);
        if (fabric->ports[peer].node >= fabric->n_switches) {
            return lid >= lids->lid && lid < lids->lid + (1u << lids->lmc)
                       ? n
                       : SF_NONE;
        }
        s = fabric->ports[peer].node;
    }
    return SF_NONE;
}

/* Every LID from every switch, at most 'max_hops' away, and the first address
 * of each by a shortest path. */
static void
check_tables(const struct sf_fabric *fabric, const struct sf_graph *graph,
             const struct sf_tables *tables, uint32_t max_hops)
{
    uint32_t n = graph->n_nodes;
    uint32_t *queue = calloc(n, sizeof *queue);
    uint32_t *distance = calloc(n, sizeof *distance);
    CHECK(queue && distance);

    for (uint32_t s = 0; s < n; s++) {
        uint32_t head = 0, tail = 0;
        for (uint32_t v = 0; v < n; v++) {
            distance[v] = SF_NONE;
        }
        distance[s] = 0;
        queue[tail++] = s;
        while (head < tail) {
            uint32_t v = queue[head++];
            for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
                if (distance[graph->arcs[i].to] == SF_NONE) {
                    distance[graph->arcs[i].to] = distance[v] + 1;
                    queue[tail++] = graph->arcs[i].to;
                }
            }
        }
        for (uint32_t lid = 1; lid <= tables->max_lid; lid++) {
            uint32_t target = tables->targets[lid];
            if (target == SF_NONE) {
                continue;
            }
            const struct sf_node *node = &fabric->nodes[target];
            uint32_t d = target;
            bool is_first = true;
            if (target >= fabric->n_switches) {
                const struct sf_port *port = &fabric->ports[node->first_port];
                if (port->peer == SF_NONE) {
                    continue;
                }
                d = fabric->ports[port->peer].node;
                is_first = sf_ib_port(fabric, node->first_port)->lid == lid;
            }
            if (distance[d] == SF_NONE) {
                continue;
            }
            uint32_t hops = walk(fabric, tables, s, lid);
            CHECK_FOR(hops != SF_NONE, "LID %u is not reached from switch %u",
                      lid, s);
            CHECK_FOR(hops <= max_hops, "LID %u is %u hops from switch %u",
                      lid, hops, s);
            CHECK_FOR(!is_first || hops == distance[d],
                      "LID %u is %u hops from switch %u, not %u", lid, hops, s,
                      distance[d]);
        }
    }
    free(distance);
    free(queue);
}

TEST(tables_reach_every_lid)
{
    static const struct {
        const char *spec, *scheme;
        uint32_t n_layers;
    } cases[] = {
        { "sf:q=5", "minimal", 1 },  { "sf:q=5", NULL, 4 },
        { "sf:q=4", NULL, 3 },       { "ft2:leaf=6,core=3,up=3", NULL, 2 },
        { "hx2:4x4", "minimal", 2 }, { "df:a=4,h=2", NULL, 2 },
        { "ft3:ports=4", NULL, 2 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct routed is = route(fabric_of(cases[i].spec), cases[i].n_layers,
                                 cases[i].scheme, NULL);
        check_tables(is.fabric, is.graph, is.tables, is.layers->max_hops);
        clear(&is);
    }
}

TEST(tables_lids_are_aligned_and_used_once)
{
    for (uint32_t lmc = 0; lmc <= 3; lmc++) {
        struct sf_fabric *fabric = fabric_of("sf:q=5");
        bool is_used[SF_MAX_LID + 1] = { false };
        CHECK_EQ(sf_fabric_assign_lids(fabric, lmc, NULL, NULL), SF_OK);
        for (uint32_t i = 0; i < fabric->n_nodes; i++) {
            const struct sf_node *node = &fabric->nodes[i];
            bool is_switch = node->kind == SF_NODE_SWITCH;
            uint32_t lid = is_switch
                               ? sf_ib_node(fabric, i)->lid
                               : sf_ib_port(fabric, node->first_port)->lid;
            uint32_t n = is_switch ? 1 : 1u << lmc;
            CHECK(lid > 0 && lid % n == 0);
            for (uint32_t k = 0; k < n; k++) {
                CHECK(!is_used[lid + k]);
                is_used[lid + k] = true;
            }
        }
        sf_fabric_free(fabric);
    }
}

/* LIDs of an earlier state are kept, but not what cannot be. */
TEST(tables_lids_that_make_no_sense_are_given_anew)
{
    struct sf_fabric *fabric = fabric_of("sf:q=3"), *before;
    uint32_t first = fabric->nodes[fabric->n_switches].first_port;

    CHECK_EQ(sf_fabric_assign_lids(fabric, 1, NULL, NULL), SF_OK);
    CHECK_EQ(sf_fabric_copy(fabric, &before, NULL), SF_OK);
    struct sf_ib_node *nodes = sf_ib_change_node(before, 0);
    nodes[0].lid = 0xffff;                          /* No unicast LID. */
    nodes[1].lid = nodes[2].lid;                    /* Used twice. */
    sf_ib_change_port(before, first)->lid = 0xfffe; /* Beyond the end. */
    sf_ib_change_port(before, first + 1)->lid |= 1; /* Not aligned. */
    CHECK_EQ(sf_fabric_assign_lids(fabric, 1, before, NULL), SF_OK);
    bool is_used[SF_MAX_LID + 1] = { false };
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        bool is_switch = node->kind == SF_NODE_SWITCH;
        uint32_t lid = is_switch ? sf_ib_node(fabric, i)->lid
                                 : sf_ib_port(fabric, node->first_port)->lid;
        for (uint32_t k = 0; k < (is_switch ? 1u : 2u); k++) {
            CHECK(lid + k >= 1 && lid + k <= SF_MAX_LID);
            CHECK(!is_used[lid + k]);
            is_used[lid + k] = true;
        }
    }
    CHECK_EQ(sf_ib_node(fabric, 3)->lid, nodes[3].lid);
    sf_fabric_free(before);
    sf_fabric_free(fabric);
}

/* The error tells how many layers would fit: N 2^LMC + N_r <= 49151. */
TEST(tables_say_how_many_layers_fit)
{
    static const struct {
        const char *spec;
        uint32_t lmc;
        const char *says;
    } cases[] = {
        { "sf:q=19", 3, "at most 4 layers fit" },
        { "sf:q=23", 2, "at most 2 layers fit" },
        { "sf:q=27", 1, "at most 1 layer fits" },
        { "sf:q=32", 0, "more than the 49151 LIDs" },
        { "sf:q=5", 8, "at most LMC 7" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sf_fabric *fabric = fabric_of(cases[i].spec);
        struct sf_error err = { 0 };
        CHECK_EQ(sf_fabric_assign_lids(fabric, cases[i].lmc, NULL, &err),
                 SF_ELIMIT);
        CHECK_FOR(strstr(err.text, cases[i].says), "%s", err.text);
        sf_fabric_free(fabric);
    }
    struct sf_fabric *fabric = fabric_of("sf:q=19");
    CHECK_EQ(sf_fabric_assign_lids(fabric, 2, NULL, NULL), SF_OK);
    sf_fabric_free(fabric);
}

TEST(tables_read_back_the_same)
{
    struct routed is = route(fabric_of("sf:q=4"), 2, NULL, NULL);
    struct sf_tables *again;
    struct sf_error err = { 0 };
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    CHECK_EQ(sf_tables_write(is.tables, is.fabric, stream, &err), SF_OK);
    fclose(stream);
    CHECK_FOR(sf_tables_parse(text, length, "file", is.fabric, &again, &err) ==
                  SF_OK,
              "%s", err.text);
    CHECK_EQ(again->max_lid, is.tables->max_lid);
    CHECK(!memcmp(again->ports, is.tables->ports,
                  (size_t)again->n_switches * (again->max_lid + 1)));
    free(text);
    sf_tables_free(again);
    clear(&is);
}

TEST(tables_refuse_dumps_that_make_no_sense)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "", "file:1: expected 'Unicast lids' of at least one switch" },
        { "hello\n", "file:1: expected 'Unicast lids' or a LID" },
        { "0x0001 001\n", "file:1: expected 'Unicast lids' of a switch" },
        { "Unicast lids [0-3] of switch Lid 1\n", "the GUID of a switch" },
        { "Unicast lids [0-3] of switch Lid 1 guid 0x77 (''):\n",
          "no switch with GUID 0x0000000000000077" },
        { "Unicast lids [0-3] of switch Lid 1 guid 0x02534c4600000000:\n"
          "0xffff 001\n",
          "file:2: expected a LID from 0x0001" },
        { "Unicast lids [0-3] of switch Lid 1 guid 0x02534c4600000000:\n"
          "0x0001 x\n",
          "file:2: expected a port" },
        { "Unicast lids [0-3] of switch Lid 1 guid 0x02534c4600000000:\n"
          "0x0001 999\n",
          "file:2: expected a port from 0 to 255" },
        { "Unicast lids [0-3] of switch Lid 1 guid 0x02534c4600000000:\n"
          "0xbfff 001\n",
          "file:2: the fabric has nothing with LID 0xbfff" },
    };
    struct sf_fabric *fabric = fabric_of("sf:q=3");
    CHECK_EQ(sf_fabric_assign_lids(fabric, 0, NULL, NULL), SF_OK);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sf_tables *tables;
        struct sf_error err = { 0 };
        char *text = strdup(cases[i].text);
        CHECK(text);
        CHECK_EQ(
            sf_tables_parse(text, strlen(text), "file", fabric, &tables, &err),
            SF_EPARSE);
        CHECK(!tables);
        CHECK_FOR(strstr(err.text, cases[i].says), "%s", err.text);
        free(text);
    }
    sf_fabric_free(fabric);
}

/* Unplugs 'n' random cables between switches, never cutting the fabric. */
static void
unplug_some(struct sf_fabric *fabric, uint32_t n, struct sf_random *random)
{
    while (n > 0) {
        uint32_t a = sf_random_below(random, fabric->n_ports);
        uint32_t b = fabric->ports[a].peer;
        if (b == SF_NONE || fabric->ports[a].node >= fabric->n_switches ||
            fabric->ports[b].node >= fabric->n_switches) {
            continue;
        }
        struct sf_graph *graph;
        struct sf_layers *layers;
        struct sf_layers_params params = { .scheme = "minimal",
                                           .n_layers = 1 };
        sf_fabric_unplug(fabric, a);
        CHECK_EQ(sf_fabric_graph(fabric, &graph, NULL, NULL), SF_OK);
        if (build_layers(graph, NULL, &params, &layers, NULL) == SF_OK) {
            sf_layers_free(layers);
            n--;
        } else {
            sf_fabric_plug(fabric, a, b);
        }
        sf_graph_free(graph);
    }
}

/* Entries that lead into a cable which is gone: these must change. */
static uint64_t
count_dead(const struct routed *is, const struct sf_fabric *now,
           const struct sf_tables *tables)
{
    uint64_t n = 0;

    for (uint32_t s = 0; s < now->n_switches; s++) {
        for (uint32_t lid = 1; lid <= is->tables->max_lid; lid++) {
            uint32_t port =
                sf_fabric_port(now, s, sf_tables_of(is->tables, s)[lid]);
            n += tables->targets[lid] != SF_NONE && port != SF_NONE &&
                 now->ports[port].peer == SF_NONE;
        }
    }
    return n;
}

TEST(tables_repair_keeps_every_promise_and_changes_little)
{
    static const char *const specs[] = { "sf:q=5", "hx2:4x4",
                                         "ft2:leaf=6,core=3,up=3",
                                         "df:a=4,h=2" };
    struct sf_random random;
    uint64_t n_repaired = 0, n_anew = 0, n_needed = 0;
    sf_random_init(&random, 3, 0);

    for (uint32_t trial = 0; trial < 40; trial++) {
        struct routed before =
            route(fabric_of(specs[trial % 4]), 4, NULL, NULL);
        struct sf_fabric *fabric;
        struct sf_tables *mended, *back;
        struct sf_repair repair, anew;
        uint32_t max_hops = before.layers->max_hops + 1;
        CHECK_EQ(sf_fabric_copy(before.fabric, &fabric, NULL), SF_OK);
        unplug_some(fabric, 1 + trial % 5, &random);
        struct routed after = route(fabric, 4, NULL, before.fabric);
        struct routed between = after;
        CHECK_EQ(repair_routed(&before, &after, max_hops, true, &mended,
                               &between.routes, &repair),
                 SF_OK);
        check_tables(after.fabric, after.graph, mended, max_hops);
        CHECK_EQ(sf_tables_compare(before.tables, before.fabric, after.tables,
                                   after.fabric, &anew, NULL),
                 SF_OK);
        CHECK(repair.n_changed <= anew.n_changed);
        CHECK(repair.n_changed >= count_dead(&before, after.fabric, mended));
        n_repaired += repair.n_changed;
        n_anew += anew.n_changed;
        n_needed += count_dead(&before, after.fabric, mended);

        /* When all is back, what still works stays; paths are minimal in the
         * first address again. */
        between.tables = mended;
        CHECK_EQ(repair_routed(&between, &before, max_hops, true, &back, NULL,
                               &repair),
                 SF_OK);
        check_tables(before.fabric, before.graph, back, max_hops);
        sf_routes_free(between.routes);
        sf_tables_free(back);
        sf_tables_free(mended);
        clear(&after);
        clear(&before);
    }
    /* Entries into a dead cable are a lower bound that cannot be reached: what
     * lies behind a switch next to the destination gets too long a way. */
    CHECK(n_repaired <= 3 * n_needed);
    CHECK(n_repaired * 5 < n_anew);
}

/* The fewest entries of column 'lid' that can change, by trying all tables:
 * 'choice' runs through every out port of every switch. */
static uint32_t
fewest_changes(const struct routed *before, const struct routed *after,
               uint32_t lid, uint32_t d, uint32_t max_hops, bool is_minimal)
{
    const struct sf_graph *graph = after->graph;
    uint32_t n = graph->n_nodes, fewest = SF_NONE;
    uint32_t choice[8] = { 0 };
    struct sf_tables *trial = after->tables; /* Its column is overwritten. */

    for (bool is_done = false; !is_done;) {
        uint32_t n_changed = 0, s = 0;
        for (s = 0; s < n; s++) {
            if (s != d) {
                sf_tables_of(trial, s)[lid] = (uint8_t)sf_network_port(
                    after->network, graph->first[s] + choice[s]);
            }
            n_changed += sf_tables_of(trial, s)[lid] !=
                         sf_tables_of(before->tables, s)[lid];
        }
        bool is_good = n_changed < fewest;
        for (s = 0; is_good && s < n; s++) {
            uint32_t hops = walk(after->fabric, trial, s, lid);
            is_good = hops != SF_NONE && hops <= max_hops;
            for (uint32_t i = graph->first[s];
                 is_good && is_minimal && s != d && i < graph->first[s + 1];
                 i++) {
                /* If nobody is more than a hop nearer than a neighbour,
                 * all paths are shortest ones. */
                is_good =
                    walk(after->fabric, trial, graph->arcs[i].to, lid) + 1 >=
                    hops;
            }
        }
        fewest = is_good ? n_changed : fewest;
        for (s = 0; s < n; s++) {
            if (s != d && ++choice[s] < sf_graph_degree(graph, s)) {
                break;
            }
            choice[s] = 0;
        }
        is_done = s == n;
    }
    return fewest;
}

/* On small graphs the repair is compared with the best of all tables; what it
 * changes beyond that, to even out loads, is not asked for. */
TEST(tables_repair_is_nearly_the_best_there_is)
{
    struct sf_random random;
    uint64_t n_repaired = 0, n_fewest = 0;
    sf_random_init(&random, 9, 0);

    for (uint32_t trial = 0; trial < 60; trial++) {
        char spec[64];
        snprintf(spec, sizeof spec, "jellyfish:n=6,k=3,p=1,seed=%u",
                 trial % 7);
        struct routed before = route(fabric_of(spec), 2, NULL, NULL);
        uint32_t max_hops = before.layers->max_hops + 1;
        struct sf_fabric *fabric;
        struct sf_tables *mended;
        struct sf_repair repair;
        CHECK_EQ(sf_fabric_copy(before.fabric, &fabric, NULL), SF_OK);
        unplug_some(fabric, 1, &random);
        struct routed after = route(fabric, 2, NULL, before.fabric);
        CHECK_EQ(repair_routed(&before, &after, max_hops, false, &mended, NULL,
                               &repair),
                 SF_OK);
        n_repaired += repair.n_changed;
        for (uint32_t lid = 1; lid <= mended->max_lid; lid++) {
            uint32_t target = mended->targets[lid];
            if (target == SF_NONE) {
                continue;
            }
            uint32_t port = fabric->nodes[target].first_port;
            bool is_switch = target < fabric->n_switches;
            n_fewest += fewest_changes(
                &before, &after, lid,
                is_switch ? target
                          : fabric->ports[fabric->ports[port].peer].node,
                max_hops, is_switch || sf_ib_port(fabric, port)->lid == lid);
        }
        sf_tables_free(mended);
        clear(&after);
        clear(&before);
    }
    CHECK_FOR(n_repaired >= n_fewest && n_repaired * 20 <= n_fewest * 21,
              "%llu entries changed, %llu would do",
              (unsigned long long)n_repaired, (unsigned long long)n_fewest);
}

/* Without a fault nothing changes. */
TEST(tables_repair_of_nothing_changes_nothing)
{
    struct routed is = route(fabric_of("sf:q=5"), 4, NULL, NULL);
    struct sf_tables *mended;
    struct sf_repair repair;
    CHECK_EQ(repair_routed(&is, &is, is.layers->max_hops, true, &mended, NULL,
                           &repair),
             SF_OK);
    CHECK_EQ(repair.n_changed, 0);
    CHECK(repair.n_entries > 0);
    sf_tables_free(mended);
    clear(&is);
}

/* Three layers fill four addresses: the fourth is the first layer again, of
 * shortest paths, and stays so. */
TEST(tables_repair_knows_layers_that_repeat)
{
    struct routed before = route(fabric_of("sf:q=5"), 3, NULL, NULL);
    struct sf_tables *mended;
    struct sf_repair repair;
    struct sf_fabric *fabric;
    struct sf_random random;

    sf_random_init(&random, 4, 0);
    CHECK_EQ(sf_fabric_copy(before.fabric, &fabric, NULL), SF_OK);
    unplug_some(fabric, 3, &random);
    struct routed after = route(fabric, 3, NULL, before.fabric);
    CHECK_EQ(repair_routed(&before, &after, before.layers->max_hops + 1, true,
                           &mended, NULL, &repair),
             SF_OK);
    for (uint32_t i = fabric->n_switches; i < fabric->n_nodes; i++) {
        uint32_t lid = sf_ib_port(fabric, fabric->nodes[i].first_port)->lid;
        for (uint32_t s = 0; s < fabric->n_switches; s++) {
            const uint8_t *ports = sf_tables_of(mended, s);
            CHECK_EQ(ports[lid], ports[lid + 3]);
        }
    }
    sf_tables_free(mended);
    clear(&after);
    clear(&before);
}

/* A new host gets the paths of the hosts beside it, in all layers and on
 * whichever port it is. */
TEST(tables_repair_gives_new_hosts_all_layers)
{
    for (uint32_t port = 0; port < 3; port++) {
        struct routed after = route(fabric_of("sf:q=4"), 4, NULL, NULL);
        struct sf_fabric *fabric;
        struct sf_tables *mended;
        struct sf_repair repair;
        const struct sf_node *node = &after.fabric->nodes[7];
        uint32_t at = after.fabric->ports[node->first_port + port].peer;
        uint32_t lid = sf_ib_port(after.fabric, at)->lid;

        CHECK_EQ(sf_fabric_copy(after.fabric, &fabric, NULL), SF_OK);
        fabric->ports[node->first_port + port].peer = SF_NONE;
        fabric->ports[at].peer = SF_NONE;
        sf_ib_change_port(fabric, at)->lid = 0;
        struct routed before = route(fabric, 4, NULL, after.fabric);
        for (uint32_t k = 0; k < 4; k++) { /* It was not there. */
            before.tables->targets[lid + k] = SF_NONE;
        }
        CHECK_EQ(repair_routed(&before, &after, after.layers->max_hops, true,
                               &mended, NULL, &repair),
                 SF_OK);
        CHECK_EQ(repair.n_changed, 0);
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t n_different = 0;
            for (uint32_t s = 0; s < fabric->n_switches; s++) {
                const uint8_t *ports = sf_tables_of(mended, s);
                n_different += ports[lid + k] != ports[lid];
            }
            CHECK_FOR(k == 0 || n_different > 0, "port %u: layer %u is 0",
                      port, k);
        }
        sf_tables_free(mended);
        clear(&before);
        clear(&after);
    }
}

TEST(tables_survive_running_out_of_memory)
{
    struct routed is = route(fabric_of("sf:q=3"), 2, NULL, NULL);
    enum sf_status status = SF_ENOMEM;
    struct sf_tables *tables;

    for (unsigned long i = 1; status != SF_OK; i++) {
        struct sf_repair repair;
        sf_mem_fail_at(i);
        status = repair_routed(&is, &is, 4, true, &tables, NULL, &repair);
        sf_mem_fail_at(0);
        CHECK_FOR(status == SF_OK || (status == SF_ENOMEM && !tables),
                  "allocation %lu", i);
    }
    sf_tables_free(tables);
    clear(&is);
}
