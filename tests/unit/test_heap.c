/* test_heap.c -- a heap against a plain array of keys. */
#include "sim/heap.h"
#include "slimfly/graph.h"
#include "slimfly/random.h"
#include "test.h"

#include <math.h>

#define N_ITEMS 60

/* The item with the least key, the lowest number among equals. */
static uint32_t
first_of(const double *keys)
{
    uint32_t first = SF_NONE;

    for (uint32_t i = 0; i < N_ITEMS; i++) {
        if (keys[i] < HUGE_VAL &&
            (first == SF_NONE || keys[i] < keys[first])) {
            first = i;
        }
    }
    return first;
}

/* No item is before the one above it, and each knows its place. */
static void
check_order(const struct sf_heap *heap)
{
    for (uint32_t i = 0; i < heap->n; i++) {
        uint32_t above = heap->items[i > 0 ? (i - 1) / 2 : 0];
        CHECK(heap->keys[above] <= heap->keys[heap->items[i]]);
        CHECK_EQ(heap->places[heap->items[i]], i);
    }
}

/* Keys come, change and go; few are different, so that many are equal. */
TEST(heap_knows_the_first)
{
    struct sf_heap heap = { 0 };
    struct sf_random random;
    double keys[N_ITEMS];

    sf_random_init(&random, 1, 0);
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        keys[i] = HUGE_VAL;
    }
    CHECK_EQ(sf_heap_first(&heap), SF_NONE);
    CHECK(sf_heap_reserve(&heap, N_ITEMS / 2));
    for (uint32_t i = 0; i < 5000; i++) {
        uint32_t item = sf_random_below(&random, heap.max);
        if (sf_random_below(&random, 3) == 0) {
            sf_heap_remove(&heap, item);
            keys[item] = HUGE_VAL;
        } else {
            keys[item] = sf_random_below(&random, 40);
            sf_heap_set(&heap, item, keys[item]);
        }
        check_order(&heap);
        uint32_t first = first_of(keys);
        CHECK_EQ(sf_heap_first(&heap), first);
        CHECK(sf_heap_least(&heap) ==
              (first == SF_NONE ? HUGE_VAL : keys[first]));
        if (i == 1000) {
            CHECK(sf_heap_reserve(&heap, N_ITEMS));
        }
    }
    sf_heap_clear(&heap);
}
