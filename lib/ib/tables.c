/* tables.c -- forwarding tables: see slimfly/tables.h. */
#include "slimfly/tables.h"

#include "base/mem.h"
#include "fabric/guids.h"
#include "ib/tables.h"
#include "slimfly/ib_addresses.h"

#include <string.h>

/* The largest LID of 'fabric'. */
static uint32_t
largest_lid(const struct sf_fabric *fabric)
{
    uint32_t max_lid = 0;

    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct sf_ib_node *node = sf_ib_node(fabric, i);
        uint32_t last = node->lid + (1u << node->lmc) - 1;
        if (node->lid && last > max_lid) {
            max_lid = last;
        }
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_ib_port *port = sf_ib_port(fabric, i);
        uint32_t last = port->lid + (1u << port->lmc) - 1;
        if (port->lid && last > max_lid) {
            max_lid = last;
        }
    }
    return max_lid;
}

enum sf_status
sf_tables_make(const struct sf_fabric *fabric, struct sf_tables **tablesp,
               struct sf_error *err)
{
    struct sf_tables *tables = sf_calloc(1, sizeof *tables);
    *tablesp = NULL;
    if (!tables) {
        goto no_memory;
    }
    tables->n_switches = fabric->n_switches;
    tables->max_lid = largest_lid(fabric);
    size_t n_lids = (size_t)tables->max_lid + 1;
    tables->ports = sf_calloc(fabric->n_switches, n_lids);
    tables->targets = sf_calloc(n_lids, sizeof *tables->targets);
    if (!tables->ports || !tables->targets) {
        goto no_memory;
    }
    memset(tables->ports, SF_NO_PORT, fabric->n_switches * n_lids);
    for (size_t i = 0; i < n_lids; i++) {
        tables->targets[i] = SF_NONE;
    }
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        const struct sf_ib_node *own = sf_ib_node(fabric, i);
        for (uint32_t k = 0;
             node->kind == SF_NODE_SWITCH && own->lid && k < 1u << own->lmc;
             k++) {
            tables->targets[own->lid + k] = i;
        }
        for (uint32_t j = 0; node->kind == SF_NODE_HOST && j < node->n_ports;
             j++) {
            const struct sf_ib_port *port =
                sf_ib_port(fabric, node->first_port + j);
            for (uint32_t k = 0; port->lid && k < 1u << port->lmc; k++) {
                tables->targets[port->lid + k] = i;
            }
        }
    }
    *tablesp = tables;
    return SF_OK;

no_memory:
    sf_tables_free(tables);
    return sf_fail(err, SF_ENOMEM, "out of memory for forwarding tables");
}

void
sf_tables_free(struct sf_tables *tables)
{
    if (tables) {
        free(tables->targets);
        free(tables->ports);
        free(tables);
    }
}

enum sf_status
sf_tables_compare(const struct sf_tables *previous,
                  const struct sf_fabric *previous_fabric,
                  const struct sf_tables *tables,
                  const struct sf_fabric *fabric, struct sf_repair *repair,
                  struct sf_error *err)
{
    struct sf_ids ids;

    *repair = (struct sf_repair){ 0 };
    if (!sf_fabric_sort_guids(previous_fabric, previous_fabric->n_switches,
                              &ids)) {
        return sf_fail(err, SF_ENOMEM, "out of memory to compare tables");
    }
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        uint32_t before = sf_ids_find(&ids, fabric->nodes[s].guid);
        for (uint32_t lid = 1; before != SF_NONE && lid <= tables->max_lid &&
                               lid <= previous->max_lid;
             lid++) {
            if (tables->targets[lid] != SF_NONE &&
                previous->targets[lid] != SF_NONE) {
                repair->n_entries++;
                repair->n_changed += sf_tables_of(tables, s)[lid] !=
                                     sf_tables_of(previous, before)[lid];
            }
        }
    }
    sf_ids_clear(&ids);
    return SF_OK;
}
