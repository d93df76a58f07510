/* status_file.c -- see status_file.h. */
#define _POSIX_C_SOURCE 200809L
#include "status_file.h"

#include "slimfly/version.h"
#include "whole_file.h"

#include <stdarg.h>
#include <string.h>

void
sf_plugin_warn(struct sf_plugin_status *status, const char *format, ...)
{
    char text[SF_ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (uint32_t i = 0; i < status->n_warnings; i++) {
        if (strcmp(status->warnings[i], text) == 0) {
            return;
        }
    }
    if (status->n_warnings < SF_MAX_WARNINGS) {
        memcpy(status->warnings[status->n_warnings++], text, sizeof text);
    }
}

json_t *
sf_status_time(time_t moment)
{
    char text[32];
    struct tm parts;

    if (!moment || !gmtime_r(&moment, &parts)) {
        return json_null();
    }
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return json_string(text);
}

json_t *
sf_status_text(const char *text)
{
    char clean[SF_ERROR_TEXT_SIZE];
    size_t i = 0;

    for (; text[i] && i + 1 < sizeof clean; i++) {
        clean[i] = text[i];
        if (text[i] < ' ' || text[i] > '~') {
            clean[i] = '?';
        }
    }
    clean[i] = '\0';
    return json_string(clean);
}

static json_t *
pack_warnings(const struct sf_plugin_status *status)
{
    json_t *warnings = json_array();

    for (uint32_t i = 0; i < status->n_warnings; i++) {
        json_array_append_new(warnings, sf_status_text(status->warnings[i]));
    }
    return warnings;
}

/* What is current: switches, layers, lanes. */
static json_t *
pack_routing(const struct sf_routing *routing)
{
    if (!routing) {
        return json_null();
    }
    const struct sf_fabric *fabric = routing->network->fabric;
    const struct sf_lanes *lanes = routing->routes->lanes;
    const struct sf_layers_params *layers = &routing->params.layers;
    return json_pack(
        "{s:I, s:I, s:I, s:s, s:I, s:I, s:I, s:I, s:s, s:I, s:I, s:b, s:b, "
        "s:s?}",
        "n_switches", (json_int_t)fabric->n_switches, "n_hosts",
        (json_int_t)(fabric->n_nodes - fabric->n_switches), "n_links",
        (json_int_t)routing->network->graph->n_links, "scheme", layers->scheme,
        "n_layers", (json_int_t)layers->n_layers, "n_path_sets",
        (json_int_t)routing->params.n_path_sets, "max_hops",
        (json_int_t)routing->max_hops, "seed", (json_int_t)layers->seed,
        "lanes", routing->params.lanes, "n_vls", (json_int_t)lanes->n_vls,
        "n_sls", (json_int_t)lanes->n_sls, "safe_on_path_sls",
        (int)lanes->scheme->is_safe, "safe_on_any_sl",
        (int)sf_lanes_ignore_sls(lanes), "guarantee",
        sf_guarantee_name(routing->params.guarantee));
}

/* How the change is written. */
static json_t *
pack_change(const struct sf_change_state *change)
{
    return json_pack(
        "{s:s, s:I, s:I, s:o, s:I, s:f, s:o}", "kind",
        sf_change_kind_name(change->kind), "step", (json_int_t)change->step,
        "n_steps", (json_int_t)change->n_steps, "safe",
        change->is_judged ? json_boolean(change->is_safe) : json_null(),
        "n_pairs_lost", (json_int_t)change->n_pairs_lost, "seconds",
        change->seconds, "text",
        change->text[0] ? sf_status_text(change->text) : json_null());
}

/* Links that are drained.  They can be unplugged once all tables without them
 * are written. */
static json_t *
pack_drained(const struct sf_plugin_status *status)
{
    return status->drained ? sf_plugin_drained_pack(
                                 status->drained,
                                 status->state == SF_STATE_UP &&
                                     status->result.outcome != SF_OUTCOME_HELD)
                           : json_null();
}

/* Nodes that took the place of others since the start. */
static json_t *
pack_replaced(const struct sf_plugin_status *status)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < status->n_replaced; i++) {
        const struct sf_engine_replaced *replaced = &status->replaced[i];
        char old[20], new[20];
        snprintf(old, sizeof old, "0x%016llx",
                 (unsigned long long)replaced->old_guid);
        snprintf(new, sizeof new, "0x%016llx",
                 (unsigned long long)replaced->new_guid);
        json_array_append_new(
            list,
            json_pack("{s:o, s:s, s:s, s:s, s:o}", "name",
                      sf_status_text(replaced->name), "kind",
                      replaced->is_switch ? "switch" : "host", "old_guid", old,
                      "new_guid", new, "at", sf_status_time(replaced->at)));
    }
    return list;
}

json_t *
sf_status_pack(const struct sf_plugin_status *status)
{
    static const char *const states[] = { "started", "routed",  "up",
                                          "failed",  "standby", "ended" };
    const struct sf_engine_result *result = &status->result;
    const struct sf_difference *difference = &result->difference;
    char port_guid[20];

    snprintf(port_guid, sizeof port_guid, "0x%016llx",
             (unsigned long long)status->port_guid);

    return json_pack(
        "{s:s, s:i, s:s, s:s, s:s?, s:s, s:o, s:o, s:I, s:s?, s:o, s:b, s:I, "
        "s:I, "
        "s:o, s:{s:I, s:I, s:I}, s:I, s:I, s:o, s:{s:f, s:f, s:f, s:f}, s:o, "
        "s:o, s:o, s:o}",
        "schema", "slimfly.status", "schema_version", 1, "version", SF_VERSION,
        "opensm", status->opensm, "port_guid",
        status->port_guid ? port_guid : NULL, "state", states[status->state],
        "routed_at", sf_status_time(status->routed_at), "up_at",
        sf_status_time(status->up_at), "n_routings",
        (json_int_t)status->n_routings, "outcome",
        status->routing ? sf_outcome_name(result->outcome) : NULL, "reason",
        result->reason[0] ? sf_status_text(result->reason) : json_null(),
        "safe", (int)result->is_safe, "lmc", (json_int_t)status->lmc,
        "n_vls_offered", (json_int_t)status->n_vls, "routing",
        pack_routing(status->routing), "missing", "switches",
        (json_int_t)difference->n_lost_switches, "links",
        (json_int_t)difference->n_lost_links, "hosts",
        (json_int_t)difference->n_lost_hosts, "n_entries",
        (json_int_t)status->n_entries, "n_changed_entries",
        (json_int_t)status->n_changed, "change", pack_change(&status->change),
        "seconds", "read", status->read_seconds, "route",
        status->route_seconds, "write", status->write_seconds, "lanes",
        status->lane_seconds, "jobs",
        status->jobs ? sf_plugin_jobs_pack(status->jobs) : json_null(),
        "drained", pack_drained(status), "replaced", pack_replaced(status),
        "warnings", pack_warnings(status));
}

void
sf_plugin_status_fail(struct sf_plugin_status *status, const char *reason)
{
    status->state = SF_STATE_FAILED;
    status->result = (struct sf_engine_result){ 0 };
    snprintf(status->result.reason, sizeof status->result.reason, "%s",
             reason);
}

static void
write_json(const void *root, FILE *stream)
{
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    fputc('\n', stream);
}

enum sf_status
sf_status_write(const json_t *status, const char *path, struct sf_error *err)
{
    return sf_whole_file_write(path, write_json, status, err);
}
