/* conditions.h -- what sources see, told to a time line. */
#ifndef SF_MONITOR_CONDITIONS_H
#define SF_MONITOR_CONDITIONS_H

#include "monitor/timeline.h"
#include "slimfly/manager.h"
#include "slimfly/verify.h"

/* One observation each, at 'time'.
 *
 * Cabling: each finding is a condition, except what another finding explains,
 * such as the cables of a switch that is missing. */
void sf_conditions_of_cabling(const struct sf_verification *verification,
                              int64_t time, struct sf_timeline *timeline);

/* The subnet manager; 'failure', if nonnull, says why its status cannot be
 * read. */
void sf_conditions_of_manager(const struct sf_manager_health *health,
                              const char *failure, int64_t time,
                              struct sf_timeline *timeline);

/* The monitor itself: why the last discovery and the last reading of counters
 * failed and why events cannot be written; NULL: they did not. */
struct sf_service_health {
    const char *discovery, *counters, *events;
};
void sf_conditions_of_service(const struct sf_service_health *health,
                              int64_t time, struct sf_timeline *timeline);

#endif
