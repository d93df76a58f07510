/* judge.h -- what is to be said of a routing: in the log, and as warnings of
 * the status.  Knows nothing of OpenSM. */
#ifndef SF_OPENSM_JUDGE_H
#define SF_OPENSM_JUDGE_H

#include "status_file.h"

/* Adds a warning for all that is not as asked, or not safe. */
void sf_judge_result(struct sf_plugin_status *status);

/* Says in a line how the routing came out. */
#define SF_RESULT_SIZE (2 * SF_ERROR_TEXT_SIZE)
void sf_describe_result(const struct sf_plugin_status *status,
                        char text[SF_RESULT_SIZE]);

/* The same for the jobs that are routed for. */
void sf_judge_jobs(struct sf_plugin_status *status);
void sf_describe_jobs(const struct sf_plugin_jobs *jobs,
                      char text[SF_RESULT_SIZE]);

/* Says what of the list of drained links is not as it asks for. */
void sf_judge_drained(struct sf_plugin_status *status);

#endif
