/* routed.h -- a fabric, with the routes of its tables if there are some. */
#ifndef SF_CLI_ROUTED_H
#define SF_CLI_ROUTED_H

#include "cli.h"

struct cli_routed {
    struct sf_fabric *fabric;
    struct sf_network *network;
    struct sf_routes *given; /* Of the tables; NULL without. */
};

/* Loads what the words FABRIC [TABLES] of a command name; --timeout holds for
 * live ones.  On failure says so and returns false.  The caller calls
 * cli_routed_clear() in any case. */
bool cli_routed_load(struct cli_routed *routed, const struct cli_args *args);
void cli_routed_clear(struct cli_routed *routed);

#endif
