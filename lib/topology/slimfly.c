/* slimfly.c -- Slim Fly: the McKay-Miller-Siran graphs [McKay98] [Besta14].
 *
 * For a prime power q = 4w + delta, delta in {-1, 0, 1}, the switches are
 * (0, x, y) and (1, m, c) with x, y, m, c in GF(q), 2 q^2 of them:
 *
 *     (0, x, y) - (0, x, y')   if  y - y' in X
 *     (1, m, c) - (1, m, c')   if  c - c' in X'
 *     (0, x, y) - (1, m, c)    if  y = m x + c
 *
 * The graph has diameter 2 and is regular of degree (3 q - delta) / 2.  q = 5
 * gives the Hoffman-Singleton graph, the largest of degree 7 and diameter 2.
 *
 * A place is (subgroup, group, index) = (S, R, I) as in [Blach24]: S is 0 or
 * 1, R is x or m, I is y or c.  O(q^3). */
#include "slimfly/field.h"
#include "topology/family.h"

#include <string.h>

#define MAX_Q 128

/* Marks the elements of X (for 'subgroup' 0) or X' (for 1) in 'member'.  With
 * xi the primitive element these are, by [Hafner04]:
 *
 *     delta = 1    X = even powers               X' = odd powers
 *     delta = 0    X = xi^0, xi^2 .. xi^(q-2)    X' = xi^1, xi^3 .. xi^(q-1)
 *     delta = -1   X = +-(xi^0, xi^2 .. xi^(2w-2))
 *                  X' = +-(xi^1, xi^3 .. xi^(2w-1))
 *
 * Each set is closed under negation, which makes the links undirected. */
static void
mark_generators(const struct sf_field *field, uint32_t subgroup, bool *member)
{
    uint32_t q = sf_field_order(field);
    uint32_t n_powers = q % 4 == 3 ? (q + 1) / 4 : q / 2;

    memset(member, 0, q * sizeof *member);
    for (uint32_t i = 0; i < n_powers; i++) {
        uint32_t power = sf_field_exp(field, 2 * i + subgroup);
        member[power] = true;
        member[sf_field_sub(field, 0, power)] = true;
    }
}

static uint32_t
switch_at(uint32_t q, uint32_t subgroup, uint32_t group, uint32_t index)
{
    return (subgroup * q + group) * q + index;
}

/* Links inside the groups of 'subgroup'. */
static void
link_subgroup(const struct sf_field *field, uint32_t subgroup,
              struct sf_sketch *sketch)
{
    uint32_t q = sf_field_order(field);
    bool member[MAX_Q];

    mark_generators(field, subgroup, member);
    for (uint32_t i = 0; i < q; i++) {
        for (uint32_t j = i + 1; j < q; j++) {
            if (!member[sf_field_sub(field, i, j)]) {
                continue;
            }
            for (uint32_t group = 0; group < q; group++) {
                sf_sketch_link(sketch, switch_at(q, subgroup, group, i),
                               switch_at(q, subgroup, group, j), 1);
            }
        }
    }
}

/* Links between the subgroups: y = m x + c. */
static void
link_across(const struct sf_field *field, struct sf_sketch *sketch)
{
    uint32_t q = sf_field_order(field);

    for (uint32_t x = 0; x < q; x++) {
        for (uint32_t m = 0; m < q; m++) {
            uint32_t mx = sf_field_mul(field, m, x);
            for (uint32_t c = 0; c < q; c++) {
                uint32_t y = sf_field_add(field, mx, c);
                sf_sketch_link(sketch, switch_at(q, 0, x, y),
                               switch_at(q, 1, m, c), 1);
            }
        }
    }
}

static enum sf_status
draw(const struct sf_value *values, struct sf_sketch *sketch,
     struct sf_error *err)
{
    uint32_t q = (uint32_t)values[0].number;
    enum sf_status status = sf_check_prime_power(q, err);
    if (status != SF_OK) {
        return status;
    }
    uint32_t degree = (3 * q + (q % 4 == 3)) / 2;
    uint32_t p = sf_value_or(&values[1], (degree + 1) / 2);

    struct sf_field *field;
    status = sf_field_build(q, &field, err);
    if (status != SF_OK) {
        return status;
    }
    status = sf_sketch_begin(sketch, 2 * q * q, q * q * degree, err);
    if (status == SF_OK) {
        for (uint32_t s = 0; s < 2 * q * q; s++) {
            sf_sketch_switch(sketch, s,
                             (uint32_t[]){ s / (q * q), s / q % q, s % q }, p);
        }
        link_subgroup(field, 0, sketch);
        link_subgroup(field, 1, sketch);
        link_across(field, sketch);
    }
    sf_field_free(field);
    return status;
}

static const struct sf_family_ops ops = { .draw = draw };

const struct sf_family sf_family_slimfly = {
    .name = "sf",
    .title = "Slim Fly (McKay-Miller-Siran graph), diameter 2",
    .example = "sf:q=5",
    .reference = "Besta14",
    .params = {
        { .key = "q", SF_PARAM_NUMBER, 3, MAX_Q, false, NULL,
          "a prime power; 2 q^2 switches" },
        { .key = "p", SF_PARAM_NUMBER, 1, SF_MAX_P, false, "half the degree, up",
          "hosts a switch" },
    },
    .coords = { "subgroup", "group", "index" },
    .level_coord = SF_NONE,
    .group_coord = 1,
    .group_part = "subgroup",
    .ops = &ops,
};
