/* test_flow_run.c -- programs by max-min fair sharing, against a slow run from
 * moment to moment and in cases that are known. */
#include "helpers.h"
#include "oracle/oracle.h"
#include "oracle/sharing_oracle.h"
#include "sim/run.h"
#include "sim/workload.h"
#include "slimfly/random.h"
#include "slimfly/routing.h"
#include "slimfly/topology.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE     1e-7
#define MAX_MESSAGES  24
#define MAX_ADDRESSES 4

#define SMALL_BUFFER 65536
#define LARGE_BUFFER 1000000

/* A network with its routes. */
struct place {
    struct sf_network *network;
    struct sf_routing *routing;
    struct sf_path_source source;
    struct sf_wires *wires;
};

/* One layer has lanes, so that packets cannot deadlock. */
static struct place
place_of(const char *spec, const char *scheme, uint32_t n_layers,
         uint64_t seed)
{
    struct sf_routing_params params = {
        .layers = { .scheme = scheme, .n_layers = n_layers, .seed = seed },
        .without_lanes = n_layers > 1,
    };
    struct sf_topology *topo = build("%s", spec);
    struct place place = { .network = network_of(topo->graph, topo->n_hosts) };
    struct sf_error err = { 0 };

    CHECK_FOR(sf_routing_build(place.network, &params, &place.routing, &err) ==
                  SF_OK,
              "%s: %s", spec, err.text);
    CHECK_EQ(sf_path_source_of_routes(place.network, place.routing->routes,
                                      SF_SL_OF_PATH, &place.source, NULL),
             SF_OK);
    CHECK_EQ(sf_wires_build(place.network, &place.wires, NULL), SF_OK);
    sf_topology_free(topo);
    return place;
}

static void
clear_place(struct place *place)
{
    sf_wires_free(place->wires);
    sf_routing_free(place->routing);
    sf_network_free(place->network);
}

/* Links that carry a byte a second. */
static struct sf_simulation_params
params_of(enum sf_select select)
{
    return (struct sf_simulation_params){
        .select = select,
        .net = { .rate = 1, .mtu = 1 },
    };
}

static void
must_run(const struct place *place, const struct sf_simulation_params *params,
         const struct sf_program *program, struct sf_run *run)
{
    struct sf_run_setup setup = { &place->source, place->wires, params,
                                  params->seed };
    struct sf_error err = { 0 };

    CHECK_FOR(sf_run_flows(&setup, program, run, &err) == SF_OK, "%s",
              err.text);
    CHECK(run->is_finished && run->n_vls == 1);
    CHECK_EQ(run->n_links, place->wires->n_links);
}

/* Up to MAX_MESSAGES messages between few hosts, many of which wait. */
static struct sf_program
draw_program(const struct place *place, struct sf_random *random,
             bool with_ties)
{
    struct sf_program program = { 0 };
    uint32_t n_hosts = place->wires->n_hosts;
    uint32_t n = 1 + sf_random_below(random, MAX_MESSAGES);
    uint32_t n_talking = n_hosts < 8 ? n_hosts : 8;
    uint32_t n_sizes = with_ties ? 3 : 100000;

    for (uint32_t m = 0; m < n; m++) {
        uint32_t from = sf_random_below(random, n_talking);
        uint32_t to =
            (from + 1 + sf_random_below(random, n_hosts - 1)) % n_hosts;
        double delay = sf_random_below(random, 100000) * 1e-4;
        CHECK(sf_program_send(&program, from, to,
                              1 + sf_random_below(random, n_sizes),
                              with_ties ? 0 : delay));
        for (uint32_t i = sf_random_below(random, 3); m > 0 && i > 0; i--) {
            CHECK(sf_program_wait(&program, sf_random_below(random, m), m));
        }
    }
    CHECK_EQ(sf_program_end(&program, n_hosts, NULL), SF_OK);
    return program;
}

/* A message of the slow run. */
struct sending {
    const struct sf_message *message;
    double ready; /* HUGE_VAL: not known yet. */
    double start; /* HUGE_VAL: the host has not come to it. */
    double end;   /* HUGE_VAL: not yet. */
    uint32_t n_flows;
    bool *crosses[MAX_ADDRESSES];
    double weights[MAX_ADDRESSES];
    double left[MAX_ADDRESSES]; /* left[0] of all if they are pooled. */
    double rates[MAX_ADDRESSES];
};

struct slow_run {
    const struct place *place;
    const struct sf_simulation_params *params;
    const struct sf_program *program;
    uint32_t n;
    struct sending sendings[MAX_MESSAGES];
    double *free_at, *capacities;
    double now;
};

static void
set_crosses(const struct slow_run *slow, const struct sf_message *message,
            uint32_t address, bool *crosses)
{
    const struct sf_path_source *source = &slow->place->source;
    struct sf_sim_hop hops[SF_MAX_PATH_LINKS];
    struct sf_path path;

    CHECK_EQ(source->follow(source, message->from, message->to, address, &path,
                            NULL),
             SF_OK);
    uint32_t n = sf_wires_hops(slow->place->wires, &path, message->from,
                               message->to, hops);
    for (uint32_t i = 0; i < n; i++) {
        crosses[hops[i].link] = true;
    }
}

/* How many earlier messages of the pair the host has come to. */
static uint32_t
count_before(const struct slow_run *slow, const struct sending *sending)
{
    uint32_t n = 0;

    for (uint32_t m = 0; m < slow->n; m++) {
        n += &slow->sendings[m] != sending &&
             slow->sendings[m].start < HUGE_VAL &&
             slow->sendings[m].message->from == sending->message->from &&
             slow->sendings[m].message->to == sending->message->to;
    }
    return n;
}

static bool
is_pooled(const struct slow_run *slow)
{
    return slow->params->select == SF_SELECT_ADAPTIVE;
}

/* Adds a flow to 'address', or to one over the same links. */
static void
add_address(struct slow_run *slow, struct sending *sending, uint32_t address)
{
    uint32_t n_links = slow->place->wires->n_links, i = 0;
    bool *crosses = oracle_calloc(n_links, sizeof *crosses);

    set_crosses(slow, sending->message, address, crosses);
    while (i < sending->n_flows &&
           memcmp(sending->crosses[i], crosses, n_links) != 0) {
        i++;
    }
    if (i == sending->n_flows) {
        sending->crosses[sending->n_flows++] = crosses;
    } else {
        free(crosses);
    }
    sending->weights[i] += 1;
}

/* The host sends the message. */
static void
start_sending(struct slow_run *slow, struct sending *sending)
{
    const struct sf_simulation_params *params = slow->params;
    uint32_t n_addresses = slow->place->source.n_addresses;
    double *free_at = &slow->free_at[sending->message->from];
    struct sf_random random;

    if (is_pooled(slow) || (params->select == SF_SELECT_STRIPE &&
                            sending->message->bytes > params->eager)) {
        for (uint32_t a = 0; a < n_addresses; a++) {
            add_address(slow, sending, a);
        }
    } else if (params->select == SF_SELECT_MESSAGE) {
        add_address(slow, sending, count_before(slow, sending) % n_addresses);
    } else if (params->select == SF_SELECT_RANDOM) {
        uint32_t address = 0;
        sf_random_init(&random, params->seed, 0);
        for (ptrdiff_t i = sending - slow->sendings; i >= 0; i--) {
            address = sf_random_below(&random, n_addresses);
        }
        add_address(slow, sending, address);
    } else {
        add_address(slow, sending, 0);
    }
    double bytes = (double)sending->message->bytes, sum = 0;
    for (uint32_t i = 0; i < sending->n_flows; i++) {
        sum += sending->weights[i];
    }
    for (uint32_t i = 0; i < sending->n_flows; i++) {
        sending->left[i] =
            is_pooled(slow) ? bytes : bytes * sending->weights[i] / sum;
        sending->weights[i] = is_pooled(slow) ? 1.0 / sending->n_flows
                                              : sending->weights[i] / sum;
    }
    sending->start = sending->ready;
    if (params->overhead > 0) {
        sending->start = fmax(sending->ready, *free_at) + params->overhead;
        *free_at = sending->start;
    }
}

/* Whether all that message 'm' waits for has come; then '*lastp' is when. */
static bool
is_released(const struct slow_run *slow, uint32_t m, double *lastp)
{
    *lastp = 0;
    for (size_t i = 0; i < slow->program->waits.n; i++) {
        const struct sf_wait *wait = &slow->program->waits.items[i];
        if (wait->after == m) {
            *lastp = fmax(*lastp, slow->sendings[wait->before].end);
        }
    }
    return *lastp < HUGE_VAL;
}

/* Starts all messages that are ready now, the earliest first. */
static void
start_ready(struct slow_run *slow)
{
    for (;;) {
        struct sending *first = NULL;
        for (uint32_t m = 0; m < slow->n; m++) {
            struct sending *sending = &slow->sendings[m];
            double last;
            if (is_released(slow, m, &last)) {
                sending->ready = last + sending->message->delay;
            }
            if (sending->start == HUGE_VAL && sending->ready <= slow->now &&
                (!first || sending->ready < first->ready)) {
                first = sending;
            }
        }
        if (!first) {
            return;
        }
        start_sending(slow, first);
    }
}

static bool
is_running(const struct slow_run *slow, const struct sending *sending)
{
    return sending->end == HUGE_VAL &&
           sending->start + slow->params->net.host_delay <= slow->now;
}

static void
set_rates(struct slow_run *slow)
{
    struct oracle_flow flows[MAX_MESSAGES * MAX_ADDRESSES];
    double rates[MAX_MESSAGES * MAX_ADDRESSES], *places[ARRAY_SIZE(rates)];
    uint32_t n = 0;

    for (uint32_t m = 0; m < slow->n; m++) {
        struct sending *sending = &slow->sendings[m];
        for (uint32_t i = 0; i < sending->n_flows; i++) {
            sending->rates[i] = 0;
            if (is_running(slow, sending) && sending->left[i] > 0) {
                places[n] = &sending->rates[i];
                flows[n++] =
                    (struct oracle_flow){ sending->crosses[i],
                                          sending->weights[i], HUGE_VAL };
            }
        }
    }
    oracle_share(slow->capacities, slow->place->wires->n_links, flows, n,
                 rates);
    for (uint32_t i = 0; i < n; i++) {
        *places[i] = rates[i];
    }
}

/* How fast the bytes of a flow, or of all, get less. */
static double
pace_of(const struct slow_run *slow, const struct sending *sending, uint32_t i)
{
    double pace = 0;

    if (!is_pooled(slow)) {
        return sending->rates[i];
    }
    for (uint32_t k = 0; k < sending->n_flows; k++) {
        pace += sending->rates[k];
    }
    return pace;
}

static double
next_moment(const struct slow_run *slow)
{
    double next = HUGE_VAL;

    for (uint32_t m = 0; m < slow->n; m++) {
        const struct sending *sending = &slow->sendings[m];
        double arrives = sending->start + slow->params->net.host_delay;
        if (sending->start == HUGE_VAL && sending->ready > slow->now) {
            next = fmin(next, sending->ready);
        } else if (sending->start < HUGE_VAL && arrives > slow->now) {
            next = fmin(next, arrives);
        }
        for (uint32_t i = 0; i < sending->n_flows; i++) {
            double pace = pace_of(slow, sending, i);
            if (pace > 0) {
                next = fmin(next, slow->now + sending->left[i] / pace);
            }
        }
    }
    return next;
}

/* Moves bytes until 'next'. */
static void
move_bytes(struct slow_run *slow, double next)
{
    for (uint32_t m = 0; m < slow->n; m++) {
        struct sending *sending = &slow->sendings[m];
        bool is_left = !is_running(slow, sending);
        for (uint32_t i = 0; i < sending->n_flows && !is_left; i++) {
            double sent = pace_of(slow, sending, i) * (next - slow->now);
            double least = 1e-10 * (double)sending->message->bytes;
            sending->left[i] =
                sending->left[i] - sent > least ? sending->left[i] - sent : 0;
        }
        for (uint32_t i = 0; i < sending->n_flows; i++) {
            is_left |= sending->left[i] > 0;
        }
        if (!is_left) {
            sending->end = next + slow->params->net.host_delay;
        }
    }
}

static void
run_slowly(struct slow_run *slow)
{
    uint32_t n_links = slow->place->wires->n_links;

    slow->n = (uint32_t)slow->program->messages.n;
    slow->free_at =
        oracle_calloc(slow->place->wires->n_hosts, sizeof *slow->free_at);
    slow->capacities = oracle_calloc(n_links, sizeof *slow->capacities);
    for (uint32_t l = 0; l < n_links; l++) {
        slow->capacities[l] = 1;
    }
    for (uint32_t m = 0; m < slow->n; m++) {
        slow->sendings[m] = (struct sending){
            .message = &slow->program->messages.items[m],
            .ready = HUGE_VAL,
            .start = HUGE_VAL,
            .end = HUGE_VAL,
        };
    }
    while (slow->now < HUGE_VAL) {
        start_ready(slow);
        set_rates(slow);
        double next = next_moment(slow);
        if (next < HUGE_VAL) {
            move_bytes(slow, next);
        }
        slow->now = next;
    }
}

static void
clear_slow(struct slow_run *slow)
{
    for (uint32_t m = 0; m < slow->n; m++) {
        for (uint32_t i = 0; i < slow->sendings[m].n_flows; i++) {
            free(slow->sendings[m].crosses[i]);
        }
    }
    free(slow->free_at);
    free(slow->capacities);
}

static bool
is_near(double a, double b)
{
    return fabs(a - b) <= TOLERANCE * fabs(b);
}

/* What crossed the links of a pool is not known in advance; what crossed the
 * links of the hosts is. */
static void
check_loads(const struct slow_run *slow, const struct sf_run *run)
{
    uint32_t n_links = slow->place->wires->n_links;
    double *bytes = oracle_calloc(n_links, sizeof *bytes);

    for (uint32_t m = 0; m < slow->n; m++) {
        const struct sending *sending = &slow->sendings[m];
        for (uint32_t i = 0; i < sending->n_flows; i++) {
            for (uint32_t l = 0; l < n_links; l++) {
                bytes[l] +=
                    sending->crosses[i][l]
                        ? sending->weights[i] * (double)sending->message->bytes
                        : 0;
            }
        }
    }
    for (uint32_t l = 0; l < n_links; l++) {
        bool is_of_host = sf_wires_arc_of(slow->place->wires, l) == SF_NONE;
        CHECK(run->loads[l] >= 0 && run->loads[l] <= 1 + TOLERANCE);
        if (is_of_host || !is_pooled(slow)) {
            CHECK_FOR(is_near(run->loads[l] * run->time, bytes[l]),
                      "link %u carried %.12g bytes, expected %.12g", l,
                      run->loads[l] * run->time, bytes[l]);
        }
    }
    free(bytes);
}

static void
check_run(const struct place *place, const struct sf_simulation_params *params,
          const struct sf_program *program, uint64_t seed)
{
    struct slow_run slow = { .place = place,
                             .params = params,
                             .program = program };
    struct sf_run run;
    double last = 0;

    must_run(place, params, program, &run);
    run_slowly(&slow);
    for (uint32_t m = 0; m < slow.n; m++) {
        CHECK_FOR(is_near(run.starts[m], slow.sendings[m].start) &&
                      is_near(run.ends[m], slow.sendings[m].end),
                  "seed %llu, select %d: message %u from %.12g to %.12g, "
                  "expected %.12g to %.12g",
                  (unsigned long long)seed, (int)params->select, m,
                  run.starts[m], run.ends[m], slow.sendings[m].start,
                  slow.sendings[m].end);
        last = fmax(last, run.ends[m]);
    }
    CHECK(run.time == last);
    check_loads(&slow, &run);
    clear_slow(&slow);
    sf_run_clear(&run);
}

static void
check_programs(uint64_t n_seeds, bool with_ties, double overhead,
               double host_delay)
{
    static const char *const specs[] = { "hx2:3x3,p=2", "df:a=2,h=1,p=2",
                                         "jellyfish:n=8,k=3,seed=1" };

    for (uint64_t seed = 0; seed < n_seeds; seed++) {
        struct place place =
            place_of(specs[seed % ARRAY_SIZE(specs)], "rues", 3, seed);
        struct sf_random random;
        sf_random_init(&random, seed, 0);
        for (uint32_t select = 0; select < SF_N_SELECTS; select++) {
            struct sf_simulation_params params = params_of(select);
            struct sf_program program =
                draw_program(&place, &random, with_ties);
            params.seed = seed;
            params.overhead = overhead;
            params.eager = seed % 3 == 0 ? 0 : with_ties ? 1 : 30000;
            params.net.host_delay = host_delay;
            check_run(&place, &params, &program, seed);
            sf_program_clear(&program);
        }
        clear_place(&place);
    }
}

TEST(flow_run_is_steps_from_moment_to_moment)
{
    check_programs(20, false, 0, 0);
    check_programs(20, false, 0, 3.5);
}

TEST(flow_run_with_equal_messages)
{
    check_programs(20, true, 0, 0);
    check_programs(20, true, 0, 0.25);
}

/* Hosts need time for each message. */
TEST(flow_run_with_overhead)
{
    check_programs(20, false, 11.3, 0);
    check_programs(20, false, 20000.7, 2.1);
}

TEST_LONG(flow_run_of_many_programs)
{
    check_programs(500, false, 0, 1);
    check_programs(500, true, 0, 0);
    check_programs(500, false, 1000.3, 1);
}

/* Switches 0 to 3; two ways from 0 to 3, over 1 and over 2.  Hosts 0 and 1 are
 * on switch 0, host 2 on switch 1, hosts 3 and 4 on switch 3.  Address 0 leads
 * over switch 1 and address 1 over switch 2. */
static enum sf_status
follow_diamond(const struct sf_path_source *source, uint32_t from, uint32_t to,
               uint32_t address, struct sf_path *path, struct sf_error *err)
{
    const struct sf_graph *graph = source->network->graph;
    uint32_t s = from < 2 ? 0 : 1;

    *path = (struct sf_path){ 0 };
    if (from > 2 || to < 3) {
        return sf_fail(err, SF_EUNREACHABLE, "no path");
    }
    while (s != 3) {
        uint32_t next = s == 0 ? 1 + address : 3;
        uint32_t arc = graph->first[s];
        while (graph->arcs[arc].to != next) {
            arc++;
        }
        path->arcs[path->n_arcs++] = arc;
        s = next;
    }
    return SF_OK;
}

static struct place
diamond(void)
{
    static const struct sf_link links[] = {
        { 0, 1 }, { 0, 2 }, { 1, 3 }, { 2, 3 }
    };
    static const uint32_t n_hosts[] = { 2, 1, 0, 2 };
    struct place place = { 0 };
    struct sf_graph *graph;

    CHECK_EQ(sf_graph_build(4, links, 4, &graph, NULL), SF_OK);
    place.network = network_of(graph, n_hosts);
    place.source = (struct sf_path_source){ .network = place.network,
                                            .n_addresses = 2,
                                            .n_vls = 1,
                                            .follow = follow_diamond };
    CHECK_EQ(sf_wires_build(place.network, &place.wires, NULL), SF_OK);
    sf_graph_free(graph);
    return place;
}

/* Runs two messages at once and checks when they end. */
static void
check_two(const struct place *place, enum sf_select select,
          struct sf_message one, struct sf_message other, double end_of_one,
          double end_of_other)
{
    struct sf_simulation_params params = params_of(select);
    struct sf_program program = { 0 };
    struct sf_run run;

    CHECK(sf_program_send(&program, one.from, one.to, one.bytes, 0));
    CHECK(sf_program_send(&program, other.from, other.to, other.bytes, 0));
    CHECK_EQ(sf_program_end(&program, 5, NULL), SF_OK);
    must_run(place, &params, &program, &run);
    CHECK_NEAR(run.ends[0], end_of_one, 1e-9);
    CHECK_NEAR(run.ends[1], end_of_other, 1e-9);
    CHECK_NEAR(run.time, fmax(end_of_one, end_of_other), 1e-9);
    sf_run_clear(&run);
    sf_program_clear(&program);
}

TEST(flow_run_on_a_diamond)
{
    struct place place = diamond();
    struct sf_message one = { .from = 0, .to = 3, .bytes = 12 };
    struct sf_message other = { .from = 1, .to = 4, .bytes = 12 };
    struct sf_message next = { .from = 0, .to = 3, .bytes = 6 };
    struct sf_message beside = { .from = 2, .to = 4, .bytes = 60 };

    /* Both over switch 1, or over both ways. */
    check_two(&place, SF_SELECT_FIRST, one, other, 24, 24);
    check_two(&place, SF_SELECT_MESSAGE, one, other, 24, 24);
    check_two(&place, SF_SELECT_STRIPE, one, other, 12, 12);
    check_two(&place, SF_SELECT_ADAPTIVE, one, other, 12, 12);

    /* The next message of a pair goes the other way, and only the link of the
     * host is shared. */
    check_two(&place, SF_SELECT_MESSAGE, one, next, 18, 12);

    /* What comes from switch 1 has one way, and weighs twice as much on the
     * link to switch 3 as one of two stripes: 2/3 and 1/3.  The other stripe
     * has 2/3 and its 6 bytes end at 9; then 3 more at 1/3. */
    check_two(&place, SF_SELECT_STRIPE, one, beside, 18, 66);

    /* Together the two flows always have the rate 1 of the host. */
    check_two(&place, SF_SELECT_ADAPTIVE, one, beside, 12, 64);
    check_two(&place, SF_SELECT_FIRST, one, beside, 24, 72);
    clear_place(&place);
}

/* 12 bytes each, one after the other: 0.5 of overhead before each message,
 * 0.25 at each end; the third waits for the first and computes for 2. */
TEST(flow_run_adds_up_delays)
{
    struct place place = diamond();
    struct sf_simulation_params params = params_of(SF_SELECT_STRIPE);
    struct sf_program program = { 0 };
    struct sf_run run;

    params.overhead = 0.5;
    params.net.host_delay = 0.25;
    CHECK(sf_program_send(&program, 0, 3, 12, 0));
    CHECK(sf_program_send(&program, 1, 4, 6, 1));
    CHECK(sf_program_send(&program, 0, 4, 12, 2));
    CHECK(sf_program_wait(&program, 0, 2));
    CHECK_EQ(sf_program_end(&program, 5, NULL), SF_OK);
    must_run(&place, &params, &program, &run);
    CHECK_NEAR(run.starts[0], 0.5, 1e-12);
    CHECK_NEAR(run.ends[0], 0.5 + 0.25 + 12 + 0.25, 1e-9);
    CHECK_NEAR(run.starts[1], 1.5, 1e-12);
    CHECK_NEAR(run.ends[1], 1.5 + 0.25 + 6 + 0.25, 1e-9);
    CHECK_NEAR(run.starts[2], 13 + 2 + 0.5, 1e-9);
    CHECK_NEAR(run.ends[2], 15.5 + 0.25 + 12 + 0.25, 1e-9);

    /* Link 0 carried 24 bytes in 28 seconds. */
    CHECK_NEAR(run.loads[0], 24 / run.time, 1e-9);
    sf_run_clear(&run);
    sf_program_clear(&program);
    clear_place(&place);
}

TEST(flow_run_says_what_cannot_be_reached)
{
    struct place place = diamond();
    struct sf_simulation_params params = params_of(SF_SELECT_STRIPE);
    struct sf_run_setup setup = { &place.source, place.wires, &params, 1 };
    struct sf_program program = { 0 };
    struct sf_run run;
    struct sf_error err = { 0 };

    CHECK(sf_program_send(&program, 0, 3, 12, 0));
    CHECK(sf_program_send(&program, 3, 0, 12, 0));
    CHECK_EQ(sf_program_end(&program, 5, NULL), SF_OK);
    CHECK_EQ(sf_run_flows(&setup, &program, &run, &err), SF_EUNREACHABLE);
    CHECK_STR(err.text, "no path");
    CHECK(run.starts == NULL && run.ends == NULL && run.loads == NULL);
    sf_program_clear(&program);
    clear_place(&place);
}

TEST(flow_run_of_nothing)
{
    struct place place = diamond();
    struct sf_simulation_params params = params_of(SF_SELECT_FIRST);
    struct sf_program program = { 0 };
    struct sf_run run;

    CHECK_EQ(sf_program_end(&program, 5, NULL), SF_OK);
    must_run(&place, &params, &program, &run);
    CHECK(run.time == 0 && run.loads[0] == 0);
    sf_run_clear(&run);
    sf_program_clear(&program);
    clear_place(&place);
}

/* The same seed gives the same bytes; with random addresses, another seed
 * gives others. */
TEST(flow_run_repeats)
{
    struct place place = place_of("sf:q=4", "rues", 4, 1);
    struct sf_sim_jobs asked = { .workload = "permutation" };
    struct sf_workload *workload;
    struct sf_program program;
    uint32_t *job_of;

    CHECK_EQ(sf_workload_build(place.network, &asked, 1, &workload, NULL),
             SF_OK);
    CHECK_EQ(sf_workload_program(workload, 0, &program, &job_of, NULL), SF_OK);
    for (uint32_t select = 0; select < SF_N_SELECTS; select++) {
        struct sf_simulation_params params = params_of(select);
        struct sf_run runs[3];
        for (uint32_t i = 0; i < 3; i++) {
            params.seed = i / 2;
            must_run(&place, &params, &program, &runs[i]);
        }
        size_t size = program.messages.n * sizeof *runs[0].ends;
        CHECK(memcmp(runs[0].ends, runs[1].ends, size) == 0);
        CHECK((memcmp(runs[0].ends, runs[2].ends, size) != 0) ==
              (select == SF_SELECT_RANDOM));
        for (uint32_t i = 0; i < 3; i++) {
            sf_run_clear(&runs[i]);
        }
    }
    sf_program_clear(&program);
    free(job_of);
    sf_workload_free(workload);
    clear_place(&place);
}

/* The mean rate of messages, as parts of a link. */
static double
mean_rate(const struct sf_program *program, const struct sf_run *run,
          double data_rate)
{
    double sum = 0;

    for (size_t i = 0; i < program->messages.n; i++) {
        CHECK(run->ends[i] > run->starts[i] && run->ends[i] < HUGE_VAL);
        sum += (double)program->messages.items[i].bytes /
               (run->ends[i] - run->starts[i]) / data_rate;
    }
    return sum / (double)program->messages.n;
}

/* Runs a workload by flows and by packets, whose mean rates must agree within
 * 5 %.  So must their times if packets have room: else a message that waits
 * for a full link holds up others of its host, and the last ones are late. */
static void
compare_models(const struct place *place,
               const struct sf_simulation_params *params)
{
    struct sf_run_setup setup = { &place->source, place->wires, params,
                                  params->seed };
    struct sf_workload *workload;
    struct sf_program program;
    struct sf_run flows, packets;
    struct sf_error err = { 0 };
    uint32_t *job_of;

    CHECK_EQ(sf_workload_build(place->network, &params->jobs, params->seed,
                               &workload, NULL),
             SF_OK);
    CHECK_EQ(sf_workload_program(workload, 0, &program, &job_of, NULL), SF_OK);
    must_run(place, params, &program, &flows);
    CHECK_FOR(sf_run_packets(&setup, &program, &packets, &err) == SF_OK, "%s",
              err.text);
    CHECK(packets.is_finished);
    double rate = mean_rate(&program, &packets, params->net.rate);
    CHECK_NEAR(mean_rate(&program, &flows, params->net.rate), rate,
               0.05 * rate);
    if (params->net.buffer > SMALL_BUFFER) {
        CHECK_NEAR(flows.time, packets.time, 0.05 * packets.time);
    }
    sf_run_clear(&packets);
    sf_run_clear(&flows);
    sf_program_clear(&program);
    free(job_of);
    sf_workload_free(workload);
}

/* Large messages, one path a pair, queues for each output. */
static void
check_models(uint64_t n_seeds)
{
    static const char *const specs[] = { "sf:q=4", "sf:q=5" };
    static const struct {
        struct sf_sim_jobs jobs;
        uint32_t buffer, window;
    } cases[] = {
        { { "permutation", .size = 2048 * 1000 }, SMALL_BUFFER, 0 },
        { { "permutation", .size = 2048 * 1000 }, LARGE_BUFFER, 4 },
        { { "all-to-all", "40", "random", 2048 * 64, 0 }, SMALL_BUFFER, 0 },
        { { "all-to-all", "40", "random", 2048 * 64, 0 }, LARGE_BUFFER, 4 },
        { { "all-to-all", "40", "switches", 2048 * 64, 0 }, LARGE_BUFFER, 4 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct place place = place_of(specs[i], "minimal", 1, 1);
        for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
            for (uint64_t seed = 0; seed < n_seeds; seed++) {
                struct sf_simulation_params params = {
                    .jobs = cases[k].jobs,
                    .net = { .rate = 1e9,
                             .mtu = 2048,
                             .buffer = cases[k].buffer },
                    .window = cases[k].window,
                    .seed = seed,
                };
                compare_models(&place, &params);
            }
        }
        clear_place(&place);
    }
}

TEST(flow_run_agrees_with_packets)
{
    check_models(2);
}

TEST_LONG(flow_run_agrees_with_packets_often)
{
    check_models(12);
}
