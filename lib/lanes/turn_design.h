/* turn_design.h -- the two ways to design turns. */
#ifndef SF_LANES_TURN_DESIGN_H
#define SF_LANES_TURN_DESIGN_H

#include "slimfly/lanes.h"

/* By a level for each arc.  Takes 2 VLs, and a third, if there is one, where
 * pairs would have no path without it, which can be only if the network
 * 'is_far': some are more than two hops apart.  O(V k^3) time a round. */
enum sf_status sf_turns_by_arcs(const struct sf_network *network,
                                uint64_t seed, uint32_t n_gates,
                                uint32_t max_vls, bool is_far,
                                struct sf_turns **turnsp,
                                struct sf_error *err);

/* Changes few of 'levels' [2E], which are 1 to n_levels - 1, so that all pairs
 * of switches that are not neighbours have 'enough' disjoint paths of up to
 * three hops, as far as a search finds. */
enum sf_status sf_levels_help_poor(const struct sf_network *network,
                                   uint64_t seed, uint32_t enough,
                                   uint32_t n_levels, uint8_t *levels,
                                   struct sf_error *err);

/* By a level for each channel and a VL for each turn.  Takes this many VLs,
 * and many more rounds. */
#define SF_CHANNELS_VLS 4

enum sf_status sf_turns_by_channels(const struct sf_network *network,
                                    uint64_t seed, uint32_t n_gates,
                                    struct sf_turns **turnsp,
                                    struct sf_error *err);

#endif
