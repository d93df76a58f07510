/* timeline_oracle.h -- what events a condition makes, from the whole history
 * of its observations, by the words of lib/monitor/timeline.h. */
#ifndef SF_ORACLE_TIMELINE_H
#define SF_ORACLE_TIMELINE_H

#include "monitor/timeline.h"

struct oracle_event {
    uint32_t observation; /* In which it is told. */
    enum sf_event_type type;
    uint32_t count;
};

/* Fills 'events' with what a condition makes that was seen in observation 'i'
 * if is_seen[i], at times[i]; returns their number, at most 2n. */
uint32_t oracle_condition(const bool *is_seen, const int64_t *times,
                          uint32_t n, uint32_t open_after,
                          uint32_t close_after, uint32_t flap_n,
                          int64_t flap_window, struct oracle_event *events);

#endif
