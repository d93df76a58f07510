/* layers.h -- ways to make layers: for every layer, switch and destination
 * switch the link over which to go on.  Reads a network, so that a planned
 * fabric, a discovered one and one with failed links are all routed alike;
 * fills the path sets of routes (routes.h). */
#ifndef SLIMFLY_LAYERS_H
#define SLIMFLY_LAYERS_H

#include "slimfly/routes.h"

#pragma GCC visibility push(default)

/* How to make layers.  Zero stands for a default everywhere but in
 * 'n_layers'. */
struct sf_layers_params {
    const char *scheme; /* A name of sf_layer_schemes[]; NULL: the first. */
    uint32_t n_layers;  /* 1 to SF_MAX_LAYERS; layer 0 is minimal. */
    uint32_t max_hops;  /* The longest path; 0: the scheme's default. */
    bool may_exceed;    /* To a destination that max_hops does not reach from
                         * everywhere, go as far as must be, instead of
                         * refusing. */
    uint64_t seed;      /* Same seed, same layers, anywhere. */
    uint32_t n_threads; /* 0 or 1: none but the caller's.  The result does
                         * not depend on it. */
    bool within_parts;  /* Route a disconnected graph part by part instead
                         * of refusing it. */
    const struct sf_turns *turns; /* NULL: all turns are allowed. */
    uint32_t set;                 /* The path set that the layers are for, */
    uint32_t n_sets;              /* of so many; 0: of one. */

    /* Options of single schemes; others ignore them. */
    uint32_t paper_min_hops; /* paper: the shortest path that counts as almost
                              * minimal; 0: as long as the longest. */
    double rues_fraction;    /* rues: share of links that a layer preserves;
                              * 0: 0.6. */
    bool updown_first;       /* updown: layer 0 goes up and down too, where
                              * all schemes have minimal paths. */
};

/* A way to make layers.  Every scheme
 * - gives for each layer and destination an in-tree: from every switch of the
 *   destination's part a path without loops leads there;
 * - has no path longer than 'max_hops', but where 'may_exceed' lets it;
 * - has minimal paths in layer 0 (but see 'updown_first');
 * - obeys 'turns', where it 'takes_turns';
 * - gives the same bytes for the same seed, whatever 'n_threads' is,
 * on any connected graph; sf_layers_check() tests all of it. */
struct sf_layer_ops; /* lib/layers/scheme.h */
struct sf_layer_scheme {
    const char *name, *title, *summary; /* For people. */
    const char *reference; /* A key of doc/REFERENCES.md, or NULL. */
    uint32_t extra_hops;   /* The default of max_hops is the diameter, as
                            * far as it is not that of a few faults, plus
                            * this; SF_NONE: no limit. */
    bool takes_turns;
    bool is_per_host; /* Meant to have paths of their own for each host. */
    const struct sf_layer_ops *ops;
};

/* All schemes, ended by NULL; the first is the default. */
extern const struct sf_layer_scheme *const sf_layer_schemes[];

/* The scheme of that name, the default for NULL; NULL if there is none. */
const struct sf_layer_scheme *sf_layer_scheme_find(const char *name);

/* Whether 'network' is a tree for which the scheme "ftree" is made: no link
 * joins switches that are equally far from hosts. */
bool sf_is_fat_tree(const struct sf_network *network);

/* Builds layers for 'network', whose hosts weigh the routes (one a switch if
 * there are none).  On success the caller owns '*layersp', which keeps no
 * pointer to the arguments; on failure it is NULL.  SF_EINVAL:
 * parameters that cannot be, a graph that the scheme is not for.
 * SF_EUNREACHABLE: the graph is disconnected ('err' names the parts), or
 * 'max_hops' or 'turns' leave a switch out of reach.  SF_ELIMIT: a switch of
 * too many links.  Complexities stand with the schemes. */
enum sf_status sf_layers_build(const struct sf_network *network,
                               const struct sf_layers_params *params,
                               struct sf_layers **layersp,
                               struct sf_error *err);

#pragma GCC visibility pop
#endif
