/* tables.h -- linear forwarding tables: what the switches hold.
 *
 * Every host port has 2^LMC addresses (LIDs), base + 0, base + 1, ...; the
 * address base + l is reached over layer l, so that a sender chooses the layer
 * by the address.  Switches have one address each, reached over layer 0, or
 * as many as hosts if their port 0 is an enhanced one. */
#ifndef SLIMFLY_TABLES_H
#define SLIMFLY_TABLES_H

#include "slimfly/fabric.h"
#include "slimfly/layers.h"
#include "slimfly/lids.h"

#include <stdio.h>

#pragma GCC visibility push(default)

#define SF_NO_PORT 255 /* No path: what OpenSM writes too. */

struct sf_tables {
    uint32_t n_switches;
    uint32_t max_lid;
    uint8_t *ports;    /* [n_switches * (max_lid + 1)] Out port by LID; 0 is
                        * the switch itself. */
    uint32_t *targets; /* [max_lid + 1] The node with that LID, or SF_NONE. */
};

/* The out ports of switch 's', by LID. */
static inline uint8_t *
sf_tables_of(const struct sf_tables *tables, uint32_t s)
{
    return tables->ports + (size_t)s * (tables->max_lid + 1);
}

/* Gives every switch and every host port of 'fabric' a LID, host ports with
 * 'lmc'.  Those of 'previous', if nonnull, are kept for the nodes that were
 * there (by GUID).  SF_ELIMIT says how many layers would fit. */
enum sf_status sf_fabric_assign_lids(struct sf_fabric *fabric, uint32_t lmc,
                                     const struct sf_fabric *previous,
                                     struct sf_error *err);

/* Turns layers into tables.  'fabric' has LIDs; 'graph' and 'link_ports' are
 * those of sf_fabric_graph(); 'variants' are layers for it, of which host j of
 * a switch uses number j modulo 'n_variants' (1: all hosts of a switch share
 * its paths).  With fewer layers than addresses the layers start again. */
enum sf_status sf_tables_build(const struct sf_fabric *fabric,
                               const struct sf_graph *graph,
                               const uint32_t *link_ports,
                               struct sf_layers *const *variants,
                               uint32_t n_variants, struct sf_tables **tablesp,
                               struct sf_error *err);
void sf_tables_free(struct sf_tables *tables);

/* Writes the tables as OpenSM dumps them (opensm-lfts.dump); its 'file'
 * engine loads that. */
enum sf_status sf_tables_write(const struct sf_tables *tables,
                               const struct sf_fabric *fabric, FILE *stream,
                               struct sf_error *err);

/* Reads such a dump from 'path'; its switches are found in 'fabric' by GUID.
 * What ibroute prints is read as well. */
enum sf_status sf_tables_read(const char *path, const struct sf_fabric *fabric,
                              struct sf_tables **tablesp,
                              struct sf_error *err);
enum sf_status sf_tables_parse(char *text, size_t length, const char *path,
                               const struct sf_fabric *fabric,
                               struct sf_tables **tablesp,
                               struct sf_error *err);

/* The layers that 'tables' of 'fabric' amount to, the other way round than
 * sf_tables_build(): the addresses of a host stand for layers; there are as
 * many variants as the switch of most hosts has hosts, or one if the hosts of
 * each switch share its paths.  Entries that lead nowhere are SF_NO_HOP, and
 * paths may go round in circles: nothing is checked but that LIDs and switches
 * are those of the tables (SF_EINVAL).  The caller frees '*variantsp' with
 * sf_layers_free_variants(). */
enum sf_status sf_layers_from_tables(const struct sf_fabric *fabric,
                                     const struct sf_graph *graph,
                                     const uint32_t *link_ports,
                                     const struct sf_tables *tables,
                                     struct sf_layers ***variantsp,
                                     uint32_t *n_variantsp,
                                     struct sf_error *err);
void sf_layers_free_variants(struct sf_layers **variants, uint32_t n_variants);

/* Writes which LIDs each port has, as OpenSM keeps it in its cache folder
 * (guid2lid): with that file there, it gives the same again. */
void sf_guid2lid_write(const struct sf_fabric *fabric, FILE *stream);

/* What a repair did. */
struct sf_repair {
    uint64_t n_entries; /* Of switches and LIDs that were there before. */
    uint64_t n_changed; /* Of these, entries that are different now. */
};

/* Mends 'previous', tables of another state of the fabric whose switches are
 * 'previous_fabric', for 'fabric' as it is now: entries change only where a
 * path does not lead to its destination any more, is longer than 'usual_hops'
 * and than the shortest from the farthest switch, does not obey 'turns'
 * (unless NULL) or, in an address of
 * the first of 'n_layers', is longer than it need be.  The result is
 * loop-free.  SF_ELANES if the turns do not allow that. */
enum sf_status sf_tables_repair(
    const struct sf_tables *previous, const struct sf_fabric *previous_fabric,
    const struct sf_fabric *fabric, const struct sf_graph *graph,
    const uint32_t *link_ports, uint32_t n_layers, uint32_t max_hops,
    const struct sf_turns *turns, struct sf_tables **tablesp,
    struct sf_repair *repair, struct sf_error *err);

/* Counts entries that differ, of switches and LIDs that both know. */
enum sf_status sf_tables_compare(const struct sf_tables *previous,
                                 const struct sf_fabric *previous_fabric,
                                 const struct sf_tables *tables,
                                 const struct sf_fabric *fabric,
                                 struct sf_repair *repair,
                                 struct sf_error *err);

#pragma GCC visibility pop
#endif
