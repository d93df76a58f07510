/* test_fluid.c -- when messages end, against plain steps from moment to moment
 * and in cases that are known. */
#include "helpers.h"
#include "sharing_cases.h"
#include "sim/fluid.h"
#include "slimfly/random.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-7

/* Messages over the flows of a case: one after the other of these, up to three
 * to a message. */
struct sending_case {
    struct sharing_case *sharing;
    uint32_t n_messages;
    struct oracle_sending sendings[MAX_SHARING_FLOWS];
    uint32_t first[MAX_SHARING_FLOWS + 1]; /* Sending of each message. */
};

/* Whether all flows from 'first' to before 'end' cross a link. */
static bool
cross_links(const struct sharing_case *sharing, uint32_t first, uint32_t end)
{
    for (uint32_t f = first; f < end; f++) {
        if (sharing->first[f] == sharing->first[f + 1]) {
            return false;
        }
    }
    return true;
}

/* Starts and sizes are few different ones if 'with_ties'.  A message may wait
 * for an earlier one, and its flows may share its bytes if 'with_pools'. */
static struct sending_case
draw_sendings(uint64_t seed, const struct sharing_limits *limits,
              bool with_pools)
{
    struct sending_case drawn = { .sharing = sharing_draw(seed, limits) };
    uint32_t n_values = limits->with_ties ? 3 : 100000;
    struct sf_random random;

    sf_random_init(&random, seed, 1);
    for (uint32_t s = 0; s < drawn.sharing->n_flows;) {
        uint32_t m = drawn.n_messages++;
        uint32_t n_flows = 1 + sf_random_below(&random, 3);
        struct oracle_sending sending = {
            .start = 4.0 * sf_random_below(&random, n_values) / n_values,
            .message = m,
            .after = SF_NONE,
        };
        if (m > 0 && sf_random_below(&random, 3) == 0) {
            sending.after = sf_random_below(&random, m);
        }
        uint32_t end = s + n_flows < drawn.sharing->n_flows
                           ? s + n_flows
                           : drawn.sharing->n_flows;
        sending.is_pooled = with_pools && cross_links(drawn.sharing, s, end) &&
                            sf_random_below(&random, 3) > 0;
        for (uint32_t i = s; i < end; i++) {
            sending.flow = drawn.sharing->flows[i];
            if (i == s || !sending.is_pooled) {
                sending.bytes =
                    9.0 * sf_random_below(&random, n_values) / n_values;
            }
            drawn.sendings[i] = sending;
        }
        s = end;
        drawn.first[m + 1] = s;
    }
    return drawn;
}

/* Adds message 'm', whose 'after' has ended, with all times and sizes times
 * 'scale'. */
static void
add_message(struct sf_fluid *fluid, const struct sending_case *drawn,
            uint32_t m, double scale, uint32_t *numbers)
{
    const struct sharing_case *sharing = drawn->sharing;
    uint32_t first = drawn->first[m], n_flows = drawn->first[m + 1] - first;
    struct sf_fluid_flow flows[3];
    struct sf_error err = { 0 };
    uint32_t number;
    double start = scale * drawn->sendings[first].start;

    if (drawn->sendings[first].after != SF_NONE) {
        start += sf_fluid_now(fluid);
    }
    for (uint32_t i = 0; i < n_flows; i++) {
        uint32_t s = first + i;
        flows[i] = (struct sf_fluid_flow){
            .links = sharing->links + sharing->first[s],
            .n_links = sharing->first[s + 1] - sharing->first[s],
            .bytes = scale * drawn->sendings[s].bytes,
            .weight = sharing->weights[s],
            .max_rate = sharing->bounds[s] < HUGE_VAL ? sharing->bounds[s] : 0,
        };
    }
    enum sf_status status =
        drawn->sendings[first].is_pooled
            ? sf_fluid_add_pooled(fluid, start, flows, n_flows, &number, &err)
            : sf_fluid_add(fluid, start, flows, n_flows, &number, &err);
    CHECK_FOR(status == SF_OK, "%s", err.text);
    numbers[number] = m;
}

/* Adds the messages that wait for 'after', which may be SF_NONE. */
static void
add_messages(struct sf_fluid *fluid, const struct sending_case *drawn,
             uint32_t after, double scale, uint32_t *numbers)
{
    for (uint32_t m = 0; m < drawn->n_messages; m++) {
        if (drawn->sendings[drawn->first[m]].after == after) {
            add_message(fluid, drawn, m, scale, numbers);
        }
    }
}

/* Runs a case; 'carried' [n_links] are the bytes that crossed each link. */
static void
run(const struct sending_case *drawn, double scale, double *ends,
    double *carried)
{
    uint32_t numbers[MAX_SHARING_FLOWS];
    struct sf_fluid *fluid;
    struct sf_fluid_ended ended;
    enum sf_status status;
    double last = 0;

    CHECK_EQ(sf_fluid_build(drawn->sharing->n_links,
                            drawn->sharing->capacities, &fluid, NULL),
             SF_OK);
    for (uint32_t m = 0; m < drawn->n_messages; m++) {
        ends[m] = HUGE_VAL;
    }
    add_messages(fluid, drawn, SF_NONE, scale, numbers);
    while ((status = sf_fluid_next(fluid, &ended, NULL)) == SF_OK &&
           ended.n > 0) {
        CHECK(ended.time >= last && ended.time == sf_fluid_now(fluid));
        last = ended.time;
        for (uint32_t i = 0; i < ended.n; i++) {
            uint32_t m = numbers[ended.messages[i]];
            CHECK(i == 0 || ended.messages[i - 1] < ended.messages[i]);
            CHECK(sf_fluid_end_of(fluid, ended.messages[i]) == ended.time);
            ends[m] = ended.time;
        }
        for (uint32_t i = 0; i < ended.n; i++) {
            add_messages(fluid, drawn, numbers[ended.messages[i]], scale,
                         numbers);
        }
    }
    CHECK(status == SF_OK || status == SF_EUNREACHABLE);
    for (uint32_t l = 0; l < drawn->sharing->n_links; l++) {
        carried[l] = sf_fluid_carried(fluid, l);
    }
    sf_fluid_free(fluid);
}

/* Whether some message of a case never ends. */
static bool
has_endless(const struct sending_case *drawn, const double *ends)
{
    for (uint32_t m = 0; m < drawn->n_messages; m++) {
        if (ends[m] == HUGE_VAL) {
            return true;
        }
    }
    return false;
}

/* Whether all flows of message 'm', or any if 'any', cross link 'l'. */
static bool
crosses(const struct sending_case *drawn, uint32_t m, uint32_t l, bool any)
{
    for (uint32_t s = drawn->first[m]; s < drawn->first[m + 1]; s++) {
        if (drawn->sendings[s].flow.crosses[l] == any) {
            return any;
        }
    }
    return !any;
}

/* All bytes are carried, by each link that they cross.  Of a pool, a link that
 * only some flows cross carries a part. */
static void
check_carried(const struct sending_case *drawn, const double *carried)
{
    for (uint32_t l = 0; l < drawn->sharing->n_links; l++) {
        double least = 0, most = 0;
        for (uint32_t m = 0; m < drawn->n_messages; m++) {
            const struct oracle_sending *first =
                &drawn->sendings[drawn->first[m]];
            if (first->is_pooled) {
                least += crosses(drawn, m, l, false) ? first->bytes : 0;
                most += crosses(drawn, m, l, true) ? first->bytes : 0;
                continue;
            }
            for (uint32_t s = drawn->first[m]; s < drawn->first[m + 1]; s++) {
                double bytes = drawn->sendings[s].flow.crosses[l]
                                   ? drawn->sendings[s].bytes
                                   : 0;
                least += bytes;
                most += bytes;
            }
        }
        CHECK(carried[l] >= least * (1 - TOLERANCE));
        CHECK(carried[l] <= most * (1 + TOLERANCE));
    }
}

static void
check_case(uint64_t seed, const struct sharing_limits *limits, bool with_pools)
{
    struct sending_case drawn = draw_sendings(seed, limits, with_pools);
    double ends[MAX_SHARING_FLOWS], expected[MAX_SHARING_FLOWS];
    double carried[MAX_SHARING_LINKS];

    run(&drawn, 1, ends, carried);
    oracle_send(drawn.sharing->capacities, drawn.sharing->n_links,
                drawn.sendings, drawn.sharing->n_flows, drawn.n_messages,
                expected);
    for (uint32_t m = 0; m < drawn.n_messages; m++) {
        CHECK_FOR(ends[m] == expected[m] ||
                      fabs(ends[m] - expected[m]) <= TOLERANCE * expected[m],
                  "seed %llu: message %u ends at %.12g, expected %.12g",
                  (unsigned long long)seed, m, ends[m], expected[m]);
    }
    if (!has_endless(&drawn, ends)) {
        check_carried(&drawn, carried);
    }

    /* Twice the bytes take twice as long, to the last bit. */
    run(&drawn, 2, expected, carried);
    for (uint32_t m = 0; m < drawn.n_messages; m++) {
        CHECK(expected[m] == 2 * ends[m]);
    }
    free(drawn.sharing);
}

static void
check_cases(bool with_pools)
{
    static const struct sharing_limits limits[] = {
        { .n_links = 3, .n_flows = 6 },
        { .n_links = 10, .n_flows = 30, .with_weights = true },
        { .n_links = 20,
          .n_flows = 40,
          .with_weights = true,
          .with_bounds = true },
        { .n_links = 40, .n_flows = MAX_SHARING_FLOWS },
        { .n_links = 40, .n_flows = MAX_SHARING_FLOWS, .is_local = true },
        { .n_links = 12, .n_flows = 40, .with_ties = true },
        { .n_links = 12,
          .n_flows = 40,
          .with_ties = true,
          .with_weights = true,
          .with_bounds = true },
    };

    for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
        for (uint64_t seed = 0; seed < 50; seed++) {
            check_case(seed, &limits[i], with_pools);
        }
    }
}

TEST(fluid_is_steps_from_moment_to_moment)
{
    check_cases(false);
}

TEST(fluid_with_pools_is_steps_from_moment_to_moment)
{
    check_cases(true);
}

/* Links of capacity 1. */
static struct sf_fluid *
unit_links(uint32_t n_links)
{
    static const double ones[] = { 1, 1, 1, 1 };
    struct sf_fluid *fluid;

    CHECK(n_links <= ARRAY_SIZE(ones));
    CHECK_EQ(sf_fluid_build(n_links, ones, &fluid, NULL), SF_OK);
    return fluid;
}

static const uint32_t both[] = { 0, 1 };

static struct sf_fluid_flow
flow_over(uint32_t first, uint32_t n_links, double bytes)
{
    return (struct sf_fluid_flow){ .links = both + first,
                                   .n_links = n_links,
                                   .bytes = bytes };
}

/* Bytes 1, 2 and 4 share a link: 3 x 1 s, then 2 x 1 s, then 2 s. */
TEST(fluid_of_one_link)
{
    struct sf_fluid *fluid = unit_links(1);
    struct sf_fluid_ended ended;

    for (int i = 0; i < 3; i++) {
        struct sf_fluid_flow flow = flow_over(0, 1, 1 << i);
        CHECK_EQ(sf_fluid_add(fluid, 0, &flow, 1, NULL, NULL), SF_OK);
    }
    CHECK_EQ(sf_fluid_next(fluid, &ended, NULL), SF_OK);
    CHECK_NEAR(ended.time, 3, 1e-12);
    CHECK_NEAR(sf_fluid_carried(fluid, 0), 3, 1e-12);
    CHECK(sf_fluid_end_of(fluid, 2) == HUGE_VAL);
    CHECK_EQ(sf_fluid_run(fluid, NULL, NULL, NULL), SF_OK);
    CHECK_NEAR(sf_fluid_end_of(fluid, 1), 5, 1e-12);
    CHECK_NEAR(sf_fluid_end_of(fluid, 2), 7, 1e-12);
    CHECK_NEAR(sf_fluid_carried(fluid, 0), 7, 1e-12);
    sf_fluid_free(fluid);
}

/* Two stripes of 3 and 1 bytes over two links: a second message on the quick
 * one gets all of it after 2 s, and the first ends with its slow stripe. */
TEST(fluid_of_stripes)
{
    struct sf_fluid *fluid = unit_links(2);
    struct sf_fluid_flow stripes[] = { flow_over(0, 1, 3),
                                       flow_over(1, 1, 1) };
    struct sf_fluid_flow other = flow_over(1, 1, 1.5);

    CHECK_EQ(sf_fluid_add(fluid, 0, stripes, 2, NULL, NULL), SF_OK);
    CHECK_EQ(sf_fluid_add(fluid, 0, &other, 1, NULL, NULL), SF_OK);
    CHECK_EQ(sf_fluid_run(fluid, NULL, NULL, NULL), SF_OK);
    CHECK_NEAR(sf_fluid_end_of(fluid, 0), 3, 1e-12);
    CHECK_NEAR(sf_fluid_end_of(fluid, 1), 2.5, 1e-12);
    sf_fluid_free(fluid);
}

/* What has no bytes, or no links and no bound, ends when it starts. */
TEST(fluid_of_nothing)
{
    struct sf_fluid *fluid = unit_links(2);
    struct sf_fluid_flow empty = flow_over(0, 2, 0),
                         local = flow_over(0, 0, 6);
    struct sf_fluid_ended ended;

    CHECK_EQ(sf_fluid_next(fluid, &ended, NULL), SF_OK);
    CHECK_EQ(ended.n, 0);
    CHECK_EQ(sf_fluid_add(fluid, 1, &empty, 1, NULL, NULL), SF_OK);
    CHECK_EQ(sf_fluid_add(fluid, 1, &local, 1, NULL, NULL), SF_OK);
    local.max_rate = 2;
    CHECK_EQ(sf_fluid_add(fluid, 1, &local, 1, NULL, NULL), SF_OK);
    CHECK_EQ(sf_fluid_next(fluid, &ended, NULL), SF_OK);
    CHECK(ended.n == 2 && ended.time == 1);
    CHECK_EQ(sf_fluid_next(fluid, &ended, NULL), SF_OK);
    CHECK(ended.n == 1 && ended.time == 4);
    sf_fluid_free(fluid);
}

/* Starts a message of one byte at once, as long as there are rounds left. */
static enum sf_status
next_round(void *context, struct sf_fluid *fluid,
           const struct sf_fluid_ended *ended, struct sf_error *err)
{
    uint32_t *n_left = context;
    struct sf_fluid_flow flow = flow_over(0, 2, 1);

    return (*n_left)-- > 0
               ? sf_fluid_add(fluid, ended->time, &flow, 1, NULL, err)
               : SF_OK;
}

TEST(fluid_of_a_chain)
{
    struct sf_fluid *fluid = unit_links(2);
    struct sf_fluid_flow flow = flow_over(0, 2, 1);
    uint32_t n_left = 999;

    CHECK_EQ(sf_fluid_add(fluid, 0, &flow, 1, NULL, NULL), SF_OK);
    CHECK_EQ(sf_fluid_run(fluid, next_round, &n_left, NULL), SF_OK);
    CHECK_NEAR(sf_fluid_end_of(fluid, 999), 1000, 1e-9);
    sf_fluid_free(fluid);
}

/* An all-to-all of equal messages has one end, though 1/9 is no number of
 * binary digits. */
TEST(fluid_ends_equals_together)
{
    struct sharing_case *sharing = sharing_all_to_all(10);
    struct sf_fluid *fluid;
    struct sf_fluid_ended ended;

    CHECK_EQ(
        sf_fluid_build(sharing->n_links, sharing->capacities, &fluid, NULL),
        SF_OK);
    for (uint32_t f = 0; f < sharing->n_flows; f++) {
        struct sf_fluid_flow flow = { .links = sharing->links + 2 * f,
                                      .n_links = 2,
                                      .bytes = 0.1 };
        CHECK_EQ(sf_fluid_add(fluid, 0.3, &flow, 1, NULL, NULL), SF_OK);
    }
    CHECK_EQ(sf_fluid_next(fluid, &ended, NULL), SF_OK);
    CHECK_EQ(ended.n, 90);
    CHECK_NEAR(ended.time, 1.2, 1e-9);
    sf_fluid_free(fluid);
    free(sharing);
}

/* Ends that are apart by less than the tie are one; those that are apart by
 * more are two, even in a row of which each two neighbours are close. */
TEST(fluid_ties_do_not_chain)
{
    static const double ones[] = { 1, 1, 1, 1 };
    static const uint32_t links[] = { 0, 1, 2, 3 };
    struct sf_fluid *fluid;
    struct sf_fluid_ended ended;

    CHECK_EQ(sf_fluid_build(4, ones, &fluid, NULL), SF_OK);
    for (uint32_t i = 0; i < 4; i++) {
        struct sf_fluid_flow flow = { .links = &links[i],
                                      .n_links = 1,
                                      .bytes = 1 + 0.7e-9 * i };
        CHECK_EQ(sf_fluid_add(fluid, 0, &flow, 1, NULL, NULL), SF_OK);
    }
    CHECK_EQ(sf_fluid_next(fluid, &ended, NULL), SF_OK);
    CHECK_EQ(ended.n, 2);
    CHECK_EQ(sf_fluid_next(fluid, &ended, NULL), SF_OK);
    CHECK_EQ(ended.n, 2);
    sf_fluid_free(fluid);
}

TEST(fluid_says_what_never_ends)
{
    static const double capacities[] = { 0, 1 };
    struct sf_fluid *fluid;
    struct sf_fluid_ended ended;
    struct sf_fluid_flow stuck = flow_over(0, 2, 1), flow = flow_over(1, 1, 1);
    struct sf_error err = { 0 };

    CHECK_EQ(sf_fluid_build(2, capacities, &fluid, NULL), SF_OK);
    CHECK_EQ(sf_fluid_add(fluid, 0, &stuck, 1, NULL, NULL), SF_OK);
    CHECK_EQ(sf_fluid_add(fluid, 0, &flow, 1, NULL, NULL), SF_OK);
    CHECK_EQ(sf_fluid_next(fluid, &ended, NULL), SF_OK);
    CHECK(ended.n == 1 && ended.messages[0] == 1 && ended.time == 1);
    CHECK_EQ(sf_fluid_next(fluid, &ended, &err), SF_EUNREACHABLE);
    CHECK_STR(err.text, "messages that wait for links without capacity: 1");
    sf_fluid_free(fluid);
}

/* What is refused leaves no trace. */
TEST(fluid_refuses)
{
    static const uint32_t far[] = { 2 }, twice[] = { 1, 1 };
    static const double wrong[] = { 1, -1 };
    struct sf_fluid *fluid = unit_links(2), *none = UNSET(struct sf_fluid);
    struct sf_fluid_flow fine = flow_over(0, 1, 1);
    const struct {
        double start;
        uint32_t n_flows;
        struct sf_fluid_flow flow;
    } cases[] = {
        { -1, 1, fine },
        { HUGE_VAL, 1, fine },
        { 0, 0, fine },
        { 0, 1, { .bytes = -1 } },
        { 0, 1, { .bytes = HUGE_VAL } },
        { 0, 1, { .bytes = 1, .weight = -1 } },
        { 0, 1, { .bytes = 1, .max_rate = -1 } },
        { 0, 1, { .bytes = 1, .links = far, .n_links = 1 } },
        { 0, 1, { .bytes = 1, .links = twice, .n_links = 2 } },
    };

    CHECK_EQ(sf_fluid_build(2, wrong, &none, NULL), SF_EINVAL);
    CHECK(none == NULL);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_error err = { 0 };
        CHECK_EQ(sf_fluid_add(fluid, cases[i].start, &cases[i].flow,
                              cases[i].n_flows, NULL, &err),
                 SF_EINVAL);
        CHECK(err.text[0] != '\0');
    }
    uint32_t number = SF_NONE;
    CHECK_EQ(sf_fluid_add(fluid, 0, &fine, 1, &number, NULL), SF_OK);
    CHECK_EQ(number, 0);
    CHECK_EQ(sf_fluid_run(fluid, NULL, NULL, NULL), SF_OK);
    CHECK(sf_fluid_end_of(fluid, 0) == 1);
    sf_fluid_free(fluid);
}

/* Two flows share 6 bytes, over a link each.  A message of 1 byte takes half
 * of one link for 2 seconds, in which the pool sends 3 bytes; it sends the
 * other 3 at rate 2. */
TEST(fluid_of_a_pool)
{
    struct sf_fluid *fluid = unit_links(2);
    struct sf_fluid_flow flows[] = { flow_over(0, 1, 6), flow_over(1, 1, 6) };
    struct sf_fluid_flow other = flow_over(1, 1, 1);

    CHECK_EQ(sf_fluid_add_pooled(fluid, 0, flows, 2, NULL, NULL), SF_OK);
    CHECK_EQ(sf_fluid_add(fluid, 0, &other, 1, NULL, NULL), SF_OK);
    CHECK_EQ(sf_fluid_run(fluid, NULL, NULL, NULL), SF_OK);
    CHECK_NEAR(sf_fluid_end_of(fluid, 1), 2, 1e-12);
    CHECK_NEAR(sf_fluid_end_of(fluid, 0), 3.5, 1e-12);
    CHECK_NEAR(sf_fluid_carried(fluid, 0), 3.5, 1e-12);
    CHECK_NEAR(sf_fluid_carried(fluid, 1), 3.5, 1e-12);
    sf_fluid_free(fluid);
}

TEST(fluid_refuses_pools_without_links)
{
    struct sf_fluid *fluid = unit_links(2);
    struct sf_fluid_flow flows[] = { flow_over(0, 1, 6), flow_over(1, 0, 6) };
    struct sf_error err = { 0 };

    CHECK_EQ(sf_fluid_add_pooled(fluid, 0, flows, 2, NULL, &err), SF_EINVAL);
    flows[1] = flow_over(1, 1, 5);
    CHECK_EQ(sf_fluid_add_pooled(fluid, 0, flows, 2, NULL, &err), SF_EINVAL);
    CHECK_EQ(sf_fluid_add_pooled(fluid, 0, flows, 0, NULL, &err), SF_EINVAL);
    CHECK_EQ(sf_fluid_run(fluid, NULL, NULL, NULL), SF_OK);
    sf_fluid_free(fluid);
}
