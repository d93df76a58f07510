/* route_report.h -- a routing told to people and to programs. */
#ifndef SLIMFLY_ROUTE_REPORT_H
#define SLIMFLY_ROUTE_REPORT_H

#include "slimfly/change_report.h"
#include "slimfly/ib.h"
#include "slimfly/job_routes.h"
#include "slimfly/origin.h"
#include "slimfly/robustness.h"
#include "slimfly/route_figures.h"

#include <stdio.h>

#pragma GCC visibility push(default)

/* What was done, and its result; nothing is owned. */
struct sf_route_report {
    struct sf_origin origin;
    const struct sf_routing *routing;
    const struct sf_tables *tables;        /* Of the routing. */
    const struct sf_repair *repair;        /* NULL unless repaired: entries */
    const struct sf_repair *recomputation; /* changed, and if made anew, where
                                            * that can be; else NULL. */
    const char *why_anew; /* Why no repair was possible and all was made anew;
                           * NULL if repaired. */
    const char *why_not_anew;   /* Why there is no recomputation. */
    const struct sf_jobs *jobs; /* That the routes are made for, and what came
                                 * of it; NULL if there are none. */
    const struct sf_job_routes *job_routes;
    const struct sf_mixture *mixture; /* Of the tables before, of an earlier
                                       * run or without jobs, and these; */
    const struct sf_steps *steps;     /* the steps; NULL if there were none. */
    struct sf_route_figures figures;
    const struct sf_robustness *robustness; /* NULL unless the layers are to
                                             * be robust. */
};

/* For people, and for programs: schema "slimfly.route". */
void sf_route_report_write_text(const struct sf_route_report *report,
                                FILE *stream);
enum sf_status sf_route_report_write_json(const struct sf_route_report *report,
                                          FILE *stream, struct sf_error *err);

/* What one dead link does, as lines of the text. */
void sf_robustness_write_text(const struct sf_robustness *robustness,
                              const struct sf_network *network, FILE *stream);

#pragma GCC visibility pop
#endif
