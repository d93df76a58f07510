/* what_if.c -- see what_if.h. */
#define _GNU_SOURCE
#include "what_if.h"

#include <stdlib.h>
#include <string.h>

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

/* Judges how the plugin writes the change. */
static enum sf_status
judge(const struct sf_fabric *fabric, struct cli_what_if *what_if,
      struct sf_error *err)
{
    const struct cli_held *a = &what_if->before, *b = &what_if->after;
    enum sf_status status = sf_mixture_build(
        fabric, &(struct sf_mixture_side){ a->tables, a->sl2vl, a->path_sls },
        &(struct sf_mixture_side){ b->tables, b->sl2vl, b->path_sls }, NULL,
        &what_if->mixture, err);

    what_if->has_fault = sf_steps_has_fault(fabric, a->tables, b->tables);
    if (status != SF_OK || what_if->has_fault) {
        return status; /* Steps would only take longer. */
    }
    return sf_steps_plan_sweeps(
        fabric, &(struct sf_step_side){ a->tables, a->sl2vl, a->path_sls },
        &(struct sf_step_side){ b->tables, b->sl2vl, b->path_sls },
        &(struct sf_steps_params){ .max_detour = SF_STEPS_MAX_DETOUR },
        &what_if->steps, err);
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
    return status == SF_OK && !what_if->is_without_lanes
               ? judge(fabric, what_if, err)
               : status;
}

/* Takes what 'list' drains out of a copy of 'fabric'. */
static enum sf_status
leave_out(const struct sf_fabric *fabric, const struct sf_drain_list *list,
          struct sf_fabric **leftp, uint32_t *n_linksp, struct sf_error *err)
{
    struct sf_drained drained = { 0 };
    enum sf_status status = sf_fabric_copy(fabric, leftp, err);

    if (status == SF_OK) {
        status = sf_drain_apply(list, *leftp, &drained, err);
    }
    *n_linksp = drained.n_links;
    sf_drained_clear(&drained);
    return status;
}

enum sf_status
cli_what_if(const char *word, uint32_t timeout, struct sf_fabric *fabric,
            const struct sf_drain_list *list, struct cli_what_if *what_if,
            struct sf_error *err)
{
    struct sf_routing *routing = NULL;
    struct sf_fabric *left = NULL;
    uint32_t n_links;
    enum sf_status status =
        find_before(word, timeout, fabric, what_if, &routing, err);

    if (status == SF_OK) {
        status = leave_out(fabric, list, &left, &n_links, err);
    }
    if (status == SF_OK) {
        status = repair(routing, left, what_if, err);
    }
    if (status == SF_OK) {
        status = compare(fabric, what_if, err);
    }
    sf_fabric_free(left);
    sf_routing_free(routing);
    return status;
}

/* Routes the whole of 'fabric' by the options of 'routing'; those that tables
 * do not tell are the default ones. */
static enum sf_status
route_whole(const struct sf_fabric *fabric, const struct sf_routing *routing,
            struct sf_routing **wholep, struct sf_error *err)
{
    const struct sf_layers_params *layers = &routing->params.layers;
    struct sf_routing_params params = {
        .layers = { .n_layers = layers->n_layers,
                    .seed = layers->seed ? layers->seed : 1,
                    .n_threads = 1,
                    .may_exceed = true,
                    .within_parts = true },
    };
    struct sf_network *network;
    enum sf_status status = sf_network_build(fabric, &network, err);

    if (status == SF_OK) {
        sf_ib_count_addresses(fabric, &params);
        status = sf_routing_build(network, &params, wholep, err);
    }
    sf_network_free(network);
    return status;
}

static bool
is_same(const struct sf_tables *a, const struct sf_tables *b)
{
    return a->n_switches == b->n_switches && a->max_lid == b->max_lid &&
           !memcmp(a->ports, b->ports,
                   (size_t)a->n_switches * (a->max_lid + 1));
}

/* Repairs 'whole' for what is left by 'list'. */
static enum sf_status
repair_whole(const struct sf_routing *whole, const struct sf_fabric *fabric,
             const struct sf_drain_list *list, struct cli_what_if *what_if,
             struct sf_error *err)
{
    struct sf_fabric *left = NULL;
    uint32_t n_links;
    enum sf_status status = leave_out(fabric, list, &left, &n_links, err);

    if (status == SF_OK && n_links) {
        status = repair(whole, left, what_if, err);
    } else if (status == SF_OK) {
        status = encode(whole, &what_if->after, err);
    }
    sf_fabric_free(left);
    return status;
}

/* Whether both lists drain as many links of those that are up. */
static enum sf_status
compare_links(const struct sf_fabric *fabric, const struct sf_drain_list *a,
              const struct sf_drain_list *b, bool *is_samep,
              struct sf_error *err)
{
    const struct sf_drain_list *lists[] = { a, b };
    uint32_t n_links[2] = { 0 };
    enum sf_status status = SF_OK;

    for (int i = 0; i < 2 && status == SF_OK; i++) {
        struct sf_fabric *left = NULL;
        status = leave_out(fabric, lists[i], &left, &n_links[i], err);
        sf_fabric_free(left);
    }
    *is_samep = n_links[0] == n_links[1];
    return status;
}

enum sf_status
cli_what_if_undrained(const char *word, uint32_t timeout,
                      struct sf_fabric *fabric,
                      const struct sf_drain_list *before,
                      const struct sf_drain_list *list,
                      struct cli_what_if *what_if, struct sf_error *err)
{
    struct sf_routing *routing = NULL, *whole = NULL;
    bool is_same_links = false;
    enum sf_status status =
        compare_links(fabric, before, list, &is_same_links, err);

    if (status != SF_OK || is_same_links) {
        return status; /* They are unplugged, as it seems. */
    }
    status = find_before(word, timeout, fabric, what_if, &routing, err);

    if (status == SF_OK) {
        status = route_whole(fabric, routing, &whole, err);
    }
    if (status == SF_OK) {
        status = repair_whole(whole, fabric, before, what_if, err);
    }
    if (status == SF_OK &&
        !is_same(what_if->before.tables, what_if->after.tables)) {
        status = sf_fail(err, SF_EINVAL,
                         "the switches do not hold what the default options "
                         "make of this fabric and this list, so it is not "
                         "known what the plugin has without them");
    }
    cli_held_clear(&what_if->after);
    what_if->after = (struct cli_held){ 0 };
    what_if->why_anew[0] = '\0';
    if (status == SF_OK) {
        status = repair_whole(whole, fabric, list, what_if, err);
    }
    if (status == SF_OK) {
        status = compare(fabric, what_if, err);
    }
    sf_routing_free(whole);
    sf_routing_free(routing);
    return status;
}

/* Says what happens to packets while the plugin writes the change. */
static void
tell_loss(const struct cli_what_if *what_if, FILE *stream)
{
    const struct sf_steps *steps = what_if->steps;

    if (what_if->has_fault) {
        fputs("  written at once: packets are lost until then, since tables "
              "lead to a port that nothing is plugged into\n",
              stream);
    } else if (cli_what_if_loses(what_if) && steps->is_safe) {
        fprintf(stream,
                "  packets are lost: %llu of %llu pairs of switch and LID "
                "have no path for one of %u steps; a step is a sweep of "
                "OpenSM\n",
                (unsigned long long)steps->n_pairs_lost,
                (unsigned long long)what_if->diff->n_entries, steps->n_steps);
    } else if (cli_what_if_loses(what_if)) {
        fputs("  packets can be lost: OpenSM writes all at once, and "
              "meanwhile packets can wait for each other in a circle\n",
              stream);
    }
}

bool
cli_what_if_loses(const struct cli_what_if *what_if)
{
    const struct sf_steps *steps = what_if->steps;

    return steps && steps->n_steps &&
           (steps->n_pairs_lost ||
            (!steps->is_safe && !what_if->mixture->is_safe));
}

enum sf_status
cli_what_if_write(const struct cli_what_if *what_if,
                  const struct sf_fabric *fabric, bool is_json,
                  struct sf_error *err)
{
    struct sf_diff_report report = { what_if->diff,    fabric,
                                     fabric,           NULL,
                                     what_if->mixture, what_if->steps };

    if (is_json) {
        return sf_diff_write_json(&report, stdout, err);
    }
    printf("what changes: ");
    if (!what_if->diff) {
        puts("nothing, since none of these links is up");
        return SF_OK;
    }
    sf_diff_write_text(&report, stdout);
    tell_loss(what_if, stdout);
    if (what_if->why_anew[0]) {
        printf("  all tables are made anew: %s\n", what_if->why_anew);
    }
    return SF_OK;
}

bool
cli_what_if_check(const char *command, const struct cli_what_if *what_if,
                  bool may_lose)
{
    if (!cli_what_if_loses(what_if) || may_lose) {
        return true;
    }
    cli_progress_end();
    fflush(stdout); /* What changes stands before it. */
    cli_fail("%s: refused: packets would be lost while the tables change; "
             "--allow-loss does it nevertheless, for a quiet hour",
             command);
    return false;
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
