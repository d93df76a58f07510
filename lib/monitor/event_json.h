/* event_json.h -- events and conditions as JSON (doc/formats.md). */
#ifndef SF_MONITOR_EVENT_JSON_H
#define SF_MONITOR_EVENT_JSON_H

#include "monitor/timeline.h"
#include "slimfly/plan.h"

#include <jansson.h>

/* Milliseconds since 1970 as RFC 3339 has them. */
#define SF_TIME_TEXT_SIZE 32
char *sf_time_text(int64_t time, char text[SF_TIME_TEXT_SIZE]);

/* Schema "slimfly.event"; NULL if memory ran out. */
json_t *sf_event_json(const struct sf_event *event,
                      const struct sf_plan *plan);

/* A condition that is known, for the page. */
json_t *sf_known_json(const struct sf_known *known,
                      const struct sf_plan *plan);

/* All that is known, to go on with after a restart, and back into a new time
 * line.  SF_EPARSE: 'path' holds something else. */
json_t *sf_timeline_json(const struct sf_timeline *timeline);
enum sf_status sf_timeline_parse(const char *text, size_t length,
                                 const char *path,
                                 struct sf_timeline *timeline,
                                 struct sf_error *err);

#endif
