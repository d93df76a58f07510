/* flow_paths.h -- the links from host to host, by address, each path followed
 * once. */
#ifndef SF_SIM_FLOW_PATHS_H
#define SF_SIM_FLOW_PATHS_H

#include "base/mem.h"
#include "sim/wires.h"

/* The links of a path, from 'first' on among those of all. */
struct sf_flow_path {
    uint32_t first, n_links;
};

/* Two hosts that talk. */
struct sf_flow_pair {
    uint32_t from, to;
    uint32_t n_messages; /* For whoever counts them. */
};

struct sf_flow_paths {
    const struct sf_path_source *source; /* The caller keeps it, */
    const struct sf_wires *wires;        /* and these. */
    uint32_t n_addresses;                /* Of each host. */
    SF_VEC(struct sf_flow_pair) pairs;
    SF_VEC(uint32_t)
    numbers; /* [pairs * n_addresses] Path of each address;
              * SF_NONE: not followed yet. */
    SF_VEC(struct sf_flow_path) paths;
    SF_VEC(uint32_t) links;
    uint32_t *table; /* [n_slots] Pairs by their hash; SF_NONE: free. */
    uint32_t n_slots;
};

void sf_flow_paths_init(struct sf_flow_paths *paths,
                        const struct sf_path_source *source,
                        const struct sf_wires *wires, uint32_t n_addresses);
void sf_flow_paths_clear(struct sf_flow_paths *paths);

/* The number of the pair of 'from' and 'to'; SF_NONE if out of memory. */
uint32_t sf_flow_paths_pair(struct sf_flow_paths *paths, uint32_t from,
                            uint32_t to);

/* Finds the number of the path to 'address'.  Addresses of a pair whose paths
 * cross the same links have the same. */
enum sf_status sf_flow_paths_find(struct sf_flow_paths *paths, uint32_t pair,
                                  uint32_t address, uint32_t *numberp,
                                  struct sf_error *err);

#endif
