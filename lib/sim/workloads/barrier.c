/* barrier.c -- nobody goes on before all are there.  Messages have no data,
 * and one byte. */
#include "sim/workloads/collective.h"

static void
send_empty(const struct sf_group *group, uint32_t from, uint32_t to)
{
    struct sf_vector nothing = { 0, 1, 0 };
    sf_group_send(group, from, to, &nothing, (struct sf_part){ 0, 1 });
}

static void
meet_linear(const struct sf_group *group)
{
    for (uint32_t r = 1; r < group->n; r++) {
        send_empty(group, r, 0);
    }
    sf_group_step(group);
    for (uint32_t r = 1; r < group->n; r++) {
        send_empty(group, 0, r);
    }
    sf_group_step(group);
}

static void
meet_bruck(const struct sf_group *group)
{
    for (uint32_t power = 1; power < group->n; power *= 2) {
        for (uint32_t r = 0; r < group->n; r++) {
            send_empty(group, r, (r + power) % group->n);
        }
        sf_group_step(group);
    }
}

/* Ranks beyond a power of two tell those so far below them, who tell them in
 * the end. */
static void
meet_doubling(const struct sf_group *group)
{
    uint32_t n = sf_power_below(group->n);

    for (uint32_t r = n; r < group->n; r++) {
        send_empty(group, r, r - n);
    }
    sf_group_step(group);
    for (uint32_t power = 1; power < n; power *= 2) {
        for (uint32_t r = 0; r < n; r++) {
            send_empty(group, r, r ^ power);
        }
        sf_group_step(group);
    }
    for (uint32_t r = n; r < group->n; r++) {
        send_empty(group, r - n, r);
    }
    sf_group_step(group);
}

/* Up a binomial tree, and down. */
static void
meet_tree(const struct sf_group *group)
{
    for (uint32_t power = 1; power < group->n; power *= 2) {
        for (uint32_t r = power; r < group->n; r += 2 * power) {
            send_empty(group, r, r - power);
        }
        sf_group_step(group);
    }
    for (uint32_t power = sf_power_below(group->n); power >= 1; power /= 2) {
        for (uint32_t r = power; r < group->n; r += 2 * power) {
            send_empty(group, r - power, r);
        }
        sf_group_step(group);
    }
}

void
sf_barrier(const struct sf_group *group, struct sf_choice choice)
{
    if (choice.algorithm == SF_LINEAR) {
        meet_linear(group);
    } else if (choice.algorithm == SF_BRUCK) {
        meet_bruck(group);
    } else if (choice.algorithm == SF_TREE) {
        meet_tree(group);
    } else {
        meet_doubling(group);
    }
}
