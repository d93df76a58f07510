/* labels.c -- labels for both ends of each cable.
 *
 * Sheets of 3 x 9 labels of 70 x 32 mm, which cover the width of A4, are sold
 * under many names; hence the margins of the page. */
#include "slimfly/guide.h"

#include "report/switch_order.h"

#include "io/xml.h"

#define LABELS_PER_SHEET 27

static const char head[] =
    "<style>\n"
    "@page{size:A4;margin:4.5mm 0}\n"
    "body{margin:0;font:7.5pt/1.25 sans-serif;color:#000}\n"
    "section{width:210mm;display:grid;grid-template-columns:repeat(3,70mm);"
    "grid-auto-rows:32mm;break-after:page}\n"
    "div{box-sizing:border-box;padding:2.5mm 4mm;overflow:hidden;"
    "overflow-wrap:anywhere}\n"
    "b{font-size:17pt;line-height:1.1}\n"
    "i{font-style:normal;float:right;text-align:right}\n"
    "p{margin:.6mm 0 0}\n"
    "span{display:block;font:bold 8pt/1.2 monospace}\n"
    "@media screen{section{margin:8mm auto;box-shadow:0 0 0 1px #999}"
    "div{outline:1px dotted #bbb}}\n"
    "</style>\n";

static void
write_end(const struct sf_plan *plan, const char *which, uint32_t port,
          FILE *stream)
{
    const struct sf_port *at = &plan->fabric->ports[port];
    char place[SF_PLACE_SIZE];

    fprintf(stream, "<p>%s end:<span>", which);
    sf_xml_write(sf_plan_place(plan, at->node, place), stream);
    fputc(' ', stream);
    sf_xml_write(plan->fabric->nodes[at->node].name, stream);
    fprintf(stream, " port %u</span></p>", at->number);
}

static void
write_label(const struct sf_plan *plan, const struct sf_cable *cable,
            uint32_t this_end, uint32_t far_end, FILE *stream)
{
    fprintf(stream, "<div><i>%g m %s<br/>step %d</i><b>", cable->length,
            sf_medium_name(cable->medium), (int)cable->step);
    sf_xml_write(cable->label, stream);
    fputs("</b>", stream);
    write_end(plan, "this", this_end, stream);
    write_end(plan, "far", far_end, stream);
    fputs("</div>\n", stream);
}

enum sf_status
sf_labels_write_html(const struct sf_plan *plan, FILE *stream,
                     struct sf_error *err)
{
    (void)err; /* Nothing is allocated; for the day when something is. */
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head>"
          "<meta charset=\"utf-8\"/>\n<title>Cable labels: ",
          stream);
    sf_xml_write(plan->spec, stream);
    fprintf(stream, "</title>\n%s</head><body>\n", head);
    for (uint32_t i = 0; i < 2 * plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i / 2];
        if (i % LABELS_PER_SHEET == 0) {
            fputs(i ? "</section>\n<section>\n" : "<section>\n", stream);
        }
        if (i % 2 == 0) {
            write_label(plan, cable, cable->a, cable->b, stream);
        } else {
            write_label(plan, cable, cable->b, cable->a, stream);
        }
    }
    fprintf(stream, "%s</body></html>\n",
            plan->n_cables ? "</section>\n" : "");
    return SF_OK;
}
