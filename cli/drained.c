/* drained.c -- see drained.h. */
#define _GNU_SOURCE
#include "drained.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Waits until nobody else changes the list.  Its folder is made. */
static bool
take_lock(struct cli_drain *drain)
{
    char folder[CLI_CONF_SIZE];
    struct sf_error err;

    snprintf(folder, sizeof folder, "%s", drain->path);
    char *slash = strrchr(folder, '/');
    if (slash && slash != folder) {
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
    struct sf_error err;

    *drain = (struct cli_drain){ .lock = -1 };
    if (!cli_plugin_conf_load(cli_text(args, OPT_CONF), &drain->conf)) {
        return false;
    }
    choose(drain->path, cli_text(args, OPT_LIST_FILE),
           drain->conf.drained[0] ? drain->conf.drained : CLI_DRAINED_FILE);
    if (!load_plan(args, drain) || (changes && !take_lock(drain))) {
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

    if (strcasecmp(word, "rack") != 0 || *ip + 1 >= args->n_words) {
        return word;
    }
    snprintf(joined, 64, "rack %s", args->words[++*ip]);
    return joined;
}

static bool
has_tables(const char *word)
{
    char *path =
        cli_is_folder(word) ? cli_find_in_folder(word, CLI_TABLES_FILE) : NULL;

    free(path);
    return path != NULL;
}

/* Routes 'fabric', which has no tables, as 'slimfly route' would. */
static enum sf_status
route(struct sf_fabric *fabric, struct sf_routing **routingp,
      struct sf_error *err)
{
    struct sf_routing_params params = { .layers = { .n_layers = 4,
                                                    .seed = 1,
                                                    .n_threads = 1,
                                                    .within_parts = true } };
    struct sf_network *network = NULL;
    enum sf_status status = sf_fabric_assign_lids(
        fabric, sf_lmc_for_layers(params.layers.n_layers), NULL, err);

    if (status == SF_OK) {
        sf_ib_count_addresses(fabric, &params);
        status = sf_network_build(fabric, &network, err);
    }
    if (status == SF_OK) {
        status = sf_routing_build(network, &params, routingp, err);
    }
    sf_network_free(network);
    return status;
}

/* Hands what 'tables' hold over to 'held'. */
static void
hand_over(struct sf_ib_tables *tables, struct cli_held *held)
{
    *held = (struct cli_held){ tables->lfts, tables->sl2vl, tables->path_sls };
    *tables = (struct sf_ib_tables){ 0 };
    sf_ib_tables_free(tables);
}

static enum sf_status
encode(const struct sf_routing *routing, struct cli_held *held,
       struct sf_error *err)
{
    struct sf_ib_tables *tables;
    enum sf_status status = sf_ib_encode(routing, &tables, err);

    if (status == SF_OK) {
        hand_over(tables, held);
    }
    return status;
}

/* Finds the routing of before, and its tables. */
static enum sf_status
find_before(const char *word, uint32_t timeout, struct sf_fabric *fabric,
            struct cli_what_if *what_if, struct sf_routing **routingp,
            struct sf_error *err)
{
    struct cli_held *before = &what_if->before;
    enum sf_status status;

    *routingp = NULL;
    if (!has_tables(word) && !sf_is_live(word)) {
        status = route(fabric, routingp, err);
        return status == SF_OK ? encode(*routingp, before, err) : status;
    }
    status = cli_held_load(before, word, fabric, timeout, err);
    if (status != SF_OK) {
        return status;
    }
    char *report =
        cli_is_folder(word) ? cli_find_in_folder(word, "route.json") : NULL;
    if (report) {
        free(report);
        return sf_ib_read_routing(word, routingp, err);
    }
    status = sf_ib_take_routing(fabric, before->tables, before->sl2vl,
                                routingp, err);
    if (status == SF_ELANES) { /* Lanes by the SL of each path, perhaps. */
        what_if->is_without_lanes = true;
        status =
            sf_ib_take_routing(fabric, before->tables, NULL, routingp, err);
    }
    return status;
}

/* Repairs 'routing' for 'left'; anew if its lanes do not allow that. */
static enum sf_status
repair(const struct sf_routing *routing, const struct sf_fabric *left,
       struct cli_what_if *what_if, struct sf_error *err)
{
    struct sf_network *network;
    struct sf_routing *repaired = NULL;
    enum sf_status status = sf_network_build(left, &network, err);

    if (status != SF_OK) {
        return status;
    }
    status = sf_routing_repair(routing, network, &repaired, err);
    if (status == SF_ELANES) {
        struct sf_routing_params params = {
            .layers = { .n_layers = routing->params.layers.n_layers,
                        .seed = 1,
                        .n_threads = 1,
                        .may_exceed = true,
                        .within_parts = true },
        };
        snprintf(what_if->why_anew, sizeof what_if->why_anew, "%s", err->text);
        sf_ib_count_addresses(left, &params);
        status = sf_routing_build(network, &params, &repaired, err);
    }
    if (status == SF_OK) {
        status = encode(repaired, &what_if->after, err);
    }
    sf_routing_free(repaired);
    sf_network_free(network);
    return status;
}

/* Compares the tables, and judges the change. */
static enum sf_status
compare(const struct sf_fabric *fabric, struct cli_what_if *what_if,
        struct sf_error *err)
{
    const struct cli_held *a = &what_if->before, *b = &what_if->after;
    struct sf_diff_side before = { fabric, a->tables, a->sl2vl, a->path_sls };
    struct sf_diff_side after = { fabric, b->tables, b->sl2vl, b->path_sls };

    if (what_if->is_without_lanes) {
        after.sl2vl = NULL;
        after.path_sls = NULL;
    }
    enum sf_status status =
        sf_table_diff_build(&before, &after, &what_if->diff, err);
    if (status != SF_OK || what_if->is_without_lanes) {
        return status;
    }
    if (status == SF_OK) {
        status = sf_mixture_build(
            fabric,
            &(struct sf_mixture_side){ a->tables, a->sl2vl, a->path_sls },
            &(struct sf_mixture_side){ b->tables, b->sl2vl, b->path_sls },
            NULL, &what_if->mixture, err);
    }
    if (status == SF_OK) {
        status = sf_steps_plan(
            fabric, &(struct sf_step_side){ a->tables, a->sl2vl, a->path_sls },
            &(struct sf_step_side){ b->tables, b->sl2vl, b->path_sls },
            &(struct sf_steps_params){ .stays_direct = true }, &what_if->steps,
            err);
    }
    return status;
}

enum sf_status
cli_what_if(const char *word, uint32_t timeout, struct sf_fabric *fabric,
            const struct sf_drain_list *list, struct cli_what_if *what_if,
            struct sf_error *err)
{
    struct sf_routing *routing = NULL;
    struct sf_fabric *left = NULL;
    struct sf_drained drained = { 0 };
    enum sf_status status =
        find_before(word, timeout, fabric, what_if, &routing, err);

    if (status == SF_OK) {
        status = sf_fabric_copy(fabric, &left, err);
    }
    if (status == SF_OK) {
        status = sf_drain_apply(list, left, &drained, err);
    }
    if (status == SF_OK) {
        status = repair(routing, left, what_if, err);
    }
    if (status == SF_OK) {
        status = compare(fabric, what_if, err);
    }
    sf_drained_clear(&drained);
    sf_fabric_free(left);
    sf_routing_free(routing);
    return status;
}

void
cli_what_if_clear(struct cli_what_if *what_if)
{
    sf_steps_free(what_if->steps);
    sf_mixture_free(what_if->mixture);
    sf_table_diff_free(what_if->diff);
    cli_held_clear(&what_if->after);
    cli_held_clear(&what_if->before);
}
