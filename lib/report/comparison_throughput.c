/* comparison_throughput.c -- throughput over layers: a panel for each traffic,
 * a line for each routing, lines across for what knows no layers. */
#include "base/mem.h"
#include "report/comparison_grid.h"
#include "report/comparison_writers.h"
#include "report/figure.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* How a line is drawn.  The first is for the default scheme. */
static const struct sf_chart_style styles[] = {
    { .color = SF_CHART_BLUE, .mark = 'o', .width = 2.8 },
    { .color = SF_CHART_VERMILION, .mark = 's' },
    { .color = SF_CHART_GREEN, .mark = 't' },
    { .color = SF_CHART_PURPLE, .mark = 'd' },
    { .color = SF_CHART_ORANGE, .mark = 's', .dash = "6 3" },
    { .color = SF_CHART_INK, .mark = 'x' },
    { .color = SF_CHART_SKY, .mark = 'd', .dash = "6 3" },
    { .color = SF_CHART_INK, .mark = '+', .dash = "6 3" },
};

#define N_STYLES (sizeof styles / sizeof *styles)

/* And lines across, one wider than the other, as they often coincide. */
static const struct sf_chart_style limit_styles[] = {
    [SF_THROUGHPUT_HOPS] = { .color = SF_CHART_INK,
                             .dash = "9 4",
                             .width = 1.3 },
    [SF_THROUGHPUT_ANY] = { .color = SF_CHART_GREY,
                            .width = 5,
                            .is_pale = true },
};

/* The figure in the making. */
struct drawing {
    const struct sf_comparison *comparison;
    struct sf_comparison_grid grid;
    uint32_t n_series; /* Of a panel: limits, equal shares, best shares. */
    double ticks[SF_COMPARISON_MAX_LINES];
    struct sf_chart_panel *panels;  /* [n_traffics] */
    struct sf_chart_series *series; /* [n_traffics * n_series] */
    struct sf_chart_point *points;  /* [n_traffics * n_series * n_layers] */
    char equal_names[SF_COMPARISON_MAX_LINES][SF_CHART_TEXT_SIZE];
};

static struct sf_chart_style
style_of(const struct sf_comparison_grid *grid, uint32_t label,
         enum sf_comparison_split split)
{
    struct sf_chart_style style = styles[0];
    uint32_t n_before = 0;

    for (uint32_t i = 0; i < label; i++) {
        n_before += strcmp(grid->labels[i], sf_layer_schemes[0]->name) != 0;
    }
    if (strcmp(grid->labels[label], sf_layer_schemes[0]->name) != 0) {
        style = styles[1 + n_before % (N_STYLES - 1)];
    }
    if (split == SF_SPLIT_EQUAL) {
        style.width = 1;
        style.dash = "1 3";
        style.mark = (char)toupper((unsigned char)style.mark);
    }
    return style;
}

/* A line across, at what a reference reaches. */
static void
fill_limit(const struct drawing *drawing, uint32_t traffic, uint32_t row,
           struct sf_chart_series *series, struct sf_chart_point *points)
{
    const struct sf_comparison_row *reference =
        &drawing->comparison->params.rows[row];

    series->kind = SF_CHART_RULE;
    series->name = reference->label;
    series->style = limit_styles[reference->mode];
    series->points = points;
    series->n_points = 1;
    points->y =
        sf_comparison_summarize(drawing->comparison, row, 0, traffic).mean;
}

/* Those of one mode, as series 'n' and so on; returns the next number. */
static uint32_t
fill_limits(const struct drawing *drawing, uint32_t traffic,
            enum sf_throughput_mode mode, uint32_t n,
            struct sf_chart_series *series, struct sf_chart_point *points)
{
    const struct sf_comparison_params *params = &drawing->comparison->params;

    for (uint32_t row = 0; row < params->n_rows; row++) {
        if (!params->rows[row].n_layers && params->rows[row].mode == mode) {
            fill_limit(drawing, traffic, row, &series[n],
                       points + (size_t)n * drawing->grid.n_layers);
            n++;
        }
    }
    return n;
}

/* The number of 'split' among those of a row; SF_NONE if it is not there. */
static uint32_t
number_of(const struct sf_comparison_result *result,
          enum sf_comparison_split split)
{
    for (uint32_t i = 0; i < result->n_splits; i++) {
        if (result->splits[i] == split) {
            return i;
        }
    }
    return SF_NONE;
}

/* The line of a label, of its points that exist, with the range over seeds.
 * The legend has each label once. */
static void
fill_line(const struct drawing *drawing, uint32_t traffic, uint32_t label,
          enum sf_comparison_split split, struct sf_chart_series *series,
          struct sf_chart_point *points)
{
    const struct sf_comparison_grid *grid = &drawing->grid;
    const struct sf_comparison *comparison = drawing->comparison;
    bool is_second =
        split == SF_SPLIT_EQUAL && !comparison->params.without[SF_SPLIT_BEST];

    series->name = is_second ? NULL : grid->labels[label];
    series->data_name =
        split == SF_SPLIT_EQUAL ? drawing->equal_names[label] : NULL;
    series->style = style_of(grid, label, split);
    series->has_ranges = true;
    series->points = points;
    for (uint32_t i = 0; i < grid->n_layers; i++) {
        uint32_t row = sf_comparison_grid_row(grid, label, i);
        uint32_t number = row == SF_NONE
                              ? SF_NONE
                              : number_of(&comparison->results[row], split);
        if (number != SF_NONE) {
            struct sf_comparison_summary summary =
                sf_comparison_summarize(comparison, row, number, traffic);
            struct sf_chart_point *point = &points[series->n_points++];
            point->x = grid->layers[i];
            point->y = summary.mean;
            point->low = summary.min;
            point->high = summary.max;
            snprintf(point->note, sizeof point->note,
                     "%s, %u layers, %s: %.4f (%.4f to %.4f)",
                     grid->labels[label], grid->layers[i],
                     split == SF_SPLIT_EQUAL ? "equal shares" : "best shares",
                     summary.mean, summary.min, summary.max);
        }
    }
}

static void
fill_panel(struct drawing *drawing, uint32_t traffic)
{
    const struct sf_comparison_params *params = &drawing->comparison->params;
    uint32_t n = 0;
    struct sf_chart_panel *panel = &drawing->panels[traffic];
    struct sf_chart_series *series =
        drawing->series + (size_t)traffic * drawing->n_series;
    struct sf_chart_point *points =
        drawing->points +
        (size_t)traffic * drawing->n_series * drawing->grid.n_layers;

    /* The wide lines below the others, equal shares below the best. */
    n = fill_limits(drawing, traffic, SF_THROUGHPUT_ANY, n, series, points);
    n = fill_limits(drawing, traffic, SF_THROUGHPUT_HOPS, n, series, points);
    for (int split = SF_N_SPLITS; split-- > 0;) {
        for (uint32_t i = 0; i < drawing->grid.n_labels; i++, n++) {
            fill_line(drawing, traffic, i, (enum sf_comparison_split)split,
                      &series[n], points + (size_t)n * drawing->grid.n_layers);
        }
    }
    snprintf(panel->title, sizeof panel->title, "%s",
             params->traffics[traffic]);
    panel->x = (struct sf_chart_axis){ .label = "layers",
                                       .scale = SF_CHART_LOG,
                                       .ticks = drawing->ticks,
                                       .n_ticks = drawing->grid.n_layers };
    panel->y.label = traffic % 3 == 0 ? "throughput" : NULL;
    panel->y.has_zero = true;
    panel->is_spread = true;
    panel->series = series;
    panel->n_series = n;
}

static enum sf_status
fill_panels(struct drawing *drawing, struct sf_error *err)
{
    const struct sf_comparison_params *params = &drawing->comparison->params;
    size_t n = params->n_traffics;

    drawing->n_series = 2 * drawing->grid.n_labels + params->n_rows;
    drawing->panels = sf_calloc(n, sizeof *drawing->panels);
    drawing->series =
        sf_calloc(n * drawing->n_series, sizeof *drawing->series);
    drawing->points = sf_calloc(n * drawing->n_series * drawing->grid.n_layers,
                                sizeof *drawing->points);
    if (!drawing->panels || !drawing->series || !drawing->points) {
        return sf_fail(err, SF_ENOMEM, "figure of %zu traffics", n);
    }
    for (uint32_t i = 0; i < drawing->grid.n_layers; i++) {
        drawing->ticks[i] = drawing->grid.layers[i];
    }
    for (uint32_t i = 0; i < drawing->grid.n_labels; i++) {
        snprintf(drawing->equal_names[i], sizeof drawing->equal_names[i],
                 "%.70s, equal shares", drawing->grid.labels[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        fill_panel(drawing, i);
    }
    return SF_OK;
}

enum sf_status
sf_comparison_draw_throughput(const struct sf_comparison *comparison,
                              FILE *stream, struct sf_error *err)
{
    struct drawing drawing = { .comparison = comparison,
                               .grid =
                                   sf_comparison_grid_of(comparison, false) };
    struct sf_chart chart = { .n_panels = comparison->params.n_traffics };

    if (!drawing.grid.n_layers) {
        return sf_fail(err, SF_EINVAL, "nothing to draw: there is no routing");
    }
    enum sf_status status = fill_panels(&drawing, err);
    if (!status) {
        sf_comparison_title(comparison, "Maximum achievable throughput",
                            &chart);
        if (!comparison->params.without[SF_SPLIT_EQUAL]) {
            snprintf(chart.note, sizeof chart.note,
                     "hollow marks, dotted: the same share on every layer%s",
                     comparison->params.without[SF_SPLIT_BEST]
                         ? ""
                         : "; full marks: the best shares");
        }
        chart.panels = drawing.panels;
        status =
            sf_figure_draw(comparison->params.figure, &chart, stream, err);
    }
    free(drawing.points);
    free(drawing.series);
    free(drawing.panels);
    return status;
}
