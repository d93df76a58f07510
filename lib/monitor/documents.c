#define _GNU_SOURCE
#include "monitor/documents.h"

#include "base/mem.h"
#include "monitor/event_json.h"
#include "report/verify_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Turns 'root', which it takes over, into text. */
static char *
dump(json_t *root)
{
    char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
    return text;
}

static json_t *
make_racks(const struct sf_plan *plan)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < plan->n_racks; i++) {
        const struct sf_rack *rack = &plan->racks[i];
        json_array_append_new(
            array, json_pack("[s,i,i,i]", rack->name, (int)rack->row,
                             (int)rack->column, (int)rack->group));
    }
    return array;
}

/* A node: name, whether it is a host, rack, unit, ports. */
static json_t *
make_nodes(const struct sf_plan *plan)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < plan->fabric->n_nodes; i++) {
        const struct sf_node *node = &plan->fabric->nodes[i];
        json_array_append_new(
            array,
            json_pack("[s,i,i,i,i]", node->name, node->kind == SF_NODE_HOST,
                      node->rack == SF_NONE ? -1 : (int)node->rack,
                      (int)node->unit, (int)node->n_ports));
    }
    return array;
}

/* A cable: label, node and port of both ends, step, length, and, where ports
 * have names, these. */
static json_t *
make_cables(const struct sf_plan *plan)
{
    json_t *array = json_array();
    const struct sf_fabric *fabric = plan->fabric;
    bool has_names = sf_port_names_exist(&fabric->port_names[SF_NODE_SWITCH]);

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        const struct sf_port *a = &fabric->ports[cable->a];
        const struct sf_port *b = &fabric->ports[cable->b];
        char name_a[SF_PORT_NAME_SIZE], name_b[SF_PORT_NAME_SIZE];
        json_t *row = json_pack("[s,i,i,i,i,i,f]", cable->label, (int)a->node,
                                (int)a->number, (int)b->node, (int)b->number,
                                (int)cable->step, cable->length);
        if (has_names) {
            json_array_append_new(
                row, json_string(sf_fabric_port_name(fabric, a->node,
                                                     a->number, name_a)));
            json_array_append_new(
                row, json_string(sf_fabric_port_name(fabric, b->node,
                                                     b->number, name_b)));
        }
        json_array_append_new(array, row);
    }
    return array;
}

char *
sf_document_plan(const struct sf_plan *plan)
{
    json_t *steps = json_array();
    char title[SF_STEP_TITLE_SIZE];

    for (int step = 0; step < SF_N_STEPS; step++) {
        json_array_append_new(steps, json_string(sf_plan_step_title(
                                         plan, (enum sf_step)step, title)));
    }
    return dump(json_pack("{s:s, s:i, s:s, s:s, s:I, s:o, s:o, s:o, s:o}",
                          "schema", "slimfly.monitor.plan", "schema_version",
                          1, "spec", plan->spec, "title", plan->title,
                          "n_switches", (json_int_t)plan->fabric->n_switches,
                          "steps", steps, "racks", make_racks(plan), "nodes",
                          make_nodes(plan), "cables", make_cables(plan)));
}

/* Whether a finding is about a node that is missing. */
static bool
is_of_missing_node(const struct sf_verification *verification,
                   const struct sf_finding *finding)
{
    if (finding->cause == SF_NONE) {
        return false;
    }
    enum sf_verdict verdict = verification->findings[finding->cause].verdict;
    return verdict == SF_VERDICT_MISSING_SWITCH ||
           verdict == SF_VERDICT_MISSING_HOST;
}

static enum sf_cable_state
state_of_finding(const struct sf_verification *verification,
                 const struct sf_finding *finding)
{
    if (finding->verdict == SF_VERDICT_MISCONNECTED) {
        return SF_CABLE_WRONG;
    }
    return is_of_missing_node(verification, finding) ? SF_CABLE_DARK
                                                     : SF_CABLE_MISSING;
}

void
sf_cable_states(const struct sf_watch *watch, const bool *is_drained,
                uint8_t *states)
{
    const struct sf_verification *verification = watch->verification;

    for (uint32_t i = 0; i < watch->plan->n_cables; i++) {
        states[i] = !verification         ? SF_CABLE_UNKNOWN
                    : !watch->is_right[i] ? SF_CABLE_MISSING
                    : is_drained[i]       ? SF_CABLE_DRAINED
                                          : SF_CABLE_RIGHT;
    }
    for (uint32_t i = 0; verification && i < verification->n_findings; i++) {
        const struct sf_finding *finding = &verification->findings[i];
        if (finding->cable == SF_NONE) {
            continue;
        }
        if (finding->verdict == SF_VERDICT_DIFFERENT) {
            states[finding->cable] = SF_CABLE_DIFFERENT;
        } else if (!watch->is_right[finding->cable]) {
            states[finding->cable] =
                (uint8_t)state_of_finding(verification, finding);
        }
    }
}

/* One digit a cable. */
static json_t *
make_states(const struct sf_monitor_view *view)
{
    uint32_t n = view->plan->n_cables;
    uint8_t *states = sf_calloc((size_t)n + 1, 1);
    json_t *string = NULL;

    if (states) {
        sf_cable_states(view->watch, view->is_drained, states);
        for (uint32_t i = 0; i < n; i++) {
            states[i] = (uint8_t)(states[i] + '0');
        }
        string = json_stringn((const char *)states, n);
    }
    free(states);
    return string;
}

/* Numbers by cable, in thousandths; -1: not known. */
static json_t *
make_amounts(const double *amounts, uint32_t n, double scale)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < n; i++) {
        json_array_append_new(
            array, json_integer(amounts[i] < 0 ? -1
                                : amounts[i] * scale > 1e15
                                    ? (json_int_t)1e15
                                    : (json_int_t)ceil(amounts[i] * scale)));
    }
    return array;
}

static json_t *
make_tally(const struct sf_tally *tally)
{
    return json_pack("[I,I]", (json_int_t)tally->n_right,
                     (json_int_t)tally->n_planned);
}

static json_t *
make_tallies(const struct sf_tally *tallies, uint32_t n)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < n; i++) {
        json_array_append_new(array, make_tally(&tallies[i]));
    }
    return array;
}

static json_t *
make_labels(const struct sf_plan *plan, const uint32_t *cables, uint32_t n)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < n && i < SF_MAX_SHOWN; i++) {
        json_array_append_new(array,
                              json_string(plan->cables[cables[i]].label));
    }
    return array;
}

/* What is plugged wrong at this moment, with the move that mends it, for those
 * who wire. */
static json_t *
make_wrong(const struct sf_verification *verification)
{
    json_t *array = json_array();

    for (uint32_t i = 0; verification && i < verification->n_findings &&
                         json_array_size(array) < SF_MAX_SHOWN;
         i++) {
        const struct sf_finding *finding = &verification->findings[i];
        if (finding->verdict == SF_VERDICT_MISSING ||
            finding->verdict == SF_VERDICT_MISSING_SWITCH ||
            finding->verdict == SF_VERDICT_MISSING_HOST) {
            continue;
        }
        json_t *remedy = finding->move == SF_NONE
                             ? sf_json_remedy(verification, i)
                             : sf_json_sentence(verification, finding->move,
                                                sf_verification_write_move);
        json_array_append_new(
            array,
            json_pack("{s:o, s:o, s:s, s:o}", "text",
                      sf_json_sentence(verification, i,
                                       sf_verification_write_finding),
                      "remedy", remedy ? remedy : json_null(), "verdict",
                      sf_verdict_name(finding->verdict), "step",
                      finding->move == SF_NONE
                          ? json_null()
                          : json_integer(finding->move + 1)));
    }
    return array;
}

/* What the first discovery found was not just plugged. */
static json_t *
make_wiring(const struct sf_watch *watch)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "all", make_tally(&watch->all),
        "steps", make_tallies(watch->by_step, SF_N_STEPS), "racks",
        make_tallies(watch->by_rack, watch->plan->n_racks), "plugged",
        make_labels(watch->plan, watch->new_cables,
                    watch->n_changes > 1 ? watch->n_new : 0),
        "lost", make_labels(watch->plan, watch->lost_cables, watch->n_lost),
        "wrong", make_wrong(watch->verification), "warnings",
        watch->verification ? sf_json_warnings(watch->verification)
                            : json_array());
}

/* Those that are worst first, and then in the order of their beginning. */
static json_t *
make_open(const struct sf_monitor_view *view)
{
    json_t *array = json_array();
    uint32_t n = sf_timeline_n_known(view->timeline);

    for (int severity = SF_N_SEVERITIES - 1; severity >= 0; severity--) {
        for (uint32_t i = 0; i < n && json_array_size(array) < SF_MAX_SHOWN;
             i++) {
            const struct sf_known *known =
                sf_timeline_known(view->timeline, i);
            if ((known->is_open || known->is_flapping) &&
                (int)known->condition.severity == severity) {
                json_array_append_new(array, sf_known_json(known, view->plan));
            }
        }
    }
    return array;
}

static json_t *
make_manager(const struct sf_monitor_view *view)
{
    static const char *const verdicts[] = {
        [SF_MANAGER_FINE] = "fine",
        [SF_MANAGER_DEGRADED] = "degraded",
        [SF_MANAGER_DEAD] = "dead",
    };
    json_t *reasons = json_array();

    if (!view->has_manager) {
        json_decref(reasons);
        return json_null();
    }
    if (view->manager_failure) {
        json_decref(reasons);
        return json_pack("{s:s, s:s}", "verdict", "unknown", "failure",
                         view->manager_failure);
    }
    for (uint32_t i = 0; i < view->health->n_reasons; i++) {
        json_array_append_new(reasons, json_string(view->health->reasons[i]));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:o}", "verdict",
                     verdicts[view->health->verdict], "state",
                     sf_manager_state_name(view->manager->state), "host",
                     view->manager->host, "outcome", view->manager->outcome,
                     "heartbeat_age", (json_int_t)view->health->heartbeat_age,
                     "reasons", reasons);
}

static json_t *
make_time(int64_t time)
{
    char text[SF_TIME_TEXT_SIZE];
    return time ? json_string(sf_time_text(time, text)) : json_null();
}

char *
sf_document_state(const struct sf_monitor_view *view)
{
    uint32_t n = view->plan->n_cables;
    const struct sf_counting *counting = view->counting;
    bool has_counts = counting && counting->metrics;

    return dump(json_pack(
        "{s:s, s:i, s:o, s:o, s:o, s:f, s:s?, s:I, s:o, s:o, s:o, s:o, s:o, "
        "s:I, s:I, s:o, s:I}",
        "schema", "slimfly.monitor.state", "schema_version", 1, "time",
        make_time(view->time), "started", make_time(view->started),
        "discovered", make_time(view->discovered), "interval", view->interval,
        "failure", view->failure, "n_unanswered",
        (json_int_t)view->watch->n_unanswered, "states", make_states(view),
        "loads",
        has_counts ? make_amounts(counting->loads, n, 1000) : json_null(),
        "errors",
        has_counts ? make_amounts(counting->errors, n, 1) : json_null(),
        "wiring", make_wiring(view->watch), "open", make_open(view), "n_open",
        (json_int_t)sf_timeline_count_open(view->timeline, SF_SEVERITY_NOTE),
        "n_faults",
        (json_int_t)sf_timeline_count_open(view->timeline,
                                           SF_SEVERITY_WARNING),
        "manager", make_manager(view), "last_event",
        (json_int_t)sf_timeline_last(view->timeline)));
}

char *
sf_document_events(const struct sf_timeline *timeline,
                   const struct sf_plan *plan)
{
    json_t *array = json_array();
    uint64_t last = sf_timeline_last(timeline);
    uint64_t first = sf_timeline_first(timeline);

    if (last >= SF_MAX_SHOWN_EVENTS &&
        first < last - SF_MAX_SHOWN_EVENTS + 1) {
        first = last - SF_MAX_SHOWN_EVENTS + 1;
    }
    for (uint64_t id = first; id <= last; id++) {
        json_array_append_new(
            array, sf_event_json(sf_timeline_event(timeline, id), plan));
    }
    return dump(json_pack("{s:s, s:i, s:o}", "schema",
                          "slimfly.monitor.events", "schema_version", 1,
                          "events", array));
}

/* A metric with its head. */
static void
write_metric(FILE *stream, const char *name, const char *type,
             const char *help, double value)
{
    fprintf(stream,
            "# HELP slimfly_monitor_%s %s\n# TYPE slimfly_monitor_%s "
            "%s\nslimfly_monitor_%s %.17g\n",
            name, help, name, type, name, value);
}

static void
write_conditions(const struct sf_timeline *timeline, FILE *stream)
{
    uint32_t n[SF_MONITOR_N_SOURCES][SF_N_SEVERITIES] = { 0 };

    for (uint32_t i = 0; i < sf_timeline_n_known(timeline); i++) {
        const struct sf_known *known = sf_timeline_known(timeline, i);
        n[known->source][known->condition.severity] +=
            known->is_open || known->is_flapping;
    }
    fputs("# HELP slimfly_monitor_conditions What is wrong now.\n"
          "# TYPE slimfly_monitor_conditions gauge\n",
          stream);
    for (int s = 0; s < SF_MONITOR_N_SOURCES; s++) {
        for (int v = 0; v < SF_N_SEVERITIES; v++) {
            fprintf(stream,
                    "slimfly_monitor_conditions{source=\"%s\",severity="
                    "\"%s\"} %u\n",
                    sf_monitor_source_name((enum sf_monitor_source)s),
                    sf_severity_name((enum sf_severity)v), n[s][v]);
        }
    }
}

static void
write_manager(const struct sf_monitor_view *view, FILE *stream)
{
    if (view->has_manager) {
        bool is_known = !view->manager_failure;
        write_metric(stream, "manager_alive", "gauge",
                     "Whether the subnet manager is alive.",
                     is_known && view->health->verdict != SF_MANAGER_DEAD);
        write_metric(stream, "manager_fine", "gauge",
                     "Whether it routes as asked, or stands by.",
                     is_known && view->health->verdict == SF_MANAGER_FINE);
    }
}

char *
sf_document_metrics(const struct sf_monitor_view *view)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    if (!stream) {
        return NULL;
    }
    write_metric(stream, "cables_planned", "gauge", "Cables of the plan.",
                 view->watch->all.n_planned);
    write_metric(stream, "cables_right", "gauge",
                 "Cables that are as planned.", view->watch->all.n_right);
    write_conditions(view->timeline, stream);
    write_metric(stream, "events_total", "counter", "Events so far.",
                 (double)sf_timeline_last(view->timeline));
    write_metric(stream, "events_lost_total", "counter",
                 "Events that could not be written.",
                 (double)view->n_events_lost);
    write_metric(stream, "dropped_total", "counter",
                 "Conditions and events that there was no room for.",
                 (double)sf_timeline_count_dropped(view->timeline));
    write_metric(stream, "discoveries_total", "counter", "Discoveries so far.",
                 (double)view->n_discoveries);
    write_metric(stream, "discovery_failures_total", "counter",
                 "Discoveries that failed.", (double)view->n_failures);
    write_metric(stream, "discovery_seconds", "gauge",
                 "What the last discovery took.", view->discovery_seconds);
    write_metric(stream, "discovered_timestamp_seconds", "gauge",
                 "When a discovery last succeeded.",
                 (double)view->discovered / 1000);
    write_metric(stream, "streams", "gauge", "Clients that follow the events.",
                 view->n_streams);
    write_metric(stream, "requests_total", "counter",
                 "Requests to the web server.", (double)view->n_requests);
    write_manager(view, stream);
    if (view->counting && view->counting->metrics) {
        fwrite(view->counting->metrics, 1, view->counting->metrics_length,
               stream);
    }
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
