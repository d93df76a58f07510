/* waits.h -- which channels wait for which, without a circle: a graph that
 * refuses what would close one.
 *
 * A channel is one direction of a cable between switches on one VL; channel
 * (arc, vl) has the number arc * n_vls + vl.  The graph keeps its channels in
 * an order in which each stands before those that it waits for.  A dependency
 * that goes the wrong way in that order moves only what lies between its ends
 * [PearceKelly07]. */
#ifndef SF_IB_WAITS_H
#define SF_IB_WAITS_H

#include "base/mem.h"
#include "slimfly/fabric.h"

struct sf_waits_arc {
    uint32_t from, to;
    uint8_t out, in;  /* Port numbers at both ends. */
    uint32_t reverse; /* The arc of the other direction. */
};

/* A dependency: a bit of a set of VLs. */
struct sf_wait {
    size_t row;
    uint16_t bit;
};

struct sf_waits {
    uint32_t n_switches, n_arcs, n_vls, n_channels;
    struct sf_waits_arc *arcs; /* [n_arcs] Those of a switch together. */
    uint32_t *first;           /* [n_switches + 1] */
    uint32_t *arc_of_port;     /* [n_ports of the fabric] Or SF_NONE. */
    size_t *table;             /* [n_switches] Where its rows start. */
    size_t n_rows;
    uint16_t *rows;  /* [n_rows] Sets of VLs: see waits.c. */
    uint32_t *order; /* [n_channels] The place of each channel, */
    uint32_t *at;    /* [n_channels] and the channel at each place. */
    SF_VEC(struct sf_wait) added; /* Since the last sort. */
    bool *is_seen;                /* [n_channels] All false. */
    uint32_t *ahead, *behind;     /* [n_channels] Places. */
};

enum sf_status sf_waits_build(const struct sf_fabric *fabric, uint32_t n_vls,
                              struct sf_waits **waitsp, struct sf_error *err);
void sf_waits_free(struct sf_waits *waits);

/* Forgets all dependencies. */
void sf_waits_clear(struct sf_waits *waits);

/* Channel (in, vl) waits for (out, vl_out), in whatever order.  Arc 'out'
 * leaves the switch where 'in' ends. */
void sf_waits_note(struct sf_waits *waits, uint32_t in, uint32_t vl,
                   uint32_t out, uint32_t vl_out);

/* Puts the channels in order; false if there is a circle. */
bool sf_waits_sort(struct sf_waits *waits);

/* The same as sf_waits_note(), after a sort and in order.  SF_ELANES, and
 * nothing done, if that would close a circle; SF_ENOMEM. */
enum sf_status sf_waits_add(struct sf_waits *waits, uint32_t in, uint32_t vl,
                            uint32_t out, uint32_t vl_out);

/* Takes back what was added beyond the first 'n_added'. */
void sf_waits_undo(struct sf_waits *waits, size_t n_added);

#endif
