/* routes_json.c -- see routes_json.h. */
#include "ip/routes_json.h"

#include "base/mem.h"
#include "routes/ports.h"

#include <stdlib.h>

#define MOST_SETS 1024

/* Where a reader is. */
struct place {
    struct sf_json_reader *reader;
    const char *where, *dot; /* What messages begin with. */
    const struct sf_network *network;
    uint16_t *hop_of_port;
};

/* The out ports of all switches towards one, 0 where there is none. */
static json_t *
make_column(const struct sf_network *network, const uint16_t *column)
{
    json_t *array = json_array();

    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        uint32_t arc = network->graph->first[s] + column[s];
        json_array_append_new(
            array,
            json_integer(column[s] == SF_NO_HOP
                             ? 0
                             : (json_int_t)sf_network_port(network, arc)));
    }
    return array;
}

json_t *
sf_routes_to_json(const struct sf_network *network,
                  const struct sf_routes *routes)
{
    uint32_t n_layers = sf_routes_n_layers(routes);
    json_t *columns = json_array(), *sets = json_array();

    for (uint32_t h = 0; h < sf_network_count_hosts(network); h++) {
        json_array_append_new(sets, json_integer(routes->host_sets[h]));
    }
    for (uint32_t i = 0; i < routes->n_sets * n_layers; i++) {
        const struct sf_layers *set = routes->sets[i / n_layers];
        for (uint32_t d = 0; d < network->graph->n_nodes; d++) {
            json_array_append_new(
                columns,
                make_column(network, sf_layers_tree(set, i % n_layers, d)));
        }
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o}", "n_sets",
                     (json_int_t)routes->n_sets, "n_layers",
                     (json_int_t)n_layers, "n_addresses",
                     (json_int_t)routes->n_addresses, "max_hops",
                     (json_int_t)routes->sets[0]->max_hops, "host_sets", sets,
                     "columns", columns);
}

/* Makes empty routes of the sizes that 'object' says. */
static enum sf_status
make_routes(const struct place *at, const json_t *object,
            struct sf_routes **routesp)
{
    struct sf_json_reader *reader = at->reader;
    uint32_t n_sets =
        sf_json_number(reader, object, at->where, "n_sets", 1, MOST_SETS);
    uint32_t n_layers = sf_json_number(reader, object, at->where, "n_layers",
                                       1, SF_MAX_LAYERS);
    uint32_t n_addresses = sf_json_number(reader, object, at->where,
                                          "n_addresses", 1, SF_MAX_LAYERS);
    uint32_t max_hops =
        sf_json_number(reader, object, at->where, "max_hops", 0, UINT32_MAX);
    enum sf_status status = reader->status;

    if (status == SF_OK) {
        status = sf_routes_make(at->network, n_sets, routesp, reader->err);
    }
    for (uint32_t i = 0; status == SF_OK && i < n_sets; i++) {
        status = sf_layers_make(n_layers, at->network->graph->n_nodes,
                                &(*routesp)->sets[i], reader->err);
        if (status == SF_OK) {
            (*routesp)->sets[i]->max_hops = max_hops;
        }
    }
    if (status == SF_OK) {
        (*routesp)->n_addresses = n_addresses;
        (*routesp)->n_switch_addresses = 1;
    }
    return status;
}

/* The number at 'i' of 'array'; -1 if there is none. */
static json_int_t
number_at(const json_t *array, size_t i)
{
    const json_t *item = json_array_get(array, i);
    return json_is_integer(item) ? json_integer_value(item) : -1;
}

/* A column: out ports, which must have a link to another switch. */
static void
read_column(const struct place *at, const json_t *array, size_t i,
            uint16_t *column)
{
    const struct sf_network *network = at->network;
    uint32_t n_switches = network->graph->n_nodes;

    if (json_array_size(array) != n_switches) {
        sf_json_refuse(at->reader, "%s%scolumns[%zu]: expected %u ports",
                       at->where, at->dot, i, n_switches);
        return;
    }
    for (uint32_t s = 0; s < n_switches; s++) {
        json_int_t number = number_at(array, s);
        uint32_t port =
            number > 0 && number <= SF_MAX_PORTS
                ? sf_fabric_port(network->fabric, s, (uint32_t)number)
                : SF_NONE;
        column[s] = port == SF_NONE ? SF_NO_HOP : at->hop_of_port[port];
        if (number != 0 && column[s] == SF_NO_HOP) {
            sf_json_refuse(at->reader,
                           "%s%scolumns[%zu][%u]: expected 0 or a port with "
                           "a link",
                           at->where, at->dot, i, s);
            return;
        }
    }
}

static void
read_columns(const struct place *at, const json_t *object,
             struct sf_routes *routes)
{
    const json_t *columns = json_object_get(object, "columns");
    uint32_t n_layers = sf_routes_n_layers(routes);
    uint32_t n_switches = at->network->graph->n_nodes;
    size_t n = (size_t)routes->n_sets * n_layers * n_switches;

    if (json_array_size(columns) != n) {
        sf_json_refuse(at->reader, "%s%scolumns: expected %zu of them",
                       at->where, at->dot, n);
    }
    for (size_t i = 0; at->reader->status == SF_OK && i < n; i++) {
        size_t which = i / n_switches;
        const struct sf_layers *set = routes->sets[which / n_layers];
        read_column(at, json_array_get(columns, i), i,
                    sf_layers_tree(set, (uint32_t)(which % n_layers),
                                   (uint32_t)(i % n_switches)));
    }
}

static void
read_host_sets(const struct place *at, const json_t *object,
               struct sf_routes *routes)
{
    const json_t *sets = json_object_get(object, "host_sets");
    uint32_t n_hosts = sf_network_count_hosts(at->network);

    if (json_array_size(sets) != n_hosts) {
        sf_json_refuse(at->reader, "%s%shost_sets: expected %u of them",
                       at->where, at->dot, n_hosts);
        return;
    }
    for (uint32_t h = 0; h < n_hosts; h++) {
        json_int_t set = number_at(sets, h);
        if (set < 0 || set >= routes->n_sets) {
            sf_json_refuse(at->reader,
                           "%s%shost_sets[%u]: expected a number from 0 to %u",
                           at->where, at->dot, h, routes->n_sets - 1);
            return;
        }
        routes->host_sets[h] = (uint32_t)set;
    }
}

enum sf_status
sf_routes_from_json(struct sf_json_reader *reader, const json_t *object,
                    const char *where, const struct sf_network *network,
                    struct sf_routes **routesp)
{
    struct place at = { reader, where, *where ? "." : "", network, NULL };
    enum sf_status status;

    *routesp = NULL;
    at.hop_of_port = sf_network_hops_of_ports(network);
    if (!at.hop_of_port) {
        sf_json_fail_memory(reader);
        return SF_ENOMEM;
    }
    status = make_routes(&at, object, routesp);
    if (status == SF_OK) {
        read_host_sets(&at, object, *routesp);
        read_columns(&at, object, *routesp);
        status = reader->status;
    }
    free(at.hop_of_port);
    if (status != SF_OK) {
        sf_routes_free(*routesp);
        *routesp = NULL;
    }
    return status;
}
