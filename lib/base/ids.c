/* ids.c -- see ids.h. */
#include "base/ids.h"

#include "base/mem.h"
#include "slimfly/graph.h"

bool
sf_ids_make(struct sf_ids *ids, uint32_t capacity)
{
    *ids = (struct sf_ids){ .capacity = capacity,
                            .items = sf_calloc(capacity, sizeof *ids->items) };
    return ids->items != NULL;
}

void
sf_ids_clear(struct sf_ids *ids)
{
    free(ids->items);
    *ids = (struct sf_ids){ 0 };
}

void
sf_ids_add(struct sf_ids *ids, uint64_t id, uint32_t number)
{
    ids->items[ids->n++] = (struct sf_id){ id, number };
}

static int
compare(const void *a, const void *b)
{
    uint64_t x = ((const struct sf_id *)a)->id;
    uint64_t y = ((const struct sf_id *)b)->id;
    return (x > y) - (x < y);
}

void
sf_ids_sort(struct sf_ids *ids)
{
    qsort(ids->items, ids->n, sizeof *ids->items, compare);
}

uint32_t
sf_ids_find(const struct sf_ids *ids, uint64_t id)
{
    struct sf_id wanted = { id, 0 };
    const struct sf_id *found =
        ids->n ? bsearch(&wanted, ids->items, ids->n, sizeof wanted, compare)
               : NULL;
    return found ? found->number : SF_NONE;
}
