/* chart.h -- figures of numbers as SVG.
 *
 * A figure is one or more panels; a panel is two axes and what stands between
 * them: series of points, or a heat map.  Fill the structs and call
 * sf_chart_draw().  Zero stands for a good default everywhere:
 *
 *     struct sf_chart_point points[] = { { .x = 1, .y = 2 }, ... };
 *     struct sf_chart_series series = { .name = "gates", .n_points = 2,
 *                                       .points = points };
 *     struct sf_chart_panel panel = { .x.label = "layers",
 *                                     .y.label = "throughput",
 *                                     .series = &series, .n_series = 1 };
 *     struct sf_chart chart = { .title = "...", .panels = &panel,
 *                               .n_panels = 1 };
 *     sf_chart_draw(&chart, stream, err);
 *
 * Sizes are pixels.  Values that are not finite are left out, and so are those
 * that are not positive on a logarithmic axis; lines break there.  Nothing is
 * drawn outside a panel's frame.  The picture follows its viewer's light or
 * dark scheme, and is light on paper.  The same figure gives the same bytes on
 * every machine, whatever the locale. */
#ifndef SF_REPORT_CHART_H
#define SF_REPORT_CHART_H

#include "slimfly/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SF_CHART_TEXT_SIZE 96
#define SF_CHART_NOTE_SIZE 160

enum sf_chart_scale {
    SF_CHART_LINEAR,
    SF_CHART_LOG,
    SF_CHART_NAMES, /* Names at 0, 1, 2 ... */
};

struct sf_chart_axis {
    enum sf_chart_scale scale;
    const char *label; /* NULL: none. */
    const char *unit;  /* Behind each number, " %"; NULL: none. */
    double min, max;   /* Both 0: what the data need. */
    bool has_zero;     /* Begins at 0, whatever the data; not LOG. */
    bool is_whole;     /* No ticks between whole numbers. */
    bool is_tight;     /* Ends at the data, not at the next tick. */

    /* Where the ticks are, or NAMES; else NULL: at round numbers. */
    const double *ticks;      /* [n_ticks] Growing. */
    const char *const *names; /* [n_ticks] */
    uint32_t n_ticks;
};

/* Colours that people with any colour vision tell apart [OkabeIto08]. */
enum sf_chart_color {
    SF_CHART_AUTO, /* Colour, mark and dashes by the number of the series. */
    SF_CHART_BLUE,
    SF_CHART_VERMILION,
    SF_CHART_GREEN,
    SF_CHART_PURPLE,
    SF_CHART_ORANGE,
    SF_CHART_SKY,
    SF_CHART_INK, /* Black, or white in the dark. */
    SF_CHART_GREY,
    SF_N_CHART_COLORS,
};

struct sf_chart_style {
    enum sf_chart_color color;
    char mark; /* o circle, s square, t and v triangles, d diamond, x and +
                * crosses; capital letters are hollow; 0: none. */
    bool is_pale;
    const char *dash;  /* As SVG has it, "6 3"; NULL: solid. */
    double width;      /* Of lines; 0: 1.6. */
    double mark_scale; /* 0: as large as usual. */
};

enum sf_chart_kind {
    SF_CHART_LINE,   /* A line, and marks on its points. */
    SF_CHART_POINTS, /* Marks only. */
    SF_CHART_BARS,   /* From 0 up; those of several series at the same x stand
                      * side by side, or on each other if stacked.  Bars as
                      * wide as their distance are a histogram. */
    SF_CHART_BOXES,  /* Quartiles, and the range as whiskers. */
    SF_CHART_RULE,   /* A line across the panel at the first point's y. */
};

struct sf_chart_point {
    double x, y;                   /* BOXES: y is the median, */
    double lower, upper;           /* these are the quartiles, */
    double low, high;              /* these the range, also of 'has_ranges'. */
    char note[SF_CHART_NOTE_SIZE]; /* Shown below the pointer; "": x and y.  A
                                    * bar whose y is not finite has it in its
                                    * place, upright: "none left". */
};

struct sf_chart_series {
    const char *name; /* For the legend; NULL: not there.  Series of one name
                       * in several panels look the same. */
    const char *data_name; /* In files of data; NULL: its name. */
    enum sf_chart_kind kind;
    uint32_t n_points;
    const struct sf_chart_point *points; /* [n_points] */
    struct sf_chart_style style;
    bool has_ranges; /* Each point has a range, drawn as an error bar. */
};

/* A matrix of numbers as colours: row 0 at the top, column 0 at the left. */
struct sf_chart_heat {
    uint32_t n_rows, n_columns;
    const double *values; /* [n_rows * n_columns] Those that are not finite
                           * stay grey. */
    struct sf_chart_axis scale; /* Of the colours: LINEAR or LOG. */
    bool is_diverging; /* Two colours that part in the middle of the scale, for
                        * better and worse. */
    bool has_numbers;  /* Each cell has its number, without digits behind the
                        * point, */
    const bool *is_slanted;   /* [cells] in italics where this says so; NULL:
                               * nowhere. */
    const char *const *notes; /* [cells] Behind what the pointer shows; NULL:
                               * none. */
};

struct sf_chart_panel {
    char group[SF_CHART_TEXT_SIZE]; /* Stands once above panels of a row, next
                                     * to each other, that share it. */
    char title[SF_CHART_TEXT_SIZE];
    char caption[SF_CHART_TEXT_SIZE]; /* Small, at the right above. */
    struct sf_chart_axis x, y;        /* Of a heat map: labels and names. */
    const struct sf_chart_series *series; /* [n_series] */
    uint32_t n_series;
    bool is_stacked; /* Bars. */
    bool is_spread;  /* Points of several series at one x stand a little aside,
                      * so that none hides another. */
    const struct sf_chart_heat *heat; /* NULL: none. */
    double bar_width; /* Of all bars, or boxes, at one x; 0: 0.8. */
};

struct sf_chart {
    char title[SF_CHART_NOTE_SIZE];
    char note[SF_CHART_NOTE_SIZE];       /* Small, below everything. */
    const struct sf_chart_panel *panels; /* [n_panels] Row by row. */
    uint32_t n_panels;
    uint32_t n_columns;  /* 0: up to 3. */
    double panel_width;  /* Between the axes; 0: 310; */
    double panel_height; /* 0: 260.  Both grow if text needs it. */
    bool has_end_labels; /* Names stand at the ends of lines instead of in a
                          * legend; for a single column. */

    /* The panels of a column share their x axis and those of a row their y
     * axis: numbers stand only at the left and below, a label that panels next
     * to each other share stands once. */
    bool is_grid;
    const char *const *row_names; /* [rows] At the left; NULL: none. */
};

/* Draws 'chart'.  SF_EINVAL: there is no panel; SF_ENOMEM. */
enum sf_status sf_chart_draw(const struct sf_chart *chart, FILE *stream,
                             struct sf_error *err);

/* 1, 2 or 5 times a power of ten, at most 'x' if 'is_below', else at least;
 * x > 0. */
double sf_chart_round(double x, bool is_below);

/* Writes 'value' with four significant digits. */
void sf_chart_format(double value, char *text, size_t size);

#endif
