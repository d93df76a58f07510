/* kept_traffics.h -- traffics of a comparison, made once for all rows: drawing
 * a thousand million pairs of hosts takes longer than many a measurement. */
#ifndef SF_ANALYSIS_KEPT_TRAFFICS_H
#define SF_ANALYSIS_KEPT_TRAFFICS_H

#include "slimfly/comparison.h"

#include <pthread.h>

struct sf_kept_traffics {
    const struct sf_comparison_params *params;
    struct sf_kept_traffic *kept; /* [n_traffics * n_seeds] */
    pthread_mutex_t lock;         /* Of these, and of */
    size_t n_demands;             /* those of all that are kept. */
};

/* Makes room for the traffics of 'params', which outlives '*all' and has
 * n_seeds above 0; false if memory runs out. */
bool sf_kept_traffics_begin(struct sf_kept_traffics *all,
                            const struct sf_comparison_params *params);
void sf_kept_traffics_clear(struct sf_kept_traffics *all);

/* Takes traffic number 'number' with the seed of run 'run' for hosts with the
 * path sets 'host_sets', of 'n_sets'.  Every row takes each once and gives it
 * back; before them, somebody else does so with those of the first run. */
enum sf_status
sf_kept_traffics_take(struct sf_kept_traffics *all, uint32_t number,
                      uint32_t run, const uint32_t *host_sets, uint32_t n_sets,
                      struct sf_traffic **trafficp, struct sf_error *err);
void sf_kept_traffics_give_back(struct sf_kept_traffics *all, uint32_t number,
                                uint32_t run, struct sf_traffic *traffic);

#endif
