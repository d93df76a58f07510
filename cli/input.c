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
