/* switches.c -- a fabric without its hosts.  Switches and their ports come
 * first, so what is left keeps its numbers. */
#include "slimfly/fabric.h"

#include <stdlib.h>

void
sf_fabric_drop_hosts(struct sf_fabric *fabric)
{
    uint32_t n_ports = fabric->n_switches < fabric->n_nodes
                           ? fabric->nodes[fabric->n_switches].first_port
                           : fabric->n_ports;

    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        uint32_t peer = fabric->ports[i].peer;
        if (peer != SF_NONE && (i >= n_ports || peer >= n_ports)) {
            sf_fabric_unplug(fabric, i);
        }
    }
    for (uint32_t i = fabric->n_switches; i < fabric->n_nodes; i++) {
        free(fabric->nodes[i].name);
    }
    fabric->n_nodes = fabric->n_switches;
    fabric->n_ports = n_ports;
}
