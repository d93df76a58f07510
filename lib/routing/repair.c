/* repair.c -- routes after links or switches have gone or come back: as few
 * next hops as possible change.
 *
 * Columns are mended one by one (mender.h).  Loads are what hosts send if all
 * send alike to all addresses.  They are counted over all columns before the
 * first is mended, and kept true, so what came over a dead link spreads over
 * all that can stand in for it.  Where that is not enough, other paths leave
 * the links that now carry more than any did before. */
#include "routing/repair.h"

#include "base/mem.h"
#include "routing/mender.h"
#include "slimfly/progress.h"

#include <string.h>

/* Shortest distances to 'destination'; 'queue' gets the switches that reach
 * it, nearest first.  Returns their number. */
static uint32_t
search(const struct sf_graph *graph, uint32_t destination, uint32_t *queue,
       uint32_t *distances)
{
    uint32_t head = 0, tail = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        distances[s] = SF_NONE;
    }
    distances[destination] = 0;
    queue[tail++] = destination;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            uint32_t w = graph->arcs[i].to;
            if (distances[w] == SF_NONE) {
                distances[w] = distances[v] + 1;
                queue[tail++] = w;
            }
        }
    }
    return tail;
}

/* Everything that the repair of all columns needs. */
struct repairer {
    const struct sf_earlier *earlier;
    const struct sf_network *network;
    uint32_t usual_hops;
    bool evens_loads;
    uint32_t *order;        /* [n] */
    uint32_t *best;         /* [n] */
    uint16_t *before;       /* [n] The column at hand, as it was. */
    uint32_t *order_before; /* [n of the earlier network], */
    uint32_t *best_before;  /* likewise. */
    bool *is_broken;        /* [n] Columns towards it must be mended. */
    bool was_minimal;       /* Every path of the earlier routes was one of the
                             * shortest. */
    uint64_t most;          /* That an arc should carry. */
    struct sf_mender mender;
    struct sf_routes *routes;
};

/* Takes the next hops towards switch 'd' out of the earlier 'layers', as far
 * as their links are still there; none if 'd' was not there. */
static void
take_over_column(struct repairer *repairer, const struct sf_layers *layers,
                 uint32_t layer, uint32_t d)
{
    const struct sf_earlier *earlier = repairer->earlier;
    const struct sf_graph *graph = earlier->earlier->graph;
    uint32_t d_before = earlier->switches[d];

    for (uint32_t s = 0; s < repairer->network->graph->n_nodes; s++) {
        uint32_t s_before = earlier->switches[s];
        uint32_t arc =
            d_before == SF_NONE || s_before == SF_NONE
                ? SF_NONE
                : sf_layers_arc(layers, graph, layer, s_before, d_before);
        repairer->before[s] = arc == SF_NONE ? SF_NO_HOP : earlier->hops[arc];
    }
}

/* Whether an earlier column towards switch 'd', to which all distances are
 * known, had shortest paths only: each switch goes to one that is nearer. */
static bool
has_shortest(const struct repairer *repairer, const struct sf_layers *layers,
             uint32_t layer, uint32_t d_before)
{
    const struct sf_graph *graph = repairer->earlier->earlier->graph;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t arc = sf_layers_arc(layers, graph, layer, s, d_before);
        if (arc != SF_NONE && repairer->best_before[graph->arcs[arc].to] + 1 !=
                                  repairer->best_before[s]) {
            return false;
        }
    }
    return true;
}

/* Whether the earlier column towards switch 'd' had shortest paths only. */
static bool
was_minimal(struct repairer *repairer, const struct sf_layers *layers,
            uint32_t layer, uint32_t d)
{
    uint32_t d_before = repairer->earlier->switches[d];

    if (d_before == SF_NONE) {
        return true;
    }
    search(repairer->earlier->earlier->graph, d_before, repairer->order_before,
           repairer->best_before);
    return has_shortest(repairer, layers, layer, d_before);
}

/* Whether all had: then none may take a detour now, as in a Fat Tree, where
 * one that goes down and up again could deadlock. */
static bool
were_minimal(struct repairer *repairer, const struct sf_routes *before)
{
    const struct sf_graph *graph = repairer->earlier->earlier->graph;

    for (uint32_t d = 0; d < graph->n_nodes; d++) {
        search(graph, d, repairer->order_before, repairer->best_before);
        for (uint32_t set = 0; set < before->n_sets; set++) {
            for (uint32_t l = 0; l < sf_routes_n_layers(before); l++) {
                if (!has_shortest(repairer, before->sets[set], l, d)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Whether any address of 'd' or of a host there leads over that column. */
static bool
is_used(const struct repairer *repairer, uint32_t set, uint32_t layer,
        uint32_t d)
{
    const struct sf_network *network = repairer->network;
    const struct sf_routes *routes = repairer->routes;

    if (set == 0 && layer < routes->n_switch_addresses) {
        return true;
    }
    for (uint32_t host = network->first_host[d];
         layer < routes->n_addresses && host < network->first_host[d + 1];
         host++) {
        if (routes->host_sets[host] == set) {
            return true;
        }
    }
    return false;
}

/* What each host sends to the hosts of 'd' over that column: the number of
 * their addresses that lead there. */
static uint64_t
find_weight(const struct repairer *repairer, uint32_t set, uint32_t layer,
            uint32_t d)
{
    const struct sf_network *network = repairer->network;
    const struct sf_routes *routes = repairer->routes;
    uint32_t n_layers = sf_routes_n_layers(routes), n = 0;

    for (uint32_t host = network->first_host[d];
         host < network->first_host[d + 1]; host++) {
        n += routes->host_sets[host] == set;
    }
    return layer < routes->n_addresses
               ? (uint64_t)n *
                     ((routes->n_addresses - layer - 1) / n_layers + 1)
               : 0;
}

/* Turns to the column towards 'd'. */
static void
choose_column(struct repairer *repairer, const struct sf_layers *before,
              uint32_t set, uint32_t layer, uint32_t d)
{
    struct sf_mender *mender = &repairer->mender;

    mender->layers = repairer->routes->sets[set];
    mender->layer = layer;
    mender->hops = sf_layers_tree(repairer->routes->sets[set], layer, d);
    mender->is_minimal = repairer->was_minimal ||
                         (layer == 0 && (!repairer->earlier->is_fitted ||
                                         was_minimal(repairer, before, 0, d)));
    mender->weight = find_weight(repairer, set, layer, d);
}

/* The same, with the next hops as they were earlier. */
static void
restore_column(struct repairer *repairer, const struct sf_layers *before,
               uint32_t set, uint32_t layer, uint32_t d)
{
    struct sf_mender *mender = &repairer->mender;

    choose_column(repairer, before, set, layer, d);
    take_over_column(repairer, before, layer, d);
    mender->before = repairer->before;
    memcpy(mender->hops, repairer->before,
           repairer->network->graph->n_nodes * sizeof *mender->hops);
    sf_mender_measure(mender);
}

/* Leaves out next hops in other parts of the network, or all. */
static void
clear_hops(struct sf_mender *mender, bool all)
{
    for (uint32_t s = 0; s < mender->graph->n_nodes; s++) {
        if (mender->depths[s] == SF_NONE || all) {
            mender->hops[s] = SF_NO_HOP;
        }
    }
}

/* Takes the column over; whether it can stay as it is. */
static bool
keep_column(struct repairer *repairer, const struct sf_layers *before,
            uint32_t set, uint32_t layer, uint32_t d, uint32_t n_reached)
{
    restore_column(repairer, before, set, layer, d);
    sf_mender_load(&repairer->mender);
    clear_hops(&repairer->mender, false);
    return sf_mender_is_fine(&repairer->mender, repairer->order, n_reached);
}

/* Repairs the column towards 'd', which 'n_reached' switches reach; false if
 * turns leave no path. */
static bool
repair_column(struct repairer *repairer, const struct sf_layers *before,
              uint32_t set, uint32_t layer, uint32_t d, uint32_t n_reached)
{
    struct sf_mender *mender = &repairer->mender;

    restore_column(repairer, before, set, layer, d);
    bool is_whole = sf_mender_mend(mender, repairer->order, n_reached);
    clear_hops(mender, !is_whole);
    return is_whole || !is_used(repairer, set, layer, d);
}

/* Takes paths of a column off arcs that carry too much. */
static bool
relieve_column(struct repairer *repairer, const struct sf_layers *before,
               uint32_t set, uint32_t layer, uint32_t d, uint32_t n_reached)
{
    struct sf_mender *mender = &repairer->mender;

    choose_column(repairer, before, set, layer, d);
    if (mender->weight > 0) {
        sf_mender_measure(mender);
        sf_mender_relieve(mender, repairer->order, n_reached, repairer->most);
    }
    return true;
}

/* Does it for all columns towards switch 'd'; whether all succeeded. */
typedef bool for_column(struct repairer *repairer,
                        const struct sf_layers *before, uint32_t set,
                        uint32_t layer, uint32_t d, uint32_t n_reached);

static bool
for_destination(struct repairer *repairer, const struct sf_routes *before,
                uint32_t d, for_column *call)
{
    uint32_t n_reached =
        search(repairer->network->graph, d, repairer->order, repairer->best);
    uint32_t farthest = repairer->best[repairer->order[n_reached - 1]];
    bool all = true;

    repairer->mender.destination = d;
    repairer->mender.limit =
        farthest > repairer->usual_hops ? farthest : repairer->usual_hops;
    for (uint32_t set = 0; set < before->n_sets; set++) {
        for (uint32_t l = 0; l < sf_routes_n_layers(before); l++) {
            all &= call(repairer, before->sets[set], set, l, d, n_reached);
        }
    }
    return all;
}

/* Makes routes without any next hop, as many as there were. */
static enum sf_status
make_routes(struct repairer *repairer, const struct sf_routes *before,
            struct sf_error *err)
{
    const struct sf_network *network = repairer->network;
    enum sf_status status =
        sf_routes_make(network, before->n_sets, &repairer->routes, err);

    for (uint32_t i = 0; status == SF_OK && i < before->n_sets; i++) {
        status =
            sf_layers_make(sf_routes_n_layers(before), network->graph->n_nodes,
                           &repairer->routes->sets[i], err);
    }
    if (status == SF_OK) {
        repairer->routes->n_addresses = before->n_addresses;
        repairer->routes->n_switch_addresses = before->n_switch_addresses;
        sf_earlier_host_sets(repairer->earlier, before,
                             repairer->routes->host_sets);
    }
    if (status == SF_OK && before->turns) {
        status = sf_earlier_carry_turns(repairer->earlier, before,
                                        repairer->routes, err);
    }
    return status;
}

/* The most that an arc carries. */
static uint64_t
find_most_load(const struct repairer *repairer)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < 2 * repairer->network->graph->n_links; i++) {
        uint64_t load = repairer->mender.loads[i];
        most = load > most ? load : most;
    }
    return most;
}

/* Takes paths off arcs that carry more than 'usual', which is the most that
 * one carried before: step by step, until one arc cannot be relieved, as those
 * of a switch that has lost another; then the rest need not change. */
static void
relieve_all(struct repairer *repairer, const struct sf_routes *before,
            uint64_t usual)
{
    static const uint32_t percents[] = { 130, 115, 106, 100 };
    uint32_t n = repairer->network->graph->n_nodes;
    bool is_even = true;

    for (size_t i = 0; is_even && i < sizeof percents / sizeof *percents;
         i++) {
        repairer->most = usual * percents[i] / 100;
        is_even = find_most_load(repairer) <= repairer->most;
        for (uint32_t d = 0; !is_even && d < n; d++) {
            sf_progress_report("evening out the loads of links", d, n);
            for_destination(repairer, before, d, relieve_column);
        }
        is_even = find_most_load(repairer) <= repairer->most;
    }
}

/* Repairs all columns. */
static enum sf_status
repair_all(struct repairer *repairer, const struct sf_routes *before,
           struct sf_error *err)
{
    const struct sf_graph *graph = repairer->network->graph;
    enum sf_status status = make_routes(repairer, before, err);

    if (status != SF_OK) {
        return status;
    }
    repairer->mender.turns = repairer->routes->turns;
    repairer->was_minimal = were_minimal(repairer, before);
    for (uint32_t d = 0; d < graph->n_nodes; d++) {
        sf_progress_report("looking for broken paths", d, graph->n_nodes);
        repairer->is_broken[d] =
            !for_destination(repairer, before, d, keep_column);
    }
    uint64_t usual = find_most_load(repairer);
    for (uint32_t d = 0; d < graph->n_nodes; d++) {
        sf_progress_report("repairing paths", d, graph->n_nodes);
        if (repairer->is_broken[d] &&
            !for_destination(repairer, before, d, repair_column)) {
            return sf_fail(err, SF_ELANES,
                           "the lanes leave switch %s without a path from "
                           "everywhere: all routes must be new",
                           sf_graph_name(graph, d).text);
        }
    }
    if (repairer->evens_loads) {
        relieve_all(repairer, before, usual);
    }
    return SF_OK;
}

enum sf_status
sf_routes_repair(const struct sf_earlier *earlier,
                 const struct sf_routes *before, uint32_t usual_hops,
                 bool evens_loads, struct sf_routes **routesp,
                 struct sf_error *err)
{
    const struct sf_network *network = earlier->network;
    uint32_t n = network->graph->n_nodes;
    uint32_t n_before = earlier->earlier->graph->n_nodes;
    struct repairer repairer = {
        .earlier = earlier,
        .network = network,
        .usual_hops = usual_hops,
        .evens_loads = evens_loads,
        .order = sf_calloc(n, sizeof(uint32_t)),
        .best = sf_calloc(n, sizeof(uint32_t)),
        .before = sf_calloc(n, sizeof(uint16_t)),
        .order_before = sf_calloc(n_before, sizeof(uint32_t)),
        .best_before = sf_calloc(n_before, sizeof(uint32_t)),
        .is_broken = sf_calloc(n, sizeof(bool)),
        .mender = { .graph = network->graph,
                    .reverse = network->reverse,
                    .depths = sf_calloc(n, sizeof(uint32_t)),
                    .queue = sf_calloc(n, sizeof(uint32_t)),
                    .ranks = sf_calloc(n, sizeof(uint32_t)),
                    .n_hosts = network->n_hosts,
                    .loads = sf_calloc(2 * (size_t)network->graph->n_links,
                                       sizeof(uint64_t)) },
    };
    struct sf_mender *mender = &repairer.mender;
    bool made = repairer.order && repairer.best && repairer.before &&
                repairer.order_before && repairer.best_before &&
                repairer.is_broken && mender->depths && mender->queue &&
                mender->ranks && mender->loads;

    mender->best = repairer.best;
    enum sf_status status =
        made ? repair_all(&repairer, before, err)
             : sf_fail(err, SF_ENOMEM, "out of memory for a repair");
    if (status == SF_OK) {
        *routesp = repairer.routes;
    } else {
        *routesp = NULL;
        sf_routes_free(repairer.routes);
    }
    free(mender->loads);
    free(mender->ranks);
    free(mender->queue);
    free(mender->depths);
    free(repairer.is_broken);
    free(repairer.best_before);
    free(repairer.order_before);
    free(repairer.before);
    free(repairer.best);
    free(repairer.order);
    return status;
}
