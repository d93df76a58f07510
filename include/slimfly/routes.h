/* routes.h -- routes in the terms of no back end: next hops by column, and the
 * rule that chooses the virtual lane.  Layers fill them, lanes annotate them,
 * a routing keeps them, a repair edits them; encoders, analysis and simulation
 * read them.
 *
 * A column is the next hops of all switches towards one switch, an in-tree.
 * There is one for each path set, layer and destination switch.  A host has
 * several addresses: address k of a host leads over layer k of the host's path
 * set, and starts again with layer 0 where there are more addresses than
 * layers.  A sender chooses the layer by the address.
 *
 * A next hop names an arc and not a neighbour: traffic between two switches
 * that several parallel links join spreads over them. */
#ifndef SLIMFLY_ROUTES_H
#define SLIMFLY_ROUTES_H

#include "slimfly/network.h"
#include "slimfly/service.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

#define SF_MAX_LAYERS 128        /* Addresses of a host. */
#define SF_NO_HOP     UINT16_MAX /* At the destination; in another part. */

/* The columns of one path set.  hops[] is indexed by layer, destination and
 * switch, so that the tree of a destination stands together; an entry numbers
 * an arc among those of the switch.  2 L V^2 bytes. */
struct sf_layers {
    uint32_t n_layers, n_switches;
    uint32_t max_hops; /* No path is longer; as asked, or by default. */
    uint16_t *hops;    /* [n_layers * n_switches * n_switches] */
};

/* The next hops towards 'destination' in 'layer': one for each switch. */
static inline uint16_t *
sf_layers_tree(const struct sf_layers *layers, uint32_t layer,
               uint32_t destination)
{
    size_t n = layers->n_switches;
    return layers->hops + (layer * n + destination) * n;
}

/* The arc on which switch 's' sends on what is for 'destination' in 'layer',
 * as an index into graph->arcs; SF_NONE at the destination itself and where
 * no path leads there. */
static inline uint32_t
sf_layers_arc(const struct sf_layers *layers, const struct sf_graph *graph,
              uint32_t layer, uint32_t s, uint32_t destination)
{
    uint16_t hop = sf_layers_tree(layers, layer, destination)[s];
    return hop == SF_NO_HOP ? SF_NONE : graph->first[s] + hop;
}

/* Makes layers without any next hop. */
enum sf_status sf_layers_make(uint32_t n_layers, uint32_t n_switches,
                              struct sf_layers **layersp,
                              struct sf_error *err);
void sf_layers_free(struct sf_layers *layers);

/* By which turns a path may go, so that nothing can deadlock whatever service
 * level a packet has.  A turn leads from the link that a packet comes over to
 * the link that it goes on with, and settles the virtual lane (VL) there; the
 * first link of a path is on VL 0.  A path is allowed if the ranks of its
 * channels, which are directions of links with a VL each, rise strictly all
 * along: then no packets can wait for each other in a circle [DallySeitz87].
 *
 * Switch b has degree(b)^2 turns; that from its i-th arc (the link that the
 * packet came over) to its j-th is number first[b] + i * degree(b) + j. */
#define SF_NO_TURN UINT8_MAX

struct sf_turns {
    uint32_t n_vls;
    size_t *first;   /* [V] */
    uint8_t *vls;    /* By turn; SF_NO_TURN: not allowed. */
    uint32_t *ranks; /* [2E * n_vls] By arc and VL. */
    uint16_t *gates; /* [2E] The arcs of each switch in the order in which
                      * layers should arrive over them; NULL: in any. */
};

/* Makes turns for 'graph', none of them allowed yet and all ranks 0. */
enum sf_status sf_turns_make(const struct sf_graph *graph, uint32_t n_vls,
                             struct sf_turns **turnsp, struct sf_error *err);
void sf_turns_free(struct sf_turns *turns);

/* The rule that chooses the lane.  A switch chooses the VL of a packet by the
 * arc that it comes over, the arc that it goes on with and its service level
 * (SL); it does not see the VL that the packet came on.  A sender chooses the
 * SL by the path. */
struct sf_lane_scheme; /* lanes.h */

struct sf_lanes {
    const struct sf_lane_scheme *scheme;
    uint32_t n_vls;      /* In use: the highest, plus 1. */
    uint32_t n_sls;      /* Likewise; of these */
    uint32_t n_host_sls; /* for paths that start at hosts. */
    size_t *first;       /* [V] Where the rows of a switch start in 'vls'. */
    uint8_t *vls;        /* VLs: see sf_lanes_of(). */
    uint8_t **path_sls;  /* [n_sets], each indexed like the hops of the set:
                          * the SL of the path from a switch to a destination
                          * in a layer.  NULL: SL 0 for all. */
};

/* The VLs of switch 's' by SL, for packets that come over its arc number 'in'
 * and go on with its arc number 'out'.  The degree of the switch as 'in' is
 * for packets of its hosts and its own, as 'out' for packets to these. */
static inline uint8_t *
sf_lanes_of(const struct sf_lanes *lanes, const struct sf_graph *graph,
            uint32_t s, uint32_t in, uint32_t out)
{
    size_t row = (size_t)in * (sf_graph_degree(graph, s) + 1) + out;
    return lanes->vls + lanes->first[s] + row * SF_N_SLS;
}

/* The SL of the path from switch 's' to 'destination' in 'layer' of 'set'. */
static inline uint8_t
sf_lanes_path_sl(const struct sf_lanes *lanes, uint32_t n_switches,
                 uint32_t set, uint32_t layer, uint32_t destination,
                 uint32_t s)
{
    size_t n = n_switches;
    return lanes->path_sls
               ? lanes->path_sls[set][(layer * n + destination) * n + s]
               : 0;
}

void sf_lanes_free(struct sf_lanes *lanes, uint32_t n_sets);

/* Routes as a whole. */
struct sf_routes {
    uint32_t n_sets;             /* Path sets, at least one. */
    struct sf_layers **sets;     /* [n_sets] Of as many layers each. */
    uint32_t *host_sets;         /* [hosts] The path set of each host. */
    uint32_t n_addresses;        /* Of each host; */
    uint32_t n_switch_addresses; /* of each switch: layers of path set 0. */
    struct sf_turns *turns;      /* What all paths obey; NULL: nothing. */
    struct sf_lanes *lanes;      /* NULL until there are some. */
};

static inline uint32_t
sf_routes_n_layers(const struct sf_routes *routes)
{
    return routes->sets[0]->n_layers;
}

/* The column by which address 'address' of 'host', which is on switch
 * 'destination', is reached. */
static inline const uint16_t *
sf_routes_column(const struct sf_routes *routes, uint32_t host,
                 uint32_t address, uint32_t destination)
{
    const struct sf_layers *set = routes->sets[routes->host_sets[host]];
    return sf_layers_tree(set, address % set->n_layers, destination);
}

/* Deals the hosts of each switch among 'n_sets' path sets in turn: 'host_sets'
 * [hosts] gets the set of each. */
void sf_routes_deal(const struct sf_network *network, uint32_t n_sets,
                    uint32_t *host_sets);

/* Makes routes with room for 'n_sets' path sets, none of which is there yet,
 * among which the hosts are dealt. */
enum sf_status sf_routes_make(const struct sf_network *network,
                              uint32_t n_sets, struct sf_routes **routesp,
                              struct sf_error *err);
void sf_routes_free(struct sf_routes *routes);

/* Copies 'routes', of 'network', with all that belongs to them. */
enum sf_status sf_routes_copy(const struct sf_network *network,
                              const struct sf_routes *routes,
                              struct sf_routes **copyp, struct sf_error *err);

/* Copies all next hops of layers to others of the same size. */
void sf_layers_copy_hops(const struct sf_layers *from, struct sf_layers *to);

/* What sf_layers_check() is to find; zero asks for the least. */
struct sf_layers_claims {
    uint32_t max_hops;            /* 0: any length. */
    bool minimal_first;           /* Layer 0 has shortest paths. */
    bool within_parts;            /* Unreachable switches have no next hop,
                                   * instead of being an error. */
    const struct sf_turns *turns; /* NULL: any turn. */
};

/* Whether 'layers' are sound on 'graph' and keep 'claims'.  Trusts nothing:
 * follows every path over arcs that exist and counts.  SF_EINVAL and a
 * sentence that names the first layer, switch and destination which fail.
 * O(L V^2 H) time, H the longest path. */
enum sf_status sf_layers_check(const struct sf_layers *layers,
                               const struct sf_graph *graph,
                               const struct sf_layers_claims *claims,
                               struct sf_error *err);

/* Counts the routes on each arc over all layers into 'loads' [2 * n_links],
 * indexed like graph->arcs: a path from s to d counts n_hosts[s] * n_hosts[d]
 * ('n_hosts' NULL: one).  O(L V^2 H). */
void sf_layers_loads(const struct sf_layers *layers,
                     const struct sf_graph *graph, const uint32_t *n_hosts,
                     uint64_t *loads);

#pragma GCC visibility pop
#endif
