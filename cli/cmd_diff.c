/* cmd_diff.c -- slimfly diff: how two sets of tables differ. */
#include "cli.h"
#include "held_tables.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPT_NO_MIXTURES = CLI_OWN,
};

static const struct cli_option options[] = {
    { OPT_NO_MIXTURES, "no-mixtures", 0, CLI_FLAG,
      .help = "do not judge whether the change is safe while it is written" },
    CLI_FORMAT(cli_text_or_json),
    { 0 },
};

/* A set of tables as it was loaded. */
struct side {
    struct sf_fabric *fabric;
    struct cli_held held;
};

/* The comparison, and what came of it. */
struct work {
    struct side before, after;
    bool has_live_before;
    struct sf_replacements replaced;
    struct sf_table_diff *diff;
    struct sf_mixture *mixture;
    struct sf_steps *steps;
};

static bool
load(struct side *side, const char *word, uint32_t timeout)
{
    struct sf_error err = { 0 };
    char *path =
        cli_is_folder(word) ? cli_find_in_folder(word, CLI_TABLES_FILE) : NULL;
    bool has_tables = path != NULL;

    free(path);
    if (!has_tables && !sf_is_live(word)) {
        cli_fail("diff: expected a folder with tables that 'slimfly route' or "
                 "OpenSM wrote, or the word live; found '%s'",
                 word);
        return false;
    }
    side->fabric = cli_load_fabric(word, timeout);
    if (side->fabric && cli_held_load(&side->held, word, side->fabric, timeout,
                                      &err) != SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    return side->fabric != NULL;
}

static void
clear(struct side *side)
{
    cli_held_clear(&side->held);
    sf_fabric_free(side->fabric);
}

static struct sf_diff_side
side_of(const struct side *side)
{
    return (struct sf_diff_side){ side->fabric, side->held.tables,
                                  side->held.sl2vl, side->held.path_sls };
}

/* Judges the mixtures on the fabric that is there while tables are written:
 * what is live, else that of the new tables. */
static enum sf_status
judge(struct work *work, struct sf_error *err)
{
    struct side *there = work->has_live_before ? &work->before : &work->after;
    struct side *other = work->has_live_before ? &work->after : &work->before;
    enum sf_status status =
        cli_held_carry(&other->held, other->fabric, there->fabric, err);
    const struct cli_held *a = &work->before.held, *b = &work->after.held;

    if (status == SF_OK) {
        status = sf_mixture_build(
            there->fabric,
            &(struct sf_mixture_side){ a->tables, a->sl2vl, a->path_sls },
            &(struct sf_mixture_side){ b->tables, b->sl2vl, b->path_sls },
            NULL, &work->mixture, err);
    }
    if (status == SF_OK) {
        status = sf_steps_plan(
            there->fabric,
            &(struct sf_step_side){ a->tables, a->sl2vl, a->path_sls },
            &(struct sf_step_side){ b->tables, b->sl2vl, b->path_sls },
            /* A way over a tree takes long to find. */
            &(struct sf_steps_params){ .stays_direct = true }, &work->steps,
            err);
    }
    return status;
}

static int
tell(const struct cli_args *args, const struct work *work)
{
    struct sf_diff_report report = { work->diff,         work->before.fabric,
                                     work->after.fabric, &work->replaced,
                                     work->mixture,      work->steps };
    struct cli_output output;
    struct sf_error err = { 0 };
    enum sf_status status = SF_OK;

    if (!cli_output_open(&output, cli_text(args, OPT_OUTPUT))) {
        return CLI_ERROR;
    }
    if (cli_is(args, OPT_FORMAT, "json")) {
        status = sf_diff_write_json(&report, output.stream, &err);
    } else {
        sf_diff_write_text(&report, output.stream);
    }
    int code = cli_output_close(&output, status, &err);
    return code == CLI_FINE && !work->diff->is_same ? CLI_FINDINGS : code;
}

/* Whether a node has the LIDs of the one whose place it took. */
static bool
has_same_lids(const struct work *work, const struct sf_replacement *item)
{
    const struct sf_fabric *before = work->before.fabric;
    const struct sf_fabric *after = work->after.fabric;

    if (!item->is_switch) {
        const struct sf_ib_port *old = sf_ib_port(before, item->old_port);
        const struct sf_ib_port *new = sf_ib_port(after, item->new_port);
        return old->lid == new->lid && old->lmc == new->lmc;
    }
    return sf_ib_node(before, item->old_node)->lid ==
           sf_ib_node(after, item->new_node)->lid;
}

/* Lets nodes that took the places of others, LIDs included, be the same. */
static enum sf_status
match_replaced(struct work *work, struct sf_error *err)
{
    struct sf_replacements *replaced = &work->replaced;
    enum sf_status status = sf_replacements_find(
        work->before.fabric, work->after.fabric, replaced, err);
    uint32_t n = 0;

    for (uint32_t i = 0; status == SF_OK && i < replaced->n; i++) {
        if (has_same_lids(work, &replaced->items[i])) {
            replaced->items[n++] = replaced->items[i];
        }
    }
    replaced->n = n;
    if (status == SF_OK) {
        sf_replacements_apply(replaced, work->after.fabric,
                              work->before.fabric);
    }
    return status;
}

static int
compare(const struct cli_args *args, struct work *work)
{
    struct sf_error err = { 0 };
    enum sf_status status = match_replaced(work, &err);
    struct sf_diff_side before = side_of(&work->before);
    struct sf_diff_side after = side_of(&work->after);

    if (status != SF_OK) {
        return cli_fail("%s", err.text);
    }
    status = sf_lids_check_same(before.fabric, after.fabric, &err);

    if (status != SF_OK) {
        return cli_fail("diff: %s and %s: %s", args->words[0], args->words[1],
                        err.text);
    }
    status = sf_table_diff_build(&before, &after, &work->diff, &err);
    if (status == SF_OK && !work->diff->is_same &&
        !cli_has(args, OPT_NO_MIXTURES)) {
        status = judge(work, &err);
    }
    return status == SF_OK ? tell(args, work) : cli_fail("%s", err.text);
}

static int
run(const struct cli_args *args)
{
    struct work work = { 0 };
    uint32_t timeout = cli_number(args, OPT_TIMEOUT);
    int code = CLI_ERROR;

    if (args->n_words != 2) {
        return cli_fail("diff: expected two sets of tables, found %zu words",
                        args->n_words);
    }
    work.has_live_before = sf_is_live(args->words[0]);
    if (load(&work.before, args->words[0], timeout) &&
        load(&work.after, args->words[1], timeout)) {
        code = compare(args, &work);
    }
    sf_steps_free(work.steps);
    sf_mixture_free(work.mixture);
    sf_table_diff_free(work.diff);
    sf_replacements_clear(&work.replaced);
    clear(&work.after);
    clear(&work.before);
    return code;
}

const struct cli_command cli_command_diff = {
    .name = "diff",
    .group = CLI_RUN,
    .arguments = "TABLES TABLES",
    .summary = "how two sets of forwarding tables differ",
    .description =
        "Compares what switches hold, or would hold: a folder that 'slimfly "
        "route' or OpenSM wrote, or " CLI_LIVE_IS ". So 'slimfly diff live "
        "DIR' says what a change to the tables of DIR would do.\n"
        "\n"
        "It says which entries change on which switches, and which lanes "
        "change. Of the paths from switches with hosts to addresses of hosts, "
        "it counts those that change, and those that become longer or "
        "shorter. It says how many hosts that affects, and how many paths "
        "each link has before and after. It also says whether a mixture of "
        "old and new entries can deadlock while the change is written, and in "
        "how many steps it is safe. 'slimfly audit OLD NEW' shows the cycles. "
        "Switches are the same by GUID, ports by number, hosts by LID. A node "
        "with a new GUID that has the cables and the LIDs of one that is gone "
        "counts as that one, and is listed as replaced.\n"
        "\n"
        "The exit code is 0 if all is the same, and 1 if not.",
    .examples = "slimfly diff before after\tCompare the tables of two "
                "folders.\n"
                "slimfly diff live proposed --format json\tCompare what the "
                "switches hold with a proposal.\n",
    .options = { options, cli_live_options, cli_file_options,
                 cli_progress_options },
    .run = run,
};
