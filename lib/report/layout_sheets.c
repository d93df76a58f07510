/* layout_sheets.c -- cuts the cables of a drawing into sheets that fit on a
 * printed page together with a table of their cables, and can be read there.
 */
#include "report/layout_parts.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

/* On A4, in pixels of 1/96 inch, as guide.css has it. */
#define ROOM      810.0 /* Height without titles and the head of the table. */
#define ROW_EDGES 4.0   /* Of a row of the table, */
#define ROW_LINE  14.2  /* and the height of a line in it. */
#define ROW_CELLS 18    /* Letters of a name that fit on a line. */
#define SMALLEST  0.77  /* Drawings that are reduced more cannot be read. */
#define EDGES     56.0  /* Height of a drawing beside that of its boxes. */
#define SHEET     (ROOM - SMALLEST * EDGES)
#define PER_MM    (96 / 25.4)

/* A sheet that is being filled. */
struct sheet {
    const struct sf_drawing *drawing;
    uint32_t n_boxes, lowest;
    uint32_t (*n_ends)[SF_N_SIDES]; /* [n_boxes] On this sheet. */
    uint32_t *last_use;             /* [n_boxes] The last cable of each. */
    double table;                   /* Height of its rows. */
    double heights[2];              /* Of the columns. */
    double height;                  /* On paper, with the table. */
    double goal;                    /* Which it should reach. */
    uint32_t last;                  /* The last cable of any on the sheet. */
};

static void
clear_sheet(struct sheet *sheet)
{
    memset(sheet->n_ends, 0, sheet->n_boxes * sizeof *sheet->n_ends);
    sheet->heights[0] = sheet->heights[1] = sheet->height = 0;
    sheet->table = 0;
    sheet->last = 0;
}

/* The height of the row of cable 'i' in the table, by its longer name. */
static double
row_height(const struct sf_drawing *drawing, uint32_t i)
{
    const struct sf_fabric *fabric = drawing->plan->fabric;
    const struct sf_cable *cable = &drawing->plan->cables[drawing->cables[i]];
    uint32_t n_a =
        sf_layout_cells(fabric->nodes[fabric->ports[cable->a].node].name);
    uint32_t n_b =
        sf_layout_cells(fabric->nodes[fabric->ports[cable->b].node].name);
    uint32_t n_cells = n_a > n_b ? n_a : n_b;
    uint32_t n_lines = n_cells / (ROW_CELLS + 1) + 1;

    return ROW_EDGES + ROW_LINE * n_lines;
}

static void
add_to_sheet(struct sheet *sheet, uint32_t i)
{
    const struct sf_drawing *drawing = sheet->drawing;
    const struct sf_cable *cable = &drawing->plan->cables[drawing->cables[i]];
    uint32_t n_left = sf_switch_order_size(drawing->order, drawing->left);

    for (uint32_t e = 0; e < 2; e++) {
        uint32_t box = sf_layout_box_of(drawing, e ? cable->b : cable->a);
        uint32_t *n_ends = sheet->n_ends[box];
        double *height = &sheet->heights[box >= n_left];
        if (n_ends[SF_LEFT] || n_ends[SF_RIGHT]) {
            *height -= sf_layout_box_height(n_ends) + SF_LAYOUT_GAP;
        }
        n_ends[sf_layout_side(drawing, i, box, sheet->lowest)]++;
        *height += sf_layout_box_height(n_ends) + SF_LAYOUT_GAP;
        sheet->last = sheet->last_use[box] > sheet->last ? sheet->last_use[box]
                                                         : sheet->last;
    }
    sheet->table += row_height(drawing, i);
    sheet->height =
        SMALLEST * fmax(sheet->heights[0], sheet->heights[1]) + sheet->table;
}

static void
find_last_uses(struct sheet *sheet)
{
    const struct sf_drawing *drawing = sheet->drawing;

    for (uint32_t i = 0; i < drawing->n_cables; i++) {
        const struct sf_cable *cable =
            &drawing->plan->cables[drawing->cables[i]];
        sheet->last_use[sf_layout_box_of(drawing, cable->a)] = i;
        sheet->last_use[sf_layout_box_of(drawing, cable->b)] = i;
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

double
sf_layout_room(const struct sf_drawing *drawing)
{
    double room = ROOM;

    for (uint32_t i = 0; i < drawing->n_cables; i++) {
        room -= row_height(drawing, i);
    }
    return fmax(room, ROOM / 4) / PER_MM;
}

enum sf_status
sf_layout_split(const struct sf_drawing *drawing, uint32_t **endsp,
                uint32_t *n_endsp, struct sf_error *err)
{
    struct sheet sheet = { .drawing = drawing };
    SF_VEC(uint32_t) ends = { 0 };
    bool is_ok;

    sheet.n_boxes = sf_layout_count_boxes(drawing);
    sheet.lowest = sf_layout_lowest_number(drawing);
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
