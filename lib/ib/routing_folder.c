/* routing_folder.c -- reads back what 'slimfly route' wrote into a folder. */
#include "base/file.h"
#include "base/json_reader.h"
#include "base/mem.h"
#include "slimfly/discovery.h"
#include "slimfly/ib.h"
#include "slimfly/route_figures.h"

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
    const char *guarantee =
        json_string_value(json_object_get(lanes_object, "guarantee"));

    if (json_object_get(root, "asked_max_hops")) {
        layers->max_hops =
            sf_json_number(reader, root, "", "asked_max_hops", 0, UINT32_MAX);
    }
    if (by_default && !json_is_boolean(by_default)) {
        sf_json_refuse(reader, "lanes.by_default: expected true or false");
    }
    routing->has_default_lanes = !by_default || json_is_true(by_default);
    routing->has_default_layers =
        json_is_true(json_object_get(root, "scheme_by_default"));
    routing->params.guarantee =
        guarantee ? sf_guarantee_find(guarantee) : SF_DEFAULT_GUARANTEE;
    if (guarantee && !routing->params.guarantee) {
        sf_json_refuse(reader,
                       "lanes.guarantee: expected \"any-sl\" or \"path-sl\"");
    }
}

/* Files of before specs have the options of schemes as members of their own,
 * 0 where nothing was asked for; and "updown" had shortest paths in layer 0.
 * Writes what they mean as a spec. */
static void
fold_old_members(struct sf_json_reader *reader, const json_t *root,
                 const char *scheme, char spec[SF_SCHEME_SIZE])
{
    double fraction = 0;
    uint32_t min_hops = 0;

    snprintf(spec, SF_SCHEME_SIZE, "%s", scheme);
    if (json_object_get(root, "rues_fraction")) {
        fraction = sf_json_amount(reader, root, "", "rues_fraction",
                                  "a share of links", 1);
        if (strcmp(scheme, "updown") == 0) {
            snprintf(spec, SF_SCHEME_SIZE, "updown:first=minimal");
        }
    }
    if (json_object_get(root, "paper_min_hops")) {
        min_hops =
            sf_json_number(reader, root, "", "paper_min_hops", 0, UINT32_MAX);
    }
    if (fraction > 0) {
        snprintf(spec, SF_SCHEME_SIZE, "%.40s:fraction=%.17g", scheme,
                 fraction);
    } else if (min_hops) {
        snprintf(spec, SF_SCHEME_SIZE, "%.40s:min-hops=%u", scheme, min_hops);
    }
}

/* Takes the specs out of 'root'. */
static void
read_specs(struct sf_json_reader *reader, const json_t *root,
           const json_t *lanes_object, struct sf_routing *routing)
{
    struct sf_routing_specs *specs = &routing->specs;
    char text[SF_SCHEME_SIZE];
    struct sf_layer_spec layers;
    struct sf_lane_spec lanes;
    struct sf_error err;

    const char *scheme =
        sf_json_text(reader, root, "", "scheme", SF_SCHEME_SIZE - 1);
    fold_old_members(reader, root, scheme, text);
    uint32_t n_sets =
        sf_json_number(reader, root, "", "n_path_sets", 1, UINT32_MAX);
    if (sf_layer_spec_parse(text, n_sets, &layers, &err) != SF_OK) {
        sf_json_refuse(reader, "scheme: %s", err.text);
        return;
    }
    scheme = sf_json_text(reader, lanes_object, "lanes", "scheme",
                          SF_SCHEME_SIZE - 1);
    if (sf_lane_spec_parse(scheme, &lanes, &err) != SF_OK) {
        sf_json_refuse(reader, "lanes.scheme: %s", err.text);
        return;
    }
    memcpy(specs->layers, layers.text, sizeof specs->layers);
    memcpy(specs->lanes, lanes.text, sizeof specs->lanes);
    routing->params.layers.scheme = specs->layers;
    routing->params.lanes = specs->lanes;
    routing->params.n_path_sets = n_sets;
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
    const json_t *lanes_object = json_object_get(root, "lanes");
    read_specs(reader, root, lanes_object, routing);
    params->layers.n_layers =
        sf_json_number(reader, root, "", "n_layers", 1, SF_MAX_LAYERS);
    if (!json_is_integer(json_object_get(root, "seed"))) {
        sf_json_refuse(reader, "seed: expected a whole number");
    }
    params->layers.seed =
        (uint64_t)json_integer_value(json_object_get(root, "seed"));
    read_asked(reader, root, lanes_object, routing);
    params->max_sls =
        sf_json_number(reader, lanes_object, "lanes", "max_sls", 1, SF_N_SLS);
    params->max_vls = sf_json_number(reader, lanes_object, "lanes", "max_vls",
                                     1, SF_MAX_VLS);
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
                       struct sf_routing_specs *specs, struct sf_error *err)
{
    struct sf_routing routing = { 0 };
    enum sf_status status = read_report(path, &routing, err);

    *params = routing.params;
    *specs = routing.specs;
    params->layers.scheme = routing.has_default_layers ? NULL : specs->layers;
    params->lanes = routing.has_default_lanes ? NULL : specs->lanes;
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

/* Makes a routing of tables; 'sl2vl' is NULL unless the lanes need turns. */
static enum sf_status
decode(const struct sf_fabric *fabric, const struct sf_tables *tables,
       const struct sf_sl2vl *sl2vl, struct sf_routing *routing,
       struct sf_error *err)
{
    struct sf_routing_params *params = &routing->params;
    enum sf_status status = sf_network_build(fabric, &routing->network, err);

    if (status == SF_OK) {
        status = sf_ib_decode(routing->network, tables,
                              params->layers.n_layers, &routing->routes, err);
    }
    if (status == SF_OK) {
        sf_ib_count_addresses(fabric, params);
    }
    if (status == SF_OK && sl2vl) {
        status =
            sf_ib_decode_turns(routing->network, sl2vl, routing->routes, err);
    }
    return status == SF_OK ? sf_routing_add_lanes(routing, err) : status;
}

/* Fills a routing that nobody has described, with lanes by 'lanes'. */
static enum sf_status
take(const struct sf_fabric *fabric, const struct sf_tables *tables,
     const struct sf_sl2vl *sl2vl, const char *lanes,
     struct sf_routing *routing, struct sf_error *err)
{
    struct sf_routing_params *params = &routing->params;
    struct sf_route_figures figures;

    snprintf(routing->specs.layers, sizeof routing->specs.layers, "gates");
    snprintf(routing->specs.lanes, sizeof routing->specs.lanes, "%s", lanes);
    params->layers.scheme = routing->specs.layers;
    params->lanes = routing->specs.lanes;
    params->layers.may_exceed = params->layers.within_parts = true;
    params->n_path_sets = 1;
    params->max_vls = SF_MAX_VLS;
    params->max_sls = SF_N_SLS;
    routing->is_fitted = true; /* Jobs may have changed it. */
    enum sf_status status = decode(fabric, tables, sl2vl, routing, err);
    if (status == SF_OK) {
        params->layers.n_layers = sf_routes_n_layers(routing->routes);
        status = sf_route_figures_measure(routing->network, routing->routes,
                                          &figures, err);
        routing->max_hops = figures.most_hops;
    }
    return status;
}

/* The same in a routing of its own. */
static enum sf_status
take_with(const struct sf_fabric *fabric, const struct sf_tables *tables,
          const struct sf_sl2vl *sl2vl, const char *lanes,
          struct sf_routing **routingp, struct sf_error *err)
{
    struct sf_routing *routing = sf_calloc(1, sizeof *routing);
    enum sf_status status =
        routing ? take(fabric, tables, sl2vl, lanes, routing, err)
                : sf_fail(err, SF_ENOMEM, "out of memory for a routing");

    *routingp = status == SF_OK ? routing : NULL;
    if (status != SF_OK) {
        sf_routing_free(routing);
    }
    return status;
}

enum sf_status
sf_ib_take_routing(const struct sf_fabric *fabric,
                   const struct sf_tables *tables,
                   const struct sf_sl2vl *sl2vl, struct sf_routing **routingp,
                   struct sf_error *err)
{
    enum sf_status status = take_with(fabric, tables, sl2vl,
                                      sl2vl ? "turns" : "none", routingp, err);

    /* Up and down a tree, hosts are safe although switches are not. */
    return sl2vl && status == SF_ELANES
               ? take_with(fabric, tables, NULL, "single", routingp, err)
               : status;
}

static enum sf_status
read_all(char *const *paths, struct sf_routing *routing, struct sf_error *err)
{
    struct contents contents = { 0 };
    enum sf_status status = read_files(paths, routing, &contents, err);

    if (status == SF_OK) {
        status = decode(contents.fabric, contents.tables, contents.sl2vl,
                        routing, err);
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
        paths[i] = sf_file_join(folder, names[i]);
        made = made && paths[i];
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
