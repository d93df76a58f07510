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
    compare_many(0, 200);
}

TEST_LONG(events_agree_with_the_oracle_longer)
{
    compare_many(200, 5000);
}
