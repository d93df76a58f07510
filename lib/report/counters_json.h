/* counters_json.h -- one finding about counters as JSON, for all who write
 * some. */
#ifndef SF_REPORT_COUNTERS_JSON_H
#define SF_REPORT_COUNTERS_JSON_H

#include "slimfly/counter_findings.h"

#include <jansson.h>

/* The caller owns it; NULL if memory ran out. */
json_t *sf_counter_finding_json(const struct sf_counters_view *view,
                                const struct sf_counter_finding *finding);

#endif
