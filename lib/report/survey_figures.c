/* survey_figures.c -- figures of surveys: a colour a network, the same in all
 * of them. */
#include "base/mem.h"
#include "report/figure.h"
#include "report/survey_writers.h"

#include <math.h>
#include <string.h>

#define MAX_PANELS 8
#define MAX_POINTS 64 /* Of a series. */

/* A figure under construction: each panel has a series for each network. */
struct drawing {
    const struct sf_survey *survey;
    const struct sf_figure *figure;
    struct sf_chart_panel panels[MAX_PANELS];
    struct sf_chart_series series[MAX_PANELS][SF_SURVEY_MAX_NETWORKS];
    struct sf_chart_point points[MAX_PANELS][SF_SURVEY_MAX_NETWORKS]
                                [MAX_POINTS];
    const char *ticks[MAX_POINTS]; /* Names of an axis. */
    uint32_t n_panels;
};

/* A new panel with empty series. */
static struct sf_chart_panel *
add_panel(struct drawing *drawing, enum sf_chart_kind kind, const char *title)
{
    uint32_t number = drawing->n_panels++;
    struct sf_chart_panel *panel = &drawing->panels[number];

    snprintf(panel->title, sizeof panel->title, "%s", title);
    panel->series = drawing->series[number];
    panel->n_series = drawing->survey->n_networks;
    for (uint32_t i = 0; i < panel->n_series; i++) {
        drawing->series[number][i] = (struct sf_chart_series){
            .name = drawing->survey->networks[i].name,
            .kind = kind,
            .points = drawing->points[number][i],
        };
    }
    return panel;
}

/* Says in the last panel that network 'i' has nothing at 'x'. */
static void
add_absent(struct drawing *drawing, uint32_t i, double x, const char *text)
{
    uint32_t number = drawing->n_panels - 1;
    struct sf_chart_series *series = &drawing->series[number][i];

    if (series->n_points < MAX_POINTS) {
        struct sf_chart_point *point =
            &drawing->points[number][i][series->n_points++];
        *point = (struct sf_chart_point){ .x = x, .y = (double)NAN };
        snprintf(point->note, sizeof point->note, "%s", text);
    }
}

/* Adds a point of network 'i' to the last panel. */
static void
add_point(struct drawing *drawing, uint32_t i, double x, double y, double low,
          double high)
{
    uint32_t number = drawing->n_panels - 1;
    struct sf_chart_series *series = &drawing->series[number][i];

    if (series->n_points < MAX_POINTS && !isnan(y)) {
        drawing->points[number][i][series->n_points++] =
            (struct sf_chart_point){
                .x = x, .y = y, .low = low, .high = high
            };
        series->has_ranges = series->has_ranges || high > low;
    }
}

/* 'note' stands below the figure; "": nothing does. */
static enum sf_status
draw(struct drawing *drawing, const char *title, const char *note,
     uint32_t n_columns, double width, FILE *stream, struct sf_error *err)
{
    struct sf_chart chart = { .panels = drawing->panels,
                              .n_panels = drawing->n_panels,
                              .n_columns = n_columns,
                              .panel_width = width };
    char hosts[SF_SURVEY_TEXT_SIZE];

    sf_survey_hosts_text(drawing->survey, hosts);
    snprintf(chart.title, sizeof chart.title, "%s, %s", title, hosts);
    snprintf(chart.note, sizeof chart.note, "%s", note);
    return sf_figure_draw(drawing->figure, &chart, stream, err);
}

static struct drawing *
begin(const struct sf_survey_report *report, struct sf_error *err)
{
    struct drawing *drawing = sf_calloc(1, sizeof *drawing);

    if (!drawing) {
        sf_fail(err, SF_ENOMEM, "out of memory for a figure");
        return NULL;
    }
    drawing->survey = report->survey;
    drawing->figure = report->figure;
    return drawing;
}

/* A panel of one bar a network, of the figure 'key'. */
static void
add_bars(struct drawing *drawing, const struct sf_survey_rows *rows,
         const char *key)
{
    static const char *const nothing[] = { "" };

    for (size_t k = 0; k < rows->n; k++) {
        const struct sf_survey_row *row = &rows->items[k];
        if (strcmp(row->key, key) != 0) {
            continue;
        }
        struct sf_chart_panel *panel =
            add_panel(drawing, SF_CHART_BARS, row->title);
        panel->x = (struct sf_chart_axis){ .scale = SF_CHART_NAMES,
                                           .names = nothing,
                                           .n_ticks = 1 };
        panel->y = (struct sf_chart_axis){ .has_zero = true };
        for (uint32_t i = 0; i < panel->n_series; i++) {
            add_point(drawing, i, 0, row->scale * row->values[i], 0, 0);
        }
    }
}

enum sf_status
sf_survey_draw_costs(const struct sf_survey_report *report, FILE *stream,
                     struct sf_error *err)
{
    static const char *const keys[] = { "cost",           "watts",
                                        "switches",       "cables",
                                        "optical_cables", "cable_metres",
                                        "hosts",          "cost_per_host" };
    size_t n_keys = sizeof keys / sizeof *keys;
    struct sf_survey_rows rows;
    struct drawing *drawing = begin(report, err);

    if (!drawing) {
        return SF_ENOMEM;
    }
    enum sf_status status = sf_survey_rows_make(report->survey, &rows, err);
    if (report->survey->n_hosts) {
        n_keys -= 2; /* The last are for networks that differ in hosts. */
    }
    for (size_t i = 0; status == SF_OK && i < n_keys; i++) {
        add_bars(drawing, &rows, keys[i]);
    }
    if (status == SF_OK) {
        status =
            draw(drawing, "Cost, power and parts", "", 3, 220, stream, err);
    }
    free(rows.items);
    free(drawing);
    return status;
}

static void
add_throughputs(struct drawing *drawing, enum sf_comparison_split split)
{
    const struct sf_survey *survey = drawing->survey;
    uint32_t n = survey->params.n_traffics;
    struct sf_chart_panel *panel =
        add_panel(drawing, SF_CHART_BARS,
                  split == SF_SPLIT_EQUAL ? "equal shares over the layers"
                                          : "best shares over the layers");
    bool by_cost = survey->params.equal == SF_SURVEY_EQUAL_COST;

    n = n < MAX_POINTS ? n : MAX_POINTS;
    for (uint32_t k = 0; k < n; k++) {
        drawing->ticks[k] = survey->params.traffics[k];
        for (uint32_t i = 0; i < panel->n_series; i++) {
            const struct sf_survey_network *network = &survey->networks[i];
            double y = sf_survey_worth(
                survey, network, sf_survey_throughput(network, split, k));
            add_point(drawing, i, k, by_cost ? y : 100 * y, 0, 0);
        }
    }
    panel->x = (struct sf_chart_axis){ .scale = SF_CHART_NAMES,
                                       .names = drawing->ticks,
                                       .n_ticks = n };
    panel->y = (struct sf_chart_axis){
        .label = by_cost ? "hosts at full rate for a million of cost"
                         : "throughput, % of the hosts' rate",
        .has_zero = true
    };
}

enum sf_status
sf_survey_draw_throughput(const struct sf_survey_report *report, FILE *stream,
                          struct sf_error *err)
{
    struct drawing *drawing = begin(report, err);

    if (!drawing) {
        return SF_ENOMEM;
    }
    add_throughputs(drawing, SF_SPLIT_EQUAL);
    add_throughputs(drawing, SF_SPLIT_BEST);
    double width = 170.0 * report->survey->params.n_traffics;
    enum sf_status status = draw(drawing, "Throughput", "", 1,
                                 fmin(fmax(width, 310), 1200), stream, err);
    free(drawing);
    return status;
}

/* What panels show of failures; SF_N_FAILURE_FIGURES stands for the first
 * traffic. */
static const struct {
    enum sf_failure_figure figure;
    const char *title, *label;
    double scale;
} panels[] = {
    { SF_N_FAILURE_FIGURES, "throughput", "% of the rate of hosts left", 100 },
    { SF_FAILURE_REACHED, "hosts that reach each other", "% of pairs", 100 },
    { SF_FAILURE_LONGEST, "longest path", "hops", 1 },
    { SF_FAILURE_LOAD, "busiest link, all to all", "rates of a host", 1 },
    { SF_FAILURE_CHANGED_SHARE, "what a repair changes", "% of entries", 100 },
    { SF_FAILURE_SECONDS, "what a repair takes", "CPU seconds", 1 },
};
#define N_PANELS (sizeof panels / sizeof *panels)

/* What is not seen from the labels. */
#define FAILED_NOTE                                                       \
    "Throughput: of hosts that are left and of traffic that still has a " \
    "path, with equal shares over the layers."

/* The range of panel 'k' at a point; n is 0: there is none. */
static struct sf_failure_range
range_of(const struct sf_survey_network *network,
         const struct sf_failure_point *point, size_t k)
{
    struct sf_failure_range none = { 0 };

    if (!point) {
        return none;
    }
    if (panels[k].figure != SF_N_FAILURE_FIGURES) {
        return point->figures[panels[k].figure];
    }
    return network->failures->params.n_traffics
               ? *sf_failure_throughput(network->failures, point, 0, 0)
               : none;
}

/* Adds what network 'i' has in panel 'k' after a failure.  What is missing as
 * nothing is left is not 0: a bar has words in its place, and lines end. */
static void
add_failed(struct drawing *drawing, uint32_t i, enum sf_failure_kind kind,
           double share, double x, size_t k)
{
    const struct sf_survey_network *network = &drawing->survey->networks[i];
    const struct sf_failure_point *point =
        sf_survey_point(network, kind, share);
    struct sf_failure_range range = range_of(network, point, k);

    if (!range.n && network->failures && kind != SF_FAILURE_NONE) {
        add_absent(drawing, i, x, point ? "none left" : "has none");
    }
    if (range.n) {
        double scale = panels[k].scale;
        add_point(drawing, i, x, scale * range.mean, scale * range.min,
                  scale * range.max);
    }
}

/* Ends the last panel: it is left out if no network has a value in it.  Lines
 * that end get a word. */
static void
end_panel(struct drawing *drawing)
{
    uint32_t number = drawing->n_panels - 1;
    struct sf_chart_panel *panel = &drawing->panels[number];
    bool has_some = false, has_ends = false;

    for (uint32_t i = 0; i < panel->n_series; i++) {
        const struct sf_chart_series *series = &panel->series[i];
        for (uint32_t j = 0; j < series->n_points; j++) {
            bool has_value = !isnan(series->points[j].y);
            has_some = has_some || has_value;
            has_ends =
                has_ends || (!has_value && series->kind == SF_CHART_LINE);
        }
    }
    if (has_ends) {
        snprintf(panel->caption, sizeof panel->caption,
                 "none left where a line ends");
    }
    drawing->n_panels -= !has_some;
}

/* Lets the axis of hosts that reach each other end at 100 %, and begin where
 * the data are told apart. */
static void
fit_percents(struct sf_chart_panel *panel, size_t k)
{
    double least = 100;

    if (panels[k].figure != SF_FAILURE_REACHED) {
        return;
    }
    for (uint32_t i = 0; i < panel->n_series; i++) {
        const struct sf_chart_series *series = &panel->series[i];
        for (uint32_t j = 0; j < series->n_points; j++) {
            if (!isnan(series->points[j].y)) {
                least = fmin(least, series->points[j].low);
            }
        }
    }
    panel->y.has_zero = false;
    panel->y.min = fmax(0, 100 - fmax(10, 10 * ceil((100 - least) / 10)));
    panel->y.max = 100;
}

/* Names the traffic of a panel that shows one. */
static void
name_traffic(const struct drawing *drawing, struct sf_chart_panel *panel,
             size_t k)
{
    const char *traffic = sf_survey_failed_traffic(drawing->survey);

    if (panels[k].figure == SF_N_FAILURE_FIGURES && traffic) {
        snprintf(panel->title, sizeof panel->title, "%s of %.60s",
                 panels[k].title, traffic);
    }
}

static enum sf_status
draw_shares(const struct sf_survey_report *report, enum sf_failure_kind kind,
            const char *title, const char *label, FILE *stream,
            struct sf_error *err)
{
    const struct sf_survey_params *params = &report->survey->params;
    double most = 100 * params->shares[params->n_shares - 1];
    struct drawing *drawing = begin(report, err);

    if (!drawing) {
        return SF_ENOMEM;
    }
    for (size_t k = 0; k < N_PANELS; k++) {
        struct sf_chart_panel *panel =
            add_panel(drawing, SF_CHART_LINE, panels[k].title);
        name_traffic(drawing, panel, k);
        /* Room for points that stand aside at both ends. */
        panel->x = (struct sf_chart_axis){ .label = label,
                                           .min = -0.03 * most,
                                           .max = 1.03 * most };
        panel->y = (struct sf_chart_axis){ .label = panels[k].label,
                                           .has_zero = true };
        panel->is_spread = true;
        for (uint32_t i = 0; i < panel->n_series; i++) {
            add_failed(drawing, i, SF_FAILURE_NONE, 0, 0, k);
            for (uint32_t j = 0; j < params->n_shares; j++) {
                add_failed(drawing, i, kind, params->shares[j],
                           100 * params->shares[j], k);
            }
        }
        fit_percents(panel, k);
        end_panel(drawing);
    }
    enum sf_status status =
        draw(drawing, title, FAILED_NOTE, 3, 0, stream, err);
    free(drawing);
    return status;
}

enum sf_status
sf_survey_draw_links(const struct sf_survey_report *report, FILE *stream,
                     struct sf_error *err)
{
    return draw_shares(report, SF_FAILURE_LINKS,
                       "What is left after links fail and routes are repaired",
                       "links that fail, %", stream, err);
}

enum sf_status
sf_survey_draw_switches(const struct sf_survey_report *report, FILE *stream,
                        struct sf_error *err)
{
    return draw_shares(report, SF_FAILURE_SWITCHES,
                       "What is left after switches fail and routes are "
                       "repaired",
                       "switches that fail, %", stream, err);
}

enum sf_status
sf_survey_draw_parts(const struct sf_survey_report *report, FILE *stream,
                     struct sf_error *err)
{
    static const struct {
        enum sf_failure_kind kind;
        const char *name;
    } parts[] = {
        { SF_FAILURE_NONE, "nothing" },
        { SF_FAILURE_RACK, "a rack" },
        { SF_FAILURE_BUNDLE, "a bundle" },
    };
    enum sf_failure_kind kinds[sizeof parts / sizeof *parts];
    const char *names[sizeof parts / sizeof *parts];
    uint32_t n_kinds = 0;
    struct drawing *drawing = begin(report, err);

    if (!drawing) {
        return SF_ENOMEM;
    }
    for (size_t j = 0; j < sizeof parts / sizeof *parts; j++) {
        if (sf_survey_has_kind(report->survey, parts[j].kind)) {
            kinds[n_kinds] = parts[j].kind;
            names[n_kinds++] = parts[j].name;
        }
    }
    for (size_t k = 0; k < N_PANELS; k++) {
        struct sf_chart_panel *panel =
            add_panel(drawing, SF_CHART_BARS, panels[k].title);
        name_traffic(drawing, panel, k);
        panel->x = (struct sf_chart_axis){ .scale = SF_CHART_NAMES,
                                           .label = "what fails",
                                           .names = names,
                                           .n_ticks = n_kinds };
        panel->y = (struct sf_chart_axis){ .label = panels[k].label,
                                           .has_zero = true };
        for (uint32_t i = 0; i < panel->n_series; i++) {
            for (uint32_t j = 0; j < n_kinds; j++) {
                add_failed(drawing, i, kinds[j], 0, j, k);
            }
        }
        end_panel(drawing);
    }
    enum sf_status status =
        draw(drawing, "What is left without a rack or a bundle of cables",
             FAILED_NOTE, 3, 0, stream, err);
    free(drawing);
    return status;
}
