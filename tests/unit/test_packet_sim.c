/* test_packet_sim.c -- packets in slots, against a slow counterpart and
 * against what is known of queues. */
#include "base/mem.h"
#include "helpers.h"
#include "oracle/oracle.h"
#include "oracle/packet_oracle.h"
#include "sim/packet.h"
#include "slimfly/random.h"
#include "test.h"

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

/* A host that sends packets over one route, and what came of it. */
struct stream {
    uint32_t host;
    struct sf_sim_route route;
    uint32_t n_packets, n_sent, n_delivered;
    uint32_t finished; /* The slot in which the last packet came; SF_NONE. */
};

/* Feeds the library with streams; those of a host go in their order. */
struct streams {
    struct sf_packet_sim *sim;
    uint32_t n;
    struct stream items[8];
};

static bool
streams_next(void *context, uint32_t host, uint64_t slot, uint32_t vls,
             struct sf_sim_offer *offer)
{
    struct streams *streams = context;

    for (uint32_t i = 0; i < streams->n; i++) {
        struct stream *stream = &streams->items[i];
        if (stream->host == host && stream->n_sent < stream->n_packets &&
            vls >> sf_sim_first_vl(&stream->route) & 1) {
            offer->route = stream->route;
            offer->born = slot;
            offer->tag = i;
            stream->n_sent++;
            return true;
        }
    }
    return false;
}

static void
streams_delivered(void *context, uint32_t tag, uint64_t latency)
{
    struct streams *streams = context;
    struct stream *stream = &streams->items[tag];

    CHECK(latency >= 2);
    if (++stream->n_delivered == stream->n_packets) {
        stream->finished = sf_packet_sim_slot(streams->sim);
    }
}

static void
add_stream(struct streams *streams, uint32_t host, struct sf_sim_route route,
           uint32_t n_packets)
{
    CHECK(streams->n < ARRAY_SIZE(streams->items));
    streams->items[streams->n++] = (struct stream){ .host = host,
                                                    .route = route,
                                                    .n_packets = n_packets,
                                                    .finished = SF_NONE };
}

static enum sf_status
feed_streams(struct streams *streams, struct sf_error *err)
{
    struct sf_sim_feeder feeder = { streams, streams_next, streams_delivered };
    return sf_packet_sim_feed(streams->sim, &feeder, err);
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
 * the second one behind the last switch. */
static void
add_ring(struct streams *streams, uint32_t n_vls)
{
    for (uint32_t i = 0; i < RING; i++) {
        struct sf_sim_hop hops[RING / 2 + 2] = { { i, 0 } };
        uint32_t n = 1;
        for (uint32_t j = i; j < i + RING / 2; j++) {
            uint32_t vl = j >= RING - 1 ? n_vls - 1 : 0;
            hops[n++] = (struct sf_sim_hop){ RING + 2 * (j % RING), vl };
        }
        uint32_t to = (i + RING / 2) % RING;
        hops[n++] = (struct sf_sim_hop){ RING + 2 * to + 1, 0 };
        add_stream(streams, i, encode(streams->sim, hops, n), 500);
    }
}

static uint32_t
count_left(const struct streams *streams)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < streams->n; i++) {
        n += streams->items[i].finished == SF_NONE;
    }
    return n;
}

static void
check_ring(enum sf_sim_queues queues, uint32_t n_vls, bool deadlocks)
{
    struct streams streams = { .sim = make_ring(n_vls, 2, queues) };

    add_ring(&streams, n_vls);
    CHECK_EQ(feed_streams(&streams, NULL), SF_OK);
    run(streams.sim, 5000);
    struct sf_sim_deadlock deadlock = find_deadlock(streams.sim);
    CHECK_EQ(deadlock.n_stuck > 0, deadlocks);
    CHECK_EQ(count_left(&streams) > 0, deadlocks);
    CHECK_EQ(deadlock.n_cycle, deadlocks ? RING : 0);
    for (uint32_t i = 0; i < deadlock.n_cycle; i++) {
        uint32_t next = deadlock.cycle[(i + 1) % RING].link;
        CHECK_EQ(deadlock.cycle[i].vl, 0);
        CHECK_EQ(next,
                 RING + (deadlock.cycle[i].link - RING + 2) % (2 * RING));
    }
    sf_sim_deadlock_clear(&deadlock);
    sf_packet_sim_free(streams.sim);
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
    struct streams streams = { .sim = make_ring(2, 2, SF_SIM_VOQ) };
    const struct sf_sim_hop hops[] = { { 0, 1 },
                                       { RING, 1 },
                                       { RING + 3, 0 } };

    add_ring(&streams, 1);
    add_stream(&streams, 0, encode(streams.sim, hops, ARRAY_SIZE(hops)),
               SF_NONE);
    CHECK_EQ(feed_streams(&streams, NULL), SF_OK);
    run(streams.sim, 500);
    struct sf_sim_deadlock deadlock = find_deadlock(streams.sim);
    CHECK_EQ(deadlock.n_cycle, RING);
    CHECK_EQ(deadlock.n_stuck, 2 * RING); /* With those behind hosts. */
    uint32_t before = streams.items[RING].n_delivered;
    run(streams.sim, 50);
    CHECK_EQ(streams.items[RING].n_delivered - before, 50);
    sf_sim_deadlock_clear(&deadlock);
    sf_packet_sim_free(streams.sim);
}

/* Tags mean something to their own feeder only. */
TEST(packet_sim_keeps_its_feeder_while_packets_are_under_way)
{
    struct streams streams = { .sim = make_ring(2, 2, SF_SIM_VOQ) };
    struct sf_error err;

    add_ring(&streams, 2);
    CHECK_EQ(feed_streams(&streams, &err), SF_OK);
    run(streams.sim, 1);
    CHECK_EQ(feed_streams(&streams, &err), SF_EINVAL);
    run(streams.sim, 3000);
    CHECK_EQ(count_left(&streams), 0);
    CHECK_EQ(feed_streams(&streams, &err), SF_OK);
    sf_packet_sim_free(streams.sim);
}

/* Hosts that all send to one get equal shares. */
TEST(packet_sim_shares_a_link_evenly)
{
    for (int queues = SF_SIM_VOQ; queues <= SF_SIM_FIFO; queues++) {
        struct streams streams = {
            .sim = make_star(6, 4, (enum sf_sim_queues)queues),
        };
        for (uint32_t i = 0; i < 5; i++) {
            struct sf_sim_hop hops[] = { { i, 0 }, { 6 + 5, 0 } };
            add_stream(&streams, i, encode(streams.sim, hops, 2), SF_NONE);
        }
        CHECK_EQ(feed_streams(&streams, NULL), SF_OK);
        run(streams.sim, 1001);
        for (uint32_t i = 0; i < 5; i++) {
            CHECK_EQ(streams.items[i].n_delivered, 200);
        }
        sf_packet_sim_free(streams.sim);
    }
}

/* A credit takes a slot to return: one packet of buffer gives half the rate,
 * two give all of it. */
TEST(packet_sim_two_packets_of_buffer_run_at_full_rate)
{
    for (uint32_t buffer = 1; buffer <= 3; buffer++) {
        struct streams streams = { .sim = make_star(2, buffer, SF_SIM_VOQ) };
        struct sf_sim_hop hops[] = { { 0, 0 }, { 3, 0 } };
        add_stream(&streams, 0, encode(streams.sim, hops, 2), 100);
        CHECK_EQ(feed_streams(&streams, NULL), SF_OK);
        run(streams.sim, 300);
        CHECK_EQ(streams.items[0].finished, buffer == 1 ? 199 : 100);
        sf_packet_sim_free(streams.sim);
    }
}

/* Feeds one packet in a late slot. */
static bool
late_next(void *context, uint32_t host, uint64_t slot, uint32_t vls,
          struct sf_sim_offer *offer)
{
    struct streams *streams = context;

    CHECK(slot == 0 || slot >= 1000000);
    if (slot >= 1000000) {
        return streams_next(streams, host, slot, vls, offer);
    }
    offer->wake = 1000000;
    return false;
}

/* Slots in which nothing can happen are passed over, and not one more. */
TEST(packet_sim_wakes_hosts_after_long_idle_times)
{
    struct streams streams = { .sim = make_star(2, 2, SF_SIM_VOQ) };
    struct sf_sim_hop hops[] = { { 0, 0 }, { 3, 0 } };
    struct sf_sim_feeder feeder = { &streams, late_next, streams_delivered };

    add_stream(&streams, 0, encode(streams.sim, hops, 2), 1);
    CHECK_EQ(sf_packet_sim_feed(streams.sim, &feeder, NULL), SF_OK);
    run(streams.sim, 999999);
    CHECK_EQ(sf_packet_sim_slot(streams.sim), 999999);
    CHECK_EQ(streams.items[0].n_sent, 0);
    run(streams.sim, 500);
    CHECK_EQ(sf_packet_sim_slot(streams.sim), 1000499);
    CHECK_EQ(streams.items[0].finished, 1000001);
    sf_packet_sim_free(streams.sim);
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
simulate(const struct sf_packet_params *params, struct sf_sim_route route,
         unsigned long nth)
{
    struct streams streams = { 0 };
    struct sf_sim_deadlock deadlock = { 0 };

    sf_mem_fail_at(nth);
    enum sf_status status = sf_packet_sim_build(params, &streams.sim, NULL);
    if (status == SF_OK) {
        add_stream(&streams, 0, route, 400);
        status = feed_streams(&streams, NULL);
    }
    if (status == SF_OK) {
        status = sf_packet_sim_run(streams.sim, 400, NULL);
    }
    if (status == SF_OK) {
        status = sf_packet_sim_find_deadlock(streams.sim, &deadlock, NULL);
        CHECK(status != SF_OK || deadlock.n_cycle > 0);
        CHECK(status == SF_OK || deadlock.n_stuck == 0);
        sf_sim_deadlock_clear(&deadlock);
    }
    if (status == SF_OK) {
        status = sf_packet_sim_check(streams.sim, NULL);
    }
    sf_packet_sim_free(streams.sim);
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
    enum sf_status status = SF_ENOMEM;

    sf_packet_sim_free(sim);
    for (unsigned long nth = 1; status != SF_OK; nth++) {
        status = simulate(&params, route, nth);
        void *left = sf_calloc(1, 1);
        bool failed = left == NULL;
        free(left);
        sf_mem_fail_at(0);
        CHECK(nth < 100);
        CHECK(status == SF_ENOMEM || (status == SF_OK && nth > 12));
        CHECK_EQ(failed, status == SF_OK); /* No failure was swallowed. */
    }
}
