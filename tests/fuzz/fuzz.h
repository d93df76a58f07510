/* fuzz.h -- what the targets for tables share. */
#ifndef FUZZ_H
#define FUZZ_H

#include "slimfly/lids.h"
#include "slimfly/tables.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A small fabric with LIDs, the same one every time. */
static inline struct sf_fabric *
fuzz_fabric(void)
{
    static struct sf_fabric *fabric;
    struct sf_topology *topo;

    if (fabric) {
        return fabric;
    }
    if (sf_topology_build("sf:q=3", &topo, NULL) != SF_OK ||
        sf_fabric_from_topology(topo, NULL, &fabric, NULL) != SF_OK ||
        sf_fabric_assign_lids(fabric, 1, NULL, NULL) != SF_OK) {
        abort();
    }
    sf_topology_free(topo);
    return fabric;
}

/* A copy of the bytes that a parser may write into. */
static inline char *
fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

#endif
