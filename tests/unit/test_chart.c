/* test_chart.c -- charts: round numbers, axes, layout, what is left out. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "report/chart_parts.h"
#include "slimfly/random.h"
#include "test.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

static const struct sf_chart_range nothing = { .min = (double)INFINITY,
                                               .max = -(double)INFINITY,
                                               .least = (double)INFINITY };

/* The ruler of some values, 300 long. */
static struct sf_chart_ruler
ruler_of(const struct sf_chart_axis *axis, const double *values, uint32_t n,
         bool is_upright)
{
    struct sf_chart_ruler ruler = { .from = is_upright ? 300 : 0,
                                    .to = is_upright ? 0 : 300 };
    struct sf_chart_range range = nothing;

    range.has_marks = true;
    for (uint32_t i = 0; i < n; i++) {
        sf_chart_range_add(&range, values[i]);
    }
    sf_chart_ruler_set(&ruler, axis, &range, is_upright);
    return ruler;
}

/* Between 0 and 1. */
static double
unit(struct sf_random *random)
{
    return (double)(sf_random_next(random) >> 11) * 0x1p-53;
}

/* What sf_chart_draw() writes; the caller frees it. */
static char *
svg_of(const struct sf_chart *chart)
{
    char *text = NULL;
    size_t size = 0;
    struct sf_error err = { 0 };
    FILE *stream = open_memstream(&text, &size);

    CHECK(stream != NULL);
    enum sf_status status = sf_chart_draw(chart, stream, &err);
    CHECK_EQ(fclose(stream), 0);
    CHECK_FOR(status == SF_OK, "%s", err.text);
    return text;
}

static uint32_t
count(const char *text, const char *word)
{
    uint32_t n = 0;

    for (; (text = strstr(text, word)) != NULL; text += strlen(word)) {
        n++;
    }
    return n;
}

TEST(chart_rounds_to_1_2_5)
{
    static const struct {
        double x, below, above;
    } cases[] = {
        { 1, 1, 1 },          { 3, 2, 5 },           { 7, 5, 10 },
        { 0.03, 0.02, 0.05 }, { 99999, 50000, 1e5 }, { 1e-7, 1e-7, 1e-7 },
        { 1000, 1000, 1000 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CHECK_NEAR(sf_chart_round(cases[i].x, true) / cases[i].below, 1,
                   1e-12);
        CHECK_NEAR(sf_chart_round(cases[i].x, false) / cases[i].above, 1,
                   1e-12);
    }
}

TEST(chart_writes_numbers)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        { 0, "0" },           { 1, "1" },
        { 0.5, "0.5" },       { -3, "−3" },
        { 1234.6, "1235" },   { 123456, "123500" },
        { 1e6, "10⁶" },       { 2.5e7, "2.5·10⁷" },
        { 0.001, "0.001" },   { 0.00002, "2·10⁻⁵" },
        { 0.1 + 0.2, "0.3" }, { -1e12, "−10¹²" },
    };
    char text[64];

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        sf_chart_format(cases[i].value, text, sizeof text);
        CHECK_STR(text, cases[i].text);
    }
    sf_chart_format((double)NAN, text, sizeof text);
    CHECK_STR(text, "–");
}

TEST(chart_coordinates_know_no_locale)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    bool is_set = setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL;

    CHECK(stream != NULL);
    sf_chart_print(stream, "%f %f %f %f %f %s %u%c", 1.0, -0.25, 0.104, 1.1,
                   -0.001, "<&>", 7u, '!');
    setlocale(LC_NUMERIC, "C");
    CHECK_EQ(fclose(stream), 0);
    CHECK_FOR(!strcmp(text, "1 -0.25 0.1 1.1 0 &lt;&amp;&gt; 7!"), "%s (%d)",
              text, is_set);
    free(text);
}

/* Whatever the data: they are between the ends, ticks are too and grow, and no
 * two of their texts are the same or touch. */
static void
check_ruler(const struct sf_chart_ruler *ruler, const double *values,
            uint32_t n, bool is_upright)
{
    CHECK(ruler->max > ruler->min);
    CHECK(ruler->n_ticks > 0);
    for (uint32_t i = 0; i < n; i++) {
        CHECK_FOR(sf_chart_is_inside(ruler, values[i]), "%g in %g to %g",
                  values[i], ruler->min, ruler->max);
    }
    const struct sf_chart_tick *before = NULL;
    for (uint32_t i = 0; i < ruler->n_ticks; i++) {
        const struct sf_chart_tick *tick = &ruler->ticks[i];
        CHECK(sf_chart_is_inside(ruler, tick->at));
        CHECK(i == 0 || tick->at > ruler->ticks[i - 1].at);
        if (before && *tick->text) {
            double apart = fabs(sf_chart_at(ruler, tick->at) -
                                sf_chart_at(ruler, before->at));
            double width =
                sf_chart_text_width(tick->text, SF_CHART_SMALL) / 2 +
                sf_chart_text_width(before->text, SF_CHART_SMALL) / 2;
            CHECK(strcmp(tick->text, before->text) != 0);
            CHECK_FOR(apart > (is_upright ? SF_CHART_SMALL : width),
                      "'%s' beside '%s'", before->text, tick->text);
        }
        before = *tick->text ? tick : before;
    }
}

TEST(chart_ticks_fit_any_range)
{
    struct sf_random random;

    sf_random_init(&random, 5, 0);
    for (int i = 0; i < 4000; i++) {
        double size = exp(unit(&random) * 40 - 20);
        double values[2] = { size * (unit(&random) - 0.5),
                             size * (unit(&random) - 0.5) };
        struct sf_chart_axis axis = { .has_zero = i % 3 == 0,
                                      .is_tight = i % 5 == 0,
                                      .unit = i % 7 == 0 ? " Gbit/s" : NULL };
        bool is_upright = i % 2;
        struct sf_chart_ruler ruler = ruler_of(&axis, values, 2, is_upright);
        check_ruler(&ruler, values, 2, is_upright);
        CHECK(!axis.has_zero || sf_chart_is_inside(&ruler, 0));
    }
}

TEST(chart_logarithms_fit_any_range)
{
    struct sf_random random;
    static const struct sf_chart_axis axis = { .scale = SF_CHART_LOG };

    sf_random_init(&random, 6, 0);
    for (int i = 0; i < 2000; i++) {
        double first = exp(unit(&random) * 120 - 60);
        double values[2] = { first, first * exp(unit(&random) * 90 - 45) };
        struct sf_chart_ruler ruler = ruler_of(&axis, values, 2, i % 2);
        CHECK(ruler.min > 0);
        CHECK(ruler.n_ticks > 1);
        check_ruler(&ruler, values, 2, i % 2);
    }
}

TEST(chart_scales_are_monotone)
{
    static const double values[] = { 0.5, 700 };

    for (int scale = SF_CHART_LINEAR; scale <= SF_CHART_LOG; scale++) {
        struct sf_chart_axis axis = { .scale = (enum sf_chart_scale)scale };
        struct sf_chart_ruler x = ruler_of(&axis, values, 2, false);
        struct sf_chart_ruler y = ruler_of(&axis, values, 2, true);
        for (int i = 0; i < 70; i++) {
            double value = 0.5 * pow(1.1, i);
            CHECK(sf_chart_at(&x, value * 1.1) > sf_chart_at(&x, value));
            CHECK(sf_chart_at(&y, value * 1.1) < sf_chart_at(&y, value));
        }
        CHECK_NEAR(sf_chart_at(&x, x.min), 0, 1e-9);
        CHECK_NEAR(sf_chart_at(&x, x.max), 300, 1e-9);
        CHECK_NEAR(sf_chart_clamp(&x, 1e9), 300, 1e-9);
    }
}

TEST(chart_logarithms_leave_out_what_is_not_positive)
{
    static const double values[] = { -5, 0, 3, 200, (double)INFINITY };
    static const struct sf_chart_axis axis = { .scale = SF_CHART_LOG };
    struct sf_chart_ruler ruler = ruler_of(&axis, values, 5, false);

    CHECK_NEAR(ruler.min, 2, 1e-9);
    CHECK_NEAR(ruler.max, 500, 1e-9);
    CHECK(!sf_chart_is_inside(&ruler, 0));
    CHECK(!sf_chart_is_inside(&ruler, -5));
    ruler = ruler_of(&axis, values, 2, false);
    CHECK_NEAR(ruler.min, 1, 1e-9);
    CHECK_NEAR(ruler.max, 10, 1e-9);
}

TEST(chart_logarithms_within_a_decade_have_ticks)
{
    static const struct sf_chart_axis axis = { .scale = SF_CHART_LOG,
                                               .min = 2.1,
                                               .max = 4.9 };
    struct sf_chart_ruler ruler = ruler_of(&axis, NULL, 0, false);

    CHECK(ruler.n_ticks > 1);
    CHECK_NEAR(sf_chart_at(&ruler, sqrt(2.1 * 4.9)), 150, 1e-9);
}

TEST(chart_equal_values_and_none)
{
    static const double cases[] = { 0, 1, -3, 1e-9, 5e12 };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        double values[2] = { cases[i], cases[i] };
        struct sf_chart_axis axis = { 0 };
        struct sf_chart_ruler ruler = ruler_of(&axis, values, 2, i % 2);
        check_ruler(&ruler, values, 2, i % 2);
        ruler = ruler_of(&axis, NULL, 0, i % 2);
        CHECK_NEAR(ruler.min, 0, 0);
        CHECK_NEAR(ruler.max, 1, 0);
    }
}

TEST(chart_cuts_text_between_letters)
{
    static const char text[] = "übermäßig läßliche Größenwörter – alle";
    char cut[SF_CHART_TEXT_SIZE];

    for (int i = 0; i < 160; i++) {
        double width = 10 + 3 * i;
        sf_chart_shorten(text, 12, width, cut, sizeof cut);
        CHECK(strlen(cut) >= strlen("…"));
        CHECK(sf_chart_text_width(cut, 12) <= width + 1e-9);
        bool is_whole = !strcmp(cut, text);
        CHECK_EQ(is_whole, sf_chart_text_width(text, 12) <= width);
        /* What was kept is what stands there, up to the start of a letter. */
        size_t n = strlen(cut) - (is_whole ? 0 : strlen("…"));
        CHECK(!strncmp(cut, text, n));
        CHECK(((unsigned char)text[n] & 0xc0) != 0x80);
    }
}

/* A chart of 'n' lines with long names in two panels. */
struct sample {
    struct sf_chart_point points[3];
    struct sf_chart_series series[12];
    char names[12][64];
    struct sf_chart_panel panels[2];
    struct sf_chart chart;
};

static struct sample *
sample_of(uint32_t n, uint32_t n_panels)
{
    struct sample *sample = calloc(1, sizeof *sample);

    CHECK(sample != NULL);
    for (int i = 0; i < 3; i++) {
        sample->points[i] = (struct sf_chart_point){ .x = i, .y = 2 * i };
    }
    for (uint32_t i = 0; i < n; i++) {
        snprintf(sample->names[i], sizeof sample->names[i],
                 "number %u of the lines with a long name", i);
        sample->series[i].name = sample->names[i];
        sample->series[i].points = sample->points;
        sample->series[i].n_points = 3;
    }
    for (uint32_t i = 0; i < n_panels; i++) {
        sample->panels[i].series = sample->series;
        sample->panels[i].n_series = n;
        sample->panels[i].x.label = "x";
        sample->panels[i].y.label = "y";
    }
    sample->chart.panels = sample->panels;
    sample->chart.n_panels = n_panels;
    return sample;
}

TEST(chart_legend_is_below_and_inside)
{
    for (uint32_t n = 0; n <= 12; n++) {
        struct sample *sample = sample_of(n, 1 + n % 2);
        struct sf_chart_layout layout;
        CHECK_EQ(sf_chart_layout_build(&sample->chart, &layout, NULL), SF_OK);
        CHECK_EQ(layout.n_entries, n);
        for (uint32_t i = 0; i < n; i++) {
            const struct sf_chart_entry *entry = &layout.entries[i];
            double right =
                entry->x + 41 +
                sf_chart_text_width(entry->series->name, SF_CHART_TEXT);
            const struct sf_chart_frame *frame = &layout.frames[0];
            CHECK(entry->y - 8 >
                  frame->top + frame->height + sf_chart_bottom_room(frame));
            CHECK(entry->x >= 0 && right <= layout.width);
            CHECK(entry->y + 8 <= layout.height);
            /* And not on each other. */
            for (uint32_t j = 0; j < i; j++) {
                const struct sf_chart_entry *other = &layout.entries[j];
                CHECK(fabs(entry->y - other->y) > 15 ||
                      entry->x > other->x + 41);
            }
        }
        sf_chart_layout_clear(&layout);
        free(sample);
    }
}

TEST(chart_labels_at_ends_are_apart)
{
    for (uint32_t n = 1; n <= 12; n++) {
        struct sample *sample = sample_of(n, 1);
        struct sf_chart_layout layout;
        sample->chart.has_end_labels = true;
        sample->chart.panel_height = 100;
        for (uint32_t i = 0; i < n; i++) {
            /* Lines that end at several heights. */
            sample->series[i].n_points = 1 + i % 3;
        }
        CHECK_EQ(sf_chart_layout_build(&sample->chart, &layout, NULL), SF_OK);
        const struct sf_chart_frame *frame = layout.frames;
        for (uint32_t i = 0; i < n; i++) {
            const struct sf_chart_entry *entry = &layout.entries[i];
            CHECK(entry->x > frame->left + frame->width);
            CHECK(entry->y >= frame->top &&
                  entry->y <= frame->top + frame->height);
            CHECK(i == 0 || entry->y - layout.entries[i - 1].y >= 15);
            /* Sorted for their places, the lines keep their looks. */
            uint32_t number = (uint32_t)(entry->series - sample->series);
            struct sf_chart_style style =
                sf_chart_style_of(&layout, sample->panels, number);
            CHECK_EQ(style.color, entry->style.color);
            CHECK_EQ(style.color, 1 + number % 7);
        }
        sf_chart_layout_clear(&layout);
        free(sample);
    }
}

TEST(chart_frames_do_not_overlap)
{
    struct sample *sample = sample_of(3, 2);
    struct sf_chart_layout layout;

    CHECK_EQ(sf_chart_layout_build(&sample->chart, &layout, NULL), SF_OK);
    const struct sf_chart_frame *left = &layout.frames[0];
    const struct sf_chart_frame *right = &layout.frames[1];
    CHECK(left->left + left->width + sf_chart_right_room(left) <
          right->left - sf_chart_left_room(right));
    CHECK(left->left - sf_chart_left_room(left) > 0);
    CHECK(right->left + right->width + sf_chart_right_room(right) <
          layout.width);
    sf_chart_layout_clear(&layout);
    free(sample);
}

TEST(chart_draws_nothing_outside_its_frame)
{
    struct sample *sample = sample_of(1, 1);

    sample->panels[0].y.max = 3; /* The third point is at 4. */
    char *svg = svg_of(&sample->chart);
    CHECK_EQ(count(svg, "<g><title>"), 2);
    CHECK_EQ(count(svg, "<svg"), 2); /* The inner one cuts the line. */
    free(svg);
    sample->points[1].y = (double)NAN;
    sample->panels[0].y.max = 0;
    svg = svg_of(&sample->chart);
    CHECK_EQ(count(svg, "<g><title>"), 2);
    CHECK_EQ(count(svg, "<svg"), 1);
    CHECK(!strstr(svg, "nan"));
    free(svg);
    free(sample);
}

TEST(chart_of_nothing)
{
    struct sample *sample = sample_of(0, 1);
    char *svg = svg_of(&sample->chart);
    struct sf_error err = { 0 };

    CHECK(strstr(svg, ">no data<") != NULL);
    free(svg);
    sample->chart.n_panels = 0;
    CHECK_EQ(sf_chart_draw(&sample->chart, stdout, &err), SF_EINVAL);
    CHECK(strstr(err.text, "nothing to draw") != NULL);
    free(sample);
}

TEST(chart_stacks_and_groups_bars)
{
    struct sample *sample = sample_of(2, 1);
    struct sf_chart_panel *panel = sample->panels;

    sample->series[0].kind = sample->series[1].kind = SF_CHART_BARS;
    panel->bar_width = 1;
    CHECK_NEAR(sf_chart_base(panel, 1, 2), 0, 0);
    panel->is_stacked = true;
    CHECK_NEAR(sf_chart_base(panel, 0, 2), 0, 0);
    CHECK_NEAR(sf_chart_base(panel, 1, 2), 4, 0);
    struct sf_chart_range x, y;
    sf_chart_ranges(panel, &x, &y);
    CHECK_NEAR(y.max, 8, 0);
    CHECK_NEAR(y.min, 0, 0);
    CHECK_NEAR(x.min, -0.5, 0);
    CHECK_NEAR(x.max, 2.5, 0);
    free(sample);
}

TEST(chart_heat_map_has_every_cell)
{
    static const double values[] = { 1, 2, 3, (double)NAN, 5, 6 };
    struct sf_chart_heat heat = { .n_rows = 2,
                                  .n_columns = 3,
                                  .values = values };
    struct sample *sample = sample_of(0, 1);

    sample->panels[0].heat = &heat;
    char *svg = svg_of(&sample->chart);
    CHECK_EQ(count(svg, "<title>"), 6);
    CHECK_EQ(count(svg, "class=\"void\""), 1);
    CHECK(strstr(svg, "#440154") != NULL); /* The least and the greatest. */
    CHECK(strstr(svg, "#fde725") != NULL);
    CHECK(strstr(svg, "<title>1, 2: 6</title>") != NULL);
    free(svg);
    free(sample);
}

TEST(chart_is_the_same_every_time)
{
    struct sample *sample = sample_of(5, 2);
    char *first = svg_of(&sample->chart), *second = svg_of(&sample->chart);

    CHECK_STR(first, second);
    free(first);
    free(second);
    free(sample);
}

TEST(chart_without_memory)
{
    struct sample *sample = sample_of(5, 1);
    FILE *stream = fopen("/dev/null", "w");
    unsigned long nth = 0;
    enum sf_status status;

    CHECK(stream != NULL);
    sample->chart.has_end_labels = true;
    do {
        sf_mem_fail_at(++nth);
        status = sf_chart_draw(&sample->chart, stream, NULL);
        CHECK(status == SF_OK || status == SF_ENOMEM);
    } while (status != SF_OK);
    sf_mem_fail_at(0);
    CHECK(nth > 3);
    fclose(stream);
    free(sample);
}
