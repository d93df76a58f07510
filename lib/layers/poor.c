/* poor.c -- another path for pairs that have too few.
 *
 * Layers are made for all pairs together, and where turns must be obeyed some
 * pairs end with two separate paths while most have three or more.  These are
 * few, so each of them can be looked at by itself.  In each layer above 0 the
 * pair's source tries all ways
 * - over a neighbour as it goes on,
 * - over a neighbour that changes its own way for it.
 * Whoever changes its way must be a leaf, over whom nobody sends; those that
 * do may go elsewhere first.  Nobody may become poor by it, unless it can be
 * helped in turn, and links that carry as much as any take no more.
 *
 * If many pairs are poor, the network is to blame, as where distant parts are
 * joined by few links: then nothing is done.  O(L V^2 H) time beside the
 * help. */
#include "layers/poor.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "layers/trees.h"

#include <string.h>

#define ENOUGH 3    /* Separate paths. */
#define FEW    100  /* Up to one pair in so many is helped. */
#define DEPTH  2    /* How often those who help may be helped in turn. */
#define TRIES  1000 /* How many times a layer is looked at for one pair. */
#define CHAIN  32   /* How many changes may depend on each other. */

struct move {
    uint32_t layer, s, hop;
};

struct helping {
    const struct sf_layer_job *job;
    const uint32_t *weights; /* [V] */
    uint64_t *loads;         /* [2E] Without the routes to 'd', */
    uint64_t *own;    /* [2E] which are here, before a pair is helped. */
    uint64_t most;    /* No link may carry more. */
    uint32_t enough;  /* Separate paths. */
    uint32_t *n_poor; /* [V] Poor pairs, by destination. */

    uint32_t d, layer; /* The tree at hand. */
    uint32_t *path;    /* [max_hops + 1] One that is tried. */
    bool may_clear;    /* Switches that are no leaves may be made such. */
    uint32_t depth;    /* How often those who help may be helped in turn. */
    uint32_t n_tries;  /* How many more times a layer is looked at. */

    struct move *moves; /* [max_moves] What was before, to be undone. */
    uint32_t n_moves, max_moves;
    uint32_t most_at_once; /* Moves in one layer for one switch. */
};

/* How many separate paths, of as many as are enough, 's' has to 'd'. */
static uint32_t
count_to(const struct helping *helping, uint32_t s, uint32_t d)
{
    const struct sf_layers *layers = helping->job->layers;
    struct sf_ends ends[SF_MAX_LAYERS];

    sf_layers_find_ends(layers, helping->job->graph, s, d, ends);
    return sf_ends_count_separate(ends, layers->n_layers, helping->enough);
}

static bool
is_poor(const struct helping *helping, uint32_t s, uint32_t d)
{
    const struct sf_graph *graph = helping->job->graph;
    uint32_t arc =
        s == d ? SF_NONE : sf_layers_arc(helping->job->layers, graph, 0, s, d);

    return arc != SF_NONE && graph->arcs[arc].to != d &&
           count_to(helping, s, d) < helping->enough;
}

/* How many separate paths 's' has if its path in this layer is the one at
 * hand, of which it takes the arcs from 'from' to 'n' - 1. */
static uint32_t
count_with(const struct helping *helping, uint32_t s, uint32_t from,
           uint32_t n)
{
    const struct sf_layers *layers = helping->job->layers;
    struct sf_ends ends[SF_MAX_LAYERS];

    sf_layers_find_ends(layers, helping->job->graph, s, helping->d, ends);
    ends[helping->layer] =
        (struct sf_ends){ helping->path[from], helping->path[n - 1] };
    return sf_ends_count_separate(ends, layers->n_layers, helping->enough);
}

/* Whether 's' may take the path at hand, from arc 'from' to 'n' - 1. */
static bool
may_take(const struct helping *helping, uint32_t s, uint32_t from, uint32_t n)
{
    uint64_t routes =
        (uint64_t)helping->weights[s] * helping->weights[helping->d];

    for (uint32_t i = from; i < n; i++) {
        uint32_t arc = helping->path[i];
        if (helping->loads[arc] + helping->own[arc] + routes > helping->most) {
            return false;
        }
    }
    return sf_path_is_allowed(helping->job, helping->path + from, n - from);
}

/* Sends the leaf 's' over 'arc', to be undone if it does not help. */
static void
move(struct helping *helping, uint32_t s, uint32_t arc)
{
    uint16_t *hops =
        sf_layers_tree(helping->job->layers, helping->layer, helping->d);

    helping->moves[helping->n_moves++] =
        (struct move){ helping->layer, s, hops[s] };
    hops[s] = (uint16_t)(arc - helping->job->graph->first[s]);
}

static void
undo(struct helping *helping, uint32_t n_moves)
{
    while (helping->n_moves > n_moves) {
        const struct move *last = &helping->moves[--helping->n_moves];
        sf_layers_tree(helping->job->layers, last->layer,
                       helping->d)[last->s] = (uint16_t)last->hop;
    }
}

/* Puts the path from 'v' in this layer at 'path' [i]..., and returns how long
 * the path at hand is then; SF_NONE if that is too long or it leads over
 * 'avoid'. */
static uint32_t
go_on(const struct helping *helping, uint32_t v, uint32_t i, uint32_t avoid)
{
    const struct sf_layer_job *job = helping->job;
    uint32_t limit = job->limits[helping->d];
    uint32_t n = limit < i ? SF_NONE
                           : sf_tree_follow(job, helping->layer, v, helping->d,
                                            limit - i, helping->path + i);

    for (uint32_t k = i; n != SF_NONE && k < i + n; k++) {
        n = job->graph->arcs[helping->path[k]].to == avoid ? SF_NONE : n;
    }
    return n == SF_NONE || v == avoid ? SF_NONE : i + n;
}

/* Sends the leaf 's' another way than over 'avoid', on which it keeps at least
 * so many separate paths. */
static bool
try_to_rehouse(struct helping *helping, uint32_t s, uint32_t avoid,
               uint32_t at_least)
{
    const struct sf_layer_job *job = helping->job;
    const struct sf_graph *graph = job->graph;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        helping->path[0] = i;
        uint32_t n = go_on(helping, graph->arcs[i].to, 1, avoid);
        if (n != SF_NONE && count_with(helping, s, 0, n) >= at_least &&
            may_take(helping, s, 0, n)) {
            move(helping, s, i);
            return true;
        }
    }
    return false;
}

/* The same; it may lose a path only if it can be helped in turn. */
static bool
rehouse(struct helping *helping, uint32_t s, uint32_t avoid)
{
    uint32_t has = count_to(helping, s, helping->d);

    return sf_tree_is_leaf(helping->job, helping->layer, helping->d, s) &&
           (try_to_rehouse(helping, s, avoid, has) ||
            (helping->depth > 0 &&
             try_to_rehouse(helping, s, avoid, has - 1)));
}

/* Makes 's' a leaf: all but 'follower' that come over it go elsewhere. */
static bool
clear(struct helping *helping, uint32_t s, uint32_t follower)
{
    const struct sf_layer_job *job = helping->job;
    const struct sf_graph *graph = job->graph;
    const uint16_t *hops =
        sf_layers_tree(job->layers, helping->layer, helping->d);

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t c = graph->arcs[i].to;
        if (c != follower && c != helping->d && hops[c] != SF_NO_HOP &&
            graph->first[c] + hops[c] == job->reverse[i] &&
            (!helping->may_clear || !rehouse(helping, c, s))) {
            return false;
        }
    }
    return true;
}

static bool help(struct helping *helping, uint32_t s);

/* Helps those that became poor by the moves from 'start' on, which were made
 * for 's'; false if one is left poor. */
static bool
repay(struct helping *helping, uint32_t s, uint32_t start)
{
    uint32_t end = helping->n_moves, layer = helping->layer;
    bool may_clear = helping->may_clear, is_done = true;

    if (helping->depth == 0) {
        return true;
    }
    helping->depth--;
    for (uint32_t i = start; is_done && i < end; i++) {
        uint32_t v = helping->moves[i].s;
        is_done =
            v == s || !is_poor(helping, v, helping->d) || help(helping, v);
    }
    helping->depth++;
    helping->layer = layer;
    helping->may_clear = may_clear;
    return is_done && !is_poor(helping, s, helping->d);
}

/* Lets the leaf 's' go over 'v', to which path[0] leads, and 'v' where that
 * helps 's' to more paths than it 'has'. */
static bool
try_to_lead(struct helping *helping, uint32_t s, uint32_t v, uint32_t start,
            uint32_t has)
{
    const struct sf_layer_job *job = helping->job;
    const struct sf_graph *graph = job->graph;
    uint32_t first = helping->path[0],
             v_has = count_to(helping, v, helping->d);

    for (uint32_t j = graph->first[v]; j < graph->first[v + 1]; j++) {
        helping->path[0] = first;
        helping->path[1] = j;
        uint32_t w = graph->arcs[j].to;
        uint32_t n = w == s ? SF_NONE : go_on(helping, w, 2, v);
        if (n == SF_NONE || count_with(helping, s, 0, n) <= has ||
            count_with(helping, v, 1, n) + (helping->depth > 0) < v_has ||
            !may_take(helping, s, 0, n) || !may_take(helping, v, 1, n)) {
            continue;
        }
        uint32_t mark = helping->n_moves;
        if (clear(helping, v, s) &&
            sf_tree_is_leaf(job, helping->layer, helping->d, s)) {
            move(helping, v, j);
            move(helping, s, first);
            if (repay(helping, s, start)) {
                return true;
            }
        }
        undo(helping, mark);
    }
    return false;
}

/* Looks in this layer for one more separate path of 's'. */
static bool
try_layer(struct helping *helping, uint32_t s)
{
    const struct sf_layer_job *job = helping->job;
    const struct sf_graph *graph = job->graph;
    uint32_t has = count_to(helping, s, helping->d), mark = helping->n_moves;
    bool is_helped = false;

    if (helping->n_tries == 0 ||
        mark + helping->most_at_once > helping->max_moves) {
        return false;
    }
    helping->n_tries--;
    if (!clear(helping, s, SF_NONE)) {
        undo(helping, mark);
        return false;
    }
    for (uint32_t i = graph->first[s]; !is_helped && i < graph->first[s + 1];
         i++) {
        uint32_t v = graph->arcs[i].to;
        helping->path[0] = i;
        uint32_t n = go_on(helping, v, 1, SF_NONE);
        if (n != SF_NONE && count_with(helping, s, 0, n) > has &&
            may_take(helping, s, 0, n)) {
            uint32_t before = helping->n_moves;
            move(helping, s, i);
            is_helped = repay(helping, s, mark);
            if (!is_helped) {
                undo(helping, before);
            }
        } else if (v != helping->d) {
            helping->path[0] = i;
            is_helped = try_to_lead(helping, s, v, mark, has);
        }
    }
    if (!is_helped) {
        undo(helping, mark);
    }
    return is_helped;
}

/* Gives 's' one more separate path, if there is one. */
static bool
help(struct helping *helping, uint32_t s)
{
    for (uint32_t effort = 0; effort < 2; effort++) {
        helping->may_clear = effort > 0;
        for (uint32_t l = 1; l < helping->job->layers->n_layers; l++) {
            helping->layer = l;
            if (try_layer(helping, s)) {
                return true;
            }
        }
    }
    return false;
}

/* Adds the routes of 's' in 'layer' to those of its destination, or takes them
 * off. */
static void
add_path(const struct helping *helping, uint32_t layer, uint32_t s,
         bool is_added)
{
    const struct sf_graph *graph = helping->job->graph;
    const uint16_t *hops =
        sf_layers_tree(helping->job->layers, layer, helping->d);
    uint64_t routes =
        (uint64_t)helping->weights[s] * helping->weights[helping->d];

    for (uint32_t v = s; hops[v] != SF_NO_HOP;) {
        uint32_t arc = graph->first[v] + hops[v];
        helping->own[arc] += is_added ? routes : -routes;
        v = graph->arcs[arc].to;
    }
}

/* Counts the routes to the destination at hand. */
static void
count_own(struct helping *helping)
{
    const struct sf_layer_job *job = helping->job;

    memset(helping->own, 0,
           2 * (size_t)job->graph->n_links * sizeof *helping->own);
    for (uint32_t l = 0; l < job->layers->n_layers; l++) {
        for (uint32_t s = 0; s < job->graph->n_nodes; s++) {
            add_path(helping, l, s, true);
        }
    }
}

/* Exchanges what a move has changed for what it notes. */
static void
exchange(const struct helping *helping, struct move *move)
{
    uint16_t *hops =
        sf_layers_tree(helping->job->layers, move->layer, helping->d);
    uint16_t hop = hops[move->s];

    hops[move->s] = (uint16_t)move->hop;
    move->hop = hop;
}

/* Counts what the moves have changed.  Who moved was a leaf then, so that its
 * own routes alone went another way. */
static void
count_moves(struct helping *helping)
{
    for (uint32_t i = helping->n_moves; i-- > 0;) {
        struct move *move = &helping->moves[i];
        add_path(helping, move->layer, move->s, true);
        exchange(helping, move);
        add_path(helping, move->layer, move->s, false);
    }
    for (uint32_t i = 0; i < helping->n_moves; i++) {
        exchange(helping, &helping->moves[i]);
    }
}

/* Adds these to the loads, or takes them off. */
static void
add_own(struct helping *helping, bool are_added)
{
    for (uint32_t i = 0; i < 2 * helping->job->graph->n_links; i++) {
        helping->loads[i] += are_added ? helping->own[i] : -helping->own[i];
    }
}

/* Helps all poor pairs of destination 'd'. */
static void
help_destination(struct helping *helping, uint32_t d)
{
    uint32_t n = helping->job->graph->n_nodes;

    helping->d = d;
    count_own(helping);
    add_own(helping, false);
    for (uint32_t s = 0; s < n; s++) {
        if (helping->weights[s] == 0) {
            continue;
        }
        for (helping->depth = 0;
             helping->depth <= DEPTH && is_poor(helping, s, d);
             helping->depth++) {
            helping->n_moves = 0;
            helping->n_tries = TRIES;
            if (help(helping, s)) {
                count_moves(helping);
            }
        }
    }
    add_own(helping, true);
}

/* Counts the poor pairs of destination 'd'. */
static void
count_poor(void *aux, uint32_t d, uint32_t worker)
{
    struct helping *helping = aux;

    (void)worker;
    for (uint32_t s = 0; s < helping->job->graph->n_nodes; s++) {
        helping->n_poor[d] += helping->weights[s] > 0 &&
                              helping->weights[d] > 0 &&
                              is_poor(helping, s, d);
    }
}

static void
help_all(struct helping *helping)
{
    uint32_t n = helping->job->graph->n_nodes;
    uint64_t n_poor = 0;

    sf_parallel_for(helping->job->n_threads, n, count_poor, helping);
    for (uint32_t d = 0; d < n; d++) {
        n_poor += helping->n_poor[d];
    }
    for (uint32_t d = 0; n_poor <= (uint64_t)n * n / FEW && d < n; d++) {
        if (helping->n_poor[d] > 0) {
            help_destination(helping, d);
        }
    }
}

enum sf_status
sf_layers_help_poor(const struct sf_layer_job *job, const uint32_t *weights,
                    uint64_t *loads, struct sf_error *err)
{
    uint32_t n = job->graph->n_nodes;
    size_t n_arcs = 2 * (size_t)job->graph->n_links;
    struct helping helping = {
        .job = job, .weights = weights, .loads = loads, .enough = ENOUGH
    };
    enum sf_status status = SF_OK;

    if (job->layers->n_layers <= ENOUGH) {
        return SF_OK; /* Every layer would have to serve every pair. */
    }
    for (uint32_t s = 0; s < n; s++) {
        /* Those who come over a switch and over a neighbour, and these. */
        uint32_t n_moves = 2 * sf_graph_degree(job->graph, s) + 2;
        helping.most_at_once =
            n_moves > helping.most_at_once ? n_moves : helping.most_at_once;
    }
    for (size_t i = 0; i < n_arcs; i++) {
        helping.most = loads[i] > helping.most ? loads[i] : helping.most;
    }
    helping.max_moves = CHAIN * helping.most_at_once;
    helping.n_poor = sf_calloc(n, sizeof *helping.n_poor);
    helping.path = sf_calloc((size_t)job->max_hops + 1, sizeof *helping.path);
    helping.own = sf_calloc(n_arcs, sizeof *helping.own);
    helping.moves = sf_calloc(helping.max_moves, sizeof *helping.moves);
    if (helping.n_poor && helping.path && helping.own && helping.moves) {
        help_all(&helping);
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
    }
    free(helping.moves);
    free(helping.own);
    free(helping.path);
    free(helping.n_poor);
    return status;
}
