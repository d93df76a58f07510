/* topology_writers.h -- the writers in the table of topology formats. */
#ifndef SF_IO_TOPOLOGY_WRITERS_H
#define SF_IO_TOPOLOGY_WRITERS_H

#include "slimfly/formats.h"

enum sf_status sf_write_text(const struct sf_measured *measured,
                             size_t n_measured, FILE *stream,
                             struct sf_error *err);
enum sf_status sf_write_json(const struct sf_measured *measured,
                             size_t n_measured, FILE *stream,
                             struct sf_error *err);
enum sf_status sf_write_csv(const struct sf_measured *measured,
                            size_t n_measured, FILE *stream,
                            struct sf_error *err);
enum sf_status sf_write_dot(const struct sf_topology *topo, FILE *stream,
                            struct sf_error *err);
enum sf_status sf_write_graphml(const struct sf_topology *topo, FILE *stream,
                                struct sf_error *err);
enum sf_status sf_write_nodelink(const struct sf_topology *topo, FILE *stream,
                                 struct sf_error *err);
enum sf_status sf_write_booksim(const struct sf_topology *topo, FILE *stream,
                                struct sf_error *err);
enum sf_status sf_write_svg(const struct sf_topology *topo, FILE *stream,
                            struct sf_error *err);

#endif
