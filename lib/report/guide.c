/* guide.c -- the wiring guide: one document for the people in the hall. */
#include "slimfly/guide.h"

#include "base/mem.h"
#include "io/xml.h"
#include "report/cable_runs.h"
#include "report/diagram.h"
#include "report/summary.h"

#define MAX_KEPT   45 /* Rows of a table that fit on a page, with a title. */
#define MAX_SHARED 5  /* Cables that need no page of their own. */

/* A guide that is written. */
struct guide {
    const struct sf_plan *plan;
    FILE *stream;
    struct sf_switch_order order;
    struct cable_runs runs;
    uint32_t *cables; /* 0, 1, 2..., to cut lists from. */
    uint32_t *groups; /* [n_groups] Room for a list of parts. */
};

static const char style[] =
    "@page{size:A4;margin:12mm;@bottom-right{content:counter(page);"
    "font:8pt sans-serif}}\n"
    "body{font:10pt/1.35 sans-serif;color:#111;max-width:186mm;"
    "margin:8mm auto}\n"
    "h1{font-size:20pt;margin:0 0 2mm}h2{font-size:15pt;margin:0 0 2mm}\n"
    "h3{font-size:12pt;margin:0 0 2mm}h4{font-size:10pt;margin:4mm 0 1mm}\n"
    "h2,h3,h4,.head{break-after:avoid}p{margin:1mm 0 2mm}\n"
    "table{border-collapse:collapse;font-size:8.5pt;margin:1mm 0 4mm}\n"
    "td,th{border:1px solid #999;padding:.3mm 1.6mm;text-align:right;"
    "line-height:1.25}\n"
    "th{background:#eef0f3;text-align:center}thead{"
    "display:table-header-group}\n"
    "tr{break-inside:avoid}td.w{text-align:left}\n"
    "td.t{font-size:11pt;line-height:1;text-align:center}.m{font-family:"
    "monospace}\n"
    "td.x{text-align:left;font-family:monospace;overflow-wrap:anywhere}\n"
    "figure{margin:2mm 0 3mm}figcaption{font-size:8.5pt;color:#333}\n"
    "svg{max-width:100%;height:auto}\n"
    "nav{font-size:9pt}nav ul{padding-left:5mm;margin:1mm 0}\n"
    "nav a{margin-right:2mm;white-space:nowrap}a{color:#0050a0}\n"
    "section{margin-top:6mm}section section{margin-top:3mm}\n"
    "@media print{body{margin:0;max-width:none}"
    ".page{break-before:page;margin-top:0}.keep{break-inside:avoid}"
    "svg{max-height:235mm}.first svg{max-height:210mm}a{color:inherit;"
    "text-decoration:none}thead th,.d rect,.d path{"
    "print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

/* For a table: one that fits on a page stays on one, a longer one starts on a
 * page of its own. */
static const char *
table_class(const struct cable_run *run)
{
    return run->n <= MAX_KEPT ? "keep" : "page";
}

/* For all of a run: a page of its own, except that the first of a step stays
 * with the title, and that a few cables may share one with others. */
static const char *
section_class(const struct guide *guide, const struct cable_run *run)
{
    bool is_first = run == guide->runs.list.items || run[-1].step != run->step;
    return is_first ? "first" : run->n <= MAX_SHARED ? "keep" : "page";
}

static void
write_end(const struct guide *guide, uint32_t port, FILE *stream)
{
    const struct sf_port *at = &guide->plan->fabric->ports[port];
    const struct sf_node *node = &guide->plan->fabric->nodes[at->node];

    fputs("<td class=\"w\">", stream);
    sf_xml_write(guide->plan->racks[node->rack].name, stream);
    fprintf(stream, "</td><td>U%u</td><td class=\"x\">", node->unit);
    sf_xml_write(node->name, stream);
    fprintf(stream, "</td><td>%u</td>", at->number);
}

/* A row a cable. */
static void
write_table(const struct guide *guide, const struct cable_run *run)
{
    FILE *stream = guide->stream;
    bool is_host = run->step == SF_STEP_HOSTS;

    fprintf(stream,
            "<table><thead><tr><th rowspan=\"2\">Done</th>"
            "<th rowspan=\"2\">#</th><th rowspan=\"2\">Label</th>"
            "<th colspan=\"4\">%s</th><th colspan=\"4\">%s</th>"
            "<th rowspan=\"2\">Length</th><th rowspan=\"2\">Medium</th></tr>\n"
            "<tr><th>Rack</th><th>Unit</th><th>Switch</th><th>Port</th>"
            "<th>Rack</th><th>Unit</th><th>%s</th><th>Port</th></tr></thead>\n"
            "<tbody>\n",
            is_host ? "Switch" : "End A", is_host ? "Host" : "End B",
            is_host ? "Host" : "Switch");
    for (uint32_t i = 0; i < run->n; i++) {
        const struct sf_cable *cable = &guide->plan->cables[run->first + i];
        fprintf(stream,
                "<tr><td class=\"t\">\u2610</td><td>%u</td><td class=\"x\">",
                i + 1);
        sf_xml_write(cable->label, stream);
        fputs("</td>", stream);
        write_end(guide, cable->a, stream);
        write_end(guide, cable->b, stream);
        fprintf(stream, "<td>%g m</td><td class=\"w\">%s</td></tr>\n",
                cable->length, sf_medium_name(cable->medium));
    }
    fputs("</tbody></table>\n", stream);
}

/* Draws the cables of 'run', on several sheets if they are many. 'same' are
 * the parts for which the drawing holds too. */
static enum sf_status
draw_run(const struct guide *guide, const struct cable_run *run,
         const uint32_t *same, uint32_t n_same, struct sf_error *err)
{
    struct sf_drawing drawing = {
        .plan = guide->plan,
        .order = &guide->order,
        .left = run->left,
        .right = run->right,
        .cables = guide->cables + run->first,
        .n_cables = run->n,
        .same = same,
        .n_same = n_same,
    };
    uint32_t *ends = NULL;
    uint32_t n_sheets = 0, first = 0;

    enum sf_status status = sf_layout_split(&drawing, &ends, &n_sheets, err);
    drawing.hides_idle = n_sheets > 1;
    for (uint32_t i = 0; status == SF_OK && i < n_sheets; i++) {
        fprintf(guide->stream, "<figure%s>\n", i ? " class=\"page\"" : "");
        drawing.cables = guide->cables + run->first + first;
        drawing.n_cables = ends[i] - first;
        drawing.first = first + 1;
        status = sf_diagram_draw(&drawing, false, guide->stream, err);
        if (n_sheets > 1) {
            fprintf(guide->stream,
                    "<figcaption>Sheet %u of %u: cables %u to %u; switches "
                    "without any of them are left out.</figcaption>\n",
                    i + 1, n_sheets, first + 1, ends[i]);
        }
        fputs("</figure>\n", guide->stream);
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

/* Writes a run between two parts: a drawing and a table. */
static enum sf_status
write_pair(const struct guide *guide, const struct cable_run *run,
           struct sf_error *err)
{
    const struct sf_cable *first = &guide->plan->cables[run->first];
    const struct sf_port *ports = guide->plan->fabric->ports;
    FILE *stream = guide->stream;

    fprintf(stream,
            "<section class=\"%s\" id=\"pair-%u-%u\"><h3>Step %d: R%u to "
            "R%u</h3>\n<p>%u cable%s.",
            section_class(guide, run), run->left, run->right, (int)run->step,
            run->left, run->right, run->n, run->n == 1 ? "" : "s");
    if (run->n > 1 && is_one_number(guide, run, false) &&
        is_one_number(guide, run, true)) {
        fprintf(stream,
                " All of them go from port %u of a switch of R%u to port %u "
                "of a switch of R%u.",
                ports[first->a].number, run->left, ports[first->b].number,
                run->right);
    }
    fputs("</p>\n", stream);
    enum sf_status status = draw_run(guide, run, NULL, 0, err);
    fprintf(stream, "<section class=\"%s\">\n", table_class(run));
    write_table(guide, run);
    fputs("</section></section>\n", stream);
    return status;
}

/* Writes "R0, R1 and R4", or "R0 to R4", for the parts in guide->groups. */
static void
write_parts(const struct guide *guide, uint32_t n)
{
    const uint32_t *groups = guide->groups;

    if (n > 2 && groups[n - 1] - groups[0] == n - 1) {
        fprintf(guide->stream, "R%u to R%u", groups[0], groups[n - 1]);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const char *before = i == 0 ? "" : i + 1 == n ? " and " : ", ";
        fprintf(guide->stream, "%sR%u", before, groups[i]);
    }
}

/* Writes run number 'leader', inside a part, and all those of the same
 * pattern: one drawing, then a table for each. */
static enum sf_status
write_pattern(const struct guide *guide, uint32_t leader, struct sf_error *err)
{
    const struct cable_run *runs = guide->runs.list.items;
    FILE *stream = guide->stream;
    uint32_t n = 0;

    for (uint32_t i = leader; i < guide->runs.list.n; i++) {
        if (runs[i].leader == leader) {
            guide->groups[n++] = runs[i].left;
        }
    }
    fprintf(stream, "<section class=\"%s\"><h3>Step %d: ",
            section_class(guide, &runs[leader]), (int)runs[leader].step);
    write_parts(guide, n);
    fputs("</h3>\n", stream);
    if (n > 1) {
        fputs("<p>These racks are wired alike, unit by unit and port by port; "
              "* stands for what differs in the names. The numbers after # "
              "are those of the tables, which have each rack's labels.</p>\n",
              stream);
    }
    enum sf_status status =
        draw_run(guide, &runs[leader], guide->groups + 1, n - 1, err);
    for (uint32_t i = leader; i < guide->runs.list.n; i++) {
        if (runs[i].leader != leader) {
            continue;
        }
        fprintf(stream,
                "<section class=\"%s\" id=\"step%d-%u\"><h4>R%u, step %d"
                "</h4>\n",
                table_class(&runs[i]), (int)runs[i].step, runs[i].left,
                runs[i].left, (int)runs[i].step);
        write_table(guide, &runs[i]);
        fputs("</section>\n", stream);
    }
    fputs("</section>\n", stream);
    return status;
}

static void
write_hosts(const struct guide *guide, const struct cable_run *run)
{
    fprintf(guide->stream,
            "<section class=\"%s\" id=\"step0-%u\"><h3>Step 0: R%u, hosts"
            "</h3>\n",
            run == guide->runs.list.items ? "first" : table_class(run),
            run->left, run->left);
    write_table(guide, run);
    fputs("</section>\n", guide->stream);
}

static uint32_t
count_cables(const struct guide *guide, enum sf_step step)
{
    uint32_t n = 0;

    for (size_t i = 0; i < guide->runs.list.n; i++) {
        n += guide->runs.list.items[i].step == step
                 ? guide->runs.list.items[i].n
                 : 0;
    }
    return n;
}

static enum sf_status
write_step(const struct guide *guide, enum sf_step step, struct sf_error *err)
{
    enum sf_status status = SF_OK;
    char title[SF_STEP_TITLE_SIZE];
    uint32_t n = count_cables(guide, step);

    fprintf(guide->stream,
            "<section class=\"%s\" id=\"step%d\"><h2>Step %d: %s</h2>\n",
            n ? "head page" : "keep", (int)step, (int)step,
            sf_plan_step_title(guide->plan, step, title));
    if (n) {
        fprintf(guide->stream, "<p>%u cable%s.</p>\n</section>\n", n,
                n == 1 ? "" : "s");
    } else {
        fputs("<p>Nothing to wire in this network.</p>\n</section>\n",
              guide->stream);
    }
    for (uint32_t i = 0; status == SF_OK && i < guide->runs.list.n; i++) {
        const struct cable_run *run = &guide->runs.list.items[i];
        if (run->step != step) {
            continue;
        }
        if (step == SF_STEP_HOSTS) {
            write_hosts(guide, run);
        } else if (!cable_run_is_inside(run)) {
            status = write_pair(guide, run, err);
        } else if (run->leader == i) {
            status = write_pattern(guide, i, err);
        }
    }
    return status;
}

/* Lists everything with links. */
static void
write_navigation(const struct guide *guide)
{
    FILE *stream = guide->stream;

    fputs("<nav><ul>\n<li><a href=\"#use\">How to use this guide</a></li>\n"
          "<li><a href=\"#hall\">The hall</a></li>\n"
          "<li><a href=\"#materials\">Bill of materials</a></li>\n",
          stream);
    for (int step = 0; step < SF_N_STEPS; step++) {
        char title[SF_STEP_TITLE_SIZE];
        fprintf(stream, "<li><a href=\"#step%d\">Step %d: %s</a><br/>\n", step,
                step,
                sf_plan_step_title(guide->plan, (enum sf_step)step, title));
        for (size_t i = 0; i < guide->runs.list.n; i++) {
            const struct cable_run *run = &guide->runs.list.items[i];
            if ((int)run->step != step) {
                continue;
            }
            if (run->left == run->right) {
                fprintf(stream, "<a href=\"#step%d-%u\">R%u</a>\n", step,
                        run->left, run->left);
            } else {
                fprintf(stream, "<a href=\"#pair-%u-%u\">R%u\u2013R%u</a>\n",
                        run->left, run->right, run->left, run->right);
            }
        }
        fputs("</li>\n", stream);
    }
    fputs("</ul></nav>\n", stream);
}

/* Says what titles mean by R0 if its racks are R0.1 and R0.2. */
static void
write_shared_names(const struct guide *guide)
{
    const struct sf_plan *plan = guide->plan;

    for (uint32_t i = 1; i < plan->n_racks; i++) {
        uint32_t first = i - 1, group = plan->racks[i].group, last = i;
        if (plan->racks[first].group != group) {
            continue;
        }
        while (last + 1 < plan->n_racks &&
               plan->racks[last + 1].group == group) {
            last++;
        }
        fprintf(guide->stream,
                " Some groups stand in several racks. In titles they have the "
                "name that these racks share: R%u is ",
                group);
        sf_xml_write(plan->racks[first].name, guide->stream);
        fputs(last > i ? " to " : " and ", guide->stream);
        sf_xml_write(plan->racks[last].name, guide->stream);
        fputc('.', guide->stream);
        return;
    }
}

static void
write_use(const struct guide *guide)
{
    FILE *stream = guide->stream;

    fputs(
        "<section id=\"use\"><h2>How to use this guide</h2>\n<ol>\n"
        "<li>Set up the racks as in the hall plan, and the switches and hosts "
        "in their units; U1 is the lowest.",
        stream);
    write_shared_names(guide);
    fputs(
        "</li>\n"
        "<li>Print the labels and put one on each end of each cable. A label "
        "names its own end first.</li>\n"
        "<li>Wire the steps in order, the pages of a step in any order. In a "
        "diagram, a small box is a port with its number; follow the line to "
        "the port at its other end. Colours and dashes only help the eye. "
        "Switches stand in their true order; what is between them is left "
        "out.</li>\n"
        "<li>Tick off each cable when both ends are in.</li>\n"
        "<li>Check while you wire with <code>slimfly watch</code>, and at the "
        "end of each step with <code>slimfly verify</code>: they name what is "
        "wrong and the move that mends it.</li>\n</ol></section>\n",
        stream);
}

static enum sf_status
write_front(const struct guide *guide, struct sf_error *err)
{
    FILE *stream = guide->stream;

    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head>"
          "<meta charset=\"utf-8\"/>\n<title>Wiring guide: ",
          stream);
    sf_xml_write(guide->plan->spec, stream);
    fprintf(stream, "</title>\n<style>\n%s%s\n</style></head><body>\n", style,
            sf_diagram_style);
    fputs("<h1>Wiring guide: ", stream);
    sf_xml_write(guide->plan->spec, stream);
    fputs("</h1>\n<p>", stream);
    sf_xml_write(guide->plan->title, stream);
    fputs("</p>\n", stream);
    sf_summary_write(guide->plan, stream);
    write_navigation(guide);
    write_use(guide);
    fputs("<section class=\"page\" id=\"hall\"><h2>The hall</h2>\n", stream);
    enum sf_status status = sf_summary_write_hall(guide->plan, stream, err);
    if (status == SF_OK) {
        fputs("</section>\n<section class=\"keep\" id=\"materials\"><h2>Bill "
              "of materials"
              "</h2>\n",
              stream);
        status = sf_summary_write_materials(guide->plan, stream, err);
        fputs("</section>\n", stream);
    }
    return status;
}

static bool
prepare(struct guide *guide)
{
    const struct sf_plan *plan = guide->plan;

    guide->cables = sf_calloc(plan->n_cables, sizeof *guide->cables);
    guide->groups = sf_calloc(plan->n_groups, sizeof *guide->groups);
    if (!guide->cables || !guide->groups ||
        !cable_runs_find(plan, &guide->order, &guide->runs)) {
        return false;
    }
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        guide->cables[i] = i;
    }
    return true;
}

enum sf_status
sf_guide_write_html(const struct sf_plan *plan, FILE *stream,
                    struct sf_error *err)
{
    struct guide guide = { .plan = plan, .stream = stream };
    enum sf_status status = sf_switch_order_build(plan, &guide.order, err);

    if (status == SF_OK && !prepare(&guide)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for the guide");
    }
    if (status == SF_OK) {
        status = write_front(&guide, err);
    }
    for (int step = 0; status == SF_OK && step < SF_N_STEPS; step++) {
        status = write_step(&guide, (enum sf_step)step, err);
    }
    fputs("</body></html>\n", stream);
    free(guide.groups);
    free(guide.cables);
    cable_runs_clear(&guide.runs);
    sf_switch_order_clear(&guide.order);
    return status;
}
