/* bundle_parts.c -- see bundle_parts.h. */
#define _GNU_SOURCE
#include "bundle_parts.h"

#include "versions.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a file at most: of what grows for ever, its end. */
#define MAX_LOG  ((size_t)1 << 20)
#define MAX_FILE ((size_t)1 << 26)

bool
cli_bundle_is_spec(const char *word)
{
    return cli_is_plan(word) && access(word, F_OK) != 0 && strchr(word, ':');
}

/* Adds what 'write' says of 'aux'; it is left out if that fails. */
static void
add_written(struct sf_bundle *bundle, const char *name, const char *what,
            bool (*write)(const void *aux, FILE *stream), const void *aux,
            const char *why)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    bool is_written = stream && write(aux, stream);
    if (stream && fclose(stream) == 0 && is_written) {
        sf_bundle_add_text(bundle, name, what, text, length);
    } else {
        sf_bundle_leave_out(bundle, name, what, why);
    }
    free(text);
}

static bool
write_versions(const void *aux, FILE *stream)
{
    (void)aux;
    cli_write_versions(stream);
    return true;
}

static bool
write_conf(const void *aux, FILE *stream)
{
    return cli_bundle_write_conf(aux, stream);
}

static bool
write_fabric(const void *aux, FILE *stream)
{
    sf_ibnetdiscover_write(aux, "discovered for a bug report", stream);
    return true;
}

static bool
write_verification(const void *aux, FILE *stream)
{
    return sf_verification_write_text(aux, stream, NULL) == SF_OK;
}

/* Adds what OpenSM, the plugin and the monitor leave on this machine. */
static void
add_files(struct sf_bundle *bundle, const struct cli_bundle_places *places)
{
    char why[600];

    snprintf(why, sizeof why, "%s cannot be read", places->conf);
    add_written(bundle, "opensm.conf",
                "what opensm.conf says of routing and the plugin", write_conf,
                places->conf, why);
    if (places->options && cli_is_file(places->options)) {
        sf_bundle_add_file(bundle, "slimfly.conf", "the options of the plugin",
                           places->options, MAX_FILE);
    } else {
        sf_bundle_leave_out(bundle, "slimfly.conf",
                            "the options of the plugin",
                            "opensm.conf names no such file");
    }
    sf_bundle_add_file(bundle, "status.json", "the status of the plugin",
                       places->status, MAX_FILE);
    sf_bundle_add_file(bundle, "opensm.log", "the log of OpenSM", places->log,
                       MAX_LOG);
    sf_bundle_add_file(bundle, "drained", "what is drained", places->drained,
                       MAX_FILE);
    sf_bundle_add_file(bundle, "jobs", "the jobs that are routed for",
                       places->jobs, MAX_FILE);
    sf_bundle_add_file(bundle, "events.jsonl", "the time line of the monitor",
                       places->events, MAX_LOG);
    if (places->guids) {
        sf_bundle_add_file(bundle, "guids.csv", "the map of GUIDs",
                           places->guids, MAX_FILE);
    }
}

/* Adds the plan, as it is, so that a broken one can be looked at. */
static void
add_plan(struct sf_bundle *bundle, const char *word)
{
    static const char what[] = "the plan";
    char *inside;

    if (!word) {
        sf_bundle_leave_out(bundle, "plan.json", what,
                            "none was given, and slimfly.conf names none");
    } else if (cli_bundle_is_spec(word)) {
        sf_bundle_add_text(bundle, "plan.txt", "the spec of the plan", word,
                           strlen(word));
    } else {
        inside = cli_is_folder(word) ? cli_join(word, "plan.json") : NULL;
        sf_bundle_add_file(bundle, "plan.json", what, inside ? inside : word,
                           MAX_FILE);
        free(inside);
    }
}

/* Reads the plan of a file, a folder or a spec, and says nothing. */
static enum sf_status
read_plan(const char *word, struct sf_plan **planp, struct sf_error *err)
{
    struct sf_topology *topo = NULL;
    char *inside = cli_is_folder(word) ? cli_join(word, "plan.json") : NULL;
    enum sf_status status = SF_OK;

    *planp = NULL;
    if (!cli_bundle_is_spec(word)) {
        status = sf_plan_read(inside ? inside : word, planp, err);
    } else if ((status = sf_topology_build(word, &topo, err)) == SF_OK) {
        status = sf_plan_build(topo, NULL, NULL, planp, err);
    }
    sf_topology_free(topo);
    free(inside);
    return status;
}

/* Adds how 'found' compares with the plan. */
static void
add_verification(struct sf_bundle *bundle,
                 const struct cli_bundle_places *places,
                 const struct sf_fabric *found)
{
    static const char what[] = "the fabric beside the plan";
    struct sf_verify_params params = { 0 };
    struct sf_plan *plan = NULL;
    struct sf_guid_map *map = NULL;
    struct sf_verification *verification = NULL;
    struct sf_error err = { .text = "there is no plan" };

    enum sf_status status =
        places->plan ? read_plan(places->plan, &plan, &err) : SF_EINVAL;
    if (status == SF_OK && places->guids) {
        status = sf_guid_map_load(places->guids, &map, &err);
        params.map = map;
    }
    if (status == SF_OK &&
        sf_verify(plan, found, &params, &verification, &err) == SF_OK) {
        add_written(bundle, "live/verify.txt", what, write_verification,
                    verification, "out of memory");
    } else {
        sf_bundle_leave_out(bundle, "live/verify.txt", what, err.text);
    }
    sf_verification_free(verification);
    sf_guid_map_free(map);
    sf_plan_free(plan);
}

/* Adds what is out there. */
static void
add_live(struct sf_bundle *bundle, const struct cli_bundle_wish *wish)
{
    static const char name[] = "live/fabric.ibnetdiscover";
    static const char what[] = "the fabric as it is now";
    struct sf_fabric *found = NULL;
    struct sf_error err = { .text = "nobody wanted it" };

    if (!wish->source || sf_fabric_discover(wish->source, wish->timeout,
                                            &found, NULL, &err) != SF_OK) {
        sf_bundle_leave_out(bundle, name, what, err.text);
        return;
    }
    add_written(bundle, name, what, write_fabric, found, "out of memory");
    add_verification(bundle, &wish->places, found);
    sf_fabric_free(found);
}

void
cli_bundle_collect(const struct cli_bundle_wish *wish,
                   struct sf_bundle *bundle)
{
    add_written(bundle, "versions.txt",
                "versions of programs, libraries, kernel and drivers",
                write_versions, NULL, "out of memory");
    add_files(bundle, &wish->places);
    add_plan(bundle, wish->places.plan);
    char *route = wish->routed ? cli_join(wish->routed, "route.json") : NULL;
    if (route) {
        sf_bundle_add_file(bundle, "route.json", "how it was routed", route,
                           MAX_FILE);
    }
    free(route);
    add_live(bundle, wish);
}
