/* bundle_places.c -- see bundle_places.h. */
#define _GNU_SOURCE
#include "bundle_places.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BLANKS "= \t\r\n"

/* Lines of opensm.conf that tell how the subnet is routed, and where the files
 * are.  Keys of management are not among them. */
static const char *const opensm_keys[] = {
    "event_plugin_name",
    "event_plugin_options",
    "routing_engine",
    "lmc",
    "lmc_esp0",
    "qos",
    "qos_max_vls",
    "qos_sl2vl",
    "max_op_vls",
    "use_ucast_cache",
    "max_wire_smps",
    "max_wire_smps2",
    "max_smps_timeout",
    "transaction_timeout",
    "transaction_retries",
    "sm_priority",
    "sminfo_polling_timeout",
    "polling_retry_number",
    "sweep_interval",
    "sweep_on_trap",
    "force_heavy_sweep",
    "reassign_lids",
    "honor_guid2lid_file",
    "subnet_timeout",
    "packet_life_time",
    "leaf_head_of_queue_lifetime",
    "head_of_queue_lifetime",
    "log_file",
    "log_flags",
    "log_max_size",
    "force_log_flush",
    "dump_files_dir",
    "perfmgr",
    "perfmgr_max_outstanding_queries",
    "perfmgr_sweep_time_s",
    "hop_weights_file",
    "port_search_ordering_file",
    "root_guid_file",
    "guid_routing_order_file",
};

/* Cuts 'line' into its first word and the rest, without comments, blanks and
 * equal signs in between; false if there is no word. */
static bool
split_line(char *line, char **keyp, char **valuep)
{
    line[strcspn(line, "#")] = '\0';
    char *key = line + strspn(line, BLANKS);
    char *value = key + strcspn(key, BLANKS);
    if (value == key) {
        return false;
    }
    if (*value) {
        *value++ = '\0';
        value += strspn(value, BLANKS);
    }
    size_t length = strlen(value);
    while (length > 0 && strchr(BLANKS, value[length - 1])) {
        value[--length] = '\0';
    }
    *keyp = key;
    *valuep = value;
    return true;
}

/* Calls 'take' for the settings of a file; false if it cannot be read. */
static bool
for_each_setting(const char *path,
                 void (*take)(void *aux, const char *key, const char *value),
                 void *aux)
{
    FILE *stream = fopen(path, "r");
    char *line = NULL, *key, *value;
    size_t size = 0;

    if (!stream) {
        return false;
    }
    while (getline(&line, &size, stream) >= 0) {
        if (split_line(line, &key, &value)) {
            take(aux, key, value);
        }
    }
    free(line);
    fclose(stream);
    return true;
}

/* A place that is named nowhere yet. */
static void
set(char **placep, const char *value)
{
    if (!*placep && *value && strcmp(value, "(null)") != 0) {
        *placep = strdup(value);
    }
}

static void
take_opensm(void *aux, const char *key, const char *value)
{
    struct cli_bundle_places *places = aux;

    if (!strcmp(key, "event_plugin_options")) {
        set(&places->options, value);
    } else if (!strcmp(key, "log_file")) {
        set(&places->log, value);
    }
}

static void
take_plugin(void *aux, const char *key, const char *value)
{
    struct cli_bundle_places *places = aux;

    const struct {
        const char *key;
        char **placep;
    } known[] = {
        { "plan", &places->plan },       { "guids", &places->guids },
        { "status", &places->status },   { "jobs", &places->jobs },
        { "drained", &places->drained },
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!strcmp(key, known[i].key)) {
            set(known[i].placep, value);
        }
    }
}

/* The file of OpenSM's log that was written last: with several ports, each has
 * one of its own. */
static char *
find_log(void)
{
    DIR *folder = opendir(CLI_LOG_FOLDER);
    struct dirent *entry;
    char *best = NULL;
    time_t best_time = 0;

    while (folder && (entry = readdir(folder))) {
        const char *name = entry->d_name;
        size_t length = strlen(name);
        struct stat status;
        char path[sizeof CLI_LOG_FOLDER + 256];
        if (strncmp(name, "opensm", 6) != 0 || length < 4 ||
            strcmp(name + length - 4, ".log") != 0) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", CLI_LOG_FOLDER, name);
        if (stat(path, &status) == 0 && status.st_mtime >= best_time) {
            free(best);
            best = strdup(path);
            best_time = status.st_mtime;
        }
    }
    if (folder) {
        closedir(folder);
    }
    return best ? best : strdup(CLI_LOG_FOLDER "/opensm.log");
}

bool
cli_bundle_places_find(struct cli_bundle_places *places)
{
    set(&places->conf, CLI_OPENSM_CONF);
    if (places->conf) {
        for_each_setting(places->conf, take_opensm, places);
    }
    if (places->options) {
        for_each_setting(places->options, take_plugin, places);
    }
    set(&places->status, CLI_STATUS_FILE);
    set(&places->drained, CLI_DRAIN_LIST);
    set(&places->jobs, CLI_JOBS_FILE);
    set(&places->events, CLI_EVENTS_FILE);
    if (!places->log) {
        places->log = find_log();
    }
    if (!places->conf || !places->status || !places->drained ||
        !places->jobs || !places->events || !places->log) {
        cli_fail("bundle: out of memory");
        return false;
    }
    return true;
}

void
cli_bundle_places_clear(struct cli_bundle_places *places)
{
    free(places->events);
    free(places->jobs);
    free(places->drained);
    free(places->guids);
    free(places->plan);
    free(places->status);
    free(places->log);
    free(places->options);
    free(places->conf);
}

static void
write_setting(void *aux, const char *key, const char *value)
{
    for (size_t i = 0; i < sizeof opensm_keys / sizeof *opensm_keys; i++) {
        if (!strcmp(opensm_keys[i], key)) {
            fprintf(aux, "%s %s\n", key, value);
        }
    }
}

bool
cli_bundle_write_conf(const char *path, FILE *stream)
{
    return for_each_setting(path, write_setting, stream);
}
