/* chart_ruler.c -- axes: what their ends are, and from values to places. */
#include "report/chart_parts.h"

#include <math.h>

#define PADDING 7.0 /* From the ends of an axis to the data: half a mark. */

/* Between 0 and 1 along the ruler. */
static double
share_at(const struct sf_chart_ruler *ruler, double value)
{
    return ruler->is_log
               ? log(value / ruler->min) / log(ruler->max / ruler->min)
               : (value - ruler->min) / (ruler->max - ruler->min);
}

double
sf_chart_at(const struct sf_chart_ruler *ruler, double value)
{
    return ruler->from + (ruler->to - ruler->from) * share_at(ruler, value);
}

bool
sf_chart_is_inside(const struct sf_chart_ruler *ruler, double value)
{
    double slack = 1e-9;

    if (!isfinite(value) || (ruler->is_log && value <= 0)) {
        return false;
    }
    double share = share_at(ruler, value);
    return share >= -slack && share <= 1 + slack;
}

double
sf_chart_clamp(const struct sf_chart_ruler *ruler, double value)
{
    return sf_chart_at(ruler, fmin(fmax(value, ruler->min), ruler->max));
}

double
sf_chart_ticks_width(const struct sf_chart_ruler *ruler)
{
    double width = 0;

    for (uint32_t i = 0; i < ruler->n_ticks; i++) {
        width = fmax(
            width, sf_chart_text_width(ruler->ticks[i].text, SF_CHART_SMALL));
    }
    return width;
}

/* Makes room between the ends of what has none, or none to speak of. */
static void
widen(struct sf_chart_ruler *ruler)
{
    if (ruler->is_log) {
        if (ruler->max / ruler->min < 1.000001) {
            ruler->min /= 2;
            ruler->max *= 2;
        }
        return;
    }
    double size = fmax(fabs(ruler->min), fabs(ruler->max));
    if (ruler->max - ruler->min <= 1e-6 * size || size == 0) {
        double aside = size > 0 ? size / 10 : 1;
        /* What is not negative does not look negative. */
        bool is_zero = ruler->min >= 0 && ruler->min < aside;
        ruler->min = is_zero ? 0 : ruler->min - aside;
        ruler->max += aside;
    }
}

/* A mark on the frame would stick out of it. */
static void
pad(struct sf_chart_ruler *ruler, bool has_zero)
{
    double share = PADDING / fmax(fabs(ruler->to - ruler->from), 4 * PADDING);

    if (ruler->is_log) {
        double factor = exp(log(ruler->max / ruler->min) * share);
        ruler->min /= factor;
        ruler->max *= factor;
        return;
    }
    double aside = (ruler->max - ruler->min) * share;
    ruler->keeps_min = fabs(ruler->min) < aside;
    ruler->keeps_max = fabs(ruler->max) < aside;
    ruler->min -= has_zero && ruler->min == 0 ? 0 : aside;
    ruler->max += has_zero && ruler->max == 0 ? 0 : aside;
}

/* The ends that the data ask for. */
static void
set_ends(struct sf_chart_ruler *ruler, const struct sf_chart_axis *axis,
         const struct sf_chart_range *range, bool is_padded)
{
    struct sf_chart_range all = *range;

    for (uint32_t i = 0; axis->ticks && i < axis->n_ticks; i++) {
        sf_chart_range_add(&all, axis->ticks[i]);
    }
    if (axis->has_zero) {
        sf_chart_range_add(&all, 0);
    }
    bool is_empty = ruler->is_log ? !(all.max > 0) : !(all.max >= all.min);
    if (is_empty) {
        ruler->min = ruler->is_log;
        ruler->max = ruler->is_log ? 10 : 1;
        return;
    }
    ruler->min = ruler->is_log ? all.least : all.min;
    ruler->max = all.max;
    widen(ruler);
    if (is_padded && !axis->ticks) {
        pad(ruler, axis->has_zero);
    }
}

void
sf_chart_ruler_set(struct sf_chart_ruler *ruler,
                   const struct sf_chart_axis *axis,
                   const struct sf_chart_range *range, bool is_upright)
{
    /* Bars have an edge of their own, and need no tick beyond it. */
    bool is_snapped = !axis->is_tight && (range->has_marks || is_upright);
    bool is_given = axis->max > axis->min &&
                    (axis->scale != SF_CHART_LOG || axis->min > 0);

    ruler->n_ticks = 0;
    ruler->is_tilted = ruler->keeps_min = ruler->keeps_max = false;
    ruler->is_log = axis->scale == SF_CHART_LOG;
    if (axis->scale == SF_CHART_NAMES) {
        ruler->min = -0.5;
        ruler->max = fmax(axis->n_ticks, 1) - 0.5;
        sf_chart_ticks_names(ruler, axis, is_upright);
        return;
    }
    if (is_given) {
        ruler->min = axis->min;
        ruler->max = axis->max;
    } else {
        set_ends(ruler, axis, range, range->has_marks || !is_upright);
    }
    if (axis->ticks) {
        sf_chart_ticks_given(ruler, axis, !is_given, is_upright);
    } else if (ruler->is_log) {
        sf_chart_ticks_log(ruler, axis, !is_given && is_snapped, is_upright);
    } else {
        sf_chart_ticks_linear(ruler, axis, !is_given && is_snapped,
                              is_upright);
    }
}
