/* route_report.h -- what a routing is like, read off its tables: how long the
 * paths are and how evenly they share the links. */
#ifndef SLIMFLY_ROUTE_REPORT_H
#define SLIMFLY_ROUTE_REPORT_H

#include "slimfly/tables.h"

#include <stdio.h>

#pragma GCC visibility push(default)

#define SF_REPORT_MAX_HOPS 64

/* Figures over all paths from switches that carry hosts to the addresses of
 * hosts on other switches. */
struct sf_route_figures {
    uint64_t n_paths;
    uint64_t n_broken; /* Paths that do not arrive: no entry, or a loop. */
    uint64_t n_by_hops[SF_REPORT_MAX_HOPS + 1]; /* Links between switches. */
    double mean_hops;
    uint32_t most_hops;
    uint64_t min_load, max_load; /* Paths over a direction of a link. */
    double mean_load;
};

/* What was done, and its result; nothing is owned. */
struct sf_route_report {
    const char *scheme;
    uint32_t n_layers;
    uint32_t max_hops; /* The limit. */
    uint64_t seed;
    bool is_per_host;
    const struct sf_fabric *fabric;
    const struct sf_graph *graph;
    const uint32_t *link_ports; /* Of the graph's links. */
    const struct sf_tables *tables;
    const struct sf_repair *repair;        /* NULL unless repaired: entries */
    const struct sf_repair *recomputation; /* changed, and if made anew. */
    struct sf_route_figures figures;       /* By sf_route_measure(). */
};

/* Fills report->figures: follows every path through the tables.
 * O(switches * LIDs * hops). */
enum sf_status sf_route_measure(struct sf_route_report *report,
                                struct sf_error *err);

/* For people, and for programs: schema "slimfly.route". */
void sf_route_report_write_text(const struct sf_route_report *report,
                                FILE *stream);
enum sf_status sf_route_report_write_json(const struct sf_route_report *report,
                                          FILE *stream, struct sf_error *err);

/* What a route.json says of how its tables were made. */
#define SF_LANES_SIZE 40
struct sf_route_settings {
    const struct sf_layer_scheme *scheme;
    uint32_t n_layers, max_hops;
    uint64_t seed;
    bool is_per_host;
    char lanes[SF_LANES_SIZE]; /* Name of the lane scheme, "" if none is
                                * told, */
    uint32_t n_vls;            /* and VLs in use; 0 if not told. */
};

enum sf_status sf_route_settings_read(const char *path,
                                      struct sf_route_settings *settings,
                                      struct sf_error *err);

#pragma GCC visibility pop
#endif
