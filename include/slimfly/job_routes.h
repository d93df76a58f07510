/* job_routes.h -- routes for the jobs that run (jobs.h), as hosts use them:
 * with equal shares over their addresses.
 *
 * Columns towards switches of jobs are grown anew such that no link gets more
 * than its share of what the jobs send.  Turns and lanes stay as they are, so
 * that only forwarding tables change.  All other columns stay, too. */
#ifndef SLIMFLY_JOB_ROUTES_H
#define SLIMFLY_JOB_ROUTES_H

#include "slimfly/jobs.h"
#include "slimfly/routing.h"

#pragma GCC visibility push(default)

/* Zeros ask for the defaults. */
struct sf_job_routes_params {
    uint64_t seed;      /* Same seed, same routes. */
    uint32_t max_hops;  /* Of a path that a job uses; 0: as was asked for
                         * the routing, else 4, or 2 more than there are
                         * between the switches of a job, if these are more
                         * than 2 apart. */
    uint32_t n_rounds;  /* Of visits to the columns in each try; 0: 24. */
    uint32_t n_tries;   /* At most, with other random numbers; 0: 9. */
    bool keeps_minimal; /* Layer 0 stays as it is. */
    const struct sf_routes *base; /* Routes of the same network under the same
                                   * turns, without jobs: columns that no job
                                   * uses become as there, and uniform traffic
                                   * is compared with theirs.  NULL: the others
                                   * stay as they are. */
};

/* What a job gets, as a fraction of the rate of a host's link, if all jobs
 * send at once at equal shares over the addresses: that of the most loaded
 * link that the job uses. */
struct sf_job_speed {
    double before, after;
};

struct sf_job_routes {
    uint32_t n_jobs;
    struct sf_job_speed *jobs;   /* [n_jobs] */
    struct sf_job_speed slowest; /* Of all jobs; 1 if there are none. */
    struct sf_job_speed uniform; /* Every host to every other, without jobs. */
    uint32_t n_columns, n_columns_changed; /* Columns of all path sets. */
    uint64_t n_entries, n_changed;         /* Next hops in these. */
};

/* Makes the routes of 'routing' serve 'jobs', of its network: the slowest job
 * first, then the next.  It is better after sf_routing_split_sets().  On
 * failure the routes stay as they were.  For a job that starts or ends, call
 * it again with all jobs that run then: it goes on from the routes that are
 * there, so that few change, and none if no job would get more.  The caller
 * calls sf_job_routes_clear() on '*result' in any case.
 *
 * SF_ELANES: the lanes are neither by turns nor a single one, so that new
 * paths could deadlock. */
enum sf_status sf_routing_fit_jobs(struct sf_routing *routing,
                                   const struct sf_jobs *jobs,
                                   const struct sf_job_routes_params *params,
                                   struct sf_job_routes *result,
                                   struct sf_error *err);
void sf_job_routes_clear(struct sf_job_routes *result);

/* Gives each host of a switch a path set of its own, with the paths that it
 * has: tables stay as they are.  Routes for jobs are better then, since the
 * hosts of a switch can be reached by different paths.  The routes without
 * jobs, 'base', need the same.  Does nothing where lanes go by paths, which
 * routes for jobs cannot use. */
enum sf_status sf_routing_split_sets(struct sf_routing *routing,
                                     struct sf_error *err);

/* Fills 'loads' [2E], by arc of the network's graph, with what 'job' sends
 * over each: every flow at equal shares over the addresses of its receiver. */
enum sf_status sf_job_loads(const struct sf_network *network,
                            const struct sf_routes *routes,
                            const struct sf_job *job, double *loads,
                            struct sf_error *err);

/* The same for all hosts that send to all others, each 1 in total. */
void sf_uniform_loads(const struct sf_network *network,
                      const struct sf_routes *routes, double *loads);

#pragma GCC visibility pop
#endif
