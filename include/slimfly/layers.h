/* layers.h -- routing layers: for every layer, switch and destination switch
 * the link over which to go on.  Reads a graph and the hosts on its switches,
 * so that a planned fabric, a discovered one and one with failed links are
 * all routed alike; feeds the forwarding tables.
 *
 * A next hop names an arc and not a neighbour: traffic between two switches
 * that several parallel links join spreads over them. */
#ifndef SLIMFLY_LAYERS_H
#define SLIMFLY_LAYERS_H

#include "slimfly/error.h"
#include "slimfly/graph.h"
#include "slimfly/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

#define SF_MAX_LAYERS 128        /* 2^LMC addresses a host, LMC up to 7. */
#define SF_NO_HOP     UINT16_MAX /* At the destination; in another part. */

/* The next hops.  hops[] is indexed by layer, destination and switch, so that
 * the tree of a destination stands together; an entry numbers an arc among
 * those of the switch.  2 L V^2 bytes. */
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
    uint32_t variant;    /* The layers are for every host of a switch whose */
    uint32_t n_variants; /* number has this remainder; 0: for all hosts. */
};

/* A way to make layers.  Every scheme
 * - gives for each layer and destination an in-tree: from every switch of the
 *   destination's part a path without loops leads there;
 * - has no path longer than 'max_hops', but where 'may_exceed' lets it;
 * - has shortest paths in layer 0, where it is 'minimal_first';
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
    struct sf_param params[SF_MAX_PARAMS];
    bool takes_turns;
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

/* The scheme that is made for such a network (see 'made_for'); NULL if there
 * is none. */
const struct sf_layer_scheme *
sf_layer_scheme_made_for(const struct sf_graph *graph,
                         const uint32_t *n_hosts);

/* What a spec of layers says, SCHEME:KEY=VALUE,KEY=VALUE... */
struct sf_layer_spec {
    const struct sf_layer_scheme *scheme;
    bool minimal_first, resists_repair; /* As the scheme, with the values. */
    bool names_sets; /* Whether the spec says how many sets of paths, */
    uint32_t n_sets; /* as it says, or 1; SF_NONE: one for each host. */

    /* The canonical text: keys in the scheme's order, one spelling of each
     * value, defaults left out.  Specs that mean the same have the same. */
    char text[SF_SCHEME_SIZE];
};

/* Reads 'spec', NULL for the default.  'n_sets', unless 0, goes before what
 * the spec says of sets of paths.  SF_EINVAL: 'err' names the scheme or key,
 * what was found and what was expected. */
enum sf_status sf_layer_spec_parse(const char *spec, uint32_t n_sets,
                                   struct sf_layer_spec *parsed,
                                   struct sf_error *err);

/* Whether 'graph', whose switches carry 'n_hosts' hosts each, is a tree for
 * which the scheme "ftree" is made: no link joins switches that are equally
 * far from hosts. */
bool sf_is_fat_tree(const struct sf_graph *graph, const uint32_t *n_hosts);

/* Builds layers for 'graph' whose switches carry 'n_hosts' hosts each (NULL:
 * one each), which weigh the routes.  On success the caller owns '*layersp',
 * which keeps no pointer to the arguments; on failure it is NULL.  SF_EINVAL:
 * parameters that cannot be, a graph that the scheme is not for.
 * SF_EUNREACHABLE: the graph is disconnected ('err' names the parts), or
 * 'max_hops' or 'turns' leave a switch out of reach.  SF_ELIMIT: a switch of
 * too many links.  Complexities stand with the schemes. */
enum sf_status sf_layers_build(const struct sf_graph *graph,
                               const uint32_t *n_hosts,
                               const struct sf_layers_params *params,
                               struct sf_layers **layersp,
                               struct sf_error *err);
void sf_layers_free(struct sf_layers *layers);

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
