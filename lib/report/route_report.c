/* route_report.c -- a routing as text and as JSON; doc/formats.md describes
 * the members. */
#include "slimfly/route_report.h"

#include "base/origin_json.h"
#include "base/plural.h"
#include "report/change_json.h"

#include <inttypes.h>
#include <jansson.h>

/* From this many times the mean on, a link's load is worth a word. */
#define UNEVEN 2.0

/* So many jobs are worth a line each. */
#define MOST_JOBS 32

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
    if (sf_lanes_ignore_sls(lanes)) {
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

/* Says what the routes for jobs gain and cost. */
static void
write_jobs(const struct sf_jobs *jobs, const struct sf_job_routes *routes,
           FILE *stream)
{
    fprintf(stream,
            "  fitted to %u job%s: %llu of %llu next hops changed, in %u of "
            "%u columns\n",
            jobs->n_jobs, jobs->n_jobs == 1 ? "" : "s",
            (unsigned long long)routes->n_changed,
            (unsigned long long)routes->n_entries, routes->n_columns_changed,
            routes->n_columns);
    for (uint32_t i = 0; i < jobs->n_jobs && i < MOST_JOBS; i++) {
        const struct sf_job *job = &jobs->jobs[i];
        fprintf(stream,
                "    job %s, %s on %u node%s: %.3f of the rate of a host, "
                "%.3f before\n",
                job->name, job->pattern, job->n_hosts,
                job->n_hosts == 1 ? "" : "s", routes->jobs[i].after,
                routes->jobs[i].before);
    }
    if (jobs->n_jobs > MOST_JOBS) {
        fprintf(stream,
                "    all %u jobs, the slowest: %.3f, %.3f before; route.json "
                "lists all\n",
                jobs->n_jobs, routes->slowest.after, routes->slowest.before);
    }
    fprintf(stream,
            "    uniform traffic of all hosts: %.3f, %.3f before\n"
            "    (most loaded link, at equal shares over the addresses)\n",
            routes->uniform.after, routes->uniform.before);
}

static const char *
host_name(const struct sf_network *network, uint32_t host)
{
    const struct sf_fabric *fabric = network->fabric;
    return fabric->nodes[fabric->ports[network->host_ports[host]].node].name;
}

/* Says what one dead link does. */
void
sf_robustness_write_text(const struct sf_robustness *robustness,
                         const struct sf_network *network, FILE *stream)
{
    uint64_t n_left = robustness->n_hit - robustness->n_bridged;

    fprintf(stream,
            "  one dead link between switches hits all addresses of %llu of "
            "%llu pairs of hosts",
            (unsigned long long)robustness->n_hit,
            (unsigned long long)robustness->n_pairs);
    if (robustness->n_bridged) {
        fprintf(stream, "; a bridge separates %llu of them",
                (unsigned long long)robustness->n_bridged);
    }
    fprintf(stream,
            "\n    two addresses of %llu pairs share no link, there and "
            "back\n",
            (unsigned long long)robustness->n_apart);
    if (n_left > 0) {
        const struct sf_link *link = &network->graph->links[robustness->link];
        fprintf(stream,
                "    as of %s and %s, by the link from switch %s to switch "
                "%s\n",
                host_name(network, robustness->hosts[0]),
                host_name(network, robustness->hosts[1]),
                sf_graph_name(network->graph, link->a).text,
                sf_graph_name(network->graph, link->b).text);
    }
}

static json_t *
robustness_to_json(const struct sf_robustness *robustness)
{
    return robustness
               ? json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "pairs",
                           (json_int_t)robustness->n_pairs, "apart",
                           (json_int_t)robustness->n_apart, "covered",
                           (json_int_t)robustness->n_covered, "hit",
                           (json_int_t)robustness->n_hit, "bridged",
                           (json_int_t)robustness->n_bridged, "neighbours_hit",
                           (json_int_t)robustness->n_neighbours_hit)
               : json_null();
}

/* Says whether tables can be changed under traffic. */
static void
write_change(const struct sf_route_report *report, FILE *stream)
{
    char text[SF_STEPS_TEXT_SIZE];

    sf_steps_describe(report->steps, text);
    fprintf(stream, "  while tables are changed from %s: %s",
            report->repair ? "those of before" : "those without jobs",
            report->mixture->is_free ? "no mixture can deadlock"
                                     : "a mixture can deadlock");
    if (report->mixture->n_mixed) {
        fprintf(stream, ", and %llu of %llu pairs of switch and LID can fail",
                (unsigned long long)report->mixture->n_mixed,
                (unsigned long long)report->mixture->n_entries);
    }
    fprintf(stream, "; %s\n", text);
}

static json_t *
change_to_json(const struct sf_route_report *report)
{
    const struct sf_mixture *mixture = report->mixture;

    return mixture ? json_pack("{s:b, s:b, s:I, s:I, s:o}", "safe",
                               (int)mixture->is_safe, "free",
                               (int)mixture->is_free, "n_changed_entries",
                               (json_int_t)mixture->n_changed, "n_only_mixed",
                               (json_int_t)mixture->n_mixed, "steps",
                               sf_steps_to_json(report->steps))
                   : json_null();
}

/* The same for programs. */
static json_t *
jobs_to_json(const struct sf_jobs *jobs, const struct sf_job_routes *routes)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < jobs->n_jobs; i++) {
        const struct sf_job *job = &jobs->jobs[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:I, s:f, s:f}", "name",
                                        job->name, "pattern", job->pattern,
                                        "n_nodes", (json_int_t)job->n_hosts,
                                        "before", routes->jobs[i].before,
                                        "after", routes->jobs[i].after));
    }
    return json_pack("{s:o, s:{s:f, s:f}, s:{s:f, s:f}, s:I, s:I, s:I, s:I}",
                     "jobs", list, "slowest", "before", routes->slowest.before,
                     "after", routes->slowest.after, "uniform", "before",
                     routes->uniform.before, "after", routes->uniform.after,
                     "columns", (json_int_t)routes->n_columns,
                     "columns_changed", (json_int_t)routes->n_columns_changed,
                     "next_hops", (json_int_t)routes->n_entries,
                     "next_hops_changed", (json_int_t)routes->n_changed);
}

/* How long the paths are, and how evenly they share the links. */
static void
write_figures(const struct sf_route_figures *figures, FILE *stream)
{
    const char *separator = "";

    if (!figures->most_hops) {
        fputs("  no paths between switches\n", stream);
        return;
    }
    fprintf(stream, "  hops between switches: %.3f on average, %u at most (",
            figures->mean_hops, figures->most_hops);
    for (uint32_t i = 1; i <= figures->most_hops; i++) {
        if (figures->n_by_hops[i]) {
            fprintf(stream, "%s%u: %.1f %%", separator, i,
                    100.0 * (double)figures->n_by_hops[i] /
                        (double)figures->n_paths);
            separator = ", ";
        }
    }
    fprintf(stream,
            ")\n  paths over a link: %llu to %llu, the most is %.2f times the "
            "mean\n",
            (unsigned long long)figures->min_load,
            (unsigned long long)figures->max_load,
            figures->mean_load > 0
                ? (double)figures->max_load / figures->mean_load
                : 0);
}

/* What is not as one would wish: other lanes, long paths, none at all. */
static void
write_shortcomings(const struct sf_routing *routing,
                   const struct sf_route_figures *figures, FILE *stream)
{
    const struct sf_layers_params *layers = &routing->params.layers;
    uint32_t limit = layers->max_hops ? layers->max_hops : routing->max_hops;

    if (routing->refusal.status != SF_OK) {
        fprintf(stream, "    (%s with lanes by %s is not possible: %s)\n",
                routing->refused.layers, routing->refused.lanes,
                routing->refusal.text);
    }
    if (figures->most_hops > limit) {
        fprintf(stream,
                "  some paths are longer than the limit of %u, which does not "
                "reach everything\n",
                limit);
    }
    if (figures->n_broken) {
        fprintf(stream, "  %llu of %llu paths lead to another part\n",
                (unsigned long long)figures->n_broken,
                (unsigned long long)figures->n_paths);
    }
}

static void
write_repair(const struct sf_route_report *report, FILE *stream)
{
    const struct sf_repair *repair = report->repair;

    if (report->why_anew) {
        fprintf(stream,
                "  all routes are new, and %llu of %llu entries changed: %s\n",
                (unsigned long long)repair->n_changed,
                (unsigned long long)repair->n_entries, report->why_anew);
        return;
    }
    fprintf(stream, "  repaired: %llu of %llu entries changed",
            (unsigned long long)repair->n_changed,
            (unsigned long long)repair->n_entries);
    if (report->recomputation) {
        fprintf(stream, "; with new routes for all, %llu would have\n",
                (unsigned long long)report->recomputation->n_changed);
    } else if (!report->why_not_anew || !report->why_not_anew[0]) {
        fputs("; new routes for all were not tried\n", stream);
    } else {
        fprintf(stream, "; new routes for all are not possible: %s\n",
                report->why_not_anew);
    }
}

void
sf_route_report_write_text(const struct sf_route_report *report, FILE *stream)
{
    const struct sf_route_figures *figures = &report->figures;
    const struct sf_routing *routing = report->routing;
    const struct sf_fabric *fabric = routing->network->fabric;
    const struct sf_layers_params *layers = &routing->params.layers;
    uint32_t n_hosts = fabric->n_nodes - fabric->n_switches;

    fprintf(stream,
            "%u %s by %s, LMC %u: %u %s, %u %s, %u LIDs of %" PRIu64 "\n",
            layers->n_layers, sf_plural(layers->n_layers, "layer", "layers"),
            layers->scheme, sf_lmc_for_layers(layers->n_layers),
            fabric->n_switches,
            sf_plural(fabric->n_switches, "switch", "switches"), n_hosts,
            sf_plural(n_hosts, "host", "hosts"), count_lids(report->tables),
            sf_ib_backend.max_addresses);
    write_figures(figures, stream);
    if ((double)figures->max_load > UNEVEN * figures->mean_load &&
        routing->params.n_path_sets == 1 &&
        !sf_layer_scheme_find(layers->scheme)->makes_turns) {
        fputs("  that is uneven: --per-host gives each host of a switch paths "
              "of its own\n",
              stream);
    }
    write_lanes(routing->routes->lanes, stream);
    write_shortcomings(routing, figures, stream);
    if (report->robustness) {
        sf_robustness_write_text(report->robustness, routing->network, stream);
    }
    if (report->repair) {
        write_repair(report, stream);
    }
    if (report->jobs) {
        write_jobs(report->jobs, report->job_routes, stream);
    }
    if (report->mixture) {
        write_change(report, stream);
    }
}

enum sf_status
sf_route_report_write_json(const struct sf_route_report *report, FILE *stream,
                           struct sf_error *err)
{
    const struct sf_route_figures *figures = &report->figures;
    const struct sf_routing *routing = report->routing;
    const struct sf_fabric *fabric = routing->network->fabric;
    const struct sf_layers_params *layers = &routing->params.layers;
    json_t *hops = json_array();
    for (uint32_t i = 0; i <= figures->most_hops; i++) {
        json_array_append_new(hops,
                              json_integer((json_int_t)figures->n_by_hops[i]));
    }
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I, "
        "s:I, s:I, s:I, s:I, s:f, s:I, s:o, s:{s:I, s:I, s:f}}",
        "schema", "slimfly.route", "schema_version", 1, "scheme",
        layers->scheme, "scheme_by_default", (int)routing->has_default_layers,
        "n_layers", (json_int_t)layers->n_layers, "lmc",
        (json_int_t)sf_lmc_for_layers(layers->n_layers), "max_hops",
        (json_int_t)routing->max_hops, "asked_max_hops",
        (json_int_t)layers->max_hops, "seed", (json_int_t)layers->seed,
        "n_path_sets", (json_int_t)routing->params.n_path_sets, "per_host",
        (int)(routing->params.n_path_sets > 1), "n_switches",
        (json_int_t)fabric->n_switches, "n_hosts",
        (json_int_t)(fabric->n_nodes - fabric->n_switches), "n_lids",
        (json_int_t)count_lids(report->tables), "n_paths",
        (json_int_t)figures->n_paths, "n_broken_paths",
        (json_int_t)figures->n_broken, "mean_hops", figures->mean_hops,
        "most_hops", (json_int_t)figures->most_hops, "paths_by_hops", hops,
        "paths_per_link", "min", (json_int_t)figures->min_load, "max",
        (json_int_t)figures->max_load, "mean", figures->mean_load);
    const struct sf_lanes *lanes = routing->routes->lanes;
    json_t *lanes_object = json_pack(
        "{s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:s?}", "scheme",
        routing->params.lanes, "by_default", (int)routing->has_default_lanes,
        "max_vls", (json_int_t)routing->params.max_vls, "max_sls",
        (json_int_t)routing->params.max_sls, "n_vls", (json_int_t)lanes->n_vls,
        "n_sls", (json_int_t)lanes->n_sls, "n_host_sls",
        (json_int_t)lanes->n_host_sls, "safe_on_path_sls",
        (int)lanes->scheme->is_safe, "safe_on_any_sl",
        (int)sf_lanes_ignore_sls(lanes), "guarantee",
        sf_guarantee_name(routing->params.guarantee));
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
    json_t *jobs = report->jobs
                       ? jobs_to_json(report->jobs, report->job_routes)
                       : json_null();
    if (!root || !repair || !lanes_object || !jobs ||
        !sf_origin_add_json(root, &report->origin) ||
        json_object_set_new(root, "lanes", lanes_object) != 0 ||
        json_object_set_new(root, "repair", repair) != 0 ||
        json_object_set_new(root, "jobs", jobs) != 0 ||
        json_object_set_new(root, "robustness",
                            robustness_to_json(report->robustness)) != 0 ||
        json_object_set_new(root, "change", change_to_json(report)) != 0) {
        json_decref(root);
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}
