/* ip_audit.c -- see slimfly/ip_audit.h. */
#define _GNU_SOURCE
#include "ip/audit/held.h"

#include <stdarg.h>
#include <string.h>

void
sf_ip_find_fault(struct sf_ip_audit *audit, const char *format, ...)
{
    char text[SF_ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (audit->n_findings < SF_IP_MAX_FINDINGS) {
        audit->findings[audit->n_findings] = sf_strdup(text);
    }
    audit->n_findings++;
}

/* Whether 'node' has 'address' on its port 'port', or on its loopback. */
static bool
has_address(const struct sf_ip_held *held, uint32_t node, uint32_t port,
            struct sf_ip_address address)
{
    const struct sf_ip_owns *owns = &held->owns[node];

    for (size_t i = 0; i < owns->n; i++) {
        /* Others on a link ask for a link-local address there, and get an
         * answer for any address of IPv4. */
        bool counts = address.is_v6 ? owns->items[i].port == port
                                    : owns->items[i].port == 0;
        if (counts && sf_ip_address_equal(owns->items[i].address, address)) {
            return true;
        }
    }
    return false;
}

/* Tells of something wrong with a route of 's', with its place before it. */
static void
tell_route(const struct sf_ip_held *held, uint32_t s,
           const struct sf_ip_entry *entry, const char *what)
{
    const char *name = held->names->names[s];

    if (held->dumps) {
        sf_ip_find_fault(held->audit, "%s/%s.json: %s", held->dumps, name,
                         what);
    } else {
        sf_ip_find_fault(held->audit, "switches/%s.routes.batch:%u: %s", name,
                         entry->line, what);
    }
}

/* Whether the next hops of all routes are at the other ends of their ports,
 * and no route is there twice. */
static void
check_next_hops(const struct sf_ip_held *held, uint32_t s)
{
    const struct sf_fabric *fabric = held->fabric;
    const struct sf_ip_entries *entries = &held->entries[s];

    for (size_t i = 0; i < entries->n; i++) {
        const struct sf_ip_entry *entry = &entries->items[i];
        char what[256];
        if (i > 0 && sf_ip_entry_compare(entry - 1, entry) == 0) {
            (void)snprintf(what, sizeof what, "%s metric %u is there twice",
                           sf_ip_prefix_text(entry->to).text, entry->metric);
            tell_route(held, s, entry, what);
        }
        if (!entry->out) {
            continue;
        }
        uint32_t peer =
            fabric->ports[fabric->nodes[s].first_port + entry->out - 1].peer;
        bool is_good =
            peer != SF_NONE &&
            (entry->has_via
                 ? has_address(held, fabric->ports[peer].node,
                               fabric->ports[peer].number, entry->via)
                 : fabric->ports[peer].node >= fabric->n_switches);
        if (!is_good) {
            (void)snprintf(what, sizeof what,
                           "%s: the next hop %s is not at the other end of "
                           "port %u",
                           sf_ip_prefix_text(entry->to).text,
                           entry->has_via ? sf_ip_address_text(entry->via).text
                                          : "(a host)",
                           entry->out);
            tell_route(held, s, entry, what);
        }
    }
}

struct named {
    struct sf_ip_address address;
    uint32_t node;
};

static int
compare_named(const void *a, const void *b)
{
    const struct named *left = a, *right = b;
    return memcmp(left->address.bytes, right->address.bytes, 16);
}

/* Whether two nodes have the same address; link-local ones may be. */
static enum sf_status
check_unique(const struct sf_ip_held *held, struct sf_error *err)
{
    SF_VEC(struct named) all = { 0 };
    bool is_good = true;

    for (uint32_t i = 0; i < held->fabric->n_nodes; i++) {
        for (size_t k = 0; k < held->owns[i].n; k++) {
            struct named named = { held->owns[i].items[k].address, i };
            if (named.address.bytes[0] != 0xfe) {
                is_good = is_good && sf_vec_push(&all, named);
            }
        }
    }
    if (is_good && all.n > 0) {
        qsort(all.items, all.n, sizeof *all.items, compare_named);
    }
    for (size_t i = 1; is_good && i < all.n; i++) {
        if (compare_named(&all.items[i - 1], &all.items[i]) == 0) {
            sf_ip_find_fault(held->audit, "%s and %s both have the address %s",
                             held->names->names[all.items[i - 1].node],
                             held->names->names[all.items[i].node],
                             sf_ip_address_text(all.items[i].address).text);
        }
    }
    free(all.items);
    return is_good ? SF_OK : sf_fail(err, SF_ENOMEM, "out of memory");
}

/* Whether all switches have lanes, and the same, or none. */
static void
check_lanes(const struct sf_ip_held *held)
{
    for (uint32_t s = 1; s < held->fabric->n_switches; s++) {
        if (memcmp(held->marks[0].is_lane, held->marks[s].is_lane,
                   sizeof held->marks[s].is_lane) != 0) {
            sf_ip_find_fault(held->audit,
                             "%s and %s have lanes with different marks, or "
                             "one of them has no file of lanes",
                             held->names->names[0], held->names->names[s]);
        }
    }
}

enum sf_status
sf_ip_audit(const struct sf_fabric *fabric, const char *folder,
            const char *dumps, struct sf_ip_audit **auditp,
            struct sf_error *err)
{
    struct sf_ip_audit *audit = sf_calloc(1, sizeof *audit);
    struct sf_ip_held *held = NULL;

    *auditp = NULL;
    if (!audit) {
        return sf_fail(err, SF_ENOMEM, "out of memory for an audit");
    }
    audit->are_held = dumps != NULL;
    audit->n_switches = fabric->n_switches;
    audit->n_hosts = fabric->n_nodes - fabric->n_switches;
    enum sf_status status =
        sf_ip_held_read(fabric, folder, dumps, audit, &held, err);
    if (status == SF_OK) {
        audit->n_layers = held->n_layers;
        for (uint32_t s = 0; s < fabric->n_switches; s++) {
            check_next_hops(held, s);
        }
        check_lanes(held);
        status = check_unique(held, err);
    }
    if (status == SF_OK) {
        status = sf_ip_follow_all(held, err);
    }
    sf_ip_held_free(held);
    if (status == SF_OK) {
        *auditp = audit;
    } else {
        sf_ip_audit_free(audit);
    }
    return status;
}

void
sf_ip_audit_free(struct sf_ip_audit *audit)
{
    if (audit) {
        for (size_t i = 0; i < SF_IP_MAX_FINDINGS; i++) {
            free(audit->findings[i]);
        }
        free(audit);
    }
}

bool
sf_ip_audit_is_clean(const struct sf_ip_audit *audit)
{
    return audit->n_findings == 0;
}
