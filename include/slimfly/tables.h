/* tables.h -- linear forwarding tables: what the switches hold.
 *
 * Every host port has 2^LMC addresses (LIDs), base + 0, base + 1, ...; the
 * address base + l is reached over layer l, so that a sender chooses the layer
 * by the address.  Switches have one address each, reached over layer 0, or
 * as many as hosts if their port 0 is an enhanced one. */
#ifndef SLIMFLY_TABLES_H
#define SLIMFLY_TABLES_H

#include "slimfly/fabric.h"

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

/* Writes which LIDs each port has, as OpenSM keeps it in its cache folder
 * (guid2lid): with that file there, it gives the same again. */
void sf_guid2lid_write(const struct sf_fabric *fabric, FILE *stream);

/* How tables differ from earlier ones. */
struct sf_repair {
    uint64_t n_entries; /* Of switches and LIDs that were there before. */
    uint64_t n_changed; /* Of these, entries that are different now. */
};

/* Counts entries that differ, of switches and LIDs that both know. */
enum sf_status sf_tables_compare(const struct sf_tables *previous,
                                 const struct sf_fabric *previous_fabric,
                                 const struct sf_tables *tables,
                                 const struct sf_fabric *fabric,
                                 struct sf_repair *repair,
                                 struct sf_error *err);

/* Tables of the fabric 'from' as tables of 'to', another state of it: switches
 * are the same by GUID, ports by number.  A switch that 'from' does not have
 * has no entries. */
enum sf_status sf_tables_carry(const struct sf_tables *tables,
                               const struct sf_fabric *from,
                               const struct sf_fabric *to,
                               struct sf_tables **carriedp,
                               struct sf_error *err);

#pragma GCC visibility pop
#endif
