/* dot.c -- Graphviz.  Nodes go by name; parallel links stand as often as
 * there are. */
#include "io/topology_writers.h"

/* Names are printable ASCII (topology/edges.c), so quotes and backslashes are
 * all that needs care. */
static void
write_quoted(const char *text, FILE *stream)
{
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', stream);
        }
        fputc(*text, stream);
    }
    fputc('"', stream);
}

enum sf_status
sf_write_dot(const struct sf_topology *topo, FILE *stream,
             struct sf_error *err)
{
    const struct sf_graph *graph = topo->graph;
    char name[SF_MAX_NAME];

    (void)err;
    fputs("graph ", stream);
    write_quoted(topo->spec, stream);
    fputs(" {\n    node [shape=box];\n", stream);
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        fputs("    ", stream);
        write_quoted(sf_topology_switch_name(topo, s, name), stream);
        fprintf(stream, " [hosts=%u];\n", topo->n_hosts[s]);
    }
    for (uint32_t i = 0; i < graph->n_links; i++) {
        fputs("    ", stream);
        write_quoted(sf_topology_switch_name(topo, graph->links[i].a, name),
                     stream);
        fputs(" -- ", stream);
        write_quoted(sf_topology_switch_name(topo, graph->links[i].b, name),
                     stream);
        fputs(";\n", stream);
    }
    fputs("}\n", stream);
    return SF_OK;
}
