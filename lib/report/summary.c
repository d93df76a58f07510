#include "report/summary.h"

#include "base/plural.h"
#include "report/switch_order.h"

#include "base/mem.h"
#include "io/xml.h"

#include <string.h>

#define RACK_WIDTH  74.0
#define RACK_HEIGHT 36.0
#define RACK_PITCH  78.0
#define ROW_PITCH   58.0
#define ROW_LABEL   52.0

void
sf_summary_write(const struct sf_plan *plan, FILE *stream)
{
    const struct sf_fabric *fabric = plan->fabric;
    uint32_t n_cables[SF_N_STEPS][2] = { 0 };
    uint32_t n_hosts = fabric->n_nodes - fabric->n_switches;
    double metres = 0;

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        n_cables[cable->step][cable->medium]++;
        metres += cable->length;
    }
    fprintf(stream,
            "<p>%u %s, %u %s, %u %s, %u %s of %.0f m together.</p>\n"
            "<table><thead><tr><th>Step</th><th>Cables</th><th>Copper</th>"
            "<th>Optical</th><th>Together</th></tr></thead>\n<tbody>\n",
            fabric->n_switches,
            sf_plural(fabric->n_switches, "switch", "switches"), n_hosts,
            sf_plural(n_hosts, "host", "hosts"), plan->n_racks,
            sf_plural(plan->n_racks, "rack", "racks"), plan->n_cables,
            sf_plural(plan->n_cables, "cable", "cables"), metres);
    for (int step = 0; step < SF_N_STEPS; step++) {
        char title[SF_STEP_TITLE_SIZE];
        const uint32_t *n = n_cables[step];
        fprintf(stream, "<tr><td>%d</td><td class=\"w\">%s</td>", step,
                sf_plan_step_title(plan, (enum sf_step)step, title));
        fprintf(stream, "<td>%u</td><td>%u</td><td>%u</td></tr>\n",
                n[SF_COPPER], n[SF_OPTICAL], n[SF_COPPER] + n[SF_OPTICAL]);
    }
    fputs("</tbody></table>\n", stream);
}

/* What stands in a rack. */
struct content {
    uint32_t n_switches, n_hosts;
};

static void
draw_rack(const struct sf_rack *rack, const struct content *content,
          FILE *stream)
{
    double x = ROW_LABEL + rack->column * RACK_PITCH;
    double y = rack->row * ROW_PITCH + 4;
    double middle = x + RACK_WIDTH / 2;

    fprintf(stream,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.1f\" rx=\"3\"/>\n"
            "<text class=\"n p\" x=\"%.1f\" y=\"%.1f\">",
            content->n_switches ? "f" : "q", x, y, RACK_WIDTH, RACK_HEIGHT,
            middle, y + 15);
    sf_xml_write(rack->name, stream);
    fprintf(stream, "</text>\n<text class=\"p\" x=\"%.1f\" y=\"%.1f\">",
            middle, y + 28);
    if (content->n_switches) {
        fprintf(stream, "%u sw", content->n_switches);
    }
    if (content->n_hosts) {
        fprintf(stream, "%s%u h", content->n_switches ? " " : "",
                content->n_hosts);
    }
    fputs("</text>\n", stream);
}

enum sf_status
sf_summary_write_hall(const struct sf_plan *plan, FILE *stream,
                      struct sf_error *err)
{
    uint32_t n_rows = 0, n_columns = 0;
    struct content *contents = sf_calloc(plan->n_racks, sizeof *contents);

    if (!contents) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %u racks",
                       plan->n_racks);
    }
    for (uint32_t i = 0; i < plan->fabric->n_nodes; i++) {
        struct content *content = &contents[plan->fabric->nodes[i].rack];
        content->n_switches += i < plan->fabric->n_switches;
        content->n_hosts += i >= plan->fabric->n_switches;
    }
    for (uint32_t i = 0; i < plan->n_racks; i++) {
        const struct sf_rack *rack = &plan->racks[i];
        n_rows = rack->row >= n_rows ? rack->row + 1 : n_rows;
        n_columns = rack->column >= n_columns ? rack->column + 1 : n_columns;
    }
    double width = ROW_LABEL + n_columns * RACK_PITCH;
    double height = n_rows * ROW_PITCH - (ROW_PITCH - RACK_HEIGHT) + 8;
    fprintf(stream,
            "<svg class=\"d\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 "
            "%.0f %.0f\">\n",
            width, height, width, height);
    for (uint32_t row = 0; row < n_rows; row++) {
        fprintf(stream, "<text class=\"u\" x=\"2\" y=\"%.1f\">row %u</text>\n",
                row * ROW_PITCH + 4 + RACK_HEIGHT / 2 + 3, row);
    }
    for (uint32_t i = 0; i < plan->n_racks; i++) {
        draw_rack(&plan->racks[i], &contents[i], stream);
    }
    fprintf(stream,
            "</svg>\n<p>From one rack to the next %g m, from one row to the "
            "next %g m; sw: switches, h: hosts. The cable tray is %g m above "
            "the racks.</p>\n",
            plan->floor.rack_pitch, plan->floor.row_pitch,
            plan->floor.tray_height);
    free(contents);
    return SF_OK;
}

/* Cables of one kind. */
struct kind {
    enum sf_medium medium;
    double length;
    uint32_t n_cables[SF_N_STEPS];
};

struct kinds {
    SF_VEC(struct kind) list; /* Copper first, then by length. */
};

static bool
is_before(const struct kind *kind, const struct sf_cable *cable)
{
    return kind->medium != cable->medium ? kind->medium < cable->medium
                                         : kind->length < cable->length;
}

static bool
is_kind(const struct kind *kind, const struct sf_cable *cable)
{
    return kind->medium == cable->medium && !is_before(kind, cable) &&
           kind->length <= cable->length;
}

/* Counts a cable; false if out of memory.  There are few lengths. */
static bool
count_cable(struct kinds *kinds, const struct sf_cable *cable)
{
    size_t i = 0;

    while (i < kinds->list.n && is_before(&kinds->list.items[i], cable)) {
        i++;
    }
    if (i == kinds->list.n || !is_kind(&kinds->list.items[i], cable)) {
        struct kind new = { .medium = cable->medium, .length = cable->length };
        if (!sf_vec_push(&kinds->list, new)) {
            return false;
        }
        memmove(&kinds->list.items[i + 1], &kinds->list.items[i],
                (kinds->list.n - 1 - i) * sizeof new);
        kinds->list.items[i] = new;
    }
    kinds->list.items[i].n_cables[cable->step]++;
    return true;
}

static void
write_switches(const struct sf_plan *plan, FILE *stream)
{
    uint32_t n_with[SF_MAX_PORTS + 1] = { 0 };

    for (uint32_t s = 0; s < plan->fabric->n_switches; s++) {
        uint32_t n_ports = plan->fabric->nodes[s].n_ports;
        n_with[n_ports <= SF_MAX_PORTS ? n_ports : SF_MAX_PORTS]++;
    }
    fputs("<ul>\n", stream);
    for (uint32_t n_ports = 0; n_ports <= SF_MAX_PORTS; n_ports++) {
        if (n_with[n_ports]) {
            fprintf(stream, "<li>%u %s of at least %u %s</li>\n",
                    n_with[n_ports],
                    sf_plural(n_with[n_ports], "switch", "switches"), n_ports,
                    sf_plural(n_ports, "port", "ports"));
        }
    }
    fprintf(stream,
            "<li>%u %s of %u units</li>\n"
            "<li>%u labels, two a cable</li>\n</ul>\n",
            plan->n_racks, sf_plural(plan->n_racks, "rack", "racks"),
            plan->floor.rack_units, 2 * plan->n_cables);
}

enum sf_status
sf_summary_write_materials(const struct sf_plan *plan, FILE *stream,
                           struct sf_error *err)
{
    struct kinds kinds = { 0 };

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        if (!count_cable(&kinds, &plan->cables[i])) {
            free(kinds.list.items);
            return sf_fail(err, SF_ENOMEM, "out of memory for the lengths");
        }
    }
    write_switches(plan, stream);
    fputs("<table><thead><tr><th rowspan=\"2\">Cable</th>"
          "<th colspan=\"4\">Step</th><th rowspan=\"2\">Together</th></tr>\n"
          "<tr><th>0</th><th>1</th><th>2</th><th>3</th></tr></thead>\n"
          "<tbody>\n",
          stream);
    for (size_t i = 0; i < kinds.list.n; i++) {
        const struct kind *kind = &kinds.list.items[i];
        uint32_t sum = 0;
        fprintf(stream, "<tr><td>%s, %g m</td>", sf_medium_name(kind->medium),
                kind->length);
        for (int step = 0; step < SF_N_STEPS; step++) {
            fprintf(stream, "<td>%u</td>", kind->n_cables[step]);
            sum += kind->n_cables[step];
        }
        fprintf(stream, "<td>%u</td></tr>\n", sum);
    }
    fputs("</tbody></table>\n", stream);
    free(kinds.list.items);
    return SF_OK;
}
