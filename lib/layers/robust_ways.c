/* robust_ways.c -- the links of paths in several layers, and what pairs of
 * switches lack by them. */
#include "layers/robust_parts.h"
#include "layers/trees.h"

bool
sf_way_add(const struct sf_layers *layers, const struct sf_graph *graph,
           uint32_t layer, uint32_t s, uint32_t d, struct sf_way *way)
{
    for (uint32_t n = 0; s != d; n++) {
        uint32_t arc = sf_layers_arc(layers, graph, layer, s, d);
        if (arc == SF_NONE || n == SF_ROBUST_HOPS) {
            return false;
        }
        way->links[way->n++] = graph->arcs[arc].link;
        s = graph->arcs[arc].to;
    }
    return true;
}

bool
sf_way_has(const struct sf_way *way, uint32_t link)
{
    for (uint32_t i = 0; i < way->n; i++) {
        if (way->links[i] == link) {
            return true;
        }
    }
    return false;
}

bool
sf_ways_are_apart(const struct sf_way *a, const struct sf_way *b)
{
    for (uint32_t i = 0; i < a->n; i++) {
        if (sf_way_has(b, a->links[i])) {
            return false;
        }
    }
    return true;
}

bool
sf_ways_find(const struct sf_graph *graph, const struct sf_layers *of_s,
             const struct sf_layers *of_d, uint32_t s, uint32_t d,
             struct sf_way *ways)
{
    bool all = true;

    for (uint32_t l = 0; all && l < of_d->n_layers; l++) {
        ways[l].n = 0;
        all = sf_way_add(of_d, graph, l, s, d, &ways[l]) &&
              sf_way_add(of_s, graph, l, d, s, &ways[l]);
    }
    return all;
}

/* Whether one link is in all ways. */
static bool
share_a_link(const struct sf_way *ways, uint32_t n_layers)
{
    for (uint32_t i = 0; i < ways[0].n; i++) {
        uint32_t l = 1;
        while (l < n_layers && sf_way_has(&ways[l], ways[0].links[i])) {
            l++;
        }
        if (l == n_layers) {
            return true;
        }
    }
    return false;
}

static uint32_t
lack_of(const struct sf_way *ways, uint32_t n_layers)
{
    for (uint32_t l = 0; l < n_layers; l++) {
        for (uint32_t m = l + 1; m < n_layers; m++) {
            if (sf_ways_are_apart(&ways[l], &ways[m])) {
                return SF_LACKS_NOTHING;
            }
        }
    }
    return share_a_link(ways, n_layers) ? SF_LACKS_ALL : SF_LACKS_PAIR;
}

/* The path set number 'set', of those up to that of the job. */
static const struct sf_layers *
set_of(const struct sf_layer_job *job, uint32_t set)
{
    return set == job->params->set ? job->layers : job->params->earlier[set];
}

uint32_t
sf_robust_first_set(const struct sf_layer_job *job)
{
    return job->params->earlier ? 0 : job->params->set;
}

uint32_t
sf_robust_lack(const struct sf_layer_job *job, uint32_t s, uint32_t d)
{
    struct sf_way ways[SF_MAX_LAYERS];
    uint32_t sum = 0;

    if (s == d || job->weights[s] == 0 || job->weights[d] == 0) {
        return 0;
    }
    for (uint32_t i = sf_robust_first_set(job); i <= job->params->set; i++) {
        if (sf_ways_find(job->graph, set_of(job, i), job->layers, s, d,
                         ways)) {
            sum += lack_of(ways, job->layers->n_layers);
        }
    }
    return sum;
}

uint64_t
sf_robust_count(const struct sf_network *network,
                struct sf_layers *const *sets, uint32_t n_sets)
{
    uint64_t n = 0;

    for (uint32_t set = 0; set < n_sets; set++) {
        struct sf_layers_params params = { .set = set, .earlier = sets };
        struct sf_layer_job job = { .graph = network->graph,
                                    .params = &params,
                                    .weights = network->n_hosts,
                                    .layers = sets[set] };
        for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
            for (uint32_t d = 0; d < network->graph->n_nodes; d++) {
                n += sf_robust_lack(&job, s, d) / SF_LACKS_ALL;
            }
        }
    }
    return n;
}
