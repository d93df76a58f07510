/* fits.h -- routings for the jobs of 'slimfly simulate --for-jobs': one for
 * each routing and each choice of hosts. */
#ifndef SF_CLI_FITS_H
#define SF_CLI_FITS_H

#include "subjects.h"

struct cli_fits {
    struct cli_fit **items; /* [n] */
    uint32_t n;
};

/* Refuses networks that come with tables, which stay as they are.  Says so
 * and returns false. */
bool cli_fits_check(const struct cli_subjects *subjects);

/* 'base' fitted to the hosts of 'jobs'; the same again for the same hosts.
 * NULL, having said why, if that cannot be. */
const struct cli_subject_routing *
cli_fits_find(struct cli_fits *fits, const struct cli_subject_routing *base,
              const struct sf_sim_jobs *jobs);
void cli_fits_clear(struct cli_fits *fits);

#endif
