/* fattree.h -- a size of Fat Trees that those who compare them need too. */
#ifndef SF_TOPOLOGY_FATTREE_H
#define SF_TOPOLOGY_FATTREE_H

#include <stdint.h>

/* Over how many cores the 'n_uplinks' of a switch spread, if each core has
 * 'ports' ports and serves 'n_below' switches: as few as the ports allow,
 * every core with equally many links to each switch below. */
static inline uint32_t
sf_fat_tree_cores(uint32_t n_uplinks, uint32_t ports, uint32_t n_below)
{
    uint32_t n_parallel = 1;
    for (uint32_t n = 2; n <= n_uplinks && n * n_below <= ports; n++) {
        if (n_uplinks % n == 0) {
            n_parallel = n;
        }
    }
    return n_uplinks / n_parallel;
}

#endif
