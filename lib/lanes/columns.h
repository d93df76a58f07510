/* columns.h -- the paths of forwarding tables, each set of them once.  A
 * column is the next hops of all switches towards a LID; most LIDs of a switch
 * share one with others. */
#ifndef SF_LANES_COLUMNS_H
#define SF_LANES_COLUMNS_H

#include "slimfly/tables.h"

struct sf_lft_columns {
    uint32_t n_columns, n_switches;
    uint32_t *first; /* [n_switches + 1] Where those of a switch start. */
    uint16_t *hops;  /* [n_columns * n_switches] Arcs of each switch; SF_NO_HOP
                      * at the destination and without a path. */
    uint32_t *of_lid; /* [max_lid + 1] SF_NONE if the LID is of nobody. */
    uint32_t *n_lids; /* [n_columns] LIDs of hosts that it is for. */
    uint32_t max_lid;
};

static inline const uint16_t *
sf_lft_column_hops(const struct sf_lft_columns *columns, uint32_t column)
{
    return columns->hops + (size_t)column * columns->n_switches;
}

/* Sorts the entries of 'tables', which are without loops.  SF_EINVAL names a
 * LID that goes round.  O(switches * LIDs). */
enum sf_status sf_lft_columns_build(const struct sf_fabric *fabric,
                                    const struct sf_graph *graph,
                                    const uint32_t *link_ports,
                                    const struct sf_tables *tables,
                                    struct sf_lft_columns **columnsp,
                                    struct sf_error *err);
void sf_lft_columns_free(struct sf_lft_columns *columns);

#endif
