/* shared_copy.h -- bytes that a child process fills in for its parent. */
#ifndef SF_IB_SHARED_COPY_H
#define SF_IB_SHARED_COPY_H

#include <stdbool.h>
#include <stddef.h>

struct sf_shared_copy {
    void *own, *shared; /* The same bytes: ours, and those of both. */
    size_t size;
};

/* Shares a copy of 'own'; NULL if memory runs out. */
void *sf_share(struct sf_shared_copy *copy, void *own, size_t size);

/* Ends that; the bytes are taken back if 'is_wanted'. */
void sf_unshare(struct sf_shared_copy *copy, bool is_wanted);

#endif
