/* ordered.c -- short paths for any graph and any number of lanes, safe on any
 * service level.
 *
 * An order of channels grows with the paths (channel_order.h), so turns and
 * layers are made together.  Each destination has a tree for each layer, grown
 * from it by costs: hops first, then load.  A switch joins the tree over the
 * cheapest link that the order allows; if it allows no shortest path, a longer
 * one.  Where switches cannot join at all, the tree is grown again around
 * their paths along the spanning tree of the order, which are always allowed.
 * So no connected graph is refused, and the fewer lanes there are, the longer
 * are the paths.
 *
 * Layers above 0 enter a destination through different links as far as they
 * can: each has its share of them, and others cost more; so does a first link
 * that an earlier layer has taken.  O(L V E log E) time, besides that of the
 * order, which is small where the lanes are not scarce.  [Domke16] grows
 * paths and order together, too, with a lane for each destination. */
#include "layers/channel_order.h"
#include "layers/level.h"
#include "layers/trees.h"

#include "slimfly/random.h"

#include <string.h>

/* What a path costs, beside the loads of its links. */
#define HOP         (UINT64_C(1) << 44)
#define WRONG_GATE  (5 * HOP / 2) /* To enter by a link of other layers. */
#define FIRST_AGAIN HOP        /* For each layer with the same first link. */
#define TOO_LONG    (64 * HOP) /* For each hop beyond the limit. */

/* A way to join a tree. */
struct offer {
    uint64_t cost; /* Of the whole path. */
    uint32_t arc;  /* Its first. */
};

struct ordered {
    const struct sf_layer_job *job;
    struct sf_channel_order order;
    struct sf_search search;
    uint64_t *loads;   /* [2E] */
    uint64_t *cost;    /* [V] Of the path from each switch of the tree. */
    uint32_t *depth;   /* [V] Hops of it; SF_NONE outside the tree. */
    uint32_t n_joined; /* Switches of the tree. */
    uint32_t *escapes; /* [V] First arcs along the spanning tree. */
    bool *has_escaped; /* [V] Who must take these. */
    uint32_t *way;     /* [V] Workspace. */
    uint32_t *longest; /* [V] Hops of the longest path to each. */
    uint32_t *queue;   /* [V] The destinations, in random order. */
    uint32_t *gates; /* [max degree] Arcs of the destination, in its order. */
    bool *is_gate;   /* [max degree] Those by which the layer enters. */
    SF_VEC(struct offer) offers; /* A heap, the cheapest first. */
};

static bool
is_cheaper(const struct offer *a, const struct offer *b)
{
    return a->cost < b->cost || (a->cost == b->cost && a->arc < b->arc);
}

static bool
push_offer(struct ordered *ordered, struct offer offer)
{
    if (!sf_vec_push(&ordered->offers, offer)) {
        return false;
    }
    struct offer *heap = ordered->offers.items;
    size_t i = ordered->offers.n - 1;
    for (; i > 0 && is_cheaper(&offer, &heap[(i - 1) / 2]); i = (i - 1) / 2) {
        heap[i] = heap[(i - 1) / 2];
    }
    heap[i] = offer;
    return true;
}

static struct offer
pop_offer(struct ordered *ordered)
{
    struct offer *heap = ordered->offers.items, best = heap[0];
    size_t n = --ordered->offers.n, i = 0;
    struct offer last = heap[n];

    for (size_t child = 1; child < n; child = 2 * i + 1) {
        child += child + 1 < n && is_cheaper(&heap[child + 1], &heap[child]);
        if (!is_cheaper(&heap[child], &last)) {
            break;
        }
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return best;
}

/* What it costs to go over 'arc' and on from there to 'd'. */
static uint64_t
cost_over(const struct ordered *ordered, uint32_t layer, uint32_t d,
          uint32_t limit, uint32_t arc)
{
    const struct sf_graph *graph = ordered->job->graph;
    uint32_t back = ordered->job->reverse[arc];
    uint32_t s = graph->arcs[back].to, v = graph->arcs[arc].to;
    uint64_t cost = ordered->cost[v] + HOP + ordered->loads[arc];

    if (layer > 0) {
        cost +=
            FIRST_AGAIN * sf_count_earlier_uses(ordered->job->layers, layer, s,
                                                d, arc - graph->first[s]);
        if (v == d && !ordered->is_gate[back - graph->first[d]]) {
            cost += WRONG_GATE;
        }
    }
    return ordered->depth[v] < limit ? cost : cost + TOO_LONG;
}

/* Offers the neighbours of 'v', which is in the tree, to join it there. */
static bool
offer_to_neighbours(struct ordered *ordered, uint32_t layer, uint32_t d,
                    uint32_t limit, uint32_t v)
{
    const struct sf_graph *graph = ordered->job->graph;
    bool is_noted = true;

    for (uint32_t i = graph->first[v]; is_noted && i < graph->first[v + 1];
         i++) {
        uint32_t s = graph->arcs[i].to, arc = ordered->job->reverse[i];
        if (ordered->depth[s] == SF_NONE) {
            is_noted = push_offer(
                ordered, (struct offer){
                             cost_over(ordered, layer, d, limit, arc), arc });
        }
    }
    return is_noted;
}

/* Whether the order lets a switch go over 'arc' to the tree of 'd'. */
static bool
allows(struct ordered *ordered, const uint16_t *tree, uint32_t d, uint32_t arc)
{
    const struct sf_graph *graph = ordered->job->graph;
    uint32_t v = graph->arcs[arc].to;

    if (v == d) {
        return true;
    }
    uint32_t out = graph->first[v] + tree[v], w = graph->arcs[out].to;
    return sf_channel_order_add(&ordered->order, arc, out,
                                w == d ? SF_NONE : graph->first[w] + tree[w]);
}

/* Puts 's' into the tree of 'd' over 'arc'. */
static void
join(struct ordered *ordered, uint16_t *tree, uint32_t s, struct offer offer)
{
    const struct sf_graph *graph = ordered->job->graph;

    tree[s] = (uint16_t)(offer.arc - graph->first[s]);
    ordered->cost[s] = offer.cost;
    ordered->depth[s] = ordered->depth[graph->arcs[offer.arc].to] + 1;
    ordered->n_joined++;
}

/* Notes the next hops along the spanning tree to 'd': from 'd' up to the root
 * they come down, from everywhere else they go up. */
static void
find_escapes(const struct ordered *ordered, uint32_t d)
{
    const uint32_t *parents = ordered->order.parents;

    memcpy(ordered->escapes, parents,
           ordered->job->graph->n_nodes * sizeof *parents);
    for (uint32_t s = d; parents[s] != SF_NONE;) {
        uint32_t above = ordered->job->graph->arcs[parents[s]].to;
        ordered->escapes[above] = ordered->job->reverse[parents[s]];
        s = above;
    }
}

/* Puts the switches that are to escape into the tree of 'd', and those on
 * their way. */
static void
join_escapes(struct ordered *ordered, uint32_t layer, uint32_t d,
             uint32_t limit, uint16_t *tree)
{
    const struct sf_graph *graph = ordered->job->graph;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t n = 0;
        if (!ordered->has_escaped[s]) {
            continue;
        }
        for (uint32_t v = s; ordered->depth[v] == SF_NONE; n++) {
            ordered->way[n] = v;
            v = graph->arcs[ordered->escapes[v]].to;
        }
        while (n-- > 0) {
            uint32_t arc = ordered->escapes[ordered->way[n]];
            join(ordered, tree, ordered->way[n],
                 (struct offer){ cost_over(ordered, layer, d, limit, arc),
                                 arc });
        }
    }
}

/* Grows the tree of 'd' as far as the order allows. */
static enum sf_status
grow(struct ordered *ordered, uint32_t layer, uint32_t d, uint32_t limit,
     struct sf_error *err)
{
    const struct sf_layer_job *job = ordered->job;
    const struct sf_graph *graph = job->graph;
    uint16_t *tree = sf_layers_tree(job->layers, layer, d);
    bool is_noted = true;

    memset(ordered->depth, 0xff, graph->n_nodes * sizeof *ordered->depth);
    ordered->offers.n = 0;
    ordered->depth[d] = 0;
    ordered->cost[d] = 0;
    ordered->n_joined = 1;
    join_escapes(ordered, layer, d, limit, tree);
    for (uint32_t s = 0; is_noted && s < graph->n_nodes; s++) {
        if (ordered->depth[s] != SF_NONE) {
            is_noted = offer_to_neighbours(ordered, layer, d, limit, s);
        }
    }
    while (is_noted && ordered->offers.n > 0) {
        struct offer offer = pop_offer(ordered);
        uint32_t s = graph->arcs[job->reverse[offer.arc]].to;
        if (ordered->depth[s] == SF_NONE &&
            allows(ordered, tree, d, offer.arc)) {
            join(ordered, tree, s, offer);
            is_noted = offer_to_neighbours(ordered, layer, d, limit, s);
        }
    }
    return is_noted && !ordered->order.is_full
               ? SF_OK
               : sf_fail(err, SF_ENOMEM, "out of memory for paths");
}

/* Makes the switches that could not join the tree escape. */
static void
let_escape(const struct ordered *ordered)
{
    for (uint32_t i = 0; i < ordered->search.n_reached; i++) {
        uint32_t s = ordered->search.order[i];
        ordered->has_escaped[s] |= ordered->depth[s] == SF_NONE;
    }
}

/* Chooses the links by which 'layer' is to enter 'd'. */
static void
choose_gates(const struct ordered *ordered, uint32_t layer, uint32_t d)
{
    const struct sf_graph *graph = ordered->job->graph;
    uint32_t degree = sf_graph_degree(graph, d);
    uint32_t n_sharing = ordered->job->layers->n_layers - 1;
    struct sf_random random;

    if (layer == 0) {
        return;
    }
    sf_random_init(&random, ordered->job->seed, d);
    for (uint32_t i = 0; i < degree; i++) {
        ordered->gates[i] = i;
    }
    sf_random_shuffle(&random, ordered->gates, degree);
    for (uint32_t i = 0; i < degree; i++) {
        ordered->is_gate[ordered->gates[i]] = n_sharing < degree
                                                  ? i % n_sharing == layer - 1
                                                  : (layer - 1) % degree == i;
    }
}

/* The longest path that a tree should have. */
static uint32_t
limit_of(const struct ordered *ordered)
{
    const struct sf_search *search = &ordered->search;
    uint32_t asked = ordered->job->params->max_hops;
    uint32_t far = search->distance[search->order[search->n_reached - 1]];
    uint32_t usual = ordered->job->usual_diameter + 1;

    return asked ? asked : far > usual ? far : usual;
}

/* Notes how long the paths to 'd' are, and refuses more hops than were asked
 * for. */
static enum sf_status
note_hops(const struct ordered *ordered, uint32_t d, struct sf_error *err)
{
    const struct sf_layer_job *job = ordered->job;
    uint32_t far = d;

    for (uint32_t i = 0; i < ordered->search.n_reached; i++) {
        uint32_t s = ordered->search.order[i];
        far = ordered->depth[s] > ordered->depth[far] ? s : far;
    }
    uint32_t n_hops = ordered->depth[far];
    if (job->params->max_hops && n_hops > job->params->max_hops &&
        !job->params->may_exceed) {
        return sf_fail(err, SF_EUNREACHABLE,
                       "the order of channels allows no path of at most %u "
                       "hops from switch %s to switch %s; the shortest that "
                       "it allows has %u",
                       job->params->max_hops,
                       sf_graph_name(job->graph, far).text,
                       sf_graph_name(job->graph, d).text, n_hops);
    }
    ordered->longest[d] =
        n_hops > ordered->longest[d] ? n_hops : ordered->longest[d];
    return SF_OK;
}

static enum sf_status
route(struct ordered *ordered, uint32_t layer, uint32_t d,
      struct sf_error *err)
{
    const struct sf_layer_job *job = ordered->job;
    enum sf_status status;

    sf_search_run(&ordered->search, job->graph, d, NULL);
    choose_gates(ordered, layer, d);
    find_escapes(ordered, d);
    memset(ordered->has_escaped, 0,
           job->graph->n_nodes * sizeof *ordered->has_escaped);
    for (;;) {
        status = grow(ordered, layer, d, limit_of(ordered), err);
        if (status != SF_OK ||
            ordered->n_joined == ordered->search.n_reached) {
            break;
        }
        sf_channel_order_undo(&ordered->order);
        let_escape(ordered);
    }
    sf_channel_order_keep(&ordered->order);
    if (status == SF_OK) {
        sf_tree_count_loads(job, layer, d, ordered->loads);
        status = note_hops(ordered, d, err);
    }
    return status;
}

/* Routes to all destinations in 'layer'.  What comes late finds less room in
 * the order, so each layer has another order of destinations. */
static enum sf_status
route_all(struct ordered *ordered, uint32_t layer, struct sf_error *err)
{
    uint32_t n = ordered->job->graph->n_nodes;
    enum sf_status status = SF_OK;
    struct sf_random random;

    sf_random_init(&random, ordered->job->seed, UINT64_C(1) << 32 | layer);
    for (uint32_t d = 0; d < n; d++) {
        ordered->queue[d] = d;
    }
    sf_random_shuffle(&random, ordered->queue, n);
    for (uint32_t i = 0; status == SF_OK && i < n; i++) {
        sf_layers_report_layer(ordered->job, layer, i);
        status = route(ordered, layer, ordered->queue[i], err);
    }
    return status;
}

static bool
make(struct ordered *ordered)
{
    const struct sf_graph *graph = ordered->job->graph;
    uint32_t most = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t degree = sf_graph_degree(graph, s);
        most = degree > most ? degree : most;
    }
    bool is_made = sf_search_init(&ordered->search, graph->n_nodes);
    ordered->loads =
        sf_calloc(2 * (size_t)graph->n_links, sizeof *ordered->loads);
    ordered->cost = sf_calloc(graph->n_nodes, sizeof *ordered->cost);
    ordered->depth = sf_calloc(graph->n_nodes, sizeof *ordered->depth);
    ordered->escapes = sf_calloc(graph->n_nodes, sizeof *ordered->escapes);
    ordered->has_escaped =
        sf_calloc(graph->n_nodes, sizeof *ordered->has_escaped);
    ordered->way = sf_calloc(graph->n_nodes, sizeof *ordered->way);
    ordered->queue = sf_calloc(graph->n_nodes, sizeof *ordered->queue);
    ordered->longest = sf_calloc(graph->n_nodes, sizeof *ordered->longest);
    ordered->gates = sf_calloc(most, sizeof *ordered->gates);
    ordered->is_gate = sf_calloc(most, sizeof *ordered->is_gate);
    return is_made && ordered->loads && ordered->cost && ordered->depth &&
           ordered->escapes && ordered->has_escaped && ordered->way &&
           ordered->longest && ordered->queue && ordered->gates &&
           ordered->is_gate;
}

static void
clear(struct ordered *ordered)
{
    free(ordered->offers.items);
    free(ordered->is_gate);
    free(ordered->gates);
    free(ordered->longest);
    free(ordered->queue);
    free(ordered->way);
    free(ordered->has_escaped);
    free(ordered->escapes);
    free(ordered->depth);
    free(ordered->cost);
    free(ordered->loads);
    sf_search_clear(&ordered->search);
    sf_channel_order_clear(&ordered->order);
}

/* Takes routes off crowded links, within 'turns' and without longer paths. */
static enum sf_status
level(const struct ordered *ordered, const struct sf_turns *turns,
      struct sf_error *err)
{
    struct sf_layers_params params = *ordered->job->params;
    struct sf_layer_job job = *ordered->job;

    params.turns = turns;
    job.params = &params;
    job.turns = NULL;
    job.limits = ordered->longest;
    /* Where more hops than asked for are all there is, paths have more. */
    for (uint32_t d = 0; d < job.graph->n_nodes; d++) {
        job.max_hops =
            job.limits[d] > job.max_hops ? job.limits[d] : job.max_hops;
    }
    return sf_layers_level(&job, job.weights, ordered->loads, err);
}

static enum sf_status
build(const struct sf_layer_job *job, struct sf_error *err)
{
    struct ordered ordered = { .job = job };
    /* More lanes allow hardly shorter paths, and may serve other traffic. */
    uint32_t n_vls = job->params->n_vls < SF_MOST_ORDER_VLS
                         ? job->params->n_vls
                         : SF_MOST_ORDER_VLS;
    enum sf_status status = sf_channel_order_begin(
        job->graph, job->reverse, n_vls ? n_vls : 1, &ordered.order, err);

    if (status == SF_OK && !make(&ordered)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches",
                         job->graph->n_nodes);
    }
    for (uint32_t l = 0; status == SF_OK && l < job->layers->n_layers; l++) {
        status = route_all(&ordered, l, err);
    }
    struct sf_turns *turns = NULL;
    if (status == SF_OK) {
        turns = sf_channel_order_finish(&ordered.order);
        status = level(&ordered, turns, err);
    }
    if (status == SF_OK && job->params->turnsp) {
        *job->params->turnsp = turns;
        turns = NULL;
    }
    sf_turns_free(turns);
    clear(&ordered);
    return status;
}

static const struct sf_layer_ops ops = { .build = build };

const struct sf_layer_scheme sf_scheme_ordered = {
    .name = "ordered",
    .title = "paths within an order of channels",
    .summary = "the shortest paths that go up in one order of channels, which "
               "grows with them; for any network and any number of lanes",
    .reference = "Domke16",
    .extra_hops = SF_NONE,
    .makes_turns = true,
    .ops = &ops,
};
