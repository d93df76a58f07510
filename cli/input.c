/* input.c -- what several commands read: plans, and how to tell nodes. */
#define _GNU_SOURCE
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Plans the topology of a spec with the default floor. */
static struct sf_plan *
plan_spec(const char *spec)
{
    struct sf_topology *topo;
    struct sf_plan *plan;
    struct sf_error err;

    if (sf_topology_build(spec, &topo, &err) != SF_OK) {
        cli_fail("%s", err.text);
        return NULL;
    }
    if (sf_plan_build(topo, NULL, NULL, &plan, &err) != SF_OK) {
        cli_fail("%s", err.text);
    }
    sf_topology_free(topo);
    return plan;
}

struct sf_plan *
cli_load_plan(const char *word)
{
    struct stat status;
    struct sf_plan *plan;
    struct sf_error err;
    char *path;

    bool is_there = stat(word, &status) == 0;
    if (!is_there && strchr(word, ':')) {
        return plan_spec(word);
    }
    bool is_folder = is_there && S_ISDIR(status.st_mode);
    if (asprintf(&path, "%s%s", word, is_folder ? "/plan.json" : "") < 0) {
        cli_fail("out of memory");
        return NULL;
    }
    if (sf_plan_read(path, &plan, &err) != SF_OK) {
        cli_fail("%s", err.text);
    }
    free(path);
    return plan;
}

void
cli_warn_unanswered(uint32_t n_unanswered)
{
    if (n_unanswered) {
        fprintf(stderr,
                "slimfly: some of the fabric did not answer (%u questions); "
                "what hangs behind it counts as missing\n",
                n_unanswered);
    }
}

char *
cli_find_in_folder(const char *folder, const char *name)
{
    struct stat status;
    char *path;

    if (asprintf(&path, "%s/%s", folder, name) < 0) {
        return NULL;
    }
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        free(path);
        return NULL;
    }
    return path;
}

static struct sf_fabric *
discover(const char *source, unsigned timeout)
{
    struct sf_fabric *fabric;
    struct sf_error err;
    uint32_t n_unanswered = 0;

    if (sf_fabric_discover(source, timeout, &fabric, &n_unanswered, &err) !=
        SF_OK) {
        cli_fail("%s", err.text);
    }
    cli_warn_unanswered(n_unanswered);
    return fabric;
}

struct sf_fabric *
cli_load_fabric_and_plan(const char *word, unsigned timeout,
                         struct sf_plan **planp)
{
    struct stat status;
    struct sf_fabric *fabric = NULL;
    size_t length = strlen(word);

    /* A plan says it all; a folder without one may hold a routed fabric. */
    *planp = NULL;
    bool is_there = stat(word, &status) == 0;
    bool is_folder = is_there && S_ISDIR(status.st_mode);
    char *plan_path = is_folder ? cli_find_in_folder(word, "plan.json") : NULL;
    char *fabric_path =
        is_folder ? cli_find_in_folder(word, "fabric.ibnetdiscover") : NULL;
    if (is_folder && !fabric_path) {
        fabric_path = cli_find_in_folder(word, "opensm-subnet.lst");
    }
    bool is_spec = !is_there && strchr(word, ':') && !sf_is_live(word);
    bool is_plan = plan_path || is_spec ||
                   (length > 5 && !strcmp(word + length - 5, ".json"));
    if (is_plan || (is_folder && !fabric_path)) {
        *planp = cli_load_plan(word);
        fabric = *planp ? (*planp)->fabric : NULL;
    } else {
        fabric = discover(fabric_path ? fabric_path : word, timeout);
    }
    free(fabric_path);
    free(plan_path);
    return fabric;
}

struct sf_fabric *
cli_load_fabric(const char *word, unsigned timeout)
{
    struct sf_plan *plan;
    struct sf_fabric *fabric = cli_load_fabric_and_plan(word, timeout, &plan);

    if (plan) {
        plan->fabric = NULL;
        sf_plan_free(plan);
    }
    return fabric;
}

static const struct {
    const char *name;
    unsigned sources;
} identities[] = {
    { "auto", 0 },
    { "map", SF_IDENTITY_MAP },
    { "guid", SF_IDENTITY_MAP | SF_IDENTITY_GUID },
    { "name", SF_IDENTITY_NAME },
    { "structure", SF_IDENTITY_STRUCTURE },
};

const char *
cli_identity_choice(size_t i)
{
    return i < sizeof identities / sizeof *identities ? identities[i].name
                                                      : NULL;
}

bool
cli_identity(const struct cli_args *args, int guids_option,
             int identity_option, struct sf_verify_params *params,
             struct sf_guid_map **mapp)
{
    const char *path = args->values[guids_option];
    const char *how = args->values[identity_option];
    struct sf_error err;

    *mapp = NULL;
    for (size_t i = 0; how && cli_identity_choice(i); i++) {
        if (!strcmp(identities[i].name, how)) {
            params->sources = identities[i].sources;
        }
    }
    if (how && !strcmp(how, "map") && !path) {
        cli_fail("%s: --identity map needs a map, --guids FILE",
                 args->command->name);
        return false;
    }
    if (path && sf_guid_map_load(path, mapp, &err) != SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    params->map = *mapp;
    return true;
}
