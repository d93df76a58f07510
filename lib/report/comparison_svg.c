/* comparison_svg.c -- the figures of a comparison.
 *
 * Histograms stand in a grid, a row for each routing and a column for each
 * number of layers, all with the same axes, so that the eye goes along and
 * down.  Throughput has a plot for each traffic, a line for each routing.
 * Colours are those of Okabe and Ito; marks and dashes tell the lines apart
 * in grey too. */
#include "io/xml.h"
#include "report/chart.h"
#include "report/comparison_writers.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define MAX_LINES   64
#define MAX_BARS    400
#define MARGIN      16.0
#define TITLE       64.0 /* From the top to the headings. */
#define LABELS      120.0
#define PANEL       62.0 /* Height of a panel, */
#define PANEL_GAP   30.0 /* and between two of them. */
#define GRID_WIDTH  1050.0
#define PLOT_WIDTH  310.0
#define PLOT_HEIGHT 260.0
#define PLOT_LEFT   64.0
#define LEGEND_STEP 22.0

static const char *const style_sheet =
    "text{font:12px sans-serif;fill:#222}.title{font:bold 16px sans-serif}"
    ".head{font:bold 12px sans-serif}.small{font:10.5px sans-serif}"
    ".grid{stroke:#e3e6ea;fill:none}.axis{stroke:#555;fill:none}"
    ".bar{fill:#0072b2}.pale{fill:#9ecbe8}.range{stroke-width:1;fill:none}"
    ".mark{stroke-width:1.4}";

/* How a line is drawn.  The first is for the default scheme. */
struct style {
    const char *color, *dash;
    char mark;
    double width;
};

static const struct style styles[] = {
    { "#0072b2", "none", 'o', 2.8 }, { "#d55e00", "none", 's', 1.6 },
    { "#009e73", "none", 't', 1.6 }, { "#cc79a7", "none", 'd', 1.6 },
    { "#e69f00", "6 3", 's', 1.6 },  { "#000000", "none", 'x', 1.6 },
    { "#56b4e9", "6 3", 'd', 1.6 },  { "#000000", "6 3", '+', 1.6 },
};

#define N_STYLES (sizeof styles / sizeof *styles)

/* And lines across, which have no marks. */
static const struct style limit_styles[] = {
    [SF_THROUGHPUT_HOPS] = { "#555", "9 4", 0, 1.3 },
    [SF_THROUGHPUT_ANY] = { "#555", "9 3 2 3", 0, 1.3 },
};

/* The routings and numbers of layers that there are. */
struct grid {
    const struct sf_comparison *comparison;
    const char *labels[MAX_LINES];
    uint32_t n_labels;
    uint32_t layers[MAX_LINES]; /* Growing. */
    uint32_t n_layers;
};

/* Where one histogram goes: a rectangle, and what its sides mean. */
struct panel {
    double x, y, width;
    double min, max; /* Of the values. */
};

static void
begin(double width, double height, const char *title,
      const struct sf_comparison *comparison, FILE *stream)
{
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<style>%s</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text class=\"title\" x=\"%.0f\" y=\"28\">%s, ",
            width, height, width, height, style_sheet, MARGIN, title);
    sf_xml_write(comparison->params.name, stream);
    if (comparison->params.n_seeds > 1) {
        fprintf(stream, ", %u seeds", comparison->params.n_seeds);
    }
    fputs("</text>\n", stream);
}

static void
write_text(double x, double y, const char *anchor, const char *class,
           const char *text, FILE *stream)
{
    fprintf(stream,
            "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">",
            class, x, y, anchor);
    sf_xml_write(text, stream);
    fputs("</text>\n", stream);
}

static void
add_label(struct grid *grid, const char *label)
{
    for (uint32_t i = 0; i < grid->n_labels; i++) {
        if (!strcmp(grid->labels[i], label)) {
            return;
        }
    }
    if (grid->n_labels < MAX_LINES) {
        grid->labels[grid->n_labels++] = label;
    }
}

static void
add_layers(struct grid *grid, uint32_t n_layers)
{
    uint32_t place = 0;

    while (place < grid->n_layers && grid->layers[place] < n_layers) {
        place++;
    }
    if (grid->n_layers == MAX_LINES ||
        (place < grid->n_layers && grid->layers[place] == n_layers)) {
        return;
    }
    memmove(grid->layers + place + 1, grid->layers + place,
            (grid->n_layers - place) * sizeof *grid->layers);
    grid->layers[place] = n_layers;
    grid->n_layers++;
}

/* Finds what has layers; 'with_paths': and metrics of paths. */
static struct grid
make_grid(const struct sf_comparison *comparison, bool with_paths)
{
    struct grid grid = { .comparison = comparison };

    for (uint32_t i = 0; i < comparison->params.n_rows; i++) {
        const struct sf_comparison_row *row = &comparison->params.rows[i];
        if (row->n_layers && (!with_paths || comparison->results[i].metrics)) {
            add_label(&grid, row->label);
            add_layers(&grid, row->n_layers);
        }
    }
    return grid;
}

/* The row of a label and a number of layers; SF_NONE if there is none. */
static uint32_t
find_row(const struct grid *grid, uint32_t label, uint32_t column)
{
    const struct sf_comparison_params *params = &grid->comparison->params;

    for (uint32_t i = 0; i < params->n_rows; i++) {
        if (params->rows[i].n_layers == grid->layers[column] &&
            !strcmp(params->rows[i].label, grid->labels[label])) {
            return i;
        }
    }
    return SF_NONE;
}

static const struct sf_path_metrics *
metrics_of(const struct grid *grid, uint32_t label, uint32_t column)
{
    uint32_t row = find_row(grid, label, column);
    return row == SF_NONE ? NULL : grid->comparison->results[row].metrics;
}

/* Draws the bars of 'histogram', whose values are divided by 'scale' and fall
 * into bins around 'first' + i * 'step'; those below 'strong_from' are pale.
 */
static void
draw_bars(const struct panel *panel, const struct sf_histogram *histogram,
          double scale, double first, double step, double strong_from,
          FILE *stream)
{
    double shares[MAX_BARS] = { 0 };
    double all = (double)sf_histogram_count(histogram);
    double unit = panel->width / (panel->max - panel->min);

    for (uint32_t i = 0; i < histogram->n_bins; i++) {
        double value = (double)histogram->bins[i].value / scale;
        double bar = floor((value - first) / step + 0.5);
        int at = (int)fmin(fmax(bar, 0), MAX_BARS - 1);
        shares[at] += (double)histogram->bins[i].n / all;
    }
    for (int i = 0; i < MAX_BARS; i++) {
        double centre = first + i * step;
        double height = fmax(shares[i] * PANEL, 0.6);
        if (shares[i] > 0) {
            fprintf(stream,
                    "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" "
                    "width=\"%.2f\" height=\"%.2f\"><title>%.4g: %.1f "
                    "%%</title></rect>\n",
                    centre < strong_from ? "pale" : "bar",
                    panel->x + (centre - 0.44 * step - panel->min) * unit,
                    panel->y + PANEL - height, 0.88 * step * unit, height,
                    centre, 100 * shares[i]);
        }
    }
}

/* The frame of a panel: half and whole, the base, and what stands above. */
static void
draw_frame(const struct panel *panel, bool is_first, const char *caption,
           FILE *stream)
{
    for (int i = 0; i < 2; i++) {
        double y = panel->y + i * PANEL / 2;
        fprintf(stream, "<path class=\"grid\" d=\"M%.1f %.1fh%.1f\"/>\n",
                panel->x, y, panel->width);
        if (is_first) {
            write_text(panel->x - 6, y + 4, "end", "small",
                       i ? "50 %" : "100 %", stream);
        }
    }
    fprintf(stream, "<path class=\"axis\" d=\"M%.1f %.1fh%.1f\"/>\n", panel->x,
            panel->y + PANEL, panel->width);
    write_text(panel->x + panel->width, panel->y - 5, "end", "small", caption,
               stream);
}

/* Ticks below a panel: short ones at whole numbers if these are few, longer
 * ones with a label at multiples of 'step'. */
static void
draw_ticks(const struct panel *panel, double step, FILE *stream)
{
    double unit = panel->width / (panel->max - panel->min);

    for (int at = (int)ceil(panel->min); unit > 4 && at <= panel->max; at++) {
        fprintf(stream, "<path class=\"axis\" d=\"M%.1f %.1fv2\"/>\n",
                panel->x + (at - panel->min) * unit, panel->y + PANEL);
    }
    int last = (int)floor(panel->max / step);
    for (int i = (int)ceil(panel->min / step); i <= last; i++) {
        double at = i * step;
        char text[32];
        double x = panel->x + (at - panel->min) * unit;
        snprintf(text, sizeof text, "%.6g", at);
        fprintf(stream, "<path class=\"axis\" d=\"M%.1f %.1fv4\"/>\n", x,
                panel->y + PANEL);
        write_text(x, panel->y + PANEL + 16, "middle", "small", text, stream);
    }
}

/* The distance between ticks so that their labels have room. */
static double
tick_step(const struct panel *panel)
{
    double digits = floor(log10(fmax(panel->max, 1))) + 1;
    double n_labels = fmax(panel->width / (8 + 7 * digits), 1);
    return fmax(sf_chart_round((panel->max - panel->min) / n_labels, false),
                1);
}

static double
grid_height(const struct grid *grid)
{
    return TITLE + 34 + grid->n_labels * (PANEL + PANEL_GAP) + 34;
}

/* The panel in column 'at' of 'n' and the row of a label. */
static struct panel
place_panel(uint32_t at, uint32_t n, uint32_t label)
{
    double step = fmin(GRID_WIDTH / n, 260);
    return (struct panel){
        .x = LABELS + at * step,
        .y = TITLE + 34 + label * (PANEL + PANEL_GAP),
        .width = step - 16,
    };
}

/* Labels of rows, headings of columns from 'first' of 'n' on, and the words
 * below. */
static void
draw_headings(const struct grid *grid, uint32_t first, uint32_t n,
              const char *title, const char *below, FILE *stream)
{
    struct panel left = place_panel(first, n, 0);
    struct panel right = place_panel(first + grid->n_layers - 1, n, 0);
    double middle = (left.x + right.x + right.width) / 2;

    for (uint32_t i = 0; i < grid->n_layers; i++) {
        struct panel panel = place_panel(first + i, n, 0);
        char text[32];
        snprintf(text, sizeof text, "%u layer%s", grid->layers[i],
                 grid->layers[i] > 1 ? "s" : "");
        write_text(panel.x + panel.width / 2, TITLE + 10, "middle", "head",
                   text, stream);
    }
    write_text(middle, TITLE - 10, "middle", "", title, stream);
    write_text(middle, grid_height(grid) - 18, "middle", "", below, stream);
    for (uint32_t i = 0; first == 0 && i < grid->n_labels; i++) {
        write_text(MARGIN, place_panel(0, n, i).y + PANEL / 2 + 4, "start",
                   "head", grid->labels[i], stream);
    }
}

/* The greatest value in all panels; lengths are averages if of totals. */
static double
most_in_grid(const struct grid *grid, enum sf_path_metric which)
{
    double most = 0;

    for (uint32_t i = 0; i < grid->n_labels * grid->n_layers; i++) {
        const struct sf_path_metrics *metrics =
            metrics_of(grid, i / grid->n_layers, i % grid->n_layers);
        if (metrics) {
            double scale = which == SF_PATH_TOTALS ? metrics->n_layers : 1;
            double here = (double)sf_histogram_max(&metrics->by[which]);
            most = fmax(most, here / scale);
        }
    }
    return most;
}

enum sf_status
sf_comparison_draw_lengths(const struct sf_comparison *comparison,
                           FILE *stream, struct sf_error *err)
{
    struct grid grid = make_grid(comparison, true);
    uint32_t n = 2 * grid.n_layers;
    double most_average = most_in_grid(&grid, SF_PATH_TOTALS);
    double most = most_in_grid(&grid, SF_PATH_LONGEST);

    (void)err;
    begin(LABELS + n * fmin(GRID_WIDTH / (n ? n : 1), 260) + MARGIN,
          grid_height(&grid), "Path lengths of pairs", comparison, stream);
    draw_headings(&grid, 0, n, "average over the layers",
                  "hops, pairs within a quarter of a hop", stream);
    draw_headings(&grid, grid.n_layers, n, "longest path of all layers",
                  "hops", stream);
    for (uint32_t i = 0; i < grid.n_labels * n; i++) {
        uint32_t label = i / n, column = i % n % grid.n_layers;
        bool is_average = i % n < grid.n_layers;
        const struct sf_path_metrics *metrics =
            metrics_of(&grid, label, column);
        struct panel panel = place_panel(i % n, n, label);
        char caption[40] = "";
        panel.min = 0.4;
        panel.max = (is_average ? ceil(most_average) : most) + 0.6;
        if (metrics) {
            snprintf(caption, sizeof caption,
                     is_average ? "mean %.2f" : "most %.0f",
                     is_average ? sf_histogram_mean(&metrics->by[SF_PATH_HOPS])
                                : (double)sf_histogram_max(
                                      &metrics->by[SF_PATH_HOPS]));
        }
        draw_frame(&panel, i % n == 0, caption, stream);
        if (metrics && is_average) {
            draw_bars(&panel, &metrics->by[SF_PATH_TOTALS], metrics->n_layers,
                      1, 0.5, 0, stream);
        } else if (metrics) {
            draw_bars(&panel, &metrics->by[SF_PATH_LONGEST], 1, 1, 1, 0,
                      stream);
        }
        if (label + 1 == grid.n_labels) {
            draw_ticks(&panel, tick_step(&panel), stream);
        }
    }
    fputs("</svg>\n", stream);
    return SF_OK;
}

/* What the numbers of paths over links of a column lie between. */
static void
find_load_range(const struct grid *grid, uint32_t column, double *minp,
                double *maxp)
{
    *minp = (double)INFINITY;
    *maxp = 0;
    for (uint32_t i = 0; i < grid->n_labels; i++) {
        const struct sf_path_metrics *metrics = metrics_of(grid, i, column);
        if (metrics) {
            const struct sf_histogram *loads = &metrics->by[SF_PATH_LOADS];
            *minp = fmin(*minp, (double)sf_histogram_min(loads));
            *maxp = fmax(*maxp, (double)sf_histogram_max(loads));
        }
    }
}

enum sf_status
sf_comparison_draw_links(const struct sf_comparison *comparison, FILE *stream,
                         struct sf_error *err)
{
    struct grid grid = make_grid(comparison, true);
    uint32_t n = grid.n_layers;

    (void)err;
    begin(LABELS + n * fmin(GRID_WIDTH / (n ? n : 1), 260) + MARGIN,
          grid_height(&grid), "Paths over each direction of a link",
          comparison, stream);
    draw_headings(&grid, 0, n, "share of link directions",
                  "paths over a direction of a link", stream);
    for (uint32_t i = 0; i < grid.n_labels * n; i++) {
        uint32_t label = i / n, column = i % n;
        const struct sf_path_metrics *metrics =
            metrics_of(&grid, label, column);
        struct panel panel = place_panel(column, n, label);
        char caption[48] = "";
        double min, max;
        find_load_range(&grid, column, &min, &max);
        double step = fmax(sf_chart_round((max - min) / 24 + 1e-9, false), 1);
        double first = floor(min / step) * step;
        double aside = fmax(step, (8 * step - (max - first)) / 2);
        panel.min = fmax(first - aside, -step / 2);
        panel.max = fmax(max, first) + aside;
        if (metrics) {
            const struct sf_histogram *loads = &metrics->by[SF_PATH_LOADS];
            snprintf(caption, sizeof caption, "%llu–%llu, varies %.3f",
                     (unsigned long long)sf_histogram_min(loads),
                     (unsigned long long)sf_histogram_max(loads),
                     sf_histogram_variation(loads));
        }
        draw_frame(&panel, column == 0, caption, stream);
        if (metrics) {
            draw_bars(&panel, &metrics->by[SF_PATH_LOADS], 1, first, step, 0,
                      stream);
        }
        if (label + 1 == grid.n_labels) {
            draw_ticks(&panel, tick_step(&panel), stream);
        }
    }
    fputs("</svg>\n", stream);
    return SF_OK;
}

enum sf_status
sf_comparison_draw_disjoint(const struct sf_comparison *comparison,
                            FILE *stream, struct sf_error *err)
{
    struct grid grid = make_grid(comparison, true);
    uint32_t n = grid.n_layers;
    double most = most_in_grid(&grid, SF_PATH_DISJOINT);

    (void)err;
    begin(LABELS + n * fmin(GRID_WIDTH / (n ? n : 1), 260) + MARGIN,
          grid_height(&grid), "Link-disjoint paths of pairs", comparison,
          stream);
    draw_headings(&grid, 0, n, "share of pairs; at least 3 drawn darker",
                  "disjoint paths", stream);
    for (uint32_t i = 0; i < grid.n_labels * n; i++) {
        uint32_t label = i / n, column = i % n;
        const struct sf_path_metrics *metrics =
            metrics_of(&grid, label, column);
        struct panel panel = place_panel(column, n, label);
        char caption[40] = "";
        panel.min = 0.4;
        panel.max = fmax(most, 3) + 0.6;
        if (metrics) {
            snprintf(caption, sizeof caption, "3 or more: %.1f %%",
                     100 * sf_comparison_share(metrics, 3));
        }
        draw_frame(&panel, column == 0, caption, stream);
        if (metrics) {
            draw_bars(&panel, &metrics->by[SF_PATH_DISJOINT], 1, 1, 1, 3,
                      stream);
        }
        if (label + 1 == grid.n_labels) {
            draw_ticks(&panel, tick_step(&panel), stream);
        }
    }
    fputs("</svg>\n", stream);
    return SF_OK;
}

/* The plot of one traffic. */
struct plot {
    const struct grid *grid;
    uint32_t traffic;
    double x, y;      /* Its upper left corner. */
    double max, step; /* Of throughput. */
};

static double
plot_x(const struct plot *plot, double layers)
{
    const struct grid *grid = plot->grid;
    double min = log2(grid->layers[0]);
    double max = log2(grid->layers[grid->n_layers - 1]);

    return max > min
               ? plot->x + 16 +
                     (PLOT_WIDTH - 32) * (log2(layers) - min) / (max - min)
               : plot->x + PLOT_WIDTH / 2;
}

static double
plot_y(const struct plot *plot, double throughput)
{
    return plot->y + PLOT_HEIGHT * (1 - throughput / plot->max);
}

static void
set_scale(struct plot *plot)
{
    const struct sf_comparison *comparison = plot->grid->comparison;
    double most = 1e-3;

    for (uint32_t row = 0; row < comparison->params.n_rows; row++) {
        struct sf_comparison_summary is =
            sf_comparison_summarize(comparison, row, 0, plot->traffic);
        most = isfinite(is.max) ? fmax(most, is.max) : most;
    }
    plot->step = sf_chart_round(most / 6, false);
    plot->max = ceil(most * 1.04 / plot->step) * plot->step;
}

static void
draw_axes(const struct plot *plot, FILE *stream)
{
    const struct grid *grid = plot->grid;
    char text[32];

    for (int i = 0; i <= (int)round(plot->max / plot->step); i++) {
        double at = i * plot->step;
        double y = plot_y(plot, at);
        fprintf(stream, "<path class=\"grid\" d=\"M%.1f %.1fh%.1f\"/>\n",
                plot->x, y, PLOT_WIDTH);
        snprintf(text, sizeof text, "%.4g", at);
        write_text(plot->x - 8, y + 4, "end", "small", text, stream);
    }
    for (uint32_t i = 0; i < grid->n_layers; i++) {
        double x = plot_x(plot, grid->layers[i]);
        fprintf(stream, "<path class=\"axis\" d=\"M%.1f %.1fv5\"/>\n", x,
                plot->y + PLOT_HEIGHT);
        snprintf(text, sizeof text, "%u", grid->layers[i]);
        write_text(x, plot->y + PLOT_HEIGHT + 18, "middle", "small", text,
                   stream);
    }
    fprintf(stream, "<path class=\"axis\" d=\"M%.1f %.1fv%.1fh%.1f\"/>\n",
            plot->x, plot->y, PLOT_HEIGHT, PLOT_WIDTH);
    write_text(plot->x + PLOT_WIDTH / 2, plot->y - 10, "middle", "head",
               grid->comparison->params.traffics[plot->traffic], stream);
    write_text(plot->x + PLOT_WIDTH / 2, plot->y + PLOT_HEIGHT + 36, "middle",
               "", "layers", stream);
}

static const struct style *
style_of(const struct grid *grid, uint32_t label)
{
    uint32_t n_before = 0;

    if (!strcmp(grid->labels[label], sf_layer_schemes[0]->name)) {
        return &styles[0];
    }
    for (uint32_t i = 0; i < label; i++) {
        n_before += strcmp(grid->labels[i], sf_layer_schemes[0]->name) != 0;
    }
    return &styles[1 + n_before % (N_STYLES - 1)];
}

static void
draw_stroke(const struct style *style, FILE *stream)
{
    fprintf(stream,
            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" "
            "stroke-dasharray=\"%s\" d=\"",
            style->color, style->width, style->dash);
}

/* Lines across for what knows no layers. */
static void
draw_limits(const struct plot *plot, FILE *stream)
{
    const struct sf_comparison *comparison = plot->grid->comparison;

    for (uint32_t row = 0; row < comparison->params.n_rows; row++) {
        const struct sf_comparison_row *is = &comparison->params.rows[row];
        double mean =
            sf_comparison_summarize(comparison, row, 0, plot->traffic).mean;
        if (!is->n_layers && isfinite(mean)) {
            draw_stroke(&limit_styles[is->mode], stream);
            fprintf(stream, "M%.1f %.1fh%.1f\"/>\n", plot->x,
                    plot_y(plot, mean), PLOT_WIDTH);
        }
    }
}

/* The line of a label, of its points that exist, with the range over seeds. */
static void
draw_line(const struct plot *plot, uint32_t label, uint32_t split,
          FILE *stream)
{
    const struct grid *grid = plot->grid;
    struct style style = *style_of(grid, label);
    bool is_first = true;
    /* Side by side rather than over each other. */
    double aside = ((double)label - (grid->n_labels - 1) / 2.0) * 1.5;

    if (split) {
        style.width = 1;
        style.dash = "1 3";
        style.mark = (char)toupper((unsigned char)style.mark);
    }
    draw_stroke(&style, stream);
    for (uint32_t i = 0; i < grid->n_layers; i++) {
        uint32_t row = find_row(grid, label, i);
        if (row != SF_NONE &&
            split < grid->comparison->results[row].n_splits) {
            struct sf_comparison_summary is = sf_comparison_summarize(
                grid->comparison, row, split, plot->traffic);
            fprintf(stream, "%c%.1f %.1f", is_first ? 'M' : 'L',
                    plot_x(plot, grid->layers[i]) + aside,
                    plot_y(plot, is.mean));
            is_first = false;
        }
    }
    fputs(is_first ? "M0 0\"/>\n" : "\"/>\n", stream);
    for (uint32_t i = 0; i < grid->n_layers; i++) {
        uint32_t row = find_row(grid, label, i);
        if (row == SF_NONE ||
            split >= grid->comparison->results[row].n_splits) {
            continue;
        }
        struct sf_comparison_summary is = sf_comparison_summarize(
            grid->comparison, row, split, plot->traffic);
        double x = plot_x(plot, grid->layers[i]) + aside;
        fprintf(stream,
                "<g><title>%u layers: %.4f (%.4f to %.4f)</title>"
                "<path class=\"range\" stroke=\"%s\" d=\"M%.1f %.1fV%.1f\"/>",
                grid->layers[i], is.mean, is.min, is.max, style.color, x,
                plot_y(plot, is.min), plot_y(plot, is.max));
        sf_chart_mark(style.mark, style.color, x, plot_y(plot, is.mean),
                      stream);
        fputs("</g>\n", stream);
    }
}

/* Where the next entry of the legend goes. */
struct legend {
    double x, y, width;
};

static void
draw_entry(struct legend *legend, const struct style *style, const char *label,
           FILE *stream)
{
    double room = 66 + 7.2 * (double)strlen(label);

    if (legend->x + room > legend->width) {
        legend->x = PLOT_LEFT;
        legend->y += LEGEND_STEP;
    }
    draw_stroke(style, stream);
    fprintf(stream, "M%.1f %.1fh34\"/>\n", legend->x, legend->y);
    if (style->mark) {
        sf_chart_mark(style->mark, style->color, legend->x + 17, legend->y,
                      stream);
    }
    write_text(legend->x + 41, legend->y + 4, "start", "", label, stream);
    legend->x += room;
}

/* Which line is which: entries side by side as far as there is room. */
static void
draw_legend(const struct grid *grid, double y, double width, FILE *stream)
{
    const struct sf_comparison_params *params = &grid->comparison->params;
    struct legend legend = { PLOT_LEFT, y, width };

    for (uint32_t i = 0; i < grid->n_labels; i++) {
        draw_entry(&legend, style_of(grid, i), grid->labels[i], stream);
    }
    for (uint32_t i = 0; i < params->n_rows; i++) {
        if (!params->rows[i].n_layers) {
            draw_entry(&legend, &limit_styles[params->rows[i].mode],
                       params->rows[i].label, stream);
        }
    }
    if (params->equal_split) {
        write_text(PLOT_LEFT, legend.y + LEGEND_STEP + 4, "start", "small",
                   "hollow marks, dotted: the same share on every layer",
                   stream);
    }
}

enum sf_status
sf_comparison_draw_throughput(const struct sf_comparison *comparison,
                              FILE *stream, struct sf_error *err)
{
    struct grid grid = make_grid(comparison, false);
    uint32_t n = comparison->params.n_traffics;
    uint32_t n_across = n < 3 ? n : 3;
    double width = fmax(n_across * (PLOT_LEFT + PLOT_WIDTH) + MARGIN, 620);
    double row_height = PLOT_HEIGHT + 84;
    uint32_t n_down = (n + n_across - 1) / n_across;
    double legend_y = TITLE + row_height * n_down + 8;

    if (!grid.n_layers) {
        return sf_fail(err, SF_EINVAL, "nothing to draw: there is no routing");
    }
    begin(width, legend_y + 2.4 * LEGEND_STEP, "Maximum achievable throughput",
          comparison, stream);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t across = i % n_across, down = i / n_across;
        struct plot plot = {
            .grid = &grid,
            .traffic = i,
            .x = PLOT_LEFT + across * (PLOT_LEFT + PLOT_WIDTH),
            .y = TITLE + 12 + down * row_height,
        };
        set_scale(&plot);
        draw_axes(&plot, stream);
        draw_limits(&plot, stream);
        for (uint32_t k = 0; k < 2 * grid.n_labels; k++) {
            /* Equal shares first, so that the others lie above them. */
            draw_line(&plot, k % grid.n_labels, k < grid.n_labels, stream);
        }
    }
    fprintf(stream,
            "<text transform=\"translate(%.0f %.0f)rotate(-90)\" "
            "text-anchor=\"middle\">throughput</text>\n",
            MARGIN + 6, TITLE + 12 + PLOT_HEIGHT / 2);
    draw_legend(&grid, legend_y, width, stream);
    fputs("</svg>\n", stream);
    return SF_OK;
}
