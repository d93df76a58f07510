#define _GNU_SOURCE
#include "base/mem.h"

#include <stdint.h>
#include <string.h>

static unsigned long fail_countdown;

void
sf_mem_fail_at(unsigned long nth)
{
    fail_countdown = nth;
}

static bool
fails_now(void)
{
    return fail_countdown > 0 && --fail_countdown == 0;
}

void *
sf_calloc(size_t n_items, size_t item_size)
{
    if (fails_now()) {
        return NULL;
    }
    return calloc(n_items ? n_items : 1, item_size ? item_size : 1);
}

void *
sf_realloc(void *items, size_t n_items, size_t item_size)
{
    if (fails_now()) {
        return NULL;
    }
    return reallocarray(items, n_items ? n_items : 1,
                        item_size ? item_size : 1);
}

char *
sf_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = sf_calloc(size, 1);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}

bool
sf_vec_grow(void **itemsp, size_t *capacityp, size_t item_size)
{
    size_t capacity = *capacityp ? 2 * *capacityp : 16;
    void *items = sf_realloc(*itemsp, capacity, item_size);
    if (!items) {
        return false;
    }
    *itemsp = items;
    *capacityp = capacity;
    return true;
}
