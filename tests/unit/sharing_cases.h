/* sharing_cases.h -- flows on links that are drawn at random, for what shares
 * links and for its oracle. */
#ifndef SF_TEST_SHARING_CASES_H
#define SF_TEST_SHARING_CASES_H

#include "../oracle/sharing_oracle.h"
#include "sim/fair_share.h"

#define MAX_SHARING_LINKS 40
#define MAX_SHARING_FLOWS 90

/* How large cases are, and what is in them. */
struct sharing_limits {
    uint32_t n_links, n_flows;
    bool with_weights, with_bounds;
    bool with_ties; /* Few different capacities, weights and bounds. */
    bool is_local;  /* Flows cross one link or two, 2k and 2k + 1. */
};

/* The same flows as both sides want them; release it with free(). */
struct sharing_case {
    uint32_t n_links, n_flows;
    double capacities[MAX_SHARING_LINKS];
    struct oracle_flow flows[MAX_SHARING_FLOWS];
    bool crosses[MAX_SHARING_FLOWS][MAX_SHARING_LINKS];
    uint32_t first[MAX_SHARING_FLOWS + 1];
    uint32_t links[MAX_SHARING_FLOWS * MAX_SHARING_LINKS];
    double weights[MAX_SHARING_FLOWS], bounds[MAX_SHARING_FLOWS];
};

/* Up to as many links and flows as 'limits' say.  A few links have no
 * capacity, a few flows cross no link, and some cross the same as others. */
struct sharing_case *sharing_draw(uint64_t seed,
                                  const struct sharing_limits *limits);

/* Each of 'n_hosts' hosts sends to each other one, over a link out of the one
 * and a link into the other, all of capacity 1. */
struct sharing_case *sharing_all_to_all(uint32_t n_hosts);

/* Keeps pointers into 'sharing'. */
struct sf_fair_share sharing_problem(const struct sharing_case *sharing);

#endif
