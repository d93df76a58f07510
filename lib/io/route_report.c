/* route_report.c -- figures of a routing, as text and as JSON; doc/formats.md
 * describes the members. */
#include "slimfly/route_report.h"

#include "base/mem.h"
#include "io/json_reader.h"

#include <string.h>

/* From this many times the mean on, a link's load is worth a word. */
#define UNEVEN 2.0

/* Follows the path from switch 's' to 'lid', whose switch is 'destination',
 * and counts it. */
static void
follow(const struct sf_route_report *report, uint32_t s, uint32_t lid,
       uint32_t destination, uint64_t *loads, struct sf_route_figures *figures)
{
    const struct sf_fabric *fabric = report->fabric;
    uint32_t n_hops = 0;

    while (s != destination && n_hops < SF_REPORT_MAX_HOPS) {
        uint32_t port =
            sf_fabric_port(fabric, s, sf_tables_of(report->tables, s)[lid]);
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
    uint32_t n_ends = 2 * report->graph->n_links;

    figures->min_load = n_ends ? UINT64_MAX : 0;
    for (uint32_t i = 0; i < n_ends; i++) {
        uint64_t load = loads[report->link_ports[i]];
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
    const struct sf_fabric *fabric = report->fabric;
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

void
sf_route_report_write_text(const struct sf_route_report *report, FILE *stream)
{
    const struct sf_route_figures is = report->figures;

    fprintf(stream,
            "%u layers by %s, LMC %u: %u switches, %u hosts, %u LIDs of "
            "49151\n",
            report->n_layers, report->scheme,
            sf_lmc_for_layers(report->n_layers), report->fabric->n_switches,
            report->fabric->n_nodes - report->fabric->n_switches,
            count_lids(report->tables));
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
    if ((double)is.max_load > UNEVEN * is.mean_load && !report->is_per_host) {
        fputs("  that is uneven: --per-host gives each host of a switch paths "
              "of its own\n",
              stream);
    }
    if (is.n_broken) {
        fprintf(stream, "  %llu of %llu paths lead to another part\n",
                (unsigned long long)is.n_broken,
                (unsigned long long)is.n_paths);
    }
    if (report->repair) {
        fprintf(stream,
                "  repaired: %llu of %llu entries changed; made anew, %llu "
                "would have\n",
                (unsigned long long)report->repair->n_changed,
                (unsigned long long)report->repair->n_entries,
                (unsigned long long)report->recomputation->n_changed);
    }
}

enum sf_status
sf_route_report_write_json(const struct sf_route_report *report, FILE *stream,
                           struct sf_error *err)
{
    const struct sf_route_figures is = report->figures;
    json_t *hops = json_array();
    for (uint32_t i = 0; i <= is.most_hops; i++) {
        json_array_append_new(hops, json_integer((json_int_t)is.n_by_hops[i]));
    }
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:I, s:I, s:I, s:I, s:b, s:I, s:I, s:I, s:I, s:I, "
        "s:f, s:I, s:o, s:{s:I, s:I, s:f}}",
        "schema", "slimfly.route", "schema_version", 1, "scheme",
        report->scheme, "n_layers", (json_int_t)report->n_layers, "lmc",
        (json_int_t)sf_lmc_for_layers(report->n_layers), "max_hops",
        (json_int_t)report->max_hops, "seed", (json_int_t)report->seed,
        "per_host", (int)report->is_per_host, "n_switches",
        (json_int_t)report->fabric->n_switches, "n_hosts",
        (json_int_t)(report->fabric->n_nodes - report->fabric->n_switches),
        "n_lids", (json_int_t)count_lids(report->tables), "n_paths",
        (json_int_t)is.n_paths, "n_broken_paths", (json_int_t)is.n_broken,
        "mean_hops", is.mean_hops, "most_hops", (json_int_t)is.most_hops,
        "paths_by_hops", hops, "paths_per_link", "min",
        (json_int_t)is.min_load, "max", (json_int_t)is.max_load, "mean",
        is.mean_load);
    json_t *repair =
        report->repair
            ? json_pack("{s:I, s:I, s:I}", "entries",
                        (json_int_t)report->repair->n_entries, "changed",
                        (json_int_t)report->repair->n_changed,
                        "changed_if_made_anew",
                        (json_int_t)report->recomputation->n_changed)
            : json_null();
    if (!root || !repair || json_object_set_new(root, "repair", repair) != 0) {
        json_decref(root);
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}

/* Takes the settings out of 'root'. */
static void
read_settings(struct sf_json_reader *reader, const json_t *root,
              struct sf_route_settings *settings)
{
    if (strcmp(sf_json_text(reader, root, "", "schema", 40),
               "slimfly.route") != 0) {
        sf_json_refuse(reader, "schema: expected \"slimfly.route\"");
        return;
    }
    sf_json_number(reader, root, "", "schema_version", 1, 1);
    const char *name = sf_json_text(reader, root, "", "scheme", 40);
    settings->scheme = sf_layer_scheme_find(name);
    if (!settings->scheme) {
        sf_json_refuse(reader, "scheme: '%s' is not known here", name);
    }
    settings->n_layers =
        sf_json_number(reader, root, "", "n_layers", 1, SF_MAX_LAYERS);
    settings->max_hops =
        sf_json_number(reader, root, "", "max_hops", 1, UINT32_MAX);
    settings->seed =
        (uint64_t)json_integer_value(json_object_get(root, "seed"));
    settings->is_per_host = json_is_true(json_object_get(root, "per_host"));
    if (json_object_get(root, "lanes")) {
        snprintf(settings->lanes, sizeof settings->lanes, "%s",
                 sf_json_text(reader, root, "", "lanes", SF_LANES_SIZE - 1));
    }
    if (json_object_get(root, "vls")) {
        settings->n_vls = sf_json_number(reader, root, "", "vls", 1, 15);
    }
}

enum sf_status
sf_route_settings_read(const char *path, struct sf_route_settings *settings,
                       struct sf_error *err)
{
    struct sf_json_reader reader = { .path = path, .err = err };
    json_error_t problem;

    *settings = (struct sf_route_settings){ 0 };
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        return sf_fail(err, SF_EPARSE, "%s: %s", path, problem.text);
    }
    read_settings(&reader, root, settings);
    json_decref(root);
    return reader.status;
}
