/* throughput.c -- chooses paths and solver. */
#include "slimfly/throughput.h"

#include "analysis/bounds.h"
#include "analysis/solvers.h"
#include "analysis/tree_losses.h"
#include "base/distances.h"

#include <math.h>
#include <string.h>

/* Up to so many paths linear programs take about a second. */
#define MAX_BARRIER_EDGES 1200
#define MAX_BARRIER_PATHS 20000
#define MAX_SIMPLEX_PATHS 4000
/* So many for each demand are a good start where all paths are allowed. */
#define MAX_START_PATHS 100
/* Numbers this close are one, but for rounding. */
#define ROUNDING 1e-9

struct job {
    const struct sf_graph *graph;
    const struct sf_traffic *traffic;
    const struct sf_throughput_params *params;
    struct sf_throughput *result;
};

const char *
sf_throughput_mode_name(enum sf_throughput_mode mode)
{
    static const char *const names[] = {
        [SF_THROUGHPUT_LAYERS] = "layers", [SF_THROUGHPUT_EQUAL] = "equal",
        [SF_THROUGHPUT_FREE] = "free",     [SF_THROUGHPUT_TREES] = "trees",
        [SF_THROUGHPUT_HOPS] = "hops",     [SF_THROUGHPUT_ANY] = "any",
    };
    return names[mode];
}

const char *
sf_throughput_method_name(enum sf_throughput_method method)
{
    static const char *const names[] = {
        [SF_METHOD_CLOSED_FORM] = "closed form",
        [SF_METHOD_SIMPLEX] = "simplex",
        [SF_METHOD_BARRIER] = "barrier",
        [SF_METHOD_APPROXIMATION] = "approximation",
    };
    return names[method];
}

/* Whether the layers are there and fit the traffic. */
static enum sf_status
check_layers(const struct job *job, struct sf_error *err)
{
    const struct sf_throughput_params *params = job->params;
    const struct sf_routes *routes = params->routes;

    if (!routes || routes->n_sets != job->traffic->n_sets) {
        return sf_fail(err, SF_EINVAL,
                       "expected routes of %u path sets, as the traffic has",
                       job->traffic->n_sets);
    }
    for (uint32_t i = 0; i < routes->n_sets; i++) {
        if (routes->sets[i]->n_switches != job->graph->n_nodes) {
            return sf_fail(err, SF_EINVAL,
                           "expected layers for %u switches, found %u",
                           job->graph->n_nodes, routes->sets[i]->n_switches);
        }
    }
    return SF_OK;
}

/* The share of layer 'l' where senders take all addresses in turn, or the
 * first 'n_used' of them if that is not 0: with more addresses than layers,
 * the first layers come again. */
static double
equal_share(const struct sf_routes *routes, uint32_t n_used, uint32_t l)
{
    uint32_t n_layers = sf_routes_n_layers(routes);
    uint32_t n_all =
        routes->n_addresses > n_layers ? routes->n_addresses : n_layers;
    uint32_t n = n_used ? n_used : n_all;
    uint32_t n_here = (n + n_layers - 1 - l) / n_layers;

    return (double)n_here / n;
}

/* Every address carries the same share: the largest load says it all. */
static enum sf_status
measure_equal(const struct job *job, struct sf_error *err)
{
    const struct sf_graph *graph = job->graph;
    enum sf_status status = SF_OK;
    double largest = 0, sum = 0;
    double *loads = sf_calloc((size_t)2 * graph->n_links, sizeof *loads);

    if (!loads) {
        return sf_fail(err, SF_ENOMEM, "out of memory for loads");
    }
    for (size_t k = 0; status == SF_OK && k < job->traffic->n_demands; k++) {
        const struct sf_demand *demand = &job->traffic->demands[k];
        const struct sf_layers *layers =
            job->params->routes->sets[demand->set];
        for (uint32_t l = 0; status == SF_OK && l < layers->n_layers; l++) {
            double share =
                equal_share(job->params->routes, job->params->n_used, l);
            double amount = demand->amount * share;
            uint32_t n_hops = 0, at = demand->source;
            while (share > 0 && at != demand->destination) {
                uint32_t arc =
                    sf_layers_arc(layers, graph, l, at, demand->destination);
                if (arc == SF_NONE || n_hops++ == graph->n_nodes) {
                    status = sf_fail_unserved(graph, demand, 0, err);
                    break;
                }
                loads[arc] += amount;
                at = graph->arcs[arc].to;
            }
            job->result->n_paths += share > 0;
        }
    }
    for (uint32_t arc = 0; arc < 2 * graph->n_links; arc++) {
        largest = fmax(largest, loads[arc]);
        sum += loads[arc];
    }
    job->result->net_lower = job->result->net_upper = 1 / largest;
    job->result->even = 2 * graph->n_links / sum;
    free(loads);
    return status;
}

/* The default of max_hops: the longest distance plus one. */
static enum sf_status
choose_hops(const struct sf_net *net, uint32_t *hopsp, struct sf_error *err)
{
    uint16_t *distances = sf_graph_distances(net->graph);
    size_t n = net->n_nodes;

    if (!distances) {
        return sf_fail(err, SF_ENOMEM, "out of memory for distances");
    }
    *hopsp = 0;
    for (size_t i = 0; i < n * n; i++) {
        if (distances[i] != SF_OUT_OF_REACH && distances[i] > *hopsp) {
            *hopsp = distances[i];
        }
    }
    ++*hopsp;
    free(distances);
    return SF_OK;
}

/* Lists disjoint paths, no more than layers can have. */
static enum sf_status
list_in_trees(const struct job *job, struct sf_paths *paths, uint32_t max_hops,
              struct sf_error *err)
{
    const struct sf_throughput_params *params = job->params;
    uint16_t *losses = NULL;
    enum sf_status status = SF_OK;

    if (max_hops > 3) {
        return sf_fail(err, SF_EINVAL,
                       "what trees lose is known for paths of at most 3 hops, "
                       "not for %u",
                       max_hops);
    }
    status = sf_tree_losses(job->graph, job->traffic, params->n_paths,
                            params->seed, params->n_threads, &losses, err);
    if (losses) {
        status =
            sf_paths_disjoint(paths, job->graph, job->traffic, params->n_paths,
                              max_hops, losses, params->seed, err);
    }
    free(losses);
    return status;
}

/* How many paths to list at most, with more to come if 'grow'; 0: all.  Where
 * there are more, the shortest ones do nearly all of the work, and the few
 * others that are of use are found as they are needed. */
static size_t
choose_limit(const struct job *job, bool grow)
{
    size_t n_start = MAX_START_PATHS * job->traffic->n_demands;

    if (!grow) {
        return job->params->effort == SF_EFFORT_EXACT ? 0 : MAX_BARRIER_PATHS;
    }
    return n_start < MAX_BARRIER_PATHS ? n_start : MAX_BARRIER_PATHS;
}

/* Lists the paths that the mode allows.  '*grow' says whether there are more,
 * of at most '*max_hops' each. */
static enum sf_status
list_paths(const struct job *job, const struct sf_net *net,
           struct sf_paths *paths, bool *grow, uint32_t *max_hops,
           struct sf_error *err)
{
    const struct sf_throughput_params *params = job->params;
    enum sf_throughput_mode mode = params->mode;
    enum sf_status status = SF_OK;

    *grow = mode == SF_THROUGHPUT_ANY;
    *max_hops = params->max_hops;
    if (mode == SF_THROUGHPUT_LAYERS) {
        return sf_paths_of_layers(paths, job->graph, job->traffic,
                                  params->routes, err);
    }
    if (*grow || *max_hops == 0) {
        status = choose_hops(net, max_hops, err);
    }
    if (status != SF_OK) {
        return status;
    }
    if (mode == SF_THROUGHPUT_FREE) {
        return sf_paths_disjoint(paths, job->graph, job->traffic,
                                 params->n_paths, *max_hops, NULL,
                                 params->seed, err);
    }
    if (mode == SF_THROUGHPUT_TREES) {
        return list_in_trees(job, paths, *max_hops, err);
    }
    paths->max_paths = choose_limit(job, *grow);
    status =
        sf_paths_enumerate(paths, net, job->traffic, *max_hops, *grow, err);
    if (status == SF_ELIMIT && paths->max_paths) {
        /* Begin with the shortest ones. */
        *grow = true;
        sf_paths_clear(paths);
        status = sf_paths_enumerate(paths, net, job->traffic, 0, true, err);
    }
    paths->max_paths = 0;
    if (mode == SF_THROUGHPUT_ANY) {
        *max_hops = 0;
    }
    return status;
}

/* One path for each demand: nothing to choose. */
static enum sf_status
measure_single(const struct job *job, const struct sf_net *net,
               const struct sf_paths *paths, struct sf_error *err)
{
    size_t n = paths->demands.n;
    double *shares = sf_calloc(n, sizeof *shares);
    double *loads = sf_calloc(net->n_edges, sizeof *loads);
    enum sf_status status = SF_OK;

    if (shares && loads) {
        for (size_t k = 0; k < n; k++) {
            shares[k] = 1;
        }
        sf_paths_loads(paths, net, shares, loads);
        job->result->n_paths = n;
        job->result->net_lower = 1 / sf_net_congestion(net, loads);
        job->result->net_upper = job->result->net_lower;
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory for loads");
    }
    free(loads);
    free(shares);
    return status;
}

static bool
is_small(const struct sf_paths *paths, const struct sf_net *net)
{
    if (paths->demands.n <= net->n_nodes) {
        return sf_paths_count(paths) <= MAX_SIMPLEX_PATHS;
    }
    return sf_paths_count(paths) <= MAX_BARRIER_PATHS &&
           net->n_edges <= MAX_BARRIER_EDGES;
}

bool
sf_bounds_are_close(double lower, double upper, double gap)
{
    gap = gap > 0 ? gap : SF_DEFAULT_GAP;
    /* 1e-9 for rounding, as the solvers compare the inverse numbers. */
    return upper <= (1 + gap) * (1 + 1e-9) * lower;
}

/* Solves the linear program.  What CLP says of its success is not asked: the
 * bounds tell whether its answer is one. */
static enum sf_status
measure_exactly(const struct job *job, const struct sf_net *net,
                struct sf_paths *paths, struct sf_error *err)
{
    const struct sf_throughput_params *params = job->params;
    struct sf_throughput *result = job->result;

    enum sf_status status =
        sf_throughput_linear(net, paths, params->max_rounds, result, err);
    if (status != SF_OK ||
        sf_bounds_are_close(result->net_lower, result->net_upper,
                            params->gap)) {
        return status;
    }
    if (params->effort == SF_EFFORT_EXACT) {
        return sf_fail(err, SF_ELIMIT,
                       "CLP did not solve the linear program of %zu paths; "
                       "only bounds can be had",
                       sf_paths_count(paths));
    }
    return sf_throughput_approximate(net, paths, false, 0, params, result,
                                     err);
}

/* Takes 'bounds', which 'n_paths' paths gave, for the answer if they are good
 * enough: exact if 'exactly', or else as close as asked for. */
static bool
take_bounds(const struct job *job, const struct sf_bounds *bounds,
            uint64_t n_paths, bool exactly)
{
    const struct sf_throughput_params *params = job->params;
    struct sf_throughput *result = job->result;
    double lower = 1 / bounds->suffices;
    double upper = fmax(1 / bounds->needed, lower);
    bool is_exact = upper <= lower * (1 + ROUNDING);

    if (!is_exact &&
        !(params->stop_at_host && lower * (1 + ROUNDING) >= result->host) &&
        (exactly || !sf_bounds_are_close(lower, upper, params->gap))) {
        return false;
    }
    result->method = exactly ? SF_METHOD_CLOSED_FORM : SF_METHOD_APPROXIMATION;
    result->net_lower = lower;
    result->net_upper = is_exact ? lower : upper;
    result->n_paths = n_paths;
    return true;
}

/* Tries whether the listed paths, shared out evenly, settle it. */
static enum sf_status
try_paths(const struct job *job, const struct sf_net *net,
          const struct sf_paths *paths, bool *donep, struct sf_error *err)
{
    struct sf_bounds bounds;
    size_t n_paths = sf_paths_count(paths);
    double *shares = sf_calloc(n_paths, sizeof *shares);
    enum sf_status status =
        shares ? sf_bounds_of_paths(paths, net, false, &bounds, shares, err)
               : sf_fail(err, SF_ENOMEM, "out of memory for bounds");

    *donep = status == SF_OK && take_bounds(job, &bounds, n_paths, true);
    free(shares);
    return status;
}

/* Solves for the paths that the mode allows; 'bounds' are those that come for
 * nothing, if it has such. */
static enum sf_status
solve_over_paths(const struct job *job, const struct sf_net *net,
                 const struct sf_bounds *bounds, uint64_t n_pairs,
                 struct sf_error *err)
{
    const struct sf_throughput_params *params = job->params;
    bool grow = false, is_done = false;
    uint32_t max_hops = 0;
    struct sf_paths paths = { 0 };

    enum sf_status status =
        list_paths(job, net, &paths, &grow, &max_hops, err);
    if (status != SF_OK) {
        goto done;
    }
    if (!grow && sf_paths_count(&paths) == paths.demands.n) {
        status = measure_single(job, net, &paths, err);
        goto done;
    }
    if (!grow && params->stop_at_host) {
        status = try_paths(job, net, &paths, &is_done, err);
    }
    if (status != SF_OK || is_done) {
        goto done;
    }
    if (!grow && params->effort != SF_EFFORT_APPROXIMATE &&
        (params->effort == SF_EFFORT_EXACT || is_small(&paths, net))) {
        status = measure_exactly(job, net, &paths, err);
    } else if (!bounds || !take_bounds(job, bounds, n_pairs, false)) {
        status = sf_throughput_approximate(net, &paths, grow, max_hops, params,
                                           job->result, err);
    }

done:
    sf_paths_clear(&paths);
    return status;
}

static enum sf_status
measure_over_paths(const struct job *job, struct sf_error *err)
{
    const struct sf_throughput_params *params = job->params;
    bool is_free = params->mode == SF_THROUGHPUT_HOPS ||
                   params->mode == SF_THROUGHPUT_ANY;
    bool is_bounded = false;
    uint32_t longest;
    uint64_t n_pairs = 0;
    struct sf_bounds bounds;
    struct sf_net net;

    enum sf_status status = sf_net_build(&net, job->graph, is_free, err);
    if (status != SF_OK) {
        return status;
    }
    if (is_free) {
        status = sf_bounds_of_net(&net, job->traffic, &bounds, &longest,
                                  &n_pairs, err);
        is_bounded = longest != SF_NONE &&
                     (params->mode == SF_THROUGHPUT_ANY ||
                      params->max_hops == 0 || longest <= params->max_hops);
    }
    bool is_any = params->mode == SF_THROUGHPUT_ANY;
    bool may_take = is_bounded && (params->stop_at_host ||
                                   params->effort != SF_EFFORT_EXACT);
    if (status == SF_OK &&
        !(may_take && take_bounds(job, &bounds, n_pairs, !is_any))) {
        status = solve_over_paths(job, &net, is_bounded ? &bounds : NULL,
                                  n_pairs, err);
    }
    sf_net_clear(&net);
    return status;
}

enum sf_status
sf_throughput_measure(const struct sf_graph *graph,
                      const struct sf_traffic *traffic,
                      const struct sf_throughput_params *params,
                      struct sf_throughput *result, struct sf_error *err)
{
    struct job job = { graph, traffic, params, result };
    enum sf_status status = SF_OK;

    *result = (struct sf_throughput){
        .net_lower = HUGE_VAL,
        .net_upper = HUGE_VAL,
        .host = params->without_host_links ? HUGE_VAL : 1 / traffic->max_host,
        .even = HUGE_VAL,
    };
    if (traffic->n_switches != graph->n_nodes) {
        return sf_fail(err, SF_EINVAL,
                       "expected traffic for %u switches, found %u",
                       graph->n_nodes, traffic->n_switches);
    }
    if (params->mode == SF_THROUGHPUT_LAYERS ||
        params->mode == SF_THROUGHPUT_EQUAL) {
        status = check_layers(&job, err);
    } else if (sf_throughput_counts_paths(params->mode) &&
               params->n_paths == 0) {
        status = sf_fail(err, SF_EINVAL, "expected one path or more a pair");
    }
    if (status == SF_OK && traffic->n_demands > 0) {
        status = params->mode == SF_THROUGHPUT_EQUAL
                     ? measure_equal(&job, err)
                     : measure_over_paths(&job, err);
    }
    if (result->net_lower < result->host &&
        result->net_lower * (1 + ROUNDING) >= result->host) {
        result->net_lower = result->host;
        result->net_upper = fmax(result->net_upper, result->host);
    }
    result->lower = fmin(result->net_lower, result->host);
    result->upper = fmin(result->net_upper, result->host);
    return status;
}
