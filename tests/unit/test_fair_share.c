/* test_fair_share.c -- max-min fair rates against water filling by the
 * definition, against the definition itself, and in known cases. */
#include "../oracle/sharing_oracle.h"
#include "helpers.h"
#include "sharing_cases.h"
#include "sim/fair_share.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-9

static void
solve(const struct sharing_case *sharing, double *rates)
{
    struct sf_fair_share problem = sharing_problem(sharing);
    struct sf_error err = { 0 };

    CHECK_FOR(sf_fair_share_solve(&problem, rates, &err) == SF_OK, "%s",
              err.text);
}

static void
check_case(uint64_t seed, const struct sharing_limits *limits)
{
    struct sharing_case *sharing = sharing_draw(seed, limits);
    uint32_t n = sharing->n_flows;
    double rates[MAX_SHARING_FLOWS], expected[MAX_SHARING_FLOWS];

    solve(sharing, rates);
    oracle_share(sharing->capacities, sharing->n_links, sharing->flows, n,
                 expected);
    CHECK_FOR(oracle_is_fair(sharing->capacities, sharing->n_links,
                             sharing->flows, n, rates, TOLERANCE),
              "seed %llu: not fair", (unsigned long long)seed);
    for (uint32_t f = 0; f < n; f++) {
        bool is_equal =
            rates[f] == expected[f] ||
            fabs(rates[f] - expected[f]) <= TOLERANCE * expected[f];
        CHECK_FOR(is_equal, "seed %llu: flow %u has %.15g, expected %.15g",
                  (unsigned long long)seed, f, rates[f], expected[f]);
    }
    free(sharing);
}

TEST(fair_share_is_water_filling)
{
    static const struct sharing_limits limits[] = {
        { .n_links = 4, .n_flows = 5 },
        { .n_links = 6, .n_flows = 12, .with_weights = true },
        { .n_links = 9, .n_flows = 30, .with_bounds = true },
        { .n_links = 20,
          .n_flows = 60,
          .with_weights = true,
          .with_bounds = true },
        { .n_links = 40, .n_flows = MAX_SHARING_FLOWS, .with_weights = true },
        { .n_links = 12, .n_flows = 40, .with_ties = true },
        { .n_links = 12,
          .n_flows = 40,
          .with_ties = true,
          .with_weights = true,
          .with_bounds = true },
    };

    for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
        for (uint64_t seed = 0; seed < 100; seed++) {
            check_case(seed, &limits[i]);
        }
    }
}

/* Large weights that stop first leave nothing behind that hides small ones. */
TEST(fair_share_keeps_small_weights)
{
    static const double capacities[] = { 1e9, 1e9 + 1 };
    static const uint32_t first[] = { 0, 2, 3 }, links[] = { 0, 1, 1 };
    static const double weights[] = { 1e12, 1e-6 };
    struct sf_fair_share problem = { 2,     2,       capacities, first,
                                     links, weights, NULL };
    double rates[2];

    CHECK_EQ(sf_fair_share_solve(&problem, rates, NULL), SF_OK);
    CHECK_NEAR(rates[0], 1e9, 1e-3);
    CHECK_NEAR(rates[1], 1, 1e-6);
}

/* One flow crosses all three links, others one each, two of them the second:
 * that is where the first has its bottleneck. */
TEST(fair_share_of_a_line)
{
    static const double capacities[] = { 1, 1, 1 };
    static const uint32_t first[] = { 0, 3, 4, 5, 6, 7 };
    static const uint32_t links[] = { 0, 1, 2, 0, 1, 1, 2 };
    static const double expected[] = { 1.0 / 3, 2.0 / 3, 1.0 / 3, 1.0 / 3,
                                       2.0 / 3 };
    struct sf_fair_share problem = {
        3, 5, capacities, first, links, NULL, NULL
    };
    double rates[5];

    CHECK_EQ(sf_fair_share_solve(&problem, rates, NULL), SF_OK);
    for (uint32_t f = 0; f < 5; f++) {
        CHECK_NEAR(rates[f], expected[f], 1e-12);
    }
}

/* Whoever is alike gets the same to the last bit. */
TEST(fair_share_of_equals_is_equal)
{
    struct sharing_case *sharing = sharing_all_to_all(10);
    double rates[MAX_SHARING_FLOWS];

    solve(sharing, rates);
    CHECK_NEAR(rates[0], 1.0 / 9, 1e-15);
    for (uint32_t f = 1; f < sharing->n_flows; f++) {
        CHECK(rates[f] == rates[0]);
    }
    free(sharing);
}

TEST(fair_share_without_links_or_capacity)
{
    static const double capacities[] = { 0, 8 };
    static const uint32_t first[] = { 0, 0, 0, 2, 3 }, links[] = { 0, 1, 1 };
    static const double bounds[] = { HUGE_VAL, 5, HUGE_VAL, HUGE_VAL };
    struct sf_fair_share problem = { 2,     4,    capacities, first,
                                     links, NULL, bounds };
    double rates[4];

    CHECK_EQ(sf_fair_share_solve(&problem, rates, NULL), SF_OK);
    CHECK(rates[0] == HUGE_VAL && rates[1] == 5);
    CHECK(rates[2] == 0 && rates[3] == 8);

    static const uint32_t none[] = { 0 };
    CHECK_EQ(sf_fair_share_solve(
                 &(struct sf_fair_share){ .first = none, .links = none }, NULL,
                 NULL),
             SF_OK);
}

TEST(fair_share_refuses)
{
    static const uint32_t first[] = { 0, 2 };
    static const struct {
        double capacity, weight, bound;
        uint32_t links[2];
        const char *text;
    } cases[] = {
        { -1,
          1,
          1,
          { 0, 1 },
          "link 1 has capacity -1; it must be at least 0 and finite" },
        { HUGE_VAL,
          1,
          1,
          { 0, 1 },
          "link 1 has capacity inf; it must be at least 0 and finite" },
        { 1,
          0,
          1,
          { 0, 1 },
          "flow 0 has weight 0; it must be above 0 and finite" },
        { 1, 1, -2, { 0, 1 }, "flow 0 has bound -2; it must be at least 0" },
        { 1, 1, 1, { 0, 2 }, "flow 0 crosses link 2 of 2" },
        { 1, 1, 1, { 1, 1 }, "flow 0 crosses link 1 more than once" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        double capacities[] = { 1, cases[i].capacity }, rate;
        struct sf_fair_share problem = { 2,
                                         1,
                                         capacities,
                                         first,
                                         cases[i].links,
                                         &cases[i].weight,
                                         &cases[i].bound };
        struct sf_error err = { 0 };
        CHECK_EQ(sf_fair_share_solve(&problem, &rate, &err), SF_EINVAL);
        CHECK_STR(err.text, cases[i].text);
    }
}
