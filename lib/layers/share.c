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
 * O(R L^2 V^2 H^2 + R L V E H) time for R rounds and paths of H hops, O(V + E)
 * space.  Nearly all of it is to ask for costs, so what a load costs is worked
 * out once a round, and a path is looked at no further than it can be the
 * best.  All costs are integers: machines change nothing. */
#include "layers/share.h"

#include "base/mem.h"
#include "layers/robust.h"
#include "slimfly/progress.h"
#include "slimfly/random.h"

#include <string.h>

/* The power of loads in each round, by the size of the graph.  Rounds cost
 * large graphs more and give them less: at q = 11, three have within half a
 * percent of what six have. */
#define MAX_ROUNDS 6
static const struct effort {
    uint32_t most_switches;
    uint32_t n_rounds, powers[MAX_ROUNDS];
} efforts[] = {
    { 200, 6, { 4, 4, 8, 8, 16, 16 } },
    { 400, 3, { 4, 8, 16 } },
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

/* Loads are counted in 1/ONE of the mean.  64 bits hold the square of the
 * eighth power of the most. */
#define ONE       (UINT64_C(1) << 14)
#define MOST_LOAD (4 * ONE) /* More counts as that. */

/* Over a link without load, a hop costs so many times less than over one of
 * mean load.  It is not free, so that no path is longer than it must be. */
#define LEAST_PRICE 64

/* Costs of so many loads are kept, of all others worked out each time. */
#define N_COSTS      32768
#define UNKNOWN_COST UINT64_MAX

/* An arc: its routes, in grains, and how many of the routes of the branch at
 * hand go over it in other layers. */
struct use {
    uint32_t load, shared;
};

struct sharing {
    const struct sf_layer_job *job;
    const uint32_t *weights; /* [V] */
    uint64_t grain;          /* Routes of two switches are multiples of it. */
    struct use *uses;        /* [2E] */
    uint64_t target;         /* The mean load, in routes. */
    uint32_t overlap;        /* As share.h has it. */
    uint32_t power;          /* Of this round. */
    uint64_t *costs;         /* [N_COSTS] By load in grains, of this round. */
    bool keeps_robust;       /* No pair may lack more than it does. */

    /* Of the tree at hand: */
    uint32_t layer, destination;
    uint16_t *hops;    /* [V] Of the layers. */
    uint32_t *depth;   /* [V] Hops to go. */
    uint32_t *rank;    /* [V] Of the channel after the first turn. */
    uint64_t *by_tree; /* [2E / 64 + 1] A bit for each arc to a switch that
                        * comes over it, backwards. */

    /* Of the switch at hand: */
    uint32_t *branch;   /* [V] It and all that come over it, */
    uint32_t n_branch;  /* nearest first; */
    uint32_t height;    /* how far away the last of them is; */
    uint32_t *new_rank; /* [V] their ranks if it moves; */
    bool *is_in_branch; /* [V] who they are; */
    uint32_t *near;     /* [max_degree] the arcs that it could take; */
    uint32_t n_near;
    uint32_t routes;   /* those of the branch to the destination, in grains; */
    uint64_t hop_cost; /* what they pay for any link; */
    uint32_t *touched; /* [2E] the arcs that they use in other layers. */
    uint32_t n_touched;
};

uint64_t
sf_share_cost(uint64_t load, uint64_t target, uint32_t power)
{
    uint64_t x = load * ONE / target;

    x = x < MOST_LOAD ? x : MOST_LOAD;
    for (uint32_t k = 1; k < power; k *= 2) {
        x = x * x / ONE;
    }
    return x;
}

static uint64_t
cost_of_load(const struct sharing *sharing, uint32_t load)
{
    uint64_t routes = load * sharing->grain;

    if (load >= N_COSTS) {
        return sf_share_cost(routes, sharing->target, sharing->power);
    }
    if (sharing->costs[load] == UNKNOWN_COST) {
        sharing->costs[load] =
            sf_share_cost(routes, sharing->target, sharing->power);
    }
    return sharing->costs[load];
}

/* What as many routes, in grains, cost over links that cost what one of mean
 * load does. */
static uint64_t
cost_of_routes(const struct sharing *sharing, uint32_t routes)
{
    return routes * sharing->grain * ONE / sharing->target * sharing->power;
}

/* What it costs that the branch goes over 'arc'. */
static uint64_t
cost_of_arc(const struct sharing *sharing, uint32_t arc)
{
    const struct use *use = &sharing->uses[arc];
    uint64_t cost = cost_of_load(sharing, use->load + sharing->routes) -
                    cost_of_load(sharing, use->load) + sharing->hop_cost;

    if (use->shared > 0) {
        uint32_t n_layers = sharing->job->layers->n_layers;
        uint64_t unit = SF_SHARE_UNIT * (n_layers > 1 ? n_layers - 1 : 1);
        cost += cost_of_routes(sharing, use->shared) * sharing->overlap / unit;
    }
    return cost;
}

/* What it costs to take 'arc' and to go on to the destination; if that is not
 * below 'limit', something that is not either. */
static uint64_t
cost_over(const struct sharing *sharing, uint32_t arc, uint64_t limit)
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

/* The rank of the next channel when coming over 'arc'; 0 if the turn is not
 * allowed. */
static uint32_t
rank_over(const struct sharing *sharing, uint32_t arc, const uint32_t *rank)
{
    uint32_t v = sharing->job->graph->arcs[arc].to;

    if (!sharing->job->params->turns || v == sharing->destination) {
        return SF_ANY_RANK;
    }
    return sf_turn_rank(sharing->job, arc, sharing->hops[v], rank[v]);
}

static void
flip_child(const struct sharing *sharing, uint32_t arc)
{
    uint32_t back = sharing->job->reverse[arc];
    sharing->by_tree[back / 64] ^= UINT64_C(1) << back % 64;
}

/* The first arc from 'arc' on, before 'end', to a switch that comes over it;
 * 'end' if there is none. */
static uint32_t
next_child(const struct sharing *sharing, uint32_t arc, uint32_t end)
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
list_branch(struct sharing *sharing, uint32_t s)
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
    sharing->height = sharing->depth[last] - sharing->depth[s];
}

static void
forget_branch(struct sharing *sharing)
{
    for (uint32_t i = 0; i < sharing->n_branch; i++) {
        sharing->is_in_branch[sharing->branch[i]] = false;
    }
}

/* Adds 'change' to the loads of the path from 's'. */
static void
change_loads(const struct sharing *sharing, uint32_t s, uint32_t change)
{
    const struct sf_graph *graph = sharing->job->graph;

    while (s != sharing->destination) {
        uint32_t arc = graph->first[s] + sharing->hops[s];
        sharing->uses[arc].load += change;
        s = graph->arcs[arc].to;
    }
}

/* Adds the routes of 'v' in other layers. */
static void
count_others(struct sharing *sharing, uint32_t v, uint32_t routes)
{
    const struct sf_layer_job *job = sharing->job;
    const struct sf_graph *graph = job->graph;
    uint32_t d = sharing->destination;

    for (uint32_t l = 0; routes > 0 && l < job->layers->n_layers; l++) {
        const uint16_t *hops = sf_layers_tree(job->layers, l, d);
        for (uint32_t w = v; l != sharing->layer && w != d;) {
            uint32_t arc = graph->first[w] + hops[w];
            if (sharing->uses[arc].shared == 0) {
                sharing->touched[sharing->n_touched++] = arc;
            }
            sharing->uses[arc].shared += routes;
            w = graph->arcs[arc].to;
        }
    }
}

/* Whether the whole branch may come over 's' if that goes over 'arc'; notes
 * their new ranks. */
static bool
may_turn(const struct sharing *sharing, uint32_t s, uint32_t arc)
{
    const struct sf_graph *graph = sharing->job->graph;
    uint16_t before = sharing->hops[s];

    if (!sharing->job->params->turns) {
        return true;
    }
    sharing->new_rank[s] = rank_over(sharing, arc, sharing->rank);
    bool may = sharing->new_rank[s] != 0;
    sharing->hops[s] = (uint16_t)(arc - graph->first[s]);
    for (uint32_t i = 1; may && i < sharing->n_branch; i++) {
        uint32_t v = sharing->branch[i];
        uint32_t up = graph->first[v] + sharing->hops[v];
        sharing->new_rank[v] = rank_over(sharing, up, sharing->new_rank);
        may = sharing->new_rank[v] != 0;
    }
    sharing->hops[s] = before;
    return may;
}

/* Lists the arcs of 's', but the one that it has, to switches from which the
 * branch is near enough: without a branch in the code, since no processor can
 * foresee depths. */
static void
list_near(struct sharing *sharing, uint32_t s)
{
    const struct sf_graph *graph = sharing->job->graph;
    const struct sf_arc *arcs = graph->arcs;
    const uint32_t *depth = sharing->depth;
    uint32_t limit = sharing->job->limits[sharing->destination];
    uint32_t now = graph->first[s] + sharing->hops[s], n = 0;
    uint32_t least = sharing->layer == 0 ? depth[s] - 1 : 0;
    uint32_t end = limit > sharing->height ? limit - sharing->height : 0;

    if (sharing->layer == 0 || (sharing->keeps_robust && end < depth[s])) {
        end = depth[s];
    }
    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t v = arcs[i].to;
        sharing->near[n] = i;
        n += (depth[v] >= least) & (depth[v] < end) & (i != now) &
             !sharing->is_in_branch[v];
    }
    sharing->n_near = n;
}

/* The arc over which the branch of 's' costs least, without its routes on the
 * links of now. */
static uint32_t
best_arc(const struct sharing *sharing, uint32_t s)
{
    const struct sf_graph *graph = sharing->job->graph;
    uint32_t best = graph->first[s] + sharing->hops[s];
    uint64_t least = cost_over(sharing, best, UINT64_MAX);

    for (uint32_t i = 0; i < sharing->n_near; i++) {
        uint32_t arc = sharing->near[i];
        uint64_t cost = cost_over(sharing, arc, least);
        if (cost < least && may_turn(sharing, s, arc)) {
            least = cost;
            best = arc;
        }
    }
    return best;
}

/* Lets 's' go over 'arc', which it may. */
static void
move(const struct sharing *sharing, uint32_t s, uint32_t arc)
{
    const struct sf_graph *graph = sharing->job->graph;
    uint32_t depth = sharing->depth[graph->arcs[arc].to] + 1;
    uint32_t before = sharing->depth[s];

    may_turn(sharing, s, arc); /* For the ranks. */
    flip_child(sharing, graph->first[s] + sharing->hops[s]);
    flip_child(sharing, arc);
    sharing->hops[s] = (uint16_t)(arc - graph->first[s]);
    for (uint32_t i = 0; i < sharing->n_branch; i++) {
        uint32_t v = sharing->branch[i];
        sharing->depth[v] = sharing->depth[v] - before + depth;
        sharing->rank[v] = sharing->new_rank[v];
    }
}

/* Counts the routes of the branch of 's' and takes them off its path, or puts
 * them back. */
static void
lift_branch(struct sharing *sharing, uint32_t s)
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
    sharing->hop_cost = cost_of_routes(sharing, sharing->routes) / LEAST_PRICE;
    change_loads(sharing, s, -sharing->routes);
}

static void
drop_branch(struct sharing *sharing, uint32_t s)
{
    change_loads(sharing, s, sharing->routes);
    while (sharing->n_touched > 0) {
        sharing->uses[sharing->touched[--sharing->n_touched]].shared = 0;
    }
}

/* What the branch lacks to be robust; nothing where that does not matter. */
static uint64_t
lack_of_branch(const struct sharing *sharing)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; sharing->keeps_robust && i < sharing->n_branch; i++) {
        sum += sf_robust_lack(sharing->job, sharing->branch[i],
                              sharing->destination);
    }
    return sum;
}

/* Lets 's' go where that costs least. */
static void
improve(struct sharing *sharing, uint32_t s)
{
    list_branch(sharing, s);
    list_near(sharing, s);
    if (sharing->n_near == 0) {
        forget_branch(sharing);
        return;
    }
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
    forget_branch(sharing);
}

/* Finds the depths and ranks of the tree at hand: 'order' gets its switches,
 * nearest first.  Returns their number. */
static uint32_t
read_tree(struct sharing *sharing, uint32_t *order)
{
    const struct sf_graph *graph = sharing->job->graph;
    const uint32_t *first = graph->first;
    uint32_t n = 1;

    memset(sharing->by_tree, 0,
           (2 * (size_t)graph->n_links / 64 + 1) * sizeof *sharing->by_tree);
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        sharing->depth[s] = SF_NONE;
        if (s != sharing->destination && sharing->hops[s] != SF_NO_HOP) {
            flip_child(sharing, first[s] + sharing->hops[s]);
        }
    }
    order[0] = sharing->destination;
    sharing->depth[sharing->destination] = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = order[i], end = first[v + 1];
        for (uint32_t j = next_child(sharing, first[v], end); j < end;
             j = next_child(sharing, j + 1, end)) {
            uint32_t c = graph->arcs[j].to, up = sharing->job->reverse[j];
            sharing->depth[c] = sharing->depth[v] + 1;
            sharing->rank[c] = rank_over(sharing, up, sharing->rank);
            order[n++] = c;
        }
    }
    return n;
}

static void
improve_tree(struct sharing *sharing, uint32_t *order,
             struct sf_random *random)
{
    uint32_t n = read_tree(sharing, order);

    sf_random_shuffle(random, order + 1, n - 1);
    for (uint32_t i = 1; i < n; i++) {
        improve(sharing, order[i]);
    }
}

static void
improve_destination(struct sharing *sharing, uint32_t d, uint32_t *order,
                    struct sf_random *random)
{
    struct sf_layers *layers = sharing->job->layers;

    sharing->destination = d;
    for (uint32_t l = 0; l < layers->n_layers && sharing->weights[d] > 0;
         l++) {
        sharing->layer = l;
        sharing->hops = sf_layers_tree(layers, l, d);
        improve_tree(sharing, order, random);
    }
}

/* The mean load. */
static uint64_t
find_target(const struct sharing *sharing)
{
    uint32_t n_arcs = 2 * sharing->job->graph->n_links;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n_arcs; i++) {
        sum += sharing->uses[i].load * sharing->grain;
    }
    return 1 + sum / (n_arcs ? n_arcs : 1);
}

/* 'order' and 'todo' [V] are workspace. */
static void
improve_all(struct sharing *sharing, uint32_t *order, uint32_t *todo)
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
        sharing->target = find_target(sharing);
        sharing->power = effort->powers[round];
        memset(sharing->costs, 0xff, N_COSTS * sizeof *sharing->costs);
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

/* Improves all with 'loads', which are kept true. */
static void
improve_loads(struct sharing *sharing, uint32_t *order, uint32_t *todo,
              uint64_t *loads)
{
    uint32_t n_arcs = 2 * sharing->job->graph->n_links;

    sharing->grain =
        find_grain(sharing->weights, sharing->job->graph->n_nodes);
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
    struct sharing sharing = { .job = job,
                               .weights = weights,
                               .overlap = overlap,
                               .keeps_robust = keeps_robust };

    uint32_t *order = sf_calloc(n, sizeof *order);
    uint32_t *todo = sf_calloc(n, sizeof *todo);
    sharing.uses = sf_calloc(n_arcs, sizeof *sharing.uses);
    sharing.costs = sf_calloc(N_COSTS, sizeof *sharing.costs);
    sharing.depth = sf_calloc(n, sizeof *sharing.depth);
    sharing.rank = sf_calloc(n, sizeof *sharing.rank);
    sharing.by_tree = sf_calloc(n_arcs / 64 + 1, sizeof *sharing.by_tree);
    sharing.branch = sf_calloc(n, sizeof *sharing.branch);
    sharing.new_rank = sf_calloc(n, sizeof *sharing.new_rank);
    sharing.is_in_branch = sf_calloc(n, sizeof *sharing.is_in_branch);
    sharing.near = sf_calloc((size_t)sf_graph_max_degree(job->graph) + 1,
                             sizeof *sharing.near);
    sharing.touched = sf_calloc(n_arcs, sizeof *sharing.touched);
    if (order && todo && sharing.uses && sharing.costs && sharing.depth &&
        sharing.rank && sharing.by_tree && sharing.branch &&
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
    free(sharing.rank);
    free(sharing.depth);
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
