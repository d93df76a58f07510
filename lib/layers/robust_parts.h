/* robust_parts.h -- the parts of making layers robust, and what they share:
 * robust.c      which pairs are served, in which order and how hard is tried;
 * robust_lead.c leads one path off some links;
 * robust_moves.c changes trees, prices that and takes it back;
 * robust_ways.c the links of paths, and what pairs lack. */
#ifndef SF_LAYERS_ROBUST_PARTS_H
#define SF_LAYERS_ROBUST_PARTS_H

#include "layers/robust.h"

#define SF_ROBUST_EFFORTS                                            \
    4 /* Who comes over a switch comes along; or goes elsewhere with \
       * all behind it; or alone; or all ways                        \
       * are looked at, and both layers of a pair move. */
#define SF_ROBUST_POWER  8 /* Of loads, in costs. */
#define SF_ROBUST_MOVES  256
#define SF_ROBUST_MOVING 2 /* Switches that wait for others to move. */

/* The links of a pair in one layer, there and back. */
struct sf_way {
    uint32_t n;
    uint32_t links[2 * SF_ROBUST_HOPS];
};

struct sf_tree_move {
    uint32_t layer, d, s;
    uint16_t hop; /* What it was. */
};

struct sf_robust {
    const struct sf_layer_job *job;
    const uint32_t *weights; /* [V] */
    uint64_t *loads;         /* [2E] */
    uint64_t target;         /* Their mean. */

    uint32_t effort, n_efforts;
    int64_t allowed; /* What may be lacking more by a step. */
    struct sf_tree_move moves[SF_ROBUST_MOVES]; /* What can be undone. */
    uint32_t n_moves;
    uint32_t moving[SF_ROBUST_MOVING]; /* Switches that are about to move. */
    uint32_t n_moving;
    uint32_t *branch; /* [V] A switch and all that come over it. */
    uint32_t n_branch;
    uint32_t *affected; /* [V] Whose paths a trial changed. */
    uint32_t n_affected;
    bool *is_affected; /* [V] */
    int64_t *change;   /* [2E] Of loads; 0 but at */
    uint32_t *touched; /* [2E] these, */
    bool *is_touched;  /* [2E] which these are. */
    uint32_t n_touched;
};

/* What a trial comes to: what others lack by it, and what its links cost. */
struct sf_price {
    int64_t lack;
    int64_t cost;
};

static inline bool
sf_price_is_less(struct sf_price a, struct sf_price b)
{
    return a.lack < b.lack || (a.lack == b.lack && a.cost < b.cost);
}

/* Adds the links of the path from 's' to 'd' in a layer of 'layers'; false if
 * it is too long or leads nowhere. */
bool sf_way_add(const struct sf_layers *layers, const struct sf_graph *graph,
                uint32_t layer, uint32_t s, uint32_t d, struct sf_way *way);

bool sf_way_has(const struct sf_way *way, uint32_t link);

bool sf_ways_are_apart(const struct sf_way *a, const struct sf_way *b);

/* Finds the ways of all layers between a host of 's' and one of 'd', of which
 * 'of_s' and 'of_d' are the path sets. */
bool sf_ways_find(const struct sf_graph *graph, const struct sf_layers *of_s,
                  const struct sf_layers *of_d, uint32_t s, uint32_t d,
                  struct sf_way *ways);

/* The first path set that is looked at: all before it are there. */
uint32_t sf_robust_first_set(const struct sf_layer_job *job);

/* Sends 's' over 'hop' in a tree, to be undone. */
void sf_robust_set_hop(struct sf_robust *robust, uint32_t layer, uint32_t d,
                       uint32_t s, uint32_t hop);

/* Undoes all moves from number 'mark' on; each then holds what was undone, so
 * that it can be done again. */
void sf_robust_undo(struct sf_robust *robust, uint32_t mark);

/* Lists 's' and all that come over it to 'd'. */
void sf_robust_list_branch(struct sf_robust *robust, uint32_t layer,
                           uint32_t d, uint32_t s);

/* Whether 's' has a path to 'd' as it must be: no loop, not too long, by turns
 * that are allowed. */
bool sf_robust_is_sound(const struct sf_robust *robust, uint32_t layer,
                        uint32_t d, uint32_t s);

/* The same for all that come over 's', too. */
bool sf_robust_is_branch_sound(struct sf_robust *robust, uint32_t layer,
                               uint32_t d, uint32_t s);

/* Prices the moves from 'mark' on, which are all in the tree of 'd', and
 * undoes them unless they are 'kept', when loads follow them. */
struct sf_price sf_robust_judge(struct sf_robust *robust, uint32_t mark,
                                uint32_t layer, uint32_t d, bool is_kept);

/* Takes the moves from 'mark' on back, with their loads. */
void sf_robust_take_back(struct sf_robust *robust, uint32_t mark,
                         uint32_t layer, uint32_t d);

/* Whether the path of 'from' to 'd' leads over 'v'. */
bool sf_robust_leads_over(const struct sf_robust *robust, uint32_t layer,
                          uint32_t d, uint32_t from, uint32_t v);

/* Whether the path of 'from' leads over 'v' or over switches that are about to
 * move. */
bool sf_robust_leads_over_moving(const struct sf_robust *robust,
                                 uint32_t layer, uint32_t d, uint32_t from,
                                 uint32_t v);

/* Leads 's' to 'd' in 'layer' off 'avoid' at the least price; adds that to
 * '*sum'.  False if there is no way. */
bool sf_robust_lead_off(struct sf_robust *robust, uint32_t layer, uint32_t s,
                        uint32_t d, const struct sf_way *avoid,
                        struct sf_price *sum);

#endif
