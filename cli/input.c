/* input.c -- what several commands read: plans, and how to tell nodes. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Whether 'word' is a spec: no file is called so, and it has parameters, or is
 * the name of a family, whose message says which it takes. */
static bool
is_spec(const char *word)
{
    struct stat status;

    return stat(word, &status) != 0 &&
           (strchr(word, ':') || sf_family_find(word) != SF_NONE);
}

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
    struct sf_plan *plan;
    struct sf_error err;

    if (is_spec(word)) {
        return plan_spec(word);
    }
    char *inside = cli_is_folder(word) ? cli_join(word, "plan.json") : NULL;
    if (sf_plan_read(inside ? inside : word, &plan, &err) != SF_OK) {
        cli_fail("%s", err.text);
    }
    free(inside);
    return plan;
}

void
cli_warn_unanswered(uint32_t n_unanswered)
{
    if (n_unanswered) {
        cli_progress_hide();
        fprintf(stderr,
                "slimfly: parts of the fabric did not answer (%u questions); "
                "all that is behind them counts as missing\n",
                n_unanswered);
    }
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

bool
cli_is_plan(const char *word)
{
    size_t length = strlen(word);

    if (cli_is_folder(word)) {
        char *path = cli_find_in_folder(word, "plan.json");
        free(path);
        return path != NULL;
    }
    if (sf_is_lldp(word)) {
        return false;
    }
    return (is_spec(word) && !sf_is_live(word)) ||
           (length > 5 && !strcmp(word + length - 5, ".json"));
}

/* The file in 'folder' that says what was discovered; NULL if there is
 * none. */
static char *
find_discovered(const char *folder)
{
    char *path = cli_find_in_folder(folder, "fabric.ibnetdiscover");
    return path ? path : cli_find_in_folder(folder, "opensm-subnet.lst");
}

struct sf_fabric *
cli_load_discovered(const char *word, unsigned timeout)
{
    if (sf_is_lldp(word)) {
        cli_fail("%s: only 'slimfly verify' and 'slimfly watch' read what "
                 "LLDP found, since a plan must say what ports are called",
                 word);
        return NULL;
    }
    if (sf_is_live(word) || !cli_is_folder(word)) {
        return discover(word, timeout);
    }
    char *path = find_discovered(word);
    if (!path) {
        cli_fail("%s: expected fabric.ibnetdiscover or opensm-subnet.lst in "
                 "this folder",
                 word);
        return NULL;
    }
    struct sf_fabric *fabric = discover(path, timeout);
    free(path);
    return fabric;
}

/* Leaves the hosts out of 'plan' if there is none in 'found': they do not run
 * LLDP. */
static bool
skip_unseen_hosts(struct sf_plan *plan, struct sf_fabric *found)
{
    struct sf_error err;

    if (found->n_nodes > found->n_switches ||
        plan->fabric->n_nodes == plan->fabric->n_switches) {
        return true;
    }
    sf_plan_drop_hosts(plan);
    if (sf_fabric_add_note(found, "no_hosts",
                           "No host was seen. The cables of hosts are not "
                           "checked.",
                           &err) != SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    return true;
}

struct sf_fabric *
cli_load_found(struct sf_plan *plan, const char *word, unsigned timeout)
{
    struct sf_fabric *found;
    struct sf_error err;

    if (!sf_is_lldp(word)) {
        return cli_load_discovered(word, timeout);
    }
    if (sf_lldp_read(word, plan->fabric, &found, NULL, &err) != SF_OK) {
        cli_fail("%s", err.text);
        return NULL;
    }
    if (!skip_unseen_hosts(plan, found)) {
        sf_fabric_free(found);
        return NULL;
    }
    return found;
}

struct sf_fabric *
cli_load_fabric_and_plan(const char *word, unsigned timeout,
                         struct sf_plan **planp)
{
    /* A plan says it all; a folder without one may hold a routed fabric. */
    char *path = cli_is_folder(word) ? find_discovered(word) : NULL;
    bool is_plan = cli_is_plan(word);
    bool is_neither = cli_is_folder(word) && !path && !is_plan;
    free(path);
    *planp = NULL;
    if (is_neither) {
        cli_fail("%s: expected fabric.ibnetdiscover (from 'slimfly route'), "
                 "opensm-subnet.lst (from OpenSM) or plan.json (from 'slimfly "
                 "plan') in this folder",
                 word);
        return NULL;
    }
    if (!is_plan) {
        return cli_load_discovered(word, timeout);
    }
    *planp = cli_load_plan(word);
    return *planp ? (*planp)->fabric : NULL;
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

struct sf_guid_map *
cli_load_guids(const char *path)
{
    struct sf_guid_map *map = NULL;
    struct sf_error err;

    if (sf_guid_map_load(path, &map, &err) != SF_OK) {
        cli_fail("%s", err.text);
    } else if (map->n_entries == 0) {
        cli_fail("%s: expected lines 0xGUID \"name\", found none", path);
        sf_guid_map_free(map);
        map = NULL;
    }
    return map;
}
