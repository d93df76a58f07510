/* comparison_text.c -- a comparison as tables for people. */
#include "report/comparison_writers.h"

#include "base/plural.h"

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

/* Lines get no longer than this as long as a table has several traffics. */
#define MAX_WIDTH 120

/* Some of the traffics, one table. */
struct table {
    const struct sf_comparison *comparison;
    int label_width;
    uint32_t begin, end; /* Traffics. */
    uint32_t n_splits;   /* Columns of a traffic. */
    enum sf_comparison_split splits[SF_N_SPLITS];
};

/* Equal shares come first: that is what hosts do that take their addresses in
 * turn. */
static void
choose_columns(struct table *table)
{
    for (int i = SF_N_SPLITS; i-- > 0;) {
        if (!table->comparison->params.without[i]) {
            table->splits[table->n_splits++] = (enum sf_comparison_split)i;
        }
    }
}

/* Of one number, with its range if there are several seeds. */
static int
cell_width(const struct table *table)
{
    return table->comparison->params.n_seeds > 1 ? 19 : 7;
}

static int
column_width(const struct table *table, uint32_t traffic)
{
    int name = (int)strlen(table->comparison->params.traffics[traffic]);
    int cells = (int)table->n_splits * (cell_width(table) + 2) - 2;
    return name < cells ? cells : name;
}

/* Writes 'text' behind '*pad' spaces, and as many as 'width' leaves are the
 * next '*pad': no line ends with spaces. */
static void
write_cell(const char *text, int width, int *pad, FILE *stream)
{
    int length = (int)strlen(text);

    if (length > 0) {
        fprintf(stream, "%*s%s", *pad, "", text);
        *pad = 0;
    }
    *pad += (width > length ? width - length : 0) + 2;
}

/* The throughput of a row under a traffic; "" if it was not measured so.
 * References know no shares: theirs are the best. */
static void
format_throughput(const struct table *table, uint32_t row,
                  enum sf_comparison_split split, uint32_t traffic,
                  char text[64])
{
    const struct sf_comparison *comparison = table->comparison;
    const struct sf_comparison_result *result = &comparison->results[row];

    text[0] = '\0';
    for (uint32_t i = 0; i < result->n_splits; i++) {
        bool is_alone = result->n_splits == 1 && table->n_splits == 1;
        if (result->splits[i] != split && !is_alone) {
            continue;
        }
        struct sf_comparison_summary summary =
            sf_comparison_summarize(comparison, row, i, traffic);
        const char *mark = summary.gap > EXACT ? "~" : "";
        if (comparison->params.n_seeds > 1) {
            snprintf(text, 64, "%.4f%s %.3f-%.3f", summary.mean, mark,
                     summary.min, summary.max);
        } else {
            snprintf(text, 64, "%.4f%s", summary.mean, mark);
        }
    }
}

static void
write_throughput(const struct table *table, uint32_t row, FILE *stream)
{
    int pad = 2;
    char text[64];

    write_label(table->comparison, row, table->label_width, stream);
    for (uint32_t i = table->begin; i < table->end; i++) {
        int width = column_width(table, i), used = 0;
        for (uint32_t k = 0; k < table->n_splits; k++) {
            bool is_last = k + 1 == table->n_splits;
            format_throughput(table, row, table->splits[k], i, text);
            write_cell(text, is_last ? width - used : cell_width(table), &pad,
                       stream);
            used += cell_width(table) + 2;
        }
    }
    fputc('\n', stream);
}

/* The names of the traffics, and below them those of the splits. */
static void
write_heading(const struct table *table, FILE *stream)
{
    int pad = 2;

    fprintf(stream, "%-*s  layers  %-*s", table->label_width, "routing",
            LANES_WIDTH, "lanes, VLs");
    for (uint32_t i = table->begin; i < table->end; i++) {
        write_cell(table->comparison->params.traffics[i],
                   column_width(table, i), &pad, stream);
    }
    fputc('\n', stream);
    if (table->n_splits == 1) {
        return;
    }
    pad = table->label_width + LANES_WIDTH + 12;
    for (uint32_t i = table->begin; i < table->end; i++) {
        int width = column_width(table, i) - cell_width(table) - 2;
        write_cell(sf_comparison_split_name(table->splits[0]),
                   cell_width(table), &pad, stream);
        write_cell(sf_comparison_split_name(table->splits[1]), width, &pad,
                   stream);
    }
    fputc('\n', stream);
}

/* Sets the end of the table that starts at table->begin. */
static void
find_end(struct table *table)
{
    int width = table->label_width + LANES_WIDTH + 10;

    table->end = table->begin;
    do {
        width += 2 + column_width(table, table->end++);
    } while (table->end < table->comparison->params.n_traffics &&
             width + 2 + column_width(table, table->end) <= MAX_WIDTH);
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
    struct table table = { .comparison = comparison, .label_width = width };

    choose_columns(&table);
    fprintf(stream,
            "\nthroughput: the factor that all demands can have at once%s%s%s"
            "\n",
            table.n_splits > 1 ? ", with equal and with the best shares"
            : table.splits[0] == SF_SPLIT_EQUAL ? ", with equal shares"
                                                : "",
            params->n_seeds > 1 ? "; mean, least-most" : "",
            params->without_host_links ? "; links of hosts left out" : "");
    for (; table.begin < params->n_traffics; table.begin = table.end) {
        find_end(&table);
        fputs(table.begin > 0 ? "\n" : "", stream);
        write_heading(&table, stream);
        for (uint32_t row = 0; row < params->n_rows; row++) {
            write_throughput(&table, row, stream);
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
    uint32_t n_hosts = sf_comparison_count_hosts(comparison);
    const struct sf_graph *graph = params->network->graph;

    (void)err;
    fprintf(stream, "%s: %u %s, %u %s, %u %s", params->name, graph->n_nodes,
            sf_plural(graph->n_nodes, "switch", "switches"), n_hosts,
            sf_plural(n_hosts, "host", "hosts"), graph->n_links,
            sf_plural(graph->n_links, "link", "links"));
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
