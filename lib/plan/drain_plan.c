/* drain_plan.c -- a fabric found, by the names and the links of its plan: see
 * slimfly/drain.h. */
#include "slimfly/drain.h"

#include "base/mem.h"
#include "fabric/guids.h"
#include "plan/name_index.h"
#include "slimfly/verify.h"

enum sf_status
sf_drain_name(struct sf_fabric *fabric, const struct sf_plan *plan,
              const struct sf_guid_map *map, struct sf_error *err)
{
    struct sf_ids guids = { 0 };
    bool is_made = !plan || sf_fabric_sort_guids(
                                plan->fabric, plan->fabric->n_nodes, &guids);

    for (uint32_t i = 0; is_made && i < fabric->n_nodes; i++) {
        struct sf_node *node = &fabric->nodes[i];
        const struct sf_guid_name *entry =
            map ? sf_guid_map_find(map, node->guid) : NULL;
        uint32_t planned =
            entry || !plan ? SF_NONE : sf_ids_find(&guids, node->guid);
        const char *name = entry ? entry->name
                           : planned != SF_NONE
                               ? plan->fabric->nodes[planned].name
                               : NULL;
        char *copy = name ? sf_strdup(name) : NULL;
        is_made = !name || copy;
        if (copy) {
            free(node->name);
            node->name = copy;
        }
    }
    sf_ids_clear(&guids);
    return is_made ? SF_OK
                   : sf_fail(err, SF_ENOMEM, "out of memory for names");
}

/* The port of 'fabric' that is 'port' of the plan, whose nodes are those
 * 'there'; SF_NONE if there is none, or it is no end of a link between
 * switches. */
static uint32_t
find_port(const struct sf_fabric *fabric, const struct sf_fabric *planned,
          const uint32_t *there, uint32_t port)
{
    const struct sf_port *of = &planned->ports[port];

    return of->node < planned->n_switches && there[of->node] != SF_NONE
               ? sf_fabric_port(fabric, there[of->node], of->number)
               : SF_NONE;
}

/* Finds the switches of the plan by their names. */
static enum sf_status
find_switches(const struct sf_fabric *fabric, const struct sf_fabric *planned,
              uint32_t *there, struct sf_error *err)
{
    struct sf_name_index *index;
    enum sf_status status = sf_name_index_build(fabric, &index, err);

    for (uint32_t s = 0; status == SF_OK && s < planned->n_switches; s++) {
        there[s] =
            sf_name_index_exact(index, SF_NODE_SWITCH, planned->nodes[s].name);
    }
    sf_name_index_free(index);
    return status;
}

enum sf_status
sf_drain_plug(struct sf_fabric *fabric, const struct sf_plan *plan,
              uint32_t **portsp, uint32_t *n_portsp, struct sf_error *err)
{
    const struct sf_fabric *planned = plan->fabric;
    uint32_t *ports = sf_calloc(planned->n_cables, sizeof *ports);
    uint32_t *there = sf_calloc(planned->n_switches, sizeof *there);
    enum sf_status status =
        ports && there ? find_switches(fabric, planned, there, err)
                       : sf_fail(err, SF_ENOMEM, "out of memory for links");

    *portsp = NULL;
    *n_portsp = 0;
    for (uint32_t i = 0; status == SF_OK && i < planned->n_ports; i++) {
        uint32_t peer = planned->ports[i].peer;
        if (peer == SF_NONE || peer < i) {
            continue;
        }
        uint32_t a = find_port(fabric, planned, there, i);
        uint32_t b = find_port(fabric, planned, there, peer);
        if (a != SF_NONE && b != SF_NONE && fabric->ports[a].peer == SF_NONE &&
            fabric->ports[b].peer == SF_NONE) {
            sf_fabric_plug(fabric, a, b);
            ports[(*n_portsp)++] = a;
        }
    }
    free(there);
    if (status == SF_OK) {
        *portsp = ports;
    } else {
        free(ports);
    }
    return status;
}
