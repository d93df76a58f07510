/* claims.h -- several processes that share out pieces of work. */
#ifndef SLIMFLY_CLAIMS_H
#define SLIMFLY_CLAIMS_H

#include <stdbool.h>

/* Who has which piece of work.  A piece is known by a line of text, the same
 * in all processes.  What a process has claimed is free again when the process
 * ends, however it ends.  May be called by several threads at once. */
struct sf_claims {
    /* Claims a piece; false if another process has it.  With 'may_wait', waits
     * until it is free, so that the answer is true. */
    bool (*claim)(void *aux, const char *piece, bool may_wait);
    void (*release)(void *aux, const char *piece);
    void *aux;
};

#endif
