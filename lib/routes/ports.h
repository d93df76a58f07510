/* ports.h -- from ports, as hardware and files know them, to arcs. */
#ifndef SF_ROUTES_PORTS_H
#define SF_ROUTES_PORTS_H

#include "slimfly/network.h"

/* Which arc of its switch each port of the fabric is, [n_ports]; SF_NO_HOP for
 * all other ports.  NULL if memory runs out; the caller frees it. */
uint16_t *sf_network_hops_of_ports(const struct sf_network *network);

#endif
