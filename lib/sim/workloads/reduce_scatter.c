/* reduce_scatter.c -- the sum of the vectors of all ranks, a block for each.
 */
#include "sim/workloads/collective.h"

/* All is added up at rank 0, which deals it out. */
static void
reduce_linear(const struct sf_group *group, const struct sf_vector *vector)
{
    sf_reduce_binomial(group, vector);
    for (uint32_t r = 1; r < group->n; r++) {
        sf_group_send(group, 0, r, vector, (struct sf_part){ r, 1 });
    }
    sf_group_step(group);
}

/* In each step all send the block that they got to the next, with their own
 * added. */
static void
reduce_ring(const struct sf_group *group, const struct sf_vector *vector)
{
    uint32_t n = group->n;

    for (uint32_t k = 1; k < n; k++) {
        for (uint32_t r = 0; r < n; r++) {
            sf_group_send(group, r, (r + 1) % n, vector,
                          (struct sf_part){ r + n - k, 1 });
        }
        sf_group_step(group);
    }
}

/* The first block that number 'i' of a fold stands for, up to the end. */
static uint32_t
block_of(const struct sf_fold *fold, uint32_t i)
{
    return i < fold->n_more ? 2 * i : i + fold->n_more;
}

/* The blocks of 'n' numbers from 'i' on. */
static struct sf_part
blocks_of(const struct sf_fold *fold, uint32_t i, uint32_t n)
{
    uint32_t first = block_of(fold, i);
    return (struct sf_part){ first, block_of(fold, i + n) - first };
}

/* Even ranks of those beyond a power of two leave their vectors to odd ones
 * first, and get their blocks in the end. */
static void
leave_vectors(const struct sf_group *group, const struct sf_fold *fold,
              const struct sf_vector *vector)
{
    for (uint32_t i = 0; i < fold->n_more; i++) {
        sf_group_send(group, 2 * i, 2 * i + 1, vector,
                      (struct sf_part){ 0, vector->n });
    }
    sf_group_step(group);
}

static void
return_blocks(const struct sf_group *group, const struct sf_fold *fold,
              const struct sf_vector *vector)
{
    for (uint32_t i = 0; i < fold->n_more; i++) {
        sf_group_send(group, 2 * i + 1, 2 * i, vector,
                      (struct sf_part){ 2 * i, 1 });
    }
    sf_group_step(group);
}

/* Halves are exchanged with those half of all away, then a quarter, ... */
static void
reduce_halving(const struct sf_group *group, const struct sf_vector *vector)
{
    struct sf_fold fold = sf_fold_of(group->n);

    leave_vectors(group, &fold, vector);
    for (uint32_t power = fold.power / 2; power >= 1; power /= 2) {
        for (uint32_t i = 0; i < fold.power; i++) {
            uint32_t other = i ^ power;
            sf_group_send(group, sf_fold_member(&fold, i),
                          sf_fold_member(&fold, other), vector,
                          blocks_of(&fold, other & ~(power - 1), power));
        }
        sf_group_step(group);
    }
    return_blocks(group, &fold, vector);
}

/* 'i' with its bits in the reverse order, among 'n' numbers. */
static uint32_t
mirror(uint32_t i, uint32_t n)
{
    uint32_t mirrored = 0;

    for (; n > 1; n /= 2, i /= 2) {
        mirrored = 2 * mirrored + i % 2;
    }
    return mirrored;
}

/* Halves are exchanged with those 1 away, then 2, 4, ...; number i then has
 * the blocks of its mirror image [Traff05].  If all are a power of two, blocks
 * stand in the order of mirror images from the start, and that is all. */
static void
reduce_butterfly(const struct sf_group *group, const struct sf_vector *vector)
{
    struct sf_fold fold = sf_fold_of(group->n);
    uint32_t n = fold.power;

    leave_vectors(group, &fold, vector);
    for (uint32_t power = 1; power < n; power *= 2) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t n_half = n / power / 2, other = i ^ power;
            sf_group_send(
                group, sf_fold_member(&fold, i), sf_fold_member(&fold, other),
                vector,
                blocks_of(&fold, mirror(other, n) & ~(n_half - 1), n_half));
        }
        sf_group_step(group);
    }
    for (uint32_t i = 0; i < n && fold.n_more > 0; i++) {
        uint32_t owner = mirror(i, n);
        if (owner != i) {
            sf_group_send(group, sf_fold_member(&fold, i),
                          sf_fold_member(&fold, owner), vector,
                          blocks_of(&fold, owner, 1));
        }
    }
    sf_group_step(group);
    return_blocks(group, &fold, vector);
}

void
sf_reduce_scatter(const struct sf_group *group, uint64_t bytes,
                  struct sf_choice choice)
{
    struct sf_vector vector = { bytes * group->n, group->n, 0 };

    if (choice.algorithm == SF_LINEAR) {
        reduce_linear(group, &vector);
    } else if (choice.algorithm == SF_RING) {
        reduce_ring(group, &vector);
    } else if (choice.algorithm == SF_BUTTERFLY) {
        reduce_butterfly(group, &vector);
    } else {
        reduce_halving(group, &vector);
    }
}
