#include "slimfly/lids.h"

#include "slimfly/graph.h"

uint64_t
sf_lids_used(uint32_t n_endpoints, uint32_t n_switches, uint32_t lmc)
{
    return ((uint64_t)n_endpoints << lmc) + n_switches;
}

uint32_t
sf_largest_lmc(uint32_t n_endpoints, uint32_t n_switches)
{
    uint32_t largest = SF_NONE;

    for (uint32_t lmc = 0; lmc <= SF_MAX_LMC; lmc++) {
        if (sf_lids_used(n_endpoints, n_switches, lmc) <= SF_MAX_LID) {
            largest = lmc;
        }
    }
    return largest;
}

uint32_t
sf_lmc_for_layers(uint32_t n_layers)
{
    uint32_t lmc = 0;
    while ((UINT32_C(1) << lmc) < n_layers) {
        lmc++;
    }
    return lmc;
}
