#include "slimfly/field.h"

#include "base/mem.h"

/* Multiplication goes through logarithms to the base of the primitive
 * element: one code for GF(p) and GF(p^k), O(order) memory. */
struct sf_field {
    uint32_t order, p, k;
    uint32_t primitive;
    uint16_t *exp; /* [2 * (order - 1)] Powers of the primitive element, twice
                    * around so that a sum of two logarithms needs no mod. */
    uint16_t *log; /* [order] The power that gives an element; not for 0. */
};

bool
sf_is_prime_power(uint32_t n, uint32_t *pp, uint32_t *kp)
{
    if (n < 2) {
        return false;
    }
    uint32_t p = n; /* The smallest divisor: n itself if n is prime. */
    for (uint32_t d = 2; (uint64_t)d * d <= n; d++) {
        if (n % d == 0) {
            p = d;
            break;
        }
    }
    uint32_t k = 0;
    for (; n % p == 0; n /= p) {
        k++;
    }
    if (n != 1) {
        return false;
    }
    if (pp) {
        *pp = p;
    }
    if (kp) {
        *kp = k;
    }
    return true;
}

uint32_t
sf_prime_power_below(uint32_t n)
{
    while (n > 2) {
        if (sf_is_prime_power(--n, NULL, NULL)) {
            return n;
        }
    }
    return 0;
}

uint32_t
sf_prime_power_above(uint32_t n)
{
    while (n < UINT32_MAX) {
        if (sf_is_prime_power(++n, NULL, NULL)) {
            return n;
        }
    }
    return 0;
}

/* a + sign * b, digit by digit modulo p. */
static uint32_t
combine(const struct sf_field *field, uint32_t a, uint32_t b, bool subtract)
{
    uint32_t p = field->p;
    uint32_t result = 0;

    for (uint32_t place = 1; place < field->order; place *= p) {
        uint32_t digit = b % p;
        uint32_t sum = a % p + (subtract ? p - digit : digit);
        result += sum % p * place;
        a /= p;
        b /= p;
    }
    return result;
}

/* 'a' times x modulo the monic polynomial x^k - 'tail'. */
static uint32_t
times_x(const struct sf_field *field, uint32_t a, uint32_t tail)
{
    uint32_t top_place = field->order / field->p;
    uint32_t top = a / top_place;
    uint32_t result = a % top_place * field->p;

    for (uint32_t i = 0; i < top; i++) {
        result = combine(field, result, tail, false);
    }
    return result;
}

/* Fills exp[] with the powers of a candidate, by multiplying again and again:
 * by the integer 'base' modulo p if k = 1, else by x with x^k = 'base'.
 * Returns whether they are all the elements but 0. */
static bool
try_powers(struct sf_field *field, uint32_t base)
{
    uint32_t power = 1;

    for (uint32_t e = 0; e < field->order - 1; e++) {
        if (power == 0 || (power == 1 && e > 0)) {
            return false; /* Back at the start too early. */
        }
        field->exp[e] = (uint16_t)power;
        power = field->k == 1 ? power * base % field->p
                              : times_x(field, power, base);
    }
    return power == 1;
}

enum sf_status
sf_field_build(uint32_t order, struct sf_field **fieldp, struct sf_error *err)
{
    uint32_t p, k;

    *fieldp = NULL;
    if (!sf_is_prime_power(order, &p, &k)) {
        return sf_fail(err, SF_EINVAL,
                       "no field has %u elements: that is not "
                       "a prime power",
                       order);
    }
    if (order > SF_FIELD_MAX_ORDER) {
        return sf_fail(err, SF_ELIMIT,
                       "a field of %u elements is too large; "
                       "the limit is %d",
                       order, SF_FIELD_MAX_ORDER);
    }

    struct sf_field *field = sf_calloc(1, sizeof *field);
    if (!field) {
        goto no_memory;
    }
    field->order = order;
    field->p = p;
    field->k = k;
    field->exp = sf_calloc(2 * (size_t)(order - 1), sizeof *field->exp);
    field->log = sf_calloc(order, sizeof *field->log);
    if (!field->exp || !field->log) {
        goto no_memory;
    }

    /* Every finite field has a primitive element and, for k > 1, a primitive
     * polynomial of degree k, so the search ends. */
    uint32_t base = 1;
    while (!try_powers(field, base)) {
        base++;
    }
    field->primitive = field->exp[order > 2 ? 1 : 0];
    for (uint32_t e = 0; e < order - 1; e++) {
        field->exp[e + order - 1] = field->exp[e];
        field->log[field->exp[e]] = (uint16_t)e;
    }
    *fieldp = field;
    return SF_OK;

no_memory:
    sf_field_free(field);
    return sf_fail(err, SF_ENOMEM, "out of memory for a field of %u elements",
                   order);
}

void
sf_field_free(struct sf_field *field)
{
    if (field) {
        free(field->log);
        free(field->exp);
        free(field);
    }
}

uint32_t
sf_field_order(const struct sf_field *field)
{
    return field->order;
}

uint32_t
sf_field_characteristic(const struct sf_field *field)
{
    return field->p;
}

uint32_t
sf_field_primitive(const struct sf_field *field)
{
    return field->primitive;
}

uint32_t
sf_field_add(const struct sf_field *field, uint32_t a, uint32_t b)
{
    return combine(field, a, b, false);
}

uint32_t
sf_field_sub(const struct sf_field *field, uint32_t a, uint32_t b)
{
    return combine(field, a, b, true);
}

uint32_t
sf_field_mul(const struct sf_field *field, uint32_t a, uint32_t b)
{
    return a && b ? field->exp[field->log[a] + field->log[b]] : 0;
}

uint32_t
sf_field_inv(const struct sf_field *field, uint32_t a)
{
    return field->exp[field->order - 1 - field->log[a]];
}

uint32_t
sf_field_exp(const struct sf_field *field, uint32_t e)
{
    return field->exp[e % (field->order - 1)];
}
