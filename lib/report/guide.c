/* guide.c -- the wiring guide: one document for the people in the hall.
 *
 * It is written as one long document in the order of wiring, which prints and
 * needs no script.  Where there is one (guide.js), it shows a page for each
 * rack: the same sections, those that concern the rack. */
#include "slimfly/guide.h"

#include "io/xml.h"
#include "report/diagram.h"
#include "report/guide_parts.h"
#include "report/page.h"
#include "report/summary.h"

#include <inttypes.h>

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

/* Lists the runs of a step with links. */
static void
write_links(const struct guide *guide, enum sf_step step)
{
    FILE *stream = guide->stream;

    fputs("<p class=\"links\">\n", stream);
    for (size_t i = 0; i < guide->runs.list.n; i++) {
        const struct cable_run *run = &guide->runs.list.items[i];
        char id[GUIDE_ID_SIZE];
        if (run->step != step) {
            continue;
        }
        fprintf(stream, "<a href=\"#%s\">R%u", sf_guide_run_id(run, id),
                run->left);
        if (run->left != run->right) {
            fprintf(stream, "\u2013R%u", run->right);
        }
        fputs("</a>\n", stream);
    }
    fputs("</p>\n", stream);
}

static enum sf_status
write_step(const struct guide *guide, enum sf_step step, struct sf_error *err)
{
    enum sf_status status = SF_OK;
    char title[SF_STEP_TITLE_SIZE];
    uint32_t n = count_cables(guide, step);

    fprintf(guide->stream,
            "<section class=\"step%s\" id=\"step%d\"><h2>Step %d: %s</h2>\n",
            n ? " wired" : "", (int)step, (int)step,
            sf_plan_step_title(guide->plan, step, title));
    if (n) {
        fprintf(guide->stream, "<p>%u cable%s.</p>\n", n, n == 1 ? "" : "s");
        write_links(guide, step);
    } else {
        fputs("<p>Nothing to wire in this network.</p>\n", guide->stream);
    }
    fputs("</section>\n", guide->stream);
    for (size_t i = 0; status == SF_OK && i < guide->runs.list.n; i++) {
        if (guide->runs.list.items[i].step == step) {
            status =
                sf_guide_write_run(guide, &guide->runs.list.items[i], err);
        }
    }
    return status;
}

/* Lists what the document has, with links. */
static void
write_contents(const struct guide *guide)
{
    FILE *stream = guide->stream;

    fputs("<nav class=\"contents\"><ul>\n"
          "<li><a href=\"#use\">How to use this guide</a></li>\n"
          "<li><a href=\"#hall\">The hall</a></li>\n"
          "<li><a href=\"#materials\">Bill of materials</a></li>\n",
          stream);
    for (int step = 0; step < SF_N_STEPS; step++) {
        char title[SF_STEP_TITLE_SIZE];
        fprintf(stream, "<li><a href=\"#step%d\">Step %d: %s</a></li>\n", step,
                step,
                sf_plan_step_title(guide->plan, (enum sf_step)step, title));
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

/* Whether the ports of switches have names. */
static bool
names_ports(const struct sf_plan *plan)
{
    return sf_port_names_exist(&plan->fabric->port_names[SF_NODE_SWITCH]);
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
        "diagram, a small box is a port with its ",
        stream);
    fputs(names_ports(guide->plan) ? "name" : "number", stream);
    fputs(
        "; follow the line to "
        "the port at its other end. Colours and dashes only help the eye. "
        "Switches stand in their true order; what is between them is left "
        "out.</li>\n"
        "<li>Each end of a cable has a tick box. Tick it when that end is in. "
        "A cable is done when both are.</li>\n"
        "<li>Check while you wire with <code>slimfly watch</code>, and at the "
        "end of each step with <code>slimfly verify</code>: they name what is "
        "wrong and the move that mends it.</li>\n</ol>\n"
        "<p class=\"scripted\">On this screen each rack has a page. The arrow "
        "keys and the buttons turn pages. Type a label, or a part of a name, "
        "into the search field to find a cable; <kbd>/</kbd> goes there, and "
        "a scanner that types what it reads does the same with the QR code "
        "of a label. The box beside a label ticks both ends. This page prints "
        "as the whole guide, the page of a rack as that rack "
        "alone.</p></section>\n",
        stream);
}

/* What only a script can do; without one nothing of it is shown. */
static const char bar[] =
    "<div id=\"bar\" class=\"scripted\">"
    "<a id=\"back\" class=\"button\" href=\"#front\">\u2039 Back</a>"
    "<label>Page <select id=\"page\"></select></label>"
    "<a id=\"next\" class=\"button\" href=\"#front\">Next \u203a</a>"
    "<form id=\"search\" role=\"search\"><label>Find <input id=\"term\" "
    "type=\"search\" "
    "placeholder=\"label or name\" autocomplete=\"off\"/></label></form>"
    "<span id=\"done\"></span></div>\n"
    "<div id=\"found\" class=\"scripted\" role=\"status\"></div>\n";

static const char tools[] =
    "<div class=\"scripted tools\">"
    "<button id=\"export\" type=\"button\">Export ticks</button>"
    "<label class=\"button\">Import ticks<input id=\"import\" type=\"file\" "
    "accept=\".json,application/json\" multiple=\"multiple\"/></label>"
    "<button id=\"forget\" type=\"button\">Remove all ticks</button>"
    "<p id=\"said\" role=\"status\"></p></div>\n";

/* Writes the head of the file and starts its body. */
static void
write_head(const struct guide *guide)
{
    const struct sf_plan *plan = guide->plan;
    FILE *stream = guide->stream;

    sf_page_begin("Wiring guide", plan->spec, stream);
    fprintf(stream, "<style>\n%s\n", sf_diagram_style);
    sf_page_write_part(SF_GUIDE_CSS, stream);
    /* Before anything is shown, or a large guide would be laid out in vain. */
    fputs("</style>\n<script>document.documentElement.className = "
          "\"js overview\";</script>\n</head><body data-spec=\"",
          stream);
    sf_xml_write(plan->spec, stream);
    fprintf(stream, "\" data-plan=\"%016" PRIx64 "\" data-cables=\"%u\">\n",
            sf_guide_identity(plan), plan->n_cables);
}

static enum sf_status
write_front(const struct guide *guide, struct sf_error *err)
{
    FILE *stream = guide->stream;

    fprintf(stream, "%s<div id=\"front\">\n<h1>Wiring guide: ", bar);
    sf_xml_write(guide->plan->spec, stream);
    fputs("</h1>\n<p>", stream);
    sf_xml_write(guide->plan->title, stream);
    fputs("</p>\n", stream);
    sf_summary_write(guide->plan, stream);
    write_contents(guide);
    fprintf(stream,
            "<section id=\"progress\"><h2>Cables of each rack</h2>\n%s",
            tools);
    enum sf_status status = sf_guide_write_progress(guide, err);
    if (status == SF_OK) {
        fputs("</section>\n", stream);
        write_use(guide);
        fputs("<section id=\"hall\"><h2>The hall</h2>\n", stream);
        status = sf_summary_write_hall(guide->plan, stream, err);
    }
    if (status == SF_OK) {
        fputs("</section>\n<section class=\"keep\" id=\"materials\">"
              "<h2>Bill of materials</h2>\n",
              stream);
        status = sf_summary_write_materials(guide->plan, stream, err);
    }
    fputs("</section>\n</div>\n<div id=\"rack\"></div>\n", stream);
    return status;
}

static bool
prepare(struct guide *guide)
{
    const struct sf_plan *plan = guide->plan;

    guide->cables = sf_calloc(plan->n_cables, sizeof *guide->cables);
    if (!guide->cables ||
        !sf_cable_runs_find(plan, &guide->order, &guide->runs)) {
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
        write_head(&guide);
        status = write_front(&guide, err);
    }
    for (int step = 0; status == SF_OK && step < SF_N_STEPS; step++) {
        status = write_step(&guide, (enum sf_step)step, err);
    }
    fputs("<div id=\"foot\" class=\"scripted\"></div>\n<script>\n", stream);
    sf_page_write_part(SF_GUIDE_JS, stream);
    fputs("</script>\n</body></html>\n", stream);
    free(guide.cables);
    sf_cable_runs_clear(&guide.runs);
    sf_switch_order_clear(&guide.order);
    return status;
}
