/* histogram.c -- how often each value occurs. */
#include "base/mem.h"
#include "slimfly/path_metrics.h"

#include <math.h>

void
sf_histogram_clear(struct sf_histogram *histogram)
{
    free(histogram->bins);
    *histogram = (struct sf_histogram){ 0 };
}

uint64_t
sf_histogram_count(const struct sf_histogram *histogram)
{
    return sf_histogram_count_from(histogram, 0);
}

uint64_t
sf_histogram_count_from(const struct sf_histogram *histogram, uint64_t value)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < histogram->n_bins; i++) {
        n += histogram->bins[i].value >= value ? histogram->bins[i].n : 0;
    }
    return n;
}

uint64_t
sf_histogram_min(const struct sf_histogram *histogram)
{
    return histogram->n_bins ? histogram->bins[0].value : 0;
}

uint64_t
sf_histogram_max(const struct sf_histogram *histogram)
{
    uint32_t n = histogram->n_bins;
    return n ? histogram->bins[n - 1].value : 0;
}

double
sf_histogram_mean(const struct sf_histogram *histogram)
{
    double sum = 0;

    for (uint32_t i = 0; i < histogram->n_bins; i++) {
        const struct sf_bin *bin = &histogram->bins[i];
        sum += (double)bin->value * (double)bin->n;
    }
    return histogram->n_bins ? sum / (double)sf_histogram_count(histogram) : 0;
}

double
sf_histogram_variation(const struct sf_histogram *histogram)
{
    double mean = sf_histogram_mean(histogram), sum = 0;

    for (uint32_t i = 0; i < histogram->n_bins; i++) {
        const struct sf_bin *bin = &histogram->bins[i];
        double off = (double)bin->value - mean;
        sum += off * off * (double)bin->n;
    }
    return mean > 0 ? sqrt(sum / (double)sf_histogram_count(histogram)) / mean
                    : 0;
}

enum sf_status
sf_histogram_add(struct sf_histogram *histogram,
                 const struct sf_histogram *more, struct sf_error *err)
{
    uint32_t i = 0, j = 0, n = 0;
    const struct sf_bin *a = histogram->bins, *b = more->bins;
    struct sf_bin *bins =
        sf_calloc((size_t)histogram->n_bins + more->n_bins, sizeof *bins);

    if (!bins) {
        return sf_fail(err, SF_ENOMEM, "out of memory to add histograms");
    }
    while (i < histogram->n_bins || j < more->n_bins) {
        bool is_first = j == more->n_bins ||
                        (i < histogram->n_bins && a[i].value <= b[j].value);
        struct sf_bin bin = is_first ? a[i++] : b[j++];
        if (n && bins[n - 1].value == bin.value) {
            bins[n - 1].n += bin.n;
        } else {
            bins[n++] = bin;
        }
    }
    free(histogram->bins);
    histogram->bins = bins;
    histogram->n_bins = n;
    return SF_OK;
}
