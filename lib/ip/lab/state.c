/* state.c -- what a lab is, as JSON: its fabric, its routes as out ports, its
 * rates.  Everything else follows. */
#define _GNU_SOURCE
#include "ip/lab/lab.h"

#include "base/file.h"
#include "base/json_reader.h"
#include "base/mem.h"
#include "ip/routes_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA     "slimfly.lab-state"
#define MOST_RATE  1e15
#define MOST_NODES 1000000

static json_t *
make_nodes(const struct sf_fabric *fabric)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        char guid[24];
        snprintf(guid, sizeof guid, "0x%llx", (unsigned long long)node->guid);
        json_array_append_new(
            array, json_pack("{s:s, s:b, s:I, s:s}", "name", node->name,
                             "is_host", node->kind == SF_NODE_HOST, "ports",
                             (json_int_t)node->n_ports, "guid", guid));
    }
    return array;
}

/* Cables: node and port of one end, node and port of the other. */
static json_t *
make_cables(const struct sf_fabric *fabric)
{
    json_t *array = json_array();

    for (uint32_t p = 0; p < fabric->n_ports; p++) {
        const struct sf_port *a = &fabric->ports[p];
        if (a->peer != SF_NONE && a->peer > p) {
            const struct sf_port *b = &fabric->ports[a->peer];
            json_array_append_new(
                array, json_pack("[I, I, I, I]", (json_int_t)a->node,
                                 (json_int_t)a->number, (json_int_t)b->node,
                                 (json_int_t)b->number));
        }
    }
    return array;
}

static json_t *
make_state(const struct sf_lab *lab)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    struct sf_ip_text prefix =
        sf_ip_prefix_text(lab->tables->addresses.prefix);

    return json_pack(
        "{s:s, s:i, s:s, s:f, s:f, s:s, s:s, s:s, s:b, s:o, s:o, s:o}",
        "schema", SCHEMA, "schema_version", 1, "name", lab->folder.name,
        "link_rate", lab->link_rate, "host_rate", lab->host_rate, "prefix",
        prefix.text, "switch_ports", lab->switch_ports.rule, "host_ports",
        lab->host_ports.rule, "has_alternates", lab->has_alternates, "nodes",
        make_nodes(fabric), "cables", make_cables(fabric), "routes",
        sf_routes_to_json(lab->network, lab->routes));
}

enum sf_status
sf_lab_state_write(const struct sf_lab *lab, struct sf_error *err)
{
    char *path = sf_lab_folder_path(&lab->folder, SF_LAB_STATE);
    char *fresh = sf_lab_folder_path(&lab->folder, SF_LAB_NEW_STATE);
    json_t *root = path && fresh ? make_state(lab) : NULL;
    enum sf_status status = SF_OK;

    if (!root) {
        status = sf_fail(err, SF_ENOMEM, "the state of a lab");
    } else if (json_dump_file(root, fresh, JSON_COMPACT) ||
               rename(fresh, path)) {
        status = sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno));
        unlink(fresh);
    }
    json_decref(root);
    free(fresh);
    free(path);
    return status;
}

/* Reading. */

static void
read_node(struct sf_json_reader *reader, const json_t *object, size_t i,
          struct sf_fabric_builder *builder)
{
    char where[40];
    struct sf_node node = { .origin = SF_NONE, .rack = SF_NONE };

    snprintf(where, sizeof where, "nodes[%zu]", i);
    const char *name = sf_json_text(reader, object, where, "name", 255);
    const char *guid = sf_json_text(reader, object, where, "guid", 24);
    node.n_ports =
        sf_json_number(reader, object, where, "ports", 0, SF_MAX_PORTS);
    node.kind = json_is_true(json_object_get(object, "is_host"))
                    ? SF_NODE_HOST
                    : SF_NODE_SWITCH;
    node.guid = strtoull(guid, NULL, 16);
    node.name = sf_strdup(name);
    if (!node.name) {
        sf_json_fail_memory(reader);
    } else {
        sf_fabric_builder_node(builder, &node);
    }
    free(node.name);
}

static void
read_cable(struct sf_json_reader *reader, const json_t *array, size_t i,
           size_t n_nodes, struct sf_fabric_builder *builder)
{
    json_int_t ends[4] = { 0 };

    for (size_t k = 0; k < 4; k++) {
        ends[k] = json_integer_value(json_array_get(array, k));
    }
    if (json_array_size(array) != 4 || ends[0] < 0 ||
        (size_t)ends[0] >= n_nodes || ends[2] < 0 ||
        (size_t)ends[2] >= n_nodes || ends[1] < 0 || ends[1] > SF_MAX_PORTS ||
        ends[3] < 0 || ends[3] > SF_MAX_PORTS ||
        !sf_fabric_builder_cable(builder, (uint32_t)ends[0], (uint32_t)ends[1],
                                 (uint32_t)ends[2], (uint32_t)ends[3])) {
        sf_json_refuse(reader,
                       "cables[%zu]: expected two nodes with free ports", i);
    }
}

static enum sf_status
read_network(struct sf_json_reader *reader, const json_t *root,
             struct sf_lab *lab)
{
    const json_t *nodes = sf_json_array(reader, root, "nodes");
    const json_t *cables = sf_json_array(reader, root, "cables");
    struct sf_fabric_builder *builder = NULL;
    struct sf_fabric *fabric = NULL;

    if (json_array_size(nodes) > MOST_NODES) {
        sf_json_refuse(reader, "nodes: expected at most %d", MOST_NODES);
    }
    if (reader->status != SF_OK) {
        return reader->status;
    }
    enum sf_status status = sf_fabric_builder_new(NULL, &builder, reader->err);
    if (status != SF_OK) {
        return status;
    }
    for (size_t i = 0; reader->status == SF_OK && i < json_array_size(nodes);
         i++) {
        read_node(reader, json_array_get(nodes, i), i, builder);
    }
    for (size_t i = 0; reader->status == SF_OK && i < json_array_size(cables);
         i++) {
        read_cable(reader, json_array_get(cables, i), i,
                   json_array_size(nodes), builder);
    }
    if (reader->status != SF_OK) {
        sf_fabric_builder_free(builder);
        return reader->status;
    }
    status = sf_fabric_builder_end(builder, &fabric, reader->err);
    if (status == SF_OK) {
        status = sf_network_build(fabric, &lab->network, reader->err);
    }
    sf_fabric_free(fabric);
    return status;
}

static enum sf_status
read_settings(struct sf_json_reader *reader, const json_t *root,
              struct sf_lab *lab)
{
    if (strcmp(sf_json_text(reader, root, "", "schema", 40), SCHEMA) != 0) {
        sf_json_refuse(reader, "schema: expected \"%s\"", SCHEMA);
    }
    sf_json_number(reader, root, "", "schema_version", 1, 1);
    lab->link_rate = sf_json_amount(reader, root, "", "link_rate",
                                    "bits a second", MOST_RATE);
    lab->host_rate = sf_json_amount(reader, root, "", "host_rate",
                                    "bits a second", MOST_RATE);
    lab->has_alternates =
        json_is_true(json_object_get(root, "has_alternates"));
    return reader->status;
}

static enum sf_status
read_all(struct sf_json_reader *reader, const json_t *root, struct sf_lab *lab)
{
    struct sf_ip_params params = { 0 };
    struct sf_ip_addresses addresses;
    enum sf_status status = read_settings(reader, root, lab);

    if (status == SF_OK) {
        status = read_network(reader, root, lab);
    }
    if (status == SF_OK) {
        const char *ports = sf_json_text(reader, root, "", "switch_ports",
                                         SF_PORT_RULE_SIZE - 1);
        const char *host_ports = sf_json_text(reader, root, "", "host_ports",
                                              SF_PORT_RULE_SIZE - 1);
        status = sf_lab_read_rules(lab, ports, host_ports, reader->err);
    }
    if (status == SF_OK) {
        status = sf_routes_from_json(reader, json_object_get(root, "routes"),
                                     "routes", lab->network, &lab->routes);
    }
    if (status == SF_OK) {
        params.prefix = sf_json_text(reader, root, "", "prefix", 60);
        params.n_layers = lab->routes->n_addresses;
        status = reader->status;
    }
    if (status == SF_OK) {
        status = sf_ip_plan_addresses(lab->network->fabric, &params,
                                      &addresses, reader->err);
    }
    return status == SF_OK ? sf_lab_complete(lab, &addresses, reader->err)
                           : status;
}

enum sf_status
sf_lab_state_parse(struct sf_lab *lab, const char *text, size_t length,
                   const char *path, struct sf_error *err)
{
    struct sf_json_reader reader = { .path = path, .err = err };
    json_error_t problem;

    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        return sf_fail(err, SF_EPARSE, "%s:%d: %s", path, problem.line,
                       problem.text);
    }
    enum sf_status status = read_all(&reader, root, lab);
    json_decref(root);
    return status;
}

enum sf_status
sf_lab_state_read(struct sf_lab *lab, const char *path, struct sf_error *err)
{
    char *text;
    size_t length;
    enum sf_status status = sf_file_read(path, &text, &length, err);

    if (status == SF_OK) {
        status = sf_lab_state_parse(lab, text, length, path, err);
        free(text);
    }
    return status;
}
