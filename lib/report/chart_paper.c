/* chart_paper.c -- charts for papers.
 *
 * The layout is the same as on screens, in the same units, of which
 * SF_CHART_TEXT are the size of text.  What differs is the order: the width of
 * the whole is given, and the panels take what texts leave.  So the size of
 * text says how many units the figure is wide, and the panels are made wider
 * until the layout is.  There is no title, which captions have, and nothing
 * that needs a pointer or a dark scheme. */
#include "base/mem.h"
#include "report/chart_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EDGE       2.0   /* Room around the figure. */
#define BELOW      6.0   /* Height that is cut off below a legend. */
#define BELOW_AXES 14.0  /* Height that is cut off below axes. */
#define MIN_PANEL  150.0 /* The width below which fewer panels share a row. */
#define MIN_CELL   20.0  /* The smallest width of a cell with a number. */
#define LEAST      36.0  /* The smallest width of a panel of a grid. */
#define MAX_SHAPE  0.66  /* Most height by width of panels in one row. */
#define MANY_SHAPE 0.5   /* Most height by width, in several rows. */
#define LEAST_TALL 44.0  /* The smallest height of a panel. */
#define N_ROUNDS   24    /* Tries to find the width of the panels. */
#define THIN       0.7   /* Size of lines and marks; on screens it is 1. */
#define HATCH      4.5   /* Distance of the lines of a hatched area. */

/* The light colours of screens; black axes, thin lines. */
static const char style_sheet[] =
    ".head{font-weight:bold}.small{font-size:11px}"
    ".void{fill:#d5d8dc}"
    ".grid{fill:none;stroke:#dcdcdc;stroke-width:.6}"
    ".axis{fill:none;stroke:#000;stroke-width:.8}"
    ".line{fill:none;stroke:currentColor}.bar{fill:currentColor}"
    ".mark{fill:currentColor;stroke:currentColor;stroke-width:1.6}"
    ".paper,.hollow{fill:#fff}"
    ".hatch{fill:none;stroke:#fff;stroke-width:1.1}"
    ".box{fill:currentColor;fill-opacity:.3;stroke:currentColor}"
    ".pale{opacity:.42}"
    ".c1{color:#005f9e}.c2{color:#b84400}.c3{color:#008a63}"
    ".c4{color:#c0649a}.c5{color:#d99500}.c6{color:#45a6e2}"
    ".c7{color:#000}.c8{color:#767676}";

void
sf_chart_style_for_paper(enum sf_chart_kind kind, uint32_t number,
                         struct sf_chart_style *style)
{
    static const char *const dashes[] = { NULL,      "6 2",         "1.5 2",
                                          "6 2 1 2", "3 2",         "9 2 3 2",
                                          "9 3",     "6 2 1 2 1 2", "1 3.5" };
    bool is_line = kind == SF_CHART_LINE;

    /* Lines that only their colour tells apart, or their colour and mark. */
    if (is_line && !style->dash && !style->is_pale) {
        style->dash = dashes[number % (sizeof dashes / sizeof *dashes)];
    }
    style->width *= THIN;
    style->mark_scale = THIN;
}

/* A line with slope 'slope' (0: level) that cuts x = 'left' at 'at', as far as
 * it is inside of a rectangle. */
static void
draw_slanted(double left, double top, double width, double height, double at,
             double slope, FILE *stream)
{
    double from = left, to = left + width;

    if (slope != 0) {
        double first = left + (top - at) / slope;
        double second = left + (top + height - at) / slope;
        from = fmax(from, fmin(first, second));
        to = fmin(to, fmax(first, second));
    }
    if (to - from > 0.1) {
        sf_chart_print(stream, "M%f %fL%f %f", from,
                       at + (from - left) * slope, to,
                       at + (to - left) * slope);
    }
}

void
sf_chart_draw_hatch(enum sf_chart_color color, double x, double y,
                    double width, double height, FILE *stream)
{
    /* Which lines: rising, falling, level. */
    static const struct {
        bool rises, falls, is_level;
    } hatches[SF_N_CHART_COLORS] = {
        [SF_CHART_VERMILION] = { .rises = true },
        [SF_CHART_GREEN] = { .falls = true },
        [SF_CHART_PURPLE] = { .rises = true, .falls = true },
        [SF_CHART_ORANGE] = { .is_level = true },
        [SF_CHART_SKY] = { .is_level = true, .rises = true },
    };
    bool rises = hatches[color].rises, falls = hatches[color].falls;
    bool is_level = hatches[color].is_level;

    if (width < 3 || height < 1 || !(rises || falls || is_level)) {
        return;
    }
    fputs("<path class=\"hatch\" d=\"", stream);
    /* Stands still from bar to bar: multiples from the bottom. */
    for (double at = y + height - HATCH / 2; is_level && at > y; at -= HATCH) {
        draw_slanted(x, y, width, height, at, 0, stream);
    }
    for (double at = y + height + width; rises && at > y; at -= HATCH * 1.4) {
        draw_slanted(x, y, width, height, at, -1, stream);
    }
    for (double at = y + height; falls && at > y - width; at -= HATCH * 1.4) {
        draw_slanted(x, y, width, height, at, 1, stream);
    }
    fputs("\"/>\n", stream);
}

/* A chart on its way to paper. */
struct sheet {
    struct sf_chart chart; /* Without titles, with panels of its own. */
    struct sf_chart_panel *panels;
    struct sf_chart_layout layout;
};

/* The height of a panel by its width: maps keep their shape, lines need less
 * than on screens. */
static double
shape_of(const struct sf_chart *chart, uint32_t n_columns)
{
    double width = chart->panel_width > 0 ? chart->panel_width : 310;
    double height = chart->panel_height > 0 ? chart->panel_height : 260;
    bool has_heat = chart->n_panels && chart->panels[0].heat;

    double most = n_columns < chart->n_panels ? MANY_SHAPE : MAX_SHAPE;

    return has_heat ? height / width : fmin(height / width, most);
}

/* The width that a panel should have at least. */
static double
wanted_width(const struct sf_chart *chart, double room)
{
    double width = MIN_PANEL;

    for (uint32_t i = 0; i < chart->n_panels; i++) {
        const struct sf_chart_panel *panel = &chart->panels[i];
        double title =
            sf_chart_text_width(panel->title, SF_CHART_TEXT * SF_CHART_BOLD);
        width = fmax(width, title);
        if (panel->heat && panel->heat->has_numbers) {
            width = fmax(width, MIN_CELL * panel->heat->n_columns);
        }
    }
    return fmin(width, room);
}

static uint32_t
columns_of(const struct sf_chart *chart)
{
    uint32_t n = chart->n_columns ? chart->n_columns : 3;

    return n < chart->n_panels ? n : chart->n_panels;
}

/* Panels that are first of their row, and were not before, get the label of
 * the one that was. */
static void
pass_labels_on(struct sheet *sheet, const struct sf_chart *chart, uint32_t n)
{
    uint32_t n_before = columns_of(chart);
    const char *label = NULL;

    for (uint32_t i = 0; i < chart->n_panels; i++) {
        const char *own = chart->panels[i].y.label;
        label = own || i % n_before == 0 ? own : label;
        sheet->panels[i].y.label = i % n == 0 ? label : own;
    }
}

/* Captions are left out where they would be cut. */
static void
drop_captions(struct sheet *sheet, const struct sf_chart *chart, double width)
{
    for (uint32_t i = 0; i < chart->n_panels; i++) {
        const char *caption = chart->panels[i].caption;
        bool fits = sf_chart_text_width(caption, SF_CHART_SMALL) <= width;
        snprintf(sheet->panels[i].caption, sizeof sheet->panels[i].caption,
                 "%s", fits ? caption : "");
    }
}

/* The least height at which the labels of the axes upward are not cut. */
static double
least_height(const struct sf_chart *chart, double width)
{
    double height = LEAST_TALL;

    for (uint32_t i = 0; !chart->is_grid && i < chart->n_panels; i++) {
        const char *label = chart->panels[i].y.label;
        height = fmax(height,
                      label ? sf_chart_text_width(label, SF_CHART_TEXT) : 0);
    }
    return fmin(height, width);
}

/* The least width of the panels of a grid: titles are not cut. */
static double
least_width(const struct sf_chart *chart)
{
    double width = LEAST;

    for (uint32_t i = 0; chart->is_grid && i < chart->n_panels; i++) {
        width =
            fmax(width, sf_chart_text_width(chart->panels[i].title,
                                            SF_CHART_HEAD * SF_CHART_BOLD));
    }
    return width;
}

/* Makes panels as wide as the figure has room for, in 'n' columns. */
static enum sf_status
fit(struct sheet *sheet, const struct sf_chart *chart,
    const struct sf_chart_paper *paper, uint32_t n, struct sf_error *err)
{
    double room = paper->room - 2 * EDGE;
    double shape = shape_of(chart, n), least = least_width(chart);
    double width = fmax(room / n, least);
    enum sf_status status = SF_OK;

    sheet->chart.n_columns = n;
    for (int i = 0; !status && i < N_ROUNDS; i++) {
        sheet->chart.panel_width = width;
        sheet->chart.panel_height =
            fmax(width * shape, least_height(chart, width));
        drop_captions(sheet, chart, width);
        sf_chart_layout_clear(&sheet->layout);
        status = sf_chart_layout_build_for(paper, &sheet->chart,
                                           &sheet->layout, err);
        double over = sheet->layout.width - 2 * SF_CHART_MARGIN - room;
        if ((over <= 0 && over > -0.5) || (over > 0 && width <= least)) {
            break;
        }
        /* Ticks that come and go may move the width back and forth: the last
         * rounds only go down. */
        over = over > 0 ? over + 0.2 : over * (i < N_ROUNDS / 2);
        width = fmax(width - over / n, least);
    }
    return status;
}

static enum sf_status
lay_out(struct sheet *sheet, const struct sf_chart *chart,
        const struct sf_chart_paper *paper, struct sf_error *err)
{
    enum sf_status status = SF_OK;
    double room = paper->room - 2 * EDGE;

    for (uint32_t n = columns_of(chart); n > 0; n--) {
        pass_labels_on(sheet, chart, n);
        status = fit(sheet, chart, paper, n, err);
        if (status || chart->is_grid ||
            sheet->chart.panel_width >= wanted_width(chart, room)) {
            break;
        }
    }
    return status;
}

/* A figure that does not fit is drawn smaller as a whole. */
static void
write_sheet(const struct sheet *sheet, const struct sf_chart *chart,
            struct sf_chart_paper *paper, FILE *stream)
{
    const struct sf_chart_layout *layout = &sheet->layout;
    double cut = SF_CHART_MARGIN - EDGE;
    double width = fmax(paper->room, layout->width - 2 * cut);
    double height =
        layout->height - cut - (layout->n_entries ? BELOW : BELOW_AXES);
    double scale = paper->width / width; /* Points of a unit. */

    paper->height = height * scale;
    paper->text_size = scale * SF_CHART_TEXT;
    sf_chart_print(stream,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%fmm\" "
                   "height=\"%fmm\" viewBox=\"%f %f %f %f\" role=\"img\" "
                   "aria-label=\"%s\">\n<style>svg{color:#000;"
                   "fill:currentColor}text{font:%fpx ",
                   paper->width * 25.4 / 72, paper->height * 25.4 / 72, cut,
                   cut, width, height, chart->title, SF_CHART_TEXT);
    fputs(paper->family, stream);
    fprintf(stream, "}%s</style>\n", style_sheet);
    if (*chart->note) {
        sf_chart_print(stream, "<desc>%s</desc>\n", chart->note);
    }
    sf_chart_print(stream,
                   "<rect class=\"paper\" x=\"%f\" y=\"%f\" width=\"%f\" "
                   "height=\"%f\"/>\n",
                   cut, cut, width, height);
    sf_chart_draw_content(layout, stream);
    fputs("</svg>\n", stream);
}

enum sf_status
sf_chart_draw_paper(const struct sf_chart *chart, struct sf_chart_paper *paper,
                    FILE *stream, struct sf_error *err)
{
    struct sheet sheet = { .chart = *chart };

    if (!chart->n_panels) {
        return sf_chart_layout_build(chart, &sheet.layout, err);
    }
    sheet.panels = sf_calloc(chart->n_panels, sizeof *sheet.panels);
    if (!sheet.panels) {
        return sf_fail(err, SF_ENOMEM, "chart of %u panels", chart->n_panels);
    }
    memcpy(sheet.panels, chart->panels,
           chart->n_panels * sizeof *sheet.panels);
    sheet.chart.panels = sheet.panels;
    sheet.chart.has_end_labels = false;
    *sheet.chart.title = *sheet.chart.note = '\0';
    paper->room = paper->width / paper->text_size * SF_CHART_TEXT;
    enum sf_status status = lay_out(&sheet, chart, paper, err);
    if (!status) {
        write_sheet(&sheet, chart, paper, stream);
    }
    sf_chart_layout_clear(&sheet.layout);
    free(sheet.panels);
    return status;
}
