/* booksim.c -- the anynet file of BookSim [Jiang13]: a line a router, with its
 * hosts as nodes and each link named once, at its lower end.  BookSim keeps
 * one link for two routers, so parallel links cannot be written. */
#include "io/topology_writers.h"

enum sf_status
sf_write_booksim(const struct sf_topology *topo, FILE *stream,
                 struct sf_error *err)
{
    const struct sf_graph *graph = topo->graph;
    uint32_t host = 0;

    for (uint32_t i = 0; i < graph->n_links; i++) {
        if (sf_graph_is_parallel(graph, i)) {
            return sf_fail(err, SF_EINVAL,
                           "%s: BookSim has no parallel links, but switches "
                           "%u and %u are joined by several",
                           topo->spec, graph->links[i].a, graph->links[i].b);
        }
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        fprintf(stream, "router %u", s);
        for (uint32_t i = 0; i < topo->n_hosts[s]; i++) {
            fprintf(stream, " node %u", host++);
        }
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            if (s < graph->arcs[i].to) {
                fprintf(stream, " router %u", graph->arcs[i].to);
            }
        }
        fputc('\n', stream);
    }
    return SF_OK;
}
