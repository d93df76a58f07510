/* path_order.c -- see path_order.h.  The rank of a link is the length of the
 * longest chain of links before it of which each is held while the next is
 * waited for. */
#include "routing/path_order.h"

#include "base/mem.h"
#include "lanes/path_columns.h"
#include "routes/turn_table.h"

#include <string.h>

struct sorter {
    const struct sf_network *network;
    struct sf_turns *turns;
    bool *is_taken;      /* By turn. */
    uint32_t *n_waiting; /* [2E] Arcs before this one that have no rank. */
    uint32_t *ready;     /* [2E] */
};

static size_t
turn_number(const struct sorter *sorter, uint32_t in, uint32_t out)
{
    return sf_turn_number(sorter->turns->first, sorter->network->graph,
                          sorter->network->reverse, in, out);
}

/* Notes the turns of the path from 's' along 'hops'. */
static void
follow(const struct sorter *sorter, const uint16_t *hops, uint32_t s)
{
    const struct sf_graph *graph = sorter->network->graph;
    uint32_t in = SF_NONE;

    while (hops[s] != SF_NO_HOP) {
        uint32_t out = graph->first[s] + hops[s];
        if (in != SF_NONE) {
            sorter->is_taken[turn_number(sorter, in, out)] = true;
        }
        in = out;
        s = graph->arcs[out].to;
    }
}

/* Counts 'arc' among those before each arc that is waited for on it, or, once
 * its rank is known, takes it out again. */
static void
count_next(const struct sorter *sorter, uint32_t arc, bool is_known,
           uint32_t *n_readyp)
{
    const struct sf_graph *graph = sorter->network->graph;
    uint32_t *ranks = sorter->turns->ranks, at = graph->arcs[arc].to;

    for (uint32_t i = graph->first[at]; i < graph->first[at + 1]; i++) {
        if (!sorter->is_taken[turn_number(sorter, arc, i)]) {
            continue;
        }
        if (!is_known) {
            sorter->n_waiting[i]++;
            continue;
        }
        ranks[i] = ranks[arc] + 1 > ranks[i] ? ranks[arc] + 1 : ranks[i];
        if (--sorter->n_waiting[i] == 0) {
            sorter->ready[(*n_readyp)++] = i;
        }
    }
}

/* Whether every arc got a rank. */
static bool
rank_arcs(const struct sorter *sorter)
{
    uint32_t n_arcs = 2 * sorter->network->graph->n_links, n_ready = 0;

    for (uint32_t i = 0; i < n_arcs; i++) {
        count_next(sorter, i, false, NULL);
    }
    for (uint32_t i = 0; i < n_arcs; i++) {
        sorter->turns->ranks[i] = 1;
        if (sorter->n_waiting[i] == 0) {
            sorter->ready[n_ready++] = i;
        }
    }
    for (uint32_t k = 0; k < n_ready; k++) {
        count_next(sorter, sorter->ready[k], true, &n_ready);
    }
    return n_ready == n_arcs;
}

/* Allows all turns but those back: ranks decide. */
static size_t
allow_turns(const struct sf_graph *graph, struct sf_turns *turns)
{
    size_t n_turns = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        size_t degree = sf_graph_degree(graph, s);
        for (size_t i = 0; i < degree * degree; i++) {
            turns->vls[turns->first[s] + i] =
                i / degree == i % degree ? SF_NO_TURN : 0;
        }
        n_turns += degree * degree;
    }
    return n_turns;
}

static enum sf_status
sort(struct sorter *sorter, const struct sf_path_columns *columns,
     struct sf_error *err)
{
    const struct sf_network *network = sorter->network;
    size_t n_arcs = 2 * (size_t)network->graph->n_links;
    size_t n_turns = allow_turns(network->graph, sorter->turns);

    sorter->is_taken = sf_calloc(n_turns, sizeof *sorter->is_taken);
    sorter->n_waiting = sf_calloc(n_arcs, sizeof *sorter->n_waiting);
    sorter->ready = sf_calloc(n_arcs, sizeof *sorter->ready);
    if (!sorter->is_taken || !sorter->n_waiting || !sorter->ready) {
        return sf_fail(err, SF_ENOMEM, "out of memory for an order of links");
    }
    for (uint32_t c = 0; c < columns->n_columns; c++) {
        for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
            if (network->n_hosts[s] > 0) {
                follow(sorter, columns->hops[c], s);
            }
        }
    }
    return rank_arcs(sorter)
               ? SF_OK
               : sf_fail(err, SF_ELANES,
                         "packets of hosts can wait for each other in a "
                         "circle on one lane");
}

enum sf_status
sf_path_order_build(const struct sf_network *network,
                    const struct sf_routes *routes, struct sf_turns **turnsp,
                    struct sf_error *err)
{
    struct sorter sorter = { .network = network };
    struct sf_path_columns *columns = NULL;
    enum sf_status status =
        sf_path_columns_build(network, routes, &columns, err);

    *turnsp = NULL;
    if (status == SF_OK) {
        status = sf_turns_make(network->graph, 1, &sorter.turns, err);
    }
    if (status == SF_OK) {
        status = sort(&sorter, columns, err);
    }
    if (status == SF_OK) {
        *turnsp = sorter.turns;
    } else {
        sf_turns_free(sorter.turns);
    }
    free(sorter.ready);
    free(sorter.n_waiting);
    free(sorter.is_taken);
    sf_path_columns_free(columns);
    return status;
}
