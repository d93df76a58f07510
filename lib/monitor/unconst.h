/* unconst.h -- a pointer without its const, for who owns what it points to,
 * and for libraries that only read. */
#ifndef SF_MONITOR_UNCONST_H
#define SF_MONITOR_UNCONST_H

#include <string.h>

static inline void *
sf_unconst(const void *pointer)
{
    void *other;
    memcpy(&other, &pointer, sizeof other);
    return other;
}

#endif
