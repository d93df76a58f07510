/* sizes.h -- where a workload says how large its messages are. */
#ifndef SF_SIM_SIZES_H
#define SF_SIM_SIZES_H

#include <stdbool.h>

/* Finds the value of "size=" in the spec from 'workload' to 'end'; false if it
 * has none. */
bool sf_sim_find_size(const char *workload, const char *end,
                      const char **fromp, const char **top);

#endif
