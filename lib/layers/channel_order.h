/* channel_order.h -- an order of channels that grows with the paths.
 *
 * A channel is a direction of a link on a virtual lane (VL).  A path that
 * holds one channel waits for the next, so nothing deadlocks if all paths go
 * up in one order of the channels [DallySeitz87].  The VL after a turn follows
 * from its two links alone, as struct sf_turns says.  Here both are chosen as
 * paths need them: a turn gets its VL with the first path that goes on after
 * it, and the order is changed as little as possible [PearceKelly07].  What
 * would close a circle is refused.
 *
 * The paths along a spanning tree are there from the start, so that there is
 * always a way to every switch [Domke16]. */
#ifndef SF_LAYERS_CHANNEL_ORDER_H
#define SF_LAYERS_CHANNEL_ORDER_H

#include "base/mem.h"
#include "slimfly/routes.h"

/* A wait that was added, to take it back; or the VL of a turn. */
struct sf_order_change {
    size_t turn;
    uint16_t arrivals; /* As it was. */
    uint8_t vl;        /* As it was. */
};

struct sf_channel_order {
    const struct sf_graph *graph;
    const uint32_t *reverse; /* [2E] Each arc as seen from its other end. */
    struct sf_turns *turns;  /* VLs are SF_NO_TURN until they are chosen. */
    uint16_t *arrivals;      /* By turn: the VLs, a bit each, that packets come
                              * on which take it and wait there. */
    uint16_t *refused;       /* By turn: the pairs of VLs, a bit each, on which
                              * it would close a circle.  Waits are seldom taken
                              * back, so that is not tried again. */
    uint32_t *places;        /* [channels] In the order. */
    uint32_t *parents;       /* [V] The arc towards the root of the tree;
                              * SF_NONE at a root. */
    uint32_t *found;         /* [channels] Workspace. */
    uint32_t *sorted;        /* [channels] Workspace. */
    bool *is_found;          /* [channels] Workspace. */
    SF_VEC(struct sf_order_change) changes; /* Since the last settling. */
    bool is_full; /* Memory ran out: nothing can be added any more. */
};

#define SF_MOST_ORDER_VLS 4

/* Starts an order for 'graph' on 'n_vls' VLs, 1 to SF_MOST_ORDER_VLS, with the
 * paths of a spanning tree of each part. */
enum sf_status sf_channel_order_begin(const struct sf_graph *graph,
                                      const uint32_t *reverse, uint32_t n_vls,
                                      struct sf_channel_order *order,
                                      struct sf_error *err);
void sf_channel_order_clear(struct sf_channel_order *order);

/* Lets paths go over arc 'in', then 'out', then 'next', the last two being
 * allowed as the start of a path already; 'next' is SF_NONE if the path ends
 * after 'out'.  False if that would close a circle, or would move too many
 * channels; then nothing changed. */
bool sf_channel_order_add(struct sf_channel_order *order, uint32_t in,
                          uint32_t out, uint32_t next);

/* Keeps what was added since the last call, or takes it back. */
void sf_channel_order_keep(struct sf_channel_order *order);
void sf_channel_order_undo(struct sf_channel_order *order);

/* Hands the turns over, with the order as their ranks.  Turns that no path
 * needs get a VL from which as much as possible can go on. */
struct sf_turns *sf_channel_order_finish(struct sf_channel_order *order);

#endif
