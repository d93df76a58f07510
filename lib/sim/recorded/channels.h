/* channels.h -- messages of one rank to another under one tag of one
 * communicator: how many there are at both ends. */
#ifndef SF_SIM_RECORDED_CHANNELS_H
#define SF_SIM_RECORDED_CHANNELS_H

#include "base/mem.h"

#include <stdint.h>

struct sf_channel_key {
    uint64_t comm;
    uint32_t tag, from, to;
};

struct sf_channel {
    struct sf_channel_key key;
    uint32_t number; /* In the order in which they were met. */
    bool is_used;
    uint64_t n_ends[2];   /* Receives and sends. */
    uint64_t n_passed[2]; /* Of these, how many a second pass has met. */
};

/* Zeros are an empty table. */
struct sf_channels {
    struct sf_channel *places; /* [n_places], a power of two, or none */
    size_t n_places;
    uint32_t n;
};

/* Finds a channel, or adds it; NULL if out of memory.  The pointer holds until
 * the next call. */
struct sf_channel *sf_channels_get(struct sf_channels *channels,
                                   const struct sf_channel_key *key);
void sf_channels_clear(struct sf_channels *channels);

#endif
