/* Links as OpenSM dumps them.  tests/data/opensm is what a real one wrote of
 * the fabric in tests/data/small.ibnetdiscover. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/discovery.h"
#include "slimfly/ib_addresses.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
find_guid(const struct sf_fabric *fabric, uint64_t guid)
{
    uint32_t i = 0;
    while (i < fabric->n_nodes && fabric->nodes[i].guid != guid) {
        i++;
    }
    CHECK(i < fabric->n_nodes);
    return i;
}

static void
check_same_port(const struct sf_fabric *a, uint32_t i,
                const struct sf_fabric *b, uint32_t j)
{
    const struct sf_port *x = &a->ports[i], *y = &b->ports[j];

    CHECK_EQ(x->guid, y->guid);
    CHECK_EQ(sf_ib_port(a, i)->lid, sf_ib_port(b, j)->lid);
    CHECK_EQ(sf_ib_port(a, i)->lmc, sf_ib_port(b, j)->lmc);
    CHECK_STR(x->rate, y->rate);
    CHECK_EQ(x->peer == SF_NONE, y->peer == SF_NONE);
    if (x->peer != SF_NONE) {
        const struct sf_port *to = &a->ports[x->peer],
                             *at = &b->ports[y->peer];
        CHECK_EQ(to->number, at->number);
        CHECK_EQ(a->nodes[to->node].guid, b->nodes[at->node].guid);
    }
}

TEST(subnet_lst_is_what_ibnetdiscover_prints)
{
    struct sf_fabric *a, *b;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_fabric_discover(TEST_DATA "/opensm/opensm-subnet.lst", 10, &a,
                                 NULL, &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(sf_ibnetdiscover_read(TEST_DATA "/small.ibnetdiscover", &b, &err),
             SF_OK);
    CHECK_EQ(a->n_nodes, b->n_nodes);
    CHECK_EQ(a->n_switches, b->n_switches);
    CHECK_EQ(a->n_cables, b->n_cables);
    for (uint32_t i = 0; i < a->n_nodes; i++) {
        const struct sf_node *x = &a->nodes[i];
        uint32_t there = find_guid(b, x->guid);
        const struct sf_node *y = &b->nodes[there];
        const struct sf_ib_node *own = sf_ib_node(a, i);
        const struct sf_ib_node *other = sf_ib_node(b, there);
        CHECK_EQ(x->kind, y->kind);
        CHECK_STR(x->name, y->name);
        CHECK_EQ(own->system_guid, other->system_guid);
        CHECK_EQ(own->vendor, other->vendor);
        CHECK_EQ(own->device, other->device);
        CHECK_EQ(own->lid, other->lid);
        CHECK_EQ(own->lmc, other->lmc);
        CHECK_EQ(x->n_ports, y->n_ports);
        for (uint32_t j = 0; j < x->n_ports; j++) {
            check_same_port(a, x->first_port + j, b, y->first_port + j);
        }
    }
    sf_fabric_free(b);
    sf_fabric_free(a);
}

/* Without tables beside it, nothing says the LMC. */
TEST(subnet_lst_alone_has_no_lmc)
{
    char text[] = "{ CA Ports:02 SystemGUID:1 NodeGUID:1 PortGUID:2 VenID:0 "
                  "DevID:0 Rev:0 {a } b} LID:001F PN:02 } { SW-SM Ports:0A "
                  "SystemGUID:3 NodeGUID:3 PortGUID:3 VenID:0 DevID:0 Rev:0 "
                  "{} LID:0001 PN:0A } PHY=8x LOG=INI SPD=??\n";
    struct sf_fabric *fabric;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_subnet_lst_parse(text, strlen(text), "file", &fabric, &err) ==
                  SF_OK,
              "%s", err.text);
    CHECK_EQ(fabric->n_switches, 1);
    CHECK_EQ(fabric->nodes[0].n_ports, 10);
    CHECK_EQ(sf_ib_node(fabric, 0)->lid, 1);
    CHECK_STR(fabric->nodes[0].name, "");
    CHECK_STR(fabric->nodes[1].name, "a } b");
    uint32_t second = sf_fabric_port(fabric, 1, 2);
    const struct sf_port *port = &fabric->ports[second];
    CHECK_EQ(port->peer, sf_fabric_port(fabric, 0, 10));
    CHECK_EQ(sf_ib_port(fabric, second)->lid, 31);
    CHECK_EQ(sf_ib_port(fabric, second)->lmc, 0);
    CHECK_STR(port->rate, "");
    sf_fabric_free(fabric);
}

#define NODE(kind, guid, ports, lid, port)                   \
    "{ " kind " Ports:" ports " SystemGUID:1 NodeGUID:" guid \
    " PortGUID:1 VenID:1 DevID:1 Rev:1 {x} LID:" lid " PN:" port " } "
#define END "PHY=4x LOG=ACT SPD=25\n"

TEST(subnet_lst_that_makes_no_sense_is_refused)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "", "file:1: expected at least one link; found none" },
        { "\n\n", "file:2: expected at least one link" },
        { "hello\n", "file:1: expected '{ SW', '{ CA' or '{ Rt'" },
        { "{ XX\n", "file:1: expected '{ SW'" },
        { "\n{ SW Ports:x\n", "file:2: expected Ports, SystemGUID" },
        { "{ SW Ports:1 SystemGUID:1\n", "expected Ports, SystemGUID" },
        { "{ SW Ports:1 SystemGUID:1 NodeGUID:1 PortGUID:1 VenID:1 DevID:1 "
          "Rev:1 x\n",
          "a name in braces" },
        { NODE("SW", "1", "1", "x", "1"), "expected LID and PN" },
        { NODE("SW", "1", "1", "10000", "1"), "expected LID and PN" },
        { NODE("SW", "1", "0", "1", "1"), "expected 1 to 254 ports and PN" },
        { NODE("SW", "1", "FF", "1", "1"), "found 255 and 1" },
        { NODE("SW", "1", "2", "1", "3"), "found 2 and 3" },
        { NODE("SW", "1", "2", "1", "1"), "file:1: expected '{ SW'" },
        { NODE("SW", "1", "2", "1", "1") NODE("SW", "2", "2", "1", "1"),
          "expected PHY=, LOG= and SPD=" },
        { NODE("SW", "1", "2", "1", "1")
              NODE("SW", "2", "2", "1", "1") "PHY=4x"
                                             "\n",
          "expected PHY=, LOG= and SPD=" },
        { NODE("SW", "1", "2", "1", "1") NODE("SW", "1", "2", "1", "1") END,
          "file:1: port 1 of x and port 1 of x cannot be joined" },
        { NODE("SW", "1", "2", "1", "1") NODE("SW", "1", "3", "1", "2") END,
          "file:1: expected node 0000000000000001 with the same kind" },
        { NODE("SW", "1", "2", "1", "1") NODE("SW", "2", "2", "2", "1")
              END NODE("SW", "1", "2", "1", "1") NODE("SW", "3", "2", "3", "1")
                  END,
          "file:2: port 1 of x and port 1 of x cannot be joined" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *text = strdup(cases[i].text);
        struct sf_fabric *fabric;
        struct sf_error err = { 0 };
        CHECK(text);
        CHECK_FOR(sf_subnet_lst_parse(text, strlen(text), "file", &fabric,
                                      &err) == SF_EPARSE,
                  "accepted: %s", cases[i].text);
        CHECK(!fabric);
        CHECK_FOR(strstr(err.text, cases[i].says), "%s\n# for %s", err.text,
                  cases[i].text);
        free(text);
    }
}

TEST(subnet_lst_survives_running_out_of_memory)
{
    enum sf_status status = SF_ENOMEM;

    for (unsigned long i = 1; status != SF_OK; i++) {
        struct sf_fabric *fabric;
        sf_mem_fail_at(i);
        status = sf_subnet_lst_read(TEST_DATA "/opensm/opensm-subnet.lst",
                                    &fabric, NULL);
        sf_mem_fail_at(0);
        CHECK_FOR(status == SF_OK || (status == SF_ENOMEM && !fabric),
                  "allocation %lu", i);
        sf_fabric_free(fabric);
    }
}
