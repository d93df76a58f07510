/* verify_svg.c -- a drawing of what a verification found: the racks concerned
 * side by side, in them the switches and hosts concerned with their ports,
 * cables as they are in red, as they should be in green. */
#include "base/mem.h"
#include "io/xml.h"
#include "slimfly/verify.h"

#include <math.h>
#include <string.h>

/* Sizes in pixels. */
#define COLUMN_WIDTH 190.0
#define COLUMN_GAP   170.0
#define MARGIN       24.0
#define TOP          92.0 /* Title and legend above the racks. */
#define HEAD         22.0 /* The name of a node, above its ports. */
#define PORT         18.0
#define NODE_GAP     12.0
#define LINE_CELL    7.0 /* Width of a letter. */
#define LANE         9.0 /* Between cables that run side by side. */

/* A node concerned. */
struct item {
    uint32_t group; /* Its part; SF_NONE if it is not in the plan. */
    uint32_t rack;  /* Likewise. */
    uint32_t unit;
    struct sf_end end; /* Of any port of it. */
    const char *note;  /* "missing", "unknown"; NULL otherwise. */
    uint32_t n_ports;  /* Concerned. */
    double x, y;
};

/* A port concerned. */
struct spot {
    uint32_t item, number;
    double y; /* Its middle. */
};

/* A cable to draw. */
struct line {
    uint32_t a_item, a_number, b_item, b_number;
    bool is_planned; /* As it should be; else as it is. */
    uint32_t lane;   /* Below all racks, if there are racks in between; else
                      * SF_NONE. */
};

struct sketch {
    const struct sf_verification *verification;
    uint32_t *item_of_plan;  /* [nodes of the plan] Or SF_NONE. */
    uint32_t *item_of_found; /* [nodes found] Or SF_NONE. */
    SF_VEC(struct item) items;
    SF_VEC(struct spot) spots;
    SF_VEC(struct line) lines;
    uint32_t *order; /* [items.n] Column by column, from the top. */
    uint32_t n_columns;
    double width, height;
    double bottom; /* Of the racks. */
    bool is_out_of_memory;
};

/* The item of the node at 'end', made if it is new. */
static uint32_t
item_of(struct sketch *sketch, const struct sf_end *end)
{
    const struct sf_plan *plan = sketch->verification->plan;
    uint32_t *itemp = end->node != SF_NONE
                          ? &sketch->item_of_plan[end->node]
                          : &sketch->item_of_found[end->found];

    if (*itemp == SF_NONE) {
        struct item item = { SF_NONE, SF_NONE, 0, *end, NULL, 0, 0, 0 };
        if (end->node != SF_NONE) {
            item.rack = plan->fabric->nodes[end->node].rack;
            item.unit = plan->fabric->nodes[end->node].unit;
            item.group = plan->racks[item.rack].group;
        }
        *itemp = (uint32_t)sketch->items.n;
        if (!sf_vec_push(&sketch->items, item)) {
            sketch->is_out_of_memory = true;
            *itemp = SF_NONE;
        }
    }
    return *itemp;
}

/* Notes a cable between two ends, and its ports. */
static void
add_line(struct sketch *sketch, const struct sf_end ends[2], bool is_planned)
{
    if (!sf_end_exists(&ends[0]) || !sf_end_exists(&ends[1])) {
        return;
    }
    struct line line = { item_of(sketch, &ends[0]),
                         ends[0].number,
                         item_of(sketch, &ends[1]),
                         ends[1].number,
                         is_planned,
                         SF_NONE };
    if (sketch->is_out_of_memory || line.a_number == 0 || line.b_number == 0) {
        return;
    }
    if (!sf_vec_push(&sketch->lines, line) ||
        !sf_vec_push(&sketch->spots,
                     ((struct spot){ line.a_item, line.a_number, 0 })) ||
        !sf_vec_push(&sketch->spots,
                     ((struct spot){ line.b_item, line.b_number, 0 }))) {
        sketch->is_out_of_memory = true;
    }
}

/* Notes a node of which something is to be said. */
static void
add_note(struct sketch *sketch, const struct sf_end *end, const char *note)
{
    uint32_t item = sf_end_exists(end) ? item_of(sketch, end) : SF_NONE;
    if (item != SF_NONE && sketch->items.items) {
        sketch->items.items[item].note = note;
    }
}

static void
add_finding(struct sketch *sketch, const struct sf_finding *finding)
{
    switch (finding->verdict) {
    case SF_VERDICT_MISSING:
        if (finding->cause == SF_NONE) {
            add_line(sketch, finding->planned, true);
        }
        break;
    case SF_VERDICT_MISCONNECTED:
        add_line(sketch, finding->found, false);
        add_line(sketch, finding->planned, true);
        break;
    case SF_VERDICT_UNEXPECTED:
    case SF_VERDICT_DUPLICATE:
    case SF_VERDICT_DIFFERENT:
        add_line(sketch, finding->found, false);
        break;
    case SF_VERDICT_MISSING_SWITCH:
    case SF_VERDICT_MISSING_HOST:
        add_note(sketch, &finding->planned[0], "missing");
        break;
    case SF_VERDICT_UNKNOWN_SWITCH:
    case SF_VERDICT_UNKNOWN_HOST:
        add_note(sketch, &finding->found[0], "unknown");
        break;
    case SF_VERDICT_EXCHANGED:
        add_note(sketch, &finding->planned[0], "exchanged");
        add_note(sketch, &finding->planned[1], "exchanged");
        break;
    case SF_VERDICT_MISNAMED:
        add_note(sketch, &finding->found[0], "misnamed");
        break;
    case SF_N_VERDICTS:
        break;
    }
}

static int
compare_spots(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;

    if (x->item != y->item) {
        return x->item < y->item ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

/* Sorts the ports and leaves each once. */
static void
sort_spots(struct sketch *sketch)
{
    size_t n = 0;

    if (sketch->spots.n == 0) {
        return;
    }
    qsort(sketch->spots.items, sketch->spots.n, sizeof *sketch->spots.items,
          compare_spots);
    for (size_t i = 0; i < sketch->spots.n; i++) {
        struct spot spot = sketch->spots.items[i];
        if (n == 0 || compare_spots(&spot, &sketch->spots.items[n - 1])) {
            sketch->spots.items[n++] = spot;
            sketch->items.items[spot.item].n_ports++;
        }
    }
    sketch->spots.n = n;
}

static const struct spot *
find_spot(const struct sketch *sketch, uint32_t item, uint32_t number)
{
    struct spot wanted = { item, number, 0 };
    return bsearch(&wanted, sketch->spots.items, sketch->spots.n,
                   sizeof wanted, compare_spots);
}

/* Whether item 'a' is drawn before 'b': by part, by cabinet, from the top. */
static bool
is_before(const struct sketch *sketch, uint32_t a, uint32_t b)
{
    const struct item *x = &sketch->items.items[a];
    const struct item *y = &sketch->items.items[b];

    if (x->group != y->group) {
        return x->group < y->group;
    }
    if (x->rack != y->rack) {
        return x->rack < y->rack;
    }
    if (x->unit != y->unit) {
        return x->unit > y->unit;
    }
    return a < b;
}

/* Sorts 'order' by merging, as qsort() has no way to see the items. */
static void
sort_order(const struct sketch *sketch, uint32_t *order, uint32_t *spare,
           uint32_t n)
{
    for (uint32_t width = 1; width < n; width *= 2) {
        for (uint32_t start = 0; start < n; start += 2 * width) {
            uint32_t middle = start + width < n ? start + width : n;
            uint32_t end = start + 2 * width < n ? start + 2 * width : n;
            uint32_t i = start, j = middle;
            for (uint32_t k = start; k < end; k++) {
                bool takes_left =
                    j >= end ||
                    (i < middle && !is_before(sketch, order[j], order[i]));
                spare[k] = takes_left ? order[i++] : order[j++];
            }
        }
        memcpy(order, spare, n * sizeof *order);
    }
}

static void
lay_out(struct sketch *sketch)
{
    uint32_t column = 0;
    double y = TOP;

    for (uint32_t i = 0; i < sketch->items.n; i++) {
        struct item *item = &sketch->items.items[sketch->order[i]];
        if (i > 0 &&
            sketch->items.items[sketch->order[i - 1]].group != item->group) {
            column++;
            y = TOP;
        }
        item->x = MARGIN + column * (COLUMN_WIDTH + COLUMN_GAP);
        item->y = y;
        y += HEAD + PORT * item->n_ports + NODE_GAP;
        sketch->height = fmax(sketch->height, y);
    }
    sketch->n_columns = sketch->items.n ? column + 1 : 0;
    sketch->width =
        fmax(MARGIN + sketch->n_columns * (COLUMN_WIDTH + COLUMN_GAP), 560);
    sketch->height = fmax(sketch->height, TOP) + MARGIN;

    uint32_t n_before = 0;
    for (size_t i = 0; i < sketch->spots.n; i++) {
        struct spot *spot = &sketch->spots.items[i];
        n_before = i > 0 && spot[-1].item == spot->item ? n_before + 1 : 0;
        spot->y =
            sketch->items.items[spot->item].y + HEAD + PORT * (n_before + 0.5);
    }
}

/* Gives a lane to each cable that would cross the racks between its ends. */
static void
assign_lanes(struct sketch *sketch)
{
    uint32_t n_lanes = 0;

    for (size_t i = 0; i < sketch->lines.n; i++) {
        struct line *line = &sketch->lines.items[i];
        double distance = fabs(sketch->items.items[line->a_item].x -
                               sketch->items.items[line->b_item].x);
        if (distance > 1.5 * (COLUMN_WIDTH + COLUMN_GAP)) {
            line->lane = n_lanes++;
        }
    }
    sketch->bottom = sketch->height - MARGIN;
    sketch->height += n_lanes * LANE;
}

/* A cable that goes down beside one rack, below those between, and up beside
 * the other. */
static void
draw_below(const struct sketch *sketch, const struct line *line, double a_x,
           double a_y, double b_x, double b_y, FILE *stream)
{
    double y = sketch->bottom + line->lane * LANE;
    double offset = 24 + fmod(line->lane * LANE, COLUMN_GAP - 48);
    double side = a_x < b_x ? 1 : -1;

    fprintf(stream,
            "<path class=\"%s\" d=\"M%.1f %.1fH%.1fV%.1fH%.1fV%.1fH%.1f\"/>\n",
            line->is_planned ? "planned" : "found", a_x, a_y,
            a_x + side * offset, y, b_x - side * offset, b_y, b_x);
}

static void
draw_line(const struct sketch *sketch, const struct line *line, FILE *stream)
{
    const struct item *a = &sketch->items.items[line->a_item];
    const struct item *b = &sketch->items.items[line->b_item];
    double a_y = find_spot(sketch, line->a_item, line->a_number)->y;
    double b_y = find_spot(sketch, line->b_item, line->b_number)->y;
    /* From the sides that face each other; inside a column on the right. */
    double a_x = a->x + (b->x < a->x ? 0 : COLUMN_WIDTH);
    double b_x = b->x + (a->x < b->x ? 0 : COLUMN_WIDTH);
    if (line->lane != SF_NONE) {
        draw_below(sketch, line, a_x, a_y, b_x, b_y, stream);
        return;
    }
    double pull = a->x < b->x || b->x < a->x
                      ? COLUMN_GAP / 2
                      : fmin(30 + fabs(a_y - b_y) / 4, COLUMN_GAP - 20);

    fprintf(stream,
            "<path class=\"%s\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f "
            "%.1f\"/>\n",
            line->is_planned ? "planned" : "found", a_x, a_y,
            a_x + (b->x < a->x ? -pull : pull), a_y,
            b_x + (a->x < b->x ? -pull : pull), b_y, b_x, b_y);
}

/* Writes 'text', shortened to what fits into 'width'. */
static void
draw_text(const char *text, double x, double y, double width, FILE *stream)
{
    char shortened[256];
    size_t n_fit = (size_t)(width / LINE_CELL);

    snprintf(shortened, sizeof shortened, "%s", text);
    if (strlen(shortened) > n_fit && n_fit > 3 && n_fit < sizeof shortened) {
        memcpy(shortened + n_fit - 3, "...", 4);
    }
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\">", x, y);
    sf_xml_write(shortened, stream);
    fputs("</text>\n", stream);
}

static void
draw_item(const struct sketch *sketch, const struct item *item, FILE *stream)
{
    char place[SF_PLACE_SIZE] = "";
    char label[SF_MAX_NAME + SF_PLACE_SIZE + 40];

    if (item->end.node != SF_NONE) {
        sf_plan_place(sketch->verification->plan, item->end.node, place);
    }
    snprintf(label, sizeof label, "%s %s%s%s",
             sf_verification_name(sketch->verification, &item->end), place,
             item->note ? " " : "", item->note ? item->note : "");
    fprintf(stream,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" "
            "height=\"%.0f\" rx=\"3\"/>\n",
            item->note ? "node noted" : "node", item->x, item->y, COLUMN_WIDTH,
            HEAD + PORT * item->n_ports + 2);
    draw_text(label, item->x + 8, item->y + 15, COLUMN_WIDTH - 12, stream);
}

static void
draw_spot(const struct sketch *sketch, const struct spot *spot, FILE *stream)
{
    double x = sketch->items.items[spot->item].x;

    /* The number stands at both edges, since cables may leave at either. */
    for (int side = 0; side < 2; side++) {
        double left = side ? x + COLUMN_WIDTH - 28 : x;
        fprintf(stream,
                "<rect class=\"port\" x=\"%.1f\" y=\"%.1f\" width=\"28\" "
                "height=\"15\"/>"
                "<text class=\"number\" x=\"%.1f\" y=\"%.1f\">%u</text>\n",
                left, spot->y - 7.5, left + 14, spot->y + 4, spot->number);
    }
}

static void
draw_columns(const struct sketch *sketch, FILE *stream)
{
    for (uint32_t i = 0; i < sketch->items.n; i++) {
        const struct item *item = &sketch->items.items[sketch->order[i]];
        if (i > 0 &&
            sketch->items.items[sketch->order[i - 1]].group == item->group) {
            continue;
        }
        fprintf(stream, "<text class=\"head\" x=\"%.1f\" y=\"%.1f\">%s%s",
                item->x, TOP - 12, item->group == SF_NONE ? "" : "rack ",
                item->group == SF_NONE
                    ? "not in the plan"
                    : sketch->verification->plan->racks[item->rack].name);
        fputs("</text>\n", stream);
    }
}

static void
draw(const struct sketch *sketch, FILE *stream)
{
    const struct sf_verification *verification = sketch->verification;

    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<style>"
            "text{font:11px monospace;fill:#222}.head{font-weight:bold}"
            ".title{font:bold 16px sans-serif}.key{font:13px sans-serif}"
            ".node{fill:#f3f5f7;stroke:#20303c}.noted{fill:#ffe9b8}"
            ".port{fill:#fff;stroke:#20303c}.number{text-anchor:middle}"
            "path{fill:none;stroke-width:2}.found{stroke:#c62828}"
            ".planned{stroke:#1b7f3b;stroke-dasharray:6 4}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            sketch->width, sketch->height, sketch->width, sketch->height);
    fprintf(stream, "<text class=\"title\" x=\"%.0f\" y=\"28\">", MARGIN);
    sf_xml_write(verification->plan->spec, stream);
    if (verification->matches) {
        fputs(": all is as planned</text>\n", stream);
    } else {
        fprintf(stream, ": %u findings, %u moves</text>\n",
                verification->n_findings, verification->n_moves);
        fputs(
            "<path class=\"found\" d=\"M24 50h30\"/>"
            "<text class=\"key\" x=\"62\" y=\"54\">as it is</text>"
            "<path class=\"planned\" d=\"M140 50h30\"/>"
            "<text class=\"key\" x=\"178\" y=\"54\">as it should be</text>\n",
            stream);
    }
    draw_columns(sketch, stream);
    for (size_t i = 0; i < sketch->lines.n; i++) {
        draw_line(sketch, &sketch->lines.items[i], stream);
    }
    for (size_t i = 0; i < sketch->items.n; i++) {
        draw_item(sketch, &sketch->items.items[i], stream);
    }
    for (size_t i = 0; i < sketch->spots.n; i++) {
        draw_spot(sketch, &sketch->spots.items[i], stream);
    }
    fputs("</svg>\n", stream);
}

enum sf_status
sf_verification_write_svg(const struct sf_verification *verification,
                          FILE *stream, struct sf_error *err)
{
    uint32_t n_planned = verification->plan->fabric->n_nodes;
    uint32_t n_found = verification->found->n_nodes;
    struct sketch sketch = {
        .verification = verification,
        .item_of_plan = sf_calloc(n_planned, sizeof(uint32_t)),
        .item_of_found = sf_calloc(n_found, sizeof(uint32_t)),
    };
    uint32_t *spare = NULL;
    enum sf_status status = SF_OK;

    if (!sketch.item_of_plan || !sketch.item_of_found) {
        goto no_memory;
    }
    memset(sketch.item_of_plan, 0xff, n_planned * sizeof(uint32_t));
    memset(sketch.item_of_found, 0xff, n_found * sizeof(uint32_t));
    for (uint32_t i = 0; i < verification->n_findings; i++) {
        add_finding(&sketch, &verification->findings[i]);
    }
    sketch.order = sf_calloc(sketch.items.n, sizeof *sketch.order);
    spare = sf_calloc(sketch.items.n, sizeof *spare);
    if (!sketch.order || !spare || sketch.is_out_of_memory) {
        goto no_memory;
    }
    for (uint32_t i = 0; i < sketch.items.n; i++) {
        sketch.order[i] = i;
    }
    sort_order(&sketch, sketch.order, spare, (uint32_t)sketch.items.n);
    sort_spots(&sketch);
    lay_out(&sketch);
    assign_lanes(&sketch);
    draw(&sketch, stream);
    goto done;

no_memory:
    status = sf_fail(err, SF_ENOMEM, "out of memory for a drawing");
done:
    free(spare);
    free(sketch.order);
    free(sketch.lines.items);
    free(sketch.spots.items);
    free(sketch.items.items);
    free(sketch.item_of_found);
    free(sketch.item_of_plan);
    return status;
}
