/* chart_range.c -- what the data of a panel lie between. */
#include "report/chart_parts.h"

#include <math.h>

#define HUGE 1e290 /* Beyond, powers of ten are no numbers any more. */

void
sf_chart_range_add(struct sf_chart_range *range, double value)
{
    if (!(fabs(value) < HUGE)) {
        return;
    }
    range->min = fmin(range->min, value);
    range->max = fmax(range->max, value);
    if (value > 1 / HUGE) {
        range->least = fmin(range->least, value);
    }
}

double
sf_chart_bar_width(const struct sf_chart_panel *panel)
{
    return panel->bar_width > 0 ? panel->bar_width : 0.8;
}

double
sf_chart_base(const struct sf_chart_panel *panel, uint32_t series, double x)
{
    double base = 0;

    for (uint32_t i = 0; panel->is_stacked && i < series; i++) {
        const struct sf_chart_series *below = &panel->series[i];
        for (uint32_t j = 0;
             below->kind == SF_CHART_BARS && j < below->n_points; j++) {
            if (below->points[j].x == x && isfinite(below->points[j].y)) {
                base += below->points[j].y;
            }
        }
    }
    return base;
}

static void
add_point(const struct sf_chart_panel *panel, uint32_t number,
          const struct sf_chart_point *point, struct sf_chart_range *x,
          struct sf_chart_range *y)
{
    const struct sf_chart_series *series = &panel->series[number];
    double aside = sf_chart_bar_width(panel) / 2, base = 0;
    bool is_line =
        series->kind == SF_CHART_LINE || series->kind == SF_CHART_POINTS;

    if (series->kind == SF_CHART_BARS) {
        base = sf_chart_base(panel, number, point->x);
        sf_chart_range_add(y, 0);
    }
    sf_chart_range_add(y, base + point->y);
    if (series->has_ranges || series->kind == SF_CHART_BOXES) {
        sf_chart_range_add(y, point->low);
        sf_chart_range_add(y, point->high);
    }
    if (series->kind != SF_CHART_RULE && isfinite(point->y)) {
        sf_chart_range_add(x, is_line ? point->x : point->x - aside);
        sf_chart_range_add(x, is_line ? point->x : point->x + aside);
    }
    x->has_marks |= is_line;
    /* Bars stand on 0; where there is none, the least must not vanish. */
    y->has_marks |=
        series->kind != SF_CHART_BARS || panel->y.scale == SF_CHART_LOG;
}

void
sf_chart_ranges(const struct sf_chart_panel *panel, struct sf_chart_range *x,
                struct sf_chart_range *y)
{
    *x = (struct sf_chart_range){ .min = (double)INFINITY,
                                  .max = -(double)INFINITY,
                                  .least = (double)INFINITY };
    *y = *x;
    for (uint32_t i = 0; i < panel->n_series; i++) {
        const struct sf_chart_series *series = &panel->series[i];
        for (uint32_t j = 0; j < series->n_points; j++) {
            add_point(panel, i, &series->points[j], x, y);
        }
    }
}
