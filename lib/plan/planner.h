/* planner.h -- a plan in the making. */
#ifndef SF_PLAN_PLANNER_H
#define SF_PLAN_PLANNER_H

#include "base/mem.h"
#include "slimfly/plan.h"

struct planner {
    const struct sf_topology *topo;
    struct sf_plan *plan;
    uint32_t *first_host;       /* [n_switches + 1] The first host of each. */
    uint32_t *members;          /* [n_switches] Switches, part by part. */
    SF_VEC(uint32_t) part_ends; /* Where in 'members' each part ends. */
    SF_VEC(struct sf_rack) racks;
    uint32_t row, column; /* Where the next rack stands. */
    bool is_out_of_memory;
};

/* Gives every node its rack and unit, and lists the racks. */
void sf_planner_place_all(struct planner *planner);

/* Lists the cables in the order of wiring. */
enum sf_status sf_planner_list_cables(struct planner *planner,
                                      struct sf_error *err);

#endif
