/* ids.h -- finding things by their 64-bit identity, such as nodes by GUID. */
#ifndef SF_BASE_IDS_H
#define SF_BASE_IDS_H

#include <stdbool.h>
#include <stdint.h>

struct sf_id {
    uint64_t id;
    uint32_t number; /* Of what has it. */
};

struct sf_ids {
    uint32_t n, capacity;
    struct sf_id *items;
};

/* Makes room for 'capacity' identities; false if memory runs out. */
bool sf_ids_make(struct sf_ids *ids, uint32_t capacity);
void sf_ids_clear(struct sf_ids *ids);

/* Adds one, for which there must be room; sorts all, which must come before
 * sf_ids_find(). */
void sf_ids_add(struct sf_ids *ids, uint64_t id, uint32_t number);
void sf_ids_sort(struct sf_ids *ids);

/* The number of what has 'id', or SF_NONE. */
uint32_t sf_ids_find(const struct sf_ids *ids, uint64_t id);

#endif
