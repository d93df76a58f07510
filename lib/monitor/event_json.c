#define _GNU_SOURCE
#include "monitor/event_json.h"

#include "base/json_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

char *
sf_time_text(int64_t time, char text[SF_TIME_TEXT_SIZE])
{
    time_t seconds = (time_t)(time / 1000);
    struct tm parts = { 0 };

    gmtime_r(&seconds, &parts);
    size_t n = strftime(text, SF_TIME_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + n, SF_TIME_TEXT_SIZE - n, ".%03dZ", (int)(time % 1000));
    return text;
}

static json_t *
name_of_cable(const struct sf_plan *plan, uint32_t cable)
{
    return cable < plan->n_cables ? json_string(plan->cables[cable].label)
                                  : json_null();
}

static json_t *
name_of_node(const struct sf_plan *plan, uint32_t node)
{
    return node < plan->fabric->n_nodes
               ? json_string(plan->fabric->nodes[node].name)
               : json_null();
}

/* A string in which bytes that are no UTF-8 do not spoil the document. */
static json_t *
clean_string(const char *text)
{
    json_t *string = json_string(text);
    struct sf_error clean;

    if (!string) {
        sf_fail(&clean, SF_EINVAL, "%s", text); /* It replaces them. */
        string = json_string(clean.text);
    }
    return string;
}

json_t *
sf_event_json(const struct sf_event *event, const struct sf_plan *plan)
{
    char time[SF_TIME_TEXT_SIZE], since[SF_TIME_TEXT_SIZE];

    return json_pack(
        "{s:s, s:i, s:I, s:s, s:s, s:s, s:s, s:o, s:b, s:I, s:s, s:o, s:o, "
        "s:o, s:o}",
        "schema", "slimfly.event", "schema_version", 1, "id",
        (json_int_t)event->id, "time", sf_time_text(event->time, time),
        "event", sf_event_type_name(event->type), "source",
        sf_monitor_source_name(event->source), "severity",
        sf_severity_name(event->severity), "kind", clean_string(event->kind),
        "sum", (int)event->is_sum, "count", (json_int_t)event->count, "since",
        sf_time_text(event->since, since), "cable",
        name_of_cable(plan, event->cable), "node",
        name_of_node(plan, event->node), "text", clean_string(event->text),
        "remedy", event->remedy ? clean_string(event->remedy) : json_null());
}

json_t *
sf_known_json(const struct sf_known *known, const struct sf_plan *plan)
{
    const struct sf_condition *condition = &known->condition;
    char since[SF_TIME_TEXT_SIZE];

    return json_pack(
        "{s:s, s:s, s:o, s:b, s:b, s:I, s:s, s:o, s:o, s:o, s:o}", "source",
        sf_monitor_source_name(known->source), "severity",
        sf_severity_name(condition->severity), "kind",
        clean_string(condition->kind), "open", (int)known->is_open, "flapping",
        (int)known->is_flapping, "count", (json_int_t)known->n_changes,
        "since", sf_time_text(known->since, since), "cable",
        name_of_cable(plan, condition->cable), "node",
        name_of_node(plan, condition->node), "text",
        clean_string(condition->text), "remedy",
        condition->remedy ? clean_string(condition->remedy) : json_null());
}

static json_t *
known_record(const struct sf_known *known)
{
    const struct sf_condition *condition = &known->condition;
    json_t *opened = json_array();

    for (uint32_t i = 0; i < SF_MAX_FLAPS; i++) {
        json_array_append_new(opened, json_integer(known->opened[i]));
    }
    return json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:i, s:I, s:I, s:b, s:b, s:b, s:I, s:I, "
        "s:o, s:I, s:I, s:I}",
        "source", (int)known->source, "key", clean_string(condition->key),
        "kind", clean_string(condition->kind), "text",
        clean_string(condition->text), "remedy",
        condition->remedy ? clean_string(condition->remedy) : json_null(),
        "severity", (int)condition->severity, "cable",
        (json_int_t)condition->cable, "node", (json_int_t)condition->node,
        "note", (int)known->is_note, "open", (int)known->is_open, "flapping",
        (int)known->is_flapping, "n_in_row", (json_int_t)known->n_in_row,
        "n_opened", (json_int_t)known->n_opened, "opened", opened, "changed",
        (json_int_t)known->changed, "since", (json_int_t)known->since,
        "n_changes", (json_int_t)known->n_changes);
}

json_t *
sf_timeline_json(const struct sf_timeline *timeline)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < sf_timeline_n_known(timeline); i++) {
        json_array_append_new(array,
                              known_record(sf_timeline_known(timeline, i)));
    }
    return json_pack("{s:s, s:i, s:I, s:o}", "schema", "slimfly.timeline",
                     "schema_version", 1, "last_id",
                     (json_int_t)sf_timeline_last(timeline), "known", array);
}

/* A whole number from 0 on, which may be large. */
static int64_t
read_large(struct sf_json_reader *reader, const json_t *object,
           const char *where, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        sf_json_refuse(reader, "%s%s%s: expected a whole number", where,
                       where[0] ? "." : "", key);
        return 0;
    }
    return json_integer_value(value);
}

#define MAX_TEXT 65536

static void
read_known(struct sf_json_reader *reader, const json_t *object,
           const char *where, struct sf_known *known)
{
    struct sf_condition *condition = &known->condition;
    const json_t *remedy = json_object_get(object, "remedy");
    const json_t *opened = json_object_get(object, "opened");

    known->source = (enum sf_monitor_source)sf_json_number(
        reader, object, where, "source", 0, SF_MONITOR_N_SOURCES - 1);
    condition->key = sf_json_text(reader, object, where, "key", MAX_TEXT);
    condition->kind = sf_json_text(reader, object, where, "kind", MAX_TEXT);
    condition->text = sf_json_text(reader, object, where, "text", MAX_TEXT);
    condition->remedy = json_string_value(remedy);
    condition->severity = (enum sf_severity)sf_json_number(
        reader, object, where, "severity", 0, SF_N_SEVERITIES - 1);
    condition->cable =
        sf_json_number(reader, object, where, "cable", 0, UINT32_MAX);
    condition->node =
        sf_json_number(reader, object, where, "node", 0, UINT32_MAX);
    known->is_note = json_is_true(json_object_get(object, "note"));
    known->is_open = json_is_true(json_object_get(object, "open"));
    known->is_flapping = json_is_true(json_object_get(object, "flapping"));
    known->n_in_row =
        sf_json_number(reader, object, where, "n_in_row", 0, UINT32_MAX);
    known->n_opened =
        sf_json_number(reader, object, where, "n_opened", 0, UINT32_MAX);
    known->n_changes =
        sf_json_number(reader, object, where, "n_changes", 0, UINT32_MAX);
    known->changed = read_large(reader, object, where, "changed");
    known->since = read_large(reader, object, where, "since");
    if (json_array_size(opened) != SF_MAX_FLAPS) {
        sf_json_refuse(reader, "%s.opened: expected %d times", where,
                       SF_MAX_FLAPS);
    }
    for (uint32_t i = 0; i < SF_MAX_FLAPS; i++) {
        known->opened[i] = json_integer_value(json_array_get(opened, i));
    }
}

enum sf_status
sf_timeline_parse(const char *text, size_t length, const char *path,
                  struct sf_timeline *timeline, struct sf_error *err)
{
    struct sf_json_reader reader = { path, err, SF_OK };
    json_error_t wrong;
    json_t *root = json_loadb(text, length, 0, &wrong);
    const char *schema = json_string_value(json_object_get(root, "schema"));

    if (!root) {
        return sf_fail(err, SF_EPARSE, "%s:%d: expected JSON: %s", path,
                       wrong.line, wrong.text);
    }
    if (!schema || strcmp(schema, "slimfly.timeline") != 0) {
        json_decref(root);
        return sf_fail(err, SF_EINVAL,
                       "%s: expected the state of a time line (schema "
                       "slimfly.timeline); remove it to begin anew",
                       path);
    }
    int64_t last_id = read_large(&reader, root, "", "last_id");
    const json_t *array = sf_json_array(&reader, root, "known");
    if (reader.status == SF_OK) {
        sf_timeline_continue(timeline, (uint64_t)last_id, 0);
    }
    for (size_t i = 0; reader.status == SF_OK && i < json_array_size(array);
         i++) {
        struct sf_known known = { 0 };
        char where[SF_JSON_PLACE_SIZE];
        snprintf(where, sizeof where, "known[%zu]", i);
        read_known(&reader, json_array_get(array, i), where, &known);
        if (reader.status == SF_OK && !sf_timeline_restore(timeline, &known)) {
            sf_json_fail_memory(&reader);
        }
    }
    json_decref(root);
    return reader.status;
}
