/* mender.h -- one column that is being mended: next hops towards a switch of
 * which some are gone, lead nowhere or too far, or may not be taken any more;
 * or that is being relieved, where its links carry too much. */
#ifndef SF_ROUTING_MENDER_H
#define SF_ROUTING_MENDER_H

#include "slimfly/routes.h"

struct sf_mender {
    const struct sf_graph *graph;
    uint32_t destination;
    uint32_t limit;         /* Hops at most, to it. */
    bool is_minimal;        /* Every path must be a shortest one. */
    const uint32_t *best;   /* [n] Shortest distances to the destination. */
    uint16_t *hops;         /* [n] Next hops as arcs; SF_NO_HOP is none. */
    uint32_t *depths;       /* [n] Hops to go; SF_NONE: it leads nowhere. */
    uint32_t *queue;        /* [n] */
    const uint16_t *before; /* [n] Next hops as they were. */
    const struct sf_turns *turns; /* What to obey; NULL for nothing. */
    const uint32_t *reverse; /* [2E] Each arc as seen from its other end. */
    uint32_t *ranks;         /* [n] Of the channel after the first turn. */
    const uint32_t *n_hosts; /* [n] On each switch: they send to the column, */
    uint64_t weight;         /* each so much; */
    uint64_t *loads;         /* [2E] what whole paths of all columns put on
                              * each arc. */
    const struct sf_layers *layers; /* The column is of this set, */
    uint32_t layer;                 /* in this layer. */
};

/* Follows all next hops: whether they lead to the destination, and how far
 * that is. */
void sf_mender_measure(struct sf_mender *mender);

/* Adds what hosts send over whole paths of the column to the loads. */
void sf_mender_load(const struct sf_mender *mender);

/* Whether all paths may stay as they are.  'order' are the switches that reach
 * the destination, 'n' of them, nearest first. */
bool sf_mender_is_fine(const struct sf_mender *mender, const uint32_t *order,
                       uint32_t n);

/* Mends a column that was measured and loaded.  False if turns leave a switch
 * without a path. */
bool sf_mender_mend(struct sf_mender *mender, const uint32_t *order,
                    uint32_t n);

/* Leads paths of a fine column, measured and loaded, that go over arcs which
 * carry more than 'most' another way, if all arcs of that stay below it.  A
 * switch does not start with an arc with which another layer starts there. */
void sf_mender_relieve(struct sf_mender *mender, const uint32_t *order,
                       uint32_t n, uint64_t most);

#endif
