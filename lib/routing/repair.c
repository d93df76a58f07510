/* repair.c -- routes after links or switches have gone or come back: as few
 * next hops as possible change.
 *
 * Where a next hop of a column is gone, its
 * switch must change; those behind it need not, unless their paths become too
 * long.  So first the switches without a next hop get a new one, then those
 * that are still not content, and a path that fits nowhere else becomes a
 * shortest one, which always does.
 *
 * Where turns must be obeyed, a path that does not is as good as none, and
 * what cannot be mended is grown anew. */
#include "routing/repair.h"

#include "base/mem.h"
#include "routes/turn_table.h"
#include "slimfly/progress.h"

#include <string.h>

/* The mending of one column. */
struct mender {
    const struct sf_graph *graph;
    uint32_t destination;
    uint32_t limit;         /* Hops at most, to it. */
    bool is_minimal;        /* Every path must be a shortest one. */
    const uint32_t *best;   /* [n] Shortest distances to the destination. */
    uint16_t *hops;         /* [n] Next hops as arcs; SF_NO_HOP is none. */
    uint32_t *depths;       /* [n] Hops to go; SF_NONE: it leads nowhere. */
    uint32_t *queue;        /* [n] */
    const uint16_t *before; /* [n] Next hops as they were. */
    const struct sf_turns *turns; /* What to obey; NULL for nothing. */
    const uint32_t *reverse; /* [2E] Each arc as seen from its other end. */
    uint32_t *ranks;         /* [n] Of the channel after the first turn. */
};

/* Whether 's' may go over its arc 'hop': the rank of the channel after that,
 * or 0. */
static uint32_t
rank_over(const struct mender *mender, uint32_t s, uint32_t hop)
{
    uint32_t arc = mender->graph->first[s] + hop;
    uint32_t to = mender->graph->arcs[arc].to;
    return to == mender->destination
               ? SF_ANY_RANK
               : sf_turns_rank(mender->turns, mender->graph, mender->reverse,
                               arc, mender->hops[to], mender->ranks[to]);
}

/* Follows next hops from 's' and sets the depths along the way: SF_NONE if
 * they end, go round or may not be taken. */
static void
measure_from(struct mender *mender, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;
    uint32_t n = 0, at = s;

    while (at != mender->destination && mender->depths[at] == SF_NONE - 1 &&
           mender->hops[at] != SF_NO_HOP) {
        mender->depths[at] = SF_NONE; /* Seen: a loop ends here. */
        mender->queue[n++] = at;
        at = graph->arcs[graph->first[at] + mender->hops[at]].to;
    }
    if (at != mender->destination && mender->depths[at] == SF_NONE - 1) {
        mender->depths[at] = SF_NONE;
    }
    uint32_t depth = mender->depths[at];
    while (n > 0) {
        uint32_t v = mender->queue[--n];
        uint32_t rank =
            depth == SF_NONE ? 0 : rank_over(mender, v, mender->hops[v]);
        depth = rank == 0 ? SF_NONE : depth + 1;
        mender->depths[v] = depth;
        mender->ranks[v] = rank;
    }
}

/* Whether a switch is content: with a shortest path always. */
static bool
is_fine(const struct mender *mender, uint32_t s)
{
    uint32_t depth = mender->depths[s];
    return depth != SF_NONE &&
           (depth == mender->best[s] ||
            (!mender->is_minimal && depth <= mender->limit));
}

static void
measure_all(struct mender *mender)
{
    for (uint32_t s = 0; s < mender->graph->n_nodes; s++) {
        mender->depths[s] = SF_NONE - 1; /* Not yet known. */
    }
    mender->depths[mender->destination] = 0;
    for (uint32_t s = 0; s < mender->graph->n_nodes; s++) {
        if (mender->depths[s] == SF_NONE - 1) {
            measure_from(mender, s);
        }
    }
}

/* Follows a change of the next hop of 's' to all whose paths lead through it;
 * false if one of them is not content.  The change closed no circle. */
static bool
measure_again(struct mender *mender, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;
    uint32_t *queue = mender->queue, head = 0, tail = 0;
    bool all_fine = true;

    queue[tail++] = s;
    while (head < tail) {
        uint32_t v = queue[head++], hop = mender->hops[v], depth = SF_NONE;
        mender->ranks[v] = 0;
        if (hop != SF_NO_HOP) {
            depth = mender->depths[graph->arcs[graph->first[v] + hop].to];
            mender->ranks[v] =
                depth == SF_NONE ? 0 : rank_over(mender, v, hop);
        }
        mender->depths[v] = mender->ranks[v] == 0 ? SF_NONE : depth + 1;
        all_fine &= is_fine(mender, v);
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            uint32_t from = graph->arcs[i].to;
            if (from != mender->destination &&
                mender->hops[from] != SF_NO_HOP &&
                graph->first[from] + mender->hops[from] ==
                    mender->reverse[i]) {
                queue[tail++] = from;
            }
        }
    }
    return all_fine;
}

/* Whether the path of 'from' leads through 's'. */
static bool
leads_through(const struct mender *mender, uint32_t from, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;

    for (uint32_t n = 0; n <= graph->n_nodes; n++) {
        if (from == s) {
            return true;
        }
        if (from == mender->destination || mender->hops[from] == SF_NO_HOP) {
            return false;
        }
        from = graph->arcs[graph->first[from] + mender->hops[from]].to;
    }
    return true; /* Round and round: no way to go. */
}

/* Gives 's' the next hop that leads to the destination soonest, through
 * switches that are content themselves. */
static void
mend_switch(struct mender *mender, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;
    uint32_t best_depth = SF_NONE;
    uint16_t best_hop = SF_NO_HOP;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t to = graph->arcs[i].to;
        uint32_t depth = mender->depths[to];
        if (depth < best_depth && is_fine(mender, to) &&
            rank_over(mender, s, i - graph->first[s]) != 0 &&
            !leads_through(mender, to, s)) {
            best_depth = depth;
            best_hop = (uint16_t)(i - graph->first[s]);
        }
    }
    mender->hops[s] = best_hop;
    measure_again(mender, s);
}

/* Turns the path of 's' into a shortest one.  Others whose paths it changes
 * only become shorter. */
static void
force_shortest(struct mender *mender, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;
    uint32_t last = s;

    while (s != mender->destination && mender->depths[s] != mender->best[s]) {
        uint32_t i = graph->first[s];
        while (mender->best[graph->arcs[i].to] != mender->best[s] - 1) {
            i++;
        }
        mender->hops[s] = (uint16_t)(i - graph->first[s]);
        last = s;
        s = graph->arcs[i].to;
    }
    measure_again(mender, last); /* The others lead through it. */
}

/* Grows the column anew: every switch, nearest first, goes to one nearer to
 * the destination by which it may, with the most room for those behind. */
static void
grow(struct mender *mender, const uint32_t *order, uint32_t n)
{
    const struct sf_graph *graph = mender->graph;

    for (uint32_t k = 0; k < n; k++) {
        uint32_t s = order[k];
        mender->hops[s] = SF_NO_HOP;
        mender->ranks[s] = 0;
        for (uint32_t i = graph->first[s];
             s != mender->destination && i < graph->first[s + 1]; i++) {
            uint32_t to = graph->arcs[i].to, hop = i - graph->first[s];
            uint32_t rank = mender->best[to] < mender->best[s] &&
                                    (to == mender->destination ||
                                     mender->hops[to] != SF_NO_HOP)
                                ? rank_over(mender, s, hop)
                                : 0;
            if (rank > mender->ranks[s]) {
                mender->hops[s] = (uint16_t)hop;
                mender->ranks[s] = rank;
            }
        }
    }
    measure_all(mender);
}

static bool
is_whole(const struct mender *mender, const uint32_t *order, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        if (mender->depths[order[i]] == SF_NONE) {
            return false;
        }
    }
    return true;
}

/* Goes through the switches that are not content, nearest to the destination
 * first: all, or only those without a next hop. */
static void
mend_pass(struct mender *mender, const uint32_t *order, uint32_t n,
          bool only_headless, void (*mend_one)(struct mender *, uint32_t))
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = order[i];
        if (!is_fine(mender, s) &&
            (!only_headless || mender->hops[s] == SF_NO_HOP)) {
            mend_one(mender, s);
        }
    }
}

static bool
are_fine(const struct mender *mender, const uint32_t *order, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        if (!is_fine(mender, order[i])) {
            return false;
        }
    }
    return true;
}

/* Takes back what turned out to be changed in vain, once others had changed.
 */
static void
take_back(struct mender *mender, const uint32_t *order, uint32_t n)
{
    const struct sf_graph *graph = mender->graph;

    for (uint32_t i = 1; i < n; i++) {
        uint32_t s = order[i];
        uint16_t hop = mender->hops[s], old = mender->before[s];
        if (hop == old || old == SF_NO_HOP ||
            leads_through(mender, graph->arcs[graph->first[s] + old].to, s)) {
            continue;
        }
        mender->hops[s] = old;
        if (!measure_again(mender, s)) {
            mender->hops[s] = hop;
            measure_again(mender, s);
        }
    }
}

/* Mends a column; 'order' are the switches that reach the destination, 'n' of
 * them, nearest first.  False if turns leave one of them without a path. */
static bool
mend(struct mender *mender, const uint32_t *order, uint32_t n)
{
    measure_all(mender);
    mend_pass(mender, order, n, true, mend_switch);
    mend_pass(mender, order, n, false, mend_switch);
    bool is_done = true;
    if (!mender->turns) {
        mend_pass(mender, order, n, false, force_shortest);
    } else if (!are_fine(mender, order, n)) {
        grow(mender, order, n);
        is_done = is_whole(mender, order, n);
    }
    if (are_fine(mender, order, n)) {
        take_back(mender, order, n);
    }
    return is_done;
}

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
    uint32_t *order;        /* [n] */
    uint32_t *best;         /* [n] */
    uint16_t *before;       /* [n] The column at hand, as it was. */
    uint32_t *order_before; /* [n of the earlier network], */
    uint32_t *best_before;  /* likewise. */
    struct mender mender;
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

/* Whether the earlier column towards switch 'd' had shortest paths only: each
 * switch goes to one that is nearer. */
static bool
was_minimal(struct repairer *repairer, const struct sf_layers *layers,
            uint32_t layer, uint32_t d)
{
    const struct sf_graph *graph = repairer->earlier->earlier->graph;
    uint32_t d_before = repairer->earlier->switches[d];

    if (d_before == SF_NONE) {
        return true;
    }
    search(graph, d_before, repairer->order_before, repairer->best_before);
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t arc = sf_layers_arc(layers, graph, layer, s, d_before);
        if (arc != SF_NONE && repairer->best_before[graph->arcs[arc].to] + 1 !=
                                  repairer->best_before[s]) {
            return false;
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

/* Repairs the column towards 'd', which 'n_reached' switches reach; false if
 * turns leave no path. */
static bool
repair_column(struct repairer *repairer, const struct sf_layers *before,
              uint32_t set, uint32_t layer, uint32_t d, uint32_t n_reached)
{
    struct mender *mender = &repairer->mender;
    uint32_t n = repairer->network->graph->n_nodes;

    take_over_column(repairer, before, layer, d);
    mender->hops = sf_layers_tree(repairer->routes->sets[set], layer, d);
    mender->before = repairer->before;
    mender->is_minimal = layer == 0 && (!repairer->earlier->is_fitted ||
                                        was_minimal(repairer, before, 0, d));
    memcpy(mender->hops, repairer->before, n * sizeof *mender->hops);
    bool is_whole = mend(mender, repairer->order, n_reached);
    for (uint32_t s = 0; s < n; s++) {
        if (mender->depths[s] == SF_NONE || !is_whole) {
            mender->hops[s] = SF_NO_HOP; /* Another part of the network. */
        }
    }
    return is_whole || !is_used(repairer, set, layer, d);
}

/* Repairs the columns towards switch 'd'; false if turns leave no path. */
static bool
repair_destination(struct repairer *repairer, const struct sf_routes *before,
                   uint32_t d)
{
    uint32_t n_reached =
        search(repairer->network->graph, d, repairer->order, repairer->best);
    uint32_t farthest = repairer->best[repairer->order[n_reached - 1]];

    repairer->mender.destination = d;
    repairer->mender.limit =
        farthest > repairer->usual_hops ? farthest : repairer->usual_hops;
    for (uint32_t set = 0; set < before->n_sets; set++) {
        for (uint32_t l = 0; l < sf_routes_n_layers(before); l++) {
            if (!repair_column(repairer, before->sets[set], set, l, d,
                               n_reached)) {
                return false;
            }
        }
    }
    return true;
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
    for (uint32_t d = 0; d < graph->n_nodes; d++) {
        sf_progress_report("repairing paths", d, graph->n_nodes);
        if (!repair_destination(repairer, before, d)) {
            return sf_fail(err, SF_ELANES,
                           "the lanes leave switch %s without a path from "
                           "everywhere: all routes must be new",
                           sf_graph_name(graph, d).text);
        }
    }
    return SF_OK;
}

enum sf_status
sf_routes_repair(const struct sf_earlier *earlier,
                 const struct sf_routes *before, uint32_t usual_hops,
                 struct sf_routes **routesp, struct sf_error *err)
{
    const struct sf_network *network = earlier->network;
    uint32_t n = network->graph->n_nodes;
    uint32_t n_before = earlier->earlier->graph->n_nodes;
    struct repairer repairer = {
        .earlier = earlier,
        .network = network,
        .usual_hops = usual_hops,
        .order = sf_calloc(n, sizeof(uint32_t)),
        .best = sf_calloc(n, sizeof(uint32_t)),
        .before = sf_calloc(n, sizeof(uint16_t)),
        .order_before = sf_calloc(n_before, sizeof(uint32_t)),
        .best_before = sf_calloc(n_before, sizeof(uint32_t)),
        .mender = { .graph = network->graph,
                    .reverse = network->reverse,
                    .depths = sf_calloc(n, sizeof(uint32_t)),
                    .queue = sf_calloc(n, sizeof(uint32_t)),
                    .ranks = sf_calloc(n, sizeof(uint32_t)) },
    };
    struct mender *mender = &repairer.mender;
    bool made = repairer.order && repairer.best && repairer.before &&
                repairer.order_before && repairer.best_before &&
                mender->depths && mender->queue && mender->ranks;

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
    free(mender->ranks);
    free(mender->queue);
    free(mender->depths);
    free(repairer.best_before);
    free(repairer.order_before);
    free(repairer.before);
    free(repairer.best);
    free(repairer.order);
    return status;
}
