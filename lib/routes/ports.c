/* ports.c -- see ports.h. */
#include "routes/ports.h"

#include "base/mem.h"
#include "slimfly/routes.h"

#include <string.h>

uint16_t *
sf_network_hops_of_ports(const struct sf_network *network)
{
    const struct sf_graph *graph = network->graph;
    size_t n_ports = network->fabric->n_ports;
    uint16_t *hops = sf_calloc(n_ports, sizeof *hops);

    if (hops) {
        memset(hops, 0xff, n_ports * sizeof *hops);
    }
    for (uint32_t s = 0; hops && s < graph->n_nodes; s++) {
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            hops[network->arc_ports[i]] = (uint16_t)(i - graph->first[s]);
        }
    }
    return hops;
}
