/* guide.h -- a plan on paper, for the people who wire it: diagrams, a guide
 * with tick boxes, labels for the cables.
 *
 * Everything is written as it is made and kept nowhere.  Functions fail with
 * SF_ENOMEM, or SF_EINVAL for what the plan does not have; that the stream
 * took everything is for the caller to ask it (ferror()). */
#ifndef SLIMFLY_GUIDE_H
#define SLIMFLY_GUIDE_H

#include "slimfly/plan.h"

#include <stdio.h>

#pragma GCC visibility push(default)

/* Draws, as SVG, the cables of 'step' (SF_STEP_SUBGROUP or SF_STEP_RACK)
 * inside part 'group': its switches in one column from the top of the rack
 * down, each with its unit, its name and the ports concerned, and the cables
 * as brackets beside it, no two of which share a line.  Cables are named by
 * their labels at both ends.  A step without cables in this rack gives a
 * drawing without cables.  The height grows with the switches and ports. */
enum sf_status sf_diagram_write_step(const struct sf_plan *plan,
                                     enum sf_step step, uint32_t group,
                                     FILE *stream, struct sf_error *err);

/* Draws, as SVG, the cables of SF_STEP_RACKS between parts 'group_a', on the
 * left, and 'group_b', another one, on the right, in the manner of the
 * diagrams in [Blach24]. */
enum sf_status sf_diagram_write_pair(const struct sf_plan *plan,
                                     uint32_t group_a, uint32_t group_b,
                                     FILE *stream, struct sf_error *err);

/* Writes the wiring guide: one HTML document that needs no other file and
 * prints on A4.  Summary, hall, bill of materials, then the steps in order of
 * wiring: drawings, each on one page with the table of its cables, which has
 * a tick box for each end.  In a browser it is a page for each rack, keeps the
 * ticks and shows how much is done; without scripts it is one long document.
 */
enum sf_status sf_guide_write_html(const struct sf_plan *plan, FILE *stream,
                                   struct sf_error *err);

/* Sizes of labels in mm. */
struct sf_label_sizes {
    double width, height; /* Of plain ones. */
    double wrap_width;    /* Of those that wrap: along the cable, */
    double wrap_print;    /* around it as far as they are printed, */
    double wrap_length;   /* and as a whole, with the clear rest. */
};

/* 70 x 32; 25 x 19, 57 with the clear rest. */
extern const struct sf_label_sizes sf_label_sizes_default;

/* SF_EINVAL if a label does not fit on A4, or is too small to read. */
enum sf_status sf_label_sizes_check(const struct sf_label_sizes *size,
                                    struct sf_error *err);

/* Writes two labels for each cable, one an end, as HTML that prints on A4,
 * with marks to cut along and a QR code of the cable's label.  'sizes' may be
 * NULL for the default.  SF_EINVAL if one does not fit on A4. */
enum sf_status sf_labels_write_html(const struct sf_plan *plan,
                                    const struct sf_label_sizes *sizes,
                                    FILE *stream, struct sf_error *err);

/* The same as labels that wrap around the cable: the clear rest covers the
 * print. */
enum sf_status sf_labels_write_wrap(const struct sf_plan *plan,
                                    const struct sf_label_sizes *sizes,
                                    FILE *stream, struct sf_error *err);

#pragma GCC visibility pop
#endif
