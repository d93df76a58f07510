/* mem.h -- memory for arrays, growable arrays, and allocation failure on
 * demand.  Everything is released with free(). */
#ifndef SF_BASE_MEM_H
#define SF_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Like calloc() and reallocarray(), except that sf_mem_fail_at() applies and
 * that zero items give a pointer too, so that NULL always means failure. */
void *sf_calloc(size_t n_items, size_t item_size);
void *sf_realloc(void *items, size_t n_items, size_t item_size);
char *sf_strdup(const char *text);

/* Makes the 'nth' allocation from now on fail (1 is the next one); 0 turns it
 * off.  For tests, which fail each allocation of a job in turn. */
void sf_mem_fail_at(unsigned long nth);

/* A growable array of 'type': SF_VEC(uint32_t) numbers = { 0 }; push to it
 * with sf_vec_push(), release it with free(numbers.items). */
#define SF_VEC(type)        \
    struct {                \
        type *items;        \
        size_t n, capacity; \
    }

/* Appends 'item'; false if out of memory, in which case nothing changed. */
#define sf_vec_push(vec, item)                              \
    (((vec)->n < (vec)->capacity ||                         \
      sf_vec_grow((void **)&(vec)->items, &(vec)->capacity, \
                  sizeof *(vec)->items))                    \
         ? ((vec)->items[(vec)->n++] = (item), true)        \
         : false)

bool sf_vec_grow(void **itemsp, size_t *capacityp, size_t item_size);

#endif
