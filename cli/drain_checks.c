/* drain_checks.c -- what is not to be drained: links without which hosts are
 * cut off, and the switch that OpenSM hangs on. */
#include "drained.h"

#include <string.h>

/* What is checked. */
struct check {
    const struct cli_drain *drain;
    const struct sf_fabric *fabric;
    const struct sf_drain_words *words; /* What was asked for. */
    struct sf_drained *drained;         /* What the new list means. */
};

/* Whether an entry of the list is among those that were asked for. */
static bool
is_asked(const struct check *check, const struct sf_drain_outcome *outcome)
{
    const struct sf_drain_entry *entry =
        &check->drain->list->lines[outcome->line].entry;

    for (uint32_t i = 0; i < check->words->n; i++) {
        if (sf_drain_entry_is_same(entry, &check->words->entries[i])) {
            return true;
        }
    }
    return false;
}

/* Whether what was asked for leaves OpenSM in the network; else says so. */
static bool
check_manager(const struct check *check)
{
    uint32_t manager = cli_drain_find_manager(check->drain, check->fabric);
    char text[SF_DRAIN_TEXT_SIZE];

    for (uint32_t i = 0; manager != SF_NONE && i < check->drained->n_outcomes;
         i++) {
        const struct sf_drain_outcome *outcome = &check->drained->outcomes[i];
        const struct sf_drain_entry *entry =
            &check->drain->list->lines[outcome->line].entry;
        const char *name = check->fabric->nodes[manager].name;
        bool is_cut_off = entry->is_switch && !strcmp(entry->names[0], name);
        for (uint32_t k = 0; k < outcome->n_cut_off; k++) {
            is_cut_off |= outcome->cut_off[k] == manager;
        }
        if (is_cut_off && is_asked(check, outcome)) {
            cli_fail("drain: refused: OpenSM runs on %s, which nobody else "
                     "reaches without %s; let another machine lead first, or "
                     "see --with-manager",
                     name, sf_drain_entry_text(entry, text));
            return false;
        }
    }
    return true;
}

bool
cli_drain_check(const struct cli_drain *drain, const struct sf_fabric *fabric,
                const struct sf_drain_words *words, bool with_manager,
                struct sf_drained *drained, int *codep)
{
    const struct check what = { drain, fabric, words, drained };
    const struct check *check = &what;
    struct sf_fabric *left = NULL;
    struct sf_error err;
    bool is_fine = true;

    if (sf_fabric_copy(check->fabric, &left, &err) != SF_OK ||
        sf_drain_apply(check->drain->list, left, check->drained, &err) !=
            SF_OK) {
        sf_fabric_free(left);
        *codep = cli_fail("%s", err.text);
        return false;
    }
    sf_fabric_free(left);
    for (uint32_t i = 0; i < check->drained->n_outcomes; i++) {
        const struct sf_drain_outcome *outcome = &check->drained->outcomes[i];
        if (outcome->state != SF_DRAIN_REFUSED || !is_asked(check, outcome)) {
            continue;
        }
        const struct sf_drain_entry *entry =
            &check->drain->list->lines[outcome->line].entry;
        char text[SF_DRAIN_TEXT_SIZE], hosts[400] = "";
        size_t used = 0;
        for (uint32_t k = 0;
             k < outcome->n_cut_off && k < 16 && used + 80 < sizeof hosts;
             k++) {
            used += (size_t)snprintf(
                hosts + used, sizeof hosts - used, "%s%.64s", k ? ", " : "",
                check->fabric->nodes[outcome->cut_off[k]].name);
        }
        cli_fail("drain: refused: without %s, %u hosts are cut off: %s%s%s",
                 sf_drain_entry_text(entry, text), outcome->n_cut_off, hosts,
                 outcome->n_cut_off > 16 ? " and others" : "",
                 entry->is_switch ? "; --with-hosts drains the switch "
                                    "nevertheless"
                                  : "");
        is_fine = false;
    }
    *codep = CLI_FINDINGS;
    return is_fine && (with_manager || check_manager(check));
}
