/* plan_json.c -- plan.json: everything that a plan holds, written and read
 * back; doc/formats.md describes the members. */
#include "base/file.h"
#include "base/json_reader.h"
#include "base/mem.h"
#include "base/origin_json.h"
#include "io/plan_writers.h"

#include <inttypes.h>
#include <string.h>

#define SCHEMA "slimfly.plan"

/* Writing.  Items are made and written one by one, a line each. */

static enum sf_status
write_item(json_t *object, const char *separator, FILE *stream,
           struct sf_error *err)
{
    if (!object) {
        return sf_fail(err, SF_ENOMEM,
                       "cannot make JSON: out of memory, or a name that is "
                       "not UTF-8");
    }
    fputs(separator, stream);
    json_dumpf(object, stream, JSON_REAL_PRECISION(6));
    json_decref(object);
    return SF_OK;
}

static json_t *
make_floor(const struct sf_floor *floor)
{
    return json_pack(
        "{s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f}", "rack_units",
        (int)floor->rack_units, "switch_units", (int)floor->switch_units,
        "hosts_per_unit", (int)floor->hosts_per_unit, "racks_per_row",
        (int)floor->racks_per_row, "rack_pitch", floor->rack_pitch,
        "row_pitch", floor->row_pitch, "unit_height", floor->unit_height,
        "tray_height", floor->tray_height, "slack", floor->slack, "copper_max",
        floor->copper_max);
}

static json_t *
make_guid(uint64_t guid)
{
    char text[24];
    snprintf(text, sizeof text, "0x%016" PRIx64, guid);
    return json_string(text);
}

static json_t *
make_node(const struct sf_plan *plan, const struct sf_node *node)
{
    return json_pack("{s:s, s:o, s:i, s:s, s:i}", "name", node->name, "guid",
                     make_guid(node->guid), "ports", (int)node->n_ports,
                     "rack", plan->racks[node->rack].name, "unit",
                     (int)node->unit);
}

/* {node, port}, and the name of the port if it has one. */
static json_t *
make_end(const struct sf_plan *plan, uint32_t port)
{
    const struct sf_fabric *fabric = plan->fabric;
    const struct sf_port *at = &fabric->ports[port];
    const struct sf_node *node = &fabric->nodes[at->node];
    json_t *end =
        json_pack("{s:s, s:i}", "node", node->name, "port", (int)at->number);

    if (end && sf_port_names_exist(&fabric->port_names[node->kind])) {
        char name[SF_PORT_NAME_SIZE];
        sf_fabric_port_name(fabric, at->node, at->number, name);
        json_object_set_new(end, "port_name", json_string(name));
    }
    return end;
}

static json_t *
make_cable(const struct sf_plan *plan, uint32_t i)
{
    const struct sf_cable *cable = &plan->cables[i];

    return json_pack("{s:i, s:s, s:i, s:o, s:o, s:f, s:s, s:s}", "id",
                     (int)i + 1, "label", cable->label, "step",
                     (int)cable->step, "a", make_end(plan, cable->a), "b",
                     make_end(plan, cable->b), "length", cable->length,
                     "medium", sf_medium_name(cable->medium), "rate",
                     plan->fabric->ports[cable->a].rate);
}

/* The members of "port_names", by kind of node. */
static const char *const kind_keys[SF_N_NODE_KINDS] = {
    [SF_NODE_SWITCH] = "switches",
    [SF_NODE_HOST] = "hosts",
};

static enum sf_status
write_port_names(const struct sf_fabric *fabric, FILE *stream,
                 struct sf_error *err)
{
    bool exist = false;
    json_t *rules = json_object();

    for (int kind = 0; kind < SF_N_NODE_KINDS; kind++) {
        const struct sf_port_names *names = &fabric->port_names[kind];
        if (sf_port_names_exist(names)) {
            exist = true;
            json_object_set_new(rules, kind_keys[kind],
                                json_string(names->rule));
        }
    }
    if (!exist) {
        json_decref(rules);
        return SF_OK;
    }
    return write_item(rules, ",\n\"port_names\": ", stream, err);
}

enum sf_status
sf_plan_write_json(const struct sf_plan *plan, FILE *stream,
                   struct sf_error *err)
{
    const struct sf_fabric *fabric = plan->fabric;
    json_t *about = json_pack("{s:s, s:i, s:s, s:s, s:s}", "schema", SCHEMA,
                              "schema_version", 1, "spec", plan->spec,
                              "family", plan->family, "title", plan->title);
    struct sf_origin origin = { plan->program, plan->command };
    char *text = about && sf_origin_add_json(about, &origin)
                     ? json_dumps(about, 0)
                     : NULL;
    json_decref(about);
    if (!text) {
        return write_item(NULL, "", stream, err);
    }
    /* The members of 'about', without its closing brace. */
    fprintf(stream, "%.*s", (int)strlen(text) - 1, text);
    free(text);

    enum sf_status status = write_port_names(fabric, stream, err);
    if (status == SF_OK) {
        status = write_item(make_floor(&plan->floor), ",\n\"floor\": ", stream,
                            err);
    }
    fputs(",\n\"racks\": [", stream);
    for (uint32_t i = 0; status == SF_OK && i < plan->n_racks; i++) {
        const struct sf_rack *rack = &plan->racks[i];
        status =
            write_item(json_pack("{s:s, s:i, s:i, s:i}", "name", rack->name,
                                 "part", (int)rack->group, "row",
                                 (int)rack->row, "column", (int)rack->column),
                       i ? ",\n  " : "\n  ", stream, err);
    }
    fputs("\n],\n\"switches\": [", stream);
    for (uint32_t i = 0; status == SF_OK && i < fabric->n_switches; i++) {
        status = write_item(make_node(plan, &fabric->nodes[i]),
                            i ? ",\n  " : "\n  ", stream, err);
    }
    fputs("\n],\n\"hosts\": [", stream);
    for (uint32_t i = fabric->n_switches;
         status == SF_OK && i < fabric->n_nodes; i++) {
        status =
            write_item(make_node(plan, &fabric->nodes[i]),
                       i > fabric->n_switches ? ",\n  " : "\n  ", stream, err);
    }
    fputs("\n],\n\"cables\": [", stream);
    for (uint32_t i = 0; status == SF_OK && i < plan->n_cables; i++) {
        status =
            write_item(make_cable(plan, i), i ? ",\n  " : "\n  ", stream, err);
    }
    fputs("\n]}\n", stream);
    return status;
}

/* Reading.  A failure says where in the document it is: "cables[3].a". */

struct reader {
    struct sf_json_reader json;
    struct sf_plan *plan;
};

static double
get_length(struct reader *reader, const json_t *object, const char *where,
           const char *key)
{
    return sf_json_amount(&reader->json, object, where, key, "metres", 1e6);
}

static uint64_t
get_guid(struct reader *reader, const json_t *object, const char *where)
{
    const char *text = sf_json_text(&reader->json, object, where, "guid", 18);
    char *end;
    uint64_t guid = strtoull(text, &end, 16);

    if (strncmp(text, "0x", 2) != 0 || *end) {
        sf_json_refuse(
            &reader->json,
            "%s.guid: expected a GUID such as \"0x02534c4600000000\"", where);
    }
    return guid;
}

static void
read_floor(struct reader *reader, const json_t *root)
{
    const json_t *object = json_object_get(root, "floor");
    struct sf_floor *floor = &reader->plan->floor;

    floor->rack_units =
        sf_json_number(&reader->json, object, "floor", "rack_units", 1, 1000);
    floor->switch_units = sf_json_number(&reader->json, object, "floor",
                                         "switch_units", 1, 1000);
    floor->hosts_per_unit = sf_json_number(&reader->json, object, "floor",
                                           "hosts_per_unit", 1, 1000);
    floor->racks_per_row = sf_json_number(&reader->json, object, "floor",
                                          "racks_per_row", 1, 100000);
    floor->rack_pitch = get_length(reader, object, "floor", "rack_pitch");
    floor->row_pitch = get_length(reader, object, "floor", "row_pitch");
    floor->unit_height = get_length(reader, object, "floor", "unit_height");
    floor->tray_height = get_length(reader, object, "floor", "tray_height");
    floor->slack = get_length(reader, object, "floor", "slack");
    floor->copper_max = get_length(reader, object, "floor", "copper_max");
}

static void
read_racks(struct reader *reader, const json_t *root)
{
    const json_t *array = sf_json_array(&reader->json, root, "racks");
    struct sf_plan *plan = reader->plan;
    size_t n = json_array_size(array);

    plan->racks = sf_calloc(n, sizeof *plan->racks);
    if (!plan->racks) {
        sf_json_fail_memory(&reader->json);
        return;
    }
    plan->n_racks = (uint32_t)n;
    for (size_t i = 0; i < n && reader->json.status == SF_OK; i++) {
        const json_t *object = json_array_get(array, i);
        struct sf_rack *rack = &plan->racks[i];
        char where[40];
        snprintf(where, sizeof where, "racks[%zu]", i);
        snprintf(rack->name, sizeof rack->name, "%s",
                 sf_json_text(&reader->json, object, where, "name",
                              sizeof rack->name - 1));
        rack->group = sf_json_number(&reader->json, object, where, "part", 0,
                                     (uint32_t)n - 1);
        rack->row =
            sf_json_number(&reader->json, object, where, "row", 0, 1 << 20);
        rack->column =
            sf_json_number(&reader->json, object, where, "column", 0, 1 << 20);
        if (rack->group >= plan->n_groups) {
            plan->n_groups = rack->group + 1;
        }
    }
}

static uint32_t
find_rack(struct reader *reader, const json_t *object, const char *where,
          uint32_t guess)
{
    const char *name = sf_json_text(&reader->json, object, where, "rack", 23);
    const struct sf_plan *plan = reader->plan;

    /* Neighbours in the list mostly share a rack. */
    for (uint32_t i = 0; i < plan->n_racks; i++) {
        uint32_t rack = (guess + i) % plan->n_racks;
        if (!strcmp(plan->racks[rack].name, name)) {
            return rack;
        }
    }
    sf_json_refuse(&reader->json, "%s.rack: unknown rack '%s'", where, name);
    return 0;
}

static void
read_nodes(struct reader *reader, const json_t *root, const char *key,
           enum sf_node_kind kind, struct sf_fabric_builder *builder)
{
    const json_t *array = sf_json_array(&reader->json, root, key);
    uint32_t rack = 0;

    for (size_t i = 0;
         i < json_array_size(array) && reader->json.status == SF_OK; i++) {
        const json_t *object = json_array_get(array, i);
        char where[40], name[SF_MAX_NAME];
        snprintf(where, sizeof where, "%s[%zu]", key, i);
        snprintf(name, sizeof name, "%s",
                 sf_json_text(&reader->json, object, where, "name",
                              SF_MAX_NAME - 1));
        rack = find_rack(reader, object, where, rack);
        struct sf_node node = {
            .kind = kind,
            .name = name,
            .guid = get_guid(reader, object, where),
            .n_ports = sf_json_number(&reader->json, object, where, "ports", 1,
                                      SF_MAX_PORTS),
            .origin = (uint32_t)i,
            .rack = rack,
            .unit =
                sf_json_number(&reader->json, object, where, "unit", 1, 1000),
        };
        uint32_t index = sf_fabric_builder_node(builder, &node);
        for (uint32_t j = 1; kind == SF_NODE_HOST && j <= node.n_ports; j++) {
            struct sf_port *port = sf_fabric_builder_port(builder, index, j);
            if (port) {
                port->guid = node.guid + j;
            }
        }
    }
}

/* A name and the node that has it, for sorting and searching. */
struct name_entry {
    const char *name;
    uint32_t node;
};

static int
compare_names(const void *a, const void *b)
{
    return strcmp(((const struct name_entry *)a)->name,
                  ((const struct name_entry *)b)->name);
}

/* The names of 'fabric', sorted; refuses names that stand twice. */
static struct name_entry *
sort_names(struct reader *reader, const struct sf_fabric *fabric)
{
    struct name_entry *entries = sf_calloc(fabric->n_nodes, sizeof *entries);

    if (!entries) {
        sf_json_fail_memory(&reader->json);
        return NULL;
    }
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        entries[i] = (struct name_entry){ fabric->nodes[i].name, i };
    }
    qsort(entries, fabric->n_nodes, sizeof *entries, compare_names);
    for (uint32_t i = 1; i < fabric->n_nodes; i++) {
        if (!strcmp(entries[i].name, entries[i - 1].name)) {
            sf_json_refuse(&reader->json,
                           "expected names that differ, but '%s' stands twice",
                           entries[i].name);
        }
    }
    return entries;
}

/* The port that the member 'key' of a cable names. */
static uint32_t
read_end(struct reader *reader, const json_t *object, const char *where,
         const char *key, const struct name_entry *entries)
{
    const struct sf_fabric *fabric = reader->plan->fabric;
    const json_t *end = json_object_get(object, key);
    char end_where[48];
    snprintf(end_where, sizeof end_where, "%s.%s", where, key);
    const char *name =
        sf_json_text(&reader->json, end, end_where, "node", SF_MAX_NAME - 1);
    struct name_entry wanted = { name, 0 };
    const struct name_entry *entry = bsearch(&wanted, entries, fabric->n_nodes,
                                             sizeof *entries, compare_names);

    if (!entry) {
        sf_json_refuse(&reader->json, "%s.node: unknown node '%s'", end_where,
                       name);
        return SF_NONE;
    }
    uint32_t number = sf_json_number(&reader->json, end, end_where, "port", 1,
                                     fabric->nodes[entry->node].n_ports);
    uint32_t port = sf_fabric_port(fabric, entry->node, number);
    if (reader->json.status == SF_OK && fabric->ports[port].peer != SF_NONE) {
        sf_json_refuse(&reader->json,
                       "%s: port %u of '%s' has a cable already", end_where,
                       number, name);
    }
    return port;
}

static void
read_cable(struct reader *reader, const json_t *object, uint32_t i,
           const struct name_entry *entries)
{
    struct sf_plan *plan = reader->plan;
    struct sf_cable *cable = &plan->cables[i];
    char where[32];
    snprintf(where, sizeof where, "cables[%u]", i);

    cable->a = read_end(reader, object, where, "a", entries);
    cable->b = read_end(reader, object, where, "b", entries);
    cable->step = (enum sf_step)sf_json_number(&reader->json, object, where,
                                               "step", 0, SF_N_STEPS - 1);
    cable->length = get_length(reader, object, where, "length");
    snprintf(cable->label, sizeof cable->label, "%s",
             sf_json_text(&reader->json, object, where, "label",
                          sizeof cable->label - 1));
    const char *medium =
        sf_json_text(&reader->json, object, where, "medium", 16);
    cable->medium =
        !strcmp(medium, sf_medium_name(SF_COPPER)) ? SF_COPPER : SF_OPTICAL;
    if (strcmp(medium, sf_medium_name(cable->medium)) != 0) {
        sf_json_refuse(&reader->json, "%s.medium: expected copper or optical",
                       where);
    }
    const char *rate =
        sf_json_text(&reader->json, object, where, "rate", SF_RATE_SIZE - 1);
    if (reader->json.status == SF_OK && cable->a == cable->b) {
        sf_json_refuse(&reader->json, "%s: both ends are the same port",
                       where);
    }
    if (reader->json.status != SF_OK) {
        return;
    }
    sf_fabric_plug(plan->fabric, cable->a, cable->b);
    plan->cable_of_port[cable->a] = i;
    plan->cable_of_port[cable->b] = i;
    snprintf(plan->fabric->ports[cable->a].rate, SF_RATE_SIZE, "%s", rate);
    snprintf(plan->fabric->ports[cable->b].rate, SF_RATE_SIZE, "%s", rate);
}

static void
read_cables(struct reader *reader, const json_t *root)
{
    struct sf_plan *plan = reader->plan;
    const json_t *array = sf_json_array(&reader->json, root, "cables");
    size_t n = json_array_size(array);
    struct name_entry *entries = sort_names(reader, plan->fabric);

    plan->cables = sf_calloc(n, sizeof *plan->cables);
    plan->cable_of_port = sf_calloc(plan->fabric->n_ports, sizeof(uint32_t));
    if (!plan->cables || !plan->cable_of_port || !entries) {
        sf_json_fail_memory(&reader->json);
        free(entries);
        return;
    }
    for (uint32_t i = 0; i < plan->fabric->n_ports; i++) {
        plan->cable_of_port[i] = SF_NONE;
    }
    for (uint32_t i = 0; reader->json.status == SF_OK && i < n; i++) {
        read_cable(reader, json_array_get(array, i), i, entries);
    }
    plan->n_cables = (uint32_t)n;
    free(entries);
}

/* Reads the rules for the names of ports, if there are any. */
static void
read_port_names(struct reader *reader, const json_t *root)
{
    const json_t *rules = json_object_get(root, "port_names");
    struct sf_error problem;

    for (int kind = 0; rules && kind < SF_N_NODE_KINDS; kind++) {
        const char *rule;
        if (json_is_object(rules) &&
            !json_object_get(rules, kind_keys[kind])) {
            continue;
        }
        rule = sf_json_text(&reader->json, rules, "port_names",
                            kind_keys[kind], SF_PORT_RULE_SIZE - 1);
        if (reader->json.status == SF_OK &&
            sf_port_names_parse(rule, &reader->plan->fabric->port_names[kind],
                                &problem) != SF_OK) {
            sf_json_refuse(&reader->json, "port_names.%s: %s", kind_keys[kind],
                           problem.text);
        }
    }
}

/* Reads what made the plan, if it says so. */
static void
read_origin(struct reader *reader, const json_t *root)
{
    const char *texts[2] = { NULL, NULL };

    for (int i = 0; i < 2; i++) {
        const char *key = i ? "command" : "program";
        if (json_object_get(root, key)) {
            texts[i] = sf_json_text(&reader->json, root, "plan", key, 1 << 20);
        }
    }
    struct sf_origin origin = { texts[0], texts[1] };
    if (reader->json.status == SF_OK) {
        reader->json.status =
            sf_plan_set_origin(reader->plan, &origin, reader->json.err);
    }
}

static void
read_root(struct reader *reader, const json_t *root)
{
    struct sf_plan *plan = reader->plan;
    struct sf_fabric_builder *builder;
    const char *schema = json_string_value(json_object_get(root, "schema"));

    if (!schema || strcmp(schema, SCHEMA) != 0) {
        sf_json_refuse(&reader->json,
                       "schema: expected \"" SCHEMA "\"; is this a plan?");
        return;
    }
    sf_json_number(&reader->json, root, "plan", "schema_version", 1, 1);
    plan->spec =
        sf_strdup(sf_json_text(&reader->json, root, "plan", "spec", 4096));
    plan->family =
        sf_strdup(sf_json_text(&reader->json, root, "plan", "family", 64));
    plan->title =
        sf_strdup(sf_json_text(&reader->json, root, "plan", "title", 200));
    if (!plan->spec || !plan->family || !plan->title) {
        sf_json_fail_memory(&reader->json);
    }
    read_origin(reader, root);
    read_floor(reader, root);
    if (reader->json.status != SF_OK) {
        return;
    }
    read_racks(reader, root);
    if (reader->json.status != SF_OK) {
        return;
    }
    reader->json.status =
        sf_fabric_builder_new(NULL, &builder, reader->json.err);
    if (reader->json.status != SF_OK) {
        return;
    }
    read_nodes(reader, root, "switches", SF_NODE_SWITCH, builder);
    read_nodes(reader, root, "hosts", SF_NODE_HOST, builder);
    if (reader->json.status != SF_OK) {
        sf_fabric_builder_free(builder);
        return;
    }
    reader->json.status =
        sf_fabric_builder_end(builder, &plan->fabric, reader->json.err);
    if (reader->json.status == SF_OK) {
        read_port_names(reader, root);
        read_cables(reader, root);
    }
}

enum sf_status
sf_plan_parse(const char *text, size_t length, const char *path,
              struct sf_plan **planp, struct sf_error *err)
{
    struct reader reader = { .json = { .path = path, .err = err } };
    json_error_t problem;

    *planp = NULL;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        return sf_fail(err, SF_EPARSE, "%s:%d: expected JSON: %s", path,
                       problem.line, problem.text);
    }
    reader.plan = sf_calloc(1, sizeof *reader.plan);
    if (reader.plan) {
        read_root(&reader, root);
    } else {
        reader.json.status = sf_fail(err, SF_ENOMEM, "out of memory");
    }
    json_decref(root);
    if (reader.json.status == SF_OK) {
        *planp = reader.plan;
    } else {
        sf_plan_free(reader.plan);
    }
    return reader.json.status;
}

enum sf_status
sf_plan_read(const char *path, struct sf_plan **planp, struct sf_error *err)
{
    char *text;
    size_t length;

    *planp = NULL;
    enum sf_status status = sf_file_read(path, &text, &length, err);
    if (status == SF_OK) {
        status = sf_plan_parse(text, length, path, planp, err);
    }
    free(text);
    return status;
}
