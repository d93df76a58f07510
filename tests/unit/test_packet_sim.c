/* test_packet_sim.c -- packets in slots, against a slow counterpart and
 * against what is known of queues. */
#include "base/mem.h"
#include "helpers.h"
#include "oracle/oracle.h"
#include "oracle/packet_oracle.h"
#include "sim/load.h"
#include "sim/messages.h"
#include "slimfly/random.h"
#include "test.h"

#include <math.h>

/* A small network with packets to send. */
struct scenario {
    struct sf_packet_params params;
    struct sf_sim_link links[64];
    uint32_t n_packets;
    struct oracle_packet packets[256];
};

static void
add_link(struct scenario *scenario, uint32_t from, uint32_t to)
{
    CHECK(scenario->params.n_links < ARRAY_SIZE(scenario->links));
    scenario->links[scenario->params.n_links++] =
        (struct sf_sim_link){ from, to };
    scenario->params.links = scenario->links;
}

/* A ring of switches with one or two hosts each, and chords here and there:
 * all reach all, and routes can wind. */
static void
make_network(struct scenario *scenario, struct sf_random *random)
{
    static const uint32_t n_vls[] = { 1, 2, 3, 4, 16 };
    uint32_t n = 2 + sf_random_below(random, 5);
    uint32_t n_hosts = n + sf_random_below(random, n + 1);

    scenario->params = (struct sf_packet_params){
        .n_nodes = n_hosts + n,
        .n_hosts = n_hosts,
        .n_vls = n_vls[sf_random_below(random, ARRAY_SIZE(n_vls))],
        .buffer = 1 + sf_random_below(random, 4),
        .queues = sf_random_below(random, 2) ? SF_SIM_FIFO : SF_SIM_VOQ,
    };
    for (uint32_t i = 0; i < n_hosts; i++) {
        add_link(scenario, i, n_hosts + i % n);
    }
    for (uint32_t i = 0; i < n; i++) {
        add_link(scenario, n_hosts + i, n_hosts + (i + 1) % n);
        for (uint32_t j = 0; j < n; j++) {
            if (j != i && sf_random_below(random, 3) == 0) {
                add_link(scenario, n_hosts + i, n_hosts + j);
            }
        }
        for (uint32_t j = i; j < n_hosts; j += n) {
            add_link(scenario, n_hosts + i, j);
        }
    }
}

/* A random walk that leaves for a host at last. */
static void
make_route(const struct scenario *scenario, struct sf_random *random,
           struct oracle_packet *packet)
{
    const struct sf_packet_params *params = &scenario->params;
    uint32_t max = 3 + sf_random_below(random, ORACLE_MAX_HOPS - 2);
    uint32_t node = packet->host;

    packet->n_hops = 0;
    do {
        bool must_leave = packet->n_hops + 1 == max;
        uint32_t found = SF_NONE, n_seen = 0;
        for (uint32_t i = 0; i < params->n_links; i++) {
            bool leaves = scenario->links[i].to < params->n_hosts;
            if (scenario->links[i].from == node && (!must_leave || leaves) &&
                sf_random_below(random, ++n_seen) == 0) {
                found = i;
            }
        }
        packet->hops[packet->n_hops++] =
            (struct sf_sim_hop){ found,
                                 sf_random_below(random, params->n_vls) };
        node = scenario->links[found].to;
    } while (node >= params->n_hosts);
}

static int
compare_packets(const void *a, const void *b)
{
    const struct oracle_packet *x = a, *y = b;
    return x->host != y->host ? (x->host < y->host ? -1 : 1)
                              : (x->born > y->born) - (x->born < y->born);
}

static void
make_packets(struct scenario *scenario, struct sf_random *random)
{
    uint32_t n_slots = 1 + sf_random_below(random, 60);

    scenario->n_packets = 1 + sf_random_below(random, 200);
    for (uint32_t i = 0; i < scenario->n_packets; i++) {
        struct oracle_packet *packet = &scenario->packets[i];
        packet->host = sf_random_below(random, scenario->params.n_hosts);
        packet->born = sf_random_below(random, n_slots);
        make_route(scenario, random, packet);
    }
    qsort(scenario->packets, scenario->n_packets, sizeof *scenario->packets,
          compare_packets);
}

/* Feeds the library what a scenario tells, and notes what comes out. */
struct script {
    const struct scenario *scenario;
    struct sf_packet_sim *sim;
    bool is_sent[256];
    struct sf_sim_route routes[256];
    uint32_t delivered[256];
    uint32_t latency[256];
};

static bool
script_next(void *context, uint32_t host, uint64_t slot, uint32_t vls,
            struct sf_sim_offer *offer)
{
    struct script *script = context;
    const struct oracle_packet *packets = script->scenario->packets;

    for (uint32_t i = 0; i < script->scenario->n_packets; i++) {
        if (packets[i].host != host || script->is_sent[i]) {
            continue;
        }
        if (packets[i].born > slot) {
            offer->wake = packets[i].born;
            return false;
        }
        if (vls >> packets[i].hops[0].vl & 1) {
            *offer = (struct sf_sim_offer){ .route = script->routes[i],
                                            .born = packets[i].born,
                                            .tag = i };
            script->is_sent[i] = true;
            return true;
        }
    }
    return false;
}

static void
script_delivered(void *context, uint32_t tag, uint64_t latency)
{
    struct script *script = context;
    CHECK_EQ(script->delivered[tag], SF_NONE);
    script->delivered[tag] = sf_packet_sim_slot(script->sim);
    script->latency[tag] = (uint32_t)latency;
}

static struct sf_packet_sim *
make_sim(const struct sf_packet_params *params)
{
    struct sf_packet_sim *sim;
    struct sf_error err = { 0 };
    CHECK_FOR(sf_packet_sim_build(params, &sim, &err) == SF_OK, "%s",
              err.text);
    return sim;
}

static struct sf_sim_route
encode(const struct sf_packet_sim *sim, const struct sf_sim_hop *hops,
       uint32_t n_hops)
{
    struct sf_sim_route route;
    struct sf_error err = { 0 };
    CHECK_FOR(sf_packet_sim_encode(sim, hops, n_hops, &route, &err) == SF_OK,
              "%s", err.text);
    return route;
}

static void
start_script(struct script *script, const struct scenario *scenario)
{
    memset(script, 0, sizeof *script);
    script->scenario = scenario;
    script->sim = make_sim(&scenario->params);
    for (uint32_t i = 0; i < scenario->n_packets; i++) {
        const struct oracle_packet *packet = &scenario->packets[i];
        script->routes[i] = encode(script->sim, packet->hops, packet->n_hops);
        script->delivered[i] = SF_NONE;
    }
    struct sf_sim_feeder feeder = { script, script_next, script_delivered };
    CHECK_EQ(sf_packet_sim_feed(script->sim, &feeder, NULL), SF_OK);
}

static void
run(struct sf_packet_sim *sim, uint32_t n_slots)
{
    struct sf_error err = { 0 };
    CHECK_FOR(sf_packet_sim_run(sim, n_slots, &err) == SF_OK, "%s", err.text);
}

static void
check_state(const struct sf_packet_sim *sim)
{
    struct sf_error err = { 0 };
    CHECK_FOR(sf_packet_sim_check(sim, &err) == SF_OK, "slot %u: %s",
              sf_packet_sim_slot(sim), err.text);
}

static struct sf_sim_deadlock
find_deadlock(const struct sf_packet_sim *sim)
{
    struct sf_sim_deadlock deadlock;
    CHECK_EQ(sf_packet_sim_find_deadlock(sim, &deadlock, NULL), SF_OK);
    return deadlock;
}

/* Full buffers, in each a packet that waits for the next. */
static void
check_cycle(const struct sf_sim_deadlock *deadlock,
            const struct oracle_packets *oracle)
{
    CHECK(deadlock->n_cycle > 0 && deadlock->n_cycle <= deadlock->n_stuck);
    for (uint32_t i = 0; i < deadlock->n_cycle; i++) {
        struct sf_sim_hop here = deadlock->cycle[i];
        struct sf_sim_hop next = deadlock->cycle[(i + 1) % deadlock->n_cycle];
        CHECK_EQ(oracle_packets_in(oracle, here), oracle->params.buffer);
        CHECK(oracle_packets_waits(oracle, here, next));
    }
}

static void
compare_packets_and_links(const struct script *script,
                          const struct oracle_packets *oracle, uint32_t seed)
{
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        const struct oracle_packet *packet = &oracle->packets[i];
        CHECK_FOR(script->delivered[i] == packet->delivered,
                  "seed %u: packet %u came in slot %d instead of %d", seed, i,
                  (int)script->delivered[i], (int)packet->delivered);
        CHECK(packet->delivered == SF_NONE ||
              script->latency[i] == packet->delivered + 1 - packet->born);
    }
    for (uint32_t i = 0; i < oracle->params.n_links; i++) {
        for (uint32_t vl = 0; vl < oracle->params.n_vls; vl++) {
            uint32_t n = 0;
            for (uint32_t j = 0; j < oracle->n_packets; j++) {
                const struct oracle_packet *packet = &oracle->packets[j];
                for (uint32_t k = 0; k < packet->n_done; k++) {
                    n += packet->hops[k].link == i && packet->hops[k].vl == vl;
                }
            }
            CHECK_EQ(sf_packet_sim_n_carried(script->sim, i, vl), n);
        }
        CHECK_EQ(sf_packet_sim_n_blocked(script->sim, i),
                 oracle->n_blocked[i]);
    }
}

/* Both side by side until all is delivered or stuck; returns whether there was
 * a deadlock. */
static bool
compare_with_oracle(uint32_t seed)
{
    static struct scenario scenario;
    static struct script script;
    struct sf_random random;
    uint32_t n_stuck = 0, n_quiet = 0;

    memset(&scenario, 0, sizeof scenario);
    sf_random_init(&random, seed, 0);
    make_network(&scenario, &random);
    make_packets(&scenario, &random);
    start_script(&script, &scenario);
    struct oracle_packets *oracle = oracle_packets_make(
        &scenario.params, scenario.packets, scenario.n_packets);
    while (n_quiet < 70) { /* All are born by then. */
        uint64_t before = oracle->clock;
        run(script.sim, 1);
        oracle_packets_step(oracle);
        n_quiet = oracle->clock == before ? n_quiet + 1 : 0;
        check_state(script.sim);
        struct sf_sim_deadlock deadlock = find_deadlock(script.sim);
        CHECK(deadlock.n_stuck >= n_stuck); /* It never ends. */
        n_stuck = deadlock.n_stuck;
        if (n_stuck > 0) {
            check_cycle(&deadlock, oracle);
        }
        sf_sim_deadlock_clear(&deadlock);
    }
    compare_packets_and_links(&script, oracle, seed);
    bool is_left = sf_packet_sim_n_in_flight(script.sim) > 0;
    CHECK_EQ(is_left, n_stuck > 0);
    oracle_packets_free(oracle);
    sf_packet_sim_free(script.sim);
    return is_left;
}

static void
compare_many(uint32_t from, uint32_t to)
{
    uint32_t n_deadlocks = 0;
    for (uint32_t seed = from; seed < to; seed++) {
        n_deadlocks += compare_with_oracle(seed);
    }
    /* Both were seen. */
    CHECK(n_deadlocks > 0 && n_deadlocks < to - from);
}

TEST(packet_sim_agrees_with_the_oracle)
{
    compare_many(0, 400);
}

TEST_LONG(packet_sim_agrees_with_the_oracle_longer)
{
    compare_many(400, 5000);
}

/* One switch with 'n' hosts. */
static struct sf_packet_sim *
make_star(uint32_t n, uint32_t buffer, enum sf_sim_queues queues)
{
    struct sf_sim_link *links = oracle_calloc(2 * (size_t)n, sizeof *links);
    for (uint32_t i = 0; i < n; i++) {
        links[i] = (struct sf_sim_link){ i, n };
        links[n + i] = (struct sf_sim_link){ n, i };
    }
    struct sf_packet_params params = {
        .n_nodes = n + 1,
        .n_hosts = n,
        .n_links = 2 * n,
        .links = links,
        .n_vls = 1,
        .buffer = buffer,
        .queues = queues,
    };
    struct sf_packet_sim *sim = make_sim(&params);
    free(links);
    return sim;
}

/* What came out. */
struct tally {
    uint64_t n, sum, min;
};

static void
tally_delivery(void *context, uint32_t route, uint32_t latency)
{
    struct tally *tally = context;
    (void)route;
    tally->n++;
    tally->sum += latency;
    tally->min = latency < tally->min ? latency : tally->min;
}

/* Uniform traffic on a star. */
struct star {
    uint32_t n;
    struct sf_packet_sim *sim;
    struct sf_sim_route *routes;
    uint32_t *first;
    struct sf_load *load;
    struct tally tally;
};

static void
start_star(struct star *star, uint32_t n, uint32_t buffer,
           enum sf_sim_queues queues, double rate)
{
    *star = (struct star){ .n = n, .tally = { .min = UINT64_MAX } };
    star->sim = make_star(n, buffer, queues);
    star->routes = oracle_calloc((size_t)n * n, sizeof *star->routes);
    star->first = oracle_calloc((size_t)n + 1, sizeof *star->first);
    for (uint32_t i = 0; i < n * n; i++) {
        struct sf_sim_hop hops[] = { { i / n, 0 }, { n + i % n, 0 } };
        star->routes[i] = encode(star->sim, hops, 2);
        star->first[i / n + 1] = i + 1;
    }
    struct sf_load_params params = {
        .rate = rate,
        .seed = 1,
        .routes = star->routes,
        .first = star->first,
        .context = &star->tally,
        .delivered = tally_delivery,
    };
    CHECK_EQ(sf_load_build(star->sim, &params, &star->load, NULL), SF_OK);
}

static void
end_star(struct star *star)
{
    sf_load_free(star->load);
    sf_packet_sim_free(star->sim);
    free(star->routes);
    free(star->first);
}

/* Packets a slot and host that come out of a star when all send always. */
static double
saturate_star(uint32_t n, enum sf_sim_queues queues)
{
    struct star star;
    start_star(&star, n, 1000, queues, 1);
    run(star.sim, 3000);
    uint64_t before = star.tally.n;
    run(star.sim, 10000);
    double rate = (double)(star.tally.n - before) / 10000 / n;
    end_star(&star);
    return rate;
}

/* 2 - sqrt(2) for many ports, a little more for few [Karol87]. */
TEST(packet_sim_fifo_saturates_at_0_586)
{
    CHECK_NEAR(saturate_star(32, SF_SIM_FIFO), 0.597, 0.008);
    CHECK_NEAR(saturate_star(2, SF_SIM_FIFO), 0.75, 0.01);
}

TEST(packet_sim_voq_saturates_near_1)
{
    CHECK(saturate_star(32, SF_SIM_VOQ) > 0.97);
}

/* An output of a switch with n hosts is a queue with binomial arrivals: the
 * mean wait is (n - 1) / n * rate / (2 (1 - rate)) [Karol87].  The link
 * into the switch adds nothing, as one packet a slot is born at most. */
TEST(packet_sim_voq_waits_as_an_output_queue_does)
{
    struct star star;
    start_star(&star, 16, 1000, SF_SIM_VOQ, 0.8);
    run(star.sim, 2000);
    struct tally before = star.tally;
    run(star.sim, 40000);
    double mean = (double)(star.tally.sum - before.sum) /
                  (double)(star.tally.n - before.n);
    CHECK_NEAR(mean, 2 + 15.0 / 16 * 0.8 / (2 * 0.2), 0.05);
    end_star(&star);
}

/* Little: the mean number in the system is the rate times the mean latency,
 * here exact: every packet is counted in each slot of its latency. */
TEST(packet_sim_obeys_littles_law)
{
    struct star star;
    uint64_t sum = 0;

    start_star(&star, 8, 4, SF_SIM_FIFO, 0.5);
    for (uint32_t slot = 0; slot < 4000; slot++) {
        run(star.sim, 1);
        check_state(star.sim);
        sum += sf_packet_sim_n_in_flight(star.sim);
        for (uint32_t i = 0; i < star.n; i++) {
            sum += sf_load_n_waiting(star.load, i);
        }
    }
    /* At the end of its last slot, a packet is no longer there. */
    uint64_t latency = star.tally.sum - star.tally.n;
    CHECK(star.tally.n > 15000);
    CHECK_NEAR((double)sum / (double)latency, 1, 0.005);
    end_star(&star);
}

/* Without others, a packet takes a slot a link. */
TEST(packet_sim_latency_of_an_empty_network_is_its_links)
{
    struct star star;
    start_star(&star, 8, 1, SF_SIM_VOQ, 0.0005);
    run(star.sim, 20000);
    CHECK_EQ(star.tally.min, 2);
    CHECK_NEAR((double)star.tally.sum / (double)star.tally.n, 2, 0.03);
    end_star(&star);
}

TEST(packet_sim_same_seed_same_result)
{
    struct tally tallies[2];
    for (int i = 0; i < 2; i++) {
        struct star star;
        start_star(&star, 8, 2, SF_SIM_FIFO, 0.7);
        run(star.sim, 1000);
        tallies[i] = star.tally;
        end_star(&star);
    }
    CHECK(memcmp(&tallies[0], &tallies[1], sizeof *tallies) == 0);
}

#define RING 6

/* A ring of switches, one host each. */
static struct sf_packet_sim *
make_ring(uint32_t n_vls, uint32_t buffer, enum sf_sim_queues queues)
{
    struct sf_sim_link links[3 * RING];
    for (uint32_t i = 0; i < RING; i++) {
        links[i] = (struct sf_sim_link){ i, RING + i };
        links[RING + 2 * i] =
            (struct sf_sim_link){ RING + i, RING + (i + 1) % RING };
        links[RING + 2 * i + 1] = (struct sf_sim_link){ RING + i, i };
    }
    struct sf_packet_params params = {
        .n_nodes = 2 * RING,
        .n_hosts = RING,
        .n_links = 3 * RING,
        .links = links,
        .n_vls = n_vls,
        .buffer = buffer,
        .queues = queues,
    };
    return make_sim(&params);
}

/* Each host sends to the one halfway around; with two VLs, a packet changes to
 * the second one behind the last switch.  'other', if nonnull, is sent too. */
static struct sf_messages *
start_ring(struct sf_packet_sim *sim, uint32_t n_vls,
           struct sf_sim_route *routes, const struct sf_message *other)
{
    struct sf_message messages[RING + 1];
    struct sf_messages *feeder;

    for (uint32_t i = 0; i < RING; i++) {
        struct sf_sim_hop hops[RING / 2 + 2] = { { i, 0 } };
        uint32_t n = 1;
        for (uint32_t j = i; j < i + RING / 2; j++) {
            uint32_t vl = j >= RING - 1 ? n_vls - 1 : 0;
            hops[n++] = (struct sf_sim_hop){ RING + 2 * (j % RING), vl };
        }
        uint32_t to = (i + RING / 2) % RING;
        hops[n++] = (struct sf_sim_hop){ RING + 2 * to + 1, 0 };
        routes[i] = encode(sim, hops, n);
        messages[i] = (struct sf_message){ .host = i,
                                           .n_routes = 1,
                                           .routes = &routes[i],
                                           .n_packets = 500,
                                           .window = SF_NONE };
    }
    if (other) {
        messages[RING] = *other;
    }
    CHECK_EQ(sf_messages_build(sim, messages, RING + (other != NULL), &feeder,
                               NULL),
             SF_OK);
    return feeder;
}

static void
check_ring(enum sf_sim_queues queues, uint32_t n_vls, bool deadlocks)
{
    struct sf_sim_route routes[RING];
    struct sf_packet_sim *sim = make_ring(n_vls, 2, queues);
    struct sf_messages *messages = start_ring(sim, n_vls, routes, NULL);

    run(sim, 5000);
    struct sf_sim_deadlock deadlock = find_deadlock(sim);
    CHECK_EQ(deadlock.n_stuck > 0, deadlocks);
    CHECK_EQ(sf_messages_n_left(messages) > 0, deadlocks);
    CHECK_EQ(deadlock.n_cycle, deadlocks ? RING : 0);
    for (uint32_t i = 0; i < deadlock.n_cycle; i++) {
        uint32_t next = deadlock.cycle[(i + 1) % RING].link;
        CHECK_EQ(deadlock.cycle[i].vl, 0);
        CHECK_EQ(next,
                 RING + (deadlock.cycle[i].link - RING + 2) % (2 * RING));
    }
    sf_sim_deadlock_clear(&deadlock);
    sf_messages_free(messages);
    sf_packet_sim_free(sim);
}

TEST(packet_sim_ring_deadlocks_on_one_lane_and_not_on_two)
{
    check_ring(SF_SIM_VOQ, 1, true);
    check_ring(SF_SIM_FIFO, 1, true);
    check_ring(SF_SIM_VOQ, 2, false);
    check_ring(SF_SIM_FIFO, 2, false);
}

/* Packets of the second lane pass by a deadlock on the first. */
TEST(packet_sim_sees_a_deadlock_beside_which_others_move)
{
    struct sf_sim_route routes[RING];
    struct sf_packet_sim *sim = make_ring(2, 2, SF_SIM_VOQ);
    const struct sf_sim_hop hops[] = { { 0, 1 },
                                       { RING, 1 },
                                       { RING + 3, 0 } };
    struct sf_sim_route route = encode(sim, hops, ARRAY_SIZE(hops));
    struct sf_message other = { .n_routes = 1,
                                .routes = &route,
                                .n_packets = SF_SIM_ENDLESS,
                                .window = 3 };
    struct sf_messages *messages = start_ring(sim, 1, routes, &other);

    run(sim, 500);
    struct sf_sim_deadlock deadlock = find_deadlock(sim);
    CHECK_EQ(deadlock.n_cycle, RING);
    CHECK_EQ(deadlock.n_stuck, 2 * RING); /* With those behind hosts. */
    uint64_t before = sf_messages_state(messages, RING).n_delivered;
    run(sim, 50);
    CHECK_EQ(sf_messages_state(messages, RING).n_delivered - before, 50);
    sf_sim_deadlock_clear(&deadlock);
    sf_messages_free(messages);
    sf_packet_sim_free(sim);
}

/* Tags mean something to their own feeder only. */
TEST(packet_sim_keeps_its_feeder_while_packets_are_under_way)
{
    struct sf_sim_route routes[RING];
    uint32_t first[RING + 1] = { 0 };
    struct sf_packet_sim *sim = make_ring(2, 2, SF_SIM_VOQ);
    struct sf_messages *messages = start_ring(sim, 2, routes, NULL), *others;
    struct sf_load_params params = { .routes = routes, .first = first };
    struct sf_load *load;
    struct sf_error err;

    run(sim, 1);
    CHECK_EQ(sf_messages_build(sim, NULL, 0, &others, &err), SF_EINVAL);
    CHECK(others == NULL);
    CHECK_EQ(sf_load_build(sim, &params, &load, &err), SF_EINVAL);
    CHECK(load == NULL);
    run(sim, 3000);
    CHECK_EQ(sf_messages_n_left(messages), 0);
    CHECK_EQ(sf_load_build(sim, &params, &load, &err), SF_OK);
    sf_load_free(load);
    sf_messages_free(messages);
    sf_packet_sim_free(sim);
}

/* Hosts that all send to one get equal shares. */
TEST(packet_sim_shares_a_link_evenly)
{
    for (int queues = SF_SIM_VOQ; queues <= SF_SIM_FIFO; queues++) {
        struct sf_packet_sim *sim =
            make_star(6, 4, (enum sf_sim_queues)queues);
        struct sf_sim_route routes[5];
        struct sf_message given[5];
        struct sf_messages *messages;
        for (uint32_t i = 0; i < 5; i++) {
            struct sf_sim_hop hops[] = { { i, 0 }, { 6 + 5, 0 } };
            routes[i] = encode(sim, hops, 2);
            given[i] = (struct sf_message){ .host = i,
                                            .n_routes = 1,
                                            .routes = &routes[i],
                                            .n_packets = SF_SIM_ENDLESS,
                                            .window = SF_NONE };
        }
        CHECK_EQ(sf_messages_build(sim, given, 5, &messages, NULL), SF_OK);
        run(sim, 1001);
        for (uint32_t i = 0; i < 5; i++) {
            CHECK_EQ(sf_messages_state(messages, i).n_delivered, 200);
        }
        sf_messages_free(messages);
        sf_packet_sim_free(sim);
    }
}

/* A credit takes a slot to return: one packet of buffer gives half the rate,
 * two give all of it. */
TEST(packet_sim_two_packets_of_buffer_run_at_full_rate)
{
    for (uint32_t buffer = 1; buffer <= 3; buffer++) {
        struct sf_packet_sim *sim = make_star(2, buffer, SF_SIM_VOQ);
        struct sf_sim_hop hops[] = { { 0, 0 }, { 3, 0 } };
        struct sf_sim_route route = encode(sim, hops, 2);
        struct sf_message message = {
            .n_routes = 1, .routes = &route, .n_packets = 100, .window = 100
        };
        struct sf_messages *messages;
        CHECK_EQ(sf_messages_build(sim, &message, 1, &messages, NULL), SF_OK);
        run(sim, 300);
        CHECK_EQ(sf_messages_state(messages, 0).finished,
                 buffer == 1 ? 199 : 100);
        sf_messages_free(messages);
        sf_packet_sim_free(sim);
    }
}

/* A window of w packets over 2 links delivers w packets in 2 slots. */
TEST(packet_sim_window_limits_what_is_under_way)
{
    struct sf_packet_sim *sim = make_star(2, 8, SF_SIM_VOQ);
    struct sf_sim_hop hops[] = { { 0, 0 }, { 3, 0 } };
    struct sf_sim_route route = encode(sim, hops, 2);
    struct sf_message message = {
        .n_routes = 1, .routes = &route, .n_packets = 100, .window = 1
    };
    struct sf_messages *messages;
    CHECK_EQ(sf_messages_build(sim, &message, 1, &messages, NULL), SF_OK);
    run(sim, 50);
    CHECK_EQ(sf_messages_state(messages, 0).n_delivered, 25);
    CHECK_EQ(sf_messages_n_left(messages), 1);
    run(sim, 200);
    CHECK_EQ(sf_messages_state(messages, 0).finished, 199);
    CHECK_EQ(sf_messages_n_left(messages), 0);
    sf_messages_free(messages);
    sf_packet_sim_free(sim);
}

/* Flows of a host take turns, and so do the routes of a flow. */
TEST(packet_sim_flows_and_routes_take_turns)
{
    struct sf_packet_sim *sim = make_star(4, 8, SF_SIM_VOQ);
    struct sf_sim_route routes[3];
    for (uint32_t i = 0; i < 3; i++) {
        struct sf_sim_hop hops[] = { { 0, 0 }, { 4 + i + 1, 0 } };
        routes[i] = encode(sim, hops, 2);
    }
    struct sf_message given[] = {
        { .n_routes = 2,
          .routes = routes,
          .n_packets = SF_SIM_ENDLESS,
          .window = 9 },
        { .n_routes = 1,
          .routes = &routes[2],
          .n_packets = SF_SIM_ENDLESS,
          .window = 9 },
    };
    struct sf_messages *messages;
    CHECK_EQ(sf_messages_build(sim, given, 2, &messages, NULL), SF_OK);
    run(sim, 401);
    CHECK_EQ(sf_packet_sim_n_carried(sim, 5, 0), 100);
    CHECK_EQ(sf_packet_sim_n_carried(sim, 6, 0), 100);
    CHECK_EQ(sf_packet_sim_n_carried(sim, 7, 0), 200);
    sf_messages_free(messages);
    sf_packet_sim_free(sim);
}

TEST(packet_sim_refuses_what_is_no_network)
{
    static const struct sf_sim_link good[] = {
        { 0, 2 }, { 1, 2 }, { 2, 0 }, { 2, 1 }
    };
    static const struct sf_sim_link unsorted[] = { { 1, 2 }, { 0, 2 } };
    static const struct sf_sim_link two_in[] = {
        { 0, 2 }, { 1, 2 }, { 2, 0 }, { 2, 0 }
    };
    static const struct sf_sim_link two_out[] = { { 0, 2 }, { 0, 2 } };
    static const struct sf_sim_link loop[] = { { 0, 2 }, { 1, 2 }, { 2, 2 } };
    const struct sf_packet_params cases[] = {
        { 3, 2, good, 4, 0, 1, SF_SIM_VOQ },
        { 3, 2, good, 4, 17, 1, SF_SIM_VOQ },
        { 3, 2, good, 4, 1, 0, SF_SIM_VOQ },
        { 3, 2, good, 4, 1, 40000, SF_SIM_VOQ },
        { 1, 2, NULL, 0, 1, 1, SF_SIM_VOQ },
        { 3, 2, good, 1, 1, 1, SF_SIM_VOQ },
        { 3, 2, unsorted, 2, 1, 1, SF_SIM_VOQ },
        { 3, 2, two_in, 4, 1, 1, SF_SIM_VOQ },
        { 3, 2, two_out, 2, 1, 1, SF_SIM_VOQ },
        { 3, 2, loop, 3, 1, 1, SF_SIM_VOQ },
        { 2, 2, good, 4, 1, 1, SF_SIM_VOQ },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_packet_sim *sim = UNSET(struct sf_packet_sim);
        struct sf_error err = { 0 };
        CHECK_FOR(sf_packet_sim_build(&cases[i], &sim, &err) == SF_EINVAL,
                  "case %zu", i);
        CHECK(sim == NULL && err.text[0]);
    }
}

TEST(packet_sim_refuses_too_many_links)
{
    const struct sf_sim_link link = { 0, 1 };
    const struct sf_packet_params params = { 2,  1, &link,     1u << 27,
                                             16, 1, SF_SIM_VOQ };
    struct sf_packet_sim *sim;
    struct sf_error err;
    CHECK_EQ(sf_packet_sim_build(&params, &sim, &err), SF_ELIMIT);
    CHECK(sim == NULL);
}

TEST(packet_sim_refuses_what_is_no_load)
{
    static const double rates[] = { -0.1, 1.1, (double)NAN };
    struct sf_packet_sim *sim = make_star(2, 1, SF_SIM_VOQ);
    struct sf_load *load;
    struct sf_error err;

    for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
        struct sf_load_params params = { .rate = rates[i] };
        CHECK_EQ(sf_load_build(sim, &params, &load, &err), SF_EINVAL);
        CHECK(load == NULL);
    }
    sf_packet_sim_free(sim);
}

TEST(packet_sim_refuses_what_is_no_message)
{
    const struct sf_sim_route route = { { 0, 0 } };
    const struct sf_message cases[] = {
        { .host = 2, .n_routes = 1, .routes = &route, .window = 1 },
        { .host = 1, .n_routes = 0, .routes = &route, .window = 1 },
        { .host = 1, .n_routes = 1, .routes = &route, .window = 0 },
    };
    struct sf_packet_sim *sim = make_star(2, 1, SF_SIM_VOQ);
    struct sf_messages *messages;
    struct sf_error err;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CHECK_EQ(sf_messages_build(sim, &cases[i], 1, &messages, &err),
                 SF_EINVAL);
        CHECK(messages == NULL);
    }
    sf_packet_sim_free(sim);
}

TEST(packet_sim_refuses_what_is_no_route)
{
    struct sf_packet_sim *sim = make_ring(2, 2, SF_SIM_VOQ);
    const struct sf_sim_hop no_start[] = { { RING, 0 }, { RING + 3, 0 } };
    const struct sf_sim_hop gap[] = { { 0, 0 }, { RING + 3, 0 } };
    const struct sf_sim_hop no_end[] = { { 0, 0 }, { RING, 0 } };
    const struct sf_sim_hop no_vl[] = { { 0, 2 }, { RING + 1, 0 } };
    const struct sf_sim_hop no_link[] = { { 0, 0 }, { 3 * RING, 0 } };
    const struct sf_sim_hop *cases[] = { no_start, gap, no_end, no_vl,
                                         no_link };
    struct sf_sim_route route;
    struct sf_error err;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CHECK_FOR(sf_packet_sim_encode(sim, cases[i], 2, &route, &err) ==
                      SF_EINVAL,
                  "case %zu", i);
    }
    CHECK_EQ(sf_packet_sim_encode(sim, gap, 0, &route, &err), SF_EINVAL);

    /* 2 bits a hop: 63 links at most. */
    struct sf_sim_hop rounds[64] = { { 0, 1 } };
    for (uint32_t i = 1; i < 64; i++) {
        rounds[i] = (struct sf_sim_hop){ RING + 2 * ((i - 1) % RING), i % 2 };
    }
    rounds[62].link = RING + 2 * (61 % RING) + 1;
    CHECK_EQ(sf_packet_sim_encode(sim, rounds, 63, &route, &err), SF_OK);
    CHECK_EQ(sf_packet_sim_encode(sim, rounds, 64, &route, &err), SF_ELIMIT);
    sf_packet_sim_free(sim);
}

TEST(packet_sim_refuses_too_many_slots)
{
    struct sf_packet_sim *sim = make_ring(2, 2, SF_SIM_VOQ);
    struct sf_error err;
    run(sim, 10);
    CHECK_EQ(sf_packet_sim_run(sim, SF_NONE - 10, &err), SF_ELIMIT);
    CHECK_EQ(sf_packet_sim_slot(sim), 10);
    sf_packet_sim_free(sim);
}

/* A simulation from end to end, with allocation 'nth' failing. */
static enum sf_status
simulate(const struct sf_packet_params *params,
         const struct sf_message *message,
         const struct sf_load_params *load_params, unsigned long nth)
{
    struct sf_packet_sim *sim = NULL;
    struct sf_messages *messages = NULL;
    struct sf_load *load = NULL;
    struct sf_sim_deadlock deadlock = { 0 };

    sf_mem_fail_at(nth);
    enum sf_status status = sf_packet_sim_build(params, &sim, NULL);
    if (status == SF_OK) {
        status = sf_load_build(sim, load_params, &load, NULL);
    }
    if (status == SF_OK) {
        status = sf_messages_build(sim, message, 1, &messages, NULL);
    }
    if (status == SF_OK) {
        status = sf_packet_sim_run(sim, 400, NULL);
    }
    if (status == SF_OK) {
        status = sf_packet_sim_find_deadlock(sim, &deadlock, NULL);
        CHECK(status != SF_OK || deadlock.n_cycle > 0);
        CHECK(status == SF_OK || deadlock.n_stuck == 0);
        sf_sim_deadlock_clear(&deadlock);
    }
    if (status == SF_OK) {
        status = sf_packet_sim_check(sim, NULL);
    }
    sf_packet_sim_free(sim);
    sf_messages_free(messages);
    sf_load_free(load);
    return status;
}

/* A host sends around a loop of two switches until its own packets block it.
 * Two buffers of 90 packets make the pool grow. */
TEST(packet_sim_nomem)
{
    const struct sf_sim_link links[] = {
        { 0, 1 }, { 1, 2 }, { 1, 0 }, { 2, 1 }
    };
    const struct sf_sim_hop hops[] = { { 0, 0 }, { 1, 0 }, { 3, 0 }, { 1, 0 },
                                       { 3, 0 }, { 1, 0 }, { 3, 0 }, { 1, 0 },
                                       { 3, 0 }, { 2, 0 } };
    const struct sf_packet_params params = {
        3, 1, links, 4, 1, 90, SF_SIM_FIFO
    };
    struct sf_packet_sim *sim = make_sim(&params);
    struct sf_sim_route route = encode(sim, hops, ARRAY_SIZE(hops));
    struct sf_message message = {
        .n_routes = 1, .routes = &route, .n_packets = 400, .window = 400
    };
    uint32_t first[] = { 0, 1 };
    struct sf_load_params load = { .routes = &route, .first = first };
    enum sf_status status = SF_ENOMEM;

    sf_packet_sim_free(sim);
    for (unsigned long nth = 1; status != SF_OK; nth++) {
        status = simulate(&params, &message, &load, nth);
        void *left = sf_calloc(1, 1);
        bool failed = left == NULL;
        free(left);
        sf_mem_fail_at(0);
        CHECK(nth < 100);
        CHECK(status == SF_ENOMEM || (status == SF_OK && nth > 15));
        CHECK_EQ(failed, status == SF_OK); /* No failure was swallowed. */
    }
}
