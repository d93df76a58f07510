/* channels.c -- see channels.h. */
#include "sim/recorded/channels.h"

#include "base/hash.h"

static uint64_t
hash_key(const struct sf_channel_key *key)
{
    uint64_t hash = sf_hash_bytes(SF_HASH_START, &key->comm, sizeof key->comm);

    hash = sf_hash_bytes(hash, &key->tag, sizeof key->tag);
    hash = sf_hash_bytes(hash, &key->from, sizeof key->from);
    return sf_hash_bytes(hash, &key->to, sizeof key->to);
}

/* The place of 'key', or the free one where it belongs. */
static struct sf_channel *
find_place(const struct sf_channels *channels,
           const struct sf_channel_key *key)
{
    size_t mask = channels->n_places - 1;
    size_t i = (size_t)hash_key(key) & mask;

    for (;; i = (i + 1) & mask) {
        struct sf_channel *place = &channels->places[i];
        const struct sf_channel_key *other = &place->key;
        if (!place->is_used ||
            (other->comm == key->comm && other->tag == key->tag &&
             other->from == key->from && other->to == key->to)) {
            return place;
        }
    }
}

/* Doubles the table. */
static bool
grow(struct sf_channels *channels)
{
    size_t n_places = channels->n_places ? 2 * channels->n_places : 64;
    struct sf_channels larger = { sf_calloc(n_places, sizeof *larger.places),
                                  n_places, channels->n };

    if (!larger.places) {
        return false;
    }
    for (size_t i = 0; i < channels->n_places; i++) {
        const struct sf_channel *channel = &channels->places[i];
        if (channel->is_used) {
            *find_place(&larger, &channel->key) = *channel;
        }
    }
    free(channels->places);
    *channels = larger;
    return true;
}

struct sf_channel *
sf_channels_get(struct sf_channels *channels, const struct sf_channel_key *key)
{
    if (2 * ((size_t)channels->n + 1) > channels->n_places &&
        !grow(channels)) {
        return NULL;
    }
    struct sf_channel *channel = find_place(channels, key);
    if (!channel->is_used) {
        *channel = (struct sf_channel){ .key = *key,
                                        .number = channels->n++,
                                        .is_used = true };
    }
    return channel;
}

void
sf_channels_clear(struct sf_channels *channels)
{
    free(channels->places);
    *channels = (struct sf_channels){ 0 };
}
