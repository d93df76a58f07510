/* simulation_latency.c -- latency over offered load, and what the network
 * takes of it: a line a configuration. */
#include "base/mem.h"
#include "report/figure.h"
#include "report/simulation_lines.h"
#include "report/simulation_writers.h"

#include <math.h>
#include <string.h>

/* The panels. */
enum {
    MEAN,
    P99,
    ACCEPTED,
    N_PANELS,
};

/* The figure in the making. */
struct drawing {
    const struct sf_figure *figure; /* Its form. */
    struct sf_sim_lines lines;
    struct sf_sim_unit unit;
    const struct sf_simulation_row **by_load; /* Of one line. */
    struct sf_chart_point *points;            /* [N_PANELS * rows] */
    size_t n_points;
    struct sf_chart_point diagonal[2];
    char label[SF_CHART_TEXT_SIZE];
    struct sf_chart_series series[N_PANELS][SF_SIM_MAX_LINES + 1];
    struct sf_chart_panel panels[N_PANELS];
};

/* The runs of line 'line' in the order of their loads; returns how many. */
static uint32_t
sort_runs(struct drawing *drawing, uint32_t line)
{
    const struct sf_sim_facts *facts = &drawing->lines.facts;
    uint32_t config = facts->config_of[drawing->lines.rows[line]];
    uint32_t n = 0;

    for (uint32_t i = 0; i < facts->n_rows; i++) {
        const struct sf_simulation_row *row = facts->rows[i];
        uint32_t k = n;
        if (facts->config_of[i] != config || !(row->params.jobs.load > 0)) {
            continue;
        }
        while (k > 0 && drawing->by_load[k - 1]->params.jobs.load >
                            row->params.jobs.load) {
            drawing->by_load[k] = drawing->by_load[k - 1];
            k--;
        }
        drawing->by_load[k] = row;
        n++;
    }
    return n;
}

static double
value_of(const struct drawing *drawing, const struct sf_simulation_row *row,
         int panel)
{
    const struct sf_sim_spread *latency = &row->result.latency;

    if (panel == ACCEPTED) {
        return 100 * row->result.throughput;
    }
    return latency->n ? drawing->unit.scale *
                            (panel == MEAN ? latency->mean : latency->p99)
                      : (double)NAN;
}

static void
fill_point(const struct drawing *drawing, const struct sf_simulation_row *row,
           const char *name, int panel, struct sf_chart_point *point)
{
    char note[2 * SF_FACT_NAME_SIZE];

    point->x = 100 * row->params.jobs.load;
    point->y = value_of(drawing, row, panel);
    snprintf(note, sizeof note, "%.4g %s at %.4g %%%s: %s", point->y,
             panel == ACCEPTED ? "%" : drawing->unit.name, point->x,
             row->result.n_cycle               ? ", deadlock"
             : sf_simulation_is_saturated(row) ? ", saturated"
                                               : "",
             name);
    sf_sim_clean(note, point->note, sizeof point->note);
}

/* Latencies are drawn up to the first load that is too much: behind it they
 * depend on how long the run was. */
static void
fill_line(struct drawing *drawing, uint32_t line, uint32_t n_runs, int panel)
{
    struct sf_chart_series *series = &drawing->series[panel][line];

    series->name = drawing->lines.names[line];
    series->points = drawing->points + drawing->n_points;
    for (uint32_t i = 0; i < n_runs; i++) {
        const struct sf_simulation_row *row = drawing->by_load[i];
        if (panel != ACCEPTED && row->result.n_cycle) {
            break;
        }
        fill_point(drawing, row, series->name, panel,
                   &drawing->points[drawing->n_points++]);
        series->n_points++;
        if (panel != ACCEPTED && sf_simulation_is_saturated(row)) {
            break;
        }
    }
}

/* What a network would take that takes everything. */
static void
fill_diagonal(struct drawing *drawing)
{
    struct sf_chart_series *series =
        &drawing->series[ACCEPTED][drawing->lines.n];

    for (uint32_t i = 0; i < drawing->lines.facts.n_rows; i++) {
        double load = 100 * drawing->lines.facts.rows[i]->params.jobs.load;
        drawing->diagonal[1].x = fmax(drawing->diagonal[1].x, load);
    }
    drawing->diagonal[1].y = drawing->diagonal[1].x;
    series->data_name = "the offered load";
    series->points = drawing->diagonal;
    series->n_points = 2;
    series->style = (struct sf_chart_style){ .color = SF_CHART_GREY,
                                             .dash = "2 3",
                                             .width = 1 };
}

/* Whether all runs go in steps of a packet, so that latencies are hops and
 * waiting in packet times, and not what a clock would show. */
static bool
counts_slots(const struct drawing *drawing)
{
    const struct sf_sim_facts *facts = &drawing->lines.facts;
    bool is_slots = true;

    for (uint32_t i = 0; i < facts->n_rows; i++) {
        const struct sf_simulation_params *params = &facts->rows[i]->params;
        is_slots = is_slots && params->model == SF_SIM_PACKET &&
                   params->timing == SF_SIM_SLOTS;
    }
    return is_slots;
}

static void
fill_panels(struct drawing *drawing)
{
    static const char *const titles[] = { "mean", "99th percentile",
                                          "what arrives" };

    snprintf(drawing->label, sizeof drawing->label, "latency%s, %s",
             counts_slots(drawing) ? " in packet times" : "",
             drawing->unit.name);
    for (int i = 0; i < N_PANELS; i++) {
        struct sf_chart_panel *panel = &drawing->panels[i];
        snprintf(panel->title, sizeof panel->title, "%s", titles[i]);
        panel->x =
            sf_sim_percent_axis("offered load, %", drawing->diagonal[1].x);
        panel->y = (struct sf_chart_axis){ .label = drawing->label,
                                           .scale = SF_CHART_LOG };
        if (i != ACCEPTED && counts_slots(drawing)) {
            snprintf(panel->caption, sizeof panel->caption,
                     "hops and waiting, no delays of switches");
        }
        if (i == ACCEPTED) {
            panel->y =
                sf_sim_percent_axis("throughput, %", drawing->diagonal[1].x);
        }
        panel->series = drawing->series[i];
        panel->n_series = drawing->lines.n + (i == ACCEPTED);
    }
}

/* The unit of the lowest latency. */
static struct sf_sim_unit
choose_unit(const struct sf_sim_facts *facts)
{
    double least = (double)INFINITY;

    for (uint32_t i = 0; i < facts->n_rows; i++) {
        const struct sf_simulation_row *row = facts->rows[i];
        if (sf_simulation_has_latency(row)) {
            least = fmin(least, row->result.latency.mean);
        }
    }
    return sf_sim_unit_of(least);
}

static enum sf_status
draw(struct drawing *drawing, FILE *stream, struct sf_error *err)
{
    const struct sf_sim_facts *facts = &drawing->lines.facts;
    struct sf_chart chart = { .panels = drawing->panels,
                              .n_panels = N_PANELS };

    drawing->by_load = sf_calloc(facts->n_rows, sizeof *drawing->by_load);
    drawing->points =
        sf_calloc((size_t)N_PANELS * facts->n_rows, sizeof *drawing->points);
    if (!drawing->by_load || !drawing->points) {
        return sf_fail(err, SF_ENOMEM, "figure of %u runs", facts->n_rows);
    }
    drawing->unit = choose_unit(facts);
    for (uint32_t line = 0; line < drawing->lines.n; line++) {
        uint32_t n_runs = sort_runs(drawing, line);
        for (int panel = 0; panel < N_PANELS; panel++) {
            fill_line(drawing, line, n_runs, panel);
        }
    }
    fill_diagonal(drawing);
    fill_panels(drawing);
    sf_sim_lines_title(&drawing->lines,
                       "Latency up to the first load that saturates", &chart);
    return sf_figure_draw(drawing->figure, &chart, stream, err);
}

enum sf_status
sf_simulation_draw_latency(const struct sf_simulation_table *table,
                           FILE *stream, struct sf_error *err)
{
    struct drawing *drawing = sf_calloc(1, sizeof *drawing);

    if (!drawing) {
        return sf_fail(err, SF_ENOMEM, "figure of simulations");
    }
    enum sf_status status = sf_sim_lines_build(
        table, sf_simulation_has_latency, &drawing->lines, err);
    if (!status) {
        drawing->figure = table->figure;
        status = draw(drawing, stream, err);
        sf_sim_lines_clear(&drawing->lines);
    }
    free(drawing->points);
    free(drawing->by_load);
    free(drawing);
    return status;
}
