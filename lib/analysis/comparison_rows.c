/* comparison_rows.c -- what to compare, from words. */
#include "base/distances.h"
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
        .routing = { .layers = { .scheme = text } },
    };
    snprintf(row->label, sizeof row->label, "%s", text);
    return SF_OK;
}

enum sf_status
sf_comparison_hops(const struct sf_graph *graph, uint32_t *max_hopsp,
                   struct sf_error *err)
{
    size_t n = graph->n_nodes;
    uint16_t *distances = sf_graph_distances(graph);

    *max_hopsp = 1;
    if (!distances) {
        return sf_fail(err, SF_ENOMEM, "out of memory for distances");
    }
    for (size_t i = 0; i < n * n; i++) {
        if (distances[i] != SF_OUT_OF_REACH &&
            distances[i] + 1u > *max_hopsp) {
            *max_hopsp = distances[i] + 1u;
        }
    }
    free(distances);
    return SF_OK;
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
