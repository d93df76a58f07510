/* test_field.c -- finite fields: the axioms, and the oracle's arithmetic. */
#include "helpers.h"
#include "oracle/oracle.h"
#include "slimfly/field.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdlib.h>

static struct sf_field *
build_field(uint32_t q)
{
    struct sf_field *field = NULL;
    struct sf_error err = { 0 };

    enum sf_status status = sf_field_build(q, &field, &err);
    CHECK_FOR(status == SF_OK, "GF(%u): %s", q, err.text);
    CHECK(field != NULL);
    CHECK_EQ(sf_field_order(field), q);
    return field;
}

static bool
is_prime_power(uint32_t n)
{
    uint32_t p, k;
    return oracle_is_prime_power(n, &p, &k);
}

static void
check_triples(const struct sf_field *f, uint32_t q)
{
    for (uint32_t a = 0; a < q; a++) {
        for (uint32_t b = 0; b < q; b++) {
            uint32_t a_plus_b = sf_field_add(f, a, b);
            uint32_t ab = sf_field_mul(f, a, b);
            for (uint32_t c = 0; c < q; c++) {
                CHECK_FOR(sf_field_add(f, a_plus_b, c) ==
                              sf_field_add(f, a, sf_field_add(f, b, c)),
                          "GF(%u): (%u + %u) + %u", q, a, b, c);
                CHECK_FOR(sf_field_mul(f, ab, c) ==
                              sf_field_mul(f, a, sf_field_mul(f, b, c)),
                          "GF(%u): (%u * %u) * %u", q, a, b, c);
                CHECK_FOR(sf_field_mul(f, a_plus_b, c) ==
                              sf_field_add(f, sf_field_mul(f, a, c),
                                           sf_field_mul(f, b, c)),
                          "GF(%u): (%u + %u) * %u", q, a, b, c);
            }
        }
    }
}

static void
check_pairs(const struct sf_field *f, uint32_t q)
{
    for (uint32_t a = 0; a < q; a++) {
        CHECK_EQ(sf_field_add(f, a, 0), a);
        CHECK_EQ(sf_field_mul(f, a, 1), a);
        CHECK_EQ(sf_field_mul(f, a, 0), 0);
        CHECK_EQ(sf_field_sub(f, a, a), 0);
        if (a != 0) {
            CHECK(sf_field_inv(f, a) < q);
            CHECK_EQ(sf_field_mul(f, a, sf_field_inv(f, a)), 1);
        }
        for (uint32_t b = 0; b < q; b++) {
            uint32_t sum = sf_field_add(f, a, b);
            uint32_t product = sf_field_mul(f, a, b);
            CHECK(sum < q && product < q && sf_field_sub(f, a, b) < q);
            CHECK_EQ(sum, sf_field_add(f, b, a));
            CHECK_EQ(product, sf_field_mul(f, b, a));
            CHECK_EQ(sf_field_sub(f, sum, b), a);
            CHECK((product == 0) == (a == 0 || b == 0));
        }
    }
}

TEST(field_axioms_hold)
{
    for (uint32_t q = 2; q <= 64; q++) {
        if (is_prime_power(q)) {
            struct sf_field *field = build_field(q);
            check_pairs(field, q);
            check_triples(field, q);
            sf_field_free(field);
        }
    }
}

TEST(field_characteristic)
{
    for (uint32_t q = 2; q <= 512; q++) {
        uint32_t p, k;
        if (!oracle_is_prime_power(q, &p, &k)) {
            continue;
        }
        struct sf_field *field = build_field(q);
        CHECK_EQ(sf_field_characteristic(field), p);
        uint32_t sum = 0;
        for (uint32_t i = 1; i <= p; i++) {
            sum = sf_field_add(field, sum, 1);
            CHECK((sum == 0) == (i == p));
        }
        sf_field_free(field);
    }
}

/* How many powers 'a' has. */
static uint32_t
order_of(const struct sf_field *field, uint32_t a)
{
    uint32_t n = 1;
    for (uint32_t power = a; power != 1;
         power = sf_field_mul(field, power, a)) {
        n++;
    }
    return n;
}

TEST(field_primitive_element_is_the_smallest)
{
    for (uint32_t q = 2; q <= 256; q++) {
        if (!is_prime_power(q)) {
            continue;
        }
        struct sf_field *field = build_field(q);
        uint32_t primitive = sf_field_primitive(field);
        CHECK(primitive > 0 && primitive < q);
        CHECK_EQ(order_of(field, primitive), q - 1);
        for (uint32_t a = 1; a < primitive; a++) {
            CHECK_FOR(order_of(field, a) < q - 1,
                      "GF(%u): %u is primitive and below %u", q, a, primitive);
        }
        sf_field_free(field);
    }
}

TEST(field_exp_is_the_power_of_the_primitive_element)
{
    for (uint32_t q = 2; q <= 128; q++) {
        if (!is_prime_power(q)) {
            continue;
        }
        struct sf_field *field = build_field(q);
        uint32_t power = 1;
        for (uint32_t e = 0; e <= 2 * q; e++) {
            CHECK_FOR(sf_field_exp(field, e) == power, "GF(%u): power %u", q,
                      e);
            power = sf_field_mul(field, power, sf_field_primitive(field));
        }
        CHECK_EQ(sf_field_exp(field, UINT32_MAX),
                 sf_field_exp(field, UINT32_MAX % (q - 1)));
        sf_field_free(field);
    }
}

static void
check_against_oracle(const struct sf_field *field,
                     const struct oracle_field *naive, uint32_t a, uint32_t b)
{
    uint32_t q = naive->q;
    CHECK_FOR(sf_field_add(field, a, b) == oracle_add(naive, a, b),
              "GF(%u): %u + %u", q, a, b);
    CHECK_FOR(sf_field_sub(field, a, b) == oracle_sub(naive, a, b),
              "GF(%u): %u - %u", q, a, b);
    CHECK_FOR(sf_field_mul(field, a, b) == oracle_mul(naive, a, b),
              "GF(%u): %u * %u", q, a, b);
}

TEST(field_is_that_of_the_oracle)
{
    for (uint32_t q = 2; q <= 32; q++) {
        struct oracle_field naive;
        if (!oracle_field_make(q, &naive)) {
            continue;
        }
        struct sf_field *field = build_field(q);
        CHECK_EQ(sf_field_primitive(field), naive.primitive);
        for (uint32_t a = 0; a < q; a++) {
            for (uint32_t b = 0; b < q; b++) {
                check_against_oracle(field, &naive, a, b);
            }
        }
        sf_field_free(field);
    }
}

TEST(field_is_that_of_the_oracle_by_samples)
{
    static const uint32_t large[] = { 169,  243,  256,  343,  512,  625,  729,
                                      1024, 1331, 2048, 2187, 2197, 2209, 2401,
                                      3125, 3721, 4091, 4093, 4096 };
    struct sf_random random;

    sf_random_init(&random, 1, 0);
    for (uint32_t i = 0; i < 96 + ARRAY_SIZE(large); i++) {
        uint32_t q = i < 96 ? 33 + i : large[i - 96];
        struct oracle_field naive;
        if (!oracle_field_make(q, &naive)) {
            continue;
        }
        struct sf_field *field = build_field(q);
        CHECK_EQ(sf_field_characteristic(field), naive.p);
        CHECK_EQ(sf_field_primitive(field), naive.primitive);
        for (int j = 0; j < 1500; j++) {
            uint32_t a = sf_random_below(&random, q);
            uint32_t b = sf_random_below(&random, q);
            check_against_oracle(field, &naive, a, b);
            if (a != 0) {
                CHECK_EQ(oracle_mul(&naive, a, sf_field_inv(field, a)), 1);
            }
        }
        sf_field_free(field);
    }
}

TEST(field_refuses_what_is_not_a_prime_power)
{
    for (uint32_t q = 0; q <= 200; q++) {
        struct sf_field *field = NULL;
        struct sf_error err = { 0 };

        enum sf_status status = sf_field_build(q, &field, &err);
        if (is_prime_power(q)) {
            CHECK_FOR(status == SF_OK && field, "GF(%u): %s", q, err.text);
            sf_field_free(field);
            continue;
        }
        CHECK_FOR(status == SF_EINVAL, "GF(%u): status %d", q, (int)status);
        CHECK(field == NULL);
        CHECK_EQ(err.status, SF_EINVAL);
        CHECK(err.text[0] != '\0');
        CHECK_EQ(sf_field_build(q, &field, NULL), SF_EINVAL);
        CHECK(field == NULL);
    }
}

TEST(field_has_a_largest_order)
{
    static const uint32_t beyond[] = { 4099, 4489,     6561,
                                       8192, 1u << 31, 4294967291u };

    sf_field_free(build_field(SF_FIELD_MAX_ORDER));
    for (size_t i = 0; i < ARRAY_SIZE(beyond); i++) {
        struct sf_field *field = NULL;
        struct sf_error err = { 0 };
        CHECK_EQ(sf_field_build(beyond[i], &field, &err), SF_ELIMIT);
        CHECK(field == NULL);
        CHECK_EQ(err.status, SF_ELIMIT);
    }
}

TEST(field_free_accepts_null)
{
    sf_field_free(NULL);
}

TEST(prime_powers_up_to_10000)
{
    enum {
        N = 10000
    };
    static uint32_t p[N + 200], k[N + 200]; /* p = 0: not a prime power. */

    for (uint32_t n = 0; n < N + 200; n++) {
        if (!oracle_is_prime_power(n, &p[n], &k[n])) {
            p[n] = 0;
        }
    }
    for (uint32_t n = 0, below = 0; n <= N; n++) {
        uint32_t actual_p = 0, actual_k = 0;
        CHECK_FOR(sf_is_prime_power(n, &actual_p, &actual_k) == (p[n] != 0),
                  "whether %u is a prime power", n);
        if (p[n]) {
            CHECK_EQ(actual_p, p[n]);
            CHECK_EQ(actual_k, k[n]);
        }
        CHECK(sf_is_prime_power(n, NULL, NULL) == (p[n] != 0));
        CHECK(sf_is_prime_power(n, &actual_p, NULL) == (p[n] != 0));
        CHECK(sf_is_prime_power(n, NULL, &actual_k) == (p[n] != 0));

        uint32_t above = n + 1;
        while (!p[above]) {
            above++;
        }
        CHECK_FOR(sf_prime_power_below(n) == below, "below %u", n);
        CHECK_FOR(sf_prime_power_above(n) == above, "above %u", n);
        if (p[n]) {
            below = n;
        }
    }
}

/* 4294967279 and 4294967291 are the last two primes of 32 bits. */
TEST(prime_powers_near_the_end_of_32_bits)
{
    uint32_t p = 0, k = 0;

    CHECK(sf_is_prime_power(1u << 31, &p, &k) && p == 2 && k == 31);
    CHECK(sf_is_prime_power(65521u * 65521u, &p, &k) && p == 65521 && k == 2);
    CHECK(sf_is_prime_power(1621u * 1621u * 1621u, &p, &k) && p == 1621 &&
          k == 3);
    CHECK(sf_is_prime_power(3486784401u, &p, &k) && p == 3 && k == 20);
    CHECK(sf_is_prime_power(4294967291u, &p, &k) && p == 4294967291u &&
          k == 1);
    CHECK(!sf_is_prime_power(UINT32_MAX, NULL, NULL));
    CHECK(!sf_is_prime_power(65521u * 65537u, NULL, NULL));
    CHECK_EQ(sf_prime_power_above(UINT32_MAX), 0);
    CHECK_EQ(sf_prime_power_above(4294967291u), 0);
    CHECK_EQ(sf_prime_power_above(4294967279u), 4294967291u);
    CHECK_EQ(sf_prime_power_below(UINT32_MAX), 4294967291u);
    CHECK_EQ(sf_prime_power_below(4294967291u), 4294967279u);
    CHECK_EQ(sf_prime_power_above((1u << 31) - 1), 1u << 31);
    CHECK_EQ(sf_prime_power_below(1u << 31), (1u << 31) - 1);
}
