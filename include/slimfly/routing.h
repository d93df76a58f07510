/* routing.h -- a routing as a whole: from a network to routes with lanes.
 * What 'slimfly route', 'slimfly analyze' and the OpenSM plugin have in
 * common; a back end encodes it for hardware (ib.h). */
#ifndef SLIMFLY_ROUTING_H
#define SLIMFLY_ROUTING_H

#include "slimfly/lanes.h"

#pragma GCC visibility push(default)

/* What a routing promises to senders: that nothing deadlocks
 * - whatever service level they use, as with UCX and NCCL, which ask nobody;
 * - if they use the service level of each path. */
enum sf_guarantee {
    SF_DEFAULT_GUARANTEE, /* The former, unless layers or lanes were asked for
                           * that cannot give it. */
    SF_ANY_SL,
    SF_PATH_SL,
};

/* "any-sl" or "path-sl"; NULL for the default and for what is none. */
const char *sf_guarantee_name(enum sf_guarantee guarantee);

/* The guarantee of a name; the default if there is none. */
enum sf_guarantee sf_guarantee_find(const char *name);

struct sf_routing_params {
    struct sf_layers_params layers; /* 'turns' is not for the caller. */
    uint32_t n_path_sets; /* Path sets among which the hosts of a switch are
                           * dealt, one each at most; 0: as the spec of the
                           * layers says. */
    uint32_t n_addresses; /* Of each host; 0: one a layer. */
    uint32_t n_switch_addresses; /* Of each switch; 0: one. */
    bool without_lanes; /* Neither turns nor lanes: what paths alone could
                         * do, which hardware cannot run. */
    const char *lanes;  /* A spec of lanes; NULL: the best that keep */
    enum sf_guarantee guarantee; /* this. */
    uint32_t max_vls;            /* 0: SF_DEFAULT_VLS. */
    uint32_t max_sls;            /* 0: SF_N_SLS. */
};

/* The routing to use when the routing 'asked' for is impossible: the default
 * routing, safe on any service level, with the virtual lanes asked for. */
static inline struct sf_routing_params
sf_routing_fallback(const struct sf_routing_params *asked)
{
    struct sf_routing_params open = *asked;

    open.layers.scheme = NULL;
    open.layers.max_hops = 0;
    open.lanes = NULL;
    open.guarantee = SF_ANY_SL;
    open.max_sls = 0;
    open.n_path_sets = 1;
    return open;
}

/* Room for the texts of the params of a routing. */
struct sf_routing_specs {
    char layers[SF_SCHEME_SIZE], lanes[SF_SCHEME_SIZE];
};

/* What was asked for, to be compared later: specs in their canonical text, as
 * far as these can be read. */
struct sf_routing_asked {
    struct sf_routing_params params; /* Its texts stand */
    struct sf_routing_specs specs;   /* here. */
};

/* Notes what 'params' ask for. */
void sf_routing_note_asked(struct sf_routing_asked *asked,
                           const struct sf_routing_params *params);

/* Whether 'params' ask for what 'asked' says.  All members count except
 * n_threads, which does not change routes, and those of the layers that the
 * routing itself sets. */
bool sf_routing_is_asked(const struct sf_routing_asked *asked,
                         const struct sf_routing_params *params);

struct sf_routing {
    struct sf_routing_params params; /* As used, without defaults, specs in
                                      * their canonical text, which stands */
    struct sf_routing_specs specs;   /* here. */
    struct sf_network *network;      /* A copy. */
    struct sf_routes *routes;        /* With lanes, unless without_lanes. */
    uint32_t max_hops; /* No path is longer, unless after a fault no other
                        * is left. */
    bool is_fitted; /* To jobs: layer 0 need not be minimal, and a repair keeps
                     * what is not, and paths of max_hops. */
    bool has_default_layers; /* No scheme was asked for, */
    bool has_default_lanes;  /* no lanes: others may take over. */

    /* What would have been better and was not possible, and why; status SF_OK
     * and empty texts if it is the best. */
    struct sf_routing_specs refused;
    struct sf_error refusal;
};

/* How many path sets a routing of 'network' has: as many as asked for or as
 * the scheme wants, but not more than the switch of most hosts has hosts. */
enum sf_status sf_routing_count_sets(const struct sf_network *network,
                                     const struct sf_routing_params *params,
                                     uint32_t *n_setsp, struct sf_error *err);

/* Routes 'network'.  What is not asked for is chosen: the layers that are made
 * for such a network or the default ones, with lanes that keep the guarantee;
 * where these are not possible, others that are (lib/routing/choices.c).
 * Errors are those of sf_layers_build() and sf_lanes_build(), for the first
 * choice.  SF_ELANES: it does not keep the guarantee that was asked for. */
enum sf_status sf_routing_build(const struct sf_network *network,
                                const struct sf_routing_params *params,
                                struct sf_routing **routingp,
                                struct sf_error *err);

/* Routes 'network', which has a fabric, as 'base' does, changing only what
 * must change: next hops whose path is broken or longer than it may be, and
 * some paths over links that would carry more than any did before.  A part of
 * the network that came back is thereby routed as before.  The repair may take
 * more VLs than 'base', up to the max_vls of its parameters.  SF_ELANES: that
 * cannot be done within the lanes of 'base'; build anew then. */
enum sf_status sf_routing_repair(const struct sf_routing *base,
                                 const struct sf_network *network,
                                 struct sf_routing **routingp,
                                 struct sf_error *err);

/* Completes 'routing', of which parameters and network are there and the
 * columns of 'routes' were found elsewhere, by lanes.  For back ends that read
 * back what they wrote. */
enum sf_status sf_routing_add_lanes(struct sf_routing *routing,
                                    struct sf_error *err);

/* Whether all paths of 'routes' obey the turns of 'routing', whose network
 * they are of; false if there are none. */
bool sf_routing_allows(const struct sf_routing *routing,
                       const struct sf_routes *routes);

/* Orders the channels of 'routing' as 'other' does, which is of the same
 * network: where a back end read routes back, only the order is known that
 * their own paths need.  Does nothing and returns false unless turns have the
 * same VLs and all paths of 'routing' go with the order. */
bool sf_routing_take_order(struct sf_routing *routing,
                           const struct sf_routing *other);

/* Copies 'routing' with its network and routes. */
enum sf_status sf_routing_copy(const struct sf_routing *routing,
                               struct sf_routing **copyp,
                               struct sf_error *err);
void sf_routing_free(struct sf_routing *routing);

#pragma GCC visibility pop
#endif
