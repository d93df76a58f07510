/* test_job_routes.c -- routes for jobs: judged by following every path of
 * every flow. */
#include "base/mem.h"
#include "lanes_helpers.h"
#include "slimfly/job_routes.h"
#include "slimfly/lids.h"
#include "slimfly/plan.h"
#include "slimfly/progress.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define MAX_ALLOCATIONS 5000

/* The fabric of a spec as planned, with racks, and addresses for four layers.
 */
static struct sf_fabric *
planned_fabric(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric *fabric;
    struct sf_plan *plan;

    CHECK_EQ(sf_plan_build(topo, NULL, NULL, &plan, NULL), SF_OK);
    CHECK_EQ(sf_fabric_copy(plan->fabric, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_fabric_assign_lids(fabric, 2, NULL, NULL), SF_OK);
    sf_plan_free(plan);
    sf_topology_free(topo);
    return fabric;
}

/* Routes 'fabric' with 'n_layers' layers. */
static struct sf_routing *
route(const struct sf_fabric *fabric, uint32_t n_layers, uint32_t n_sets,
      const char *lanes)
{
    struct sf_routing_params params = { .layers = { .n_layers = n_layers,
                                                    .seed = 1 },
                                        .n_path_sets = n_sets,
                                        .lanes = lanes };
    struct sf_network *network;
    struct sf_routing *routing;
    struct sf_error err = { 0 };

    sf_ib_count_addresses(fabric, &params);
    CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
    CHECK_FOR(sf_routing_build(network, &params, &routing, &err) == SF_OK,
              "%s", err.text);
    sf_network_free(network);
    return routing;
}

/* The first hosts in the order of racks. */
struct rack_order {
    uint32_t rack, host;
};

static int
compare_racks(const void *a, const void *b)
{
    const struct rack_order *x = a, *y = b;
    return x->rack != y->rack ? (x->rack < y->rack ? -1 : 1)
                              : (x->host > y->host) - (x->host < y->host);
}

/* Writes lines of 'n_jobs' jobs of 'n_hosts' hosts each, in the order of racks
 * or, with 'random', in any. */
static struct sf_jobs *
make_jobs(const struct sf_network *network, const char *pattern,
          uint32_t n_jobs, uint32_t n_hosts, struct sf_random *random)
{
    uint32_t n = sf_network_count_hosts(network), k = 0;
    struct rack_order *order = calloc(n, sizeof *order);
    char *text = calloc(n + 1, 128);
    size_t length = 0;
    struct sf_jobs *jobs;
    struct sf_error err = { 0 };

    CHECK(order && text && n_jobs * n_hosts <= n);
    for (uint32_t h = 0; h < n; h++) {
        uint32_t node = network->fabric->ports[network->host_ports[h]].node;
        uint32_t rack = network->fabric->nodes[node].rack;
        order[h] = (struct rack_order){
            random ? sf_random_below(random, 1u << 30) : rack, h
        };
    }
    qsort(order, n, sizeof *order, compare_racks);
    for (uint32_t i = 0; i < n_jobs; i++) {
        length += (size_t)sprintf(text + length, "j%u %s ", i, pattern);
        for (uint32_t j = 0; j < n_hosts; j++) {
            uint32_t port = network->host_ports[order[k++].host];
            uint32_t node = network->fabric->ports[port].node;
            length += (size_t)sprintf(text + length, "%s%s", j ? "," : "",
                                      network->fabric->nodes[node].name);
        }
        length += (size_t)sprintf(text + length, "\n");
    }
    CHECK_FOR(sf_jobs_parse(text, length, "jobs", network, &jobs, &err) ==
                  SF_OK,
              "%s", err.text);
    free(text);
    free(order);
    return jobs;
}

/* Loads by following each flow over each address. */
struct oracle {
    const struct sf_network *network;
    const struct sf_routes *routes;
    double *loads;
};

static uint32_t
switch_of(const struct sf_network *network, uint32_t host)
{
    uint32_t s = 0;

    while (host >= network->first_host[s + 1]) {
        s++;
    }
    return s;
}

static void
follow(void *aux, uint32_t from, uint32_t to, double amount)
{
    const struct oracle *oracle = aux;
    const struct sf_graph *graph = oracle->network->graph;
    uint32_t d = switch_of(oracle->network, to);

    for (uint32_t k = 0; k < oracle->routes->n_addresses; k++) {
        const uint16_t *column = sf_routes_column(oracle->routes, to, k, d);
        for (uint32_t s = switch_of(oracle->network, from); s != d;) {
            uint32_t arc = graph->first[s] + column[s];
            oracle->loads[arc] += amount / oracle->routes->n_addresses;
            s = graph->arcs[arc].to;
        }
    }
}

static double
oracle_speed(const struct sf_routing *routing, const struct sf_jobs *jobs)
{
    uint32_t n_arcs = 2 * routing->network->graph->n_links;
    struct oracle oracle = { routing->network, routing->routes,
                             calloc(n_arcs, sizeof(double)) };
    double most = 1;

    CHECK(oracle.loads != NULL);
    for (uint32_t i = 0; i < jobs->n_jobs; i++) {
        sf_job_each_flow(&jobs->jobs[i], follow, &oracle);
    }
    for (uint32_t i = 0; i < n_arcs; i++) {
        most = fmax(most, oracle.loads[i]);
    }
    free(oracle.loads);
    return 1 / most;
}

static double
oracle_uniform_speed(const struct sf_routing *routing)
{
    uint32_t n = sf_network_count_hosts(routing->network);
    uint32_t n_arcs = 2 * routing->network->graph->n_links;
    struct oracle oracle = { routing->network, routing->routes,
                             calloc(n_arcs, sizeof(double)) };
    double most = 1;

    CHECK(oracle.loads != NULL);
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < n; b++) {
            if (a != b) {
                follow(&oracle, a, b, 1 / (n - 1.0));
            }
        }
    }
    for (uint32_t i = 0; i < n_arcs; i++) {
        most = fmax(most, oracle.loads[i]);
    }
    free(oracle.loads);
    return 1 / most;
}

/* All next hops of 'routes'; the caller frees them. */
static uint16_t *
copy_hops(const struct sf_routes *routes)
{
    size_t n = sf_routes_n_layers(routes), v = routes->sets[0]->n_switches;
    uint16_t *copy = calloc(routes->n_sets, n * v * v * sizeof *copy);

    CHECK(copy != NULL);
    for (uint32_t i = 0; i < routes->n_sets; i++) {
        memcpy(copy + i * n * v * v, routes->sets[i]->hops,
               n * v * v * sizeof *copy);
    }
    return copy;
}

static void
restore_hops(const struct sf_routes *routes, const uint16_t *copy)
{
    size_t n = sf_routes_n_layers(routes), v = routes->sets[0]->n_switches;

    for (uint32_t i = 0; i < routes->n_sets; i++) {
        memcpy(routes->sets[i]->hops, copy + i * n * v * v,
               n * v * v * sizeof *copy);
    }
}

/* Counts next hops that differ from 'before', and fails the test if they lead
 * to a switch without hosts of jobs. */
static uint64_t
count_changed(const struct sf_routing *routing, const struct sf_jobs *jobs,
              const uint16_t *before)
{
    const struct sf_routes *routes = routing->routes;
    size_t v = routing->network->graph->n_nodes;
    size_t n = routes->n_sets * sf_routes_n_layers(routes) * v * v;
    bool *is_of_job = calloc(v, sizeof *is_of_job);
    uint16_t *now = copy_hops(routes);
    uint64_t n_changed = 0;

    CHECK(is_of_job != NULL);
    for (uint32_t i = 0; i < jobs->n_jobs; i++) {
        for (uint32_t k = 0; k < jobs->jobs[i].n_hosts; k++) {
            is_of_job[switch_of(routing->network, jobs->jobs[i].hosts[k])] =
                true;
        }
    }
    for (size_t i = 0; i < n; i++) {
        CHECK(now[i] == before[i] || is_of_job[i / v % v]);
        n_changed += now[i] != before[i];
    }
    free(now);
    free(is_of_job);
    return n_changed;
}

/* Fits 'jobs' and checks all that the result says. */
static struct sf_job_routes
fit(struct sf_routing *routing, const struct sf_jobs *jobs,
    const struct sf_job_routes_params *params)
{
    uint16_t *before = copy_hops(routing->routes);
    double speed = oracle_speed(routing, jobs);
    double uniform = oracle_uniform_speed(routing);
    struct sf_job_routes result;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_routing_fit_jobs(routing, jobs, params, &result, &err) ==
                  SF_OK,
              "%s", err.text);
    CHECK_NEAR(result.slowest.before, speed, 1e-8);
    CHECK_NEAR(result.uniform.before, uniform, 1e-8);
    CHECK_NEAR(result.slowest.after, oracle_speed(routing, jobs), 1e-8);
    CHECK_NEAR(result.uniform.after, oracle_uniform_speed(routing), 1e-8);
    CHECK(result.slowest.after >= result.slowest.before - 1e-8);
    CHECK_EQ(result.n_changed, count_changed(routing, jobs, before));
    double slowest = 1;
    for (uint32_t i = 0; i < result.n_jobs; i++) {
        slowest = fmin(slowest, result.jobs[i].after);
    }
    CHECK_NEAR(result.slowest.after, slowest, 1e-12);
    for (uint32_t i = 0; i < routing->routes->n_sets; i++) {
        struct sf_layers_claims claims = { .turns = routing->routes->turns };
        CHECK_FOR(sf_layers_check(routing->routes->sets[i],
                                  routing->network->graph, &claims,
                                  &err) == SF_OK,
                  "%s", err.text);
    }
    free(before);
    return result;
}

TEST(job_loads_are_those_of_every_flow)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=3", 3);
    struct sf_random random;

    sf_random_init(&random, 1, 0);
    for (uint32_t n_sets = 1; n_sets <= 2; n_sets++) {
        struct sf_routing *routing = route(fabric, 3, n_sets, NULL);
        uint32_t n_arcs = 2 * routing->network->graph->n_links;
        double *loads = calloc(n_arcs, sizeof *loads);
        struct sf_jobs *jobs =
            make_jobs(routing->network, "stencil:dims=3x4", 2, 12, &random);
        struct oracle oracle = { routing->network, routing->routes,
                                 calloc(n_arcs, sizeof(double)) };
        CHECK(loads && oracle.loads);
        CHECK(routing->routes->n_addresses == 4);
        sf_job_each_flow(&jobs->jobs[1], follow, &oracle);
        CHECK_EQ(sf_job_loads(routing->network, routing->routes,
                              &jobs->jobs[1], loads, NULL),
                 SF_OK);
        for (uint32_t i = 0; i < n_arcs; i++) {
            CHECK_NEAR(loads[i], oracle.loads[i], 1e-9);
        }
        free(oracle.loads);
        free(loads);
        sf_jobs_free(jobs);
        sf_routing_free(routing);
    }
    sf_fabric_free(fabric);
}

/* Fits all-to-all jobs of some sizes in the order of racks, each alone, and
 * expects full speed. */
static void
expect_full_speed(const char *spec, const uint32_t *sizes, size_t n_sizes,
                  double least_uniform)
{
    struct sf_fabric *fabric = planned_fabric(spec);
    struct sf_routing *routing = route(fabric, 4, 1, NULL);
    uint16_t *hops = copy_hops(routing->routes);

    for (size_t i = 0; i < n_sizes; i++) {
        struct sf_jobs *jobs =
            make_jobs(routing->network, "all-to-all", 1, sizes[i], NULL);
        struct sf_job_routes_params params = { .seed = 1 };
        struct sf_job_routes result = fit(routing, jobs, &params);
        CHECK_FOR(result.slowest.before < 0.8, "%s, %u hosts: %g before", spec,
                  sizes[i], result.slowest.before);
        CHECK_FOR(result.slowest.after == 1, "%s, %u hosts: %g", spec,
                  sizes[i], result.slowest.after);
        CHECK_FOR(sizes[i] > 32 || result.uniform.after >= least_uniform,
                  "%s, %u hosts: %g for uniform traffic", spec, sizes[i],
                  result.uniform.after);
        sf_job_routes_clear(&result);
        sf_jobs_free(jobs);
        restore_hops(routing->routes, hops);
    }
    free(hops);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

TEST(job_routes_give_one_job_full_speed)
{
    expect_full_speed("sf:q=5", (const uint32_t[]){ 8, 16, 32 }, 3, 0.63);
}

TEST_LONG(job_routes_give_one_job_full_speed_on_larger_networks)
{
    expect_full_speed("sf:q=5", (const uint32_t[]){ 64, 128 }, 2, 0);
    expect_full_speed("sf:q=7", (const uint32_t[]){ 8, 16, 32, 64, 128 }, 5,
                      0.66);
    expect_full_speed("sf:q=11", (const uint32_t[]){ 32, 64, 128 }, 3, 0.68);
}

/* Fits jobs on the 50-switch Slim Fly; the speed of the slowest. */
static double
fit_q5(const char *pattern, uint32_t n_jobs, uint32_t n_hosts, uint32_t n_sets)
{
    struct sf_fabric *fabric = planned_fabric("sf:q=5");
    struct sf_routing *routing = route(fabric, 4, n_sets, NULL);
    struct sf_jobs *jobs =
        make_jobs(routing->network, pattern, n_jobs, n_hosts, NULL);
    struct sf_job_routes_params params = { .seed = 1 };
    struct sf_job_routes result = fit(routing, jobs, &params);
    double speed = result.slowest.after;

    sf_job_routes_clear(&result);
    sf_jobs_free(jobs);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
    return speed;
}

/* The load of the most loaded link under all-to-all inside a job of 16 hosts,
 * on routes for 'pattern'. */
static double
find_most_loaded(const char *pattern)
{
    struct sf_fabric *fabric = planned_fabric("sf:q=5");
    struct sf_routing *routing = route(fabric, 4, 1, NULL);
    struct sf_jobs *jobs = make_jobs(routing->network, pattern, 1, 16, NULL);
    struct sf_job_routes_params params = { .seed = 1 };
    struct sf_job_routes result = fit(routing, jobs, &params);
    uint32_t n_arcs = 2 * routing->network->graph->n_links;
    double *loads = calloc(n_arcs, sizeof *loads), most = 0;

    CHECK(loads);
    CHECK_EQ(sf_job_loads(routing->network, routing->routes, &jobs->jobs[0],
                          loads, NULL),
             SF_OK);
    for (uint32_t i = 0; i < n_arcs; i++) {
        most = fmax(most, loads[i]);
    }
    free(loads);
    sf_job_routes_clear(&result);
    sf_jobs_free(jobs);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
    return most;
}

/* Where the pattern is known, a full link is good enough. */
TEST(job_routes_have_room_to_spare_for_unknown_patterns)
{
    double unknown = find_most_loaded("unknown");

    double known = find_most_loaded("all-to-all");
    CHECK_FOR(unknown <= known, "%.4f, %.4f", unknown, known);
    CHECK(unknown < 0.9);
}

/* A Fat Tree has what its jobs need. */
TEST(job_routes_stay_where_no_link_is_overloaded)
{
    struct sf_fabric *fabric = planned_fabric("ft2:ports=12");
    struct sf_routing *routing = route(fabric, 4, 1, NULL);
    struct sf_jobs *jobs = make_jobs(routing->network, "unknown", 2, 20, NULL);
    struct sf_job_routes_params params = { .seed = 1 };
    struct sf_job_routes result = fit(routing, jobs, &params);

    CHECK(result.slowest.before == 1 && result.slowest.after == 1);
    CHECK_EQ(result.n_changed, 0);
    sf_job_routes_clear(&result);
    sf_jobs_free(jobs);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

/* A way around the link between two groups of a Dragonfly goes over a third:
 * five hops, where shortest paths have three. */
TEST(job_routes_go_around_links_between_groups)
{
    struct sf_fabric *fabric = planned_fabric("df:a=4,h=2");
    double speeds[2];

    for (uint32_t i = 0; i < 2; i++) {
        struct sf_routing *routing = route(fabric, 4, 1, NULL);
        struct sf_jobs *jobs =
            make_jobs(routing->network, "all-to-all", 1, 32, NULL);
        struct sf_job_routes_params params = { .seed = 1,
                                               .n_tries = 6,
                                               .max_hops = i ? 4 : 0 };
        struct sf_job_routes result = fit(routing, jobs, &params);
        speeds[i] = result.slowest.after;
        CHECK_EQ(routing->max_hops, i ? 4 : 5);
        sf_job_routes_clear(&result);
        sf_jobs_free(jobs);
        sf_routing_free(routing);
    }
    CHECK_FOR(speeds[0] > 0.9 && speeds[1] < 0.9, "%g and %g", speeds[0],
              speeds[1]);
    sf_fabric_free(fabric);
}

TEST_LONG(job_routes_serve_a_full_network)
{
    CHECK(fit_q5("all-to-all", 6, 32, 1) >= 0.86);
    CHECK(fit_q5("all-to-all", 6, 32, 4) >= 0.90);
    CHECK(fit_q5("shift:by=40", 1, 200, 1) >= 0.5);
}

TEST(job_routes_are_sound_on_random_networks)
{
    struct sf_random random;

    sf_random_init(&random, 2, 0);
    for (uint32_t i = 0; i < 8; i++) {
        struct sf_fabric *fabric =
            lanes_random_fabric(8 + i, 14 + i, 2, &random);
        struct sf_routing *routing = route(fabric, 2, 1 + i % 2, NULL);
        uint32_t n = sf_network_count_hosts(routing->network);
        struct sf_jobs *jobs = make_jobs(
            routing->network, i % 3 ? "unknown" : "ring", 2, n / 2, &random);
        struct sf_job_routes_params params = { .seed = i, .n_rounds = 8 };
        struct sf_job_routes result = fit(routing, jobs, &params);
        sf_job_routes_clear(&result);
        sf_jobs_free(jobs);
        sf_routing_free(routing);
        sf_fabric_free(fabric);
    }
}

TEST(job_routes_are_sound_on_other_families_and_after_faults)
{
    static const struct {
        const char *spec;
        uint32_t n_unplugged;
        double least; /* The speed that is reached. */
    } cases[] = {
        { "hx2:4x4", 0, 1 },
        { "df:a=4,h=2,p=2", 0, 1 },
        { "sf:q=3", 4, 0.9 },
    };
    struct sf_random random;

    sf_random_init(&random, 4, 0);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_fabric *fabric = planned_fabric(cases[i].spec);
        lanes_unplug(fabric, cases[i].n_unplugged, &random);
        struct sf_routing *routing = route(fabric, 4, 1, NULL);
        struct sf_jobs *jobs =
            make_jobs(routing->network, "all-to-all", 2, 12, NULL);
        struct sf_job_routes_params params = { .seed = 1 };
        struct sf_job_routes result = fit(routing, jobs, &params);
        CHECK_FOR(result.slowest.after >= cases[i].least, "%s: %g",
                  cases[i].spec, result.slowest.after);
        sf_job_routes_clear(&result);
        sf_jobs_free(jobs);
        sf_routing_free(routing);
        sf_fabric_free(fabric);
    }
}

TEST(job_routes_keep_the_order_of_links_on_one_lane)
{
    struct sf_fabric *fabric = lanes_fabric("ft2:leaf=6,core=3", 4);
    struct sf_routing *routing = route(fabric, 4, 0, NULL);
    struct sf_random random;
    uint32_t n_gains = 0;

    CHECK_STR(routing->params.lanes, "single");
    sf_random_init(&random, 3, 0);
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t n = sf_network_count_hosts(routing->network);
        struct sf_jobs *jobs =
            make_jobs(routing->network, "ring", 1, n, &random);
        struct sf_job_routes_params params = { .seed = i };
        struct sf_job_routes result = fit(routing, jobs, &params);
        n_gains += result.slowest.after > result.slowest.before;
        sf_job_routes_clear(&result);
        sf_jobs_free(jobs);
    }
    CHECK(n_gains > 0);
    /* The scheme proves them again. */
    sf_lanes_free(routing->routes->lanes, routing->routes->n_sets);
    routing->routes->lanes = NULL;
    CHECK_EQ(sf_routing_add_lanes(routing, NULL), SF_OK);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

TEST(job_routes_return_to_their_base)
{
    static const char *const states[] = {
        "a unknown node[0000-0011]",
        "a unknown node[0000-0011]\nb unknown node[0012-0029]",
        "b unknown node[0012-0029]",
        "",
    };
    struct sf_fabric *fabric = lanes_fabric("sf:q=4", 4);
    struct sf_routing *routing = route(fabric, 4, 2, NULL);
    struct sf_routing *base = route(fabric, 4, 2, NULL);
    uint16_t *hops = copy_hops(base->routes);
    struct sf_job_routes_params params = { .seed = 1, .base = base->routes };

    for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
        struct sf_job_routes result;
        struct sf_jobs *jobs;
        uint16_t *before = copy_hops(routing->routes);
        size_t n = routing->network->graph->n_nodes, n_changed = 0;
        char text[128];
        snprintf(text, sizeof text, "%s", states[i]);
        CHECK_EQ(sf_jobs_parse(text, strlen(text), "jobs", routing->network,
                               &jobs, NULL),
                 SF_OK);
        CHECK_EQ(sf_routing_fit_jobs(routing, jobs, &params, &result, NULL),
                 SF_OK);
        CHECK_NEAR(result.slowest.after, 1, 0);
        uint64_t n_others = count_changed(routing, jobs, hops);
        CHECK((n_others > 0) == (jobs->n_jobs > 0));
        uint16_t *now = copy_hops(routing->routes);
        for (size_t k = 0; k < 2 * 4 * n * n; k++) {
            n_changed += now[k] != before[k];
        }
        CHECK_EQ(result.n_changed, n_changed);
        free(now);
        free(before);
        sf_job_routes_clear(&result);
        sf_jobs_free(jobs);
    }
    free(hops);
    sf_routing_free(base);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

/* Two jobs, each on two of the four hosts of every switch of some. */
TEST(job_routes_add_up_what_jobs_send_between_the_same_switches)
{
    char text[] = "a unknown node[0000-0001,0004-0005,0008-0009,0012-0013]\n"
                  "b unknown node[0002-0003,0006-0007,0010-0011,0014-0015]";
    struct sf_fabric *fabric = lanes_fabric("hx2:4x4,p=4", 4);
    struct sf_routing *routing = route(fabric, 4, 1, NULL);
    struct sf_job_routes_params params = { .seed = 1 };
    struct sf_jobs *jobs;

    CHECK_EQ(sf_jobs_parse(text, strlen(text), "jobs", routing->network, &jobs,
                           NULL),
             SF_OK);
    struct sf_job_routes result = fit(routing, jobs, &params);
    CHECK(result.slowest.before < 0.9);
    CHECK_NEAR(result.slowest.after, 1, 0);
    sf_job_routes_clear(&result);
    sf_jobs_free(jobs);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

TEST(job_routes_are_refused_where_lanes_follow_paths)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=3", 4);
    struct sf_routing *routing = route(fabric, 4, 1, "dfsssp");
    struct sf_jobs *jobs = make_jobs(routing->network, "unknown", 1, 12, NULL);
    struct sf_job_routes_params params = { .seed = 1 };
    struct sf_job_routes result;
    struct sf_error err = { 0 };

    CHECK_EQ(sf_routing_fit_jobs(routing, jobs, &params, &result, &err),
             SF_ELANES);
    CHECK(strstr(err.text, "lanes by turns, untangle or single") != NULL);
    sf_job_routes_clear(&result);
    sf_jobs_free(jobs);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

TEST(job_routes_are_the_same_for_the_same_seed)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=3", 4);
    struct sf_routing *routing = route(fabric, 4, 1, NULL);
    struct sf_jobs *jobs = make_jobs(routing->network, "unknown", 2, 24, NULL);
    uint16_t *hops = copy_hops(routing->routes), *first = NULL;
    struct sf_job_routes_params params = { .seed = 5, .n_rounds = 10 };

    for (uint32_t i = 0; i < 2; i++) {
        struct sf_job_routes result = fit(routing, jobs, &params);
        CHECK(result.n_changed > 0);
        if (i == 0) {
            first = copy_hops(routing->routes);
            restore_hops(routing->routes, hops);
        } else {
            CHECK_EQ(count_changed(routing, jobs, first), 0);
        }
        sf_job_routes_clear(&result);
    }
    free(first);
    free(hops);
    sf_jobs_free(jobs);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

/* Who says that all send to all gets no worse routes than who says nothing:
 * links with room to spare, so that packets wait less. */
TEST(job_routes_spare_links_for_all_to_all)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=5", 4);
    struct sf_routing *routings[2];

    for (uint32_t i = 0; i < 2; i++) {
        routings[i] = route(fabric, 4, 1, NULL);
        struct sf_jobs *jobs =
            make_jobs(routings[i]->network, i == 0 ? "all-to-all" : "unknown",
                      1, 32, NULL);
        struct sf_job_routes_params params = { .seed = 1 };
        struct sf_job_routes result = fit(routings[i], jobs, &params);
        CHECK(result.n_changed > 0);
        CHECK_NEAR(result.slowest.after, 1, 1e-9);
        sf_job_routes_clear(&result);
        sf_jobs_free(jobs);
    }
    size_t n = routings[0]->network->graph->n_nodes;
    CHECK(memcmp(routings[0]->routes->sets[0]->hops,
                 routings[1]->routes->sets[0]->hops,
                 4 * n * n * sizeof(uint16_t)) == 0);
    sf_routing_free(routings[0]);
    sf_routing_free(routings[1]);
    sf_fabric_free(fabric);
}

/* The part of a pair's addresses that lead over its most used link, in the
 * mean over all pairs of hosts of the job. */
static double
find_overlap(const struct sf_routing *routing, const struct sf_job *job)
{
    uint32_t n_arcs = 2 * routing->network->graph->n_links, n_pairs = 0;
    struct oracle oracle = { routing->network, routing->routes,
                             calloc(n_arcs, sizeof(double)) };
    double sum = 0;

    CHECK(oracle.loads);
    for (uint32_t i = 0; i < job->n_hosts * job->n_hosts; i++) {
        uint32_t from = job->hosts[i % job->n_hosts];
        uint32_t to = job->hosts[i / job->n_hosts];
        double most = 0;
        if (switch_of(oracle.network, from) == switch_of(oracle.network, to)) {
            continue;
        }
        memset(oracle.loads, 0, n_arcs * sizeof *oracle.loads);
        follow(&oracle, from, to, 1);
        for (uint32_t a = 0; a < n_arcs; a++) {
            most = fmax(most, oracle.loads[a]);
        }
        sum += most;
        n_pairs++;
    }
    free(oracle.loads);
    return sum / n_pairs;
}

/* A message between two hosts goes over all layers at once: where the network
 * has room, these are to be ways of their own. */
TEST(job_routes_of_a_pair_share_few_links)
{
    struct sf_fabric *fabric = planned_fabric("sf:q=5");
    struct sf_routing *routing = route(fabric, 4, 1, NULL);
    struct sf_jobs *jobs = make_jobs(routing->network, "unknown", 1, 64, NULL);
    struct sf_job_routes_params params = { .seed = 1 };
    struct sf_job_routes result = fit(routing, jobs, &params);
    double overlap = find_overlap(routing, &jobs->jobs[0]);

    CHECK_FOR(overlap < 0.57, "%f", overlap); /* Without a price: 0.62. */
    sf_job_routes_clear(&result);
    sf_jobs_free(jobs);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

TEST(job_routes_keep_layer_0_if_asked_to)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=3", 4);
    struct sf_routing *routing = route(fabric, 4, 1, NULL);
    struct sf_jobs *jobs = make_jobs(routing->network, "unknown", 1, 12, NULL);
    size_t n = routing->network->graph->n_nodes;
    uint16_t *hops = copy_hops(routing->routes);
    struct sf_job_routes_params params = { .seed = 1, .keeps_minimal = true };
    struct sf_job_routes result = fit(routing, jobs, &params);

    CHECK(memcmp(hops, routing->routes->sets[0]->hops, n * n * sizeof *hops) ==
          0);
    sf_job_routes_clear(&result);
    free(hops);
    sf_jobs_free(jobs);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

/* Counts tries with all columns. */
static void
count_tries(void *aux, const char *what, uint64_t done, uint64_t total)
{
    uint32_t *n_tries = aux;

    (void)done;
    *n_tries += total > 0 && strcmp(what, "fitting routes to jobs") == 0;
}

/* Which load is enough counts what the paths of layer 0 carry: a search for
 * less than can be had went on to its bounds. */
TEST(job_routes_that_keep_layer_0_take_no_more_tries)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=5", 4);
    uint32_t n_tries[2] = { 0 };

    for (uint32_t i = 0; i < 2; i++) {
        struct sf_progress progress = { count_tries, &n_tries[i] };
        struct sf_routing *routing = route(fabric, 4, 1, NULL);
        struct sf_jobs *jobs =
            make_jobs(routing->network, "all-to-all", 1, 128, NULL);
        struct sf_job_routes_params params = { .seed = 1,
                                               .keeps_minimal = i == 1 };
        const struct sf_progress *before = sf_progress_listen(&progress);
        struct sf_job_routes result = fit(routing, jobs, &params);
        sf_progress_listen(before);
        CHECK_NEAR(result.slowest.after, 1, 1e-9);
        sf_job_routes_clear(&result);
        sf_jobs_free(jobs);
        sf_routing_free(routing);
    }
    CHECK_FOR(n_tries[1] <= n_tries[0], "%u, %u", n_tries[0], n_tries[1]);
    sf_fabric_free(fabric);
}

TEST(job_routes_obey_a_limit_of_hops)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=3", 4);

    for (uint32_t max_hops = 1; max_hops <= 5; max_hops += 2) {
        struct sf_routing *routing = route(fabric, 4, 1, NULL);
        struct sf_jobs *jobs =
            make_jobs(routing->network, "unknown", 1, 12, NULL);
        uint32_t most =
            max_hops > routing->max_hops ? max_hops : routing->max_hops;
        struct sf_layers_claims claims = { .max_hops = most };
        struct sf_job_routes_params params = { .seed = 1,
                                               .n_rounds = 10,
                                               .max_hops = max_hops };
        struct sf_job_routes result = fit(routing, jobs, &params);
        CHECK_EQ(sf_layers_check(routing->routes->sets[0],
                                 routing->network->graph, &claims, NULL),
                 SF_OK);
        CHECK(routing->max_hops <= most);
        sf_job_routes_clear(&result);
        sf_jobs_free(jobs);
        sf_routing_free(routing);
    }
    sf_fabric_free(fabric);
}

/* Reads jobs and fits them; 'routing' stays as it was unless that works. */
static enum sf_status
work(struct sf_routing *routing, const struct sf_routes *base,
     const char *lines, struct sf_error *err)
{
    struct sf_job_routes_params params = { .seed = 1,
                                           .n_rounds = 2,
                                           .base = base };
    struct sf_job_routes result = { 0 };
    struct sf_jobs *jobs;
    char text[256];

    int n = snprintf(text, sizeof text, "%s", lines);
    enum sf_status status =
        sf_jobs_parse(text, (size_t)n, "jobs", routing->network, &jobs, err);
    if (status == SF_OK) {
        status = sf_routing_fit_jobs(routing, jobs, &params, &result, err);
        sf_job_routes_clear(&result);
    }
    sf_jobs_free(jobs);
    return status;
}

static void
fail_each(const char *spec, const char *lines)
{
    struct sf_fabric *fabric = lanes_fabric(spec, 2);
    struct sf_routing *routing = route(fabric, 2, 0, NULL);
    struct sf_routing *base = route(fabric, 2, 0, NULL);
    uint16_t *hops = copy_hops(routing->routes);
    enum sf_status status = SF_ENOMEM;
    size_t size = 2 * sizeof *hops * routing->network->graph->n_nodes *
                  routing->network->graph->n_nodes;

    for (unsigned long nth = 1; status != SF_OK; nth++) {
        struct sf_error err = { 0 };
        CHECK(nth < MAX_ALLOCATIONS);
        sf_mem_fail_at(nth);
        status = work(routing, base->routes, lines, &err);
        sf_mem_fail_at(0);
        CHECK(status == SF_OK || (status == SF_ENOMEM && err.text[0]));
        CHECK(status == SF_OK ||
              memcmp(hops, routing->routes->sets[0]->hops, size) == 0);
    }
    free(hops);
    sf_routing_free(base);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

TEST(jobs_survive_each_allocation_that_fails)
{
    struct temporary file = temporary_write("node0000,node0005,1\n");
    char line[128];

    fail_each("sf:q=3", "a unknown node[0000-0005]\nb ring node[0006-0020]");
    fail_each("ft2:leaf=4,core=2", "a ring node[0000,0003,0001,0005]");
    snprintf(line, sizeof line, "a pairs:file=%s node[0000-0005]", file.name);
    fail_each("sf:q=3", line);
    temporary_remove(&file);
    file = temporary_write("0,5,1\n");
    snprintf(line, sizeof line, "a ranks:file=%s node[0000-0005]", file.name);
    fail_each("sf:q=3", line);
    temporary_remove(&file);
}

/* Fills 'hops' with the next hop at each switch towards each address of each
 * host and of each switch; how many there are. */
static size_t
list_next_hops(const struct sf_routing *routing, uint16_t *hops)
{
    const struct sf_routes *routes = routing->routes;
    uint32_t v = routing->network->graph->n_nodes;
    size_t n = 0;

    for (uint32_t h = 0; h < sf_network_count_hosts(routing->network); h++) {
        for (uint32_t k = 0; k < routes->n_addresses; k++) {
            const uint16_t *column =
                sf_routes_column(routes, h, k, switch_of(routing->network, h));
            memcpy(hops + n, column, v * sizeof *hops);
            n += v;
        }
    }
    for (uint32_t d = 0; d < v; d++) {
        memcpy(hops + n, sf_layers_tree(routes->sets[0], 0, d),
               v * sizeof *hops);
        n += v;
    }
    return n;
}

TEST(split_sets_leave_every_path_as_it_is)
{
    static const char *const specs[] = { "sf:q=3", "hx2:3x3,p=3",
                                         "ft2:leaf=4,core=2" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        for (uint32_t n_sets = 1; n_sets <= 2; n_sets++) {
            struct sf_fabric *fabric = lanes_fabric(specs[i], 4);
            struct sf_routing *routing = route(fabric, 4, n_sets, NULL);
            uint32_t v = routing->network->graph->n_nodes;
            size_t n =
                4 * v * (size_t)(sf_network_count_hosts(routing->network) + v);
            uint16_t *before = calloc(n, sizeof *before);
            uint16_t *after = calloc(n, sizeof *after);
            CHECK(before && after);
            size_t n_hops = list_next_hops(routing, before);
            for (uint32_t k = 0; k < 2; k++) {
                CHECK_EQ(sf_routing_split_sets(routing, NULL), SF_OK);
                CHECK_EQ(list_next_hops(routing, after), n_hops);
                CHECK(memcmp(before, after, n_hops * sizeof *after) == 0);
            }
            for (uint32_t h = 1; h < routing->network->first_host[1]; h++) {
                CHECK(routing->routes->host_sets[h] !=
                      routing->routes->host_sets[h - 1]);
            }
            free(after);
            free(before);
            sf_routing_free(routing);
            sf_fabric_free(fabric);
        }
    }
}

TEST(split_sets_survive_each_allocation_that_fails)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=3", 2);
    struct sf_routing *routing = route(fabric, 2, 1, NULL);
    enum sf_status status = SF_ENOMEM;

    for (unsigned long nth = 1; status != SF_OK; nth++) {
        struct sf_error err = { 0 };
        CHECK(nth < MAX_ALLOCATIONS);
        sf_mem_fail_at(nth);
        status = sf_routing_split_sets(routing, &err);
        sf_mem_fail_at(0);
        CHECK(status == SF_OK || (status == SF_ENOMEM && err.text[0]));
        CHECK((routing->routes->n_sets == 1) == (status != SF_OK));
    }
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

/* Routes the 50-switch Slim Fly with columns for each host. */
static struct sf_routing *
route_split(const struct sf_fabric *fabric)
{
    struct sf_routing *routing = route(fabric, 4, 1, NULL);

    CHECK_EQ(sf_routing_split_sets(routing, NULL), SF_OK);
    return routing;
}

TEST(job_routes_keep_uniform_traffic_where_hosts_have_columns)
{
    struct sf_fabric *fabric = planned_fabric("sf:q=5");
    struct sf_routing *routing = route_split(fabric);
    struct sf_jobs *jobs = make_jobs(routing->network, "unknown", 1, 32, NULL);
    uint16_t *hops = copy_hops(routing->routes);

    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct sf_job_routes_params params = { .seed = seed };
        struct sf_job_routes result = fit(routing, jobs, &params);
        CHECK_NEAR(result.slowest.after, 1, 0);
        CHECK_FOR(result.uniform.after >= 0.65, "%g", result.uniform.after);
        sf_job_routes_clear(&result);
        /* And nothing changes if nothing changes. */
        result = fit(routing, jobs, &params);
        CHECK_EQ(result.n_changed, 0);
        sf_job_routes_clear(&result);
        restore_hops(routing->routes, hops);
    }
    free(hops);
    sf_jobs_free(jobs);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

TEST(job_routes_give_a_shift_half_the_rate_for_every_seed)
{
    struct sf_fabric *fabric = planned_fabric("sf:q=5");
    struct sf_routing *routing = route(fabric, 4, 1, NULL);
    struct sf_jobs *jobs =
        make_jobs(routing->network, "shift:by=40", 1, 200, NULL);
    uint16_t *hops = copy_hops(routing->routes);

    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct sf_job_routes_params params = { .seed = seed };
        struct sf_job_routes result;
        CHECK_EQ(sf_routing_fit_jobs(routing, jobs, &params, &result, NULL),
                 SF_OK);
        CHECK_NEAR(result.slowest.after, 0.5, 1e-9);
        sf_job_routes_clear(&result);
        restore_hops(routing->routes, hops);
    }
    free(hops);
    sf_jobs_free(jobs);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

/* Four hosts a switch that all send to those of one other: the shift cannot
 * have it all, but the job beside it has more. */
TEST(job_routes_give_more_to_jobs_beside_a_limited_one)
{
    char text[] = "a shift:by=40 node[0000-0079]\n"
                  "b unknown node[0080-0111]\n";
    struct sf_fabric *fabric = planned_fabric("sf:q=5");
    struct sf_routing *routing = route_split(fabric);
    struct sf_job_routes_params params = { .seed = 1 };
    struct sf_jobs *jobs;

    CHECK_EQ(sf_jobs_parse(text, strlen(text), "jobs", routing->network, &jobs,
                           NULL),
             SF_OK);
    struct sf_job_routes result = fit(routing, jobs, &params);
    CHECK(result.jobs[0].after < 1);
    CHECK_NEAR(result.slowest.after, result.jobs[0].after, 1e-9);
    CHECK_FOR(result.jobs[1].after > result.jobs[0].after + 0.05, "%g and %g",
              result.jobs[0].after, result.jobs[1].after);
    sf_job_routes_clear(&result);
    sf_jobs_free(jobs);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

/* Jobs of a random network; each runs or not. */
struct shifts {
    char lines[4][512]; /* One a job. */
    bool runs[4];
};

/* Deals the hosts among four jobs. */
static void
deal_hosts(const struct sf_network *network, struct sf_random *random,
           struct shifts *shifts)
{
    uint32_t n = sf_network_count_hosts(network);
    size_t lengths[4];

    for (uint32_t i = 0; i < 4; i++) {
        lengths[i] = (size_t)sprintf(shifts->lines[i], "j%u %s ", i,
                                     i % 2 ? "ring" : "unknown");
    }
    for (uint32_t h = 0; h < n; h++) {
        uint32_t node = network->fabric->ports[network->host_ports[h]].node;
        uint32_t i = h < 4 ? h : sf_random_below(random, 4);
        lengths[i] += (size_t)snprintf(shifts->lines[i] + lengths[i],
                                       sizeof shifts->lines[i] - lengths[i],
                                       "%s%s", h < 4 ? "" : ",",
                                       network->fabric->nodes[node].name);
    }
}

/* Checks that 'routing' is as 'base' but towards switches of jobs. */
static void
check_others(const struct sf_routing *routing, const struct sf_routing *base,
             const struct sf_jobs *jobs)
{
    uint16_t *hops = copy_hops(base->routes);

    count_changed(routing, jobs, hops);
    free(hops);
}

/* Starts and ends jobs at random: routes stay sound, others are as without
 * jobs, nobody gets less than before a job ended, and in the end all is as it
 * was. */
TEST(job_routes_follow_jobs_that_start_and_end)
{
    struct sf_random random;
    struct shifts shifts;

    sf_random_init(&random, 6, 0);
    for (uint32_t i = 0; i < 4; i++) {
        struct sf_fabric *fabric = lanes_random_fabric(9, 16, 3, &random);
        struct sf_routing *routing = route_split(fabric);
        struct sf_routing *base = route_split(fabric);
        memset(&shifts, 0, sizeof shifts);
        deal_hosts(routing->network, &random, &shifts);
        for (uint32_t k = 0; k <= 8; k++) {
            struct sf_job_routes_params params = { .seed = k,
                                                   .n_rounds = 6,
                                                   .base = base->routes };
            struct sf_job_routes result;
            struct sf_jobs *jobs;
            char text[2048] = "";
            uint32_t which = sf_random_below(&random, 4);
            shifts.runs[which] = !shifts.runs[which];
            for (uint32_t j = 0; k < 8 && j < 4; j++) {
                append(text, sizeof text,
                       shifts.runs[j] ? shifts.lines[j] : "");
                append(text, sizeof text, shifts.runs[j] ? "\n" : "");
            }
            CHECK_EQ(sf_jobs_parse(text, strlen(text), "jobs",
                                   routing->network, &jobs, NULL),
                     SF_OK);
            CHECK_EQ(
                sf_routing_fit_jobs(routing, jobs, &params, &result, NULL),
                SF_OK);
            CHECK_NEAR(result.slowest.after, oracle_speed(routing, jobs),
                       1e-8);
            CHECK_NEAR(result.uniform.after, oracle_uniform_speed(routing),
                       1e-8);
            CHECK(result.slowest.after >= result.slowest.before - 1e-8);
            check_others(routing, base, jobs);
            CHECK_EQ(routing->is_fitted, jobs->n_jobs > 0);
            sf_job_routes_clear(&result);
            sf_jobs_free(jobs);
        }
        sf_routing_free(base);
        sf_routing_free(routing);
        sf_fabric_free(fabric);
    }
}

/* A job that comes and goes leaves nothing behind but in columns of another,
 * which keeps its speed. */
TEST(job_routes_are_as_before_when_a_job_has_come_and_gone)
{
    static const char *const states[] = {
        "a unknown node[0000-0015]",
        "a unknown node[0000-0015]\nb unknown node[0100-0115]",
        "a unknown node[0000-0015]",
    };
    struct sf_fabric *fabric = lanes_fabric("sf:q=5", 4);
    struct sf_routing *routing = route_split(fabric);
    struct sf_routing *base = route_split(fabric);
    struct sf_job_routes_params params = { .seed = 1, .base = base->routes };
    uint16_t *first = NULL;
    uint64_t n_started = 0;

    for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
        struct sf_job_routes result;
        struct sf_jobs *jobs;
        char text[128];
        snprintf(text, sizeof text, "%s", states[i]);
        CHECK_EQ(sf_jobs_parse(text, strlen(text), "jobs", routing->network,
                               &jobs, NULL),
                 SF_OK);
        CHECK_EQ(sf_routing_fit_jobs(routing, jobs, &params, &result, NULL),
                 SF_OK);
        CHECK_NEAR(result.slowest.after, 1, 0);
        CHECK(result.n_changed > 0);
        if (i == 0) {
            first = copy_hops(routing->routes);
        } else if (i == 1) {
            n_started = result.n_changed;
        } else {
            count_changed(routing, jobs, first);
            CHECK(result.n_changed <= n_started);
        }
        sf_job_routes_clear(&result);
        sf_jobs_free(jobs);
    }
    free(first);
    sf_routing_free(base);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

/* Checks that paths to 'd' in 'column' are shortest ones. */
static void
check_minimal(const struct sf_graph *graph, const uint16_t *column, uint32_t d)
{
    uint32_t *distances = calloc(graph->n_nodes, sizeof *distances);
    bool has_changed = true;

    CHECK(distances != NULL);
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        distances[s] = s == d ? 0 : graph->n_nodes;
    }
    while (has_changed) {
        has_changed = false;
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
                uint32_t over = distances[graph->arcs[i].to] + 1;
                has_changed |= over < distances[s];
                distances[s] = over < distances[s] ? over : distances[s];
            }
        }
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        CHECK(s == d ||
              distances[graph->arcs[graph->first[s] + column[s]].to] + 1 ==
                  distances[s]);
    }
    free(distances);
}

TEST(job_routes_are_repaired_and_the_rest_stays_minimal)
{
    char text[] = "a unknown node[0000-0015]";
    struct sf_fabric *fabric = planned_fabric("sf:q=4"), *later;
    struct sf_routing *routing = route_split(fabric), *repaired;
    struct sf_job_routes_params params = { .seed = 1 };
    struct sf_network *network;
    struct sf_jobs *jobs;
    struct sf_random random;
    struct sf_error err = { 0 };
    uint32_t n_longer = 0, n = routing->network->graph->n_nodes;

    CHECK_EQ(sf_jobs_parse(text, strlen(text), "jobs", routing->network, &jobs,
                           NULL),
             SF_OK);
    struct sf_job_routes result = fit(routing, jobs, &params);
    sf_job_routes_clear(&result);
    CHECK(routing->is_fitted);
    sf_random_init(&random, 8, 0);
    CHECK_EQ(sf_fabric_copy(fabric, &later, NULL), SF_OK);
    lanes_unplug(later, 2, &random);
    CHECK_EQ(sf_network_build(later, &network, NULL), SF_OK);
    CHECK_FOR(sf_routing_repair(routing, network, &repaired, &err) == SF_OK,
              "%s", err.text);
    CHECK(repaired->is_fitted);
    for (uint32_t d = 0; d < n; d++) {
        bool is_of_job = false;
        for (uint32_t i = 0; i < jobs->jobs[0].n_hosts; i++) {
            is_of_job |= switch_of(network, jobs->jobs[0].hosts[i]) == d;
        }
        for (uint32_t k = 0; !is_of_job && k < repaired->routes->n_sets; k++) {
            check_minimal(repaired->network->graph,
                          sf_layers_tree(repaired->routes->sets[k], 0, d), d);
        }
        n_longer += is_of_job;
    }
    CHECK(n_longer > 0 && n_longer < n);
    result = fit(repaired, jobs, &params);
    CHECK(result.slowest.after >= 0.9);
    sf_job_routes_clear(&result);
    sf_routing_free(repaired);
    sf_network_free(network);
    sf_fabric_free(later);
    sf_jobs_free(jobs);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}
