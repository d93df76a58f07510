/* candidates.h -- the candidates that one family has for a question. */
#ifndef SF_DESIGN_CANDIDATES_H
#define SF_DESIGN_CANDIDATES_H

#include "design/family_sizes.h"

/* A search for candidates. */
struct candidate_search {
    const struct sf_design_params *params; /* The question. */
    const struct sf_prices *prices;
    uint32_t n_host_addresses; /* That the layers need. */
    uint32_t max_addresses;    /* Of all hosts and switches. */
    SF_VEC(struct sf_candidate) candidates;
    network_size_list sizes;         /* Of the family that is looked at. */
    uint32_t n_searched, n_searches; /* Families with numbers of ports, done
                                      * and in all. */
};

/* Adds the candidates of 'family' with switches of 'ports' ports. */
typedef enum sf_status candidates_fn(struct candidate_search *search,
                                     const struct family_sizes *family,
                                     uint32_t ports, struct sf_error *err);

/* For a number of endpoints: the smallest network that holds them, the same
 * with all the hosts that it can carry, and the largest one below. */
candidates_fn sf_candidates_for_endpoints;

/* The largest networks that ports, layers and budget allow: with as many hosts
 * a switch as possible, and with the recommended ones. */
candidates_fn sf_candidates_largest;

/* For a chart: a series of sizes, each as full as it can be, up to the largest
 * in one subnet. */
candidates_fn sf_candidates_in_series;

enum sf_status sf_candidates_fail_memory(struct sf_error *err);

#endif
