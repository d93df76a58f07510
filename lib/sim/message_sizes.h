/* message_sizes.h -- where a workload says how large its messages are. */
#ifndef SF_SIM_MESSAGE_SIZES_H
#define SF_SIM_MESSAGE_SIZES_H

#include <stdbool.h>

/* Where the next "+" between workloads is, or the end of 'text', which starts
 * a workload.  One before a digit belongs to a number, 1e+3; the name of a
 * file may have any. */
const char *sf_sim_find_plus(const char *text);

/* Finds the value of "size=" in the spec from 'workload' to 'end'; false if it
 * has none. */
bool sf_sim_find_size(const char *workload, const char *end,
                      const char **fromp, const char **top);

#endif
