/* polarfly.c -- PolarFly: the Erdos-Renyi polarity graphs [Lakhotia22].
 *
 * For a prime power q the switches are the q^2 + q + 1 points of the
 * projective plane over GF(q), each written with its first nonzero coordinate
 * 1; two are joined if their dot product is 0.  Diameter 2 and degree q + 1,
 * except that the q + 1 quadrics, orthogonal to themselves, have q links.
 *
 * A place is (cluster, index).  Take a quadric w.  Two points have exactly one
 * point orthogonal to both, so every point but w that is not a neighbour of w
 * has exactly one neighbour among the neighbours v of w: cluster 0 holds the
 * quadrics (and for even q the nucleus (1, 1, 1), which has no other
 * neighbours), and each further cluster one v with its neighbours.  For odd q
 * these are q clusters of q switches, fans of triangles as in [Lakhotia22];
 * for even q they are q - 1 clusters of q + 1.
 *
 * O(q^3): the neighbours of a point are the points of a line. */
#include "slimfly/field.h"
#include "topology/family.h"

#include <assert.h>

#define MAX_Q 128

struct point {
    uint32_t x[3];
};

/* Points are numbered (1, a, b), then (0, 1, b), then (0, 0, 1). */
static struct point
point_at(uint32_t q, uint32_t i)
{
    assert(q > 1);
    if (i < q * q) {
        return (struct point){ { 1, i / q, i % q } };
    }
    if (i < q * q + q) {
        return (struct point){ { 0, 1, i - q * q } };
    }
    return (struct point){ { 0, 0, 1 } };
}

static uint32_t
number_of(uint32_t q, struct point point)
{
    if (point.x[0]) {
        return point.x[1] * q + point.x[2];
    }
    return point.x[1] ? q * q + point.x[2] : q * q + q;
}

/* Divides 'point' by its first nonzero coordinate. */
static struct point
normalize(const struct sf_field *field, struct point point)
{
    uint32_t first = point.x[0]   ? point.x[0]
                     : point.x[1] ? point.x[1]
                                  : point.x[2];
    uint32_t scale = sf_field_inv(field, first);
    for (int i = 0; i < 3; i++) {
        point.x[i] = sf_field_mul(field, point.x[i], scale);
    }
    return point;
}

/* The 'j'th of the q + 1 points orthogonal to 'point'. */
static uint32_t
orthogonal(const struct sf_field *field, struct point point, uint32_t j)
{
    uint32_t q = sf_field_order(field);
    const uint32_t *n = point.x;
    struct point u, v; /* Two points of the line. */

    if (n[0]) {
        /* x0 = -(n1 x1 + n2 x2) as n0 is 1. */
        u = (struct point){ { sf_field_sub(field, 0, n[1]), 1, 0 } };
        v = (struct point){ { sf_field_sub(field, 0, n[2]), 0, 1 } };
    } else if (n[1]) {
        u = (struct point){ { 1, 0, 0 } };
        v = (struct point){ { 0, sf_field_sub(field, 0, n[2]), 1 } };
    } else {
        u = (struct point){ { 1, 0, 0 } };
        v = (struct point){ { 0, 1, 0 } };
    }
    if (j == q) {
        return number_of(q, normalize(field, v));
    }
    for (int i = 0; i < 3; i++) {
        u.x[i] = sf_field_add(field, u.x[i], sf_field_mul(field, j, v.x[i]));
    }
    return number_of(q, normalize(field, u));
}

static bool
is_quadric(const struct sf_field *field, struct point point)
{
    uint32_t sum = 0;
    for (int i = 0; i < 3; i++) {
        sum = sf_field_add(field, sum,
                           sf_field_mul(field, point.x[i], point.x[i]));
    }
    return sum == 0;
}

/* Puts the switches into clusters; 'cluster' [n] is the workspace. */
static void
place_in_clusters(const struct sf_field *field, uint32_t p, uint32_t *cluster,
                  struct sf_sketch *sketch)
{
    uint32_t q = sf_field_order(field);
    uint32_t n = sketch->n_switches;
    uint32_t start = SF_NONE; /* The quadric w. */

    for (uint32_t s = 0; s < n; s++) {
        cluster[s] = SF_NONE;
        if (is_quadric(field, point_at(q, s))) {
            cluster[s] = 0;
            start = start == SF_NONE ? s : start;
        }
    }
    if (q % 2 == 0) {
        cluster[number_of(q, (struct point){ { 1, 1, 1 } })] = 0;
    }
    uint32_t n_clusters = 1;
    for (uint32_t j = 0; j <= q; j++) {
        uint32_t centre = orthogonal(field, point_at(q, start), j);
        if (cluster[centre] == 0) {
            continue; /* w itself or the nucleus. */
        }
        cluster[centre] = n_clusters;
        for (uint32_t i = 0; i <= q; i++) {
            uint32_t s = orthogonal(field, point_at(q, centre), i);
            if (cluster[s] == SF_NONE) {
                cluster[s] = n_clusters;
            }
        }
        n_clusters++;
    }

    uint32_t n_in[MAX_Q + 2] = { 0 };
    for (uint32_t s = 0; s < n; s++) {
        uint32_t place[] = { cluster[s], n_in[cluster[s]]++ };
        sf_sketch_switch(sketch, s, place, p);
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
    uint32_t p = sf_value_or(&values[1], (q + 2) / 2);
    uint32_t n = q * q + q + 1;

    uint32_t *cluster = NULL;
    struct sf_field *field;
    status = sf_field_build(q, &field, err);
    if (status != SF_OK) {
        return status;
    }
    status = sf_sketch_begin(sketch, n, q * (q + 1) * (q + 1) / 2, err);
    if (status != SF_OK) {
        goto done;
    }
    cluster = sf_calloc(n, sizeof *cluster);
    if (!cluster) {
        status = sf_fail(err, SF_ENOMEM, "out of memory");
        goto done;
    }
    place_in_clusters(field, p, cluster, sketch);
    for (uint32_t s = 0; s < n; s++) {
        for (uint32_t j = 0; j <= q; j++) {
            uint32_t other = orthogonal(field, point_at(q, s), j);
            if (s < other) {
                sf_sketch_link(sketch, s, other, 1);
            }
        }
    }

done:
    free(cluster);
    sf_field_free(field);
    return status;
}

static const struct sf_family_ops ops = { .draw = draw };

const struct sf_family sf_family_polarfly = {
    .name = "pf",
    .title = "PolarFly (Erdos-Renyi polarity graph), diameter 2",
    .example = "pf:q=7",
    .reference = "Lakhotia22",
    .params = {
        { .key = "q", SF_PARAM_NUMBER, 2, MAX_Q, false, NULL,
          "a prime power; q^2 + q + 1 switches" },
        { .key = "p", SF_PARAM_NUMBER, 1, SF_MAX_P, false, "half the degree, up",
          "hosts a switch" },
    },
    .coords = { "cluster", "index" },
    .level_coord = SF_NONE,
    .group_coord = 0,
    .ops = &ops,
};
