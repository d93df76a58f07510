/* allgather.c -- every rank has a block and gets those of all. */
#include "sim/workloads/collective.h"

static void
gather_ring(const struct sf_group *group, const struct sf_vector *vector)
{
    uint32_t n = group->n;

    for (uint32_t k = 0; k + 1 < n; k++) {
        for (uint32_t r = 0; r < n; r++) {
            sf_group_send(group, r, (r + 1) % n, vector,
                          (struct sf_part){ r + n - k, 1 });
        }
        sf_group_step(group);
    }
}

/* Rank r has blocks r, r + 1, ... and gets as many more from the rank so far
 * on [Bruck97]. */
static void
gather_bruck(const struct sf_group *group, const struct sf_vector *vector)
{
    uint32_t n = group->n;

    for (uint32_t power = 1; power < n; power *= 2) {
        uint32_t n_blocks = power < n - power ? power : n - power;
        for (uint32_t r = 0; r < n; r++) {
            sf_group_send(group, r, (r + n - power) % n, vector,
                          (struct sf_part){ r, n_blocks });
        }
        sf_group_step(group);
    }
}

/* Of a power of two ranks. */
static void
gather_doubling(const struct sf_group *group, const struct sf_vector *vector)
{
    for (uint32_t power = 1; power < group->n; power *= 2) {
        for (uint32_t r = 0; r < group->n; r++) {
            sf_group_send(group, r, r ^ power, vector,
                          (struct sf_part){ r & ~(power - 1), power });
        }
        sf_group_step(group);
    }
}

/* Pairs of neighbours, of an even number of ranks: first the own block, then
 * always the two that came last [Chen05]. */
static void
gather_neighbor(const struct sf_group *group, const struct sf_vector *vector)
{
    uint32_t n = group->n;

    for (uint32_t r = 0; r < n; r++) {
        sf_group_send(group, r, r ^ 1, vector, (struct sf_part){ r, 1 });
    }
    sf_group_step(group);
    for (uint32_t k = 1; k < n / 2; k++) {
        for (uint32_t r = 0; r < n; r++) {
            /* Even ranks look down in odd steps, and up in even ones. */
            bool is_up = (r + k) % 2 == 0;
            uint32_t to = is_up ? (r + 1) % n : (r + n - 1) % n;
            /* What came from the other side in the step before. */
            uint32_t pair = r & ~1u;
            uint32_t far = 2 * (k / 2);
            uint32_t has = r % 2 == k % 2 ? pair + n - far : pair + far;
            sf_group_send(group, r, to, vector,
                          (struct sf_part){ has % n, 2 });
        }
        sf_group_step(group);
    }
}

void
sf_allgather_blocks(const struct sf_group *group,
                    const struct sf_vector *vector,
                    enum sf_algorithm algorithm)
{
    bool is_power = sf_power_below(group->n) == group->n;

    if (algorithm == SF_RECURSIVE_DOUBLING && is_power) {
        gather_doubling(group, vector);
    } else if (algorithm == SF_BRUCK || algorithm == SF_RECURSIVE_DOUBLING) {
        gather_bruck(group, vector);
    } else if (algorithm == SF_NEIGHBOR && group->n % 2 == 0) {
        gather_neighbor(group, vector);
    } else {
        gather_ring(group, vector);
    }
}

void
sf_allgather(const struct sf_group *group, uint64_t bytes,
             struct sf_choice choice)
{
    struct sf_vector vector = { bytes * group->n, group->n, 0 };

    sf_allgather_blocks(group, &vector, choice.algorithm);
}
