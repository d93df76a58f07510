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
 * wiring, with diagrams and a table with a tick box for each cable.  Racks
 * that are wired alike, unit by unit and port by port, share a diagram, in
 * which cables have numbers instead of labels. */
enum sf_status sf_guide_write_html(const struct sf_plan *plan, FILE *stream,
                                   struct sf_error *err);

/* Writes two labels for each cable, one an end, as HTML that prints on sheets
 * of 3 x 9 labels of 70 x 32 mm (A4). */
enum sf_status sf_labels_write_html(const struct sf_plan *plan, FILE *stream,
                                    struct sf_error *err);

#pragma GCC visibility pop
#endif
