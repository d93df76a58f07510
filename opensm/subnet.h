/* subnet.h -- OpenSM's subnet as a fabric, and tables into its switches.  Both
 * under osm->lock, held exclusively. */
#ifndef SF_OPENSM_SUBNET_H
#define SF_OPENSM_SUBNET_H

#include <opensm/osm_config.h> /* First: it changes structs of the others. */

#include <opensm/osm_opensm.h>

#include "engine.h"
#include "slimfly/verify.h"

/* What reading a subnet finds beside its fabric. */
struct sf_subnet_reading {
    uint32_t n_vls;         /* That every link between switches can have. */
    uint32_t n_without_map; /* Switches that have no SL-to-VL tables. */
    uint32_t n_named;       /* Nodes that plan or map have a name for. */
    uint32_t n_without_lid; /* Ports that OpenSM could give none. */
};

/* Makes the fabric of what OpenSM has found and given LIDs: its switches, its
 * hosts and routers, and the links between them that are up and healthy.
 * Names come from 'map' and else from 'plan', by GUID, where these are not
 * NULL. */
enum sf_status sf_subnet_read(osm_opensm_t *osm, const struct sf_plan *plan,
                              const struct sf_guid_map *map,
                              struct sf_fabric **fabricp,
                              struct sf_subnet_reading *reading,
                              struct sf_error *err);

/* The same without names while a sweep has found all, but has not yet dropped
 * what is gone, nor given LIDs. */
enum sf_status sf_subnet_read_found(osm_opensm_t *osm,
                                    struct sf_fabric **fabricp,
                                    struct sf_subnet_reading *reading,
                                    struct sf_error *err);

/* Hands 'tables', of the switches of 'engine', to OpenSM, which sends what
 * differs from the tables that the switches have: '*n_changedp' of
 * '*n_entriesp' entries. */
void sf_subnet_write(osm_opensm_t *osm, struct sf_engine *engine,
                     const struct sf_tables *tables, uint64_t *n_entriesp,
                     uint64_t *n_changedp);

/* Fills the SL-to-VL table of the port 'physp' for what comes in by port 'in'
 * and goes out by 'out': as 'sl2vl' says for the switches of 'engine', which
 * has a routing. */
void sf_subnet_fill_sl2vl(struct sf_engine *engine,
                          const struct sf_sl2vl *sl2vl,
                          const osm_physp_t *physp, uint32_t in, uint32_t out,
                          ib_slvl_table_t *table);

/* Fills a block of a VL arbitration table with equal shares for all of
 * 'n_vls' lanes, none of them before the others. */
void sf_subnet_fill_vlarb(uint32_t n_vls, ib_vl_arb_table_t *block,
                          uint32_t block_length, uint32_t block_num);

#endif
