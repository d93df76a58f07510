#include "slimfly/random.h"

static uint64_t
rotate_left(uint64_t x, int n)
{
    return (x << n) | (x >> (64 - n));
}

/* SplitMix64: turns a counter into well mixed bits, so that seeds 1 and 2
 * start sequences that have nothing in common. */
static uint64_t
split_mix(uint64_t *counter)
{
    *counter += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *counter;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void
sf_random_init(struct sf_random *random, uint64_t seed, uint64_t stream)
{
    uint64_t stream_counter = stream;
    uint64_t counter = seed ^ (stream ? split_mix(&stream_counter) : 0);

    for (int i = 0; i < 4; i++) {
        random->state[i] = split_mix(&counter);
    }
}

uint64_t
sf_random_next(struct sf_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* Takes 32 bits into 0..n-1 by a multiplication, and throws away the few
 * draws that would make small numbers likelier [Lemire19]. */
uint32_t
sf_random_below(struct sf_random *random, uint32_t n)
{
    uint64_t product = (sf_random_next(random) >> 32) * n;

    if ((uint32_t)product < n) { /* Else it is not below -n % n either. */
        uint32_t unfair = -n % n;
        while ((uint32_t)product < unfair) {
            product = (sf_random_next(random) >> 32) * n;
        }
    }
    return (uint32_t)(product >> 32);
}

void
sf_random_shuffle(struct sf_random *random, uint32_t *items, uint32_t n_items)
{
    for (uint32_t i = n_items; i > 1; i--) {
        uint32_t j = sf_random_below(random, i);
        uint32_t item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}
