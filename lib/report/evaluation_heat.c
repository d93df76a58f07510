/* evaluation_heat.c -- figures of evaluations as maps: nodes by sizes, and
 * layers by nodes. */
#include "base/mem.h"
#include "report/chart.h"
#include "report/evaluation_parts.h"
#include "report/figure.h"

#include <math.h>
#include <string.h>

#define MAX_MAPS  (SF_EVAL_MAX_LINES * SF_N_EVAL_PLACEMENTS * SF_N_SIM_QUEUES)
#define MAX_CELLS (SF_EVAL_MAX_NODES * SF_EVAL_MAX_SIZES)
#define SCALE     50 /* %, both ways. */

/* A map, whose parts the chart points to. */
struct map {
    struct sf_chart_heat heat;
    double values[MAX_CELLS];
    bool is_slanted[MAX_CELLS];
    char texts[MAX_CELLS][96];
    const char *notes[MAX_CELLS];
};

struct figure {
    const struct sf_evaluation *ev;
    uint32_t kind;
    struct map *maps; /* [MAX_MAPS] */
    struct sf_chart_panel panels[MAX_MAPS];
    uint32_t n_panels;
    char rows[SF_EVAL_MAX_SIZES][32], columns[SF_EVAL_MAX_SIZES][16];
    const char *row_names[SF_EVAL_MAX_SIZES];
    const char *column_names[SF_EVAL_MAX_SIZES];
};

static void
set_cell(struct figure *figure, struct map *map, uint32_t cell,
         const struct sf_eval_cell *of, double gain)
{
    map->values[cell] = 100 * gain;
    map->is_slanted[cell] =
        of->how == SF_EVAL_BETWEEN || of->how == SF_EVAL_BEYOND;
    map->notes[cell] = map->texts[cell];
    if (of->n) {
        snprintf(map->texts[cell], sizeof map->texts[cell], "(%.70s; %s)",
                 sf_evaluation_series(figure->ev, of->series)->label,
                 sf_eval_how_name(of->how));
    }
}

static struct map *
begin_map(struct figure *figure, uint32_t n_rows, uint32_t n_columns,
          const char *x_label, const char *y_label)
{
    struct map *map = &figure->maps[figure->n_panels];
    struct sf_chart_panel *panel = &figure->panels[figure->n_panels++];

    map->heat = (struct sf_chart_heat){
        .n_rows = n_rows,
        .n_columns = n_columns,
        .values = map->values,
        .scale = { .unit = " %", .min = -SCALE, .max = SCALE },
        .is_diverging = true,
        .has_numbers = true,
        .is_slanted = map->is_slanted,
        .notes = map->notes,
    };
    *panel = (struct sf_chart_panel){
        .x = { .scale = SF_CHART_NAMES,
               .label = x_label,
               .names = figure->column_names,
               .n_ticks = n_columns },
        .y = { .scale = SF_CHART_NAMES,
               .label = y_label,
               .names = figure->row_names,
               .n_ticks = n_rows },
        .heat = &map->heat,
    };
    return map;
}

/* Nodes by sizes, of one line, placement and kind of queues. */
static void
add_sizes(struct figure *figure, const struct sf_evaluation_line *line,
          enum sf_eval_placement placement, enum sf_sim_queues queues)
{
    const struct sf_evaluation *ev = figure->ev;
    uint32_t n_nodes = sf_evaluation_n_nodes(ev, figure->kind);
    uint32_t n_sizes = sf_evaluation_n_sizes(ev, figure->kind);
    struct map *map =
        begin_map(figure, n_nodes, n_sizes, "bytes of a message", "nodes");
    struct sf_chart_panel *panel = &figure->panels[figure->n_panels - 1];

    snprintf(panel->title, sizeof panel->title, "%s", line->name);
    snprintf(panel->caption, sizeof panel->caption, "%s placement, %s",
             sf_eval_placement_name(placement), sf_sim_queues_name(queues));
    for (uint32_t i = 0; i < n_nodes * n_sizes; i++) {
        /* The most nodes are at the top. */
        struct sf_eval_at at = { figure->kind, queues,
                                 n_nodes - 1 - i / n_sizes, i % n_sizes };
        struct sf_eval_cell cell =
            sf_evaluation_best(ev, line->network, line->group, placement, at);
        struct sf_eval_cell than = sf_evaluation_reference(ev, placement, at);
        set_cell(figure, map, i, &cell, sf_evaluation_gain(ev, &cell, &than));
    }
}

static void
name_sizes(struct figure *figure)
{
    const struct sf_evaluation *ev = figure->ev;
    uint32_t n_nodes = sf_evaluation_n_nodes(ev, figure->kind);

    for (uint32_t i = 0; i < n_nodes; i++) {
        snprintf(figure->rows[i], sizeof figure->rows[i], "%u",
                 sf_evaluation_nodes(ev, figure->kind, n_nodes - 1 - i));
        figure->row_names[i] = figure->rows[i];
    }
    for (uint32_t i = 0; i < sf_evaluation_n_sizes(ev, figure->kind); i++) {
        sf_evaluation_size_short(sf_evaluation_size(ev, figure->kind, i),
                                 figure->columns[i]);
        figure->column_names[i] = figure->columns[i];
    }
}

static bool
is_of_layers(const struct sf_evaluation_line *line)
{
    return line->group == SF_EVAL_PAPER || line->group == SF_EVAL_OURS;
}

/* Whether line number 'i' is drawn: the layers of the paper, ours, and what
 * else a network has if these are not.  The first line is the reference. */
static bool
is_drawn(const struct sf_evaluation_line *lines, uint32_t n_lines, uint32_t i)
{
    bool has_layers = false;

    for (uint32_t k = 0; k < n_lines; k++) {
        has_layers = has_layers || (lines[k].network == lines[i].network &&
                                    is_of_layers(&lines[k]));
    }
    return i > 0 && (!has_layers || is_of_layers(&lines[i]));
}

static void
add_all_sizes(struct figure *figure)
{
    const struct sf_evaluation *ev = figure->ev;
    const struct sf_eval_params *params = sf_evaluation_params(ev);
    struct sf_evaluation_line lines[SF_EVAL_MAX_LINES];
    uint32_t n_lines = sf_evaluation_lines(ev, lines);

    name_sizes(figure);
    for (uint32_t i = 0; i < n_lines; i++) {
        for (uint32_t p = 0; p < SF_N_EVAL_PLACEMENTS; p++) {
            for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
                if (is_drawn(lines, n_lines, i) && params->has_queues[q]) {
                    add_sizes(figure, &lines[i], p, q);
                }
            }
        }
    }
}

static bool
has_layers(const struct sf_eval_series *series,
           enum sf_eval_placement placement)
{
    return series->placement == placement && series->n_layers > 1 &&
           !*series->left_out;
}

/* Layers by nodes: what each number of layers gains over minimal paths. */
static void
add_layers(struct figure *figure, enum sf_eval_placement placement,
           enum sf_sim_queues queues)
{
    const struct sf_evaluation *ev = figure->ev;
    uint32_t n_nodes = sf_evaluation_n_nodes(ev, figure->kind), n_rows = 0;
    struct map *map = begin_map(figure, 0, n_nodes, "nodes", NULL);
    struct sf_chart_panel *panel = &figure->panels[figure->n_panels - 1];

    for (uint32_t s = 0; s < sf_evaluation_n_series(ev); s++) {
        const struct sf_eval_series *series = sf_evaluation_series(ev, s);
        if (!has_layers(series, placement) || n_rows >= SF_EVAL_MAX_NODES) {
            continue;
        }
        snprintf(figure->rows[n_rows], sizeof figure->rows[n_rows],
                 "%.18s%s%s, %u",
                 sf_evaluation_params(ev)->is_paper
                     ? ""
                     : sf_evaluation_network(ev, series->network)->name,
                 sf_evaluation_params(ev)->is_paper ? "" : " ",
                 sf_eval_group_name(series->group), series->n_layers);
        figure->row_names[n_rows] = figure->rows[n_rows];
        for (uint32_t i = 0; i < n_nodes; i++) {
            struct sf_eval_at at = { figure->kind, queues, i, 0 };
            struct sf_eval_cell cell = sf_evaluation_cell(ev, s, at);
            struct sf_eval_cell than = sf_evaluation_best(
                ev, series->network, SF_EVAL_MINIMAL, placement, at);
            set_cell(figure, map, n_rows * n_nodes + i, &cell,
                     than.mean > 0 && cell.n ? cell.mean / than.mean - 1
                                             : (double)NAN);
        }
        n_rows++;
    }
    map->heat.n_rows = panel->y.n_ticks = n_rows;
    snprintf(panel->title, sizeof panel->title, "%s placement, %s",
             sf_eval_placement_name(placement), sf_sim_queues_name(queues));
    for (uint32_t i = 0; i < n_nodes; i++) {
        snprintf(figure->columns[i], sizeof figure->columns[i], "%u",
                 sf_evaluation_nodes(ev, figure->kind, i));
        figure->column_names[i] = figure->columns[i];
    }
}

static void
add_all_layers(struct figure *figure)
{
    const struct sf_eval_params *params = sf_evaluation_params(figure->ev);

    for (uint32_t p = 0; p < SF_N_EVAL_PLACEMENTS; p++) {
        for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
            if (params->has_queues[q]) {
                add_layers(figure, p, q);
            }
        }
    }
}

static enum sf_status
draw(const struct sf_evaluation_report *report, const char *kind,
     const char *title, void add(struct figure *figure), FILE *stream,
     struct sf_error *err)
{
    bool is_relative = add == add_all_sizes;
    struct figure *figure = sf_calloc(1, sizeof *figure);
    struct map *maps = sf_calloc(MAX_MAPS, sizeof *maps);
    enum sf_status status =
        sf_fail(err, SF_ENOMEM, "out of memory for a figure");

    if (figure && maps) {
        figure->ev = report->ev;
        figure->kind = sf_evaluation_kind(kind);
        figure->maps = maps;
        add(figure);
        bool is_wide = figure->panels[0].x.n_ticks > 10;
        struct sf_chart chart = { .panels = figure->panels,
                                  .n_panels = figure->n_panels,
                                  .n_columns = figure->n_panels > 1 ? 2 : 1,
                                  .panel_width = is_wide ? 600 : 340,
                                  .panel_height = 190 };
        snprintf(chart.title, sizeof chart.title, "%s", title);
        if (is_relative) {
            sf_evaluation_reference_means(report->ev, chart.note);
        }
        status = sf_figure_draw(report->figure, &chart, stream, err);
    }
    free(maps);
    free(figure);
    return status;
}

enum sf_status
sf_evaluation_draw_layers(const struct sf_evaluation_report *report,
                          FILE *stream, struct sf_error *err)
{
    return draw(report, "ebb", "eBB: gain of layers over minimal paths, in %",
                add_all_layers, stream, err);
}

enum sf_status
sf_evaluation_draw_alltoall(const struct sf_evaluation_report *report,
                            FILE *stream, struct sf_error *err)
{
    return draw(report, "alltoall", "Alltoall: gain over the reference, in %",
                add_all_sizes, stream, err);
}

enum sf_status
sf_evaluation_draw_bcast(const struct sf_evaluation_report *report,
                         FILE *stream, struct sf_error *err)
{
    return draw(report, "bcast", "Bcast: gain over the reference, in %",
                add_all_sizes, stream, err);
}

enum sf_status
sf_evaluation_draw_allreduce(const struct sf_evaluation_report *report,
                             FILE *stream, struct sf_error *err)
{
    return draw(report, "allreduce",
                "Allreduce: gain over the reference, in %", add_all_sizes,
                stream, err);
}
