/* families.c -- the table of families.  A new one is declared and listed
 * here, and nowhere else. */
#include "slimfly/topology.h"

extern const struct sf_family sf_family_slimfly, sf_family_ft2, sf_family_ft2b,
    sf_family_ft3, sf_family_hyperx, sf_family_dragonfly, sf_family_xpander,
    sf_family_jellyfish, sf_family_polarfly, sf_family_edges;

const struct sf_family *const sf_families[] = {
    &sf_family_slimfly,
    &sf_family_ft2,
    &sf_family_ft2b,
    &sf_family_ft3,
    &sf_family_hyperx,
    &sf_family_dragonfly,
    &sf_family_xpander,
    &sf_family_jellyfish,
    &sf_family_polarfly,
    &sf_family_edges,
    NULL,
};
