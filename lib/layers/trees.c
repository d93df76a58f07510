#include "layers/trees.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "slimfly/random.h"

#include <string.h>

bool
sf_search_init(struct sf_search *search, uint32_t n_nodes)
{
    search->distance = sf_calloc(n_nodes, sizeof *search->distance);
    search->order = sf_calloc(n_nodes, sizeof *search->order);
    search->n_reached = 0;
    return search->distance && search->order;
}

void
sf_search_clear(struct sf_search *search)
{
    free(search->order);
    free(search->distance);
}

void
sf_search_run(struct sf_search *search, const struct sf_graph *graph,
              uint32_t root, const bool *keep)
{
    uint32_t head = 0, tail = 0;

    memset(search->distance, 0xff,
           graph->n_nodes * sizeof *search->distance); /* SF_NONE */
    search->distance[root] = 0;
    search->order[tail++] = root;
    while (head < tail && tail < graph->n_nodes) { /* Some are missing. */
        uint32_t v = search->order[head++];
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            const struct sf_arc *arc = &graph->arcs[i];
            if (search->distance[arc->to] == SF_NONE &&
                (!keep || keep[arc->link])) {
                search->distance[arc->to] = search->distance[v] + 1;
                search->order[tail++] = arc->to;
            }
        }
    }
    search->n_reached = tail;
}

uint32_t
sf_batch_size(const struct sf_graph *graph)
{
    uint32_t size = graph->n_nodes / 32;
    return size < 1 ? 1 : size > 16 ? 16 : size;
}

/* sf_tree_count_loads() where 'depth_order' has the switches by their depth;
 * 'flow' [V] is workspace. */
static void
add_loads(const struct sf_layer_job *job, uint32_t layer, uint32_t destination,
          const uint32_t *depth_order, uint32_t n_reached, uint64_t *flow,
          uint64_t *loads)
{
    const struct sf_graph *graph = job->graph;
    const uint16_t *tree = sf_layers_tree(job->layers, layer, destination);

    for (uint32_t i = 0; i < n_reached; i++) {
        uint32_t s = depth_order[i];
        flow[s] = (uint64_t)job->weights[s] * job->weights[destination];
    }
    for (uint32_t i = n_reached; i-- > 1;) {
        uint32_t s = depth_order[i];
        uint32_t arc = graph->first[s] + tree[s];
        loads[arc] += flow[s];
        flow[graph->arcs[arc].to] += flow[s];
    }
}

void
sf_tree_count_loads(const struct sf_layer_job *job, uint32_t layer,
                    uint32_t destination, uint64_t *loads)
{
    const struct sf_graph *graph = job->graph;
    const uint16_t *tree = sf_layers_tree(job->layers, layer, destination);

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint64_t routes =
            (uint64_t)job->weights[s] * job->weights[destination];
        for (uint32_t v = s; tree[v] != SF_NO_HOP;) {
            uint32_t arc = graph->first[v] + tree[v];
            loads[arc] += routes;
            v = graph->arcs[arc].to;
        }
    }
}

/* What a thread needs to make one tree of shortest paths. */
struct minimal_worker {
    struct sf_search search;
    uint64_t *cost; /* [V] Loads along the path from the switch. */
    uint32_t *rank; /* [V] Of the channel after its first turn. */
};

struct minimal_batch {
    const struct sf_layer_job *job;
    uint32_t layer, first_destination;
    uint64_t *loads;
    struct minimal_worker *workers; /* [n_threads] */
    uint32_t *stuck;                /* [batch] A switch that turns leave
                                     * without shortest path; SF_NONE. */
};

uint32_t
sf_count_earlier_uses(const struct sf_layers *layers, uint32_t layer,
                      uint32_t s, uint32_t destination, uint32_t hop)
{
    uint32_t n = 0;
    for (uint32_t l = 0; l < layer; l++) {
        n += sf_layers_tree(layers, l, destination)[s] == hop;
    }
    return n;
}

/* Chooses the shortest path of 's', whose nearer neighbours have theirs:
 * fewest uses in earlier layers first, then the lightest, from a random arc
 * on; or, if 'is_cautious', that with the most room for those behind to take
 * turns.  False if turns allow none. */
static bool
choose_minimal(const struct minimal_batch *batch,
               struct minimal_worker *worker, uint32_t s, uint32_t destination,
               bool is_cautious, struct sf_random *random, uint16_t *tree)
{
    const struct sf_graph *graph = batch->job->graph;
    const uint32_t *distance = worker->search.distance;
    uint32_t degree = sf_graph_degree(graph, s);
    uint32_t hop = sf_random_below(random, degree);
    uint32_t fewest_uses = SF_NONE;
    uint64_t least_cost = UINT64_MAX;

    for (uint32_t i = 0; i < degree;
         i++, hop = hop + 1 == degree ? 0 : hop + 1) {
        uint32_t arc = graph->first[s] + hop, v = graph->arcs[arc].to;
        if (distance[v] + 1 != distance[s]) {
            continue;
        }
        uint32_t rank = SF_ANY_RANK;
        if (v != destination) {
            rank = sf_turn_rank(batch->job, arc, tree[v], worker->rank[v]);
            if (rank == 0) {
                continue;
            }
        }
        uint32_t uses = is_cautious ? SF_ANY_RANK - rank
                                    : sf_count_earlier_uses(batch->job->layers,
                                                            batch->layer, s,
                                                            destination, hop);
        uint64_t cost = batch->loads[arc] + worker->cost[v];
        if (uses < fewest_uses || (uses == fewest_uses && cost < least_cost)) {
            fewest_uses = uses;
            least_cost = cost;
            worker->cost[s] = cost;
            worker->rank[s] = rank;
            tree[s] = (uint16_t)hop;
        }
    }
    return fewest_uses != SF_NONE;
}

/* Returns a switch that turns leave without a shortest path, or SF_NONE. */
static uint32_t
grow_minimal(const struct minimal_batch *batch, struct minimal_worker *worker,
             uint32_t destination, bool is_cautious, struct sf_random *random,
             uint16_t *tree)
{
    for (uint32_t i = 1; i < worker->search.n_reached; i++) {
        uint32_t s = worker->search.order[i];
        if (!choose_minimal(batch, worker, s, destination, is_cautious, random,
                            tree)) {
            return s;
        }
    }
    return SF_NONE;
}

static void
route_minimal(void *aux, uint32_t task, uint32_t worker_index)
{
    struct minimal_batch *batch = aux;
    struct minimal_worker *worker = &batch->workers[worker_index];
    const struct sf_layer_job *job = batch->job;
    uint32_t destination = batch->first_destination + task;
    uint16_t *tree = sf_layers_tree(job->layers, batch->layer, destination);
    struct sf_random random;

    sf_random_init(&random, job->seed,
                   (uint64_t)batch->layer << 32 | destination);
    sf_search_run(&worker->search, job->graph, destination, NULL);
    worker->cost[destination] = 0;
    worker->rank[destination] = SF_ANY_RANK;
    batch->stuck[task] =
        grow_minimal(batch, worker, destination, false, &random, tree);
    if (batch->stuck[task] != SF_NONE) {
        batch->stuck[task] =
            grow_minimal(batch, worker, destination, true, &random, tree);
    }
}

/* Adds the loads of a finished batch, in order. */
static enum sf_status
merge_minimal(struct minimal_batch *batch, uint32_t n_tasks,
              struct sf_error *err)
{
    const struct sf_graph *graph = batch->job->graph;
    struct minimal_worker *worker = &batch->workers[0];

    for (uint32_t i = 0; i < n_tasks; i++) {
        uint32_t d = batch->first_destination + i;
        if (batch->stuck[i] != SF_NONE) {
            return sf_fail(err, SF_EUNREACHABLE,
                           "the allowed turns leave no shortest path from "
                           "switch %s to switch %s; use the scheme ordered, "
                           "which has longer ones, or the guarantee path-sl "
                           "with the lanes dfsssp, which need no turns",
                           sf_graph_name(graph, batch->stuck[i]).text,
                           sf_graph_name(graph, d).text);
        }
        sf_search_run(&worker->search, graph, d, NULL);
        add_loads(batch->job, batch->layer, d, worker->search.order,
                  worker->search.n_reached, worker->cost, batch->loads);
    }
    return SF_OK;
}

static void
free_minimal_workers(struct minimal_worker *workers, uint32_t n_workers)
{
    for (uint32_t i = 0; workers && i < n_workers; i++) {
        sf_search_clear(&workers[i].search);
        free(workers[i].cost);
        free(workers[i].rank);
    }
    free(workers);
}

static struct minimal_worker *
make_minimal_workers(uint32_t n_workers, uint32_t n_nodes)
{
    struct minimal_worker *workers = sf_calloc(n_workers, sizeof *workers);

    for (uint32_t i = 0; workers && i < n_workers; i++) {
        bool made = sf_search_init(&workers[i].search, n_nodes);
        workers[i].cost = sf_calloc(n_nodes, sizeof *workers[i].cost);
        workers[i].rank = sf_calloc(n_nodes, sizeof *workers[i].rank);
        if (!made || !workers[i].cost || !workers[i].rank) {
            free_minimal_workers(workers, n_workers);
            return NULL;
        }
    }
    return workers;
}

enum sf_status
sf_minimal_layers(const struct sf_layer_job *job, uint32_t first_layer,
                  uint32_t n_layers, uint64_t *loads, struct sf_error *err)
{
    uint32_t n = job->graph->n_nodes, batch_size = sf_batch_size(job->graph);
    enum sf_status status = SF_OK;
    struct minimal_batch batch = { .job = job, .loads = loads };

    batch.workers = make_minimal_workers(job->n_threads, n);
    batch.stuck = sf_calloc(batch_size, sizeof *batch.stuck);
    if (!batch.workers || !batch.stuck) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for shortest paths");
        goto done;
    }
    for (uint32_t l = first_layer; l < n_layers; l++) {
        batch.layer = l;
        for (uint32_t d = 0; d < n && status == SF_OK; d += batch_size) {
            uint32_t n_tasks = n - d < batch_size ? n - d : batch_size;
            sf_layers_report_layer(job, l, d);
            batch.first_destination = d;
            sf_parallel_for(job->n_threads, n_tasks, route_minimal, &batch);
            status = merge_minimal(&batch, n_tasks, err);
        }
    }
done:
    free(batch.stuck);
    free_minimal_workers(batch.workers, job->n_threads);
    return status;
}

/* The arc of 's' that leads on to the fewest hops, a shortest path first;
 * layer 0's is taken where several are equal. */
static uint16_t
nearest_hop(const struct sf_layer_job *job, uint32_t s, uint16_t preferred,
            const struct sf_search *search, const uint32_t *depth)
{
    const struct sf_graph *graph = job->graph;
    uint32_t best = graph->arcs[graph->first[s] + preferred].to;
    uint16_t best_hop = preferred;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t v = graph->arcs[i].to;
        if (depth[v] < depth[best] && search->distance[v] != SF_NONE) {
            best = v;
            best_hop = (uint16_t)(i - graph->first[s]);
        }
    }
    return best_hop;
}

/* Turns the path of 's' into that of layer 0, from 's' to the first switch
 * whose path is a shortest one.  Others whose paths it changes only become
 * shorter; 'depth' follows. */
static void
force_shortest(const struct sf_graph *graph, const uint16_t *first,
               uint16_t *tree, uint32_t s, const struct sf_search *search,
               uint32_t *depth)
{
    while (depth[s] != search->distance[s]) {
        tree[s] = first[s];
        s = graph->arcs[graph->first[s] + first[s]].to;
    }
    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t v = search->order[i];
        if (depth[v] == SF_NONE) {
            continue;
        }
        depth[v] = 0;
        for (uint32_t w = v; w != search->order[0]; depth[v]++) {
            w = graph->arcs[graph->first[w] + tree[w]].to;
        }
    }
}

void
sf_tree_complete(const struct sf_layer_job *job, uint32_t layer,
                 uint32_t destination, const struct sf_search *search,
                 uint32_t *depth)
{
    const struct sf_graph *graph = job->graph;
    const uint16_t *first = sf_layers_tree(job->layers, 0, destination);
    uint16_t *tree = sf_layers_tree(job->layers, layer, destination);

    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t s = search->order[i];
        if (depth[s] == SF_NONE) {
            tree[s] = nearest_hop(job, s, first[s], search, depth);
            depth[s] = depth[graph->arcs[graph->first[s] + tree[s]].to] + 1;
        }
        if (depth[s] > job->limits[destination]) {
            force_shortest(graph, first, tree, s, search, depth);
        }
    }
}

uint32_t
sf_tree_follow(const struct sf_layer_job *job, uint32_t layer, uint32_t s,
               uint32_t d, uint32_t most, uint32_t *arcs)
{
    uint32_t n = 0;

    while (s != d) {
        if (n == most) {
            return SF_NONE;
        }
        arcs[n] = sf_layers_arc(job->layers, job->graph, layer, s, d);
        s = job->graph->arcs[arcs[n++]].to;
    }
    return n;
}

bool
sf_path_is_allowed(const struct sf_layer_job *job, const uint32_t *arcs,
                   uint32_t n)
{
    const struct sf_graph *graph = job->graph;
    uint32_t rank = SF_ANY_RANK;

    for (uint32_t i = n - 1; i > 0 && rank != 0; i--) {
        uint32_t at = graph->arcs[arcs[i - 1]].to;
        rank =
            sf_turn_rank(job, arcs[i - 1], arcs[i] - graph->first[at], rank);
    }
    return rank != 0;
}

bool
sf_tree_is_leaf(const struct sf_layer_job *job, uint32_t layer, uint32_t d,
                uint32_t s)
{
    const struct sf_graph *graph = job->graph;
    const uint16_t *hops = sf_layers_tree(job->layers, layer, d);

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t c = graph->arcs[i].to;
        if (hops[c] != SF_NO_HOP &&
            graph->first[c] + hops[c] == job->reverse[i]) {
            return false;
        }
    }
    return true;
}

void
sf_layers_find_ends(const struct sf_layers *layers,
                    const struct sf_graph *graph, uint32_t s, uint32_t d,
                    struct sf_ends ends[SF_MAX_LAYERS])
{
    for (uint32_t l = 0; l < layers->n_layers; l++) {
        uint32_t arc = sf_layers_arc(layers, graph, l, s, d);
        ends[l].first = arc;
        while (graph->arcs[arc].to != d) {
            arc = sf_layers_arc(layers, graph, l, graph->arcs[arc].to, d);
        }
        ends[l].last = arc;
    }
}

uint32_t
sf_ends_count_separate(const struct sf_ends *ends, uint32_t n, uint32_t most)
{
    struct sf_ends counted[SF_MAX_LAYERS];
    uint32_t n_counted = 0;

    for (uint32_t l = 0; l < n && n_counted < most; l++) {
        uint32_t i = 0;
        while (i < n_counted && counted[i].first != ends[l].first &&
               counted[i].last != ends[l].last) {
            i++;
        }
        if (i == n_counted) {
            counted[n_counted++] = ends[l];
        }
    }
    return n_counted;
}
