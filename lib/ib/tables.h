/* tables.h -- what building and repairing tables share. */
#ifndef SF_IB_TABLES_H
#define SF_IB_TABLES_H

#include "slimfly/tables.h"

/* Makes tables without paths for the LIDs of 'fabric'. */
enum sf_status sf_tables_make(const struct sf_fabric *fabric,
                              struct sf_tables **tablesp,
                              struct sf_error *err);

/* Fills the column of 'lid' from the tree towards switch 'destination', where
 * it leaves by 'last_port'. */
void sf_tables_fill(struct sf_tables *tables, uint32_t lid,
                    const struct sf_fabric *fabric,
                    const struct sf_graph *graph, const uint32_t *link_ports,
                    const uint16_t *tree, uint32_t destination,
                    uint32_t last_port);

/* Which arc of its switch each port of 'fabric' is, into 'hop_of_port'
 * [n_ports]; SF_NO_HOP for all other ports. */
void sf_tables_map_ports(const struct sf_fabric *fabric,
                         const struct sf_graph *graph,
                         const uint32_t *link_ports, uint16_t *hop_of_port);

/* The number in 'previous' of each switch of 'fabric', by GUID; SF_NONE if it
 * was not there.  NULL if memory runs out. */
uint32_t *sf_switches_by_guid(const struct sf_fabric *fabric,
                              const struct sf_fabric *previous);

#endif
