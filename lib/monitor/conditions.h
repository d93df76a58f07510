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

/* What the subnet manager tells of drained cables. */
struct sf_drained_cables {
    const struct sf_plan *plan;
    bool is_known; /* It was told before, at an earlier look; */
    bool is_safe;  /* those can be unplugged */
    bool *now;     /* [n_cables] that are drained, */
    bool *freed;   /* [n_cables] and that is noted of these. */
};

/* The subnet manager; 'failure', if nonnull, says why its status cannot be
 * read.  That a cable is drained is a condition; that it can be unplugged is a
 * note. */
void sf_conditions_of_manager(const struct sf_manager_health *health,
                              const char *failure,
                              struct sf_drained_cables *drained, int64_t time,
                              struct sf_timeline *timeline);

/* Which traps of the subnet manager were noted; all zeros to begin with. */
struct sf_noted_traps {
    bool is_known;  /* What follows is of an earlier look */
    char host[256]; /* at this manager. */
    uint32_t pid;
    uint64_t n_seen;
    uint32_t n;
    struct sf_manager_trap traps[SF_MANAGER_MAX_TRAPS];
};

/* Makes notes of the traps that 'manager' has got since the look before, each
 * as often as it came.  At the first look, all are old. */
void sf_conditions_note_traps(const struct sf_manager *manager,
                              const struct sf_plan *plan, int64_t time,
                              struct sf_noted_traps *noted,
                              struct sf_timeline *timeline);

/* The monitor itself: why the last discovery and the last reading of counters
 * failed and why events cannot be written; NULL: they did not. */
struct sf_service_health {
    const char *discovery, *counters, *events;
};
void sf_conditions_of_service(const struct sf_service_health *health,
                              int64_t time, struct sf_timeline *timeline);

#endif
