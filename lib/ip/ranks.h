/* ranks.h -- ranks of channels that rise along every path between hosts. */
#ifndef SF_IP_RANKS_H
#define SF_IP_RANKS_H

#include "slimfly/routes.h"

/* Gives 'turns', of which the VLs are those of the lanes of 'routes', ranks in
 * the order in which packets of hosts use the channels.  What starts at
 * switches is not lossless on Ethernet and does not count.  SF_ELANES: there
 * is no such order. */
enum sf_status sf_ip_rank_channels(const struct sf_network *network,
                                   const struct sf_routes *routes,
                                   struct sf_turns *turns,
                                   struct sf_error *err);

#endif
