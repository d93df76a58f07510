/* comparison_csv.c -- a comparison as lines of values, with headers. */
#include "io/csv.h"
#include "report/comparison_writers.h"

#include <math.h>

/* Writes ",X", or "," for what is infinite. */
static void
write_real(double number, FILE *stream)
{
    fputc(',', stream);
    if (isfinite(number)) {
        fprintf(stream, "%.9g", number);
    }
}

static void
write_row(const struct sf_comparison *comparison, uint32_t number,
          FILE *stream)
{
    const struct sf_comparison_row *row = &comparison->params.rows[number];
    const char *lanes = sf_comparison_lanes(comparison, number);
    uint32_t n_vls = comparison->results[number].lanes.n_vls;

    sf_csv_write(row->label, stream);
    fprintf(stream, ",%s,", sf_throughput_mode_name(row->mode));
    if (row->n_layers) {
        fprintf(stream, "%u", row->n_layers);
    }
    fprintf(stream, ",%s,", lanes ? lanes : "");
    if (n_vls) {
        fprintf(stream, "%u", n_vls);
    }
}

static void
write_metrics(const struct sf_path_metrics *metrics, FILE *stream)
{
    if (!metrics) {
        fputs(",,,,,,,,,,,\n", stream);
        return;
    }
    const struct sf_histogram *by = metrics->by;
    fprintf(stream, ",%llu,%llu", (unsigned long long)metrics->n_pairs,
            (unsigned long long)metrics->n_incomplete);
    write_real(sf_histogram_mean(&by[SF_PATH_HOPS]), stream);
    fprintf(stream, ",%llu,%llu,%llu",
            (unsigned long long)sf_histogram_max(&by[SF_PATH_HOPS]),
            (unsigned long long)sf_histogram_min(&by[SF_PATH_LOADS]),
            (unsigned long long)sf_histogram_max(&by[SF_PATH_LOADS]));
    write_real(sf_histogram_mean(&by[SF_PATH_LOADS]), stream);
    write_real(sf_histogram_variation(&by[SF_PATH_LOADS]), stream);
    write_real(sf_histogram_mean(&by[SF_PATH_DISTINCT]), stream);
    write_real(sf_histogram_mean(&by[SF_PATH_DISJOINT]), stream);
    write_real(sf_comparison_share(metrics, 3), stream);
    fputc('\n', stream);
}

enum sf_status
sf_comparison_write_csv(const struct sf_comparison *comparison, FILE *stream,
                        struct sf_error *err)
{
    const struct sf_comparison_params *params = &comparison->params;

    (void)err;
    fputs("label,kind,n_layers,lanes,vls,split,traffic,throughput_mean,"
          "throughput_min,"
          "throughput_max,gap,n_pairs,n_incomplete,mean_hops,most_hops,"
          "paths_per_link_min,paths_per_link_max,paths_per_link_mean,"
          "paths_per_link_variation,mean_distinct,mean_disjoint,"
          "share_3_disjoint\n",
          stream);
    for (uint32_t row = 0; row < params->n_rows; row++) {
        const struct sf_comparison_result *result = &comparison->results[row];
        if (!params->n_traffics) {
            write_row(comparison, row, stream);
            fputs(",,,,,,", stream);
            write_metrics(result->metrics, stream);
        }
        for (uint32_t i = 0; i < result->n_splits * params->n_traffics; i++) {
            uint32_t split = i / params->n_traffics;
            uint32_t traffic = i % params->n_traffics;
            struct sf_comparison_summary summary =
                sf_comparison_summarize(comparison, row, split, traffic);
            write_row(comparison, row, stream);
            fprintf(stream, ",%s,",
                    sf_comparison_split_name(result->splits[split]));
            sf_csv_write(params->traffics[traffic], stream);
            write_real(summary.mean, stream);
            write_real(summary.min, stream);
            write_real(summary.max, stream);
            write_real(summary.gap, stream);
            write_metrics(result->metrics, stream);
        }
    }
    return SF_OK;
}

enum sf_status
sf_comparison_write_histograms(const struct sf_comparison *comparison,
                               FILE *stream, struct sf_error *err)
{
    (void)err;
    fputs("label,kind,n_layers,lanes,vls,histogram,value,n\n", stream);
    for (uint32_t row = 0; row < comparison->params.n_rows; row++) {
        const struct sf_path_metrics *metrics =
            comparison->results[row].metrics;
        for (int which = 0; metrics && which < SF_N_PATH_METRICS; which++) {
            const struct sf_histogram *by = &metrics->by[which];
            for (uint32_t i = 0; i < by->n_bins; i++) {
                write_row(comparison, row, stream);
                fprintf(stream, ",%s,%llu,%llu\n", sf_path_metric_names[which],
                        (unsigned long long)by->bins[i].value,
                        (unsigned long long)by->bins[i].n);
            }
        }
    }
    return SF_OK;
}
