/* survey_data.c -- surveys for programs: JSON, CSV, and the runs as 'slimfly
 * simulate' writes them.  Only the seconds of repairs depend on more than the
 * command and its input. */
#define _GNU_SOURCE
#include "base/json_values.h"
#include "base/mem.h"
#include "base/origin_json.h"
#include "io/csv.h"
#include "report/simulation_writers.h"
#include "report/survey_writers.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static json_t *
json_of_throughputs(const struct sf_survey *survey,
                    const struct sf_survey_network *network)
{
    const struct sf_comparison *comparison = network->comparison;
    const struct sf_comparison_result *result = &comparison->results[0];
    json_t *all = json_array();

    for (uint32_t k = 0; k < survey->params.n_traffics; k++) {
        for (uint32_t s = 0; s < result->n_splits; s++) {
            struct sf_comparison_summary summary =
                sf_comparison_summarize(comparison, 0, s, k);
            json_array_append_new(
                all, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "traffic",
                               survey->params.traffics[k], "split",
                               sf_comparison_split_name(result->splits[s]),
                               "mean", real_or_null(summary.mean), "min",
                               real_or_null(summary.min), "max",
                               real_or_null(summary.max), "gap",
                               real_or_null(summary.gap)));
        }
    }
    return all;
}

static json_t *
json_of_range(const struct sf_failure_range *range)
{
    return range->n ? json_pack("{s:o, s:o, s:o, s:i}", "mean",
                                real_or_null(range->mean), "min",
                                real_or_null(range->min), "max",
                                real_or_null(range->max), "n", (int)range->n)
                    : json_null();
}

static json_t *
json_of_point(const struct sf_failures *failures,
              const struct sf_failure_point *point)
{
    json_t *figures = json_object(), *throughputs = json_array();

    for (enum sf_failure_figure i = 0; i < SF_N_FAILURE_FIGURES; i++) {
        json_object_set_new(figures, sf_failure_figure_name(i),
                            json_of_range(&point->figures[i]));
    }
    for (uint32_t k = 0; k < failures->params.n_traffics; k++) {
        json_array_append_new(
            throughputs,
            json_pack(
                "{s:s, s:s, s:o, s:o}", "traffic",
                failures->params.traffics[k], "split",
                sf_comparison_split_name(failures->splits[0]), "carried",
                json_of_range(sf_failure_throughput(failures, point, 0, k)),
                "left_out", json_of_range(&point->left_out[k])));
    }
    return json_pack("{s:s, s:o, s:i, s:i, s:i, s:i, s:o, s:o}", "kind",
                     sf_failure_kind_name(point->kind), "share",
                     real_or_null(point->share), "runs", (int)point->n_runs,
                     "made_anew", (int)point->n_made_anew, "fallback",
                     (int)point->n_fallback, "disconnected",
                     (int)point->n_disconnected, "figures", figures,
                     "throughput", throughputs);
}

static json_t *
json_of_failures(const struct sf_failures *failures)
{
    if (!failures) {
        return json_null();
    }
    json_t *points = json_array();
    for (uint32_t i = 0; i < failures->n_points; i++) {
        json_array_append_new(points,
                              json_of_point(failures, &failures->points[i]));
    }
    json_t *cuts = json_null();
    if (failures->has_cuts && failures->cuts.has_pairs) {
        uint32_t least = failures->cuts.least_switches;
        cuts = json_pack("{s:o, s:i, s:o}", "links_at_random",
                         json_of_range(&failures->cuts.links), "least_links",
                         (int)failures->cuts.least_links, "least_switches",
                         least == SF_NONE ? json_null() : json_integer(least));
    }
    return json_pack("{s:o, s:o}", "points", points, "cuts", cuts);
}

static json_t *
json_of_load(const struct sf_survey_network *network)
{
    struct sf_survey_saturation known = sf_survey_saturation(network);
    json_t *runs = json_array();

    if (!network->n_runs) {
        json_decref(runs);
        return json_null();
    }
    for (uint32_t i = 0; i < network->n_runs; i++) {
        const struct sf_simulation *result = &network->runs[i].result;
        json_array_append_new(
            runs,
            json_pack("{s:o, s:b, s:o, s:o, s:o}", "load",
                      real_or_null(network->runs[i].load), "taken",
                      (int)(result->is_finished && !result->n_cycle),
                      "throughput", real_or_null(result->throughput),
                      "latency_s", real_or_null(result->latency.mean),
                      "latency_p99_s", real_or_null(result->latency.p99)));
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "taken",
                     real_or_null(known.taken), "refused",
                     real_or_null(known.refused), "accepted_at_full_load",
                     real_or_null(known.accepted), "runs", runs);
}

/* The rows that are of a network alone. */
static json_t *
json_of_figures(const struct sf_survey_rows *rows, uint32_t number)
{
    json_t *figures = json_object();

    for (size_t i = 0; i < rows->n; i++) {
        const struct sf_survey_row *row = &rows->items[i];
        if (!*row->of) {
            json_object_set_new(figures, row->key,
                                row->texts[number]
                                    ? text_or_null(row->texts[number])
                                    : real_or_null(row->values[number]));
        }
    }
    return figures;
}

/* The answers as an array of sentences; NULL if memory ran out. */
static json_t *
json_of_answers(const struct sf_survey *survey)
{
    json_t *answers = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    if (!stream) {
        return NULL;
    }
    sf_survey_write_answers(survey, stream);
    bool is_whole = !ferror(stream);
    if (fclose(stream) == 0 && is_whole) {
        answers = json_array();
    }
    for (const char *at = text; answers && *at;) {
        const char *end = strchrnul(at, '\n');
        json_array_append_new(answers, json_stringn(at, (size_t)(end - at)));
        at = end + (*end == '\n');
    }
    free(text);
    return answers;
}

static json_t *
json_of_network(const struct sf_survey *survey,
                const struct sf_survey_rows *rows, uint32_t number)
{
    const struct sf_survey_network *network = &survey->networks[number];

    return json_pack("{s:o, s:o, s:i, s:o, s:o, s:o, s:o}", "name",
                     text_or_null(network->name), "spec",
                     text_or_null(network->spec), "hosts",
                     (int)network->n_hosts, "figures",
                     json_of_figures(rows, number), "throughput",
                     json_of_throughputs(survey, network), "uniform_load",
                     json_of_load(network), "failures",
                     json_of_failures(network->failures));
}

enum sf_status
sf_survey_write_json(const struct sf_survey_report *report, FILE *stream,
                     struct sf_error *err)
{
    const struct sf_survey *survey = report->survey;
    struct sf_survey_rows rows;
    enum sf_status status = sf_survey_rows_make(survey, &rows, err);

    if (status != SF_OK) {
        free(rows.items);
        return status;
    }
    json_t *answers = json_of_answers(survey);
    json_t *networks = answers ? json_array() : NULL;
    for (uint32_t i = 0; networks && i < survey->n_networks; i++) {
        json_array_append_new(networks, json_of_network(survey, &rows, i));
    }
    free(rows.items);
    if (!networks) {
        json_decref(answers);
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    const struct sf_prices *prices = survey->params.prices;
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:o, s:o, s:o, s:o, s:o}", "schema",
        "slimfly.comparison", "schema_version", 1, "equal",
        sf_survey_equal_name(survey->params.equal), "hosts",
        survey->n_hosts ? json_integer(survey->n_hosts) : json_null(),
        "currency", text_or_null(prices ? prices->currency : NULL), "note",
        text_or_null(report->note), "answers", answers, "networks", networks);
    if (!root || !sf_origin_add_json(root, &report->origin)) {
        json_decref(root);
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}

enum sf_status
sf_survey_write_csv(const struct sf_survey_report *report, FILE *stream,
                    struct sf_error *err)
{
    const struct sf_survey *survey = report->survey;
    struct sf_survey_rows rows;
    enum sf_status status = sf_survey_rows_make(survey, &rows, err);

    if (status == SF_OK) {
        fputs("figure,of,network,value\n", stream);
    }
    for (size_t i = 0; status == SF_OK && i < rows.n; i++) {
        const struct sf_survey_row *row = &rows.items[i];
        for (uint32_t k = 0; k < survey->n_networks; k++) {
            sf_csv_write(row->key, stream);
            fputc(',', stream);
            sf_csv_write(row->of, stream);
            fputc(',', stream);
            sf_csv_write(survey->networks[k].name, stream);
            fputc(',', stream);
            if (row->texts[k]) {
                sf_csv_write(row->texts[k], stream);
            } else if (isfinite(row->values[k])) {
                fprintf(stream, "%.9g", row->values[k]);
            }
            fputc('\n', stream);
        }
    }
    free(rows.items);
    return status;
}

static void
fill_run(const struct sf_survey_network *network,
         const struct sf_survey_run *run, struct sf_simulation_row *row)
{
    *row = (struct sf_simulation_row){
        .name = network->name,
        .routing = network->scheme,
        .lanes = network->lanes,
        .n_layers = network->n_layers,
        .n_vls = network->n_vls,
        .network = network->network,
        .params = run->params,
        .result = run->result,
        .is_done = true,
    };
}

/* Writes the runs; with 'is_curve' those alone that make curves. */
static enum sf_status
write_runs(const struct sf_survey_report *report, bool is_curve,
           sf_simulation_writer *write, FILE *stream, struct sf_error *err)
{
    const struct sf_survey *survey = report->survey;
    size_t n = 0, most = SF_SURVEY_MAX_LOADS + 1;
    struct sf_simulation_row *rows =
        sf_calloc(survey->n_networks * most, sizeof *rows);

    if (!rows) {
        return sf_fail(err, SF_ENOMEM, "out of memory for results");
    }
    for (uint32_t i = 0; i < survey->n_networks; i++) {
        const struct sf_survey_network *network = &survey->networks[i];
        if (!is_curve) {
            fill_run(network, &network->slow, &rows[n++]);
        }
        for (uint32_t k = 0; k < network->n_runs; k++) {
            fill_run(network, &network->runs[k], &rows[n++]);
        }
    }
    struct sf_simulation_table table = { .program = report->origin.program,
                                         .command = report->origin.command,
                                         .figure = report->figure,
                                         .rows = rows,
                                         .n_rows = (uint32_t)n };
    enum sf_status status = write(&table, stream, err);
    free(rows);
    return status;
}

enum sf_status
sf_survey_write_runs_json(const struct sf_survey_report *report, FILE *stream,
                          struct sf_error *err)
{
    return write_runs(report, false, sf_simulation_write_json, stream, err);
}

enum sf_status
sf_survey_draw_latency(const struct sf_survey_report *report, FILE *stream,
                       struct sf_error *err)
{
    return write_runs(report, true, sf_simulation_draw_latency, stream, err);
}
