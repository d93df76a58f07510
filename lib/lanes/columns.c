/* columns.c -- see columns.h. */
#include "lanes/columns.h"

#include "base/mem.h"
#include "ib/tables.h"

#include <string.h>

/* What building needs beside the result. */
struct builder {
    const struct sf_fabric *fabric;
    const struct sf_graph *graph;
    const struct sf_tables *tables;
    struct sf_lft_columns *columns;
    uint16_t *hop_of_port; /* [n_ports] Which arc of its switch a port is. */
    uint16_t *hops;        /* [V] The column at hand. */
    uint32_t *seen;        /* [V] By which walk a switch was last passed. */
    size_t capacity;       /* Columns that there is room for. */
};

/* Takes the next hops towards 'lid' of switch 'd' out of the tables. */
static void
read_column(struct builder *builder, uint32_t lid, uint32_t d)
{
    for (uint32_t s = 0; s < builder->graph->n_nodes; s++) {
        uint32_t port = sf_fabric_port(builder->fabric, s,
                                       sf_tables_of(builder->tables, s)[lid]);
        builder->hops[s] =
            s == d || port == SF_NONE ? SF_NO_HOP : builder->hop_of_port[port];
    }
}

/* Whether every path of the column at hand ends. */
static bool
ends(struct builder *builder)
{
    const struct sf_graph *graph = builder->graph;

    memset(builder->seen, 0, graph->n_nodes * sizeof *builder->seen);
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t at = s;
        while (builder->hops[at] != SF_NO_HOP && !builder->seen[at]) {
            builder->seen[at] = s + 1;
            at = graph->arcs[graph->first[at] + builder->hops[at]].to;
        }
        if (builder->hops[at] != SF_NO_HOP && builder->seen[at] == s + 1) {
            return false;
        }
    }
    return true;
}

static bool
make_room(struct builder *builder)
{
    struct sf_lft_columns *columns = builder->columns;

    if (columns->n_columns < builder->capacity) {
        return true;
    }
    size_t capacity = 2 * builder->capacity + 64;
    uint16_t *hops = sf_realloc(columns->hops, capacity,
                                columns->n_switches * sizeof *columns->hops);
    if (!hops) {
        return false;
    }
    columns->hops = hops;
    uint32_t *n_lids =
        sf_realloc(columns->n_lids, capacity, sizeof *columns->n_lids);
    if (!n_lids) {
        return false;
    }
    columns->n_lids = n_lids;
    builder->capacity = capacity;
    return true;
}

/* Adds the column of 'lid', which is of switch 'd' or of a host there. */
static enum sf_status
add_lid(struct builder *builder, uint32_t d, uint32_t lid, bool is_host,
        struct sf_error *err)
{
    struct sf_lft_columns *columns = builder->columns;
    size_t size = columns->n_switches * sizeof *columns->hops;
    uint32_t i = columns->first[d];

    read_column(builder, lid, d);
    while (i < columns->n_columns &&
           memcmp(sf_lft_column_hops(columns, i), builder->hops, size) != 0) {
        i++;
    }
    if (i == columns->n_columns) {
        if (!ends(builder)) {
            return sf_fail(err, SF_EINVAL, "the paths to LID %u go round",
                           lid);
        }
        if (!make_room(builder)) {
            return sf_fail(err, SF_ENOMEM, "out of memory for paths");
        }
        memcpy(columns->hops + (size_t)i * columns->n_switches, builder->hops,
               size);
        columns->n_lids[i] = 0;
        columns->n_columns++;
    }
    columns->of_lid[lid] = i;
    columns->n_lids[i] += is_host;
    return SF_OK;
}

/* Adds all columns of switch 'd'. */
static enum sf_status
add_switch(struct builder *builder, uint32_t d, struct sf_error *err)
{
    const struct sf_fabric *fabric = builder->fabric;
    const struct sf_node *node = &fabric->nodes[d];
    enum sf_status status = SF_OK;

    builder->columns->first[d] = builder->columns->n_columns;
    for (uint32_t k = 0; node->lid && k < 1u << node->lmc; k++) {
        status = add_lid(builder, d, node->lid + k, false, err);
        if (status != SF_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t peer = fabric->ports[node->first_port + i].peer;
        const struct sf_port *port =
            peer == SF_NONE ? NULL : &fabric->ports[peer];
        if (!port || port->node < fabric->n_switches) {
            continue;
        }
        for (uint32_t k = 0; port->lid && k < 1u << port->lmc; k++) {
            status = add_lid(builder, d, port->lid + k, true, err);
            if (status != SF_OK) {
                return status;
            }
        }
    }
    return SF_OK;
}

enum sf_status
sf_lft_columns_build(const struct sf_fabric *fabric,
                     const struct sf_graph *graph, const uint32_t *link_ports,
                     const struct sf_tables *tables,
                     struct sf_lft_columns **columnsp, struct sf_error *err)
{
    uint32_t n = graph->n_nodes;
    struct sf_lft_columns *columns = sf_calloc(1, sizeof *columns);
    struct builder builder = {
        .fabric = fabric, .graph = graph, .tables = tables, .columns = columns
    };
    enum sf_status status = SF_OK;

    *columnsp = NULL;
    builder.hop_of_port = sf_calloc(fabric->n_ports, sizeof(uint16_t));
    builder.hops = sf_calloc(n, sizeof *builder.hops);
    builder.seen = sf_calloc(n, sizeof *builder.seen);
    if (columns) {
        columns->n_switches = n;
        columns->max_lid = tables->max_lid;
        columns->first = sf_calloc((size_t)n + 1, sizeof *columns->first);
        columns->of_lid =
            sf_calloc((size_t)tables->max_lid + 1, sizeof *columns->of_lid);
    }
    if (!columns || !columns->first || !columns->of_lid ||
        !builder.hop_of_port || !builder.hops || !builder.seen) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for paths");
        goto done;
    }
    memset(columns->of_lid, 0xff,
           ((size_t)tables->max_lid + 1) * sizeof *columns->of_lid);
    sf_tables_map_ports(fabric, graph, link_ports, builder.hop_of_port);
    for (uint32_t d = 0; d < n && status == SF_OK; d++) {
        status = add_switch(&builder, d, err);
    }
    columns->first[n] = columns->n_columns;
    if (status == SF_OK) {
        *columnsp = columns;
        columns = NULL;
    }

done:
    free(builder.seen);
    free(builder.hops);
    free(builder.hop_of_port);
    sf_lft_columns_free(columns);
    return status;
}

void
sf_lft_columns_free(struct sf_lft_columns *columns)
{
    if (columns) {
        free(columns->n_lids);
        free(columns->of_lid);
        free(columns->hops);
        free(columns->first);
        free(columns);
    }
}
