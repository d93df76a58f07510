/* guide_parts.h -- what the files that make a guide share. */
#ifndef SF_REPORT_GUIDE_PARTS_H
#define SF_REPORT_GUIDE_PARTS_H

#include "report/cable_runs.h"

#include <stdio.h>

/* A guide that is written. */
struct guide {
    const struct sf_plan *plan;
    FILE *stream;
    struct sf_switch_order order;
    struct cable_runs runs;
    uint32_t *cables; /* 0, 1, 2..., to cut lists from. */
};

/* Writes a run as a section: drawings, and tables with tick boxes. */
enum sf_status sf_guide_write_run(const struct guide *guide,
                                  const struct cable_run *run,
                                  struct sf_error *err);

/* The name by which links find a run: "step1-0", "pair-0-3". */
#define GUIDE_ID_SIZE 40
const char *sf_guide_run_id(const struct cable_run *run,
                            char id[GUIDE_ID_SIZE]);

/* Writes the cables of each rack and step as a table, with room for what is
 * done. */
enum sf_status sf_guide_write_progress(const struct guide *guide,
                                       struct sf_error *err);

/* What the cables of 'plan' are called and what they join, as a number: ticks
 * kept for one plan are not taken for those of another. */
uint64_t sf_guide_identity(const struct sf_plan *plan);

#endif
