/* design_svg.c -- a chart: cost per endpoint over endpoints, a line a family.
 *
 * Endpoints on a logarithmic scale, ticks at 1, 2 and 5 of each power of ten;
 * labels stand in a column at the right, spread so that none covers another,
 * each joined to the end of its line.  Colours are those of Okabe and Ito,
 * which people with any colour vision tell apart; marks and dashes tell what
 * is left. */
#include "io/xml.h"
#include "report/chart.h"
#include "report/design_writers.h"

#include <math.h>
#include <string.h>

#define WIDTH     1080.0
#define HEIGHT    620.0
#define LEFT      80.0
#define RIGHT     300.0 /* For the labels. */
#define TOP       70.0
#define BOTTOM    70.0
#define LINE      22.0 /* From one label to the next. */
#define MAX_LINES 16

/* How a family is drawn. */
struct style {
    const char *color, *dash;
    char mark; /* For sf_chart_mark(). */
};

/* In the order of the families; the first, which others are compared with, is
 * drawn thicker. */
static const struct style styles[] = {
    { "#0072b2", "", 'o' },    { "#d55e00", "", 's' },
    { "#d55e00", "6 4", 't' }, { "#e69f00", "", 's' },
    { "#009e73", "", 'd' },    { "#cc79a7", "", 't' },
    { "#000000", "2 4", '+' }, { "#000000", "", 'x' },
    { "#56b4e9", "", 'd' },
};
#define N_STYLES (sizeof styles / sizeof *styles)

/* A line of the chart: the candidates of one family, by endpoints. */
struct line {
    const struct sf_family *family;
    const struct style *style;
    uint32_t first, n; /* In the design's candidates, which stand together. */
    double end_y;      /* Where it ends */
    double label_y;    /* and where its label stands. */
};

/* The chart, with its scales. */
struct chart {
    const struct sf_design *design;
    struct line lines[MAX_LINES];
    uint32_t n_lines;
    double min_x, max_x;         /* Endpoints. */
    double min_y, max_y, step_y; /* Thousands an endpoint. */
    int n_steps_y;
};

static double
x_of(const struct chart *chart, double endpoints)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * log(endpoints / chart->min_x) /
                      log(chart->max_x / chart->min_x);
}

static double
y_of(const struct chart *chart, double cost)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (chart->max_y - cost) /
                     (chart->max_y - chart->min_y);
}

/* The style of family number 'i'; those that come after the table share. */
static const struct style *
style_of(uint32_t i)
{
    return &styles[i < N_STYLES ? i : 1 + (i - N_STYLES) % (N_STYLES - 1)];
}

static double
cost_of(const struct sf_candidate *candidate)
{
    return candidate->cost_per_endpoint / 1000;
}

static void
gather_lines(struct chart *chart)
{
    const struct sf_design *design = chart->design;

    for (uint32_t i = 0; i < design->n_candidates; i++) {
        const char *family = design->candidates[i].family;
        if ((i == 0 ||
             strcmp(design->candidates[i - 1].family, family) != 0) &&
            chart->n_lines < MAX_LINES) {
            uint32_t number = sf_family_find(family);
            chart->lines[chart->n_lines++] =
                (struct line){ .family = sf_families[number],
                               .style = style_of(number),
                               .first = i };
        }
        chart->lines[chart->n_lines - 1].n++;
    }
}

static void
set_scales(struct chart *chart)
{
    const struct sf_design *design = chart->design;
    double least = (double)INFINITY, most = 0;

    chart->min_x = (double)INFINITY;
    for (uint32_t i = 0; i < design->n_candidates; i++) {
        double n = design->candidates[i].n_endpoints;
        double cost = cost_of(&design->candidates[i]);
        chart->min_x = fmin(chart->min_x, n);
        chart->max_x = fmax(chart->max_x, n);
        least = fmin(least, cost);
        most = fmax(most, cost);
    }
    chart->min_x = sf_chart_round(chart->min_x, true);
    chart->max_x = sf_chart_round(chart->max_x, false);
    chart->step_y = sf_chart_round(fmax(most - least, 1e-3) / 6, false);
    chart->min_y = floor(least / chart->step_y) * chart->step_y;
    chart->n_steps_y =
        (int)fmax(ceil((most - chart->min_y) / chart->step_y), 1);
    chart->max_y = chart->min_y + chart->n_steps_y * chart->step_y;
    if (chart->max_x <= chart->min_x) {
        chart->max_x = 10 * chart->min_x;
    }
}

/* Sorts the lines by where they end, from the top. */
static void
sort_lines(struct chart *chart)
{
    struct line *lines = chart->lines;

    for (uint32_t i = 0; i < chart->n_lines; i++) {
        struct line line = lines[i];
        uint32_t last = line.first + line.n - 1;
        line.end_y = y_of(chart, cost_of(&chart->design->candidates[last]));
        uint32_t j = i;
        while (j > 0 && lines[j - 1].end_y > line.end_y) {
            lines[j] = lines[j - 1];
            j--;
        }
        lines[j] = line;
    }
}

/* Labels that would touch form a block around the middle of their lines'
 * ends; a block that touches the one above joins it. */
static void
place_labels(struct chart *chart)
{
    struct line *lines = chart->lines;
    uint32_t start[MAX_LINES + 1], n_blocks = 0;
    double top[MAX_LINES];

    for (uint32_t i = 0; i < chart->n_lines; i++) {
        start[n_blocks++] = i;
        for (bool is_apart = false; !is_apart;) {
            uint32_t first = start[n_blocks - 1], n = i + 1 - first;
            double sum = 0;
            for (uint32_t j = first; j <= i; j++) {
                sum += lines[j].end_y;
            }
            double y = sum / n - (n - 1) * LINE / 2;
            y = fmin(y, HEIGHT - BOTTOM - (n - 1) * LINE);
            top[n_blocks - 1] = fmax(y, TOP);
            is_apart =
                n_blocks == 1 ||
                top[n_blocks - 2] + (first - start[n_blocks - 2]) * LINE <=
                    top[n_blocks - 1];
            n_blocks -= !is_apart;
        }
    }
    start[n_blocks] = chart->n_lines;
    for (uint32_t block = 0; block < n_blocks; block++) {
        for (uint32_t i = start[block]; i < start[block + 1]; i++) {
            lines[i].label_y = top[block] + (i - start[block]) * LINE;
        }
    }
}

static void
draw_axes(const struct chart *chart, FILE *stream)
{
    double bottom = HEIGHT - BOTTOM, right = WIDTH - RIGHT;

    for (int i = 0; i <= chart->n_steps_y; i++) {
        double cost = chart->min_y + i * chart->step_y;
        double y = y_of(chart, cost);
        fprintf(stream,
                "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                LEFT, y, right, LEFT - 10, y + 4, round(cost * 1e6) / 1e6);
    }
    double endpoints = chart->min_x;
    while (endpoints <= chart->max_x * 1.000001) {
        double x = x_of(chart, endpoints);
        fprintf(stream,
                "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.0f"
                "</text>\n",
                x, TOP, bottom, x, bottom + 20, endpoints);
        endpoints = sf_chart_round(endpoints * 1.5, false);
    }
    fprintf(stream,
            "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n"
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">endpoints"
            "</text>\n<text transform=\"translate(26 %.1f)rotate(-90)\" "
            "text-anchor=\"middle\">thousand ",
            LEFT, TOP, bottom, right, (LEFT + right) / 2, bottom + 46,
            (TOP + bottom) / 2);
    sf_xml_write(chart->design->prices->currency, stream);
    fputs(" per endpoint</text>\n", stream);
}

static void
draw_line(const struct chart *chart, const struct line *line, FILE *stream)
{
    const struct sf_candidate *points =
        chart->design->candidates + line->first;
    bool is_first = line->family == sf_families[0];

    fprintf(stream,
            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" "
            "stroke-dasharray=\"%s\" d=\"",
            line->style->color, is_first ? 3.0 : 1.6,
            *line->style->dash ? line->style->dash : "none");
    for (uint32_t i = 0; i < line->n; i++) {
        fprintf(stream, "%c%.1f %.1f", i ? 'L' : 'M',
                x_of(chart, points[i].n_endpoints),
                y_of(chart, cost_of(&points[i])));
    }
    fputs("\"/>\n", stream);
    for (uint32_t i = 0; i < line->n; i++) {
        double x = x_of(chart, points[i].n_endpoints);
        double y = y_of(chart, cost_of(&points[i]));
        fputs("<g><title>", stream);
        sf_xml_write(points[i].spec, stream);
        fprintf(stream, ", %u endpoints, %.2f</title>", points[i].n_endpoints,
                cost_of(&points[i]));
        sf_chart_mark(line->style->mark, line->style->color, x, y, stream);
        fputs("</g>\n", stream);
    }
}

/* What a family is called, without what its title says further. */
static void
write_label(const struct sf_family *family, FILE *stream)
{
    char title[80];

    snprintf(title, sizeof title, "%s", family->title);
    char *cut = strpbrk(title, ",(");
    if (cut) {
        cut[cut[-1] == ' ' ? -1 : 0] = '\0';
    }
    sf_xml_write(title, stream);
    fprintf(stream, " (%s)", family->name);
}

static void
draw_labels(const struct chart *chart, FILE *stream)
{
    for (uint32_t i = 0; i < chart->n_lines; i++) {
        const struct line *line = &chart->lines[i];
        const struct sf_candidate *last =
            &chart->design->candidates[line->first + line->n - 1];
        double x = x_of(chart, last->n_endpoints);
        double right = WIDTH - RIGHT;
        fprintf(stream,
                "<path class=\"lead\" stroke=\"%s\" d=\"M%.1f %.1fL%.1f "
                "%.1fL%.1f %.1f\"/>\n",
                line->style->color, x + 6, line->end_y, right + 4, line->end_y,
                right + 26, line->label_y);
        sf_chart_mark(line->style->mark, line->style->color, right + 34,
                      line->label_y, stream);
        fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">", right + 46,
                line->label_y + 4, line->style->color);
        write_label(line->family, stream);
        fputs("</text>\n", stream);
    }
}

enum sf_status
sf_design_write_svg(const struct sf_design *design,
                    const struct sf_design_view *view, FILE *stream,
                    struct sf_error *err)
{
    struct chart chart = { .design = design };

    (void)view;
    if (design->n_candidates == 0) {
        return sf_fail(err, SF_EINVAL,
                       "nothing to draw: no network of these families fits");
    }
    gather_lines(&chart);
    set_scales(&chart);
    sort_lines(&chart);
    place_labels(&chart);
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<style>"
            "text{font:13px sans-serif}.title{font:bold 17px sans-serif}"
            ".grid{stroke:#e3e6ea}.axis{stroke:#444;fill:none}"
            ".lead{fill:none;stroke-width:0.7;stroke-dasharray:1 3}"
            ".mark{stroke-width:1.6}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text class=\"title\" x=\"%.0f\" y=\"32\">Cost of a network of "
            "%u-port switches, prices of %u</text>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, design->params.ports,
            design->prices->year);
    draw_axes(&chart, stream);
    for (uint32_t i = 0; i < chart.n_lines; i++) {
        draw_line(&chart, &chart.lines[i], stream);
    }
    draw_labels(&chart, stream);
    fputs("</svg>\n", stream);
    return SF_OK;
}
