/* held_tables.h -- what switches hold: forwarding tables, SL-to-VL tables, and
 * the service levels that senders use. */
#ifndef SF_CLI_HELD_TABLES_H
#define SF_CLI_HELD_TABLES_H

#include "cli.h"

struct cli_held {
    struct sf_tables *tables;
    struct sf_sl2vl *sl2vl;       /* NULL: not known, all on VL 0. */
    struct sf_path_sls *path_sls; /* NULL: not known, all on SL 0. */
};

/* Loads what 'word' names: the word live, a folder that OpenSM or 'slimfly
 * route' wrote, or a file of forwarding tables.  The caller calls
 * cli_held_clear() in any case. */
enum sf_status cli_held_load(struct cli_held *held, const char *word,
                             const struct sf_fabric *fabric, uint32_t timeout,
                             struct sf_error *err);
/* Turns what 'from' held into what 'to' holds, another state of that
 * fabric. */
enum sf_status cli_held_carry(struct cli_held *held,
                              const struct sf_fabric *from,
                              const struct sf_fabric *to,
                              struct sf_error *err);
void cli_held_clear(struct cli_held *held);

#endif
