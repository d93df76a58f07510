/* paths_oracle.h -- slow and obvious counterparts of the path metrics, which
 * share nothing with the library but the graph. */
#ifndef SF_PATHS_ORACLE_H
#define SF_PATHS_ORACLE_H

#include "slimfly/routes.h"

/* What the paths of one pair are like; all zero if one does not arrive. */
struct oracle_pair {
    bool is_complete;
    uint32_t total;    /* Links of all paths together. */
    uint32_t longest;  /* Links of the longest. */
    uint32_t distinct; /* Different paths. */
    uint32_t disjoint; /* The most of them without a common link. */
};

/* Looks at the paths from 's' to 'd' and counts them in 'loads', which has two
 * entries for each link: from its end a to b, from b to a.  At most 24
 * different paths. */
struct oracle_pair oracle_look_at_pair(const struct sf_graph *graph,
                                       const struct sf_layers *layers,
                                       uint32_t s, uint32_t d,
                                       uint32_t *loads);

/* The size of the largest subset of 0..n-1, n <= 24, without two that
 * conflict: conflicts[i * n + j].  By looking at all subsets. */
uint32_t oracle_independent(const bool *conflicts, uint32_t n);

#endif
