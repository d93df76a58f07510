/* test_events.c -- packets by events, against a slow counterpart, against the
 * sum of delays, and against slots. */
#include "base/mem.h"
#include "helpers.h"
#include "oracle/event_oracle.h"
#include "oracle/oracle.h"
#include "sim/events.h"
#include "sim/wires.h"
#include "slimfly/random.h"
#include "test.h"

#define MAX_LINKS   64
#define MAX_PACKETS 80

/* A small network with packets to send. */
struct scenario {
    struct sf_event_params params;
    struct sf_sim_link links[MAX_LINKS];
    uint32_t delays[MAX_LINKS];
    uint32_t n_packets;
    struct event_oracle_packet packets[MAX_PACKETS];
};

static void
add_link(struct scenario *scenario, uint32_t from, uint32_t to, uint32_t delay)
{
    CHECK(scenario->params.n_links < MAX_LINKS);
    scenario->delays[scenario->params.n_links] = delay;
    scenario->links[scenario->params.n_links++] =
        (struct sf_sim_link){ from, to };
    scenario->params.links = scenario->links;
    scenario->params.delays = scenario->delays;
}

/* A time that often is 0, and often equal to others. */
static uint32_t
draw_delay(struct sf_random *random, uint32_t max)
{
    return sf_random_below(random, 3) ? sf_random_below(random, max + 1) : 0;
}

/* Small numbers, so that there are ties, or real ones. */
static uint32_t
draw_times(struct sf_event_params *params, struct sf_random *random)
{
    static const uint64_t rates[] = { SF_EVENT_MAX_RATE, 300000000000,
                                      700000000000, 6820000000 };
    uint32_t i = sf_random_below(random, ARRAY_SIZE(rates));
    uint32_t max_delay = i == 3 ? 200000 : sf_random_below(random, 12);

    params->rate = rates[i];
    params->packet_bytes = i == 3 ? 2074 : 1 + sf_random_below(random, 8);
    uint32_t most = sf_random_below(random, 2) ? 2 : 10;
    params->buffer = params->packet_bytes +
                     sf_random_below(random, most * params->packet_bytes + 1);
    params->switch_delay = draw_delay(random, max_delay);
    return max_delay;
}

/* A ring of switches with one or two hosts each, and chords here and there:
 * all reach all, and routes can wind. */
static void
make_network(struct scenario *scenario, struct sf_random *random)
{
    static const uint32_t n_vls[] = { 1, 2, 3, 4, 16 };
    uint32_t n = 2 + sf_random_below(random, 4);
    uint32_t n_hosts = n + sf_random_below(random, n + 1);

    scenario->params = (struct sf_event_params){
        .n_nodes = n_hosts + n,
        .n_hosts = n_hosts,
        .n_vls = n_vls[sf_random_below(random, ARRAY_SIZE(n_vls))],
        .queues = sf_random_below(random, 2) ? SF_SIM_FIFO : SF_SIM_VOQ,
    };
    uint32_t max = draw_times(&scenario->params, random);
    for (uint32_t i = 0; i < n_hosts; i++) {
        add_link(scenario, i, n_hosts + i % n, draw_delay(random, max));
    }
    for (uint32_t i = 0; i < n; i++) {
        add_link(scenario, n_hosts + i, n_hosts + (i + 1) % n,
                 draw_delay(random, max));
        for (uint32_t j = 0; j < n; j++) {
            if (j != i && sf_random_below(random, 3) == 0) {
                add_link(scenario, n_hosts + i, n_hosts + j,
                         draw_delay(random, max));
            }
        }
        for (uint32_t j = i; j < n_hosts; j += n) {
            add_link(scenario, n_hosts + i, j, draw_delay(random, max));
        }
    }
}

/* A random walk that leaves for a host at last. */
static void
make_route(const struct scenario *scenario, struct sf_random *random,
           struct event_oracle_packet *packet)
{
    const struct sf_event_params *params = &scenario->params;
    uint32_t max = 3 + sf_random_below(random, EVENT_ORACLE_MAX_HOPS - 2);
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
    const struct event_oracle_packet *x = a, *y = b;
    return x->host != y->host ? (x->host < y->host ? -1 : 1)
                              : (x->born > y->born) - (x->born < y->born);
}

static void
make_packets(struct scenario *scenario, struct sf_random *random)
{
    uint32_t full = scenario->params.packet_bytes;
    uint32_t most = full > 100 ? 3000000 : 100;
    uint32_t end = 1 + sf_random_below(random, most);
    bool is_full = sf_random_below(random, 2);

    scenario->n_packets = 1 + sf_random_below(random, MAX_PACKETS);
    for (uint32_t i = 0; i < scenario->n_packets; i++) {
        struct event_oracle_packet *packet = &scenario->packets[i];
        packet->host = sf_random_below(random, scenario->params.n_hosts);
        packet->born = sf_random_below(random, end);
        packet->bytes = is_full ? full : 1 + sf_random_below(random, full);
        make_route(scenario, random, packet);
    }
    qsort(scenario->packets, scenario->n_packets, sizeof *scenario->packets,
          compare_packets);
}

/* Feeds the library what a scenario tells, and notes what comes out. */
struct script {
    const struct scenario *scenario;
    struct sf_event_sim *sim;
    bool is_sent[MAX_PACKETS];
    struct sf_sim_route routes[MAX_PACKETS];
    uint64_t delivered[MAX_PACKETS];
    uint64_t latency[MAX_PACKETS];
};

static bool
script_next(void *context, uint32_t host, uint64_t now, uint32_t vls,
            struct sf_sim_offer *offer)
{
    struct script *script = context;
    const struct event_oracle_packet *packets = script->scenario->packets;

    for (uint32_t i = 0; i < script->scenario->n_packets; i++) {
        if (packets[i].host != host || script->is_sent[i]) {
            continue;
        }
        if (packets[i].born > now) {
            offer->wake = packets[i].born;
            return false;
        }
        if (vls >> packets[i].hops[0].vl & 1) {
            *offer = (struct sf_sim_offer){ .route = script->routes[i],
                                            .born = packets[i].born,
                                            .tag = i,
                                            .bytes = packets[i].bytes };
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
    CHECK_EQ(script->delivered[tag], SF_NEVER);
    script->delivered[tag] = sf_event_sim_now(script->sim);
    script->latency[tag] = latency;
}

static struct sf_event_sim *
make_sim(const struct sf_event_params *params)
{
    struct sf_event_sim *sim;
    struct sf_error err = { 0 };
    CHECK_FOR(sf_event_sim_build(params, &sim, &err) == SF_OK, "%s", err.text);
    return sim;
}

static struct sf_sim_route
encode(const struct sf_event_sim *sim, const struct sf_sim_hop *hops,
       uint32_t n_hops)
{
    struct sf_sim_route route;
    struct sf_error err = { 0 };
    CHECK_FOR(sf_event_sim_encode(sim, hops, n_hops, &route, &err) == SF_OK,
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
        const struct event_oracle_packet *packet = &scenario->packets[i];
        script->routes[i] = encode(script->sim, packet->hops, packet->n_hops);
        script->delivered[i] = SF_NEVER;
    }
    struct sf_sim_feeder feeder = { script, script_next, script_delivered };
    CHECK_EQ(sf_event_sim_feed(script->sim, &feeder, NULL), SF_OK);
}

static void
run(struct sf_event_sim *sim, uint64_t until)
{
    struct sf_error err = { 0 };
    CHECK_FOR(sf_event_sim_run(sim, until, &err) == SF_OK, "%s", err.text);
}

static void
check_state(const struct sf_event_sim *sim, uint32_t seed)
{
    struct sf_error err = { 0 };
    CHECK_FOR(sf_event_sim_check(sim, &err) == SF_OK, "seed %u, time %llu: %s",
              seed, (unsigned long long)sf_event_sim_now(sim), err.text);
}

static struct sf_sim_deadlock
find_deadlock(const struct sf_event_sim *sim)
{
    struct sf_sim_deadlock deadlock;
    CHECK_EQ(sf_event_sim_find_deadlock(sim, &deadlock, NULL), SF_OK);
    return deadlock;
}

/* Looks for a deadlock, which never ends, and in which each waits for the
 * next; returns how many buffers are stuck. */
static uint32_t
check_deadlock(const struct sf_event_sim *sim,
               const struct event_oracle *oracle, uint32_t n_stuck)
{
    struct sf_sim_deadlock deadlock = find_deadlock(sim);

    CHECK(deadlock.n_stuck >= n_stuck);
    CHECK((deadlock.n_stuck > 0) == (deadlock.n_cycle > 0));
    CHECK(deadlock.n_cycle <= deadlock.n_stuck);
    for (uint32_t i = 0; i < deadlock.n_cycle; i++) {
        CHECK(event_oracle_waits(oracle, deadlock.cycle[i],
                                 deadlock.cycle[(i + 1) % deadlock.n_cycle]));
    }
    n_stuck = deadlock.n_stuck;
    sf_sim_deadlock_clear(&deadlock);
    return n_stuck;
}

/* Both have done all that happens before the time of the oracle. */
static void
compare_links(const struct script *script, const struct event_oracle *oracle,
              uint32_t seed)
{
    for (uint32_t i = 0; i < oracle->params.n_links; i++) {
        for (uint32_t vl = 0; vl < oracle->params.n_vls; vl++) {
            struct sf_sim_hop hop = { i, vl };
            uint64_t busy = sf_event_sim_busy(script->sim, i, vl);
            CHECK_FOR(busy == event_oracle_busy(oracle, hop),
                      "seed %u: link %u, lane %u busy for %llu by %llu", seed,
                      i, vl, (unsigned long long)busy,
                      (unsigned long long)oracle->now);
        }
        uint64_t blocked = sf_event_sim_blocked(script->sim, i);
        CHECK_FOR(blocked == oracle->blocked[i],
                  "seed %u: link %u blocked for %llu instead of %llu", seed, i,
                  (unsigned long long)blocked,
                  (unsigned long long)oracle->blocked[i]);
    }
}

static void
compare_deliveries(const struct script *script,
                   const struct event_oracle *oracle, uint32_t seed)
{
    for (uint32_t i = 0; i < oracle->n_packets; i++) {
        const struct event_oracle_packet *packet = &oracle->packets[i];
        uint64_t time = event_oracle_delivery(oracle, packet);
        CHECK_FOR(script->delivered[i] == time,
                  "seed %u: packet %u came at %lld instead of %lld", seed, i,
                  (long long)script->delivered[i], (long long)time);
        CHECK(time == SF_NEVER || script->latency[i] == time - packet->born);
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
    uint32_t n_stuck = 0;

    memset(&scenario, 0, sizeof scenario);
    sf_random_init(&random, seed, 0);
    make_network(&scenario, &random);
    make_packets(&scenario, &random);
    start_script(&script, &scenario);
    struct event_oracle *oracle = event_oracle_make(
        &scenario.params, scenario.packets, scenario.n_packets);
    for (uint32_t step = 0;; step++) {
        event_oracle_act(oracle);
        run(script.sim, oracle->now + 1);
        check_state(script.sim, seed);
        n_stuck = check_deadlock(script.sim, oracle, n_stuck);
        if (!event_oracle_advance(oracle)) {
            break;
        }
        if (step % 16 == 0) {
            run(script.sim, oracle->now);
            compare_links(&script, oracle, seed);
        }
    }
    CHECK_EQ(sf_event_sim_next(script.sim), SF_NEVER);
    compare_deliveries(&script, oracle, seed);
    bool is_left = sf_event_sim_n_in_flight(script.sim) > 0;
    CHECK_EQ(is_left, n_stuck > 0);
    event_oracle_free(oracle);
    sf_event_sim_free(script.sim);
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

TEST(events_agree_with_the_oracle)
{
    compare_many(0, 400);
}

TEST_LONG(events_agree_with_the_oracle_longer)
{
    compare_many(400, 5000);
}

/* A run in parts of any length is the same run. */
TEST(events_run_in_parts)
{
    static struct scenario scenario;
    static struct script whole, parts;
    struct sf_random random;

    for (uint32_t seed = 0; seed < 30; seed++) {
        memset(&scenario, 0, sizeof scenario);
        sf_random_init(&random, seed, 1);
        make_network(&scenario, &random);
        make_packets(&scenario, &random);
        start_script(&whole, &scenario);
        run(whole.sim, SF_NEVER);
        start_script(&parts, &scenario);
        while (sf_event_sim_next(parts.sim) != SF_NEVER) {
            uint64_t step = 1 + sf_random_below(&random, 20);
            uint64_t next = sf_event_sim_next(parts.sim);
            run(parts.sim, next + step);
            CHECK_EQ(sf_event_sim_now(parts.sim), next + step);
        }
        CHECK(memcmp(whole.delivered, parts.delivered,
                     sizeof whole.delivered) == 0);
        sf_event_sim_free(whole.sim);
        sf_event_sim_free(parts.sim);
    }
}

#define CHAIN 5

/* A row of switches with a host at each end; links have delays of their own.
 * The path from host 0 to host 1 is links 0 and, over the switches, those of
 * 'hops'. */
struct chain {
    struct scenario scenario;
    uint32_t n_hops;
    struct sf_sim_hop hops[CHAIN + 1];
};

static void
make_chain(struct chain *chain, uint32_t n_switches)
{
    struct scenario *scenario = &chain->scenario;

    memset(chain, 0, sizeof *chain);
    scenario->params = (struct sf_event_params){
        .n_nodes = 2 + n_switches,
        .n_hosts = 2,
        .n_vls = 1,
        .switch_delay = 170000,
        .rate = 6820000000,
        .packet_bytes = 2074,
        .buffer = 10 * 2074,
    };
    add_link(scenario, 0, 2, 5000);
    add_link(scenario, 1, 1 + n_switches, 6000);
    chain->n_hops = 1;
    for (uint32_t i = 0; i < n_switches; i++) {
        bool is_last = i + 1 == n_switches;
        chain->hops[chain->n_hops++].link = scenario->params.n_links;
        add_link(scenario, 2 + i, is_last ? 1 : 3 + i, 7000 + 1000 * i);
    }
}

/* One packet takes the delays of its cables and switches, and its own length
 * once. */
TEST(events_latency_of_an_empty_network_is_the_sum_of_its_parts)
{
    static const uint32_t sizes[] = { 2074, 1, 64, 1000 };
    static const uint32_t durations[] = { 304106, 147, 9384, 146628 };
    static struct chain chain;
    static struct script script;

    for (uint32_t i = 0; i < 2 * CHAIN * ARRAY_SIZE(sizes); i++) {
        uint32_t n_switches = 1 + i / 2 % CHAIN, size = i / 2 / CHAIN;
        uint64_t expected = durations[size] + n_switches * 170000 + 5000;
        make_chain(&chain, n_switches);
        struct scenario *scenario = &chain.scenario;
        for (uint32_t j = 0; j < n_switches; j++) {
            expected += 7000 + 1000 * j;
        }
        scenario->params.queues = i % 2 ? SF_SIM_FIFO : SF_SIM_VOQ;
        scenario->n_packets = 1;
        scenario->packets[0].born = 12345;
        scenario->packets[0].bytes = sizes[size];
        scenario->packets[0].n_hops = chain.n_hops;
        memcpy(scenario->packets[0].hops, chain.hops, sizeof chain.hops);
        start_script(&script, scenario);
        run(script.sim, SF_NEVER);
        CHECK_EQ(script.delivered[0], 12345 + expected);
        CHECK_EQ(script.latency[0], expected);
        CHECK_EQ(sf_event_sim_now(script.sim), 12345 + expected);
        sf_event_sim_free(script.sim);
    }
}

/* Hosts that always have a full packet to send, each over a route of its own,
 * in slots or by events. */
struct flood {
    const struct sf_sim_route *routes; /* [hosts] */
    const bool *is_silent;             /* [hosts] Or NULL. */
    uint64_t n_delivered;
    uint64_t *n_from; /* [hosts] Delivered; or NULL. */
};

static bool
flood_next(void *context, uint32_t host, uint64_t now, uint32_t vls,
           struct sf_sim_offer *offer)
{
    const struct flood *flood = context;

    if ((flood->is_silent && flood->is_silent[host]) ||
        !(vls >> sf_sim_first_vl(&flood->routes[host]) & 1)) {
        return false;
    }
    *offer = (struct sf_sim_offer){ .route = flood->routes[host],
                                    .born = now,
                                    .tag = host };
    return true;
}

static void
flood_delivered(void *context, uint32_t tag, uint64_t latency)
{
    struct flood *flood = context;

    (void)latency;
    flood->n_delivered++;
    if (flood->n_from) {
        flood->n_from[tag]++;
    }
}

static void
start_flood(struct sf_event_sim *sim, struct flood *flood)
{
    struct sf_sim_feeder feeder = { flood, flood_next, flood_delivered };
    CHECK_EQ(sf_event_sim_feed(sim, &feeder, NULL), SF_OK);
}

/* A credit is back after two cables, a switch and the packet itself.  Buffers
 * that last for as long run at full rate, others at their part of it. */
TEST(events_rate_of_a_long_cable_follows_from_its_buffer)
{
    static const bool is_silent[2] = { false, true };
    const uint64_t packet = 304106, cable = 1000000;
    const uint64_t loop = 2 * cable + 170000 + packet; /* 8.13 packets. */

    for (uint32_t n = 1; n <= 12; n++) {
        struct chain chain;
        struct sf_sim_route routes[2] = { { { 0, 0 } } };
        struct flood flood = { .routes = routes, .is_silent = is_silent };
        make_chain(&chain, 2);
        chain.scenario.delays[2] = (uint32_t)cable;
        chain.scenario.params.buffer = n * 2074;
        struct sf_event_sim *sim = make_sim(&chain.scenario.params);
        routes[0] = encode(sim, chain.hops, chain.n_hops);
        start_flood(sim, &flood);
        run(sim, 20 * loop);
        uint64_t before = flood.n_delivered;
        run(sim, 520 * loop);
        double rate = (double)(flood.n_delivered - before) * (double)packet /
                      (500 * (double)loop);
        double part = (double)(n * packet) / (double)loop;
        /* The link of the host has a loop of its own. */
        double first = (double)(n * packet) / (double)(180000 + packet);
        part = first < part ? first : part;
        CHECK_NEAR(rate, part < 1 ? part : 1, 0.003);
        CHECK_NEAR((double)sf_event_sim_busy(sim, 2, 0) / (520 * (double)loop),
                   rate, 0.04);
        check_state(sim, n);
        sf_event_sim_free(sim);
    }
}

/* Hosts of a star that all send to one get equal shares. */
TEST(events_share_a_link_evenly)
{
    enum {
        N = 6
    };
    struct sf_sim_link links[2 * N];
    uint32_t delays[2 * N];

    for (uint32_t i = 0; i < N; i++) {
        links[i] = (struct sf_sim_link){ i, N };
        links[N + i] = (struct sf_sim_link){ N, i };
        delays[i] = delays[N + i] = 1000 * i;
    }
    for (uint32_t i = 0; i < 4; i++) {
        struct sf_event_params params = {
            .n_nodes = N + 1,
            .n_hosts = N,
            .n_links = 2 * N,
            .links = links,
            .n_vls = 2,
            .delays = i < 2 ? delays : NULL,
            .rate = 1000000000,
            .packet_bytes = 100,
            .buffer = 400,
            .queues = i % 2 ? SF_SIM_FIFO : SF_SIM_VOQ,
        };
        struct sf_event_sim *sim = make_sim(&params);
        struct sf_sim_route routes[N];
        uint64_t n_from[N] = { 0 };
        struct flood flood = { .routes = routes, .n_from = n_from };
        for (uint32_t j = 0; j < N; j++) {
            struct sf_sim_hop hops[] = { { j, j % 2 }, { 2 * N - 1, j % 2 } };
            routes[j] = encode(sim, hops, 2);
        }
        start_flood(sim, &flood);
        run(sim, 100000 * 6000);
        for (uint32_t j = 0; j < N; j++) {
            CHECK_NEAR((double)n_from[j], 1000, 6);
        }
        sf_event_sim_free(sim);
    }
}

#define RING 6

/* A ring of switches, one host each, and from each host a route to the one
 * halfway around; with two VLs, a packet changes to the second one behind the
 * last switch. */
static struct sf_event_sim *
make_ring(uint32_t n_vls, enum sf_sim_queues queues,
          struct sf_sim_route *routes)
{
    struct sf_sim_link links[3 * RING];
    uint32_t delays[3 * RING];

    for (uint32_t i = 0; i < RING; i++) {
        links[i] = (struct sf_sim_link){ i, RING + i };
        links[RING + 2 * i] =
            (struct sf_sim_link){ RING + i, RING + (i + 1) % RING };
        links[RING + 2 * i + 1] = (struct sf_sim_link){ RING + i, i };
    }
    for (uint32_t i = 0; i < 3 * RING; i++) {
        delays[i] = 5000 + 500 * (i % 4);
    }
    struct sf_event_params params = {
        .n_nodes = 2 * RING,
        .n_hosts = RING,
        .n_links = 3 * RING,
        .links = links,
        .n_vls = n_vls,
        .delays = delays,
        .switch_delay = 100000,
        .rate = 6820000000,
        .packet_bytes = 2074,
        .buffer = 2 * 2074,
        .queues = queues,
    };
    struct sf_event_sim *sim = make_sim(&params);
    for (uint32_t i = 0; i < RING; i++) {
        struct sf_sim_hop hops[RING / 2 + 2] = { { i, 0 } };
        uint32_t n = 1, to = (i + RING / 2) % RING;
        for (uint32_t j = i; j < i + RING / 2; j++) {
            uint32_t vl = j >= RING - 1 ? n_vls - 1 : 0;
            hops[n++] = (struct sf_sim_hop){ RING + 2 * (j % RING), vl };
        }
        hops[n++] = (struct sf_sim_hop){ RING + 2 * to + 1, 0 };
        routes[i] = encode(sim, hops, n);
    }
    return sim;
}

static void
check_ring(enum sf_sim_queues queues, uint32_t n_vls, bool deadlocks)
{
    struct sf_sim_route routes[RING];
    struct flood flood = { .routes = routes };
    struct sf_event_sim *sim = make_ring(n_vls, queues, routes);

    start_flood(sim, &flood);
    run(sim, 500000000);
    struct sf_sim_deadlock deadlock = find_deadlock(sim);
    CHECK_EQ(deadlock.n_cycle, deadlocks ? RING : 0);
    CHECK_EQ(deadlock.n_stuck, deadlocks ? 2 * RING : 0); /* And of hosts. */
    CHECK_EQ(sf_event_sim_next(sim) == SF_NEVER, deadlocks);
    for (uint32_t i = 0; i < deadlock.n_cycle; i++) {
        uint32_t next = deadlock.cycle[(i + 1) % RING].link;
        CHECK_EQ(deadlock.cycle[i].vl, 0);
        CHECK_EQ(next,
                 RING + (deadlock.cycle[i].link - RING + 2) % (2 * RING));
    }
    check_state(sim, n_vls);
    sf_sim_deadlock_clear(&deadlock);
    sf_event_sim_free(sim);
}

TEST(events_ring_deadlocks_on_one_lane_and_not_on_two)
{
    check_ring(SF_SIM_VOQ, 1, true);
    check_ring(SF_SIM_FIFO, 1, true);
    check_ring(SF_SIM_VOQ, 2, false);
    check_ring(SF_SIM_FIFO, 2, false);
}

/* Tags mean something to their own feeder only. */
TEST(events_keep_their_feeder_while_packets_are_under_way)
{
    struct sf_sim_route routes[RING];
    bool is_silent[RING] = { false };
    struct flood flood = { .routes = routes, .is_silent = is_silent };
    struct sf_event_sim *sim = make_ring(2, SF_SIM_VOQ, routes);
    struct sf_sim_feeder feeder = { &flood, flood_next, flood_delivered };
    struct sf_error err;

    start_flood(sim, &flood);
    run(sim, 1000000);
    CHECK_EQ(sf_event_sim_feed(sim, &feeder, &err), SF_EINVAL);
    memset(is_silent, true, sizeof is_silent);
    run(sim, SF_NEVER);
    CHECK_EQ(sf_event_sim_n_in_flight(sim), 0);
    CHECK_EQ(sf_event_sim_feed(sim, &feeder, &err), SF_OK);

    /* Who is woken is asked at that very moment. */
    uint64_t now = sf_event_sim_now(sim);
    run(sim, now + 1);
    is_silent[3] = false;
    CHECK_EQ(sf_event_sim_next(sim), SF_NEVER);
    sf_event_sim_wake(sim, 3);
    CHECK_EQ(sf_event_sim_next(sim), now + 1);
    run(sim, now + 2);
    CHECK_EQ(sf_event_sim_n_in_flight(sim), 1);
    sf_event_sim_free(sim);
}

/* A Slim Fly with a permutation of its hosts on shortest paths. */
struct fly {
    struct sf_topology *topo;
    struct sf_network *network;
    struct sf_wires *wires;
    struct sf_sim_route *routes; /* [hosts] */
};

/* The arcs of a shortest path between switches that are at most 2 apart. */
static void
find_arcs(const struct sf_graph *graph, uint32_t from, uint32_t to,
          struct sf_path *path)
{
    for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
        if (graph->arcs[i].to == to) {
            path->arcs[0] = i;
            path->n_arcs = 1;
            return;
        }
    }
    for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
        uint32_t middle = graph->arcs[i].to;
        for (uint32_t j = graph->first[middle]; j < graph->first[middle + 1];
             j++) {
            if (graph->arcs[j].to == to) {
                path->arcs[0] = i;
                path->arcs[1] = j;
                path->n_arcs = 2;
                return;
            }
        }
    }
}

/* Two lanes for first hops and two for second ones, by sender. */
static uint32_t
find_hops(const struct fly *fly, uint32_t from, uint32_t to,
          struct sf_sim_hop *hops)
{
    struct sf_path path = { .first_vl = (uint8_t)(from % 4) };
    uint32_t a = sf_wires_switch_of(fly->wires, from);
    uint32_t b = sf_wires_switch_of(fly->wires, to);

    if (a != b) {
        find_arcs(fly->network->graph, a, b, &path);
        path.vls[0] = (uint8_t)(from % 2);
        path.vls[1] = (uint8_t)(2 + from % 2);
    }
    return sf_wires_hops(fly->wires, &path, from, to, hops);
}

static void
make_fly(struct fly *fly, uint32_t q)
{
    fly->topo = build("sf:q=%u", q);
    fly->network = network_of(fly->topo->graph, fly->topo->n_hosts);
    CHECK_EQ(sf_wires_build(fly->network, &fly->wires, NULL), SF_OK);
    fly->routes = oracle_calloc(fly->wires->n_hosts, sizeof *fly->routes);
}

static void
free_fly(struct fly *fly)
{
    free(fly->routes);
    sf_wires_free(fly->wires);
    sf_network_free(fly->network);
    sf_topology_free(fly->topo);
}

/* Both simulations encode routes alike. */
static void
permute(struct fly *fly, const struct sf_event_sim *sim, uint32_t seed)
{
    struct sf_sim_hop hops[SF_MAX_PATH_LINKS];
    struct sf_random random;
    uint32_t n = fly->wires->n_hosts;
    uint32_t *order = oracle_calloc(n, sizeof *order);

    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    sf_random_init(&random, seed, 0);
    sf_random_shuffle(&random, order, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = order[i], to = order[(i + 1) % n];
        fly->routes[from] = encode(sim, hops, find_hops(fly, from, to, hops));
    }
    free(order);
}

/* Packets that come in a slot and host, by slots. */
static double
rate_by_slots(const struct fly *fly, enum sf_sim_queues queues,
              uint32_t n_slots)
{
    struct sf_packet_params params = {
        .n_nodes = fly->wires->n_nodes,
        .n_hosts = fly->wires->n_hosts,
        .n_links = fly->wires->n_links,
        .links = fly->wires->links,
        .n_vls = 4,
        .buffer = 8,
        .queues = queues,
    };
    struct sf_packet_sim *sim;
    struct flood flood = { .routes = fly->routes };
    struct sf_sim_feeder feeder = { &flood, flood_next, flood_delivered };

    CHECK_EQ(sf_packet_sim_build(&params, &sim, NULL), SF_OK);
    CHECK_EQ(sf_packet_sim_feed(sim, &feeder, NULL), SF_OK);
    CHECK_EQ(sf_packet_sim_run(sim, n_slots, NULL), SF_OK);
    uint64_t before = flood.n_delivered;
    CHECK_EQ(sf_packet_sim_run(sim, n_slots, NULL), SF_OK);
    sf_packet_sim_free(sim);
    return (double)(flood.n_delivered - before) / n_slots / params.n_hosts;
}

static struct sf_event_sim *
make_fly_sim(const struct fly *fly, enum sf_sim_queues queues)
{
    struct sf_event_params params = {
        .n_nodes = fly->wires->n_nodes,
        .n_hosts = fly->wires->n_hosts,
        .n_links = fly->wires->n_links,
        .links = fly->wires->links,
        .n_vls = 4,
        .rate = 10000000000,
        .packet_bytes = 1000,
        .buffer = 8000,
        .queues = queues,
    };
    return make_sim(&params);
}

/* The same by events. */
static double
rate_by_events(const struct fly *fly, struct sf_event_sim *sim,
               uint32_t n_packets)
{
    struct flood flood = { .routes = fly->routes };
    uint64_t time = (uint64_t)n_packets * 100000;

    start_flood(sim, &flood);
    run(sim, time);
    uint64_t before = flood.n_delivered;
    run(sim, 2 * time);
    check_state(sim, 0);
    return (double)(flood.n_delivered - before) / n_packets /
           fly->wires->n_hosts;
}

static void
compare_with_slots(uint32_t q, uint32_t n_seeds, uint32_t n_packets)
{
    struct fly fly;

    make_fly(&fly, q);
    for (uint32_t i = 0; i < 2 * n_seeds; i++) {
        enum sf_sim_queues queues = i % 2 ? SF_SIM_FIFO : SF_SIM_VOQ;
        struct sf_event_sim *sim = make_fly_sim(&fly, queues);
        permute(&fly, sim, i / 2);
        double events = rate_by_events(&fly, sim, n_packets);
        double slots = rate_by_slots(&fly, queues, n_packets);
        CHECK_FOR(events > 0.98 * slots && events < 1.02 * slots,
                  "permutation %u, queues %d: %.4f in slots, %.4f by events",
                  i / 2, queues, slots, events);
        sf_event_sim_free(sim);
    }
    free_fly(&fly);
}

TEST(events_and_slots_give_the_same_rates)
{
    compare_with_slots(5, 3, 300);
}

TEST_LONG(events_and_slots_give_the_same_rates_longer)
{
    compare_with_slots(5, 20, 1000);
    compare_with_slots(7, 5, 1000);
}

TEST(events_refuse_what_cannot_be)
{
    static const struct sf_sim_link links[] = {
        { 0, 2 }, { 1, 2 }, { 2, 0 }, { 2, 1 }
    };
    static const uint32_t delays[] = { 0, 0, SF_EVENT_MAX_DELAY + 1, 0 };
    const struct sf_event_params good = {
        .n_nodes = 3,
        .n_hosts = 2,
        .links = links,
        .n_links = 4,
        .n_vls = 1,
        .rate = 1000,
        .packet_bytes = 1,
        .buffer = 1,
    };
    struct sf_event_params cases[12];
    struct sf_event_sim *sim;
    struct sf_error err;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        cases[i] = good;
    }
    cases[0].rate = 0;
    cases[1].rate = SF_EVENT_MAX_RATE + 1;
    cases[2].packet_bytes = 0;
    cases[3].buffer = 0;
    cases[4].packet_bytes = 2;
    cases[5].rate = 100; /* 10 ms for a byte. */
    cases[6].packet_bytes = cases[6].buffer = SF_EVENT_MAX_BYTES + 1;
    cases[7].delays = delays;
    cases[8].switch_delay = SF_EVENT_MAX_DELAY + 1;
    cases[9].n_vls = 0;
    cases[10].n_hosts = 3;
    cases[11].buffer = UINT32_MAX;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        sim = UNSET(struct sf_event_sim);
        err = (struct sf_error){ 0 };
        CHECK_FOR(sf_event_sim_build(&cases[i], &sim, &err) == SF_EINVAL,
                  "case %zu", i);
        CHECK(sim == NULL && err.text[0]);
    }
    CHECK_EQ(sf_event_sim_build(&good, &sim, &err), SF_OK);
    CHECK_EQ(sf_event_sim_run(sim, SF_EVENT_MAX_TIME + 1, &err), SF_ELIMIT);
    CHECK_EQ(sf_event_sim_next(sim), SF_NEVER);
    sf_event_sim_free(sim);
}

/* A simulation from end to end, with allocation 'nth' failing. */
static enum sf_status
simulate(const struct sf_event_params *params, const struct sf_sim_hop *hops,
         uint32_t n_hops, unsigned long nth)
{
    struct sf_event_sim *sim = NULL;
    struct sf_sim_deadlock deadlock = { 0 };
    struct sf_sim_route route = { { 0, 0 } };
    struct flood flood = { .routes = &route };

    sf_mem_fail_at(nth);
    enum sf_status status = sf_event_sim_build(params, &sim, NULL);
    CHECK((status == SF_OK) == (sim != NULL));
    if (status == SF_OK) {
        route = encode(sim, hops, n_hops);
        start_flood(sim, &flood);
        status = sf_event_sim_run(sim, SF_NEVER, NULL);
    }
    if (status == SF_OK) {
        status = sf_event_sim_find_deadlock(sim, &deadlock, NULL);
        CHECK(status != SF_OK || deadlock.n_cycle > 0);
        CHECK(status == SF_OK || deadlock.n_stuck == 0);
        sf_sim_deadlock_clear(&deadlock);
    }
    if (status == SF_OK) {
        status = sf_event_sim_check(sim, NULL);
    }
    sf_event_sim_free(sim);
    void *memory = sf_calloc(1, 1);
    bool is_still_to_come = memory == NULL;
    free(memory);
    sf_mem_fail_at(0);
    CHECK_EQ(status, is_still_to_come ? SF_OK : SF_ENOMEM);
    return status;
}

/* A host sends around a loop of two switches until its own packets block it.
 * Two buffers of 90 packets make the pools grow. */
TEST(events_nomem)
{
    const struct sf_sim_link links[] = {
        { 0, 1 }, { 1, 2 }, { 1, 0 }, { 2, 1 }
    };
    const uint32_t delays[] = { 2000000, 2000000, 1, 2000000 };
    const struct sf_sim_hop hops[] = { { 0, 0 }, { 1, 0 }, { 3, 0 }, { 1, 0 },
                                       { 3, 0 }, { 1, 0 }, { 3, 0 }, { 1, 0 },
                                       { 3, 0 }, { 2, 0 } };

    for (int queues = SF_SIM_VOQ; queues <= SF_SIM_FIFO; queues++) {
        const struct sf_event_params params = {
            .n_nodes = 3,
            .n_hosts = 1,
            .links = links,
            .n_links = 4,
            .n_vls = 1,
            .delays = delays,
            .rate = 1000000000,
            .switch_delay = 1000,
            .packet_bytes = 100,
            .buffer = 9000,
            .queues = (enum sf_sim_queues)queues,
        };
        unsigned long nth = 1;
        while (simulate(&params, hops, ARRAY_SIZE(hops), nth) != SF_OK) {
            nth++;
            CHECK(nth < 100);
        }
        CHECK(nth > 20);
    }
}
