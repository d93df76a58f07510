/* test_figure.c -- charts in the form of a paper, and their data. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "report/chart_parts.h"
#include "report/figure.h"
#include "slimfly/random.h"
#include "test.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#define MAX_SERIES 9
#define MAX_POINTS 12
#define MAX_PANELS 6

/* A chart of random kinds and numbers. */
struct sample {
    struct sf_chart_point points[MAX_PANELS][MAX_SERIES][MAX_POINTS];
    struct sf_chart_series series[MAX_PANELS][MAX_SERIES];
    struct sf_chart_panel panels[MAX_PANELS];
    struct sf_chart chart;
};

static const char *const names[MAX_SERIES] = {
    "gates",
    "paper, 4 layers",
    "a name with \"quotes\" and, commas",
    "rues:0.6",
    "minimal",
    "a rather long name of a configuration, 4 layers",
    "x",
    "y",
    "z",
};

static double
unit(struct sf_random *random)
{
    return (double)(sf_random_next(random) >> 11) * 0x1p-53;
}

static uint32_t
below(struct sf_random *random, uint32_t n)
{
    return (uint32_t)(sf_random_next(random) % n);
}

static void
fill_panel(struct sample *sample, uint32_t number, struct sf_random *random)
{
    struct sf_chart_panel *panel = &sample->panels[number];
    enum sf_chart_kind kind = (enum sf_chart_kind)below(random, 5);

    panel->series = sample->series[number];
    panel->n_series = 1 + below(random, MAX_SERIES);
    panel->x.label = "layers";
    panel->y.label = below(random, 3) ? "throughput of the hosts, %" : NULL;
    panel->y.scale = below(random, 3) ? SF_CHART_LINEAR : SF_CHART_LOG;
    snprintf(panel->title, sizeof panel->title, "panel number %u", number);
    for (uint32_t i = 0; i < panel->n_series; i++) {
        struct sf_chart_series *series = &sample->series[number][i];
        series->name = names[i];
        series->kind = kind;
        series->points = sample->points[number][i];
        series->n_points = 1 + below(random, MAX_POINTS);
        series->has_ranges = below(random, 2);
        for (uint32_t k = 0; k < series->n_points; k++) {
            struct sf_chart_point *point = &sample->points[number][i][k];
            point->x = k;
            point->y =
                below(random, 9) ? exp(9 * unit(random) - 4) : (double)NAN;
            point->low = point->lower = point->y * 0.9;
            point->high = point->upper = point->y * 1.1;
        }
    }
}

static struct sample *
sample_of(uint64_t seed)
{
    struct sample *sample = calloc(1, sizeof *sample);
    struct sf_random random;

    CHECK(sample != NULL);
    sf_random_init(&random, seed, 0);
    sample->chart.panels = sample->panels;
    sample->chart.n_panels = 1 + below(&random, MAX_PANELS);
    sample->chart.n_columns = below(&random, 4);
    sample->chart.has_end_labels = sample->chart.n_columns == 1;
    sample->chart.is_grid = below(&random, 4) == 0;
    snprintf(sample->chart.title, sizeof sample->chart.title, "a <title>");
    snprintf(sample->chart.note, sizeof sample->chart.note, "a note & more");
    for (uint32_t i = 0; i < sample->chart.n_panels; i++) {
        fill_panel(sample, i, &random);
    }
    return sample;
}

/* What is drawn; the caller frees it. */
static char *
text_of(const struct sf_figure *figure, const struct sf_chart *chart,
        size_t *sizep)
{
    char *text = NULL;
    struct sf_error err = { 0 };
    FILE *stream = open_memstream(&text, sizep);

    CHECK(stream != NULL);
    enum sf_status status = sf_figure_draw(figure, chart, stream, &err);
    CHECK_EQ(fclose(stream), 0);
    CHECK_FOR(status == SF_OK, "%s", err.text);
    return text;
}

static bool
has_pdf(void)
{
    struct sf_figure figure = { .format = SF_FIGURE_PDF };
    return sf_figure_check(&figure, NULL) == SF_OK;
}

TEST(figure_checks_what_is_asked)
{
    static const struct {
        struct sf_figure figure;
        const char *error; /* NULL: it is fine. */
    } cases[] = {
        { { .format = SF_FIGURE_SVG }, NULL },
        { { .format = SF_FIGURE_SVG, .width = 30, .text_size = 4 }, NULL },
        { { .format = SF_FIGURE_SVG, .font = "Latin Modern Roman, serif" },
          NULL },
        { { .format = SF_FIGURE_SVG, .width = 29.9 },
          "expected a width in millimetres from 30 to 500, found 29.9" },
        { { .format = SF_FIGURE_SVG, .width = -84 },
          "expected a width in millimetres from 30 to 500, found -84" },
        { { .format = SF_FIGURE_SVG, .text_size = 25 },
          "expected a size of text in points from 4 to 24, found 25" },
        { { .format = SF_FIGURE_SVG, .font = "" },
          "expected names of fonts, separated by commas, found ''" },
        { { .format = SF_FIGURE_SVG, .font = "a,,b" },
          "expected names of fonts, separated by commas, found 'a,,b'" },
        { { .format = SF_FIGURE_SVG, .font = "x;}svg{color:red" },
          "expected letters, digits, spaces and -_.+ in the name of a font, "
          "found ';' in 'x;}svg{color:red'" },
        { { .format = SF_FIGURE_SVG, .font = "</style>" },
          "expected letters, digits, spaces and -_.+ in the name of a font, "
          "found '<' in '</style>'" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_error err = { 0 };
        enum sf_status status = sf_figure_check(&cases[i].figure, &err);
        CHECK_EQ(status, cases[i].error ? SF_EINVAL : SF_OK);
        if (cases[i].error) {
            CHECK_STR(err.text, cases[i].error);
        }
    }
    struct sf_figure endless = { .format = SF_FIGURE_SVG,
                                 .width = (double)NAN };
    CHECK_EQ(sf_figure_check(&endless, NULL), SF_EINVAL);
}

TEST(figure_for_screens_is_the_chart)
{
    struct sample *sample = sample_of(1);
    size_t size, size_of_chart;
    char *text = text_of(NULL, &sample->chart, &size), *chart = NULL;
    FILE *stream = open_memstream(&chart, &size_of_chart);

    CHECK(stream != NULL);
    CHECK_EQ(sf_chart_draw(&sample->chart, stream, NULL), SF_OK);
    CHECK_EQ(fclose(stream), 0);
    CHECK_STR(text, chart);
    CHECK(strstr(text, "prefers-color-scheme:dark") != NULL);
    free(chart);
    free(text);
    free(sample);
}

/* The number behind 'key' in 'text'. */
static double
number_behind(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    CHECK(at != NULL);
    return strtod(at + strlen(key), NULL);
}

TEST(figure_is_as_wide_as_asked)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct sample *sample = sample_of(seed);
        double shown = 0;
        struct sf_figure figure = { .format = SF_FIGURE_SVG,
                                    .width = seed % 3 ? 174 : 84,
                                    .text_size = 6 + (double)(seed % 4),
                                    .font = "Latin Modern Roman,serif",
                                    .shown_sizep = &shown };
        size_t size;
        char *svg = text_of(&figure, &sample->chart, &size);
        CHECK_NEAR(number_behind(svg, " width=\""), figure.width, 0.006);
        /* Text is smaller only where a figure would be too wide. */
        double units =
            number_behind(strstr(svg, "viewBox"), "viewBox=\"14 14 ");
        CHECK_NEAR(shown, figure.width * 72 / 25.4 / units * SF_CHART_TEXT,
                   0.01);
        CHECK(shown <= figure.text_size + 1e-9);
        CHECK(sample->chart.is_grid || shown > figure.text_size - 1e-9);
        CHECK(!strstr(svg, "dark"));
        CHECK(!strstr(svg, ">a &lt;title"));
        CHECK(strstr(svg, "font:12px 'Latin Modern Roman',serif}") != NULL);
        CHECK(!strstr(svg, "nan") && !strstr(svg, "sans-serif"));
        free(svg);
        free(sample);
    }
}

TEST(figure_lines_differ_without_colours)
{
    struct sf_chart_style styles[6] = { 0 };

    for (uint32_t i = 0; i < ARRAY_SIZE(styles); i++) {
        styles[i].color = SF_CHART_BLUE;
        styles[i].width = 1;
        sf_chart_style_for_paper(SF_CHART_LINE, i, &styles[i]);
        CHECK(styles[i].width < 1);
        for (uint32_t k = 0; k < i; k++) {
            const char *dash = styles[i].dash, *other = styles[k].dash;
            CHECK(dash && other ? strcmp(dash, other) != 0 : dash != other);
        }
    }
    /* What a figure says itself stays. */
    struct sf_chart_style own = { .dash = "9 9" };
    sf_chart_style_for_paper(SF_CHART_LINE, 3, &own);
    CHECK_STR(own.dash, "9 9");
}

/* Each stroke of a hatch lies within its area. */
TEST(figure_hatches_stay_inside)
{
    struct sf_random random;
    uint32_t n_hatched = 0;

    sf_random_init(&random, 7, 0);
    for (int i = 0; i < 200; i++) {
        double x = 100 * unit(&random), y = 100 * unit(&random);
        double width = 60 * unit(&random), height = 60 * unit(&random);
        char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        CHECK(stream != NULL);
        sf_chart_draw_hatch((enum sf_chart_color)(1 + i % 8), x, y, width,
                            height, stream);
        CHECK_EQ(fclose(stream), 0);
        for (const char *at = text; (at = strpbrk(at, "ML")) != NULL;) {
            char *end;
            double to_x = strtod(at + 1, &end), to_y = strtod(end, &end);
            CHECK(to_x >= x - 0.01 && to_x <= x + width + 0.01);
            CHECK(to_y >= y - 0.01 && to_y <= y + height + 0.01);
            at = end;
            n_hatched++;
        }
        free(text);
    }
    CHECK(n_hatched > 500);
}

TEST(figure_data_are_the_points)
{
    struct sf_chart_point line[] = { { .x = 1, .y = 0.1, .low = 0, .high = 1 },
                                     { .x = 2, .y = (double)NAN },
                                     { .x = 100, .y = 1e-7 } };
    struct sf_chart_point rule = { .y = 1.0 / 3 };
    struct sf_chart_series series[] = {
        { .name = "a \"b\", c",
          .n_points = 3,
          .points = line,
          .has_ranges = true },
        { .data_name = "limit",
          .kind = SF_CHART_RULE,
          .n_points = 1,
          .points = &rule },
    };
    struct sf_chart_panel panel = { .title = "p",
                                    .series = series,
                                    .n_series = 2 };
    struct sf_chart chart = { .panels = &panel, .n_panels = 1 };
    struct sf_figure figure = { .format = SF_FIGURE_CSV };
    size_t size;
    char *csv = text_of(&figure, &chart, &size);

    CHECK_STR(csv, "panel,series,x,y,low,high\n"
                   "p,\"a \"\"b\"\", c\",1,0.1,0,1\n"
                   "p,\"a \"\"b\"\", c\",100,1e-07,0,0\n"
                   "p,limit,,0.3333333333333333,,\n");
    free(csv);
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
        csv = text_of(&figure, &chart, &size);
        setlocale(LC_NUMERIC, "C");
        CHECK(strstr(csv, ",0.3333333333333333,") != NULL);
        free(csv);
    }
}

TEST(figure_data_of_a_map)
{
    static const double values[] = { 1, (double)NAN, 2.5, -4 };
    static const char *const columns[] = { "left", "right" };
    struct sf_chart_heat heat = { .n_rows = 2,
                                  .n_columns = 2,
                                  .values = values };
    struct sf_chart_panel panel = {
        .heat = &heat,
        .x = { .scale = SF_CHART_NAMES, .names = columns, .n_ticks = 2 }
    };
    struct sf_chart chart = { .panels = &panel, .n_panels = 1 };
    struct sf_figure figure = { .format = SF_FIGURE_CSV };
    size_t size;
    char *csv = text_of(&figure, &chart, &size);

    CHECK_STR(csv, "panel,x,y,value\n,left,0,1\n,left,1,2.5\n,right,1,-4\n");
    free(csv);
}

TEST(figure_of_nothing)
{
    struct sf_chart chart = { 0 };

    for (unsigned i = 0; i < SF_N_FIGURE_FORMATS; i++) {
        struct sf_figure figure = { .format = i };
        struct sf_error err = { 0 };
        if (i != SF_FIGURE_PDF || has_pdf()) {
            CHECK_EQ(sf_figure_draw(&figure, &chart, stdout, &err), SF_EINVAL);
            CHECK(strstr(err.text, "nothing to draw") != NULL);
        }
    }
}

TEST(figure_pdf_is_the_same_every_time)
{
    struct sample *sample = sample_of(3);
    struct sf_figure figure = { .format = SF_FIGURE_PDF };
    size_t sizes[2];

    if (has_pdf()) {
        char *first = text_of(&figure, &sample->chart, &sizes[0]);
        char *second = text_of(&figure, &sample->chart, &sizes[1]);
        CHECK(sizes[0] > 1000 && sizes[0] == sizes[1]);
        CHECK(!memcmp(first, second, sizes[0]));
        CHECK(!memcmp(first, "%PDF-", 5));
        CHECK(!memmem(first, sizes[0], "CreationDate", 12));
        free(first);
        free(second);
    }
    free(sample);
}

/* cairo's words had no name of a file, and the wrong status: whoever closes
 * the stream says what is wrong with it. */
TEST(figure_pdf_leaves_a_full_disk_to_the_stream)
{
    struct sample *sample = sample_of(3);
    struct sf_figure figure = { .format = SF_FIGURE_PDF };
    FILE *stream = fopen("/dev/full", "w");

    CHECK(stream != NULL);
    setvbuf(stream, NULL, _IONBF, 0);
    if (has_pdf()) {
        errno = 0;
        CHECK_EQ(sf_figure_draw(&figure, &sample->chart, stream, NULL), SF_OK);
        CHECK_EQ(errno, ENOSPC);
        CHECK(ferror(stream));
    }
    fclose(stream);
    free(sample);
}

TEST(figure_without_memory)
{
    struct sample *sample = sample_of(2);
    struct sf_figure figure = { .format = SF_FIGURE_SVG };
    FILE *stream = fopen("/dev/null", "w");
    unsigned long nth = 0;
    enum sf_status status;

    CHECK(stream != NULL);
    do {
        sf_mem_fail_at(++nth);
        status = sf_figure_draw(&figure, &sample->chart, stream, NULL);
        CHECK(status == SF_OK || status == SF_ENOMEM);
    } while (status != SF_OK);
    sf_mem_fail_at(0);
    CHECK(nth > 3);
    fclose(stream);
    free(sample);
}
