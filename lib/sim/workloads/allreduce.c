/* allreduce.c -- the sum of the vectors of all ranks, for all. */
#include "sim/workloads/collective.h"

#define ELEMENT 4 /* Bytes, as in rules.c. */

/* Sends whole vectors from even ranks to odd ones, or back. */
static void
send_folded(const struct sf_group *group, const struct sf_fold *fold,
            const struct sf_vector *vector, bool is_back)
{
    for (uint32_t i = 0; i < fold->n_more; i++) {
        sf_group_send(group, 2 * i + is_back, 2 * i + !is_back, vector,
                      (struct sf_part){ 0, vector->n });
    }
    sf_group_step(group);
}

static void
reduce_doubling(const struct sf_group *group, uint64_t bytes)
{
    struct sf_fold fold = sf_fold_of(group->n);
    struct sf_vector vector = { bytes, 1, 0 };

    send_folded(group, &fold, &vector, false);
    for (uint32_t power = 1; power < fold.power; power *= 2) {
        for (uint32_t i = 0; i < fold.power; i++) {
            sf_group_send(group, sf_fold_member(&fold, i),
                          sf_fold_member(&fold, i ^ power), &vector,
                          (struct sf_part){ 0, 1 });
        }
        sf_group_step(group);
    }
    send_folded(group, &fold, &vector, true);
}

/* A block a rank.  In each step all send to the next the block that they got,
 * with their own added; then the sums go around.  The first part is done for
 * each segment of the blocks on its own. */
static void
reduce_ring(const struct sf_group *group, uint64_t bytes, uint64_t segment)
{
    uint32_t n = group->n;
    uint32_t n_phases = sf_vector_cut((bytes + n - 1) / n, segment).n;
    struct sf_vector vector = { bytes, n * n_phases, 0 };

    for (uint32_t i = 0; i < n_phases * (n - 1); i++) {
        uint32_t phase = i / (n - 1), k = i % (n - 1);
        for (uint32_t r = 0; r < n; r++) {
            uint32_t first = (r + n - k) % n * n_phases + phase;
            sf_group_send(group, r, (r + 1) % n, &vector,
                          (struct sf_part){ first, 1 });
        }
        sf_group_step(group);
    }
    /* Rank r has the sum of block r + 1. */
    for (uint32_t k = 0; k + 1 < n; k++) {
        for (uint32_t r = 0; r < n; r++) {
            uint32_t first = (r + 1 + n - k) % n * n_phases;
            sf_group_send(group, r, (r + 1) % n, &vector,
                          (struct sf_part){ first, n_phases });
        }
        sf_group_step(group);
    }
}

/* Where the blocks of number 'i' begin among 'n', after halves were exchanged
 * with numbers 1, 2, 4, ... away, 'end' not among them: bit by bit, the upper
 * half or the lower one. */
static uint32_t
first_of(uint32_t i, uint32_t n, uint32_t end)
{
    uint32_t first = 0;

    for (uint32_t bit = 1; bit < end; bit *= 2) {
        n /= 2;
        first += i & bit ? n : 0;
    }
    return first;
}

/* The member that has number 'i' where even ranks stay. */
static uint32_t
even_member(const struct sf_fold *fold, uint32_t i)
{
    return i < fold->n_more ? 2 * i : i + fold->n_more;
}

/* Ranks beyond a power of two take part by halves: of two, the even one adds
 * up the lower half and the odd one the upper half, which it hands over. */
static void
fold_halves(const struct sf_group *group, const struct sf_fold *fold,
            const struct sf_vector *vector)
{
    uint32_t half = vector->n / 2;
    struct sf_part lower = { 0, half }, upper = { half, vector->n - half };

    for (uint32_t i = 0; i < fold->n_more; i++) {
        sf_group_send(group, 2 * i + 1, 2 * i, vector, lower);
        sf_group_send(group, 2 * i, 2 * i + 1, vector, upper);
    }
    sf_group_step(group);
    for (uint32_t i = 0; i < fold->n_more; i++) {
        sf_group_send(group, 2 * i + 1, 2 * i, vector, upper);
    }
    sf_group_step(group);
}

/* Halves are exchanged with ranks 1, 2, 4, ... away, so that each has the sum
 * of one part; then they are put together the same way back [Rabenseifner04].
 */
static void
reduce_rabenseifner(const struct sf_group *group, uint64_t bytes)
{
    struct sf_fold fold = sf_fold_of(group->n);
    struct sf_vector vector = { bytes, fold.power, 0 };

    fold_halves(group, &fold, &vector);
    for (uint32_t power = 1; power < fold.power; power *= 2) {
        for (uint32_t i = 0; i < fold.power; i++) {
            /* What the other keeps. */
            uint32_t first = first_of(i ^ power, fold.power, 2 * power);
            sf_group_send(group, even_member(&fold, i),
                          even_member(&fold, i ^ power), &vector,
                          (struct sf_part){ first, fold.power / power / 2 });
        }
        sf_group_step(group);
    }
    for (uint32_t power = fold.power / 2; power >= 1; power /= 2) {
        for (uint32_t i = 0; i < fold.power; i++) {
            uint32_t first = first_of(i, fold.power, 2 * power);
            sf_group_send(group, even_member(&fold, i),
                          even_member(&fold, i ^ power), &vector,
                          (struct sf_part){ first, fold.power / power / 2 });
        }
        sf_group_step(group);
    }
    send_folded(group, &fold, &vector, false);
}

void
sf_reduce_binomial(const struct sf_group *group,
                   const struct sf_vector *vector)
{
    for (uint32_t power = 1; power < group->n; power *= 2) {
        for (uint32_t r = power; r < group->n; r += 2 * power) {
            sf_group_send(group, r, r - power, vector,
                          (struct sf_part){ 0, vector->n });
        }
        sf_group_step(group);
    }
}

void
sf_allreduce(const struct sf_group *group, uint64_t bytes,
             struct sf_choice choice)
{
    struct sf_vector vector = { bytes, 1, 0 };
    bool is_short = bytes / ELEMENT < group->n; /* Fewer than ranks. */

    if (choice.algorithm == SF_REDUCE_BCAST) {
        sf_reduce_binomial(group, &vector);
        sf_bcast(group, bytes, (struct sf_choice){ SF_BINOMIAL, 0 });
    } else if (choice.algorithm == SF_RECURSIVE_DOUBLING || is_short) {
        reduce_doubling(group, bytes);
    } else if (choice.algorithm == SF_RABENSEIFNER) {
        reduce_rabenseifner(group, bytes);
    } else {
        reduce_ring(group, bytes,
                    choice.algorithm == SF_SEGMENTED_RING ? choice.segment
                                                          : 0);
    }
}
