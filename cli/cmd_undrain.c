/* cmd_undrain.c -- slimfly undrain: links that are used again. */
#include "drained.h"

#include <string.h>

enum {
    OPT_ALL = CLI_DRAIN_OWN,
};

static const struct cli_option options[] = {
    { OPT_ALL, "all", 'a', CLI_FLAG, .help = "take all off the list" },
    CLI_DRAIN_OPTIONS,
    { 0 },
};

/* Removes the line 'i' of the list and says so. */
static void
remove_line(struct sf_drain_list *list, uint32_t i)
{
    char text[SF_DRAIN_TEXT_SIZE];

    printf("%s %s is drained no more\n",
           list->lines[i].entry.is_switch ? "switch" : "link",
           sf_drain_entry_text(&list->lines[i].entry, text));
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
remove_word(const struct cli_drain *drain, const char *word)
{
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
            remove_line(list, i);
            n++;
        } else {
            i++;
        }
    }
    sf_drain_words_clear(&planned);
    return n;
}

static int
undrain(const struct cli_args *args, struct cli_drain *drain)
{
    int code = CLI_FINE;
    uint32_t n = 0;
    char joined[64];

    if (cli_has(args, OPT_ALL)) {
        n = remove_word(drain, NULL);
    }
    for (size_t i = 0; i < args->n_words; i++) {
        const char *word = cli_drain_word(args, &i, joined);
        uint32_t n_here = remove_word(drain, word);
        if (!n_here) {
            cli_fail("undrain: '%s' is not drained; 'slimfly drain --list' "
                     "lists what is",
                     word);
            code = CLI_FINDINGS;
        }
        n += n_here;
    }
    int saved = n ? cli_drain_save(drain) : CLI_FINE;
    return saved == CLI_FINE ? code : saved;
}

static int
run(const struct cli_args *args)
{
    struct cli_drain drain;
    int code = CLI_ERROR;

    if (cli_has(args, OPT_ALL) == (args->n_words > 0)) {
        return cli_fail("undrain: expected links, switches or racks, or --all "
                        "alone");
    }
    if (cli_drain_open(args, true, &drain)) {
        code = undrain(args, &drain);
    }
    cli_drain_close(&drain);
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
        "drain'. Nothing is asked of the fabric, so links that are unplugged "
        "can be taken off the list, too. The exit code is 1 if a word names "
        "nothing that is drained.",
    .examples = "slimfly undrain 'sf-0-0-1[5]'\tUse a link again.\n"
                "slimfly undrain --all\tUse all links again.\n",
    .options = { options },
    .run = run,
};
