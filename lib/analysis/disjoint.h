/* disjoint.h -- the most paths of which no two share a link. */
#ifndef SF_ANALYSIS_DISJOINT_H
#define SF_ANALYSIS_DISJOINT_H

#include "slimfly/layers.h"

/* A set of paths, a bit each. */
struct sf_path_set {
    uint64_t words[SF_MAX_LAYERS / 64];
};

/* The size of a largest set of paths 0..n_paths-1 without conflicts;
 * 'conflicts[i]' are the paths that share a link with path i, and j is among
 * those of i if i is among those of j.  i itself does not matter.  Quickest
 * if paths with the same first link stand together. */
uint32_t sf_disjoint_most(const struct sf_path_set *conflicts,
                          uint32_t n_paths);

#endif
