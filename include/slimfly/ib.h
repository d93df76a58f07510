/* ib.h -- a routing in the terms of InfiniBand, and back: forwarding tables,
 * SL-to-VL tables and the SLs of paths.
 *
 * Address k of a host is its LID base + k.  The SL of a path depends on the
 * switch of the sender and the LID of the receiver. */
#ifndef SLIMFLY_IB_H
#define SLIMFLY_IB_H

#include "slimfly/ib_addresses.h"
#include "slimfly/lids.h"
#include "slimfly/path_source.h"
#include "slimfly/routing.h"
#include "slimfly/sl2vl.h"
#include "slimfly/tables.h"

#pragma GCC visibility push(default)

/* All that switches and senders need. */
struct sf_ib_tables {
    struct sf_tables *lfts;
    struct sf_sl2vl *sl2vl;
    struct sf_path_sls *path_sls; /* From every switch to every LID. */
};

/* Sets in 'params' how many addresses hosts and switches of 'fabric' have,
 * going by their LMCs. */
void sf_ib_count_addresses(const struct sf_fabric *fabric,
                           struct sf_routing_params *params);

/* Encodes 'routing', whose fabric has LIDs and which has lanes. */
enum sf_status sf_ib_encode(const struct sf_routing *routing,
                            struct sf_ib_tables **tablesp,
                            struct sf_error *err);
void sf_ib_tables_free(struct sf_ib_tables *tables);

/* The forwarding tables alone. */
enum sf_status sf_ib_encode_lfts(const struct sf_network *network,
                                 const struct sf_routes *routes,
                                 struct sf_tables **tablesp,
                                 struct sf_error *err);

/* The routes that 'tables' of 'network' amount to, without lanes: the
 * addresses of a host stand for layers, of which there are 'n_layers' (0: as
 * many as the host with most addresses has); hosts of a switch whose addresses
 * lead the same ways share a path set.  Entries that lead nowhere are
 * SF_NO_HOP, and paths may go round in circles: nothing is checked but that
 * LIDs and switches are those of the tables (SF_EINVAL). */
enum sf_status sf_ib_decode(const struct sf_network *network,
                            const struct sf_tables *tables, uint32_t n_layers,
                            struct sf_routes **routesp, struct sf_error *err);

/* Finds in 'sl2vl' the turns that the routes of 'network' obey, and adds them:
 * VLs as SL 0 has them.  SF_ELANES if packets can wait for each other in a
 * circle with all traffic on SL 0. */
enum sf_status sf_ib_decode_turns(const struct sf_network *network,
                                  const struct sf_sl2vl *sl2vl,
                                  struct sf_routes *routes,
                                  struct sf_error *err);

/* Reads the routing that 'slimfly route' wrote into 'folder', with its lanes:
 * enough for a repair. */
enum sf_status sf_ib_read_routing(const char *folder,
                                  struct sf_routing **routingp,
                                  struct sf_error *err);

/* Makes a routing of what switches of 'fabric' hold, whoever wrote it: enough
 * for a repair under the same turns.  'sl2vl' may be NULL: then nothing is
 * known of lanes.  SF_ELANES if packets can wait for each other in a circle
 * with all traffic on SL 0. */
enum sf_status sf_ib_take_routing(const struct sf_fabric *fabric,
                                  const struct sf_tables *tables,
                                  const struct sf_sl2vl *sl2vl,
                                  struct sf_routing **routingp,
                                  struct sf_error *err);

/* Reads from the route.json at 'path' what the routing was made with; 'specs'
 * is what texts of 'params' point to. */
enum sf_status sf_routing_params_read(const char *path,
                                      struct sf_routing_params *params,
                                      struct sf_routing_specs *specs,
                                      struct sf_error *err);

/* What switches and senders hold, for sf_ib_path_source(). */
struct sf_ib_held {
    const struct sf_tables *tables;
    const struct sf_sl2vl *sl2vl;       /* NULL: VL 0 for all. */
    const struct sf_path_sls *path_sls; /* NULL: SL 0 for all. */
    uint32_t n_sls; /* Filled in: SLs of paths, the highest plus 1. */
};

/* The paths of packets through the tables of 'held', which are those of
 * 'network', a network with LIDs.  A path whose SL is not said has SL 0, as in
 * an audit.  SF_EINVAL if they do not fit together or if two ports have the
 * same LID; 'follow' gives it if the SL-to-VL tables do not say a VL.  All
 * must outlive 'source', which owns nothing. */
enum sf_status sf_ib_path_source(const struct sf_network *network,
                                 struct sf_ib_held *held, int one_sl,
                                 struct sf_path_source *source,
                                 struct sf_error *err);

/* How a fabric differs from the one that a routing was made for.  Switches
 * are the same by GUID, links by their ports, hosts by their LIDs. */
struct sf_difference {
    uint32_t n_lost_switches, n_lost_links, n_lost_hosts;
    uint32_t n_new_switches, n_new_links, n_new_hosts;
    uint32_t n_without_paths; /* New hosts, and switches, that the routing has
                               * no paths for: their LIDs were somebody
                               * else's, or no host was on that switch. */
};

/* Compares 'fabric' with what 'routing' was made for; a host counts by its
 * ports that have LIDs.  A repair serves 'fabric' if nothing but hosts is new
 * and all of them have paths. */
enum sf_status sf_ib_compare(const struct sf_routing *routing,
                             const struct sf_fabric *fabric,
                             struct sf_difference *difference,
                             struct sf_error *err);

/* The same for the fabric of a routing alone. */
enum sf_status sf_ib_compare_fabrics(const struct sf_fabric *routed,
                                     const struct sf_fabric *fabric,
                                     struct sf_difference *difference,
                                     struct sf_error *err);

#pragma GCC visibility pop
#endif
