/* test_advice.c -- which addresses serve which traffic, against loads that are
 * added up flow by flow. */
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/advice.h"
#include "slimfly/routing.h"
#include "slimfly/throughput.h"
#include "slimfly/topology.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct world {
    struct sf_network *network;
    struct sf_routing *routing;
    uint32_t n_layers;
};

static struct world
begin(const char *spec, uint32_t n_layers, uint32_t n_sets)
{
    struct world world = { .n_layers = n_layers };
    struct sf_topology *topo = build("%s", spec);
    struct sf_routing_params params = { .layers = { .n_layers = n_layers,
                                                    .seed = 1 },
                                        .n_path_sets = n_sets,
                                        .without_lanes = true };

    world.network = network_of(topo->graph, topo->n_hosts);
    CHECK_EQ(sf_routing_build(world.network, &params, &world.routing, NULL),
             SF_OK);
    sf_topology_free(topo);
    return world;
}

static void
end(struct world *world)
{
    sf_routing_free(world->routing);
    sf_network_free(world->network);
}

static struct sf_advice
advise(const struct world *world, const struct sf_jobs *jobs)
{
    struct sf_advice advice;

    CHECK_EQ(sf_advice_measure(world->network, world->routing->routes,
                               world->n_layers, jobs, &advice, NULL),
             SF_OK);
    return advice;
}

static uint32_t
switch_of(const struct sf_network *network, uint32_t host)
{
    uint32_t s = 0;

    while (network->first_host[s + 1] <= host) {
        s++;
    }
    return s;
}

/* Sends 'amount' from host to host, a part over each of 'n_used' layers. */
static void
send(const struct world *world, uint32_t from, uint32_t to, double amount,
     uint32_t n_used, double *loads)
{
    const struct sf_routes *routes = world->routing->routes;
    const struct sf_graph *graph = world->network->graph;
    uint32_t d = switch_of(world->network, to);

    for (uint32_t l = 0; l < n_used; l++) {
        for (uint32_t s = switch_of(world->network, from); s != d;) {
            uint32_t arc = sf_layers_arc(routes->sets[routes->host_sets[to]],
                                         graph, l, s, d);
            loads[arc] += amount / n_used;
            s = graph->arcs[arc].to;
        }
    }
}

/* All-to-all inside jobs of 'size' hosts, one after the other. */
static double
add_up(const struct world *world, uint32_t size, uint32_t n_used)
{
    uint32_t n = sf_network_count_hosts(world->network);
    uint32_t n_arcs = 2 * world->network->graph->n_links;
    double *loads = calloc(n_arcs, sizeof *loads), most = 0;

    CHECK(loads != NULL);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = i / size * size;
        uint32_t last = first + size < n ? first + size : n;
        for (uint32_t k = first; k < last; k++) {
            if (k != i) {
                send(world, i, k, 1.0 / (last - first - 1), n_used, loads);
            }
        }
    }
    for (uint32_t i = 0; i < n_arcs; i++) {
        most = fmax(most, loads[i]);
    }
    free(loads);
    return most > 1 ? 1 / most : 1;
}

TEST(advice_is_what_flows_add_up_to)
{
    static const struct {
        const char *spec;
        uint32_t n_layers, n_sets;
    } cases[] = {
        { "sf:q=4", 4, 2 },
        { "df:a=4,h=2", 3, 1 },
        { "hx2:4x4", 2, 2 },
        { "ft2:ports=8", 4, 0 },
        { "jellyfish:n=20,k=4,p=3", 5, 3 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct world world =
            begin(cases[i].spec, cases[i].n_layers, cases[i].n_sets);
        struct sf_advice advice = advise(&world, NULL);
        uint32_t n = sf_network_count_hosts(world.network);
        CHECK_EQ(advice.steps[advice.n_steps - 1], cases[i].n_layers);
        CHECK_EQ(advice.rows[SF_ADVICE_JOBS].n_addresses, 0);
        CHECK_STR(advice.reason.text, "");
        for (uint32_t k = 0; k < advice.n_steps; k++) {
            uint32_t n_used = advice.steps[k];
            CHECK_NEAR(advice.rows[SF_ADVICE_ALL_TO_ALL].speeds[k],
                       add_up(&world, n, n_used), 1e-9);
            CHECK_NEAR(advice.rows[SF_ADVICE_SMALL].speeds[k],
                       add_up(&world, SF_ADVICE_SMALL_JOB, n_used), 1e-9);
        }
        end(&world);
    }
}

/* Shortest paths alone fill the 50 switches evenly; pairs want all. */
TEST(advice_for_the_installation)
{
    struct world world = begin("sf:q=5", 4, 1);
    struct sf_advice advice = advise(&world, NULL);

    CHECK_EQ(advice.rows[SF_ADVICE_ALL_TO_ALL].n_addresses, 1);
    CHECK_NEAR(advice.rows[SF_ADVICE_ALL_TO_ALL].speeds[0], 199.0 / (16 * 13),
               1e-9);
    CHECK_EQ(advice.rows[SF_ADVICE_PAIRS].n_addresses, 4);
    CHECK_EQ(advice.rows[SF_ADVICE_SWITCHES].n_addresses, 4);
    CHECK_EQ(advice.rows[SF_ADVICE_SWITCHES].n_few, 4);
    end(&world);
}

/* The fewest that are within 2 % of the most. */
TEST(advice_takes_the_fewest_that_do)
{
    struct world world = begin("sf:q=5", 8, 1);
    struct sf_advice advice = advise(&world, NULL);

    CHECK_EQ(advice.n_steps, 4);
    for (uint32_t i = 0; i < SF_ADVICE_JOBS; i++) {
        const struct sf_advice_row *row = &advice.rows[i];
        double most = 0, most_few = 0;
        for (uint32_t k = 0; k < advice.n_steps; k++) {
            most = fmax(most, row->speeds[k]);
            most_few = fmax(most_few, k < 3 ? row->speeds[k] : 0);
        }
        for (uint32_t k = 0; k < advice.n_steps; k++) {
            if (advice.steps[k] <= row->n_addresses) {
                CHECK((advice.steps[k] == row->n_addresses) ==
                      (row->speeds[k] >= 0.98 * most));
            }
            if (advice.steps[k] <= row->n_few) {
                CHECK((advice.steps[k] == row->n_few) ==
                      (row->speeds[k] >= 0.98 * most_few));
            }
        }
        CHECK(row->n_few <= SF_ADVICE_FEW);
    }
    end(&world);
}

/* A ring over all hosts, and jobs that leave most idle. */
TEST(advice_for_jobs)
{
    struct world world = begin("sf:q=4", 4, 2);
    uint32_t n = sf_network_count_hosts(world.network);
    double *loads = calloc(2 * world.network->graph->n_links, sizeof *loads);
    uint32_t *hosts = calloc(n, sizeof *hosts);
    struct sf_job job = { .kind = SF_PATTERN_SHIFT,
                          .by = 5,
                          .n_hosts = n,
                          .hosts = hosts,
                          .unit = 1 };
    struct sf_jobs jobs = { 1, &job };
    double most = 0;

    CHECK(loads && hosts);
    for (uint32_t i = 0; i < n; i++) {
        hosts[i] = i;
        send(&world, i, (i + 5) % n, 1, 2, loads);
    }
    for (uint32_t i = 0; i < 2 * world.network->graph->n_links; i++) {
        most = fmax(most, loads[i]);
    }
    struct sf_advice advice = advise(&world, &jobs);
    CHECK_NEAR(advice.rows[SF_ADVICE_JOBS].speeds[1], 1 / most, 1e-9);
    job.n_hosts = 1; /* Nobody sends. */
    advice = advise(&world, &jobs);
    CHECK_NEAR(advice.rows[SF_ADVICE_JOBS].speeds[0], 1, 0);
    CHECK_EQ(advice.rows[SF_ADVICE_JOBS].n_addresses, 1);
    jobs.n_jobs = 0;
    advice = advise(&world, &jobs);
    CHECK_EQ(advice.rows[SF_ADVICE_JOBS].n_addresses, 1);
    free(hosts);
    free(loads);
    end(&world);
}

/* One host has nobody to send to. */
TEST(advice_says_why_there_is_none)
{
    static const uint32_t n_hosts[] = { 1, 0, 0 };
    struct sf_topology *topo = build("jellyfish:n=3,k=2");
    struct sf_routing_params params = { .layers = { .n_layers = 2 },
                                        .without_lanes = true };
    struct world world = { network_of(topo->graph, n_hosts), NULL, 2 };

    CHECK_EQ(sf_routing_build(world.network, &params, &world.routing, NULL),
             SF_OK);
    struct sf_advice advice = advise(&world, NULL);
    for (uint32_t i = 0; i < SF_N_ADVICES; i++) {
        CHECK_EQ(advice.rows[i].n_addresses, 0);
    }
    CHECK(strstr(advice.reason.text, "two hosts"));
    sf_topology_free(topo);
    end(&world);
}

TEST(advice_survives_failed_allocations)
{
    struct world world = begin("hx2:2x3,p=2", 2, 2);
    struct sf_advice advice;
    struct sf_error err;
    enum sf_status status;
    unsigned long nth = 0;

    do {
        sf_mem_fail_at(++nth);
        status = sf_advice_measure(world.network, world.routing->routes, 2,
                                   NULL, &advice, &err);
        CHECK(status == SF_OK || status == SF_ENOMEM);
    } while (status != SF_OK && nth < 5000);
    sf_mem_fail_at(0);
    CHECK(nth > 20);
    CHECK_EQ(status, SF_OK);
    end(&world);
}
