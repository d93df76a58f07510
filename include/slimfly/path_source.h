/* path_source.h -- where packets really go: the links and virtual lanes from
 * one host to an address of another.  Simulations ask nothing else of a
 * routing, so that they run on routes that are about to be deployed and on
 * tables that switches hold alike. */
#ifndef SLIMFLY_PATH_SOURCE_H
#define SLIMFLY_PATH_SOURCE_H

#include "slimfly/routes.h"

#pragma GCC visibility push(default)

#define SF_MAX_PATH_ARCS 62

/* A path: the link of the sender, arcs between switches (none if both hosts
 * are on one switch), the link of the receiver. */
struct sf_path {
    uint32_t n_arcs;
    uint32_t arcs[SF_MAX_PATH_ARCS]; /* Indices into graph->arcs. */
    uint8_t vls[SF_MAX_PATH_ARCS];   /* The VL on each. */
    uint8_t first_vl, last_vl;       /* On the links of the hosts. */
    uint8_t sl;
};

/* Every packet has one service level, or that of its path. */
#define SF_SL_OF_PATH (-1)

struct sf_path_source {
    const struct sf_network *network;
    uint32_t n_addresses; /* The most that a host has.  For a host with fewer,
                           * higher ones start again. */
    uint32_t n_vls;       /* Those of all paths are below; 1 to 15. */
    int one_sl;           /* All packets have it; SF_SL_OF_PATH. */
    const void *held;     /* What 'follow' reads; the caller keeps it. */
    uint64_t identity;    /* A hash of that and of the network. */

    /* Finds the path from host 'from' to address 'address' of host 'to', which
     * is another host.  Safe to call from several threads at once.
     * SF_EUNREACHABLE: no entry, a dead end, a circle, or a packet that would
     * be dropped; 'err' names the hosts and the switch. */
    enum sf_status (*follow)(const struct sf_path_source *source,
                             uint32_t from, uint32_t to, uint32_t address,
                             struct sf_path *path, struct sf_error *err);
};

/* The paths of 'routes' of 'network', with their lanes; without lanes all of
 * it is on VL 0.  Both must outlive 'source'. */
enum sf_status sf_path_source_of_routes(const struct sf_network *network,
                                        const struct sf_routes *routes,
                                        int one_sl,
                                        struct sf_path_source *source,
                                        struct sf_error *err);

#pragma GCC visibility pop
#endif
