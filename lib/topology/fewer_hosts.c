/* fewer_hosts.c -- which hosts stay where a network has fewer than it could
 * have. */
#include "slimfly/topology.h"

#include <string.h>

static uint32_t
count_hosting(uint32_t n_switches, const uint32_t *n_kept)
{
    uint32_t n = 0;

    for (uint32_t s = 0; s < n_switches; s++) {
        n += n_kept[s] > 0;
    }
    return n;
}

/* Leaves out the last host of 'n_out' of the 'n_hosting' switches that have
 * any: those in the middle of as many equal parts of all of them. */
static void
thin_out(uint32_t n_switches, uint32_t n_hosting, uint32_t n_out,
         uint32_t *n_kept)
{
    uint32_t n_seen = 0, n_done = 0;

    for (uint32_t s = 0; s < n_switches && n_done < n_out; s++) {
        if (n_kept[s] == 0) {
            continue;
        }
        if ((2 * (uint64_t)n_done + 1) * n_hosting / (2 * (uint64_t)n_out) ==
            n_seen) {
            n_kept[s]--;
            n_done++;
        }
        n_seen++;
    }
}

void
sf_topology_keep_hosts(const struct sf_topology *topo, uint32_t n_hosts,
                       uint32_t *n_kept)
{
    uint32_t n = topo->graph->n_nodes;
    uint32_t n_out = topo->n_endpoints - n_hosts;

    if (n_kept != topo->n_hosts) {
        memcpy(n_kept, topo->n_hosts, n * sizeof *n_kept);
    }
    while (n_out > 0) {
        uint32_t n_hosting = count_hosting(n, n_kept);
        uint32_t n_now = n_out < n_hosting ? n_out : n_hosting;
        thin_out(n, n_hosting, n_now, n_kept);
        n_out -= n_now;
    }
}
