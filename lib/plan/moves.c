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

/* What a move of an end costs people, in walks. */
enum {
    WALK_RACK = 2,    /* Within a rack. */
    WALK_GROUP = 4,   /* To another rack of the same part. */
    WALK_FAR = 6,     /* To another part, or who knows where. */
    WALK_HOST = 1,    /* Behind a host rather than on a switch. */
    WALK_MISSING = 8, /* Into a host that may not be there. */
};

/* A component under way. */
struct walker {
    const struct sf_wiring *wiring;
    struct sf_report *report;
    bool *is_done;         /* [n_slots] */
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

static uint32_t
cost(const struct walker *walker, uint32_t from, uint32_t to)
{
    const struct sf_plan *plan = walker->wiring->verification->plan;
    struct sf_end a = sf_wiring_end(walker->wiring, from);
    struct sf_end b = sf_wiring_end(walker->wiring, to);
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
planned_cable(const struct walker *walker, uint32_t slot)
{
    return walker->wiring->verification->plan->cable_of_port[slot];
}

/* Adds 'finding', and the move that mends it. */
static void
add(struct walker *walker, struct sf_finding finding, struct sf_move move)
{
    struct sf_report *report = walker->report;

    finding.cause = walker->cause;
    finding.move = (uint32_t)report->moves.n;
    move.finding = (uint32_t)report->findings.n;
    move.until = finding.move;
    move.then = SF_NONE;
    if (!sf_vec_push(&report->findings, finding) ||
        !sf_vec_push(&report->moves, move)) {
        walker->is_out_of_memory = true;
    }
}

/* The cable between 'kept' and 'from' becomes the one between 'kept' and
 * 'to'. */
static void
add_move(struct walker *walker, uint32_t kept, uint32_t from, uint32_t to)
{
    struct sf_end at_kept = sf_wiring_end(walker->wiring, kept);
    struct sf_end at_from = sf_wiring_end(walker->wiring, from);
    struct sf_end at_to = sf_wiring_end(walker->wiring, to);
    uint32_t cable = planned_cable(walker, to);

    add(walker,
        (struct sf_finding){
            .verdict = SF_VERDICT_MISCONNECTED,
            .planned = { at_kept, at_to },
            .found = { at_kept, at_from },
            .cable = cable,
        },
        (struct sf_move){ SF_MOVE, at_kept, at_from, at_to, cable, 0, 0, 0 });
}

static void
add_plug(struct walker *walker, uint32_t a, uint32_t b)
{
    static const struct sf_end none = { SF_NONE, SF_NONE, 0 };
    const struct sf_plan *plan = walker->wiring->verification->plan;
    uint32_t cable = planned_cable(walker, a);
    uint32_t missing = SF_NONE;

    if (plan->cables[cable].a != a) {
        b = a;
        a = plan->cables[cable].a;
    }
    struct sf_end at_a = sf_wiring_end(walker->wiring, a);
    struct sf_end at_b = sf_wiring_end(walker->wiring, b);
    if (at_b.found == SF_NONE) {
        missing = walker->report->missing_of[at_b.node];
    }
    add(walker,
        (struct sf_finding){
            .verdict = SF_VERDICT_MISSING,
            .planned = { at_a, at_b },
            .found = { none, none },
            .cable = cable,
        },
        (struct sf_move){ SF_PLUG, at_a, none, at_b, cable, 0, 0, 0 });
    if (missing != SF_NONE && !walker->is_out_of_memory) {
        struct sf_finding *last =
            &walker->report->findings.items[walker->report->findings.n - 1];
        last->cause = missing;
        walker->report->findings.items[missing].move = last->move;
    }
}

/* Whether the plan joins the nodes of two slots. */
static bool
are_joined(const struct walker *walker, uint32_t a, uint32_t b)
{
    const struct sf_fabric *planned =
        walker->wiring->verification->plan->fabric;
    uint32_t x = sf_wiring_end(walker->wiring, a).node;
    uint32_t y = sf_wiring_end(walker->wiring, b).node;

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
add_unplug(struct walker *walker, uint32_t a, uint32_t b)
{
    static const struct sf_end none = { SF_NONE, SF_NONE, 0 };
    struct sf_end at_a = sf_wiring_end(walker->wiring, a);
    struct sf_end at_b = sf_wiring_end(walker->wiring, b);

    add(walker,
        (struct sf_finding){
            .verdict = are_joined(walker, a, b) ? SF_VERDICT_DUPLICATE
                                                : SF_VERDICT_UNEXPECTED,
            .planned = { none, none },
            .found = { at_a, at_b },
            .cable = SF_NONE,
        },
        (struct sf_move){ SF_UNPLUG, at_a, at_b, none, SF_NONE, 0, 0, 0 });
}

/* Turns the path round. */
static void
reverse(struct walker *walker)
{
    uint32_t *path = walker->path.items;

    for (size_t i = 0, j = walker->path.n; i + 1 < j; i++) {
        uint32_t slot = path[i];
        path[i] = path[--j];
        path[j] = slot;
    }
}

/* The slot of a cycle at place 'i', going round. */
static uint32_t
slot_at(const struct walker *walker, size_t i)
{
    size_t n = walker->path.n;
    return walker->path.items[i < n ? i : i - n];
}

/* A cycle: present cables are path[0]-path[1], path[2]-path[3]... */
static void
mend_cycle(struct walker *walker)
{
    const uint32_t *path = walker->path.items;
    size_t n = walker->path.n;
    uint64_t forwards = 0, backwards = 0;

    for (size_t i = 0; i < n; i += 2) {
        forwards += cost(walker, path[i], slot_at(walker, i + 2));
        backwards += cost(walker, slot_at(walker, i + 3), path[i + 1]);
    }
    if (backwards < forwards) {
        reverse(walker);
    }
    /* The first cable's end hangs, which frees path[0] for the last cable,
     * and so on down to path[2] for the hanging end. */
    size_t first = walker->report->moves.n;
    add_move(walker, path[1], path[0], path[2]);
    for (size_t i = n - 2; i >= 2; i -= 2) {
        add_move(walker, path[i + 1], path[i], slot_at(walker, i + 2));
    }
    if (!walker->is_out_of_memory) {
        size_t last = walker->report->moves.n - 1;
        walker->report->moves.items[first].until = (uint32_t)last;
        walker->report->moves.items[last].then = (uint32_t)first;
    }
}

/* A chain that begins with a present cable and ends with a wanted one. */
static void
mend_even_chain(struct walker *walker)
{
    const uint32_t *path = walker->path.items;

    for (size_t i = walker->path.n - 1; i >= 2; i -= 2) {
        add_move(walker, path[i - 1], path[i - 2], path[i]);
    }
}

/* A chain that begins and ends with a wanted cable: path[j]-path[j + 1], j
 * even, are wanted, the others present.  One wanted cable is new. */
static void
mend_wanting_chain(struct walker *walker)
{
    const uint32_t *path = walker->path.items;
    size_t n = walker->path.n, best_j = 0;
    uint64_t total = 0;

    /* With the new cable first, all others move onwards; each step of j turns
     * one of them round. */
    for (size_t i = 1; i + 2 < n; i += 2) {
        total += cost(walker, path[i], path[i + 2]);
    }
    uint64_t best = total;
    for (size_t j = 2; j < n; j += 2) {
        total -= cost(walker, path[j - 1], path[j + 1]);
        total += cost(walker, path[j], path[j - 2]);
        if (total < best) {
            best = total;
            best_j = j;
        }
    }
    for (size_t i = 0; i < best_j; i += 2) {
        add_move(walker, path[i + 1], path[i + 2], path[i]);
    }
    for (size_t i = n - 2; i > best_j; i -= 2) {
        add_move(walker, path[i], path[i - 1], path[i + 1]);
    }
    add_plug(walker, path[best_j], path[best_j + 1]);
}

/* A chain that begins and ends with a present cable: path[j]-path[j + 1], j
 * even, are present, the others wanted.  One present cable goes. */
static void
mend_surplus_chain(struct walker *walker)
{
    const uint32_t *path = walker->path.items;
    size_t n = walker->path.n, best_j = 0;
    uint64_t total = 0;

    /* With the first cable gone, all others move back; each step of j turns
     * one of them round. */
    for (size_t i = 2; i < n; i += 2) {
        total += cost(walker, path[i + 1], path[i - 1]);
    }
    uint64_t best = total;
    for (size_t j = 2; j < n; j += 2) {
        total -= cost(walker, path[j + 1], path[j - 1]);
        total += cost(walker, path[j - 2], path[j]);
        if (total < best) {
            best = total;
            best_j = j;
        }
    }
    add_unplug(walker, path[best_j], path[best_j + 1]);
    for (size_t i = best_j; i >= 2; i -= 2) {
        add_move(walker, path[i - 1], path[i - 2], path[i]);
    }
    for (size_t i = best_j + 2; i < n; i += 2) {
        add_move(walker, path[i], path[i + 1], path[i - 1]);
    }
}

/* The slot that 'slot' becomes when all switches concerned are exchanged. */
static uint32_t
exchanged(const struct walker *walker, uint32_t slot)
{
    uint32_t other = slot < walker->wiring->n_planned
                         ? walker->report->exchanged_slot[slot]
                         : SF_NONE;
    return other != SF_NONE ? other : slot;
}

/* The exchange that the node of 'slot' is part of, or SF_NONE. */
static uint32_t
exchange_at(const struct walker *walker, uint32_t slot)
{
    const struct sf_fabric *planned =
        walker->wiring->verification->plan->fabric;

    return slot < walker->wiring->n_planned
               ? walker->report->exchange_of[planned->ports[slot].node]
               : SF_NONE;
}

/* An exchange that concerns the path, or SF_NONE. */
static uint32_t
find_exchange(const struct walker *walker)
{
    for (size_t i = 0; i < walker->path.n; i++) {
        uint32_t exchange = exchange_at(walker, walker->path.items[i]);
        if (exchange != SF_NONE) {
            return exchange;
        }
    }
    return SF_NONE;
}

/* Whether after all exchanges nothing of the path is left to do: each present
 * cable is right then, and each wanted one there. */
static bool
is_explained(const struct walker *walker)
{
    const struct sf_wiring *wiring = walker->wiring;

    for (size_t i = 0; i < walker->path.n; i++) {
        uint32_t slot = walker->path.items[i];
        uint32_t other = exchanged(walker, slot);
        uint32_t have = wiring->have[slot], want = wiring->want[slot];
        if ((have != SF_NONE &&
             wiring->want[other] != exchanged(walker, have)) ||
            (want != SF_NONE &&
             wiring->have[other] != exchanged(walker, want))) {
            return false;
        }
    }
    return true;
}

/* Puts the component of 'start' into the path, along the wanted or the
 * present cable first.  'start' is an end of a chain, or in a cycle. */
static void
follow(struct walker *walker, uint32_t start, bool is_wanted)
{
    uint32_t slot = start;

    walker->path.n = 0;
    do {
        walker->is_done[slot] = true;
        if (!sf_vec_push(&walker->path, slot)) {
            walker->is_out_of_memory = true;
            return;
        }
        slot = is_wanted ? walker->wiring->want[slot]
                         : walker->wiring->have[slot];
        is_wanted = !is_wanted;
    } while (slot != SF_NONE && slot != start);
}

static void
mend_chain(struct walker *walker, uint32_t start)
{
    const uint32_t *want = walker->wiring->want;
    uint32_t last = walker->path.items[walker->path.n - 1];
    bool begins_wanted = want[start] != SF_NONE;
    bool ends_wanted = want[last] != SF_NONE;

    if (begins_wanted && ends_wanted) {
        mend_wanting_chain(walker);
    } else if (begins_wanted) {
        reverse(walker);
        mend_even_chain(walker);
    } else if (ends_wanted) {
        mend_even_chain(walker);
    } else {
        mend_surplus_chain(walker);
    }
}

/* Mends all components that concern exchanged switches, or all others. */
static void
mend_all(struct walker *walker, bool is_exchange)
{
    const struct sf_wiring *wiring = walker->wiring;

    /* Chains are entered at an end, so they go before the cycles. */
    for (int is_cycle = 0; is_cycle < 2; is_cycle++) {
        for (uint32_t slot = 0; slot < wiring->n_slots; slot++) {
            uint32_t want = wiring->want[slot], have = wiring->have[slot];
            bool is_end = want == SF_NONE || have == SF_NONE;
            if (walker->is_done[slot] || want == have ||
                (!is_end && !is_cycle)) {
                continue;
            }
            follow(walker, slot, is_end && have == SF_NONE);
            if (walker->is_out_of_memory) {
                return;
            }
            uint32_t exchange = find_exchange(walker);
            if ((exchange != SF_NONE) != is_exchange) {
                continue;
            }
            walker->cause = is_explained(walker) ? exchange : SF_NONE;
            if (is_end) {
                mend_chain(walker, slot);
            } else {
                mend_cycle(walker);
            }
        }
    }
}

bool
sf_list_moves(const struct sf_wiring *wiring, struct sf_report *report)
{
    struct walker walker = { .wiring = wiring, .report = report };

    for (int is_exchange = 0; is_exchange < 2 && !walker.is_out_of_memory;
         is_exchange++) {
        report->n_moves_besides = (uint32_t)report->moves.n;
        walker.is_done = sf_calloc(wiring->n_slots, sizeof *walker.is_done);
        if (!walker.is_done) {
            walker.is_out_of_memory = true;
            break;
        }
        mend_all(&walker, is_exchange);
        free(walker.is_done);
    }
    free(walker.path.items);
    return !walker.is_out_of_memory;
}
