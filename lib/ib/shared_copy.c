#define _GNU_SOURCE
#include "ib/shared_copy.h"

#include <string.h>
#include <sys/mman.h>

void *
sf_share(struct sf_shared_copy *copy, void *own, size_t size)
{
    void *map = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) {
        return NULL;
    }
    *copy = (struct sf_shared_copy){ own, map, size };
    return memcpy(map, own, size);
}

void
sf_unshare(struct sf_shared_copy *copy, bool is_wanted)
{
    if (copy->shared) {
        if (is_wanted) {
            memcpy(copy->own, copy->shared, copy->size);
        }
        munmap(copy->shared, copy->size ? copy->size : 1);
        copy->shared = NULL;
    }
}
