#include "ib/direct_paths.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>

uint32_t
sf_direct_paths_self(const struct sf_fabric *fabric, uint64_t guid)
{
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        if (fabric->nodes[i].guid == guid) {
            return i;
        }
    }
    fprintf(stderr,
            "this machine, 0x%016" PRIx64 ", is not part of the fabric\n",
            guid);
    return SF_NONE;
}

bool
sf_direct_path_extend(ib_dr_path_t *path, uint32_t number)
{
    if (path->cnt + 1 >= IB_SUBNET_PATH_HOPS_MAX) {
        return false;
    }
    path->p[++path->cnt] = (uint8_t)number;
    return true;
}

/* The switch from which the search starts, with the way to it; SF_NONE if
 * there is none. */
static uint32_t
find_start(const struct sf_fabric *fabric, uint32_t self, uint8_t self_port,
           ib_dr_path_t *paths)
{
    if (self < fabric->n_switches) {
        return self;
    }
    uint32_t port = sf_fabric_port(fabric, self, self_port);
    uint32_t peer = port == SF_NONE ? SF_NONE : fabric->ports[port].peer;
    uint32_t start = peer == SF_NONE ? SF_NONE : fabric->ports[peer].node;
    if (start >= fabric->n_switches) {
        return SF_NONE;
    }
    sf_direct_path_extend(&paths[start], self_port);
    return start;
}

bool
sf_direct_paths_find(const struct sf_fabric *fabric, uint32_t self,
                     uint8_t self_port, ib_dr_path_t *paths, bool *is_found)
{
    uint32_t n = fabric->n_switches, n_queued = 0;
    uint32_t *queue = sf_calloc(n, sizeof *queue);

    if (!queue) {
        return false;
    }
    uint32_t start = find_start(fabric, self, self_port, paths);
    if (start != SF_NONE) {
        is_found[start] = true;
        queue[n_queued++] = start;
    }
    for (uint32_t i = 0; i < n_queued; i++) {
        const struct sf_node *node = &fabric->nodes[queue[i]];
        for (uint32_t number = 1; number <= node->n_ports; number++) {
            uint32_t peer = fabric->ports[node->first_port + number - 1].peer;
            uint32_t to = peer == SF_NONE ? SF_NONE : fabric->ports[peer].node;
            if (to >= n || is_found[to]) {
                continue;
            }
            paths[to] = paths[queue[i]];
            is_found[to] = sf_direct_path_extend(&paths[to], number);
            queue[n_queued] = to;
            n_queued += is_found[to];
        }
    }
    free(queue);
    return true;
}
