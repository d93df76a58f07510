/* routing_folder.c -- reads back what 'slimfly route' wrote into a folder. */
#include "base/json_reader.h"
#include "base/mem.h"
#include "slimfly/discovery.h"
#include "slimfly/ib.h"

#include <stdio.h>
#include <string.h>

/* Takes out of 'root' what was asked for.  Earlier files do not tell: then it
 * was nothing. */
static void
read_asked(struct sf_json_reader *reader, const json_t *root,
           const json_t *lanes_object, struct sf_routing *routing)
{
    struct sf_layers_params *layers = &routing->params.layers;
    const json_t *by_default = json_object_get(lanes_object, "by_default");

    if (json_object_get(root, "asked_max_hops")) {
        layers->max_hops =
            sf_json_number(reader, root, "", "asked_max_hops", 0, UINT32_MAX);
    }
    if (json_object_get(root, "paper_min_hops")) {
        layers->paper_min_hops =
            sf_json_number(reader, root, "", "paper_min_hops", 0, UINT32_MAX);
    }
    if (json_object_get(root, "rues_fraction")) {
        layers->rues_fraction = sf_json_amount(
            reader, root, "", "rues_fraction", "a share of links", 1);
    }
    if (by_default && !json_is_boolean(by_default)) {
        sf_json_refuse(reader, "lanes.by_default: expected true or false");
    }
    routing->has_default_lanes = !by_default || json_is_true(by_default);
}

/* Takes the settings out of 'root'. */
static void
read_settings(struct sf_json_reader *reader, const json_t *root,
              struct sf_routing *routing)
{
    struct sf_routing_params *params = &routing->params;

    if (strcmp(sf_json_text(reader, root, "", "schema", 40),
               "slimfly.route") != 0) {
        sf_json_refuse(reader, "schema: expected \"slimfly.route\"");
        return;
    }
    sf_json_number(reader, root, "", "schema_version", 1, 1);
    const char *name = sf_json_text(reader, root, "", "scheme", 40);
    const struct sf_layer_scheme *layers = sf_layer_scheme_find(name);
    if (!layers) {
        sf_json_refuse(reader, "scheme: '%s' is not known here", name);
        return;
    }
    const json_t *lanes_object = json_object_get(root, "lanes");
    name = sf_json_text(reader, lanes_object, "lanes", "scheme", 40);
    const struct sf_lane_scheme *lanes = sf_lane_scheme_find(name);
    if (!lanes) {
        sf_json_refuse(reader, "lanes.scheme: '%s' is not known here", name);
        return;
    }
    params->layers.scheme = layers->name;
    params->layers.n_layers =
        sf_json_number(reader, root, "", "n_layers", 1, SF_MAX_LAYERS);
    if (!json_is_integer(json_object_get(root, "seed"))) {
        sf_json_refuse(reader, "seed: expected a whole number");
    }
    params->layers.seed =
        (uint64_t)json_integer_value(json_object_get(root, "seed"));
    read_asked(reader, root, lanes_object, routing);
    params->lanes = lanes->name;
    params->max_sls =
        sf_json_number(reader, lanes_object, "lanes", "max_sls", 1, SF_N_SLS);
    params->max_vls = sf_json_number(reader, lanes_object, "lanes", "max_vls",
                                     1, SF_MAX_VLS);
    params->n_path_sets =
        sf_json_number(reader, root, "", "n_path_sets", 1, UINT32_MAX);
    routing->max_hops =
        sf_json_number(reader, root, "", "max_hops", 1, UINT32_MAX);
}

static enum sf_status
read_report(const char *path, struct sf_routing *routing, struct sf_error *err)
{
    struct sf_json_reader reader = { .path = path, .err = err };
    json_error_t problem;

    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        return problem.line < 0 /* It names the file then. */
                   ? sf_fail(err, SF_EIO, "%s", problem.text)
                   : sf_fail(err, SF_EPARSE, "%s:%d: %s", path, problem.line,
                             problem.text);
    }
    read_settings(&reader, root, routing);
    json_decref(root);
    return reader.status;
}

enum sf_status
sf_routing_params_read(const char *path, struct sf_routing_params *params,
                       struct sf_error *err)
{
    struct sf_routing routing = { 0 };
    enum sf_status status = read_report(path, &routing, err);

    *params = routing.params;
    return status;
}

/* What the files of a folder say. */
struct contents {
    struct sf_fabric *fabric;
    struct sf_tables *tables;
    struct sf_sl2vl *sl2vl; /* NULL unless the lanes need turns. */
};

/* Refuses tables from 'path' that lack a switch: a file that is cut off. */
static enum sf_status
check_complete(const char *path, const struct contents *contents,
               struct sf_error *err)
{
    const struct sf_tables *tables = contents->tables;

    for (uint32_t s = 0; s < tables->n_switches; s++) {
        uint32_t lid = 1;
        while (lid <= tables->max_lid &&
               sf_tables_of(tables, s)[lid] == SF_NO_PORT) {
            lid++;
        }
        if (lid > tables->max_lid) {
            return sf_fail(err, SF_EPARSE,
                           "%s: expected a table of each switch, found none "
                           "of %s",
                           path, contents->fabric->nodes[s].name);
        }
    }
    return SF_OK;
}

/* Reads the four files at 'paths'. */
static enum sf_status
read_files(char *const *paths, struct sf_routing *routing,
           struct contents *contents, struct sf_error *err)
{
    enum sf_status status = read_report(paths[0], routing, err);

    if (status == SF_OK) {
        status = sf_ibnetdiscover_read(paths[1], &contents->fabric, err);
    }
    if (status == SF_OK) {
        status =
            sf_tables_read(paths[2], contents->fabric, &contents->tables, err);
    }
    if (status == SF_OK) {
        status = check_complete(paths[2], contents, err);
    }
    if (status == SF_OK &&
        sf_lane_scheme_find(routing->params.lanes)->needs_turns) {
        status =
            sf_sl2vl_read(paths[3], contents->fabric, &contents->sl2vl, err);
    }
    return status;
}

/* Makes a routing of what was read. */
static enum sf_status
decode(const struct contents *contents, struct sf_routing *routing,
       struct sf_error *err)
{
    struct sf_routing_params *params = &routing->params;
    enum sf_status status =
        sf_network_build(contents->fabric, &routing->network, err);

    if (status == SF_OK) {
        status = sf_ib_decode(routing->network, contents->tables,
                              params->layers.n_layers, &routing->routes, err);
    }
    if (status == SF_OK) {
        sf_ib_count_addresses(contents->fabric, params);
    }
    if (status == SF_OK && contents->sl2vl) {
        status = sf_ib_decode_turns(routing->network, contents->sl2vl,
                                    routing->routes, err);
    }
    return status == SF_OK ? sf_routing_add_lanes(routing, err) : status;
}

static enum sf_status
read_all(char *const *paths, struct sf_routing *routing, struct sf_error *err)
{
    struct contents contents = { 0 };
    enum sf_status status = read_files(paths, routing, &contents, err);

    if (status == SF_OK) {
        status = decode(&contents, routing, err);
    }
    sf_sl2vl_free(contents.sl2vl);
    sf_tables_free(contents.tables);
    sf_fabric_free(contents.fabric);
    return status;
}

enum sf_status
sf_ib_read_routing(const char *folder, struct sf_routing **routingp,
                   struct sf_error *err)
{
    static const char *const names[] = { "route.json", "fabric.ibnetdiscover",
                                         "opensm-lfts.dump",
                                         "opensm-sl2vl.dump" };
    char *paths[4] = { 0 };
    struct sf_routing *routing = sf_calloc(1, sizeof *routing);
    bool made = routing != NULL;

    *routingp = NULL;
    for (size_t i = 0; i < 4; i++) {
        size_t size = strlen(folder) + strlen(names[i]) + 2;
        paths[i] = sf_calloc(size, 1);
        made = made && paths[i];
        if (paths[i]) {
            snprintf(paths[i], size, "%s/%s", folder, names[i]);
        }
    }
    enum sf_status status =
        made ? read_all(paths, routing, err)
             : sf_fail(err, SF_ENOMEM, "out of memory for %s", folder);
    for (size_t i = 0; i < 4; i++) {
        free(paths[i]);
    }
    if (status == SF_OK) {
        *routingp = routing;
    } else {
        sf_routing_free(routing);
    }
    return status;
}
