/* comparison_text.c -- a comparison as tables for people. */
#include "report/comparison_writers.h"

#include <math.h>
#include <string.h>

/* What is printed of a histogram before it is cut short. */
#define MAX_BINS 12
#define EXACT    1e-6 /* Bounds this close are one number. */

/* Of the column "lanes, VLs". */
#define LANES_WIDTH 10

static int
label_width(const struct sf_comparison *comparison)
{
    size_t width = strlen("routing");

    for (uint32_t i = 0; i < comparison->params.n_rows; i++) {
        size_t length = strlen(comparison->params.rows[i].label);
        width = length > width ? length : width;
    }
    return (int)width;
}

/* Writes the label, the layers and the lanes of a row. */
static void
write_label(const struct sf_comparison *comparison, uint32_t number, int width,
            FILE *stream)
{
    const struct sf_comparison_row *row = &comparison->params.rows[number];
    const char *lanes = sf_comparison_lanes(comparison, number);
    uint32_t n_vls = comparison->results[number].lanes.n_vls;
    char text[64] = "";

    if (lanes && n_vls) {
        snprintf(text, sizeof text, "%s, %u", lanes, n_vls);
    } else if (lanes) {
        snprintf(text, sizeof text, "%s", lanes);
    }
    fprintf(stream, "%-*s  ", width, row->label);
    if (row->n_layers) {
        fprintf(stream, "%6u", row->n_layers);
    } else {
        fprintf(stream, "%6s", "");
    }
    fprintf(stream, "  %-*s", LANES_WIDTH, text);
}

static void
write_metrics(const struct sf_path_metrics *metrics, FILE *stream)
{
    const struct sf_histogram *by = metrics->by;
    const struct sf_histogram *loads = &by[SF_PATH_LOADS];

    fprintf(stream,
            "  %6.3f %7llu  %7llu %9.1f %7llu %7.3f  %9.2f %9.2f %8.1f %%\n",
            sf_histogram_mean(&by[SF_PATH_HOPS]),
            (unsigned long long)sf_histogram_max(&by[SF_PATH_HOPS]),
            (unsigned long long)sf_histogram_min(loads),
            sf_histogram_mean(loads),
            (unsigned long long)sf_histogram_max(loads),
            sf_histogram_variation(loads),
            sf_histogram_mean(&by[SF_PATH_DISTINCT]),
            sf_histogram_mean(&by[SF_PATH_DISJOINT]),
            100 * sf_comparison_share(metrics, 3));
}

/* Says what is counted, and of how many pairs not all paths arrive. */
static void
write_notes(const struct sf_comparison *comparison, FILE *stream)
{
    for (uint32_t i = 0; i < comparison->params.n_rows; i++) {
        const struct sf_path_metrics *metrics = comparison->results[i].metrics;
        if (metrics && metrics->is_per_host) {
            fprintf(stream,
                    "%s: the hosts of a switch have paths of their own; a "
                    "pair is a switch and a host\n",
                    comparison->params.rows[i].label);
        }
        if (comparison->results[i].lanes.instead[0]) {
            fprintf(stream,
                    "%s: needs more lanes than there are; %s takes its place, "
                    "as in 'slimfly route'\n",
                    comparison->params.rows[i].label,
                    comparison->results[i].lanes.instead);
        }
        if (metrics && metrics->n_incomplete) {
            uint64_t n_pairs = metrics->n_incomplete + metrics->n_pairs;
            fprintf(stream,
                    "%s: %llu of %llu pairs have paths that do not arrive "
                    "and are left out; see 'slimfly audit'\n",
                    comparison->params.rows[i].label,
                    (unsigned long long)metrics->n_incomplete,
                    (unsigned long long)n_pairs);
        }
    }
}

static void
write_paths(const struct sf_comparison *comparison, int width, FILE *stream)
{
    fprintf(stream, "%*s          %*s  %14s  %33s  %9s %9s %10s\n", width, "",
            LANES_WIDTH, "", "---- hops ----",
            "-- paths over a link direction --", "different", "disjoint",
            "3 or more");
    fprintf(stream,
            "%-*s  layers  %-*s  %6s %7s  %7s %9s %7s %7s  %9s %9s %10s\n",
            width, "routing", LANES_WIDTH, "lanes, VLs", "mean", "most",
            "least", "mean", "most", "varies", "paths", "paths", "disjoint");
    for (uint32_t i = 0; i < comparison->params.n_rows; i++) {
        if (comparison->results[i].metrics) {
            write_label(comparison, i, width, stream);
            write_metrics(comparison->results[i].metrics, stream);
        }
    }
    write_notes(comparison, stream);
}

/* One line: "  WHAT 1: 14.3 %, 2: 85.7 %". */
static void
write_histogram(const char *what, const struct sf_histogram *histogram,
                double scale, FILE *stream)
{
    double all = (double)sf_histogram_count(histogram);

    if (histogram->n_bins > MAX_BINS) {
        return;
    }
    fprintf(stream, "  %s ", what);
    for (uint32_t i = 0; i < histogram->n_bins; i++) {
        const struct sf_bin *bin = &histogram->bins[i];
        fprintf(stream, "%s%.4g: %.1f %%", i ? ", " : "",
                (double)bin->value / scale, 100 * (double)bin->n / all);
    }
    fputc('\n', stream);
}

/* For a routing by itself there is room for more. */
static void
write_histograms(const struct sf_path_metrics *metrics, FILE *stream)
{
    const struct sf_histogram *by = metrics->by;

    fputc('\n', stream);
    write_histogram("paths by hops:            ", &by[SF_PATH_HOPS], 1,
                    stream);
    write_histogram("pairs by average length:  ", &by[SF_PATH_TOTALS],
                    metrics->n_layers, stream);
    write_histogram("pairs by longest path:    ", &by[SF_PATH_LONGEST], 1,
                    stream);
    write_histogram("pairs by different paths: ", &by[SF_PATH_DISTINCT], 1,
                    stream);
    write_histogram("pairs by disjoint paths:  ", &by[SF_PATH_DISJOINT], 1,
                    stream);
    write_histogram("links by paths over them: ", &by[SF_PATH_LOADS], 1,
                    stream);
}

static int
column_width(const char *traffic)
{
    size_t length = strlen(traffic);
    return length < 20 ? 20 : (int)length;
}

static void
write_throughput(const struct sf_comparison *comparison, uint32_t row,
                 uint32_t split, FILE *stream)
{
    for (uint32_t i = 0; i < comparison->params.n_traffics; i++) {
        struct sf_comparison_summary summary =
            sf_comparison_summarize(comparison, row, split, i);
        const char *mark = summary.gap > EXACT ? "~" : "";
        char text[64];
        if (comparison->params.n_seeds > 1) {
            snprintf(text, sizeof text, "%.4f%s %.4f-%.4f", summary.mean, mark,
                     summary.min, summary.max);
        } else {
            snprintf(text, sizeof text, "%.4f%s", summary.mean, mark);
        }
        bool is_last = i + 1 == comparison->params.n_traffics && !split;
        fprintf(stream, "  %-*s",
                is_last ? 0 : column_width(comparison->params.traffics[i]),
                text);
    }
    fputs(split ? "  equal split\n" : "\n", stream);
}

/* Says how the numbers were found, and how sure they are. */
static void
write_methods(const struct sf_comparison *comparison, FILE *stream)
{
    const struct sf_comparison_params *params = &comparison->params;
    uint64_t n_by[SF_METHOD_APPROXIMATION + 1] = { 0 };
    double gap = 0;

    for (uint32_t row = 0; row < params->n_rows; row++) {
        const struct sf_comparison_result *result = &comparison->results[row];
        uint32_t n = result->n_splits * params->n_traffics * params->n_seeds;
        for (uint32_t i = 0; i < n; i++) {
            n_by[result->runs[i].method]++;
        }
        for (uint32_t i = 0; i < result->n_splits * params->n_traffics; i++) {
            struct sf_comparison_summary summary = sf_comparison_summarize(
                comparison, row, i / params->n_traffics,
                i % params->n_traffics);
            gap = fmax(gap, summary.gap);
        }
    }
    const char *separator = "found by ";
    for (int i = 0; i <= SF_METHOD_APPROXIMATION; i++) {
        if (n_by[i]) {
            fprintf(stream, "%s%s (%llu)", separator,
                    sf_throughput_method_name((enum sf_throughput_method)i),
                    (unsigned long long)n_by[i]);
            separator = ", ";
        }
    }
    if (gap > EXACT) {
        fprintf(stream,
                "; those with ~ are reached, and what is possible is at most "
                "%.2f %% more",
                100 * gap);
    }
    fputc('\n', stream);
}

static void
write_throughputs(const struct sf_comparison *comparison, int width,
                  FILE *stream)
{
    const struct sf_comparison_params *params = &comparison->params;

    fprintf(stream,
            "\nthroughput: the factor that all demands can have at once%s%s\n"
            "%-*s  layers  %-*s",
            params->n_seeds > 1 ? "; mean, least-most" : "",
            params->without_host_links ? "; links of hosts left out" : "",
            width, "routing", LANES_WIDTH, "lanes, VLs");
    for (uint32_t i = 0; i < params->n_traffics; i++) {
        bool is_last = i + 1 == params->n_traffics;
        fprintf(stream, "  %-*s",
                is_last ? 0 : column_width(params->traffics[i]),
                params->traffics[i]);
    }
    fputc('\n', stream);
    for (uint32_t row = 0; row < params->n_rows; row++) {
        for (uint32_t split = 0; split < comparison->results[row].n_splits;
             split++) {
            write_label(comparison, row, width, stream);
            write_throughput(comparison, row, split, stream);
        }
    }
    write_methods(comparison, stream);
}

enum sf_status
sf_comparison_write_text(const struct sf_comparison *comparison, FILE *stream,
                         struct sf_error *err)
{
    const struct sf_comparison_params *params = &comparison->params;
    int width = label_width(comparison);
    uint32_t n_routings = 0, last = 0;

    (void)err;
    fprintf(stream, "%s: %u switches, %u hosts, %u links", params->name,
            params->network->graph->n_nodes,
            sf_comparison_count_hosts(comparison),
            params->network->graph->n_links);
    if (params->n_seeds > 1) {
        fprintf(stream, "; %u seeds from %llu", params->n_seeds,
                (unsigned long long)params->seed);
    }
    fputs("\n\n", stream);
    for (uint32_t i = 0; i < params->n_rows; i++) {
        if (comparison->results[i].metrics) {
            n_routings++;
            last = i;
        }
    }
    if (n_routings) {
        write_paths(comparison, width, stream);
    }
    if (n_routings == 1) {
        write_histograms(comparison->results[last].metrics, stream);
    }
    if (params->n_traffics) {
        write_throughputs(comparison, width, stream);
    }
    return SF_OK;
}
