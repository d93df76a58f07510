/* test_placement.c -- which hosts jobs get. */
#include "base/mem.h"
#include "helpers.h"
#include "sim/placement.h"
#include "sim/workload.h"
#include "slimfly/plan.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdlib.h>

#define MAX_HOSTS 512

static struct sf_network *
network_from(const struct sf_fabric *fabric)
{
    struct sf_network *network;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_network_build(fabric, &network, &err) == SF_OK, "%s",
              err.text);
    return network;
}

/* That of a spec, without racks. */
static struct sf_network *
network_by(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric *fabric;

    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    struct sf_network *network = network_from(fabric);
    sf_fabric_free(fabric);
    sf_topology_free(topo);
    return network;
}

/* That of a plan of it. */
static struct sf_network *
planned_network(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_plan *plan;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_plan_build(topo, NULL, NULL, &plan, &err) == SF_OK, "%s",
              err.text);
    struct sf_network *network = network_from(plan->fabric);
    sf_plan_free(plan);
    sf_topology_free(topo);
    return network;
}

/* A job of 'n' hosts, taken or refused. */
struct job {
    enum sf_status status;
    struct sf_error err;
    uint32_t n, hosts[MAX_HOSTS];
};

static struct job
take(const struct sf_network *network, const char *placement, uint32_t n,
     uint64_t seed, bool *is_taken)
{
    bool none[MAX_HOSTS] = { false };
    struct job job = { .n = n };

    CHECK(sf_network_count_hosts(network) <= MAX_HOSTS);
    job.status =
        sf_placement_take(network, placement, n, seed,
                          is_taken ? is_taken : none, job.hosts, &job.err);
    return job;
}

static void
check_refused(const struct job *job, enum sf_status status, const char *text)
{
    CHECK_FOR(job->status == status, "status %d: %s", (int)job->status,
              job->err.text);
    CHECK_STR(job->err.text, text);
}

TEST(placement_by_switches)
{
    struct sf_network *network = network_by("sf:q=3,p=2");
    bool is_taken[MAX_HOSTS] = { [1] = true, [3] = true };
    struct job job = take(network, "switches", 4, 1, is_taken);
    static const uint32_t expected[] = { 0, 2, 4, 5 };

    CHECK_EQ(job.status, SF_OK);
    CHECK(!memcmp(job.hosts, expected, sizeof expected));
    for (uint32_t h = 0; h < 36; h++) {
        CHECK_EQ(is_taken[h], h <= 5);
    }
    job = take(network, "switches", 30, 1, is_taken);
    CHECK_EQ(job.status, SF_OK);
    CHECK_EQ(job.hosts[29], 35);
    job = take(network, "switches", 1, 1, is_taken);
    check_refused(&job, SF_EINVAL,
                  "placement 'switches': 1 nodes are asked for, and 0 hosts "
                  "are free");
    sf_network_free(network);
}

/* By the rack of the host, then by switch and port, said in another way. */
TEST(placement_by_racks)
{
    struct sf_network *network = planned_network("sf:q=5");
    uint32_t n = sf_network_count_hosts(network);
    struct job job = take(network, "racks", n, 1, NULL);
    bool is_there[MAX_HOSTS] = { false };
    uint32_t n_racks = 1;

    CHECK_EQ(job.status, SF_OK);
    for (uint32_t i = 0; i < n; i++) {
        const struct sf_fabric *fabric = network->fabric;
        uint32_t a = fabric->ports[network->host_ports[job.hosts[i]]].node;
        CHECK(!is_there[job.hosts[i]]);
        is_there[job.hosts[i]] = true;
        if (i == 0) {
            continue;
        }
        uint32_t b = fabric->ports[network->host_ports[job.hosts[i - 1]]].node;
        uint32_t rack = fabric->nodes[a].rack, before = fabric->nodes[b].rack;
        CHECK(rack > before ||
              (rack == before && job.hosts[i] > job.hosts[i - 1]));
        n_racks += rack != before;
    }
    CHECK(n_racks == 5);
    /* Racks hold switches of both halves, so the order is not that of
     * switches. */
    struct job other = take(network, "switches", n, 1, NULL);
    CHECK(memcmp(job.hosts, other.hosts, n * sizeof *job.hosts) != 0);
    sf_network_free(network);
}

TEST(placement_without_racks)
{
    struct sf_network *network = network_by("sf:q=3,p=2");
    struct job job = take(network, "racks", 4, 1, NULL);

    check_refused(&job, SF_EINVAL,
                  "placement 'racks': the racks of this fabric are not known; "
                  "give a plan, or place by 'switches'");
    sf_network_free(network);

    struct sf_topology *topo = build("sf:q=3,p=2");
    network = network_of(topo->graph, topo->n_hosts);
    job = take(network, "racks", 4, 1, NULL);
    CHECK_EQ(job.status, SF_EINVAL);
    job = take(network, "file:x", 4, 1, NULL);
    CHECK_EQ(job.status, SF_EINVAL);
    job = take(network, "random", 4, 1, NULL);
    CHECK_EQ(job.status, SF_OK);
    sf_network_free(network);
    sf_topology_free(topo);
}

TEST(placement_at_random)
{
    struct sf_network *network = network_by("sf:q=3,p=2");
    uint32_t n_first[36] = { 0 };

    for (uint32_t seed = 0; seed < 720; seed++) {
        bool is_taken[MAX_HOSTS] = { [7] = true };
        bool is_there[36] = { false };
        struct job job = take(network, "random", 20, seed, is_taken);
        struct job more = take(network, "random", 15, seed, is_taken);
        struct job again = take(network, "random", 20, seed, NULL);
        struct job once_more = take(network, "random", 20, seed, NULL);
        CHECK(job.status == SF_OK && more.status == SF_OK);
        for (uint32_t i = 0; i < 35; i++) {
            uint32_t host = i < 20 ? job.hosts[i] : more.hosts[i - 20];
            CHECK(host < 36 && host != 7 && !is_there[host]);
            is_there[host] = true;
        }
        CHECK(!memcmp(again.hosts, once_more.hosts, sizeof again.hosts));
        n_first[job.hosts[0]]++;
    }
    for (uint32_t h = 0; h < 36; h++) { /* 20 and a half on average. */
        CHECK(h == 7 ? n_first[h] == 0 : n_first[h] > 4 && n_first[h] < 45);
    }
    sf_network_free(network);
}

TEST(placement_that_does_not_exist)
{
    struct sf_network *network = network_by("sf:q=3,p=2");
    struct job job = take(network, "rack", 4, 1, NULL);

    check_refused(&job, SF_EINVAL,
                  "placement 'rack': expected racks, switches, random or "
                  "file:PATH");
    CHECK_EQ(take(network, "file:", 4, 1, NULL).status, SF_EINVAL);
    CHECK_EQ(take(network, "", 4, 1, NULL).status, SF_EINVAL);
    CHECK_EQ(take(network, "file:/nowhere/at/all", 4, 1, NULL).status, SF_EIO);
    sf_network_free(network);
}

static struct job
parse(const struct sf_network *network, const char *text, uint32_t n,
      bool *is_taken)
{
    bool none[MAX_HOSTS] = { false };
    struct job job = { .n = n };
    char *copy = sf_strdup(text);

    CHECK(copy != NULL);
    job.status =
        sf_placement_parse(copy, strlen(copy), "placement.txt", network, n,
                           is_taken ? is_taken : none, job.hosts, &job.err);
    free(copy);
    return job;
}

TEST(placement_from_a_file)
{
    struct sf_network *network = network_by("sf:q=3,p=2");
    static const char text[] =
        "# my nodes\n\n  node0007\t\r\nnode0003\nnode0011\n\nnode0000";
    static const uint32_t expected[] = { 7, 3, 11, 0 };
    bool is_taken[MAX_HOSTS] = { false };
    struct temporary file = temporary_write(text);
    char placement[80];

    struct job job = parse(network, text, 4, NULL);
    CHECK_FOR(job.status == SF_OK, "%s", job.err.text);
    CHECK(!memcmp(job.hosts, expected, sizeof expected));

    /* A second job goes on where the first one ends. */
    snprintf(placement, sizeof placement, "file:%s", file.name);
    job = take(network, placement, 3, 1, is_taken);
    CHECK_FOR(job.status == SF_OK, "%s", job.err.text);
    CHECK(!memcmp(job.hosts, expected, 3 * sizeof *expected));
    job = take(network, placement, 1, 1, is_taken);
    CHECK_EQ(job.status, SF_OK);
    CHECK_EQ(job.hosts[0], 0);
    temporary_remove(&file);

    job = parse(network, text, 5, NULL);
    check_refused(&job, SF_EINVAL,
                  "placement 'placement.txt': 5 nodes are asked for, and 4 "
                  "hosts are free");
    job = parse(network, "node0001\n#\nnode9999\n", 1, NULL);
    check_refused(&job, SF_EPARSE,
                  "placement.txt:3: 'node9999': expected a host of this "
                  "fabric");
    job = parse(network, "node0001\nnode0002\nnode0001\n", 1, NULL);
    check_refused(&job, SF_EPARSE,
                  "placement.txt:3: 'node0001': expected each host once, and "
                  "line 1 has it");
    /* Switches are no hosts. */
    char line[80];
    snprintf(line, sizeof line, "%s\n", network->fabric->nodes[0].name);
    CHECK_EQ(parse(network, line, 1, NULL).status, SF_EPARSE);
    CHECK_EQ(parse(network, "", 1, NULL).status, SF_EINVAL);
    CHECK_EQ(parse(network, "", 0, NULL).status, SF_OK);
    sf_network_free(network);
}

/* Two switches, and a host with a port on each: its first port is on the
 * second. */
TEST(placement_of_a_host_with_two_ports)
{
    struct sf_fabric_builder *builder;
    struct sf_fabric *fabric;
    uint32_t nodes[4];

    CHECK_EQ(sf_fabric_builder_new(NULL, &builder, NULL), SF_OK);
    for (uint32_t i = 0; i < 4; i++) {
        static char names[][8] = { "a", "b", "other", "twin" };
        struct sf_node node = { .kind = i < 2 ? SF_NODE_SWITCH : SF_NODE_HOST,
                                .name = names[i],
                                .n_ports = i < 2 ? 4 : 2,
                                .rack = SF_NONE };
        nodes[i] = sf_fabric_builder_node(builder, &node);
    }
    CHECK(sf_fabric_builder_cable(builder, nodes[0], 1, nodes[1], 1));
    CHECK(sf_fabric_builder_cable(builder, nodes[0], 2, nodes[3], 2));
    CHECK(sf_fabric_builder_cable(builder, nodes[1], 2, nodes[3], 1));
    CHECK(sf_fabric_builder_cable(builder, nodes[0], 3, nodes[2], 1));
    CHECK_EQ(sf_fabric_builder_end(builder, &fabric, NULL), SF_OK);
    struct sf_network *network = network_from(fabric);

    struct job job = parse(network, "twin\n", 1, NULL);
    CHECK_EQ(job.status, SF_OK);
    CHECK_EQ(job.hosts[0], 2);
    CHECK_EQ(fabric->ports[network->host_ports[2]].number, 1);
    CHECK_EQ(parse(network, "twin\ntwin\n", 1, NULL).status, SF_EPARSE);
    sf_network_free(network);
    sf_fabric_free(fabric);
}

TEST(placement_without_memory)
{
    struct sf_network *network = planned_network("sf:q=3");
    static const char *const placements[] = { "racks", "switches", "random",
                                              "file" };

    for (size_t i = 0; i < ARRAY_SIZE(placements); i++) {
        bool is_taken[MAX_HOSTS] = { false };
        struct job job = { .status = SF_ENOMEM };
        unsigned long nth = 0;
        while (job.status != SF_OK) {
            char text[] = "node0003\nnode0001\n";
            sf_mem_fail_at(++nth);
            job.status =
                i < 3 ? sf_placement_take(network, placements[i], 2, 1,
                                          is_taken, job.hosts, &job.err)
                      : sf_placement_parse(text, strlen(text), "x", network, 2,
                                           is_taken, job.hosts, &job.err);
            sf_mem_fail_at(0);
            CHECK(job.status == SF_OK || job.status == SF_ENOMEM);
            CHECK(nth < 50);
            for (uint32_t h = 0; job.status != SF_OK && h < MAX_HOSTS; h++) {
                CHECK(!is_taken[h]);
            }
        }
        CHECK_FOR(nth > 1, "%s: nothing failed", placements[i]);
    }
    sf_network_free(network);
}
