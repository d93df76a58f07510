/* share_parts.h -- what share.c and share_leaf.c have in common: the state of
 * the tree and the switch at hand, and what links cost.  Costs are asked for
 * every link of every switch: so they stand inline. */
#ifndef SF_LAYERS_SHARE_PARTS_H
#define SF_LAYERS_SHARE_PARTS_H

#include "layers/share.h"

/* Loads are counted in 1/SF_SHARE_ONE of the mean.  64 bits hold the square of
 * the eighth power of the most. */
#define SF_SHARE_ONE       (UINT64_C(1) << 14)
#define SF_SHARE_MOST_LOAD (4 * SF_SHARE_ONE) /* More counts as that. */

/* Over a link without load, a hop costs so many times less than over one of
 * mean load.  It is not free, so that no path is longer than it must be. */
#define SF_SHARE_LEAST_PRICE 64

/* Costs of so many loads are kept, of all others worked out each time. */
#define SF_SHARE_N_COSTS 32768
#define SF_SHARE_UNKNOWN UINT64_MAX

/* An arc: its routes, in grains, and how many of the routes of the branch at
 * hand go over it in other layers. */
struct sf_share_use {
    uint32_t load, shared;
};

/* Leaves on longer paths are always looked at. */
#define SF_SHARE_MOST_HOPS 8

/* What it costs to come over a switch that is too far away: more than any way
 * there is, and no sum of a few overflows. */
#define SF_SHARE_FAR (UINT64_C(1) << 60)

/* A switch in the tree at hand. */
struct sf_share_place {
    uint64_t price;  /* What its arc costs a leaf that comes over it, or
                        SF_SHARE_FAR. */
    uint32_t parent; /* Where it goes next; the destination to itself. */
    uint16_t depth;  /* Hops to go. */
    uint16_t n_children;
};

struct sf_sharing {
    const struct sf_layer_job *job;
    const uint32_t *weights; /* [V] */
    uint64_t grain;          /* Routes of two switches are multiples of it. */
    struct sf_share_use *uses; /* [2E] */
    uint64_t target;           /* The mean load, in routes. */
    uint32_t overlap;          /* As share.h has it. */
    uint32_t power;            /* Of this round. */
    uint64_t *costs; /* [SF_SHARE_N_COSTS] By load in grains, of this round. */
    bool keeps_robust; /* No pair may lack more than it does. */

    /* Of leaves, all of as many routes: */
    uint32_t unit;      /* so many, in grains; */
    uint64_t unit_cost; /* what they pay for any link in this round; */
    uint64_t
        well; /* those that pay so little for their way keep it; 0: none; */
    uint64_t *steps; /* [SF_SHARE_N_COSTS] for a link of that load, with it; */
    uint64_t *prices;                 /* [2E] for each arc; */
    uint64_t overlaps[SF_MAX_LAYERS]; /* and more for one that so many other
                                       * layers of theirs use. */

    /* Of the tree at hand: */
    uint32_t layer, destination;
    uint16_t *hops;    /* [V] Of the layers. */
    uint32_t *parents; /* [LV] Where switches go next, in all layers. */
    struct sf_share_place *places; /* [V] */
    uint64_t *may;     /* [V] A bit for each link over which a leaf may come;
                        * 0: not found yet. */
    uint32_t *n_ways;  /* [V] Arcs on shortest paths, in layer 0. */
    uint64_t *by_tree; /* [2E / 64 + 1] A bit for each arc to a switch that
                        * comes over it, backwards. */

    /* Of the switch at hand: */
    uint32_t *branch;   /* [V] It and all that come over it, */
    uint32_t n_branch;  /* nearest first; */
    uint32_t height;    /* how far away the last of them is; */
    uint32_t *new_rank; /* [V] their ranks if it moves; */
    bool *is_in_branch; /* [V] who they are; */
    uint32_t *near;     /* [max_degree] the arcs that it could take; */
    uint32_t n_near;
    uint32_t routes;   /* those of the branch to the destination, in grains; */
    uint64_t hop_cost; /* what they pay for any link; */
    uint32_t *touched; /* [2E] the arcs that they use in other layers. */
    uint32_t n_touched;

    /* Of a leaf, in other layers: */
    uint16_t starts[SF_MAX_LAYERS]; /* its hops; */
    uint32_t *joins; /* [LV] switches that it comes over, by the same arc as
                      * in the tree at hand. */
    uint32_t n_joins;
};

static inline uint64_t
sf_share_cost_of_load(const struct sf_sharing *sharing, uint32_t load)
{
    uint64_t routes = load * sharing->grain;

    if (load >= SF_SHARE_N_COSTS) {
        return sf_share_cost(routes, sharing->target, sharing->power);
    }
    if (sharing->costs[load] == SF_SHARE_UNKNOWN) {
        sharing->costs[load] =
            sf_share_cost(routes, sharing->target, sharing->power);
    }
    return sharing->costs[load];
}

/* What as many routes, in grains, cost over links that cost what one of mean
 * load does. */
static inline uint64_t
sf_share_cost_of_routes(const struct sf_sharing *sharing, uint32_t routes)
{
    return routes * sharing->grain * SF_SHARE_ONE / sharing->target *
           sharing->power;
}

/* What it costs to share a link with so many routes, in grains, of the same
 * pairs. */
static inline uint64_t
sf_share_cost_of_overlap(const struct sf_sharing *sharing, uint32_t shared)
{
    uint32_t n_layers = sharing->job->layers->n_layers;
    uint64_t unit = SF_SHARE_UNIT * (n_layers > 1 ? n_layers - 1 : 1);

    return sf_share_cost_of_routes(sharing, shared) * sharing->overlap / unit;
}

/* What a leaf more costs over a link. */
static inline uint64_t
sf_share_work_out_step(const struct sf_sharing *sharing, uint32_t load)
{
    return sf_share_cost_of_load(sharing, load + sharing->unit) -
           sf_share_cost_of_load(sharing, load) + sharing->unit_cost;
}

static inline uint64_t
sf_share_step_of_load(const struct sf_sharing *sharing, uint32_t load)
{
    if (load >= SF_SHARE_N_COSTS) {
        return sf_share_work_out_step(sharing, load);
    }
    if (sharing->steps[load] == SF_SHARE_UNKNOWN) {
        sharing->steps[load] = sf_share_work_out_step(sharing, load);
    }
    return sharing->steps[load];
}

/* Sets what it costs a leaf to go on from 's', another switch than the
 * destination. */
static inline void
sf_share_set_place_price(const struct sf_sharing *sharing, uint32_t s)
{
    uint32_t arc = sharing->job->graph->first[s] + sharing->hops[s];
    struct sf_share_place *place = &sharing->places[s];

    place->price = place->depth < sharing->job->limits[sharing->destination]
                       ? sharing->prices[arc]
                       : SF_SHARE_FAR;
}

static inline uint32_t *
sf_share_parents(const struct sf_sharing *sharing, uint32_t layer)
{
    return sharing->parents + (size_t)layer * sharing->job->graph->n_nodes;
}

/* Whether the whole branch may come over 's' if that goes over 'arc'. */
bool sf_share_may_turn(const struct sf_sharing *sharing, uint32_t s,
                       uint32_t arc);

/* Lists the arcs of 's', but the one that it has, to switches from which the
 * branch is near enough. */
void sf_share_list_near(struct sf_sharing *sharing, uint32_t s);

/* Whether the leaf 's' of the usual routes keeps its way in this round, since
 * it costs little. */
bool sf_share_is_leaf_well(const struct sf_sharing *sharing, uint32_t s);

/* The arc over which 's', a leaf of the usual routes, costs least, without its
 * routes on the links of now. */
uint32_t sf_share_best_arc_of_leaf(struct sf_sharing *sharing, uint32_t s);

#endif
