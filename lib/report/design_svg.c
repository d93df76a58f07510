/* design_svg.c -- a chart: cost per endpoint over endpoints, a line a family,
 * named where it ends. */
#include "base/mem.h"
#include "report/chart.h"
#include "report/design_writers.h"
#include "report/figure.h"

#include <string.h>

#define MAX_LINES 16

/* How families are drawn, in the order of sf_families[]. */
static const struct sf_chart_style styles[] = {
    { .color = SF_CHART_BLUE, .mark = 'o' },
    { .color = SF_CHART_VERMILION, .mark = 's' },
    { .color = SF_CHART_VERMILION, .mark = 't', .dash = "6 4" },
    { .color = SF_CHART_ORANGE, .mark = 's' },
    { .color = SF_CHART_GREEN, .mark = 'd' },
    { .color = SF_CHART_PURPLE, .mark = 't' },
    { .color = SF_CHART_INK, .mark = '+', .dash = "2 4" },
    { .color = SF_CHART_INK, .mark = 'x' },
    { .color = SF_CHART_SKY, .mark = 'd' },
};
#define N_STYLES (sizeof styles / sizeof *styles)

/* A line of the chart: the candidates of one family, by endpoints. */
struct lines {
    struct sf_chart_series series[MAX_LINES];
    char names[MAX_LINES][SF_CHART_TEXT_SIZE];
    uint32_t n;
};

/* The style of family number 'i'; those that come after the table share. */
static struct sf_chart_style
style_of(uint32_t i)
{
    return styles[i < N_STYLES ? i : 1 + (i - N_STYLES) % (N_STYLES - 1)];
}

/* What a family is called, without what its title says further, and whether
 * its networks are non-blocking: others cost less and carry less. */
static void
write_label(const struct sf_family *family, bool is_non_blocking, char *label,
            size_t size)
{
    size_t n = strcspn(family->title, ",(");

    n -= n && family->title[n - 1] == ' ';
    snprintf(label, size, "%.*s (%s)%s", (int)n, family->title, family->name,
             is_non_blocking ? ", non-blocking" : "");
}

/* Whether all candidates of the family of 'candidate', the first one, are. */
static bool
are_non_blocking(const struct sf_design *design,
                 const struct sf_candidate *candidate)
{
    const char *family = candidate->family;
    const struct sf_candidate *end = design->candidates + design->n_candidates;

    while (candidate < end && !strcmp(candidate->family, family)) {
        if (!candidate->is_non_blocking) {
            return false;
        }
        candidate++;
    }
    return true;
}

/* The first family, which others are compared with, is drawn thicker. */
static void
add_line(struct lines *lines, const struct sf_design *design,
         const struct sf_candidate *candidate,
         const struct sf_chart_point *points)
{
    struct sf_chart_series *series = &lines->series[lines->n];
    uint32_t number = sf_family_find(candidate->family);

    write_label(sf_families[number], are_non_blocking(design, candidate),
                lines->names[lines->n], sizeof lines->names[0]);
    series->name = lines->names[lines->n++];
    series->points = points;
    series->style = style_of(number);
    series->style.width = number == 0 ? 3 : 0;
}

/* Candidates of a family stand together, by endpoints. */
static void
gather_lines(const struct sf_design *design, struct sf_chart_point *points,
             struct lines *lines)
{
    for (uint32_t i = 0; i < design->n_candidates; i++) {
        const struct sf_candidate *candidate = &design->candidates[i];
        const char *family = candidate->family;
        double cost = candidate->cost_per_endpoint / 1000;
        points[i].x = candidate->n_endpoints;
        points[i].y = cost;
        snprintf(points[i].note, sizeof points[i].note,
                 "%s, %u endpoints, %.2f thousand %s each", candidate->spec,
                 candidate->n_endpoints, cost, design->prices->currency);
        if ((i == 0 ||
             strcmp(design->candidates[i - 1].family, family) != 0) &&
            lines->n < MAX_LINES) {
            add_line(lines, design, candidate, points + i);
        }
        lines->series[lines->n - 1].n_points++;
    }
}

enum sf_status
sf_design_write_svg(const struct sf_design *design,
                    const struct sf_design_view *view, FILE *stream,
                    struct sf_error *err)
{
    struct lines lines = { 0 };
    char label[SF_CHART_TEXT_SIZE];

    if (design->n_candidates == 0) {
        return sf_fail(err, SF_EINVAL,
                       "nothing to draw: no network of these families fits");
    }
    struct sf_chart_point *points =
        sf_calloc(design->n_candidates, sizeof *points);
    if (!points) {
        return sf_fail(err, SF_ENOMEM, "chart of %u candidates",
                       design->n_candidates);
    }
    gather_lines(design, points, &lines);
    snprintf(label, sizeof label, "thousand %s for each endpoint built",
             design->prices->currency);
    struct sf_chart_panel panel = {
        .x = { .label = "endpoints", .scale = SF_CHART_LOG },
        .y = { .label = label },
        .series = lines.series,
        .n_series = lines.n,
    };
    struct sf_chart chart = { .panels = &panel,
                              .n_panels = 1,
                              .panel_width = 700,
                              .panel_height = 480,
                              .has_end_labels = true };
    snprintf(chart.title, sizeof chart.title,
             "Cost of a network of %u-port switches, prices of %u",
             design->params.ports, design->prices->year);
    snprintf(chart.note, sizeof chart.note,
             "Networks that are not named non-blocking give hosts less than "
             "full rate under some traffic: the table says how much.");
    enum sf_status status = sf_figure_draw(view->figure, &chart, stream, err);
    free(points);
    return status;
}
