#include "report/cable_runs.h"

#include <string.h>

static uint32_t
part_of(const struct sf_plan *plan, uint32_t port)
{
    return sf_plan_group(plan, plan->fabric->ports[port].node);
}

/* Whether a cable belongs to a run. */
static bool
is_of(const struct sf_plan *plan, const struct sf_cable *cable,
      const struct cable_run *run)
{
    return cable->step == run->step && part_of(plan, cable->a) == run->left &&
           part_of(plan, cable->b) == run->right;
}

/* Cuts the plan's cables, which are in the order of wiring, into runs. */
static bool
cut_runs(struct cable_runs *runs)
{
    const struct sf_plan *plan = runs->plan;

    for (uint32_t i = 0; i < plan->n_cables;) {
        const struct sf_cable *cable = &plan->cables[i];
        struct cable_run run = { .step = cable->step,
                                 .left = part_of(plan, cable->a),
                                 .right = part_of(plan, cable->b),
                                 .first = i,
                                 .leader = (uint32_t)runs->list.n };
        while (i < plan->n_cables && is_of(plan, &plan->cables[i], &run)) {
            run.n++;
            i++;
        }
        if (!sf_vec_push(&runs->list, run)) {
            return false;
        }
    }
    return true;
}

/* What the drawing of a cable inside a part depends on. */
struct wire {
    uint32_t position_a, number_a, position_b, number_b;
};

static struct wire
wire_of(const struct cable_runs *runs, uint32_t cable)
{
    const struct sf_port *a =
        &runs->plan->fabric->ports[runs->plan->cables[cable].a];
    const struct sf_port *b =
        &runs->plan->fabric->ports[runs->plan->cables[cable].b];

    return (struct wire){ runs->order->positions[a->node], a->number,
                          runs->order->positions[b->node], b->number };
}

static uint64_t
mix(uint64_t hash, uint32_t number)
{
    return (hash ^ number) * UINT64_C(0x100000001b3); /* FNV-1a, by words. */
}

static uint64_t
hash_run(const struct cable_runs *runs, const struct cable_run *run)
{
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), run->n);

    for (uint32_t i = 0; i < run->n; i++) {
        struct wire wire = wire_of(runs, run->first + i);
        hash = mix(mix(hash, wire.position_a), wire.number_a);
        hash = mix(mix(hash, wire.position_b), wire.number_b);
    }
    return hash;
}

/* Whether the switches of two parts stand in the same units. */
static bool
stand_alike(const struct cable_runs *runs, uint32_t x, uint32_t y)
{
    const struct sf_node *nodes = runs->plan->fabric->nodes;
    uint32_t n = sf_switch_order_size(runs->order, x);

    if (n != sf_switch_order_size(runs->order, y)) {
        return false;
    }
    const struct sf_node *first_x =
        &nodes[sf_switch_order_at(runs->order, x, 0)];
    const struct sf_node *first_y =
        &nodes[sf_switch_order_at(runs->order, y, 0)];
    for (uint32_t i = 0; i < n; i++) {
        const struct sf_node *at_x =
            &nodes[sf_switch_order_at(runs->order, x, i)];
        const struct sf_node *at_y =
            &nodes[sf_switch_order_at(runs->order, y, i)];
        if (at_x->unit != at_y->unit ||
            at_x->rack - first_x->rack != at_y->rack - first_y->rack) {
            return false;
        }
    }
    return true;
}

/* Whether two runs inside parts are wired alike, so that drawings of them
 * would differ by names only. */
static bool
is_same_pattern(const struct cable_runs *runs, const struct cable_run *x,
                const struct cable_run *y)
{
    if (x->hash != y->hash || x->step != y->step || x->n != y->n ||
        !stand_alike(runs, x->left, y->left)) {
        return false;
    }
    for (uint32_t i = 0; i < x->n; i++) {
        struct wire a = wire_of(runs, x->first + i);
        struct wire b = wire_of(runs, y->first + i);
        if (memcmp(&a, &b, sizeof a) != 0) {
            return false;
        }
    }
    return true;
}

/* Finds, for each run inside a part, the first one that is wired as it is. */
static void
find_patterns(struct cable_runs *runs)
{
    for (uint32_t i = 0; i < runs->list.n; i++) {
        struct cable_run *run = &runs->list.items[i];
        if (!cable_run_is_inside(run)) {
            continue;
        }
        run->hash = hash_run(runs, run);
        for (uint32_t j = 0; j < i; j++) {
            const struct cable_run *other = &runs->list.items[j];
            if (other->leader == j && cable_run_is_inside(other) &&
                is_same_pattern(runs, other, run)) {
                run->leader = j;
                break;
            }
        }
    }
}

bool
sf_cable_runs_find(const struct sf_plan *plan,
                   const struct sf_switch_order *order,
                   struct cable_runs *runs)
{
    *runs = (struct cable_runs){ .plan = plan, .order = order };
    if (!cut_runs(runs)) {
        return false;
    }
    find_patterns(runs);
    return true;
}

void
sf_cable_runs_clear(struct cable_runs *runs)
{
    free(runs->list.items);
}
