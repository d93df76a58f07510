/* test_hosts_naive.c -- hosts packet by packet against a slow counterpart, on
 * a network that delivers after random times and closes lanes at random. */
#include "base/mem.h"
#include "helpers.h"
#include "host_cases.h"
#include "oracle/oracle.h"
#include "sim/hosts.h"
#include "slimfly/random.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define MAX_MESSAGES 24
#define MAX_HOSTS    5
#define MAX_SENDS    4096

/* A packet that was sent. */
struct sent {
    uint32_t message, address, tag;
    uint64_t time, comes;
    bool has_come;
};

/* What both sides see: all packets so far. */
struct mock {
    struct host_case *c;
    struct sf_sim_feeder feeder;
    uint64_t now;
    uint32_t n_sent;
    struct sent sent[MAX_SENDS];

    /* When the library is to be asked. */
    bool is_awake[MAX_HOSTS];
    uint64_t wake_at[MAX_HOSTS];
    uint32_t vls[MAX_HOSTS]; /* When last asked. */
    uint64_t bytes[MAX_MESSAGES];

    /* The slow counterpart. */
    bool has_started[MAX_MESSAGES], is_active[MAX_MESSAGES];
    double start[MAX_MESSAGES], end[MAX_MESSAGES];
    double free_at[MAX_HOSTS];
    uint32_t n_started;
    uint32_t started[MAX_MESSAGES]; /* In this order. */
    uint32_t n_activated;
    uint32_t activated[MAX_MESSAGES];
    uint32_t n_line;
    uint32_t line[MAX_MESSAGES]; /* Whose turn it is, of all hosts. */
    uint32_t drawn[MAX_MESSAGES];
};

static enum sf_status
mock_encode(const void *sim, const struct sf_sim_hop *hops, uint32_t n_hops,
            struct sf_sim_route *route, struct sf_error *err)
{
    (void)sim, (void)err;
    *route = (struct sf_sim_route){ { hops[0].vl, hops[n_hops - 1].vl } };
    return SF_OK;
}

static enum sf_status
mock_feed(void *sim, const struct sf_sim_feeder *feeder, struct sf_error *err)
{
    struct mock *mock = sim;
    (void)err;
    mock->feeder = *feeder;
    return SF_OK;
}

static void
mock_wake(void *sim, uint32_t host)
{
    struct mock *mock = sim;
    mock->is_awake[host] = true;
}

static uint64_t
mock_now(const void *sim)
{
    return ((const struct mock *)sim)->now;
}

static uint64_t
mock_arrived(const void *sim)
{
    return mock_now(sim) + 1;
}

static const struct sf_carrier_ops mock_ops = {
    .encode = mock_encode,
    .feed = mock_feed,
    .wake = mock_wake,
    .now = mock_now,
    .arrived = mock_arrived,
};

/* The last VL tells the address. */
static uint32_t
first_vl(const struct host_case *c, uint32_t from, uint32_t to,
         uint32_t address)
{
    return (from + 2 * to + address) % c->source.n_vls;
}

static enum sf_status
mock_follow(const struct sf_path_source *source, uint32_t from, uint32_t to,
            uint32_t address, struct sf_path *path, struct sf_error *err)
{
    const struct host_case *c = source->held;
    (void)err;
    *path = (struct sf_path){
        .first_vl = (uint8_t)first_vl(c, from, to, address),
        .last_vl = (uint8_t)address,
    };
    return SF_OK;
}

static const struct sf_message *
message_of(const struct mock *mock, uint32_t m)
{
    return &mock->c->program.messages.items[m];
}

static uint32_t
n_packets(const struct mock *mock, uint32_t m)
{
    return (uint32_t)ceil((double)message_of(mock, m)->bytes / PACKET);
}

/* Packets of message 'm' that were sent to 'address', SF_NONE for any; only
 * those that are under way, if asked so. */
static uint32_t
count_sent(const struct mock *mock, uint32_t m, uint32_t address,
           bool under_way)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < mock->n_sent; i++) {
        const struct sent *sent = &mock->sent[i];
        n += sent->message == m &&
             (address == SF_NONE || sent->address == address) &&
             !(under_way && sent->has_come);
    }
    return n;
}

static bool
is_pair(const struct mock *mock, uint32_t m, uint32_t other)
{
    return message_of(mock, m)->from == message_of(mock, other)->from &&
           message_of(mock, m)->to == message_of(mock, other)->to;
}

/* When a message is ready; HUGE_VAL: it waits. */
static double
ready_at(const struct mock *mock, uint32_t m)
{
    const struct sf_program *program = &mock->c->program;
    double time = 0;

    for (size_t i = 0; i < program->waits.n; i++) {
        const struct sf_wait *wait = &program->waits.items[i];
        if (wait->after == m && mock->end[wait->before] > time) {
            time = mock->end[wait->before];
        }
    }
    return time + message_of(mock, m)->delay;
}

static void
start_ready(struct mock *mock, uint32_t host)
{
    while (true) {
        uint32_t best = SF_NONE;
        for (uint32_t m = 0; m < mock->c->program.messages.n; m++) {
            if (!mock->has_started[m] && message_of(mock, m)->from == host &&
                ceil(ready_at(mock, m)) <= (double)mock->now &&
                (best == SF_NONE ||
                 ready_at(mock, m) < ready_at(mock, best))) {
                best = m;
            }
        }
        if (best == SF_NONE) {
            return;
        }
        mock->free_at[host] = fmax(mock->free_at[host], ready_at(mock, best)) +
                              mock->c->params.overhead;
        mock->start[best] = mock->free_at[host];
        mock->has_started[best] = true;
        mock->started[mock->n_started++] = best;
    }
}

static void
activate_started(struct mock *mock, uint32_t host)
{
    for (uint32_t i = 0; i < mock->n_started; i++) {
        uint32_t m = mock->started[i];
        double leaves = mock->start[m] + mock->c->params.net.host_delay;
        if (message_of(mock, m)->from == host && !mock->is_active[m] &&
            ceil(leaves) <= (double)mock->now) {
            mock->is_active[m] = true;
            mock->activated[mock->n_activated++] = m;
            mock->line[mock->n_line++] = m;
        }
    }
}

static bool
is_open(const struct mock *mock, uint32_t m, uint32_t address, uint32_t vls)
{
    const struct sf_message *message = message_of(mock, m);
    return vls >> first_vl(mock->c, message->from, message->to, address) & 1;
}

/* Messages of the pair that were activated before 'm', or their packets. */
static uint32_t
count_before(const struct mock *mock, uint32_t m, bool packets)
{
    uint32_t n = 0;
    for (uint32_t i = 0; mock->activated[i] != m; i++) {
        uint32_t other = mock->activated[i];
        bool counts =
            !packets || message_of(mock, other)->bytes > mock->c->params.eager;
        if (is_pair(mock, m, other) && counts) {
            n += packets ? n_packets(mock, other) : 1;
        }
    }
    return n;
}

static uint32_t
choose_stripe(const struct mock *mock, uint32_t m, uint32_t vls)
{
    uint32_t n = mock->c->source.n_addresses;
    uint32_t first = count_before(mock, m, true) % n, next = first;

    for (uint32_t i = 0; i < mock->n_sent; i++) {
        if (mock->sent[i].message == m) {
            next = (mock->sent[i].address + 1) % n;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = (next + i) % n;
        uint32_t share = n_packets(mock, m) / n +
                         ((a + n - first) % n < n_packets(mock, m) % n);
        if (count_sent(mock, m, a, false) < share &&
            is_open(mock, m, a, vls)) {
            return a;
        }
    }
    return SF_NONE;
}

static uint32_t
choose_fewest(const struct mock *mock, uint32_t m, uint32_t vls)
{
    uint32_t n = mock->c->source.n_addresses, turn = 0, best = SF_NONE;
    uint32_t under_way[16] = { 0 };

    for (uint32_t i = 0; i < mock->n_sent; i++) {
        const struct sent *sent = &mock->sent[i];
        if (is_pair(mock, m, sent->message)) {
            under_way[sent->address] += !sent->has_come;
            turn = (sent->address + 1) % n;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = (turn + i) % n;
        if (is_open(mock, m, a, vls) &&
            (best == SF_NONE || under_way[a] < under_way[best])) {
            best = a;
        }
    }
    return best;
}

static uint32_t
choose(const struct mock *mock, uint32_t m, uint32_t vls)
{
    enum sf_select select = mock->c->params.select;
    uint32_t address = 0;

    if (select == SF_SELECT_STRIPE &&
        message_of(mock, m)->bytes > mock->c->params.eager) {
        return choose_stripe(mock, m, vls);
    }
    if (select == SF_SELECT_ADAPTIVE) {
        return choose_fewest(mock, m, vls);
    }
    if (select == SF_SELECT_MESSAGE) {
        address = count_before(mock, m, false) % mock->c->source.n_addresses;
    } else if (select == SF_SELECT_RANDOM) {
        address = mock->drawn[m];
    }
    return is_open(mock, m, address, vls) ? address : SF_NONE;
}

static void
leave_line(struct mock *mock, uint32_t place)
{
    mock->n_line--;
    for (uint32_t i = place; i < mock->n_line; i++) {
        mock->line[i] = mock->line[i + 1];
    }
}

static bool
has_window(const struct mock *mock, uint32_t m)
{
    uint32_t window = mock->c->params.window;
    return window == 0 || count_sent(mock, m, SF_NONE, true) < window;
}

static bool
has_more(const struct mock *mock, uint32_t m)
{
    return count_sent(mock, m, SF_NONE, false) < n_packets(mock, m);
}

/* What the slow counterpart sends: message and address, or false. */
static bool
naive_next(struct mock *mock, uint32_t host, uint32_t vls, struct sent *sent)
{
    start_ready(mock, host);
    activate_started(mock, host);
    for (uint32_t i = 0; i < mock->n_line; i++) {
        uint32_t m = mock->line[i];
        uint32_t a =
            message_of(mock, m)->from == host ? choose(mock, m, vls) : SF_NONE;
        if (a != SF_NONE) {
            *sent =
                (struct sent){ .message = m, .address = a, .time = mock->now };
            leave_line(mock, i);
            return true;
        }
    }
    return false;
}

/* Asks the library if something tells it to ask. */
static bool
ask(struct mock *mock, uint32_t host, uint32_t vls, struct sf_sim_offer *offer)
{
    if (mock->wake_at[host] <= mock->now || vls != mock->vls[host]) {
        mock->is_awake[host] = true;
    }
    mock->vls[host] = vls;
    if (!mock->is_awake[host]) {
        return false;
    }
    mock->is_awake[host] = false;
    offer->wake = SF_NEVER;
    if (mock->feeder.next(mock->feeder.context, host, mock->now, vls, offer)) {
        mock->is_awake[host] = true;
        return true;
    }
    mock->wake_at[host] = offer->wake;
    return false;
}

/* Both decide alike; what they send goes on its way. */
static void
send_host(struct mock *mock, uint32_t host, uint32_t vls,
          struct sf_random *random, uint32_t seed)
{
    struct sf_sim_offer offer;
    struct sent sent = { 0 };
    bool sends = naive_next(mock, host, vls, &sent);
    bool is_asked = ask(mock, host, vls, &offer);
    const struct sf_sim_net *net = &mock->c->params.net;

    CHECK_FOR(sends == is_asked, "seed %u: host %u at %llu: sends %d not %d",
              seed, host, (unsigned long long)mock->now, is_asked, sends);
    if (!sends) {
        return;
    }
    bool is_adaptive = mock->c->params.select == SF_SELECT_ADAPTIVE;
    uint32_t bits = is_adaptive ? 1 : 0;
    while (is_adaptive && 1u << bits < mock->c->source.n_addresses) {
        bits++;
    }
    CHECK_FOR(offer.tag >> bits == sent.message &&
                  offer.route.words[1] == sent.address,
              "seed %u: host %u at %llu: message %u to %llu, not %u to %u",
              seed, host, (unsigned long long)mock->now, offer.tag >> bits,
              (unsigned long long)offer.route.words[1], sent.message,
              sent.address);
    CHECK_EQ(offer.born, mock->now);
    CHECK(offer.bytes <= net->mtu + net->header);
    mock->bytes[sent.message] +=
        offer.bytes ? offer.bytes : net->mtu + net->header;
    sent.tag = offer.tag;
    sent.comes = mock->now + 1 + sf_random_below(random, 6);
    CHECK(mock->n_sent < MAX_SENDS);
    mock->sent[mock->n_sent++] = sent;
    if (has_more(mock, sent.message) && has_window(mock, sent.message)) {
        mock->line[mock->n_line++] = sent.message;
    }
}

static void
deliver(struct mock *mock)
{
    for (uint32_t i = 0; i < mock->n_sent; i++) {
        struct sent *sent = &mock->sent[i];
        uint32_t m = sent->message;
        if (sent->comes != mock->now + 1) {
            continue;
        }
        bool was_out = !has_window(mock, m);
        sent->has_come = true;
        if (has_more(mock, m) && was_out) {
            mock->line[mock->n_line++] = m;
        }
        if (!has_more(mock, m) && count_sent(mock, m, SF_NONE, true) == 0) {
            mock->end[m] =
                (double)mock->now + 1 + mock->c->params.net.host_delay;
        }
        mock->feeder.delivered(mock->feeder.context, sent->tag,
                               sent->comes - sent->time);
    }
}

/* Messages and waits at random; times in quarters, which add up exactly. */
static void
make_program(struct host_case *c, struct sf_random *random)
{
    uint32_t n = 1 + sf_random_below(random, MAX_MESSAGES);
    uint32_t n_hosts = c->wires->n_hosts;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = sf_random_below(random, n_hosts);
        uint32_t to =
            (from + 1 + sf_random_below(random, n_hosts - 1)) % n_hosts;
        uint64_t bytes = 1 + sf_random_below(random, 12 * PACKET);
        double delay =
            sf_random_below(random, 2) * sf_random_below(random, 80) / 4.0;
        CHECK(sf_program_send(&c->program, from, to, bytes, delay));
        for (uint32_t j = 0; j < i; j++) {
            if (sf_random_below(random, 2 * i + 2) == 0) {
                add_wait(c, j, i);
            }
        }
    }
    end_program(c);
}

static struct host_case *
make_random_case(struct sf_random *random)
{
    uint32_t n_addresses = 1 + sf_random_below(random, 4);
    struct host_case *c =
        star_case(2 + sf_random_below(random, MAX_HOSTS - 1), n_addresses,
                  1 + sf_random_below(random, 3), 8);

    c->source.follow = mock_follow;
    c->source.held = c;
    c->params.select = (enum sf_select)sf_random_below(random, SF_N_SELECTS);
    c->params.window = sf_random_below(random, 4);
    c->params.overhead = sf_random_below(random, 6) / 4.0;
    c->params.eager = sf_random_below(random, 2) * 3 * PACKET;
    c->params.net.host_delay = sf_random_below(random, 8) / 4.0;
    c->params.net.header = 7;
    c->setup.seed = sf_random_next(random);
    make_program(c, random);
    return c;
}

static void
start_mock(struct mock *mock, struct host_case *c)
{
    struct sf_random random;

    memset(mock, 0, sizeof *mock);
    mock->c = c;
    sf_random_init(&random, c->setup.seed, 0);
    for (uint32_t m = 0; m < MAX_MESSAGES; m++) {
        mock->end[m] = HUGE_VAL;
        mock->drawn[m] = sf_random_below(&random, c->source.n_addresses);
    }
    for (uint32_t h = 0; h < MAX_HOSTS; h++) {
        mock->is_awake[h] = true;
        mock->wake_at[h] = SF_NEVER;
    }
}

static void
check_ends(const struct mock *mock, const struct sf_hosts *hosts)
{
    const struct sf_sim_net *net = &mock->c->params.net;

    CHECK_EQ(sf_hosts_status(hosts, NULL), SF_OK);
    CHECK_EQ(sf_hosts_state(hosts).n_delivered, mock->n_sent);
    for (uint32_t m = 0; m < mock->c->program.messages.n; m++) {
        struct sf_message_state state = sf_hosts_message(hosts, m);
        CHECK_EQ(state.n_packets, n_packets(mock, m));
        CHECK_EQ(state.n_delivered, state.n_packets);
        CHECK(state.start == mock->start[m] && state.end == mock->end[m]);
        CHECK_EQ(mock->bytes[m],
                 message_of(mock, m)->bytes + state.n_packets * net->header);
    }
}

/* Both side by side, until all messages have come. */
static void
compare(uint32_t seed)
{
    static struct mock mock;
    struct sf_random random;
    struct sf_hosts *hosts;

    sf_random_init(&random, seed, 1);
    struct host_case *c = make_random_case(&random);
    start_mock(&mock, c);
    struct sf_carrier carrier = {
        .ops = &mock_ops, .sim = &mock, .tick = 1, .packet_ticks = 1
    };
    CHECK_EQ(sf_hosts_build(&carrier, &c->setup, &c->program, &hosts, NULL),
             SF_OK);
    for (; sf_hosts_state(hosts).n_left > 0; mock.now++) {
        CHECK_FOR(mock.now < 20000, "seed %u does not end", seed);
        for (uint32_t h = 0; h < c->wires->n_hosts; h++) {
            uint32_t vls = (uint32_t)sf_random_next(&random) & 15;
            send_host(&mock, h, vls, &random, seed);
        }
        deliver(&mock);
    }
    check_ends(&mock, hosts);
    sf_hosts_free(hosts);
    host_case_free(c);
}

TEST(hosts_agree_with_the_naive_ones)
{
    for (uint32_t seed = 0; seed < 2000; seed++) {
        compare(seed);
    }
}

TEST_LONG(hosts_agree_with_the_naive_ones_longer)
{
    for (uint32_t seed = 2000; seed < 60000; seed++) {
        compare(seed);
    }
}
