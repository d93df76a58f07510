/* fair_share.h -- what flows get of the links that they share. */
#ifndef SF_SIM_FAIR_SHARE_H
#define SF_SIM_FAIR_SHARE_H

#include "slimfly/error.h"

#include <stdint.h>

/* Levels that differ by less than this part count as one, the lowest of them:
 * links that are alike then give their flows rates that are equal to the last
 * bit.  A link may stay empty by that part, and is never overfull by more than
 * rounding. */
#define SF_SHARE_TIE 1e-12

/* Flows on links.  A link is in one direction; what limits a host is a link
 * too. */
struct sf_fair_share {
    uint32_t n_links, n_flows;
    const double *capacities; /* [n_links] Finite, at least 0. */
    const uint32_t *first;    /* [n_flows + 1] Where the links of a flow begin
                                 in 'links'. */
    const uint32_t *links;    /* Of one flow after the other; a flow crosses a
                                 link once. */
    const double *weights;    /* [n_flows] Above 0; NULL: all are 1. */
    const double *bounds;     /* [n_flows] The most that a flow takes, at least
                                 0, HUGE_VAL for all; NULL: no bounds. */
};

/* Finds the weighted max-min fair 'rates' [n_flows]: the only ones under which
 * each flow is at its bound or has a bottleneck, that is a link which is full
 * and on which no flow has more for its weight [BertsekasGallager92, 6.5.2]. A
 * flow without links gets its bound, which may be HUGE_VAL.
 *
 * Progressive filling: a level rises from 0, and each flow has its weight
 * times the level, until it is at its bound or a link of it is full.  Links
 * wait in a heap by the level at which they would be full.  Flows that stop
 * earlier only raise that level, so a link is looked at when it is first, and
 * waits on if its level has risen meanwhile.  O((C + L + F) log (L + F)) for F
 * flows that cross L links C times. */
enum sf_status sf_fair_share_solve(const struct sf_fair_share *problem,
                                   double *rates, struct sf_error *err);

#endif
