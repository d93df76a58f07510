#include "sim/heap.h"

#include "base/mem.h"
#include "slimfly/graph.h"

#include <math.h>

bool
sf_heap_reserve(struct sf_heap *heap, uint32_t max)
{
    if (max <= heap->max) {
        return true;
    }
    uint32_t *items = sf_realloc(heap->items, max, sizeof *items);
    if (items) {
        heap->items = items;
    }
    uint32_t *places = sf_realloc(heap->places, max, sizeof *places);
    if (places) {
        heap->places = places;
    }
    double *keys = sf_realloc(heap->keys, max, sizeof *keys);
    if (keys) {
        heap->keys = keys;
    }
    if (!items || !places || !keys) {
        return false;
    }
    for (uint32_t i = heap->max; i < max; i++) {
        places[i] = SF_NONE;
    }
    heap->max = max;
    return true;
}

static bool
is_before(const struct sf_heap *heap, uint32_t a, uint32_t b)
{
    double x = heap->keys[a], y = heap->keys[b];

    return x < y || (x == y && a < b);
}

static void
put(struct sf_heap *heap, uint32_t place, uint32_t item)
{
    heap->items[place] = item;
    heap->places[item] = place;
}

/* Finds the place of 'item' at 'place' or nearer to the root. */
static void
move_up(struct sf_heap *heap, uint32_t place, uint32_t item)
{
    while (place > 0) {
        uint32_t parent = heap->items[(place - 1) / 2];
        if (!is_before(heap, item, parent)) {
            break;
        }
        put(heap, place, parent);
        place = (place - 1) / 2;
    }
    put(heap, place, item);
}

/* Finds the place of 'item' at 'place' or farther from the root. */
static void
move_down(struct sf_heap *heap, uint32_t place, uint32_t item)
{
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= heap->n) {
            break;
        }
        if (child + 1 < heap->n &&
            is_before(heap, heap->items[child + 1], heap->items[child])) {
            child++;
        }
        if (!is_before(heap, heap->items[child], item)) {
            break;
        }
        put(heap, place, heap->items[child]);
        place = child;
    }
    put(heap, place, item);
}

void
sf_heap_set(struct sf_heap *heap, uint32_t item, double key)
{
    bool is_in = heap->places[item] != SF_NONE;
    bool falls = !is_in || key < heap->keys[item];

    heap->keys[item] = key;
    if (falls) {
        move_up(heap, is_in ? heap->places[item] : heap->n++, item);
    } else {
        move_down(heap, heap->places[item], item);
    }
}

void
sf_heap_remove(struct sf_heap *heap, uint32_t item)
{
    uint32_t place = heap->places[item];

    if (place == SF_NONE) {
        return;
    }
    heap->places[item] = SF_NONE;
    uint32_t last = heap->items[--heap->n];
    if (last != item) {
        move_up(heap, place, last);
        move_down(heap, heap->places[last], last);
    }
}

uint32_t
sf_heap_first(const struct sf_heap *heap)
{
    return heap->n ? heap->items[0] : SF_NONE;
}

double
sf_heap_least(const struct sf_heap *heap)
{
    return heap->n ? heap->keys[heap->items[0]] : HUGE_VAL;
}

void
sf_heap_clear(struct sf_heap *heap)
{
    free(heap->items);
    free(heap->places);
    free(heap->keys);
    *heap = (struct sf_heap){ 0 };
}
