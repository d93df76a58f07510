/* choices.h -- which layers and lanes a routing tries, in which order.  The
 * only place where schemes are preferred by name. */
#ifndef SF_ROUTING_CHOICES_H
#define SF_ROUTING_CHOICES_H

#include "slimfly/routing.h"

#define SF_MAX_CHOICES 8

struct sf_choice {
    const char *layers, *lanes; /* Specs. */
    bool is_a_hope; /* Seldom possible: nobody needs to know why not. */
};

/* Lists what to try for 'network', best first: layers and lanes that were
 * asked for, and where something was left open, what can keep the guarantee
 * of 'params', which is settled in '*guaranteep'; where lanes were asked for
 * that protect nothing there is none.  How many there are, at
 * least 1.  SF_EINVAL: a spec that cannot be read. */
enum sf_status sf_routing_choices(const struct sf_network *network,
                                  const struct sf_routing_params *params,
                                  struct sf_choice choices[SF_MAX_CHOICES],
                                  uint32_t *n_choicesp,
                                  enum sf_guarantee *guaranteep,
                                  struct sf_error *err);

/* Lanes for paths that 'lanes' refuse after a repair and that they would have
 * been chosen before; NULL if there are none. */
const char *sf_routing_lanes_after(const char *lanes);

#endif
