/* host_names.h -- the hosts of a network by their names, for readers. */
#ifndef SF_FABRIC_HOST_NAMES_H
#define SF_FABRIC_HOST_NAMES_H

#include "slimfly/network.h"

struct sf_host_name; /* Opaque. */

struct sf_host_names {
    struct sf_host_name *names; /* [n_names] Sorted. */
    uint32_t n_names;
};

/* Lists the hosts of 'network', which has a fabric that outlives the list. */
enum sf_status sf_host_names_build(const struct sf_network *network,
                                   struct sf_host_names *names,
                                   struct sf_error *err);
void sf_host_names_clear(struct sf_host_names *names);

/* The host called 'name', the one of its lowest port if it has several;
 * SF_NONE if no such host is plugged in. */
uint32_t sf_host_names_find(const struct sf_host_names *names,
                            const char *name);

#endif
