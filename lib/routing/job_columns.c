/* job_columns.c -- see job_columns.h. */
#include "routing/job_columns.h"

#include "base/mem.h"
#include "routes/turn_table.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* By how much the potential may rise, for lack of digits. */
#define ROUNDING 1e-12

bool
sf_job_grower_make(struct sf_job_grower *grower,
                   const struct sf_network *network)
{
    size_t n = network->graph->n_nodes;
    size_t n_arcs = 2 * (size_t)network->graph->n_links;

    *grower = (struct sf_job_grower){
        .network = network,
        .old_factor = 1,
        .ceiling = DBL_MAX,
        .loads = sf_calloc(n_arcs, sizeof *grower->loads),
        .prices = sf_calloc(n_arcs, sizeof *grower->prices),
        .uniform = sf_calloc(n_arcs, sizeof *grower->uniform),
        .uniform_before = sf_calloc(n_arcs, sizeof *grower->uniform),
        .n_uses = sf_calloc(n_arcs, sizeof *grower->n_uses),
        .old = sf_calloc(n, sizeof *grower->old),
        .hops = sf_calloc(n, sizeof *grower->hops),
        .depths = sf_calloc(n, sizeof *grower->depths),
        .ranks = sf_calloc(n, sizeof *grower->ranks),
        .is_passed = sf_calloc(n, sizeof *grower->is_passed),
        .order = sf_calloc(n, sizeof *grower->order),
        .direct = sf_calloc(n, sizeof *grower->direct),
        .touched = sf_calloc(n_arcs, sizeof *grower->touched),
        .before = sf_calloc(n_arcs, sizeof *grower->before),
        .is_touched = sf_calloc(n_arcs, sizeof *grower->is_touched),
        .sorted = sf_calloc(n_arcs, sizeof *grower->sorted),
    };
    return grower->loads && grower->prices && grower->uniform &&
           grower->uniform_before && grower->n_uses && grower->old &&
           grower->hops && grower->depths && grower->ranks &&
           grower->is_passed && grower->order && grower->direct &&
           grower->touched && grower->before && grower->is_touched &&
           grower->sorted;
}

void
sf_job_grower_clear(struct sf_job_grower *grower)
{
    free(grower->sorted);
    free(grower->is_touched);
    free(grower->before);
    free(grower->touched);
    free(grower->direct);
    free(grower->order);
    free(grower->is_passed);
    free(grower->ranks);
    free(grower->depths);
    free(grower->hops);
    free(grower->old);
    free(grower->n_uses);
    free(grower->uniform_before);
    free(grower->uniform);
    free(grower->prices);
    free(grower->loads);
    *grower = (struct sf_job_grower){ 0 };
}

static double
price_of(const struct sf_job_grower *grower, double load)
{
    return exp(grower->beta * (load - grower->offset));
}

double
sf_job_grower_most(struct sf_job_grower *grower)
{
    if (grower->is_most_stale) {
        grower->most = 0;
        grower->is_most_stale = false;
        for (uint32_t i = 0; i < 2 * grower->network->graph->n_links; i++) {
            grower->most = fmax(grower->most, grower->loads[i]);
        }
    }
    return grower->most;
}

/* Sorts the arcs of each switch by price, so that good paths are found soon
 * and others need not be followed. */
static void
sort_arcs(struct sf_job_grower *grower)
{
    const struct sf_graph *graph = grower->network->graph;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            uint32_t k = i;
            for (; k > graph->first[s] &&
                   grower->prices[grower->sorted[k - 1]] > grower->prices[i];
                 k--) {
                grower->sorted[k] = grower->sorted[k - 1];
            }
            grower->sorted[k] = i;
        }
    }
}

void
sf_job_grower_heat(struct sf_job_grower *grower, double beta)
{
    uint32_t n_arcs = 2 * grower->network->graph->n_links;

    grower->beta = beta;
    grower->is_most_stale = true;
    grower->offset = sf_job_grower_most(grower);
    for (uint32_t i = 0; i < n_arcs; i++) {
        grower->prices[i] = price_of(grower, grower->loads[i]);
    }
    sort_arcs(grower);
}

/* Adds 'amount' to the arcs from 's' along 'hops', and follows the potential.
 */
static void
load(struct sf_job_grower *grower, const uint16_t *hops, uint32_t s,
     double amount)
{
    const struct sf_graph *graph = grower->network->graph;

    while (hops[s] != SF_NO_HOP) {
        uint32_t arc = graph->first[s] + hops[s];
        if (!grower->is_touched[arc]) {
            grower->is_touched[arc] = true;
            grower->before[arc] =
                (struct sf_job_arc){ grower->loads[arc], grower->prices[arc] };
            grower->touched[grower->n_touched++] = arc;
        }
        grower->is_most_stale |= grower->loads[arc] >= grower->most;
        grower->loads[arc] += amount;
        grower->most = fmax(grower->most, grower->loads[arc]);
        double price = price_of(grower, grower->loads[arc]);
        grower->rise += price - grower->prices[arc];
        grower->prices[arc] = price;
        s = graph->arcs[arc].to;
    }
}

/* The rank of the channel on 'out' of a packet that came over 'in' on a
 * channel of rank 'rank'; 0 if it may not.  A packet may also start with
 * 'in'. */
static uint32_t
rank_after(const struct sf_job_grower *grower, uint32_t in, uint32_t rank,
           uint32_t out)
{
    const struct sf_graph *graph = grower->network->graph;
    uint32_t next =
        sf_turns_rank(grower->turns, graph, grower->network->reverse, in,
                      out - graph->first[graph->arcs[in].to], SF_ANY_RANK);
    return next > rank || !grower->turns ? next : 0;
}

/* The price of what the path of switch 's' has to go. */
static double
price_from(const struct sf_job_grower *grower, uint32_t s)
{
    const struct sf_graph *graph = grower->network->graph;
    double sum = 0;

    while (grower->hops[s] != SF_NO_HOP) {
        uint32_t arc = graph->first[s] + grower->hops[s];
        sum += grower->prices[arc];
        s = graph->arcs[arc].to;
    }
    return sum;
}

/* Keeps the path of 'n' arcs if it is the cheapest. */
static void
offer(struct sf_job_grower *grower, uint32_t n, double cost)
{
    if (cost < grower->best_cost) {
        grower->best_cost = cost;
        grower->n_best = n;
        memcpy(grower->best, grower->path, n * sizeof *grower->path);
    }
}

/* Offers the path of 'n' arcs, the last of rank 'rank', which ends at a switch
 * that has its place, if it may go on as that does. */
static void
join(struct sf_job_grower *grower, uint32_t n, uint32_t rank, double cost)
{
    const struct sf_graph *graph = grower->network->graph;
    uint32_t last = grower->path[n - 1], to = graph->arcs[last].to;

    if (n + grower->depths[to] > grower->search_hops) {
        return;
    }
    if (to != grower->column->d) {
        uint32_t next = rank_after(grower, last, rank,
                                   graph->first[to] + grower->hops[to]);
        if (next == 0 || (grower->turns && next >= grower->ranks[to])) {
            return;
        }
        cost += price_from(grower, to);
    }
    offer(grower, n, cost);
}

static void search(struct sf_job_grower *grower, uint32_t s, uint32_t n,
                   uint32_t rank, double cost);

/* What arc 'i' of 's' costs the source that is being placed. */
static double
price_for_source(const struct sf_job_grower *grower, uint32_t s, uint32_t i)
{
    bool is_old = grower->network->graph->first[s] + grower->old[s] == i;

    return grower->prices[i] * (is_old ? grower->old_factor : 1) *
           (1 + grower->overlap_price * grower->n_uses[i]);
}

/* Goes on over arc 'i' of 's', to which the first 'n' arcs of the path lead,
 * the last of rank 'rank'. */
static void
step(struct sf_job_grower *grower, uint32_t s, uint32_t i, uint32_t n,
     uint32_t rank, double cost)
{
    const struct sf_graph *graph = grower->network->graph;
    uint32_t to = graph->arcs[i].to;
    double rest = to == grower->column->d ? 0 : grower->last_price;

    cost += price_for_source(grower, s, i);
    if (cost + rest >= grower->best_cost || grower->is_passed[to] ||
        n + 1u + grower->column->distance[to] > grower->search_hops) {
        return;
    }
    uint32_t next =
        n > 0 ? rank_after(grower, grower->path[n - 1], rank, i)
        : grower->turns
            ? grower->turns->ranks[(size_t)i * grower->turns->n_vls]
            : 1;
    if (n > 0 && next == 0) {
        return;
    }
    grower->path[n] = i;
    if (grower->depths[to] != SF_NONE) {
        join(grower, n + 1, next, cost);
    } else {
        search(grower, to, n + 1, next, cost);
    }
}

/* Searches on from 's'.  The last hop can only be the one to the destination,
 * and that before leads beside it. */
static void
search(struct sf_job_grower *grower, uint32_t s, uint32_t n, uint32_t rank,
       double cost)
{
    const struct sf_graph *graph = grower->network->graph;

    if (n + 1 == grower->search_hops) {
        step(grower, s, grower->direct[s], n, rank, cost);
        return;
    }
    bool is_near = n + 2 == grower->search_hops;
    const uint32_t *first =
        is_near ? grower->column->first_near : graph->first;
    const uint32_t *arcs = is_near ? grower->column->near : grower->sorted;
    grower->is_passed[s] = true;
    for (uint32_t i = first[s]; i < first[s + 1]; i++) {
        step(grower, s, arcs[i], n, rank, cost);
    }
    grower->is_passed[s] = false;
}

/* Gives 's' the arc 'arc', of which the end has its place; false if it may
 * not. */
static bool
place(struct sf_job_grower *grower, uint32_t s, uint32_t arc)
{
    const struct sf_graph *graph = grower->network->graph;
    uint32_t to = graph->arcs[arc].to;
    uint32_t rank =
        to == grower->column->d
            ? SF_ANY_RANK
            : sf_turns_rank(grower->turns, graph, grower->network->reverse,
                            arc, grower->hops[to], grower->ranks[to]);

    if (rank == 0) {
        return false;
    }
    grower->hops[s] = (uint16_t)(arc - graph->first[s]);
    grower->depths[s] = grower->depths[to] + 1;
    grower->ranks[s] = rank;
    return true;
}

/* Finds the arcs by which switches beside the destination reach it, of
 * parallel ones the cheapest, and the price of the cheapest of all: no path
 * costs less. */
static void
find_direct(struct sf_job_grower *grower)
{
    const struct sf_network *network = grower->network;
    const struct sf_graph *graph = network->graph;
    uint32_t d = grower->column->d;

    grower->last_price = DBL_MAX;
    for (uint32_t i = graph->first[d]; i < graph->first[d + 1]; i++) {
        uint32_t arc = network->reverse[i], *direct;
        double price = grower->prices[arc];
        direct = &grower->direct[graph->arcs[i].to];
        if (i == graph->first[d] ||
            graph->arcs[i - 1].to != graph->arcs[i].to ||
            price < grower->prices[*direct]) {
            *direct = arc;
        }
        grower->last_price = fmin(grower->last_price, price);
    }
    grower->last_price *= fmin(1, grower->old_factor);
}

/* Counts, for each arc, the other layers whose paths from 's' to the column's
 * destination go over it; or makes these counts 0 again. */
static void
count_uses(struct sf_job_grower *grower, uint32_t s, bool to_zero)
{
    const struct sf_graph *graph = grower->network->graph;
    const struct sf_routes *routes = grower->routes;
    const struct sf_job_column *column = grower->column;

    if (grower->overlap_price == 0) {
        return;
    }
    for (uint32_t l = 0; l < sf_routes_n_layers(routes); l++) {
        const uint16_t *hops =
            sf_layers_tree(routes->sets[column->set], l, column->d);
        for (uint32_t v = s; l != column->layer && hops[v] != SF_NO_HOP;) {
            uint32_t arc = graph->first[v] + hops[v];
            grower->n_uses[arc] =
                to_zero ? 0 : (uint16_t)(grower->n_uses[arc] + 1);
            v = graph->arcs[arc].to;
        }
    }
}

/* Gives source 's' the cheapest path; false if there is none. */
static bool
place_source(struct sf_job_grower *grower, uint32_t s)
{
    const struct sf_network *network = grower->network;

    if (grower->column->distance[s] > grower->search_hops) {
        return false;
    }
    grower->best_cost = DBL_MAX;
    find_direct(grower);
    count_uses(grower, s, false);
    search(grower, s, 0, 0, 0);
    count_uses(grower, s, true);
    if (grower->best_cost == DBL_MAX) {
        return false;
    }
    for (uint32_t k = grower->n_best; k-- > 0;) {
        uint32_t arc = grower->best[k];
        if (!place(grower, network->graph->arcs[network->reverse[arc]].to,
                   arc)) {
            return false;
        }
    }
    return true;
}

/* Places all sources in random order. */
static bool
place_sources(struct sf_job_grower *grower)
{
    const struct sf_job_column *column = grower->column;

    for (uint32_t i = 0; i < column->n_sources; i++) {
        grower->order[i] = i;
    }
    sf_random_shuffle(&grower->random, grower->order, column->n_sources);
    for (uint32_t i = 0; i < column->n_sources; i++) {
        const struct sf_job_source *source =
            &column->sources[grower->order[i]];
        if (grower->depths[source->s] == SF_NONE &&
            !place_source(grower, source->s)) {
            return false;
        }
        load(grower, grower->hops, source->s, source->amount * column->share);
    }
    return true;
}

/* The most loaded arc of uniform traffic from 's' on, which has its place. */
static double
busiest_from(const struct sf_job_grower *grower, uint32_t s)
{
    const struct sf_graph *graph = grower->network->graph;
    double most = 0;

    while (grower->hops[s] != SF_NO_HOP) {
        uint32_t arc = graph->first[s] + grower->hops[s];
        most = fmax(most, grower->uniform[arc]);
        s = graph->arcs[arc].to;
    }
    return most;
}

/* Adds what the hosts of 's' send under uniform traffic to the arcs from 's'
 * along 'hops'. */
static void
load_uniformly(struct sf_job_grower *grower, const uint16_t *hops, uint32_t s,
               double sign)
{
    const struct sf_graph *graph = grower->network->graph;
    double amount =
        sign * grower->network->n_hosts[s] * grower->column->uniform_share;

    while (amount != 0 && hops[s] != SF_NO_HOP) {
        uint32_t arc = graph->first[s] + hops[s];
        grower->uniform[arc] += amount;
        s = graph->arcs[arc].to;
    }
}

/* The most uniform traffic on an arc of 'hops'. */
static double
find_most_uniform(const struct sf_job_grower *grower, const uint16_t *hops)
{
    const struct sf_graph *graph = grower->network->graph;
    double most = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        if (hops[s] != SF_NO_HOP) {
            most = fmax(most, grower->uniform[graph->first[s] + hops[s]]);
        }
    }
    return most;
}

/* Whether the path of 's' has room for its uniform traffic. */
static bool
has_room(const struct sf_job_grower *grower, uint32_t s)
{
    return busiest_from(grower, s) +
               grower->network->n_hosts[s] * grower->column->uniform_share <=
           grower->floor;
}

static void
unplace(struct sf_job_grower *grower, uint32_t s)
{
    grower->depths[s] = SF_NONE;
    grower->hops[s] = SF_NO_HOP;
}

/* Places 's' as it was, if that may be. */
static bool
place_as_before(struct sf_job_grower *grower, uint32_t s)
{
    const struct sf_graph *graph = grower->network->graph;
    uint32_t arc = graph->first[s] + grower->old[s];

    if (grower->depths[graph->arcs[arc].to] >= grower->max_hops ||
        !place(grower, s, arc)) {
        return false;
    }
    if (!has_room(grower, s)) {
        unplace(grower, s);
        return false;
    }
    return true;
}

/* Places 's' behind any switch that has its place, where uniform traffic is
 * lowest. */
static bool
place_anywhere(struct sf_job_grower *grower, uint32_t s)
{
    const struct sf_graph *graph = grower->network->graph;
    uint32_t best = SF_NONE;
    double least = DBL_MAX;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t to = graph->arcs[i].to;
        if (grower->depths[to] < grower->max_hops && place(grower, s, i)) {
            double most = busiest_from(grower, s);
            if (most < least) {
                least = most;
                best = i;
            }
        }
    }
    if (best == SF_NONE) {
        unplace(grower, s);
        return false;
    }
    return place(grower, s, best);
}

/* Places 's', which has no hosts, where no packet of a host comes by. */
static bool
place_apart(struct sf_job_grower *grower, uint32_t s)
{
    const struct sf_graph *graph = grower->network->graph;
    uint32_t arc = graph->first[s] + grower->old[s];

    if (!grower->only_hosts || grower->network->n_hosts[s] > 0 ||
        grower->old[s] == SF_NO_HOP ||
        grower->depths[graph->arcs[arc].to] == SF_NONE) {
        return false;
    }
    grower->hops[s] = grower->old[s];
    grower->depths[s] = grower->depths[graph->arcs[arc].to] + 1;
    grower->ranks[s] = 0; /* Nothing can join it. */
    return true;
}

/* Goes through the 'n' switches of order[] that have no place yet, and drops
 * those that get one by 'place_one', or the first of them; how many are left.
 */
static uint32_t
sweep(struct sf_job_grower *grower, uint32_t n, bool only_first,
      bool (*place_one)(struct sf_job_grower *, uint32_t))
{
    uint32_t n_left = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = grower->order[i];
        if ((only_first && n_left < i) || !place_one(grower, s)) {
            grower->order[n_left++] = s;
        } else {
            load_uniformly(grower, grower->hops, s, 1);
        }
    }
    return n_left;
}

/* Finds places for all other switches that had one: as before where possible.
 */
static bool
complete(struct sf_job_grower *grower)
{
    static bool (*const ways[])(struct sf_job_grower *,
                                uint32_t) = { place_as_before, place_anywhere,
                                              place_apart };
    uint32_t n = 0, k = 0;

    for (uint32_t s = 0; s < grower->network->graph->n_nodes; s++) {
        if (grower->depths[s] != SF_NONE) {
            load_uniformly(grower, grower->hops, s, 1);
        } else if (grower->old[s] != SF_NO_HOP) {
            grower->order[n++] = s;
        }
    }
    while (n > 0 && k < sizeof ways / sizeof *ways) {
        uint32_t n_left = sweep(grower, n, k > 0, ways[k]);
        k = n_left < n ? 0 : k + 1;
        n = n_left;
    }
    return n == 0;
}

/* Takes all of the column's load away. */
static void
begin(struct sf_job_grower *grower, const struct sf_job_column *column)
{
    uint32_t n = grower->network->graph->n_nodes;

    grower->column = column;
    grower->rise = 0;
    grower->n_touched = 0;
    grower->most_before = sf_job_grower_most(grower);
    memcpy(grower->old, column->hops, n * sizeof *column->hops);
    memset(grower->hops, 0xff, n * sizeof *grower->hops);
    memset(grower->depths, 0xff, n * sizeof *grower->depths);
    grower->depths[column->d] = 0;
    for (uint32_t i = 0; i < column->n_sources; i++) {
        load(grower, grower->old, column->sources[i].s,
             -column->sources[i].amount * column->share);
    }
}

static void
take_back(struct sf_job_grower *grower)
{
    for (uint32_t i = 0; i < grower->n_touched; i++) {
        uint32_t arc = grower->touched[i];
        grower->loads[arc] = grower->before[arc].load;
        grower->prices[arc] = grower->before[arc].price;
    }
    grower->most = grower->most_before;
    grower->is_most_stale = false;
}

/* Whether all that has its place has it as before. */
static bool
is_as_before(const struct sf_job_grower *grower)
{
    for (uint32_t s = 0; s < grower->network->graph->n_nodes; s++) {
        if (grower->hops[s] != SF_NO_HOP &&
            grower->hops[s] != grower->old[s]) {
            return false;
        }
    }
    return true;
}

/* Whether the new column is worse than the old one for uniform traffic, and
 * too bad. */
static bool
is_below_floor(const struct sf_job_grower *grower, double most_before)
{
    double most = find_most_uniform(grower, grower->hops);
    return most > grower->floor && most > most_before;
}

bool
sf_job_grower_regrow(struct sf_job_grower *grower,
                     const struct sf_job_column *column)
{
    const struct sf_graph *graph = grower->network->graph;
    size_t n = graph->n_nodes, n_arcs = 2 * (size_t)graph->n_links;
    double most_before = find_most_uniform(grower, column->hops);

    begin(grower, column);
    double returned = -grower->rise;
    bool is_better = place_sources(grower) &&
                     grower->rise <= ROUNDING * returned &&
                     grower->most <= grower->ceiling && !is_as_before(grower);
    if (is_better) {
        memcpy(grower->uniform_before, grower->uniform,
               n_arcs * sizeof *grower->uniform);
        for (uint32_t s = 0; s < n; s++) {
            load_uniformly(grower, grower->old, s, -1);
        }
        is_better = complete(grower) && !is_below_floor(grower, most_before);
        if (!is_better) {
            memcpy(grower->uniform, grower->uniform_before,
                   n_arcs * sizeof *grower->uniform);
        }
    }
    if (is_better) {
        memcpy(column->hops, grower->hops, n * sizeof *column->hops);
    } else {
        take_back(grower);
    }
    for (uint32_t i = 0; i < grower->n_touched; i++) {
        grower->is_touched[grower->touched[i]] = false;
    }
    return is_better;
}
