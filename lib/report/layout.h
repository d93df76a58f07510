/* layout.h -- where everything of a wiring diagram goes: computed once here,
 * drawn by diagram.c.
 *
 * The switches of a part are boxes in a column, in the order in which they
 * stand.  The ports concerned are small squares on the edge that faces the
 * cables, one a row, so that no two ends share a height.  Cables between two
 * parts are curves in the channel between two columns; cables inside a part
 * are brackets beside its column, each in a lane of its own.  Text is only
 * inside the boxes, where no cable goes. */
#ifndef SF_REPORT_LAYOUT_H
#define SF_REPORT_LAYOUT_H

#include "report/switch_order.h"

/* Sizes in pixels; the text is in a font of fixed width. */
#define SF_LAYOUT_NAME_CELL   6.6 /* Width of a letter of a name, */
#define SF_LAYOUT_LABEL_CELL  5.1 /* of a label. */
#define SF_LAYOUT_UNIT_WIDTH  26.0
#define SF_LAYOUT_PORT_WIDTH  18.0 /* At least. */
#define SF_LAYOUT_PORT_HEIGHT 11.0
#define SF_LAYOUT_PAD         6.0
#define SF_LAYOUT_FRAME_PAD   8.0 /* Between boxes and their frame. */

/* Styles of lines: colours, first full, then dashed. */
#define SF_LAYOUT_N_COLORS 7
#define SF_LAYOUT_N_STYLES (2 * SF_LAYOUT_N_COLORS)

/* What is to be drawn. */
struct sf_drawing {
    const struct sf_plan *plan;
    const struct sf_switch_order *order;
    const char *title;      /* NULL: none. */
    uint32_t left, right;   /* Parts; the same one: cables inside it. */
    const uint32_t *cables; /* [n_cables] Of the plan, in this order. */
    uint32_t n_cables;
    bool hides_idle; /* Leave switches out that have none of them. */
};

enum sf_side {
    SF_LEFT,
    SF_RIGHT,
    SF_N_SIDES,
};

/* A switch. */
struct sf_layout_box {
    uint32_t node, column;
    bool is_shown;
    uint32_t n_ends[SF_N_SIDES];
    double y, height;
    const char *name; /* Not owned. */
};

/* One end of a cable. */
struct sf_layout_end {
    uint32_t port, box;
    enum sf_side side;
    double y;
};

/* A cabinet around some boxes of a column. */
struct sf_layout_frame {
    uint32_t rack, column;
    double y, height;
};

struct sf_layout_column {
    uint32_t group;
    uint32_t first_box, n_boxes;
    bool has_ends[SF_N_SIDES];
    double x, width; /* Of the boxes. */
    double y, height;
};

struct sf_layout {
    double width, height;
    double label_width; /* Of the longest label, */
    double port_width;  /* and of a port with its number or name. */
    uint32_t n_columns; /* 1: cables inside a part. */
    struct sf_layout_column columns[2];
    uint32_t n_boxes, n_frames;
    struct sf_layout_box *boxes;
    struct sf_layout_frame *frames;
    struct sf_layout_end *ends; /* [2 * n_cables] Two a cable. */
    uint32_t *styles;           /* [n_cables] Below SF_LAYOUT_N_STYLES. */
    double *lanes;              /* [n_cables] With one column: x of each. */
};

/* Fills 'layout'; clear it with sf_layout_clear(), also after a failure. */
enum sf_status sf_layout_build(const struct sf_drawing *drawing,
                               struct sf_layout *layout, struct sf_error *err);
void sf_layout_clear(struct sf_layout *layout);

/* Cuts the cables of 'drawing' into sheets: the drawing of a sheet and a table
 * of its cables share a printed page, on which both can be read.  Sheet i ends
 * before cable ends[i].  Prefers to cut where no switch is on both sides of
 * the cut.  On success the caller frees '*endsp'. */
enum sf_status sf_layout_split(const struct sf_drawing *drawing,
                               uint32_t **endsp, uint32_t *n_endsp,
                               struct sf_error *err);

/* The height in mm that a table of the cables leaves for 'drawing'. */
double sf_layout_room(const struct sf_drawing *drawing);

/* The label of cable 'i' of 'drawing'. */
static inline const char *
sf_layout_label(const struct sf_drawing *drawing, uint32_t i)
{
    return drawing->plan->cables[drawing->cables[i]].label;
}

/* Writes what stands on the port of 'end' into 'name' and returns it. */
char *sf_layout_port_name(const struct sf_drawing *drawing,
                          const struct sf_layout_end *end,
                          char name[SF_PORT_NAME_SIZE]);

/* How many letters of a fixed width 'text' takes. */
uint32_t sf_layout_cells(const char *text);

#endif
