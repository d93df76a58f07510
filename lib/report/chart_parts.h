/* chart_parts.h -- what the files of the chart module share.
 *
 *     chart_text.c    numbers and words as SVG, how wide words are
 *     chart_number.c  round numbers, and how they are written
 *     chart_ticks.c   where ticks are
 *     chart_ruler.c   the ends of axes; from values to places
 *     chart_range.c   what the data of a panel lie between
 *     chart_layout.c  where everything goes
 *     chart_frame.c   axes, titles
 *     chart_marks.c   lines and marks
 *     chart_bars.c    bars and boxes
 *     chart_heat.c    heat maps
 *     chart_legend.c  which line is which
 *     chart_paper.c   the same for papers
 *     chart_csv.c     the data
 *     chart.c         the one call; the style sheet */
#ifndef SF_REPORT_CHART_PARTS_H
#define SF_REPORT_CHART_PARTS_H

#include "report/chart.h"

#define SF_CHART_MAX_TICKS 48
#define SF_CHART_STEP      22.0 /* From one line of a legend to the next. */
#define SF_CHART_MARGIN    16.0

/* Sizes of text, as the style sheet has them. */
#define SF_CHART_TITLE 16.0
#define SF_CHART_HEAD  13.0
#define SF_CHART_TEXT  12.0
#define SF_CHART_SMALL 11.0
#define SF_CHART_BOLD  1.12 /* How much wider bold letters are. */

/* The tilt of names that have no room side by side. */
#define SF_CHART_COSINE 0.819
#define SF_CHART_SINE   0.574

/* The form of a paper: the whole figure is as wide as a column of it, and the
 * panels take what text leaves. */
struct sf_chart_paper {
    double width;       /* Points. */
    double height;      /* Points; the drawing sets it. */
    double text_size;   /* Points of what has SF_CHART_TEXT on screens; the
                         * drawing lessens it where panels have no room. */
    const char *family; /* Of fonts, as CSS has it. */
    double room;        /* The width as units of the layout. */
};

struct sf_chart_tick {
    double at;
    char text[SF_CHART_TEXT_SIZE]; /* "": no room. */
};

/* What data lie between; empty if 'max' < 'min'. */
struct sf_chart_range {
    double min, max;
    double least;   /* The least that is above 0, for logarithms. */
    bool has_marks; /* Whether marks stand around values. */
};

/* 'digits' times ten to the 'exponent'. */
struct sf_chart_decimal {
    long long digits;
    int exponent;
};

/* An axis in the picture. */
struct sf_chart_ruler {
    bool is_log, is_tilted;    /* 'is_tilted': the texts of the ticks are. */
    bool keeps_min, keeps_max; /* Ends that are away from 0 only so that marks
                                * have room; ticks do not move them. */
    double min, max;           /* What the ends mean, */
    double from, to;           /* and where they are. */
    struct sf_chart_tick ticks[SF_CHART_MAX_TICKS];
    uint32_t n_ticks;
};

/* A panel in the picture. */
struct sf_chart_frame {
    const struct sf_chart_panel *panel;
    const struct sf_chart_paper *paper; /* NULL: for screens. */
    struct sf_chart_ruler x, y;
    struct sf_chart_range x_range, y_range;
    double left, top, width, height;
    bool has_x_text, has_y_text; /* Whether numbers stand at its axes. */
    double title_y;              /* Where its title stands. */
};

/* A line of the legend. */
struct sf_chart_entry {
    const struct sf_chart_series *series;
    struct sf_chart_style style;
    double x, y;   /* Where it stands, */
    double from_x; /* and for labels at ends where the line ends. */
    double from_y;
};

struct sf_chart_layout {
    const struct sf_chart *chart;
    const struct sf_chart_paper *paper; /* NULL: for screens. */
    uint32_t n_columns, n_rows;
    double width, height;
    double legend_y;
    struct sf_chart_frame *frames;  /* [n_panels] */
    struct sf_chart_entry *entries; /* [n_entries] */
    uint32_t n_entries;
};

/* A series on its way into the picture. */
struct sf_chart_pen {
    const struct sf_chart_frame *frame;
    const struct sf_chart_series *series;
    struct sf_chart_style style;
    uint32_t number; /* In its panel. */
    double aside;    /* How far its points are moved. */
    FILE *stream;
};

/* Like fprintf() for SVG, with few conversions: %f a number of at most two
 * decimals with a point in any locale, %s text that is escaped, %u, %c. */
void sf_chart_print(FILE *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* About as wide as the widest usual font draws 'text'. */
double sf_chart_text_width(const char *text, double size);

/* Cuts 'text' so that it needs no more than 'width', with an ellipsis. */
void sf_chart_shorten(const char *text, double text_size, double width,
                      char *short_text, size_t size);

/* Writes text; the whole of it is shown below the pointer if it was cut. */
void sf_chart_write(FILE *stream, double x, double y, const char *anchor,
                    const char *class, const char *text);
void sf_chart_write_within(FILE *stream, double x, double y,
                           const char *anchor, const char *class,
                           const char *text, double text_size, double width);

double sf_chart_value(struct sf_chart_decimal number);

/* The exponent of the power of ten at or below 'x' > 0. */
int sf_chart_exponent(double x);
struct sf_chart_decimal sf_chart_round_decimal(double x, bool is_below);

/* Plain between a ten-thousandth and a million, else with a power of ten. */
void sf_chart_write_decimal(struct sf_chart_decimal number, char *text,
                            size_t size);

/* Set the ticks between the ends of 'ruler'.  'is_snapped': the ends move out
 * to ticks; 'is_padded': they move away from the ticks that are given. */
void sf_chart_ticks_linear(struct sf_chart_ruler *ruler,
                           const struct sf_chart_axis *axis, bool is_snapped,
                           bool is_upright);
void sf_chart_ticks_log(struct sf_chart_ruler *ruler,
                        const struct sf_chart_axis *axis, bool is_snapped,
                        bool is_upright);
void sf_chart_ticks_given(struct sf_chart_ruler *ruler,
                          const struct sf_chart_axis *axis, bool is_padded,
                          bool is_upright);
void sf_chart_ticks_names(struct sf_chart_ruler *ruler,
                          const struct sf_chart_axis *axis, bool is_upright);

/* Text that is read from below, around 'y'. */
void sf_chart_write_upright(FILE *stream, double x, double y, const char *text,
                            double length);

/* Sets the ends and ticks of 'ruler', whose 'from' and 'to' are set. */
void sf_chart_ruler_set(struct sf_chart_ruler *ruler,
                        const struct sf_chart_axis *axis,
                        const struct sf_chart_range *range, bool is_upright);
double sf_chart_at(const struct sf_chart_ruler *ruler, double value);
bool sf_chart_is_inside(const struct sf_chart_ruler *ruler, double value);
double sf_chart_clamp(const struct sf_chart_ruler *ruler, double value);
double sf_chart_ticks_width(const struct sf_chart_ruler *ruler);

void sf_chart_range_add(struct sf_chart_range *range, double value);
void sf_chart_ranges(const struct sf_chart_panel *panel,
                     struct sf_chart_range *x, struct sf_chart_range *y);
/* Where a bar begins: on top of those of earlier series, if stacked. */
double sf_chart_base(const struct sf_chart_panel *panel, uint32_t series,
                     double x);
double sf_chart_bar_width(const struct sf_chart_panel *panel);

/* The room that the texts beside a frame take. */
double sf_chart_left_room(const struct sf_chart_frame *frame);
double sf_chart_right_room(const struct sf_chart_frame *frame);
double sf_chart_bottom_room(const struct sf_chart_frame *frame);

/* Draws what lies below the data, and what lies above them. */
void sf_chart_draw_frame(const struct sf_chart_layout *layout,
                         const struct sf_chart_frame *frame, FILE *stream);
void sf_chart_draw_axes(const struct sf_chart_frame *frame, FILE *stream);

/* Labels, and titles of groups, each once for the frames that share it. */
void sf_chart_draw_shared(const struct sf_chart_layout *layout, FILE *stream);

/* How many panels from 'first' on, next to each other, share a text. */
uint32_t
sf_chart_count_shared(const struct sf_chart_layout *layout, uint32_t first,
                      const char *(*text_of)(const struct sf_chart_panel *));
const char *sf_chart_group_of(const struct sf_chart_panel *panel);
const char *sf_chart_x_label_of(const struct sf_chart_panel *panel);

/* Finds the place of everything; clear it, also after a failure. */
enum sf_status sf_chart_layout_build(const struct sf_chart *chart,
                                     struct sf_chart_layout *layout,
                                     struct sf_error *err);
enum sf_status sf_chart_layout_build_for(const struct sf_chart_paper *paper,
                                         const struct sf_chart *chart,
                                         struct sf_chart_layout *layout,
                                         struct sf_error *err);
void sf_chart_layout_clear(struct sf_chart_layout *layout);

/* Draws all panels, what they share, and the legend. */
void sf_chart_draw_content(const struct sf_chart_layout *layout, FILE *stream);

/* Draws 'chart' as a paper needs it, and writes what it shows as CSV. */
enum sf_status sf_chart_draw_paper(const struct sf_chart *chart,
                                   struct sf_chart_paper *paper, FILE *stream,
                                   struct sf_error *err);
enum sf_status sf_chart_write_csv(const struct sf_chart *chart, FILE *stream,
                                  struct sf_error *err);

/* How a style looks in print: thin, and told apart without colours.  'number'
 * is that of the entry in the legend. */
void sf_chart_style_for_paper(enum sf_chart_kind kind, uint32_t number,
                              struct sf_chart_style *style);

/* Lines over an area that print without colours needs to be told from those of
 * other colours; some have none. */
void sf_chart_draw_hatch(enum sf_chart_color color, double x, double y,
                         double width, double height, FILE *stream);

void sf_chart_draw_series(const struct sf_chart_layout *layout,
                          const struct sf_chart_frame *frame, FILE *stream);
/* Whether a value has a place on the axis, inside or outside of the frame, and
 * whether a point is inside. */
bool sf_chart_has_place(const struct sf_chart_ruler *ruler, double value);
bool sf_chart_is_drawn(const struct sf_chart_pen *pen,
                       const struct sf_chart_point *point);
void sf_chart_write_note(const struct sf_chart_pen *pen,
                         const struct sf_chart_point *point);
void sf_chart_draw_range(const struct sf_chart_pen *pen, double x, double low,
                         double high);
void sf_chart_draw_bars(const struct sf_chart_pen *pen);
void sf_chart_draw_boxes(const struct sf_chart_pen *pen);
void sf_chart_draw_swatch(const struct sf_chart_layout *layout,
                          const struct sf_chart_entry *entry, FILE *stream);

double sf_chart_heat_room(const struct sf_chart_frame *frame);
void sf_chart_draw_heat(const struct sf_chart_frame *frame, FILE *stream);

/* The style of a series, with what its number decides. */
struct sf_chart_style sf_chart_style_of(const struct sf_chart_layout *layout,
                                        const struct sf_chart_panel *panel,
                                        uint32_t series);
enum sf_status sf_chart_gather_entries(struct sf_chart_layout *layout,
                                       struct sf_error *err);
double sf_chart_legend_width(const struct sf_chart_layout *layout);
double sf_chart_end_labels_room(const struct sf_chart_layout *layout);

/* Places the entries from 'legend_y' on, and returns how high they stand. */
double sf_chart_place_legend(struct sf_chart_layout *layout);
enum sf_status sf_chart_place_end_labels(struct sf_chart_layout *layout,
                                         struct sf_error *err);
void sf_chart_draw_legend(const struct sf_chart_layout *layout, FILE *stream);

#endif
