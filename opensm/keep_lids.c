/* keep_lids.c -- see keep_lids.h. */
#include "keep_lids.h"

#include <opensm/osm_db_pack.h>

#include "slimfly/replace.h"

/* Hands over the LIDs of a port; whether there were some. */
static bool
hand_over(osm_opensm_t *osm, const struct sf_replacement *item)
{
    osm_db_domain_t *kept = osm->sm.lid_mgr.p_g2l;
    uint16_t first, last, own_first, own_last;

    if (!kept ||
        osm_db_guid2lid_get(kept, item->old_port_guid, &first, &last) != 0) {
        return false;
    }
    /* It has been here before: then LIDs of its own are known. */
    if (osm_db_guid2lid_get(kept, item->new_port_guid, &own_first,
                            &own_last) == 0) {
        return false;
    }
    osm_db_guid2lid_delete(kept, item->old_port_guid);
    osm_db_guid2lid_set(kept, item->new_port_guid, first, last);
    return true;
}

uint32_t
sf_keep_lids(osm_opensm_t *osm, const struct sf_fabric *base)
{
    struct sf_subnet_reading reading;
    struct sf_replacements replacements = { 0 };
    struct sf_fabric *found = NULL;
    uint32_t n = 0;

    cl_plock_acquire(&osm->lock);
    enum sf_status status = sf_subnet_read_found(osm, &found, &reading, NULL);
    cl_plock_release(&osm->lock);
    if (status == SF_OK &&
        sf_replacements_find(base, found, &replacements, NULL) == SF_OK) {
        for (uint32_t i = 0; i < replacements.n; i++) {
            n += hand_over(osm, &replacements.items[i]);
        }
    }
    sf_replacements_clear(&replacements);
    sf_fabric_free(found);
    return n;
}
