/* chart_ticks.c -- where the ticks of an axis are: at whole multiples of 1, 2
 * or 5 times a power of ten, as many as their texts have room for. */
#include "report/chart_parts.h"

#include <math.h>
#include <string.h>

#define ASIDE 16.0 /* From the ends of an axis to ticks that are given. */

static void
append_unit(struct sf_chart_tick *tick, const struct sf_chart_axis *axis)
{
    size_t n = strlen(tick->text);
    snprintf(tick->text + n, sizeof tick->text - n, "%s",
             axis->unit ? axis->unit : "");
}

static void
add_tick(struct sf_chart_ruler *ruler, const struct sf_chart_axis *axis,
         struct sf_chart_decimal number)
{
    if (ruler->n_ticks < SF_CHART_MAX_TICKS) {
        struct sf_chart_tick *tick = &ruler->ticks[ruler->n_ticks++];
        tick->at = sf_chart_value(number);
        sf_chart_write_decimal(number, tick->text, sizeof tick->text);
        append_unit(tick, axis);
    }
}

/* Whether no text of a tick touches the one before it. */
static bool
has_room(const struct sf_chart_ruler *ruler, uint32_t tick, uint32_t before,
         bool is_upright)
{
    double apart = fabs(sf_chart_at(ruler, ruler->ticks[tick].at) -
                        sf_chart_at(ruler, ruler->ticks[before].at));
    double width =
        sf_chart_text_width(ruler->ticks[tick].text, SF_CHART_SMALL) +
        sf_chart_text_width(ruler->ticks[before].text, SF_CHART_SMALL);

    return apart >= (is_upright ? SF_CHART_SMALL + 3 : width / 2 + 8);
}

static bool
have_room(const struct sf_chart_ruler *ruler, bool is_upright)
{
    for (uint32_t i = 1; i < ruler->n_ticks; i++) {
        if (!has_room(ruler, i, i - 1, is_upright)) {
            return false;
        }
    }
    return true;
}

/* Takes away the texts that would touch those before them. */
static void
thin_out(struct sf_chart_ruler *ruler, bool is_upright)
{
    uint32_t before = 0;

    for (uint32_t i = 1; i < ruler->n_ticks; i++) {
        if (has_room(ruler, i, before, is_upright)) {
            before = i;
        } else {
            *ruler->ticks[i].text = '\0';
        }
    }
}

static void
mark_linear(struct sf_chart_ruler *ruler, const struct sf_chart_axis *axis,
            struct sf_chart_decimal step, bool is_snapped)
{
    double size = sf_chart_value(step);
    double first = ruler->min / size, last = ruler->max / size;

    if (is_snapped) {
        ruler->min =
            ruler->keeps_min ? ruler->min : floor(first + 1e-6) * size;
        ruler->max = ruler->keeps_max ? ruler->max : ceil(last - 1e-6) * size;
    }
    long long from = llround(ceil(ruler->min / size - 1e-6));
    long long to = llround(floor(ruler->max / size + 1e-6));
    ruler->n_ticks = 0;
    for (long long i = from; i <= to && i - from < SF_CHART_MAX_TICKS; i++) {
        add_tick(ruler, axis,
                 (struct sf_chart_decimal){ i * step.digits, step.exponent });
    }
}

/* As many ticks as there is room for. */
void
sf_chart_ticks_linear(struct sf_chart_ruler *ruler,
                      const struct sf_chart_axis *axis, bool is_snapped,
                      bool is_upright)
{
    double length = fabs(ruler->to - ruler->from);
    double min = ruler->min, max = ruler->max;
    int n = is_upright ? (int)fmin(fmax(length / 42, 2), 6) : 10;

    do {
        ruler->min = min;
        ruler->max = max;
        struct sf_chart_decimal step =
            sf_chart_round_decimal((max - min) / n, false);
        if (axis->is_whole && step.exponent < 0) {
            step = (struct sf_chart_decimal){ 1, 0 };
        }
        mark_linear(ruler, axis, step, is_snapped);
    } while (!have_room(ruler, is_upright) && --n > 0);
    thin_out(ruler, is_upright);
}

/* At 1, 2 and 5 of each power of ten if 'every' is 0, else at 1 of every such
 * power. */
static void
mark_log(struct sf_chart_ruler *ruler, const struct sf_chart_axis *axis,
         int every)
{
    static const int digits[] = { 1, 2, 5 };
    int last = sf_chart_exponent(ruler->max);

    ruler->n_ticks = 0;
    for (int i = sf_chart_exponent(ruler->min); i <= last; i++) {
        for (int k = 0; k < (every ? 1 : 3); k++) {
            struct sf_chart_decimal at = { digits[k], i };
            if ((every == 0 || i % every == 0) &&
                sf_chart_is_inside(ruler, sf_chart_value(at))) {
                add_tick(ruler, axis, at);
            }
        }
    }
}

/* Fewer and fewer ticks until there is room. */
void
sf_chart_ticks_log(struct sf_chart_ruler *ruler,
                   const struct sf_chart_axis *axis, bool is_snapped,
                   bool is_upright)
{
    int every = 0;

    if (is_snapped) {
        ruler->min = sf_chart_round(ruler->min, true);
        ruler->max = sf_chart_round(ruler->max, false);
    }
    do {
        mark_log(ruler, axis, every++);
    } while (!have_room(ruler, is_upright) || ruler->n_ticks > 14);
    /* Between two powers there may be none. */
    if (ruler->n_ticks < 2) {
        sf_chart_ticks_linear(ruler, axis, false, is_upright);
    }
}

static void
step_aside(struct sf_chart_ruler *ruler)
{
    double length = fabs(ruler->to - ruler->from);
    double share = ASIDE / fmax(length - 2 * ASIDE, ASIDE);

    if (ruler->is_log) {
        double factor = exp(log(ruler->max / ruler->min) * share);
        ruler->min /= factor;
        ruler->max *= factor;
    } else {
        double aside = (ruler->max - ruler->min) * share;
        ruler->min -= aside;
        ruler->max += aside;
    }
}

void
sf_chart_ticks_given(struct sf_chart_ruler *ruler,
                     const struct sf_chart_axis *axis, bool is_padded,
                     bool is_upright)
{
    if (is_padded) {
        step_aside(ruler);
    }
    for (uint32_t i = 0; i < axis->n_ticks; i++) {
        if (ruler->n_ticks < SF_CHART_MAX_TICKS &&
            sf_chart_is_inside(ruler, axis->ticks[i])) {
            struct sf_chart_tick *tick = &ruler->ticks[ruler->n_ticks++];
            tick->at = axis->ticks[i];
            sf_chart_format(tick->at, tick->text, sizeof tick->text);
            append_unit(tick, axis);
        }
    }
    thin_out(ruler, is_upright);
}

/* All names, tilted if they are too long, or every 2nd, 3rd and so on.  A
 * place without a name has no tick. */
void
sf_chart_ticks_names(struct sf_chart_ruler *ruler,
                     const struct sf_chart_axis *axis, bool is_upright)
{
    double slot = fabs(ruler->to - ruler->from) / fmax(axis->n_ticks, 1);
    double widest = 0;

    for (uint32_t i = 0; i < axis->n_ticks; i++) {
        widest =
            fmax(widest, sf_chart_text_width(axis->names[i], SF_CHART_SMALL));
    }
    bool is_wide = !is_upright && widest + 8 > slot;
    ruler->is_tilted = is_wide && slot >= 15;
    double needed = is_upright || ruler->is_tilted ? 14 : widest + 8;
    uint32_t every = (uint32_t)fmax(ceil(needed / slot), 1);
    every = (uint32_t)fmax(every,
                           ceil(axis->n_ticks / (double)SF_CHART_MAX_TICKS));
    for (uint32_t i = 0; i < axis->n_ticks; i += every) {
        if (!*axis->names[i]) {
            continue;
        }
        struct sf_chart_tick *tick = &ruler->ticks[ruler->n_ticks++];
        tick->at = i;
        sf_chart_shorten(axis->names[i], SF_CHART_SMALL, 200, tick->text,
                         sizeof tick->text);
    }
}
