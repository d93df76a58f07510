/* random.h -- random numbers that are the same everywhere.
 *
 * xoshiro256** [BlackmanVigna21], seeded through SplitMix64: the same seed
 * gives the same sequence on every machine, compiler and thread count. */
#ifndef SLIMFLY_RANDOM_H
#define SLIMFLY_RANDOM_H

#include <stdint.h>

#pragma GCC visibility push(default)

struct sf_random {
    uint64_t state[4];
};

/* Starts stream number 'stream' of 'seed'.  Work that is shared out takes a
 * stream for each task, not for each thread. */
void sf_random_init(struct sf_random *random, uint64_t seed, uint64_t stream);

/* The next 64 bits. */
uint64_t sf_random_next(struct sf_random *random);

/* A number from 0 to n - 1, each as likely as the next; n > 0. */
uint32_t sf_random_below(struct sf_random *random, uint32_t n);

/* Puts 'items' into random order (Fisher-Yates). */
void sf_random_shuffle(struct sf_random *random, uint32_t *items,
                       uint32_t n_items);

#pragma GCC visibility pop
#endif
