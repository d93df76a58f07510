/* graphml.c -- GraphML [Brandes02]: nodes n0, n1, ... with name, hosts and
 * place; edges e0, e1, ... in the order of the links. */
#include "io/topology_writers.h"
#include "io/xml.h"

static void
write_key(const char *name, const char *type, FILE *stream)
{
    fprintf(stream,
            "  <key id=\"%s\" for=\"node\" attr.name=\"%s\" "
            "attr.type=\"%s\"/>\n",
            name, name, type);
}

enum sf_status
sf_write_graphml(const struct sf_topology *topo, FILE *stream,
                 struct sf_error *err)
{
    const struct sf_graph *graph = topo->graph;

    (void)err;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
          stream);
    write_key("name", "string", stream);
    write_key("hosts", "int", stream);
    for (uint32_t i = 0; i < topo->n_coords; i++) {
        write_key(topo->family->coords[i], "int", stream);
    }
    fputs("  <graph id=\"", stream);
    sf_xml_write(topo->spec, stream);
    fputs("\" edgedefault=\"undirected\">\n", stream);
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        char name[SF_MAX_NAME];
        const uint32_t *place = sf_topology_place(topo, s);
        fprintf(stream, "    <node id=\"n%u\"><data key=\"name\">", s);
        sf_xml_write(sf_topology_switch_name(topo, s, name), stream);
        fprintf(stream, "</data><data key=\"hosts\">%u</data>",
                topo->n_hosts[s]);
        for (uint32_t i = 0; i < topo->n_coords; i++) {
            fprintf(stream, "<data key=\"%s\">%u</data>",
                    topo->family->coords[i], place[i]);
        }
        fputs("</node>\n", stream);
    }
    for (uint32_t i = 0; i < graph->n_links; i++) {
        fprintf(stream,
                "    <edge id=\"e%u\" source=\"n%u\" target=\"n%u\"/>\n", i,
                graph->links[i].a, graph->links[i].b);
    }
    fputs("  </graph>\n</graphml>\n", stream);
    return SF_OK;
}
