/* manager.c -- the status file of the plugin for OpenSM, read, and judged. */
#define _DEFAULT_SOURCE
#include "slimfly/manager.h"

#include "slimfly/drain_status.h"

#include "base/file.h"
#include "base/json_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Three beats may fail before a manager counts as dead, and three sweeps
 * before it counts as hanging. */
#define PATIENCE 3

static const char *const state_names[SF_MANAGER_N_STATES] = {
    [SF_MANAGER_STARTED] = "started", [SF_MANAGER_ROUTED] = "routed",
    [SF_MANAGER_UP] = "up",           [SF_MANAGER_FAILED] = "failed",
    [SF_MANAGER_STANDBY] = "standby", [SF_MANAGER_ENDED] = "ended",
};

const char *
sf_manager_state_name(enum sf_manager_state state)
{
    return state_names[state];
}

/* Copies 'text', as far as it fits, with a '?' for all that cannot be
 * printed. */
static void
copy_text(char *copy, size_t size, const char *text)
{
    size_t i = 0;

    for (; text && text[i] && i + 1 < size; i++) {
        copy[i] = text[i];
        if (text[i] < ' ' || text[i] > '~') {
            copy[i] = '?';
        }
    }
    copy[i] = '\0';
}

/* The text 'key', which may be null. */
static void
read_optional_text(struct sf_json_reader *reader, const json_t *root,
                   const char *key, char *copy, size_t size)
{
    const json_t *value = json_object_get(root, key);

    if (!json_is_string(value) && !json_is_null(value)) {
        sf_json_refuse(reader, "%s: expected a text or null", key);
    }
    copy_text(copy, size, json_string_value(value));
}

/* Whether 'text' is a moment as RFC 3339 has it: '*timep', in seconds since
 * 1970. */
static bool
parse_time(const char *text, int64_t *timep)
{
    struct tm parts = { 0 };
    int n_read = 0;

    if (!text ||
        sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &parts.tm_year,
               &parts.tm_mon, &parts.tm_mday, &parts.tm_hour, &parts.tm_min,
               &parts.tm_sec, &n_read) != 6 ||
        n_read != 20 || text[20]) {
        return false;
    }
    parts.tm_year -= 1900;
    parts.tm_mon--;
    *timep = timegm(&parts);
    return true;
}

/* The moment 'key'. */
static int64_t
read_time(struct sf_json_reader *reader, const json_t *root, const char *key)
{
    const char *text = json_string_value(json_object_get(root, key));
    int64_t time = 0;

    if (parse_time(text, &time)) {
        return time;
    }
    sf_json_refuse(reader,
                   "%s: expected a time such as 2026-01-31T12:00:00Z%s", key,
                   text ? ""
                        : ": plugins without a heartbeat wrote no such "
                          "member, and OpenSM must be started again with "
                          "that of this version");
    return 0;
}

static void
read_state(struct sf_json_reader *reader, const json_t *root,
           struct sf_manager *manager)
{
    const char *text = sf_json_text(reader, root, "", "state", 32);

    for (int i = 0; i < SF_MANAGER_N_STATES; i++) {
        if (!strcmp(text, state_names[i])) {
            manager->state = (enum sf_manager_state)i;
            return;
        }
    }
    sf_json_refuse(reader, "state: expected started, routed, up, failed, "
                           "standby or ended");
}

static void
read_warnings(struct sf_json_reader *reader, const json_t *root,
              struct sf_manager *manager)
{
    const json_t *warnings = sf_json_array(reader, root, "warnings");
    size_t n = json_array_size(warnings);

    for (size_t i = 0; i < n && i < SF_MANAGER_MAX_WARNINGS; i++) {
        copy_text(manager->warnings[manager->n_warnings++], SF_ERROR_TEXT_SIZE,
                  json_string_value(json_array_get(warnings, i)));
    }
}

/* Links that are drained, and nodes that were replaced; plugins of before say
 * nothing of them. */
static void
read_care(struct sf_json_reader *reader, const json_t *root,
          struct sf_manager *manager)
{
    const json_t *drained = json_object_get(root, "drained");

    if (json_is_object(drained)) {
        manager->n_drained = sf_json_number(reader, drained, "drained",
                                            "n_links", 0, UINT32_MAX);
        manager->is_safe_to_unplug =
            json_is_true(json_object_get(drained, "safe_to_unplug"));
        manager->has_drain_problem =
            json_is_string(json_object_get(drained, "problem"));
    }
    manager->n_replaced =
        (uint32_t)json_array_size(json_object_get(root, "replaced"));
}

/* A count, which may be larger than sf_json_number() takes. */
static uint64_t
read_count(struct sf_json_reader *reader, const json_t *object,
           const char *where, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        sf_json_refuse(reader, "%s.%s: expected a whole number, at least 0",
                       where, key);
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

static void
read_trap(struct sf_json_reader *reader, const json_t *object,
          const char *where, struct sf_manager_trap *trap)
{
    const char *guid = json_string_value(json_object_get(object, "guid"));
    const char *first = json_string_value(json_object_get(object, "first_at"));
    const char *last = json_string_value(json_object_get(object, "last_at"));

    trap->number =
        sf_json_number(reader, object, where, "number", 0, UINT16_MAX);
    trap->vendor =
        sf_json_number(reader, object, where, "vendor", 0, 0xffffff);
    trap->device =
        json_object_get(object, "device")
            ? sf_json_number(reader, object, where, "device", 0, UINT16_MAX)
            : 0;
    trap->changes =
        sf_json_number(reader, object, where, "changes", 0, UINT16_MAX);
    trap->lid = sf_json_number(reader, object, where, "lid", 0, UINT16_MAX);
    trap->guid = guid ? strtoull(guid, NULL, 16) : 0;
    trap->last = read_count(reader, object, where, "last");
    trap->count = read_count(reader, object, where, "count");
    copy_text(trap->node, sizeof trap->node,
              json_string_value(json_object_get(object, "node")));
    if (!parse_time(first, &trap->first_at) ||
        !parse_time(last, &trap->last_at)) {
        sf_json_refuse(reader,
                       "%s: expected times such as 2026-01-31T12:00:00Z as "
                       "first_at and last_at",
                       where);
    }
}

/* The latest traps; plugins of before say nothing of them. */
static void
read_traps(struct sf_json_reader *reader, const json_t *root,
           struct sf_manager *manager)
{
    const json_t *traps = json_object_get(root, "traps");
    const json_t *latest = json_object_get(traps, "latest");
    char where[64];

    if (!json_is_object(traps)) {
        return;
    }
    manager->n_traps_seen = read_count(reader, traps, "traps", "seen");
    for (size_t i = 0; i < json_array_size(latest) && i < SF_MANAGER_MAX_TRAPS;
         i++) {
        snprintf(where, sizeof where, "traps.latest[%zu]", i);
        read_trap(reader, json_array_get(latest, i), where,
                  &manager->traps[manager->n_traps++]);
    }
}

static void
read_root(struct sf_json_reader *reader, const json_t *root,
          struct sf_manager *manager)
{
    const json_t *missing = json_object_get(root, "missing");

    if (strcmp(sf_json_text(reader, root, "", "schema", 64),
               "slimfly.status") != 0) {
        sf_json_refuse(reader, "schema: expected slimfly.status, the status "
                               "file of the plugin for OpenSM");
    }
    sf_json_number(reader, root, "", "schema_version", 1, 1);
    read_state(reader, root, manager);
    manager->heartbeat_at = read_time(reader, root, "heartbeat_at");
    manager->active_at = read_time(reader, root, "active_at");
    manager->heartbeat_seconds =
        sf_json_number(reader, root, "", "heartbeat_seconds", 1, 86400);
    manager->sweep_seconds =
        sf_json_number(reader, root, "", "sweep_seconds", 0, UINT32_MAX);
    manager->pid = sf_json_number(reader, root, "", "pid", 1, INT32_MAX);
    copy_text(manager->host, sizeof manager->host,
              sf_json_text(reader, root, "", "host", 255));
    const char *guid = json_string_value(json_object_get(root, "port_guid"));
    manager->port_guid = guid ? strtoull(guid, NULL, 16) : 0;
    read_optional_text(reader, root, "outcome", manager->outcome,
                       sizeof manager->outcome);
    read_optional_text(reader, root, "reason", manager->reason,
                       sizeof manager->reason);
    manager->n_missing_switches =
        sf_json_number(reader, missing, "missing", "switches", 0, UINT32_MAX);
    manager->n_missing_links =
        sf_json_number(reader, missing, "missing", "links", 0, UINT32_MAX);
    manager->n_missing_hosts =
        sf_json_number(reader, missing, "missing", "hosts", 0, UINT32_MAX);
    read_care(reader, root, manager);
    read_traps(reader, root, manager);
    read_warnings(reader, root, manager);
}

enum sf_status
sf_manager_parse(const char *text, size_t length, const char *path,
                 struct sf_manager *manager, struct sf_error *err)
{
    struct sf_json_reader reader = { .path = path, .err = err };
    json_error_t problem;

    *manager = (struct sf_manager){ 0 };
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        return sf_fail(err, SF_EPARSE, "%s:%d: expected JSON: %s", path,
                       problem.line, problem.text);
    }
    read_root(&reader, root, manager);
    json_decref(root);
    return reader.status;
}

/* Looks at the list of drained links itself.  What was written a moment ago is
 * not in force: nothing can be unplugged then. */
static void
look_at_list(const char *text, size_t length, const char *path,
             struct sf_manager *manager)
{
    struct sf_drain_told told;
    struct sf_drain_list *list = NULL;

    if (sf_manager_find_process(manager) == SF_PROCESS_UNKNOWN ||
        sf_drain_told_parse(text, length, path, &told, NULL) != SF_OK) {
        return;
    }
    if (told.file && sf_drain_list_load(told.file, &list, NULL) == SF_OK) {
        manager->n_drain_changes = sf_drain_told_compare(&told, list);
        manager->is_safe_to_unplug &= !manager->n_drain_changes;
    }
    sf_drain_list_free(list);
    sf_drain_told_clear(&told);
}

enum sf_status
sf_manager_read(const char *path, struct sf_manager *manager,
                struct sf_error *err)
{
    char *text;
    size_t length;
    enum sf_status status = sf_file_read(path, &text, &length, err);

    if (status == SF_OK) {
        status = sf_manager_parse(text, length, path, manager, err);
    }
    if (status == SF_OK) {
        look_at_list(text, length, path, manager);
    }
    free(text);
    return status;
}

/* Makes the verdict at least as bad as 'verdict', and says why. */
static void __attribute__((format(printf, 3, 4)))
add_reason(struct sf_manager_health *health, enum sf_manager_verdict verdict,
           const char *format, ...)
{
    size_t most = sizeof health->reasons / sizeof *health->reasons;
    va_list args;

    if (verdict > health->verdict) {
        health->verdict = verdict;
    }
    if (health->n_reasons < most) {
        va_start(args, format);
        vsnprintf(health->reasons[health->n_reasons++], SF_ERROR_TEXT_SIZE,
                  format, args);
        va_end(args);
    }
}

/* Whether there is a manager that lives. */
static void
judge_life(const struct sf_manager *manager, int64_t max_age,
           enum sf_process process, struct sf_manager_health *health)
{
    int64_t age = health->heartbeat_age;

    if (manager->state == SF_MANAGER_ENDED) {
        add_reason(health, SF_MANAGER_DEAD, "it has ended");
    } else if (process == SF_PROCESS_GONE) {
        add_reason(health, SF_MANAGER_DEAD,
                   "it was killed: there is no process %u on this machine",
                   manager->pid);
    } else if (age > max_age) {
        add_reason(health, SF_MANAGER_DEAD,
                   "its last heartbeat was %" PRId64 " s ago, and one is due "
                   "every %u s",
                   age, manager->heartbeat_seconds);
    } else if (age < -max_age) {
        add_reason(health, SF_MANAGER_DEAD,
                   "its last heartbeat is %" PRId64 " s ahead of the clock of "
                   "this machine, so nothing is known: set the clocks",
                   -age);
    } else if (manager->sweep_seconds &&
               health->idle >
                   (int64_t)PATIENCE * manager->sweep_seconds + max_age) {
        add_reason(health, SF_MANAGER_DEAD,
                   "it hangs: it has sent nothing to the fabric for %" PRId64
                   " s, and should every %u s",
                   health->idle, manager->sweep_seconds);
    }
}

/* Whether a manager that lives routes as asked. */
static void
judge_routing(const struct sf_manager *manager,
              struct sf_manager_health *health)
{
    if (manager->state == SF_MANAGER_STANDBY) {
        return; /* What it routed before is not its business any more. */
    }
    if (manager->state == SF_MANAGER_FAILED) {
        add_reason(health, SF_MANAGER_DEGRADED, "it routes nothing: %s",
                   manager->reason);
    } else if (manager->state == SF_MANAGER_STARTED) {
        add_reason(health, SF_MANAGER_DEGRADED, "it has not routed yet");
    } else if (!manager->n_warnings &&
               (!strcmp(manager->outcome, "held") ||
                !strcmp(manager->outcome, "fallback"))) {
        add_reason(health, SF_MANAGER_DEGRADED, "not routed as asked: %s",
                   manager->reason);
    }
    for (uint32_t i = 0; i < manager->n_warnings; i++) {
        add_reason(health, SF_MANAGER_DEGRADED, "%s", manager->warnings[i]);
    }
}

void
sf_manager_judge(const struct sf_manager *manager, int64_t now,
                 uint32_t max_age, enum sf_process process,
                 struct sf_manager_health *health)
{
    int64_t most =
        max_age ? max_age : (int64_t)PATIENCE * manager->heartbeat_seconds;

    *health = (struct sf_manager_health){
        .verdict = SF_MANAGER_FINE,
        .heartbeat_age = now - manager->heartbeat_at,
        .idle = manager->heartbeat_at - manager->active_at,
    };
    judge_life(manager, most, process, health);
    if (health->verdict == SF_MANAGER_FINE) {
        judge_routing(manager, health);
    }
}

enum sf_process
sf_manager_find_process(const struct sf_manager *manager)
{
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    if (strcmp(host, manager->host) != 0) {
        return SF_PROCESS_UNKNOWN;
    }
    return kill((pid_t)manager->pid, 0) == 0 || errno == EPERM
               ? SF_PROCESS_RUNS
               : SF_PROCESS_GONE;
}
