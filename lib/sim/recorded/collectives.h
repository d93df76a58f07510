/* collectives.h -- what one rank sends and receives in a collective, round by
 * round.  This is the one place that decides by which algorithm that is. */
#ifndef SF_SIM_RECORDED_COLLECTIVES_H
#define SF_SIM_RECORDED_COLLECTIVES_H

#include "sim/recorded/format.h"

#include <stdbool.h>
#include <stdint.h>

struct sf_collective {
    enum sf_collective_kind kind;
    uint32_t me, n, root;  /* Ranks of the communicator. */
    const uint64_t *bytes; /* As the kind has them. */
};

/* Takes messages.  Those of a round start when all of the round before are
 * over.  Ranks that send to each other do so in the same order, so the k-th
 * send of one to another is what the k-th receive there gets. */
struct sf_collective_sink {
    bool (*message)(void *aux, bool is_send, uint32_t peer, uint64_t bytes);
    bool (*end_round)(void *aux);
    void *aux;
};

/* Tells 'sink' what rank 'me' does; false if it failed. */
bool sf_collective_expand(const struct sf_collective *call,
                          const struct sf_collective_sink *sink);

#endif
