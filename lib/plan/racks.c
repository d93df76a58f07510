/* racks.c -- which rack and unit every node of a plan stands in.
 *
 * A part is what stands together.  Each group of the topology (rack r of
 * [Blach24]) is a part.  Switches without a group, such as the core of a tree,
 * are packed into racks in their order, and each of these racks is a part.
 *
 * A block is a subgroup, or a level of a pod.  Inside a part, blocks go from
 * the top down, switches above their hosts, and the last block stands at the
 * bottom.
 *
 * A part that needs more than one rack takes several side by side in one row.
 * Each of them holds a run: as many switches of one block as fit together with
 * their hosts. */
#include "plan/planner.h"

#include <stdio.h>

/* The space that is left in a rack, which is filled from the top down. */
struct rack_space {
    uint32_t rack;
    uint32_t n_left; /* Free units, from the floor up. */
};

/* The block of a switch; lower numbers stand higher. */
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

/* Ends a part before members[end]. */
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
gather_ungrouped(struct planner *planner, uint32_t n_members)
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

static struct rack_space
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
    return (struct rack_space){ index, floor->rack_units };
}

/* Takes 'units' from 'space' or, if it has fewer, from a new rack of the same
 * part. */
static void
take_units(struct planner *planner, uint32_t part, uint32_t units,
           struct rack_space *space)
{
    if (space->n_left < units) {
        *space = new_rack(planner, part);
    }
    space->n_left -= units;
}

/* Puts 'node' into the units taken last. */
static void
put_node(struct planner *planner, uint32_t node,
         const struct rack_space *space)
{
    planner->plan->fabric->nodes[node].rack = space->rack;
    planner->plan->fabric->nodes[node].unit = space->n_left + 1;
}

/* Puts the hosts of the switches members[first..end-1], which share units.
 * The places of those that are left out stay free. */
static void
put_hosts(struct planner *planner, uint32_t part, uint32_t first, uint32_t end,
          struct rack_space *space)
{
    uint32_t n_places = 0;

    for (uint32_t i = first; i < end; i++) {
        uint32_t s = planner->members[i];
        uint32_t host = planner->first_host[s];
        for (uint32_t j = 0; j < planner->topo->n_hosts[s]; j++, host++) {
            if (n_places++ % planner->plan->floor.hosts_per_unit == 0) {
                take_units(planner, part, 1, space);
            }
            if (host < planner->first_host[s + 1]) {
                put_node(planner, host, space);
            }
        }
    }
}

/* Where in 'members' the block ends that starts at 'first'. */
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
          struct rack_space *space)
{
    for (uint32_t i = first; i < end; i++) {
        take_units(planner, part, planner->plan->floor.switch_units, space);
        put_node(planner, planner->members[i], space);
    }
    put_hosts(planner, part, first, end, space);
}

/* Puts a part that fits into one rack: the last block stands at its bottom. */
static void
place_in_one(struct planner *planner, uint32_t part, uint32_t first,
             uint32_t end)
{
    struct rack_space space = new_rack(planner, part);

    for (uint32_t start = first; start < end;) {
        uint32_t stop = block_end(planner, start, end);
        uint32_t units = (uint32_t)units_of(planner, start, stop);
        if (start > first && stop == end && units < space.n_left) {
            space.n_left = units;
        }
        put_block(planner, part, start, stop, &space);
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
        struct rack_space space = new_rack(planner, part);
        put_block(planner, part, start, stop, &space);
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

void
sf_planner_place_all(struct planner *planner)
{
    gather_ungrouped(planner, gather_groups(planner));
    uint32_t first = 0;
    for (size_t part = 0; part < planner->part_ends.n; part++) {
        uint32_t end = planner->part_ends.items[part];
        sort_blocks(planner, first, end);
        place_part(planner, (uint32_t)part, first, end);
        first = end;
    }
}
