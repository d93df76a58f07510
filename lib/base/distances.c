/* distances.c -- see distances.h. */
#include "base/distances.h"

#include "base/mem.h"

#include <string.h>

uint16_t *
sf_graph_distances(const struct sf_graph *graph)
{
    size_t n = graph->n_nodes;
    uint16_t *hops = sf_calloc(n * n, sizeof *hops);
    uint32_t *queue = sf_calloc(n, sizeof *queue);

    if (!hops || !queue) {
        free(hops);
        hops = NULL;
    }
    for (uint32_t s = 0; hops && s < n; s++) {
        uint16_t *row = hops + s * n;
        uint32_t n_reached = 1;
        memset(row, 0xff, n * sizeof *row);
        row[s] = 0;
        queue[0] = s;
        for (uint32_t i = 0; i < n_reached; i++) {
            uint32_t at = queue[i];
            for (uint32_t a = graph->first[at]; a < graph->first[at + 1];
                 a++) {
                uint32_t to = graph->arcs[a].to;
                if (row[to] == SF_OUT_OF_REACH) {
                    row[to] = (uint16_t)(row[at] + 1);
                    queue[n_reached++] = to;
                }
            }
        }
    }
    free(queue);
    return hops;
}
