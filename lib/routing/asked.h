/* asked.h -- what a routing was asked for, to be compared later. */
#ifndef SF_ROUTING_ASKED_H
#define SF_ROUTING_ASKED_H

#include "slimfly/routing.h"

#include <stdbool.h>

/* What was asked for: specs in their canonical text, as far as these can be
 * read. */
struct sf_asked {
    struct sf_routing_params params; /* Its texts stand */
    struct sf_routing_specs specs;   /* here. */
};

/* Notes what 'params' ask for. */
void sf_asked_note(struct sf_asked *asked,
                   const struct sf_routing_params *params);

/* Whether 'params' ask for what 'asked' says.  All members count except
 * n_threads, which does not change routes, and those of the layers that the
 * routing itself sets. */
bool sf_asked_is(const struct sf_asked *asked,
                 const struct sf_routing_params *params);

#endif
