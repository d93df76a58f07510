/* heap.h -- numbered items by their keys: the least is at hand, and any item
 * can get another key or leave.  Among equal keys the lowest number is first,
 * so that the order is the same everywhere. */
#ifndef SF_SIM_HEAP_H
#define SF_SIM_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* A binary heap; zeros are an empty one without room. */
struct sf_heap {
    uint32_t n;       /* Items that are in. */
    uint32_t max;     /* Items are 0..max-1. */
    uint32_t *items;  /* [max] The heap; the first 'n' count. */
    uint32_t *places; /* [max] Of each item in 'items'; SF_NONE: not in. */
    double *keys;     /* [max] */
};

/* Makes room for items below 'max'; those that are in stay.  False if out of
 * memory. */
bool sf_heap_reserve(struct sf_heap *heap, uint32_t max);

/* Puts 'item' in, or moves it, with 'key'.  O(log n). */
void sf_heap_set(struct sf_heap *heap, uint32_t item, double key);

/* Takes 'item' out if it is in.  O(log n). */
void sf_heap_remove(struct sf_heap *heap, uint32_t item);

/* The item with the least key; SF_NONE if there is none. */
uint32_t sf_heap_first(const struct sf_heap *heap);

/* The least key; HUGE_VAL if there is none. */
double sf_heap_least(const struct sf_heap *heap);

void sf_heap_clear(struct sf_heap *heap);

#endif
