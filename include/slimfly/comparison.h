/* comparison.h -- routings of one network side by side: what their paths are
 * like, and what throughput they allow, against what the network allows.
 *
 * A row is a routing (a scheme with a number of layers, or layers from
 * elsewhere) or a reference that knows no layers.  Each is looked at for
 * several seeds, which draw the layers and the traffic.  What is finished can
 * be kept by the caller, so that work that was interrupted goes on. */
#ifndef SLIMFLY_COMPARISON_H
#define SLIMFLY_COMPARISON_H

#include "slimfly/claims.h"
#include "slimfly/origin.h"
#include "slimfly/path_metrics.h"
#include "slimfly/routing.h"
#include "slimfly/throughput.h"

#pragma GCC visibility push(default)

#define SF_COMPARISON_LABEL_SIZE 80

/* How a routing shares demands out over its layers. */
enum sf_comparison_split {
    SF_SPLIT_BEST,  /* As is best for the traffic. */
    SF_SPLIT_EQUAL, /* The same share on every layer: what round robin does. */
    SF_N_SPLITS,
};

/* "best", "equal". */
const char *sf_comparison_split_name(enum sf_comparison_split split);

/* What to look at in a row. */
struct sf_comparison_row {
    char label[SF_COMPARISON_LABEL_SIZE]; /* "rues:0.6", "any path" */
    enum sf_throughput_mode mode; /* LAYERS for routings; a reference's. */
    uint32_t n_layers;            /* 0 for HOPS and ANY. */

    /* Routings: how to make them, or else routes from elsewhere. */
    struct sf_routing_params routing; /* But for the number of layers and the
                                       * seed. */
    const struct sf_routes *given;    /* NULL: to be made. */
};

/* The lanes that a routing was made for; scheme "" if that is not known, or
 * for a routing free of lanes. */
struct sf_lanes_summary {
    char scheme[SF_COMPARISON_LABEL_SIZE];
    uint32_t n_vls;
    char instead[SF_COMPARISON_LABEL_SIZE]; /* The layer scheme that took the
                                             * place of the default one, for
                                             * which there are too few lanes;
                                             * "" if none did. */
};

/* One thing that was found out: metrics of paths, or else a throughput. */
struct sf_measurement {
    struct sf_path_metrics *metrics;
    struct sf_lanes_summary lanes; /* With metrics. */
    struct sf_throughput throughput;
};

/* Keeps measurements.  'settings' names everything that a measurement depends
 * on; two measurements with the same settings are the same.  Only one thread
 * at a time calls save().  Several threads may call load() at once, also while
 * one calls save(). */
struct sf_measurement_store {
    /* Gives the measurement of 'settings', of which metrics the caller frees;
     * false if there is none. */
    bool (*load)(void *aux, const char *settings,
                 struct sf_measurement *measurement);
    enum sf_status (*save)(void *aux, const char *settings,
                           const struct sf_measurement *measurement,
                           struct sf_error *err);
    void *aux;
    const struct sf_claims *claims; /* Of processes with the same store; NULL:
                                     * there is no other. */
};

/* The question; nothing is owned, and zero stands for a default but in the
 * first two. */
struct sf_figure; /* figure.h */

struct sf_comparison_params {
    struct sf_origin origin;
    const char *name; /* Of the network, for people. */
    const struct sf_network *network;
    uint32_t n_rows;
    const struct sf_comparison_row *rows;
    uint32_t n_traffics;
    const char *const *traffics; /* As sf_traffic_build() takes them. */
    bool without[SF_N_SPLITS];   /* Splits of routings that are left out; not
                                  * all may be. */
    uint32_t n_seeds;            /* 0: 1 */
    uint64_t seed;               /* The first of them. */
    uint32_t max_hops;           /* Of references FREE and HOPS. */
    bool without_host_links;
    enum sf_throughput_effort effort;
    double gap;
    uint32_t n_threads; /* Changes nothing but the time. */
    const struct sf_measurement_store *store; /* May be NULL. */
    const struct sf_figure *figure;           /* The form of figures. */
};

/* What a throughput comes to over all seeds. */
struct sf_comparison_summary {
    double mean, min, max; /* Of the lower bounds. */
    double gap;            /* The largest upper / lower - 1; 0: all exact. */
};

/* The answer for a row. */
struct sf_comparison_result {
    struct sf_path_metrics *metrics; /* Of all seeds together; NULL for
                                      * references. */
    struct sf_lanes_summary lanes;   /* Of the first seed. */
    uint32_t n_splits;               /* Those that were measured, */
    enum sf_comparison_split splits[SF_N_SPLITS]; /* in their order; of
                                                   * references BEST alone. */
    struct sf_throughput *runs; /* [n_splits * n_traffics * n_seeds] What
                                 * any other row reaches counts for ANY. */
};

struct sf_comparison {
    struct sf_comparison_params
        params; /* As asked, with what they point to. */
    struct sf_comparison_result *results; /* [n_rows] */
};

/* The throughput of a row by number of split, traffic and number of seed. */
static inline const struct sf_throughput *
sf_comparison_run(const struct sf_comparison *comparison, uint32_t row,
                  uint32_t split, uint32_t traffic, uint32_t seed)
{
    const struct sf_comparison_params *params = &comparison->params;
    return &comparison->results[row]
                .runs[((size_t)split * params->n_traffics + traffic) *
                          params->n_seeds +
                      seed];
}

/* Compares.  On success the caller owns '*comparisonp', which points to what
 * 'params' points to; on failure it is NULL.  SF_EINVAL, SF_EUNREACHABLE:
 * layers that cannot be made, traffic that cannot be, pairs without a path
 * where throughput is asked for. */
enum sf_status sf_comparison_build(const struct sf_comparison_params *params,
                                   struct sf_comparison **comparisonp,
                                   struct sf_error *err);
void sf_comparison_free(struct sf_comparison *comparison);

struct sf_comparison_summary
sf_comparison_summarize(const struct sf_comparison *comparison, uint32_t row,
                        uint32_t split, uint32_t traffic);

/* Sets up the row of a routing by the spec 'text', "gates" or "rues:0.6",
 * which it points to, with 'n_layers'.  SF_EINVAL: as sf_layer_spec_parse().
 */
enum sf_status sf_comparison_row_parse(const char *text, uint32_t n_layers,
                                       struct sf_comparison_row *row,
                                       struct sf_error *err);

/* Sets up the row of a reference: FREE with 'n_paths' for each pair, HOPS,
 * both up to 'max_hops', or ANY. */
void sf_comparison_row_reference(enum sf_throughput_mode mode,
                                 uint32_t n_paths, uint32_t max_hops,
                                 struct sf_comparison_row *row);

/* The usual limit of references: the diameter plus 1.  O(V E). */
enum sf_status sf_comparison_hops(const struct sf_graph *graph,
                                  uint32_t *max_hopsp, struct sf_error *err);

#pragma GCC visibility pop
#endif
