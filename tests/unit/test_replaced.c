/* Nodes that took the places of others. */
#include "base/mem.h"
#include "engine.h"
#include "helpers.h"
#include "slimfly/lids.h"
#include "slimfly/random.h"
#include "slimfly/replace.h"
#include "slimfly/verify.h"
#include "test.h"

#include <stdlib.h>

#define NEW_GUID UINT64_C(0x7000000000000000)

static const char *const families[] = {
    "sf:q=3",
    "ft2:leaf=4,core=2,up=2,p=2",
    "ft3:ports=4",
    "hx2:size=3x3,p=2",
    "df:a=4,h=2,p=2",
    "xpander:k=4,lift=4",
    "jellyfish:n=14,k=4",
    "pf:q=3",
};

static struct sf_fabric *
make_fabric(const char *spec, uint32_t lmc)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric *fabric;

    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_fabric_assign_lids(fabric, lmc, NULL, NULL), SF_OK);
    sf_topology_free(topo);
    return fabric;
}

static struct sf_fabric *
copy_of(const struct sf_fabric *fabric)
{
    struct sf_fabric *copy;
    CHECK_EQ(sf_fabric_copy(fabric, &copy, NULL), SF_OK);
    return copy;
}

/* Gives node 'i' and its ports GUIDs that nobody has. */
static void
give_guid(struct sf_fabric *fabric, uint32_t i)
{
    struct sf_node *node = &fabric->nodes[i];

    node->guid = NEW_GUID + 16 * i;
    for (uint32_t p = 0; p < node->n_ports; p++) {
        if (fabric->ports[node->first_port + p].guid) {
            fabric->ports[node->first_port + p].guid = node->guid + p + 1;
        }
    }
}

static bool
is_link(const struct sf_fabric *fabric, uint32_t port)
{
    uint32_t peer = fabric->ports[port].peer;
    return peer != SF_NONE && fabric->ports[port].node < fabric->n_switches &&
           fabric->ports[peer].node < fabric->n_switches;
}

static uint32_t
find(const struct sf_fabric *known, const struct sf_fabric *found,
     struct sf_replacements *replacements)
{
    CHECK_EQ(sf_replacements_find(known, found, replacements, NULL), SF_OK);
    return replacements->n;
}

TEST(replaced_nodes_are_known_by_their_cables)
{
    struct sf_random random;

    sf_random_init(&random, 11, 0);
    for (size_t f = 0; f < ARRAY_SIZE(families); f++) {
        struct sf_fabric *known = make_fabric(families[f], 1);
        for (int round = 0; round < 12; round++) {
            struct sf_fabric *found = copy_of(known);
            struct sf_replacements replacements;
            uint32_t i = sf_random_below(&random, known->n_nodes);
            give_guid(found, i);
            /* Some cables are not there yet, but one is. */
            const struct sf_node *node = &found->nodes[i];
            for (uint32_t p = 1; i < found->n_switches && p < node->n_ports;
                 p++) {
                uint32_t port = node->first_port + p;
                if (found->ports[port].peer != SF_NONE &&
                    sf_random_below(&random, 2)) {
                    sf_fabric_unplug(found, port);
                }
            }
            CHECK_FOR(find(known, found, &replacements) == 1, "%s, %s: %u",
                      families[f], known->nodes[i].name, replacements.n);
            CHECK_EQ(replacements.items[0].old_node, i);
            CHECK_EQ(replacements.items[0].new_node, i);
            CHECK_EQ(replacements.items[0].is_switch, i < known->n_switches);
            CHECK_EQ(replacements.items[0].old_guid, known->nodes[i].guid);

            /* Then it is the same, and nothing is replaced any more. */
            struct sf_fabric *adopted = copy_of(known);
            sf_replacements_apply(&replacements, found, adopted);
            CHECK_EQ(adopted->nodes[i].guid, found->nodes[i].guid);
            sf_replacements_clear(&replacements);
            CHECK_EQ(find(adopted, found, &replacements), 0);
            sf_replacements_clear(&replacements);
            sf_fabric_free(adopted);
            sf_fabric_free(found);
        }
        sf_fabric_free(known);
    }
}

TEST(nodes_are_not_replaced_where_cables_do_not_tell)
{
    struct sf_fabric *known = make_fabric("sf:q=3", 1);
    struct sf_replacements replacements;

    /* The same fabric; and one that lacks something. */
    struct sf_fabric *found = copy_of(known);
    CHECK_EQ(find(known, found, &replacements), 0);
    for (uint32_t p = 0; p < known->nodes[0].n_ports; p++) {
        if (found->ports[p].peer != SF_NONE) {
            sf_fabric_unplug(found, p);
        }
    }
    CHECK_EQ(find(known, found, &replacements), 0);

    /* A new switch at ports that were free. */
    struct sf_fabric *less = copy_of(known);
    for (uint32_t p = 0; p < known->nodes[0].n_ports; p++) {
        if (less->ports[p].peer != SF_NONE) {
            sf_fabric_unplug(less, p);
        }
    }
    sf_fabric_free(found);
    found = copy_of(known);
    give_guid(found, 0);
    CHECK_EQ(find(less, found, &replacements), 0);

    /* Its cables are in other ports than those of the old one. */
    sf_fabric_free(found);
    found = copy_of(known);
    give_guid(found, 0);
    uint32_t links[SF_MAX_PORTS], peers[SF_MAX_PORTS], n = 0;
    for (uint32_t p = 0; p < known->nodes[0].n_ports; p++) {
        if (is_link(found, p)) {
            links[n] = p;
            peers[n++] = found->ports[p].peer;
        } else if (found->ports[p].peer != SF_NONE) {
            sf_fabric_unplug(found, p);
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        sf_fabric_unplug(found, links[k]);
    }
    for (uint32_t k = 0; k < n; k++) {
        sf_fabric_plug(found, links[k], peers[(k + 1) % n]);
    }
    CHECK_EQ(find(known, found, &replacements), 0);
    sf_fabric_free(found);

    /* A known host that was moved to the place of another is itself. */
    found = copy_of(known);
    uint32_t a = found->nodes[known->n_switches].first_port;
    uint32_t b = found->nodes[known->n_switches + 1].first_port;
    uint32_t place = found->ports[a].peer;
    sf_fabric_unplug(found, a);
    sf_fabric_unplug(found, b);
    sf_fabric_plug(found, b, place);
    CHECK_EQ(find(known, found, &replacements), 0);
    sf_fabric_free(found);
    sf_fabric_free(less);
    sf_fabric_free(known);
}

/* Two neighbours at once. */
TEST(several_nodes_are_replaced_at_once)
{
    struct sf_fabric *known = make_fabric("sf:q=4", 1);
    struct sf_fabric *found = copy_of(known);
    struct sf_replacements replacements;
    uint32_t port = 0;

    while (!is_link(known, port)) {
        port++;
    }
    uint32_t a = known->ports[port].node;
    uint32_t b = known->ports[known->ports[port].peer].node;
    give_guid(found, a);
    give_guid(found, b);
    give_guid(found, known->n_nodes - 1);
    CHECK_EQ(find(known, found, &replacements), 3);
    sf_replacements_clear(&replacements);
    sf_fabric_free(found);
    sf_fabric_free(known);
}

static const struct sf_routing_params four_layers = {
    .layers = { .n_layers = 4, .seed = 1, .within_parts = true },
};

/* Routes, and returns how many entries differ from 'before'. */
static uint64_t
count_changed(struct sf_engine *engine, const struct sf_fabric *fabric,
              const struct sf_tables *before, uint32_t n_replaced)
{
    struct sf_engine_result result;
    struct sf_error err = { 0 };
    uint64_t n = 0;

    CHECK_FOR(sf_engine_route(engine, fabric, NULL, &four_layers, 8, &result,
                              &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(result.n_replaced, n_replaced);
    CHECK_FOR(result.outcome == SF_OUTCOME_REPAIRED, "%s: %s",
              sf_outcome_name(result.outcome), result.reason);
    CHECK_EQ(result.difference.n_lost_switches, 0);
    CHECK_EQ(result.difference.n_lost_hosts, 0);
    CHECK_EQ(result.difference.n_lost_links, 0);
    const struct sf_tables *now = sf_engine_tables(engine)->lfts;
    for (uint32_t s = 0; s < now->n_switches; s++) {
        for (uint32_t lid = 1; lid <= now->max_lid && lid <= before->max_lid;
             lid++) {
            n += sf_tables_of(now, s)[lid] != sf_tables_of(before, s)[lid];
        }
    }
    return n;
}

/* Tables stay as they are; with another LID, those of that LID change. */
TEST(replaced_nodes_change_no_tables)
{
    for (size_t f = 0; f < ARRAY_SIZE(families); f++) {
        struct sf_fabric *fabric = make_fabric(families[f], 2);
        struct sf_engine *engine;
        struct sf_engine_result result;
        struct sf_tables *before;
        CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
        CHECK_EQ(sf_engine_route(engine, fabric, NULL, &four_layers, 8,
                                 &result, NULL),
                 SF_OK);
        CHECK_EQ(sf_tables_carry(sf_engine_tables(engine)->lfts, fabric,
                                 fabric, &before, NULL),
                 SF_OK);
        uint32_t old = fabric->n_switches / 2;
        give_guid(fabric, old);
        CHECK_EQ(count_changed(engine, fabric, before, 1), 0);
        CHECK(sf_engine_switch(engine, fabric->nodes[old].guid) == old);

        /* A host whose LIDs are others now. */
        uint32_t host = fabric->n_nodes - 1;
        uint32_t port = fabric->nodes[host].first_port;
        uint32_t lid = sf_ib_port(fabric, port)->lid;
        give_guid(fabric, host);
        sf_ib_change_port(fabric, port)->lid =
            (uint16_t)((before->max_lid / 4 + 2) * 4);
        CHECK_FOR(count_changed(engine, fabric, before, 1) <=
                      4 * (uint64_t)fabric->n_switches,
                  "%s", families[f]);
        const struct sf_tables *now = sf_engine_tables(engine)->lfts;
        uint32_t new = sf_ib_port(fabric, port)->lid;
        for (uint32_t s = 0; s < fabric->n_switches; s++) {
            for (uint32_t k = 0; k < 4; k++) {
                CHECK_EQ(sf_tables_of(now, s)[new + k],
                         sf_tables_of(before, s)[lid + k]);
            }
        }
        sf_tables_free(before);
        sf_engine_free(engine);
        sf_fabric_free(fabric);
    }
}

TEST(replaced_nodes_say_that_memory_runs_out)
{
    struct sf_fabric *known = make_fabric("sf:q=3", 0);
    struct sf_fabric *found = copy_of(known);
    enum sf_status status = SF_ENOMEM;

    give_guid(found, 3);
    give_guid(found, known->n_nodes - 2);
    for (unsigned long nth = 1; status != SF_OK; nth++) {
        struct sf_replacements replacements;
        sf_mem_fail_at(nth);
        status = sf_replacements_find(known, found, &replacements, NULL);
        sf_mem_fail_at(0);
        CHECK(status == SF_OK || status == SF_ENOMEM);
        CHECK_EQ(replacements.n, status == SF_OK ? 2 : 0);
        sf_replacements_clear(&replacements);
        CHECK(nth < 100);
    }
    sf_fabric_free(found);
    sf_fabric_free(known);
}

TEST(planned_guids_say_that_memory_runs_out)
{
    struct sf_fabric *planned = make_fabric("sf:q=3", 0);
    struct sf_fabric *found = copy_of(planned), *known;
    char name[] = "sf-0-0-1";
    struct sf_guid_name entry = { .guid = NEW_GUID, .name = name };
    struct sf_guid_map map = { 1, &entry };
    enum sf_status status = SF_ENOMEM;

    for (unsigned long nth = 1; status != SF_OK; nth++) {
        sf_mem_fail_at(nth);
        status = sf_replacements_planned(planned, &map, found, &known, NULL);
        sf_mem_fail_at(0);
        CHECK(status == SF_OK || status == SF_ENOMEM);
        CHECK_EQ(known != NULL, status == SF_OK);
        CHECK(nth < 100);
    }
    CHECK_EQ(known->nodes[1].guid, NEW_GUID);
    sf_fabric_free(known);
    sf_fabric_free(found);
    sf_fabric_free(planned);
}
