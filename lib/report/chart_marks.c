/* chart_marks.c -- lines and marks, ranges, rules across. */
#include "report/chart_parts.h"

#include <ctype.h>
#include <math.h>

bool
sf_chart_is_drawn(const struct sf_chart_pen *pen,
                  const struct sf_chart_point *point)
{
    return sf_chart_is_inside(&pen->frame->x, point->x) &&
           sf_chart_is_inside(&pen->frame->y, point->y);
}

bool
sf_chart_has_place(const struct sf_chart_ruler *ruler, double value)
{
    return isfinite(value) && (!ruler->is_log || value > 0);
}

static void
draw_mark(const struct sf_chart_style *style, double x, double y, FILE *stream)
{
    bool is_hollow = isupper((unsigned char)style->mark);

    sf_chart_print(stream, "<path class=\"mark c%u%s%s\"",
                   (unsigned)style->color, is_hollow ? " hollow" : "",
                   style->is_pale ? " pale" : "");
    if (style->mark_scale > 0) {
        sf_chart_print(stream, " transform=\"translate(%f %f)scale(%f)\"",
                       x * (1 - style->mark_scale),
                       y * (1 - style->mark_scale), style->mark_scale);
    }
    fputs(" d=\"", stream);
    switch (tolower((unsigned char)style->mark)) {
    case 's':
        sf_chart_print(stream, "M%f %fh7v7h-7z", x - 3.5, y - 3.5);
        break;
    case 't':
        sf_chart_print(stream, "M%f %fl4.5 8h-9z", x, y - 5);
        break;
    case 'v':
        sf_chart_print(stream, "M%f %fl4.5 -8h-9z", x, y + 5);
        break;
    case 'd':
        sf_chart_print(stream, "M%f %fl4.5 4.5l-4.5 4.5l-4.5 -4.5z", x,
                       y - 4.5);
        break;
    case '+':
        sf_chart_print(stream, "M%f %fv9m-4.5 -4.5h9", x, y - 4.5);
        break;
    case 'x':
        sf_chart_print(stream, "M%f %fl7 7m0 -7l-7 7", x - 3.5, y - 3.5);
        break;
    default:
        sf_chart_print(stream, "M%f %fa4 4 0 1 0 8 0a4 4 0 1 0 -8 0", x - 4,
                       y);
    }
    fputs("\"/>", stream);
}

static void
begin_stroke(const struct sf_chart_style *style, FILE *stream)
{
    sf_chart_print(stream, "<path class=\"line c%u%s\" stroke-width=\"%f\"",
                   (unsigned)style->color, style->is_pale ? " pale" : "",
                   style->width);
    if (style->dash) {
        sf_chart_print(stream, " stroke-dasharray=\"%s\"", style->dash);
    }
    fputs(" d=\"", stream);
}

/* What is at an x: its name, or else the number. */
static void
write_x(const struct sf_chart_axis *axis, double x, char *text, size_t size)
{
    if (axis->scale == SF_CHART_NAMES && x >= 0 && x < axis->n_ticks) {
        snprintf(text, size, "%s", axis->names[(uint32_t)x]);
    } else {
        sf_chart_format(x, text, size);
    }
}

void
sf_chart_write_note(const struct sf_chart_pen *pen,
                    const struct sf_chart_point *point)
{
    char x[SF_CHART_TEXT_SIZE], y[32];
    const struct sf_chart_panel *panel = pen->frame->panel;
    const char *name = pen->series->name;

    if (*point->note) {
        sf_chart_print(pen->stream, "<title>%s</title>", point->note);
        return;
    }
    write_x(&panel->x, point->x, x, sizeof x);
    if (!*x) {
        /* One bar of each series: the panel is what they have in common. */
        snprintf(x, sizeof x, "%s", panel->title);
    }
    sf_chart_format(point->y, y, sizeof y);
    sf_chart_print(pen->stream, "<title>%s%s%s: %s%s</title>",
                   name ? name : "", name && *x ? ", " : "", x, y,
                   panel->y.unit ? panel->y.unit : "");
}

/* Breaks where a point has no place. */
static void
draw_path(const struct sf_chart_pen *pen)
{
    const struct sf_chart_frame *frame = pen->frame;
    bool is_begun = false, is_down = false;

    for (uint32_t i = 0; i < pen->series->n_points; i++) {
        const struct sf_chart_point *point = &pen->series->points[i];
        if (!sf_chart_has_place(&frame->x, point->x) ||
            !sf_chart_has_place(&frame->y, point->y)) {
            is_down = false;
            continue;
        }
        if (!is_begun) {
            begin_stroke(&pen->style, pen->stream);
        }
        sf_chart_print(pen->stream, "%c%f %f", is_down ? 'L' : 'M',
                       sf_chart_at(&frame->x, point->x) + pen->aside,
                       sf_chart_at(&frame->y, point->y));
        is_begun = is_down = true;
    }
    fputs(is_begun ? "\"/>\n" : "", pen->stream);
}

/* An <svg> in another one cuts off what is outside of it, without the names
 * that clip paths need, of which a page may have only one. */
static void
draw_line(const struct sf_chart_pen *pen)
{
    const struct sf_chart_frame *frame = pen->frame;
    bool is_cut = false;

    for (uint32_t i = 0; i < pen->series->n_points; i++) {
        const struct sf_chart_point *point = &pen->series->points[i];
        is_cut |= sf_chart_has_place(&frame->x, point->x) &&
                  sf_chart_has_place(&frame->y, point->y) &&
                  !sf_chart_is_drawn(pen, point);
    }
    if (is_cut) {
        sf_chart_print(pen->stream,
                       "<svg x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\" "
                       "viewBox=\"%f %f %f %f\">\n",
                       frame->left, frame->top, frame->width, frame->height,
                       frame->left, frame->top, frame->width, frame->height);
    }
    draw_path(pen);
    fputs(is_cut ? "</svg>\n" : "", pen->stream);
}

void
sf_chart_draw_range(const struct sf_chart_pen *pen, double x, double low,
                    double high)
{
    double from = sf_chart_clamp(&pen->frame->y, low);
    double to = sf_chart_clamp(&pen->frame->y, high);

    sf_chart_print(pen->stream,
                   "<path class=\"line c%u\" d=\"M%f %fV%fM%f %fh6M%f "
                   "%fh6\"/>",
                   (unsigned)pen->style.color, x, from, to, x - 3, from, x - 3,
                   to);
}

static void
draw_points(const struct sf_chart_pen *pen)
{
    for (uint32_t i = 0; i < pen->series->n_points; i++) {
        const struct sf_chart_point *point = &pen->series->points[i];
        if (!sf_chart_is_drawn(pen, point)) {
            continue;
        }
        double x = sf_chart_at(&pen->frame->x, point->x) + pen->aside;
        fputs("<g>", pen->stream);
        sf_chart_write_note(pen, point);
        if (pen->series->has_ranges && point->high > point->low) {
            sf_chart_draw_range(pen, x, point->low, point->high);
        }
        if (pen->style.mark) {
            draw_mark(&pen->style, x, sf_chart_at(&pen->frame->y, point->y),
                      pen->stream);
        }
        fputs("</g>\n", pen->stream);
    }
}

static void
draw_rule(const struct sf_chart_pen *pen)
{
    const struct sf_chart_frame *frame = pen->frame;

    if (pen->series->n_points &&
        sf_chart_is_inside(&frame->y, pen->series->points->y)) {
        begin_stroke(&pen->style, pen->stream);
        sf_chart_print(pen->stream, "M%f %fh%f\"/>\n", frame->left,
                       sf_chart_at(&frame->y, pen->series->points->y),
                       frame->width);
    }
}

/* How far the points of a series are moved, if the panel spreads them. */
static double
find_aside(const struct sf_chart_panel *panel, uint32_t series)
{
    uint32_t n = 0, place = 0;

    for (uint32_t i = 0; i < panel->n_series; i++) {
        if (panel->series[i].kind == SF_CHART_LINE ||
            panel->series[i].kind == SF_CHART_POINTS) {
            place += i < series;
            n++;
        }
    }
    return panel->is_spread ? (place - (n - 1) / 2.0) * fmin(3, 14.0 / n) : 0;
}

static void
draw_one(const struct sf_chart_pen *pen)
{
    switch (pen->series->kind) {
    case SF_CHART_LINE:
        draw_line(pen);
        draw_points(pen);
        break;
    case SF_CHART_POINTS:
        draw_points(pen);
        break;
    case SF_CHART_BARS:
        sf_chart_draw_bars(pen);
        break;
    case SF_CHART_BOXES:
        sf_chart_draw_boxes(pen);
        break;
    case SF_CHART_RULE:
        draw_rule(pen);
        break;
    }
}

void
sf_chart_draw_series(const struct sf_chart_layout *layout,
                     const struct sf_chart_frame *frame, FILE *stream)
{
    for (uint32_t i = 0; i < frame->panel->n_series; i++) {
        struct sf_chart_pen pen = {
            .frame = frame,
            .series = &frame->panel->series[i],
            .style = sf_chart_style_of(layout, frame->panel, i),
            .number = i,
            .aside = find_aside(frame->panel, i),
            .stream = stream,
        };
        draw_one(&pen);
    }
}

void
sf_chart_draw_swatch(const struct sf_chart_layout *layout,
                     const struct sf_chart_entry *entry, FILE *stream)
{
    enum sf_chart_kind kind = entry->series->kind;

    if (kind == SF_CHART_BARS || kind == SF_CHART_BOXES) {
        sf_chart_print(stream,
                       "<rect class=\"bar c%u%s\" x=\"%f\" y=\"%f\" "
                       "width=\"20\" height=\"11\"/>\n",
                       (unsigned)entry->style.color,
                       entry->style.is_pale ? " pale" : "", entry->x + 7,
                       entry->y - 5.5);
        if (layout->paper) {
            sf_chart_draw_hatch(entry->style.color, entry->x + 7,
                                entry->y - 5.5, 20, 11, stream);
        }
        return;
    }
    if (kind != SF_CHART_POINTS) {
        begin_stroke(&entry->style, stream);
        sf_chart_print(stream, "M%f %fh34\"/>\n", entry->x, entry->y);
    }
    if (kind != SF_CHART_RULE && entry->style.mark) {
        draw_mark(&entry->style, entry->x + 17, entry->y, stream);
        fputc('\n', stream);
    }
}
