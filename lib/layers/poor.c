/* poor.c -- another path for pairs that have too few.
 *
 * Layers are made for all pairs together, and where turns must be obeyed some
 * pairs end with two separate paths while most have three or more.  These are
 * few, so each of them can be looked at by itself.  In each layer above 0 the
 * pair's source tries all ways
 * - over a neighbour as it goes on,
 * - over a neighbour that changes its own way for it.
 * Whoever changes its way must be a leaf, over whom nobody sends: those that
 * do may go elsewhere first, if they are leaves.  Nobody else may become poor
 * by it, nor lose more of its paths than others have.
 *
 * If many pairs are poor, the network is to blame, as where distant parts are
 * joined by few links: then nothing is done.  O(L V^2 H) time beside the
 * help. */
#include "layers/poor.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "layers/trees.h"

#define ENOUGH 3   /* Separate paths. */
#define FEW    100 /* Up to one pair in so many is helped. */
#define PASSES 2   /* Helping one may make way for another. */

struct move {
    uint32_t s, hop;
};

struct helping {
    const struct sf_layer_job *job;
    const uint32_t *weights; /* [V] */
    uint64_t *loads;         /* [2E] */
    uint32_t enough;
    uint32_t *n_poor;  /* [V] Poor pairs, by destination. */
    uint32_t *path;    /* [max_hops + 1] One that is tried. */
    uint32_t layer, d; /* The tree at hand, */
    bool may_clear; /* whether switches that are no leaves may become such, */
    struct move *moves; /* [2V] and what they did before, to be undone. */
    uint32_t n_moves;
};

static bool
is_poor(const struct helping *helping, uint32_t s, uint32_t d)
{
    const struct sf_layer_job *job = helping->job;
    uint32_t n_layers = job->layers->n_layers;
    struct sf_ends ends[SF_MAX_LAYERS];
    uint32_t arc =
        s == d ? SF_NONE : sf_layers_arc(job->layers, job->graph, 0, s, d);

    if (arc == SF_NONE || job->graph->arcs[arc].to == d) {
        return false;
    }
    sf_layers_find_ends(job->layers, job->graph, s, d, ends);
    return sf_ends_count_separate(ends, n_layers, helping->enough) <
           helping->enough;
}

/* How many separate paths, of as many as are enough, 's' has. */
static uint32_t
count_paths(const struct helping *helping, uint32_t s)
{
    const struct sf_layers *layers = helping->job->layers;
    struct sf_ends ends[SF_MAX_LAYERS];

    sf_layers_find_ends(layers, helping->job->graph, s, helping->d, ends);
    return sf_ends_count_separate(ends, layers->n_layers, helping->enough);
}

/* The same if its path in this layer is the one at hand, of which it takes
 * the arcs from 'from' to 'n' - 1. */
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

/* Adds the routes of 's' to its links, or takes them off. */
static void
add_routes(struct helping *helping, uint32_t s, bool are_added)
{
    const struct sf_graph *graph = helping->job->graph;
    const struct sf_layers *layers = helping->job->layers;
    uint64_t routes =
        (uint64_t)helping->weights[s] * helping->weights[helping->d];

    while (s != helping->d) {
        uint32_t arc =
            sf_layers_arc(layers, graph, helping->layer, s, helping->d);
        helping->loads[arc] += are_added ? routes : -routes;
        s = graph->arcs[arc].to;
    }
}

/* Sends the leaf 's' over its link 'hop'. */
static void
redirect(struct helping *helping, uint32_t s, uint32_t hop)
{
    add_routes(helping, s, false);
    sf_layers_tree(helping->job->layers, helping->layer, helping->d)[s] =
        (uint16_t)hop;
    add_routes(helping, s, true);
}

/* The same, to be undone if it does not help. */
static void
move(struct helping *helping, uint32_t s, uint32_t arc)
{
    const uint16_t *hops =
        sf_layers_tree(helping->job->layers, helping->layer, helping->d);
    uint32_t hop = arc - helping->job->graph->first[s];

    if (hops[s] != hop) {
        helping->moves[helping->n_moves++] = (struct move){ s, hops[s] };
        redirect(helping, s, hop);
    }
}

static void
undo(struct helping *helping, uint32_t n_moves)
{
    while (helping->n_moves > n_moves) {
        const struct move *last = &helping->moves[--helping->n_moves];
        redirect(helping, last->s, last->hop);
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

/* Sends the leaf 's' another way than over 'avoid', if it does not become
 * poorer by it. */
static bool
rehouse(struct helping *helping, uint32_t s, uint32_t avoid)
{
    const struct sf_layer_job *job = helping->job;
    const struct sf_graph *graph = job->graph;
    uint32_t has = count_paths(helping, s);

    if (!sf_tree_is_leaf(job, helping->layer, helping->d, s)) {
        return false;
    }
    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        helping->path[0] = i;
        uint32_t n = go_on(helping, graph->arcs[i].to, 1, avoid);
        if (n != SF_NONE && count_with(helping, s, 0, n) >= has &&
            sf_path_is_allowed(job, helping->path, n)) {
            move(helping, s, i);
            return true;
        }
    }
    return false;
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

/* Sends 'v' over 'v_arc' and 's', which may come over 'v' already, over
 * 's_arc' to 'v'. */
static void
lead(struct helping *helping, uint32_t s, uint32_t s_arc, uint32_t v,
     uint32_t v_arc)
{
    const uint32_t *first = helping->job->graph->first;
    uint16_t *hops =
        sf_layers_tree(helping->job->layers, helping->layer, helping->d);

    add_routes(helping, s, false);
    redirect(helping, v, v_arc - first[v]);
    hops[s] = (uint16_t)(s_arc - first[s]);
    add_routes(helping, s, true);
}

/* Lets the leaf 's' go over 'v', to which path[0] leads, and 'v' where that
 * helps 's' to more paths than it 'has'. */
static bool
try_to_lead(struct helping *helping, uint32_t s, uint32_t v, uint32_t has)
{
    const struct sf_layer_job *job = helping->job;
    const struct sf_graph *graph = job->graph;
    uint32_t first = helping->path[0], v_has = count_paths(helping, v);

    for (uint32_t j = graph->first[v]; j < graph->first[v + 1]; j++) {
        helping->path[0] = first;
        helping->path[1] = j;
        uint32_t w = graph->arcs[j].to;
        uint32_t n = w == s ? SF_NONE : go_on(helping, w, 2, v);
        if (n == SF_NONE || count_with(helping, s, 0, n) <= has ||
            count_with(helping, v, 1, n) < v_has ||
            !sf_path_is_allowed(job, helping->path, n)) {
            continue;
        }
        uint32_t mark = helping->n_moves;
        if (clear(helping, v, s)) {
            lead(helping, s, first, v, j);
            return true;
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
    uint32_t has = count_paths(helping, s), mark = helping->n_moves;
    bool is_helped = false;

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
            sf_path_is_allowed(job, helping->path, n)) {
            move(helping, s, i);
            is_helped = true;
        } else if (v != helping->d) {
            helping->path[0] = i;
            is_helped = try_to_lead(helping, s, v, has);
        }
    }
    if (!is_helped) {
        undo(helping, mark);
    }
    return is_helped;
}

/* Gives the pair of 's' and 'd' one more separate path, if there is one. */
static bool
help(struct helping *helping, uint32_t s, uint32_t d)
{
    helping->d = d;
    for (uint32_t effort = 0; effort < 2; effort++) {
        helping->may_clear = effort > 0;
        for (uint32_t l = 1; l < helping->job->layers->n_layers; l++) {
            helping->layer = l;
            helping->n_moves = 0;
            if (try_layer(helping, s)) {
                return true;
            }
        }
    }
    return false;
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
    for (uint32_t i = 0; i < PASSES * n && n_poor <= (uint64_t)n * n / FEW;
         i++) {
        uint32_t d = i % n;
        for (uint32_t s = 0; helping->n_poor[d] > 0 && s < n; s++) {
            while (helping->weights[s] > 0 && is_poor(helping, s, d) &&
                   help(helping, s, d)) {
            }
        }
    }
}

enum sf_status
sf_layers_help_poor(const struct sf_layer_job *job, const uint32_t *weights,
                    uint64_t *loads, struct sf_error *err)
{
    uint32_t n = job->graph->n_nodes, n_layers = job->layers->n_layers;
    struct helping helping = { .job = job,
                               .weights = weights,
                               .loads = loads,
                               .enough =
                                   n_layers < ENOUGH ? n_layers : ENOUGH };
    enum sf_status status = SF_OK;

    helping.n_poor = sf_calloc(n, sizeof *helping.n_poor);
    helping.path = sf_calloc((size_t)job->max_hops + 1, sizeof *helping.path);
    helping.moves = sf_calloc(2 * (size_t)n, sizeof *helping.moves);
    if (helping.n_poor && helping.path && helping.moves) {
        help_all(&helping);
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
    }
    free(helping.moves);
    free(helping.path);
    free(helping.n_poor);
    return status;
}
