/* routed.h -- a fabric, with the routes of its tables if there are some; or
 * with a routing, which is made if there is none. */
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

/* Reads the routing of 'word', a folder of 'slimfly route', or routes the
 * fabric that it names by the options for schemes, lanes and paths.  'params'
 * has what no option says, and 'without_lanes'.  Returns NULL, having said
 * why; the caller frees the routing. */
struct sf_routing *cli_load_routing(const struct cli_args *args,
                                    const char *word,
                                    struct sf_routing_params params);

/* Looks at a network that is about to be routed in 'n_layers' layers, which
 * may take long; false, having said why, if nothing can come of it. */
typedef bool cli_network_check(const void *aux,
                               const struct sf_network *network,
                               uint32_t n_layers);

/* The same, with a check before routing.  A routing that is read is not
 * checked. */
struct sf_routing *cli_load_routing_if(const struct cli_args *args,
                                       const char *word,
                                       struct sf_routing_params params,
                                       cli_network_check *check,
                                       const void *aux);

/* Says what one dead link does, if the layers of 'routing' are to be robust,
 * as 'slimfly route' does. */
void cli_tell_robustness(const struct sf_routing *routing);

#endif
