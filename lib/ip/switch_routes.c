/* switch_routes.c -- what switches hold: see slimfly/ip.h. */
#include "ip/switch_routes.h"

uint32_t
sf_ip_metric(enum sf_ip_kind kind)
{
    static const uint32_t metrics[] = {
        [SF_IP_ROUTE] = SF_IP_METRIC,
        [SF_IP_LOCAL] = SF_IP_METRIC,
        [SF_IP_ALTERNATE] = SF_IP_ALTERNATE_METRIC,
        [SF_IP_ALTERNATE_SWITCH] = SF_IP_ALTERNATE_METRIC,
        [SF_IP_UNREACHABLE] = SF_IP_UNREACHABLE_METRIC,
    };
    return metrics[kind];
}

struct sf_ip_prefix
sf_ip_destination(const struct sf_ip_tables *tables,
                  const struct sf_ip_route *route)
{
    return route->port ? sf_ip_port_prefix(&tables->addresses, route->layer,
                                           route->destination, route->port)
                       : sf_ip_switch_prefix(&tables->addresses, route->layer,
                                             route->destination);
}

/* Compares destinations in the order of tables. */
static int
compare_destinations(const struct sf_ip_route *a, const struct sf_ip_route *b)
{
    return a->layer != b->layer ? (a->layer < b->layer ? -1 : 1)
           : a->destination != b->destination
               ? (a->destination < b->destination ? -1 : 1)
               : (int)a->port - (int)b->port;
}

/* The routes of switch 's' to a destination, the first that counts. */
static const struct sf_ip_route *
find(const struct sf_ip_tables *tables, uint32_t s,
     const struct sf_ip_route *to, const bool *is_down)
{
    size_t low = tables->first[s], high = tables->first[s + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_destinations(&tables->routes[middle], to) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < tables->first[s + 1]; low++) {
        const struct sf_ip_route *route = &tables->routes[low];
        if (compare_destinations(route, to) != 0) {
            break;
        }
        if (!is_down || route->out == 0 || !is_down[route->out]) {
            return route;
        }
    }
    return NULL;
}

const struct sf_ip_route *
sf_ip_look_up(const struct sf_ip_tables *tables, uint32_t s,
              struct sf_ip_place to, const bool *is_down)
{
    struct sf_ip_route key = {
        .layer = (uint16_t)to.layer,
        .destination = to.s,
        .port = (uint8_t)to.port,
    };
    const struct sf_ip_route *route =
        to.port ? find(tables, s, &key, is_down) : NULL;

    key.port = 0;
    return route ? route : find(tables, s, &key, is_down);
}

void
sf_ip_tables_free(struct sf_ip_tables *tables)
{
    if (tables) {
        sf_ip_lanes_free(tables->lanes);
        free(tables->routes);
        free(tables->first);
        free(tables);
    }
}

/* --- Differences. -------------------------------------------------------- */

static int
compare(const struct sf_ip_route *a, const struct sf_ip_route *b)
{
    int order = compare_destinations(a, b);
    uint32_t metric_a = sf_ip_metric(a->kind),
             metric_b = sf_ip_metric(b->kind);

    return order ? order : (int)metric_a - (int)metric_b;
}

static bool
is_same(const struct sf_ip_route *a, const struct sf_ip_route *b)
{
    return a->out == b->out && a->neighbour == b->neighbour &&
           a->kind == b->kind;
}

/* The changes of switch 's'; those that delete come last, in a second
 * round. */
static bool
compare_switch(const struct sf_ip_tables *before,
               const struct sf_ip_tables *after, uint32_t s, bool deletions,
               struct sf_ip_changes *changes, size_t *capacityp)
{
    size_t i = before->first[s], j = after->first[s];
    size_t n_before = before->first[s + 1], n_after = after->first[s + 1];

    while (i < n_before || j < n_after) {
        int order = i == n_before ? 1
                    : j == n_after
                        ? -1
                        : compare(&before->routes[i], &after->routes[j]);
        struct sf_ip_change change = {
            .s = s,
            .is_gone = order<0, .is_new = order> 0,
        };
        if (order <= 0) {
            change.before = before->routes[i++];
        }
        if (order >= 0) {
            change.after = after->routes[j++];
        }
        if (change.is_gone != deletions ||
            (order == 0 && is_same(&change.before, &change.after))) {
            continue;
        }
        if (changes->n == *capacityp &&
            !sf_vec_grow((void **)&changes->changes, capacityp,
                         sizeof *changes->changes)) {
            return false;
        }
        changes->changes[changes->n++] = change;
    }
    return true;
}

enum sf_status
sf_ip_compare(const struct sf_ip_tables *before,
              const struct sf_ip_tables *after,
              struct sf_ip_changes **changesp, struct sf_error *err)
{
    const struct sf_ip_addresses *a = &before->addresses,
                                 *b = &after->addresses;
    struct sf_ip_changes *changes;
    size_t capacity = 0;

    *changesp = NULL;
    if (before->n_switches != after->n_switches ||
        a->prefix.length != b->prefix.length ||
        !sf_ip_address_equal(a->prefix.address, b->prefix.address) ||
        a->layer_bits != b->layer_bits || a->switch_bits != b->switch_bits) {
        return sf_fail(err, SF_EINVAL,
                       "tables of different address plans cannot be compared");
    }
    changes = sf_calloc(1, sizeof *changes);
    bool is_good = changes;
    for (uint32_t i = 0; is_good && i < 2 * before->n_switches; i++) {
        is_good =
            compare_switch(before, after, i / 2, i % 2, changes, &capacity);
    }
    if (!is_good) {
        sf_ip_changes_free(changes);
        return sf_fail(err, SF_ENOMEM, "out of memory to compare routes");
    }
    *changesp = changes;
    return SF_OK;
}

void
sf_ip_changes_free(struct sf_ip_changes *changes)
{
    if (changes) {
        free(changes->changes);
        free(changes);
    }
}
