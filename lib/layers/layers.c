/* layers.c -- the table of schemes, and what goes before any of them.  A new
 * scheme is declared and listed here, and nowhere else. */
#include "slimfly/layers.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "layers/layer_scheme.h"
#include "layers/trees.h"
#include "slimfly/progress.h"

#include <stdio.h>
#include <string.h>

extern const struct sf_layer_scheme sf_scheme_gates, sf_scheme_paper,
    sf_scheme_minimal, sf_scheme_rues, sf_scheme_fatpaths, sf_scheme_updown,
    sf_scheme_ftree, sf_scheme_ordered;

const struct sf_layer_scheme *const sf_layer_schemes[] = {
    &sf_scheme_gates, &sf_scheme_paper,    &sf_scheme_minimal,
    &sf_scheme_rues,  &sf_scheme_fatpaths, &sf_scheme_updown,
    &sf_scheme_ftree, &sf_scheme_ordered,  NULL,
};

static bool
head_of(size_t i, struct sf_spec_head *head)
{
    const struct sf_layer_scheme *scheme = sf_layer_schemes[i];

    if (scheme) {
        *head = (struct sf_spec_head){ scheme->name, NULL, scheme->params };
    }
    return scheme != NULL;
}

static const struct sf_spec_sort specs = { .what = "a layer scheme",
                                           .head = head_of };

const struct sf_layer_scheme *
sf_layer_scheme_find(const char *spec)
{
    size_t i = spec ? sf_spec_find(&specs, spec) : 0;
    return i == SF_NO_HEAD ? NULL : sf_layer_schemes[i];
}

enum sf_status
sf_layer_scheme_made_for(const struct sf_network *network,
                         const struct sf_layer_scheme **schemep,
                         struct sf_error *err)
{
    enum sf_status status = SF_OK;

    *schemep = NULL;
    for (size_t i = 0; status == SF_OK && !*schemep && sf_layer_schemes[i];
         i++) {
        const struct sf_layer_ops *ops = sf_layer_schemes[i]->ops;
        bool suits = false;
        if (ops->suits) {
            status = ops->suits(network, &suits, err);
        }
        *schemep = suits ? sf_layer_schemes[i] : NULL;
    }
    return status;
}

/* Reads 'text', NULL for the default; the spec stands before what is wrong
 * with it. */
static enum sf_status
parse_spec(const char *text, struct sf_spec *parsed, struct sf_error *err)
{
    text = text ? text : sf_layer_schemes[0]->name;
    enum sf_status status = sf_spec_parse(&specs, text, parsed, err);
    if (status == SF_EINVAL && parsed->index != SF_NO_HEAD) {
        sf_error_add_context(err, text);
    }
    return status;
}

/* Writes what 'parsed' says into 'spec'; 'n_sets' is as in layers.h. */
static enum sf_status
settle_spec(struct sf_spec *parsed, uint32_t n_sets,
            struct sf_layer_spec *spec, struct sf_error *err)
{
    const struct sf_layer_scheme *scheme = sf_layer_schemes[parsed->index];
    struct sf_value *sets = sf_spec_value(parsed, SF_SETS_KEY);
    enum sf_status status = SF_OK;

    spec->scheme = scheme;
    spec->minimal_first = scheme->minimal_first;
    spec->resists_repair = scheme->resists_repair;
    spec->extra_hops = scheme->extra_hops;
    spec->names_sets = sets && sets->given;
    if (sets && n_sets) {
        sets->given = true;
        sets->number = n_sets < SF_MAX_PORTS ? n_sets : SF_MAX_PORTS;
        status = sf_spec_spell(parsed, err);
    }
    spec->n_sets = scheme->is_per_host ? SF_NONE
                   : sets              ? (uint32_t)sets->number
                                       : 1;
    if (scheme->ops->settle) {
        scheme->ops->settle(parsed->values, spec);
    }
    return status;
}

enum sf_status
sf_layer_spec_parse(const char *spec, uint32_t n_sets,
                    struct sf_layer_spec *parsed, struct sf_error *err)
{
    struct sf_spec read;
    enum sf_status status = parse_spec(spec, &read, err);

    *parsed = (struct sf_layer_spec){ 0 };
    if (status == SF_OK) {
        status = settle_spec(&read, n_sets, parsed, err);
    }
    if (status == SF_OK) {
        status = sf_spec_copy_text(&read, parsed->text, err);
    }
    sf_spec_clear(&read);
    return status;
}

void
sf_layers_report(const struct sf_layer_job *job, uint64_t done, uint64_t total)
{
    const struct sf_layers_params *params = job->params;
    char what[64] = "choosing paths";

    if (params->n_sets > 1) {
        snprintf(what, sizeof what, "choosing paths, set %u of %u",
                 params->set + 1, params->n_sets);
    }
    sf_progress_report(what, done, total);
}

void
sf_layers_report_layer(const struct sf_layer_job *job, uint32_t layer,
                       uint32_t n_destinations)
{
    uint64_t n = job->graph->n_nodes;

    sf_layers_report(job, layer * n + n_destinations,
                     job->layers->n_layers * n);
}

/* The arrays behind a job, which the job shows as const. */
struct prepared {
    struct sf_spec spec;
    uint32_t *weights;
    uint32_t *limits; /* First the farthest distances, then limits. */
    struct sf_search search;
    struct sf_turn_columns turns;
    uint32_t far[2]; /* Two switches that are a diameter apart. */
};

static enum sf_status
check_params(const struct sf_graph *graph,
             const struct sf_layers_params *params, struct sf_spec *spec,
             const struct sf_layer_scheme **schemep, struct sf_error *err)
{
    enum sf_status status = parse_spec(params->scheme, spec, err);
    if (status != SF_OK) {
        return status;
    }
    const struct sf_layer_scheme *scheme = sf_layer_schemes[spec->index];
    if (params->n_layers < 1 || params->n_layers > SF_MAX_LAYERS) {
        return sf_fail(err, SF_EINVAL, "%u layers: expected 1 to %u",
                       params->n_layers, SF_MAX_LAYERS);
    }
    if (params->turns && !scheme->takes_turns) {
        return sf_fail(err, SF_EINVAL,
                       "the scheme \"%s\" does not take allowed turns",
                       scheme->name);
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        if (sf_graph_degree(graph, s) >= SF_NO_HOP) {
            return sf_fail(err, SF_ELIMIT,
                           "switch %s has %u links; the limit is %u",
                           sf_graph_name(graph, s).text,
                           sf_graph_degree(graph, s), SF_NO_HOP - 1);
        }
    }
    *schemep = scheme;
    return SF_OK;
}

/* Says into which parts 'graph' falls: the size of each and a switch in it,
 * as far as there is room. */
static enum sf_status
refuse_parts(const struct sf_graph *graph, struct sf_search *search,
             uint32_t *part_of, struct sf_error *err)
{
    char list[400] = "";
    size_t used = 0;
    uint32_t n_parts = 0;

    memset(part_of, 0xff, graph->n_nodes * sizeof *part_of);
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        if (part_of[s] != SF_NONE) {
            continue;
        }
        sf_search_run(search, graph, s, NULL);
        for (uint32_t i = 0; i < search->n_reached; i++) {
            part_of[search->order[i]] = n_parts;
        }
        n_parts++;
        if (used + 100 < sizeof list) {
            used += (size_t)snprintf(list + used, sizeof list - used,
                                     "%s%u with switch %s", used ? ", " : "",
                                     search->n_reached,
                                     sf_graph_name(graph, s).text);
        } else if (strcmp(list + used - 3, "...") != 0) {
            used += (size_t)snprintf(list + used, sizeof list - used, ", ...");
        }
    }
    return sf_fail(err, SF_EUNREACHABLE,
                   "the switches fall into %u parts that no link joins: %s",
                   n_parts, list);
}

/* Measures the diameter of 'job' and refuses a disconnected graph. */
static enum sf_status
measure(struct sf_layer_job *job, struct prepared *prepared,
        struct sf_error *err)
{
    const struct sf_graph *graph = job->graph;
    uint64_t sum = 0, n_pairs = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        struct sf_search *search = &prepared->search;
        sf_search_run(search, graph, s, NULL);
        if (search->n_reached < graph->n_nodes && !job->params->within_parts) {
            return refuse_parts(graph, search, prepared->weights, err);
        }
        uint32_t last = search->order[search->n_reached - 1];
        uint32_t far = search->distance[last];
        if (far > job->diameter) {
            job->diameter = far;
            prepared->far[0] = s;
            prepared->far[1] = last;
        }
        prepared->limits[s] = far;
        for (uint32_t i = 0; i < search->n_reached; i++) {
            sum += search->distance[search->order[i]];
        }
        n_pairs += search->n_reached;
    }
    job->mean_distance = (double)sum / (double)(n_pairs ? n_pairs : 1);
    return SF_OK;
}

static int
compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Finds the farthest distance of most switches, going by 'limits', which are
 * the farthest distances still: where it is less for a tenth of them, it would
 * be for the others if it were not for some links.  In a graph of diameter 2,
 * a dead link gives a quarter of all switches some that are three hops away:
 * no reason to let everybody take longer ways. */
static enum sf_status
find_usual_diameter(struct sf_layer_job *job, const uint32_t *limits,
                    struct sf_error *err)
{
    uint32_t n = job->graph->n_nodes;
    uint32_t *sorted = sf_calloc(n, sizeof *sorted);

    if (!sorted) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
    }
    if (n > 0) {
        memcpy(sorted, limits, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, compare_numbers);
        job->usual_diameter = sorted[n / 10];
    }
    free(sorted);
    return SF_OK;
}

/* Turns 'limits', the farthest distances, into limits of hops. */
static enum sf_status
limit_hops(struct sf_layer_job *job, struct prepared *prepared,
           struct sf_error *err)
{
    const struct sf_graph *graph = job->graph;
    uint32_t *limits = prepared->limits;
    uint32_t asked = job->params->max_hops;
    uint32_t most = job->graph->n_nodes; /* No path without loops has more. */

    if (asked > 0 && asked < job->diameter && !job->params->may_exceed) {
        return sf_fail(err, SF_EUNREACHABLE,
                       "paths of at most %u hop%s do not reach everything: "
                       "the diameter is %u, as from switch %s to switch %s",
                       asked, asked > 1 ? "s" : "", job->diameter,
                       sf_graph_name(graph, prepared->far[0]).text,
                       sf_graph_name(graph, prepared->far[1]).text);
    }
    struct sf_layer_spec spec = { 0 };
    enum sf_status status = settle_spec(&prepared->spec, 0, &spec, err);
    if (status == SF_OK) {
        status = find_usual_diameter(job, limits, err);
    }
    if (status != SF_OK) {
        return status;
    }
    bool is_unlimited = spec.extra_hops == SF_NONE;
    job->usual_hops = asked          ? asked
                      : is_unlimited ? most
                                     : job->usual_diameter + spec.extra_hops;
    job->usual_hops = job->usual_hops < most ? job->usual_hops : most;
    job->max_hops = job->usual_hops;
    for (uint32_t d = 0; d < job->graph->n_nodes; d++) {
        limits[d] = limits[d] > job->usual_hops ? limits[d] : job->usual_hops;
        job->max_hops = limits[d] > job->max_hops ? limits[d] : job->max_hops;
    }
    job->limits = limits;
    return SF_OK;
}

static void
fill_weights(const struct sf_network *network, uint32_t *weights)
{
    bool has_hosts = sf_network_count_hosts(network) > 0;

    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        weights[s] = has_hosts ? network->n_hosts[s] : 1;
    }
}

/* Allocates what goes into 'job'; weights serve as workspace first. */
static enum sf_status
prepare(struct sf_layer_job *job, struct prepared *prepared,
        struct sf_error *err)
{
    size_t n = job->graph->n_nodes;

    prepared->weights = sf_calloc(n, sizeof *prepared->weights);
    prepared->limits = sf_calloc(n, sizeof *prepared->limits);
    bool made = sf_search_init(&prepared->search, (uint32_t)n);
    if (!made || !prepared->weights || !prepared->limits) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %zu switches", n);
    }
    job->weights = prepared->weights;
    return SF_OK;
}

static void
clear_prepared(struct prepared *prepared)
{
    sf_turn_columns_clear(&prepared->turns);
    sf_spec_clear(&prepared->spec);
    sf_search_clear(&prepared->search);
    free(prepared->limits);
    free(prepared->weights);
}

/* The seed of a path set: far from that of any other, and the seed itself for
 * the first. */
static uint64_t
set_seed(const struct sf_layers_params *params)
{
    return params->seed + params->set * UINT64_C(0x9e3779b97f4a7c15);
}

enum sf_status
sf_layers_build(const struct sf_network *network,
                const struct sf_layers_params *params,
                struct sf_layers **layersp, struct sf_error *err)
{
    const struct sf_graph *graph = network->graph;
    const struct sf_layer_scheme *scheme = NULL;
    struct prepared prepared = { 0 };
    struct sf_layer_job job = { .graph = graph,
                                .reverse = network->reverse,
                                .params = params,
                                .seed = set_seed(params) };

    *layersp = NULL;
    enum sf_status status =
        check_params(graph, params, &prepared.spec, &scheme, err);
    if (status != SF_OK || !scheme) {
        clear_prepared(&prepared);
        return status;
    }
    job.values = prepared.spec.values;
    job.n_threads = sf_parallel_limit(params->n_threads);
    if (job.n_threads > sf_batch_size(graph)) {
        job.n_threads = sf_batch_size(graph); /* More would have no work. */
    }
    status = prepare(&job, &prepared, err);
    if (status == SF_OK) {
        status = measure(&job, &prepared, err);
    }
    if (status == SF_OK) {
        status = limit_hops(&job, &prepared, err);
    }
    if (status == SF_OK) {
        status =
            sf_layers_make(params->n_layers, graph->n_nodes, &job.layers, err);
    }
    if (status == SF_OK &&
        !sf_turn_columns_init(&prepared.turns, graph, network->reverse,
                              params->turns)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for turns");
    }
    if (status == SF_OK) {
        job.turns = &prepared.turns;
        job.layers->max_hops = job.max_hops;
        fill_weights(network, prepared.weights);
        status = scheme->ops->build(&job, err);
    }
    if (status == SF_OK) {
        sf_layers_report(&job, 1, 1);
        *layersp = job.layers;
        job.layers = NULL;
    }
    sf_layers_free(job.layers);
    clear_prepared(&prepared);
    return status;
}

/* Fills in what 'params' allow: how far paths may go.  The caller clears
 * 'prepared'. */
static enum sf_status
find_limits(struct sf_layer_job *job, struct prepared *prepared,
            struct sf_error *err)
{
    const struct sf_layer_scheme *scheme = NULL;
    enum sf_status status =
        check_params(job->graph, job->params, &prepared->spec, &scheme, err);

    if (status != SF_OK || !scheme) {
        return status;
    }
    status = prepare(job, prepared, err);
    if (status == SF_OK) {
        status = measure(job, prepared, err);
    }
    return status == SF_OK ? limit_hops(job, prepared, err) : status;
}

enum sf_status
sf_layers_check_reach(const struct sf_network *network,
                      const struct sf_layers_params *params,
                      struct sf_error *err)
{
    struct prepared prepared = { 0 };
    struct sf_layer_job job = { .graph = network->graph, .params = params };
    enum sf_status status = find_limits(&job, &prepared, err);

    clear_prepared(&prepared);
    return status;
}

enum sf_status
sf_layers_limits(const struct sf_network *network,
                 const struct sf_layers_params *params, uint32_t *usual_hopsp,
                 uint32_t *max_hopsp, struct sf_error *err)
{
    struct sf_layers_params tolerant = *params;
    struct prepared prepared = { 0 };
    struct sf_layer_job job = { .graph = network->graph, .params = &tolerant };

    tolerant.within_parts = true;
    tolerant.may_exceed = true;
    enum sf_status status = find_limits(&job, &prepared, err);
    *usual_hopsp = job.usual_hops;
    *max_hopsp = job.max_hops;
    clear_prepared(&prepared);
    return status;
}
