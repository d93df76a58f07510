/* verify_svg.c -- a drawing of what a verification found: the racks concerned
 * side by side, in them the switches and hosts concerned with their ports,
 * cables as they are in red, as they should be in green, both with the labels
 * of the plan. */
#include "base/mem.h"
#include "io/xml.h"
#include "report/verify_text.h"

#include <math.h>
#include <string.h>

/* Sizes in pixels. */
#define COLUMN_WIDTH 190.0
#define COLUMN_GAP   170.0
#define MARGIN       24.0
#define TOP          92.0 /* Title and legend above the racks. */
#define HEAD         22.0 /* The name of a node, above its ports. */
#define NOTE         15.0 /* What is said of it, below its name. */
#define PORT         18.0
#define PORT_WIDTH   28.0 /* At least, */
#define PORT_MOST    93.0 /* and at most, so that two fit side by side. */
#define NODE_GAP     12.0
#define LINE_CELL    7.0  /* Width of a letter. */
#define LANE         15.0 /* Between cables that run side by side. */
#define LABEL_HEIGHT 11.0
#define N_LOOK_BACK  200 /* So many labels before are kept free of others. */

/* A node concerned. */
struct item {
    uint32_t rack; /* SF_NONE if it is not in the plan. */
    uint32_t unit;
    struct sf_end end; /* Of any port of it. */
    const char *note;  /* "missing", "unknown"; NULL otherwise. */
    uint32_t n_lost;   /* Cables that are missing since it is. */
    uint32_t n_ports;  /* Concerned. */
    double x, y;
};

/* A port concerned. */
struct spot {
    uint32_t item, number;
    bool is_used[2]; /* On the left, on the right: where cables leave. */
    double y;        /* Its middle. */
};

/* A cable to draw. */
struct line {
    uint32_t a_item, a_number, b_item, b_number;
    bool is_planned;   /* As it should be; else as it is. */
    const char *label; /* Of the cable that it is or becomes; or NULL. */
    uint32_t lane;     /* Below all racks, if there are racks in between; else
                        * SF_NONE. */
    double label_x, label_y; /* Where the label starts. */
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
    double bottom;     /* Of the racks. */
    double port_width; /* Of the box with the number or name of a port. */
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
        struct item item = { .rack = SF_NONE, .end = *end };
        if (end->node != SF_NONE) {
            item.rack = plan->fabric->nodes[end->node].rack;
            item.unit = plan->fabric->nodes[end->node].unit;
        }
        *itemp = (uint32_t)sketch->items.n;
        if (!sf_vec_push(&sketch->items, item)) {
            sketch->is_out_of_memory = true;
            *itemp = SF_NONE;
        }
    }
    return *itemp;
}

/* Notes a cable of 'finding' between two ends, and its ports. */
static void
add_line(struct sketch *sketch, const struct sf_finding *finding,
         const struct sf_end ends[2], bool is_planned)
{
    const struct sf_plan *plan = sketch->verification->plan;

    if (!sf_end_exists(&ends[0]) || !sf_end_exists(&ends[1])) {
        return;
    }
    struct line line = {
        .a_item = item_of(sketch, &ends[0]),
        .a_number = ends[0].number,
        .b_item = item_of(sketch, &ends[1]),
        .b_number = ends[1].number,
        .is_planned = is_planned,
        .label = finding->cable != SF_NONE ? plan->cables[finding->cable].label
                                           : NULL,
        .lane = SF_NONE,
    };
    if (sketch->is_out_of_memory || line.a_number == 0 || line.b_number == 0) {
        return;
    }
    if (!sf_vec_push(&sketch->lines, line) ||
        !sf_vec_push(
            &sketch->spots,
            ((struct spot){ .item = line.a_item, .number = line.a_number })) ||
        !sf_vec_push(
            &sketch->spots,
            ((struct spot){ .item = line.b_item, .number = line.b_number }))) {
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

/* Counts a missing cable at the node that is the cause, if that is missing. */
static void
count_lost(struct sketch *sketch, const struct sf_finding *cause)
{
    if (cause->verdict == SF_VERDICT_MISSING_SWITCH ||
        cause->verdict == SF_VERDICT_MISSING_HOST) {
        uint32_t item = item_of(sketch, &cause->planned[0]);
        if (item != SF_NONE && sketch->items.items) {
            sketch->items.items[item].n_lost++;
        }
    }
}

static void
add_finding(struct sketch *sketch, const struct sf_finding *finding)
{
    switch (finding->verdict) {
    case SF_VERDICT_MISSING:
        if (finding->cause == SF_NONE) {
            add_line(sketch, finding, finding->planned, true);
        } else {
            count_lost(sketch,
                       &sketch->verification->findings[finding->cause]);
        }
        break;
    case SF_VERDICT_MISCONNECTED:
        add_line(sketch, finding, finding->found, false);
        add_line(sketch, finding, finding->planned, true);
        break;
    case SF_VERDICT_UNEXPECTED:
    case SF_VERDICT_DUPLICATE:
    case SF_VERDICT_DIFFERENT:
        add_line(sketch, finding, finding->found, false);
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

static struct spot *
find_spot(const struct sketch *sketch, uint32_t item, uint32_t number)
{
    struct spot wanted = { .item = item, .number = number };
    return bsearch(&wanted, sketch->spots.items, sketch->spots.n,
                   sizeof wanted, compare_spots);
}

/* Whether item 'a' is drawn before 'b': by rack, from the top. */
static bool
is_before(const struct sketch *sketch, uint32_t a, uint32_t b)
{
    const struct item *x = &sketch->items.items[a];
    const struct item *y = &sketch->items.items[b];

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

/* The height of the box of 'item' above its ports. */
static double
head_of(const struct item *item)
{
    return item->note ? HEAD + NOTE : HEAD;
}

static void
lay_out(struct sketch *sketch)
{
    uint32_t column = 0;
    double y = TOP;

    for (uint32_t i = 0; i < sketch->items.n; i++) {
        struct item *item = &sketch->items.items[sketch->order[i]];
        if (i > 0 &&
            sketch->items.items[sketch->order[i - 1]].rack != item->rack) {
            column++;
            y = TOP;
        }
        item->x = MARGIN + column * (COLUMN_WIDTH + COLUMN_GAP);
        item->y = y;
        y += head_of(item) + PORT * item->n_ports + NODE_GAP;
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
        const struct item *item = &sketch->items.items[spot->item];
        spot->y = item->y + head_of(item) + PORT * (n_before + 0.5);
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

/* The course of a cable: from point 0 to point 3.  Points 1 and 2 are those of
 * a curve or, of a cable below the racks, the corners at the lane. */
struct course {
    double x[4], y[4];
};

static struct course
course_of(const struct sketch *sketch, const struct line *line)
{
    const struct item *a = &sketch->items.items[line->a_item];
    const struct item *b = &sketch->items.items[line->b_item];
    double a_y = find_spot(sketch, line->a_item, line->a_number)->y;
    double b_y = find_spot(sketch, line->b_item, line->b_number)->y;
    /* From the sides that face each other; inside a column on the right. */
    double a_side = b->x < a->x ? -1 : 1, b_side = a->x < b->x ? -1 : 1;
    double a_x = a->x + (a_side < 0 ? 0 : COLUMN_WIDTH);
    double b_x = b->x + (b_side < 0 ? 0 : COLUMN_WIDTH);
    double pull = a_side != b_side
                      ? COLUMN_GAP / 2
                      : fmin(30 + fabs(a_y - b_y) / 4, COLUMN_GAP - 20);

    if (line->lane != SF_NONE) {
        double lane = sketch->bottom + line->lane * LANE;
        pull = 24 + fmod(line->lane * LANE, COLUMN_GAP - 48);
        return (struct course){ { a_x, a_x + a_side * pull,
                                  b_x + b_side * pull, b_x },
                                { a_y, lane, lane, b_y } };
    }
    return (
        struct course){ { a_x, a_x + a_side * pull, b_x + b_side * pull, b_x },
                        { a_y, a_y, b_y, b_y } };
}

/* Notes on which sides cables leave the ports. */
static void
mark_sides(struct sketch *sketch)
{
    for (size_t i = 0; i < sketch->lines.n; i++) {
        const struct line *line = &sketch->lines.items[i];
        struct course course = course_of(sketch, line);
        find_spot(sketch, line->a_item, line->a_number)
            ->is_used[course.x[0] < course.x[1]] = true;
        find_spot(sketch, line->b_item, line->b_number)
            ->is_used[course.x[3] < course.x[2]] = true;
    }
}

/* Whether the label of line 'i' would lie on one of those before it. */
static bool
is_label_hidden(const struct sketch *sketch, size_t i)
{
    const struct line *line = &sketch->lines.items[i];

    for (size_t k = i > N_LOOK_BACK ? i - N_LOOK_BACK : 0; k < i; k++) {
        const struct line *other = &sketch->lines.items[k];
        if (other->label &&
            fabs(other->label_x - line->label_x) <
                LINE_CELL * (double)strlen(line->label) &&
            fabs(other->label_y - line->label_y) < LABEL_HEIGHT) {
            return true;
        }
    }
    return false;
}

/* Puts the label of 'line' at the point 't' of a curve, 0 to 1. */
static void
put_label(struct line *line, const struct course *course, double t)
{
    double s = 1 - t;
    double weights[4] = { s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t };

    line->label_x = -LINE_CELL * (double)strlen(line->label) / 2;
    line->label_y = 4;
    for (int i = 0; i < 4; i++) {
        line->label_x += weights[i] * course->x[i];
        line->label_y += weights[i] * course->y[i];
    }
}

/* Finds places for the labels: on the lane, or on the curve where no other is
 * yet.  Cables that were exchanged cross in the middle, so that as they are
 * they have their labels near one end, as they should be near the other. */
static void
put_labels(struct sketch *sketch)
{
    static const double places[] = { 0.35, 0.5, 0.25, 0.65, 0.42, 0.58, 0.75 };

    for (size_t i = 0; i < sketch->lines.n; i++) {
        struct line *line = &sketch->lines.items[i];
        struct course course = course_of(sketch, line);
        if (!line->label) {
            continue;
        }
        if (line->lane != SF_NONE) {
            line->label_x = fmin(course.x[1], course.x[2]) + 12;
            line->label_y = course.y[1] + 4;
            continue;
        }
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            put_label(line, &course,
                      line->is_planned ? places[k] : 1 - places[k]);
            if (!is_label_hidden(sketch, i)) {
                break;
            }
        }
    }
}

static void
draw_line(const struct sketch *sketch, const struct line *line, FILE *stream)
{
    struct course at = course_of(sketch, line);
    const char *class = line->is_planned ? "planned" : "found";

    if (line->lane != SF_NONE) {
        fprintf(stream,
                "<path class=\"%s\" d=\"M%.1f %.1fH%.1fV%.1fH%.1fV%.1fH%.1f"
                "\"/>\n",
                class, at.x[0], at.y[0], at.x[1], at.y[1], at.x[2], at.y[3],
                at.x[3]);
    } else {
        fprintf(stream,
                "<path class=\"%s\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f "
                "%.1f\"/>\n",
                class, at.x[0], at.y[0], at.x[1], at.y[1], at.x[2], at.y[2],
                at.x[3], at.y[3]);
    }
}

static void
draw_label(const struct line *line, FILE *stream)
{
    if (line->label) {
        fprintf(stream,
                "<text class=\"label %s-label\" x=\"%.1f\" y=\"%.1f\">",
                line->is_planned ? "planned" : "found", line->label_x,
                line->label_y);
        sf_xml_write(line->label, stream);
        fputs("</text>\n", stream);
    }
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
    char label[SF_MAX_NAME + SF_PLACE_SIZE + 2];
    char note[80];

    if (item->end.node != SF_NONE) {
        sf_plan_place(sketch->verification->plan, item->end.node, place);
    }
    snprintf(label, sizeof label, "%s %s",
             sf_verification_name(sketch->verification, &item->end), place);
    fprintf(stream,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" "
            "height=\"%.0f\" rx=\"3\"/>\n",
            item->note ? "node noted" : "node", item->x, item->y, COLUMN_WIDTH,
            head_of(item) + PORT * item->n_ports + 2);
    draw_text(label, item->x + 8, item->y + 15, COLUMN_WIDTH - 12, stream);
    if (item->note) {
        /* On a line of its own, so that no long name pushes it out. */
        snprintf(note, sizeof note, "%s", item->note);
        if (item->n_lost) {
            snprintf(note, sizeof note, "%s, with %u cable%s", item->note,
                     item->n_lost, item->n_lost == 1 ? "" : "s");
        }
        draw_text(note, item->x + 8, item->y + HEAD + 8, COLUMN_WIDTH - 12,
                  stream);
    }
}

static const char *
name_spot(const struct sketch *sketch, const struct spot *spot,
          char name[SF_PORT_NAME_SIZE])
{
    const struct item *item = &sketch->items.items[spot->item];
    struct sf_end end = { item->end.node, item->end.found, spot->number };

    return sf_text_port_name(sketch->verification, &end, name);
}

/* The width that the longest name needs. */
static double
widest_port(const struct sketch *sketch)
{
    double widest = PORT_WIDTH;

    for (size_t i = 0; i < sketch->spots.n; i++) {
        char name[SF_PORT_NAME_SIZE];
        size_t n = strlen(name_spot(sketch, &sketch->spots.items[i], name));
        widest = fmax(widest, 7 + LINE_CELL * (double)n);
    }
    return fmin(widest, PORT_MOST);
}

static void
draw_spot(const struct sketch *sketch, const struct spot *spot, FILE *stream)
{
    const struct item *item = &sketch->items.items[spot->item];
    double width = sketch->port_width;
    char text[SF_PORT_NAME_SIZE];
    const char *name = name_spot(sketch, spot, text);
    size_t n_fit = (size_t)((width - 7) / LINE_CELL);

    if (strlen(name) > n_fit) {
        name += strlen(name) - n_fit; /* The number is at its end. */
    }
    for (int side = 0; side < 2; side++) {
        double left = side ? item->x + COLUMN_WIDTH - width : item->x;
        if (!spot->is_used[side]) {
            continue;
        }
        fprintf(stream,
                "<rect class=\"port\" x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" "
                "height=\"15\"/>"
                "<text class=\"number\" x=\"%.1f\" y=\"%.1f\">",
                left, spot->y - 7.5, width, left + width / 2, spot->y + 4);
        sf_xml_write(name, stream);
        fputs("</text>\n", stream);
    }
}

static void
draw_columns(const struct sketch *sketch, FILE *stream)
{
    for (uint32_t i = 0; i < sketch->items.n; i++) {
        const struct item *item = &sketch->items.items[sketch->order[i]];
        if (i > 0 &&
            sketch->items.items[sketch->order[i - 1]].rack == item->rack) {
            continue;
        }
        fprintf(stream, "<text class=\"head\" x=\"%.1f\" y=\"%.1f\">%s%s",
                item->x, TOP - 12, item->rack == SF_NONE ? "" : "rack ",
                item->rack == SF_NONE
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
            ".planned{stroke:#1b7f3b;stroke-dasharray:6 4}"
            ".label{stroke:#fff;stroke-width:4;paint-order:stroke}"
            ".found-label{fill:#c62828}.planned-label{fill:#1b7f3b}</style>\n"
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
    for (size_t i = 0; i < sketch->lines.n; i++) {
        draw_label(&sketch->lines.items[i], stream);
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
    mark_sides(&sketch);
    put_labels(&sketch);
    sketch.port_width = widest_port(&sketch);
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
