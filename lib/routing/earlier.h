/* earlier.h -- an earlier state of a network: which of its switches, links and
 * hosts are still there.  Switches and hosts are the same by GUID, links by
 * the ports that they are plugged into. */
#ifndef SF_ROUTING_EARLIER_H
#define SF_ROUTING_EARLIER_H

#include "slimfly/routes.h"

struct sf_earlier {
    const struct sf_network *network, *earlier;
    uint32_t *switches; /* [V] The number that a switch had, or SF_NONE. */
    uint16_t *hops;     /* [2E of the earlier network] The arc of the same
                         * switch that now leaves by the port by which that
                         * arc left; SF_NO_HOP if none does. */
    bool is_fitted;     /* To jobs: layer 0 need not be minimal. */
};

/* Compares 'network' with an 'earlier' one; both have fabrics. */
enum sf_status sf_earlier_build(const struct sf_network *network,
                                const struct sf_network *earlier,
                                struct sf_earlier *result,
                                struct sf_error *err);
void sf_earlier_clear(struct sf_earlier *earlier);

/* The arc of the earlier network that is the same cable, plugged into the same
 * ports of the same switches, as 'arc' of switch 's'; or SF_NONE. */
uint32_t sf_earlier_arc(const struct sf_earlier *earlier, uint32_t s,
                        uint32_t arc);

/* The path sets of the hosts, as they were.  A new host takes that of the
 * first host beside it that was there. */
void sf_earlier_host_sets(const struct sf_earlier *earlier,
                          const struct sf_routes *routes, uint32_t *host_sets);

/* Gives the routes 'now' of the network the turns of the routes 'before' of
 * the earlier one, as far as their links are still there.  New links may be
 * the first or the last of a path. */
enum sf_status sf_earlier_carry_turns(const struct sf_earlier *earlier,
                                      const struct sf_routes *before,
                                      struct sf_routes *now,
                                      struct sf_error *err);

#endif
