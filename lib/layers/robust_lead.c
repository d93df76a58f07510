/* robust_lead.c -- leads the path of one pair off some links. */
#include "layers/robust_parts.h"
#include "layers/share.h"
#include "layers/trees.h"

#define BRANCH                                                    \
    8 /* Switches that carry more than so many times their degree \
       * stay where they are. */
#define OPTIONS       64 /* Ways that are looked at closely at most; */
#define USUAL_OPTIONS 6  /* as a rule. */

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
most_options(const struct sf_robust *robust)
{
    return robust->effort < SF_ROBUST_EFFORTS - 1 ? USUAL_OPTIONS : OPTIONS;
}

static uint64_t
cost_of_arc(const struct sf_robust *robust, uint32_t arc, uint64_t routes)
{
    uint64_t load = robust->loads[arc];
    return sf_share_cost(load + routes, robust->target, SF_ROBUST_POWER) -
           sf_share_cost(load, robust->target, SF_ROBUST_POWER);
}

/* What it costs the links that 's' goes over 'arc', 'next' and then as the
 * tree does. */
static uint64_t
cost_of_way(const struct sf_robust *robust, uint32_t layer, uint32_t d,
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

static bool redirect(struct sf_robust *robust, uint32_t layer, uint32_t d,
                     uint32_t s, uint32_t arc, uint32_t follower);

/* Sends 'c' over 'arc': with all that come over it or, if 'may_part', with
 * those that may. */
static bool
try_house(struct sf_robust *robust, uint32_t layer, uint32_t d, uint32_t c,
          uint32_t arc, bool may_part)
{
    if (may_part) {
        return redirect(robust, layer, d, c, arc, SF_NONE);
    }
    sf_robust_set_hop(robust, layer, d, c, arc - robust->job->graph->first[c]);
    return sf_robust_is_branch_sound(robust, layer, d, c);
}

/* Sends 'c' another way than over those that are about to move: one of the
 * cheapest, by which least is lacking. */
static bool
rehouse(struct sf_robust *robust, uint32_t layer, uint32_t d, uint32_t c,
        bool may_part)
{
    const struct sf_graph *graph = robust->job->graph;
    struct options options = { 0, most_options(robust), { { 0 } } };
    struct sf_price best = { INT64_MAX, 0 };
    uint32_t best_arc = SF_NONE, mark = robust->n_moves;

    for (uint32_t i = graph->first[c];
         mark < SF_ROBUST_MOVES && i < graph->first[c + 1]; i++) {
        if (!sf_robust_leads_over_moving(robust, layer, d, graph->arcs[i].to,
                                         c)) {
            add_option(&options,
                       (struct option){
                           i, SF_NONE,
                           cost_of_way(robust, layer, d, c, i, SF_NONE) });
        }
    }
    for (uint32_t i = 0; best.lack > 0 && i < options.n; i++) {
        uint32_t arc = options.best[i].arc;
        if (!try_house(robust, layer, d, c, arc, may_part)) {
            sf_robust_undo(robust, mark);
            continue;
        }
        struct sf_price price = sf_robust_judge(robust, mark, layer, d, false);
        if (sf_price_is_less(price, best)) {
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
clear(struct sf_robust *robust, uint32_t layer, uint32_t d, uint32_t s,
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
        bool may_come = sf_robust_is_branch_sound(robust, layer, d, c);
        hops[s] = before;
        if (!may_come &&
            (robust->effort < 1 || !rehouse(robust, layer, d, c, false)) &&
            (robust->effort < 2 || robust->n_moving == SF_ROBUST_MOVING ||
             !rehouse(robust, layer, d, c, true))) {
            return false;
        }
    }
    return true;
}

/* Sends 's' over its arc 'arc', after those who may not come along have gone
 * elsewhere. */
static bool
redirect(struct sf_robust *robust, uint32_t layer, uint32_t d, uint32_t s,
         uint32_t arc, uint32_t follower)
{
    uint16_t hop = (uint16_t)(arc - robust->job->graph->first[s]);

    sf_robust_list_branch(robust, layer, d, s);
    if (robust->n_branch > BRANCH * sf_graph_degree(robust->job->graph, s)) {
        return false;
    }
    robust->moving[robust->n_moving++] = s;
    bool is_clear = clear(robust, layer, d, s, hop, follower);
    robust->n_moving--;
    if (!is_clear || robust->n_moves == SF_ROBUST_MOVES) {
        return false;
    }
    sf_robust_set_hop(robust, layer, d, s, hop);
    return sf_robust_is_sound(robust, layer, d, s);
}

/* Whether the path from 's' to 'd' is sound and keeps off 'way'. */
static bool
keeps_off(const struct sf_robust *robust, uint32_t layer, uint32_t d,
          uint32_t s, const struct sf_way *way)
{
    struct sf_way own = { 0 };

    return sf_way_add(robust->job->layers, robust->job->graph, layer, s, d,
                      &own) &&
           sf_ways_are_apart(&own, way);
}

/* One try to lead 's' to 'd' off some links. */
struct attempt {
    uint32_t layer, s, d;
    const struct sf_way *avoid;
    struct sf_price price; /* Of the best so far; its arcs, */
    uint32_t arc;          /* of 's', and */
    uint32_t next;         /* of the neighbour, or SF_NONE. */
};

/* Makes the moves of a try: 's' goes over 'arc' and, unless 'next' is SF_NONE,
 * the neighbour over that. */
static bool
make_moves(struct sf_robust *robust, const struct attempt *attempt,
           uint32_t arc, uint32_t next)
{
    const struct sf_graph *graph = robust->job->graph;
    uint32_t v = graph->arcs[arc].to, layer = attempt->layer, d = attempt->d;

    return (next == SF_NONE ||
            redirect(robust, layer, d, v, next, attempt->s)) &&
           redirect(robust, layer, d, attempt->s, arc, SF_NONE) &&
           sf_robust_is_branch_sound(robust, layer, d,
                                     next == SF_NONE ? attempt->s : v) &&
           keeps_off(robust, layer, d, attempt->s, attempt->avoid);
}

static void
try_moves(struct sf_robust *robust, struct attempt *attempt, uint32_t arc,
          uint32_t next)
{
    uint32_t mark = robust->n_moves;

    if (!make_moves(robust, attempt, arc, next)) {
        sf_robust_undo(robust, mark);
        return;
    }
    struct sf_price price =
        sf_robust_judge(robust, mark, attempt->layer, attempt->d, false);
    if (attempt->arc == SF_NONE || sf_price_is_less(price, attempt->price)) {
        attempt->price = price;
        attempt->arc = arc;
        attempt->next = next;
    }
}

/* Tries the cheapest ways. */
static void
try_options(struct sf_robust *robust, struct attempt *attempt,
            const struct options *options)
{
    for (uint32_t i = 0; i < options->n; i++) {
        try_moves(robust, attempt, options->best[i].arc,
                  options->best[i].next);
    }
}

/* Tries neighbours as they go on. */
static void
try_neighbours(struct sf_robust *robust, struct attempt *attempt)
{
    const struct sf_graph *graph = robust->job->graph;
    uint32_t s = attempt->s, layer = attempt->layer, d = attempt->d;
    struct options options = { 0, most_options(robust), { { 0 } } };

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t v = graph->arcs[i].to;
        if (!sf_way_has(attempt->avoid, graph->arcs[i].link) &&
            !sf_robust_leads_over(robust, layer, d, v, s) &&
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
try_to_lead(struct sf_robust *robust, struct attempt *attempt)
{
    const struct sf_graph *graph = robust->job->graph;
    uint32_t s = attempt->s, layer = attempt->layer, d = attempt->d;
    struct options options = { 0, most_options(robust), { { 0 } } };

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t v = graph->arcs[i].to;
        if (v == d || sf_way_has(attempt->avoid, graph->arcs[i].link)) {
            continue;
        }
        for (uint32_t j = graph->first[v]; j < graph->first[v + 1]; j++) {
            uint32_t w = graph->arcs[j].to;
            if (w != s && !sf_way_has(attempt->avoid, graph->arcs[j].link) &&
                !sf_robust_leads_over(robust, layer, d, w, s) &&
                !sf_robust_leads_over(robust, layer, d, w, v) &&
                keeps_off(robust, layer, d, w, attempt->avoid)) {
                add_option(&options,
                           (struct option){
                               i, j, cost_of_way(robust, layer, d, s, i, j) });
            }
        }
    }
    try_options(robust, attempt, &options);
}

bool
sf_robust_lead_off(struct sf_robust *robust, uint32_t layer, uint32_t s,
                   uint32_t d, const struct sf_way *avoid,
                   struct sf_price *sum)
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
    struct sf_price price = sf_robust_judge(robust, mark, layer, d, true);
    sum->lack += price.lack;
    sum->cost += price.cost;
    return true;
}
