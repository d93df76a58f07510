/* placement.h -- hosts for jobs, from a file of their names.  The other
 * placements, and the call for all of them, are in workload.h. */
#ifndef SF_SIM_PLACEMENT_H
#define SF_SIM_PLACEMENT_H

#include "slimfly/network.h"

#include <stddef.h>

/* As sf_placement_take() with "file:PATH", for the 'length' bytes of 'text',
 * which are changed, and after which there is room for one more. */
enum sf_status sf_placement_parse(char *text, size_t length, const char *path,
                                  const struct sf_network *network,
                                  uint32_t n_hosts, bool *is_taken,
                                  uint32_t *hosts, struct sf_error *err);

#endif
