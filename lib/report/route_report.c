/* route_report.c -- figures of a routing, as text and as JSON; doc/formats.md
 * describes the members. */
#include "slimfly/route_report.h"

#include "base/json_reader.h"
#include "base/mem.h"
#include "slimfly/discovery.h"

#include <string.h>

/* From this many times the mean on, a link's load is worth a word. */
#define UNEVEN 2.0

/* Follows the path from switch 's' to 'lid', whose switch is 'destination',
 * and counts it. */
static void
follow(const struct sf_route_report *report, uint32_t s, uint32_t lid,
       uint32_t destination, uint64_t *loads, struct sf_route_figures *figures)
{
    const struct sf_fabric *fabric = report->routing->fabric;
    uint32_t n_hops = 0;

    while (s != destination && n_hops < SF_REPORT_MAX_HOPS) {
        uint32_t port = sf_fabric_port(
            fabric, s, sf_tables_of(report->routing->tables, s)[lid]);
        uint32_t peer = port == SF_NONE ? SF_NONE : fabric->ports[port].peer;
        if (peer == SF_NONE ||
            fabric->ports[peer].node >= fabric->n_switches) {
            break;
        }
        loads[port]++;
        s = fabric->ports[peer].node;
        n_hops++;
    }
    figures->n_paths++;
    if (s == destination) {
        figures->n_by_hops[n_hops]++;
    } else {
        figures->n_broken++;
    }
}

/* Whether any of the ports of switch 's' leads to a host. */
static bool
has_hosts(const struct sf_fabric *fabric, uint32_t s)
{
    const struct sf_node *node = &fabric->nodes[s];

    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t peer = fabric->ports[node->first_port + i].peer;
        if (peer != SF_NONE &&
            fabric->ports[peer].node >= fabric->n_switches) {
            return true;
        }
    }
    return false;
}

static void
summarize(const struct sf_route_report *report, const uint64_t *loads,
          struct sf_route_figures *figures)
{
    uint64_t sum = 0, n_arrived = 0, n_hops = 0;
    uint32_t n_ends = 2 * report->routing->graph->n_links;

    figures->min_load = n_ends ? UINT64_MAX : 0;
    for (uint32_t i = 0; i < n_ends; i++) {
        uint64_t load = loads[report->routing->link_ports[i]];
        sum += load;
        figures->min_load =
            load < figures->min_load ? load : figures->min_load;
        figures->max_load =
            load > figures->max_load ? load : figures->max_load;
    }
    figures->mean_load = n_ends ? (double)sum / n_ends : 0;
    for (uint32_t i = 0; i <= SF_REPORT_MAX_HOPS; i++) {
        n_arrived += figures->n_by_hops[i];
        n_hops += i * figures->n_by_hops[i];
        figures->most_hops = figures->n_by_hops[i] ? i : figures->most_hops;
    }
    figures->mean_hops = n_arrived ? (double)n_hops / (double)n_arrived : 0;
}

enum sf_status
sf_route_measure(struct sf_route_report *report, struct sf_error *err)
{
    const struct sf_fabric *fabric = report->routing->fabric;
    struct sf_route_figures *figures = &report->figures;
    uint64_t *loads = sf_calloc(fabric->n_ports, sizeof *loads);

    *figures = (struct sf_route_figures){ 0 };
    if (!loads) {
        return sf_fail(err, SF_ENOMEM, "out of memory to measure a routing");
    }
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        if (!has_hosts(fabric, s)) {
            continue;
        }
        for (uint32_t i = 0; i < fabric->n_ports; i++) {
            const struct sf_port *port = &fabric->ports[i];
            if (port->node < fabric->n_switches || port->peer == SF_NONE ||
                !port->lid) {
                continue;
            }
            uint32_t destination = fabric->ports[port->peer].node;
            for (uint32_t k = 0; destination < fabric->n_switches &&
                                 destination != s && k < 1u << port->lmc;
                 k++) {
                follow(report, s, port->lid + k, destination, loads, figures);
            }
        }
    }
    summarize(report, loads, figures);
    free(loads);
    return SF_OK;
}

static uint32_t
count_lids(const struct sf_tables *tables)
{
    uint32_t n = 0;
    for (uint32_t lid = 1; lid <= tables->max_lid; lid++) {
        n += tables->targets[lid] != SF_NONE;
    }
    return n;
}

static void
write_lanes(const struct sf_lanes *lanes, FILE *stream)
{
    fprintf(stream, "  lanes by %s: %u VL%s, %u SL%s; ", lanes->scheme->name,
            lanes->n_vls, lanes->n_vls == 1 ? "" : "s", lanes->n_sls,
            lanes->n_sls == 1 ? "" : "s");
    if (lanes->scheme->ignores_sls) {
        fputs("no deadlock, whatever SL is used\n", stream);
    } else if (!lanes->scheme->is_safe) {
        fputs("nothing protects from deadlock\n", stream);
    } else if (lanes->n_host_sls == 1) {
        fputs("no deadlock if hosts use SL 0\n", stream);
    } else {
        fputs("no deadlock if senders use the SL of each path, which UCX and "
              "NCCL do not\n",
              stream);
        fputs("    (replies too need the SL of their own path)\n", stream);
    }
}

void
sf_route_report_write_text(const struct sf_route_report *report, FILE *stream)
{
    const struct sf_route_figures is = report->figures;
    const struct sf_routing *routing = report->routing;
    const struct sf_layers_params *layers = &routing->params.layers;

    fprintf(stream,
            "%u layer%s by %s, LMC %u: %u switches, %u hosts, %u LIDs of "
            "49151\n",
            layers->n_layers, layers->n_layers == 1 ? "" : "s", layers->scheme,
            sf_lmc_for_layers(layers->n_layers), routing->fabric->n_switches,
            routing->fabric->n_nodes - routing->fabric->n_switches,
            count_lids(routing->tables));
    fprintf(stream, "  hops between switches: %.3f on average, %u at most (",
            is.mean_hops, is.most_hops);
    const char *separator = "";
    for (uint32_t i = 1; i <= is.most_hops; i++) {
        if (is.n_by_hops[i]) {
            fprintf(stream, "%s%u: %.1f %%", separator, i,
                    100.0 * (double)is.n_by_hops[i] / (double)is.n_paths);
            separator = ", ";
        }
    }
    fprintf(stream,
            ")\n  paths over a link: %llu to %llu, the most is %.2f times the "
            "mean\n",
            (unsigned long long)is.min_load, (unsigned long long)is.max_load,
            is.mean_load > 0 ? (double)is.max_load / is.mean_load : 0);
    if ((double)is.max_load > UNEVEN * is.mean_load &&
        routing->params.n_path_sets == 1) {
        fputs("  that is uneven: --per-host gives each host of a switch paths "
              "of its own\n",
              stream);
    }
    write_lanes(routing->lanes, stream);
    if (routing->layers_refusal.status != SF_OK) {
        fprintf(stream, "    (layers by %s would not do: %s)\n",
                sf_layer_scheme_find(NULL)->name,
                routing->layers_refusal.text);
    }
    if (routing->refusal.status != SF_OK) {
        fprintf(stream, "    (%s would not do: %s)\n",
                sf_lane_scheme_for(sf_layer_scheme_find(layers->scheme))->name,
                routing->refusal.text);
    }
    uint32_t limit = layers->max_hops ? layers->max_hops : routing->max_hops;
    if (is.most_hops > limit) {
        fprintf(stream,
                "  some are longer than the limit of %u, which does not reach "
                "everything\n",
                limit);
    }
    if (is.n_broken) {
        fprintf(stream, "  %llu of %llu paths lead to another part\n",
                (unsigned long long)is.n_broken,
                (unsigned long long)is.n_paths);
    }
    if (report->repair && report->why_anew) {
        fprintf(stream, "  made anew, %llu of %llu entries changed: %s\n",
                (unsigned long long)report->repair->n_changed,
                (unsigned long long)report->repair->n_entries,
                report->why_anew);
    } else if (report->repair) {
        fprintf(stream, "  repaired: %llu of %llu entries changed",
                (unsigned long long)report->repair->n_changed,
                (unsigned long long)report->repair->n_entries);
        if (report->recomputation) {
            fprintf(stream, "; made anew, %llu would have\n",
                    (unsigned long long)report->recomputation->n_changed);
        } else {
            fprintf(stream, "; it could not be made anew: %s\n",
                    report->why_not_anew);
        }
    }
}

enum sf_status
sf_route_report_write_json(const struct sf_route_report *report, FILE *stream,
                           struct sf_error *err)
{
    const struct sf_route_figures is = report->figures;
    const struct sf_routing *routing = report->routing;
    const struct sf_layers_params *layers = &routing->params.layers;
    json_t *hops = json_array();
    for (uint32_t i = 0; i <= is.most_hops; i++) {
        json_array_append_new(hops, json_integer((json_int_t)is.n_by_hops[i]));
    }
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I, "
        "s:I, s:I, s:I, s:I, s:f, s:I, s:o, s:{s:I, s:I, s:f}}",
        "schema", "slimfly.route", "schema_version", 1, "scheme",
        layers->scheme, "n_layers", (json_int_t)layers->n_layers, "lmc",
        (json_int_t)sf_lmc_for_layers(layers->n_layers), "max_hops",
        (json_int_t)routing->max_hops, "asked_max_hops",
        (json_int_t)layers->max_hops, "seed", (json_int_t)layers->seed,
        "n_path_sets", (json_int_t)routing->params.n_path_sets, "per_host",
        (int)(routing->params.n_path_sets > 1), "n_switches",
        (json_int_t)routing->fabric->n_switches, "n_hosts",
        (json_int_t)(routing->fabric->n_nodes - routing->fabric->n_switches),
        "n_lids", (json_int_t)count_lids(routing->tables), "n_paths",
        (json_int_t)is.n_paths, "n_broken_paths", (json_int_t)is.n_broken,
        "mean_hops", is.mean_hops, "most_hops", (json_int_t)is.most_hops,
        "paths_by_hops", hops, "paths_per_link", "min",
        (json_int_t)is.min_load, "max", (json_int_t)is.max_load, "mean",
        is.mean_load);
    json_t *lanes = json_pack(
        "{s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:b, s:b}", "scheme",
        routing->params.lanes, "by_default", (int)routing->has_default_lanes,
        "max_vls", (json_int_t)routing->params.max_vls, "max_sls",
        (json_int_t)routing->params.max_sls, "n_vls",
        (json_int_t)routing->lanes->n_vls, "n_sls",
        (json_int_t)routing->lanes->n_sls, "n_host_sls",
        (json_int_t)routing->lanes->n_host_sls, "safe_on_path_sls",
        (int)routing->lanes->scheme->is_safe, "safe_on_any_sl",
        (int)routing->lanes->scheme->ignores_sls);
    json_t *repair =
        report->repair
            ? json_pack("{s:I, s:I, s:o, s:s?}", "entries",
                        (json_int_t)report->repair->n_entries, "changed",
                        (json_int_t)report->repair->n_changed,
                        "changed_if_made_anew",
                        report->recomputation
                            ? json_integer(
                                  (json_int_t)report->recomputation->n_changed)
                            : json_null(),
                        "why_made_anew", report->why_anew)
            : json_null();
    if (!root || !repair || !lanes ||
        json_object_set_new(root, "lanes", lanes) != 0 ||
        json_object_set_new(root, "repair", repair) != 0) {
        json_decref(root);
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}

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
    if (by_default && !json_is_boolean(by_default)) {
        sf_json_refuse(reader, "lanes.by_default: expected true or false");
    }
    routing->has_default_lanes = !by_default || json_is_true(by_default);
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
    params->layers.scheme = specs->layers;
    params->lanes = specs->lanes;
    return status;
}

/* Finds the turns that the tables obey, in what 'path' says of VLs. */
static enum sf_status
read_turns(const char *path, struct sf_routing *routing, struct sf_error *err)
{
    struct sf_sl2vl *sl2vl;
    enum sf_status status = sf_sl2vl_read(path, routing->fabric, &sl2vl, err);

    if (status == SF_OK) {
        status = sf_turns_recall(routing->fabric, routing->graph,
                                 routing->link_ports, routing->tables, sl2vl,
                                 &routing->turns, err);
        sf_sl2vl_free(sl2vl);
    }
    return status;
}

/* Refuses tables from 'path' that lack a switch: a file that is cut off. */
static enum sf_status
check_complete(const char *path, const struct sf_routing *routing,
               struct sf_error *err)
{
    const struct sf_tables *tables = routing->tables;

    for (uint32_t s = 0; s < routing->fabric->n_switches; s++) {
        uint32_t lid = 1;
        while (lid <= tables->max_lid &&
               sf_tables_of(tables, s)[lid] == SF_NO_PORT) {
            lid++;
        }
        if (lid > tables->max_lid) {
            return sf_fail(err, SF_EPARSE,
                           "%s: expected a table of each switch, found none "
                           "of %s",
                           path, routing->fabric->nodes[s].name);
        }
    }
    return SF_OK;
}

/* Reads everything from the four files at 'paths'. */
static enum sf_status
read_all(char *const *paths, struct sf_routing *routing, struct sf_error *err)
{
    enum sf_status status = read_report(paths[0], routing, err);

    if (status == SF_OK) {
        status = sf_ibnetdiscover_read(paths[1], &routing->fabric, err);
    }
    if (status == SF_OK) {
        status =
            sf_tables_read(paths[2], routing->fabric, &routing->tables, err);
    }
    if (status == SF_OK) {
        status = check_complete(paths[2], routing, err);
    }
    if (status == SF_OK) {
        status = sf_fabric_graph(routing->fabric, &routing->graph,
                                 &routing->link_ports, err);
    }
    if (status == SF_OK &&
        sf_lane_scheme_find(routing->params.lanes)->needs_turns) {
        status = read_turns(paths[3], routing, err);
    }
    return status;
}

enum sf_status
sf_routing_read(const char *folder, struct sf_routing **routingp,
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
