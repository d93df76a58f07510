/* layers.h -- ways to make layers: for every layer, switch and destination
 * switch the link over which to go on.  Reads a network, so that a planned
 * fabric, a discovered one and one with failed links are all routed alike;
 * fills the path sets of routes (routes.h). */
#ifndef SLIMFLY_LAYERS_H
#define SLIMFLY_LAYERS_H

#include "slimfly/routes.h"
#include "slimfly/spec.h"

#pragma GCC visibility push(default)

/* How to make layers.  Zero stands for a default everywhere but in
 * 'n_layers'. */
struct sf_layers_params {
    const char *scheme; /* A spec, "rues:fraction=0.6" (see struct
                         * sf_layer_spec); NULL: the default scheme. */
    uint32_t n_layers;  /* 1 to SF_MAX_LAYERS. */
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
    uint32_t n_vls; /* For schemes that make turns: on so many VLs; */
    struct sf_turns **turnsp; /* where they go, or NULL. */
    uint32_t set;             /* The path set that the layers are for, */
    uint32_t n_sets;          /* of so many; 0: of one. */
    struct sf_layers *const *earlier; /* [set] Those of the sets before it,
                                       * of the same network; NULL: not
                                       * known. */
};

/* A way to make layers.  Every scheme
 * - gives for each layer and destination an in-tree: from every switch of the
 *   destination's part a path without loops leads there;
 * - has no path longer than 'max_hops', but where 'may_exceed' lets it;
 * - has shortest paths in layer 0, where it is 'minimal_first';
 * - obeys 'turns', where it 'takes_turns', or those that it 'makes_turns';
 * - gives the same bytes for the same seed, whatever 'n_threads' is,
 * on any connected graph; sf_layers_check() tests all of it. */
struct sf_layer_ops; /* lib/layers/layer_scheme.h */
struct sf_layer_scheme {
    const char *name, *title, *summary; /* For people. */
    const char *reference; /* A key of doc/REFERENCES.md, or NULL. */
    uint32_t extra_hops;   /* The default of max_hops is the diameter, as
                            * far as it is not that of a few faults, plus
                            * this; SF_NONE: no limit. */
    struct sf_param params[SF_MAX_PARAMS];
    bool takes_turns;
    bool makes_turns;     /* Its turns come with the layers. */
    bool is_per_host;     /* Meant to have paths of their own for each host. */
    bool minimal_first;   /* Layer 0 has shortest paths. */
    bool resists_repair;  /* All paths hold together: after a fault they are
                           * made anew, and none is mended by itself. */
    const char *made_for; /* "a Fat Tree": networks that it suits better than
                           * the default does; NULL if there are none. */
    const struct sf_layer_ops *ops;
};

/* All schemes, ended by NULL; the first is the default. */
extern const struct sf_layer_scheme *const sf_layer_schemes[];

/* The scheme that a spec names, whatever its settings are; the default for
 * NULL; NULL if there is none. */
const struct sf_layer_scheme *sf_layer_scheme_find(const char *spec);

/* Finds the scheme that is made for such a network (see 'made_for'); NULL if
 * there is none. */
enum sf_status sf_layer_scheme_made_for(const struct sf_network *network,
                                        const struct sf_layer_scheme **schemep,
                                        struct sf_error *err);

/* What a spec of layers says, SCHEME:KEY=VALUE,KEY=VALUE... */
struct sf_layer_spec {
    const struct sf_layer_scheme *scheme;
    bool minimal_first, resists_repair; /* As the scheme, with the values, */
    uint32_t extra_hops;                /* as this is. */
    bool is_robust;  /* Two layers of each pair are to share no link. */
    bool names_sets; /* Whether the spec says how many path sets, */
    uint32_t n_sets; /* as it says, or 1; SF_NONE: one for each host. */

    /* The canonical text: keys in the scheme's order, one spelling of each
     * value, defaults left out.  Specs that mean the same have the same. */
    char text[SF_SCHEME_SIZE];
};

/* Reads 'spec', NULL for the default.  'n_sets', unless 0, goes before what
 * the spec says of path sets.  SF_EINVAL: 'err' names the scheme or key,
 * what was found and what was expected. */
enum sf_status sf_layer_spec_parse(const char *spec, uint32_t n_sets,
                                   struct sf_layer_spec *parsed,
                                   struct sf_error *err);

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
