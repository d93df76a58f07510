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

/* What pairs of switches that are not neighbours are to have. */
struct sf_levels_wanted {
    uint32_t n_paths;      /* Disjoint paths of up to three hops; */
    uint32_t n_by_gates;   /* those of two hops or over gates alone. */
    const uint64_t *gates; /* [V] A bit for each link of a switch that is a
                            * gate. */
    uint32_t n_levels;     /* Levels are 1 to this, less 1. */
};

/* Changes few of 'levels' [2E] so that all pairs have what is wanted, as far
 * as a search finds. */
enum sf_status sf_levels_help_poor(const struct sf_network *network,
                                   uint64_t seed,
                                   const struct sf_levels_wanted *wanted,
                                   uint8_t *levels, struct sf_error *err);

/* By a level for each channel and a VL for each turn.  Takes this many VLs,
 * and many more rounds. */
#define SF_CHANNELS_VLS 4

enum sf_status sf_turns_by_channels(const struct sf_network *network,
                                    uint64_t seed, uint32_t n_gates,
                                    struct sf_turns **turnsp,
                                    struct sf_error *err);

#endif
