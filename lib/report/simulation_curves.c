/* simulation_curves.c -- figures with one curve a configuration: how rates are
 * distributed, what has arrived over time. */
#include "base/mem.h"
#include "report/figure.h"
#include "report/simulation_lines.h"
#include "report/simulation_writers.h"

#include <math.h>
#include <string.h>

#define MAX_POINTS (SF_SIM_N_STEPS + 1)

/* A figure in the making. */
struct drawing {
    const struct sf_figure *figure; /* Its form. */
    struct sf_sim_lines lines;
    struct sf_sim_unit unit; /* Of times. */
    struct sf_chart_series series[SF_SIM_MAX_LINES];
    struct sf_chart_point points[SF_SIM_MAX_LINES][MAX_POINTS];
};

/* Fills the curve of a run; returns how many points it has. */
typedef uint32_t fill_fn(const struct drawing *drawing,
                         const struct sf_simulation_row *row,
                         struct sf_chart_point points[MAX_POINTS]);

static void
set_point(double x, double y, struct sf_chart_point *point)
{
    point->x = x;
    point->y = y;
}

/* From the lower end of the first bin that is not empty up to the end of the
 * last. */
static uint32_t
fill_rates(const struct drawing *drawing, const struct sf_simulation_row *row,
           struct sf_chart_point points[MAX_POINTS])
{
    const uint64_t *bins = row->result.rates;
    double all = 0, sum = 0;
    uint32_t n = 0;

    (void)drawing;
    for (uint32_t i = 0; i < SF_SIM_N_BINS; i++) {
        all += (double)bins[i];
    }
    for (uint32_t i = 0; i < SF_SIM_N_BINS && sum < all; i++) {
        if (bins[i] && n == 0) {
            set_point(100.0 * i / SF_SIM_N_BINS, 0, &points[n++]);
        }
        sum += (double)bins[i];
        if (n > 0) {
            set_point(100.0 * (i + 1) / SF_SIM_N_BINS, 100 * sum / all,
                      &points[n++]);
        }
    }
    return n;
}

static uint32_t
fill_progress(const struct drawing *drawing,
              const struct sf_simulation_row *row,
              struct sf_chart_point points[MAX_POINTS])
{
    const struct sf_simulation *result = &row->result;
    double step = result->time * drawing->unit.scale / SF_SIM_N_STEPS;

    set_point(0, 0, &points[0]);
    for (uint32_t i = 0; i < SF_SIM_N_STEPS; i++) {
        set_point((i + 1) * step, 100 * result->arrived[i], &points[i + 1]);
    }
    return SF_SIM_N_STEPS + 1;
}

/* Draws the curves of 'fill' between the axes of 'panel'. */
static enum sf_status
draw(struct drawing *drawing, fill_fn *fill, const char *title,
     struct sf_chart_panel *panel, FILE *stream, struct sf_error *err)
{
    struct sf_chart chart = {
        .panels = panel, .n_panels = 1, .panel_width = 620, .panel_height = 360
    };

    for (uint32_t i = 0; i < drawing->lines.n; i++) {
        struct sf_chart_series *series = &drawing->series[i];
        series->name = drawing->lines.names[i];
        series->style = sf_sim_lines_style(i);
        series->points = drawing->points[i];
        series->n_points = fill(drawing, sf_sim_lines_row(&drawing->lines, i),
                                drawing->points[i]);
    }
    panel->series = drawing->series;
    panel->n_series = drawing->lines.n;
    panel->y.has_zero = true;
    panel->y.max = 100;
    sf_sim_lines_title(&drawing->lines, title, &chart);
    return sf_figure_draw(drawing->figure, &chart, stream, err);
}

/* Makes room for a figure of the runs for which 'has' is true. */
static enum sf_status
begin(const struct sf_simulation_table *table,
      bool has(const struct sf_simulation_row *row), struct drawing **drawingp,
      struct sf_error *err)
{
    enum sf_status status = SF_OK;

    *drawingp = sf_calloc(1, sizeof **drawingp);
    if (!*drawingp) {
        return sf_fail(err, SF_ENOMEM, "figure of simulations");
    }
    (*drawingp)->figure = table->figure;
    status = sf_sim_lines_build(table, has, &(*drawingp)->lines, err);
    if (status) {
        free(*drawingp);
        *drawingp = NULL;
    }
    return status;
}

static void
end(struct drawing *drawing)
{
    sf_sim_lines_clear(&drawing->lines);
    free(drawing);
}

enum sf_status
sf_simulation_draw_rates(const struct sf_simulation_table *table, FILE *stream,
                         struct sf_error *err)
{
    struct drawing *drawing;
    enum sf_status status =
        begin(table, sf_simulation_has_rates, &drawing, err);

    if (status) {
        return status;
    }
    bool is_loaded =
        sf_sim_lines_row(&drawing->lines, 0)->params.jobs.load > 0;
    struct sf_chart_panel panel = {
        .x = { .label = "rate, % of the link of a host",
               .has_zero = true,
               .max = 100 },
        .y = { .label = is_loaded ? "hosts with at most this rate, %"
                                  : "messages with at most this rate, %" },
    };
    if (sf_sim_lines_have_loads(&drawing->lines)) {
        snprintf(panel.caption, sizeof panel.caption,
                 "at the highest load of each");
    }
    status = draw(drawing, fill_rates, "Distribution of rates", &panel, stream,
                  err);
    end(drawing);
    return status;
}

enum sf_status
sf_simulation_draw_progress(const struct sf_simulation_table *table,
                            FILE *stream, struct sf_error *err)
{
    struct drawing *drawing;
    char label[SF_CHART_TEXT_SIZE];
    double longest = 0;
    enum sf_status status =
        begin(table, sf_simulation_has_progress, &drawing, err);

    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < drawing->lines.n; i++) {
        longest =
            fmax(longest, sf_sim_lines_row(&drawing->lines, i)->result.time);
    }
    drawing->unit = sf_sim_unit_of(longest);
    snprintf(label, sizeof label, "time, %s", drawing->unit.name);
    struct sf_chart_panel panel = {
        .x = { .label = label, .has_zero = true },
        .y = { .label = "bytes that have come, %" },
    };
    status = draw(drawing, fill_progress,
                  "Progress, by messages that have come as a whole", &panel,
                  stream, err);
    end(drawing);
    return status;
}
