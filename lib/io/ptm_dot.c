/* ptm_dot.c -- Graphviz in the dialect of the prescriptive topology manager:
 * "switch":"port" -- "switch":"port". */
#include "io/plan_writers.h"

enum sf_status
sf_plan_write_ptm_dot(const struct sf_plan *plan, FILE *stream,
                      struct sf_error *err)
{
    const struct sf_fabric *fabric = plan->fabric;

    (void)err;
    fprintf(stream, "graph \"%s\" {\n", plan->spec);
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_port *a = &fabric->ports[plan->cables[i].a];
        const struct sf_port *b = &fabric->ports[plan->cables[i].b];
        fprintf(stream, "    \"%s\":\"p%u\" -- \"%s\":\"p%u\";\n",
                fabric->nodes[a->node].name, a->number,
                fabric->nodes[b->node].name, b->number);
    }
    fputs("}\n", stream);
    return SF_OK;
}
