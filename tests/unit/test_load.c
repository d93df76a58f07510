/* test_load.c -- offered loads, against what is known of queues. */
#include "base/mem.h"
#include "helpers.h"
#include "host_cases.h"
#include "oracle/oracle.h"
#include "sim/load.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

/* All pairs of 'n' hosts, evenly. */
static struct sf_flow *
uniform_flows(uint32_t n, size_t *n_flowsp)
{
    struct sf_flow *flows = oracle_calloc((size_t)n * n, sizeof *flows);
    size_t n_flows = 0;

    for (uint32_t i = 0; i < n * n; i++) {
        if (i / n != i % n) {
            flows[n_flows++] = (struct sf_flow){ i / n, i % n, 1.0 / (n - 1) };
        }
    }
    *n_flowsp = n_flows;
    return flows;
}

static struct sf_run
run_flows(const struct host_case *c, const struct sf_flow *flows,
          size_t n_flows, double load)
{
    struct sf_run run;
    struct sf_error err = { 0 };
    CHECK_FOR(sf_run_load(&c->setup, flows, n_flows, load, &run, &err) ==
                  SF_OK,
              "%s", err.text);
    return run;
}

/* Uniform traffic on one switch with 'n' hosts. */
static struct sf_run
run_star(uint32_t n, uint32_t buffer, enum sf_sim_queues queues, double load,
         double host_delay)
{
    struct host_case *c = star_case(n, 1, 1, buffer);
    size_t n_flows;
    struct sf_flow *flows = uniform_flows(n, &n_flows);

    c->params.queues = queues;
    c->params.net.host_delay = host_delay;
    struct sf_run run = run_flows(c, flows, n_flows, load);
    free(flows);
    host_case_free(c);
    return run;
}

static double
mean_of(const double *values, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += values[i];
    }
    return sum / n;
}

/* 2 - sqrt(2) for many ports, a little more for few [Karol87].  The network
 * does not take it, and says so. */
TEST(load_fifo_saturates_at_0_586)
{
    struct sf_run run = run_star(32, 1000, SF_SIM_FIFO, 1, 0);

    CHECK_NEAR(mean_of(run.received, 32), 0.597, 0.01);
    CHECK(!run.is_finished);
    CHECK_EQ(run.n_cycle, 0);
    sf_run_clear(&run);
}

TEST_LONG(load_fifo_of_many_ports_saturates_at_0_586)
{
    struct sf_run run = run_star(256, 1000, SF_SIM_FIFO, 1, 0);

    CHECK_NEAR(mean_of(run.received, 256), 0.586, 0.005);
    sf_run_clear(&run);
}

TEST(load_voq_saturates_near_1)
{
    struct sf_run run = run_star(32, 1000, SF_SIM_VOQ, 1, 0);

    CHECK(mean_of(run.received, 32) > 0.97);
    sf_run_clear(&run);
}

/* A fifo switch takes half, and not two thirds. */
TEST(load_tells_what_the_network_takes)
{
    static const double loads[] = { 0.1, 0.5, 0.67 };

    for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
        struct sf_run run = run_star(32, 1000, SF_SIM_FIFO, loads[i], 0);
        bool is_taken = loads[i] < 0.58;
        CHECK_FOR(run.is_finished == is_taken, "load %g", loads[i]);
        if (is_taken) {
            CHECK_NEAR(mean_of(run.received, 32), loads[i], 0.01);
            CHECK_NEAR(mean_of(run.sent, 32), loads[i], 0.01);
            CHECK(run.latency_error <=
                  0.05 * run.latency.sum / (double)run.latency.n);
        }
        sf_run_clear(&run);
    }
}

/* An output of a switch with n hosts is a queue with binomial arrivals from
 * n - 1 of them: the mean wait is (n - 2) / (n - 1) * rate / (2 (1 - rate))
 * [Karol87].  The link into the switch adds nothing, as one packet a slot is
 * born at most. */
TEST(load_voq_waits_as_an_output_queue_does)
{
    struct sf_run run = run_star(32, 1000, SF_SIM_VOQ, 0.7, 0);
    double mean = run.latency.sum / (double)run.latency.n;
    double exact = 2 + 30.0 / 31 * 0.7 / (2 * 0.3);

    CHECK(run.is_finished);
    CHECK_NEAR(mean, exact, 0.03 * exact);
    CHECK(run.latency_error > 0 && fabs(mean - exact) < 3 * run.latency_error);
    sf_run_clear(&run);
}

/* A packet alone: a slot a link, and the delays of both hosts. */
TEST(load_latency_when_low_is_the_sum_of_its_parts)
{
    struct sf_run run = run_star(8, 4, SF_SIM_VOQ, 0.001, 1.5);
    struct sf_sim_spread spread = sf_samples_spread(&run.latency);

    CHECK(run.is_finished);
    CHECK_NEAR(spread.min, 2 + 3, 1e-9);
    CHECK_NEAR(spread.p50, 2 + 3, 1e-9);
    CHECK_NEAR(spread.mean, 2 + 3, 0.02);
    sf_run_clear(&run);
}

/* The same by events: cut-through. */
TEST(load_exact_latency_when_low_is_the_sum_of_its_parts)
{
    struct host_case *c = star_case(8, 1, 1, 4);
    size_t n_flows;
    struct sf_flow *flows = uniform_flows(8, &n_flows);

    make_exact(c, 50e-9, 10e-9);
    c->params.net.host_delay = 300e-9;
    struct sf_run run = run_flows(c, flows, n_flows, 0.001);
    double exact = 600e-9 + 100e-9 + 50e-9 + 20e-9;
    struct sf_sim_spread spread = sf_samples_spread(&run.latency);
    CHECK(run.is_finished);
    CHECK_NEAR(spread.min, exact, 1e-12);
    CHECK_NEAR(spread.p50, exact, 1e-12);
    sf_run_clear(&run);
    free(flows);
    host_case_free(c);
}

/* What a switch takes, and what a link that is shared does. */
TEST(load_exact_agrees_with_slots)
{
    struct host_case *c = detour_case(2, 1, 8);
    const struct sf_flow flows[] = { { 0, 2, 1 }, { 1, 3, 1 } };

    make_exact(c, 50e-9, 10e-9);
    struct sf_run run = run_flows(c, flows, 2, 0.9);
    CHECK(!run.is_finished);
    CHECK_NEAR(run.received[2] + run.received[3], 1, 0.01);
    sf_run_clear(&run);
    run = run_flows(c, flows, 2, 0.3);
    CHECK(run.is_finished);
    CHECK_NEAR(run.received[2], 0.3, 0.01);
    CHECK_NEAR(run.sent[0], 0.3, 0.01);
    CHECK_NEAR(run.loads[0], run.sent[0], 1e-3);
    sf_run_clear(&run);
    host_case_free(c);
}

/* Little: the mean number in the system is the rate times the mean latency,
 * here nearly exact: every packet is counted in each slot of its latency. */
TEST(load_obeys_littles_law)
{
    struct host_case *c = star_case(8, 1, 1, 4);
    struct sf_carrier carrier;
    struct sf_load *load;
    struct sf_run run = { 0 };
    size_t n_flows;
    struct sf_flow *flows = uniform_flows(8, &n_flows);
    uint64_t sum = 0;

    c->params.queues = SF_SIM_FIFO;
    CHECK_EQ(sf_carrier_build(&c->setup, &carrier, NULL), SF_OK);
    CHECK_EQ(
        sf_load_build(&carrier, &c->setup, flows, n_flows, 0.5, &load, NULL),
        SF_OK);
    for (uint32_t slot = 0; slot < 4000; slot++) {
        CHECK_EQ(sf_carrier_advance(&carrier, 1, &run, NULL), SF_OK);
        sum += sf_packet_sim_n_in_flight(carrier.sim);
        for (uint32_t i = 0; i < 8; i++) {
            sum += sf_load_n_waiting(load, i);
        }
    }
    /* At the end of its last slot, a packet is no longer there. */
    struct sf_load_tally tally = sf_load_tally(load);
    double latency = tally.latency - (double)tally.n_delivered;
    CHECK(tally.n_delivered > 15000);
    CHECK_NEAR((double)sum / latency, 1, 0.005);
    CHECK_EQ(tally.n_sent,
             tally.n_delivered + sf_packet_sim_n_in_flight(carrier.sim));
    sf_load_free(load);
    sf_carrier_clear(&carrier);
    free(flows);
    host_case_free(c);
}

/* What waits is estimated by the age of the first; here hosts get one packet a
 * slot and can send one in two, so 500 wait in each after 1,000 slots. */
TEST(load_backlog_is_what_waits)
{
    struct host_case *c = star_case(2, 1, 1, 1);
    const struct sf_flow flows[] = { { 0, 1, 1 }, { 1, 0, 1 } };
    struct sf_carrier carrier;
    struct sf_load *load;
    struct sf_run run = { 0 };

    CHECK_EQ(sf_carrier_build(&c->setup, &carrier, NULL), SF_OK);
    CHECK_EQ(sf_load_build(&carrier, &c->setup, flows, 2, 1, &load, NULL),
             SF_OK);
    CHECK_EQ(sf_carrier_advance(&carrier, 1000, &run, NULL), SF_OK);
    uint32_t n = sf_load_n_waiting(load, 0) + sf_load_n_waiting(load, 1);
    CHECK_NEAR(n, 1000, 4);
    CHECK_NEAR(sf_load_backlog(load), n, 4);
    CHECK_NEAR(sf_load_offered(load), 2, 1e-9);
    sf_load_free(load);
    sf_carrier_clear(&carrier);
    host_case_free(c);
}

/* Receivers are drawn by amounts, and hosts send by theirs.  The flows are in
 * no order. */
TEST(load_follows_the_amounts)
{
    const struct sf_flow flows[] = { { 3, 0, 0.25 }, { 0, 1, 0.1 },
                                     { 0, 2, 0.6 },  { 3, 1, 0.25 },
                                     { 0, 3, 0.3 },  { 1, 2, 0 } };
    struct host_case *c = star_case(4, 1, 1, 100);
    struct sf_run run = run_flows(c, flows, ARRAY_SIZE(flows), 0.8);

    CHECK(run.is_finished);
    CHECK_NEAR(run.sent[0], 0.8, 0.02);
    CHECK_NEAR(run.sent[3], 0.4, 0.02);
    CHECK(run.sent[1] == 0 && run.sent[2] == 0);
    CHECK_NEAR(run.received[0], 0.2, 0.02);
    CHECK_NEAR(run.received[1], 0.08 + 0.2, 0.02);
    CHECK_NEAR(run.received[2], 0.48, 0.02);
    CHECK_NEAR(run.received[3], 0.24, 0.02);
    /* Links are measured over the same time. */
    for (uint32_t h = 0; h < 4; h++) {
        uint32_t link = sf_wires_to_host(c->wires, 0, h);
        CHECK_NEAR(run.loads[link], run.received[h], 1e-3);
        CHECK_NEAR(run.loads[h], run.sent[h], 1e-3);
    }
    sf_run_clear(&run);
    host_case_free(c);
}

/* Parts of what a host sends that took each path. */
static void
run_detour(enum sf_select select, double load, double parts[4])
{
    struct host_case *c = detour_case(1, 4, 8);
    const struct sf_flow flows[] = { { 0, 1, 1 } };

    c->params.select = select;
    struct sf_run run = run_flows(c, flows, 1, load);
    for (uint32_t a = 0; a < 4; a++) {
        uint32_t link = sf_wires_of_arc(c->wires, detour_arc(c, a));
        parts[a] = run.loads[link] / run.sent[0];
    }
    sf_run_clear(&run);
    host_case_free(c);
}

TEST(load_packets_choose_addresses)
{
    double parts[4];

    run_detour(SF_SELECT_FIRST, 0.5, parts);
    CHECK_NEAR(parts[0], 1, 1e-3);
    for (uint32_t select = SF_SELECT_STRIPE; select < SF_N_SELECTS; select++) {
        run_detour((enum sf_select)select, 0.5, parts);
        bool is_exact = select != SF_SELECT_RANDOM;
        for (uint32_t a = 0; a < 4; a++) {
            CHECK_NEAR(parts[a], 0.25, is_exact ? 0.005 : 0.03);
        }
    }
}

/* Half of a link is there for each of two that share it. */
TEST(load_saturates_where_a_link_is_shared)
{
    struct host_case *c = detour_case(2, 1, 8);
    const struct sf_flow flows[] = { { 0, 2, 1 }, { 1, 3, 1 } };
    struct sf_run run = run_flows(c, flows, 2, 0.9);

    CHECK(!run.is_finished);
    CHECK_NEAR(run.received[2] + run.received[3], 1, 0.01);
    uint32_t link = sf_wires_of_arc(c->wires, detour_arc(c, 0));
    CHECK_NEAR(run.loads[link], 1, 1e-3);
    CHECK(run.time < 20000); /* It does not go on for long. */
    sf_run_clear(&run);
    run = run_flows(c, flows, 2, 0.4);
    CHECK(run.is_finished);
    sf_run_clear(&run);
    host_case_free(c);
}

TEST(load_sees_a_deadlock)
{
    struct host_case *c = ring_case(6, 1, 2);
    struct sf_flow flows[6];

    for (uint32_t i = 0; i < 6; i++) {
        flows[i] = (struct sf_flow){ i, (i + 3) % 6, 1 };
    }
    struct sf_run run = run_flows(c, flows, 6, 1);
    CHECK_EQ(run.n_cycle, 6);
    CHECK(!run.is_finished && run.deadlock_time > 0);
    sf_run_clear(&run);
    host_case_free(c);
}

TEST(load_same_seed_same_result)
{
    struct sf_run runs[2];

    for (uint32_t i = 0; i < 2; i++) {
        runs[i] = run_star(8, 4, SF_SIM_FIFO, 0.4, 0);
    }
    CHECK(runs[0].latency.sum == runs[1].latency.sum);
    CHECK(runs[0].n_packets == runs[1].n_packets);
    for (uint32_t i = 0; i < 8; i++) {
        CHECK(runs[0].received[i] == runs[1].received[i]);
    }
    sf_run_clear(&runs[0]);
    sf_run_clear(&runs[1]);
}

TEST(load_refuses_what_is_none)
{
    static const double loads[] = { 0, -0.1, 1.1, (double)NAN };
    static const struct sf_flow bad[] = { { 0, 0, 1 },           { 2, 0, 1 },
                                          { 0, 2, 1 },           { 0, 1, -1 },
                                          { 0, 1, (double)NAN }, { 0, 1, 0 } };
    struct host_case *c = star_case(2, 1, 1, 2);
    const struct sf_flow good = { 0, 1, 1 };
    struct sf_error err = { 0 };
    struct sf_run run;

    for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
        CHECK_EQ(sf_run_load(&c->setup, &good, 1, loads[i], &run, &err),
                 SF_EINVAL);
    }
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        CHECK_EQ(sf_run_load(&c->setup, &bad[i], 1, 0.5, &run, &err),
                 SF_EINVAL);
    }
    CHECK_EQ(sf_run_load(&c->setup, NULL, 0, 0.5, &run, &err), SF_EINVAL);
    host_case_free(c);
}

static uint32_t n_followed;

static enum sf_status
count_follow(const struct sf_path_source *source, uint32_t from, uint32_t to,
             uint32_t address, struct sf_path *path, struct sf_error *err)
{
    const struct host_case *c = source->held;
    n_followed++;
    return c->source.follow(source, from, to, address, path, err);
}

/* Thousands of packets, but each route is looked up once. */
TEST(load_finds_each_route_once)
{
    struct host_case *c = star_case(4, 3, 3, 4);
    struct sf_path_source source = c->source;
    struct sf_run_setup setup = c->setup;
    const struct sf_flow flows[] = { { 0, 1, 1 }, { 2, 3, 1 }, { 1, 3, 0 } };

    source.held = c;
    source.follow = count_follow;
    setup.source = &source;
    c->params.select = SF_SELECT_ADAPTIVE;
    n_followed = 0;
    struct sf_run run;
    CHECK_EQ(sf_run_load(&setup, flows, ARRAY_SIZE(flows), 0.5, &run, NULL),
             SF_OK);
    CHECK(run.n_packets > 5000);
    CHECK_EQ(n_followed, 2 * 3);
    sf_run_clear(&run);
    host_case_free(c);
}

TEST(load_says_who_is_unreachable)
{
    struct host_case *c = detour_case(1, 3, 8);
    const struct sf_flow flow = { 2, 3, 1 };
    struct sf_error err = { 0 };
    struct sf_run run;

    CHECK_EQ(sf_run_load(&c->setup, &flow, 1, 0.5, &run, &err),
             SF_EUNREACHABLE);
    CHECK_STR(err.text, "no way from 2 to 3");
    host_case_free(c);
}

static void
fail_each(const struct host_case *c)
{
    size_t n_flows;
    struct sf_flow *flows = uniform_flows(4, &n_flows);
    enum sf_status status = SF_ENOMEM;

    for (unsigned long nth = 1; status != SF_OK; nth++) {
        struct sf_run run;
        sf_mem_fail_at(nth);
        status = sf_run_load(&c->setup, flows, n_flows, 0.1, &run, NULL);
        void *left = sf_calloc(1, 1);
        bool failed = left == NULL;
        free(left);
        sf_mem_fail_at(0);
        CHECK(nth < 200);
        CHECK(status == SF_ENOMEM || (status == SF_OK && nth > 20));
        CHECK_EQ(failed, status == SF_OK);
        if (status == SF_OK) {
            sf_run_clear(&run);
        }
    }
    free(flows);
}

TEST(load_nomem)
{
    struct host_case *c = star_case(4, 2, 1, 4);

    c->params.select = SF_SELECT_ADAPTIVE;
    fail_each(c);
    make_exact(c, 50e-9, 10e-9);
    fail_each(c);
    host_case_free(c);
}
