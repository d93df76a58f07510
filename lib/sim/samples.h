/* samples.h -- what many numbers are like, without keeping them: counts by
 * size, fine enough for percentiles that are wrong by 0.1 % at most. */
#ifndef SF_SIM_SAMPLES_H
#define SF_SIM_SAMPLES_H

#include "slimfly/simulation.h"

/* Numbers whose first bits agree, and their sum. */
struct sf_sample_bin {
    uint64_t n;
    double sum;
};

/* Starts as zeros. */
struct sf_samples {
    uint32_t first, n_bins; /* bins[0] has number 'first'. */
    struct sf_sample_bin *bins;
    uint64_t n_zeros; /* Apart: their bin would be far from all others. */
    uint64_t n;       /* Of all. */
    double sum, min, max;
};

/* Adds 'value', at least 0 and finite, 'n' times; false if out of memory. */
bool sf_samples_add(struct sf_samples *samples, double value, uint64_t n);

/* Adds all of 'others'; false if out of memory. */
bool sf_samples_merge(struct sf_samples *samples,
                      const struct sf_samples *others);

/* The value below which the part 'p' of all lies: the mean of those that
 * cannot be told from it.  0 if there are none. */
double sf_samples_quantile(const struct sf_samples *samples, double p);

struct sf_sim_spread sf_samples_spread(const struct sf_samples *samples);
void sf_samples_clear(struct sf_samples *samples);

#endif
