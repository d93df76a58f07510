/* lanes.h -- virtual lanes: service levels (SLs) for paths and SL-to-VL tables
 * for switches, such that packets can never wait for each other in a circle.
 * Reads forwarding tables; together with these it is all that switches and
 * senders need.
 *
 * A switch chooses the VL by the port a packet comes in, the port it goes out
 * and its SL.  It does not see the VL that the packet came on. */
#ifndef SLIMFLY_LANES_H
#define SLIMFLY_LANES_H

#include "slimfly/fabric.h"
#include "slimfly/layers.h"
#include "slimfly/sl2vl.h"
#include "slimfly/tables.h"

#pragma GCC visibility push(default)

#define SF_MAX_VLS     15 /* VL 15 is for management. */
#define SF_DEFAULT_VLS 8  /* What nearly all hardware has. */

/* A way to make lanes. */
struct sf_lane_ops; /* lib/lanes/scheme.h */
struct sf_lane_scheme {
    const char *name, *title, *summary; /* For people. */
    const char *reference; /* A key of doc/REFERENCES.md, or NULL. */
    struct sf_param params[SF_MAX_PARAMS];
    bool is_safe;       /* Nothing deadlocks if senders use path SLs. */
    bool ignores_sls;   /* Nothing deadlocks whatever SLs they use. */
    bool needs_turns;   /* The layers must obey turns of its design. */
    bool allows_one_vl; /* Layers that need but one VL are served with one,
                         * as where switches get no SL-to-VL tables. */
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

/* The scheme to take with a layer scheme: turns, if that obeys them. */
const struct sf_lane_scheme *
sf_lane_scheme_for(const struct sf_layer_scheme *layers);

struct sf_lanes_params {
    const char *scheme; /* A spec (see struct sf_lane_spec). */
    uint32_t max_vls;   /* 1 to SF_MAX_VLS; 0: SF_DEFAULT_VLS. */
    uint32_t max_sls;   /* SLs that may be used, 1 to SF_N_SLS; 0: all. */
    uint64_t seed;      /* Same seed, same lanes. */
};

struct sf_lanes {
    const struct sf_lane_scheme *scheme;
    uint32_t n_vls;      /* In use: the highest, plus 1. */
    uint32_t n_sls;      /* Likewise; of these */
    uint32_t n_host_sls; /* for paths that start at hosts. */
    struct sf_sl2vl *sl2vl;
    struct sf_path_sls *path_sls; /* From every switch to every LID. */
};

/* Chooses for every turn of 'graph' a VL and for every channel a rank, such
 * that many paths are allowed: all of two hops, and of the longer ones as
 * many as can be for every pair of switches.  Paths that arrive at a switch
 * over the first 'n_gates' of its arcs in 'gates', one for each layer and set
 * of paths above the minimal ones, count more.  SF_ELANES: too few VLs.
 *
 * O(R P) time for P paths of three hops and R rounds, of which small graphs
 * have many and large ones few. */
enum sf_status sf_turns_design(const struct sf_graph *graph,
                               const struct sf_lanes_params *params,
                               uint32_t n_gates, struct sf_turns **turnsp,
                               struct sf_error *err);

/* Finds the turns of 'tables' with 'sl2vl', made for 'fabric' earlier: VLs as
 * SL 0 has them, ranks in the order in which the paths use the channels.
 * SF_ELANES if there is no such order. */
enum sf_status sf_turns_recall(const struct sf_fabric *fabric,
                               const struct sf_graph *graph,
                               const uint32_t *link_ports,
                               const struct sf_tables *tables,
                               const struct sf_sl2vl *sl2vl,
                               struct sf_turns **turnsp, struct sf_error *err);

/* Makes lanes for 'tables' of 'fabric'; 'graph' and 'link_ports' are those of
 * sf_fabric_graph(), and 'turns', for a scheme that needs them, those that the
 * tables obey.  SF_ELANES: what there is of VLs does not do; 'err' says what
 * would. */
enum sf_status sf_lanes_build(const struct sf_fabric *fabric,
                              const struct sf_graph *graph,
                              const uint32_t *link_ports,
                              const struct sf_tables *tables,
                              const struct sf_turns *turns,
                              const struct sf_lanes_params *params,
                              struct sf_lanes **lanesp, struct sf_error *err);
void sf_lanes_free(struct sf_lanes *lanes);

#pragma GCC visibility pop
#endif
