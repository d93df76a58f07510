/* advice.h -- which addresses of a host serve which traffic best.
 *
 * Hosts take the addresses that they may use in turn, so that each carries the
 * same share.  All-to-all of a whole machine wants short paths, which the
 * first address has; few pairs at a time want many paths.  How many of its
 * addresses a job should use is measured on the routes that are deployed. */
#ifndef SLIMFLY_ADVICE_H
#define SLIMFLY_ADVICE_H

#include "slimfly/jobs.h"
#include "slimfly/routes.h"

#pragma GCC visibility push(default)

/* What jobs do. */
enum sf_advice_pattern {
    SF_ADVICE_ALL_TO_ALL, /* Every host sends to every other. */
    SF_ADVICE_SMALL,      /* The same inside jobs of SF_ADVICE_SMALL_JOB hosts,
                           * placed one after the other, all at once. */
    SF_ADVICE_PAIRS,      /* Every host sends to one other, at random. */
    SF_ADVICE_SWITCHES,   /* All hosts of a switch to those of another. */
    SF_ADVICE_JOBS,       /* Jobs that are known, all at once. */
    SF_N_ADVICES
};

#define SF_ADVICE_SMALL_JOB 32
#define SF_ADVICE_MAX_STEPS 9
#define SF_ADVICE_FEW       4 /* UCX and MVAPICH2 use no more at once. */

struct sf_advice_kind {
    const char *name;    /* Of the pattern, for programs. */
    const char *file;    /* Of its environment. */
    const char *summary; /* For people: "all-to-all of the whole machine". */
};
extern const struct sf_advice_kind sf_advice_kinds[SF_N_ADVICES];

struct sf_advice_row {
    uint32_t n_addresses; /* So many should be used, from the first on; 0 if it
                           * was not measured. */
    uint32_t n_few;       /* The same of SF_ADVICE_FEW at most. */
    double speeds[SF_ADVICE_MAX_STEPS]; /* [n_steps] The part of its link's
                                         * rate that every host gets at equal
                                         * shares; mean of the draws. */
};

struct sf_advice {
    uint32_t n_steps;
    uint32_t steps[SF_ADVICE_MAX_STEPS]; /* Numbers of addresses that were
                                          * tried: 1, 2, 4, ..., all. */
    struct sf_advice_row rows[SF_N_ADVICES];
    struct sf_error reason; /* Why something was not measured. */
};

/* Measures 'routes' with the first addresses of 'n_addresses' (1 to
 * SF_MAX_LAYERS), and advises the fewest that get within 2 % of the most.
 * 'jobs' may be NULL.  What has no paths, or too few hosts, is not measured,
 * and 'reason' says why.  Same routes, same advice. */
enum sf_status sf_advice_measure(const struct sf_network *network,
                                 const struct sf_routes *routes,
                                 uint32_t n_addresses,
                                 const struct sf_jobs *jobs,
                                 struct sf_advice *advice,
                                 struct sf_error *err);

/* Advises all addresses instead, or SF_ADVICE_FEW of them where no more can be
 * used at once: routes that the plugin makes for jobs (job_routes.h) are for
 * equal shares over all, and any single address may be bad. */
void sf_advice_use_all(struct sf_advice *advice);

#pragma GCC visibility pop
#endif
