/* routing.h -- a routing as a whole: from a fabric to all that its switches
 * and senders need.  What 'slimfly route' and the OpenSM plugin have in
 * common. */
#ifndef SLIMFLY_ROUTING_H
#define SLIMFLY_ROUTING_H

#include "slimfly/lanes.h"

#pragma GCC visibility push(default)

struct sf_routing_params {
    struct sf_layers_params layers; /* 'turns' is not for the caller. */
    uint32_t n_path_sets; /* Sets of paths among which the hosts of a switch
                           * are dealt, one each at most; 0: as the spec of
                           * the layers says. */
    const char *lanes;    /* A spec of lanes; NULL: as sf_lane_scheme_for(), or
                           * dfsssp where that does not do. */
    uint32_t max_vls;     /* 0: SF_DEFAULT_VLS. */
    uint32_t max_sls;     /* 0: SF_N_SLS. */
};

/* Room for the texts of the params of a routing. */
struct sf_routing_specs {
    char layers[SF_SCHEME_SIZE], lanes[SF_SCHEME_SIZE];
};

struct sf_routing {
    struct sf_routing_params params; /* As used, without defaults, specs in
                                      * their canonical text, which stands */
    struct sf_routing_specs specs;   /* here. */
    struct sf_fabric *fabric;        /* A copy. */
    struct sf_graph *graph;          /* Its switches; */
    uint32_t *link_ports;            /* the ports of their links. */
    uint32_t max_hops;      /* No path is longer, unless after a fault no other
                             * is left. */
    bool has_default_lanes; /* None were asked for: others may take over. */
    struct sf_turns *turns; /* What the tables obey, or NULL. */
    struct sf_tables *tables;
    struct sf_lanes *lanes;
    struct sf_error layers_refusal; /* Why the layers are not those of the
                                     * default scheme, though no other was
                                     * asked for; SF_OK if they are. */
    struct sf_error refusal; /* Why the lanes are not those that go with the
                              * layer scheme by default; SF_OK if they are. */
};

/* Routes 'fabric', which has LIDs.  Where the default layers need more lanes
 * than there are and neither scheme is asked for, the layers have shortest
 * paths alone, which need fewer.  Errors are those of sf_layers_build(),
 * sf_tables_build() and sf_lanes_build(). */
enum sf_status sf_routing_build(const struct sf_fabric *fabric,
                                const struct sf_routing_params *params,
                                struct sf_routing **routingp,
                                struct sf_error *err);

/* Routes 'fabric' as 'base' does, changing only what must change: entries
 * whose path is broken or longer than it may be.  A part of the fabric that
 * came back is thereby routed as before.  SF_ELANES: that cannot be done
 * within the lanes of 'base'; build anew then. */
enum sf_status sf_routing_repair(const struct sf_routing *base,
                                 const struct sf_fabric *fabric,
                                 struct sf_routing **routingp,
                                 struct sf_error *err);

void sf_routing_free(struct sf_routing *routing);

/* How a fabric differs from the one that a routing was made for.  Switches
 * are the same by GUID, links by their ports, hosts by their LIDs. */
struct sf_difference {
    uint32_t n_lost_switches, n_lost_links, n_lost_hosts;
    uint32_t n_new_switches, n_new_links, n_new_hosts;
    uint32_t n_strangers; /* New hosts, and switches, that the routing has no
                           * paths for: their LIDs were somebody else's, or
                           * no host was on that switch. */
};

/* Compares 'fabric' with what 'routing' was made for; a host counts by its
 * ports that have LIDs.  A repair does well if nothing but hosts is new and
 * none of them is a stranger. */
enum sf_status sf_routing_compare(const struct sf_routing *routing,
                                  const struct sf_fabric *fabric,
                                  struct sf_difference *difference,
                                  struct sf_error *err);

#pragma GCC visibility pop
#endif
