/* documents.h -- what the web server hands out: the plan once, the state after
 * each look, the last events, and metrics.  doc/formats.md describes them. */
#ifndef SF_MONITOR_DOCUMENTS_H
#define SF_MONITOR_DOCUMENTS_H

#include "monitor/counting.h"
#include "monitor/timeline.h"
#include "slimfly/manager.h"
#include "slimfly/watch.h"

/* Conditions in the state, and events in their document, at most. */
#define SF_MAX_SHOWN        500
#define SF_MAX_SHOWN_EVENTS 500

/* How a planned cable is. */
enum sf_cable_state {
    SF_CABLE_RIGHT,
    SF_CABLE_MISSING,
    SF_CABLE_WRONG,     /* An end is in the wrong port. */
    SF_CABLE_DIFFERENT, /* Right, at another rate than planned. */
    SF_CABLE_DARK,      /* A node at its end is missing. */
    SF_CABLE_DRAINED,   /* Right, and routes avoid it. */
    SF_CABLE_UNKNOWN,   /* Nothing was discovered yet. */
    SF_N_CABLE_STATES,
};

/* All that is shown. */
struct sf_monitor_view {
    const struct sf_plan *plan;
    const struct sf_watch *watch;
    const struct sf_timeline *timeline;
    const struct sf_counting *counting; /* NULL: no counters. */
    const bool *is_drained;             /* [n_cables] */
    bool has_manager;                   /* There is a status file. */
    const char *manager_failure;        /* Why it cannot be read, or NULL. */
    const struct sf_manager *manager;
    const struct sf_manager_health *health;
    int64_t started, time;    /* Milliseconds since 1970. */
    int64_t discovered;       /* The last successful one; 0: none. */
    double discovery_seconds; /* What it took. */
    const char *failure;      /* Of the last discovery, or NULL. */
    uint64_t n_discoveries, n_failures;
    uint64_t n_events_lost; /* That could not be written. */
    uint32_t n_streams;
    uint64_t n_requests;
    double interval;
};

/* Finds how each planned cable is: 'states' [n_cables]. */
void sf_cable_states(const struct sf_watch *watch, const bool *is_drained,
                     uint8_t *states);

/* The documents; the caller frees them.  NULL if memory ran out. */
char *sf_document_plan(const struct sf_plan *plan);
char *sf_document_state(const struct sf_monitor_view *view);
char *sf_document_events(const struct sf_timeline *timeline,
                         const struct sf_plan *plan);
char *sf_document_metrics(const struct sf_monitor_view *view);

#endif
