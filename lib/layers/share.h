/* share.h -- layers made for equal shares. */
#ifndef SF_LAYERS_SHARE_H
#define SF_LAYERS_SHARE_H

#include "layers/layer_scheme.h"

/* What overlap is counted in: so many are a hop over a link of mean load. */
#define SF_SHARE_UNIT 64

/* Changes job->layers, which are complete, for senders that take all layers in
 * turn.  'overlap' is what a path pays for a link over which all others of its
 * pair go, and in proportion if some do: 0 is best for all-to-all, much is
 * best for few pairs at a time.  'weights' [V]
 * are those by which 'loads' [2E] were counted, which are kept true.  All that
 * schemes promise is kept, too. */
enum sf_status sf_layers_share(const struct sf_layer_job *job,
                               const uint32_t *weights, uint32_t overlap,
                               uint64_t *loads, struct sf_error *err);

/* The same in one round, for layers that sf_layers_make_robust() has changed:
 * no pair lacks more afterwards, and no path is longer than the usual limit
 * unless it was. */
enum sf_status sf_layers_share_robust(const struct sf_layer_job *job,
                                      const uint32_t *weights,
                                      uint32_t overlap, uint64_t *loads,
                                      struct sf_error *err);

/* What a link costs that carries 'load' where the mean is 'target': their
 * quotient to the power of 'power', 1, 2, 4, 8 or 16, in units of which a mean
 * link costs 2^14. */
uint64_t sf_share_cost(uint64_t load, uint64_t target, uint32_t power);

#endif
