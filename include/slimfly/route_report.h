/* route_report.h -- what a routing is like, read off its tables: how long the
 * paths are and how evenly they share the links. */
#ifndef SLIMFLY_ROUTE_REPORT_H
#define SLIMFLY_ROUTE_REPORT_H

#include "slimfly/routing.h"

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
    const struct sf_routing *routing;
    const struct sf_repair *repair;        /* NULL unless repaired: entries */
    const struct sf_repair *recomputation; /* changed, and if made anew, where
                                            * that can be; else NULL. */
    const char *why_anew; /* Why no repair was possible and all was made anew;
                           * NULL if repaired. */
    const char *why_not_anew;        /* Why there is no recomputation. */
    struct sf_route_figures figures; /* By sf_route_measure(). */
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

/* Reads the routing that 'slimfly route' wrote into 'folder', but for its
 * lanes: enough for a repair. */
enum sf_status sf_routing_read(const char *folder,
                               struct sf_routing **routingp,
                               struct sf_error *err);

/* Reads from the route.json at 'path' what the routing was made with; 'specs'
 * is what texts of 'params' point to. */
enum sf_status sf_routing_params_read(const char *path,
                                      struct sf_routing_params *params,
                                      struct sf_routing_specs *specs,
                                      struct sf_error *err);

#pragma GCC visibility pop
#endif
