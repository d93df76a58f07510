/* matching.h -- the best way to pair senders with receivers. */
#ifndef SF_TRAFFIC_MATCHING_H
#define SF_TRAFFIC_MATCHING_H

#include "slimfly/error.h"
#include "slimfly/random.h"

#include <stdint.h>

/* Finds a permutation of 0..n-1 with the smallest sum of costs[i * n + to[i]]
 * and fills 'to' [n]; chance decides between equals, though not evenly.  The
 * Hungarian method: O(n^3), but about O(n^2) where many costs are equal. */
enum sf_status sf_matching_find(const int16_t *costs, uint32_t n,
                                struct sf_random *random, uint32_t *to,
                                struct sf_error *err);

#endif
