/* comparison_json.c -- a comparison as JSON, and single measurements, written
 * and read back; doc/formats.md describes the members. */
#include "base/json_reader.h"
#include "base/json_values.h"
#include "base/mem.h"
#include "base/origin_json.h"
#include "report/comparison_writers.h"

#include <math.h>
#include <string.h>

#define REALS                                                      \
    JSON_REAL_PRECISION(17) /* So that they are read back as such. \
                             */

static json_t *
json_of_histogram(const struct sf_histogram *histogram)
{
    json_t *bins = json_array();

    for (uint32_t i = 0; i < histogram->n_bins; i++) {
        json_array_append_new(
            bins, json_pack("[I, I]", (json_int_t)histogram->bins[i].value,
                            (json_int_t)histogram->bins[i].n));
    }
    return bins;
}

/* What cannot be worked out from anything else. */
static json_t *
json_of_counts(const struct sf_path_metrics *metrics)
{
    json_t *root = json_pack("{s:I, s:b, s:I, s:I}", "n_layers",
                             (json_int_t)metrics->n_layers, "per_host",
                             (int)metrics->is_per_host, "n_pairs",
                             (json_int_t)metrics->n_pairs, "n_incomplete",
                             (json_int_t)metrics->n_incomplete);

    for (int i = 0; root && i < SF_N_PATH_METRICS; i++) {
        json_object_set_new(root, sf_path_metric_names[i],
                            json_of_histogram(&metrics->by[i]));
    }
    return root;
}

static json_t *
json_of_metrics(const struct sf_path_metrics *metrics)
{
    if (!metrics) {
        return json_null();
    }
    const struct sf_histogram *by = metrics->by;
    const struct sf_histogram *loads = &by[SF_PATH_LOADS];
    json_t *root = json_of_counts(metrics);
    json_t *more = json_pack(
        "{s:f, s:I, s:{s:I, s:I, s:f, s:f}, s:f, s:f, s:f}", "mean_hops",
        sf_histogram_mean(&by[SF_PATH_HOPS]), "most_hops",
        (json_int_t)sf_histogram_max(&by[SF_PATH_HOPS]), "paths_per_link",
        "min", (json_int_t)sf_histogram_min(loads), "max",
        (json_int_t)sf_histogram_max(loads), "mean", sf_histogram_mean(loads),
        "variation", sf_histogram_variation(loads), "mean_distinct",
        sf_histogram_mean(&by[SF_PATH_DISTINCT]), "mean_disjoint",
        sf_histogram_mean(&by[SF_PATH_DISJOINT]), "share_3_disjoint",
        sf_comparison_share(metrics, 3));

    if (!root || !more || json_object_update(root, more) != 0) {
        json_decref(root);
        root = NULL;
    }
    json_decref(more);
    return root;
}

static json_t *
json_of_throughput(const struct sf_throughput *throughput)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:I, s:I}", "lower",
                     real_or_null(throughput->lower), "upper",
                     real_or_null(throughput->upper), "net_lower",
                     real_or_null(throughput->net_lower), "net_upper",
                     real_or_null(throughput->net_upper), "host",
                     real_or_null(throughput->host), "even",
                     real_or_null(throughput->even), "method",
                     sf_throughput_method_name(throughput->method), "n_paths",
                     (json_int_t)throughput->n_paths, "n_rounds",
                     (json_int_t)throughput->n_rounds);
}

static json_t *
json_of_runs(const struct sf_comparison *comparison, uint32_t row,
             uint32_t split, uint32_t traffic)
{
    json_t *runs = json_array();

    for (uint32_t i = 0; i < comparison->params.n_seeds; i++) {
        uint64_t seed = comparison->params.seed + i;
        json_t *run = json_of_throughput(
            sf_comparison_run(comparison, row, split, traffic, i));
        json_object_set_new(run, "seed", json_integer((json_int_t)seed));
        json_array_append_new(runs, run);
    }
    return runs;
}

static json_t *
json_of_row(const struct sf_comparison *comparison, uint32_t number)
{
    const struct sf_comparison_params *params = &comparison->params;
    const struct sf_comparison_row *row = &params->rows[number];
    const struct sf_comparison_result *result = &comparison->results[number];
    struct sf_layer_spec spec = { 0 };
    json_t *throughputs = json_array();

    if (row->routing.layers.scheme) {
        uint32_t n_sets = row->routing.n_path_sets;
        sf_layer_spec_parse(row->routing.layers.scheme,
                            n_sets == SF_NONE ? 0 : n_sets, &spec, NULL);
    }
    for (uint32_t i = 0; i < result->n_splits * params->n_traffics; i++) {
        uint32_t split = i / params->n_traffics;
        uint32_t traffic = i % params->n_traffics;
        struct sf_comparison_summary summary =
            sf_comparison_summarize(comparison, number, split, traffic);
        json_array_append_new(
            throughputs,
            json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "traffic",
                      params->traffics[traffic], "split",
                      sf_comparison_split_name(result->splits[split]), "mean",
                      real_or_null(summary.mean), "min",
                      real_or_null(summary.min), "max",
                      real_or_null(summary.max), "gap",
                      real_or_null(summary.gap), "runs",
                      json_of_runs(comparison, number, split, traffic)));
    }
    return json_pack(
        "{s:s, s:s, s:s?, s:s?, s:o, s:o, s:o, s:o}", "label", row->label,
        "kind", sf_throughput_mode_name(row->mode), "scheme",
        spec.text[0] ? spec.text : NULL, "lanes",
        sf_comparison_lanes(comparison, number), "vls",
        result->lanes.n_vls ? json_integer(result->lanes.n_vls) : json_null(),
        "n_layers", row->n_layers ? json_integer(row->n_layers) : json_null(),
        "paths", json_of_metrics(result->metrics), "throughput", throughputs);
}

enum sf_status
sf_comparison_write_json(const struct sf_comparison *comparison, FILE *stream,
                         struct sf_error *err)
{
    const struct sf_comparison_params *params = &comparison->params;
    const struct sf_network *network = params->network;
    json_t *rows = json_array();

    for (uint32_t i = 0; i < params->n_rows; i++) {
        json_array_append_new(rows, json_of_row(comparison, i));
    }
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:I, s:I, s:I, s:I, s:I, s:b, s:o}", "schema",
        "slimfly.analysis", "schema_version", 1, "network", params->name,
        "n_switches", (json_int_t)network->graph->n_nodes, "n_hosts",
        (json_int_t)sf_comparison_count_hosts(comparison), "n_links",
        (json_int_t)network->graph->n_links, "seed", (json_int_t)params->seed,
        "n_seeds", (json_int_t)params->n_seeds, "host_links",
        (int)!params->without_host_links, "rows", rows);
    if (!root || json_array_size(rows) != params->n_rows ||
        !sf_origin_add_json(root, &params->origin)) {
        json_decref(root);
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}

enum sf_status
sf_measurement_write(const char *settings,
                     const struct sf_measurement *measurement, FILE *stream,
                     struct sf_error *err)
{
    bool is_paths = measurement->metrics != NULL;
    json_t *what = is_paths ? json_of_counts(measurement->metrics)
                            : json_of_throughput(&measurement->throughput);
    json_t *root =
        json_pack("{s:s, s:i, s:s, s:o}", "schema", "slimfly.measurement",
                  "schema_version", 1, "settings", settings,
                  is_paths ? "paths" : "throughput", what);
    if (root && is_paths) {
        json_object_set_new(root, "lanes",
                            json_string(measurement->lanes.scheme));
        json_object_set_new(root, "vls",
                            json_integer(measurement->lanes.n_vls));
        json_object_set_new(root, "instead",
                            json_string(measurement->lanes.instead));
    }

    if (!root) {
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    json_dumpf(root, stream, JSON_COMPACT | REALS);
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}

/* The member 'key' of 'object' as a count. */
static uint64_t
read_count(struct sf_json_reader *reader, const json_t *value,
           const char *what)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        sf_json_refuse(reader, "%s: expected a count", what);
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

static void
read_histogram(struct sf_json_reader *reader, const json_t *object,
               const char *key, struct sf_histogram *histogram)
{
    const json_t *bins = sf_json_array(reader, object, key);
    size_t n = json_array_size(bins);

    histogram->bins = sf_calloc(n, sizeof *histogram->bins);
    if (!histogram->bins) {
        sf_json_fail_memory(reader);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *pair = json_array_get(bins, i);
        struct sf_bin *bin = &histogram->bins[i];
        bin->value = read_count(reader, json_array_get(pair, 0), key);
        bin->n = read_count(reader, json_array_get(pair, 1), key);
        if (!bin->n || (i && bin->value <= bin[-1].value)) {
            sf_json_refuse(reader,
                           "%s: expected growing values, each with "
                           "how often it occurs",
                           key);
            return;
        }
        histogram->n_bins++;
    }
}

static struct sf_path_metrics *
read_metrics(struct sf_json_reader *reader, const json_t *object)
{
    struct sf_path_metrics *metrics = sf_calloc(1, sizeof *metrics);

    if (!metrics) {
        sf_json_fail_memory(reader);
        return NULL;
    }
    metrics->n_layers =
        sf_json_number(reader, object, "paths", "n_layers", 1, SF_MAX_LAYERS);
    metrics->is_per_host = json_is_true(json_object_get(object, "per_host"));
    metrics->n_pairs =
        read_count(reader, json_object_get(object, "n_pairs"), "n_pairs");
    metrics->n_incomplete = read_count(
        reader, json_object_get(object, "n_incomplete"), "n_incomplete");
    for (int i = 0; i < SF_N_PATH_METRICS; i++) {
        read_histogram(reader, object, sf_path_metric_names[i],
                       &metrics->by[i]);
    }
    return metrics;
}

static double
read_real(struct sf_json_reader *reader, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_number(value) && !json_is_null(value)) {
        sf_json_refuse(reader, "throughput.%s: expected a number or null",
                       key);
    }
    return json_is_null(value) ? (double)INFINITY : json_number_value(value);
}

static void
read_throughput(struct sf_json_reader *reader, const json_t *object,
                struct sf_throughput *throughput)
{
    const char *method =
        sf_json_text(reader, object, "throughput", "method", 40);

    throughput->lower = read_real(reader, object, "lower");
    throughput->upper = read_real(reader, object, "upper");
    throughput->net_lower = read_real(reader, object, "net_lower");
    throughput->net_upper = read_real(reader, object, "net_upper");
    throughput->host = read_real(reader, object, "host");
    throughput->even = read_real(reader, object, "even");
    throughput->n_paths =
        read_count(reader, json_object_get(object, "n_paths"), "n_paths");
    throughput->n_rounds = sf_json_number(reader, object, "throughput",
                                          "n_rounds", 0, UINT32_MAX);
    int i = 0;
    while (i < SF_METHOD_APPROXIMATION &&
           strcmp(sf_throughput_method_name((enum sf_throughput_method)i),
                  method) != 0) {
        i++;
    }
    throughput->method = (enum sf_throughput_method)i;
    if (strcmp(sf_throughput_method_name(throughput->method), method) != 0) {
        sf_json_refuse(reader, "throughput.method: '%s' is not known here",
                       method);
    }
}

/* Reads a member of 'root' that may be "" and is shorter than a label. */
static void
read_label(struct sf_json_reader *reader, const json_t *root, const char *key,
           char label[SF_COMPARISON_LABEL_SIZE])
{
    const char *text = json_string_value(json_object_get(root, key));

    if (!text || strlen(text) >= SF_COMPARISON_LABEL_SIZE) {
        sf_json_refuse(reader, "%s: expected a text of at most %d bytes", key,
                       SF_COMPARISON_LABEL_SIZE - 1);
        return;
    }
    memcpy(label, text, strlen(text) + 1);
}

static void
read_lanes(struct sf_json_reader *reader, const json_t *root,
           struct sf_lanes_summary *lanes)
{
    read_label(reader, root, "lanes", lanes->scheme);
    read_label(reader, root, "instead", lanes->instead);
    lanes->n_vls = sf_json_number(reader, root, "", "vls", 0, SF_MAX_VLS);
}

static void
read_measurement(struct sf_json_reader *reader, const json_t *root,
                 const char *settings, struct sf_measurement *measurement)
{
    const json_t *paths = json_object_get(root, "paths");

    if (strcmp(sf_json_text(reader, root, "", "schema", 40),
               "slimfly.measurement") != 0) {
        sf_json_refuse(reader, "schema: expected \"slimfly.measurement\"");
        return;
    }
    sf_json_number(reader, root, "", "schema_version", 1, 1);
    if (strcmp(sf_json_text(reader, root, "", "settings", 4096), settings) !=
        0) {
        sf_json_refuse(reader, "settings: those of something else");
        return;
    }
    if (paths) {
        measurement->metrics = read_metrics(reader, paths);
        read_lanes(reader, root, &measurement->lanes);
    } else {
        read_throughput(reader, json_object_get(root, "throughput"),
                        &measurement->throughput);
    }
}

enum sf_status
sf_measurement_parse(const char *text, size_t length, const char *path,
                     const char *settings, struct sf_measurement *measurement,
                     struct sf_error *err)
{
    struct sf_json_reader reader = { .path = path, .err = err };
    json_error_t problem;

    *measurement = (struct sf_measurement){ 0 };
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        return sf_fail(err, SF_EPARSE, "%s: %s", path, problem.text);
    }
    read_measurement(&reader, root, settings, measurement);
    json_decref(root);
    if (reader.status != SF_OK) {
        sf_path_metrics_free(measurement->metrics);
        *measurement = (struct sf_measurement){ 0 };
    }
    return reader.status;
}
