/* layout.c -- boxes, frames and columns of a drawing. */
#include "report/layout_parts.h"

#include "base/mem.h"

#include <math.h>

#define BOX_MIN     20.0 /* A switch without ports, or with one. */
#define BOX_PAD     3.0  /* Above and below the ports of a switch. */
#define BREAK       14.0 /* Between switches where units are left out. */
#define HEADER      24.0 /* The name of a rack. */
#define FRAME_GAP   10.0
#define MARGIN      12.0
#define TITLE       30.0
#define TITLE_CELL  9.0  /* At most, of a title's letter. */
#define LANE        9.0  /* Between brackets, */
#define LANE_START  14.0 /* and from the frame to the first. */
#define CHANNEL_MIN 240.0
#define CHANNEL_MAX 560.0

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

static uint32_t
n_columns_of(const struct sf_drawing *drawing)
{
    return drawing->left == drawing->right ? 1 : 2;
}

uint32_t
sf_layout_box_of(const struct sf_drawing *drawing, uint32_t port)
{
    uint32_t node = drawing->plan->fabric->ports[port].node;
    uint32_t position = drawing->order->positions[node];

    return sf_plan_group(drawing->plan, node) == drawing->left
               ? position
               : sf_switch_order_size(drawing->order, drawing->left) +
                     position;
}

uint32_t
sf_layout_count_boxes(const struct sf_drawing *drawing)
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

enum sf_side
sf_layout_side(const struct sf_drawing *drawing, uint32_t i, uint32_t box,
               uint32_t lowest)
{
    if (n_columns_of(drawing) == 1) {
        return (low_number(drawing, i) - lowest) % 2 ? SF_LEFT : SF_RIGHT;
    }
    return box < sf_switch_order_size(drawing->order, drawing->left) ? SF_RIGHT
                                                                     : SF_LEFT;
}

uint32_t
sf_layout_lowest_number(const struct sf_drawing *drawing)
{
    uint32_t lowest = UINT32_MAX;

    for (uint32_t i = 0; i < drawing->n_cables; i++) {
        uint32_t low = low_number(drawing, i);
        lowest = low < lowest ? low : lowest;
    }
    return lowest;
}

double
sf_layout_box_height(const uint32_t n_ends[SF_N_SIDES])
{
    uint32_t n = n_ends[SF_LEFT] > n_ends[SF_RIGHT] ? n_ends[SF_LEFT]
                                                    : n_ends[SF_RIGHT];
    return fmax(BOX_MIN, n * SF_LAYOUT_ROW + 2 * BOX_PAD);
}

/* Makes the ends of all cables, and counts them at their boxes. */
static void
make_ends(const struct sf_drawing *drawing, struct sf_layout *layout)
{
    uint32_t lowest = sf_layout_lowest_number(drawing);

    for (uint32_t i = 0; i < drawing->n_cables; i++) {
        const struct sf_cable *cable =
            &drawing->plan->cables[drawing->cables[i]];
        for (uint32_t e = 0; e < 2; e++) {
            uint32_t port = e ? cable->b : cable->a;
            uint32_t box = sf_layout_box_of(drawing, port);
            enum sf_side side = sf_layout_side(drawing, i, box, lowest);
            layout->ends[2 * i + e] =
                (struct sf_layout_end){ port, box, side, 0 };
            layout->boxes[box].n_ends[side]++;
            layout->columns[layout->boxes[box].column].has_ends[side] = true;
        }
    }
}

static void
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
            box->name = drawing->plan->fabric->nodes[box->node].name;
        }
    }
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
            y += above < unit_below ? BREAK : SF_LAYOUT_GAP;
        }
        unit_below = node->unit;
        box->y = y;
        box->height = sf_layout_box_height(box->n_ends);
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
                layout->port_width + layout->label_width + 2 * SF_LAYOUT_PAD;
        }
    }
    return ceil(width + n_cells * SF_LAYOUT_NAME_CELL);
}

static double
longest_label(const struct sf_drawing *drawing)
{
    uint32_t n_cells = 0;

    for (uint32_t i = 0; i < drawing->n_cables; i++) {
        uint32_t n = sf_layout_cells(sf_layout_label(drawing, i));
        n_cells = n > n_cells ? n : n_cells;
    }
    return n_cells * SF_LAYOUT_LABEL_CELL;
}

char *
sf_layout_port_name(const struct sf_drawing *drawing,
                    const struct sf_layout_end *end,
                    char name[SF_PORT_NAME_SIZE])
{
    const struct sf_fabric *fabric = drawing->plan->fabric;
    const struct sf_port *port = &fabric->ports[end->port];

    return sf_fabric_port_name(fabric, port->node, port->number, name);
}

/* Numbers are at most three letters long. */
static double
widest_port(const struct sf_drawing *drawing, const struct sf_layout *layout)
{
    uint32_t n_cells = 3;

    for (size_t i = 0; i < (size_t)2 * drawing->n_cables; i++) {
        char name[SF_PORT_NAME_SIZE];
        uint32_t n = sf_layout_cells(
            sf_layout_port_name(drawing, &layout->ends[i], name));
        n_cells = n > n_cells ? n : n_cells;
    }
    return n_cells == 3 ? SF_LAYOUT_PORT_WIDTH
                        : SF_LAYOUT_PAD + n_cells * SF_LAYOUT_LABEL_CELL;
}

/* Decides all that goes from left to right. */
static bool
place_columns(const struct sf_drawing *drawing, struct sf_layout *layout)
{
    struct sf_layout_column *columns = layout->columns;
    uint32_t n_lanes[SF_N_SIDES] = { 0 };
    double x = MARGIN + SF_LAYOUT_FRAME_PAD;

    layout->label_width = longest_label(drawing);
    layout->port_width = widest_port(drawing, layout);
    for (uint32_t c = 0; c < layout->n_columns; c++) {
        columns[c].width = box_width(layout, &columns[c]);
    }
    if (layout->n_columns == 1) {
        if (!sf_layout_choose_lanes(drawing, layout, n_lanes)) {
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
    uint32_t n_boxes = sf_layout_count_boxes(drawing);

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
                 layout->styles && layout->lanes;
    if (is_ok) {
        make_boxes(drawing, layout);
        make_ends(drawing, layout);
        place_rows(drawing, layout);
        is_ok = sf_layout_place_ends(drawing, layout) &&
                place_columns(drawing, layout);
    }
    return is_ok ? SF_OK
                 : sf_fail(err, SF_ENOMEM, "out of memory for a diagram");
}

void
sf_layout_clear(struct sf_layout *layout)
{
    free(layout->lanes);
    free(layout->styles);
    free(layout->ends);
    free(layout->frames);
    free(layout->boxes);
}
