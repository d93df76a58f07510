/* nearest_slimfly.c -- the Slim Fly nearest to a number of endpoints. */
#include "slimfly/design.h"
#include "slimfly/field.h"

#define MIN_Q 3 /* The smallest q = 4w + delta. */

/* The largest number whose cube is at most n. */
static uint32_t
cube_root(uint32_t n)
{
    uint32_t root = 0;
    while ((uint64_t)(root + 1) * (root + 1) * (root + 1) <= n) {
        root++;
    }
    return root;
}

static uint32_t
distance(struct sf_slimfly_size size, uint32_t n_endpoints)
{
    return size.n_endpoints > n_endpoints ? size.n_endpoints - n_endpoints
                                          : n_endpoints - size.n_endpoints;
}

/* The steps of [Blach24]: (1) the cube root R of N; (2) prime powers close to
 * R; (3) their sizes; (4) the nearest.  A Slim Fly has about 3/2 q^3
 * endpoints, so the right q is near 0.87 R, and "close" must reach down to the
 * first that is too small and up to the first that is large enough: sizes grow
 * with q, so the nearest is one of these two. */
struct sf_slimfly_size
sf_slimfly_nearest(uint32_t n_endpoints)
{
    uint32_t root = cube_root(n_endpoints);
    uint32_t q = root < MIN_Q ? MIN_Q : root;

    if (!sf_is_prime_power(q, NULL, NULL)) {
        q = sf_prime_power_above(q);
    }
    while (q > MIN_Q && sf_slimfly_size(q).n_endpoints >= n_endpoints) {
        q = sf_prime_power_below(q);
    }
    struct sf_slimfly_size below = sf_slimfly_size(q);
    if (below.n_endpoints >= n_endpoints) {
        return below;
    }
    struct sf_slimfly_size above = sf_slimfly_size(sf_prime_power_above(q));
    while (above.n_endpoints < n_endpoints) {
        below = above;
        above = sf_slimfly_size(sf_prime_power_above(above.q));
    }
    return distance(below, n_endpoints) < distance(above, n_endpoints) ? below
                                                                       : above;
}
