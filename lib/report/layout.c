#include "report/layout.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW         13.0 /* A port. */
#define BOX_MIN     20.0 /* A switch without ports, or with one. */
#define BOX_PAD     3.0  /* Above and below the ports of a switch. */
#define GAP         3.0  /* Between switches, */
#define BREAK       14.0 /* and where units between them are left out. */
#define HEADER      24.0 /* The name of a rack. */
#define FRAME_GAP   10.0
#define MARGIN      12.0
#define TITLE       30.0
#define TITLE_CELL  9.0  /* At most, of a title's letter. */
#define LANE        9.0  /* Between brackets, */
#define LANE_START  14.0 /* and from the frame to the first. */
#define CHANNEL_MIN 240.0
#define CHANNEL_MAX 560.0
#define SHEET       1160.0 /* Higher drawings cannot be read on A4. */

uint32_t
sf_layout_cells(const char *text)
{
    uint32_t n = 0;

    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        /* Letters beyond ASCII may be wide; bytes 10xxxxxx continue one. */
        n += c < 0x80 ? 1 : c >= 0xc0 ? 2 : 0;
    }
    return n;
}

const char *
sf_layout_label(const struct sf_drawing *drawing, uint32_t i,
                char label[SF_LAYOUT_LABEL_SIZE])
{
    if (drawing->n_same) {
        snprintf(label, SF_LAYOUT_LABEL_SIZE, "#%u", drawing->first + i);
    } else {
        snprintf(label, SF_LAYOUT_LABEL_SIZE, "%s",
                 drawing->plan->cables[drawing->cables[i]].label);
    }
    return label;
}

static uint32_t
n_columns_of(const struct sf_drawing *drawing)
{
    return drawing->left == drawing->right ? 1 : 2;
}

/* The box of the switch that has 'port': boxes of the left column come
 * first. */
static uint32_t
box_of(const struct sf_drawing *drawing, uint32_t port)
{
    uint32_t node = drawing->plan->fabric->ports[port].node;
    uint32_t position = drawing->order->positions[node];

    return sf_plan_group(drawing->plan, node) == drawing->left
               ? position
               : sf_switch_order_size(drawing->order, drawing->left) +
                     position;
}

static uint32_t
count_boxes(const struct sf_drawing *drawing)
{
    uint32_t n = sf_switch_order_size(drawing->order, drawing->left);
    return n_columns_of(drawing) == 1
               ? n
               : n + sf_switch_order_size(drawing->order, drawing->right);
}

static uint32_t
low_number(const struct sf_drawing *drawing, uint32_t i)
{
    const struct sf_cable *cable = &drawing->plan->cables[drawing->cables[i]];
    const struct sf_port *ports = drawing->plan->fabric->ports;
    uint32_t a = ports[cable->a].number, b = ports[cable->b].number;

    return a < b ? a : b;
}

/* The side of its box from which cable 'i' leaves.  Cables inside a part go
 * to both sides, which halves the height; the lower of their port numbers
 * decides, so that where all switches use a port for the same purpose it is
 * on the same side of all.  'lowest' is the lowest of all. */
static enum sf_side
side_of(const struct sf_drawing *drawing, uint32_t i, uint32_t box,
        uint32_t lowest)
{
    if (n_columns_of(drawing) == 1) {
        return (low_number(drawing, i) - lowest) % 2 ? SF_LEFT : SF_RIGHT;
    }
    return box < sf_switch_order_size(drawing->order, drawing->left) ? SF_RIGHT
                                                                     : SF_LEFT;
}

static uint32_t
lowest_number(const struct sf_drawing *drawing)
{
    uint32_t lowest = UINT32_MAX;

    for (uint32_t i = 0; i < drawing->n_cables; i++) {
        uint32_t low = low_number(drawing, i);
        lowest = low < lowest ? low : lowest;
    }
    return lowest;
}

static double
box_height(const uint32_t n_ends[SF_N_SIDES])
{
    uint32_t n = n_ends[SF_LEFT] > n_ends[SF_RIGHT] ? n_ends[SF_LEFT]
                                                    : n_ends[SF_RIGHT];
    return fmax(BOX_MIN, n * ROW + 2 * BOX_PAD);
}

/* Makes the ends of all cables, and counts them at their boxes. */
static void
make_ends(const struct sf_drawing *drawing, struct sf_layout *layout)
{
    uint32_t lowest = lowest_number(drawing);

    for (uint32_t i = 0; i < drawing->n_cables; i++) {
        const struct sf_cable *cable =
            &drawing->plan->cables[drawing->cables[i]];
        for (uint32_t e = 0; e < 2; e++) {
            uint32_t port = e ? cable->b : cable->a;
            uint32_t box = box_of(drawing, port);
            enum sf_side side = side_of(drawing, i, box, lowest);
            layout->ends[2 * i + e] =
                (struct sf_layout_end){ port, box, side, 0 };
            layout->boxes[box].n_ends[side]++;
            layout->columns[layout->boxes[box].column].has_ends[side] = true;
        }
    }
}

/* How many bytes 'a' and 'b' have in common at the start; never part of a
 * letter of several bytes. */
static size_t
common_start(const char *a, const char *b, size_t most)
{
    size_t n = 0;

    while (n < most && a[n] && a[n] == b[n]) {
        n++;
    }
    while (n > 0 && ((unsigned char)a[n] & 0xc0) == 0x80) {
        n--;
    }
    return n;
}

/* The same at the end. */
static size_t
common_end(const char *a, const char *b, size_t most)
{
    size_t length_a = strlen(a), length_b = strlen(b), n = 0;

    while (n < most && n < length_a && n < length_b &&
           a[length_a - n - 1] == b[length_b - n - 1]) {
        n++;
    }
    while (n > 0 && ((unsigned char)a[length_a - n] & 0xc0) == 0x80) {
        n--;
    }
    return n;
}

/* The name of the switch at 'position', or, if several parts share the
 * drawing, what their names have in common: "sf-0-*-2".  NULL if out of
 * memory. */
static char *
make_name(const struct sf_drawing *drawing, uint32_t node, uint32_t position)
{
    const struct sf_node *nodes = drawing->plan->fabric->nodes;
    const char *name = nodes[node].name;
    size_t shortest = strlen(name), start = shortest, end = shortest;

    for (uint32_t i = 0; i < drawing->n_same; i++) {
        const char *other =
            nodes[sf_switch_order_at(drawing->order, drawing->same[i],
                                     position)]
                .name;
        size_t length = strlen(other);
        shortest = length < shortest ? length : shortest;
        start = common_start(name, other, start);
        end = common_end(name, other, end);
    }
    char *made = sf_strdup(name);
    if (made && drawing->n_same && start < strlen(name)) {
        size_t length = strlen(name);
        /* "a-1" and "a-1-1": a start and an end that overlap are no use. */
        end = end > shortest - start ? shortest - start : end;
        char *longer = sf_realloc(made, start + end + 2, 1);
        if (!longer) {
            free(made);
            return NULL;
        }
        made = longer;
        made[start] = '*';
        memcpy(made + start + 1, name + length - end, end + 1);
    }
    return made;
}

static bool
make_boxes(const struct sf_drawing *drawing, struct sf_layout *layout)
{
    for (uint32_t c = 0; c < layout->n_columns; c++) {
        struct sf_layout_column *column = &layout->columns[c];
        column->group = c ? drawing->right : drawing->left;
        column->first_box = c ? layout->columns[0].n_boxes : 0;
        column->n_boxes = sf_switch_order_size(drawing->order, column->group);
        for (uint32_t i = 0; i < column->n_boxes; i++) {
            struct sf_layout_box *box = &layout->boxes[column->first_box + i];
            box->node = sf_switch_order_at(drawing->order, column->group, i);
            box->column = c;
            box->name = make_name(drawing, box->node, i);
            if (!box->name) {
                return false;
            }
        }
    }
    return true;
}

/* Puts the boxes of a column, and the frames around them, below one another,
 * from 0 down. */
static void
stack_boxes(const struct sf_drawing *drawing, struct sf_layout *layout,
            struct sf_layout_column *column)
{
    const struct sf_node *nodes = drawing->plan->fabric->nodes;
    struct sf_layout_frame *frame = NULL;
    uint32_t unit_below = 0; /* The last switch. */
    double y = 0;

    for (uint32_t i = 0; i < column->n_boxes; i++) {
        struct sf_layout_box *box = &layout->boxes[column->first_box + i];
        const struct sf_node *node = &nodes[box->node];
        box->is_shown = !drawing->hides_idle || box->n_ends[SF_LEFT] ||
                        box->n_ends[SF_RIGHT];
        if (!box->is_shown) {
            continue;
        }
        if (!frame || frame->rack != node->rack) {
            y = frame ? y + SF_LAYOUT_FRAME_PAD + FRAME_GAP : 0;
            frame = &layout->frames[layout->n_frames++];
            *frame = (struct sf_layout_frame){ node->rack, box->column, y, 0 };
            y += HEADER;
        } else {
            uint32_t above = node->unit + drawing->plan->floor.switch_units;
            y += above < unit_below ? BREAK : GAP;
        }
        unit_below = node->unit;
        box->y = y;
        box->height = box_height(box->n_ends);
        y += box->height;
        frame->height = y + SF_LAYOUT_FRAME_PAD - frame->y;
    }
    column->height = y + SF_LAYOUT_FRAME_PAD;
}

/* Moves a column down as a whole. */
static void
move_column(struct sf_layout *layout, uint32_t c, double by)
{
    for (uint32_t i = 0; i < layout->n_boxes; i++) {
        if (layout->boxes[i].column == c) {
            layout->boxes[i].y += by;
        }
    }
    for (uint32_t i = 0; i < layout->n_frames; i++) {
        if (layout->frames[i].column == c) {
            layout->frames[i].y += by;
        }
    }
    layout->columns[c].y += by;
}

/* Decides all heights.  The lower of two columns is centred on the other. */
static void
place_rows(const struct sf_drawing *drawing, struct sf_layout *layout)
{
    double top = MARGIN + (drawing->title ? TITLE : 0);
    double highest = 0;

    for (uint32_t c = 0; c < layout->n_columns; c++) {
        stack_boxes(drawing, layout, &layout->columns[c]);
        highest = fmax(highest, layout->columns[c].height);
    }
    for (uint32_t c = 0; c < layout->n_columns; c++) {
        move_column(layout, c,
                    top + floor((highest - layout->columns[c].height) / 2));
    }
    layout->height = top + highest + MARGIN;
}

/* An end, to sort by box, side and port. */
struct end_key {
    uint32_t box, side, number;
    uint32_t end;
};

static int
compare_ends(const void *a, const void *b)
{
    const struct end_key *x = a, *y = b;

    if (x->box != y->box) {
        return x->box < y->box ? -1 : 1;
    }
    if (x->side != y->side) {
        return x->side < y->side ? -1 : 1;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

/* How much cables of styles 'a' and 'b' side by side would mislead. */
static uint32_t
likeness(uint32_t a, uint32_t b)
{
    return a == b ? 3 : a % SF_LAYOUT_N_COLORS == b % SF_LAYOUT_N_COLORS;
}

/* Gives cable 'i' the next style in turn that its neighbours do not have:
 * cables up to two rows away at either end.  'keys' are all ends in their
 * order, and places[end] says where in it an end is. */
static void
choose_style(struct sf_layout *layout, uint32_t i, const struct end_key *keys,
             size_t n_keys, const uint32_t *places)
{
    uint32_t costs[SF_LAYOUT_N_STYLES] = { 0 };
    uint32_t best = i % SF_LAYOUT_N_STYLES;

    for (uint32_t end = 2 * i; end < 2 * i + 2; end++) {
        size_t from = places[end] < 2 ? 0 : places[end] - 2;
        for (size_t k = from; k <= places[end] + 2 && k < n_keys; k++) {
            uint32_t other = keys[k].end / 2;
            for (uint32_t s = 0; other < i && s < SF_LAYOUT_N_STYLES; s++) {
                costs[s] += likeness(layout->styles[other], s);
            }
        }
    }
    for (uint32_t k = 0; k < SF_LAYOUT_N_STYLES; k++) {
        uint32_t style = (i + k) % SF_LAYOUT_N_STYLES;
        best = costs[style] < costs[best] ? style : best;
    }
    layout->styles[i] = best;
}

static bool
choose_styles(const struct sf_drawing *drawing, struct sf_layout *layout,
              const struct end_key *keys)
{
    size_t n_keys = (size_t)2 * drawing->n_cables;
    uint32_t *places = sf_calloc(n_keys, sizeof *places);

    if (!places) {
        return false;
    }
    for (uint32_t i = 0; i < n_keys; i++) {
        places[keys[i].end] = i;
    }
    for (uint32_t i = 0; i < drawing->n_cables; i++) {
        choose_style(layout, i, keys, n_keys, places);
    }
    free(places);
    return true;
}

/* Gives the ends at each box their heights, by port number, and with the
 * order of all ends decides the styles. */
static bool
place_ends(const struct sf_drawing *drawing, struct sf_layout *layout)
{
    size_t n = (size_t)2 * drawing->n_cables;
    struct end_key *keys = sf_calloc(n, sizeof *keys);

    if (!keys) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct sf_layout_end *end = &layout->ends[i];
        keys[i] =
            (struct end_key){ end->box, end->side,
                              drawing->plan->fabric->ports[end->port].number,
                              i };
    }
    qsort(keys, n, sizeof *keys, compare_ends);
    uint32_t row = 0;
    for (size_t i = 0; i < n; i++) {
        const struct sf_layout_box *box = &layout->boxes[keys[i].box];
        bool is_next = i > 0 && keys[i].box == keys[i - 1].box &&
                       keys[i].side == keys[i - 1].side;
        row = is_next ? row + 1 : 0;
        layout->ends[keys[i].end].y =
            box->y + (box->height - box->n_ends[keys[i].side] * ROW) / 2 +
            (row + 0.5) * ROW;
    }
    bool is_ok = choose_styles(drawing, layout, keys);
    free(keys);
    return is_ok;
}

/* A bracket, to be put into a lane. */
struct bracket {
    double low, high;
    enum sf_side side;
    uint32_t cable, lane;
};

static int
compare_brackets(const void *a, const void *b)
{
    const struct bracket *x = a, *y = b;
    double span_x = x->high - x->low, span_y = y->high - y->low;

    if (span_x < span_y || span_x > span_y) {
        return span_x < span_y ? -1 : 1;
    }
    return x->cable < y->cable ? -1 : x->cable > y->cable;
}

/* Puts brackets[i] into the innermost lane in which it meets none of those
 * before it.  'taken' is scratch. */
static void
choose_lane(struct bracket *brackets, uint32_t i, uint32_t *taken)
{
    struct bracket *one = &brackets[i];

    for (uint32_t j = 0; j < i; j++) {
        const struct bracket *other = &brackets[j];
        if (other->side == one->side && other->low < one->high &&
            one->low < other->high) {
            taken[other->lane] = i + 1; /* A mark that no other round left. */
        }
    }
    while (taken[one->lane] == i + 1) {
        one->lane++;
    }
}

/* Finds lanes for the brackets, short ones inside, and counts them. */
static bool
choose_lanes(const struct sf_drawing *drawing, struct sf_layout *layout,
             uint32_t n_lanes[SF_N_SIDES])
{
    uint32_t n = drawing->n_cables;
    struct bracket *brackets = sf_calloc(n, sizeof *brackets);
    uint32_t *taken = sf_calloc((size_t)n + 1, sizeof *taken);
    bool is_ok = brackets && taken;

    for (uint32_t i = 0; is_ok && i < n; i++) {
        const struct sf_layout_end *ends = &layout->ends[(size_t)2 * i];
        brackets[i] =
            (struct bracket){ fmin(ends[0].y, ends[1].y),
                              fmax(ends[0].y, ends[1].y), ends[0].side, i, 0 };
    }
    if (is_ok) {
        qsort(brackets, n, sizeof *brackets, compare_brackets);
    }
    for (uint32_t i = 0; is_ok && i < n; i++) {
        choose_lane(brackets, i, taken);
        uint32_t lane = brackets[i].lane;
        enum sf_side side = brackets[i].side;
        layout->lanes[brackets[i].cable] = lane;
        n_lanes[side] = lane >= n_lanes[side] ? lane + 1 : n_lanes[side];
    }
    free(taken);
    free(brackets);
    return is_ok;
}

/* The width of a column's boxes, from the longest name. */
static double
box_width(const struct sf_layout *layout,
          const struct sf_layout_column *column)
{
    uint32_t n_cells = 0;
    double width = 2 * SF_LAYOUT_PAD + SF_LAYOUT_UNIT_WIDTH;

    for (uint32_t i = 0; i < column->n_boxes; i++) {
        const struct sf_layout_box *box =
            &layout->boxes[column->first_box + i];
        uint32_t n = box->is_shown ? sf_layout_cells(box->name) : 0;
        n_cells = n > n_cells ? n : n_cells;
    }
    for (int side = 0; side < SF_N_SIDES; side++) {
        if (column->has_ends[side]) {
            width +=
                SF_LAYOUT_PORT_WIDTH + layout->label_width + 2 * SF_LAYOUT_PAD;
        }
    }
    return ceil(width + n_cells * SF_LAYOUT_NAME_CELL);
}

static double
longest_label(const struct sf_drawing *drawing)
{
    uint32_t n_cells = 0;

    for (uint32_t i = 0; i < drawing->n_cables; i++) {
        char label[SF_LAYOUT_LABEL_SIZE];
        uint32_t n = sf_layout_cells(sf_layout_label(drawing, i, label));
        n_cells = n > n_cells ? n : n_cells;
    }
    return n_cells * SF_LAYOUT_LABEL_CELL;
}

/* Decides all that goes from left to right. */
static bool
place_columns(const struct sf_drawing *drawing, struct sf_layout *layout)
{
    struct sf_layout_column *columns = layout->columns;
    uint32_t n_lanes[SF_N_SIDES] = { 0 };
    double x = MARGIN + SF_LAYOUT_FRAME_PAD;

    layout->label_width = longest_label(drawing);
    for (uint32_t c = 0; c < layout->n_columns; c++) {
        columns[c].width = box_width(layout, &columns[c]);
    }
    if (layout->n_columns == 1) {
        if (!choose_lanes(drawing, layout, n_lanes)) {
            return false;
        }
        x += n_lanes[SF_LEFT] ? LANE_START + n_lanes[SF_LEFT] * LANE : 0;
        columns[0].x = x;
        x += columns[0].width;
        for (uint32_t i = 0; i < drawing->n_cables; i++) {
            double away =
                SF_LAYOUT_FRAME_PAD + LANE_START + layout->lanes[i] * LANE;
            layout->lanes[i] = layout->ends[(size_t)2 * i].side == SF_RIGHT
                                   ? x + away
                                   : columns[0].x - away;
        }
        x += n_lanes[SF_RIGHT] ? LANE_START + n_lanes[SF_RIGHT] * LANE : 0;
    } else {
        columns[0].x = x;
        x += columns[0].width;
        /* The higher, the wider, so that curves do not get steep. */
        x += fmin(fmax(layout->height / 2, CHANNEL_MIN), CHANNEL_MAX);
        columns[1].x = x;
        x += columns[1].width;
    }
    layout->width = x + SF_LAYOUT_FRAME_PAD + MARGIN;
    if (drawing->title) {
        layout->width =
            fmax(layout->width,
                 2 * MARGIN + sf_layout_cells(drawing->title) * TITLE_CELL);
    }
    return true;
}

enum sf_status
sf_layout_build(const struct sf_drawing *drawing, struct sf_layout *layout,
                struct sf_error *err)
{
    uint32_t n_boxes = count_boxes(drawing);

    *layout = (struct sf_layout){
        .n_columns = n_columns_of(drawing),
        .n_boxes = n_boxes,
        .boxes = sf_calloc(n_boxes, sizeof *layout->boxes),
        .frames = sf_calloc(n_boxes, sizeof *layout->frames),
        .ends = sf_calloc((size_t)2 * drawing->n_cables, sizeof *layout->ends),
        .styles = sf_calloc(drawing->n_cables, sizeof *layout->styles),
        .lanes = sf_calloc(drawing->n_cables, sizeof *layout->lanes),
    };
    bool is_ok = layout->boxes && layout->frames && layout->ends &&
                 layout->styles && layout->lanes &&
                 make_boxes(drawing, layout);
    if (is_ok) {
        make_ends(drawing, layout);
        place_rows(drawing, layout);
        is_ok = place_ends(drawing, layout) && place_columns(drawing, layout);
    }
    return is_ok ? SF_OK
                 : sf_fail(err, SF_ENOMEM, "out of memory for a diagram");
}

void
sf_layout_clear(struct sf_layout *layout)
{
    for (uint32_t i = 0; layout->boxes && i < layout->n_boxes; i++) {
        free(layout->boxes[i].name);
    }
    free(layout->lanes);
    free(layout->styles);
    free(layout->ends);
    free(layout->frames);
    free(layout->boxes);
}

/* A sheet that is being filled. */
struct sheet {
    const struct sf_drawing *drawing;
    uint32_t n_boxes, lowest;
    uint32_t (*n_ends)[SF_N_SIDES]; /* [n_boxes] On this sheet. */
    uint32_t *last_use;             /* [n_boxes] The last cable of each. */
    double heights[2];              /* Of the columns, */
    double height;                  /* and the larger of them. */
    double goal;                    /* Which it should reach. */
    uint32_t last;                  /* The last cable of any on the sheet. */
};

static void
clear_sheet(struct sheet *sheet)
{
    memset(sheet->n_ends, 0, sheet->n_boxes * sizeof *sheet->n_ends);
    sheet->heights[0] = sheet->heights[1] = sheet->height = 0;
    sheet->last = 0;
}

static void
add_to_sheet(struct sheet *sheet, uint32_t i)
{
    const struct sf_drawing *drawing = sheet->drawing;
    const struct sf_cable *cable = &drawing->plan->cables[drawing->cables[i]];
    uint32_t n_left = sf_switch_order_size(drawing->order, drawing->left);

    for (uint32_t e = 0; e < 2; e++) {
        uint32_t box = box_of(drawing, e ? cable->b : cable->a);
        uint32_t *n_ends = sheet->n_ends[box];
        double *height = &sheet->heights[box >= n_left];
        if (n_ends[SF_LEFT] || n_ends[SF_RIGHT]) {
            *height -= box_height(n_ends) + GAP;
        }
        n_ends[side_of(drawing, i, box, sheet->lowest)]++;
        *height += box_height(n_ends) + GAP;
        sheet->last = sheet->last_use[box] > sheet->last ? sheet->last_use[box]
                                                         : sheet->last;
    }
    sheet->height = fmax(sheet->heights[0], sheet->heights[1]);
}

static void
find_last_uses(struct sheet *sheet)
{
    const struct sf_drawing *drawing = sheet->drawing;

    for (uint32_t i = 0; i < drawing->n_cables; i++) {
        const struct sf_cable *cable =
            &drawing->plan->cables[drawing->cables[i]];
        sheet->last_use[box_of(drawing, cable->a)] = i;
        sheet->last_use[box_of(drawing, cable->b)] = i;
    }
}

/* Decides how full sheets should be, so that all are about as full. */
static void
set_goal(struct sheet *sheet)
{
    clear_sheet(sheet);
    for (uint32_t i = 0; i < sheet->drawing->n_cables; i++) {
        add_to_sheet(sheet, i);
    }
    double all = sheet->height;
    sheet->goal = all <= SHEET ? all + 1 : 0.97 * all / ceil(all / SHEET);
}

/* Whether the cables before 'i' and from 'i' on belong to different switches
 * at their first end. */
static bool
is_boundary(const struct sf_drawing *drawing, uint32_t i)
{
    const struct sf_plan *plan = drawing->plan;
    uint32_t here = plan->cables[drawing->cables[i]].a;
    uint32_t before = plan->cables[drawing->cables[i - 1]].a;

    return plan->fabric->ports[here].node != plan->fabric->ports[before].node;
}

/* Where the sheet that starts with cable 'first' ends. */
static uint32_t
fill_sheet(struct sheet *sheet, uint32_t first)
{
    const struct sf_drawing *drawing = sheet->drawing;
    uint32_t boundary = first;

    clear_sheet(sheet);
    for (uint32_t i = first; i < drawing->n_cables; i++) {
        if (i > first && is_boundary(drawing, i)) {
            boundary = i;
            if (sheet->last < i && sheet->height >= sheet->goal) {
                return i;
            }
        }
        add_to_sheet(sheet, i);
        if (sheet->height > SHEET && i > first) {
            return boundary > first ? boundary : i;
        }
    }
    return drawing->n_cables;
}

enum sf_status
sf_layout_split(const struct sf_drawing *drawing, uint32_t **endsp,
                uint32_t *n_endsp, struct sf_error *err)
{
    struct sheet sheet = { .drawing = drawing };
    SF_VEC(uint32_t) ends = { 0 };
    bool is_ok;

    sheet.n_boxes = count_boxes(drawing);
    sheet.lowest = lowest_number(drawing);
    sheet.n_ends = sf_calloc(sheet.n_boxes, sizeof *sheet.n_ends);
    sheet.last_use = sf_calloc(sheet.n_boxes, sizeof *sheet.last_use);
    is_ok = sheet.n_ends && sheet.last_use;
    if (is_ok) {
        find_last_uses(&sheet);
        set_goal(&sheet);
    }
    for (uint32_t end = 0; is_ok && end < drawing->n_cables;) {
        end = fill_sheet(&sheet, end);
        is_ok = sf_vec_push(&ends, end);
    }
    free(sheet.last_use);
    free(sheet.n_ends);
    if (!is_ok) {
        free(ends.items);
        return sf_fail(err, SF_ENOMEM, "out of memory for a diagram");
    }
    *endsp = ends.items;
    *n_endsp = (uint32_t)ends.n;
    return SF_OK;
}
