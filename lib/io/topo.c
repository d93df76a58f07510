/* topo.c -- the topology file of ibutils (man ibdm-topo-file): a section a
 * system, each cable named once.  A switch of N ports is of type SWN, a host
 * of type HCA; ibutils wants both described in its own .ibnl files. */
#include "io/plan_writers.h"

static void
write_type(const struct sf_node *node, FILE *stream)
{
    if (node->kind == SF_NODE_SWITCH) {
        fprintf(stream, "SW%u", node->n_ports);
    } else {
        fputs("HCA", stream);
    }
}

enum sf_status
sf_plan_write_topo(const struct sf_plan *plan, FILE *stream,
                   struct sf_error *err)
{
    const struct sf_fabric *fabric = plan->fabric;

    (void)err;
    fprintf(stream, "# %s\n", plan->spec);
    for (uint32_t i = 0; i < fabric->n_switches; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        fputc('\n', stream);
        write_type(node, stream);
        fprintf(stream, " %s\n", node->name);
        for (uint32_t j = 0; j < node->n_ports; j++) {
            const struct sf_port *port = &fabric->ports[node->first_port + j];
            if (port->peer == SF_NONE || port->peer < node->first_port + j) {
                continue;
            }
            const struct sf_port *peer = &fabric->ports[port->peer];
            const struct sf_node *to = &fabric->nodes[peer->node];
            fprintf(stream, "\tP%u -> ", port->number);
            write_type(to, stream);
            fprintf(stream, " %s P%u\n", to->name, peer->number);
        }
    }
    return SF_OK;
}
