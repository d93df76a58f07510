/* path_columns.h -- the columns of routes that addresses use, each once.  Path
 * sets and layers often have the same column towards a switch; lanes need look
 * at it only once. */
#ifndef SF_LANES_PATH_COLUMNS_H
#define SF_LANES_PATH_COLUMNS_H

#include "slimfly/routes.h"

struct sf_path_columns {
    uint32_t n_columns, n_switches;
    const uint16_t **hops; /* [n_columns] Each [n_switches]: arcs of each
                            * switch; SF_NO_HOP at the destination and without
                            * a path. */
    uint32_t *n_addresses; /* [n_columns] Addresses of hosts that it is for. */
    uint32_t *of_tree;     /* By set, layer and destination; SF_NONE if no
                            * address uses that. */
};

/* The place of a tree in 'of_tree'. */
static inline size_t
sf_path_columns_tree(const struct sf_path_columns *columns, uint32_t n_layers,
                     uint32_t set, uint32_t layer, uint32_t destination)
{
    return ((size_t)set * n_layers + layer) * columns->n_switches +
           destination;
}

/* Sorts the columns of 'routes', which must outlive the result.  SF_EINVAL
 * names a column whose paths go round. */
enum sf_status sf_path_columns_build(const struct sf_network *network,
                                     const struct sf_routes *routes,
                                     struct sf_path_columns **columnsp,
                                     struct sf_error *err);
void sf_path_columns_free(struct sf_path_columns *columns);

#endif
