/* path_metrics.c -- metrics of paths, one destination after another on several
 * threads: each thread counts for itself, and the counts are added up, so that
 * the result does not depend on their number. */
#include "slimfly/path_metrics.h"

#include "analysis/disjoint.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "slimfly/progress.h"

#include <string.h>

const char *const sf_path_metric_names[SF_N_PATH_METRICS] = {
    [SF_PATH_HOPS] = "paths_by_hops",
    [SF_PATH_LOADS] = "links_by_paths",
    [SF_PATH_TOTALS] = "pairs_by_total_hops",
    [SF_PATH_LONGEST] = "pairs_by_longest",
    [SF_PATH_DISTINCT] = "pairs_by_distinct",
    [SF_PATH_DISJOINT] = "pairs_by_disjoint",
};

/* Where paths lead: a switch, or one host of it. */
struct target {
    uint32_t d;                     /* The switch. */
    const struct sf_layers *layers; /* How to get there. */
};

/* The routing that is measured. */
struct routing {
    const struct sf_graph *graph;
    const uint32_t *n_hosts; /* [V] or NULL. */
    bool is_per_host;
    uint32_t n_layers, n_targets;
    const struct target *targets;
};

/* What one thread needs and counts. */
struct worker {
    uint32_t *next;         /* [L * V] The arc to go on, by layer, switch. */
    uint32_t *arcs;         /* [L * V] The arcs of a pair's paths, */
    uint32_t *n_hops;       /* [L] so many of each. */
    uint32_t *order;        /* [L] Layers, by the first arc. */
    struct sf_path_set *on; /* [E] The paths over a link. */
    uint64_t n_incomplete;
    uint64_t *hops, *longest;      /* [V] Counts by value. */
    uint64_t *totals;              /* [L * V] */
    uint64_t *distinct, *disjoint; /* [L + 1] */
    uint64_t *loads;               /* [2E] */
};

struct job {
    const struct routing *routing;
    struct worker *workers;
};

/* Follows the paths from 's' to 'target' in all layers; false if one does not
 * arrive. */
static bool
follow(const struct routing *routing, const struct target *target, uint32_t s,
       struct worker *worker)
{
    const struct sf_graph *graph = routing->graph;
    uint32_t n = graph->n_nodes;

    for (uint32_t l = 0; l < routing->n_layers; l++) {
        const uint16_t *tree = sf_layers_tree(target->layers, l, target->d);
        uint32_t *arcs = worker->arcs + (size_t)l * n;
        uint32_t n_hops = 0;
        for (uint32_t v = s; v != target->d;) {
            if (tree[v] == SF_NO_HOP || n_hops == n - 1) {
                return false;
            }
            uint32_t arc = graph->first[v] + tree[v];
            arcs[n_hops++] = arc;
            v = graph->arcs[arc].to;
        }
        worker->n_hops[l] = n_hops;
    }
    return true;
}

static bool
is_same(const struct worker *worker, uint32_t n, uint32_t a, uint32_t b)
{
    return worker->n_hops[a] == worker->n_hops[b] &&
           !memcmp(worker->arcs + (size_t)a * n, worker->arcs + (size_t)b * n,
                   worker->n_hops[a] * sizeof *worker->arcs);
}

/* Puts the layers with different paths into worker->order, by their first
 * arcs; returns their number. */
static uint32_t
sort_distinct(const struct routing *routing, struct worker *worker)
{
    uint32_t n = routing->graph->n_nodes, n_distinct = 0;
    uint32_t *order = worker->order;

    for (uint32_t l = 0; l < routing->n_layers; l++) {
        uint32_t first = worker->arcs[(size_t)l * n], place = n_distinct;
        bool is_new = true;
        while (place > 0 && is_new &&
               worker->arcs[(size_t)order[place - 1] * n] >= first) {
            is_new = !is_same(worker, n, order[place - 1], l);
            place--;
        }
        if (is_new) {
            memmove(order + place + 1, order + place,
                    (n_distinct - place) * sizeof *order);
            order[place] = l;
            n_distinct++;
        }
    }
    return n_distinct;
}

/* How many of the 'n_distinct' paths share no link with each other. */
static uint32_t
count_disjoint(const struct routing *routing, struct worker *worker,
               uint32_t n_distinct)
{
    const struct sf_graph *graph = routing->graph;
    struct sf_path_set conflicts[SF_MAX_LAYERS] = { { { 0 } } };

    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < n_distinct; i++) {
            uint32_t l = worker->order[i];
            const uint32_t *arcs = worker->arcs + (size_t)l * graph->n_nodes;
            for (uint32_t k = 0; k < worker->n_hops[l]; k++) {
                struct sf_path_set *on =
                    &worker->on[graph->arcs[arcs[k]].link];
                if (pass == 0) {
                    on->words[i / 64] |= UINT64_C(1) << i % 64;
                } else if (pass == 1) {
                    conflicts[i].words[0] |= on->words[0];
                    conflicts[i].words[1] |= on->words[1];
                } else {
                    *on = (struct sf_path_set){ { 0 } };
                }
            }
        }
    }
    return sf_disjoint_most(conflicts, n_distinct);
}

static void
count_pair(const struct routing *routing, struct worker *worker)
{
    uint32_t n = routing->graph->n_nodes, longest = 0;
    size_t total = 0;

    for (uint32_t l = 0; l < routing->n_layers; l++) {
        uint32_t n_hops = worker->n_hops[l];
        worker->hops[n_hops]++;
        total += n_hops;
        longest = n_hops > longest ? n_hops : longest;
        for (uint32_t k = 0; k < n_hops; k++) {
            worker->loads[worker->arcs[(size_t)l * n + k]]++;
        }
    }
    worker->totals[total]++;
    worker->longest[longest]++;
    uint32_t n_distinct = sort_distinct(routing, worker);
    worker->distinct[n_distinct]++;
    worker->disjoint[count_disjoint(routing, worker, n_distinct)]++;
}

static void
measure_target(void *aux, uint32_t task, uint32_t number)
{
    const struct job *job = aux;
    const struct routing *routing = job->routing;
    struct worker *worker = &job->workers[number];
    const struct target *target = &routing->targets[task];

    sf_progress_report("following paths", task, routing->n_targets);
    for (uint32_t s = 0; s < routing->graph->n_nodes; s++) {
        if (s == target->d || (routing->n_hosts && !routing->n_hosts[s])) {
            continue;
        }
        if (follow(routing, target, s, worker)) {
            count_pair(routing, worker);
        } else {
            worker->n_incomplete++;
        }
    }
}

static bool
prepare_worker(const struct routing *routing, struct worker *worker)
{
    size_t n = routing->graph->n_nodes, n_layers = routing->n_layers;

    *worker = (struct worker){
        .arcs = sf_calloc(n_layers * n, sizeof *worker->arcs),
        .n_hops = sf_calloc(n_layers, sizeof *worker->n_hops),
        .order = sf_calloc(n_layers + 1, sizeof *worker->order),
        .on = sf_calloc(routing->graph->n_links, sizeof *worker->on),
        .hops = sf_calloc(n, sizeof *worker->hops),
        .longest = sf_calloc(n, sizeof *worker->longest),
        .totals = sf_calloc(n_layers * n, sizeof *worker->totals),
        .distinct = sf_calloc(n_layers + 1, sizeof *worker->distinct),
        .disjoint = sf_calloc(n_layers + 1, sizeof *worker->disjoint),
        .loads = sf_calloc((size_t)2 * routing->graph->n_links,
                           sizeof *worker->loads),
    };
    return worker->arcs && worker->n_hops && worker->order && worker->on &&
           worker->hops && worker->longest && worker->totals &&
           worker->distinct && worker->disjoint && worker->loads;
}

static void
clear_worker(struct worker *worker)
{
    free(worker->loads);
    free(worker->disjoint);
    free(worker->distinct);
    free(worker->totals);
    free(worker->longest);
    free(worker->hops);
    free(worker->on);
    free(worker->order);
    free(worker->n_hops);
    free(worker->arcs);
}

static void
add_counts(uint64_t *counts, const uint64_t *more, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        counts[i] += more[i];
    }
}

/* Adds what 'more' has counted to 'worker'. */
static void
add_worker(const struct routing *routing, struct worker *worker,
           const struct worker *more)
{
    size_t n = routing->graph->n_nodes, n_layers = routing->n_layers;

    worker->n_incomplete += more->n_incomplete;
    add_counts(worker->hops, more->hops, n);
    add_counts(worker->longest, more->longest, n);
    add_counts(worker->totals, more->totals, n_layers * n);
    add_counts(worker->distinct, more->distinct, n_layers + 1);
    add_counts(worker->disjoint, more->disjoint, n_layers + 1);
    add_counts(worker->loads, more->loads,
               (size_t)2 * routing->graph->n_links);
}

/* Makes a histogram of counts by value. */
static bool
make_histogram(const uint64_t *counts, size_t n,
               struct sf_histogram *histogram)
{
    SF_VEC(struct sf_bin) bins = { 0 };

    for (size_t i = 0; i < n; i++) {
        struct sf_bin bin = { i, counts[i] };
        if (bin.n && !sf_vec_push(&bins, bin)) {
            free(bins.items);
            return false;
        }
    }
    histogram->bins = bins.items;
    histogram->n_bins = (uint32_t)bins.n;
    return true;
}

static int
compare_loads(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Makes a histogram of 'values', which are sorted for it. */
static bool
make_histogram_of(uint64_t *values, size_t n, struct sf_histogram *histogram)
{
    SF_VEC(struct sf_bin) bins = { 0 };

    qsort(values, n, sizeof *values, compare_loads);
    for (size_t i = 0; i < n; i++) {
        struct sf_bin bin = { values[i], 1 };
        if (i > 0 && values[i] == values[i - 1]) {
            bins.items[bins.n - 1].n++;
        } else if (!sf_vec_push(&bins, bin)) {
            free(bins.items);
            return false;
        }
    }
    histogram->bins = bins.items;
    histogram->n_bins = (uint32_t)bins.n;
    return true;
}

static enum sf_status
make_metrics(const struct routing *routing, const struct worker *sum,
             struct sf_path_metrics **metricsp, struct sf_error *err)
{
    size_t n = routing->graph->n_nodes, n_layers = routing->n_layers;
    struct sf_path_metrics *metrics = sf_calloc(1, sizeof *metrics);
    struct sf_histogram *by = metrics ? metrics->by : NULL;

    if (!metrics || !make_histogram(sum->hops, n, &by[SF_PATH_HOPS]) ||
        !make_histogram(sum->longest, n, &by[SF_PATH_LONGEST]) ||
        !make_histogram(sum->totals, n_layers * n, &by[SF_PATH_TOTALS]) ||
        !make_histogram(sum->distinct, n_layers + 1, &by[SF_PATH_DISTINCT]) ||
        !make_histogram(sum->disjoint, n_layers + 1, &by[SF_PATH_DISJOINT]) ||
        !make_histogram_of(sum->loads, (size_t)2 * routing->graph->n_links,
                           &by[SF_PATH_LOADS])) {
        sf_path_metrics_free(metrics);
        return sf_fail(err, SF_ENOMEM, "out of memory to measure paths");
    }
    metrics->n_layers = routing->n_layers;
    metrics->is_per_host = routing->is_per_host;
    metrics->n_pairs = sf_histogram_count(&by[SF_PATH_LONGEST]);
    metrics->n_incomplete = sum->n_incomplete;
    *metricsp = metrics;
    return SF_OK;
}

static enum sf_status
measure(const struct routing *routing, uint32_t n_threads,
        struct sf_path_metrics **metricsp, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    n_threads = sf_parallel_limit(n_threads);
    struct job job = { routing, sf_calloc(n_threads, sizeof *job.workers) };
    bool is_ready = job.workers != NULL;
    for (uint32_t i = 0; is_ready && i < n_threads; i++) {
        is_ready = prepare_worker(routing, &job.workers[i]);
    }
    if (is_ready) {
        sf_parallel_for(n_threads, routing->n_targets, measure_target, &job);
        sf_progress_report("following paths", routing->n_targets,
                           routing->n_targets);
        for (uint32_t i = 1; i < n_threads; i++) {
            add_worker(routing, &job.workers[0], &job.workers[i]);
        }
        status = make_metrics(routing, &job.workers[0], metricsp, err);
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory to measure paths");
    }
    for (uint32_t i = 0; job.workers && i < n_threads; i++) {
        clear_worker(&job.workers[i]);
    }
    free(job.workers);
    return status;
}

static enum sf_status
check(const struct sf_graph *graph, const struct sf_routes *routes,
      struct sf_error *err)
{
    for (uint32_t i = 0; i < routes->n_sets; i++) {
        const struct sf_layers *set = routes->sets[i];
        if (set->n_switches != graph->n_nodes) {
            return sf_fail(
                err, SF_EINVAL,
                "layers for %u switches do not go with a graph of %u",
                set->n_switches, graph->n_nodes);
        }
        if (set->n_layers != sf_routes_n_layers(routes)) {
            return sf_fail(err, SF_EINVAL,
                           "hosts of one switch have %u and %u layers",
                           sf_routes_n_layers(routes), set->n_layers);
        }
    }
    return SF_OK;
}

/* Whether the hosts of any switch have paths of their own. */
static bool
is_per_host(const struct sf_network *network, const struct sf_routes *routes)
{
    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        uint32_t first = network->first_host[s];
        for (uint32_t h = first; h < network->first_host[s + 1]; h++) {
            if (routes->host_sets[h] != routes->host_sets[first]) {
                return true;
            }
        }
    }
    return false;
}

/* Fills in the targets: switches, or hosts if these have paths of their own.
 * Returns their number; 'targets' may be NULL to count them only. */
static uint32_t
find_targets(const struct sf_network *network, const struct sf_routes *routes,
             bool per_host, struct target *targets)
{
    bool has_hosts = sf_network_count_hosts(network) > 0;
    uint32_t n = 0;

    for (uint32_t d = 0; d < network->graph->n_nodes; d++) {
        uint32_t first = network->first_host[d];
        uint32_t n_here = per_host ? network->n_hosts[d]
                                   : !has_hosts || network->n_hosts[d] > 0;
        for (uint32_t j = 0; j < n_here; j++, n++) {
            if (targets) {
                uint32_t set = has_hosts ? routes->host_sets[first + j] : 0;
                targets[n] = (struct target){ d, routes->sets[set] };
            }
        }
    }
    return n;
}

enum sf_status
sf_path_metrics_build(const struct sf_network *network,
                      const struct sf_routes *routes, uint32_t n_threads,
                      struct sf_path_metrics **metricsp, struct sf_error *err)
{
    *metricsp = NULL;
    enum sf_status status = check(network->graph, routes, err);
    if (status != SF_OK) {
        return status;
    }
    bool per_host = is_per_host(network, routes);
    struct routing routing = {
        .graph = network->graph,
        .n_hosts = sf_network_count_hosts(network) ? network->n_hosts : NULL,
        .is_per_host = per_host,
        .n_layers = sf_routes_n_layers(routes),
        .n_targets = find_targets(network, routes, per_host, NULL),
    };
    struct target *targets = sf_calloc(routing.n_targets, sizeof *targets);
    if (!targets) {
        return sf_fail(err, SF_ENOMEM, "out of memory to measure paths");
    }
    find_targets(network, routes, per_host, targets);
    routing.targets = targets;
    status = measure(&routing, n_threads, metricsp, err);
    free(targets);
    return status;
}

void
sf_path_metrics_free(struct sf_path_metrics *metrics)
{
    for (int i = 0; metrics && i < SF_N_PATH_METRICS; i++) {
        sf_histogram_clear(&metrics->by[i]);
    }
    free(metrics);
}

enum sf_status
sf_path_metrics_add(struct sf_path_metrics *metrics,
                    const struct sf_path_metrics *more, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (int i = 0; status == SF_OK && i < SF_N_PATH_METRICS; i++) {
        status = sf_histogram_add(&metrics->by[i], &more->by[i], err);
    }
    metrics->n_pairs += more->n_pairs;
    metrics->n_incomplete += more->n_incomplete;
    return status;
}
