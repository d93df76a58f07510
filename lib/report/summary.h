/* summary.h -- the first pages of a wiring guide. */
#ifndef SF_REPORT_SUMMARY_H
#define SF_REPORT_SUMMARY_H

#include "slimfly/plan.h"

#include <stdio.h>

/* Writes, as HTML, what the plan consists of: switches, hosts, racks, and
 * cables by step. */
void sf_summary_write(const struct sf_plan *plan, FILE *stream);

/* Writes the racks in their rows, seen from above. */
enum sf_status sf_summary_write_hall(const struct sf_plan *plan, FILE *stream,
                                     struct sf_error *err);

/* Writes what is to be bought: switches, and cables by medium and length. */
enum sf_status sf_summary_write_materials(const struct sf_plan *plan,
                                          FILE *stream, struct sf_error *err);

#endif
