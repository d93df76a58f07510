/* change_json.h -- changes of tables as JSON, for several reports. */
#ifndef SF_REPORT_CHANGE_JSON_H
#define SF_REPORT_CHANGE_JSON_H

#include "slimfly/change_report.h"

#include <jansson.h>

/* 'steps' may be NULL. */
json_t *sf_steps_to_json(const struct sf_steps *steps);

#endif
