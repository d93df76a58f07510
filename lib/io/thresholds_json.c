/* thresholds_json.c -- reads files of thresholds; doc/counters.md describes
 * the members. */
#include "base/file.h"
#include "base/json_reader.h"
#include "base/mem.h"
#include "io/shipped_thresholds.h"
#include "slimfly/counter_findings.h"

#include <stdio.h>
#include <string.h>

#define SCHEMA    "slimfly.thresholds"
#define MAX_TIMES 1e6

/* A number of events, or null for any number. */
static uint64_t
read_limit(struct sf_json_reader *reader, const json_t *object,
           const char *where, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!value || json_is_null(value)) {
        return SF_NO_THRESHOLD;
    }
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        sf_json_refuse(reader,
                       "%s.%s: expected a whole number from 0, or null for no "
                       "limit",
                       where, key);
        return SF_NO_THRESHOLD;
    }
    return (uint64_t)json_integer_value(value);
}

static enum sf_severity
read_severity(struct sf_json_reader *reader, const json_t *object,
              const char *where)
{
    const char *text = sf_json_text(reader, object, where, "severity", 16);
    uint32_t i = 0;

    while (i < SF_N_SEVERITIES &&
           strcmp(text, sf_severity_name((enum sf_severity)i)) != 0) {
        i++;
    }
    if (i == SF_N_SEVERITIES) {
        sf_json_refuse(
            reader, "%s.severity: expected note, warning or critical", where);
        return SF_SEVERITY_NOTE;
    }
    return (enum sf_severity)i;
}

static void
read_counters(struct sf_json_reader *reader, const json_t *root,
              struct sf_thresholds *thresholds)
{
    json_t *object = json_object_get(root, "counters"), *member;
    const char *name;
    char where[64];

    for (uint32_t i = 0; i < SF_N_COUNTERS; i++) {
        thresholds->counters[i] =
            (struct sf_counter_threshold){ SF_NO_THRESHOLD, SF_NO_THRESHOLD,
                                           SF_SEVERITY_NOTE };
    }
    if (!json_is_object(object)) {
        sf_json_refuse(reader, "counters: expected an object whose members "
                               "are counters");
        return;
    }
    json_object_foreach(object, name, member)
    {
        enum sf_counter counter = sf_counter_find(name);
        snprintf(where, sizeof where, "counters.%.40s", name);
        if (counter == SF_N_COUNTERS || !json_is_object(member)) {
            sf_json_refuse(reader,
                           "%s: expected a counter as perfquery prints it, "
                           "such as SymbolErrorCounter, with an object",
                           where);
            return;
        }
        thresholds->counters[counter] = (struct sf_counter_threshold){
            .total = read_limit(reader, member, where, "total"),
            .growth = read_limit(reader, member, where, "growth"),
            .severity = read_severity(reader, member, where),
        };
    }
}

static void
read_root(struct sf_json_reader *reader, const json_t *root,
          struct sf_thresholds *thresholds)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    const json_t *load = json_object_get(root, "load");
    const json_t *silent = json_object_get(root, "silent");

    if (!schema || strcmp(schema, SCHEMA) != 0) {
        sf_json_refuse(reader, "schema: expected \"" SCHEMA
                               "\"; are these thresholds?");
        return;
    }
    sf_json_number(reader, root, "", "schema_version", 1, 1);
    read_counters(reader, root, thresholds);
    thresholds->busy = sf_json_amount(reader, load, "load", "busy",
                                      "a share of what a link carries", 1);
    thresholds->hot_times =
        sf_json_amount(reader, load, "load", "hot_times",
                       "a multiple of what the routing predicts", MAX_TIMES);
    thresholds->hot_least =
        sf_json_amount(reader, load, "load", "hot_least",
                       "a share of what a link carries", 1);
    if (json_object_get(load, "hot_traffic")) { /* Newer than the others. */
        thresholds->hot_traffic =
            sf_json_amount(reader, load, "load", "hot_traffic",
                           "a share of what hosts can send", 1);
    }
    thresholds->n_sweeps =
        sf_json_number(reader, silent, "silent", "sweeps", 1, 32);
    thresholds->n_silent =
        sf_json_number(reader, silent, "silent", "silent", 1,
                       thresholds->n_sweeps ? thresholds->n_sweeps : 1);
}

enum sf_status
sf_thresholds_parse(const char *text, size_t length, const char *path,
                    struct sf_thresholds *thresholds, struct sf_error *err)
{
    struct sf_json_reader reader = { .path = path, .err = err };
    json_error_t problem;

    memset(thresholds, 0, sizeof *thresholds);
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        return sf_fail(err, SF_EPARSE, "%s:%d: expected JSON: %s", path,
                       problem.line, problem.text);
    }
    read_root(&reader, root, thresholds);
    json_decref(root);
    return reader.status;
}

enum sf_status
sf_thresholds_read(const char *path, struct sf_thresholds *thresholds,
                   struct sf_error *err)
{
    char *text;
    size_t length;

    enum sf_status status = sf_file_read(path, &text, &length, err);
    if (status == SF_OK) {
        status = sf_thresholds_parse(text, length, path, thresholds, err);
    }
    free(text);
    return status;
}

enum sf_status
sf_thresholds_default(struct sf_thresholds *thresholds, struct sf_error *err)
{
    char text[8192] = "";
    size_t used = 0;

    for (size_t i = 0; i < sizeof shipped_thresholds / sizeof(char *); i++) {
        size_t length = strlen(shipped_thresholds[i]);
        if (used + length >= sizeof text) {
            return sf_fail(err, SF_ELIMIT,
                           "data/thresholds.json: expected less than %zu "
                           "bytes",
                           sizeof text);
        }
        memcpy(text + used, shipped_thresholds[i], length);
        used += length;
    }
    return sf_thresholds_parse(text, used, "data/thresholds.json", thresholds,
                               err);
}
