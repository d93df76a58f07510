/* gates.c -- our own layers, for any graph.
 *
 * The links into a destination d are its gates.  Each layer above 0 has one
 * of them as its main gate for d: all that can reach d through it within the
 * hop limit does, the switches next to the gate being the relays for all
 * others.  In a graph of diameter 2 and with paths of 3 hops
 * - two layers with different main gates give a switch two paths that share
 *   no last link, and if it goes to different relays no link at all;
 * - a relay's own path is minimal, as in layer 0 already, so that a layer is
 *   wasted on it.  A relay of degree k serves k - 1 switches at most: about
 *   V / k of them are needed in every tree, and the neighbours of one gate
 *   are as few as that.
 * What is left to choose is chosen by prices, in rounds over all
 * destinations, by moving leaves of the trees, which keeps them valid:
 * - a path costs on each link what it may collide with there.  Two first hops
 *   of one switch never meet in a permutation of traffic, nor do two last
 *   hops into one, so first hops pay for others' middle and last hops only;
 * - a link with more than its share of routes costs more and more.  Where
 *   that is the main gate, further switches become relays over other gates,
 *   if many follow them; and before a destination has any routes, those that
 *   its main gates will carry are reserved, so that others keep off;
 * - sharing the first or last link with another layer costs most, all the
 *   more the less of its layers a pair has to itself already;
 * - relays whose switches find others, and which are better off as leaves
 *   themselves, give up; a switch that loses half of its layers has one of
 *   its neighbours made a relay.
 * Pairs with several shortest paths take in layer 0 one that no main gate
 * offers, so that they are not wasted as relays.  What exceeds the mean load
 * in the end is levelled, and pairs with too few paths are helped: see level.c
 * and poor.c.
 *
 * All that is for traffic that is shared out over the layers as is best.  For
 * equal shares, the setting 'for' says which traffic counts, and share.c moves
 * the trees towards it.
 *
 * This file is the scheme as a whole: rounds, batches, destinations, layers.
 * gates_loads.c counts routes and sets prices; gates_cost.h says what a path
 * costs by them.  gates_tree.c keeps a tree, gates_grow.c makes one,
 * gates_improve.c moves its leaves.
 *
 * O(R L V E) time for R rounds; 50 E + O(V k) bytes for each thread and 72 E
 * for all, beside the result.  Destinations are routed in batches against the
 * same prices, with random numbers of their own, and merged in order: threads
 * change nothing.  All costs are integers: machines change nothing either. */
#include "layers/gates.h"
#include "layers/level.h"
#include "layers/poor.h"
#include "layers/robust.h"
#include "layers/share.h"

#include "base/mem.h"
#include "base/parallel.h"

#include <string.h>

/* The settings. */
enum {
    FOR,
    ROBUST,
    SETS
};

/* What layers are made for: the best shares, or equal ones.  Prices of
 * overlap, in 1/SF_SHARE_UNIT of a hop, were found by experiment at q = 5
 * and 7 with 4 and 8 layers: see "Equal shares" in doc/routing.md. */
enum {
    FOR_SPLIT,
    FOR_UNIFORM,
    FOR_MIXED,
    FOR_ADVERSARIAL
};
static const uint32_t overlaps[] = {
    [FOR_UNIFORM] = 12,
    [FOR_MIXED] = 192,
    [FOR_ADVERSARIAL] = 320,
};

/* Small graphs can afford more rounds, and need them: a single path is more of
 * their loads, which they must keep below the mean to stay near it. */
#define SMALL_GRAPH    128
#define SMALL_ROUNDS   6
#define SMALL_OVERLOAD 100 /* Percent of the mean load. */
#define SMALL_BEND     40  /* How much steeper the price is at twice it. */
#define MIDDLE_GRAPH   200
#define MIDDLE_ROUNDS  4
#define LARGE_ROUNDS   2
#define LARGE_OVERLOAD 101
#define LARGE_BEND     20
#define HUGE_GRAPH     400
#define HUGE_ENOUGH    (2 * SF_GATES_UNIT) /* Cheaper paths are left alone. */
#define SHARED_ENOUGH  (6 * SF_GATES_UNIT) /* The same before share.c. */

/* Whether the trees are only to start from, for share.c. */
static bool
is_start(const struct sf_gates_task *task)
{
    return task->job->graph->n_nodes > HUGE_GRAPH &&
           task->job->values[FOR].number != FOR_SPLIT;
}

/* Whether that evens out loads by itself: it does where switches are so near
 * to each other that there are many ways, but not in a Dragonfly, nor in a
 * single layer, whose paths are as short as can be. */
static bool
is_left_to_share(const struct sf_gates_task *task)
{
    return is_start(task) && task->job->usual_diameter <= 2 &&
           task->job->layers->n_layers > 1;
}

static void
set_effort(struct sf_gates_task *task)
{
    uint32_t n = task->job->graph->n_nodes;

    task->n_rounds = n <= SMALL_GRAPH    ? SMALL_ROUNDS
                     : n <= MIDDLE_GRAPH ? MIDDLE_ROUNDS
                                         : LARGE_ROUNDS;
    task->overload_percent =
        n <= SMALL_GRAPH ? SMALL_OVERLOAD : LARGE_OVERLOAD;
    task->overload_bend = n <= SMALL_GRAPH ? SMALL_BEND : LARGE_BEND;
    task->good_enough = n <= HUGE_GRAPH ? 0 : HUGE_ENOUGH;
    if (is_left_to_share(task)) {
        task->good_enough = SHARED_ENOUGH;
    }
    if (2 * task->job->layers->n_layers > task->max_degree &&
        task->n_rounds == LARGE_ROUNDS) {
        task->n_rounds++; /* Few gates are left to even loads. */
    }
    if (is_start(task) &&
        4 * task->job->layers->n_layers <= task->max_degree) {
        task->n_rounds = 1;
    }
    if (task->job->layers->n_layers == 1) {
        task->n_rounds = 1; /* Nothing is to be improved in layer 0. */
    }
}

static void
reverse_order(uint32_t *order, uint32_t begin, uint32_t end)
{
    while (begin + 1 < end) {
        uint32_t swap = order[begin];
        order[begin++] = order[--end];
        order[end] = swap;
    }
}

/* Moves the first 'n' to the end. */
static void
rotate_order(uint32_t *order, uint32_t length, uint32_t n)
{
    reverse_order(order, 0, n);
    reverse_order(order, n, length);
    reverse_order(order, 0, length);
}

/* Puts the gates of 'd' into its order: the main gate of layer l is number
 * l - 1.  It is the one that turns were designed for, or any at random.  Each
 * host of a switch has the main gates behind those of the host before it, so
 * that together they use all, and differ in the switches that must relay. */
static void
order_gates(const struct sf_gates_task *task, uint32_t d, uint32_t *order)
{
    const struct sf_layers_params *params = task->job->params;
    const struct sf_graph *graph = task->job->graph;
    const uint16_t *designed = params->turns && params->turns->gates
                                   ? params->turns->gates + graph->first[d]
                                   : NULL;
    uint32_t degree = sf_graph_degree(graph, d);
    struct sf_random random;

    for (uint32_t i = 0; i < degree; i++) {
        order[i] = designed ? designed[i] : i;
    }
    if (!designed) {
        sf_random_init(&random, params->seed, UINT64_C(1) << 63 | d);
        sf_random_shuffle(&random, order, degree);
    }
    if (degree > 0) {
        uint64_t n_before =
            (uint64_t)params->set * (task->job->layers->n_layers - 1);
        n_before += n_before / degree; /* No two start alike too soon. */
        rotate_order(order, degree, (uint32_t)(n_before % degree));
    }
}

/* Prepares the worker for a destination, and 'tree' for its layers. */
static void
begin_destination(struct sf_gates_tree *tree)
{
    const struct sf_gates_task *task = tree->task;
    const struct sf_graph *graph = tree->graph;
    struct sf_gates_worker *worker = tree->worker;
    uint32_t d = tree->destination, degree = sf_graph_degree(graph, d);
    uint32_t n_gated = task->job->layers->n_layers - 1;

    sf_search_run(&worker->search, graph, d, NULL);
    tree->prices = sf_gates_find_prices(task, d, worker);
    memset(worker->first_used, 0, 2 * (size_t)graph->n_links);
    memset(worker->last_used, 0, (size_t)graph->n_nodes * task->max_degree);
    memset(worker->wasted, 0, graph->n_nodes);

    order_gates(task, d, worker->gate_order);
    tree->usual_waste = degree == 0 ? 0 : (int32_t)(n_gated / degree);
    tree->usual_waste += n_gated > degree ? (int32_t)(n_gated - degree) : 0;
    sf_gates_begin_loads(tree);
}

static void
use_layer(struct sf_gates_tree *tree, uint32_t layer)
{
    uint32_t degree = sf_graph_degree(tree->graph, tree->destination);

    tree->layer = layer;
    tree->hops =
        sf_layers_tree(tree->task->job->layers, layer, tree->destination);
    if (layer == 0) {
        tree->nodes = tree->worker->minimal;
        tree->depth = tree->worker->minimal_depth;
    } else {
        tree->nodes = tree->worker->nodes;
        tree->depth = tree->worker->depth;
        tree->main_gate = tree->worker->gate_order[(layer - 1) % degree];
    }
}

/* Routes a destination for the first time.  Returns a switch that cannot get
 * there, or SF_NONE. */
static uint32_t
route_first(struct sf_gates_tree *tree, struct sf_random *random)
{
    use_layer(tree, 0);
    uint32_t stuck = sf_gates_grow_minimal(tree);
    if (stuck != SF_NONE) {
        return stuck;
    }
    sf_gates_note_use(tree);
    for (uint32_t l = 1; l < tree->task->job->layers->n_layers; l++) {
        use_layer(tree, l);
        sf_gates_grow_to_main_gate(tree, random);
        sf_gates_improve(tree, random);
        sf_gates_note_use(tree);
    }
    return SF_NONE;
}

/* Improves what a destination has, against the prices of now. */
static void
route_again(struct sf_gates_tree *tree, struct sf_random *random)
{
    uint32_t n_layers = tree->task->job->layers->n_layers;

    for (uint32_t l = 0; l < n_layers; l++) {
        use_layer(tree, l);
        sf_gates_find_gates(tree);
        sf_gates_note_use(tree);
    }
    for (uint32_t l = 1; l < n_layers; l++) {
        use_layer(tree, l);
        sf_gates_restore_tree(tree);
        sf_gates_forget_use(tree);
        sf_gates_improve(tree, random);
        sf_gates_note_use(tree);
    }
}

/* Routes the destination that is number 'i' of the batch. */
static void
route_destination(void *aux, uint32_t i, uint32_t worker_index)
{
    struct sf_gates_task *task = aux;
    struct sf_gates_worker *worker = &task->workers[worker_index];
    uint32_t d = task->order[task->begin + i];
    struct sf_random random;
    struct sf_gates_tree tree = { .task = task,
                                  .graph = task->job->graph,
                                  .worker = worker,
                                  .destination = d,
                                  .max_hops = task->job->limits[d] };

    task->stuck[i] = SF_NONE;
    begin_destination(&tree);
    if (worker->search.n_reached == 1) {
        return; /* Alone in its part. */
    }
    sf_random_init(&random, task->job->seed,
                   ((uint64_t)task->round + 1) << 32 | d);
    if (task->round == 0) {
        task->stuck[i] = route_first(&tree, &random);
    } else {
        route_again(&tree, &random);
    }
}

/* Reserves what the gates of 'd' are to carry, or gives it back. */
static void
reserve(struct sf_gates_task *task, uint32_t d, bool done)
{
    uint32_t *gate_order = task->workers[0].gate_order;

    order_gates(task, d, gate_order);
    sf_gates_reserve(task, d, gate_order, done);
}

/* Routes the batch that starts at task->begin and merges its loads. */
static enum sf_status
route_batch(struct sf_gates_task *task, uint32_t n_batch, struct sf_error *err)
{
    const struct sf_graph *graph = task->job->graph;
    size_t n_arcs = 2 * (size_t)graph->n_links;
    const uint32_t *order = task->order + task->begin;

    sf_gates_set_prices(task);
    memset(task->removed, 0, n_arcs * sizeof *task->removed);
    for (uint32_t i = 0; i < n_batch && task->round > 0; i++) {
        sf_gates_count_routes(task, order[i], task->removed);
    }
    sf_parallel_for(task->job->n_threads, n_batch, route_destination, task);
    for (uint32_t i = 0; i < n_batch; i++) {
        if (task->stuck[i] != SF_NONE) {
            return sf_fail(err, SF_EUNREACHABLE,
                           "the allowed turns leave no shortest path from "
                           "switch %s to switch %s; use the lanes dfsssp, "
                           "which need no turns",
                           sf_graph_name(graph, task->stuck[i]).text,
                           sf_graph_name(graph, order[i]).text);
        }
        sf_gates_count_routes(task, order[i], task->loads);
        if (task->round == 0) {
            reserve(task, order[i], true);
        }
    }
    for (size_t i = 0; i < n_arcs && task->round > 0; i++) {
        task->loads[i].first -= task->removed[i].first;
        task->loads[i].middle -= task->removed[i].middle;
        task->loads[i].last -= task->removed[i].last;
    }
    return SF_OK;
}

static enum sf_status
route_rounds(struct sf_gates_task *task, uint32_t *order, struct sf_error *err)
{
    uint32_t n = task->job->graph->n_nodes;
    uint32_t batch_size = sf_batch_size(task->job->graph);
    enum sf_status status = SF_OK;
    struct sf_random random;

    sf_random_init(&random, task->job->seed, UINT64_MAX);
    task->order = order;
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
        reserve(task, i, false);
    }
    for (; task->round < task->n_rounds; task->round++) {
        sf_random_shuffle(&random, order, n);
        for (uint32_t i = 0; i < n && status == SF_OK; i += batch_size) {
            sf_layers_report(task->job, (uint64_t)task->round * n + i,
                             (uint64_t)task->n_rounds * n);
            task->begin = i;
            status = route_batch(task, n - i < batch_size ? n - i : batch_size,
                                 err);
        }
        sf_gates_measure_loads(task);
    }
    return status;
}

/* Gives each pair two layers that share no link, by the limits of 'wide', and
 * evens loads out again. */
static enum sf_status
finish_robust(const struct sf_gates_task *task,
              const struct sf_layer_job *wide, uint64_t *loads,
              struct sf_error *err)
{
    uint32_t purpose = (uint32_t)task->job->values[FOR].number;
    enum sf_status status =
        sf_layers_make_robust(wide, task->weights, loads, err);

    return status == SF_OK
               ? sf_layers_share_robust(task->job, task->weights,
                                        overlaps[purpose], loads, err)
               : status;
}

/* Takes routes off the links that are above the others still, and moves trees
 * towards what equal shares need. */
static enum sf_status
finish_loads(const struct sf_gates_task *task, const struct sf_layer_job *wide,
             struct sf_error *err)
{
    size_t n_arcs = 2 * (size_t)task->job->graph->n_links;
    uint32_t purpose = (uint32_t)task->job->values[FOR].number;
    uint64_t *loads = sf_calloc(n_arcs, sizeof *loads);

    if (!loads) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %zu loads", n_arcs);
    }
    for (size_t i = 0; i < n_arcs; i++) {
        const struct sf_gates_load *load = &task->loads[i];
        loads[i] = (uint64_t)load->first + load->middle + load->last;
    }
    enum sf_status status =
        is_left_to_share(task)
            ? SF_OK
            : sf_layers_level(task->job, task->weights, loads, err);
    if (status == SF_OK) {
        status = sf_layers_help_poor(task->job, task->weights, loads, err);
    }
    if (status == SF_OK && purpose != FOR_SPLIT) {
        status = sf_layers_share(task->job, task->weights, overlaps[purpose],
                                 loads, err);
    }
    if (status == SF_OK && wide->values[ROBUST].number &&
        wide->layers->n_layers > 1) {
        status = finish_robust(task, wide, loads, err);
    }
    free(loads);
    return status;
}

static void
clear_worker(struct sf_gates_worker *worker)
{
    sf_search_clear(&worker->search);
    free(worker->own);
    free(worker->prices);
    free(worker->first_used);
    free(worker->last_used);
    free(worker->wasted);
    free(worker->nodes);
    free(worker->minimal);
    free(worker->depth);
    free(worker->minimal_depth);
    free(worker->gate_order);
    free(worker->gate_load);
    free(worker->gate_price);
    free(worker->scratch);
    free(worker->near);
    free(worker->moves);
    free(worker->offers);
    free(worker->offer_cost);
    free(worker->offer_hop);
}

static bool
init_worker(struct sf_gates_worker *worker, uint32_t n, size_t n_arcs,
            uint32_t degree)
{
    bool made = sf_search_init(&worker->search, n);

    worker->own = sf_calloc(n_arcs, sizeof *worker->own);
    worker->prices = sf_calloc(n_arcs, sizeof *worker->prices);
    worker->first_used = sf_calloc(n_arcs, sizeof *worker->first_used);
    worker->last_used =
        sf_calloc((size_t)n * degree, sizeof *worker->last_used);
    worker->wasted = sf_calloc(n, sizeof *worker->wasted);
    worker->nodes = sf_calloc(n, sizeof *worker->nodes);
    worker->minimal = sf_calloc(n, sizeof *worker->minimal);
    worker->depth = sf_calloc(n, sizeof *worker->depth);
    worker->minimal_depth = sf_calloc(n, sizeof *worker->minimal_depth);
    worker->gate_order = sf_calloc(degree, sizeof *worker->gate_order);
    worker->gate_load = sf_calloc(degree, sizeof *worker->gate_load);
    worker->gate_price = sf_calloc(degree, sizeof *worker->gate_price);
    worker->scratch = sf_calloc(2 * (size_t)n, sizeof *worker->scratch);
    worker->near = sf_calloc(degree, sizeof *worker->near);
    worker->moves = sf_calloc(n, sizeof *worker->moves);
    worker->offers = sf_calloc(n, sizeof *worker->offers);
    worker->offer_cost = sf_calloc(n, sizeof *worker->offer_cost);
    worker->offer_hop = sf_calloc(n, sizeof *worker->offer_hop);
    if (!worker->offers || !worker->offer_cost || !worker->offer_hop) {
        return false;
    }
    for (uint32_t s = 0; s < n; s++) {
        worker->offer_cost[s] = SF_GATES_NEVER;
    }
    return made && worker->own && worker->prices && worker->first_used &&
           worker->last_used && worker->wasted && worker->nodes &&
           worker->minimal && worker->depth && worker->minimal_depth &&
           worker->gate_order && worker->gate_load && worker->gate_price &&
           worker->scratch && worker->near && worker->moves;
}

/* Builds layers within the limits of 'job', and takes longer paths only as
 * those of 'wide' allow and where pairs have no others that share no link. */
static enum sf_status
build_within(const struct sf_layer_job *job, const struct sf_layer_job *wide,
             struct sf_error *err)
{
    const struct sf_graph *graph = job->graph;
    uint32_t n = graph->n_nodes;
    size_t n_arcs = 2 * (size_t)graph->n_links;
    enum sf_status status = SF_OK;
    struct sf_gates_task task = { .job = job,
                                  .check_middle = job->max_hops > 3 };

    for (uint32_t s = 0; s < n; s++) {
        uint32_t degree = sf_graph_degree(graph, s);
        task.max_degree = degree > task.max_degree ? degree : task.max_degree;
    }
    for (uint32_t i = 0; i < graph->n_links; i++) {
        task.check_middle |= sf_graph_is_parallel(graph, i);
    }
    uint32_t *order = sf_calloc(n, sizeof *order);
    uint32_t *weights = sf_calloc(n, sizeof *weights);
    task.loads = sf_calloc(n_arcs, sizeof *task.loads);
    task.removed = sf_calloc(n_arcs, sizeof *task.removed);
    task.prices = sf_calloc(n_arcs, sizeof *task.prices);
    task.stuck = sf_calloc(sf_batch_size(graph), sizeof *task.stuck);
    task.workers = sf_calloc(job->n_threads, sizeof *task.workers);
    bool made = order && weights && task.loads && task.removed &&
                task.prices && task.stuck && task.workers;
    for (uint32_t i = 0; made && i < job->n_threads; i++) {
        made = init_worker(&task.workers[i], n, n_arcs, task.max_degree);
    }
    if (made) {
        sf_gates_scale_weights(&task, weights);
        sf_gates_guess_loads(&task);
        set_effort(&task);
        status = route_rounds(&task, order, err);
        if (status == SF_OK) {
            status = finish_loads(&task, wide, err);
        }
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
    }

    for (uint32_t i = 0; task.workers && i < job->n_threads; i++) {
        clear_worker(&task.workers[i]);
    }
    free(task.workers);
    free(task.stuck);
    free(task.prices);
    free(task.removed);
    free(task.loads);
    free(weights);
    free(order);
    return status;
}

/* Finds limits without the hop that robust pairs alone may take. */
static bool
narrow_limits(const struct sf_layer_job *job, struct sf_layer_job *narrow,
              uint32_t *limits)
{
    struct sf_search search;
    bool made = sf_search_init(&search, job->graph->n_nodes);

    narrow->usual_hops = job->usual_hops - 1;
    narrow->max_hops = narrow->usual_hops;
    for (uint32_t d = 0; made && d < job->graph->n_nodes; d++) {
        sf_search_run(&search, job->graph, d, NULL);
        uint32_t far = search.distance[search.order[search.n_reached - 1]];
        limits[d] = far > narrow->usual_hops ? far : narrow->usual_hops;
        narrow->max_hops =
            limits[d] > narrow->max_hops ? limits[d] : narrow->max_hops;
    }
    narrow->limits = limits;
    sf_search_clear(&search);
    return made;
}

static enum sf_status
build(const struct sf_layer_job *job, struct sf_error *err)
{
    uint32_t n = job->graph->n_nodes;
    struct sf_layer_job narrow = *job;

    if (!job->values[ROBUST].number || job->params->max_hops > 0 ||
        job->usual_hops <= job->usual_diameter) {
        return build_within(job, job, err);
    }
    uint32_t *limits = sf_calloc(n, sizeof *limits);
    enum sf_status status =
        limits && narrow_limits(job, &narrow, limits)
            ? build_within(&narrow, job, err)
            : sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
    free(limits);
    return status;
}

/* Neighbours have no second path of less than 4 hops in a Slim Fly: where
 * few pairs at a time count, or a dead link, longer paths are worth it. */
static void
settle(const struct sf_value *values, struct sf_layer_spec *spec)
{
    spec->is_robust = values[ROBUST].number != 0;
    spec->extra_hops += values[FOR].number == FOR_ADVERSARIAL;
    spec->extra_hops += spec->is_robust;
}

static const struct sf_layer_ops ops = { .build = build, .settle = settle };

const struct sf_layer_scheme sf_scheme_gates = {
    .name = "gates",
    .title = "a gate a layer, by prices",
    .summary = "each layer enters a destination through a link of its own; "
               "disjoint paths, even loads",
    .extra_hops = 1,
    .params = {
        [FOR] = { .key = "for",
                  .kind = SF_PARAM_CHOICE,
                  .words = { [FOR_SPLIT] = "split",
                             [FOR_UNIFORM] = "uniform",
                             [FOR_MIXED] = "mixed",
                             [FOR_ADVERSARIAL] = "adversarial" },
                  .by_default = "mixed",
                  .meaning =
                      "what paths are made for: equal shares over the "
                      "addresses, as hosts take them, under all-to-all and "
                      "permutations alike (mixed), under all-to-all at the "
                      "price of permutations (uniform), or under "
                      "permutations at the price of all-to-all, with paths "
                      "of one hop more (adversarial); or the best shares for "
                      "each traffic, which no host knows (split)" },
        [ROBUST] = SF_ROBUST_PARAM,
        [SETS] = SF_SETS_PARAM,
    },
    .takes_turns = true,
    .minimal_first = true,
    .ops = &ops,
};
