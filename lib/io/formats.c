/* formats.c -- the table of formats.  A new one is listed here and declared
 * in topology_writers.h. */
#include "io/topology_writers.h"
#include "topology/edges.h"

static enum sf_status
write_edges(const struct sf_topology *topo, FILE *stream, struct sf_error *err)
{
    (void)err;
    sf_edges_write(topo, stream);
    return SF_OK;
}

const struct sf_topology_format sf_topology_formats[] = {
    { "text", "what was measured, for people", sf_write_text, NULL },
    { "json", "what was measured, for programs", sf_write_json, NULL },
    { "csv", "what was measured, one line a topology", sf_write_csv, NULL },
    { "edges", "edge list, one line a link", NULL, write_edges },
    { "dot", "Graphviz", NULL, sf_write_dot },
    { "graphml", "GraphML, for NetworkX, igraph, Gephi", NULL,
      sf_write_graphml },
    { "nodelink", "JSON node-link data of NetworkX", NULL, sf_write_nodelink },
    { "booksim", "anynet file of BookSim", NULL, sf_write_booksim },
    { "svg", "a drawing", NULL, sf_write_svg },
    { NULL, NULL, NULL, NULL },
};
