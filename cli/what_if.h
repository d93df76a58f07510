/* what_if.h -- what draining links, or using them again, would change, and
 * whether packets are lost while the plugin for OpenSM writes it. */
#ifndef SF_CLI_WHAT_IF_H
#define SF_CLI_WHAT_IF_H

#include "cli.h"
#include "held_tables.h"

struct cli_what_if {
    struct sf_table_diff *diff;
    struct sf_mixture *mixture;
    struct sf_steps *steps; /* As the plugin plans them; NULL: unknown. */
    bool has_fault; /* Tables lead to where nothing is: packets are lost
                     * already, and all is written at once. */
    struct cli_held before, after;
    bool is_without_lanes; /* Those of before are not known well enough. */
    char why_anew[SF_ERROR_TEXT_SIZE]; /* Why a repair is not enough, or "". */
};

/* Finds out what changes if 'fabric', which 'word' names, is routed without
 * the links of 'list': the tables of 'word', or new ones if it has none,
 * repaired.  Gives 'fabric' LIDs if it has none.  The caller clears it in any
 * case. */
enum sf_status cli_what_if(const char *word, uint32_t timeout,
                           struct sf_fabric *fabric,
                           const struct sf_drain_list *list,
                           struct cli_what_if *what_if, struct sf_error *err);

/* The same if 'before' was drained, as the tables of 'word' show, and 'list'
 * is then; there is no 'diff' if none of the links is up.  SF_EINVAL: the
 * tables are others, so that nobody knows. */
enum sf_status cli_what_if_undrained(const char *word, uint32_t timeout,
                                     struct sf_fabric *fabric,
                                     const struct sf_drain_list *before,
                                     const struct sf_drain_list *list,
                                     struct cli_what_if *what_if,
                                     struct sf_error *err);

/* Writes it to standard output. */
enum sf_status cli_what_if_write(const struct cli_what_if *what_if,
                                 const struct sf_fabric *fabric, bool is_json,
                                 struct sf_error *err);

/* Whether packets are lost while the change is written that would not be lost
 * without it. */
bool cli_what_if_loses(const struct cli_what_if *what_if);

/* Whether no packets are lost, or 'may_lose'; else says so for 'command'. */
bool cli_what_if_check(const char *command, const struct cli_what_if *what_if,
                       bool may_lose);
void cli_what_if_clear(struct cli_what_if *what_if);

#endif
