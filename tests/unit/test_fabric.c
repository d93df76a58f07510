/* Fabrics: built from topologies, read from text, turned into graphs. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "slimfly/discovery.h"
#include "slimfly/ib_addresses.h"
#include "slimfly/plan_files.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static struct sf_fabric *
fabric_of(const char *spec, uint32_t switch_ports)
{
    struct sf_topology *topo;
    struct sf_fabric *fabric;
    struct sf_error err;
    struct sf_fabric_params params = { .switch_ports = switch_ports };

    CHECK_FOR(sf_topology_build(spec, &topo, &err) == SF_OK, "%s", err.text);
    CHECK_FOR(sf_fabric_from_topology(topo, &params, &fabric, &err) == SF_OK,
              "%s", err.text);
    sf_topology_free(topo);
    return fabric;
}

/* Parses a copy of 'text'. */
static enum sf_status
parse(const char *text, struct sf_fabric **fabricp, struct sf_error *err)
{
    char *copy = strdup(text);
    CHECK(copy);
    enum sf_status status =
        sf_ibnetdiscover_parse(copy, strlen(text), "file", fabricp, err);
    free(copy);
    return status;
}

static void
check_same(const struct sf_fabric *a, const struct sf_fabric *b)
{
    CHECK_EQ(a->n_nodes, b->n_nodes);
    CHECK_EQ(a->n_switches, b->n_switches);
    CHECK_EQ(a->n_ports, b->n_ports);
    CHECK_EQ(a->n_cables, b->n_cables);
    for (uint32_t i = 0; i < a->n_nodes; i++) {
        CHECK_STR(a->nodes[i].name, b->nodes[i].name);
        CHECK_EQ(a->nodes[i].guid, b->nodes[i].guid);
        const struct sf_ib_node *x = sf_ib_node(a, i), *y = sf_ib_node(b, i);
        CHECK_EQ(x->system_guid, y->system_guid);
        CHECK_EQ(x->vendor, y->vendor);
        CHECK_EQ(x->device, y->device);
        CHECK_EQ(x->lid, y->lid);
        CHECK_EQ(x->lmc, y->lmc);
        CHECK_EQ(x->enhanced_port0, y->enhanced_port0);
    }
    for (uint32_t i = 0; i < a->n_ports; i++) {
        CHECK_EQ(a->ports[i].peer, b->ports[i].peer);
        CHECK_EQ(a->ports[i].guid, b->ports[i].guid);
        CHECK_EQ(sf_ib_port(a, i)->lid, sf_ib_port(b, i)->lid);
        CHECK_EQ(sf_ib_port(a, i)->lmc, sf_ib_port(b, i)->lmc);
        CHECK_STR(a->ports[i].rate, b->ports[i].rate);
    }
}

TEST(fabric_text_reads_back_the_same)
{
    static const char *const specs[] = { "sf:q=5", "ft2:leaf=4,core=2,up=3",
                                         "df:a=3,h=2", "pf:q=3" };

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct sf_fabric *fabric = fabric_of(specs[i], 40), *again;
        struct sf_error err = { 0 };
        char *text = NULL;
        size_t length = 0;

        CHECK_EQ(sf_ib_add_side(fabric, NULL), SF_OK);
        sf_ib_change_node(fabric, 1)->system_guid = 11;
        sf_ib_change_node(fabric, 1)->vendor = 12;
        sf_ib_change_node(fabric, 1)->device = 13;
        sf_ib_change_node(fabric, 1)->lid = 77;
        sf_ib_change_node(fabric, 1)->enhanced_port0 = true;
        *sf_ib_change_port(fabric,
                           fabric->nodes[fabric->n_switches].first_port) =
            (struct sf_ib_port){ .lid = 9, .lmc = 3 };
        FILE *stream = open_memstream(&text, &length);
        sf_ibnetdiscover_write(fabric, specs[i], stream);
        fclose(stream);
        CHECK_FOR(parse(text, &again, &err) == SF_OK, "%s", err.text);
        check_same(fabric, again);
        free(text);
        sf_fabric_free(again);
        sf_fabric_free(fabric);
    }
}

/* A planned fabric is written the same before it gets addresses and after,
 * but for the LIDs. */
TEST(fabric_text_needs_no_addresses)
{
    struct sf_fabric *fabric = fabric_of("sf:q=4", 0);
    char *texts[2] = { NULL, NULL };

    CHECK_EQ(sf_ib_node(fabric, 1)->lid, 0);
    CHECK_EQ(sf_ib_port(fabric, fabric->n_ports - 1)->lid, 0);
    for (int i = 0; i < 2; i++) {
        size_t length;
        FILE *stream = open_memstream(&texts[i], &length);
        sf_ibnetdiscover_write(fabric, "fabric", stream);
        fclose(stream);
        CHECK_EQ(sf_ib_add_side(fabric, NULL), SF_OK);
    }
    CHECK(strstr(texts[0], "sysimgguid=0x2534c4600000010\n"));
    CHECK_STR(texts[0], texts[1]);
    free(texts[1]);
    free(texts[0]);
    sf_fabric_free(fabric);
}

/* The records of a made-up back end. */
struct side_node {
    uint32_t number;
};

struct side_port {
    uint16_t node, number;
};

static const struct sf_side_kind side_kind = {
    .name = "tests",
    .node_size = sizeof(struct side_node),
    .port_size = sizeof(struct side_port),
};

/* Builds hosts before switches, with side records that say whose they are. */
static struct sf_fabric *
fabric_with_side(void)
{
    struct sf_fabric_builder *builder;
    struct sf_fabric *fabric;

    CHECK_EQ(sf_fabric_builder_new(&side_kind, &builder, NULL), SF_OK);
    for (uint32_t i = 0; i < 4; i++) {
        char name[] = { (char)('a' + i), '\0' };
        struct sf_node node = {
            .kind = i % 2 ? SF_NODE_SWITCH : SF_NODE_HOST,
            .name = name,
            .n_ports = i + 1,
            .origin = i,
        };
        uint32_t number = sf_fabric_builder_node(builder, &node);
        struct side_node *record =
            sf_fabric_builder_node_side(builder, number);
        CHECK_EQ(record->number, 0);
        record->number = i;
        CHECK(!sf_fabric_builder_port_side(builder, number, 0));
        CHECK(!sf_fabric_builder_port_side(builder, number, i + 2));
        for (uint32_t j = 1; j <= i + 1; j++) {
            struct side_port *port =
                sf_fabric_builder_port_side(builder, number, j);
            CHECK_EQ(port->node, 0);
            *port = (struct side_port){ (uint16_t)i, (uint16_t)j };
        }
    }
    CHECK_EQ(sf_fabric_builder_end(builder, &fabric, NULL), SF_OK);
    return fabric;
}

static void
check_side(const struct sf_fabric *fabric)
{
    const struct side_node *nodes = fabric->side.nodes;
    const struct side_port *ports = fabric->side.ports;

    CHECK(fabric->side.kind == &side_kind);
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        CHECK_EQ(nodes[i].number, fabric->nodes[i].origin);
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        CHECK_EQ(ports[i].node, fabric->nodes[port->node].origin);
        CHECK_EQ(ports[i].number, port->number);
    }
}

TEST(fabric_carries_side_records_along)
{
    struct sf_fabric *fabric = fabric_with_side(), *copy;

    CHECK_EQ(fabric->nodes[0].origin, 1);
    check_side(fabric);
    CHECK_EQ(sf_fabric_copy(fabric, &copy, NULL), SF_OK);
    sf_fabric_free(fabric);
    sf_fabric_plug(copy, 0, 5);
    sf_fabric_unplug(copy, 5);
    check_side(copy);
    sf_fabric_free(copy);
}

TEST(fabric_gets_side_records_of_one_kind)
{
    static const struct sf_side_kind other = { "others", 1, 1 };
    struct sf_fabric *fabric = fabric_of("sf:q=4", 0);
    struct sf_error err = { 0 };

    CHECK(!fabric->side.kind);
    CHECK_EQ(sf_fabric_add_side(fabric, &side_kind, NULL), SF_OK);
    struct side_port *ports = fabric->side.ports;
    CHECK_EQ(ports[fabric->n_ports - 1].number, 0);
    ports[0].number = 7;
    CHECK_EQ(sf_fabric_add_side(fabric, &side_kind, NULL), SF_OK);
    CHECK(fabric->side.ports == ports);
    CHECK_EQ(ports[0].number, 7);
    CHECK_EQ(sf_fabric_add_side(fabric, &other, &err), SF_EINVAL);
    CHECK_FOR(strstr(err.text, "tests, not of others"), "%s", err.text);
    sf_fabric_free(fabric);
}

/* What the real ibnetdiscover printed of two switches, three hosts and one
 * with two ports, after OpenSM had given LIDs with LMC 2. */
TEST(fabric_reads_what_ibnetdiscover_prints)
{
    struct sf_fabric *fabric;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_ibnetdiscover_read(TEST_DATA "/small.ibnetdiscover", &fabric,
                                    &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(fabric->n_switches, 2);
    CHECK_EQ(fabric->n_nodes, 6);
    CHECK_EQ(fabric->n_cables, 7);
    uint32_t leaf = sf_fabric_find(fabric, "leaf 1");
    uint32_t dual = sf_fabric_find(fabric, "dual HCA-1");
    CHECK(leaf < fabric->n_switches);
    CHECK(sf_ib_node(fabric, leaf)->enhanced_port0);
    CHECK_EQ(fabric->nodes[leaf].n_ports, 8);
    CHECK_EQ(sf_ib_node(fabric, leaf)->vendor, 0x2c9);
    CHECK_EQ(fabric->nodes[dual].n_ports, 2);
    uint32_t second = sf_fabric_port(fabric, dual, 2);
    const struct sf_port *port = &fabric->ports[second];
    CHECK_EQ(port->guid, UINT64_C(0x2c90300000402));
    CHECK_EQ(sf_ib_port(fabric, second)->lmc, 2);
    CHECK(sf_ib_port(fabric, second)->lid > 0);
    CHECK_STR(port->rate, "1xFDR10");
    CHECK_EQ(fabric->ports[port->peer].node, leaf);
    CHECK_EQ(fabric->ports[port->peer].number, 8);
    sf_fabric_free(fabric);
}

TEST(fabric_from_a_cache_is_that_of_the_text)
{
    struct sf_fabric *text, *cache;
    struct sf_error err = { 0 };
    uint32_t n_unanswered;

    CHECK_EQ(sf_fabric_discover(TEST_DATA "/small.ibnetdiscover", 30, &text,
                                &n_unanswered, &err),
             SF_OK);
    CHECK_FOR(sf_fabric_discover(TEST_DATA "/small.cache", 30, &cache,
                                 &n_unanswered, &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(n_unanswered, 0);
    CHECK_EQ(cache->n_switches, text->n_switches);
    CHECK_EQ(cache->n_nodes, text->n_nodes);
    CHECK_EQ(cache->n_cables, text->n_cables);
    for (uint32_t i = 0; i < text->n_nodes; i++) {
        uint32_t j = sf_fabric_find(cache, text->nodes[i].name);
        CHECK(j != SF_NONE);
        CHECK_EQ(cache->nodes[j].guid, text->nodes[i].guid);
        CHECK_EQ(sf_ib_node(cache, j)->lid, sf_ib_node(text, i)->lid);
    }
    sf_fabric_free(cache);
    sf_fabric_free(text);
}

/* libibnetdisc aborts on some damaged caches: that must not be seen. */
TEST(fabric_from_a_damaged_cache_is_an_error)
{
    char bytes[4096];
    char path[] = "/tmp/slimfly-cache-XXXXXX";
    FILE *stream = fopen(TEST_DATA "/small.cache", "rb");
    CHECK(stream);
    size_t size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    CHECK(size > 200 && size < sizeof bytes);
    struct sf_random random;
    sf_random_init(&random, 1, 0);
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    stream = fdopen(fd, "wb");

    for (int i = 0; i < 40; i++) {
        char damaged[sizeof bytes];
        struct sf_fabric *fabric;
        struct sf_error err = { 0 };
        size_t length = i < 10 ? 4 + (size_t)i * 20 : size;
        memcpy(damaged, bytes, size);
        for (int j = 0; i >= 10 && j < 8; j++) {
            damaged[4 + sf_random_below(&random, (uint32_t)size - 4)] =
                (char)sf_random_next(&random);
        }
        rewind(stream);
        CHECK_EQ(ftruncate(fileno(stream), 0), 0);
        CHECK_EQ(fwrite(damaged, 1, length, stream), length);
        fflush(stream);
        if (sf_fabric_discover(path, 30, &fabric, NULL, &err) == SF_OK) {
            sf_fabric_free(fabric); /* Damage that leaves it well formed. */
        } else {
            CHECK(!fabric);
            CHECK_EQ(err.status, SF_EPARSE);
            CHECK(strstr(err.text, path));
        }
    }
    fclose(stream);
    unlink(path);
}

TEST(fabric_refuses_text_that_makes_no_sense)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "", "file:1: expected at least one Switch or Ca line" },
        { "# nothing\n\n", "file:2: expected at least one" },
        { "hello\n", "file:1: expected a Switch or Ca line" },
        { "Switch x \"S-1\"\n", "file:1: expected a number of ports" },
        { "Switch 0 \"S-1\"\n", "file:1: expected 1 to 254 ports, found 0" },
        { "Switch 255 \"S-1\"\n", "expected 1 to 254 ports, found 255" },
        { "Switch 99999999999 \"S-1\"\n", "expected a number of ports" },
        { "Switch 4 S-1\n", "file:1: expected a node in quotes" },
        { "Switch 4 \"S-1\n", "file:1: expected a node in quotes" },
        { "Switch 4 \"\"\n", "file:1: expected a node in quotes" },
        { "Switch 4 \"S-1\" x\n", "expected nothing after the node" },
        { "[1] \"S-1\"[1]\n", "file:1: expected a Switch or Ca line before" },
        { "Switch 4 \"S-1\"\n[5] \"S-1\"[1]\n",
          "file:2: expected a port from 1 to 4, found 5" },
        { "Switch 4 \"S-1\"\n[0] \"S-1\"[1]\n", "expected a port from 1" },
        { "Switch 4 \"S-1\"\n[1 \"S-1\"[1]\n", "a port such as [1]" },
        { "Switch 4 \"S-1\"\n[1] S-1[1]\n", "the other end in quotes" },
        { "Switch 4 \"S-1\"\n[1] \"S-2\"[1]\n", "file:2: unknown node" },
        { "Switch 4 \"S-1\"\n[1] \"S-1\"\n", "the other end's port" },
        { "Switch 4 \"S-1\"\n[1] \"S-1\"[9]\n", "which does not exist" },
        { "Switch 4 \"S-1\"\n[1](xyz) \"S-1\"[2]\n", "a port GUID" },
        { "Switch 4 \"S-1\"\nSwitch 4 \"S-1\"\n",
          "file:2: expected each node once" },
        { "Switch 4 \"S-1\"\n[1] \"S-1\"[2]\n[3] \"S-1\"[2]\n",
          "file:3: port 3 cannot be joined to port 2" },
        { "vendid=zz\nSwitch 4 \"S-1\"\n", "file:1: expected a hexadecimal" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sf_fabric *fabric;
        struct sf_error err = { 0 };
        CHECK_FOR(parse(cases[i].text, &fabric, &err) == SF_EPARSE,
                  "accepted: %s", cases[i].text);
        CHECK(!fabric);
        CHECK_FOR(strstr(err.text, cases[i].says), "%s\n# for %s", err.text,
                  cases[i].text);
    }
}

/* Parallel links are paired as they are plugged. */
TEST(fabric_graph_knows_the_ports_of_its_links)
{
    static const char *const specs[] = { "ft2:leaf=5,core=3,up=4", "sf:q=7",
                                         "hx2:3x3,links=3" };

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct sf_fabric *fabric = fabric_of(specs[i], 0);
        struct sf_topology *topo;
        struct sf_graph *graph;
        uint32_t *ports;
        CHECK_EQ(sf_topology_build(specs[i], &topo, NULL), SF_OK);
        CHECK_EQ(sf_fabric_graph(fabric, &graph, &ports, NULL), SF_OK);
        CHECK_EQ(graph->n_links, topo->graph->n_links);
        for (uint32_t j = 0; j < graph->n_links; j++) {
            uint32_t a = ports[2 * j], b = ports[2 * j + 1];
            CHECK_EQ(graph->links[j].a, topo->graph->links[j].a);
            CHECK_EQ(graph->links[j].b, topo->graph->links[j].b);
            CHECK_EQ(fabric->ports[a].node, graph->links[j].a);
            CHECK_EQ(fabric->ports[b].node, graph->links[j].b);
            CHECK_EQ(fabric->ports[a].peer, b);
        }
        free(ports);
        sf_graph_free(graph);
        sf_topology_free(topo);
        sf_fabric_free(fabric);
    }
}

/* Writes a plan as JSON. */
static char *
write_plan(const struct sf_plan *plan, size_t *lengthp)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, lengthp);
    CHECK_EQ(sf_plan_files[0].write(plan, stream, NULL), SF_OK);
    fclose(stream);
    return text;
}

static struct sf_plan *
plan_of(const char *spec)
{
    struct sf_topology *topo;
    struct sf_plan *plan;
    CHECK_EQ(sf_topology_build(spec, &topo, NULL), SF_OK);
    CHECK_EQ(sf_plan_build(topo, NULL, NULL, &plan, NULL), SF_OK);
    sf_topology_free(topo);
    return plan;
}

TEST(plan_json_reads_back_the_same)
{
    static const char *const specs[] = { "sf:q=4", "ft3:ports=4", "df:a=4,h=2",
                                         "sf:q=16" };

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct sf_plan *plan = plan_of(specs[i]), *again;
        struct sf_error err = { 0 };
        size_t length, length_again;
        char *text = write_plan(plan, &length);
        CHECK_FOR(sf_plan_parse(text, length, "file", &again, &err) == SF_OK,
                  "%s", err.text);
        char *text_again = write_plan(again, &length_again);
        CHECK_STR(text_again, text);
        CHECK_EQ(again->n_groups, plan->n_groups);
        for (uint32_t j = 0; j < plan->fabric->n_ports; j++) {
            CHECK_EQ(again->cable_of_port[j], plan->cable_of_port[j]);
        }
        free(text_again);
        free(text);
        sf_plan_free(again);
        sf_plan_free(plan);
    }
}

/* Every fact of a plan.json is checked: replace each in turn. */
TEST(plan_json_refuses_what_makes_no_sense)
{
    static const struct {
        const char *find, *put, *says;
    } cases[] = {
        { "slimfly.plan", "slimfly.topology", "expected \"slimfly.plan\"" },
        { "\"schema_version\": 1", "\"schema_version\": 2",
          "plan.schema_version: expected a whole number from 1 to 1" },
        { "\"rack_units\": 42", "\"rack_units\": 0", "floor.rack_units" },
        { "\"slack\": 0.5", "\"slack\": -1", "floor.slack: expected" },
        { "\"racks\": [", "\"rocks\": [", "racks: expected an array" },
        { "\"rack\": \"R1\"", "\"rack\": \"R9\"", "unknown rack 'R9'" },
        { "\"unit\": 42", "\"unit\": 0", "switches[0].unit" },
        { "0x02534c4600000000", "02534c46", "switches[0].guid: expected a" },
        { "\"ports\": 4", "\"ports\": 0", "switches[0].ports" },
        { "\"name\": \"leaf-1\"", "\"name\": \"leaf-0\"", "stands twice" },
        { "{\"node\": \"leaf-1\"", "{\"node\": \"loaf-1\"",
          "unknown node 'loaf-1'" },
        { "\"port\": 1}", "\"port\": 9}", ".port: expected a whole number" },
        { "\"medium\": \"copper\"", "\"medium\": \"string\"",
          "expected copper or optical" },
        { "\"step\": 0", "\"step\": 4", "step: expected a whole number" },
        { "]}", "]", "expected JSON" },
    };
    struct sf_plan *plan = plan_of("ft2:leaf=2,core=1,up=2,p=2");
    size_t length;
    char *text = write_plan(plan, &length);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sf_plan *refused;
        struct sf_error err = { 0 };
        char *found = strstr(text, cases[i].find);
        CHECK_FOR(found, "no %s in the plan", cases[i].find);
        char *changed = malloc(length + 100);
        CHECK(changed);
        sprintf(changed, "%.*s%s%s", (int)(found - text), text, cases[i].put,
                found + strlen(cases[i].find));
        CHECK_FOR(sf_plan_parse(changed, strlen(changed), "file", &refused,
                                &err) == SF_EPARSE,
                  "accepted %s", cases[i].put);
        CHECK(!refused);
        CHECK_FOR(strstr(err.text, cases[i].says), "%s", err.text);
        free(changed);
    }
    free(text);
    sf_plan_free(plan);
}

/* Each allocation of a plan and of its reading fails once. */
TEST(plan_survives_running_out_of_memory)
{
    struct sf_topology *topo;
    struct sf_plan *plan = plan_of("sf:q=3");
    size_t length;
    char *text = write_plan(plan, &length);
    enum sf_status status = SF_ENOMEM;

    sf_plan_free(plan);
    CHECK_EQ(sf_topology_build("sf:q=3", &topo, NULL), SF_OK);
    for (unsigned long i = 1; status != SF_OK; i++) {
        sf_mem_fail_at(i);
        status = sf_plan_build(topo, NULL, NULL, &plan, NULL);
        sf_mem_fail_at(0);
        CHECK_FOR(status == SF_OK || (status == SF_ENOMEM && !plan),
                  "allocation %lu", i);
    }
    sf_plan_free(plan);
    status = SF_ENOMEM;
    for (unsigned long i = 1; status != SF_OK; i++) {
        sf_mem_fail_at(i);
        status = sf_plan_parse(text, length, "file", &plan, NULL);
        sf_mem_fail_at(0);
        CHECK_FOR(status == SF_OK || (status == SF_ENOMEM && !plan),
                  "allocation %lu", i);
    }
    sf_plan_free(plan);
    sf_topology_free(topo);
    free(text);
}
