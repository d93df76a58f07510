/* changes.c -- slimfly audit OLD NEW: is a change of tables safe while it is
 * made? */
#include "changes.h"

#include "held_tables.h"

#include <stdlib.h>

/* A side of the change as it was loaded. */
struct side {
    struct sf_fabric *fabric;
    struct cli_held held;
};

static bool
has_tables(const char *word)
{
    char *path =
        cli_is_folder(word) ? cli_find_in_folder(word, CLI_TABLES_FILE) : NULL;

    free(path);
    return path != NULL;
}

bool
cli_is_change(const char *before, const char *after)
{
    return has_tables(before) && has_tables(after);
}

static bool
load(struct side *side, const char *word, uint32_t timeout,
     struct sf_error *err)
{
    if (!has_tables(word) && !sf_is_live(word)) {
        cli_fail("audit: expected a folder with tables that 'slimfly route' "
                 "or OpenSM wrote, or the word live; found '%s'",
                 word);
        return false;
    }
    side->fabric = cli_load_fabric(word, timeout);
    if (!side->fabric) {
        return false;
    }
    if (cli_held_load(&side->held, word, side->fabric, timeout, err) !=
        SF_OK) {
        cli_fail("%s", err->text);
        return false;
    }
    return true;
}

static void
clear(struct side *side)
{
    cli_held_clear(&side->held);
    sf_fabric_free(side->fabric);
}

/* A change, and what came of it. */
struct change {
    const struct sf_fabric
        *fabric; /* That is there while tables are written. */
    const struct cli_held *before, *after;
    struct sf_mixture *mixture;
    struct sf_steps *steps;
};

static int
write_change(const struct change *change, const struct cli_args *args)
{
    struct cli_output output;
    struct sf_error err = { 0 };
    enum sf_status status = SF_OK;

    if (!cli_output_open(&output, cli_text(args, OPT_OUTPUT))) {
        return CLI_ERROR;
    }
    if (cli_is(args, OPT_FORMAT, "json")) {
        struct sf_origin origin = cli_origin(args);
        status =
            sf_change_write_json(change->mixture, change->steps,
                                 change->fabric, &origin, output.stream, &err);
    } else {
        sf_change_write_text(change->mixture, change->steps, change->fabric,
                             output.stream);
    }
    int code = cli_output_close(&output, status, &err);
    return code == CLI_FINE && !change->mixture->is_safe ? CLI_FINDINGS : code;
}

/* Judges the mixtures, and splits the change into steps. */
static enum sf_status
judge(struct change *change, const struct sf_mixture_params *params,
      struct sf_error *err)
{
    const struct cli_held *before = change->before, *after = change->after;
    enum sf_status status =
        sf_mixture_build(change->fabric,
                         &(struct sf_mixture_side){
                             before->tables, before->sl2vl, before->path_sls },
                         &(struct sf_mixture_side){
                             after->tables, after->sl2vl, after->path_sls },
                         params, &change->mixture, err);

    if (status != SF_OK) {
        return status;
    }
    return sf_steps_plan(
        change->fabric,
        &(struct sf_step_side){ before->tables, before->sl2vl,
                                before->path_sls },
        &(struct sf_step_side){ after->tables, after->sl2vl, after->path_sls },
        &(struct sf_steps_params){ .has_port_0 = params->has_port_0 },
        &change->steps, err);
}

/* Brings both sides to one fabric, and judges. */
static int
compare(const struct cli_args *args, struct side *before, struct side *after,
        const struct sf_mixture_params *params)
{
    bool is_old_live = sf_is_live(args->words[0]);
    struct sf_error err = { 0 };
    struct side *there = is_old_live ? before : after;
    struct side *other = is_old_live ? after : before;
    struct change change = { .fabric = there->fabric,
                             .before = &before->held,
                             .after = &after->held };
    enum sf_status status =
        cli_held_carry(&other->held, other->fabric, there->fabric, &err);

    if (status == SF_OK) {
        status = judge(&change, params, &err);
    }
    int code = status == SF_OK ? write_change(&change, args)
                               : cli_fail("%s", err.text);
    sf_steps_free(change.steps);
    sf_mixture_free(change.mixture);
    return code;
}

int
cli_judge_change(const struct cli_args *args,
                 const struct sf_mixture_params *params)
{
    const char *before = args->words[0], *after = args->words[1];
    uint32_t timeout = cli_number(args, OPT_TIMEOUT);
    struct side sides[2] = { 0 };
    struct sf_error err = { 0 };
    int code;

    if (!load(&sides[0], before, timeout, &err) ||
        !load(&sides[1], after, timeout, &err)) {
        code = CLI_ERROR;
    } else if (sf_lids_check_same(sides[0].fabric, sides[1].fabric, &err) !=
               SF_OK) {
        code = cli_fail("audit: %s and %s: %s", before, after, err.text);
    } else {
        code = compare(args, &sides[0], &sides[1], params);
    }
    clear(&sides[1]);
    clear(&sides[0]);
    return code;
}
