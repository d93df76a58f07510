/* level.h -- taking routes off the links that carry too many. */
#ifndef SF_LAYERS_LEVEL_H
#define SF_LAYERS_LEVEL_H

#include "layers/layer_scheme.h"

/* Evens out job->layers, which are complete, where links carry more than
 * others.  'weights' [V] are those by which 'loads' [2E] were counted, which
 * are kept true.  All that schemes promise is kept, too. */
enum sf_status sf_layers_level(const struct sf_layer_job *job,
                               const uint32_t *weights, uint64_t *loads,
                               struct sf_error *err);

#endif
