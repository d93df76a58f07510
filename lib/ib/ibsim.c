/* ibsim.c -- a netlist for ibsim that goes by names instead of GUIDs, so that
 * its console does too: Unlink "sf-0-0-1"[6].  LIDs are left to the subnet
 * manager. */
#include "slimfly/discovery.h"

#include <inttypes.h>
#include <string.h>

/* ibsim 0.10 knows speeds up to HDR; what is newer it would load as SDR. */
static const char *
known_rate(const char *rate)
{
    if (!rate[0]) {
        return "4xSDR";
    }
    return strstr(rate, "NDR") || strstr(rate, "XDR") ? "4xHDR" : rate;
}

void
sf_ibsim_write(const struct sf_fabric *fabric, const char *comment,
               FILE *stream)
{
    fprintf(stream, "# %s\n", comment);
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        bool is_switch = node->kind == SF_NODE_SWITCH;
        /* ibsim takes an empty line for the end of a node. */
        fprintf(stream, "\n%s=0x%" PRIx64 "\n%s\t%u \"%s\"\n",
                is_switch ? "switchguid" : "caguid", node->guid,
                is_switch ? "Switch" : "Hca", node->n_ports, node->name);
        for (uint32_t j = 0; j < node->n_ports; j++) {
            const struct sf_port *port = &fabric->ports[node->first_port + j];
            if (port->peer == SF_NONE) {
                continue;
            }
            const struct sf_port *peer = &fabric->ports[port->peer];
            const char *name = fabric->nodes[peer->node].name;
            fprintf(stream, "[%u]\t\"%s\"[%u]\t\t# \"%s\" lid 0 %s\n",
                    port->number, name, peer->number, name,
                    known_rate(port->rate));
        }
    }
}
