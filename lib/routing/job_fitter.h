/* job_fitter.h -- what fitting routes to jobs works on: the columns that jobs
 * use, and how they were, are and were at best. */
#ifndef SF_ROUTING_JOB_FITTER_H
#define SF_ROUTING_JOB_FITTER_H

#include "routing/job_columns.h"
#include "routing/job_demands.h"

/* Loads up to this are not above the rate of a link. */
#define SF_JOB_FULL (1 + 1e-9)

struct sf_job_fitter {
    struct sf_routing *routing;
    const struct sf_jobs *jobs;
    struct sf_job_routes_params params;
    struct sf_turns *own_turns;     /* Made for a routing without. */
    struct sf_job_demands *demands; /* [n_jobs] */
    uint32_t *job_of;               /* [hosts] SF_NONE: of no job. */
    struct sf_job_source *sources;  /* Grouped. */
    uint8_t *distances;             /* [V] for each destination of jobs. */
    uint32_t *first_near;           /* [V + 1] likewise, */
    uint32_t *near;                 /* into this. */
    struct sf_job_column *columns;  /* [n_columns] That may change. */
    uint32_t n_columns;
    uint32_t *order;           /* [n_columns] Those at hand come first, */
    uint32_t n_active;         /* so many. */
    uint16_t *original, *best; /* [n_columns * V] */
    uint16_t *whole;           /* All columns as they were, with a base. */
    double *job_most;          /* [n_jobs] The most loaded link of each. */
    double *job_limits;        /* [n_jobs] What that may be. */
    double *limits;            /* [2E] How far links may be loaded. */
    double enough;             /* No load needs to be lower than that. */
    double first;              /* The load of the most loaded link, at first */
    double least;              /* and at best, */
    double least_uniform;      /* and then that of uniform traffic, */
    double most_uniform;       /* which was this at first. */
    struct sf_job_grower grower;
    struct sf_error *err;
};

/* The highest of 'loads' [2E]. */
double sf_job_find_most(const struct sf_graph *graph, const double *loads);

/* Adds up the loads of all jobs in 'loads' [2E]. */
void sf_job_fitter_load(const struct sf_job_fitter *fitter, double *loads);

/* Fills job_most by grower.loads. */
void sf_job_fitter_measure(struct sf_job_fitter *fitter);

/* Makes none of limits[] higher than 'limit' where job number 'i' sends. */
void sf_job_fitter_lower(struct sf_job_fitter *fitter, uint32_t i,
                         double limit);

/* Makes column number 'i' as 'hops', and keeps grower.uniform true. */
void sf_job_fitter_replace(struct sf_job_fitter *fitter, uint32_t i,
                           const uint16_t *hops);

/* Keeps the columns as they are in 'kept' [n_columns * V], or puts them back
 * from there, by sf_job_fitter_replace(). */
void sf_job_fitter_keep(const struct sf_job_fitter *fitter, uint16_t *kept);
void sf_job_fitter_put_back(struct sf_job_fitter *fitter,
                            const uint16_t *kept);

/* Changes the columns for the jobs, from fitter->original on, and leaves the
 * best that it finds (job_search.c). */
void sf_job_search(struct sf_job_fitter *fitter);

/* Evens out uniform traffic over the columns that differ from
 * fitter->original; paths of jobs stay (job_level.c). */
void sf_job_level(struct sf_job_fitter *fitter);

#endif
