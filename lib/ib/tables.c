#include "slimfly/tables.h"

#include "base/mem.h"
#include "ib/tables.h"

#include <string.h>

/* Host ports that are plugged into something get addresses. */
static uint32_t
count_host_ports(const struct sf_fabric *fabric)
{
    uint32_t n = 0;
    for (uint32_t i = fabric->n_switches; i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        for (uint32_t j = 0; j < node->n_ports; j++) {
            n += fabric->ports[node->first_port + j].peer != SF_NONE;
        }
    }
    return n;
}

static enum sf_status
fail_no_lids(const struct sf_fabric *fabric, uint32_t lmc,
             struct sf_error *err)
{
    uint32_t n_host_ports = count_host_ports(fabric);
    uint32_t fits = SF_NONE;

    for (uint32_t i = 0; i <= SF_MAX_LMC; i++) {
        /* The first block of hosts starts at a multiple of its size. */
        uint64_t size = 1u << i;
        uint64_t first = (fabric->n_switches + size) / size * size;
        if (first + n_host_ports * size - 1 <= SF_MAX_LID) {
            fits = i;
        }
    }
    if (fits == SF_NONE) {
        return sf_fail(err, SF_ELIMIT,
                       "%u switches and %u host ports are more than the %u "
                       "LIDs of a subnet",
                       fabric->n_switches, n_host_ports, SF_MAX_LID);
    }
    if (fits >= lmc) {
        return sf_fail(err, SF_ELIMIT,
                       "the LIDs that are kept leave no room for those of new "
                       "hosts, with LMC %u; if all were dealt out anew, they "
                       "would fit",
                       lmc);
    }
    return sf_fail(err, SF_ELIMIT,
                   "%u layers need LMC %u, and %u switches with %u host ports "
                   "would then need more than the %u LIDs of a subnet; at "
                   "most %u layer%s",
                   1u << lmc, lmc, fabric->n_switches, n_host_ports,
                   SF_MAX_LID, 1u << fits, fits == 0 ? " fits" : "s fit");
}

/* A GUID and what has it, for sorting and searching. */
struct guid_entry {
    uint64_t guid;
    uint32_t index;
};

static int
compare_guids(const void *a, const void *b)
{
    uint64_t x = ((const struct guid_entry *)a)->guid;
    uint64_t y = ((const struct guid_entry *)b)->guid;
    return (x > y) - (x < y);
}

/* The switches, or the nodes, of 'fabric' sorted by GUID. */
static struct guid_entry *
sort_by_guid(const struct sf_fabric *fabric, uint32_t n)
{
    struct guid_entry *entries = sf_calloc(n, sizeof *entries);
    for (uint32_t i = 0; entries && i < n; i++) {
        entries[i] = (struct guid_entry){ fabric->nodes[i].guid, i };
    }
    if (entries) {
        qsort(entries, n, sizeof *entries, compare_guids);
    }
    return entries;
}

static uint32_t
find_guid(const struct guid_entry *entries, uint32_t n, uint64_t guid)
{
    struct guid_entry wanted = { guid, 0 };
    const struct guid_entry *found =
        bsearch(&wanted, entries, n, sizeof *entries, compare_guids);
    return found ? found->index : SF_NONE;
}

/* Marks 'n' LIDs from 'lid' on as used; false, and nothing done, if there are
 * no such LIDs or one is used already. */
static bool
claim_lids(bool *is_used, uint32_t lid, uint32_t n)
{
    if (lid == 0 || lid + n - 1 > SF_MAX_LID) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (is_used[lid + i]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        is_used[lid + i] = true;
    }
    return true;
}

/* Takes over the LIDs of 'previous' for nodes that were there, marking them
 * in 'is_used'. */
static enum sf_status
keep_lids(struct sf_fabric *fabric, uint32_t lmc,
          const struct sf_fabric *previous, bool *is_used,
          struct sf_error *err)
{
    struct guid_entry *entries = sort_by_guid(previous, previous->n_nodes);
    if (!entries) {
        return sf_fail(err, SF_ENOMEM, "out of memory for LIDs");
    }
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        struct sf_node *node = &fabric->nodes[i];
        uint32_t before = find_guid(entries, previous->n_nodes, node->guid);
        if (before == SF_NONE || previous->nodes[before].kind != node->kind) {
            continue;
        }
        const struct sf_node *old = &previous->nodes[before];
        if (node->kind == SF_NODE_SWITCH) {
            node->lid = claim_lids(is_used, old->lid, 1) ? old->lid : 0;
            continue;
        }
        for (uint32_t j = 0; j < node->n_ports && j < old->n_ports; j++) {
            const struct sf_port *from = &previous->ports[old->first_port + j];
            struct sf_port *to = &fabric->ports[node->first_port + j];
            if (to->peer != SF_NONE && from->lmc == lmc &&
                from->lid % (1u << lmc) == 0 &&
                claim_lids(is_used, from->lid, 1u << lmc)) {
                to->lid = from->lid;
            }
        }
    }
    free(entries);
    return SF_OK;
}

/* The first multiple of 'size' from '*nextp' on whose 'size' LIDs are free; 0
 * if there is none. */
static uint32_t
take_lids(const bool *is_used, uint32_t size, uint32_t *nextp)
{
    for (uint32_t lid = (*nextp + size - 1) / size * size;
         lid + size - 1 <= SF_MAX_LID; lid += size) {
        uint32_t n_free = 0;
        while (n_free < size && !is_used[lid + n_free]) {
            n_free++;
        }
        if (n_free == size && lid > 0) {
            *nextp = lid + size;
            return lid;
        }
    }
    return 0;
}

enum sf_status
sf_fabric_assign_lids(struct sf_fabric *fabric, uint32_t lmc,
                      const struct sf_fabric *previous, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    if (lmc > SF_MAX_LMC) {
        return sf_fail(err, SF_ELIMIT,
                       "LMC %u: InfiniBand has at most LMC %d, 128 layers",
                       lmc, SF_MAX_LMC);
    }
    uint32_t size = 1u << lmc, next = 1;
    bool *is_used = sf_calloc(SF_MAX_LID + 1, sizeof *is_used);
    if (!is_used) {
        return sf_fail(err, SF_ENOMEM, "out of memory for LIDs");
    }
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        fabric->nodes[i].lid = 0;
        fabric->nodes[i].lmc = 0;
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        fabric->ports[i].lid = 0;
        fabric->ports[i].lmc = 0;
    }
    if (previous) {
        status = keep_lids(fabric, lmc, previous, is_used, err);
    }
    for (uint32_t i = 0; status == SF_OK && i < fabric->n_switches; i++) {
        if (!fabric->nodes[i].lid) {
            fabric->nodes[i].lid = (uint16_t)take_lids(is_used, 1, &next);
            if (!fabric->nodes[i].lid) {
                status = fail_no_lids(fabric, lmc, err);
            }
        }
    }
    for (uint32_t i = fabric->n_switches;
         status == SF_OK && i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        for (uint32_t j = 0; status == SF_OK && j < node->n_ports; j++) {
            struct sf_port *port = &fabric->ports[node->first_port + j];
            if (port->peer == SF_NONE) {
                continue;
            }
            port->lmc = (uint8_t)lmc;
            if (!port->lid) {
                port->lid = (uint16_t)take_lids(is_used, size, &next);
            }
            if (!port->lid) {
                status = fail_no_lids(fabric, lmc, err);
            }
        }
    }
    free(is_used);
    return status;
}

/* The largest LID of 'fabric'. */
static uint32_t
largest_lid(const struct sf_fabric *fabric)
{
    uint32_t max_lid = 0;

    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        uint32_t last = node->lid + (1u << node->lmc) - 1;
        if (node->lid && last > max_lid) {
            max_lid = last;
        }
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
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
        for (uint32_t k = 0;
             node->kind == SF_NODE_SWITCH && node->lid && k < 1u << node->lmc;
             k++) {
            tables->targets[node->lid + k] = i;
        }
        for (uint32_t j = 0; node->kind == SF_NODE_HOST && j < node->n_ports;
             j++) {
            const struct sf_port *port = &fabric->ports[node->first_port + j];
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

void
sf_tables_map_ports(const struct sf_fabric *fabric,
                    const struct sf_graph *graph, const uint32_t *link_ports,
                    uint16_t *hop_of_port)
{
    memset(hop_of_port, 0xff, fabric->n_ports * sizeof *hop_of_port);
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            uint32_t link = graph->arcs[i].link;
            bool is_b = graph->links[link].b == s;
            hop_of_port[link_ports[2 * link + is_b]] =
                (uint16_t)(i - graph->first[s]);
        }
    }
}

void
sf_tables_fill(struct sf_tables *tables, uint32_t lid,
               const struct sf_fabric *fabric, const struct sf_graph *graph,
               const uint32_t *link_ports, const uint16_t *tree,
               uint32_t destination, uint32_t last_port)
{
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint8_t *entry = &sf_tables_of(tables, s)[lid];
        if (s == destination) {
            *entry = (uint8_t)last_port;
        } else if (tree[s] != SF_NO_HOP) {
            uint32_t link = graph->arcs[graph->first[s] + tree[s]].link;
            bool is_b = graph->links[link].b == s;
            *entry =
                (uint8_t)fabric->ports[link_ports[2 * link + is_b]].number;
        }
    }
}

enum sf_status
sf_tables_build(const struct sf_fabric *fabric, const struct sf_graph *graph,
                const uint32_t *link_ports, struct sf_layers *const *variants,
                uint32_t n_variants, struct sf_tables **tablesp,
                struct sf_error *err)
{
    enum sf_status status = sf_tables_make(fabric, tablesp, err);
    if (status != SF_OK || !*tablesp) {
        return status;
    }
    for (uint32_t d = 0; d < fabric->n_switches; d++) {
        const struct sf_node *node = &fabric->nodes[d];
        uint32_t host = 0;
        for (uint32_t k = 0; node->lid && k < 1u << node->lmc; k++) {
            sf_tables_fill(
                *tablesp, node->lid + k, fabric, graph, link_ports,
                sf_layers_tree(variants[0], k % variants[0]->n_layers, d), d,
                0);
        }
        for (uint32_t i = 0; i < node->n_ports; i++) {
            const struct sf_port *port = &fabric->ports[node->first_port + i];
            const struct sf_port *peer =
                port->peer == SF_NONE ? NULL : &fabric->ports[port->peer];
            if (!peer || peer->node < fabric->n_switches || !peer->lid) {
                continue;
            }
            const struct sf_layers *layers = variants[host++ % n_variants];
            for (uint32_t k = 0; k < 1u << peer->lmc; k++) {
                sf_tables_fill(*tablesp, peer->lid + k, fabric, graph,
                               link_ports,
                               sf_layers_tree(layers, k % layers->n_layers, d),
                               d, port->number);
            }
        }
    }
    return SF_OK;
}

uint32_t *
sf_switches_by_guid(const struct sf_fabric *fabric,
                    const struct sf_fabric *previous)
{
    struct guid_entry *entries = sort_by_guid(previous, previous->n_switches);
    uint32_t *before = sf_calloc(fabric->n_switches, sizeof *before);

    for (uint32_t s = 0; entries && before && s < fabric->n_switches; s++) {
        before[s] =
            find_guid(entries, previous->n_switches, fabric->nodes[s].guid);
    }
    if (!entries) {
        free(before);
        before = NULL;
    }
    free(entries);
    return before;
}

enum sf_status
sf_tables_compare(const struct sf_tables *previous,
                  const struct sf_fabric *previous_fabric,
                  const struct sf_tables *tables,
                  const struct sf_fabric *fabric, struct sf_repair *repair,
                  struct sf_error *err)
{
    uint32_t *before = sf_switches_by_guid(fabric, previous_fabric);

    *repair = (struct sf_repair){ 0 };
    if (!before) {
        return sf_fail(err, SF_ENOMEM, "out of memory to compare tables");
    }
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        for (uint32_t lid = 1;
             before[s] != SF_NONE && lid <= tables->max_lid &&
             lid <= previous->max_lid;
             lid++) {
            if (tables->targets[lid] != SF_NONE &&
                previous->targets[lid] != SF_NONE) {
                repair->n_entries++;
                repair->n_changed += sf_tables_of(tables, s)[lid] !=
                                     sf_tables_of(previous, before[s])[lid];
            }
        }
    }
    free(before);
    return SF_OK;
}
