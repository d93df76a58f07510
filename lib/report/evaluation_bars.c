/* evaluation_bars.c -- figures of evaluations with bars: eBB, training,
 * proxies. */
#include "base/mem.h"
#include "report/chart_parts.h"
#include "report/evaluation_parts.h"
#include "report/figure.h"

#include <math.h>
#include <string.h>

#define MAX_PANELS 24

/* A figure under construction; a panel is a kind, a placement and queues. */
struct bars {
    const struct sf_evaluation *ev;
    struct sf_evaluation_line lines[SF_EVAL_MAX_LINES];
    uint32_t n_lines;
    struct sf_chart_panel panels[MAX_PANELS];
    uint32_t n_panels;
    struct sf_chart_series *series; /* [MAX_PANELS * SF_EVAL_MAX_LINES] */
    struct sf_chart_point *points;  /* [those * SF_EVAL_MAX_NODES] */
    char names[MAX_PANELS][SF_EVAL_MAX_NODES][16];
    const char *ticks[MAX_PANELS][SF_EVAL_MAX_NODES];
    bool is_relative; /* Speed in % of the reference; else the figure. */
};

static enum sf_chart_color
color_of(const struct sf_evaluation_line *line, uint32_t number)
{
    static const enum sf_chart_color colors[SF_N_EVAL_GROUPS] = {
        SF_CHART_GREY, SF_CHART_SKY, SF_CHART_VERMILION, SF_CHART_BLUE,
        SF_CHART_GREEN
    };
    return line->network <= 1 ? colors[line->group]
                              : 1 + number % (SF_N_CHART_COLORS - 1);
}

/* The bar of one line with one number of nodes. */
static struct sf_chart_point
point_of(const struct bars *bars, const struct sf_evaluation_line *line,
         enum sf_eval_placement placement, struct sf_eval_at at)
{
    const struct sf_evaluation *ev = bars->ev;
    struct sf_eval_cell cell =
        sf_evaluation_line_cell(ev, line, placement, at);
    struct sf_eval_cell than = sf_evaluation_reference(ev, placement, at);
    struct sf_chart_point point = { .x = at.node, .y = (double)NAN };
    double gain = sf_evaluation_gain(ev, &cell, &than);

    if (!cell.n || (bars->is_relative && isnan(gain))) {
        return point;
    }
    double part = cell.mean > 0 ? cell.sd / cell.mean : 0;
    point.y = 100 * (bars->is_relative ? 1 + gain : cell.mean);
    point.low = point.y * (1 - part);
    point.high = point.y * (1 + part);
    snprintf(point.note, sizeof point.note, "%s, %u nodes: %.1f %%; %s; %s",
             line->name, sf_evaluation_nodes(ev, at.kind, at.node), point.y,
             sf_evaluation_series(ev, cell.series)->label,
             sf_eval_how_name(cell.how));
    return point;
}

static void
add_line(struct bars *bars, const struct sf_evaluation_line *line,
         uint32_t number, enum sf_eval_placement placement,
         struct sf_eval_at at, struct sf_chart_panel *panel)
{
    uint32_t slot = (bars->n_panels * SF_EVAL_MAX_LINES + panel->n_series);
    struct sf_chart_point *points = &bars->points[slot * SF_EVAL_MAX_NODES];
    uint32_t n = sf_evaluation_n_nodes(bars->ev, at.kind);

    for (at.node = 0; at.node < n; at.node++) {
        points[at.node] = point_of(bars, line, placement, at);
    }
    bars->series[slot] = (struct sf_chart_series){
        .name = line->name,
        .kind = SF_CHART_BARS,
        .n_points = n,
        .points = points,
        .style.color = color_of(line, number),
        .has_ranges = true,
    };
    panel->n_series++;
}

static void
add_panel(struct bars *bars, uint32_t kind, enum sf_eval_placement placement,
          enum sf_sim_queues queues)
{
    const struct sf_evaluation *ev = bars->ev;
    uint32_t number = bars->n_panels;
    struct sf_chart_panel *panel = &bars->panels[number];
    uint32_t n = sf_evaluation_n_nodes(ev, kind);
    bool is_flow = sf_eval_kinds[kind].method == SF_EVAL_BY_FLOW;

    *panel = (struct sf_chart_panel){
        .x = { .scale = SF_CHART_NAMES,
               .label = "nodes",
               .names = bars->ticks[number],
               .n_ticks = n },
        .y = { .label = bars->is_relative ? "speed, % of the reference"
                                          : "% of a host's link",
               .has_zero = true },
        .series = &bars->series[number * SF_EVAL_MAX_LINES],
    };
    snprintf(panel->title, sizeof panel->title, "%s, %s placement%s%s",
             sf_eval_kinds[kind].title, sf_eval_placement_name(placement),
             is_flow ? "" : ", ", is_flow ? "" : sf_sim_queues_name(queues));
    for (uint32_t i = 0; i < n; i++) {
        snprintf(bars->names[number][i], sizeof bars->names[number][i], "%u",
                 sf_evaluation_nodes(ev, kind, i));
        bars->ticks[number][i] = bars->names[number][i];
    }
    for (uint32_t i = 0; i < bars->n_lines; i++) {
        struct sf_eval_at at = { .kind = kind, .queues = queues };
        add_line(bars, &bars->lines[i], i, placement, at, panel);
    }
    bars->n_panels++;
}

/* Panels of a kind: placements, and queues where they matter. */
static void
add_kind(struct bars *bars, uint32_t kind)
{
    const struct sf_eval_params *params = sf_evaluation_params(bars->ev);
    bool is_flow = sf_eval_kinds[kind].method == SF_EVAL_BY_FLOW;

    for (uint32_t p = 0; p < SF_N_EVAL_PLACEMENTS; p++) {
        for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
            if (is_flow ? q == SF_SIM_VOQ : params->has_queues[q]) {
                add_panel(bars, kind, p, q);
            }
        }
    }
}

/* Panels stand beside each other to be compared: one scale for all. */
static void
share_scale(struct bars *bars)
{
    struct sf_chart_range x, y;
    double top = 100; /* % */

    for (uint32_t i = 0; i < bars->n_panels; i++) {
        sf_chart_ranges(&bars->panels[i], &x, &y);
        top = fmax(top, y.max);
    }
    for (uint32_t i = 0; i < bars->n_panels; i++) {
        bars->panels[i].y.max = top;
    }
}

static enum sf_status
draw(const struct sf_evaluation_report *report, const char *const *kinds,
     const char *title, bool is_relative, FILE *stream, struct sf_error *err)
{
    struct bars *bars = sf_calloc(1, sizeof *bars);
    enum sf_status status =
        sf_fail(err, SF_ENOMEM, "out of memory for a figure");

    if (!bars) {
        return status;
    }
    size_t n = (size_t)MAX_PANELS * SF_EVAL_MAX_LINES;
    bars->ev = report->ev;
    bars->is_relative = is_relative;
    bars->n_lines = sf_evaluation_lines(report->ev, bars->lines);
    bars->series = sf_calloc(n, sizeof *bars->series);
    bars->points = sf_calloc(n * SF_EVAL_MAX_NODES, sizeof *bars->points);
    if (bars->series && bars->points) {
        for (; *kinds; kinds++) {
            uint32_t kind = sf_evaluation_kind(*kinds);
            if (sf_evaluation_has_kind(report->ev, kind)) {
                add_kind(bars, kind);
            }
        }
        share_scale(bars);
        struct sf_chart chart = { .panels = bars->panels,
                                  .n_panels = bars->n_panels,
                                  .n_columns = bars->n_panels > 1 ? 2 : 1,
                                  .panel_width = 520,
                                  .panel_height = 200 };
        snprintf(chart.title, sizeof chart.title, "%s", title);
        if (is_relative || sf_evaluation_params(report->ev)->is_paper) {
            sf_evaluation_reference_means(report->ev, chart.note);
        }
        status = sf_figure_draw(report->figure, &chart, stream, err);
    }
    free(bars->series);
    free(bars->points);
    free(bars);
    return status;
}

enum sf_status
sf_evaluation_draw_ebb(const struct sf_evaluation_report *report, FILE *stream,
                       struct sf_error *err)
{
    static const char *const kinds[] = { "ebb", NULL };
    return draw(report, kinds, "Effective bisection bandwidth", false, stream,
                err);
}

enum sf_status
sf_evaluation_draw_training(const struct sf_evaluation_report *report,
                            FILE *stream, struct sf_error *err)
{
    static const char *const kinds[] = { "resnet152", "cosmoflow", "gpt3",
                                         NULL };
    return draw(report, kinds, "Training of neural networks (proxies)", true,
                stream, err);
}

enum sf_status
sf_evaluation_draw_science(const struct sf_evaluation_report *report,
                           FILE *stream, struct sf_error *err)
{
    static const char *const kinds[] = { "hpl", "bfs", "halo", NULL };
    return draw(report, kinds,
                "Linpack, Graph500 and a halo exchange "
                "(proxies)",
                true, stream, err);
}
