/* test_simulation.c -- whole runs against values that were computed by hand,
 * on networks that are small enough for that. */
#include "base/mem.h"
#include "helpers.h"
#include "host_cases.h"
#include "sim/workload.h"
#include "slimfly/random.h"
#include "slimfly/topology.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

/* Two leaf switches with two hosts each, and a core between them.  Hosts 0 and
 * 1 are node0000 and node0001, on the first leaf. */
struct tree {
    struct sf_network *network;
    struct sf_path_source source;
    struct sf_simulation_params params;
    struct temporary file;
    char workload[80];
};

static uint32_t
find_arc(const struct sf_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t arc = graph->first[from];

    while (graph->arcs[arc].to != to) {
        arc++;
        CHECK(arc < graph->first[from + 1]);
    }
    return arc;
}

#define CORE 2

static enum sf_status
follow_tree(const struct sf_path_source *source, uint32_t from, uint32_t to,
            uint32_t address, struct sf_path *path, struct sf_error *err)
{
    const struct sf_graph *graph = source->network->graph;

    (void)address, (void)err;
    *path = (struct sf_path){ 0 };
    if (from / 2 != to / 2) {
        path->arcs[0] = find_arc(graph, from / 2, CORE);
        path->arcs[1] = find_arc(graph, CORE, to / 2);
        path->n_arcs = 2;
    }
    return SF_OK;
}

/* 'flows' is a file of traffic; links carry 100 bytes a second, of which
 * packets of 100 bytes take one each. */
static struct tree *
tree_case(const char *flows)
{
    struct tree *c = calloc(1, sizeof *c);
    struct sf_topology *topo = build("ft2:leaf=2,core=1,up=1,p=2");
    struct sf_fabric *fabric;

    CHECK(c);
    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_network_build(fabric, &c->network, NULL), SF_OK);
    sf_fabric_free(fabric);
    sf_topology_free(topo);
    CHECK_EQ(c->network->n_hosts[CORE], 0);
    c->file = temporary_write(flows);
    snprintf(c->workload, sizeof c->workload, "file:%s", c->file.name);
    c->source = (struct sf_path_source){ .network = c->network,
                                         .n_addresses = 1,
                                         .n_vls = 1,
                                         .one_sl = SF_SL_OF_PATH,
                                         .follow = follow_tree };
    c->params = (struct sf_simulation_params){
        .jobs = { .workload = c->workload, .size = 2000 },
        .net = { .rate = 100, .mtu = 100, .buffer = 400 },
        .seed = 1,
    };
    return c;
}

static void
tree_free(struct tree *c)
{
    temporary_remove(&c->file);
    sf_network_free(c->network);
    free(c);
}

static struct sf_simulation
run(const struct sf_path_source *source,
    const struct sf_simulation_params *params)
{
    struct sf_simulation result;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_simulation_run(source, params, &result, &err) == SF_OK, "%s",
              err.text);
    CHECK_EQ(result.n_arcs, 2 * source->network->graph->n_links);
    CHECK_EQ(result.n_vls, source->n_vls);
    return result;
}

/* The load of the link between two switches of a tree. */
static double
load_of(const struct tree *c, const struct sf_simulation *result,
        uint32_t from, uint32_t to)
{
    return result->loads[find_arc(c->network->graph, from, to)];
}

static uint64_t
count_rates(const struct sf_simulation *result)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < SF_SIM_N_BINS; i++) {
        n += result->rates[i];
    }
    return n;
}

/* 1,000 and 2,000 bytes share the links over the core: 50 bytes a second each
 * until 20 s, then 100 for the second until 30 s. */
TEST(simulation_of_two_flows)
{
    struct tree *c = tree_case("node0000,node0002,1\n"
                               "node0001,node0003,2\n");
    struct sf_simulation result = run(&c->source, &c->params);

    CHECK(result.is_finished && result.n_cycle == 0 && !result.cycle);
    CHECK_NEAR(result.time, 30, 1e-9);
    CHECK_EQ(result.n_hosts, 4);
    CHECK_EQ(result.buffer, 0);
    CHECK_EQ(result.rate.n, 2);
    CHECK_NEAR(result.rate.min, 0.5, 1e-9);
    CHECK_NEAR(result.rate.max, 2 / 3.0, 1e-9);
    CHECK_NEAR(result.rate.mean, 7 / 12.0, 1e-9);
    CHECK(result.rates[25] == 1 && result.rates[33] == 1);
    CHECK_EQ(count_rates(&result), 2);
    CHECK_EQ(result.n_jobs, 1);
    CHECK_EQ(result.jobs[0].n_nodes, 4);
    CHECK_NEAR(result.jobs[0].time, 30, 1e-9);
    CHECK_NEAR(result.jobs[0].rate.mean, 7 / 12.0, 1e-9);
    /* 20 s are 42.7 of the 64 steps. */
    CHECK_NEAR(result.arrived[41], 0, 0);
    CHECK_NEAR(result.arrived[42], 1 / 3.0, 1e-12);
    CHECK_NEAR(result.arrived[62], 1 / 3.0, 1e-12);
    CHECK_NEAR(result.arrived[63], 1, 1e-12);
    CHECK_NEAR(load_of(c, &result, 0, CORE), 1, 1e-9);
    CHECK_NEAR(load_of(c, &result, CORE, 1), 1, 1e-9);
    CHECK_NEAR(load_of(c, &result, 1, CORE), 0, 0);
    CHECK_NEAR(load_of(c, &result, CORE, 0), 0, 0);
    CHECK(result.latency.n == 0 && result.n_packets == 0 &&
          result.n_switch_hops == 0);
    sf_simulation_clear(&result);
    CHECK(!result.loads && !result.jobs && result.n_arcs == 0);
    sf_simulation_clear(&result);
    tree_free(c);
}

/* Headers take their part of the rate, and rates of messages are parts of
 * what is left: 80 of 100 bytes are data. */
TEST(simulation_counts_data)
{
    struct tree *c = tree_case("node0000,node0002,1\n");

    c->params.net.mtu = 80;
    c->params.net.header = 20;
    c->params.jobs.size = 1600;
    for (int model = 0; model < SF_N_SIM_MODELS; model++) {
        c->params.model = (enum sf_sim_model)model;
        struct sf_simulation result = run(&c->source, &c->params);
        /* 20 packets, and three more packet times for four links. */
        double time = model == SF_SIM_FLOW ? 20 : 23;
        CHECK_NEAR(result.time, time, 1e-9);
        CHECK_NEAR(result.rate.mean, 20 / time, 1e-9);
        sf_simulation_clear(&result);
    }
    tree_free(c);
}

/* Ten packets follow each other over four links. */
TEST(simulation_of_packets)
{
    struct tree *c = tree_case("node0000,node0002,1\n");

    c->params.model = SF_SIM_PACKET;
    c->params.jobs.size = 1000;
    struct sf_simulation result = run(&c->source, &c->params);
    CHECK(result.is_finished);
    CHECK_NEAR(result.time, 13, 1e-9);
    CHECK_EQ(result.buffer, 4);
    CHECK_EQ(result.n_hosts, 2);
    CHECK_EQ(result.n_packets, 10);
    CHECK_EQ(result.n_switch_hops, 30);
    CHECK_EQ(result.latency.n, 10);
    CHECK_NEAR(result.latency.min, 4, 1e-9);
    CHECK_NEAR(result.latency.max, 4, 1e-9);
    CHECK_NEAR(result.rate.mean, 10 / 13.0, 1e-9);
    CHECK_NEAR(load_of(c, &result, 0, CORE), 10 / 13.0, 1e-9);
    CHECK_NEAR(load_of(c, &result, 1, CORE), 0, 0);
    CHECK_NEAR(result.arrived[62], 0, 0);
    CHECK_NEAR(result.arrived[63], 1, 0);
    sf_simulation_clear(&result);
    tree_free(c);
}

/* A packet of 100 ns, three switches of 200 ns, four cables of 2 m at 5 ns a
 * metre, a host of 600 ns at each end. */
TEST(simulation_of_exact_packets)
{
    struct tree *c = tree_case("node0000,node0002,1\n");
    double *lengths = calloc(c->network->fabric->n_ports, sizeof *lengths);

    CHECK(lengths);
    c->params.model = SF_SIM_PACKET;
    c->params.timing = SF_SIM_EXACT;
    c->params.jobs.size = 100;
    c->params.net.rate = 1e9;
    c->params.net.switch_delay = 200e-9;
    c->params.net.host_delay = 600e-9;
    c->params.net.cable_delay = 5e-9;
    c->params.length = 2;
    struct sf_simulation result = run(&c->source, &c->params);
    CHECK_NEAR(result.time, 100e-9 + 3 * 200e-9 + 4 * 10e-9 + 2 * 600e-9,
               2e-12);
    CHECK_NEAR(result.latency.mean, result.time, 2e-12);
    sf_simulation_clear(&result);

    /* Lengths of ports are in place of 'length'. */
    for (uint32_t i = 0; i < c->network->fabric->n_ports; i++) {
        lengths[i] = 6;
    }
    c->params.lengths = lengths;
    result = run(&c->source, &c->params);
    CHECK_NEAR(result.time, 100e-9 + 3 * 200e-9 + 4 * 30e-9 + 2 * 600e-9,
               2e-12);
    sf_simulation_clear(&result);
    free(lengths);
    tree_free(c);
}

/* Two jobs on one switch do not touch each other.  The first has one round and
 * runs three times beside the other. */
TEST(simulation_of_jobs_in_rounds)
{
    struct host_case *c = star_case(4, 1, 1, 4);

    c->params.jobs = (struct sf_sim_jobs){
        .workload = "ebb:matchings=1,size=1K+ebb:matchings=3,size=2K",
        .nodes = "2+2",
    };
    struct sf_simulation result = run(&c->source, &c->params);
    CHECK_NEAR(result.time, 3 * 20.48, 1e-9);
    CHECK_EQ(result.n_jobs, 2);
    CHECK(result.jobs[0].n_nodes == 2 && result.jobs[1].n_nodes == 2);
    CHECK_NEAR(result.jobs[0].time, 3 * 10.24, 1e-9);
    CHECK_NEAR(result.jobs[1].time, 3 * 20.48, 1e-9);
    CHECK(result.jobs[0].rate.n == 6 && result.jobs[1].rate.n == 6);
    CHECK_EQ(result.rate.n, 12);
    CHECK_NEAR(result.rate.min, 1, 1e-9);
    CHECK_EQ(count_rates(&result), 12);
    for (uint32_t i = 0; i < SF_SIM_N_STEPS; i++) {
        CHECK_NEAR(result.arrived[i], 0, 0);
    }
    sf_simulation_clear(&result);
    host_case_free(c);
}

/* The bytes that a workload sends over each arc, all rounds together. */
static void
sum_bytes(const struct sf_path_source *source,
          const struct sf_simulation_params *params, double *bytes)
{
    struct sf_workload *workload;

    CHECK_EQ(sf_workload_build(source->network, &params->jobs, params->seed,
                               &workload, NULL),
             SF_OK);
    for (uint32_t round = 0; round < workload->n_rounds; round++) {
        struct sf_program program;
        uint32_t *job_of;
        CHECK_EQ(sf_workload_program(workload, round, &program, &job_of, NULL),
                 SF_OK);
        for (size_t i = 0; i < program.messages.n; i++) {
            const struct sf_message *message = &program.messages.items[i];
            struct sf_path path;
            CHECK_EQ(source->follow(source, message->from, message->to, 0,
                                    &path, NULL),
                     SF_OK);
            for (uint32_t k = 0; k < path.n_arcs; k++) {
                bytes[path.arcs[k]] += (double)message->bytes;
            }
        }
        free(job_of);
        sf_program_clear(&program);
    }
    sf_workload_free(workload);
}

/* Loads of all rounds are what was carried over what could have been, though
 * some rounds take longer than others. */
static void
check_loads_of_rounds(enum sf_sim_model model)
{
    struct tree *c = tree_case("");
    double bytes[8] = { 0 };

    c->params.jobs.workload = "ebb:matchings=12,size=1000";
    c->params.model = model;
    struct sf_simulation result = run(&c->source, &c->params);
    CHECK_EQ(result.n_arcs, 4);
    CHECK_EQ(result.rate.n, 12 * 4);
    sum_bytes(&c->source, &c->params, bytes);
    for (uint32_t arc = 0; arc < result.n_arcs; arc++) {
        CHECK_NEAR(result.loads[arc], bytes[arc] / 100 / result.time, 1e-9);
    }
    if (model == SF_SIM_FLOW) {
        /* Pairs on one leaf take 10 s, those over the core 20 s. */
        double n_long = bytes[0] / 2000;
        CHECK(n_long > 0 && n_long < 12);
        CHECK_NEAR(result.time, 120 + 10 * n_long, 1e-9);
    }
    sf_simulation_clear(&result);
    tree_free(c);
}

TEST(simulation_weights_loads_of_rounds)
{
    check_loads_of_rounds(SF_SIM_FLOW);
    check_loads_of_rounds(SF_SIM_PACKET);
}

/* One host offers half of what its link carries, and another a quarter. */
TEST(simulation_of_a_load)
{
    for (int timing = 0; timing < SF_N_SIM_TIMINGS; timing++) {
        struct tree *c = tree_case("node0000,node0002,1\n"
                                   "node0001,node0003,0.5\n");
        c->params.model = SF_SIM_PACKET;
        c->params.timing = (enum sf_sim_timing)timing;
        c->params.net.rate = 1e9;
        c->params.jobs.load = 0.4;
        struct sf_simulation result = run(&c->source, &c->params);
        CHECK(result.is_finished && result.time > 0 && result.n_cycle == 0);
        /* Two of the four hosts receive nothing. */
        CHECK_EQ(result.rate.n, 4);
        CHECK_NEAR(result.rate.min, 0, 0);
        CHECK_NEAR(result.rate.max, 0.4, 0.02);
        CHECK_NEAR(result.rate.mean, 0.6 / 4, 0.01);
        CHECK_NEAR(load_of(c, &result, 0, CORE), 0.6, 0.03);
        CHECK_NEAR(load_of(c, &result, 1, CORE), 0, 0);
        CHECK(result.latency.n > 1000);
        CHECK(result.latency.min >= (timing == SF_SIM_SLOTS ? 4e-7 : 1e-7));
        CHECK(result.latency_error > 0 &&
              result.latency_error <= 0.05 * result.latency.mean);
        CHECK_NEAR(result.jobs[0].time, 0, 0);
        CHECK_NEAR(result.arrived[SF_SIM_N_STEPS - 1], 0, 0);
        sf_simulation_clear(&result);
        tree_free(c);
    }
}

/* More than the link over the core can carry. */
TEST(simulation_of_too_large_a_load)
{
    struct tree *c = tree_case("node0000,node0002,1\n"
                               "node0001,node0003,1\n");

    c->params.model = SF_SIM_PACKET;
    c->params.jobs.load = 0.8;
    struct sf_simulation result = run(&c->source, &c->params);
    CHECK(!result.is_finished && result.n_cycle == 0);
    CHECK_NEAR(load_of(c, &result, 0, CORE), 1, 0.01);
    CHECK_NEAR(result.rate.max, 0.5, 0.02);
    sf_simulation_clear(&result);
    tree_free(c);
}

/* The channels of a cycle lead from switch to switch, all around. */
static void
check_cycle(const struct host_case *c, const struct sf_simulation *result)
{
    const struct sf_graph *graph = c->network->graph;

    CHECK_EQ(result->n_cycle, graph->n_nodes);
    for (uint32_t i = 0; i < result->n_cycle; i++) {
        const struct sf_sim_channel *channel = &result->cycle[i];
        uint32_t next = result->cycle[(i + 1) % result->n_cycle].s;
        CHECK(channel->s < graph->n_nodes);
        CHECK(channel->arc >= graph->first[channel->s] &&
              channel->arc < graph->first[channel->s + 1]);
        CHECK_EQ(graph->arcs[channel->arc].to, next);
        CHECK_EQ(next, (channel->s + 1) % graph->n_nodes);
        CHECK_EQ(channel->vl, 0);
    }
    CHECK(!result->is_finished);
    CHECK(result->deadlock_time > 0);
}

/* Packets that go around a ring wait for each other for ever, unless they
 * change to another lane at its end. */
static void
check_ring(const struct sf_sim_jobs *jobs, enum sf_sim_timing timing,
           enum sf_sim_queues queues)
{
    for (uint32_t n_vls = 1; n_vls <= 2; n_vls++) {
        struct host_case *c = ring_case(5, n_vls, 2);
        if (timing == SF_SIM_EXACT) {
            make_exact(c, 1e-7, 5e-9);
        }
        c->params.jobs = *jobs;
        c->params.model = SF_SIM_PACKET;
        c->params.queues = queues;
        struct sf_simulation result = run(&c->source, &c->params);
        if (n_vls == 1) {
            check_cycle(c, &result);
            CHECK(jobs->load > 0 || (result.rate.min == 0 &&
                                     result.deadlock_time <= result.time));
            CHECK(result.arrived[SF_SIM_N_STEPS - 1] < 1);
        } else {
            CHECK(result.n_cycle == 0 && !result.cycle);
            CHECK(jobs->load > 0 || result.is_finished);
        }
        sf_simulation_clear(&result);
        host_case_free(c);
    }
}

TEST(simulation_names_a_deadlock)
{
    static const struct sf_sim_jobs messages = { .workload = "all-to-all",
                                                 .size = 20000 };
    static const struct sf_sim_jobs load = { .workload = "all-to-all",
                                             .load = 1 };

    for (int i = 0; i < 4; i++) {
        enum sf_sim_timing timing = i & 1 ? SF_SIM_EXACT : SF_SIM_SLOTS;
        enum sf_sim_queues queues = i & 2 ? SF_SIM_FIFO : SF_SIM_VOQ;
        check_ring(&messages, timing, queues);
        check_ring(&load, timing, queues);
    }
}

/* No round follows one that stopped. */
TEST(simulation_ends_with_a_deadlock)
{
    struct host_case *c = ring_case(7, 1, 1);

    c->params.model = SF_SIM_PACKET;
    c->params.jobs.workload = "all-to-all:size=20000+ebb:matchings=50";
    c->params.jobs.nodes = "5+2";
    struct sf_simulation result = run(&c->source, &c->params);
    CHECK(result.n_cycle > 0 && !result.is_finished);
    CHECK_EQ(result.rate.n, 5 * 4 + 2);
    CHECK(result.deadlock_time <= result.time);
    sf_simulation_clear(&result);
    host_case_free(c);
}

/* The same seed gives the same bytes, another one other rates. */
TEST(simulation_repeats)
{
    struct tree *c = tree_case("");

    c->params.jobs.workload = "ebb:matchings=9,size=1000";
    struct sf_simulation first = run(&c->source, &c->params);
    struct sf_simulation second = run(&c->source, &c->params);
    CHECK(first.time == second.time && first.rate.mean == second.rate.mean);
    CHECK(!memcmp(first.rates, second.rates, sizeof first.rates));
    c->params.seed = 12;
    struct sf_simulation other = run(&c->source, &c->params);
    CHECK(other.time != first.time);
    sf_simulation_clear(&first);
    sf_simulation_clear(&second);
    sf_simulation_clear(&other);
    tree_free(c);
}

/* What each case spoils. */
static void
no_workload(struct sf_simulation_params *p)
{
    p->jobs.workload = NULL;
}
static void
load_of_flows(struct sf_simulation_params *p)
{
    p->model = SF_SIM_FLOW;
    p->jobs.load = 0.5;
}
static void
too_much(struct sf_simulation_params *p)
{
    p->jobs.load = 1.5;
}
static void
less_than_nothing(struct sf_simulation_params *p)
{
    p->jobs.load = -0.5;
}
static void
load_that_is_none(struct sf_simulation_params *p)
{
    p->jobs.load = (double)NAN;
}
static void
no_rate(struct sf_simulation_params *p)
{
    p->net.rate = 0;
}
static void
rate_that_is_none(struct sf_simulation_params *p)
{
    p->net.rate = (double)NAN;
}
static void
no_packets(struct sf_simulation_params *p)
{
    p->net.mtu = 0;
}
static void
huge_packets(struct sf_simulation_params *p)
{
    p->net.mtu = UINT32_MAX;
    p->net.header = 2;
}
static void
small_buffer(struct sf_simulation_params *p)
{
    p->net.buffer = 99;
}
static void
early_hosts(struct sf_simulation_params *p)
{
    p->net.host_delay = -1;
}
static void
early_switches(struct sf_simulation_params *p)
{
    p->net.switch_delay = (double)NAN;
}
static void
early_cables(struct sf_simulation_params *p)
{
    p->net.cable_delay = -1;
}
static void
early_messages(struct sf_simulation_params *p)
{
    p->overhead = -1;
}
static void
short_cables(struct sf_simulation_params *p)
{
    p->length = -1;
}
static void
no_such_model(struct sf_simulation_params *p)
{
    p->model = SF_N_SIM_MODELS;
}
static void
no_such_select(struct sf_simulation_params *p)
{
    p->select = SF_N_SELECTS;
}
static void
too_many_nodes(struct sf_simulation_params *p)
{
    p->jobs.workload = "all-to-all";
    p->jobs.nodes = "5";
}

TEST(simulation_refuses)
{
    static const struct {
        void (*spoil)(struct sf_simulation_params *params);
        const char *text;
    } cases[] = {
        { no_workload, "expected a workload" },
        { load_of_flows, "packet model" },
        { too_much, "a load of 1.5" },
        { less_than_nothing, "a load of -0.5" },
        { load_that_is_none, "a load of nan" },
        { no_rate, "rate" },
        { rate_that_is_none, "rate" },
        { no_packets, "MTU" },
        { huge_packets, "MTU" },
        { small_buffer, "a buffer of 99 bytes" },
        { early_hosts, "delay" },
        { early_switches, "delay" },
        { early_cables, "delay" },
        { early_messages, "overhead" },
        { short_cables, "cable" },
        { no_such_model, "model" },
        { no_such_select, "address" },
        { too_many_nodes, "4 hosts" },
    };
    struct tree *c = tree_case("node0000,node0002,1\n");

    c->params.model = SF_SIM_PACKET;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_simulation_params params = c->params;
        struct sf_simulation result = { .n_jobs = 7 };
        struct sf_error err = { 0 };
        cases[i].spoil(&params);
        CHECK_FOR(sf_simulation_run(&c->source, &params, &result, &err) ==
                      SF_EINVAL,
                  "'%s' is fine", cases[i].text);
        CHECK_FOR(strstr(err.text, cases[i].text), "'%s' is not in '%s'",
                  cases[i].text, err.text);
        CHECK(result.n_jobs == 0 && !result.loads && !result.jobs);
    }
    tree_free(c);
}

static void
fail_each(const struct sf_path_source *source,
          const struct sf_simulation_params *params)
{
    for (unsigned long nth = 1;; nth++) {
        struct sf_simulation result;
        struct sf_error err = { 0 };
        sf_mem_fail_at(nth);
        enum sf_status status =
            sf_simulation_run(source, params, &result, &err);
        void *memory = sf_calloc(1, 1);
        bool is_still_to_come = memory == NULL;
        free(memory);
        sf_mem_fail_at(0);
        if (status == SF_OK) {
            CHECK_FOR(is_still_to_come, "failure %lu went unnoticed", nth);
            CHECK(nth > 10);
            sf_simulation_clear(&result);
            return;
        }
        CHECK_FOR(status == SF_ENOMEM && err.status == SF_ENOMEM,
                  "failure %lu: %s", nth, err.text);
        CHECK(!result.loads && !result.jobs && !result.cycle);
    }
}

TEST(simulation_without_memory)
{
    struct host_case *c = ring_case(4, 1, 2);
    struct sf_simulation_params *params = &c->params;

    params->jobs.workload = "all-to-all:size=300+ebb:matchings=2,size=500";
    fail_each(&c->source, params);
    params->model = SF_SIM_PACKET;
    fail_each(&c->source, params);
    params->jobs.workload = "all-to-all:size=5000"; /* Stops. */
    fail_each(&c->source, params);
    make_exact(c, 1e-7, 5e-9);
    fail_each(&c->source, params);
    params->jobs = (struct sf_sim_jobs){ "permutation", .load = 0.9 };
    fail_each(&c->source, params);
    host_case_free(c);
}
