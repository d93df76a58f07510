/* drained.c -- see drained.h. */
#define _GNU_SOURCE
#include "drained.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Waits until nobody else changes the list.  Its folder is made, unless people
 * have named it, who may have mistyped it. */
static bool
take_lock(struct cli_drain *drain, bool is_named)
{
    char folder[CLI_CONF_SIZE];
    struct sf_error err;

    snprintf(folder, sizeof folder, "%s", drain->path);
    char *slash = strrchr(folder, '/');
    if (slash && slash != folder && !is_named) {
        *slash = '\0';
        if (!cli_is_folder(folder) && cli_make_folder(folder) != CLI_FINE) {
            return false;
        }
    }
    if (sf_drain_list_lock(drain->path, &drain->lock, &err) != SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    return true;
}

/* Reads the plan.  Without one that only the plugin's options name, people can
 * still say what to drain: in an emergency, that must not fail. */
static bool
load_plan(const struct cli_args *args, struct cli_drain *drain)
{
    bool is_asked = cli_text(args, OPT_PLAN) != NULL;

    if (is_asked) {
        snprintf(drain->conf.plan, sizeof drain->conf.plan, "%s",
                 cli_text(args, OPT_PLAN));
    }
    drain->plan = drain->conf.plan[0] ? cli_load_plan(drain->conf.plan) : NULL;
    if (drain->conf.plan[0] && !drain->plan && !is_asked) {
        cli_progress_hide();
        fprintf(stderr,
                "slimfly: that plan is what the plugin's options say; without "
                "it, labels and racks are not known\n");
        return true;
    }
    return drain->plan || !drain->conf.plan[0];
}

/* Copies the first of the two that is there. */
static void
choose(char path[CLI_CONF_SIZE], const char *given, const char *otherwise)
{
    snprintf(path, CLI_CONF_SIZE, "%s", given ? given : otherwise);
}

bool
cli_drain_open(const struct cli_args *args, bool changes,
               struct cli_drain *drain)
{
    bool is_named = cli_text(args, OPT_LIST_FILE) != NULL;
    struct sf_error err;

    *drain = (struct cli_drain){ .lock = -1 };
    if (!cli_plugin_conf_load(cli_text(args, OPT_CONF), &drain->conf)) {
        return false;
    }
    if (!is_named && drain->conf.is_there && !drain->conf.drained[0]) {
        const char *conf = cli_text(args, OPT_CONF);
        cli_fail("%s: expected the plugin's options with a line 'drained = "
                 "FILE', without which OpenSM drains nothing; add 'drained "
                 "= " CLI_DRAINED_FILE "' to them and send opensm a SIGHUP",
                 conf ? conf : CLI_PLUGIN_FILE);
        return false;
    }
    choose(drain->path, cli_text(args, OPT_LIST_FILE),
           drain->conf.drained[0] ? drain->conf.drained : CLI_DRAINED_FILE);
    if (!load_plan(args, drain) || (changes && !take_lock(drain, is_named))) {
        return false;
    }
    if (sf_drain_list_load(drain->path, &drain->list, &err) != SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    return true;
}

void
cli_drain_close(struct cli_drain *drain)
{
    sf_drain_list_free(drain->list);
    if (drain->lock >= 0) {
        close(drain->lock);
    }
    sf_guid_map_free(drain->map);
    sf_plan_free(drain->plan);
}

int
cli_drain_save(const struct cli_drain *drain)
{
    struct sf_error err;

    return sf_drain_list_save(drain->list, drain->path, &err) == SF_OK
               ? CLI_FINE
               : cli_fail("%s", err.text);
}

bool
cli_drain_name(struct cli_drain *drain, struct sf_fabric *fabric)
{
    struct sf_error err;

    if (drain->conf.guids[0] && !drain->map) {
        drain->map = cli_load_guids(drain->conf.guids);
        if (!drain->map) {
            return false;
        }
    }
    return sf_drain_name(fabric, drain->plan, drain->map, &err) == SF_OK ||
           cli_fail("%s", err.text) == CLI_FINE;
}

const char *
cli_drain_word(const struct cli_args *args, size_t *ip, char joined[64])
{
    const char *word = args->words[*ip];

    bool is_rack = strcasecmp(word, "rack") == 0;

    if ((!is_rack && strcasecmp(word, "group") != 0) ||
        *ip + 1 >= args->n_words) {
        return word;
    }
    snprintf(joined, 64, "%s %s", is_rack ? "rack" : "group",
             args->words[++*ip]);
    return joined;
}
