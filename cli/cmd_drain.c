/* cmd_drain.c -- slimfly drain: links that are routed as if gone, so that they
 * can be unplugged. */
#define _GNU_SOURCE
#include "drained.h"
#include "what_if.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    OPT_WITH_HOSTS = CLI_DRAIN_OWN,
    OPT_WITH_MANAGER,
    OPT_WHY,
    OPT_LIST,
};

static const struct cli_option options[] = {
    { OPT_LIST, "list", 'l', CLI_FLAG,
      .help = "list what is drained, and whether it is in force" },
    { OPT_WITH_HOSTS, "with-hosts", 0, CLI_FLAG,
      .help = "drain switches that have hosts, which are cut off by that" },
    { OPT_WITH_MANAGER, "with-manager", 0, CLI_FLAG,
      .help = "drain also what cuts off the machine that OpenSM runs on" },
    { OPT_WHY, "why", 0, CLI_TEXT, "TEXT",
      .help = "a reason, which the list keeps beside time and user" },
    CLI_DRAIN_OPTIONS,
    CLI_FORMAT(cli_text_or_json),
    { 0 },
};

/* What a run works on. */
struct work {
    const struct cli_args *args;
    struct cli_drain drain;
    struct sf_fabric *fabric;
    struct sf_drain_words words; /* What is to be drained. */
    struct sf_drained drained;   /* What the new list means. */
    struct cli_what_if what_if;
    bool has_what_if;
    uint32_t n_new; /* Entries that the list did not have. */
};

/* Writes "2026-01-31T12:00:00Z root: WHY". */
static void
make_comment(const struct cli_args *args, char comment[512])
{
    const char *why = cli_text(args, OPT_WHY);
    const struct passwd *user = getpwuid(getuid());
    time_t now = time(NULL);
    struct tm parts;
    char moment[32] = "";

    if (gmtime_r(&now, &parts)) {
        strftime(moment, sizeof moment, "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    snprintf(comment, 512, "%s %s%s%s", moment, user ? user->pw_name : "?",
             why ? ": " : "", why ? why : "");
}

/* Finds what the words mean, and adds it to the list. */
static bool
add_words(struct work *work)
{
    const struct cli_args *args = work->args;
    char joined[64], comment[512];
    struct sf_error err;
    enum sf_status status = SF_OK;
    uint32_t *hidden = NULL, n_hidden = 0;

    make_comment(args, comment);
    if (work->drain.plan) {
        status = sf_drain_plug(work->fabric, work->drain.plan, &hidden,
                               &n_hidden, &err);
    }
    for (size_t i = 0; status == SF_OK && i < args->n_words; i++) {
        status = sf_drain_find(
            work->fabric, work->drain.plan, cli_drain_word(args, &i, joined),
            cli_has(args, OPT_WITH_HOSTS), &work->words, &err);
    }
    for (uint32_t i = 0; i < n_hidden; i++) {
        sf_fabric_unplug(work->fabric, hidden[i]);
    }
    free(hidden);
    for (uint32_t i = 0; status == SF_OK && i < work->words.n; i++) {
        bool is_new;
        status = sf_drain_list_add(work->drain.list, &work->words.entries[i],
                                   comment, &is_new, &err);
        work->n_new += status == SF_OK && is_new;
    }
    if (status != SF_OK) {
        cli_fail("drain: %s", err.text);
    }
    return status == SF_OK;
}

/* Finds out what draining would change. */
static bool
ask_what_if(struct work *work)
{
    struct sf_error err = { 0 };

    if (cli_has(work->args, OPT_NO_WHAT_IF)) {
        return true;
    }
    work->has_what_if = true;
    if (cli_what_if(cli_text(work->args, OPT_FABRIC),
                    cli_number(work->args, OPT_TIMEOUT), work->fabric,
                    work->drain.list, &work->what_if, &err) != SF_OK) {
        cli_fail("drain: cannot find out what would change: %s; "
                 "--no-what-if drains without that",
                 err.text);
        return false;
    }
    return true;
}

/* Says which links were named that the plan alone has. */
static void
tell_unseen(const struct work *work)
{
    const struct sf_fabric *fabric = work->fabric;
    char text[SF_DRAIN_TEXT_SIZE];

    for (uint32_t i = 0; i < work->words.n; i++) {
        const struct sf_drain_entry *entry = &work->words.entries[i];
        uint32_t node = entry->is_switch
                            ? SF_NONE
                            : sf_fabric_find(fabric, entry->names[0]);
        uint32_t port = node == SF_NONE
                            ? SF_NONE
                            : sf_fabric_port(fabric, node, entry->ports[0]);
        if (port != SF_NONE && fabric->ports[port].peer == SF_NONE) {
            printf("link %s is planned, and not seen now: it is down, or a "
                   "port at its ends does not answer\n",
                   sf_drain_entry_text(entry, text));
        }
    }
}

/* Says what would change. */
static int
tell_change(const struct work *work)
{
    bool is_json = cli_is(work->args, OPT_FORMAT, "json");
    struct sf_error err;

    cli_progress_end();
    return !work->has_what_if ||
                   cli_what_if_write(&work->what_if, work->fabric, is_json,
                                     &err) == SF_OK
               ? CLI_FINE
               : cli_fail("%s", err.text);
}

/* Says what the list is, or would be. */
static int
tell_list(const struct work *work)
{
    struct sf_error err;

    if (cli_is(work->args, OPT_FORMAT, "json")) {
        return work->has_what_if ||
                       sf_drain_list_write_json(
                           work->drain.list, work->drain.path, &work->drained,
                           work->fabric, stdout, &err) == SF_OK
                   ? CLI_FINE
                   : cli_fail("%s", err.text);
    }
    sf_drain_list_write_text(work->drain.list, &work->drained, work->fabric,
                             stdout);
    tell_unseen(work);
    if (cli_has(work->args, OPT_DRY_RUN)) {
        puts("nothing was written (--dry-run)");
    } else if (!work->n_new) {
        printf("%s had all of that already\n", work->drain.path);
    } else {
        printf("written to %s; 'slimfly status' says when the links can be "
               "unplugged\n",
               work->drain.path);
    }
    return CLI_FINE;
}

/* Puts the list into its place, unless that is not wanted; only then says
 * so. */
static int
finish(const struct work *work)
{
    int code = cli_has(work->args, OPT_DRY_RUN) || !work->n_new
                   ? CLI_FINE
                   : cli_drain_save(&work->drain);

    return code == CLI_FINE ? tell_list(work) : code;
}

static int
drain(struct work *work)
{
    int code = CLI_ERROR;

    work->fabric = cli_load_fabric(cli_text(work->args, OPT_FABRIC),
                                   cli_number(work->args, OPT_TIMEOUT));
    if (!work->fabric || !cli_drain_name(&work->drain, work->fabric) ||
        !add_words(work) ||
        !cli_drain_check(&work->drain, work->fabric, &work->words,
                         cli_has(work->args, OPT_WITH_MANAGER), &work->drained,
                         &code) ||
        !ask_what_if(work)) {
        return code;
    }
    code = tell_change(work);
    if (code == CLI_FINE && work->n_new &&
        !cli_what_if_check("drain", &work->what_if,
                           cli_has(work->args, OPT_ALLOW_LOSS))) {
        code = CLI_FINDINGS;
    }
    return code == CLI_FINE ? finish(work) : code;
}

/* Lists what is drained; on a fabric that was named, what became of it. */
static int
list(struct work *work)
{
    struct sf_fabric *left = NULL;
    struct sf_error err;

    if (!cli_has(work->args, OPT_FABRIC)) {
        return cli_drain_list_told(&work->drain,
                                   cli_is(work->args, OPT_FORMAT, "json"));
    }
    work->fabric = cli_load_fabric(cli_text(work->args, OPT_FABRIC),
                                   cli_number(work->args, OPT_TIMEOUT));
    if (!work->fabric || !cli_drain_name(&work->drain, work->fabric)) {
        return CLI_ERROR;
    }
    enum sf_status status = sf_fabric_copy(work->fabric, &left, &err);
    if (status == SF_OK) {
        status = sf_drain_apply(work->drain.list, left, &work->drained, &err);
    }
    sf_fabric_free(left);
    const struct sf_drained *drained = &work->drained;
    if (status == SF_OK && cli_is(work->args, OPT_FORMAT, "json")) {
        status = sf_drain_list_write_json(work->drain.list, work->drain.path,
                                          drained, work->fabric, stdout, &err);
    } else if (status == SF_OK) {
        sf_drain_list_write_text(work->drain.list, drained, work->fabric,
                                 stdout);
    }
    return status == SF_OK ? CLI_FINE : cli_fail("%s", err.text);
}

static int
run(const struct cli_args *args)
{
    struct work work = { .args = args };
    bool is_list = cli_has(args, OPT_LIST);
    int code = CLI_ERROR;

    if (is_list ? args->n_words > 0 : args->n_words == 0) {
        return cli_fail(is_list ? "drain: --list takes no words"
                                : "drain: expected links, switches or racks, "
                                  "or --list");
    }
    if (cli_drain_open(args, !is_list && !cli_has(args, OPT_DRY_RUN),
                       &work.drain)) {
        code = is_list ? list(&work) : drain(&work);
    }
    cli_what_if_clear(&work.what_if);
    sf_drained_clear(&work.drained);
    sf_drain_words_clear(&work.words);
    sf_fabric_free(work.fabric);
    cli_drain_close(&work.drain);
    return code;
}

const struct cli_command cli_command_drain = {
    .name = "drain",
    .group = CLI_RUN,
    .arguments = "LINK|SWITCH|RACK...",
    .summary = "route around links that are up, so that they can be unplugged",
    .description =
        "Adds links to a list. The plugin for OpenSM watches the list, and "
        "routes as if these links were gone, on all layers and within the "
        "same lanes where that is possible. It writes the change in steps "
        "that cannot deadlock. When "
        "'slimfly status' says that the links can be unplugged, no packet "
        "uses them any more. The list is kept over restarts of OpenSM. "
        "'slimfly undrain' takes links off the list, and tables become "
        "exactly what they were. 'slimfly route --drained FILE' obeys the "
        "list too.\n"
        "\n"
        "A link is named by one of its ports, NAME[PORT] or NAME:PORT, by the "
        "switches at its ends, NAME--NAME, or by the label of its cable. A "
        "switch stands for all its links to other switches. A rack, R3 or "
        "rack 3, stands for all its switches. Where a part of the network "
        "stands in several racks, R3.1 is one of them, and group 3 are all. "
        "Labels and racks are those of "
        "the plan. A GUID may stand for a name. With a plan, a link may be "
        "drained that is not seen now, as a port that loses all packets hides "
        "it; drain says so.\n"
        "\n"
        "What would cut hosts off from others is refused, and the hosts are "
        "named. The hosts of a switch are cut off when it is drained: "
        "--with-hosts allows that. If OpenSM runs on one of them, as its "
        "status file tells, that takes --with-manager, too. If other links "
        "fail later so that hosts "
        "would be cut off, the plugin uses a drained link again, and warns.\n"
        "\n"
        "Before the list is written, drain says what changes: entries, paths, "
        "hops, load of links and lanes, from the tables that the switches "
        "hold; with --fabric FABRIC, from the tables of a folder. --dry-run "
        "stops there. The plugin writes in steps that cannot deadlock, but on "
        "some networks, such as Dragonflies, that takes paths away for a "
        "step: drain says of how many pairs, and refuses. --allow-loss does "
        "it nevertheless. With --no-what-if nobody knows. The exit code is 1 "
        "if hosts would be cut off, or packets would be lost.",
    .examples =
        "slimfly drain 'sf-0-0-1[5]' --why 'symbol errors'\tDrain a link.\n"
        "slimfly drain C00042 --plan plan --dry-run\tSay what would change "
        "without a cable.\n"
        "slimfly drain sf-0-0-1 --with-hosts\tDrain a switch, and cut its "
        "hosts off.\n"
        "slimfly drain --list\tList what is drained.\n",
    .options = { options, cli_live_options, cli_progress_options },
    .run = run,
};
