/* diagram.c -- wiring diagrams as SVG; layout.c decides what goes where.
 *
 * Cables have the colours of Okabe and Ito, which people with any kind of
 * colour vision can tell apart, first as full lines, then dashed.  Each lies
 * on a white line, so that at a crossing one passes over the other. */
#include "report/diagram.h"

#include "slimfly/guide.h"

#include "base/mem.h"
#include "io/xml.h"

#include <math.h>
#include <string.h>

#define PAGE_WIDTH  700.0
#define PAGE_HEIGHT 470.0

const char sf_diagram_style[] = ".d text{font:8.5px monospace;fill:#111}"
                                ".d .t{font:bold 15px sans-serif}"
                                ".d .r{font:bold 13px sans-serif}"
                                ".d .n{font:bold 11px monospace}"
                                ".d .i{fill:#667}"
                                ".d .u{font-size:9px;fill:#556}"
                                ".d .p{text-anchor:middle}"
                                ".d .e{text-anchor:end}"
                                ".d rect{fill:#fff;stroke:#20303c}"
                                ".d .f{fill:#eef0f3;stroke:#9aa3ad}"
                                ".d .q{stroke:#b8bec6}"
                                ".d path{fill:none;stroke-width:1.8}"
                                ".d .w{stroke:#fff;stroke-width:4.6}"
                                ".d .h{stroke-dasharray:7 2.5}"
                                ".d .c0{stroke:#0072b2}"
                                ".d .c1{stroke:#d55e00}"
                                ".d .c2{stroke:#009e73}"
                                ".d .c3{stroke:#000}"
                                ".d .c4{stroke:#e69f00}"
                                ".d .c5{stroke:#56b4e9}"
                                ".d .c6{stroke:#cc79a7}"
                                ".d rect.o{stroke-width:1.6}";

static void
write_text(const char *class, double x, double y, const char *text,
           FILE *stream)
{
    fprintf(stream, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    sf_xml_write(text, stream);
    fputs("</text>\n", stream);
}

static void
draw_frames(const struct sf_drawing *drawing, const struct sf_layout *layout,
            FILE *stream)
{
    for (uint32_t i = 0; i < layout->n_frames; i++) {
        const struct sf_layout_frame *frame = &layout->frames[i];
        const struct sf_layout_column *column =
            &layout->columns[frame->column];
        fprintf(stream,
                "<rect class=\"f\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                "height=\"%.1f\" rx=\"4\"/>\n",
                column->x - SF_LAYOUT_FRAME_PAD, frame->y,
                column->width + 2 * SF_LAYOUT_FRAME_PAD, frame->height);
        write_text("r", column->x, frame->y + 17,
                   drawing->plan->racks[frame->rack].name, stream);
    }
}

/* Draws the box of a switch with its unit and its name. */
static void
draw_box(const struct sf_drawing *drawing, const struct sf_layout *layout,
         const struct sf_layout_box *box, FILE *stream)
{
    const struct sf_layout_column *column = &layout->columns[box->column];
    bool is_idle = !box->n_ends[SF_LEFT] && !box->n_ends[SF_RIGHT];
    double x = column->x + SF_LAYOUT_PAD;
    double y = box->y + box->height / 2;
    char unit[16];

    if (column->has_ends[SF_LEFT]) {
        x += layout->port_width + layout->label_width + 2 * SF_LAYOUT_PAD;
    }
    snprintf(unit, sizeof unit, "U%u",
             drawing->plan->fabric->nodes[box->node].unit);
    fprintf(stream,
            "<rect%s x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
            "rx=\"2\"/>\n",
            is_idle ? " class=\"q\"" : "", column->x, box->y, column->width,
            box->height);
    write_text("u", x, y + 3.5, unit, stream);
    write_text(is_idle ? "n i" : "n", x + SF_LAYOUT_UNIT_WIDTH, y + 4,
               box->name, stream);
}

/* Draws the port at an end of cable 'i', and the cable's label beside it. */
static void
draw_end(const struct sf_drawing *drawing, const struct sf_layout *layout,
         uint32_t i, const struct sf_layout_end *end, FILE *stream)
{
    const struct sf_layout_column *column =
        &layout->columns[layout->boxes[end->box].column];
    bool is_right = end->side == SF_RIGHT;
    double x =
        is_right ? column->x + column->width - layout->port_width : column->x;
    char name[SF_PORT_NAME_SIZE];

    fprintf(stream,
            "<rect class=\"o c%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.1f\"/>\n",
            layout->styles[i] % SF_LAYOUT_N_COLORS, x,
            end->y - SF_LAYOUT_PORT_HEIGHT / 2, layout->port_width,
            SF_LAYOUT_PORT_HEIGHT);
    write_text("p", x + layout->port_width / 2, end->y + 3,
               sf_layout_port_name(drawing, end, name), stream);
    write_text(is_right ? "l e" : "l",
               is_right ? x - SF_LAYOUT_PAD
                        : x + layout->port_width + SF_LAYOUT_PAD,
               end->y + 3, sf_layout_label(drawing, i), stream);
}

/* Where an end leaves its frame: 'dx' further than its box. */
struct exit {
    double x, y, dx;
};

static struct exit
exit_of(const struct sf_layout *layout, const struct sf_layout_end *end)
{
    const struct sf_layout_column *column =
        &layout->columns[layout->boxes[end->box].column];

    return end->side == SF_RIGHT
               ? (struct exit){ column->x + column->width +
                                    SF_LAYOUT_FRAME_PAD,
                                end->y, SF_LAYOUT_FRAME_PAD }
               : (struct exit){ column->x - SF_LAYOUT_FRAME_PAD, end->y,
                                -SF_LAYOUT_FRAME_PAD };
}

/* Writes the way of cable 'i' from one frame to the other. */
static void
write_way(const struct sf_layout *layout, uint32_t i, struct exit a,
          struct exit b, FILE *stream)
{
    if (layout->n_columns == 2) {
        double half = (b.x - a.x) / 2;
        fprintf(stream, "C%.1f %.1f %.1f %.1f %.1f %.1f", a.x + half, a.y,
                b.x - half, b.y, b.x, b.y);
    } else {
        double lane = layout->lanes[i];
        double radius = fmin(6, fabs(b.y - a.y) / 2);
        double dx = lane > a.x ? radius : -radius;
        double dy = b.y > a.y ? radius : -radius;
        fprintf(stream, "H%.1fq%.1f 0 %.1f %.1fV%.1f", lane - dx, dx, dx, dy,
                b.y - dy);
        fprintf(stream, "q0 %.1f %.1f %.1fH%.1f", dy, -dx, dy, b.x);
    }
}

/* Draws cable 'i'.  The white line below it ends at the frames, which it
 * would cut. */
static void
draw_cable(const struct sf_drawing *drawing, const struct sf_layout *layout,
           uint32_t i, FILE *stream)
{
    struct exit a = exit_of(layout, &layout->ends[(size_t)2 * i]);
    struct exit b = exit_of(layout, &layout->ends[(size_t)2 * i + 1]);
    uint32_t style = layout->styles[i];

    fprintf(stream, "<path class=\"w\" d=\"M%.1f %.1f", a.x, a.y);
    write_way(layout, i, a, b, stream);
    fprintf(stream, "\"/>\n<path class=\"c%u%s\" d=\"M%.1f %.1fH%.1f",
            style % SF_LAYOUT_N_COLORS, style < SF_LAYOUT_N_COLORS ? "" : " h",
            a.x - a.dx, a.y, a.x);
    write_way(layout, i, a, b, stream);
    fprintf(stream, "H%.1f\"><title>", b.x - b.dx);
    sf_xml_write(sf_layout_label(drawing, i), stream);
    fputs("</title></path>\n", stream);
}

/* How much a drawing may grow to fill the width of a printed page and leave
 * room for a table below it. */
static double
page_scale(const struct sf_layout *layout)
{
    double fit =
        fmin(PAGE_WIDTH / layout->width, PAGE_HEIGHT / layout->height);
    return fmin(fmax(fit, 1), 1.3);
}

static void
draw(const struct sf_drawing *drawing, const struct sf_layout *layout,
     bool is_file, FILE *stream)
{
    double scale = is_file ? 1 : page_scale(layout);

    /* In a page, who cannot see it reads the table beside it instead. */
    fprintf(stream,
            "<svg class=\"d\"%s width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\">\n",
            is_file ? " xmlns=\"http://www.w3.org/2000/svg\""
                    : " role=\"img\" aria-label=\"Drawing\"",
            scale * layout->width, scale * layout->height, layout->width,
            layout->height);
    if (is_file) {
        fprintf(stream,
                "<style>%s</style>\n"
                "<rect style=\"stroke:none\" width=\"100%%\" "
                "height=\"100%%\"/>\n",
                sf_diagram_style);
    }
    if (drawing->title) {
        write_text("t", 12, 26, drawing->title, stream);
    }
    draw_frames(drawing, layout, stream);
    for (uint32_t i = 0; i < drawing->n_cables; i++) {
        draw_cable(drawing, layout, i, stream);
    }
    for (uint32_t i = 0; i < layout->n_boxes; i++) {
        if (layout->boxes[i].is_shown) {
            draw_box(drawing, layout, &layout->boxes[i], stream);
        }
    }
    for (uint32_t i = 0; i < 2 * drawing->n_cables; i++) {
        draw_end(drawing, layout, i / 2, &layout->ends[i], stream);
    }
    fputs("</svg>\n", stream);
}

enum sf_status
sf_diagram_draw(const struct sf_drawing *drawing, bool is_file, FILE *stream,
                struct sf_error *err)
{
    struct sf_layout layout;
    enum sf_status status = sf_layout_build(drawing, &layout, err);

    if (status == SF_OK) {
        draw(drawing, &layout, is_file, stream);
    }
    sf_layout_clear(&layout);
    return status;
}

/* Whether 'cable' belongs to 'step' and goes between two parts. */
static bool
is_between(const struct sf_plan *plan, const struct sf_cable *cable,
           enum sf_step step, uint32_t group_a, uint32_t group_b)
{
    if (cable->step != step) {
        return false;
    }
    uint32_t a = sf_plan_group(plan, plan->fabric->ports[cable->a].node);
    uint32_t b = sf_plan_group(plan, plan->fabric->ports[cable->b].node);
    return (a == group_a && b == group_b) || (a == group_b && b == group_a);
}

/* Draws the cables of 'step' between two parts, or inside one. */
static enum sf_status
write_file(const struct sf_plan *plan, enum sf_step step, uint32_t left,
           uint32_t right, FILE *stream, struct sf_error *err)
{
    struct sf_switch_order order = { 0 };
    char buffer[SF_STEP_TITLE_SIZE], title[SF_STEP_TITLE_SIZE + 128];
    uint32_t n = 0;

    enum sf_status status = sf_switch_order_build(plan, &order, err);
    uint32_t *cables = sf_calloc(plan->n_cables, sizeof *cables);
    if (status != SF_OK) {
        goto done;
    }
    if (!cables) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for a diagram");
        goto done;
    }
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        if (is_between(plan, &plan->cables[i], step, left, right)) {
            cables[n++] = i;
        }
    }
    const char *words = sf_plan_step_title(plan, step, buffer);
    if (left == right) {
        snprintf(title, sizeof title, "Step %d, R%u: %s, %u cable%s",
                 (int)step, left, words, n, n == 1 ? "" : "s");
    } else {
        snprintf(title, sizeof title, "Step %d, R%u to R%u: %u cable%s",
                 (int)step, left, right, n, n == 1 ? "" : "s");
    }
    struct sf_drawing drawing = {
        .plan = plan,
        .order = &order,
        .title = title,
        .left = left,
        .right = right,
        .cables = cables,
        .n_cables = n,
    };
    status = sf_diagram_draw(&drawing, true, stream, err);
done:
    free(cables);
    sf_switch_order_clear(&order);
    return status;
}

enum sf_status
sf_diagram_write_step(const struct sf_plan *plan, enum sf_step step,
                      uint32_t group, FILE *stream, struct sf_error *err)
{
    if (step != SF_STEP_SUBGROUP && step != SF_STEP_RACK) {
        return sf_fail(err, SF_EINVAL, "step %d is not inside a rack",
                       (int)step);
    }
    if (group >= plan->n_groups) {
        return sf_fail(err, SF_EINVAL, "no rack R%u; the plan has R0 to R%u",
                       group, plan->n_groups - 1);
    }
    return write_file(plan, step, group, group, stream, err);
}

enum sf_status
sf_diagram_write_pair(const struct sf_plan *plan, uint32_t group_a,
                      uint32_t group_b, FILE *stream, struct sf_error *err)
{
    if (group_a >= plan->n_groups || group_b >= plan->n_groups ||
        group_a == group_b) {
        return sf_fail(err, SF_EINVAL,
                       "R%u and R%u are not two racks of the plan", group_a,
                       group_b);
    }
    return write_file(plan, SF_STEP_RACKS, group_a, group_b, stream, err);
}
