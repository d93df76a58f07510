/* comparison_rows.c -- what to compare, from words. */
#include "base/mem.h"
#include "slimfly/comparison.h"

#include <stdio.h>
#include <string.h>

enum sf_status
sf_comparison_row_parse(const char *text, uint32_t n_layers,
                        struct sf_comparison_row *row, struct sf_error *err)
{
    struct sf_layer_spec spec;
    enum sf_status status = sf_layer_spec_parse(text, 0, &spec, err);

    if (status != SF_OK) {
        return status;
    }
    if (strlen(text) >= sizeof row->label) {
        return sf_fail(err, SF_EINVAL, "%.40s...: expected at most %zu bytes",
                       text, sizeof row->label - 1);
    }
    *row = (struct sf_comparison_row){
        .mode = SF_THROUGHPUT_LAYERS,
        .n_layers = n_layers,
        .layers = { .scheme = text },
        .n_path_sets =
            spec.names_sets || spec.scheme->is_per_host ? spec.n_sets : 0,
    };
    snprintf(row->label, sizeof row->label, "%s", text);
    return SF_OK;
}

/* The largest finite distance from 's'; 'queue' and 'distance' have room for
 * all nodes. */
static uint32_t
measure_farthest(const struct sf_graph *graph, uint32_t s, uint32_t *queue,
                 uint32_t *distance)
{
    uint32_t n_queued = 1;

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        distance[i] = SF_NONE;
    }
    distance[s] = 0;
    queue[0] = s;
    for (uint32_t i = 0; i < n_queued; i++) {
        uint32_t v = queue[i];
        for (uint32_t a = graph->first[v]; a < graph->first[v + 1]; a++) {
            uint32_t u = graph->arcs[a].to;
            if (distance[u] == SF_NONE) {
                distance[u] = distance[v] + 1;
                queue[n_queued++] = u;
            }
        }
    }
    return distance[queue[n_queued - 1]];
}

enum sf_status
sf_comparison_hops(const struct sf_graph *graph, uint32_t *max_hopsp,
                   struct sf_error *err)
{
    uint32_t *queue = sf_calloc(graph->n_nodes, sizeof *queue);
    uint32_t *distance = sf_calloc(graph->n_nodes, sizeof *distance);
    enum sf_status status = SF_OK;

    *max_hopsp = 1;
    if (!queue || !distance) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for distances");
        goto done;
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t far = measure_farthest(graph, s, queue, distance);
        *max_hopsp = far + 1 > *max_hopsp ? far + 1 : *max_hopsp;
    }

done:
    free(distance);
    free(queue);
    return status;
}

void
sf_comparison_row_reference(enum sf_throughput_mode mode, uint32_t n_paths,
                            uint32_t max_hops, struct sf_comparison_row *row)
{
    *row = (struct sf_comparison_row){
        .mode = mode,
        .n_layers = sf_throughput_counts_paths(mode) ? n_paths : 0,
    };
    if (mode == SF_THROUGHPUT_FREE) {
        snprintf(row->label, sizeof row->label, "free choice");
    } else if (mode == SF_THROUGHPUT_TREES) {
        snprintf(row->label, sizeof row->label, "free, less trees");
    } else if (mode == SF_THROUGHPUT_HOPS) {
        snprintf(row->label, sizeof row->label, "all paths to %u hops",
                 max_hops);
    } else {
        snprintf(row->label, sizeof row->label, "any path");
    }
}
