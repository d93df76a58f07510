/* path_columns.c -- see path_columns.h. */
#include "lanes/path_columns.h"

#include "base/mem.h"
#include "slimfly/progress.h"

#include <string.h>

/* What building needs beside the result. */
struct builder {
    const struct sf_network *network;
    const struct sf_routes *routes;
    struct sf_path_columns *columns;
    uint32_t *seen;  /* [V] By which walk a switch was last passed. */
    size_t capacity; /* Columns that there is room for. */
    uint32_t first;  /* The first column of the destination at hand. */
    uint32_t n_layers;
};

/* Whether every path of a column ends. */
static bool
ends(struct builder *builder, const uint16_t *hops)
{
    const struct sf_graph *graph = builder->network->graph;

    memset(builder->seen, 0, graph->n_nodes * sizeof *builder->seen);
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t at = s;
        while (hops[at] != SF_NO_HOP && !builder->seen[at]) {
            builder->seen[at] = s + 1;
            at = graph->arcs[graph->first[at] + hops[at]].to;
        }
        if (hops[at] != SF_NO_HOP && builder->seen[at] == s + 1) {
            return false;
        }
    }
    return true;
}

static bool
make_room(struct builder *builder)
{
    struct sf_path_columns *columns = builder->columns;

    if (columns->n_columns < builder->capacity) {
        return true;
    }
    size_t capacity = 2 * builder->capacity + 64;
    const uint16_t **hops =
        sf_realloc(columns->hops, capacity, sizeof *columns->hops);
    if (!hops) {
        return false;
    }
    columns->hops = hops;
    uint32_t *n_addresses = sf_realloc(columns->n_addresses, capacity,
                                       sizeof *columns->n_addresses);
    if (!n_addresses) {
        return false;
    }
    columns->n_addresses = n_addresses;
    builder->capacity = capacity;
    return true;
}

/* Adds the column towards switch 'd' in 'layer' of 'set', unless there is one
 * like it. */
static enum sf_status
add_tree(struct builder *builder, uint32_t d, uint32_t set, uint32_t layer,
         struct sf_error *err)
{
    struct sf_path_columns *columns = builder->columns;
    size_t size = columns->n_switches * sizeof(uint16_t);
    const uint16_t *hops =
        sf_layers_tree(builder->routes->sets[set], layer, d);
    uint32_t i = builder->first;

    while (i < columns->n_columns &&
           memcmp(columns->hops[i], hops, size) != 0) {
        i++;
    }
    if (i == columns->n_columns) {
        if (!ends(builder, hops)) {
            return sf_fail(
                err, SF_EINVAL, "paths to switch %s in layer %u form a loop",
                sf_graph_name(builder->network->graph, d).text, layer);
        }
        if (!make_room(builder)) {
            return sf_fail(err, SF_ENOMEM, "out of memory for paths");
        }
        columns->hops[i] = hops;
        columns->n_addresses[i] = 0;
        columns->n_columns++;
    }
    columns->of_tree[sf_path_columns_tree(columns, builder->n_layers, set,
                                          layer, d)] = i;
    return SF_OK;
}

/* Adds an address of switch 'd' or, if 'is_host', of a host there. */
static enum sf_status
add_address(struct builder *builder, uint32_t d, uint32_t set,
            uint32_t address, bool is_host, struct sf_error *err)
{
    struct sf_path_columns *columns = builder->columns;
    uint32_t layer = address % builder->n_layers;
    size_t tree =
        sf_path_columns_tree(columns, builder->n_layers, set, layer, d);
    enum sf_status status = SF_OK;

    if (columns->of_tree[tree] == SF_NONE) {
        status = add_tree(builder, d, set, layer, err);
    }
    if (status == SF_OK) {
        columns->n_addresses[columns->of_tree[tree]] += is_host;
    }
    return status;
}

/* Adds all columns that lead to switch 'd'. */
static enum sf_status
add_switch(struct builder *builder, uint32_t d, struct sf_error *err)
{
    const struct sf_network *network = builder->network;
    const struct sf_routes *routes = builder->routes;
    enum sf_status status = SF_OK;

    builder->first = builder->columns->n_columns;
    for (uint32_t k = 0; status == SF_OK && k < routes->n_switch_addresses;
         k++) {
        status = add_address(builder, d, 0, k, false, err);
    }
    for (uint32_t host = network->first_host[d];
         host < network->first_host[d + 1]; host++) {
        for (uint32_t k = 0; status == SF_OK && k < routes->n_addresses; k++) {
            status =
                add_address(builder, d, routes->host_sets[host], k, true, err);
        }
    }
    return status;
}

enum sf_status
sf_path_columns_build(const struct sf_network *network,
                      const struct sf_routes *routes,
                      struct sf_path_columns **columnsp, struct sf_error *err)
{
    uint32_t n = network->graph->n_nodes;
    uint32_t n_layers = sf_routes_n_layers(routes);
    size_t n_trees = (size_t)routes->n_sets * n_layers * n;
    struct sf_path_columns *columns = sf_calloc(1, sizeof *columns);
    struct builder builder = { .network = network,
                               .routes = routes,
                               .columns = columns,
                               .n_layers = n_layers,
                               .seen = sf_calloc(n, sizeof *builder.seen) };
    enum sf_status status = SF_OK;

    *columnsp = NULL;
    if (columns) {
        columns->n_switches = n;
        columns->of_tree = sf_calloc(n_trees, sizeof *columns->of_tree);
    }
    if (!columns || !columns->of_tree || !builder.seen) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for paths");
        goto done;
    }
    memset(columns->of_tree, 0xff, n_trees * sizeof *columns->of_tree);
    for (uint32_t d = 0; d < n && status == SF_OK; d++) {
        sf_progress_report("collecting paths for lanes", d, n);
        status = add_switch(&builder, d, err);
    }
    if (status == SF_OK) {
        *columnsp = columns;
        columns = NULL;
    }

done:
    free(builder.seen);
    sf_path_columns_free(columns);
    return status;
}

void
sf_path_columns_free(struct sf_path_columns *columns)
{
    if (columns) {
        free(columns->of_tree);
        free(columns->n_addresses);
        free(columns->hops);
        free(columns);
    }
}
