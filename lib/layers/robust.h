/* robust.h -- layers of which one dead link does not hit all. */
#ifndef SF_LAYERS_ROBUST_H
#define SF_LAYERS_ROBUST_H

#include "layers/layer_scheme.h"

/* Pairs with longer paths are left as they are. */
#define SF_ROBUST_HOPS 16

/* What a host of one switch and a host of another lack: nothing if two layers
 * share no link, in both directions; something if no link is in
 * all layers but any two share one; most if one link is in all layers. */
enum {
    SF_LACKS_NOTHING = 0,
    SF_LACKS_PAIR = 1,
    SF_LACKS_ALL = 1 << 16, /* More than all others of a branch together. */
};

/* What hosts of switch 's', of all path sets up to that of 'job', and hosts of
 * switch 'd' of this one lack, added up. */
uint32_t sf_robust_lack(const struct sf_layer_job *job, uint32_t s,
                        uint32_t d);

/* Counts the pairs of switches, by path sets, of which one link is in all
 * layers; 'sets' [n_sets] are complete. */
uint64_t sf_robust_count(const struct sf_network *network,
                         struct sf_layers *const *sets, uint32_t n_sets);

/* Changes job->layers, which are complete, above layer 0 for that: each pair
 * of switches gets two layers whose paths there and back share no link, as far
 * as such paths are found within the limits of hops and under the turns.
 * 'weights' [V] are those by which 'loads' [2E] were counted, which are kept
 * true.  All that schemes promise is kept, too. */
enum sf_status sf_layers_make_robust(const struct sf_layer_job *job,
                                     const uint32_t *weights, uint64_t *loads,
                                     struct sf_error *err);

#endif
