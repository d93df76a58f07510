/* turn_table.c -- the turns that paths may take: see slimfly/routes.h. */
#include "routes/turn_table.h"

#include "base/mem.h"

#include <string.h>

enum sf_status
sf_turns_make(const struct sf_graph *graph, uint32_t n_vls,
              struct sf_turns **turnsp, struct sf_error *err)
{
    struct sf_turns *turns = sf_calloc(1, sizeof *turns);
    size_t n_turns = 0;

    *turnsp = NULL;
    if (turns) {
        turns->n_vls = n_vls;
        turns->first = sf_calloc(graph->n_nodes, sizeof *turns->first);
        turns->ranks = sf_calloc(2 * (size_t)graph->n_links,
                                 n_vls * sizeof *turns->ranks);
    }
    if (!turns || !turns->first || !turns->ranks) {
        goto no_memory;
    }
    for (uint32_t v = 0; v < graph->n_nodes; v++) {
        size_t degree = sf_graph_degree(graph, v);
        turns->first[v] = n_turns;
        n_turns += degree * degree;
    }
    turns->vls = sf_calloc(n_turns, sizeof *turns->vls);
    if (!turns->vls) {
        goto no_memory;
    }
    memset(turns->vls, SF_NO_TURN, n_turns);
    *turnsp = turns;
    return SF_OK;

no_memory:
    sf_turns_free(turns);
    return sf_fail(err, SF_ENOMEM, "out of memory for the turns of %u links",
                   graph->n_links);
}

void
sf_turns_free(struct sf_turns *turns)
{
    if (turns) {
        free(turns->gates);
        free(turns->vls);
        free(turns->ranks);
        free(turns->first);
        free(turns);
    }
}
