/* plan.c -- a plan as a whole: a fabric, the racks that it stands in (racks.c)
 * and its cables (cables.c); words for places and steps. */
#include "base/mem.h"
#include "plan/planner.h"
#include "slimfly/progress.h"

#include <stdio.h>
#include <string.h>

const struct sf_floor sf_floor_default = {
    .rack_units = 42,
    .switch_units = 1,
    .hosts_per_unit = 2,
    .racks_per_row = 10,
    .rack_pitch = 0.6,
    .row_pitch = 2.4,
    .unit_height = 0.04445,
    .tray_height = 0.3,
    .slack = 0.5,
    .copper_max = 3,
};

static enum sf_status
check_floor(const struct sf_floor *floor, struct sf_error *err)
{
    if (floor->rack_units < 1 || floor->switch_units < 1 ||
        floor->hosts_per_unit < 1 || floor->racks_per_row < 1 ||
        floor->switch_units > floor->rack_units) {
        return sf_fail(err, SF_EINVAL,
                       "a floor needs racks that hold at least one switch, at "
                       "least one host a unit and one rack a row");
    }
    if (!(floor->rack_pitch > 0) || !(floor->row_pitch > 0) ||
        !(floor->unit_height > 0) || !(floor->tray_height >= 0) ||
        !(floor->slack >= 0) || !(floor->copper_max >= 0)) {
        return sf_fail(err, SF_EINVAL,
                       "a floor's pitches and heights must be above 0, slack "
                       "and the longest copper at least 0");
    }
    return SF_OK;
}

/* Hosts are numbered switch by switch, after the switches; they are on the
 * first ports. */
static void
find_hosts(struct planner *planner)
{
    const struct sf_fabric *fabric = planner->plan->fabric;
    uint32_t n = planner->topo->graph->n_nodes, next = n;

    for (uint32_t s = 0; s < n; s++) {
        planner->first_host[s] = next;
        for (uint32_t i = 0; i < planner->topo->n_hosts[s]; i++) {
            uint32_t port = fabric->nodes[s].first_port + i;
            next += fabric->ports[port].peer != SF_NONE;
        }
    }
    planner->first_host[n] = next;
}

enum sf_status
sf_plan_build(const struct sf_topology *topo,
              const struct sf_fabric_params *params,
              const struct sf_floor *floor, struct sf_plan **planp,
              struct sf_error *err)
{
    uint32_t n = topo->graph->n_nodes;
    struct planner planner = { .topo = topo };

    *planp = NULL;
    floor = floor ? floor : &sf_floor_default;
    enum sf_status status = check_floor(floor, err);
    if (status != SF_OK) {
        return status;
    }
    struct sf_plan *plan = sf_calloc(1, sizeof *plan);
    planner.plan = plan;
    planner.first_host = sf_calloc((size_t)n + 1, sizeof(uint32_t));
    planner.members = sf_calloc(n, sizeof(uint32_t));
    if (!plan || !planner.first_host || !planner.members) {
        goto no_memory;
    }
    sf_progress_report("planning racks and cables", 0, 0);
    plan->floor = *floor;
    plan->spec = sf_strdup(topo->spec);
    plan->family = sf_strdup(topo->family->name);
    plan->title = sf_strdup(topo->family->title);
    if (!plan->spec || !plan->family || !plan->title) {
        goto no_memory;
    }
    status = sf_fabric_from_topology(topo, params, &plan->fabric, err);
    if (status != SF_OK) {
        goto done;
    }
    find_hosts(&planner);
    sf_planner_place_all(&planner);
    plan->racks = planner.racks.items;
    plan->n_racks = (uint32_t)planner.racks.n;
    plan->n_groups = (uint32_t)planner.part_ends.n;
    if (planner.is_out_of_memory || !plan->racks) {
        goto no_memory;
    }
    status = sf_planner_list_cables(&planner, err);
    if (status == SF_OK) {
        *planp = plan;
        plan = NULL;
    }
    goto done;

no_memory:
    status = sf_fail(err, SF_ENOMEM, "out of memory for the plan");
done:
    free(planner.part_ends.items);
    free(planner.members);
    free(planner.first_host);
    sf_plan_free(plan);
    return status;
}

enum sf_status
sf_plan_set_origin(struct sf_plan *plan, const struct sf_origin *origin,
                   struct sf_error *err)
{
    const char *texts[] = { origin->program, origin->command };
    char **copies[] = { &plan->program, &plan->command };

    for (int i = 0; i < 2; i++) {
        char *copy = texts[i] ? sf_strdup(texts[i]) : NULL;
        if (texts[i] && !copy) {
            return sf_fail(err, SF_ENOMEM, "out of memory");
        }
        free(*copies[i]);
        *copies[i] = copy;
    }
    return SF_OK;
}

void
sf_plan_free(struct sf_plan *plan)
{
    if (plan) {
        free(plan->cable_of_port);
        free(plan->cables);
        free(plan->racks);
        sf_fabric_free(plan->fabric);
        free(plan->title);
        free(plan->family);
        free(plan->spec);
        free(plan->program);
        free(plan->command);
        free(plan);
    }
}

enum sf_status
sf_plan_lengths(const struct sf_plan *plan, double **lengthsp,
                struct sf_error *err)
{
    double *lengths = sf_calloc(plan->fabric->n_ports, sizeof *lengths);

    *lengthsp = lengths;
    if (!lengths) {
        return sf_fail(err, SF_ENOMEM, "out of memory for lengths of cables");
    }
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        lengths[cable->a] = cable->length;
        lengths[cable->b] = cable->length;
    }
    return SF_OK;
}

void
sf_plan_drop_hosts(struct sf_plan *plan)
{
    uint32_t n = 0;

    sf_fabric_drop_hosts(plan->fabric);
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        if (cable->a >= plan->fabric->n_ports ||
            cable->b >= plan->fabric->n_ports) {
            continue;
        }
        plan->cables[n] = *cable;
        plan->cable_of_port[cable->a] = n;
        plan->cable_of_port[cable->b] = n;
        n++;
    }
    plan->n_cables = n;
    for (uint32_t i = 0; i < plan->fabric->n_ports; i++) {
        if (plan->fabric->ports[i].peer == SF_NONE) {
            plan->cable_of_port[i] = SF_NONE;
        }
    }
}

const char *
sf_medium_name(enum sf_medium medium)
{
    return medium == SF_COPPER ? "copper" : "optical";
}

char *
sf_plan_place(const struct sf_plan *plan, uint32_t node,
              char place[SF_PLACE_SIZE])
{
    const struct sf_node *at = &plan->fabric->nodes[node];
    snprintf(place, SF_PLACE_SIZE, "%s U%u", plan->racks[at->rack].name,
             at->unit);
    return place;
}

const char *
sf_plan_step_title(const struct sf_plan *plan, enum sf_step step,
                   char title[SF_STEP_TITLE_SIZE])
{
    uint32_t number = sf_family_find(plan->family);
    const struct sf_family *family =
        number == SF_NONE ? NULL : sf_families[number];
    const char *part = family ? family->group_part : NULL;
    const char *group = family && family->group_coord != SF_NONE
                            ? family->coords[family->group_coord]
                            : "group"; /* "row", "cluster" */

    switch (step) {
    case SF_STEP_HOSTS:
        return "hosts to their switches";
    case SF_STEP_SUBGROUP:
        snprintf(title, SF_STEP_TITLE_SIZE, "inside the %ss",
                 part ? part : group);
        return title;
    case SF_STEP_RACK:
        if (!part) {
            return "inside a rack";
        }
        snprintf(title, SF_STEP_TITLE_SIZE, "between the %ss of a rack", part);
        return title;
    case SF_STEP_RACKS:
        return "between racks";
    case SF_N_STEPS:
        break;
    }
    return "";
}
