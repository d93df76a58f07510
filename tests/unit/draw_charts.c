/* draw_charts.c -- draws a chart of each kind, and those that are hard to lay
 * out, into a folder: draw_charts DIR.  tests/cli/test_charts.py looks at
 * them.  With a form, draw_charts DIR svg|pdf|csv MM POINTS, as papers need
 * them, for tests/cli/test_paper_charts.py. */
#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS 40
#define MAX_SERIES 12

static struct sf_chart_point points[MAX_SERIES][MAX_POINTS];
static struct sf_chart_series series[MAX_SERIES];
static struct sf_chart_panel panels[4];
static const char *folder;
static struct sf_figure form;
static const struct sf_figure *figure; /* NULL: for screens. */

static const char *const long_names[MAX_SERIES] = {
    "gates, 4 layers, one set of paths, lanes by turns",
    "gates, 4 layers, two sets of paths, lanes by turns",
    "gates, 8 layers, one set of paths, lanes by dfsssp",
    "paper, 4 layers",
    "rues:0.6, 4 layers, seeds 1 to 10",
    "fatpaths, 16 layers",
    "three-level Fat Tree <ft3> & friends",
    "minimal",
    "Dragonfly, minimal paths only, 1 lane",
    "Jellyfish of the same cost, k shortest paths",
    "Xpander of the same cost, k shortest paths, 8 of them",
    "two-dimensional HyperX, dimension order, as wide as a name may be here",
};

/* Starts over: 'n' series of 'n_points' points with nothing in them. */
static void
reset(uint32_t n, uint32_t n_points, enum sf_chart_kind kind)
{
    memset(points, 0, sizeof points);
    memset(series, 0, sizeof series);
    memset(panels, 0, sizeof panels);
    for (uint32_t i = 0; i < n; i++) {
        series[i].name = long_names[i];
        series[i].kind = kind;
        series[i].points = points[i];
        series[i].n_points = n_points;
        for (uint32_t j = 0; j < n_points; j++) {
            points[i][j].x = j;
        }
    }
    panels[0].series = series;
    panels[0].n_series = n;
}

static void
draw(const char *name, struct sf_chart chart)
{
    char path[4096];
    struct sf_error err = { 0 };

    snprintf(path, sizeof path, "%s/%s.%s", folder, name,
             figure ? sf_figure_format_name(form.format) : "svg");
    snprintf(chart.title, sizeof chart.title, "A chart: %s", name);
    chart.panels = panels;
    chart.n_panels = chart.n_panels ? chart.n_panels : 1;
    FILE *stream = fopen(path, "w");
    if (!stream || sf_figure_draw(figure, &chart, stream, &err) ||
        fclose(stream)) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        exit(EXIT_FAILURE);
    }
}

/* Latency over load, which no network carries beyond a point. */
static void
draw_curves(uint32_t n, const char *name, struct sf_chart chart)
{
    reset(n, 20, SF_CHART_LINE);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < 20; j++) {
            double load = (j + 1) / 20.0, most = 0.98 - 0.05 * i;
            points[i][j].x = load;
            points[i][j].y =
                load < most ? 1.2 / (1 - load / most) + 0.1 * i : (double)NAN;
        }
    }
    panels[0].x.label = "offered load";
    panels[0].y.label = "latency, microseconds";
    panels[0].y.max = 20;
    draw(name, chart);
}

static void
draw_few(void)
{
    draw_curves(1, "one", (struct sf_chart){ 0 });
    draw_curves(3, "three", (struct sf_chart){ 0 });
    reset(0, 0, SF_CHART_LINE);
    panels[0].x.label = "offered load";
    panels[0].y.label = "latency";
    draw("none", (struct sf_chart){ 0 });
    reset(2, 3, SF_CHART_LINE);
    for (int i = 0; i < 3; i++) {
        points[0][i].y = points[1][i].y = 0.97;
    }
    panels[0].is_spread = true;
    draw("equal", (struct sf_chart){ 0 });
    reset(1, 1, SF_CHART_POINTS);
    points[0][0].y = 42;
    draw("single", (struct sf_chart){ 0 });
}

static void
draw_many(void)
{
    draw_curves(MAX_SERIES, "many", (struct sf_chart){ 0 });
    draw_curves(MAX_SERIES, "ends",
                (struct sf_chart){ .has_end_labels = true });
}

static void
draw_magnitudes(void)
{
    reset(3, 12, SF_CHART_LINE);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 12; j++) {
            points[i][j].x = exp(j * 1.3);
            points[i][j].y = exp((j - 3) * (i + 1.0));
        }
    }
    points[0][4].y = -1;
    panels[0].x.label = panels[1].x.label = "bytes";
    panels[0].y.label = panels[1].y.label = "microseconds";
    panels[0].x.scale = panels[0].y.scale = SF_CHART_LOG;
    panels[1].series = series;
    panels[1].n_series = 3;
    draw("magnitudes", (struct sf_chart){ .n_panels = 2 });
}

static void
draw_bars(const char *name, bool is_stacked, uint32_t n_names)
{
    reset(3, n_names, SF_CHART_BARS);
    for (uint32_t i = 0; i < 3; i++) {
        series[i].has_ranges = !is_stacked;
        for (uint32_t j = 0; j < n_names; j++) {
            struct sf_chart_point *point = &points[i][j];
            point->y = 10 + 5 * i + j;
            point->low = point->y - 2;
            point->high = point->y + 3;
        }
    }
    panels[0].x = (struct sf_chart_axis){ .scale = SF_CHART_NAMES,
                                          .names = n_names < 5 ? long_names + 5
                                                               : long_names,
                                          .n_ticks = n_names };
    panels[0].y.label = "time";
    panels[0].y.unit = " s";
    panels[0].is_stacked = is_stacked;
    draw(name, (struct sf_chart){ .panel_width = 520 });
}

/* One bar of each series, for which the panel has no name. */
static void
draw_lone_bars(void)
{
    static const char *const nothing[] = { "" };

    reset(3, 1, SF_CHART_BARS);
    for (int i = 0; i < 3; i++) {
        points[i][0].y = 250 + 50 * i;
    }
    panels[0].x = (struct sf_chart_axis){ .scale = SF_CHART_NAMES,
                                          .names = nothing,
                                          .n_ticks = 1 };
    panels[0].y.has_zero = true;
    snprintf(panels[0].title, sizeof panels[0].title, "cost, kUSD");
    draw("lone", (struct sf_chart){ 0 });
}

static void
draw_histogram(void)
{
    reset(1, MAX_POINTS, SF_CHART_BARS);
    for (int i = 0; i < MAX_POINTS; i++) {
        points[0][i].x = 100 + 5 * i;
        points[0][i].y = 100 * exp(-(i - 15) * (i - 15) / 30.0);
    }
    series[0].name = NULL;
    panels[0].bar_width = 5;
    panels[0].x.is_tight = true;
    panels[0].x.label = "paths over a link";
    panels[0].y.unit = " %";
    draw("histogram", (struct sf_chart){ 0 });
}

static void
draw_boxes(void)
{
    reset(2, 5, SF_CHART_BOXES);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 5; j++) {
            struct sf_chart_point *point = &points[i][j];
            point->y = 0.5 + 0.08 * j - 0.1 * i;
            point->lower = point->y - 0.1;
            point->upper = point->y + 0.05;
            point->low = point->y - 0.3;
            point->high = point->y + 0.1;
        }
    }
    panels[0].x.label = "failed links";
    panels[0].x.is_whole = true;
    panels[0].y.label = "rate of a pair";
    panels[0].y.has_zero = true;
    draw("boxes", (struct sf_chart){ 0 });
}

static void
draw_heat(const char *name, uint32_t n, enum sf_chart_scale scale)
{
    double *values = malloc((size_t)n * n * sizeof *values);
    struct sf_chart_heat heat = { .n_rows = n,
                                  .n_columns = n,
                                  .values = values,
                                  .scale = { .label = "rate",
                                             .scale = scale } };

    for (uint32_t i = 0; values && i < n * n; i++) {
        uint32_t row = i / n, column = i % n;
        values[i] = row == column ? (double)NAN
                                  : 1.0 + (row * 7 + column * 3) % 11 * n;
    }
    reset(0, 0, SF_CHART_LINE);
    panels[0].heat = &heat;
    panels[0].x.label = "to switch";
    panels[0].y.label = "from switch";
    if (n == MAX_SERIES) {
        panels[0].x.scale = panels[0].y.scale = SF_CHART_NAMES;
        panels[0].x.names = panels[0].y.names = long_names;
        panels[0].x.n_ticks = panels[0].y.n_ticks = n;
    }
    draw(name, (struct sf_chart){ .panel_width = 360, .panel_height = 360 });
    free(values);
}

static void
draw_grid(void)
{
    static const char *const rows[] = { "gates", "a longer name: rues" };

    reset(4, 10, SF_CHART_LINE);
    for (uint32_t i = 0; i < 4; i++) {
        for (int j = 0; j < 10; j++) {
            points[i][j].y = (i % 2 + 1) * (i + 1.0) * j;
        }
        panels[i].series = &series[i];
        panels[i].n_series = 1;
        panels[i].x.label = "failures";
        panels[i].y.label = "lost pairs";
        snprintf(panels[i].caption, sizeof panels[i].caption, "panel %u", i);
        if (i < 2) {
            snprintf(panels[i].group, sizeof panels[i].group, "both");
            snprintf(panels[i].title, sizeof panels[i].title, "%u layers",
                     1 + i);
        }
        series[i].name = i < 2 ? "links" : "switches";
    }
    draw("grid", (struct sf_chart){ .is_grid = true,
                                    .n_panels = 4,
                                    .n_columns = 2,
                                    .panel_width = 220,
                                    .panel_height = 120,
                                    .row_names = rows,
                                    .note = "Note: below everything." });
}

int
main(int argc, char **argv)
{
    if (argc != 2 && argc != 5) {
        fputs("usage: draw_charts DIR [svg|pdf|csv MM POINTS]\n", stderr);
        return EXIT_FAILURE;
    }
    folder = argv[1];
    if (argc == 5) {
        while (form.format < SF_FIGURE_CSV &&
               strcmp(argv[2], sf_figure_format_name(form.format)) != 0) {
            form.format++;
        }
        form.width = strtod(argv[3], NULL);
        form.text_size = strtod(argv[4], NULL);
        figure = &form;
    }
    draw_few();
    draw_many();
    draw_magnitudes();
    draw_bars("bars", false, 4);
    draw_bars("tilted", false, 8);
    draw_bars("stacked", true, 4);
    draw_lone_bars();
    draw_histogram();
    draw_boxes();
    draw_heat("heat", MAX_SERIES, SF_CHART_LINEAR);
    draw_heat("heat-50", 50, SF_CHART_LINEAR);
    draw_heat("heat-200", 200, SF_CHART_LOG);
    draw_grid();
    return EXIT_SUCCESS;
}
