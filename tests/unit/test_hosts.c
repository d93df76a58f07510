/* test_hosts.c -- programs on simulated packets: times that can be reckoned
 * by hand, who takes which address, what is conserved. */
#include "base/mem.h"
#include "helpers.h"
#include "host_cases.h"
#include "oracle/oracle.h"
#include "sim/carrier.h"
#include "sim/hosts.h"
#include "sim/pairs.h"
#include "slimfly/random.h"
#include "slimfly/routing.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

/* Packets that the path of address 'a' carried away from the first switch. */
static double
carried(const struct host_case *c, const struct sf_run *run, uint32_t a)
{
    uint32_t link = sf_wires_of_arc(c->wires, detour_arc(c, a));
    return run->loads[(size_t)link * run->n_vls] * run->time / packet_time(c);
}

/* Nothing else is on the way: overhead, two host delays, a slot a link, and a
 * slot for each packet after the first. */
TEST(hosts_latency_is_the_sum_of_its_parts)
{
    struct host_case *c = detour_case(2, 1, 8);

    c->params.overhead = 2;
    c->params.net.host_delay = 3;
    add_message(c, 0, 2, 1, 10);
    struct sf_run run = run_case(c);
    CHECK(run.is_finished);
    CHECK_NEAR(run.starts[0], 12, 1e-9);
    CHECK_NEAR(run.ends[0], 12 + 3 + 4 + 3, 1e-9);
    CHECK_NEAR(run.time, run.ends[0], 0);
    CHECK_EQ(run.latency.n, 1);
    CHECK_NEAR(run.latency.max, 3 + 4 + 3, 1e-9);
    CHECK_EQ(run.n_packets, 1);
    CHECK_EQ(run.n_switch_hops, 3);
    sf_run_clear(&run);
    host_case_free(c);
}

/* Cut-through: a cable and a switch for each, the size once; what is half as
 * long takes half the time. */
TEST(hosts_exact_latency_is_the_sum_of_its_parts)
{
    struct host_case *c = detour_case(2, 1, 8);

    make_exact(c, 50e-9, 10e-9);
    c->params.overhead = 200e-9;
    c->params.net.host_delay = 300e-9;
    CHECK(sf_program_send(&c->program, 0, 2, PACKET * 3 / 2, 1e-6));
    struct sf_run run = run_case(c);
    CHECK(run.is_finished);
    CHECK_NEAR(run.starts[0], 1200e-9, 1e-12);
    CHECK_NEAR(run.ends[0],
               1200e-9 + 2 * 300e-9 + 150e-9 + 3 * 50e-9 + 4 * 10e-9, 2e-12);
    CHECK_NEAR(run.latency.max, 600e-9 + 100e-9 + 150e-9 + 40e-9, 2e-12);
    CHECK_NEAR(run.latency.min, 600e-9 + 50e-9 + 150e-9 + 40e-9, 2e-12);
    CHECK_NEAR(run.loads[0] * run.time, 150e-9, 2e-12);
    sf_run_clear(&run);
    host_case_free(c);
}

TEST(hosts_send_a_packet_a_slot)
{
    struct host_case *c = star_case(2, 1, 1, 8);

    add_message(c, 0, 1, 100, 0);
    struct sf_run run = run_case(c);
    CHECK_NEAR(run.time, 101, 1e-9);
    CHECK_NEAR(run.loads[0], 100 / 101.0, 1e-9);
    sf_run_clear(&run);
    host_case_free(c);
}

/* Times between slots are kept, and only packets wait for whole ones. */
TEST(hosts_round_starts_up_to_slots)
{
    struct host_case *c = star_case(2, 1, 1, 8);

    c->params.net.host_delay = 0.25;
    uint32_t first = add_message(c, 0, 1, 1, 0.5);
    uint32_t second = add_message(c, 1, 0, 1, 0.1);
    add_wait(c, first, second);
    struct sf_run run = run_case(c);
    CHECK_NEAR(run.starts[0], 0.5, 1e-9);
    CHECK_NEAR(run.ends[0], 1 + 2 + 0.25, 1e-9); /* Leaves at 1. */
    CHECK_NEAR(run.starts[1], 3.35, 1e-9);
    CHECK_NEAR(run.ends[1], 4 + 2 + 0.25, 1e-9);
    sf_run_clear(&run);
    host_case_free(c);
}

/* A host needs its overhead for one message after the other. */
TEST(hosts_overhead_is_serial)
{
    struct host_case *c = star_case(3, 1, 1, 8);

    c->params.overhead = 5;
    for (uint32_t i = 0; i < 4; i++) {
        add_message(c, 0, 1 + i % 2, 1, 0);
    }
    add_message(c, 2, 1, 1, 0);
    struct sf_run run = run_case(c);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_NEAR(run.starts[i], 5 * (i + 1), 1e-9);
        CHECK_NEAR(run.ends[i], 5 * (i + 1) + 2, 1e-9 + (i == 0));
    }
    CHECK_NEAR(run.starts[4], 5, 1e-9); /* Another host, at the same time. */
    sf_run_clear(&run);
    host_case_free(c);
}

TEST(hosts_chain_waits_for_each_before)
{
    struct host_case *c = star_case(5, 1, 1, 8);

    for (uint32_t i = 0; i < 20; i++) {
        add_message(c, i % 5, (i + 1) % 5, 3, 1);
        if (i > 0) {
            add_wait(c, i - 1, i);
        }
    }
    struct sf_run run = run_case(c);
    for (uint32_t i = 0; i < 20; i++) {
        /* A slot of delay, 3 packets over 2 links. */
        CHECK_NEAR(run.starts[i], 5 * i + 1, 1e-9);
        CHECK_NEAR(run.ends[i], 5 * i + 5, 1e-9);
    }
    sf_run_clear(&run);
    host_case_free(c);
}

TEST(hosts_fan_in_waits_for_the_last)
{
    struct host_case *c = star_case(8, 1, 1, 8);

    for (uint32_t i = 0; i < 6; i++) {
        add_message(c, i, 6, 1 + i, 0);
    }
    uint32_t last = add_message(c, 6, 7, 1, 2.5);
    for (uint32_t i = 0; i < 6; i++) {
        add_wait(c, i, last);
    }
    struct sf_run run = run_case(c);
    double latest = 0;
    for (uint32_t i = 0; i < 6; i++) {
        latest = fmax(latest, run.ends[i]);
    }
    CHECK_NEAR(latest, 22, 1e-9); /* 21 packets over one link. */
    CHECK_NEAR(run.starts[last], latest + 2.5, 1e-9);
    sf_run_clear(&run);
    host_case_free(c);
}

static void
add_random_messages(struct host_case *c, uint32_t n, struct sf_random *random)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = sf_random_below(random, 8);
        uint32_t to = (from + 1 + sf_random_below(random, 7)) % 8;
        add_message(c, from, to, 1 + sf_random_below(random, 20),
                    sf_random_below(random, 10) * packet_time(c));
        for (uint32_t j = 0; j < 2 && i > 0; j++) {
            if (sf_random_below(random, 2)) {
                add_wait(c, sf_random_below(random, i), i);
            }
        }
    }
}

/* When each message must have started, from when others ended: each host
 * takes on what is ready, the first first. */
static void
check_starts(const struct host_case *c, const struct sf_run *run)
{
    uint32_t n = (uint32_t)c->program.messages.n;
    double *ready = oracle_calloc(n, sizeof *ready);
    bool *is_done = oracle_calloc(n, sizeof *is_done);

    for (uint32_t i = 0; i < c->program.waits.n; i++) {
        const struct sf_wait *wait = &c->program.waits.items[i];
        ready[wait->after] = fmax(ready[wait->after], run->ends[wait->before]);
    }
    for (uint32_t i = 0; i < n; i++) {
        ready[i] += c->program.messages.items[i].delay;
    }
    for (uint32_t host = 0; host < c->wires->n_hosts; host++) {
        double free_at = 0;
        while (true) {
            uint32_t best = SF_NONE;
            for (uint32_t i = 0; i < n; i++) {
                if (c->program.messages.items[i].from == host && !is_done[i] &&
                    (best == SF_NONE || ready[i] < ready[best])) {
                    best = i;
                }
            }
            if (best == SF_NONE) {
                break;
            }
            is_done[best] = true;
            free_at = fmax(free_at, ready[best]) + c->params.overhead;
            CHECK_NEAR(run->starts[best], free_at, 1e-5 * packet_time(c));
        }
    }
    free(ready);
    free(is_done);
}

/* Each packet crosses the links of its path once, and nothing is lost. */
static void
check_conserved(const struct host_case *c, const struct sf_run *run)
{
    uint64_t n_packets = 0;
    double hops = 0, in = 0, out = 0;

    for (size_t i = 0; i < c->program.messages.n; i++) {
        n_packets += c->program.messages.items[i].bytes / PACKET;
        CHECK(run->ends[i] >= run->starts[i] + packet_time(c) * 0.999);
    }
    for (uint32_t l = 0; l < run->n_links; l++) {
        double n = run->loads[l] * run->time / packet_time(c);
        CHECK(run->loads[l] <= 1 + 1e-9 && run->blocked[l] <= 1 + 1e-9);
        hops += l < c->wires->n_hosts ? 0 : n;
        in += l < c->wires->n_hosts ? n : 0;
        out += c->wires->links[l].to < c->wires->n_hosts ? n : 0;
    }
    CHECK_EQ(run->n_packets, n_packets);
    CHECK_EQ(run->latency.n, n_packets);
    CHECK_NEAR(in, (double)n_packets, 1e-6);
    CHECK_NEAR(out, (double)n_packets, 1e-6);
    CHECK_NEAR(hops, (double)run->n_switch_hops, 1e-6);
}

TEST(hosts_honour_waits_and_lose_nothing)
{
    for (uint32_t seed = 0; seed < 100; seed++) {
        struct sf_random random;
        sf_random_init(&random, seed, 0);
        struct host_case *c = detour_case(4, 3, 4);
        c->params.select = (enum sf_select)(seed % SF_N_SELECTS);
        c->params.queues = (enum sf_sim_queues)(seed % SF_N_SIM_QUEUES);
        if (seed % 3 == 0) {
            make_exact(c, 50e-9, 10e-9);
        }
        double unit = packet_time(c);
        c->params.overhead = sf_random_below(&random, 3) * unit;
        c->params.net.host_delay = sf_random_below(&random, 3) * 0.7 * unit;
        c->params.window = sf_random_below(&random, 3) * 4;
        add_random_messages(c, 60, &random);
        struct sf_run run = run_case(c);
        CHECK(run.is_finished && run.n_cycle == 0);
        check_starts(c, &run);
        check_conserved(c, &run);
        sf_run_clear(&run);
        host_case_free(c);
    }
}

TEST(hosts_window_bounds_packets_under_way)
{
    struct host_case *c = detour_case(1, 2, 8);
    struct sf_carrier carrier;
    struct sf_hosts *hosts;
    struct sf_run run = { 0 };
    uint64_t most = 0;

    c->params.window = 3;
    c->params.select = SF_SELECT_STRIPE;
    add_message(c, 0, 1, 400, 0);
    add_message(c, 0, 1, 400, 0);
    end_program(c);
    CHECK_EQ(sf_carrier_build(&c->setup, &carrier, NULL), SF_OK);
    CHECK_EQ(sf_hosts_build(&carrier, &c->setup, &c->program, &hosts, NULL),
             SF_OK);
    while (sf_hosts_state(hosts).n_left > 0) {
        CHECK_EQ(sf_carrier_advance(&carrier, 1, &run, NULL), SF_OK);
        for (uint32_t i = 0; i < 2; i++) {
            struct sf_message_state state = sf_hosts_message(hosts, i);
            uint64_t n = state.n_sent - state.n_delivered;
            CHECK(n <= 3);
            most = n > most ? n : most;
        }
        CHECK_EQ(sf_packet_sim_check(carrier.sim, NULL), SF_OK);
    }
    CHECK(most >= 2);
    sf_hosts_free(hosts);
    sf_carrier_clear(&carrier);
    host_case_free(c);
}

/* A window of one packet over 2 links: a packet each 2 slots. */
TEST(hosts_small_window_halves_the_rate)
{
    struct host_case *c = star_case(2, 1, 1, 8);

    c->params.window = 1;
    add_message(c, 0, 1, 100, 0);
    struct sf_run run = run_case(c);
    CHECK_NEAR(run.time, 200, 1e-9);
    sf_run_clear(&run);
    host_case_free(c);
}

/* Flows of a host take turns. */
TEST(hosts_messages_take_turns)
{
    struct host_case *c = star_case(4, 1, 1, 8);

    add_message(c, 0, 1, 10, 0);
    add_message(c, 0, 2, 10, 0);
    add_message(c, 0, 3, 20, 0);
    struct sf_run run = run_case(c);
    CHECK_NEAR(run.ends[0], 29, 1e-9);
    CHECK_NEAR(run.ends[1], 30, 1e-9);
    CHECK_NEAR(run.ends[2], 41, 1e-9);
    sf_run_clear(&run);
    host_case_free(c);
}

TEST(hosts_stripe_sends_equal_parts)
{
    struct host_case *c = detour_case(2, 4, 8);

    c->params.select = SF_SELECT_STRIPE;
    add_message(c, 0, 2, 41, 0);
    add_message(c, 0, 2, 42, 0);
    add_message(c, 0, 2, 1, 0);
    struct sf_run run = run_case(c);
    for (uint32_t a = 0; a < 4; a++) {
        CHECK_NEAR(carried(c, &run, a), 21, 1e-6);
    }
    sf_run_clear(&run);
    host_case_free(c);
}

/* What UCX does: short messages take one lane. */
TEST(hosts_stripe_keeps_short_messages_together)
{
    struct host_case *c = detour_case(2, 4, 8);

    c->params.select = SF_SELECT_STRIPE;
    c->params.eager = 8 * PACKET;
    add_message(c, 0, 2, 8, 0);
    add_message(c, 0, 2, 12, 0);
    struct sf_run run = run_case(c);
    for (uint32_t a = 0; a < 4; a++) {
        CHECK_NEAR(carried(c, &run, a), a == 0 ? 11 : 3, 1e-6);
    }
    sf_run_clear(&run);
    host_case_free(c);
}

TEST(hosts_first_takes_the_first)
{
    struct host_case *c = detour_case(2, 4, 8);

    add_message(c, 0, 2, 41, 0);
    add_message(c, 1, 3, 41, 0);
    struct sf_run run = run_case(c);
    CHECK_NEAR(carried(c, &run, 0), 82, 1e-6);
    CHECK_NEAR(carried(c, &run, 1), 0, 0);
    sf_run_clear(&run);
    host_case_free(c);
}

/* The first message of each pair takes the first address. */
TEST(hosts_message_takes_the_next_for_each_message)
{
    struct host_case *c = detour_case(2, 4, 8);

    c->params.select = SF_SELECT_MESSAGE;
    for (uint32_t i = 0; i < 6; i++) {
        add_message(c, 0, 2, 1 + i, 0);
    }
    add_message(c, 1, 2, 100, 0);
    struct sf_run run = run_case(c);
    CHECK_NEAR(carried(c, &run, 0), 1 + 5 + 100, 1e-6);
    CHECK_NEAR(carried(c, &run, 1), 2 + 6, 1e-6);
    CHECK_NEAR(carried(c, &run, 2), 3, 1e-6);
    CHECK_NEAR(carried(c, &run, 3), 4, 1e-6);
    sf_run_clear(&run);
    host_case_free(c);
}

/* Each message is of 1, 8, 64 ... packets, so the digits to the base of 8 tell
 * who went where. */
TEST(hosts_random_takes_one_address_a_message)
{
    uint32_t n_used[3] = { 0 };

    for (uint64_t seed = 0; seed < 60; seed++) {
        struct host_case *c = detour_case(1, 3, 8);
        c->params.select = SF_SELECT_RANDOM;
        c->setup.seed = seed;
        add_message(c, 0, 1, 1, 0);
        add_message(c, 0, 1, 8, 0);
        add_message(c, 0, 1, 64, 0);
        struct sf_run run = run_case(c);
        for (uint32_t a = 0; a < 3; a++) {
            uint32_t n = (uint32_t)lround(carried(c, &run, a));
            CHECK((n & ~(1u | 8u | 64u)) == 0);
            n_used[a] += (uint32_t)__builtin_popcount(n);
        }
        sf_run_clear(&run);
        host_case_free(c);
    }
    for (uint32_t a = 0; a < 3; a++) {
        CHECK(n_used[a] > 40 && n_used[a] < 80); /* 60 each on average. */
    }
}

/* The first path is shared with a host behind it. */
static double
time_beside_others(enum sf_select select, double *first_part)
{
    struct host_case *c = detour_case(1, 4, 8);
    c->params.select = select;
    add_message(c, 2, 1, 1000, 0); /* From behind the first path. */
    uint32_t message = add_message(c, 0, 1, 1000, 0);
    struct sf_run run = run_case(c);
    double time = run.ends[message];
    *first_part = carried(c, &run, 0) / 1000;
    sf_run_clear(&run);
    host_case_free(c);
    return time;
}

/* Both end at one host, so each gets half of its link; what differs is who
 * waits where. */
TEST(hosts_adaptive_avoids_a_path_that_is_blocked)
{
    double first, adaptive, stripe;

    time_beside_others(SF_SELECT_STRIPE, &stripe);
    CHECK_NEAR(stripe, 0.25, 1e-6);
    time_beside_others(SF_SELECT_ADAPTIVE, &adaptive);
    CHECK_FOR(adaptive < 0.22, "adaptive sends %g over it", adaptive);
    time_beside_others(SF_SELECT_FIRST, &first);
    CHECK_NEAR(first, 1, 1e-6);
}

/* The first path is taken up by another pair, so the message is done earlier
 * if it keeps off. */
static double
time_around(enum sf_select select)
{
    struct host_case *c = detour_case(2, 2, 8);
    c->params.select = select;
    add_message(c, 4, 3, 1000, 0); /* From behind the first path. */
    uint32_t message = add_message(c, 0, 2, 1000, 0);
    struct sf_run run = run_case(c);
    double time = run.ends[message];
    sf_run_clear(&run);
    host_case_free(c);
    return time;
}

/* Both ways to keep time agree where packets are full and delays small. */
TEST(hosts_exact_agrees_with_slots)
{
    double times[2];

    for (uint32_t i = 0; i < 2; i++) {
        struct host_case *c = detour_case(4, 2, 8);
        if (i == 1) {
            make_exact(c, 1e-9, 0);
        }
        c->params.select = SF_SELECT_STRIPE;
        for (uint32_t from = 0; from < 8; from++) {
            for (uint32_t to = 0; to < 8; to++) {
                if (from != to) {
                    add_message(c, from, to, 100, 0);
                }
            }
        }
        struct sf_run run = run_case(c);
        CHECK(run.is_finished);
        times[i] = run.time / packet_time(c);
        sf_run_clear(&run);
        host_case_free(c);
    }
    CHECK_NEAR(times[1], times[0], 0.02 * times[0]);
}

TEST(hosts_adaptive_is_done_before_stripes)
{
    double adaptive = time_around(SF_SELECT_ADAPTIVE);
    double stripe = time_around(SF_SELECT_STRIPE);
    double first = time_around(SF_SELECT_FIRST);

    CHECK(adaptive <= stripe && stripe < first);
    CHECK_NEAR(first, 2000, 20);
}

static void
check_ring(uint32_t n_vls, bool is_exact)
{
    struct host_case *c = ring_case(6, n_vls, 2);
    if (is_exact) {
        make_exact(c, 10e-9, 1e-9);
    }
    for (uint32_t i = 0; i < 6; i++) {
        add_message(c, i, (i + 3) % 6, 500, 0);
    }
    struct sf_run run = run_case(c);
    CHECK_EQ(run.is_finished, n_vls == 2);
    CHECK_EQ(run.n_cycle, n_vls == 1 ? 6 : 0);
    for (uint32_t i = 0; i < run.n_cycle; i++) {
        uint32_t link = run.cycle[i].link;
        uint32_t next = run.cycle[(i + 1) % 6].link;
        CHECK(sf_wires_arc_of(c->wires, link) != SF_NONE);
        CHECK_EQ(c->wires->links[link].to, c->wires->links[next].from);
    }
    if (n_vls == 1) {
        CHECK(run.deadlock_time > 0 &&
              run.deadlock_time < 2000 * packet_time(c));
        CHECK(run.time == run.deadlock_time);
        CHECK(isinf(run.ends[0]) && isfinite(run.starts[0]));
    }
    sf_run_clear(&run);
    host_case_free(c);
}

TEST(hosts_see_a_deadlock)
{
    for (uint32_t n_vls = 1; n_vls <= 2; n_vls++) {
        check_ring(n_vls, false);
        check_ring(n_vls, true);
    }
}

/* All on lane 0, but for one pair. */
static enum sf_status
follow_two_lanes(const struct sf_path_source *source, uint32_t from,
                 uint32_t to, uint32_t address, struct sf_path *path,
                 struct sf_error *err)
{
    struct sf_path_source one_lane = *source;
    const struct host_case *c = source->held;
    uint8_t vl = from == 0 && to == 1;

    one_lane.n_vls = 1;
    enum sf_status status =
        c->source.follow(&one_lane, from, to, address, path, err);
    path->first_vl = path->vls[0] = vl;
    return status;
}

/* A deadlock of some beside which others would go on for long. */
TEST(hosts_see_a_deadlock_while_others_move)
{
    struct host_case *c = ring_case(6, 2, 2);
    struct sf_run_setup setup = c->setup;
    struct sf_path_source source = c->source;
    struct sf_run run;

    source.follow = follow_two_lanes;
    source.held = c;
    setup.source = &source;
    for (uint32_t i = 0; i < 6; i++) {
        add_message(c, i, (i + 3) % 6, 500, 0);
    }
    add_message(c, 0, 1, 1000000, 0);
    end_program(c);
    CHECK_EQ(sf_run_packets(&setup, &c->program, &run, NULL), SF_OK);
    CHECK(!run.is_finished);
    CHECK_EQ(run.n_cycle, 6);
    CHECK(run.deadlock_time < 5000);
    CHECK(run.n_packets > 100);
    sf_run_clear(&run);
    host_case_free(c);
}

TEST(hosts_long_computing_costs_no_time)
{
    struct host_case *c = star_case(2, 1, 1, 8);

    uint32_t first = add_message(c, 0, 1, 1, 1e8);
    uint32_t second = add_message(c, 1, 0, 1, 1e9);
    add_wait(c, first, second);
    struct sf_run run = run_case(c);
    CHECK_NEAR(run.time, 1.1e9 + 4, 1e-3);
    sf_run_clear(&run);
    host_case_free(c);
}

TEST(hosts_same_seed_same_result)
{
    struct sf_run runs[3];
    struct host_case *cases[3];

    for (uint32_t i = 0; i < 3; i++) {
        struct sf_random random;
        sf_random_init(&random, 5, 0);
        cases[i] = detour_case(4, 3, 4);
        make_exact(cases[i], 50e-9, 10e-9);
        cases[i]->params.select = SF_SELECT_RANDOM;
        cases[i]->setup.seed = i == 2 ? 2 : 1;
        add_random_messages(cases[i], 60, &random);
        runs[i] = run_case(cases[i]);
    }
    uint32_t n_different = 0;
    for (uint32_t i = 0; i < 60; i++) {
        CHECK(runs[0].ends[i] == runs[1].ends[i]);
        n_different += runs[0].ends[i] != runs[2].ends[i];
    }
    CHECK(n_different > 0);
    CHECK(runs[0].latency.sum == runs[1].latency.sum);
    for (uint32_t i = 0; i < 3; i++) {
        sf_run_clear(&runs[i]);
        host_case_free(cases[i]);
    }
}

/* Only routes that are taken are asked for, and none is no path. */
TEST(hosts_say_who_is_unreachable)
{
    struct host_case *c = detour_case(1, 3, 8);
    struct sf_error err = { 0 };
    struct sf_run run;

    add_message(c, 0, 1, 1, 0);
    add_message(c, 2, 3, 1, 0);
    end_program(c);
    CHECK_EQ(sf_run_packets(&c->setup, &c->program, &run, &err),
             SF_EUNREACHABLE);
    CHECK_STR(err.text, "no way from 2 to 3");
    CHECK(run.starts == NULL && run.loads == NULL);
    host_case_free(c);
}

/* A Slim Fly with routes and a cable of its own length in each port. */
struct cabled {
    struct sf_network *network;
    struct sf_routing *routing;
    struct sf_wires *wires;
    struct sf_path_source source;
    double *lengths; /* [fabric->n_ports] */
};

static void
make_cabled(struct cabled *cabled)
{
    struct sf_topology *topo = build("sf:q=4");
    struct sf_routing_params params = {
        .layers = { .scheme = "minimal", .n_layers = 1 },
    };
    struct sf_fabric *fabric;
    struct sf_error err = { 0 };

    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_network_build(fabric, &cabled->network, NULL), SF_OK);
    CHECK_FOR(sf_routing_build(cabled->network, &params, &cabled->routing,
                               &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(sf_path_source_of_routes(cabled->network, cabled->routing->routes,
                                      SF_SL_OF_PATH, &cabled->source, NULL),
             SF_OK);
    CHECK_EQ(sf_wires_build(cabled->network, &cabled->wires, NULL), SF_OK);
    cabled->lengths = oracle_calloc(fabric->n_ports, sizeof(double));
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        uint32_t peer = fabric->ports[i].peer;
        uint32_t first = peer < i ? peer : i; /* Both ends alike. */
        cabled->lengths[i] = 1 + first % 37;
    }
    sf_fabric_free(fabric);
    sf_topology_free(topo);
}

static void
free_cabled(struct cabled *cabled)
{
    free(cabled->lengths);
    sf_wires_free(cabled->wires);
    sf_routing_free(cabled->routing);
    sf_network_free(cabled->network);
}

/* The lengths of the cables of a path. */
static double
sum_lengths(const struct cabled *cabled, uint32_t from, uint32_t to,
            uint32_t *n_arcsp)
{
    const struct sf_network *network = cabled->network;
    struct sf_path path;
    CHECK_EQ(cabled->source.follow(&cabled->source, from, to, 0, &path, NULL),
             SF_OK);
    double sum = cabled->lengths[network->host_ports[from]] +
                 cabled->lengths[network->host_ports[to]];
    for (uint32_t i = 0; i < path.n_arcs; i++) {
        sum += cabled->lengths[network->arc_ports[path.arcs[i]]];
    }
    *n_arcsp = path.n_arcs;
    return sum;
}

TEST(hosts_exact_knows_the_length_of_each_cable)
{
    struct cabled cabled;
    make_cabled(&cabled);
    struct sf_simulation_params params = {
        .timing = SF_SIM_EXACT,
        .net = sf_sim_nets[0],
        .lengths = cabled.lengths,
    };
    struct sf_run_setup setup = { &cabled.source, cabled.wires, &params, 1 };
    double packet = (100 + params.net.header) / params.net.rate;

    for (uint32_t to = 1; to < cabled.wires->n_hosts; to += 7) {
        struct sf_program program = { 0 };
        struct sf_run run;
        uint32_t n_arcs;
        CHECK(sf_program_send(&program, 0, to, 100, 0));
        CHECK_EQ(sf_program_end(&program, cabled.wires->n_hosts, NULL), SF_OK);
        CHECK_EQ(sf_run_packets(&setup, &program, &run, NULL), SF_OK);
        double metres = sum_lengths(&cabled, 0, to, &n_arcs);
        CHECK_NEAR(run.time,
                   packet + metres * params.net.cable_delay +
                       (n_arcs + 1) * params.net.switch_delay +
                       2 * params.net.host_delay,
                   5e-12);
        sf_run_clear(&run);
        sf_program_clear(&program);
    }
    free_cabled(&cabled);
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

/* How many routes are asked for: only those that are taken, once each. */
TEST(hosts_find_only_routes_that_are_taken)
{
    static const uint32_t n_routes[SF_N_SELECTS] = {
        [SF_SELECT_FIRST] = 2,    [SF_SELECT_STRIPE] = 3 + 4,
        [SF_SELECT_MESSAGE] = 3,  [SF_SELECT_RANDOM] = 3,
        [SF_SELECT_ADAPTIVE] = 8,
    };

    for (uint32_t select = 0; select < SF_N_SELECTS; select++) {
        struct host_case *c = detour_case(2, 4, 8);
        struct sf_path_source source = c->source;
        struct sf_run_setup setup = c->setup;
        struct sf_run run;

        source.held = c;
        source.follow = count_follow;
        setup.source = &source;
        c->params.select = (enum sf_select)select;
        add_message(c, 0, 2, 1, 0);
        add_message(c, 1, 2, 10, 0);
        add_message(c, 0, 2, 2, 0);
        end_program(c);
        n_followed = 0;
        CHECK_EQ(sf_run_packets(&setup, &c->program, &run, NULL), SF_OK);
        if (select == SF_SELECT_RANDOM) {
            CHECK(n_followed == 2 || n_followed == 3);
        } else {
            CHECK_EQ(n_followed, n_routes[select]);
        }
        sf_run_clear(&run);
        host_case_free(c);
    }
}

TEST(hosts_refuse_what_cannot_be)
{
    struct host_case *c = star_case(2, 1, 1, 8);
    struct sf_error err = { 0 };
    struct sf_run run;

    CHECK(sf_program_send(&c->program, 0, 1, (uint64_t)1 << 60, 0));
    end_program(c);
    CHECK_EQ(sf_run_packets(&c->setup, &c->program, &run, &err), SF_ELIMIT);
    c->params.net.buffer = PACKET - 1;
    CHECK_EQ(sf_run_packets(&c->setup, &c->program, &run, &err), SF_EINVAL);
    c->params.net.buffer = PACKET;
    c->source.n_addresses = 200;
    c->params.select = SF_SELECT_STRIPE;
    CHECK_EQ(sf_run_packets(&c->setup, &c->program, &run, &err), SF_EINVAL);
    host_case_free(c);
}

TEST(hosts_run_an_empty_program)
{
    struct host_case *c = star_case(2, 1, 1, 8);
    struct sf_run run = run_case(c);

    CHECK(run.is_finished && run.time == 0 && run.n_packets == 0);
    sf_run_clear(&run);
    host_case_free(c);
}

/* Each allocation of a run failing in turn. */
static void
fail_each(struct host_case *c)
{
    for (unsigned long nth = 1;; nth++) {
        struct sf_run run;
        sf_mem_fail_at(nth);
        enum sf_status status =
            sf_run_packets(&c->setup, &c->program, &run, NULL);
        void *left = sf_calloc(1, 1);
        bool failed = left == NULL;
        free(left);
        sf_mem_fail_at(0);
        CHECK(nth < 200);
        CHECK_EQ(failed, status == SF_OK); /* No failure was swallowed. */
        if (status == SF_OK) {
            CHECK(nth > 20);
            sf_run_clear(&run);
            return;
        }
        CHECK_EQ(status, SF_ENOMEM);
    }
}

TEST(hosts_nomem)
{
    for (uint32_t select = 0; select < SF_N_SELECTS; select++) {
        struct sf_random random;
        sf_random_init(&random, 1, 0);
        struct host_case *c = detour_case(4, 3, 4);
        c->params.select = (enum sf_select)select;
        add_random_messages(c, 40, &random);
        end_program(c);
        fail_each(c);
        make_exact(c, 50e-9, 10e-9);
        fail_each(c);
        host_case_free(c);
    }
    struct host_case *ring = ring_case(6, 1, 2);
    for (uint32_t i = 0; i < 6; i++) {
        add_message(ring, i, (i + 3) % 6, 500, 0);
    }
    end_program(ring);
    fail_each(ring);
    host_case_free(ring);
}
