/* comparison_histograms.c -- figures of paths: histograms in a grid, a row for
 * each routing and a column for each number of layers, all with the same axes,
 * so that the eye goes along and down. */
#include "base/mem.h"
#include "report/comparison_grid.h"
#include "report/comparison_writers.h"
#include "report/figure.h"

#include <math.h>

#define GRID_WIDTH 1050.0
#define MAX_PANEL  244.0
#define GAP        16.0

/* One histogram in the making. */
struct cell {
    const struct sf_comparison_grid *grid;
    const struct sf_path_metrics *metrics; /* NULL: there are none. */
    uint32_t column;                       /* A number of layers, */
    bool is_second;                        /* of the second group. */
    struct sf_chart_panel *panel;
    struct sf_chart_series *series; /* [2] Pale bars and strong ones. */
    struct sf_chart_point **pointsp;
};

/* A figure: what goes into each cell. */
struct figure {
    const char *title;
    uint32_t n_groups; /* Of columns. */
    enum sf_status (*fill)(const struct cell *cell, struct sf_error *err);
};

/* A figure in the making. */
struct drawing {
    struct sf_comparison_grid grid;
    uint32_t n_columns, n_panels;
    struct sf_chart_panel *panels;  /* [n_panels] */
    struct sf_chart_series *series; /* [2 * n_panels] */
    struct sf_chart_point **points; /* [n_panels] */
};

static const struct sf_path_metrics *
metrics_of(const struct sf_comparison_grid *grid, uint32_t label,
           uint32_t column)
{
    uint32_t row = sf_comparison_grid_row(grid, label, column);
    return row == SF_NONE ? NULL : grid->comparison->results[row].metrics;
}

/* Adds the bars of 'histogram', whose values are divided by 'scale' and fall
 * into bins around 'first' + i * 'step'; those below 'strong_from' are pale.
 */
static enum sf_status
add_bars(const struct cell *cell, const struct sf_histogram *histogram,
         double scale, double first, double step, double strong_from,
         struct sf_error *err)
{
    double all = (double)sf_histogram_count(histogram);
    struct sf_chart_point *points =
        sf_calloc(histogram->n_bins, sizeof *points);
    struct sf_chart_series *pale = &cell->series[0], *strong = pale + 1;
    uint32_t n = 0;

    *cell->pointsp = points;
    if (!points) {
        return sf_fail(err, SF_ENOMEM, "histogram of %u bins",
                       histogram->n_bins);
    }
    for (uint32_t i = 0; i < histogram->n_bins; i++) {
        double value = (double)histogram->bins[i].value / scale;
        double at = first + floor((value - first) / step + 0.5) * step;
        if (n == 0 || points[n - 1].x != at) {
            points[n++].x = at;
            pale->n_points += at < strong_from;
        }
        points[n - 1].y += 100 * (double)histogram->bins[i].n / all;
    }
    for (uint32_t i = 0; i < n; i++) {
        snprintf(points[i].note, sizeof points[i].note, "%.4g: %.1f %%",
                 points[i].x, points[i].y);
    }
    pale->points = points;
    strong->points = points + pale->n_points;
    strong->n_points = n - pale->n_points;
    cell->panel->bar_width = step;
    return SF_OK;
}

/* The greatest value in all cells; lengths are averages if of totals. */
static double
most_in_grid(const struct sf_comparison_grid *grid, enum sf_path_metric which)
{
    double most = 0;

    for (uint32_t i = 0; i < grid->n_labels * grid->n_layers; i++) {
        const struct sf_path_metrics *metrics =
            metrics_of(grid, i / grid->n_layers, i % grid->n_layers);
        if (metrics) {
            double scale = which == SF_PATH_TOTALS ? metrics->n_layers : 1;
            double here = (double)sf_histogram_max(&metrics->by[which]);
            most = fmax(most, here / scale);
        }
    }
    return most;
}

static enum sf_status
fill_average(const struct cell *cell, struct sf_error *err)
{
    const struct sf_path_metrics *metrics = cell->metrics;
    struct sf_chart_panel *panel = cell->panel;

    panel->x.label = "hops, pairs within a quarter of a hop";
    panel->x.max = ceil(most_in_grid(cell->grid, SF_PATH_TOTALS)) + 0.6;
    snprintf(panel->group, sizeof panel->group, "average over the layers");
    if (!metrics) {
        return SF_OK;
    }
    snprintf(panel->caption, sizeof panel->caption, "mean %.2f",
             sf_histogram_mean(&metrics->by[SF_PATH_HOPS]));
    return add_bars(cell, &metrics->by[SF_PATH_TOTALS], metrics->n_layers, 1,
                    0.5, 0, err);
}

static enum sf_status
fill_longest(const struct cell *cell, struct sf_error *err)
{
    const struct sf_path_metrics *metrics = cell->metrics;
    struct sf_chart_panel *panel = cell->panel;

    panel->x.label = "hops";
    panel->x.max = most_in_grid(cell->grid, SF_PATH_LONGEST) + 0.6;
    snprintf(panel->group, sizeof panel->group, "longest path of all layers");
    if (!metrics) {
        return SF_OK;
    }
    snprintf(panel->caption, sizeof panel->caption, "most %.0f",
             (double)sf_histogram_max(&metrics->by[SF_PATH_HOPS]));
    return add_bars(cell, &metrics->by[SF_PATH_LONGEST], 1, 1, 1, 0, err);
}

static enum sf_status
fill_lengths(const struct cell *cell, struct sf_error *err)
{
    cell->panel->x.min = 0.4;
    return cell->is_second ? fill_longest(cell, err) : fill_average(cell, err);
}

/* What the numbers of paths over links of a column lie between. */
static void
find_load_range(const struct sf_comparison_grid *grid, uint32_t column,
                double *minp, double *maxp)
{
    *minp = (double)INFINITY;
    *maxp = 0;
    for (uint32_t i = 0; i < grid->n_labels; i++) {
        const struct sf_path_metrics *metrics = metrics_of(grid, i, column);
        if (metrics) {
            const struct sf_histogram *loads = &metrics->by[SF_PATH_LOADS];
            *minp = fmin(*minp, (double)sf_histogram_min(loads));
            *maxp = fmax(*maxp, (double)sf_histogram_max(loads));
        }
    }
}

static enum sf_status
fill_links(const struct cell *cell, struct sf_error *err)
{
    struct sf_chart_panel *panel = cell->panel;
    double min, max;

    find_load_range(cell->grid, cell->column, &min, &max);
    double step = fmax(sf_chart_round((max - min) / 24 + 1e-9, false), 1);
    double first = floor(min / step) * step;
    double aside = fmax(step, (8 * step - (max - first)) / 2);
    panel->x.label = "paths over a direction of a link";
    panel->x.min = fmax(first - aside, -step / 2);
    panel->x.max = fmax(max, first) + aside;
    snprintf(panel->group, sizeof panel->group, "share of link directions");
    if (!cell->metrics) {
        return SF_OK;
    }
    const struct sf_histogram *loads = &cell->metrics->by[SF_PATH_LOADS];
    snprintf(panel->caption, sizeof panel->caption, "%llu–%llu, varies %.3f",
             (unsigned long long)sf_histogram_min(loads),
             (unsigned long long)sf_histogram_max(loads),
             sf_histogram_variation(loads));
    return add_bars(cell, loads, 1, first, step, 0, err);
}

static enum sf_status
fill_disjoint(const struct cell *cell, struct sf_error *err)
{
    struct sf_chart_panel *panel = cell->panel;

    panel->x.label = "disjoint paths";
    panel->x.min = 0.4;
    panel->x.max = fmax(most_in_grid(cell->grid, SF_PATH_DISJOINT), 3) + 0.6;
    snprintf(panel->group, sizeof panel->group,
             "share of pairs; dark: 3 or more");
    if (!cell->metrics) {
        return SF_OK;
    }
    snprintf(panel->caption, sizeof panel->caption, "3 or more: %.1f %%",
             100 * sf_comparison_share(cell->metrics, 3));
    return add_bars(cell, &cell->metrics->by[SF_PATH_DISJOINT], 1, 1, 1, 3,
                    err);
}

/* The panel of a cell, but for its bars. */
static struct cell
begin_cell(struct drawing *drawing, uint32_t label, uint32_t at)
{
    const struct sf_comparison_grid *grid = &drawing->grid;
    uint32_t i = label * drawing->n_columns + at;
    uint32_t column = at < grid->n_layers ? at : at - grid->n_layers;
    struct sf_chart_panel *panel = &drawing->panels[i];
    struct sf_chart_series *series = &drawing->series[2 * i];

    for (int k = 0; k < 2; k++) {
        series[k].kind = SF_CHART_BARS;
        series[k].style.color = SF_CHART_BLUE;
        series[k].style.is_pale = k == 0;
    }
    panel->series = series;
    panel->n_series = 2;
    panel->is_stacked = true;
    panel->x.is_whole = true;
    panel->y.unit = " %";
    panel->y.max = 100;
    if (label == 0) {
        snprintf(panel->title, sizeof panel->title, "%u layer%s",
                 grid->layers[column], grid->layers[column] > 1 ? "s" : "");
    }
    return (struct cell){ .grid = grid,
                          .metrics = metrics_of(grid, label, column),
                          .column = column,
                          .is_second = at >= grid->n_layers,
                          .panel = panel,
                          .series = series,
                          .pointsp = &drawing->points[i] };
}

static enum sf_status
fill_cells(const struct figure *figure, struct drawing *drawing,
           struct sf_error *err)
{
    enum sf_status status = SF_OK;

    drawing->panels = sf_calloc(drawing->n_panels, sizeof *drawing->panels);
    drawing->series =
        sf_calloc(2 * (size_t)drawing->n_panels, sizeof *drawing->series);
    drawing->points = sf_calloc(drawing->n_panels, sizeof *drawing->points);
    if (!drawing->panels || !drawing->series || !drawing->points) {
        return sf_fail(err, SF_ENOMEM, "figure of %u histograms",
                       drawing->n_panels);
    }
    for (uint32_t label = 0; label < drawing->grid.n_labels; label++) {
        for (uint32_t at = 0; !status && at < drawing->n_columns; at++) {
            struct cell cell = begin_cell(drawing, label, at);
            status = figure->fill(&cell, err);
            if (label > 0) {
                *cell.panel->group = '\0';
            }
        }
    }
    return status;
}

static void
clear(struct drawing *drawing)
{
    for (uint32_t i = 0; drawing->points && i < drawing->n_panels; i++) {
        free(drawing->points[i]);
    }
    free(drawing->points);
    free(drawing->series);
    free(drawing->panels);
}

/* Draws 'figure' of a comparison none of whose rows has paths. */
static enum sf_status
draw_empty(const struct figure *figure, const struct sf_comparison *comparison,
           FILE *stream, struct sf_error *err)
{
    static const struct sf_chart_panel panel = { .title = "no paths" };
    struct sf_chart chart = { .panels = &panel, .n_panels = 1 };

    sf_comparison_title(comparison, figure->title, &chart);
    return sf_figure_draw(comparison->params.figure, &chart, stream, err);
}

static enum sf_status
draw(const struct figure *figure, const struct sf_comparison *comparison,
     FILE *stream, struct sf_error *err)
{
    struct drawing drawing = { .grid =
                                   sf_comparison_grid_of(comparison, true) };
    struct sf_chart chart = { .is_grid = true, .panel_height = 62 };

    if (!drawing.grid.n_layers) {
        return draw_empty(figure, comparison, stream, err);
    }
    drawing.n_columns = figure->n_groups * drawing.grid.n_layers;
    drawing.n_panels = drawing.n_columns * drawing.grid.n_labels;
    enum sf_status status = fill_cells(figure, &drawing, err);
    if (!status) {
        sf_comparison_title(comparison, figure->title, &chart);
        chart.panels = drawing.panels;
        chart.n_panels = drawing.n_panels;
        chart.n_columns = drawing.n_columns;
        chart.row_names = drawing.grid.labels;
        chart.panel_width =
            fmin(GRID_WIDTH / drawing.n_columns - GAP, MAX_PANEL);
        status =
            sf_figure_draw(comparison->params.figure, &chart, stream, err);
    }
    clear(&drawing);
    return status;
}

enum sf_status
sf_comparison_draw_lengths(const struct sf_comparison *comparison,
                           FILE *stream, struct sf_error *err)
{
    static const struct figure figure = { "Path lengths of pairs", 2,
                                          fill_lengths };
    return draw(&figure, comparison, stream, err);
}

enum sf_status
sf_comparison_draw_links(const struct sf_comparison *comparison, FILE *stream,
                         struct sf_error *err)
{
    static const struct figure figure = {
        "Paths over each direction of a link", 1, fill_links
    };
    return draw(&figure, comparison, stream, err);
}

enum sf_status
sf_comparison_draw_disjoint(const struct sf_comparison *comparison,
                            FILE *stream, struct sf_error *err)
{
    static const struct figure figure = { "Link-disjoint paths of pairs", 1,
                                          fill_disjoint };
    return draw(&figure, comparison, stream, err);
}
