/* guide_run.c -- the sections of a wiring guide: cables that are wired
 * together, with a drawing and a table.
 *
 * On paper a drawing and the table of its cables share a page, so a run is cut
 * into sheets that fit (layout_sheets.c).  Each cable has one row in the whole
 * guide, and each end a tick box of its own: of a cable between two racks, two
 * people plug one end each, and a cable of which one end hangs down must not
 * pass for done.  The box beside the label ticks both; only guide.js shows it.
 */
#include "report/guide_parts.h"

#include "io/xml.h"
#include "report/diagram.h"

#define TITLE_SIZE 80

/* A table that is shorter than this stays on one page. */
#define MAX_KEPT 45

const char *
sf_guide_run_id(const struct cable_run *run, char id[GUIDE_ID_SIZE])
{
    if (run->left == run->right) {
        snprintf(id, GUIDE_ID_SIZE, "step%d-%u", (int)run->step, run->left);
    } else {
        snprintf(id, GUIDE_ID_SIZE, "pair-%u-%u", run->left, run->right);
    }
    return id;
}

static const char *
make_title(const struct cable_run *run, char title[TITLE_SIZE])
{
    if (run->left == run->right) {
        snprintf(title, TITLE_SIZE, "Step %d: R%u%s", (int)run->step,
                 run->left, run->step == SF_STEP_HOSTS ? ", hosts" : "");
    } else {
        snprintf(title, TITLE_SIZE, "Step %d: R%u to R%u", (int)run->step,
                 run->left, run->right);
    }
    return title;
}

static const char *
port_name(const struct guide *guide, uint32_t port,
          char name[SF_PORT_NAME_SIZE])
{
    const struct sf_port *at = &guide->plan->fabric->ports[port];
    return sf_fabric_port_name(guide->plan->fabric, at->node, at->number,
                               name);
}

static void
write_end(const struct guide *guide, uint32_t port)
{
    const struct sf_port *at = &guide->plan->fabric->ports[port];
    const struct sf_node *node = &guide->plan->fabric->nodes[at->node];
    FILE *stream = guide->stream;
    char name[SF_PORT_NAME_SIZE];

    fputs("<td><label><input type=\"checkbox\"/>", stream);
    sf_xml_write(guide->plan->racks[node->rack].name, stream);
    fprintf(stream, "</label></td><td>U%u</td><td>", node->unit);
    sf_xml_write(node->name, stream);
    fprintf(stream, "</td><td>%s</td>", port_name(guide, port, name));
}

static void
write_row(const struct guide *guide, const struct sf_cable *cable)
{
    FILE *stream = guide->stream;

    fputs("<tr><th><label><input type=\"checkbox\"/>", stream);
    sf_xml_write(cable->label, stream);
    fputs("</label></th>", stream);
    write_end(guide, cable->a);
    write_end(guide, cable->b);
    fprintf(stream, "<td>%g m</td><td>%s</td></tr>\n", cable->length,
            sf_medium_name(cable->medium));
}

/* Writes 'n' cables of 'run' from 'first' on, a row each.  The head, which is
 * repeated on each page, says where they belong. */
static void
write_table(const struct guide *guide, const struct cable_run *run,
            uint32_t first, uint32_t n, const char *sheet)
{
    bool is_host = run->step == SF_STEP_HOSTS;
    char title[TITLE_SIZE];

    fprintf(guide->stream,
            "<table class=\"ticks%s\"><thead><tr><th colspan=\"11\">%s%s</th>"
            "</tr>\n<tr><th rowspan=\"2\">Label</th>"
            "<th colspan=\"4\">%s</th><th colspan=\"4\">%s</th>"
            "<th rowspan=\"2\">Length</th><th rowspan=\"2\">Medium</th></tr>\n"
            "<tr><th>Rack</th><th>Unit</th><th>Switch</th><th>Port</th>"
            "<th>Rack</th><th>Unit</th><th>%s</th><th>Port</th></tr></thead>\n"
            "<tbody>\n",
            n <= MAX_KEPT ? " keep" : "", make_title(run, title), sheet,
            is_host ? "Switch" : "End A", is_host ? "Host" : "End B",
            is_host ? "Host" : "Switch");
    for (uint32_t i = first; i < first + n; i++) {
        write_row(guide, &guide->plan->cables[run->first + i]);
    }
    fputs("</tbody></table>\n", guide->stream);
}

/* Writes a drawing and the table of its cables. */
static enum sf_status
write_sheet(const struct guide *guide, const struct cable_run *run,
            const struct sf_drawing *drawing, const char *sheet,
            struct sf_error *err)
{
    FILE *stream = guide->stream;
    uint32_t first = drawing->cables[0] - run->first;
    char title[TITLE_SIZE];

    fputs("<div class=\"sheet\">\n", stream);
    if (first > 0) { /* The title of the run is on another page. */
        fprintf(stream, "<h3>%s%s</h3>\n", make_title(run, title), sheet);
    }
    fprintf(stream, "<figure style=\"--room:%.0fmm\">\n",
            sf_layout_room(drawing));
    enum sf_status status = sf_diagram_draw(drawing, false, stream, err);
    if (drawing->hides_idle) {
        fputs("<figcaption>Switches without any of these cables are left "
              "out.</figcaption>\n",
              stream);
    }
    fputs("</figure>\n", stream);
    write_table(guide, run, first, drawing->n_cables, sheet);
    fputs("</div>\n", stream);
    return status;
}

/* Draws the cables of 'run' and lists them, on several sheets if they are
 * many. */
static enum sf_status
write_sheets(const struct guide *guide, const struct cable_run *run,
             struct sf_error *err)
{
    struct sf_drawing drawing = {
        .plan = guide->plan,
        .order = &guide->order,
        .left = run->left,
        .right = run->right,
        .cables = guide->cables + run->first,
        .n_cables = run->n,
    };
    uint32_t *ends = NULL;
    uint32_t n_sheets = 0, first = 0;

    enum sf_status status = sf_layout_split(&drawing, &ends, &n_sheets, err);
    drawing.hides_idle = n_sheets > 1;
    for (uint32_t i = 0; status == SF_OK && i < n_sheets; i++) {
        char sheet[64] = "";
        if (n_sheets > 1) {
            snprintf(sheet, sizeof sheet, ", sheet %u of %u", i + 1, n_sheets);
        }
        drawing.cables = guide->cables + run->first + first;
        drawing.n_cables = ends[i] - first;
        status = write_sheet(guide, run, &drawing, sheet, err);
        first = ends[i];
    }
    free(ends);
    return status;
}

/* Whether all cables of a run have the same port number at this end. */
static bool
is_one_number(const struct guide *guide, const struct cable_run *run,
              bool at_b)
{
    const struct sf_cable *cables = guide->plan->cables + run->first;
    const struct sf_port *ports = guide->plan->fabric->ports;

    for (uint32_t i = 1; i < run->n; i++) {
        uint32_t port = at_b ? cables[i].b : cables[i].a;
        if (ports[port].number !=
            ports[at_b ? cables[0].b : cables[0].a].number) {
            return false;
        }
    }
    return true;
}

/* Says what makes a run easier to wire. */
static void
write_hint(const struct guide *guide, const struct cable_run *run)
{
    const struct cable_run *leader = &guide->runs.list.items[run->leader];
    const struct sf_cable *first = &guide->plan->cables[run->first];
    char a[SF_PORT_NAME_SIZE], b[SF_PORT_NAME_SIZE];

    if (leader != run) {
        fprintf(guide->stream, " Wired as R%u, unit by unit and port by port.",
                leader->left);
    }
    if (run->left != run->right && run->n > 1 &&
        is_one_number(guide, run, false) && is_one_number(guide, run, true)) {
        fprintf(guide->stream,
                " All of them go from port %s of a switch of R%u to port %s "
                "of a switch of R%u.",
                port_name(guide, first->a, a), run->left,
                port_name(guide, first->b, b), run->right);
    }
}

enum sf_status
sf_guide_write_run(const struct guide *guide, const struct cable_run *run,
                   struct sf_error *err)
{
    enum sf_status status = SF_OK;
    char title[TITLE_SIZE], id[GUIDE_ID_SIZE];

    fprintf(guide->stream,
            "<section class=\"run%s\" id=\"%s\" data-step=\"%d\" "
            "data-a=\"%u\" data-b=\"%u\" data-n=\"%u\">\n<h3>%s</h3>\n"
            "<p>%u cable%s.",
            run->step == SF_STEP_HOSTS && run->n > MAX_KEPT ? " page" : "",
            sf_guide_run_id(run, id), (int)run->step, run->left, run->right,
            run->n, make_title(run, title), run->n, run->n == 1 ? "" : "s");
    write_hint(guide, run);
    fputs("</p>\n", guide->stream);
    if (run->step == SF_STEP_HOSTS) {
        write_table(guide, run, 0, run->n, "");
    } else {
        status = write_sheets(guide, run, err);
    }
    fputs("</section>\n", guide->stream);
    return status;
}
