/* alltoall.c -- every rank has a block for every other. */
#include "sim/workloads/collective.h"

/* All is posted at once, to the next rank first. */
static void
send_linear(const struct sf_group *group, const struct sf_vector *block)
{
    for (uint32_t k = 1; k < group->n; k++) {
        for (uint32_t r = 0; r < group->n; r++) {
            sf_group_send(group, r, (r + k) % group->n, block,
                          (struct sf_part){ 0, 1 });
        }
    }
    sf_group_step(group);
}

/* In step k, to the k-th next and from the k-th before. */
static void
send_pairwise(const struct sf_group *group, const struct sf_vector *block)
{
    for (uint32_t k = 1; k < group->n; k++) {
        for (uint32_t r = 0; r < group->n; r++) {
            sf_group_send(group, r, (r + k) % group->n, block,
                          (struct sf_part){ 0, 1 });
        }
        sf_group_step(group);
    }
}

/* For each power of two, all blocks whose way has that power in it go that far
 * [Bruck97]. */
static void
send_bruck(const struct sf_group *group, uint64_t bytes)
{
    for (uint32_t power = 1; power < group->n; power *= 2) {
        uint32_t n_blocks = 0;
        for (uint32_t i = 1; i < group->n; i++) {
            n_blocks += (i & power) != 0;
        }
        struct sf_vector blocks = { bytes * n_blocks, 1, 0 };
        for (uint32_t r = 0; r < group->n; r++) {
            sf_group_send(group, r, (r + power) % group->n, &blocks,
                          (struct sf_part){ 0, 1 });
        }
        sf_group_step(group);
    }
}

void
sf_alltoall(const struct sf_group *group, uint64_t bytes,
            struct sf_choice choice)
{
    struct sf_vector block = { bytes, 1, 0 };

    if (choice.algorithm == SF_BRUCK) {
        send_bruck(group, bytes);
    } else if (choice.algorithm == SF_PAIRWISE) {
        send_pairwise(group, &block);
    } else {
        send_linear(group, &block);
    }
}
