/* ebb.c -- effective bisection bandwidth.
 *
 * Netgauge's pattern of this name cuts the hosts into two halves at random and
 * pairs them across the cut; both of a pair send at once.  It does so in
 * rounds, each with another cut. */
#include "sim/workloads/kind.h"
#include "slimfly/random.h"

#include <string.h>

/* The random stream of the first matching; kinds of traffic and placements
 * draw from others. */
#define STREAM_MATCHINGS ((uint64_t)1 << 32)

static uint32_t
count_matchings(const struct sf_value *values)
{
    return (uint32_t)values[0].number;
}

static int
compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The hosts in ascending order: placements that choose the same hosts have the
 * same pairs. */
static uint32_t *
sort_hosts(const struct sf_work *work)
{
    uint32_t *sorted = sf_calloc(work->n_ranks, sizeof *sorted);

    if (sorted) {
        memcpy(sorted, work->hosts, work->n_ranks * sizeof *sorted);
        qsort(sorted, work->n_ranks, sizeof *sorted, compare_numbers);
    }
    return sorted;
}

/* Adds a matching.  With an odd number of hosts one is left out. */
static enum sf_status
send_matching(const struct sf_work *work, struct sf_program *program,
              struct sf_error *err)
{
    uint32_t half = work->n_ranks / 2;
    uint64_t bytes = sf_work_bytes(work->size);
    uint32_t number = work->round % count_matchings(work->values);
    uint32_t *mixed = sort_hosts(work);
    struct sf_random random;
    bool is_fine = mixed != NULL;

    sf_random_init(&random, work->seed, STREAM_MATCHINGS + number);
    if (mixed) {
        sf_random_shuffle(&random, mixed, work->n_ranks);
    }
    for (uint32_t i = 0; is_fine && i < half; i++) {
        uint32_t a = mixed[i], b = mixed[half + i];
        is_fine = sf_program_send(program, a, b, bytes, 0) &&
                  sf_program_send(program, b, a, bytes, 0);
    }
    free(mixed);
    return is_fine ? SF_OK
                   : sf_fail(err, SF_ENOMEM, "out of memory for a workload");
}

static const struct sf_workload_ops ops = {
    .send = send_matching,
    .n_rounds = count_matchings,
};

const struct sf_workload_kind sf_workload_ebb = {
    .name = "ebb",
    .title = "effective bisection bandwidth: hosts in random pairs, each "
             "sends to its partner",
    .example = "ebb:matchings=100",
    .source = "Netgauge, pattern ebb",
    .has_size = true,
    .params = { { .key = "matchings",
                  .kind = SF_PARAM_NUMBER,
                  .min = 1,
                  .max = 1000000,
                  .by_default = "100",
                  .meaning = "how often pairs are drawn anew" } },
    .ops = &ops,
};
