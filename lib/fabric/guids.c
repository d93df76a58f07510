/* guids.c -- see guids.h. */
#include "fabric/guids.h"

bool
sf_fabric_sort_guids(const struct sf_fabric *fabric, uint32_t n,
                     struct sf_ids *ids)
{
    bool made = sf_ids_make(ids, n);

    for (uint32_t i = 0; made && i < n; i++) {
        sf_ids_add(ids, fabric->nodes[i].guid, i);
    }
    if (made) {
        sf_ids_sort(ids);
    }
    return made;
}
