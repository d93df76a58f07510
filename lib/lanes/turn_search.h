/* turn_search.h -- turns of small networks whose layers enter switches by few
 * links: as sf_turns_design(), with 4 VLs and in more time. */
#ifndef SF_LANES_TURN_SEARCH_H
#define SF_LANES_TURN_SEARCH_H

#include "slimfly/lanes.h"

/* The VLs that it takes. */
#define SF_SEARCH_VLS 4

enum sf_status sf_turns_search(const struct sf_network *network, uint64_t seed,
                               uint32_t n_gates, struct sf_turns **turnsp,
                               struct sf_error *err);

#endif
