/* trees.h -- in-trees: what the schemes share. */
#ifndef SF_LAYERS_TREES_H
#define SF_LAYERS_TREES_H

#include "layers/layer_scheme.h"

/* Workspace for searches, one a thread. */
struct sf_search {
    uint32_t *distance; /* [V] From the root; SF_NONE if out of reach. */
    uint32_t *order;    /* [V] The switches reached, by distance. */
    uint32_t n_reached;
};

/* Makes room for graphs of 'n_nodes'; false if out of memory, and then
 * sf_search_clear() may be called all the same. */
bool sf_search_init(struct sf_search *search, uint32_t n_nodes);
void sf_search_clear(struct sf_search *search);

/* Searches breadth first from 'root'.  If 'keep' is nonnull, only links with
 * keep[link] are gone over.  O(V + E). */
void sf_search_run(struct sf_search *search, const struct sf_graph *graph,
                   uint32_t root, const bool *keep);

/* Fills layers first_layer..n_layers-1 with shortest paths.  Each destination
 * takes the lightest ones, going by 'loads' [2E], the routes on each arc,
 * which it then adds its own to; a switch prefers arcs that fewer earlier
 * layers use towards the destination.  Destinations go in batches, so that
 * threads change nothing.  SF_EUNREACHABLE if turns leave no shortest path. */
enum sf_status sf_minimal_layers(const struct sf_layer_job *job,
                                 uint32_t first_layer, uint32_t n_layers,
                                 uint64_t *loads, struct sf_error *err);

/* How many destinations are routed against the same loads. */
uint32_t sf_batch_size(const struct sf_graph *graph);

/* Adds the routes of the tree towards 'destination' in 'layer' to 'loads'
 * [2E].  Walks every path, as depths are not known. */
void sf_tree_count_loads(const struct sf_layer_job *job, uint32_t layer,
                         uint32_t destination, uint64_t *loads);

/* In how many of the layers below 'layer' 's' uses 'hop' to 'destination'. */
uint32_t sf_count_earlier_uses(const struct sf_layers *layers, uint32_t layer,
                               uint32_t s, uint32_t destination, uint32_t hop);

/* Follows the path of 's' to 'd' in 'layer' into 'arcs' [most]; returns its
 * length, or SF_NONE if it has more than 'most' hops. */
uint32_t sf_tree_follow(const struct sf_layer_job *job, uint32_t layer,
                        uint32_t s, uint32_t d, uint32_t most, uint32_t *arcs);

/* Whether the turns allow a path over 'n' arcs, at least one. */
bool sf_path_is_allowed(const struct sf_layer_job *job, const uint32_t *arcs,
                        uint32_t n);

/* Whether nobody sends over 's' to 'd' in 'layer'. */
bool sf_tree_is_leaf(const struct sf_layer_job *job, uint32_t layer,
                     uint32_t d, uint32_t s);

/* The first and the last arc of a path. */
struct sf_ends {
    uint32_t first, last;
};

/* Finds the ends of the paths from 's' to another switch 'd' in all layers. */
void sf_layers_find_ends(const struct sf_layers *layers,
                         const struct sf_graph *graph, uint32_t s, uint32_t d,
                         struct sf_ends ends[SF_MAX_LAYERS]);

/* How many of 'n' paths, up to 'most', share no end with those before that
 * are counted, too. */
uint32_t sf_ends_count_separate(const struct sf_ends *ends, uint32_t n,
                                uint32_t most);

/* Completes the tree towards 'destination' in 'layer', in which some switches
 * have a next hop already and 'depth' [V] tells their hops to go (SF_NONE for
 * the others, 0 at the destination).  The others join it, nearest first, by
 * as few hops as the tree has.  A switch that then exceeds the hop limit gets
 * the path of layer 0, and so do those on its way.  'depth' is that of all in
 * the end.  'search' has run from 'destination' over all links. */
void sf_tree_complete(const struct sf_layer_job *job, uint32_t layer,
                      uint32_t destination, const struct sf_search *search,
                      uint32_t *depth);

#endif
