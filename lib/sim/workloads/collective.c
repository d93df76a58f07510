/* collective.c -- what collectives share. */
#include "sim/workloads/collective.h"

struct sf_vector
sf_vector_cut(uint64_t bytes, uint64_t segment)
{
    uint64_t n = segment ? (bytes + segment - 1) / segment : 1;

    /* More segments than this are not simulated anyway. */
    if (n > UINT32_MAX / 2) {
        n = UINT32_MAX / 2;
        segment = bytes / n + 1;
    }
    return (struct sf_vector){ bytes, n > 1 ? (uint32_t)n : 1, segment };
}

/* The bytes of the first 'i' blocks. */
static uint64_t
bytes_before(const struct sf_vector *vector, uint32_t i)
{
    if (vector->segment) {
        uint64_t bytes = i * vector->segment;
        return bytes < vector->bytes ? bytes : vector->bytes;
    }
    uint64_t rest = vector->bytes % vector->n;
    return i * (vector->bytes / vector->n) + (i < rest ? i : rest);
}

uint64_t
sf_vector_bytes(const struct sf_vector *vector, struct sf_part part)
{
    uint32_t first = part.first % vector->n, end = first + part.n;

    return end <= vector->n
               ? bytes_before(vector, end) - bytes_before(vector, first)
               : vector->bytes - bytes_before(vector, first) +
                     bytes_before(vector, end - vector->n);
}

static uint32_t
member(const struct sf_group *group, uint32_t i)
{
    return group->first + i * group->stride;
}

void
sf_group_send(const struct sf_group *group, uint32_t from, uint32_t to,
              const struct sf_vector *vector, struct sf_part part)
{
    part.first %= vector->n;
    sf_script_send(group->script, member(group, from), member(group, to),
                   sf_vector_bytes(vector, part), part);
}

void
sf_group_step(const struct sf_group *group)
{
    for (uint32_t i = 0; i < group->n; i++) {
        sf_script_step(group->script, member(group, i));
    }
}

uint32_t
sf_power_below(uint32_t n)
{
    uint32_t power = 1;
    while (power <= n / 2) {
        power *= 2;
    }
    return power;
}
