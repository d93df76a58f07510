/* order.c -- what is written to switches, in which order.
 *
 * A packet to a host follows the route of that host, where a switch has one,
 * else the route of the host's switch.  Let its next hop at each switch be old
 * or new, and new only where it is new on the whole rest of the new path: then
 * it follows old hops for a while and new ones to the end, and never goes
 * round in a circle, as neither the old nor the new ones do.
 *
 * If all hosts of a switch are reached alike, routes to that switch change
 * from the nearest on, and that is all.  With several path sets, hosts share
 * the route of their switch at some places, and it may change for one of them
 * when it must not yet for another.  So, towards such a switch:
 *
 *  1. Each host whose next hop changes gets a route of its own with the new
 *     one, from the nearest on; if it is to have none, for a while.
 *  2. Then the routes of the switch change, from the nearest on.  They lead no
 *     host any more whose next hop they change.
 *  3. Then routes of hosts go that are not to stay, and change no next hop.
 *
 * Alternates come last. */
#include "ip/control/core.h"

#include "base/mem.h"

#include <stdlib.h>

#define LAST_WAVE UINT32_MAX

struct order {
    const struct sf_fabric *fabric;
    const struct sf_ip_tables *held, *target;
    bool *is_split;    /* [n_layers * V] By destination: whether hosts have
                        * routes of their own anywhere. */
    uint32_t *seen_by; /* [n_layers * V] The last switch whose changes towards
                        * a destination were looked at, plus 1. */
    SF_VEC(struct sf_push_item) items;
    bool failed; /* Memory ran out. */
};

static size_t
index_of(const struct order *order, const struct sf_ip_route *route)
{
    return (size_t)route->layer * order->target->n_switches +
           route->destination;
}

static void
find_splits(struct order *order, const struct sf_ip_tables *tables)
{
    for (uint32_t s = 0; s < tables->n_switches; s++) {
        for (size_t i = tables->first[s]; i < tables->first[s + 1]; i++) {
            const struct sf_ip_route *route = &tables->routes[i];
            if (route->port != 0 && route->destination != s) {
                order->is_split[index_of(order, route)] = true;
            }
        }
    }
}

/* How far it is from switch 's' to the destination of 'route' by the target;
 * 0 if it does not get there. */
static uint32_t
count_hops(const struct order *order, uint32_t s,
           const struct sf_ip_route *route)
{
    const struct sf_ip_tables *tables = order->target;
    struct sf_ip_place to = { route->layer, route->destination, route->port };
    uint32_t n = 0;

    while (s != to.s) {
        const struct sf_ip_route *next = sf_ip_look_up(tables, s, to, NULL);
        if (!next || next->neighbour == SF_NONE || n > tables->n_switches) {
            return 0;
        }
        s = next->neighbour;
        n++;
    }
    return n;
}

/* The waves of the three steps begin at multiples of this. */
static uint32_t
step_size(const struct order *order)
{
    return order->target->n_switches + 2;
}

static uint32_t
find_wave(const struct order *order, const struct sf_ip_change *change)
{
    const struct sf_ip_route *route =
        change->is_gone ? &change->before : &change->after;

    if (route->port != 0 && change->is_gone) {
        return 2 * step_size(order);
    }
    if (route->kind != SF_IP_ROUTE && route->kind != SF_IP_LOCAL) {
        return LAST_WAVE;
    }
    uint32_t hops = count_hops(order, change->s, route);
    bool is_second =
        route->port == 0 && order->is_split[index_of(order, route)];
    return is_second ? step_size(order) + hops : hops;
}

static void
add(struct order *order, const struct sf_ip_change *change)
{
    struct sf_push_item item = { find_wave(order, change), *change };
    order->failed |= !sf_vec_push(&order->items, item);
}

static uint32_t
neighbour_of(const struct sf_ip_route *route)
{
    return route ? route->neighbour : SF_NONE;
}

/* Gives host 'to' a route of its own on switch 's', if its next hop changes
 * and the target leads it by the route of its switch. */
static void
lead_host(struct order *order, uint32_t s, struct sf_ip_place to)
{
    const struct sf_ip_route *before = sf_ip_look_up(order->held, s, to, NULL);
    const struct sf_ip_route *after =
        sf_ip_look_up(order->target, s, to, NULL);
    struct sf_ip_change change = { .s = s, .is_new = true };

    if (neighbour_of(after) == SF_NONE || after->port != 0 ||
        (before && before->neighbour == after->neighbour &&
         before->out == after->out)) {
        return;
    }
    change.after = *after;
    change.after.port = (uint8_t)to.port;
    if (before && before->port == to.port && before->kind == SF_IP_ROUTE) {
        /* It has one, which goes in the third step anyway. */
        change.is_new = false;
        change.before = *before;
        add(order, &change);
        return;
    }
    add(order, &change);
    change = (struct sf_ip_change){ .s = s,
                                    .is_gone = true,
                                    .before = change.after };
    add(order, &change);
}

/* Leads all hosts of the destination of 'change' by routes of their own. */
static void
lead_hosts(struct order *order, const struct sf_ip_change *change)
{
    const struct sf_fabric *fabric = order->fabric;
    const struct sf_ip_route *route =
        change->is_gone ? &change->before : &change->after;
    const struct sf_node *node = &fabric->nodes[route->destination];
    uint32_t *seen_by = &order->seen_by[index_of(order, route)];

    if (!order->is_split[index_of(order, route)] ||
        route->destination == change->s || *seen_by == change->s + 1) {
        return;
    }
    *seen_by = change->s + 1;
    for (uint32_t i = 0; i < node->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[node->first_port + i];
        if (port->peer != SF_NONE &&
            fabric->ports[port->peer].node >= fabric->n_switches) {
            lead_host(order, change->s,
                      (struct sf_ip_place){ route->layer, route->destination,
                                            port->number });
        }
    }
}

/* As sf_ip_tables has it: by layer, destination, port and metric. */
int
sf_push_compare_routes(const void *x, const void *y)
{
    const struct sf_ip_route *a = x, *b = y;
    uint32_t metric_a = sf_ip_metric(a->kind),
             metric_b = sf_ip_metric(b->kind);

    return a->layer != b->layer ? (a->layer > b->layer ? 1 : -1)
           : a->destination != b->destination
               ? (a->destination > b->destination ? 1 : -1)
           : a->port != b->port   ? (a->port > b->port ? 1 : -1)
           : metric_a != metric_b ? (metric_a > metric_b ? 1 : -1)
                                  : 0;
}

/* Within a wave and a switch: what is new first; what goes, from the largest
 * metric on, so that an alternate never stands alone. */
static int
compare_items(const void *x, const void *y)
{
    const struct sf_push_item *a = x, *b = y;

    return a->wave != b->wave           ? (a->wave > b->wave ? 1 : -1)
           : a->change.s != b->change.s ? (a->change.s > b->change.s ? 1 : -1)
           : a->change.is_gone != b->change.is_gone
               ? (a->change.is_gone ? 1 : -1)
           : a->change.is_gone
               ? -sf_push_compare_routes(&a->change.before, &b->change.before)
               : sf_push_compare_routes(&a->change.after, &b->change.after);
}

/* Whether a change is in our books only: a switch cannot tell alternates of
 * two kinds apart. */
static bool
is_nominal(const struct sf_ip_change *change)
{
    return !change->is_new && !change->is_gone &&
           change->before.out == change->after.out &&
           change->before.neighbour == change->after.neighbour &&
           sf_ip_is_alternate(&change->before) &&
           sf_ip_is_alternate(&change->after);
}

static void
put_in_order(struct order *order, const struct sf_ip_changes *changes,
             struct sf_push *push)
{
    uint32_t last = SF_NONE;

    find_splits(order, order->held);
    find_splits(order, order->target);
    for (size_t i = 0; i < changes->n; i++) {
        const struct sf_ip_change *change = &changes->changes[i];
        if (is_nominal(change)) {
            continue;
        }
        add(order, change);
        lead_hosts(order, change);
        push->n_switches += change->s != last;
        last = change->s;
    }
    if (order->items.n > 0) {
        qsort(order->items.items, order->items.n, sizeof *order->items.items,
              compare_items);
    }
    push->n = order->items.n;
    push->items = order->items.items;
}

enum sf_status
sf_push_make(const struct sf_fabric *fabric, const struct sf_ip_tables *held,
             const struct sf_ip_tables *target, struct sf_push *push,
             struct sf_error *err)
{
    size_t n = (size_t)target->addresses.n_layers * target->n_switches;
    struct order order = { .fabric = fabric, .held = held, .target = target };
    struct sf_ip_changes *changes;
    enum sf_status status = sf_ip_compare(held, target, &changes, err);

    *push = (struct sf_push){ 0 };
    if (status != SF_OK) {
        return status;
    }
    order.is_split = sf_calloc(n, sizeof *order.is_split);
    order.seen_by = sf_calloc(n, sizeof *order.seen_by);
    if (order.is_split && order.seen_by) {
        put_in_order(&order, changes, push);
    }
    if (!order.is_split || !order.seen_by || order.failed) {
        sf_push_clear(push);
        status = sf_fail(err, SF_ENOMEM, "out of memory for %zu changes",
                         changes->n);
    }
    free(order.seen_by);
    free(order.is_split);
    sf_ip_changes_free(changes);
    return status;
}

void
sf_push_clear(struct sf_push *push)
{
    free(push->items);
    *push = (struct sf_push){ 0 };
}
