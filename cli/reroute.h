/* reroute.h -- routes a fabric, or repairs the routing of an earlier run. */
#ifndef SF_CLI_REROUTE_H
#define SF_CLI_REROUTE_H

#include "cli.h"

/* What is routed, and with what. */
struct cli_routing {
    struct sf_routing_params params;
    struct sf_fabric *fabric;
    struct sf_network *network;        /* Of the fabric with its LIDs. */
    struct sf_routing *previous;       /* NULL unless it is to be repaired, */
    struct sf_tables *previous_tables; /* and what it was encoded as. */
    struct sf_routing *routing;
    struct sf_routing *anew; /* What was made anew, if not that; or NULL. */
    bool repairs_only;       /* Make nothing anew if a repair is possible. */
    struct sf_ib_tables *tables;
    double seconds;     /* For the routing. */
    char why_anew[640]; /* Why a repair was not possible, or "", */
    char why_not[SF_ERROR_TEXT_SIZE]; /* and why it could not be made anew. */
    uint32_t n_lids_lost; /* LIDs that the fabric had and has not now. */
    struct sf_repair repair, recomputation;
    const char *drained_path;   /* Of a list of drained links, or NULL; */
    struct sf_drained drained;  /* these, */
    struct sf_fabric *left;     /* and the fabric without; NULL if none. */
    bool wants_diff;            /* Compare in full with what there was: */
    struct sf_table_diff *diff; /* this; NULL if nothing was. */
    const char *jobs_path;      /* Of a file of jobs to fit, or NULL; */
    struct sf_jobs *jobs;       /* these, */
    struct sf_job_routes_params job_params;
    struct sf_job_routes job_routes; /* what came of it, */
    double job_seconds;              /* and how long it took. */
    struct sf_ib_tables *before;     /* What tables change from, or NULL, */
    const struct sf_fabric *before_fabric; /* of this fabric, */
    struct sf_mixture *mixture;            /* and how: */
    struct sf_steps *steps;
    struct sf_robustness robustness;
    struct sf_route_report report;
};

/* Routes job->fabric by job->params, or, if 'previous' is not NULL, repairs
 * the routing of that folder; fills in the rest.  The caller calls
 * cli_routing_clear() in any case, which frees the fabric too. */
enum sf_status cli_route(struct cli_routing *job, const char *previous,
                         struct sf_error *err);
void cli_routing_clear(struct cli_routing *job);

#endif
