/* goal_match.h -- which message a receive of GOAL gets. */
#ifndef SF_SIM_WORKLOADS_GOAL_MATCH_H
#define SF_SIM_WORKLOADS_GOAL_MATCH_H

#include "base/mem.h"
#include "slimfly/error.h"

#include <stdint.h>

#define SF_GOAL_ANY UINT32_MAX /* A source or tag that is not named. */

/* A send or a receive. */
struct sf_goal_end {
    uint32_t from, to, tag; /* Ranks. */
    uint32_t line;
    uint32_t message; /* Its number in the program; of a receive, that of what
                       * it gets. */
};

struct sf_goal_ends {
    struct sf_goal_end *items;
    size_t n, capacity;
};

/* Tells each receive its message: the n-th from a rank with a tag gets the
 * n-th to its rank with it; all name both.  SF_EPARSE: a send or a receive has
 * no counterpart; 'path' is for messages. */
enum sf_status sf_goal_match(const struct sf_goal_ends *sends,
                             struct sf_goal_ends *receives, const char *path,
                             struct sf_error *err);

#endif
