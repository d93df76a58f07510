#include "sim/samples.h"

#include "base/mem.h"

#include <string.h>

/* Exponent and the first ten bits behind the point: bins are at most one part
 * in 1,024 wide. */
#define SHIFT 42

static uint32_t
bin_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint32_t)(bits >> SHIFT);
}

/* Makes room for bin number 'bin'. */
static bool
reserve(struct sf_samples *samples, uint32_t bin)
{
    uint32_t first = samples->first, end = first + samples->n_bins;

    if (samples->n_bins == 0) {
        first = end = bin;
    }
    if (bin >= first && bin < end) {
        return true;
    }
    /* Twice as far as needed, so that growing is rare; bin 0 is the least. */
    uint32_t more = samples->n_bins + 16;
    if (bin < first) {
        first = bin > more ? bin - more : 0;
    } else {
        end = bin + more;
    }
    struct sf_sample_bin *bins = sf_calloc(end - first, sizeof *bins);
    if (!bins) {
        return false;
    }
    if (samples->n_bins) {
        memcpy(bins + (samples->first - first), samples->bins,
               samples->n_bins * sizeof *bins);
    }
    free(samples->bins);
    samples->bins = bins;
    samples->first = first;
    samples->n_bins = end - first;
    return true;
}

static void
widen(struct sf_samples *samples, double min, double max)
{
    if (samples->n == 0 || min < samples->min) {
        samples->min = min;
    }
    if (samples->n == 0 || max > samples->max) {
        samples->max = max;
    }
}

bool
sf_samples_add(struct sf_samples *samples, double value, uint64_t n)
{
    if (n == 0) {
        return true;
    }
    if (!(value > 0)) {
        widen(samples, 0, 0);
        samples->n_zeros += n;
        samples->n += n;
        return true;
    }
    uint32_t bin = bin_of(value);
    if (!reserve(samples, bin)) {
        return false;
    }
    widen(samples, value, value);
    samples->bins[bin - samples->first].n += n;
    samples->bins[bin - samples->first].sum += value * (double)n;
    samples->n += n;
    samples->sum += value * (double)n;
    return true;
}

bool
sf_samples_merge(struct sf_samples *samples, const struct sf_samples *others)
{
    for (uint32_t i = 0; i < others->n_bins; i++) {
        const struct sf_sample_bin *bin = &others->bins[i];
        if (bin->n == 0) {
            continue;
        }
        if (!reserve(samples, others->first + i)) {
            return false;
        }
        struct sf_sample_bin *to =
            &samples->bins[others->first + i - samples->first];
        to->n += bin->n;
        to->sum += bin->sum;
    }
    if (others->n) {
        widen(samples, others->min, others->max);
    }
    samples->n_zeros += others->n_zeros;
    samples->n += others->n;
    samples->sum += others->sum;
    return true;
}

double
sf_samples_quantile(const struct sf_samples *samples, double p)
{
    uint64_t n_below = samples->n_zeros;

    if (n_below && (double)n_below >= p * (double)samples->n) {
        return 0;
    }
    for (uint32_t i = 0; i < samples->n_bins; i++) {
        const struct sf_sample_bin *bin = &samples->bins[i];
        n_below += bin->n;
        if (bin->n && (double)n_below >= p * (double)samples->n) {
            return bin->sum / (double)bin->n;
        }
    }
    return samples->max;
}

struct sf_sim_spread
sf_samples_spread(const struct sf_samples *samples)
{
    struct sf_sim_spread spread = { .n = samples->n };

    if (samples->n) {
        spread.mean = samples->sum / (double)samples->n;
        spread.min = samples->min;
        spread.p1 = sf_samples_quantile(samples, 0.01);
        spread.p50 = sf_samples_quantile(samples, 0.5);
        spread.p99 = sf_samples_quantile(samples, 0.99);
        spread.max = samples->max;
    }
    return spread;
}

void
sf_samples_clear(struct sf_samples *samples)
{
    free(samples->bins);
    *samples = (struct sf_samples){ 0 };
}
