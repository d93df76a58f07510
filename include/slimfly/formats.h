/* formats.h -- the forms in which topologies and their properties are
 * written: a const table, one file a format in lib/io/. */
#ifndef SLIMFLY_FORMATS_H
#define SLIMFLY_FORMATS_H

#include "slimfly/origin.h"
#include "slimfly/properties.h"

#include <stdio.h>

#pragma GCC visibility push(default)

/* A topology and what was measured of it. */
struct sf_measured {
    struct sf_topology *topo;
    struct sf_properties properties;
    struct sf_origin origin; /* What asked for it; empty: JSON does not say. */
};

/* A format writes either what was measured of any number of topologies, or
 * the graph of one; the other function is NULL.  Whether the bytes reached
 * 'stream' is for the caller to ask (ferror()). */
struct sf_topology_format {
    const char *name, *summary;
    enum sf_status (*write_measured)(const struct sf_measured *measured,
                                     size_t n_measured, FILE *stream,
                                     struct sf_error *err);
    enum sf_status (*write_graph)(const struct sf_topology *topo, FILE *stream,
                                  struct sf_error *err);
};

/* All formats, ended by one without a name. */
extern const struct sf_topology_format sf_topology_formats[];

/* Writes the table of families and their parameters, as text or as JSON. */
void sf_families_write_text(FILE *stream);
enum sf_status sf_families_write_json(FILE *stream, struct sf_error *err);

#pragma GCC visibility pop
#endif
