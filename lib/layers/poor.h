/* poor.h -- another path for pairs that have too few. */
#ifndef SF_LAYERS_POOR_H
#define SF_LAYERS_POOR_H

#include "layers/layer_scheme.h"

/* Gives pairs of switches more than a hop apart, where layers leave them fewer
 * separate paths than is enough, another one.  Layers are complete; 'weights'
 * and 'loads' are those of sf_layers_level(), and kept true. */
enum sf_status sf_layers_help_poor(const struct sf_layer_job *job,
                                   const uint32_t *weights, uint64_t *loads,
                                   struct sf_error *err);

#endif
