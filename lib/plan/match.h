/* match.h -- a fabric found without labels against a plan: the same port of
 * the same switch must lead to the same port of the same neighbour. */
#ifndef SF_PLAN_MATCH_H
#define SF_PLAN_MATCH_H

#include "slimfly/fabric.h"

/* What is known of a found switch before and after. */
struct sf_match {
    uint32_t node;  /* In the plan, or SF_NONE. */
    bool is_fixed;  /* Not to be changed; with SF_NONE: leave it out. */
    bool is_agreed; /* Out: at least two cables say so, and more than do
                     * not. */
};

/* Gives the switches of 'found' their place in 'planned', from what
 * matches[switch] knows already and, where it knows of no switch at all, from
 * the best of all beginnings.  'host_of' gives the planned host of each node
 * found, or SF_NONE.  '*n_labellingsp' is set to the number of beginnings
 * that fit equally well, 1 if there was something to start from.
 *
 * Each round lets the neighbours of a switch vote for what it is, port by
 * port, so a few wrong cables are outvoted.  O(planned switches * cables)
 * time at worst for a fabric without any label. */
enum sf_status sf_match_structure(const struct sf_fabric *planned,
                                  const struct sf_fabric *found,
                                  const uint32_t *host_of,
                                  struct sf_match *matches,
                                  uint32_t *n_labellingsp,
                                  struct sf_error *err);

#endif
