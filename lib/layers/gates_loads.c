/* gates_loads.c -- scheme gates: the routes that links carry, what they cost,
 * and what the gates of a destination will have to carry.  Knows the next hops
 * of all destinations, but nothing of how trees come about. */
#include "layers/gates.h"

#include <string.h>

#define MAX_WEIGHT 16

/* The largest weight with which 32 bits hold the load of any link: there are
 * at most (weight V)^2 / 4 routes over it in a layer, if it parts the graph.
 */
static uint64_t
largest_weight(const struct sf_layer_job *job)
{
    uint64_t n = job->graph->n_nodes, weight = MAX_WEIGHT;

    while (weight > 1 &&
           weight * weight * n * n / 4 > UINT32_MAX / job->layers->n_layers) {
        weight--;
    }
    return weight;
}

void
sf_gates_scale_weights(struct sf_gates_task *task, uint32_t *weights)
{
    const struct sf_layer_job *job = task->job;
    uint64_t most = 1, limit = largest_weight(job);

    for (uint32_t s = 0; s < job->graph->n_nodes; s++) {
        most = job->weights[s] > most ? job->weights[s] : most;
    }
    for (uint32_t s = 0; s < job->graph->n_nodes; s++) {
        uint64_t weight = job->weights[s];
        weights[s] =
            (uint32_t)(most <= limit ? weight
                                     : (weight * limit + most - 1) / most);
        task->n_routes_to += weights[s];
    }
    task->weights = weights;
}

/* Layers above 0 have paths that are nearly a hop longer than the shortest.
 */
void
sf_gates_guess_loads(struct sf_gates_task *task)
{
    const struct sf_layer_job *job = task->job;
    double n_arcs = job->graph->n_links ? 2.0 * job->graph->n_links : 1;
    double routes = (double)task->n_routes_to * (double)task->n_routes_to;
    double extra = job->usual_hops > job->usual_diameter ? 0.85 : 0;
    double n_layers = job->layers->n_layers;
    double all = n_layers * job->mean_distance + (n_layers - 1) * extra;

    task->target = 1 + (uint64_t)(routes * all / n_arcs);
    /* Below one hop a route on average, as where all switches are adjacent,
     * there are none. */
    task->others =
        all > n_layers ? (uint64_t)(routes * (all - n_layers) / n_arcs) : 0;
}

void
sf_gates_measure_loads(struct sf_gates_task *task)
{
    uint32_t n_arcs = 2 * task->job->graph->n_links;
    uint64_t all = 0;

    for (uint32_t i = 0; i < n_arcs; i++) {
        all += (uint64_t)task->loads[i].first + task->loads[i].middle +
               task->loads[i].last;
    }
    task->target = 1 + all / (n_arcs ? n_arcs : 1);
}

void
sf_gates_count_routes(const struct sf_gates_task *task, uint32_t d,
                      struct sf_gates_load *loads)
{
    const struct sf_graph *graph = task->job->graph;
    const struct sf_layers *layers = task->job->layers;

    for (uint32_t l = 0; l < layers->n_layers; l++) {
        const uint16_t *hops = sf_layers_tree(layers, l, d);
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            if (hops[s] == SF_NO_HOP) {
                continue;
            }
            uint32_t routes = sf_gates_routes(task, s, d);
            uint32_t arc = graph->first[s] + hops[s], v = graph->arcs[arc].to;
            loads[arc].first += routes;
            while (v != d) {
                arc = graph->first[v] + hops[v];
                v = graph->arcs[arc].to;
                if (v == d) {
                    loads[arc].last += routes;
                } else {
                    loads[arc].middle += routes;
                }
            }
        }
    }
}

/* What an arc of that load costs. */
static struct sf_gates_price
price_of(const struct sf_gates_task *task, struct sf_gates_load load)
{
    uint64_t limit = task->target * task->overload_percent / 100;
    uint64_t all = (uint64_t)load.first + load.middle + load.last;
    int32_t over = sf_gates_overload(task, all, limit);
    int32_t first = (int32_t)(load.first * task->scale >> 32);
    int32_t middle = (int32_t)(load.middle * task->scale >> 32) + over;
    int32_t last = (int32_t)(load.last * task->scale >> 32);

    return (struct sf_gates_price){ .first = middle + last,
                                    .middle = first + middle + last,
                                    .last = first + middle };
}

void
sf_gates_set_prices(struct sf_gates_task *task)
{
    size_t n_arcs = 2 * (size_t)task->job->graph->n_links;

    task->scale = ((uint64_t)SF_GATES_UNIT << 32) / task->target;
    for (size_t i = 0; i < n_arcs; i++) {
        task->prices[i] = price_of(task, task->loads[i]);
    }
}

const struct sf_gates_price *
sf_gates_find_prices(const struct sf_gates_task *task, uint32_t d,
                     struct sf_gates_worker *worker)
{
    const struct sf_graph *graph = task->job->graph;
    const struct sf_layers *layers = task->job->layers;
    struct sf_gates_load *own = worker->own;

    if (task->round == 0) {
        return task->prices; /* It has none yet. */
    }
    memcpy(worker->prices, task->prices,
           2 * (size_t)graph->n_links * sizeof *worker->prices);
    sf_gates_count_routes(task, d, own);
    for (uint32_t l = 0; l < layers->n_layers; l++) {
        const uint16_t *hops = sf_layers_tree(layers, l, d);
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            uint32_t arc = graph->first[s] + hops[s];
            if (hops[s] == SF_NO_HOP ||
                (own[arc].first | own[arc].middle | own[arc].last) == 0) {
                continue; /* The second: has been dealt with. */
            }
            struct sf_gates_load load = task->loads[arc];
            load.first -= own[arc].first;
            load.middle -= own[arc].middle;
            load.last -= own[arc].last;
            worker->prices[arc] = price_of(task, load);
            own[arc] = (struct sf_gates_load){ 0 };
        }
    }
    return worker->prices;
}

/* What the links into a destination are to carry. */
struct forecast {
    uint64_t last;   /* Routes to it, */
    uint64_t others; /* and to others. */
};

/* Forecasts the load of the main gates of 'd' and of its other gates.  Main
 * gates are kept free for what is to come through them: if they are few, half
 * as many routes to others go over them as over a link on average. */
static void
forecast_gates(const struct sf_gates_task *task, uint32_t d,
               struct forecast *main, struct forecast *other)
{
    uint32_t n_layers = task->job->layers->n_layers;
    uint32_t degree = sf_graph_degree(task->job->graph, d);
    uint32_t n_main = n_layers - 1 < degree ? n_layers - 1 : degree;
    uint64_t routes = (uint64_t)task->weights[d] * task->n_routes_to;
    uint64_t all = routes * n_layers;

    *main = *other = (struct forecast){ .last = all / (degree ? degree : 1),
                                        .others = task->others };
    if (n_main == 0 || n_main == degree) {
        return;
    }
    main->others = task->others * (degree + n_main) / (2 * degree);
    other->others =
        (task->others * degree - main->others * n_main) / (degree - n_main);
    uint64_t room = task->target - main->others;
    uint64_t last = room < routes ? room : routes;
    if (last > main->last) {
        main->last = last;
        other->last = all > last * n_main
                          ? (all - last * n_main) / (degree - n_main)
                          : 0;
    }
}

void
sf_gates_reserve(struct sf_gates_task *task, uint32_t d,
                 const uint32_t *gate_order, bool done)
{
    const struct sf_graph *graph = task->job->graph;
    uint32_t degree = sf_graph_degree(graph, d);
    struct forecast main, other;

    forecast_gates(task, d, &main, &other);
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t arc = task->job->reverse[graph->first[d] + gate_order[i]];
        bool is_main = i + 1 < task->job->layers->n_layers;
        uint32_t last = (uint32_t)(is_main ? main.last : other.last);
        task->loads[arc].last += done ? -last : last;
    }
}

/* The load that a gate of 'd' may have.  A destination of few links cannot
 * keep their load down: it gets a limit of its own. */
static uint64_t
limit_of_gates(const struct sf_gates_task *task, uint32_t d)
{
    uint32_t degree = sf_graph_degree(task->job->graph, d);
    uint64_t fair = task->others;

    if (degree > 0) {
        fair += (uint64_t)task->weights[d] * task->n_routes_to *
                task->job->layers->n_layers / degree;
    }
    fair = fair > task->target ? fair : task->target;
    return fair * task->overload_percent / 100;
}

void
sf_gates_begin_loads(struct sf_gates_tree *tree)
{
    const struct sf_gates_task *task = tree->task;
    const struct sf_gates_worker *worker = tree->worker;
    uint32_t first = tree->graph->first[tree->destination];
    uint32_t degree = sf_graph_degree(tree->graph, tree->destination);
    struct forecast main, other;

    tree->gate_limit = limit_of_gates(task, tree->destination);
    forecast_gates(task, tree->destination, &main, &other);
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t g = worker->gate_order[i];
        const struct sf_gates_load *load =
            &task->loads[task->job->reverse[first + g]];
        bool is_main = i + 1 < task->job->layers->n_layers;
        worker->gate_load[g] = 0;
        sf_gates_change_load(tree, g,
                             task->round > 0 ? (uint64_t)load->first +
                                                   load->middle + load->last
                             : is_main ? main.others
                                       : other.others);
    }
}
