/* turn_ranks.c -- ranks of channels, found in the paths that use them.  Where
 * turns come from tables that somebody else holds, their VLs are known and
 * their ranks are not. */
#include "slimfly/lanes.h"

#include "base/mem.h"
#include "lanes/path_columns.h"
#include "routes/turn_table.h"

struct ranker {
    const struct sf_graph *graph;
    const uint32_t *reverse; /* [2E] */
    struct sf_turns *turns;
    uint16_t *arrivals;  /* By turn: the VLs, a bit each, that packets which
                          * take it come on. */
    uint32_t *n_waiting; /* [2E * n_vls] Channels before this one whose ranks
                          * are not known yet. */
    uint32_t *ready;     /* [2E * n_vls] */
};

static size_t
turn_number(const struct ranker *ranker, uint32_t in, uint32_t out)
{
    return sf_turn_number(ranker->turns->first, ranker->graph, ranker->reverse,
                          in, out);
}

/* Follows the path of a column from 's' and notes on which VLs it comes to
 * each turn. */
static void
follow(struct ranker *ranker, const uint16_t *hops, uint32_t s)
{
    const struct sf_graph *graph = ranker->graph;
    uint8_t vl = 0;

    while (hops[s] != SF_NO_HOP) {
        uint32_t in = graph->first[s] + hops[s];
        s = graph->arcs[in].to;
        if (hops[s] == SF_NO_HOP) {
            return;
        }
        uint32_t out = graph->first[s] + hops[s];
        size_t turn = turn_number(ranker, in, out);
        ranker->arrivals[turn] |= (uint16_t)(1u << vl);
        vl = ranker->turns->vls[turn];
        if (vl == SF_NO_TURN) {
            return;
        }
    }
}

/* Does something with every dependency of channel 'from'. */
static void
count_dependencies(struct ranker *ranker, uint32_t from, bool is_known,
                   uint32_t *n_readyp)
{
    const struct sf_graph *graph = ranker->graph;
    uint32_t n_vls = ranker->turns->n_vls;
    uint32_t in = from / n_vls, at = graph->arcs[in].to;

    for (uint32_t out = graph->first[at]; out < graph->first[at + 1]; out++) {
        size_t turn = turn_number(ranker, in, out);
        uint8_t vl = ranker->turns->vls[turn];
        if (vl == SF_NO_TURN ||
            !(ranker->arrivals[turn] & 1u << from % n_vls)) {
            continue;
        }
        uint32_t to = out * n_vls + vl;
        uint32_t *ranks = ranker->turns->ranks;
        if (!is_known) {
            ranker->n_waiting[to]++;
            continue;
        }
        ranks[to] = ranks[from] + 1 > ranks[to] ? ranks[from] + 1 : ranks[to];
        if (--ranker->n_waiting[to] == 0) {
            ranker->ready[(*n_readyp)++] = to;
        }
    }
}

/* Ranks the channels: each above all that are held while it is waited for. */
static enum sf_status
rank_channels(struct ranker *ranker, struct sf_error *err)
{
    uint32_t n = 2 * ranker->graph->n_links * ranker->turns->n_vls;
    uint32_t n_ready = 0;

    for (uint32_t i = 0; i < n; i++) {
        count_dependencies(ranker, i, false, NULL);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (ranker->n_waiting[i] == 0) {
            ranker->ready[n_ready++] = i;
        }
    }
    for (uint32_t i = 0; i < n_ready; i++) {
        count_dependencies(ranker, ranker->ready[i], true, &n_ready);
    }
    return n_ready == n
               ? SF_OK
               : sf_fail(err, SF_ELANES,
                         "the paths are not safe from deadlock with all "
                         "traffic on SL 0");
}

enum sf_status
sf_turns_rank_channels(const struct sf_network *network,
                       const struct sf_routes *routes, bool only_hosts,
                       struct sf_turns *turns, struct sf_error *err)
{
    const struct sf_graph *graph = network->graph;
    size_t n_arcs = 2 * (size_t)graph->n_links, n_turns = 0;
    struct ranker ranker = { .graph = graph,
                             .reverse = network->reverse,
                             .turns = turns };
    struct sf_path_columns *columns = NULL;
    enum sf_status status =
        sf_path_columns_build(network, routes, &columns, err);

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        size_t degree = sf_graph_degree(graph, s);
        n_turns += degree * degree;
    }
    ranker.arrivals = sf_calloc(n_turns, sizeof *ranker.arrivals);
    ranker.n_waiting =
        sf_calloc(n_arcs, turns->n_vls * sizeof *ranker.n_waiting);
    ranker.ready = sf_calloc(n_arcs, turns->n_vls * sizeof *ranker.ready);
    if (!ranker.arrivals || !ranker.n_waiting || !ranker.ready) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for turns");
        goto done;
    }
    for (uint32_t i = 0; status == SF_OK && i < columns->n_columns; i++) {
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            if (!only_hosts || network->n_hosts[s] > 0) {
                follow(&ranker, columns->hops[i], s);
            }
        }
    }
    if (status == SF_OK) {
        status = rank_channels(&ranker, err);
    }

done:
    sf_path_columns_free(columns);
    free(ranker.ready);
    free(ranker.n_waiting);
    free(ranker.arrivals);
    return status;
}
