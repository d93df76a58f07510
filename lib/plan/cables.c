/* cables.c -- the cables of a plan: length, medium, step, label, and the order
 * in which they are wired.  A cable inside a rack runs straight; one between
 * racks goes up to the tray, along it, and down again. */
#include "plan/planner.h"

#include <math.h>
#include <stdio.h>

/* Lengths that are sold. */
static const double stock_lengths[] = {
    0.5, 1,  1.5, 2,  2.5, 3,   4,   5,   7,   10,
    15,  20, 30,  50, 75,  100, 150, 200, 300,
};

static double
needed_length(const struct sf_plan *plan, uint32_t a, uint32_t b)
{
    const struct sf_floor *floor = &plan->floor;
    const struct sf_node *x = &plan->fabric->nodes[a];
    const struct sf_node *y = &plan->fabric->nodes[b];
    double x_height = (x->unit - 0.5) * floor->unit_height;
    double y_height = (y->unit - 0.5) * floor->unit_height;

    if (x->rack == y->rack) {
        return fabs(x_height - y_height) + floor->slack;
    }
    const struct sf_rack *from = &plan->racks[x->rack];
    const struct sf_rack *to = &plan->racks[y->rack];
    double tray = floor->rack_units * floor->unit_height + floor->tray_height;
    return tray - x_height + tray - y_height +
           fabs((double)from->column - to->column) * floor->rack_pitch +
           fabs((double)from->row - to->row) * floor->row_pitch + floor->slack;
}

static double
stock_length(double needed)
{
    size_t n = sizeof stock_lengths / sizeof *stock_lengths;

    for (size_t i = 0; i < n; i++) {
        if (needed <= stock_lengths[i]) {
            return stock_lengths[i];
        }
    }
    return ceil(needed / 100) * 100;
}

static enum sf_step
step_of(const struct planner *planner, uint32_t a, uint32_t b)
{
    const struct sf_fabric *fabric = planner->plan->fabric;

    if (b >= fabric->n_switches) {
        return SF_STEP_HOSTS;
    }
    switch (sf_topology_reach(planner->topo, fabric->nodes[a].origin,
                              fabric->nodes[b].origin)) {
    case SF_REACH_NEAR:
        return SF_STEP_SUBGROUP;
    case SF_REACH_GROUP:
        return SF_STEP_RACK;
    case SF_REACH_BEYOND:
    case SF_N_REACHES:
        break;
    }
    /* Loose switches may still share a rack. */
    return sf_plan_group(planner->plan, a) == sf_plan_group(planner->plan, b)
               ? SF_STEP_RACK
               : SF_STEP_RACKS;
}

/* What the order of the cables is decided by. */
struct sort_key {
    enum sf_step step;
    uint32_t group_a, group_b, node_a;
    uint32_t cable;
};

static int
compare_keys(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    uint32_t pairs[][2] = {
        { x->step, y->step },       { x->group_a, y->group_a },
        { x->group_b, y->group_b }, { x->node_a, y->node_a },
        { x->cable, y->cable },
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pairs[i][0] != pairs[i][1]) {
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
        }
    }
    return 0;
}

enum sf_status
sf_planner_list_cables(struct planner *planner, struct sf_error *err)
{
    struct sf_plan *plan = planner->plan;
    const struct sf_fabric *fabric = plan->fabric;
    uint32_t n = 0;

    plan->cables = sf_calloc(fabric->n_cables, sizeof *plan->cables);
    plan->cable_of_port = sf_calloc(fabric->n_ports, sizeof(uint32_t));
    struct sf_cable *unsorted = sf_calloc(fabric->n_cables, sizeof *unsorted);
    struct sort_key *keys = sf_calloc(fabric->n_cables, sizeof *keys);
    if (!plan->cables || !plan->cable_of_port || !unsorted || !keys) {
        free(keys);
        free(unsorted);
        return sf_fail(err, SF_ENOMEM, "out of memory for the cables");
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        uint32_t a = i, b = fabric->ports[i].peer;
        plan->cable_of_port[i] = SF_NONE;
        if (b == SF_NONE || b < i) {
            continue;
        }
        uint32_t node_a = fabric->ports[a].node,
                 node_b = fabric->ports[b].node;
        if (node_b < fabric->n_switches &&
            sf_plan_group(plan, node_b) < sf_plan_group(plan, node_a)) {
            a = b;
            b = i;
            node_a = fabric->ports[a].node;
            node_b = fabric->ports[b].node;
        }
        double length = stock_length(needed_length(plan, node_a, node_b));
        unsorted[n] = (struct sf_cable){
            .a = a,
            .b = b,
            .step = step_of(planner, node_a, node_b),
            .medium =
                length <= plan->floor.copper_max ? SF_COPPER : SF_OPTICAL,
            .length = length,
        };
        keys[n] =
            (struct sort_key){ unsorted[n].step, sf_plan_group(plan, node_a),
                               sf_plan_group(plan, node_b), node_a, n };
        n++;
    }
    qsort(keys, n, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < n; i++) {
        plan->cables[i] = unsorted[keys[i].cable];
        snprintf(plan->cables[i].label, sizeof plan->cables[i].label, "C%05u",
                 i + 1);
        plan->cable_of_port[plan->cables[i].a] = i;
        plan->cable_of_port[plan->cables[i].b] = i;
    }
    plan->n_cables = n;
    free(keys);
    free(unsorted);
    return SF_OK;
}
