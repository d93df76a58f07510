/* hash.h -- a short name for many bytes (FNV-1a).  Collisions by chance do not
 * happen; by intent they are easy. */
#ifndef SF_BASE_HASH_H
#define SF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SF_HASH_START UINT64_C(0xcbf29ce484222325)

/* Goes on from 'hash' with 'n' bytes.  Structs may have holes: take them
 * member by member. */
static inline uint64_t
sf_hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

#endif
