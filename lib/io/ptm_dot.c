/* ptm_dot.c -- Graphviz in the dialect of the prescriptive topology manager:
 * "switch":"port" -- "switch":"port". */
#include "io/plan_writers.h"

/* Writes "switch":"port"; a number alone would not do as the name of one. */
static void
write_end(const struct sf_fabric *fabric, uint32_t port, FILE *stream)
{
    const struct sf_port *at = &fabric->ports[port];
    const struct sf_node *node = &fabric->nodes[at->node];
    bool has_name = sf_port_names_exist(&fabric->port_names[node->kind]);
    char name[SF_PORT_NAME_SIZE];

    fprintf(stream, "\"%s\":\"%s%s\"", node->name, has_name ? "" : "p",
            sf_fabric_port_name(fabric, at->node, at->number, name));
}

enum sf_status
sf_plan_write_ptm_dot(const struct sf_plan *plan, FILE *stream,
                      struct sf_error *err)
{
    const struct sf_fabric *fabric = plan->fabric;

    (void)err;
    fprintf(stream, "graph \"%s\" {\n", plan->spec);
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        fputs("    ", stream);
        write_end(fabric, plan->cables[i].a, stream);
        fputs(" -- ", stream);
        write_end(fabric, plan->cables[i].b, stream);
        fputs(";\n", stream);
    }
    fputs("}\n", stream);
    return SF_OK;
}
