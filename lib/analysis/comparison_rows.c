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
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    char name[SF_COMPARISON_LABEL_SIZE];
    double fraction = 0;

    snprintf(name, sizeof name, "%.*s",
             (int)(length < sizeof name ? length : sizeof name - 1), text);
    const struct sf_layer_scheme *scheme = sf_layer_scheme_find(name);
    if (!scheme || strlen(text) >= sizeof row->label) {
        return sf_fail(err, SF_EINVAL, "there is no scheme '%s'", text);
    }
    if (colon) {
        char *end;
        fraction = strtod(colon + 1, &end);
        if (strcmp(scheme->name, "rues") != 0) {
            return sf_fail(err, SF_EINVAL,
                           "'%s': only rues takes a share of links", text);
        }
        if (end == colon + 1 || *end || !(fraction > 0 && fraction <= 1)) {
            return sf_fail(err, SF_EINVAL,
                           "'%s': expected a share of links above 0 and up "
                           "to 1, as in rues:0.6",
                           text);
        }
    }
    *row = (struct sf_comparison_row){
        .mode = SF_THROUGHPUT_LAYERS,
        .n_layers = n_layers,
        .routing = { .layers = { .scheme = scheme->name,
                                 .rues_fraction = fraction } },
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
