/* field.h -- finite fields GF(p^k).
 *
 * The elements are 0..order-1.  For a prime order they are the integers
 * modulo p; for p^k the base-p digits of an element are the coefficients of a
 * polynomial over GF(p), lowest first, modulo x^k - t, where t is the smallest
 * element that makes x primitive.  0 and 1 are always the zero and the one. */
#ifndef SLIMFLY_FIELD_H
#define SLIMFLY_FIELD_H

#include "slimfly/error.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)

#define SF_FIELD_MAX_ORDER 4096

struct sf_field; /* Opaque. */

/* Builds the field of 'order' elements.  SF_EINVAL if 'order' is not a prime
 * power, SF_ELIMIT above SF_FIELD_MAX_ORDER. */
enum sf_status sf_field_build(uint32_t order, struct sf_field **fieldp,
                              struct sf_error *err);
void sf_field_free(struct sf_field *field);

uint32_t sf_field_order(const struct sf_field *field);
uint32_t sf_field_characteristic(const struct sf_field *field);

/* The smallest element whose powers are all the elements but 0. */
uint32_t sf_field_primitive(const struct sf_field *field);

uint32_t sf_field_add(const struct sf_field *field, uint32_t a, uint32_t b);
uint32_t sf_field_sub(const struct sf_field *field, uint32_t a, uint32_t b);
uint32_t sf_field_mul(const struct sf_field *field, uint32_t a, uint32_t b);

/* 1 / a; 'a' must not be 0. */
uint32_t sf_field_inv(const struct sf_field *field, uint32_t a);

/* The primitive element to the power 'e'. */
uint32_t sf_field_exp(const struct sf_field *field, uint32_t e);

/* Whether n = p^k with p prime and k >= 1; if so, sets '*pp' and '*kp' where
 * those are nonnull. */
bool sf_is_prime_power(uint32_t n, uint32_t *pp, uint32_t *kp);

/* The largest prime power below n and the smallest above it; the former is 0
 * for n <= 2, the latter 0 if none fits into 32 bits. */
uint32_t sf_prime_power_below(uint32_t n);
uint32_t sf_prime_power_above(uint32_t n);

#pragma GCC visibility pop
#endif
