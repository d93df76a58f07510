/* plan.c -- racks, places and cables.
 *
 * A group of the topology (rack r of [Blach24]) is a part; the switches of
 * families without groups, and the core of a tree, are packed into racks in
 * their order, each such rack a part of its own.  Inside a part, blocks
 * (subgroups; levels of a pod) go from the top down, switches above their
 * hosts, and the last block stands at the bottom.  A part that needs more than
 * one rack takes several side by side in one row, each with as many switches
 * of a block as fit together with their hosts. */
#include "slimfly/plan.h"

#include "base/mem.h"

#include <math.h>
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

/* Lengths that are sold. */
static const double stock_lengths[] = {
    0.5, 1,  1.5, 2,  2.5, 3,   4,   5,   7,   10,
    15,  20, 30,  50, 75,  100, 150, 200, 300,
};

/* What is being planned. */
struct planner {
    const struct sf_topology *topo;
    struct sf_plan *plan;
    uint32_t *first_host;       /* [n_switches + 1] Node of each first host. */
    uint32_t *members;          /* [n_switches] Switches, part by part. */
    SF_VEC(uint32_t) part_ends; /* Where in 'members' each part ends. */
    SF_VEC(struct sf_rack) racks;
    uint32_t row, column; /* Of the next rack. */
    bool is_out_of_memory;
};

/* A place to put things, from the top of a rack downwards. */
struct shelf {
    uint32_t rack;
    uint32_t n_left; /* Free units below the last thing put. */
};

static uint32_t
block_of(const struct sf_topology *topo, uint32_t s)
{
    const uint32_t *place = sf_topology_place(topo, s);

    if (topo->n_coords < 3) {
        return 0;
    }
    /* Of a tree, the upper level stands on top. */
    return topo->family->level_coord == 0 ? UINT32_MAX - place[0] : place[0];
}

/* Units that the switches members[first..end-1] take with their hosts, which
 * share units. */
static uint64_t
units_of(const struct planner *planner, uint32_t first, uint32_t end)
{
    const struct sf_floor *floor = &planner->plan->floor;
    uint64_t n_hosts = 0;

    for (uint32_t i = first; i < end; i++) {
        n_hosts += planner->topo->n_hosts[planner->members[i]];
    }
    return (uint64_t)(end - first) * floor->switch_units +
           (n_hosts + floor->hosts_per_unit - 1) / floor->hosts_per_unit;
}

static void
end_part(struct planner *planner, uint32_t end)
{
    if (!sf_vec_push(&planner->part_ends, end)) {
        planner->is_out_of_memory = true;
    }
}

/* Sorts the switches of groups into 'members', group by group. */
static uint32_t
gather_groups(struct planner *planner)
{
    const struct sf_topology *topo = planner->topo;
    uint32_t n = topo->graph->n_nodes;
    uint32_t n_groups = 0, n_members = 0;

    for (uint32_t s = 0; s < n; s++) {
        uint32_t group = sf_topology_group(topo, s);
        if (group != SF_NONE && group >= n_groups) {
            n_groups = group + 1;
        }
    }
    uint32_t *next = sf_calloc((size_t)n_groups + 1, sizeof *next);
    if (!next) {
        planner->is_out_of_memory = true;
        return 0;
    }
    for (uint32_t s = 0; s < n; s++) {
        uint32_t group = sf_topology_group(topo, s);
        if (group != SF_NONE) {
            next[group + 1]++;
            n_members++;
        }
    }
    for (uint32_t group = 0; group < n_groups; group++) {
        next[group + 1] += next[group];
        end_part(planner, next[group + 1]);
    }
    for (uint32_t s = 0; s < n; s++) {
        uint32_t group = sf_topology_group(topo, s);
        if (group != SF_NONE) {
            planner->members[next[group]++] = s;
        }
    }
    free(next);
    return n_members;
}

/* Appends the switches without a group, as many to a part as fit into a rack;
 * switches with hosts and switches without do not mix. */
static void
gather_loose(struct planner *planner, uint32_t n_members)
{
    const struct sf_topology *topo = planner->topo;
    uint32_t start = n_members;

    for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
        if (sf_topology_group(topo, s) != SF_NONE) {
            continue;
        }
        planner->members[n_members] = s;
        bool is_other_kind = n_members > start &&
                             (topo->n_hosts[planner->members[n_members - 1]] ==
                              0) != (topo->n_hosts[s] == 0);
        if (n_members > start && (units_of(planner, start, n_members + 1) >
                                      planner->plan->floor.rack_units ||
                                  is_other_kind)) {
            end_part(planner, n_members);
            start = n_members;
        }
        n_members++;
    }
    if (n_members > start) {
        end_part(planner, n_members);
    }
}

static struct shelf
new_rack(struct planner *planner, uint32_t part)
{
    const struct sf_floor *floor = &planner->plan->floor;
    uint32_t index = (uint32_t)planner->racks.n;

    if (planner->column == floor->racks_per_row) {
        planner->row++;
        planner->column = 0;
    }
    struct sf_rack rack = {
        .group = part,
        .row = planner->row,
        .column = planner->column++,
    };

    if (!sf_vec_push(&planner->racks, rack)) {
        planner->is_out_of_memory = true;
    }
    return (struct shelf){ index, floor->rack_units };
}

/* Takes 'units' from 'shelf' or, if that is full, from a new rack of the same
 * part. */
static void
take(struct planner *planner, uint32_t part, uint32_t units,
     struct shelf *shelf)
{
    if (shelf->n_left < units) {
        *shelf = new_rack(planner, part);
    }
    shelf->n_left -= units;
}

/* Puts 'node' into the units taken last. */
static void
put(struct planner *planner, uint32_t node, const struct shelf *shelf)
{
    planner->plan->fabric->nodes[node].rack = shelf->rack;
    planner->plan->fabric->nodes[node].unit = shelf->n_left + 1;
}

/* Puts the hosts of the switches members[first..end-1], which share units.
 * The places of those that are left out stay free. */
static void
put_hosts(struct planner *planner, uint32_t part, uint32_t first, uint32_t end,
          struct shelf *shelf)
{
    uint32_t n_places = 0;

    for (uint32_t i = first; i < end; i++) {
        uint32_t s = planner->members[i];
        uint32_t host = planner->first_host[s];
        for (uint32_t j = 0; j < planner->topo->n_hosts[s]; j++, host++) {
            if (n_places++ % planner->plan->floor.hosts_per_unit == 0) {
                take(planner, part, 1, shelf);
            }
            if (host < planner->first_host[s + 1]) {
                put(planner, host, shelf);
            }
        }
    }
}

static uint32_t
block_end(const struct planner *planner, uint32_t first, uint32_t end)
{
    uint32_t i = first + 1;
    while (i < end && block_of(planner->topo, planner->members[i]) ==
                          block_of(planner->topo, planner->members[first])) {
        i++;
    }
    return i;
}

/* Puts the switches members[first..end-1] and, below them, their hosts. */
static void
put_block(struct planner *planner, uint32_t part, uint32_t first, uint32_t end,
          struct shelf *shelf)
{
    for (uint32_t i = first; i < end; i++) {
        take(planner, part, planner->plan->floor.switch_units, shelf);
        put(planner, planner->members[i], shelf);
    }
    put_hosts(planner, part, first, end, shelf);
}

/* Puts a part that fits into one rack: the last block stands at its bottom. */
static void
place_in_one(struct planner *planner, uint32_t part, uint32_t first,
             uint32_t end)
{
    struct shelf shelf = new_rack(planner, part);

    for (uint32_t start = first; start < end;) {
        uint32_t stop = block_end(planner, start, end);
        uint32_t units = (uint32_t)units_of(planner, start, stop);
        if (start > first && stop == end && units < shelf.n_left) {
            shelf.n_left = units;
        }
        put_block(planner, part, start, stop, &shelf);
        start = stop;
    }
}

/* The end of the longest run of a block, from 'start' on, that fits into a
 * rack; a switch with more hosts than that is a run of its own. */
static uint32_t
run_end(const struct planner *planner, uint32_t start, uint32_t end)
{
    uint32_t block = block_end(planner, start, end), stop = start + 1;

    while (stop < block && units_of(planner, start, stop + 1) <=
                               planner->plan->floor.rack_units) {
        stop++;
    }
    return stop;
}

/* Puts a part that needs several racks, all in one row if a row has that
 * many. */
static void
place_in_many(struct planner *planner, uint32_t part, uint32_t first,
              uint32_t end)
{
    uint32_t n_runs = 0;

    for (uint32_t i = first; i < end; i = run_end(planner, i, end)) {
        n_runs++;
    }
    if (planner->column > 0 &&
        planner->column + n_runs > planner->plan->floor.racks_per_row) {
        planner->row++;
        planner->column = 0;
    }
    for (uint32_t start = first; start < end;) {
        uint32_t stop = run_end(planner, start, end);
        struct shelf shelf = new_rack(planner, part);
        put_block(planner, part, start, stop, &shelf);
        start = stop;
    }
}

/* Puts members[first..end-1] into one rack or several, and names them. */
static void
place_part(struct planner *planner, uint32_t part, uint32_t first,
           uint32_t end)
{
    uint32_t first_rack = (uint32_t)planner->racks.n;

    /* Blocks round up their hosts' units one by one. */
    uint64_t total = 0;
    for (uint32_t i = first; i < end; i = block_end(planner, i, end)) {
        total += units_of(planner, i, block_end(planner, i, end));
    }
    if (total <= planner->plan->floor.rack_units) {
        place_in_one(planner, part, first, end);
    } else {
        place_in_many(planner, part, first, end);
    }

    uint32_t n_racks = (uint32_t)planner->racks.n - first_rack;
    for (uint32_t i = 0; i < n_racks && !planner->is_out_of_memory; i++) {
        struct sf_rack *rack = &planner->racks.items[first_rack + i];
        if (n_racks == 1) {
            snprintf(rack->name, sizeof rack->name, "R%u", part);
        } else {
            snprintf(rack->name, sizeof rack->name, "R%u.%u", part, i + 1);
        }
    }
}

/* Sorts the members of each part by block, the first on top. */
static void
sort_blocks(struct planner *planner, uint32_t first, uint32_t end)
{
    /* Blocks come in whole runs, so an insertion sort is quick enough. */
    for (uint32_t i = first + 1; i < end; i++) {
        uint32_t s = planner->members[i];
        uint32_t j = i;
        while (j > first && block_of(planner->topo, planner->members[j - 1]) >
                                block_of(planner->topo, s)) {
            planner->members[j] = planner->members[j - 1];
            j--;
        }
        planner->members[j] = s;
    }
}

static void
place_all(struct planner *planner)
{
    gather_loose(planner, gather_groups(planner));
    uint32_t first = 0;
    for (size_t part = 0; part < planner->part_ends.n; part++) {
        uint32_t end = planner->part_ends.items[part];
        sort_blocks(planner, first, end);
        place_part(planner, (uint32_t)part, first, end);
        first = end;
    }
}

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

/* Lists the cables in the order of wiring. */
static enum sf_status
list_cables(struct planner *planner, struct sf_error *err)
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
    place_all(&planner);
    plan->racks = planner.racks.items;
    plan->n_racks = (uint32_t)planner.racks.n;
    plan->n_groups = (uint32_t)planner.part_ends.n;
    if (planner.is_out_of_memory || !plan->racks) {
        goto no_memory;
    }
    status = list_cables(&planner, err);
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
        free(plan);
    }
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
