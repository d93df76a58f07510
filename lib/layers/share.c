/* share.c -- moves the trees of complete layers towards what serves equal
 * shares.
 *
 * With equal shares nobody avoids a bad path: every path of every layer
 * carries its part.  All-to-all then wants short paths and even loads; few
 * pairs at a time want that the paths of a pair share no link.  The sum of
 * - (load / mean)^16 over all links, and
 * - the overlap of a pair's paths, the squares of how many go over a link,
 * has both in it, and the price of overlap says how much of each.  The power
 * grows from round to round: first paths become short, then loads even.
 *
 * A switch, with all that come over it, takes another next hop if that makes
 * the sum less.  So the trees stay valid, and the sum only falls in a round.
 * Layer 0 chooses among shortest paths.
 *
 * O(R L^2 V^2 H^2 + R L V E H) time for R rounds and paths of H hops, O(L V +
 * E) space.  Nearly all of it is to ask for costs, so these are kept: what a
 * load costs, for a round; what a leaf more costs on each arc, until its load
 * changes.  For a leaf, a switch over which nobody comes, the links that it
 * would be the better for are asked in a row.  All others are few, and are
 * looked at arc by arc.  In the last round over a large network, leaves that
 * pay little for their way keep it.  All costs are integers: machines change
 * nothing. */
#include "layers/share.h"

#include "base/mem.h"
#include "layers/robust.h"
#include "layers/share_parts.h"
#include "slimfly/progress.h"
#include "slimfly/random.h"

#include <string.h>

/* The power of loads in each round, by the size of the graph.  Rounds cost
 * large graphs more and give them less: at q = 11, three have within half a
 * percent of what six have. */
#define MAX_ROUNDS 6
#define HUGE_GRAPH 400
static const struct effort {
    uint32_t most_switches;
    uint32_t n_rounds, powers[MAX_ROUNDS];
} efforts[] = {
    { 200, 6, { 4, 4, 8, 8, 16, 16 } },
    { HUGE_GRAPH, 3, { 4, 8, 16 } },
    { UINT32_MAX, 2, { 4, 16 } },
};

/* For layers that are robust already. */
static const struct effort last_effort = { UINT32_MAX,
                                           5,
                                           { 4, 8, 16, 16, 16 } };

static const struct effort *
effort_for(uint32_t n_switches)
{
    const struct effort *effort = efforts;

    while (n_switches > effort->most_switches) {
        effort++;
    }
    return effort;
}

uint64_t
sf_share_cost(uint64_t load, uint64_t target, uint32_t power)
{
    uint64_t x = load * SF_SHARE_ONE / target;

    x = x < SF_SHARE_MOST_LOAD ? x : SF_SHARE_MOST_LOAD;
    for (uint32_t k = 1; k < power; k *= 2) {
        x = x * x / SF_SHARE_ONE;
    }
    return x;
}

/* What it costs that the branch goes over 'arc'. */
static uint64_t
cost_of_arc(const struct sf_sharing *sharing, uint32_t arc)
{
    const struct sf_share_use *use = &sharing->uses[arc];
    uint64_t cost =
        sf_share_cost_of_load(sharing, use->load + sharing->routes) -
        sf_share_cost_of_load(sharing, use->load) + sharing->hop_cost;

    return use->shared > 0
               ? cost + sf_share_cost_of_overlap(sharing, use->shared)
               : cost;
}

/* What it costs to take 'arc' and to go on to the destination; if that is not
 * below 'limit', something that is not either. */
static uint64_t
cost_over(const struct sf_sharing *sharing, uint32_t arc, uint64_t limit)
{
    const struct sf_graph *graph = sharing->job->graph;
    uint64_t cost = cost_of_arc(sharing, arc);

    for (uint32_t v = graph->arcs[arc].to;
         v != sharing->destination && cost < limit; v = graph->arcs[arc].to) {
        arc = graph->first[v] + sharing->hops[v];
        cost += cost_of_arc(sharing, arc);
    }
    return cost;
}

/* The rank of the next channel when coming over 'arc' to a switch whose own
 * next channel has the rank 'next'; 0 if the turn is not allowed. */
static uint32_t
rank_over(const struct sf_sharing *sharing, uint32_t arc, uint32_t next)
{
    uint32_t v = sharing->job->graph->arcs[arc].to;

    if (!sharing->job->params->turns || v == sharing->destination) {
        return SF_ANY_RANK;
    }
    return sf_turn_rank(sharing->job, arc, sharing->hops[v], next);
}

/* The rank of the channel of 'v' after its first turn, which is allowed. */
static uint32_t
rank_of(const struct sf_sharing *sharing, uint32_t v)
{
    if (v == sharing->destination) {
        return SF_ANY_RANK;
    }
    return rank_over(sharing, sharing->job->graph->first[v] + sharing->hops[v],
                     SF_ANY_RANK);
}

static void
flip_child(const struct sf_sharing *sharing, uint32_t arc)
{
    uint32_t back = sharing->job->reverse[arc];
    sharing->by_tree[back / 64] ^= UINT64_C(1) << back % 64;
}

/* Whether nobody comes over 's'. */
static bool
is_leaf(const struct sf_sharing *sharing, uint32_t s)
{
    return sharing->places[s].n_children == 0;
}

/* The first arc from 'arc' on, before 'end', to a switch that comes over it;
 * 'end' if there is none. */
static uint32_t
next_child(const struct sf_sharing *sharing, uint32_t arc, uint32_t end)
{
    while (arc < end) {
        uint64_t rest = sharing->by_tree[arc / 64] >> arc % 64;
        if (rest) {
            arc += (uint32_t)__builtin_ctzll(rest);
            break;
        }
        arc += 64 - arc % 64;
    }
    return arc < end ? arc : end;
}

/* Lists 's' and all that come over it. */
static void
list_branch(struct sf_sharing *sharing, uint32_t s)
{
    const struct sf_graph *graph = sharing->job->graph;

    sharing->branch[0] = s;
    sharing->n_branch = 1;
    for (uint32_t i = 0; i < sharing->n_branch; i++) {
        uint32_t v = sharing->branch[i], end = graph->first[v + 1];
        sharing->is_in_branch[v] = true;
        for (uint32_t j = next_child(sharing, graph->first[v], end); j < end;
             j = next_child(sharing, j + 1, end)) {
            sharing->branch[sharing->n_branch++] = graph->arcs[j].to;
        }
    }
    uint32_t last = sharing->branch[sharing->n_branch - 1];
    sharing->height =
        (uint32_t)(sharing->places[last].depth - sharing->places[s].depth);
}

/* The same for a leaf. */
static void
list_leaf(struct sf_sharing *sharing, uint32_t s)
{
    sharing->branch[0] = s;
    sharing->n_branch = 1;
    sharing->height = 0;
}

static void
forget_branch(struct sf_sharing *sharing)
{
    for (uint32_t i = 0; i < sharing->n_branch; i++) {
        sharing->is_in_branch[sharing->branch[i]] = false;
    }
}

/* Adds 'change' to the loads of the path from 's'. */
static void
change_loads(const struct sf_sharing *sharing, uint32_t s, uint32_t change)
{
    const struct sf_graph *graph = sharing->job->graph;

    while (s != sharing->destination) {
        uint32_t arc = graph->first[s] + sharing->hops[s];
        sharing->uses[arc].load += change;
        sharing->prices[arc] =
            sf_share_step_of_load(sharing, sharing->uses[arc].load);
        sf_share_set_place_price(sharing, s);
        s = sharing->places[s].parent;
    }
}

/* Adds the routes of 'v' in other layers. */
static void
count_others(struct sf_sharing *sharing, uint32_t v, uint32_t routes)
{
    const struct sf_layer_job *job = sharing->job;
    const struct sf_graph *graph = job->graph;
    uint32_t d = sharing->destination;

    for (uint32_t l = 0; routes > 0 && l < job->layers->n_layers; l++) {
        const uint16_t *hops = sf_layers_tree(job->layers, l, d);
        const uint32_t *parents = sf_share_parents(sharing, l);
        for (uint32_t w = v; l != sharing->layer && w != d; w = parents[w]) {
            uint32_t arc = graph->first[w] + hops[w];
            if (sharing->uses[arc].shared == 0) {
                sharing->touched[sharing->n_touched++] = arc;
            }
            sharing->uses[arc].shared += routes;
        }
    }
}

/* Whether a leaf may come over 'arc'. */
static bool
may_leaf_turn(const struct sf_sharing *sharing, uint32_t arc)
{
    const struct sf_layer_job *job = sharing->job;
    uint32_t v = job->graph->arcs[arc].to;
    uint32_t from = job->reverse[arc] - job->graph->first[v];

    if (v == sharing->destination) {
        return true;
    }
    if (from >= 64) {
        return rank_over(sharing, arc, rank_of(sharing, v)) != 0;
    }
    if (sharing->may[v] == 0) {
        sharing->may[v] = sf_turn_columns_may(
            job->turns, job->graph, v, sharing->hops[v], rank_of(sharing, v));
    }
    return sharing->may[v] >> from & 1;
}

/* Whether the whole branch may come over 's' if that goes over 'arc'. */
bool
sf_share_may_turn(const struct sf_sharing *sharing, uint32_t s, uint32_t arc)
{
    const struct sf_graph *graph = sharing->job->graph;
    uint16_t before = sharing->hops[s];

    if (!sharing->job->params->turns) {
        return true;
    }
    if (sharing->n_branch == 1 && sharing->job->turns) {
        return may_leaf_turn(sharing, arc);
    }
    sharing->new_rank[s] =
        rank_over(sharing, arc, rank_of(sharing, graph->arcs[arc].to));
    bool may = sharing->new_rank[s] != 0;
    sharing->hops[s] = (uint16_t)(arc - graph->first[s]);
    for (uint32_t i = 1; may && i < sharing->n_branch; i++) {
        uint32_t v = sharing->branch[i];
        uint32_t up = graph->first[v] + sharing->hops[v];
        uint32_t next = sharing->new_rank[graph->arcs[up].to];
        sharing->new_rank[v] = rank_over(sharing, up, next);
        may = sharing->new_rank[v] != 0;
    }
    sharing->hops[s] = before;
    return may;
}

/* How near to the destination the switch must be over which a branch of that
 * height goes that starts with 's': nearer than what is returned.  In layer 0
 * no neighbour is nearer than those on shortest paths. */
static uint32_t
find_end(const struct sf_sharing *sharing, uint32_t s, uint32_t height)
{
    uint32_t limit = sharing->job->limits[sharing->destination];
    uint32_t depth = sharing->places[s].depth;
    uint32_t end = limit > height ? limit - height : 0;

    return sharing->layer == 0 || (sharing->keeps_robust && end < depth)
               ? depth
               : end;
}

/* Whether the branch of 's' may find other ways, as far as can be told before
 * it is listed.  Most do not. */
static bool
may_branch_move(const struct sf_sharing *sharing, uint32_t s)
{
    const struct sf_graph *graph = sharing->job->graph;
    uint32_t end = find_end(sharing, s, is_leaf(sharing, s) ? 0 : 1), n = 0;
    uint32_t now = graph->first[s] + sharing->hops[s];

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        n += (sharing->places[graph->arcs[i].to].depth < end) & (i != now);
    }
    return n > 0;
}

/* Lists the arcs of 's', but the one that it has, to switches from which the
 * branch is near enough: without a branch in the code, since no processor can
 * foresee depths. */
void
sf_share_list_near(struct sf_sharing *sharing, uint32_t s)
{
    const struct sf_graph *graph = sharing->job->graph;
    uint32_t end = find_end(sharing, s, sharing->height), n = 0;
    uint32_t now = graph->first[s] + sharing->hops[s];

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t v = graph->arcs[i].to;
        sharing->near[n] = i;
        n += (sharing->places[v].depth < end) & (i != now) &
             !sharing->is_in_branch[v];
    }
    sharing->n_near = n;
}

/* The arc over which the branch of 's' costs least, without its routes on the
 * links of now. */
static uint32_t
best_arc(const struct sf_sharing *sharing, uint32_t s)
{
    const struct sf_graph *graph = sharing->job->graph;
    uint32_t best = graph->first[s] + sharing->hops[s];
    uint64_t least = cost_over(sharing, best, UINT64_MAX);

    for (uint32_t i = 0; i < sharing->n_near; i++) {
        uint32_t arc = sharing->near[i];
        uint64_t cost = cost_over(sharing, arc, least);
        if (cost < least && sf_share_may_turn(sharing, s, arc)) {
            least = cost;
            best = arc;
        }
    }
    return best;
}

/* Lets 's' go over 'arc', which it may. */
static void
move(const struct sf_sharing *sharing, uint32_t s, uint32_t arc)
{
    const struct sf_graph *graph = sharing->job->graph;
    struct sf_share_place *places = sharing->places;
    uint32_t parent = graph->arcs[arc].to;
    uint16_t change = (uint16_t)(places[parent].depth + 1 - places[s].depth);

    flip_child(sharing, graph->first[s] + sharing->hops[s]);
    flip_child(sharing, arc);
    sharing->hops[s] = (uint16_t)(arc - graph->first[s]);
    sf_share_parents(sharing, sharing->layer)[s] = parent;
    places[places[s].parent].n_children--;
    places[parent].n_children++;
    places[s].parent = parent;
    for (uint32_t i = 0; i < sharing->n_branch; i++) {
        struct sf_share_place *place = &places[sharing->branch[i]];
        place->depth = (uint16_t)(place->depth + change);
        sharing->may[sharing->branch[i]] = 0;
        sf_share_set_place_price(sharing, sharing->branch[i]);
    }
}

/* Counts the routes of the branch of 's' and takes them off its path, or puts
 * them back. */
static void
lift_branch(struct sf_sharing *sharing, uint32_t s)
{
    uint64_t to = sharing->weights[sharing->destination];

    sharing->routes = 0;
    for (uint32_t i = 0; i < sharing->n_branch; i++) {
        uint32_t v = sharing->branch[i];
        uint32_t routes =
            (uint32_t)(sharing->weights[v] * to / sharing->grain);
        sharing->routes += routes;
        count_others(sharing, v, routes);
    }
    sharing->hop_cost = sf_share_cost_of_routes(sharing, sharing->routes) /
                        SF_SHARE_LEAST_PRICE;
    change_loads(sharing, s, -sharing->routes);
}

static void
drop_branch(struct sf_sharing *sharing, uint32_t s)
{
    change_loads(sharing, s, sharing->routes);
    while (sharing->n_touched > 0) {
        sharing->uses[sharing->touched[--sharing->n_touched]].shared = 0;
    }
}

/* What the branch lacks to be robust; nothing where that does not matter. */
static uint64_t
lack_of_branch(const struct sf_sharing *sharing)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; sharing->keeps_robust && i < sharing->n_branch; i++) {
        sum += sf_robust_lack(sharing->job, sharing->branch[i],
                              sharing->destination);
    }
    return sum;
}

/* Lets 's', with all that come over it, go where that costs least. */
static void
improve_branch(struct sf_sharing *sharing, uint32_t s)
{
    if (!may_branch_move(sharing, s)) {
        return;
    }
    list_branch(sharing, s);
    sf_share_list_near(sharing, s);
    if (sharing->n_near > 0) {
        lift_branch(sharing, s);
        uint32_t arc = best_arc(sharing, s);
        uint32_t before = sharing->job->graph->first[s] + sharing->hops[s];
        if (arc != before) {
            uint64_t lack = lack_of_branch(sharing);
            move(sharing, s, arc);
            if (lack_of_branch(sharing) > lack) {
                move(sharing, s, before);
            }
        }
        drop_branch(sharing, s);
    }
    forget_branch(sharing);
}

/* The same for a leaf of the usual routes, if robust pairs do not matter. */
static void
improve_leaf(struct sf_sharing *sharing, uint32_t s)
{
    if (sf_share_is_leaf_well(sharing, s)) {
        return;
    }
    list_leaf(sharing, s);
    uint32_t arc = sf_share_best_arc_of_leaf(sharing, s);
    if (arc != sharing->job->graph->first[s] + sharing->hops[s]) {
        change_loads(sharing, s, -sharing->unit);
        move(sharing, s, arc);
        change_loads(sharing, s, sharing->unit);
    }
}

static void
improve(struct sf_sharing *sharing, uint32_t s)
{
    uint64_t to = sharing->weights[sharing->destination];
    uint64_t routes = sharing->weights[s] * to / sharing->grain;

    if (sharing->layer == 0 && sharing->n_ways[s] < 2) {
        return;
    }
    if (is_leaf(sharing, s) && routes == sharing->unit &&
        !sharing->keeps_robust) {
        improve_leaf(sharing, s);
    } else {
        improve_branch(sharing, s);
    }
}

/* Finds where all switches go next towards the destination. */
static void
find_parents(struct sf_sharing *sharing)
{
    const struct sf_graph *graph = sharing->job->graph;
    const struct sf_layers *layers = sharing->job->layers;

    for (uint32_t l = 0; l < layers->n_layers; l++) {
        const uint16_t *hops = sf_layers_tree(layers, l, sharing->destination);
        uint32_t *parents = sf_share_parents(sharing, l);
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            parents[s] = hops[s] == SF_NO_HOP
                             ? s
                             : graph->arcs[graph->first[s] + hops[s]].to;
        }
    }
}

/* Counts the shortest ways of all switches in 'order', where all have shortest
 * paths. */
static void
count_ways(struct sf_sharing *sharing, const uint32_t *order, uint32_t n)
{
    const struct sf_graph *graph = sharing->job->graph;
    const struct sf_share_place *places = sharing->places;
    uint32_t farthest = places[order[n - 1]].depth;

    memset(sharing->n_ways, 0, graph->n_nodes * sizeof *sharing->n_ways);
    for (uint32_t i = 0; places[order[i]].depth < farthest; i++) {
        uint32_t v = order[i];
        for (uint32_t j = graph->first[v]; j < graph->first[v + 1]; j++) {
            uint32_t s = graph->arcs[j].to;
            sharing->n_ways[s] += places[s].depth > places[v].depth;
        }
    }
}

/* Finds the places of the tree at hand: 'order' gets its switches,
 * nearest first.  Returns their number. */
static uint32_t
read_tree(struct sf_sharing *sharing, uint32_t *order)
{
    const struct sf_graph *graph = sharing->job->graph;
    const uint32_t *first = graph->first;
    const uint32_t *parents = sf_share_parents(sharing, sharing->layer);
    uint32_t n = 1;

    memset(sharing->by_tree, 0,
           (2 * (size_t)graph->n_links / 64 + 1) * sizeof *sharing->by_tree);
    memset(sharing->may, 0, graph->n_nodes * sizeof *sharing->may);
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        sharing->places[s] = (struct sf_share_place){ .price = SF_SHARE_FAR,
                                                      .parent = parents[s],
                                                      .depth = UINT16_MAX };
        if (sharing->hops[s] != SF_NO_HOP) {
            flip_child(sharing, first[s] + sharing->hops[s]);
        }
    }
    order[0] = sharing->destination;
    sharing->places[sharing->destination].depth = 0;
    sharing->places[sharing->destination].price = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = order[i], end = first[v + 1];
        for (uint32_t j = next_child(sharing, first[v], end); j < end;
             j = next_child(sharing, j + 1, end)) {
            uint32_t c = graph->arcs[j].to;
            sharing->places[c].depth =
                (uint16_t)(sharing->places[v].depth + 1);
            sf_share_set_place_price(sharing, c);
            sharing->places[v].n_children++;
            order[n++] = c;
        }
    }
    return n;
}

static void
improve_tree(struct sf_sharing *sharing, uint32_t *order,
             struct sf_random *random)
{
    uint32_t n = read_tree(sharing, order);

    if (sharing->layer == 0) {
        count_ways(sharing, order, n);
    }
    sf_random_shuffle(random, order + 1, n - 1);
    for (uint32_t i = 1; i < n; i++) {
        improve(sharing, order[i]);
    }
}

static void
improve_destination(struct sf_sharing *sharing, uint32_t d, uint32_t *order,
                    struct sf_random *random)
{
    struct sf_layers *layers = sharing->job->layers;

    if (sharing->weights[d] == 0) {
        return;
    }
    sharing->destination = d;
    find_parents(sharing);
    for (uint32_t l = 0; l < layers->n_layers; l++) {
        sharing->layer = l;
        sharing->hops = sf_layers_tree(layers, l, d);
        improve_tree(sharing, order, random);
    }
}

/* The mean load. */
static uint64_t
find_target(const struct sf_sharing *sharing)
{
    uint32_t n_arcs = 2 * sharing->job->graph->n_links;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n_arcs; i++) {
        sum += sharing->uses[i].load * sharing->grain;
    }
    return 1 + sum / (n_arcs ? n_arcs : 1);
}

/* What a leaf pays for a way that is as good as it needs, once all have been
 * looked at: over links of mean load, and a hop longer than the shortest, as
 * where it has no link in common with its other ways.  0: every way is to be
 * the best that there is, as in a single layer, where none has others. */
static uint64_t
find_well(const struct sf_sharing *sharing, bool is_first_round)
{
    const struct sf_layer_job *job = sharing->job;
    uint32_t mean = (uint32_t)(sharing->target / sharing->grain);

    if (is_first_round || job->graph->n_nodes <= HUGE_GRAPH ||
        job->usual_diameter > 2 || job->layers->n_layers == 1 ||
        sharing->overlap < SF_SHARE_UNIT) {
        return 0;
    }
    return (job->usual_diameter + 1) * sf_share_step_of_load(sharing, mean);
}

/* Sets the prices of a round, of which the power is known. */
static void
set_prices(struct sf_sharing *sharing)
{
    uint32_t n_arcs = 2 * sharing->job->graph->n_links;

    sharing->target = find_target(sharing);
    memset(sharing->costs, 0xff, SF_SHARE_N_COSTS * sizeof *sharing->costs);
    memset(sharing->steps, 0xff, SF_SHARE_N_COSTS * sizeof *sharing->steps);
    sharing->unit_cost =
        sf_share_cost_of_routes(sharing, sharing->unit) / SF_SHARE_LEAST_PRICE;
    for (uint32_t n = 1; n < sharing->job->layers->n_layers; n++) {
        sharing->overlaps[n] =
            sf_share_cost_of_overlap(sharing, n * sharing->unit);
    }
    for (uint32_t i = 0; i < n_arcs; i++) {
        sharing->prices[i] =
            sf_share_step_of_load(sharing, sharing->uses[i].load);
    }
}

/* 'order' and 'todo' [V] are workspace. */
static void
improve_all(struct sf_sharing *sharing, uint32_t *order, uint32_t *todo)
{
    const struct sf_layer_job *job = sharing->job;
    uint32_t n = job->graph->n_nodes;
    const struct effort *effort =
        sharing->keeps_robust ? &last_effort : effort_for(n);
    struct sf_random random;

    sf_random_init(&random, job->seed, UINT64_C(3) << 62);
    for (uint32_t d = 0; d < n; d++) {
        todo[d] = d;
    }
    for (uint32_t round = 0; round < effort->n_rounds; round++) {
        sharing->power = effort->powers[round];
        set_prices(sharing);
        sharing->well = find_well(sharing, round == 0);
        sf_random_shuffle(&random, todo, n);
        for (uint32_t i = 0; i < n; i++) {
            sf_progress_report("fitting paths to equal shares",
                               (uint64_t)round * n + i,
                               (uint64_t)effort->n_rounds * n);
            improve_destination(sharing, todo[i], order, &random);
        }
    }
}

static uint64_t
greatest_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* What the routes of any two switches are a multiple of. */
static uint64_t
find_grain(const uint32_t *weights, uint32_t n)
{
    uint64_t divisor = 0;

    for (uint32_t s = 0; s < n; s++) {
        divisor = greatest_divisor(divisor, weights[s]);
    }
    return divisor > 0 ? divisor * divisor : 1;
}

/* The routes of most leaves, in grains. */
static uint32_t
find_unit(const struct sf_sharing *sharing)
{
    uint64_t most = 0;

    for (uint32_t s = 0; s < sharing->job->graph->n_nodes; s++) {
        most = sharing->weights[s] > most ? sharing->weights[s] : most;
    }
    return (uint32_t)(most * most / sharing->grain);
}

/* Improves all with 'loads', which are kept true. */
static void
improve_loads(struct sf_sharing *sharing, uint32_t *order, uint32_t *todo,
              uint64_t *loads)
{
    uint32_t n_arcs = 2 * sharing->job->graph->n_links;

    sharing->grain =
        find_grain(sharing->weights, sharing->job->graph->n_nodes);
    sharing->unit = find_unit(sharing);
    for (uint32_t i = 0; i < n_arcs; i++) {
        sharing->uses[i].load = (uint32_t)(loads[i] / sharing->grain);
    }
    improve_all(sharing, order, todo);
    for (uint32_t i = 0; i < n_arcs; i++) {
        loads[i] = sharing->uses[i].load * sharing->grain;
    }
}

static enum sf_status
share(const struct sf_layer_job *job, const uint32_t *weights,
      uint32_t overlap, bool keeps_robust, uint64_t *loads,
      struct sf_error *err)
{
    size_t n = job->graph->n_nodes, n_arcs = 2 * (size_t)job->graph->n_links;
    enum sf_status status = SF_OK;
    struct sf_sharing sharing = { .job = job,
                                  .weights = weights,
                                  .overlap = overlap,
                                  .keeps_robust = keeps_robust };

    uint32_t *order = sf_calloc(n, sizeof *order);
    uint32_t *todo = sf_calloc(n, sizeof *todo);
    sharing.uses = sf_calloc(n_arcs, sizeof *sharing.uses);
    sharing.costs = sf_calloc(SF_SHARE_N_COSTS, sizeof *sharing.costs);
    sharing.steps = sf_calloc(SF_SHARE_N_COSTS, sizeof *sharing.steps);
    sharing.prices = sf_calloc(n_arcs, sizeof *sharing.prices);
    sharing.joins =
        sf_calloc(n * job->layers->n_layers, sizeof *sharing.joins);
    sharing.parents =
        sf_calloc(n * job->layers->n_layers, sizeof *sharing.parents);
    sharing.places = sf_calloc(n, sizeof *sharing.places);
    sharing.may = sf_calloc(n, sizeof *sharing.may);
    sharing.n_ways = sf_calloc(n, sizeof *sharing.n_ways);
    sharing.by_tree = sf_calloc(n_arcs / 64 + 1, sizeof *sharing.by_tree);
    sharing.branch = sf_calloc(n, sizeof *sharing.branch);
    sharing.new_rank = sf_calloc(n, sizeof *sharing.new_rank);
    sharing.is_in_branch = sf_calloc(n, sizeof *sharing.is_in_branch);
    sharing.near = sf_calloc((size_t)sf_graph_max_degree(job->graph) + 1,
                             sizeof *sharing.near);
    sharing.touched = sf_calloc(n_arcs, sizeof *sharing.touched);
    if (order && todo && sharing.uses && sharing.costs && sharing.steps &&
        sharing.prices && sharing.joins && sharing.parents && sharing.places &&
        sharing.may && sharing.n_ways && sharing.by_tree && sharing.branch &&
        sharing.new_rank && sharing.is_in_branch && sharing.near &&
        sharing.touched) {
        improve_loads(&sharing, order, todo, loads);
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %zu switches", n);
    }
    free(sharing.touched);
    free(sharing.near);
    free(sharing.is_in_branch);
    free(sharing.new_rank);
    free(sharing.branch);
    free(sharing.by_tree);
    free(sharing.n_ways);
    free(sharing.may);
    free(sharing.places);
    free(sharing.parents);
    free(sharing.joins);
    free(sharing.prices);
    free(sharing.steps);
    free(sharing.costs);
    free(sharing.uses);
    free(todo);
    free(order);
    return status;
}

enum sf_status
sf_layers_share(const struct sf_layer_job *job, const uint32_t *weights,
                uint32_t overlap, uint64_t *loads, struct sf_error *err)
{
    return share(job, weights, overlap, false, loads, err);
}

enum sf_status
sf_layers_share_robust(const struct sf_layer_job *job, const uint32_t *weights,
                       uint32_t overlap, uint64_t *loads, struct sf_error *err)
{
    return share(job, weights, overlap, true, loads, err);
}
