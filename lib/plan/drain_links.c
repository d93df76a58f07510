/* drain_links.c -- the links of a fabric that a list drains, as far as no host
 * is cut off by that. */
#include "slimfly/drain.h"

#include "base/mem.h"

#include <string.h>

const char *
sf_drain_state_name(enum sf_drain_state state)
{
    static const char *const names[] = { "drained", "absent", "unknown",
                                         "refused" };
    return names[state];
}

struct drainer {
    struct sf_fabric *fabric;
    const struct sf_drain_list *list;
    bool *may_lose;    /* [switches] Their hosts may be cut off. */
    uint32_t *n_hosts; /* [switches] Ports of hosts on each. */
    uint32_t *before;  /* [switches] The part that each is in, */
    uint32_t *after;   /* and after an entry. */
    uint32_t *queue;   /* [switches] */
    uint32_t *weight;  /* [switches] Hosts of a part that must not be. */
    uint32_t *main;    /* [switches] Of a part before, the largest after. */
    SF_VEC(uint32_t) ports;
    SF_VEC(uint32_t) peers; /* Of 'ports', to be plugged in again. */
    SF_VEC(uint32_t) owners;
};

static bool
is_link(const struct sf_fabric *fabric, uint32_t port)
{
    uint32_t peer = fabric->ports[port].peer;
    return peer != SF_NONE && fabric->ports[port].node < fabric->n_switches &&
           fabric->ports[peer].node < fabric->n_switches;
}

/* Numbers the parts that links join: each gets the number of its first
 * switch. */
static void
find_parts(const struct drainer *drainer, uint32_t *parts)
{
    const struct sf_fabric *fabric = drainer->fabric;

    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        parts[s] = SF_NONE;
    }
    for (uint32_t first = 0; first < fabric->n_switches; first++) {
        uint32_t head = 0, tail = 0;
        if (parts[first] == SF_NONE) {
            parts[first] = first;
            drainer->queue[tail++] = first;
        }
        while (head < tail) {
            const struct sf_node *node =
                &fabric->nodes[drainer->queue[head++]];
            for (uint32_t i = 0; i < node->n_ports; i++) {
                uint32_t port = node->first_port + i;
                uint32_t to =
                    is_link(fabric, port)
                        ? fabric->ports[fabric->ports[port].peer].node
                        : first;
                if (parts[to] == SF_NONE) {
                    parts[to] = first;
                    drainer->queue[tail++] = to;
                }
            }
        }
    }
}

/* Finds of each part of before the largest part that is left. */
static void
find_main_parts(const struct drainer *drainer)
{
    uint32_t n = drainer->fabric->n_switches;

    memset(drainer->weight, 0, n * sizeof *drainer->weight);
    for (uint32_t s = 0; s < n; s++) {
        drainer->weight[drainer->after[s]] +=
            drainer->may_lose[s] ? 0 : drainer->n_hosts[s];
        drainer->main[s] = SF_NONE;
    }
    for (uint32_t s = 0; s < n; s++) {
        uint32_t *best = &drainer->main[drainer->before[s]];
        uint32_t part = drainer->after[s];
        if (*best == SF_NONE ||
            drainer->weight[part] > drainer->weight[*best]) {
            *best = part;
        }
    }
}

/* Adds the hosts on switch 's' to those that are cut off. */
static bool
add_cut_off(const struct drainer *drainer, uint32_t s,
            struct sf_drain_outcome *outcome)
{
    const struct sf_fabric *fabric = drainer->fabric;
    const struct sf_node *node = &fabric->nodes[s];
    uint32_t *cut_off =
        sf_realloc(outcome->cut_off, outcome->n_cut_off + drainer->n_hosts[s],
                   sizeof *cut_off);

    if (!cut_off) {
        return false;
    }
    outcome->cut_off = cut_off;
    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t peer = fabric->ports[node->first_port + i].peer;
        if (peer != SF_NONE &&
            fabric->ports[peer].node >= fabric->n_switches) {
            cut_off[outcome->n_cut_off++] = fabric->ports[peer].node;
        }
    }
    return true;
}

/* Lists the hosts that are cut off by what was unplugged.  '*is_allowedp': all
 * of them may be. */
static bool
list_cut_off(const struct drainer *drainer, struct sf_drain_outcome *outcome,
             bool *is_allowedp)
{
    *is_allowedp = true;
    find_parts(drainer, drainer->after);
    find_main_parts(drainer);
    for (uint32_t s = 0; s < drainer->fabric->n_switches; s++) {
        if (drainer->n_hosts[s] &&
            drainer->after[s] != drainer->main[drainer->before[s]]) {
            *is_allowedp &= drainer->may_lose[s];
            if (!add_cut_off(drainer, s, outcome)) {
                return false;
            }
        }
    }
    return true;
}

/* Unplugs the link at 'port', if it is one. */
static bool
pull(struct drainer *drainer, uint32_t port, uint32_t owner)
{
    if (!is_link(drainer->fabric, port)) {
        return true;
    }
    uint32_t peer = drainer->fabric->ports[port].peer;
    size_t n = drainer->ports.n;
    if (!sf_vec_push(&drainer->ports, port) ||
        !sf_vec_push(&drainer->peers, peer) ||
        !sf_vec_push(&drainer->owners, owner)) {
        drainer->ports.n = drainer->peers.n = n; /* It is still plugged. */
        return false;
    }
    sf_fabric_unplug(drainer->fabric, port);
    return true;
}

/* Plugs the links from the 'first' on in again. */
static void
put_back(struct drainer *drainer, size_t first)
{
    while (drainer->ports.n > first) {
        drainer->ports.n--;
        sf_fabric_plug(drainer->fabric, drainer->ports.items[drainer->ports.n],
                       drainer->peers.items[drainer->ports.n]);
    }
    drainer->peers.n = drainer->owners.n = first;
}

static uint32_t
find_switch(const struct sf_fabric *fabric, const char *name)
{
    uint32_t node = sf_fabric_find(fabric, name);
    return node < fabric->n_switches ? node : SF_NONE;
}

/* Unplugs the links of an entry; false if memory ran out.  '*is_knownp': there
 * are such ports. */
static bool
pull_entry(struct drainer *drainer, const struct sf_drain_entry *entry,
           uint32_t owner, bool *is_knownp)
{
    const struct sf_fabric *fabric = drainer->fabric;

    *is_knownp = false;
    for (int i = 0; i < 2 && entry->names[i]; i++) {
        uint32_t s = find_switch(fabric, entry->names[i]);
        const struct sf_node *node = s == SF_NONE ? NULL : &fabric->nodes[s];
        uint32_t first = entry->is_switch ? 1 : entry->ports[i];
        uint32_t last = entry->is_switch && node ? node->n_ports : first;
        for (uint32_t p = first; node && p <= last; p++) {
            uint32_t port = sf_fabric_port(fabric, s, p);
            *is_knownp |= port != SF_NONE;
            if (port != SF_NONE && !pull(drainer, port, owner)) {
                return false;
            }
        }
    }
    return true;
}

/* Drains an entry, unless that cuts off hosts that it must not. */
static bool
drain(struct drainer *drainer, const struct sf_drain_entry *entry,
      uint32_t owner, struct sf_drain_outcome *outcome)
{
    size_t first = drainer->ports.n;
    bool is_known, is_allowed;

    find_parts(drainer, drainer->before);
    if (!pull_entry(drainer, entry, owner, &is_known)) {
        return false;
    }
    outcome->n_links = (uint32_t)(drainer->ports.n - first);
    if (!outcome->n_links) {
        outcome->state = is_known ? SF_DRAIN_ABSENT : SF_DRAIN_UNKNOWN;
        return true;
    }
    if (!list_cut_off(drainer, outcome, &is_allowed)) {
        return false;
    }
    if (!is_allowed) {
        put_back(drainer, first);
        outcome->state = SF_DRAIN_REFUSED;
    }
    return true;
}

static bool
make_drainer(struct drainer *drainer)
{
    const struct sf_fabric *fabric = drainer->fabric;
    size_t n = fabric->n_switches;

    drainer->may_lose = sf_calloc(n, sizeof *drainer->may_lose);
    drainer->n_hosts = sf_calloc(n, sizeof *drainer->n_hosts);
    drainer->before = sf_calloc(n, sizeof *drainer->before);
    drainer->after = sf_calloc(n, sizeof *drainer->after);
    drainer->queue = sf_calloc(n, sizeof *drainer->queue);
    drainer->weight = sf_calloc(n, sizeof *drainer->weight);
    drainer->main = sf_calloc(n, sizeof *drainer->main);
    if (!drainer->may_lose || !drainer->n_hosts || !drainer->before ||
        !drainer->after || !drainer->queue || !drainer->weight ||
        !drainer->main) {
        return false;
    }
    sf_fabric_count_hosts(fabric, drainer->n_hosts);
    for (uint32_t i = 0; i < drainer->list->n_lines; i++) {
        const struct sf_drain_line *line = &drainer->list->lines[i];
        uint32_t s = line->is_entry && line->entry.with_hosts
                         ? find_switch(fabric, line->entry.names[0])
                         : SF_NONE;
        if (s != SF_NONE) {
            drainer->may_lose[s] = true;
        }
    }
    return true;
}

static void
clear_drainer(struct drainer *drainer)
{
    free(drainer->owners.items);
    free(drainer->peers.items);
    free(drainer->ports.items);
    free(drainer->main);
    free(drainer->weight);
    free(drainer->queue);
    free(drainer->after);
    free(drainer->before);
    free(drainer->n_hosts);
    free(drainer->may_lose);
}

/* Drains all entries; false if memory ran out. */
static bool
drain_all(struct drainer *drainer, struct sf_drained *drained)
{
    drained->outcomes =
        sf_calloc(drainer->list->n_entries, sizeof *drained->outcomes);
    if (!drained->outcomes || !make_drainer(drainer)) {
        return false;
    }
    for (uint32_t i = 0; i < drainer->list->n_lines; i++) {
        const struct sf_drain_line *line = &drainer->list->lines[i];
        if (line->is_entry) {
            uint32_t k = drained->n_outcomes++;
            drained->outcomes[k].line = i;
            if (!drain(drainer, &line->entry, k, &drained->outcomes[k])) {
                return false;
            }
        }
    }
    return true;
}

enum sf_status
sf_drain_apply(const struct sf_drain_list *list, struct sf_fabric *fabric,
               struct sf_drained *drained, struct sf_error *err)
{
    struct drainer drainer = { .fabric = fabric, .list = list };
    enum sf_status status = SF_OK;

    *drained = (struct sf_drained){ 0 };
    if (drain_all(&drainer, drained)) {
        drained->n_links = (uint32_t)drainer.ports.n;
        drained->ports = drainer.ports.items;
        drained->entry_of = drainer.owners.items;
        drainer.ports.items = drainer.owners.items = NULL;
    } else {
        put_back(&drainer, 0);
        sf_drained_clear(drained);
        status = sf_fail(err, SF_ENOMEM, "out of memory for drained links");
    }
    clear_drainer(&drainer);
    return status;
}

void
sf_drained_clear(struct sf_drained *drained)
{
    for (uint32_t i = 0; i < drained->n_outcomes; i++) {
        free(drained->outcomes[i].cut_off);
    }
    free(drained->outcomes);
    free(drained->entry_of);
    free(drained->ports);
    *drained = (struct sf_drained){ 0 };
}
