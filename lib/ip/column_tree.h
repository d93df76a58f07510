/* column_tree.h -- the paths of a column as a tree: who is behind whom, in
 * O(1). */
#ifndef SF_IP_COLUMN_TREE_H
#define SF_IP_COLUMN_TREE_H

#include "slimfly/routes.h"

/* The in-tree of one destination.  The switches whose paths lead through s are
 * those m with enter[s] <= enter[m] < leave[s]; enter is SF_NONE where no path
 * leads to the destination. */
struct sf_ip_tree {
    uint32_t number; /* In its grove. */
    const uint16_t *hops;
    uint32_t *enter, *leave, *depth; /* [V] Depth: hops to the destination. */
};

/* Room for trees, used again for each destination. */
struct sf_ip_grove {
    const struct sf_graph *graph;
    uint32_t n_trees, capacity;
    struct sf_ip_tree *trees;
    uint32_t *numbers; /* What trees and these, [V] each, point to: */
    uint32_t *first_child, *next_child, *waiting, *order;
};

bool sf_ip_grove_make(struct sf_ip_grove *grove, const struct sf_graph *graph,
                      uint32_t capacity);
void sf_ip_grove_clear(struct sf_ip_grove *grove);

/* Adds the tree of 'hops' towards 'destination' and returns its number. */
uint32_t sf_ip_grove_add(struct sf_ip_grove *grove, const uint16_t *hops,
                         uint32_t destination);

/* Whether the path of 'm' leads to the destination and not through 's'. */
static inline bool
sf_ip_tree_avoids(const struct sf_ip_tree *tree, uint32_t m, uint32_t s)
{
    return tree->enter[m] != SF_NONE &&
           (tree->enter[s] == SF_NONE || tree->enter[m] < tree->enter[s] ||
            tree->enter[m] >= tree->leave[s]);
}

#endif
