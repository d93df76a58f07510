/* planned_guids.c -- the GUIDs that planned nodes have in truth: see
 * slimfly/replace.h. */
#include "slimfly/replace.h"

#include "base/mem.h"
#include "fabric/guids.h"
#include "plan/name_index.h"
#include "slimfly/verify.h"

struct guide {
    struct sf_fabric *known; /* The plan, which gets the GUIDs. */
    const struct sf_fabric *found;
    struct sf_ids guids;               /* Of the nodes found. */
    bool *is_mapped;                   /* [nodes known] */
    bool is_believed[SF_N_NODE_KINDS]; /* The plan's own GUIDs are true. */
};

/* The node found that has the GUID of 'node' and is of the same kind, or
 * SF_NONE. */
static uint32_t
find_there(const struct guide *guide, uint32_t node)
{
    const struct sf_node *of = &guide->known->nodes[node];
    uint32_t there = of->guid ? sf_ids_find(&guide->guids, of->guid) : SF_NONE;

    return there != SF_NONE && guide->found->nodes[there].kind == of->kind
               ? there
               : SF_NONE;
}

/* A plan that was made before its machines were bought has GUIDs that nobody
 * has; one of a simulation has true ones.  Those of most nodes tell. */
static void
judge_plan(struct guide *guide)
{
    uint32_t n[SF_N_NODE_KINDS] = { 0 }, n_there[SF_N_NODE_KINDS] = { 0 };

    for (uint32_t i = 0; i < guide->known->n_nodes; i++) {
        enum sf_node_kind kind = guide->known->nodes[i].kind;
        n[kind]++;
        n_there[kind] += find_there(guide, i) != SF_NONE;
    }
    for (int kind = 0; kind < SF_N_NODE_KINDS; kind++) {
        guide->is_believed[kind] = n_there[kind] > n[kind] / 2;
    }
}

static enum sf_status
take_map(struct guide *guide, const struct sf_guid_map *map,
         struct sf_error *err)
{
    struct sf_name_index *index;
    enum sf_status status = sf_name_index_build(guide->known, &index, err);

    for (uint32_t i = 0; status == SF_OK && i < map->n_entries; i++) {
        const struct sf_guid_name *entry = &map->entries[i];
        uint32_t node =
            sf_name_index_exact(index, SF_NODE_SWITCH, entry->name);
        if (node == SF_NONE) {
            node = sf_name_index_exact(index, SF_NODE_HOST, entry->name);
        }
        if (node != SF_NONE) {
            guide->known->nodes[node].guid = entry->guid;
            guide->is_mapped[node] = true;
        }
    }
    sf_name_index_free(index);
    return status;
}

/* The GUIDs of an adapter's ports are those of its node, or follow it: its
 * maker decides.  So they are taken from the adapter itself.  One that is gone
 * has none that another could have, too. */
static void
set_ports(struct guide *guide, uint32_t node, uint32_t there)
{
    const struct sf_node *of = &guide->known->nodes[node];

    for (uint32_t i = 0; of->kind == SF_NODE_HOST && i < of->n_ports; i++) {
        uint32_t port = there == SF_NONE
                            ? SF_NONE
                            : sf_fabric_port(guide->found, there, i + 1);
        guide->known->ports[of->first_port + i].guid =
            port == SF_NONE ? of->guid : guide->found->ports[port].guid;
    }
}

static void
set_guids(struct guide *guide)
{
    for (uint32_t i = 0; i < guide->known->n_nodes; i++) {
        struct sf_node *node = &guide->known->nodes[i];
        uint32_t there = find_there(guide, i);
        if (there == SF_NONE && !guide->is_mapped[i] &&
            !guide->is_believed[node->kind]) {
            node->guid = 0;
        }
        set_ports(guide, i, there);
    }
}

enum sf_status
sf_replacements_planned(const struct sf_fabric *planned,
                        const struct sf_guid_map *map,
                        const struct sf_fabric *found,
                        struct sf_fabric **knownp, struct sf_error *err)
{
    struct guide guide = { .found = found };
    enum sf_status status = sf_fabric_copy(planned, &guide.known, err);

    *knownp = NULL;
    if (status != SF_OK) {
        return status;
    }
    guide.is_mapped = sf_calloc(planned->n_nodes, sizeof *guide.is_mapped);
    if (!guide.is_mapped ||
        !sf_fabric_sort_guids(found, found->n_nodes, &guide.guids)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u GUIDs",
                         planned->n_nodes);
    }
    if (status == SF_OK) {
        judge_plan(&guide);
        status = map ? take_map(&guide, map, err) : SF_OK;
    }
    if (status == SF_OK) {
        set_guids(&guide);
        *knownp = guide.known;
    } else {
        sf_fabric_free(guide.known);
    }
    sf_ids_clear(&guide.guids);
    free(guide.is_mapped);
    return status;
}
