/* plural.h -- numbers of things in messages. */
#ifndef SF_BASE_PLURAL_H
#define SF_BASE_PLURAL_H

#include <stdint.h>

/* The word for 'n' things: sf_plural(n, "switch", "switches"). */
static inline const char *
sf_plural(uint64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

#endif
