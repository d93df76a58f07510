/* chart_frame.c -- axes, their numbers and labels, titles of panels. */
#include "report/chart_parts.h"

#include <math.h>

#define TICK_GAP 7.0  /* From an axis to its numbers, */
#define LABEL    20.0 /* and from these to the axis' label. */

static double
tick_width(const struct sf_chart_tick *tick)
{
    return sf_chart_text_width(tick->text, SF_CHART_SMALL);
}

/* How far the numbers below a frame stick out at its left. */
static double
overhang(const struct sf_chart_frame *frame)
{
    double most = 0;

    for (uint32_t i = 0; i < frame->x.n_ticks; i++) {
        const struct sf_chart_tick *tick = &frame->x.ticks[i];
        double width =
            tick_width(tick) * (frame->x.is_tilted ? SF_CHART_COSINE : 0.5);
        double inside = sf_chart_at(&frame->x, tick->at) - frame->x.from;
        most = fmax(most, width - inside);
    }
    return frame->has_x_text ? most : 0;
}

double
sf_chart_left_room(const struct sf_chart_frame *frame)
{
    double room = 0;

    if (frame->has_y_text) {
        room = TICK_GAP + sf_chart_ticks_width(&frame->y) +
               (frame->panel->y.label ? LABEL : 0);
    }
    return fmax(room, overhang(frame));
}

double
sf_chart_right_room(const struct sf_chart_frame *frame)
{
    double room = 0;

    if (frame->panel->heat) {
        return sf_chart_heat_room(frame);
    }
    for (uint32_t i = 0; frame->has_x_text && i < frame->x.n_ticks; i++) {
        const struct sf_chart_tick *tick = &frame->x.ticks[i];
        double beyond = sf_chart_at(&frame->x, tick->at) +
                        (frame->x.is_tilted ? 0 : tick_width(tick) / 2) -
                        frame->x.to;
        room = fmax(room, beyond);
    }
    return room;
}

/* From the frame to the bottom of the numbers below it. */
static double
numbers_room(const struct sf_chart_frame *frame)
{
    if (!frame->has_x_text || !frame->x.n_ticks) {
        return 0;
    }
    return TICK_GAP + SF_CHART_SMALL +
           (frame->x.is_tilted
                ? sf_chart_ticks_width(&frame->x) * SF_CHART_SINE
                : 0);
}

double
sf_chart_bottom_room(const struct sf_chart_frame *frame)
{
    bool has_label = frame->has_x_text && frame->panel->x.label;
    return numbers_room(frame) + (has_label ? LABEL : 0);
}

static bool
has_bars(const struct sf_chart_panel *panel)
{
    for (uint32_t i = 0; i < panel->n_series; i++) {
        if (panel->series[i].kind == SF_CHART_BARS ||
            panel->series[i].kind == SF_CHART_BOXES) {
            return true;
        }
    }
    return false;
}

static void
draw_y_ticks(const struct sf_chart_frame *frame, FILE *stream)
{
    const struct sf_chart_panel *panel = frame->panel;

    for (uint32_t i = 0; i < frame->y.n_ticks; i++) {
        double y = sf_chart_at(&frame->y, frame->y.ticks[i].at);
        if (!panel->heat && panel->y.scale != SF_CHART_NAMES) {
            sf_chart_print(stream, "<path class=\"grid\" d=\"M%f %fh%f\"/>\n",
                           frame->left, y, frame->width);
        }
        if (frame->has_y_text && *frame->y.ticks[i].text) {
            sf_chart_write(stream, frame->left - TICK_GAP, y + 4, "end",
                           "small", frame->y.ticks[i].text);
        }
    }
}

static void
write_tilted(double x, double y, const char *text, FILE *stream)
{
    sf_chart_print(stream,
                   "<text class=\"small\" text-anchor=\"end\" "
                   "transform=\"translate(%f %f)rotate(-35)\">%s</text>\n",
                   x + 4, y, text);
}

static void
draw_x_ticks(const struct sf_chart_frame *frame, FILE *stream)
{
    const struct sf_chart_panel *panel = frame->panel;
    double bottom = frame->top + frame->height;
    bool has_lines = !panel->heat && !panel->x.ticks && !has_bars(panel) &&
                     panel->x.scale != SF_CHART_NAMES;

    for (uint32_t i = 0; i < frame->x.n_ticks; i++) {
        double x = sf_chart_at(&frame->x, frame->x.ticks[i].at);
        const char *text = frame->x.ticks[i].text;
        if (has_lines) {
            sf_chart_print(stream, "<path class=\"grid\" d=\"M%f %fv%f\"/>\n",
                           x, frame->top, frame->height);
        }
        if (!frame->has_x_text) {
            continue;
        }
        sf_chart_print(stream, "<path class=\"axis\" d=\"M%f %fv4\"/>\n", x,
                       bottom);
        if (frame->x.is_tilted) {
            write_tilted(x, bottom + TICK_GAP + SF_CHART_SMALL - 3, text,
                         stream);
        } else if (*text) {
            sf_chart_write(stream, x, bottom + TICK_GAP + SF_CHART_SMALL - 1,
                           "middle", "small", text);
        }
    }
}

static bool
is_empty(const struct sf_chart_frame *frame)
{
    const struct sf_chart_heat *heat = frame->panel->heat;

    return heat ? !heat->n_rows || !heat->n_columns
                : !(frame->y_range.max >= frame->y_range.min);
}

void
sf_chart_draw_frame(const struct sf_chart_layout *layout,
                    const struct sf_chart_frame *frame, FILE *stream)
{
    const struct sf_chart_panel *panel = frame->panel;
    double middle = frame->left + frame->width / 2;

    draw_y_ticks(frame, stream);
    draw_x_ticks(frame, stream);
    if (*panel->title) {
        sf_chart_write_within(stream, middle, frame->title_y, "middle", "head",
                              panel->title, SF_CHART_HEAD * SF_CHART_BOLD,
                              frame->width);
    }
    if (*panel->caption) {
        sf_chart_write_within(stream, frame->left + frame->width,
                              frame->top - 5, "end", "small", panel->caption,
                              SF_CHART_SMALL, frame->width);
    }
    if (is_empty(frame) && !layout->chart->is_grid) {
        sf_chart_write(stream, middle, frame->top + frame->height / 2 + 4,
                       "middle", "small", "no data");
    }
}

void
sf_chart_draw_axes(const struct sf_chart_frame *frame, FILE *stream)
{
    const struct sf_chart_ruler *y = &frame->y;

    if (frame->panel->heat) {
        return;
    }
    sf_chart_print(stream, "<path class=\"axis\" d=\"M%f %f%c%fh%f\"/>\n",
                   frame->left,
                   frame->has_y_text ? frame->top : frame->top + frame->height,
                   'V', frame->top + frame->height, frame->width);
    if (!y->is_log && y->min < 0 && y->max > 0 && !y->keeps_min) {
        sf_chart_print(stream, "<path class=\"axis\" d=\"M%f %fh%f\"/>\n",
                       frame->left, sf_chart_at(y, 0), frame->width);
    }
}

static void
write_shared(const struct sf_chart_layout *layout, uint32_t first, uint32_t n,
             double y, const char *text, FILE *stream)
{
    const struct sf_chart_frame *from = &layout->frames[first];
    const struct sf_chart_frame *to = &layout->frames[first + n - 1];
    double right = to->left + to->width;

    if (*text) {
        sf_chart_write_within(stream, (from->left + right) / 2, y, "middle",
                              "", text, SF_CHART_TEXT, right - from->left);
    }
}

/* At the left of a frame, or of all in its column of a grid. */
static void
write_y_label(const struct sf_chart_layout *layout,
              const struct sf_chart_frame *frame, FILE *stream)
{
    uint32_t last_row = (layout->n_rows - 1) * layout->n_columns;
    bool is_grid = layout->chart->is_grid;
    const struct sf_chart_frame *last =
        is_grid ? &layout->frames[last_row] : frame;
    double bottom = last->top + last->height;

    if (!frame->has_y_text || !frame->panel->y.label ||
        (is_grid && frame != layout->frames)) {
        return;
    }
    sf_chart_write_upright(
        stream, frame->left - TICK_GAP - sf_chart_ticks_width(&frame->y) - 7,
        (frame->top + bottom) / 2, frame->panel->y.label,
        bottom - frame->top + 20);
}

void
sf_chart_draw_shared(const struct sf_chart_layout *layout, FILE *stream)
{
    for (uint32_t i = 0, n; i < layout->chart->n_panels; i += n) {
        const struct sf_chart_frame *frame = &layout->frames[i];
        n = sf_chart_count_shared(layout, i, sf_chart_group_of);
        write_shared(layout, i, n, frame->title_y - 20, frame->panel->group,
                     stream);
    }
    for (uint32_t i = 0, n; i < layout->chart->n_panels; i += n) {
        const struct sf_chart_frame *frame = &layout->frames[i];
        n = sf_chart_count_shared(layout, i, sf_chart_x_label_of);
        write_shared(layout, i, n,
                     frame->top + frame->height + numbers_room(frame) + 16,
                     frame->has_x_text ? sf_chart_x_label_of(frame->panel)
                                       : "",
                     stream);
    }
    for (uint32_t i = 0; i < layout->chart->n_panels; i++) {
        write_y_label(layout, &layout->frames[i], stream);
    }
}
