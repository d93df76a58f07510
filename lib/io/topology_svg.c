/* topology_svg.c -- a drawing of a topology.
 *
 * Trees are drawn in rows, one a level, the leaves below.  All others stand on
 * a circle, the switches of a group side by side with a gap to the next group,
 * and links are curves that lean towards the centre.  The colour of a link
 * tells whether it stays inside a group. */
#include "base/mem.h"
#include "base/plural.h"
#include "io/topology_writers.h"
#include "io/xml.h"

#include <math.h>
#include <string.h>

#define PI         3.14159265358979323846
#define MAX_LABELS 128 /* With more switches, names would be too small. */
#define MARGIN     90.0
#define TITLE      20.0 /* Room for the title above */
#define LEGEND     60.0 /* and for three lines of legend below. */
#define ROW_HEIGHT 220.0

static const char *const reach_colors[SF_N_REACHES] = { "#1f6fb4", "#e07b00",
                                                        "#8a8f98" };

struct spot {
    double x, y;
    double angle; /* From the centre, for the label; 0 in rows. */
};

/* A laid out picture. */
struct layout {
    double width, height;
    double dot;         /* Radius of a switch. */
    bool is_round;      /* On a circle, else in rows. */
    double centre;      /* Of the circle, from the left and below the title, */
    double diameter;    /* and how large it is. */
    uint32_t *order;    /* [n] The switches in the order of drawing. */
    struct spot *spots; /* [n] */
};

static uint32_t
group_of(const struct sf_topology *topo, uint32_t s)
{
    uint32_t group = sf_topology_group(topo, s);
    return group == SF_NONE ? 0 : group;
}

static uint32_t
level_of(const struct sf_topology *topo, uint32_t s)
{
    uint32_t coord = topo->family->level_coord;
    return coord == SF_NONE ? 0 : sf_topology_place(topo, s)[coord];
}

/* Sorts the switches by group, keeping the order inside each: a counting
 * sort. */
static bool
order_by_group(const struct sf_topology *topo, uint32_t *order)
{
    uint32_t n = topo->graph->n_nodes;
    uint32_t n_groups = 0;

    for (uint32_t s = 0; s < n; s++) {
        uint32_t group = group_of(topo, s);
        n_groups = group >= n_groups ? group + 1 : n_groups;
    }
    uint32_t *start = sf_calloc((size_t)n_groups + 1, sizeof *start);
    if (!start) {
        return false;
    }
    for (uint32_t s = 0; s < n; s++) {
        start[group_of(topo, s) + 1]++;
    }
    for (uint32_t g = 0; g < n_groups; g++) {
        start[g + 1] += start[g];
    }
    for (uint32_t s = 0; s < n; s++) {
        order[start[group_of(topo, s)]++] = s;
    }
    free(start);
    return true;
}

/* Room for the longest name beside the circle. */
static double
label_room(const struct sf_topology *topo)
{
    size_t longest = 0;

    for (uint32_t s = 0;
         s < topo->graph->n_nodes && topo->graph->n_nodes <= MAX_LABELS; s++) {
        char name[SF_MAX_NAME];
        size_t length = strlen(sf_topology_switch_name(topo, s, name));
        longest = length > longest ? length : longest;
    }
    return fmax(MARGIN, 30 + 6.5 * (double)longest);
}

static void
lay_out_circle(const struct sf_topology *topo, struct layout *layout)
{
    uint32_t n = topo->graph->n_nodes;
    uint32_t n_gaps = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t before = layout->order[i ? i - 1 : n - 1];
        n_gaps += group_of(topo, before) != group_of(topo, layout->order[i]);
    }
    double steps = n + 1.5 * n_gaps;
    double spacing = n <= MAX_LABELS ? 26 : 9;
    double radius = fmax(spacing * steps / (2 * PI), 150);
    double centre = radius + label_room(topo);

    layout->is_round = true;
    layout->centre = centre;
    layout->diameter = 2 * radius;
    layout->dot = n <= MAX_LABELS ? 8 : 3;
    layout->width = 2 * centre;
    layout->height = TITLE + 2 * centre + LEGEND;
    double step = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = layout->order[i];
        if (i > 0 &&
            group_of(topo, layout->order[i - 1]) != group_of(topo, s)) {
            step += 1.5;
        }
        double angle = 2 * PI * step / steps - PI / 2;
        layout->spots[s] =
            (struct spot){ centre + radius * cos(angle),
                           centre + TITLE + radius * sin(angle), angle };
        step += 1;
    }
}

static bool
lay_out_rows(const struct sf_topology *topo, struct layout *layout)
{
    uint32_t n = topo->graph->n_nodes;
    uint32_t n_levels = 0, widest = 0;

    for (uint32_t s = 0; s < n; s++) {
        uint32_t level = level_of(topo, s);
        n_levels = level >= n_levels ? level + 1 : n_levels;
    }
    uint32_t *n_in = sf_calloc(n_levels, sizeof *n_in);
    uint32_t *n_placed = sf_calloc(n_levels, sizeof *n_placed);
    if (!n_in || !n_placed) {
        free(n_placed);
        free(n_in);
        return false;
    }
    for (uint32_t s = 0; s < n; s++) {
        uint32_t size = ++n_in[level_of(topo, s)];
        widest = size > widest ? size : widest;
    }
    double inner = fmax(widest * (n <= MAX_LABELS ? 64.0 : 10.0), 400);
    layout->dot = n <= MAX_LABELS ? 8 : 3;
    layout->width = inner + 2 * MARGIN;
    layout->height =
        (n_levels - 1) * ROW_HEIGHT + TITLE + MARGIN + 50 + LEGEND;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t level = level_of(topo, s);
        double column = n_placed[level]++ + 0.5;
        layout->spots[s] = (struct spot){
            MARGIN + inner * column / n_in[level],
            TITLE + MARGIN + (n_levels - 1 - level) * ROW_HEIGHT, 0
        };
    }
    free(n_placed);
    free(n_in);
    return true;
}

static void
draw_link(const struct layout *layout, struct sf_link link,
          enum sf_reach reach, uint32_t n_parallel, FILE *stream)
{
    struct spot a = layout->spots[link.a], b = layout->spots[link.b];

    fprintf(stream, "<path class=\"r%d\"", (int)reach);
    if (n_parallel > 1) {
        fprintf(stream, " style=\"stroke-width:%.1f\"", 0.9 * n_parallel);
    }
    if (layout->is_round) {
        /* Short links stay near the rim, long ones pass near the centre. */
        double x = (a.x + b.x) / 2, y = (a.y + b.y) / 2;
        double length = hypot(a.x - b.x, a.y - b.y);
        double pull = 0.12 + 0.5 * length / layout->diameter;
        fprintf(stream, " d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\"/>\n", a.x, a.y,
                x + pull * (layout->centre - x),
                y + pull * (layout->centre + TITLE - y), b.x, b.y);
    } else {
        fprintf(stream, " d=\"M%.1f %.1fL%.1f %.1f\"/>\n", a.x, a.y, b.x, b.y);
    }
}

static void
draw_links(const struct sf_topology *topo, const struct layout *layout,
           FILE *stream)
{
    const struct sf_graph *graph = topo->graph;

    /* Far links first, so that the short ones lie on top of them. */
    for (int reach = SF_N_REACHES - 1; reach >= 0; reach--) {
        for (uint32_t i = 0; i < graph->n_links;) {
            uint32_t n_parallel = 1;
            while (i + n_parallel < graph->n_links &&
                   sf_graph_is_parallel(graph, i + n_parallel)) {
                n_parallel++;
            }
            if ((int)sf_topology_reach(topo, graph->links[i].a,
                                       graph->links[i].b) == reach) {
                draw_link(layout, graph->links[i], (enum sf_reach)reach,
                          n_parallel, stream);
            }
            i += n_parallel;
        }
    }
}

static void
draw_switches(const struct sf_topology *topo, const struct layout *layout,
              FILE *stream)
{
    uint32_t n = topo->graph->n_nodes;

    for (uint32_t s = 0; s < n; s++) {
        struct spot spot = layout->spots[s];
        char name[SF_MAX_NAME];
        fprintf(stream,
                "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\">"
                "<title>",
                topo->n_hosts[s] ? "s" : "s bare", spot.x, spot.y,
                layout->dot);
        sf_xml_write(sf_topology_switch_name(topo, s, name), stream);
        fprintf(stream, ", %u %s</title></circle>\n", topo->n_hosts[s],
                sf_plural(topo->n_hosts[s], "host", "hosts"));
        if (n > MAX_LABELS) {
            continue;
        }
        if (layout->is_round) {
            /* Names stand on rays from the centre, never upside down. */
            double degrees = spot.angle * 180 / PI;
            bool is_left = degrees > 90;
            fprintf(stream,
                    "<text text-anchor=\"%s\" transform=\"translate(%.1f "
                    "%.1f)rotate(%.1f)\" dy=\"0.35em\">",
                    is_left ? "end" : "start", spot.x + 14 * cos(spot.angle),
                    spot.y + 14 * sin(spot.angle),
                    is_left ? degrees - 180 : degrees);
        } else {
            bool is_top = spot.y < layout->height / 2;
            fprintf(stream,
                    "<text text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">",
                    spot.x, spot.y + (is_top ? -16 : 24));
        }
        sf_xml_write(name, stream);
        fputs("</text>\n", stream);
    }
}

/* One line a kind of link, at the bottom. */
static void
draw_legend(const struct sf_topology *topo, const struct layout *layout,
            FILE *stream)
{
    const char *group = topo->family->group_coord == SF_NONE
                            ? NULL
                            : topo->family->coords[topo->family->group_coord];
    uint32_t n_links[SF_N_REACHES] = { 0 };
    double y = layout->height - LEGEND;

    for (uint32_t i = 0; i < topo->graph->n_links; i++) {
        struct sf_link link = topo->graph->links[i];
        n_links[sf_topology_reach(topo, link.a, link.b)]++;
    }
    for (int reach = 0; reach < SF_N_REACHES; reach++) {
        char label[80];
        if (!n_links[reach]) {
            continue;
        }
        if (!group) {
            snprintf(label, sizeof label, "%u links", n_links[reach]);
        } else if (reach == SF_REACH_BEYOND) {
            snprintf(label, sizeof label, "%u links between %ss",
                     n_links[reach], group);
        } else if (reach == SF_REACH_GROUP || topo->n_coords < 3) {
            snprintf(label, sizeof label, "%u links inside a %s",
                     n_links[reach], group);
        } else {
            snprintf(label, sizeof label, "%u links inside a %s of a %s",
                     n_links[reach], topo->family->coords[0], group);
        }
        fprintf(stream,
                "<path class=\"r%d key\" d=\"M20 %.1fh26\"/>\n"
                "<text class=\"key\" x=\"54\" y=\"%.1f\">%s</text>\n",
                reach, y - 4, y, label);
        y += 20;
    }
}

static void
draw(const struct sf_topology *topo, const struct layout *layout, FILE *stream)
{
    uint32_t n_links = topo->graph->n_links;
    /* The more links, the fainter each, so that density shows. */
    double opacity = fmin(0.85, fmax(0.06, 12 / sqrt(n_links + 1.0)));

    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<style>"
            "text{font:11px sans-serif;fill:#222}"
            ".title{font:bold 17px sans-serif}.key{font-size:13px;opacity:1}"
            "path{fill:none;stroke-width:1.1}"
            ".s{fill:#20303c;stroke:#fff;stroke-width:1.5}"
            ".bare{fill:#fff;stroke:#20303c}",
            layout->width, layout->height, layout->width, layout->height);
    for (int reach = 0; reach < SF_N_REACHES; reach++) {
        fprintf(stream, ".r%d{stroke:%s;opacity:%.2f}", reach,
                reach_colors[reach],
                reach == SF_REACH_BEYOND ? opacity : fmin(0.9, 1.4 * opacity));
    }
    fputs("path.key{opacity:1;stroke-width:3}</style>\n"
          "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
          "<text class=\"title\" x=\"20\" y=\"30\">",
          stream);
    sf_xml_write(topo->spec, stream);
    fprintf(stream, ": %u switches, %u links, %u endpoints</text>\n",
            topo->graph->n_nodes, n_links, topo->n_endpoints);
    draw_links(topo, layout, stream);
    draw_switches(topo, layout, stream);
    draw_legend(topo, layout, stream);
    fputs("</svg>\n", stream);
}

enum sf_status
sf_write_svg(const struct sf_topology *topo, FILE *stream,
             struct sf_error *err)
{
    uint32_t n = topo->graph->n_nodes;
    struct layout layout = {
        .order = sf_calloc(n, sizeof *layout.order),
        .spots = sf_calloc(n, sizeof *layout.spots),
    };
    enum sf_status status = SF_OK;
    bool is_ok = layout.order && layout.spots;

    if (is_ok && topo->family->level_coord != SF_NONE) {
        is_ok = lay_out_rows(topo, &layout);
    } else if (is_ok) {
        is_ok = order_by_group(topo, layout.order);
        if (is_ok) {
            lay_out_circle(topo, &layout);
        }
    }
    if (is_ok) {
        /* The title must fit too: 50 letters of numbers after the spec. */
        layout.width =
            fmax(layout.width, 40 + 10 * (double)(strlen(topo->spec) + 50));
        draw(topo, &layout, stream);
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory for a drawing");
    }
    free(layout.spots);
    free(layout.order);
    return status;
}
