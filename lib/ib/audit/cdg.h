/* cdg.h -- the channel dependency graph of an audit.
 *
 * An arc is one direction of a cable between switches; the arcs that leave a
 * switch stand together.  Channel (arc, vl) has the number arc * n_vls + vl.
 * Each switch has a table with a row for each arc in, VL in and arc out: the
 * set of VLs out that a path which holds (arc in, VL in) needs next. */
#ifndef SF_IB_AUDIT_CDG_H
#define SF_IB_AUDIT_CDG_H

#include "slimfly/fabric.h"

#include <stddef.h>

struct sf_cdg_arc {
    uint32_t from, to;
    uint32_t port;    /* Out port, a number in the fabric. */
    uint32_t reverse; /* The arc of the other direction. */
};

struct sf_cdg {
    uint32_t n_switches, n_arcs;
    uint32_t n_vls;          /* 1 to 15. */
    struct sf_cdg_arc *arcs; /* [n_arcs] */
    uint32_t *first;         /* [n_switches + 1] Where a switch's arcs start.
                              */
    uint32_t *arc_of_port;   /* [n_ports of the fabric] SF_NONE if not one. */
    size_t *table;           /* [n_switches] Where its table starts. */
    size_t n_rows;
    uint16_t *rows; /* [n_rows] Sets of VLs out. */
    bool *is_used;  /* [n_arcs * n_vls] Channels that a path takes. */
};

enum sf_status sf_cdg_build(const struct sf_fabric *fabric, uint32_t n_vls,
                            struct sf_cdg **cdgp, struct sf_error *err);
void sf_cdg_free(struct sf_cdg *cdg);

/* Forgets all channels and dependencies. */
void sf_cdg_clear(struct sf_cdg *cdg);

/* The set of VLs on arc 'out' that paths need next while they hold channel
 * (in, vl); 'out' leaves the switch where 'in' ends. */
static inline uint16_t *
sf_cdg_row(const struct sf_cdg *cdg, uint32_t in, uint32_t vl, uint32_t out)
{
    uint32_t s = cdg->arcs[in].to;
    size_t degree = cdg->first[s + 1] - cdg->first[s];
    size_t from = cdg->arcs[in].reverse - cdg->first[s];
    size_t cell = from * degree + (out - cdg->first[s]);
    return &cdg->rows[cdg->table[s] + cell * cdg->n_vls + vl];
}

/* Finds a shortest cycle: '*channelsp' gets its '*n_channelsp' channels in
 * order, or NULL and 0 if there is none.
 *
 * Kahn's algorithm, first forwards and then backwards, takes away the channels
 * that are neither on a cycle nor on a way from one cycle to another.  Then a
 * breadth-first search starts at each channel that is left.  It goes no deeper
 * than the shortest cycle so far. */
enum sf_status sf_cdg_shortest_cycle(const struct sf_cdg *cdg,
                                     uint32_t **channelsp,
                                     uint32_t *n_channelsp,
                                     struct sf_error *err);

#endif
