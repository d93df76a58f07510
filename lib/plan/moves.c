/* moves.c -- the smallest list of cable-end moves between two wirings.
 *
 * Wanted and present cables are two matchings on slots.  Their symmetric
 * difference falls apart into components in which wanted and present cables
 * alternate: cycles, and chains.  A component with p wanted and f present
 * cables is mended by max(p, f) moves, each of which puts one wanted cable
 * into place or takes one surplus cable away:
 *
 *  - cycle, p = f: each cable keeps one end and moves the other round the
 *    cycle, one way or the other; the first end hangs until the last;
 *  - chain, p = f: the cable at the free end moves first, the next one takes
 *    its place, and so on;
 *  - chain, p = f + 1: one wanted cable is plugged anew, those before and
 *    after it are made by moves towards either end;
 *  - chain, p = f - 1: one present cable is unplugged, and the others move
 *    towards the hole.
 *
 * No list is shorter.  In each of the four cases max(p, f) = floor(n / 2)
 * where n is the number of slots of the component.  Let F be the sum of
 * floor(n / 2) over all components (slots at rest count as components of one
 * slot); F = 0 when all is mended.  One move lowers F by 1 at most:
 *
 *  - Taking a cable out splits a chain of n slots into two, or opens a cycle,
 *    or closes a right cable's pair; F falls only if n is even and both parts
 *    are odd, and then by 1.
 *  - Putting a cable in between a and b joins two components or closes a
 *    cycle, so F does not fall, unless the plan wants just this cable: then a
 *    and b, being free, are a component of their own, and F falls by 1.
 *  - Moving an end does both to the same slot a.  If taking out lowered F,
 *    then a is in an odd part, which is not a pair, so putting in does not.
 *
 * So F moves are needed, and F are made.  (Counting ends pulled and pushed,
 * two for each kind of move, gives the same list.) */
#include "plan/moves.h"

/* What it costs people to move an end: how far they have to walk. */
enum {
    WALK_RACK = 2,    /* Within a rack. */
    WALK_GROUP = 4,   /* To another rack of the same part. */
    WALK_FAR = 6,     /* To another part, or to a place that is not known. */
    WALK_HOST = 1,    /* Behind a host rather than on a switch. */
    WALK_MISSING = 8, /* Into a host that may not be there. */
};

/* A cycle or chain that is mended. */
struct component {
    const struct sf_wiring *wiring;
    struct sf_draft *draft;
    bool *is_done;         /* [n_slots] Whether it was in a component. */
    SF_VEC(uint32_t) path; /* Slots of the component, in order. */
    uint32_t cause;        /* Of its findings. */
    bool is_out_of_memory;
};

struct sf_end
sf_wiring_end(const struct sf_wiring *wiring, uint32_t slot)
{
    const struct sf_verification *verification = wiring->verification;

    if (slot < wiring->n_planned) {
        const struct sf_port *port = &verification->plan->fabric->ports[slot];
        return (struct sf_end){ port->node, verification->found_of[port->node],
                                port->number };
    }
    const struct sf_port *port =
        &verification->found->ports[slot - wiring->n_planned];
    return (struct sf_end){ verification->identities[port->node].node,
                            port->node, port->number };
}

/* What it costs to move an end from a slot to another. */
static uint32_t
move_cost(const struct component *component, uint32_t from, uint32_t to)
{
    const struct sf_plan *plan = component->wiring->verification->plan;
    struct sf_end a = sf_wiring_end(component->wiring, from);
    struct sf_end b = sf_wiring_end(component->wiring, to);
    uint32_t walks = WALK_FAR;

    if (a.node != SF_NONE && b.node != SF_NONE) {
        const struct sf_node *x = &plan->fabric->nodes[a.node];
        const struct sf_node *y = &plan->fabric->nodes[b.node];
        if (a.node == b.node) {
            walks = 0;
        } else if (x->rack == SF_NONE || y->rack == SF_NONE) {
            walks = WALK_FAR;
        } else if (x->rack == y->rack) {
            walks = WALK_RACK;
        } else if (sf_plan_group(plan, a.node) ==
                   sf_plan_group(plan, b.node)) {
            walks = WALK_GROUP;
        }
        walks += y->kind == SF_NODE_HOST ? WALK_HOST : 0;
    }
    return walks + (b.found == SF_NONE ? WALK_MISSING : 0);
}

static uint32_t
planned_cable(const struct component *component, uint32_t slot)
{
    return component->wiring->verification->plan->cable_of_port[slot];
}

/* Adds 'finding' and the move that mends it. */
static void
add_with_move(struct component *component, struct sf_finding finding,
              struct sf_move move)
{
    struct sf_draft *draft = component->draft;

    finding.cause = component->cause;
    finding.move = (uint32_t)draft->moves.n;
    move.finding = (uint32_t)draft->findings.n;
    move.until = finding.move;
    move.then = SF_NONE;
    if (!sf_vec_push(&draft->findings, finding) ||
        !sf_vec_push(&draft->moves, move)) {
        component->is_out_of_memory = true;
    }
}

/* The cable between 'kept' and 'from' becomes the one between 'kept' and
 * 'to'. */
static void
add_move(struct component *component, uint32_t kept, uint32_t from,
         uint32_t to)
{
    struct sf_end at_kept = sf_wiring_end(component->wiring, kept);
    struct sf_end at_from = sf_wiring_end(component->wiring, from);
    struct sf_end at_to = sf_wiring_end(component->wiring, to);
    uint32_t cable = planned_cable(component, to);

    add_with_move(
        component,
        (struct sf_finding){
            .verdict = SF_VERDICT_MISCONNECTED,
            .planned = { at_kept, at_to },
            .found = { at_kept, at_from },
            .cable = cable,
        },
        (struct sf_move){ SF_MOVE, at_kept, at_from, at_to, cable, 0, 0, 0 });
}

static void
add_plug(struct component *component, uint32_t a, uint32_t b)
{
    static const struct sf_end none = { SF_NONE, SF_NONE, 0 };
    const struct sf_plan *plan = component->wiring->verification->plan;
    uint32_t cable = planned_cable(component, a);
    uint32_t missing = SF_NONE;

    if (plan->cables[cable].a != a) {
        b = a;
        a = plan->cables[cable].a;
    }
    struct sf_end at_a = sf_wiring_end(component->wiring, a);
    struct sf_end at_b = sf_wiring_end(component->wiring, b);
    if (at_b.found == SF_NONE) {
        missing = component->draft->missing_of[at_b.node];
    }
    add_with_move(
        component,
        (struct sf_finding){
            .verdict = SF_VERDICT_MISSING,
            .planned = { at_a, at_b },
            .found = { none, none },
            .cable = cable,
        },
        (struct sf_move){ SF_PLUG, at_a, none, at_b, cable, 0, 0, 0 });
    if (missing != SF_NONE && !component->is_out_of_memory) {
        struct sf_finding *last =
            &component->draft->findings
                 .items[component->draft->findings.n - 1];
        last->cause = missing;
        component->draft->findings.items[missing].move = last->move;
    }
}

/* Whether the plan joins the nodes of two slots. */
static bool
are_joined(const struct component *component, uint32_t a, uint32_t b)
{
    const struct sf_fabric *planned =
        component->wiring->verification->plan->fabric;
    uint32_t x = sf_wiring_end(component->wiring, a).node;
    uint32_t y = sf_wiring_end(component->wiring, b).node;

    if (x == SF_NONE || y == SF_NONE) {
        return false;
    }
    const struct sf_node *node = &planned->nodes[x];
    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t peer = planned->ports[node->first_port + i].peer;
        if (peer != SF_NONE && planned->ports[peer].node == y) {
            return true;
        }
    }
    return false;
}

static void
add_unplug(struct component *component, uint32_t a, uint32_t b)
{
    static const struct sf_end none = { SF_NONE, SF_NONE, 0 };
    struct sf_end at_a = sf_wiring_end(component->wiring, a);
    struct sf_end at_b = sf_wiring_end(component->wiring, b);

    add_with_move(
        component,
        (struct sf_finding){
            .verdict = are_joined(component, a, b) ? SF_VERDICT_DUPLICATE
                                                   : SF_VERDICT_UNEXPECTED,
            .planned = { none, none },
            .found = { at_a, at_b },
            .cable = SF_NONE,
        },
        (struct sf_move){ SF_UNPLUG, at_a, at_b, none, SF_NONE, 0, 0, 0 });
}

/* Reverses the path. */
static void
reverse(struct component *component)
{
    uint32_t *path = component->path.items;

    for (size_t i = 0, j = component->path.n; i + 1 < j; i++) {
        uint32_t slot = path[i];
        path[i] = path[--j];
        path[j] = slot;
    }
}

/* The slot of a cycle at place 'i', going round. */
static uint32_t
slot_at(const struct component *component, size_t i)
{
    size_t n = component->path.n;
    return component->path.items[i < n ? i : i - n];
}

/* A cycle: present cables are path[0]-path[1], path[2]-path[3]... */
static void
mend_cycle(struct component *component)
{
    const uint32_t *path = component->path.items;
    size_t n = component->path.n;
    uint64_t forwards = 0, backwards = 0;

    for (size_t i = 0; i < n; i += 2) {
        forwards += move_cost(component, path[i], slot_at(component, i + 2));
        backwards +=
            move_cost(component, slot_at(component, i + 3), path[i + 1]);
    }
    if (backwards < forwards) {
        reverse(component);
    }
    /* The first cable's end hangs, which frees path[0] for the last cable,
     * and so on down to path[2] for the hanging end. */
    size_t first = component->draft->moves.n;
    add_move(component, path[1], path[0], path[2]);
    for (size_t i = n - 2; i >= 2; i -= 2) {
        add_move(component, path[i + 1], path[i], slot_at(component, i + 2));
    }
    if (!component->is_out_of_memory) {
        size_t last = component->draft->moves.n - 1;
        component->draft->moves.items[first].until = (uint32_t)last;
        component->draft->moves.items[last].then = (uint32_t)first;
    }
}

/* A chain that begins with a present cable and ends with a wanted one. */
static void
mend_even_chain(struct component *component)
{
    const uint32_t *path = component->path.items;

    for (size_t i = component->path.n - 1; i >= 2; i -= 2) {
        add_move(component, path[i - 1], path[i - 2], path[i]);
    }
}

/* A chain that begins and ends with a wanted cable: path[j]-path[j + 1], j
 * even, are wanted, the others present.  One wanted cable is new. */
static void
mend_wanting_chain(struct component *component)
{
    const uint32_t *path = component->path.items;
    size_t n = component->path.n, best_j = 0;
    uint64_t total = 0;

    /* With the new cable first, all others move onwards; each step of j turns
     * one of them round. */
    for (size_t i = 1; i + 2 < n; i += 2) {
        total += move_cost(component, path[i], path[i + 2]);
    }
    uint64_t best = total;
    for (size_t j = 2; j < n; j += 2) {
        total -= move_cost(component, path[j - 1], path[j + 1]);
        total += move_cost(component, path[j], path[j - 2]);
        if (total < best) {
            best = total;
            best_j = j;
        }
    }
    for (size_t i = 0; i < best_j; i += 2) {
        add_move(component, path[i + 1], path[i + 2], path[i]);
    }
    for (size_t i = n - 2; i > best_j; i -= 2) {
        add_move(component, path[i], path[i - 1], path[i + 1]);
    }
    add_plug(component, path[best_j], path[best_j + 1]);
}

/* A chain that begins and ends with a present cable: path[j]-path[j + 1], j
 * even, are present, the others wanted.  One present cable goes. */
static void
mend_surplus_chain(struct component *component)
{
    const uint32_t *path = component->path.items;
    size_t n = component->path.n, best_j = 0;
    uint64_t total = 0;

    /* With the first cable gone, all others move back; each step of j turns
     * one of them round. */
    for (size_t i = 2; i < n; i += 2) {
        total += move_cost(component, path[i + 1], path[i - 1]);
    }
    uint64_t best = total;
    for (size_t j = 2; j < n; j += 2) {
        total -= move_cost(component, path[j + 1], path[j - 1]);
        total += move_cost(component, path[j - 2], path[j]);
        if (total < best) {
            best = total;
            best_j = j;
        }
    }
    add_unplug(component, path[best_j], path[best_j + 1]);
    for (size_t i = best_j; i >= 2; i -= 2) {
        add_move(component, path[i - 1], path[i - 2], path[i]);
    }
    for (size_t i = best_j + 2; i < n; i += 2) {
        add_move(component, path[i], path[i + 1], path[i - 1]);
    }
}

/* The slot that 'slot' becomes when all switches concerned are exchanged. */
static uint32_t
exchanged(const struct component *component, uint32_t slot)
{
    uint32_t other = slot < component->wiring->n_planned
                         ? component->draft->exchanged_slot[slot]
                         : SF_NONE;
    return other != SF_NONE ? other : slot;
}

/* The exchange that the node of 'slot' is part of, or SF_NONE. */
static uint32_t
exchange_at(const struct component *component, uint32_t slot)
{
    const struct sf_fabric *planned =
        component->wiring->verification->plan->fabric;

    return slot < component->wiring->n_planned
               ? component->draft->exchange_of[planned->ports[slot].node]
               : SF_NONE;
}

/* An exchange that concerns the path, or SF_NONE. */
static uint32_t
find_exchange(const struct component *component)
{
    for (size_t i = 0; i < component->path.n; i++) {
        uint32_t exchange = exchange_at(component, component->path.items[i]);
        if (exchange != SF_NONE) {
            return exchange;
        }
    }
    return SF_NONE;
}

/* Whether after all exchanges nothing of the path is left to do: each present
 * cable is right then, and each wanted one there. */
static bool
is_explained(const struct component *component)
{
    const struct sf_wiring *wiring = component->wiring;

    for (size_t i = 0; i < component->path.n; i++) {
        uint32_t slot = component->path.items[i];
        uint32_t other = exchanged(component, slot);
        uint32_t have = wiring->have[slot], want = wiring->want[slot];
        if ((have != SF_NONE &&
             wiring->want[other] != exchanged(component, have)) ||
            (want != SF_NONE &&
             wiring->have[other] != exchanged(component, want))) {
            return false;
        }
    }
    return true;
}

/* Puts the component of 'start' into the path, along the wanted or the
 * present cable first.  'start' is an end of a chain, or in a cycle. */
static void
follow(struct component *component, uint32_t start, bool is_wanted)
{
    uint32_t slot = start;

    component->path.n = 0;
    do {
        component->is_done[slot] = true;
        if (!sf_vec_push(&component->path, slot)) {
            component->is_out_of_memory = true;
            return;
        }
        slot = is_wanted ? component->wiring->want[slot]
                         : component->wiring->have[slot];
        is_wanted = !is_wanted;
    } while (slot != SF_NONE && slot != start);
}

static void
mend_chain(struct component *component, uint32_t start)
{
    const uint32_t *want = component->wiring->want;
    uint32_t last = component->path.items[component->path.n - 1];
    bool begins_wanted = want[start] != SF_NONE;
    bool ends_wanted = want[last] != SF_NONE;

    if (begins_wanted && ends_wanted) {
        mend_wanting_chain(component);
    } else if (begins_wanted) {
        reverse(component);
        mend_even_chain(component);
    } else if (ends_wanted) {
        mend_even_chain(component);
    } else {
        mend_surplus_chain(component);
    }
}

/* Mends all components that concern exchanged switches, or all others. */
static void
mend_all(struct component *component, bool is_exchange)
{
    const struct sf_wiring *wiring = component->wiring;

    /* Chains are entered at an end, so they go before the cycles. */
    for (int is_cycle = 0; is_cycle < 2; is_cycle++) {
        for (uint32_t slot = 0; slot < wiring->n_slots; slot++) {
            uint32_t want = wiring->want[slot], have = wiring->have[slot];
            bool is_end = want == SF_NONE || have == SF_NONE;
            if (component->is_done[slot] || want == have ||
                (!is_end && !is_cycle)) {
                continue;
            }
            follow(component, slot, is_end && have == SF_NONE);
            if (component->is_out_of_memory) {
                return;
            }
            uint32_t exchange = find_exchange(component);
            if ((exchange != SF_NONE) != is_exchange) {
                continue;
            }
            component->cause = is_explained(component) ? exchange : SF_NONE;
            if (is_end) {
                mend_chain(component, slot);
            } else {
                mend_cycle(component);
            }
        }
    }
}

bool
sf_list_moves(const struct sf_wiring *wiring, struct sf_draft *draft)
{
    struct component component = { .wiring = wiring, .draft = draft };

    for (int is_exchange = 0; is_exchange < 2 && !component.is_out_of_memory;
         is_exchange++) {
        draft->n_moves_besides = (uint32_t)draft->moves.n;
        component.is_done =
            sf_calloc(wiring->n_slots, sizeof *component.is_done);
        if (!component.is_done) {
            component.is_out_of_memory = true;
            break;
        }
        mend_all(&component, is_exchange);
        free(component.is_done);
    }
    free(component.path.items);
    return !component.is_out_of_memory;
}
