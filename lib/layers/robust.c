/* robust.c -- layers of which one dead link does not hit all.
 *
 * A connection over address k of two hosts takes the paths of layer k in both
 * directions.  It is hit by a dead link on either.  So a pair of switches is
 * safe from any one link if two of its layers, there and back, have no link in
 * common.  Neighbours are the difficult ones: where nothing shorter than a
 * circle of five leads around a link, all layers take the link itself unless
 * one of them goes four hops.
 *
 * Each pair that lacks such layers is looked at by itself.  For each layer l
 * above 0 and another layer m, the paths of l are led around the links of m,
 * in each direction where need be, and if nothing else helps those of m, too:
 * - the source goes over a neighbour as that goes on,
 * - or over a neighbour that changes its own way for it.
 * Who comes over a switch that changes comes along where that is allowed, and
 * goes elsewhere where it is not.  Nobody may lack more by it.  Of all ways
 * that do, the one that costs least by the loads of links is taken.
 *
 * O(L^2 k^2 B) for each pair that lacks something, B the size of branches that
 * move.  All costs are integers: machines change nothing. */
#include "layers/robust.h"

#include "base/mem.h"
#include "layers/share.h"
#include "layers/trees.h"
#include "slimfly/progress.h"
#include "slimfly/random.h"

#include <string.h>

#define ROUNDS 16
#define STRICT                                                               \
    2               /* Rounds in which less must be lacking after each step; \
                     * later, others may come to lack as much. */
#define POWER     8 /* Of loads, in costs. */
#define MAX_MOVES 256
#define BRANCH                                                    \
    8 /* Switches that carry more than so many times their degree \
       * stay where they are. */
#define OPTIONS       64 /* Ways that are looked at closely at most; */
#define USUAL_OPTIONS 6  /* as a rule. */
#define EFFORTS                                                      \
    4 /* Who comes over a switch comes along; or goes elsewhere with \
       * all behind it; or alone; or all ways                        \
       * are looked at, and both layers of a pair move. */
#define MAX_MOVING 2 /* Switches that wait for others to move. */

/* The links of a pair in one layer, there and back. */
struct way {
    uint32_t n;
    uint32_t links[2 * SF_ROBUST_HOPS];
};

struct move {
    uint32_t layer, d, s;
    uint16_t hop; /* What it was. */
};

struct robust {
    const struct sf_layer_job *job;
    const uint32_t *weights; /* [V] */
    uint64_t *loads;         /* [2E] */
    uint64_t target;         /* Their mean. */

    uint32_t effort, n_efforts;
    int64_t allowed;              /* What may be lacking more by a step. */
    struct move moves[MAX_MOVES]; /* What can be undone. */
    uint32_t n_moves;
    uint32_t moving[MAX_MOVING]; /* Switches that are about to move. */
    uint32_t n_moving;
    uint32_t *branch; /* [V] A switch and all that come over it. */
    uint32_t n_branch;
    uint32_t *affected; /* [V] Whose paths a trial changed. */
    uint32_t n_affected;
    bool *is_affected; /* [V] */
    int64_t *change;   /* [2E] Of loads; 0 but at */
    uint32_t *touched; /* [2E] these, */
    bool *is_touched;  /* [2E] which these are. */
    uint32_t n_touched;
};

/* Adds the links of the path from 's' to 'd' in a layer of 'layers'; false if
 * it is too long or leads nowhere. */
static bool
add_links(const struct sf_layers *layers, const struct sf_graph *graph,
          uint32_t layer, uint32_t s, uint32_t d, struct way *way)
{
    for (uint32_t n = 0; s != d; n++) {
        uint32_t arc = sf_layers_arc(layers, graph, layer, s, d);
        if (arc == SF_NONE || n == SF_ROBUST_HOPS) {
            return false;
        }
        way->links[way->n++] = graph->arcs[arc].link;
        s = graph->arcs[arc].to;
    }
    return true;
}

static bool
has_link(const struct way *way, uint32_t link)
{
    for (uint32_t i = 0; i < way->n; i++) {
        if (way->links[i] == link) {
            return true;
        }
    }
    return false;
}

static bool
are_apart(const struct way *a, const struct way *b)
{
    for (uint32_t i = 0; i < a->n; i++) {
        if (has_link(b, a->links[i])) {
            return false;
        }
    }
    return true;
}

/* Finds the ways of all layers between a host of 's' and one of 'd', of which
 * 'of_s' and 'of_d' are the path sets. */
static bool
find_ways(const struct sf_graph *graph, const struct sf_layers *of_s,
          const struct sf_layers *of_d, uint32_t s, uint32_t d,
          struct way *ways)
{
    bool all = true;

    for (uint32_t l = 0; all && l < of_d->n_layers; l++) {
        ways[l].n = 0;
        all = add_links(of_d, graph, l, s, d, &ways[l]) &&
              add_links(of_s, graph, l, d, s, &ways[l]);
    }
    return all;
}

/* Whether one link is in all ways. */
static bool
share_a_link(const struct way *ways, uint32_t n_layers)
{
    for (uint32_t i = 0; i < ways[0].n; i++) {
        uint32_t l = 1;
        while (l < n_layers && has_link(&ways[l], ways[0].links[i])) {
            l++;
        }
        if (l == n_layers) {
            return true;
        }
    }
    return false;
}

static uint32_t
lack_of(const struct way *ways, uint32_t n_layers)
{
    for (uint32_t l = 0; l < n_layers; l++) {
        for (uint32_t m = l + 1; m < n_layers; m++) {
            if (are_apart(&ways[l], &ways[m])) {
                return SF_LACKS_NOTHING;
            }
        }
    }
    return share_a_link(ways, n_layers) ? SF_LACKS_ALL : SF_LACKS_PAIR;
}

/* The path set number 'set', of those up to that of the job. */
static const struct sf_layers *
set_of(const struct sf_layer_job *job, uint32_t set)
{
    return set == job->params->set ? job->layers : job->params->earlier[set];
}

/* The first path set that is looked at: all before it are there. */
static uint32_t
first_set(const struct sf_layer_job *job)
{
    return job->params->earlier ? 0 : job->params->set;
}

uint32_t
sf_robust_lack(const struct sf_layer_job *job, uint32_t s, uint32_t d)
{
    struct way ways[SF_MAX_LAYERS];
    uint32_t sum = 0;

    if (s == d || job->weights[s] == 0 || job->weights[d] == 0) {
        return 0;
    }
    for (uint32_t i = first_set(job); i <= job->params->set; i++) {
        if (find_ways(job->graph, set_of(job, i), job->layers, s, d, ways)) {
            sum += lack_of(ways, job->layers->n_layers);
        }
    }
    return sum;
}

uint64_t
sf_robust_count(const struct sf_network *network,
                struct sf_layers *const *sets, uint32_t n_sets)
{
    uint64_t n = 0;

    for (uint32_t set = 0; set < n_sets; set++) {
        struct sf_layers_params params = { .set = set, .earlier = sets };
        struct sf_layer_job job = { .graph = network->graph,
                                    .params = &params,
                                    .weights = network->n_hosts,
                                    .layers = sets[set] };
        for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
            for (uint32_t d = 0; d < network->graph->n_nodes; d++) {
                n += sf_robust_lack(&job, s, d) / SF_LACKS_ALL;
            }
        }
    }
    return n;
}

/* Sends 's' over 'hop' in a tree, to be undone. */
static void
set_hop(struct robust *robust, uint32_t layer, uint32_t d, uint32_t s,
        uint32_t hop)
{
    uint16_t *hops = sf_layers_tree(robust->job->layers, layer, d);

    robust->moves[robust->n_moves++] = (struct move){ layer, d, s, hops[s] };
    hops[s] = (uint16_t)hop;
}

/* Undoes all moves from number 'mark' on; each then holds what was undone, so
 * that redo() can do it again. */
static void
undo(struct robust *robust, uint32_t mark)
{
    for (uint32_t i = robust->n_moves; i-- > mark;) {
        struct move *move = &robust->moves[i];
        uint16_t *hops =
            sf_layers_tree(robust->job->layers, move->layer, move->d);
        uint16_t now = hops[move->s];
        hops[move->s] = move->hop;
        move->hop = now;
    }
    robust->n_moves = mark;
}

static void
redo(struct robust *robust, uint32_t end)
{
    while (robust->n_moves < end) {
        struct move *move = &robust->moves[robust->n_moves++];
        uint16_t *hops =
            sf_layers_tree(robust->job->layers, move->layer, move->d);
        uint16_t before = hops[move->s];
        hops[move->s] = move->hop;
        move->hop = before;
    }
}

/* Lists 's' and all that come over it to 'd'. */
static void
list_branch(struct robust *robust, uint32_t layer, uint32_t d, uint32_t s)
{
    const struct sf_layer_job *job = robust->job;
    const struct sf_graph *graph = job->graph;
    const uint16_t *hops = sf_layers_tree(job->layers, layer, d);

    robust->branch[0] = s;
    robust->n_branch = 1;
    for (uint32_t k = 0; k < robust->n_branch; k++) {
        uint32_t v = robust->branch[k];
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            uint32_t c = graph->arcs[i].to;
            if (c != d && c != s && hops[c] != SF_NO_HOP &&
                graph->first[c] + hops[c] == job->reverse[i]) {
                robust->branch[robust->n_branch++] = c;
            }
        }
    }
}

/* Whether 's' has a path to 'd' as it must be: no loop, not too long, by turns
 * that are allowed. */
static bool
is_sound(const struct robust *robust, uint32_t layer, uint32_t d, uint32_t s)
{
    const struct sf_layer_job *job = robust->job;
    uint32_t path[SF_ROBUST_HOPS];
    uint32_t limit = job->limits[d];
    uint32_t n =
        sf_tree_follow(job, layer, s, d,
                       limit < SF_ROBUST_HOPS ? limit : SF_ROBUST_HOPS, path);

    return n != SF_NONE && sf_path_is_allowed(job, path, n);
}

/* The same for all that come over 's', too. */
static bool
is_branch_sound(struct robust *robust, uint32_t layer, uint32_t d, uint32_t s)
{
    if (!is_sound(robust, layer, d, s)) {
        return false;
    }
    list_branch(robust, layer, d, s);
    for (uint32_t i = 1; i < robust->n_branch; i++) {
        if (!is_sound(robust, layer, d, robust->branch[i])) {
            return false;
        }
    }
    return true;
}

/* What a trial comes to: what others lack by it, and what its links cost. */
struct price {
    int64_t lack;
    int64_t cost;
};

static bool
is_less(struct price a, struct price b)
{
    return a.lack < b.lack || (a.lack == b.lack && a.cost < b.cost);
}

/* Notes whose paths the moves from 'mark' on changed, all in one tree. */
static void
list_affected(struct robust *robust, uint32_t mark)
{
    robust->n_affected = 0;
    for (uint32_t i = mark; i < robust->n_moves; i++) {
        const struct move *move = &robust->moves[i];
        list_branch(robust, move->layer, move->d, move->s);
        for (uint32_t k = 0; k < robust->n_branch; k++) {
            uint32_t v = robust->branch[k];
            if (!robust->is_affected[v]) {
                robust->is_affected[v] = true;
                robust->affected[robust->n_affected++] = v;
            }
        }
    }
    for (uint32_t i = 0; i < robust->n_affected; i++) {
        robust->is_affected[robust->affected[i]] = false;
    }
}

/* Adds the paths of all that are affected to the change of loads, or takes
 * them off; returns what they lack. */
static int64_t
count_affected(struct robust *robust, uint32_t layer, uint32_t d, int64_t sign)
{
    const struct sf_layer_job *job = robust->job;
    int64_t lack = 0;

    for (uint32_t i = 0; i < robust->n_affected; i++) {
        uint32_t v = robust->affected[i];
        int64_t routes =
            (int64_t)((uint64_t)robust->weights[v] * robust->weights[d]);
        lack += sf_robust_lack(job, v, d);
        while (v != d) {
            uint32_t arc = sf_layers_arc(job->layers, job->graph, layer, v, d);
            if (!robust->is_touched[arc]) {
                robust->is_touched[arc] = true;
                robust->touched[robust->n_touched++] = arc;
            }
            robust->change[arc] += sign * routes;
            v = job->graph->arcs[arc].to;
        }
    }
    return lack;
}

/* What the change of loads costs; takes it over if 'is_kept', and forgets
 * it. */
static int64_t
settle_loads(struct robust *robust, bool is_kept)
{
    int64_t cost = 0;

    while (robust->n_touched > 0) {
        uint32_t arc = robust->touched[--robust->n_touched];
        uint64_t before = robust->loads[arc];
        uint64_t now = before + (uint64_t)robust->change[arc];
        cost += (int64_t)sf_share_cost(now, robust->target, POWER) -
                (int64_t)sf_share_cost(before, robust->target, POWER);
        robust->loads[arc] = is_kept ? now : before;
        robust->change[arc] = 0;
        robust->is_touched[arc] = false;
    }
    return cost;
}

/* Prices the moves from 'mark' on, which are all in the tree of 'd', and
 * undoes them unless they are 'kept', when loads follow them. */
static struct price
judge(struct robust *robust, uint32_t mark, uint32_t layer, uint32_t d,
      bool is_kept)
{
    uint32_t end = robust->n_moves;

    list_affected(robust, mark);
    int64_t after = count_affected(robust, layer, d, 1);
    undo(robust, mark);
    int64_t before = count_affected(robust, layer, d, -1);
    if (is_kept) {
        redo(robust, end);
    }
    return (struct price){ after - before, settle_loads(robust, is_kept) };
}

/* Takes the moves from 'mark' on back, with their loads. */
static void
take_back(struct robust *robust, uint32_t mark, uint32_t layer, uint32_t d)
{
    list_affected(robust, mark);
    count_affected(robust, layer, d, -1);
    undo(robust, mark);
    count_affected(robust, layer, d, 1);
    settle_loads(robust, true);
}

/* Whether the path of 'from' to 'd' leads over 'v'. */
static bool
leads_over(const struct robust *robust, uint32_t layer, uint32_t d,
           uint32_t from, uint32_t v)
{
    const struct sf_layer_job *job = robust->job;

    for (uint32_t n = 0; from != d && from != v && n <= SF_ROBUST_HOPS; n++) {
        uint32_t arc = sf_layers_arc(job->layers, job->graph, layer, from, d);
        if (arc == SF_NONE) {
            return true; /* It is of no use. */
        }
        from = job->graph->arcs[arc].to;
    }
    return from != d;
}

/* Whether the path of 'from' leads over 'v' or over switches that are about to
 * move. */
static bool
leads_over_moving(const struct robust *robust, uint32_t layer, uint32_t d,
                  uint32_t from, uint32_t v)
{
    for (uint32_t i = 0; i < robust->n_moving; i++) {
        if (leads_over(robust, layer, d, from, robust->moving[i])) {
            return true;
        }
    }
    return leads_over(robust, layer, d, from, v);
}

/* A way to go: over 'arc' and, unless 'next' is SF_NONE, on over that. */
struct option {
    uint32_t arc, next;
    uint64_t cost; /* What one more path costs its links. */
};

/* The cheapest of many, in their order. */
struct options {
    uint32_t n, most;
    struct option best[OPTIONS];
};

static uint32_t
most_options(const struct robust *robust)
{
    return robust->effort < EFFORTS - 1 ? USUAL_OPTIONS : OPTIONS;
}

static uint64_t
cost_of_arc(const struct robust *robust, uint32_t arc, uint64_t routes)
{
    uint64_t load = robust->loads[arc];
    return sf_share_cost(load + routes, robust->target, POWER) -
           sf_share_cost(load, robust->target, POWER);
}

/* What it costs the links that 's' goes over 'arc', 'next' and then as the
 * tree does. */
static uint64_t
cost_of_way(const struct robust *robust, uint32_t layer, uint32_t d,
            uint32_t s, uint32_t arc, uint32_t next)
{
    const struct sf_layer_job *job = robust->job;
    uint64_t routes = (uint64_t)robust->weights[s] * robust->weights[d];
    uint64_t cost = cost_of_arc(robust, arc, routes);
    uint32_t v = job->graph->arcs[arc].to;

    if (next != SF_NONE) {
        cost += cost_of_arc(robust, next, routes);
        v = job->graph->arcs[next].to;
    }
    while (v != d) {
        arc = sf_layers_arc(job->layers, job->graph, layer, v, d);
        cost += cost_of_arc(robust, arc, routes);
        v = job->graph->arcs[arc].to;
    }
    return cost;
}

static void
add_option(struct options *options, struct option option)
{
    if (options->n == options->most &&
        options->best[options->most - 1].cost <= option.cost) {
        return;
    }
    uint32_t i = options->n < options->most ? options->n++ : options->most - 1;
    for (; i > 0 && options->best[i - 1].cost > option.cost; i--) {
        options->best[i] = options->best[i - 1];
    }
    options->best[i] = option;
}

static bool redirect(struct robust *robust, uint32_t layer, uint32_t d,
                     uint32_t s, uint32_t arc, uint32_t follower);

/* Sends 'c' over 'arc': with all that come over it or, if 'may_part', with
 * those that may. */
static bool
try_house(struct robust *robust, uint32_t layer, uint32_t d, uint32_t c,
          uint32_t arc, bool may_part)
{
    if (may_part) {
        return redirect(robust, layer, d, c, arc, SF_NONE);
    }
    set_hop(robust, layer, d, c, arc - robust->job->graph->first[c]);
    return is_branch_sound(robust, layer, d, c);
}

/* Sends 'c' another way than over those that are about to move: one of the
 * cheapest, by which least is lacking. */
static bool
rehouse(struct robust *robust, uint32_t layer, uint32_t d, uint32_t c,
        bool may_part)
{
    const struct sf_graph *graph = robust->job->graph;
    struct options options = { 0, most_options(robust), { { 0 } } };
    struct price best = { INT64_MAX, 0 };
    uint32_t best_arc = SF_NONE, mark = robust->n_moves;

    for (uint32_t i = graph->first[c];
         mark < MAX_MOVES && i < graph->first[c + 1]; i++) {
        if (!leads_over_moving(robust, layer, d, graph->arcs[i].to, c)) {
            add_option(&options,
                       (struct option){
                           i, SF_NONE,
                           cost_of_way(robust, layer, d, c, i, SF_NONE) });
        }
    }
    for (uint32_t i = 0; best.lack > 0 && i < options.n; i++) {
        uint32_t arc = options.best[i].arc;
        if (!try_house(robust, layer, d, c, arc, may_part)) {
            undo(robust, mark);
            continue;
        }
        struct price price = judge(robust, mark, layer, d, false);
        if (is_less(price, best)) {
            best = price;
            best_arc = arc;
        }
    }
    return best_arc != SF_NONE &&
           try_house(robust, layer, d, c, best_arc, may_part);
}

/* Lets those that come over 's' and may not come along when it goes over 'hop'
 * go elsewhere; 'follower' is not to. */
static bool
clear(struct robust *robust, uint32_t layer, uint32_t d, uint32_t s,
      uint16_t hop, uint32_t follower)
{
    const struct sf_layer_job *job = robust->job;
    const struct sf_graph *graph = job->graph;
    uint16_t *hops = sf_layers_tree(job->layers, layer, d), before = hops[s];

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t c = graph->arcs[i].to;
        if (c == d || c == follower || hops[c] == SF_NO_HOP ||
            graph->first[c] + hops[c] != job->reverse[i]) {
            continue;
        }
        hops[s] = hop;
        bool may_come = is_branch_sound(robust, layer, d, c);
        hops[s] = before;
        if (!may_come &&
            (robust->effort < 1 || !rehouse(robust, layer, d, c, false)) &&
            (robust->effort < 2 || robust->n_moving == MAX_MOVING ||
             !rehouse(robust, layer, d, c, true))) {
            return false;
        }
    }
    return true;
}

/* Sends 's' over its arc 'arc', after those who may not come along have gone
 * elsewhere. */
static bool
redirect(struct robust *robust, uint32_t layer, uint32_t d, uint32_t s,
         uint32_t arc, uint32_t follower)
{
    uint16_t hop = (uint16_t)(arc - robust->job->graph->first[s]);

    list_branch(robust, layer, d, s);
    if (robust->n_branch > BRANCH * sf_graph_degree(robust->job->graph, s)) {
        return false;
    }
    robust->moving[robust->n_moving++] = s;
    bool is_clear = clear(robust, layer, d, s, hop, follower);
    robust->n_moving--;
    if (!is_clear || robust->n_moves == MAX_MOVES) {
        return false;
    }
    set_hop(robust, layer, d, s, hop);
    return is_sound(robust, layer, d, s);
}

/* Whether the path from 's' to 'd' is sound and keeps off 'way'. */
static bool
keeps_off(const struct robust *robust, uint32_t layer, uint32_t d, uint32_t s,
          const struct way *way)
{
    struct way own = { 0 };

    return add_links(robust->job->layers, robust->job->graph, layer, s, d,
                     &own) &&
           are_apart(&own, way);
}

/* One try to lead 's' to 'd' off some links. */
struct attempt {
    uint32_t layer, s, d;
    const struct way *avoid;
    struct price price; /* Of the best so far; its arcs, */
    uint32_t arc;       /* of 's', and */
    uint32_t next;      /* of the neighbour, or SF_NONE. */
};

/* Makes the moves of a try: 's' goes over 'arc' and, unless 'next' is SF_NONE,
 * the neighbour over that. */
static bool
make_moves(struct robust *robust, const struct attempt *attempt, uint32_t arc,
           uint32_t next)
{
    const struct sf_graph *graph = robust->job->graph;
    uint32_t v = graph->arcs[arc].to, layer = attempt->layer, d = attempt->d;

    return (next == SF_NONE ||
            redirect(robust, layer, d, v, next, attempt->s)) &&
           redirect(robust, layer, d, attempt->s, arc, SF_NONE) &&
           is_branch_sound(robust, layer, d,
                           next == SF_NONE ? attempt->s : v) &&
           keeps_off(robust, layer, d, attempt->s, attempt->avoid);
}

static void
try_moves(struct robust *robust, struct attempt *attempt, uint32_t arc,
          uint32_t next)
{
    uint32_t mark = robust->n_moves;

    if (!make_moves(robust, attempt, arc, next)) {
        undo(robust, mark);
        return;
    }
    struct price price =
        judge(robust, mark, attempt->layer, attempt->d, false);
    if (attempt->arc == SF_NONE || is_less(price, attempt->price)) {
        attempt->price = price;
        attempt->arc = arc;
        attempt->next = next;
    }
}

/* Tries the cheapest ways. */
static void
try_options(struct robust *robust, struct attempt *attempt,
            const struct options *options)
{
    for (uint32_t i = 0; i < options->n; i++) {
        try_moves(robust, attempt, options->best[i].arc,
                  options->best[i].next);
    }
}

/* Tries neighbours as they go on. */
static void
try_neighbours(struct robust *robust, struct attempt *attempt)
{
    const struct sf_graph *graph = robust->job->graph;
    uint32_t s = attempt->s, layer = attempt->layer, d = attempt->d;
    struct options options = { 0, most_options(robust), { { 0 } } };

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t v = graph->arcs[i].to;
        if (!has_link(attempt->avoid, graph->arcs[i].link) &&
            !leads_over(robust, layer, d, v, s) &&
            keeps_off(robust, layer, d, v, attempt->avoid)) {
            add_option(&options,
                       (struct option){
                           i, SF_NONE,
                           cost_of_way(robust, layer, d, s, i, SF_NONE) });
        }
    }
    try_options(robust, attempt, &options);
}

/* Tries neighbours with other ways of theirs. */
static void
try_to_lead(struct robust *robust, struct attempt *attempt)
{
    const struct sf_graph *graph = robust->job->graph;
    uint32_t s = attempt->s, layer = attempt->layer, d = attempt->d;
    struct options options = { 0, most_options(robust), { { 0 } } };

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t v = graph->arcs[i].to;
        if (v == d || has_link(attempt->avoid, graph->arcs[i].link)) {
            continue;
        }
        for (uint32_t j = graph->first[v]; j < graph->first[v + 1]; j++) {
            uint32_t w = graph->arcs[j].to;
            if (w != s && !has_link(attempt->avoid, graph->arcs[j].link) &&
                !leads_over(robust, layer, d, w, s) &&
                !leads_over(robust, layer, d, w, v) &&
                keeps_off(robust, layer, d, w, attempt->avoid)) {
                add_option(&options,
                           (struct option){
                               i, j, cost_of_way(robust, layer, d, s, i, j) });
            }
        }
    }
    try_options(robust, attempt, &options);
}

/* Leads 's' to 'd' in 'layer' off 'avoid' at the least price; adds that to
 * '*sum'.  False if there is no way. */
static bool
lead_off(struct robust *robust, uint32_t layer, uint32_t s, uint32_t d,
         const struct way *avoid, struct price *sum)
{
    struct attempt attempt = { layer, s, d, avoid, { 0 }, SF_NONE, SF_NONE };
    uint32_t mark = robust->n_moves;

    if (keeps_off(robust, layer, d, s, avoid)) {
        return true;
    }
    try_neighbours(robust, &attempt);
    if (robust->effort > 0 &&
        (attempt.arc == SF_NONE || attempt.price.lack > 0)) {
        try_to_lead(robust, &attempt);
    }
    if (attempt.arc == SF_NONE) {
        return false;
    }
    make_moves(robust, &attempt, attempt.arc, attempt.next);
    struct price price = judge(robust, mark, layer, d, true);
    sum->lack += price.lack;
    sum->cost += price.cost;
    return true;
}

/* The links of one layer between 's' and 'd', there or both ways. */
static struct way
way_of(const struct robust *robust, uint32_t layer, uint32_t s, uint32_t d,
       bool is_there_only)
{
    const struct sf_layer_job *job = robust->job;
    struct way way = { 0 };

    (void)add_links(job->layers, job->graph, layer, s, d, &way);
    if (!is_there_only) {
        (void)add_links(job->layers, job->graph, layer, d, s, &way);
    }
    return way;
}

/* Where the moves of each step of lead_apart() begin. */
struct marks {
    uint32_t back, other;
};

/* Leads the paths between 's' and 'd' in layer 'l' off those in layer 'm',
 * there and back; or, with the last effort, off the path of 'm' there alone,
 * and then that of 'm' back off those of 'l'.  False if less would not be
 * lacking then.  The moves stay, and the caller takes them back by
 * give_up(). */
static bool
lead_apart(struct robust *robust, uint32_t l, uint32_t m, uint32_t s,
           uint32_t d, struct marks *marks, struct price *sum)
{
    bool moves_both = robust->effort == EFFORTS - 1 && m > 0;
    struct way avoid = way_of(robust, m, s, d, moves_both);

    *sum = (struct price){ 0 };
    robust->n_moves = 0;
    bool is_done = lead_off(robust, l, s, d, &avoid, sum);
    marks->back = robust->n_moves;
    is_done = is_done && lead_off(robust, l, d, s, &avoid, sum);
    marks->other = robust->n_moves;
    if (is_done && moves_both) {
        avoid = way_of(robust, l, s, d, false);
        is_done = lead_off(robust, m, d, s, &avoid, sum);
    }
    return is_done && sum->lack <= robust->allowed;
}

static void
give_up(struct robust *robust, uint32_t l, uint32_t m, uint32_t s, uint32_t d,
        const struct marks *marks)
{
    take_back(robust, marks->other, m, s);
    take_back(robust, marks->back, l, s);
    take_back(robust, 0, l, d);
}

/* Orders the layers from the one with the shortest ways on. */
static bool
order_ways(const struct sf_layer_job *job, uint32_t s, uint32_t d,
           uint32_t *order)
{
    struct way ways[SF_MAX_LAYERS];
    uint32_t n = job->layers->n_layers;
    bool all = find_ways(job->graph, job->layers, job->layers, s, d, ways);

    for (uint32_t l = 0; all && l < n; l++) {
        uint32_t i = l;
        for (; i > 0 && ways[order[i - 1]].n > ways[l].n; i--) {
            order[i] = order[i - 1];
        }
        order[i] = l;
    }
    return all;
}

/* The best way to serve a pair: lead layer 'l' off layer 'm'. */
struct remedy {
    uint32_t l, m;
    struct price price;
};

/* Looks for the best remedy in layer 'l'. */
static void
try_layer(struct robust *robust, uint32_t s, uint32_t d, uint32_t l,
          const uint32_t *order, struct remedy *remedy)
{
    for (uint32_t i = 0; i < robust->job->layers->n_layers; i++) {
        uint32_t m = order[i];
        struct marks marks;
        struct price price;
        if (m == l) {
            continue;
        }
        bool is_done = lead_apart(robust, l, m, s, d, &marks, &price);
        give_up(robust, l, m, s, d, &marks);
        if (is_done) {
            if (remedy->l == SF_NONE || is_less(price, remedy->price)) {
                *remedy = (struct remedy){ l, m, price };
            }
            return;
        }
    }
}

/* Gives 's' and 'd' two layers that share no link, if that can be. */
static bool
serve(struct robust *robust, uint32_t s, uint32_t d)
{
    uint32_t order[SF_MAX_LAYERS];
    struct marks marks;
    struct remedy remedy = { SF_NONE, SF_NONE, { 0, 0 } };

    if (!order_ways(robust->job, s, d, order)) {
        return false;
    }
    for (robust->effort = 0; robust->effort < robust->n_efforts;
         robust->effort++) {
        for (uint32_t l = 1; l < robust->job->layers->n_layers; l++) {
            try_layer(robust, s, d, l, order, &remedy);
        }
        if (remedy.l != SF_NONE) {
            return lead_apart(robust, remedy.l, remedy.m, s, d, &marks,
                              &remedy.price);
        }
    }
    return false;
}

/* What hosts of the two switches lack, whatever path sets they are of. */
static uint32_t
lack_of_pair(const struct robust *robust, uint32_t s, uint32_t d)
{
    return sf_robust_lack(robust->job, s, d) +
           (robust->job->params->set > first_set(robust->job)
                ? sf_robust_lack(robust->job, d, s)
                : 0);
}

/* Serves all pairs that lack something, in random order; returns how many
 * were helped. */
static uint32_t
serve_round(struct robust *robust, uint32_t round, uint32_t *order)
{
    const struct sf_layer_job *job = robust->job;
    uint32_t n = job->graph->n_nodes, n_served = 0;
    struct sf_random random;

    sf_random_init(&random, job->seed, UINT64_C(5) << 61 | round);
    sf_random_shuffle(&random, order, n);
    for (uint32_t i = 0; i < n; i++) {
        sf_progress_report("keeping layers apart", (uint64_t)round * n + i,
                           (uint64_t)ROUNDS * n);
        for (uint32_t k = 0; k < i; k++) {
            n_served += lack_of_pair(robust, order[i], order[k]) > 0 &&
                        serve(robust, order[i], order[k]);
        }
    }
    return n_served;
}

static uint64_t
mean_load(const struct robust *robust)
{
    uint32_t n_arcs = 2 * robust->job->graph->n_links;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n_arcs; i++) {
        sum += robust->loads[i];
    }
    return 1 + sum / (n_arcs ? n_arcs : 1);
}

enum sf_status
sf_layers_make_robust(const struct sf_layer_job *job, const uint32_t *weights,
                      uint64_t *loads, struct sf_error *err)
{
    size_t n = job->graph->n_nodes, n_arcs = 2 * (size_t)job->graph->n_links;
    struct robust robust = { .job = job, .weights = weights, .loads = loads };
    enum sf_status status = SF_OK;
    uint32_t n_served = SF_NONE;

    uint32_t *order = sf_calloc(n, sizeof *order);
    robust.branch = sf_calloc(n, sizeof *robust.branch);
    robust.affected = sf_calloc(n, sizeof *robust.affected);
    robust.is_affected = sf_calloc(n, sizeof *robust.is_affected);
    robust.change = sf_calloc(n_arcs, sizeof *robust.change);
    robust.touched = sf_calloc(n_arcs, sizeof *robust.touched);
    robust.is_touched = sf_calloc(n_arcs, sizeof *robust.is_touched);
    if (order && robust.branch && robust.affected && robust.is_affected &&
        robust.change && robust.touched && robust.is_touched) {
        for (uint32_t i = 0; i < n; i++) {
            order[i] = i;
        }
        for (uint32_t round = 0;
             round < ROUNDS && (n_served > 0 || round <= STRICT); round++) {
            robust.target = mean_load(&robust);
            robust.allowed = round < STRICT ? -1 : 0;
            robust.n_efforts = round < STRICT ? EFFORTS - 1 : EFFORTS;
            n_served = serve_round(&robust, round, order);
        }
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %zu switches", n);
    }
    free(robust.is_touched);
    free(robust.touched);
    free(robust.change);
    free(robust.is_affected);
    free(robust.affected);
    free(robust.branch);
    free(order);
    return status;
}
