/* ranks.c -- see ranks.h. */
#include "ip/ranks.h"

#include "base/mem.h"
#include "routes/turn_table.h"

struct ranker {
    const struct sf_network *network;
    struct sf_turns *turns;
    uint16_t *arrivals;  /* By turn: the VLs, a bit each, that packets which
                          * take it come on. */
    uint32_t *n_waiting; /* [2E * n_vls] Channels before this one whose ranks
                          * are not known yet. */
    uint32_t *ready;     /* [2E * n_vls] */
    uint32_t n_ready;
};

static size_t
turn_number(const struct ranker *ranker, uint32_t in, uint32_t out)
{
    return sf_turn_number(ranker->turns->first, ranker->network->graph,
                          ranker->network->reverse, in, out);
}

/* Notes on which VLs packets from the hosts of 's' take turns. */
static void
follow(struct ranker *ranker, const uint16_t *hops, uint32_t s)
{
    const struct sf_graph *graph = ranker->network->graph;
    uint32_t in = SF_NONE;
    uint8_t vl = 0;

    for (uint32_t i = 0; hops[s] != SF_NO_HOP && i < graph->n_nodes; i++) {
        uint32_t out = graph->first[s] + hops[s];
        if (in != SF_NONE) {
            size_t turn = turn_number(ranker, in, out);
            ranker->arrivals[turn] |= (uint16_t)(1u << vl);
            vl = ranker->turns->vls[turn];
            if (vl == SF_NO_TURN) {
                return;
            }
        }
        in = out;
        s = graph->arcs[out].to;
    }
}

/* Follows all paths between hosts. */
static void
follow_all(struct ranker *ranker, const struct sf_routes *routes)
{
    const struct sf_network *network = ranker->network;
    uint32_t n = network->graph->n_nodes,
             n_layers = sf_routes_n_layers(routes);

    for (uint32_t d = 0; d < n; d++) {
        for (uint32_t host = network->first_host[d];
             host < network->first_host[d + 1]; host++) {
            bool is_new = true;
            for (uint32_t i = network->first_host[d]; i < host; i++) {
                is_new &= routes->host_sets[i] != routes->host_sets[host];
            }
            for (uint32_t i = 0; is_new && i < n * n_layers; i++) {
                if (network->n_hosts[i % n] > 0) {
                    follow(ranker, sf_routes_column(routes, host, i / n, d),
                           i % n);
                }
            }
        }
    }
}

/* Counts the channels after 'from' up, or, if its rank is known, down. */
static void
count(struct ranker *ranker, uint32_t from, bool is_known)
{
    const struct sf_graph *graph = ranker->network->graph;
    uint32_t n_vls = ranker->turns->n_vls, *ranks = ranker->turns->ranks;
    uint32_t in = from / n_vls, at = graph->arcs[in].to;

    for (uint32_t out = graph->first[at]; out < graph->first[at + 1]; out++) {
        size_t turn = turn_number(ranker, in, out);
        uint8_t vl = ranker->turns->vls[turn];
        if (vl == SF_NO_TURN ||
            !(ranker->arrivals[turn] & 1u << from % n_vls)) {
            continue;
        }
        uint32_t to = out * n_vls + vl;
        if (!is_known) {
            ranker->n_waiting[to]++;
            continue;
        }
        ranks[to] = ranks[from] + 1 > ranks[to] ? ranks[from] + 1 : ranks[to];
        if (--ranker->n_waiting[to] == 0) {
            ranker->ready[ranker->n_ready++] = to;
        }
    }
}

/* Ranks each channel above all that are held while it is waited for. */
static bool
rank_all(struct ranker *ranker)
{
    uint32_t n = 2 * ranker->network->graph->n_links * ranker->turns->n_vls;

    for (uint32_t i = 0; i < n; i++) {
        count(ranker, i, false);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (ranker->n_waiting[i] == 0) {
            ranker->ready[ranker->n_ready++] = i;
        }
    }
    for (uint32_t i = 0; i < ranker->n_ready; i++) {
        count(ranker, ranker->ready[i], true);
    }
    return ranker->n_ready == n;
}

enum sf_status
sf_ip_rank_channels(const struct sf_network *network,
                    const struct sf_routes *routes, struct sf_turns *turns,
                    struct sf_error *err)
{
    const struct sf_graph *graph = network->graph;
    size_t n_channels = 2 * (size_t)graph->n_links * turns->n_vls, n_turns = 0;
    struct ranker ranker = { .network = network, .turns = turns };
    enum sf_status status = SF_OK;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        size_t degree = sf_graph_degree(graph, s);
        n_turns += degree * degree;
    }
    ranker.arrivals = sf_calloc(n_turns, sizeof *ranker.arrivals);
    ranker.n_waiting = sf_calloc(n_channels, sizeof *ranker.n_waiting);
    ranker.ready = sf_calloc(n_channels, sizeof *ranker.ready);
    if (!ranker.arrivals || !ranker.n_waiting || !ranker.ready) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for lanes");
    } else {
        follow_all(&ranker, routes);
        status = rank_all(&ranker)
                     ? SF_OK
                     : sf_fail(err, SF_ELANES,
                               "alternates cannot keep lanes: the paths "
                               "between hosts are not free of deadlock");
    }
    free(ranker.arrivals);
    free(ranker.n_waiting);
    free(ranker.ready);
    return status;
}
