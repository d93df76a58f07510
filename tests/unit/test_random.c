/* test_random.c -- random numbers that are the same everywhere. */
#include "helpers.h"
#include "slimfly/random.h"
#include "test.h"

/* From the published algorithms: the state is four outputs of SplitMix64
 * that starts from the seed. */
TEST(random_numbers_are_those_of_the_published_algorithm)
{
    static const struct {
        uint64_t seed, numbers[4];
    } cases[] = {
        { 0,
          { 0x99ec5f36cb75f2b4, 0xbf6e1f784956452a, 0x1a5f849d4933e6e0,
            0x6aa594f1262d2d2c } },
        { 1,
          { 0xb3f2af6d0fc710c5, 0x853b559647364cea, 0x92f89756082a4514,
            0x642e1c7bc266a3a7 } },
        { 42,
          { 0x15780b2e0c2ec716, 0x6104d9866d113a7e, 0xae17533239e499a1,
            0xecb8ad4703b360a1 } },
        { UINT64_MAX,
          { 0x8f5520d52a7ead08, 0xc476a018caa1802d, 0x81de31c0d260469e,
            0xbf658d7e065f3c2f } },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_random random;
        sf_random_init(&random, cases[i].seed, 0);
        for (int j = 0; j < 4; j++) {
            CHECK_EQ(sf_random_next(&random), cases[i].numbers[j]);
        }
    }
}

TEST(random_streams_repeat)
{
    for (uint64_t stream = 0; stream < 50; stream++) {
        struct sf_random a, b;
        sf_random_init(&a, 7, stream);
        sf_random_init(&b, 7, stream);
        for (int i = 0; i < 100; i++) {
            CHECK_EQ(sf_random_next(&a), sf_random_next(&b));
        }
    }
}

/* Neighbouring seeds and streams must not meet, nor run a step apart. */
TEST(random_streams_differ)
{
    enum {
        N = 24,
        N_NUMBERS = 3
    };
    static uint64_t numbers[N * N * N_NUMBERS];
    size_t n = 0;

    for (uint64_t seed = 0; seed < N; seed++) {
        for (uint64_t stream = 0; stream < N; stream++) {
            struct sf_random random;
            sf_random_init(&random, seed, stream);
            for (int i = 0; i < N_NUMBERS; i++) {
                numbers[n++] = sf_random_next(&random);
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            CHECK_FOR(numbers[i] != numbers[j],
                      "numbers %zu and %zu are the same", i, j);
        }
    }
}

TEST(random_below_is_in_range)
{
    static const uint32_t limits[] = {
        1, 2, 3, 7, 1000, 65536, 65537, UINT32_MAX, UINT32_MAX - 1, 1u << 31
    };
    struct sf_random random;

    sf_random_init(&random, 1, 0);
    for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
        for (int j = 0; j < 2000; j++) {
            CHECK(sf_random_below(&random, limits[i]) < limits[i]);
        }
    }
}

/* Chi-square; the limit is five standard deviations above its mean. */
TEST(random_below_is_uniform)
{
    enum {
        N_DRAWS = 60000
    };
    struct sf_random random;

    sf_random_init(&random, 3, 5);
    for (uint32_t n = 2; n <= 60; n++) {
        uint32_t counts[60] = { 0 };
        double expected = (double)N_DRAWS / n, chi = 0;
        for (int i = 0; i < N_DRAWS; i++) {
            counts[sf_random_below(&random, n)]++;
        }
        for (uint32_t i = 0; i < n; i++) {
            chi += (counts[i] - expected) * (counts[i] - expected) / expected;
        }
        /* The variance is 2 (n - 1): compare squares, without sqrt(). */
        double excess = chi - (n - 1);
        CHECK_FOR(excess < 0 || excess * excess < 25 * 2.0 * (n - 1),
                  "n = %u: chi-square %g", n, chi);
    }
}

/* The remainder of 32 random bits would fall below 2^30 half the time. */
TEST(random_below_has_no_bias_for_large_n)
{
    enum {
        N_DRAWS = 30000
    };
    struct sf_random random;
    uint32_t counts[3] = { 0 };

    sf_random_init(&random, 4, 0);
    for (int i = 0; i < N_DRAWS; i++) {
        counts[sf_random_below(&random, 3u << 30) >> 30]++;
    }
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(counts[i], N_DRAWS / 3.0, 450.0);
    }
}

TEST(random_shuffle_is_a_permutation)
{
    struct sf_random random;

    sf_random_init(&random, 5, 0);
    for (uint32_t n = 0; n <= 100; n++) {
        uint32_t items[101];
        bool seen[101] = { false };
        for (uint32_t i = 0; i <= n; i++) {
            items[i] = i;
        }
        sf_random_shuffle(&random, items, n);
        CHECK_EQ(items[n], n); /* The one beyond the end. */
        for (uint32_t i = 0; i < n; i++) {
            CHECK(items[i] < n && !seen[items[i]]);
            seen[items[i]] = true;
        }
    }
}

TEST(random_shuffle_finds_every_order_equally_often)
{
    enum {
        N_DRAWS = 24000
    };
    struct sf_random random;
    uint32_t counts[64] = { 0 };
    uint32_t n_orders = 0;

    sf_random_init(&random, 6, 0);
    for (int i = 0; i < N_DRAWS; i++) {
        uint32_t items[4] = { 0, 1, 2, 3 };
        sf_random_shuffle(&random, items, 4);
        counts[items[0] * 16 + items[1] * 4 + items[2]]++;
    }
    for (int i = 0; i < 64; i++) {
        if (counts[i]) {
            n_orders++;
            CHECK_NEAR(counts[i], N_DRAWS / 24.0, 160.0);
        }
    }
    CHECK_EQ(n_orders, 24);
}
