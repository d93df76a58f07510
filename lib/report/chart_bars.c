/* chart_bars.c -- bars and boxes. */
#include "report/chart_parts.h"

#include <math.h>

/* Where the bar or box of a point begins and how wide it is. */
static void
find_slot(const struct sf_chart_pen *pen, double x, double *leftp,
          double *widthp)
{
    const struct sf_chart_panel *panel = pen->frame->panel;
    uint32_t n = 0, place = 0;

    for (uint32_t i = 0; i < panel->n_series; i++) {
        if (panel->series[i].kind == SF_CHART_BARS ||
            panel->series[i].kind == SF_CHART_BOXES) {
            place += i < pen->number;
            n++;
        }
    }
    if (panel->is_stacked) {
        n = 1;
        place = 0;
    }
    double width = sf_chart_bar_width(panel) / n;
    double left = x - sf_chart_bar_width(panel) / 2 + place * width;
    double from = sf_chart_clamp(&pen->frame->x, left);
    *widthp = sf_chart_clamp(&pen->frame->x, left + width) - from;
    /* A gap between bars, unless they are as thin as hairs. */
    double gap = fmin(0.12 * *widthp, 2);
    *leftp = from + gap / 2;
    *widthp -= gap;
}

static void
draw_rectangle(const struct sf_chart_pen *pen, double x, double y,
               double width, double height)
{
    sf_chart_print(pen->stream,
                   "<rect class=\"bar c%u%s\" x=\"%f\" y=\"%f\" "
                   "width=\"%f\" height=\"%f\">",
                   (unsigned)pen->style.color,
                   pen->style.is_pale ? " pale" : "", x, y, width, height);
}

/* In the colour of its bar half of a range would not show. */
static void
draw_ink_range(const struct sf_chart_pen *pen, double x, double low,
               double high)
{
    struct sf_chart_pen ink = *pen;

    ink.style.color = SF_CHART_INK;
    sf_chart_draw_range(&ink, x, low, high);
}

/* Writes the note of a bar that has no value where it would stand: nothing is
 * not 0. */
static void
write_absent(const struct sf_chart_pen *pen,
             const struct sf_chart_point *point)
{
    double left, width;

    if (*point->note && sf_chart_is_inside(&pen->frame->x, point->x)) {
        find_slot(pen, point->x, &left, &width);
        sf_chart_print(pen->stream,
                       "<text class=\"small\" transform=\"translate(%f %f)"
                       "rotate(-90)\">%s</text>\n",
                       left + width / 2 + SF_CHART_SMALL / 3,
                       pen->frame->y.from - 4, point->note);
    }
}

void
sf_chart_draw_bars(const struct sf_chart_pen *pen)
{
    const struct sf_chart_ruler *ruler = &pen->frame->y;

    for (uint32_t i = 0; i < pen->series->n_points; i++) {
        const struct sf_chart_point *point = &pen->series->points[i];
        double left, width;
        if (!isfinite(point->y)) {
            write_absent(pen, point);
        }
        if (!sf_chart_has_place(ruler, point->y) ||
            !sf_chart_is_inside(&pen->frame->x, point->x)) {
            continue;
        }
        double base = sf_chart_base(pen->frame->panel, pen->number, point->x);
        double from = sf_chart_clamp(ruler, base);
        double to = sf_chart_clamp(ruler, base + point->y);
        find_slot(pen, point->x, &left, &width);
        /* The rare is not the same as the absent. */
        double height = point->y == 0 ? 0 : fmax(fabs(from - to), 0.6);
        draw_rectangle(pen, left, fmin(from - height, fmin(from, to)), width,
                       height);
        sf_chart_write_note(pen, point);
        fputs("</rect>\n", pen->stream);
        if (pen->frame->paper) {
            sf_chart_draw_hatch(pen->style.color, left,
                                fmin(from - height, fmin(from, to)), width,
                                height, pen->stream);
        }
        if (pen->series->has_ranges && point->high > point->low) {
            draw_ink_range(pen, left + width / 2, point->low, point->high);
            fputc('\n', pen->stream);
        }
    }
}

void
sf_chart_draw_boxes(const struct sf_chart_pen *pen)
{
    const struct sf_chart_ruler *ruler = &pen->frame->y;

    for (uint32_t i = 0; i < pen->series->n_points; i++) {
        const struct sf_chart_point *point = &pen->series->points[i];
        double left, width;
        if (!sf_chart_is_drawn(pen, point)) {
            continue;
        }
        double lower = sf_chart_clamp(ruler, point->lower);
        double upper = sf_chart_clamp(ruler, point->upper);
        find_slot(pen, point->x, &left, &width);
        fputs("<g>", pen->stream);
        sf_chart_write_note(pen, point);
        sf_chart_draw_range(pen, left + width / 2, point->low, point->high);
        sf_chart_print(pen->stream,
                       "<path class=\"box c%u\" d=\"M%f %fh%fv%fh%fz\"/>"
                       "<path class=\"line c%u\" stroke-width=\"2.5\" "
                       "d=\"M%f %fh%f\"/></g>\n",
                       (unsigned)pen->style.color, left, upper, width,
                       lower - upper, -width, (unsigned)pen->style.color, left,
                       sf_chart_at(ruler, point->y), width);
    }
}
