/* chart_csv.c -- what a chart shows, as lines of numbers. */
#include "base/mem.h"
#include "io/csv.h"
#include "report/chart_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writes a number with as few digits as tell it from all others, and a point
 * in any locale; nothing for what is not finite. */
static void
write_number(double number, FILE *stream)
{
    char text[40];

    if (!isfinite(number)) {
        return;
    }
    bool is_plain = number == round(number) && fabs(number) < 1e15;
    int digits = is_plain ? 15 : 1; /* "100" and not "1e+02". */
    do {
        snprintf(text, sizeof text, "%.*g", digits++, number);
    } while (strtod(text, NULL) != number && digits <= 17);
    for (char *at = text; *at; at++) {
        if (!strchr("0123456789+-e", *at)) {
            *at = '.';
        }
    }
    fputs(text, stream);
}

static bool
has_names(const struct sf_chart_axis *axis, double at)
{
    return axis->scale == SF_CHART_NAMES && at >= 0 && at < axis->n_ticks;
}

static void
write_place(const struct sf_chart_axis *axis, double at, FILE *stream)
{
    if (has_names(axis, at)) {
        sf_csv_write(axis->names[(uint32_t)at], stream);
    } else {
        write_number(at, stream);
    }
}

static bool
has_heat(const struct sf_chart *chart)
{
    for (uint32_t i = 0; i < chart->n_panels; i++) {
        if (chart->panels[i].heat) {
            return true;
        }
    }
    return false;
}

static bool
has_boxes(const struct sf_chart *chart)
{
    for (uint32_t i = 0; i < chart->n_panels; i++) {
        for (uint32_t k = 0; k < chart->panels[i].n_series; k++) {
            if (chart->panels[i].series[k].kind == SF_CHART_BOXES) {
                return true;
            }
        }
    }
    return false;
}

static void
append(const char *part, char *name, size_t size)
{
    size_t n = strlen(name);

    snprintf(name + n, size - n, "%s%s", n && *part ? ", " : "", part);
}

/* What tells panel 'i' from others: the name of its row, the groups and titles
 * above it, which a grid has once a column; else its number. */
static void
name_panel(const struct sf_chart_layout *layout, uint32_t i, char *name,
           size_t size)
{
    const struct sf_chart *chart = layout->chart;
    uint32_t column = i % layout->n_columns, group = column;
    const struct sf_chart_panel *panel = &chart->panels[i];

    *name = '\0';
    if (chart->row_names) {
        append(chart->row_names[i / layout->n_columns], name, size);
    }
    if (chart->is_grid && i >= layout->n_columns) {
        panel = &chart->panels[column];
    }
    while (chart->is_grid && group > 0 && !*chart->panels[group].group) {
        group--;
    }
    append(chart->is_grid ? chart->panels[group].group : panel->group, name,
           size);
    append(panel->title, name, size);
    if (!*name && chart->n_panels > 1) {
        snprintf(name, size, "%u", i + 1);
    }
}

/* Whether anything of a point is drawn. */
static bool
is_shown(const struct sf_chart_panel *panel,
         const struct sf_chart_series *series,
         const struct sf_chart_point *point)
{
    bool has_x =
        isfinite(point->x) && (panel->x.scale != SF_CHART_LOG || point->x > 0);
    bool has_y =
        isfinite(point->y) && (panel->y.scale != SF_CHART_LOG || point->y > 0);

    return has_y && (has_x || series->kind == SF_CHART_RULE);
}

static void
write_point(const struct sf_chart_panel *panel,
            const struct sf_chart_series *series,
            const struct sf_chart_point *point, bool with_boxes, FILE *stream)
{
    bool is_box = series->kind == SF_CHART_BOXES;
    bool has_range = is_box || series->has_ranges;

    if (series->kind != SF_CHART_RULE) {
        write_place(&panel->x, point->x, stream);
    }
    fputc(',', stream);
    write_place(&panel->y, point->y, stream);
    fputc(',', stream);
    write_number(has_range ? point->low : (double)NAN, stream);
    fputc(',', stream);
    write_number(has_range ? point->high : (double)NAN, stream);
    if (with_boxes) {
        fputc(',', stream);
        write_number(is_box ? point->lower : (double)NAN, stream);
        fputc(',', stream);
        write_number(is_box ? point->upper : (double)NAN, stream);
    }
    fputc('\n', stream);
}

static const char *
name_of(const struct sf_chart_series *series)
{
    return series->data_name ? series->data_name
           : series->name    ? series->name
                             : "";
}

static void
write_series(const struct sf_chart_panel *panel, const char *name,
             bool with_boxes, FILE *stream)
{
    for (uint32_t i = 0; i < panel->n_series; i++) {
        const struct sf_chart_series *series = &panel->series[i];
        uint32_t n = series->n_points;
        if (series->kind == SF_CHART_RULE && n > 1) {
            n = 1;
        }
        for (uint32_t k = 0; k < n; k++) {
            if (is_shown(panel, series, &series->points[k])) {
                sf_csv_write(name, stream);
                fputc(',', stream);
                sf_csv_write(name_of(series), stream);
                fputc(',', stream);
                write_point(panel, series, &series->points[k], with_boxes,
                            stream);
            }
        }
    }
}

static void
write_cells(const struct sf_chart_panel *panel, const char *name, FILE *stream)
{
    const struct sf_chart_heat *heat = panel->heat;
    uint32_t n_columns = heat ? heat->n_columns : 0;

    for (uint32_t row = 0; heat && row < heat->n_rows; row++) {
        for (uint32_t column = 0; column < n_columns; column++) {
            double value = heat->values[(size_t)row * n_columns + column];
            if (isfinite(value)) {
                sf_csv_write(name, stream);
                fputc(',', stream);
                write_place(&panel->x, column, stream);
                fputc(',', stream);
                write_place(&panel->y, row, stream);
                fputc(',', stream);
                write_number(value, stream);
                fputc('\n', stream);
            }
        }
    }
}

enum sf_status
sf_chart_write_csv(const struct sf_chart *chart, FILE *stream,
                   struct sf_error *err)
{
    struct sf_chart_layout layout;
    bool with_boxes = has_boxes(chart), is_map = has_heat(chart);
    enum sf_status status = sf_chart_layout_build(chart, &layout, err);

    if (!status) {
        fputs(is_map       ? "panel,x,y,value\n"
              : with_boxes ? "panel,series,x,y,low,high,lower,upper\n"
                           : "panel,series,x,y,low,high\n",
              stream);
        for (uint32_t i = 0; i < chart->n_panels; i++) {
            char name[3 * SF_CHART_NOTE_SIZE];
            name_panel(&layout, i, name, sizeof name);
            if (is_map) {
                write_cells(&chart->panels[i], name, stream);
            } else {
                write_series(&chart->panels[i], name, with_boxes, stream);
            }
        }
    }
    sf_chart_layout_clear(&layout);
    return status;
}
