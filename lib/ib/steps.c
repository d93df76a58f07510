/* steps.c -- which columns and entries of a change are written in which step.
 * stepper.h says what the other files do.
 *
 * A step begins with the graph of what packets wait for with the tables of
 * now.  Then columns are added as if both entries, of now and of the goal,
 * were held; the graph refuses what would close a circle.  Taking entries out
 * is always safe, since then packets wait for less.  When all entries that are
 * not the new ones are out, going on to the new ones is safe, too: then
 * packets wait for nothing that they do not wait for with the new tables. */
#define _GNU_SOURCE
#include "ib/stepper.h"
#include "slimfly/progress.h"

#include <string.h>

#define MAX_STEPS 64

enum sf_status
sf_stepper_fail_memory(struct stepper *stepper)
{
    sf_fail(stepper->err, SF_ENOMEM, "out of memory for steps");
    return SF_ENOMEM;
}

static enum sf_status
check_side(const struct stepper *stepper, const struct sf_step_side *side)
{
    uint32_t n = stepper->fabric->n_switches;
    bool is_fine = side->tables->n_switches == n &&
                   side->tables->max_lid == stepper->after->tables->max_lid &&
                   (!side->sl2vl || side->sl2vl->n_switches == n) &&
                   (!side->path_sls ||
                    (side->path_sls->n_switches == n &&
                     side->path_sls->max_lid == side->tables->max_lid));

    for (uint32_t s = 0; is_fine && side->sl2vl && s < n; s++) {
        is_fine = side->sl2vl->n_ports[s] == stepper->fabric->nodes[s].n_ports;
    }
    return is_fine ? SF_OK
                   : sf_fail(stepper->err, SF_EINVAL,
                             "the tables are not those of this fabric");
}

static uint32_t
count_vls(const struct sf_sl2vl *sl2vl)
{
    uint32_t n_vls = 1;

    for (uint32_t s = 0; sl2vl && s < sl2vl->n_switches; s++) {
        size_t n = (size_t)(sl2vl->n_ports[s] + 1) * (sl2vl->n_ports[s] + 1);
        const uint8_t *vls = sl2vl->vls + sl2vl->first[s];
        for (size_t i = 0; i < n * SF_N_SLS; i++) {
            n_vls =
                vls[i] < SF_DROP_VL && vls[i] >= n_vls ? vls[i] + 1u : n_vls;
        }
    }
    return n_vls;
}

/* Whether the new SL-to-VL tables say something that the old ones do not. */
static bool
has_other_lanes(const struct stepper *stepper)
{
    const struct sf_sl2vl *a = stepper->before->sl2vl,
                          *b = stepper->after->sl2vl;

    if (!a || !b) {
        return a != b;
    }
    for (uint32_t s = 0; s < b->n_switches; s++) {
        size_t n = (size_t)(b->n_ports[s] + 1) * (b->n_ports[s] + 1);
        const uint8_t *x = a->vls + a->first[s], *y = b->vls + b->first[s];
        for (size_t i = 0; i < n * SF_N_SLS; i++) {
            if (y[i] != x[i] && y[i] != SF_NO_VL) {
                return true;
            }
        }
    }
    return false;
}

static enum sf_status
prepare(struct stepper *stepper)
{
    uint32_t old_vls = count_vls(stepper->before->sl2vl),
             new_vls = count_vls(stepper->after->sl2vl);
    uint32_t n_vls = old_vls > new_vls ? old_vls : new_vls;
    size_t n = stepper->fabric->n_switches;
    enum sf_status status = check_side(stepper, stepper->before);

    if (status == SF_OK) {
        status = check_side(stepper, stepper->after);
    }
    if (status == SF_OK) {
        status = sf_waits_build(stepper->fabric, n_vls, &stepper->waits,
                                stepper->err);
    }
    if (status == SF_OK) {
        stepper->ignores_sls = sf_stepper_ignores_sls(stepper);
        status = sf_stepper_find_columns(stepper);
    }
    if (status != SF_OK) {
        return status;
    }
    size_t n_sls = (size_t)stepper->waits->n_arcs * SF_N_SLS;
    stepper->reached = sf_calloc(n_sls, sizeof *stepper->reached);
    stepper->start_vls = sf_calloc(n_sls, sizeof *stepper->start_vls);
    stepper->queue =
        sf_calloc(2 * n * SF_N_SLS * n_vls, sizeof *stepper->queue);
    stepper->depths = sf_calloc(n, sizeof *stepper->depths);
    stepper->by_depth = sf_calloc(n, sizeof *stepper->by_depth);
    return stepper->reached && stepper->start_vls && stepper->queue &&
                   stepper->depths && stepper->by_depth
               ? SF_OK
               : sf_stepper_fail_memory(stepper);
}

static void
release(struct stepper *stepper)
{
    free(stepper->firsts.items);
    free(stepper->entries.items);
    free(stepper->by_depth);
    free(stepper->depths);
    free(stepper->queue);
    free(stepper->start_vls);
    free(stepper->reached);
    sf_stepper_clear_columns(stepper);
    sf_waits_free(stepper->waits);
}

/* The change is not safe, for 'reason'; the first one is kept. */
static void
give_up(struct stepper *stepper, const char *reason)
{
    struct sf_steps *steps = stepper->steps;

    if (steps->is_safe) {
        steps->is_safe = false;
        snprintf(steps->reason, sizeof steps->reason, "%s", reason);
    }
}

static bool
is_pending(const struct stepper *stepper, const struct step_column *column)
{
    return memcmp(column->now, column->goal, stepper->fabric->n_switches) != 0;
}

/* Makes the graph of what packets wait for with the entries of now.  False if
 * it has a circle, or if a VL is not said. */
static bool
note_all(struct stepper *stepper)
{
    size_t n = stepper->columns.n;

    sf_waits_clear(stepper->waits);
    for (size_t i = 0; i < n; i++) {
        struct step_column *column = &stepper->columns.items[i];
        memcpy(column->next, column->now, stepper->fabric->n_switches);
        if (sf_stepper_walk(stepper, column, false) != SF_OK) {
            return false;
        }
    }
    return sf_waits_sort(stepper->waits);
}

static int
compare_depths(const void *a, const void *b, void *aux)
{
    const uint32_t *depths = aux;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (depths[x] != depths[y]) {
        return depths[x] < depths[y] ? -1 : 1;
    }
    return (x > y) - (x < y);
}

/* Puts the switches in the order of their hops to home by the new entries. */
static void
sort_by_depth(struct stepper *stepper, const struct step_column *column)
{
    uint32_t n = stepper->fabric->n_switches;

    for (uint32_t s = 0; s < n; s++) {
        uint32_t at = s, depth = 0;
        while (depth < n && at != column->home) {
            uint32_t arc = sf_stepper_arc(stepper, at, column->goal[at]);
            if (arc == SF_NONE) {
                depth = n;
                break;
            }
            at = stepper->waits->arcs[arc].to;
            depth++;
        }
        stepper->depths[s] = depth;
        stepper->by_depth[s] = s;
    }
    qsort_r(stepper->by_depth, n, sizeof *stepper->by_depth, compare_depths,
            stepper->depths);
}

/* Adds the entries of 'column' to this step one by one, as far as can be.
 * '*n_addedp' counts them. */
static enum sf_status
add_entries(struct stepper *stepper, struct step_column *column,
            size_t *n_addedp)
{
    enum sf_status status = SF_OK;

    sort_by_depth(stepper, column);
    column->is_split = true;
    for (uint32_t i = 0; status == SF_OK && i < stepper->fabric->n_switches;
         i++) {
        uint32_t s = stepper->by_depth[i];
        if (column->now[s] == column->goal[s]) {
            continue;
        }
        column->next[s] = column->goal[s];
        status = sf_stepper_walk(stepper, column, true);
        if (status == SF_ELANES) {
            column->next[s] = column->now[s];
            status = SF_OK;
        } else {
            ++*n_addedp;
        }
    }
    return status;
}

/* Adds 'column' to this step, as a whole if that can be. */
static enum sf_status
add_column(struct stepper *stepper, struct step_column *column,
           size_t *n_addedp)
{
    size_t n = stepper->fabric->n_switches;

    memcpy(column->next, column->goal, n);
    enum sf_status status = sf_stepper_walk(stepper, column, true);
    if (status != SF_ELANES) {
        ++*n_addedp;
        return status;
    }
    memcpy(column->next, column->now, n);
    return add_entries(stepper, column, n_addedp);
}

/* Counts the switches whose packets for 'column' arrive now and meet an entry
 * that is taken out in this step. */
static uint32_t
count_lost(const struct stepper *stepper, const struct step_column *column)
{
    uint32_t n = stepper->fabric->n_switches, n_lost = 0;

    for (uint32_t s = 0; s < n; s++) {
        bool is_lost = false;
        for (uint32_t at = s, i = 0; i < n && at != column->home; i++) {
            uint32_t arc = sf_stepper_arc(stepper, at, column->now[at]);
            is_lost |= column->next[at] != column->now[at];
            if (arc == SF_NONE) {
                is_lost = false; /* It is lost already. */
                break;
            }
            at = stepper->waits->arcs[arc].to;
        }
        n_lost += is_lost;
    }
    return n_lost;
}

/* Takes out all entries that are not the new ones; false if that was done
 * before. */
static bool
drop_entries(struct stepper *stepper)
{
    struct sf_steps *steps = stepper->steps;

    for (size_t i = 0; i < stepper->columns.n; i++) {
        struct step_column *column = &stepper->columns.items[i];
        if (!is_pending(stepper, column)) {
            continue;
        }
        if (column->is_dropped) {
            return false;
        }
        column->is_split = column->is_dropped = true;
        steps->n_dropped++;
        for (uint32_t s = 0; s < stepper->fabric->n_switches; s++) {
            if (column->now[s] != column->goal[s]) {
                column->next[s] = SF_NO_PORT;
            }
        }
        uint64_t n_lost =
            (uint64_t)count_lost(stepper, column) * column->n_lids;
        steps->n_pairs_lost += n_lost;
        steps->n_lost_first += stepper->firsts.n == 0 ? n_lost : 0;
    }
    return true;
}

/* The entry of switch 's' for 'lid' that column->next stands for. */
static uint8_t
entry_of(const struct stepper *stepper, const struct step_column *column,
         uint32_t s, uint32_t lid)
{
    if (!stepper->is_detour && column->next[s] == column->goal[s]) {
        return sf_tables_of(stepper->after->tables, s)[lid];
    }
    return s == column->home && column->next[s] == 0 ? stepper->home_ports[lid]
                                                     : column->next[s];
}

/* Writes down the entries of 'column' that change in this step. */
static bool
emit_column(struct stepper *stepper, struct step_column *column)
{
    bool is_fine = true;

    for (uint32_t s = 0; is_fine && s < stepper->fabric->n_switches; s++) {
        for (uint32_t i = 0; column->next[s] != column->now[s] && is_fine &&
                             i < column->n_lids;
             i++) {
            uint32_t lid = stepper->lids[column->first_lid + i];
            struct sf_step_entry entry = { s, lid,
                                           entry_of(stepper, column, s, lid) };
            is_fine = sf_vec_push(&stepper->entries, entry);
        }
        column->now[s] = column->next[s];
    }
    return is_fine;
}

/* Ends a step: what is next is now. */
static enum sf_status
end_step(struct stepper *stepper)
{
    bool is_fine = sf_vec_push(&stepper->firsts, stepper->entries.n);

    for (size_t i = 0; is_fine && i < stepper->columns.n; i++) {
        is_fine = emit_column(stepper, &stepper->columns.items[i]);
    }
    return is_fine ? SF_OK : sf_stepper_fail_memory(stepper);
}

/* Makes one step. */
static enum sf_status
make_step(struct stepper *stepper)
{
    size_t n_added = 0;
    enum sf_status status = SF_OK;

    if (!note_all(stepper)) {
        give_up(stepper, stepper->ignores_sls
                             ? "packets can deadlock with the old tables alone"
                             : "packets can deadlock with the old tables and "
                               "the new SLs of paths");
        return SF_OK;
    }
    for (size_t i = 0; status == SF_OK && i < stepper->columns.n; i++) {
        struct step_column *column = &stepper->columns.items[i];
        if (is_pending(stepper, column)) {
            status = add_column(stepper, column, &n_added);
        }
        sf_progress_report("splitting the change into steps", i + 1,
                           stepper->columns.n);
    }
    if (status == SF_OK && !n_added && !drop_entries(stepper)) {
        give_up(stepper, stepper->ignores_sls
                             ? "packets can deadlock with the new tables alone"
                             : "packets can deadlock with the new tables and "
                               "the old SLs of paths");
        return SF_OK;
    }
    return status == SF_OK ? end_step(stepper) : status;
}

static uint32_t
count_pending(const struct stepper *stepper)
{
    uint32_t n = 0;

    for (size_t i = 0; i < stepper->columns.n; i++) {
        n += is_pending(stepper, &stepper->columns.items[i]);
    }
    return n;
}

/* Makes all steps of the forwarding tables. */
static enum sf_status
make_steps(struct stepper *stepper)
{
    size_t max_steps =
        stepper->params->max_steps ? stepper->params->max_steps : MAX_STEPS;
    enum sf_status status = SF_OK;

    while (status == SF_OK && stepper->steps->is_safe &&
           count_pending(stepper)) {
        if (stepper->firsts.n >= max_steps) {
            give_up(stepper, "it would take too many steps");
        } else {
            status = make_step(stepper);
        }
    }
    return status;
}

/* Lets switches hold the SL-to-VL tables 'a', or 'b' if nonnull. */
static void
set_lanes(struct stepper *stepper, const struct sf_step_side *a,
          const struct sf_step_side *b)
{
    stepper->lanes[0] = a->sl2vl;
    stepper->lanes[1] = b ? b->sl2vl : NULL;
    stepper->n_lanes = b ? 2 : 1;
    sf_stepper_find_start_vls(stepper);
}

/* Adds the step that changes the SL-to-VL tables, if it is safe. */
static enum sf_status
change_lanes(struct stepper *stepper)
{
    set_lanes(stepper, stepper->before, stepper->after);
    if (!note_all(stepper)) {
        return SF_ELANES;
    }
    stepper->steps->lanes_step = (uint32_t)stepper->firsts.n;
    return sf_vec_push(&stepper->firsts, stepper->entries.n)
               ? SF_OK
               : sf_stepper_fail_memory(stepper);
}

/* Starts again: no steps yet. */
static void
start_again(struct stepper *stepper)
{
    struct sf_steps *steps = stepper->steps;

    stepper->entries.n = stepper->firsts.n = 0;
    steps->is_safe = true;
    steps->reason[0] = '\0';
    steps->lanes_step = SF_NONE;
    steps->n_dropped = 0;
    steps->n_pairs_lost = steps->n_lost_first = 0;
    for (size_t i = 0; i < stepper->columns.n; i++) {
        stepper->columns.items[i].is_split = false;
    }
    sf_stepper_set_columns(stepper, stepper->before->tables,
                           stepper->after->tables);
}

/* Makes the steps of the forwarding tables with the old lanes, then that of
 * lanes.  SF_ELANES if that is not safe. */
static enum sf_status
make_lanes_last(struct stepper *stepper)
{
    set_lanes(stepper, stepper->before, NULL);
    enum sf_status status = make_steps(stepper);
    if (status != SF_OK) {
        return status;
    }
    return stepper->steps->is_safe ? change_lanes(stepper) : SF_ELANES;
}

/* Goes over to paths on a tree, on which any lanes will do, and from there to
 * the goal. */
static enum sf_status
make_detour(struct stepper *stepper)
{
    start_again(stepper);
    set_lanes(stepper, stepper->before, NULL);
    stepper->is_detour = true;
    enum sf_status status = sf_stepper_aim_at_tree(stepper);
    if (status == SF_OK) {
        status = make_steps(stepper);
    }
    stepper->is_detour = false;
    if (status == SF_OK && stepper->steps->is_safe) {
        status = change_lanes(stepper);
    }
    if (status == SF_OK && stepper->steps->is_safe) {
        sf_stepper_set_columns(stepper, NULL, stepper->after->tables);
        set_lanes(stepper, stepper->after, NULL);
        status = make_steps(stepper);
    }
    if (status == SF_ELANES) {
        give_up(stepper, "a VL that paths need is not said");
        status = SF_OK;
    }
    return status;
}

static bool
may_detour(const struct stepper *stepper)
{
    const struct sf_steps_params *params = stepper->params;
    uint64_t size = (uint64_t)stepper->fabric->n_switches *
                    stepper->after->tables->max_lid;

    return !params->stays_direct &&
           (!params->max_detour || size <= params->max_detour);
}

/* Makes all steps: those of lanes first, or last, or on a detour. */
static enum sf_status
make_all(struct stepper *stepper)
{
    enum sf_status status =
        has_other_lanes(stepper) ? change_lanes(stepper) : SF_OK;

    if (status == SF_OK) {
        set_lanes(stepper, stepper->after, NULL);
        return make_steps(stepper);
    }
    if (status == SF_ELANES) {
        status = make_lanes_last(stepper);
    }
    if (status == SF_ELANES && !may_detour(stepper)) {
        start_again(stepper);
        give_up(stepper,
                "the SL-to-VL tables change, and packets can deadlock "
                "while some are old and some new");
        return SF_OK;
    }
    return status == SF_ELANES ? make_detour(stepper) : status;
}

/* One step with everything. */
static enum sf_status
make_one_step(struct stepper *stepper)
{
    char reason[sizeof stepper->steps->reason];

    memcpy(reason, stepper->steps->reason, sizeof reason);
    start_again(stepper);
    give_up(stepper, reason);
    if (has_other_lanes(stepper)) {
        stepper->steps->lanes_step = 0;
    }
    for (size_t i = 0; i < stepper->columns.n; i++) {
        struct step_column *column = &stepper->columns.items[i];
        memcpy(column->next, column->goal, stepper->fabric->n_switches);
    }
    return end_step(stepper);
}

static void
hand_over(struct stepper *stepper)
{
    struct sf_steps *steps = stepper->steps;

    for (size_t i = 0; i < stepper->columns.n; i++) {
        steps->n_split += stepper->columns.items[i].is_split;
    }
    steps->n_steps = (uint32_t)stepper->firsts.n - 1;
    steps->first = stepper->firsts.items;
    steps->n_entries = stepper->entries.n;
    steps->entries = stepper->entries.items;
    stepper->firsts.items = NULL;
    stepper->entries.items = NULL;
}

enum sf_status
sf_steps_plan(const struct sf_fabric *fabric,
              const struct sf_step_side *before,
              const struct sf_step_side *after,
              const struct sf_steps_params *params, struct sf_steps **stepsp,
              struct sf_error *err)
{
    static const struct sf_steps_params defaults = { 0 };
    struct stepper stepper = { .fabric = fabric,
                               .before = before,
                               .after = after,
                               .params = params ? params : &defaults,
                               .err = err };

    *stepsp = NULL;
    stepper.steps = sf_calloc(1, sizeof *stepper.steps);
    if (!stepper.steps) {
        return sf_stepper_fail_memory(&stepper);
    }
    stepper.steps->is_safe = true;
    stepper.steps->lanes_step = SF_NONE;
    enum sf_status status = prepare(&stepper);
    if (status == SF_OK) {
        stepper.steps->n_columns = count_pending(&stepper);
        status = make_all(&stepper);
    }
    if (status == SF_OK && !stepper.steps->is_safe) {
        status = make_one_step(&stepper);
    }
    if (status == SF_OK && !sf_vec_push(&stepper.firsts, stepper.entries.n)) {
        status = sf_stepper_fail_memory(&stepper);
    }
    if (status == SF_OK) {
        hand_over(&stepper);
        *stepsp = stepper.steps;
    } else {
        sf_steps_free(stepper.steps);
    }
    release(&stepper);
    return status;
}

bool
sf_steps_has_fault(const struct sf_fabric *fabric,
                   const struct sf_tables *before,
                   const struct sf_tables *after)
{
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        const uint8_t *old = sf_tables_of(before, s),
                      *new = sf_tables_of(after, s);
        for (uint32_t lid = 1; lid <= before->max_lid && lid <= after->max_lid;
             lid++) {
            bool is_link = old[lid] != new[lid] &&
                           old[lid] != SF_NO_PORT &&old[lid] != 0 &&
                           before->targets[lid] != SF_NONE;
            uint32_t port =
                is_link ? sf_fabric_port(fabric, s, old[lid]) : SF_NONE;
            if (port != SF_NONE && fabric->ports[port].peer == SF_NONE) {
                return true;
            }
        }
    }
    return false;
}

void
sf_steps_free(struct sf_steps *steps)
{
    if (steps) {
        free(steps->entries);
        free(steps->first);
        free(steps);
    }
}

void
sf_steps_apply(const struct sf_steps *steps, uint32_t k,
               struct sf_tables *tables)
{
    for (size_t i = steps->first[k]; i < steps->first[k + 1]; i++) {
        const struct sf_step_entry *entry = &steps->entries[i];
        sf_tables_of(tables, entry->s)[entry->lid] = entry->port;
    }
}
