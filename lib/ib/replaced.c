/* replaced.c -- see slimfly/replace.h. */
#include "slimfly/replace.h"

#include "base/mem.h"
#include "fabric/guids.h"

#include <string.h>

struct finder {
    const struct sf_fabric *known, *found;
    struct sf_ids known_guids, found_guids; /* Of switches and hosts. */
    uint32_t *there;  /* [nodes found] The node of 'known' that each is. */
    uint32_t *rivals; /* [switches known] The switch found that takes its
                       * place, or SF_NONE. */
    uint32_t *votes;  /* [switches known] Cables of one switch. */
    struct sf_replacements *result;
};

/* Whether a node of 'known' is not there any more; of one without a GUID,
 * nobody can tell. */
static bool
is_gone(const struct finder *finder, uint32_t node)
{
    uint64_t guid = finder->known->nodes[node].guid;
    return guid && sf_ids_find(&finder->found_guids, guid) == SF_NONE;
}

/* The port of 'known' that the port 'number' of a node found is. */
static uint32_t
port_there(const struct finder *finder, uint32_t port)
{
    const struct sf_port *of = &finder->found->ports[port];
    uint32_t node = finder->there[of->node];
    return node == SF_NONE ? SF_NONE
                           : sf_fabric_port(finder->known, node, of->number);
}

/* What the port of a switch found was plugged into, in 'known': its peer is
 * known, and this is the peer's peer; SF_NONE if that is not known. */
static uint32_t
former_end(const struct finder *finder, uint32_t port)
{
    uint32_t peer = finder->found->ports[port].peer;
    uint32_t there = peer == SF_NONE ? SF_NONE : port_there(finder, peer);
    return there == SF_NONE ? SF_NONE : finder->known->ports[there].peer;
}

/* Counts by switch of 'known' the cables of switch 's' that lead where those
 * of that switch did; returns how many cables to known nodes there are. */
static uint32_t
count_votes(const struct finder *finder, uint32_t s)
{
    const struct sf_node *node = &finder->found->nodes[s];
    uint32_t n = 0;

    memset(finder->votes, 0,
           finder->known->n_switches * sizeof *finder->votes);
    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t port = node->first_port + i;
        uint32_t peer = finder->found->ports[port].peer;
        uint32_t end = former_end(finder, port);
        n += peer != SF_NONE &&
             finder->there[finder->found->ports[peer].node] != SF_NONE;
        if (end == SF_NONE) {
            continue;
        }
        const struct sf_port *was = &finder->known->ports[end];
        if (was->node < finder->known->n_switches &&
            was->number == finder->found->ports[port].number) {
            finder->votes[was->node]++;
        }
    }
    return n;
}

/* The switch of 'known' that 's' took the place of, or SF_NONE. */
static uint32_t
find_former(const struct finder *finder, uint32_t s)
{
    uint32_t n = count_votes(finder, s), best = SF_NONE;

    for (uint32_t k = 0; k < finder->known->n_switches; k++) {
        if (finder->votes[k] &&
            (best == SF_NONE || finder->votes[k] > finder->votes[best])) {
            best = k;
        }
    }
    return best != SF_NONE && is_gone(finder, best) &&
                   2 * finder->votes[best] > n &&
                   finder->found->nodes[s].n_ports >=
                       finder->known->nodes[best].n_ports
               ? best
               : SF_NONE;
}

static bool
add(struct finder *finder, const struct sf_replacement *item)
{
    struct sf_replacements *result = finder->result;
    struct sf_replacement *items =
        sf_realloc(result->items, result->n + 1, sizeof *items);

    if (!items) {
        return false;
    }
    result->items = items;
    items[result->n++] = *item;
    return true;
}

/* Finds switches until there are no more: beside one that was recognised,
 * others may be. */
static bool
find_switches(struct finder *finder)
{
    const struct sf_fabric *known = finder->known, *found = finder->found;
    uint32_t n_before;

    do {
        n_before = finder->result->n;
        for (uint32_t s = 0; s < found->n_switches; s++) {
            uint32_t k =
                finder->there[s] == SF_NONE ? find_former(finder, s) : SF_NONE;
            if (k == SF_NONE || finder->rivals[k] != SF_NONE) {
                continue;
            }
            struct sf_replacement item = {
                .is_switch = true,
                .old_node = k,
                .new_node = s,
                .old_port = SF_NONE,
                .new_port = SF_NONE,
                .old_guid = known->nodes[k].guid,
                .new_guid = found->nodes[s].guid,
                .old_port_guid = known->nodes[k].guid,
                .new_port_guid = found->nodes[s].guid,
            };
            if (!add(finder, &item)) {
                return false;
            }
            finder->rivals[k] = s;
            finder->there[s] = k;
        }
    } while (finder->result->n > n_before);
    return true;
}

/* Whether 'guid' is that of a port of a host of 'fabric'. */
static bool
has_port_guid(const struct sf_ids *ids, uint64_t guid)
{
    return guid && sf_ids_find(ids, guid) != SF_NONE;
}

/* Sorts the ports of hosts that are plugged in by GUID. */
static bool
sort_ports(const struct sf_fabric *fabric, struct sf_ids *ids)
{
    bool made = sf_ids_make(ids, fabric->n_ports);

    for (uint32_t i = 0; made && i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (port->node >= fabric->n_switches && port->peer != SF_NONE &&
            port->guid) {
            sf_ids_add(ids, port->guid, i);
        }
    }
    if (made) {
        sf_ids_sort(ids);
    }
    return made;
}

/* Finds ports of hosts that are plugged in where others were. */
static bool
find_hosts(struct finder *finder, const struct sf_ids *known_ports,
           const struct sf_ids *found_ports)
{
    const struct sf_fabric *known = finder->known, *found = finder->found;

    for (uint32_t i = 0; i < found->n_ports; i++) {
        const struct sf_port *port = &found->ports[i];
        if (port->node < found->n_switches || port->peer == SF_NONE ||
            has_port_guid(known_ports, port->guid)) {
            continue;
        }
        uint32_t end = former_end(finder, i);
        if (end == SF_NONE || known->ports[end].node < known->n_switches ||
            !known->ports[end].guid ||
            has_port_guid(found_ports, known->ports[end].guid)) {
            continue;
        }
        struct sf_replacement item = {
            .old_node = known->ports[end].node,
            .new_node = port->node,
            .old_port = end,
            .new_port = i,
            .old_guid = known->nodes[known->ports[end].node].guid,
            .new_guid = found->nodes[port->node].guid,
            .old_port_guid = known->ports[end].guid,
            .new_port_guid = port->guid,
        };
        if (!add(finder, &item)) {
            return false;
        }
    }
    return true;
}

static bool
make_finder(struct finder *finder)
{
    const struct sf_fabric *known = finder->known, *found = finder->found;
    bool made =
        sf_fabric_sort_guids(known, known->n_nodes, &finder->known_guids);

    made = sf_fabric_sort_guids(found, found->n_nodes, &finder->found_guids) &&
           made;
    finder->there = sf_calloc(found->n_nodes, sizeof *finder->there);
    finder->rivals = sf_calloc(known->n_switches, sizeof *finder->rivals);
    finder->votes = sf_calloc(known->n_switches, sizeof *finder->votes);
    if (!made || !finder->there || !finder->rivals || !finder->votes) {
        return false;
    }
    memset(finder->rivals, 0xff, known->n_switches * sizeof *finder->rivals);
    for (uint32_t i = 0; i < found->n_nodes; i++) {
        uint32_t k = sf_ids_find(&finder->known_guids, found->nodes[i].guid);
        bool is_same =
            k != SF_NONE && (k < known->n_switches) == (i < found->n_switches);
        finder->there[i] = is_same ? k : SF_NONE;
    }
    return true;
}

enum sf_status
sf_replacements_find(const struct sf_fabric *known,
                     const struct sf_fabric *found,
                     struct sf_replacements *replacements,
                     struct sf_error *err)
{
    struct finder finder = { .known = known,
                             .found = found,
                             .result = replacements };
    struct sf_ids known_ports = { 0 }, found_ports = { 0 };
    enum sf_status status = SF_OK;

    *replacements = (struct sf_replacements){ 0 };
    if (!make_finder(&finder) || !sort_ports(known, &known_ports) ||
        !sort_ports(found, &found_ports) || !find_switches(&finder) ||
        !find_hosts(&finder, &known_ports, &found_ports)) {
        sf_replacements_clear(replacements);
        status = sf_fail(err, SF_ENOMEM, "out of memory to compare fabrics");
    }
    sf_ids_clear(&found_ports);
    sf_ids_clear(&known_ports);
    free(finder.votes);
    free(finder.rivals);
    free(finder.there);
    sf_ids_clear(&finder.found_guids);
    sf_ids_clear(&finder.known_guids);
    return status;
}

void
sf_replacements_clear(struct sf_replacements *replacements)
{
    free(replacements->items);
    *replacements = (struct sf_replacements){ 0 };
}

void
sf_replacements_apply(const struct sf_replacements *replacements,
                      const struct sf_fabric *found, struct sf_fabric *known)
{
    bool has_lids = sf_ib_has_side(known) && sf_ib_has_side(found);

    for (uint32_t i = 0; i < replacements->n; i++) {
        const struct sf_replacement *item = &replacements->items[i];
        known->nodes[item->old_node].guid = item->new_guid;
        if (has_lids && item->is_switch) {
            *sf_ib_change_node(known, item->old_node) =
                *sf_ib_node(found, item->new_node);
        } else if (has_lids) {
            sf_ib_change_node(known, item->old_node)->system_guid =
                sf_ib_node(found, item->new_node)->system_guid;
        }
        if (item->old_port != SF_NONE) {
            known->ports[item->old_port].guid = item->new_port_guid;
        }
        if (has_lids && item->old_port != SF_NONE) {
            *sf_ib_change_port(known, item->old_port) =
                *sf_ib_port(found, item->new_port);
        }
    }
}
