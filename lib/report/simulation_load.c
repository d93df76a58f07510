/* simulation_load.c -- loads of the links between switches: a map of each
 * configuration, switch by switch, or, of many or large ones, a curve each of
 * links by their load. */
#include "base/mem.h"
#include "report/figure.h"
#include "report/simulation_lines.h"
#include "report/simulation_writers.h"

#include <math.h>
#include <string.h>

#define MAX_MAPS     6
#define MAX_SWITCHES 128 /* Of a map; more have less than two pixels each. */
#define MAX_POINTS   101 /* Of a curve. */

/* The figure in the making. */
struct drawing {
    const struct sf_figure *figure; /* Its form. */
    struct sf_sim_lines lines;
    struct sf_chart_panel panels[MAX_MAPS];
    struct sf_chart_heat heats[MAX_MAPS];
    double *values[MAX_MAPS]; /* Of the maps. */
    double *sorted;           /* Loads of one run. */
    struct sf_chart_series series[SF_SIM_MAX_LINES];
    struct sf_chart_point points[SF_SIM_MAX_LINES][MAX_POINTS];
};

/* Where the load of 'arc' stands in a map; of parallel links the largest is
 * shown. */
static double *
place_of(const struct sf_simulation_row *row, double *values, uint32_t arc)
{
    const struct sf_graph *graph = row->network->graph;

    return &values[(size_t)sf_simulation_from(row, arc) * graph->n_nodes +
                   graph->arcs[arc].to];
}

static enum sf_status
fill_map(struct drawing *drawing, uint32_t number, struct sf_error *err)
{
    const struct sf_simulation_row *row =
        sf_sim_lines_row(&drawing->lines, number);
    struct sf_chart_heat *heat = &drawing->heats[number];
    uint32_t n = row->network->graph->n_nodes;
    double *values = sf_calloc((size_t)n * n, sizeof *values);

    drawing->values[number] = values;
    if (!values) {
        return sf_fail(err, SF_ENOMEM, "map of %u switches", n);
    }
    for (size_t i = 0; i < (size_t)n * n; i++) {
        values[i] = (double)NAN;
    }
    for (uint32_t arc = 0; arc < row->result.n_arcs; arc++) {
        double *place = place_of(row, values, arc);
        *place = fmax(*place, 100 * sf_simulation_load_of(&row->result, arc));
    }
    *heat = (struct sf_chart_heat){ .n_rows = n,
                                    .n_columns = n,
                                    .values = values };
    return SF_OK;
}

/* The highest load of all maps, so that colours mean the same in each. */
static double
highest(const struct sf_sim_lines *lines)
{
    double most = 0;

    for (uint32_t i = 0; i < lines->n; i++) {
        const struct sf_simulation_row *row = sf_sim_lines_row(lines, i);
        most = fmax(most, sf_simulation_links_of(&row->result).max);
    }
    return most > 0 && isfinite(most) ? 100 * most : 1;
}

static enum sf_status
draw_maps(struct drawing *drawing, FILE *stream, struct sf_error *err)
{
    double most = highest(&drawing->lines);
    struct sf_chart chart = { .panels = drawing->panels,
                              .n_panels = drawing->lines.n,
                              .panel_width = 300,
                              .panel_height = 300 };

    for (uint32_t i = 0; i < drawing->lines.n; i++) {
        struct sf_chart_panel *panel = &drawing->panels[i];
        enum sf_status status = fill_map(drawing, i, err);
        if (status) {
            return status;
        }
        drawing->heats[i].scale =
            (struct sf_chart_axis){ .label = "load, %", .max = most };
        sf_sim_clean(drawing->lines.names[i], panel->title,
                     sizeof panel->title);
        panel->x.label = "to switch";
        panel->y.label = "from switch";
        panel->heat = &drawing->heats[i];
    }
    sf_sim_lines_title(&drawing->lines, "Loads of the links between switches",
                       &chart);
    return sf_figure_draw(drawing->figure, &chart, stream, err);
}

static int
compare_falling(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

/* Loads from the highest on, each over the part of links that have as much. */
static enum sf_status
fill_curve(struct drawing *drawing, uint32_t number, struct sf_error *err)
{
    const struct sf_simulation *result =
        &sf_sim_lines_row(&drawing->lines, number)->result;
    struct sf_chart_series *series = &drawing->series[number];
    uint32_t n = result->n_arcs;

    drawing->sorted = sf_calloc(n, sizeof *drawing->sorted);
    if (!drawing->sorted) {
        return sf_fail(err, SF_ENOMEM, "curve of %u links", n);
    }
    for (uint32_t arc = 0; arc < n; arc++) {
        double load = sf_simulation_load_of(result, arc);
        drawing->sorted[arc] = isfinite(load) ? load : 0;
    }
    qsort(drawing->sorted, n, sizeof *drawing->sorted, compare_falling);
    series->n_points = n < MAX_POINTS ? n : MAX_POINTS;
    for (uint32_t i = 0; i < series->n_points; i++) {
        uint32_t last = series->n_points > 1 ? series->n_points - 1 : 1;
        uint32_t k = (uint32_t)((uint64_t)i * (n - 1) / last);
        drawing->points[number][i].x = n > 1 ? 100.0 * k / (n - 1) : 0;
        drawing->points[number][i].y = 100 * drawing->sorted[k];
    }
    free(drawing->sorted);
    drawing->sorted = NULL;
    return SF_OK;
}

static enum sf_status
draw_curves(struct drawing *drawing, FILE *stream, struct sf_error *err)
{
    struct sf_chart_panel *panel = &drawing->panels[0];
    struct sf_chart chart = {
        .panels = panel, .n_panels = 1, .panel_width = 620, .panel_height = 360
    };

    for (uint32_t i = 0; i < drawing->lines.n; i++) {
        enum sf_status status = fill_curve(drawing, i, err);
        if (status) {
            return status;
        }
        drawing->series[i].name = drawing->lines.names[i];
        drawing->series[i].style = sf_sim_lines_style(i);
        drawing->series[i].points = drawing->points[i];
    }
    panel->x = sf_sim_percent_axis("links, the most loaded first, %", 100);
    panel->y =
        sf_sim_percent_axis("load, %", highest(&drawing->lines) * (1 - 1e-9));
    panel->series = drawing->series;
    panel->n_series = drawing->lines.n;
    if (sf_sim_lines_have_loads(&drawing->lines)) {
        snprintf(panel->caption, sizeof panel->caption,
                 "at the highest load of each");
    }
    sf_sim_lines_title(&drawing->lines, "Loads of the links between switches",
                       &chart);
    return sf_figure_draw(drawing->figure, &chart, stream, err);
}

/* Whether there are few and small enough networks for maps. */
static bool
fit_maps(const struct sf_sim_lines *lines)
{
    for (uint32_t i = 0; i < lines->n; i++) {
        if (sf_sim_lines_row(lines, i)->network->graph->n_nodes >
            MAX_SWITCHES) {
            return false;
        }
    }
    return lines->n_found <= MAX_MAPS;
}

enum sf_status
sf_simulation_draw_load(const struct sf_simulation_table *table, FILE *stream,
                        struct sf_error *err)
{
    struct drawing *drawing = sf_calloc(1, sizeof *drawing);

    if (!drawing) {
        return sf_fail(err, SF_ENOMEM, "figure of simulations");
    }
    enum sf_status status = sf_sim_lines_build(table, sf_simulation_has_links,
                                               &drawing->lines, err);
    if (!status) {
        drawing->figure = table->figure;
        status = fit_maps(&drawing->lines) ? draw_maps(drawing, stream, err)
                                           : draw_curves(drawing, stream, err);
        sf_sim_lines_clear(&drawing->lines);
    }
    for (uint32_t i = 0; i < MAX_MAPS; i++) {
        free(drawing->values[i]);
    }
    free(drawing->sorted);
    free(drawing);
    return status;
}
