/* lanes.h -- ways to choose virtual lanes (VLs), such that packets can never
 * wait for each other in a circle.  Reads the columns of routes and fills in
 * their rule for lanes (routes.h): together they are all that switches and
 * senders need. */
#ifndef SLIMFLY_LANES_H
#define SLIMFLY_LANES_H

#include "slimfly/layers.h"

#pragma GCC visibility push(default)

#define SF_DEFAULT_VLS 8 /* What nearly all hardware has. */

/* A way to make lanes. */
struct sf_lane_ops; /* lib/lanes/lane_scheme.h */
struct sf_lane_scheme {
    const char *name, *title, *summary; /* For people. */
    const char *reference; /* A key of doc/REFERENCES.md, or NULL. */
    struct sf_param params[SF_MAX_PARAMS];
    bool is_safe;       /* Nothing deadlocks if senders use path SLs. */
    bool ignores_sls;   /* Nothing deadlocks whatever SLs they use. */
    bool needs_turns;   /* The layers must obey turns of its design. */
    bool allows_one_vl; /* Layers that need but one VL are served with one,
                         * as where switches get no SL-to-VL tables. */
    bool only_hosts;    /* Paths that start at switches are not looked at. */
    bool only_proves;   /* Adds nothing: refuses layers whose paths from hosts
                         * are not safe by themselves. */
    const struct sf_lane_ops *ops;
};

/* All schemes, ended by NULL. */
extern const struct sf_lane_scheme *const sf_lane_schemes[];

/* The scheme that a spec names, whatever its settings are; NULL if there is
 * none. */
const struct sf_lane_scheme *sf_lane_scheme_find(const char *spec);

/* What a spec of lanes says, SCHEME:KEY=VALUE,KEY=VALUE... */
struct sf_lane_spec {
    const struct sf_lane_scheme *scheme;
    char text[SF_SCHEME_SIZE]; /* The canonical text, as in layers.h. */
};

/* Reads 'spec'.  SF_EINVAL: 'err' names the scheme or key, what was found and
 * what was expected. */
enum sf_status sf_lane_spec_parse(const char *spec,
                                  struct sf_lane_spec *parsed,
                                  struct sf_error *err);

/* Whether nothing can deadlock whatever service levels senders use: by the
 * scheme, or because one VL is enough. */
bool sf_lanes_ignore_sls(const struct sf_lanes *lanes);

struct sf_lanes_params {
    const char *scheme; /* A spec (see struct sf_lane_spec). */
    uint32_t max_vls;   /* 1 to SF_MAX_VLS; 0: SF_DEFAULT_VLS. */
    uint32_t max_sls;   /* SLs that may be used, 1 to SF_N_SLS; 0: all. */
    uint64_t seed;      /* Same seed, same lanes. */
};

/* Chooses for every turn of 'network' a VL and for every channel a rank, such
 * that many paths are allowed: all of two hops, and of the longer ones as
 * many as can be for every pair of switches.  Paths that arrive at a switch
 * over the first 'n_gates' of its arcs in 'gates', one for each layer and path
 * set above the minimal ones, count more.  SF_ELANES: too few VLs.
 *
 * O(R P) time for P paths of three hops and R rounds, of which small graphs
 * have many and large ones few. */
enum sf_status sf_turns_design(const struct sf_network *network,
                               const struct sf_lanes_params *params,
                               uint32_t n_gates, struct sf_turns **turnsp,
                               struct sf_error *err);

/* Gives 'turns', of which the VLs are known, ranks in the order in which the
 * paths of 'routes' use the channels; with 'only_hosts', those that start at
 * hosts.  SF_ELANES if there is no such order: then the paths can deadlock. */
enum sf_status sf_turns_rank_channels(const struct sf_network *network,
                                      const struct sf_routes *routes,
                                      bool only_hosts, struct sf_turns *turns,
                                      struct sf_error *err);

/* Makes lanes for 'routes' of 'network', in place of those that it may have.
 * A scheme that needs turns takes those of the routes.  SF_ELANES: there are
 * too few VLs or SLs; 'err' says what would help. */
enum sf_status sf_lanes_build(const struct sf_network *network,
                              const struct sf_lanes_params *params,
                              struct sf_routes *routes, struct sf_error *err);

#pragma GCC visibility pop
#endif
