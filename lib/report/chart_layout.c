/* chart_layout.c -- where everything of a figure goes.
 *
 * The space between the axes is what the figure asks for; around it is as much
 * room as the texts need, and the picture is as large as that makes it. */
#include "base/mem.h"
#include "report/chart_parts.h"

#include <math.h>
#include <string.h>

#define COLUMN_GAP 18.0
#define ROW_GAP    16.0
#define MAX_WIDTH  1600.0 /* Text alone makes no picture wider. */
#define MIN_WIDTH  320.0
#define MAX_NAME   200.0 /* Of a row. */

static void
set_columns(struct sf_chart_layout *layout)
{
    uint32_t n = layout->chart->n_panels;

    layout->n_columns = layout->chart->n_columns;
    if (!layout->n_columns) {
        layout->n_columns = n < 3 ? n : 3;
    }
    layout->n_rows = (n + layout->n_columns - 1) / layout->n_columns;
}

const char *
sf_chart_group_of(const struct sf_chart_panel *panel)
{
    return panel->group;
}

const char *
sf_chart_x_label_of(const struct sf_chart_panel *panel)
{
    return panel->x.label ? panel->x.label : "";
}

uint32_t
sf_chart_count_shared(const struct sf_chart_layout *layout, uint32_t first,
                      const char *(*text_of)(const struct sf_chart_panel *))
{
    const struct sf_chart_panel *panels = layout->chart->panels;
    uint32_t n = 1;

    while (layout->chart->is_grid && (first + n) % layout->n_columns &&
           first + n < layout->chart->n_panels &&
           !strcmp(text_of(&panels[first + n]), text_of(&panels[first]))) {
        n++;
    }
    return n;
}

/* The width that each of the panels around a text that they share needs. */
static double
shared_width(const struct sf_chart_layout *layout, uint32_t first,
             const char *(*text_of)(const struct sf_chart_panel *))
{
    return sf_chart_text_width(text_of(&layout->chart->panels[first]),
                               SF_CHART_TEXT) /
           sf_chart_count_shared(layout, first, text_of);
}

/* Wide enough for what stands above and below, within limits. */
static double
panel_width(const struct sf_chart_layout *layout)
{
    const struct sf_chart *chart = layout->chart;
    double asked = chart->panel_width > 0 ? chart->panel_width : 310;
    double text = 0;

    if (layout->paper) {
        return asked;
    }

    for (uint32_t i = 0; i < chart->n_panels; i++) {
        const struct sf_chart_panel *panel = &chart->panels[i];
        text = fmax(text, sf_chart_text_width(panel->title,
                                              SF_CHART_HEAD * SF_CHART_BOLD));
        text = fmax(text, sf_chart_text_width(panel->caption, SF_CHART_SMALL));
    }
    for (uint32_t i = 0, n; i < chart->n_panels; i += n) {
        n = sf_chart_count_shared(layout, i, sf_chart_group_of);
        text = fmax(text, shared_width(layout, i, sf_chart_group_of));
    }
    for (uint32_t i = 0, n; i < chart->n_panels; i += n) {
        n = sf_chart_count_shared(layout, i, sf_chart_x_label_of);
        text = fmax(text, shared_width(layout, i, sf_chart_x_label_of));
    }
    return fmax(asked, fmin(text, 1.5 * asked));
}

static double
panel_height(const struct sf_chart_layout *layout)
{
    const struct sf_chart *chart = layout->chart;
    double height = chart->panel_height > 0 ? chart->panel_height : 260;

    return chart->has_end_labels
               ? fmax(height, layout->n_entries * SF_CHART_STEP)
               : height;
}

static void
join(struct sf_chart_range *range, const struct sf_chart_range *more)
{
    range->min = fmin(range->min, more->min);
    range->max = fmax(range->max, more->max);
    range->least = fmin(range->least, more->least);
    range->has_marks |= more->has_marks;
}

/* What the axes of a frame must hold: in a grid, also what others hold. */
static void
join_ranges(const struct sf_chart_layout *layout, uint32_t number,
            struct sf_chart_range *x, struct sf_chart_range *y)
{
    *x = layout->frames[number].x_range;
    *y = layout->frames[number].y_range;
    for (uint32_t i = 0; layout->chart->is_grid && i < layout->chart->n_panels;
         i++) {
        if (i % layout->n_columns == number % layout->n_columns) {
            join(x, &layout->frames[i].x_range);
        }
        if (i / layout->n_columns == number / layout->n_columns) {
            join(y, &layout->frames[i].y_range);
        }
    }
}

/* Cells of a heat map are as wide as the steps of its axes. */
static struct sf_chart_axis
axis_of_cells(const struct sf_chart_axis *axis, uint32_t n_cells)
{
    struct sf_chart_axis shown = *axis;

    if (shown.scale != SF_CHART_NAMES) {
        shown = (struct sf_chart_axis){ .label = axis->label,
                                        .unit = axis->unit,
                                        .is_whole = true,
                                        .min = -0.5,
                                        .max = fmax(n_cells, 1) - 0.5 };
    }
    return shown;
}

static void
set_rulers(struct sf_chart_layout *layout, uint32_t number)
{
    struct sf_chart_frame *frame = &layout->frames[number];
    const struct sf_chart_heat *heat = frame->panel->heat;
    struct sf_chart_axis x = frame->panel->x, y = frame->panel->y;
    struct sf_chart_range x_range, y_range;

    join_ranges(layout, number, &x_range, &y_range);
    frame->x.to = frame->width;
    frame->y.from = frame->height;
    if (heat) {
        frame->y.from = 0;
        frame->y.to = frame->height;
        x = axis_of_cells(&x, heat->n_columns);
        y = axis_of_cells(&y, heat->n_rows);
    }
    sf_chart_ruler_set(&frame->x, &x, &x_range, false);
    sf_chart_ruler_set(&frame->y, &y, &y_range, true);
}

static void
set_frames(struct sf_chart_layout *layout)
{
    const struct sf_chart *chart = layout->chart;
    double width = panel_width(layout), height = panel_height(layout);

    for (uint32_t i = 0; i < chart->n_panels; i++) {
        struct sf_chart_frame *frame = &layout->frames[i];
        frame->panel = &chart->panels[i];
        frame->paper = layout->paper;
        frame->width = width;
        frame->height = height;
        frame->has_x_text =
            !chart->is_grid || i + layout->n_columns >= chart->n_panels;
        frame->has_y_text = !chart->is_grid || i % layout->n_columns == 0;
        sf_chart_ranges(frame->panel, &frame->x_range, &frame->y_range);
    }
    for (uint32_t i = 0; i < chart->n_panels; i++) {
        set_rulers(layout, i);
    }
}

static double
row_names_width(const struct sf_chart_layout *layout)
{
    const char *const *names = layout->chart->row_names;
    double width = 0;

    for (uint32_t i = 0; names && i < layout->n_rows; i++) {
        width = fmax(width, 14 + sf_chart_text_width(
                                     names[i], SF_CHART_HEAD * SF_CHART_BOLD));
    }
    return fmin(width, layout->paper ? layout->paper->room / 4 : MAX_NAME);
}

static void
place_columns(struct sf_chart_layout *layout)
{
    uint32_t n_panels = layout->chart->n_panels, n = layout->n_columns;
    double x = SF_CHART_MARGIN + row_names_width(layout);

    for (uint32_t column = 0; column < n; column++) {
        double left = 0, right = 0, width = layout->frames->width;
        for (uint32_t i = column; i < n_panels; i += n) {
            left = fmax(left, sf_chart_left_room(&layout->frames[i]));
            right = fmax(right, sf_chart_right_room(&layout->frames[i]));
        }
        x += left;
        for (uint32_t i = column; i < n_panels; i += n) {
            struct sf_chart_frame *frame = &layout->frames[i];
            frame->left = x;
            frame->x.from += x;
            frame->x.to += x;
        }
        x += width + right + (column + 1 < n ? COLUMN_GAP : 0);
    }
    if (layout->chart->has_end_labels) {
        x += sf_chart_end_labels_room(layout);
    }
    layout->width = x + SF_CHART_MARGIN;
}

/* The room above the frames of a row, of which the titles take all but
 * '*abovep', and the groups' titles 20 more. */
static double
top_room(const struct sf_chart_layout *layout, uint32_t row, double *abovep)
{
    bool has_group = false, has_title = false, has_caption = false;

    for (uint32_t i = row * layout->n_columns;
         i < (row + 1) * layout->n_columns && i < layout->chart->n_panels;
         i++) {
        has_group |= *layout->frames[i].panel->group != '\0';
        has_title |= *layout->frames[i].panel->title != '\0';
        has_caption |= *layout->frames[i].panel->caption != '\0';
    }
    *abovep = 9 + (has_caption ? 14 : 0);
    return *abovep + (has_title ? 16 : 0) + (has_group ? 20 : 0);
}

static void
place_rows(struct sf_chart_layout *layout)
{
    uint32_t n_panels = layout->chart->n_panels, n = layout->n_columns;
    double y = *layout->chart->title ? 46 : SF_CHART_MARGIN;

    for (uint32_t row = 0; row < layout->n_rows; row++) {
        double above, bottom = 0;
        y += top_room(layout, row, &above);
        for (uint32_t i = row * n; i < (row + 1) * n && i < n_panels; i++) {
            struct sf_chart_frame *frame = &layout->frames[i];
            frame->top = y;
            frame->title_y = y - above;
            frame->y.from += y;
            frame->y.to += y;
            bottom = fmax(bottom, sf_chart_bottom_room(frame));
        }
        y += layout->frames->height + bottom +
             (row + 1 < layout->n_rows ? ROW_GAP : 0);
    }
    layout->height = y + SF_CHART_MARGIN;
}

static enum sf_status
place_legend(struct sf_chart_layout *layout, struct sf_error *err)
{
    if (layout->chart->has_end_labels) {
        return sf_chart_place_end_labels(layout, err);
    }
    double above = layout->paper ? 0 : 8;
    layout->legend_y = layout->height + above;
    double height = sf_chart_place_legend(layout);
    layout->height += height > 0 ? height + above - 4 : 0;
    return SF_OK;
}

/* As wide as what stands above and below all panels. */
static void
widen(struct sf_chart_layout *layout)
{
    const struct sf_chart *chart = layout->chart;
    double title =
        sf_chart_text_width(chart->title, SF_CHART_TITLE * SF_CHART_BOLD);
    double note = sf_chart_text_width(chart->note, SF_CHART_SMALL);
    double text = fmin(fmax(title, note) + 2 * SF_CHART_MARGIN, MAX_WIDTH);

    if (layout->paper) {
        return;
    }
    layout->width = fmax(layout->width, fmax(text, MIN_WIDTH));
    if (!chart->has_end_labels) {
        layout->width = fmax(layout->width, sf_chart_legend_width(layout) +
                                                2 * SF_CHART_MARGIN);
    }
    layout->width = ceil(layout->width);
}

enum sf_status
sf_chart_layout_build(const struct sf_chart *chart,
                      struct sf_chart_layout *layout, struct sf_error *err)
{
    return sf_chart_layout_build_for(NULL, chart, layout, err);
}

enum sf_status
sf_chart_layout_build_for(const struct sf_chart_paper *paper,
                          const struct sf_chart *chart,
                          struct sf_chart_layout *layout, struct sf_error *err)
{
    *layout = (struct sf_chart_layout){ .chart = chart, .paper = paper };
    if (!chart->n_panels) {
        return sf_fail(err, SF_EINVAL,
                       "nothing to draw: a chart without "
                       "panels");
    }
    layout->frames = sf_calloc(chart->n_panels, sizeof *layout->frames);
    if (!layout->frames) {
        return sf_fail(err, SF_ENOMEM, "chart of %u panels", chart->n_panels);
    }
    enum sf_status status = sf_chart_gather_entries(layout, err);
    if (status) {
        return status;
    }
    set_columns(layout);
    set_frames(layout);
    place_columns(layout);
    place_rows(layout);
    widen(layout);
    status = place_legend(layout, err);
    layout->height = ceil(layout->height + (*chart->note ? 20 : 0));
    return status;
}

void
sf_chart_layout_clear(struct sf_chart_layout *layout)
{
    free(layout->frames);
    free(layout->entries);
    *layout = (struct sf_chart_layout){ 0 };
}
