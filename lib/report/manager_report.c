/* manager_report.c -- the health of a subnet manager, as text and as JSON;
 * doc/formats.md describes the members. */
#define _POSIX_C_SOURCE 200809L
#include "slimfly/manager.h"

#include <inttypes.h>
#include <jansson.h>
#include <time.h>

/* Traps that people are shown; programs get all. */
#define TRAPS_SHOWN 5

static const char *const verdicts[] = {
    [SF_MANAGER_FINE] = "fine",
    [SF_MANAGER_DEGRADED] = "degraded",
    [SF_MANAGER_DEAD] = "dead",
};

/* What a manager that lives does. */
static const char *const doings[SF_MANAGER_N_STATES] = {
    [SF_MANAGER_STARTED] = "has started",
    [SF_MANAGER_ROUTED] = "leads and sends tables",
    [SF_MANAGER_UP] = "leads, and the subnet is up",
    [SF_MANAGER_FAILED] = "routes nothing",
    [SF_MANAGER_STANDBY] = "stands by while another manager leads",
    [SF_MANAGER_ENDED] = "has ended",
};

static bool
lacks_parts(const struct sf_manager *manager)
{
    return manager->n_missing_switches || manager->n_missing_links ||
           manager->n_missing_hosts;
}

/* A moment as RFC 3339 has it, UTC; "?" if it is too far away for that. */
#define TIME_SIZE 40
static void
format_time(int64_t moment, char text[TIME_SIZE])
{
    time_t seconds = (time_t)moment;
    struct tm parts;

    if (!gmtime_r(&seconds, &parts) ||
        !strftime(text, TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts)) {
        snprintf(text, TIME_SIZE, "?");
    }
}

static void
write_trap(const struct sf_manager_trap *trap, FILE *stream)
{
    char text[SF_TRAP_TEXT_SIZE], first[TIME_SIZE], last[TIME_SIZE];

    sf_manager_trap_text(trap, text);
    format_time(trap->first_at, first);
    format_time(trap->last_at, last);
    fprintf(stream, "    %s  %s", last, text);
    if (!trap->vendor) {
        fprintf(stream, " (trap %" PRIu32 ")", trap->number);
    }
    if (trap->count > 1) {
        fprintf(stream, ", %" PRIu64 " times since %s", trap->count, first);
    }
    fputc('\n', stream);
}

static void
write_traps(const struct sf_manager *manager, FILE *stream)
{
    if (!manager->n_traps) {
        return;
    }
    fprintf(stream,
            "  traps since OpenSM has started: %" PRIu64 "; the "
            "latest:\n",
            manager->n_traps_seen);
    for (uint32_t i = 0; i < manager->n_traps && i < TRAPS_SHOWN; i++) {
        write_trap(&manager->traps[i], stream);
    }
}

void
sf_manager_write_text(const struct sf_manager *manager,
                      const struct sf_manager_health *health, FILE *stream)
{
    bool lives = health->verdict != SF_MANAGER_DEAD;

    fprintf(stream, "%s: OpenSM on %s, process %u, %s%s\n",
            verdicts[health->verdict], manager->host, manager->pid,
            lives ? "" : "was in state ",
            lives ? doings[manager->state]
                  : sf_manager_state_name(manager->state));
    for (uint32_t i = 0; i < health->n_reasons; i++) {
        fprintf(stream, "  %s\n", health->reasons[i]);
    }
    if (lives && manager->state != SF_MANAGER_STANDBY &&
        lacks_parts(manager)) {
        fprintf(stream, "  missing: switches: %u, links: %u, hosts: %u\n",
                manager->n_missing_switches, manager->n_missing_links,
                manager->n_missing_hosts);
    }
    if (lives && (manager->n_drained || manager->n_drain_changes)) {
        fprintf(stream, "  drained links: %u, %s\n", manager->n_drained,
                manager->is_safe_to_unplug ? "which can be unplugged now"
                : manager->n_drain_changes
                    ? "not to be unplugged yet: OpenSM has not taken up what "
                      "was changed in the list"
                : manager->has_drain_problem
                    ? "not to be unplugged yet: the list cannot be read"
                    : "not to be unplugged yet: tables are being written");
    }
    if (lives && manager->n_replaced) {
        fprintf(
            stream,
            "  replaced nodes since the start: %u; 'slimfly replace --list' "
            "shows which are not confirmed\n",
            manager->n_replaced);
    }
    write_traps(manager, stream);
    fprintf(stream, "  last heartbeat: %" PRId64 " s ago\n",
            health->heartbeat_age);
}

static json_t *
make_reasons(const struct sf_manager_health *health)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < health->n_reasons; i++) {
        json_array_append_new(array, json_string(health->reasons[i]));
    }
    return array;
}

static json_t *
make_traps(const struct sf_manager *manager)
{
    json_t *latest = json_array();

    for (uint32_t i = 0; i < manager->n_traps; i++) {
        const struct sf_manager_trap *trap = &manager->traps[i];
        char text[SF_TRAP_TEXT_SIZE], first[TIME_SIZE], last[TIME_SIZE];
        char guid[20];
        sf_manager_trap_text(trap, text);
        format_time(trap->first_at, first);
        format_time(trap->last_at, last);
        snprintf(guid, sizeof guid, "0x%016" PRIx64, trap->guid);
        json_array_append_new(
            latest,
            json_pack(
                "{s:s, s:I, s:I, s:I, s:s?, s:s?, s:I, s:s, s:s}", "text",
                text, "number", (json_int_t)trap->number, "vendor",
                (json_int_t)trap->vendor, "device", (json_int_t)trap->device,
                "node", trap->node[0] ? trap->node : NULL, "guid",
                trap->guid ? guid : NULL, "count", (json_int_t)trap->count,
                "first_at", first, "last_at", last));
    }
    return json_pack("{s:I, s:o}", "seen", (json_int_t)manager->n_traps_seen,
                     "latest", latest);
}

enum sf_status
sf_manager_write_json(const struct sf_manager *manager,
                      const struct sf_manager_health *health, const char *path,
                      FILE *stream, struct sf_error *err)
{
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:s, s:o, s:s, s:I, s:s, s:s?, s:I, s:I, s:{s:I, "
        "s:I, s:I}, s:{s:I, s:b, s:I}, s:I, s:o}",
        "schema", "slimfly.manager", "schema_version", 1, "file", path,
        "verdict", verdicts[health->verdict], "reasons", make_reasons(health),
        "host", manager->host, "pid", (json_int_t)manager->pid, "state",
        sf_manager_state_name(manager->state), "outcome",
        manager->outcome[0] ? manager->outcome : NULL, "heartbeat_age",
        (json_int_t)health->heartbeat_age, "idle", (json_int_t)health->idle,
        "missing", "switches", (json_int_t)manager->n_missing_switches,
        "links", (json_int_t)manager->n_missing_links, "hosts",
        (json_int_t)manager->n_missing_hosts, "drained", "links",
        (json_int_t)manager->n_drained, "safe_to_unplug",
        (int)manager->is_safe_to_unplug, "n_changes",
        (json_int_t)manager->n_drain_changes, "n_replaced",
        (json_int_t)manager->n_replaced, "traps", make_traps(manager));

    if (!root) {
        return sf_fail(err, SF_EINVAL,
                       "cannot make JSON: the path of the file is not UTF-8, "
                       "or memory ran out");
    }
    json_dumpf(root, stream, JSON_INDENT(2));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}
