/* cmd_undrain.c -- slimfly undrain: links that are used again. */
#define _GNU_SOURCE
#include "drained.h"
#include "what_if.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPT_ALL = CLI_DRAIN_OWN,
};

static const struct cli_option options[] = {
    { OPT_ALL, "all", 'a', CLI_FLAG, .help = "take all off the list" },
    CLI_DRAIN_OPTIONS,
    { 0 },
};

/* What a run works on. */
struct work {
    const struct cli_args *args;
    struct cli_drain drain;
    struct sf_drain_list *before; /* The list as it was. */
    uint32_t n;                   /* Lines that were taken off, */
    FILE *told;                   /* and a sentence about each. */
    struct sf_fabric *fabric;     /* As it is now; NULL: not seen. */
    struct cli_what_if what_if;
    bool is_done; /* The list was written, or would be. */
};

/* Removes the line 'i' of the list. */
static void
remove_line(const struct work *work, uint32_t i)
{
    struct sf_drain_list *list = work->drain.list;
    char text[SF_DRAIN_TEXT_SIZE];

    fprintf(work->told, "%s %s %s drained no more\n",
            list->lines[i].entry.is_switch ? "switch" : "link",
            sf_drain_entry_text(&list->lines[i].entry, text),
            cli_has(work->args, OPT_DRY_RUN) ? "would be" : "is");
    sf_drain_list_remove(list, &list->lines[i].entry);
}

/* Whether the line is what 'word' or the plan's entries for it mean. */
static bool
is_meant(const struct sf_drain_entry *entry, const char *word,
         const struct sf_drain_words *planned)
{
    if (sf_drain_entry_goes_by(entry, word)) {
        return true;
    }
    for (uint32_t i = 0; i < planned->n; i++) {
        if (sf_drain_entry_is_same(entry, &planned->entries[i])) {
            return true;
        }
    }
    return false;
}

/* Removes what 'word' means, all if it is NULL; how many lines. */
static uint32_t
remove_word(const struct work *work, const char *word)
{
    const struct cli_drain *drain = &work->drain;
    struct sf_drain_list *list = drain->list;
    struct sf_drain_words planned = { 0 };
    struct sf_error err;
    uint32_t n = 0;

    if (word && drain->plan &&
        sf_drain_find(drain->plan->fabric, drain->plan, word, false, &planned,
                      &err) != SF_OK) {
        sf_drain_words_clear(&planned); /* The list itself may know it. */
    }
    for (uint32_t i = 0; i < list->n_lines;) {
        if (list->lines[i].is_entry &&
            (!word || is_meant(&list->lines[i].entry, word, &planned))) {
            remove_line(work, i);
            n++;
        } else {
            i++;
        }
    }
    sf_drain_words_clear(&planned);
    return n;
}

/* Removes what the words mean; an exit code. */
static int
remove_words(struct work *work)
{
    const struct cli_args *args = work->args;
    int code = CLI_FINE;
    char joined[64];

    if (cli_has(args, OPT_ALL)) {
        work->n = remove_word(work, NULL);
    }
    for (size_t i = 0; i < args->n_words; i++) {
        const char *word = cli_drain_word(args, &i, joined);
        uint32_t n_here = remove_word(work, word);
        if (!n_here) {
            cli_fail("undrain: '%s' is not drained; 'slimfly drain --list' "
                     "lists what is",
                     word);
            code = CLI_FINDINGS;
        }
        work->n += n_here;
    }
    return code;
}

/* Loads the fabric, with the names of the list.  Only one that was asked for
 * must be there: links are used again also where nothing can be seen. */
static bool
load_fabric(struct work *work, bool is_needed)
{
    const char *word = cli_text(work->args, OPT_FABRIC);
    uint32_t timeout = cli_number(work->args, OPT_TIMEOUT);
    struct sf_error err = { 0 };

    if (is_needed) {
        work->fabric = cli_load_fabric(word, timeout);
        return work->fabric && cli_drain_name(&work->drain, work->fabric);
    }
    if (sf_fabric_discover(word, timeout, &work->fabric, NULL, &err) !=
        SF_OK) {
        work->fabric = NULL;
    }
    return !work->fabric || cli_drain_name(&work->drain, work->fabric);
}

/* Finds out and says what would change.  Whether it may be done. */
static bool
ask_what_if(struct work *work, int *codep)
{
    const struct cli_args *args = work->args;
    bool is_needed = cli_has(args, OPT_FABRIC) || cli_has(args, OPT_DRY_RUN);
    struct sf_error err = { 0 };

    *codep = CLI_ERROR;
    if (cli_has(args, OPT_NO_WHAT_IF)) {
        return true;
    }
    if (!load_fabric(work, is_needed)) {
        return false;
    }
    if (!work->fabric) {
        return true;
    }
    enum sf_status status = cli_what_if_undrained(
        cli_text(args, OPT_FABRIC), cli_number(args, OPT_TIMEOUT),
        work->fabric, work->before, work->drain.list, &work->what_if, &err);
    cli_progress_end();
    if (status != SF_OK) {
        printf("what changes is not known: %s\n", err.text);
        return true;
    }
    if (cli_what_if_write(&work->what_if, work->fabric, false, &err) !=
        SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    *codep = CLI_FINDINGS;
    return cli_what_if_check("undrain", &work->what_if,
                             cli_has(args, OPT_ALLOW_LOSS));
}

static int
undrain(struct work *work)
{
    struct sf_error err;
    int asked;

    if (sf_drain_list_load(work->drain.path, &work->before, &err) != SF_OK) {
        return cli_fail("%s", err.text);
    }
    int code = remove_words(work);
    if (!work->n) {
        return code;
    }
    if (!ask_what_if(work, &asked)) {
        return asked;
    }
    int saved = cli_has(work->args, OPT_DRY_RUN)
                    ? CLI_FINE
                    : cli_drain_save(&work->drain);
    work->is_done = saved == CLI_FINE;
    return saved == CLI_FINE ? code : saved;
}

/* The same, and says what was done, if it was. */
static int
undrain_and_tell(struct work *work)
{
    char *text = NULL;
    size_t length = 0;

    work->told = open_memstream(&text, &length);
    if (!work->told) {
        return cli_fail("out of memory");
    }
    int code = undrain(work);
    bool is_made = fclose(work->told) == 0;
    cli_progress_end();
    if (is_made && work->is_done) {
        fputs(text, stdout);
    }
    if (cli_has(work->args, OPT_DRY_RUN)) {
        puts("nothing was written (--dry-run)");
    }
    free(text);
    return code;
}

static int
run(const struct cli_args *args)
{
    struct work work = { .args = args };
    int code = CLI_ERROR;

    if (cli_has(args, OPT_ALL) == (args->n_words > 0)) {
        return cli_fail("undrain: expected links, switches or racks, or --all "
                        "alone");
    }
    if (cli_drain_open(args, !cli_has(args, OPT_DRY_RUN), &work.drain)) {
        code = undrain_and_tell(&work);
    }
    cli_what_if_clear(&work.what_if);
    sf_fabric_free(work.fabric);
    sf_drain_list_free(work.before);
    cli_drain_close(&work.drain);
    return code;
}

const struct cli_command cli_command_undrain = {
    .name = "undrain",
    .group = CLI_RUN,
    .arguments = "LINK|SWITCH|RACK...",
    .summary = "use links again that were drained",
    .description =
        "Takes links off the list that 'slimfly drain' wrote. The plugin for "
        "OpenSM then uses them as before they were drained: tables become "
        "exactly what they were. undrain takes the same words as 'slimfly "
        "drain'. Links that are unplugged can be taken off the list, too, and "
        "so can others where the fabric cannot be seen.\n"
        "\n"
        "Where it can, undrain says what changes, as drain does, and refuses "
        "if packets would be lost meanwhile: --allow-loss does it "
        "nevertheless. It knows that only if the switches hold what the "
        "default options of the plugin make. --dry-run stops there. The exit "
        "code is 1 if a word names nothing that is drained, or packets would "
        "be lost.",
    .examples = "slimfly undrain 'sf-0-0-1[5]'\tUse a link again.\n"
                "slimfly undrain --all\tUse all links again.\n",
    .options = { options, cli_live_options, cli_progress_options },
    .run = run,
};
