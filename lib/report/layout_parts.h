/* layout_parts.h -- what the files that make a layout share. */
#ifndef SF_REPORT_LAYOUT_PARTS_H
#define SF_REPORT_LAYOUT_PARTS_H

#include "report/layout.h"

#define SF_LAYOUT_ROW 13.0 /* Height of a port. */
#define SF_LAYOUT_GAP 3.0  /* Between switches. */

/* The box of the switch that has 'port', and how many boxes there are.  Those
 * of the left column come first. */
uint32_t sf_layout_box_of(const struct sf_drawing *drawing, uint32_t port);
uint32_t sf_layout_count_boxes(const struct sf_drawing *drawing);

/* The side of its box from which cable 'i' leaves.  Cables inside a part go
 * to both sides, which halves the height.  The lower of their two port numbers
 * decides, counted from 'lowest', so that ports with the same purpose at all
 * switches are on the same side of all. */
enum sf_side sf_layout_side(const struct sf_drawing *drawing, uint32_t i,
                            uint32_t box, uint32_t lowest);

/* The lowest port number of all cables. */
uint32_t sf_layout_lowest_number(const struct sf_drawing *drawing);

/* The height of a box with so many ends at its sides. */
double sf_layout_box_height(const uint32_t n_ends[SF_N_SIDES]);

/* Gives the ends at each box their heights, by port number, and each cable its
 * style.  False if out of memory. */
bool sf_layout_place_ends(const struct sf_drawing *drawing,
                          struct sf_layout *layout);

/* Gives each cable inside a part a lane beside the boxes, short ones inside,
 * and counts the lanes.  False if out of memory. */
bool sf_layout_choose_lanes(const struct sf_drawing *drawing,
                            struct sf_layout *layout,
                            uint32_t n_lanes[SF_N_SIDES]);

#endif
