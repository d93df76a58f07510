/* path_metrics.h -- what the paths of a routing are like: how long, how evenly
 * they share the links, how many of a pair share none.  Reads layers, also
 * those that tables from anywhere amount to (sf_ib_decode()).
 *
 * Counted are the ordered pairs of switches that carry hosts, each with one
 * path a layer.  Where the hosts of a switch have paths of their own, a pair
 * is a switch and a host of another switch instead. */
#ifndef SLIMFLY_PATH_METRICS_H
#define SLIMFLY_PATH_METRICS_H

#include "slimfly/routes.h"

#pragma GCC visibility push(default)

/* How often each value occurs; bins by growing value, none of them empty. */
struct sf_bin {
    uint64_t value, n;
};

struct sf_histogram {
    struct sf_bin *bins; /* [n_bins] */
    uint32_t n_bins;
};

void sf_histogram_clear(struct sf_histogram *histogram);

/* How many values there are; of these, how many are at least 'value'. */
uint64_t sf_histogram_count(const struct sf_histogram *histogram);
uint64_t sf_histogram_count_from(const struct sf_histogram *histogram,
                                 uint64_t value);

/* Extremes and mean, and the standard deviation over the mean, which is 0 if
 * all values are equal; all 0 if there are none. */
uint64_t sf_histogram_min(const struct sf_histogram *histogram);
uint64_t sf_histogram_max(const struct sf_histogram *histogram);
double sf_histogram_mean(const struct sf_histogram *histogram);
double sf_histogram_variation(const struct sf_histogram *histogram);

/* Adds the values of 'more' to 'histogram'. */
enum sf_status sf_histogram_add(struct sf_histogram *histogram,
                                const struct sf_histogram *more,
                                struct sf_error *err);

/* What is counted of paths: */
enum sf_path_metric {
    SF_PATH_HOPS,     /* paths, by links between switches; */
    SF_PATH_LOADS,    /* directions of links, by paths over them; */
    SF_PATH_TOTALS,   /* pairs, by the links of all their paths together: over
                       * n_layers that is the average length; */
    SF_PATH_LONGEST,  /* pairs, by the length of the longest path; */
    SF_PATH_DISTINCT, /* pairs, by the number of different paths, */
    SF_PATH_DISJOINT, /* and by the most of these of which no two share a
                       * link, in whatever direction. */
    SF_N_PATH_METRICS,
};

/* What they are called in files. */
extern const char *const sf_path_metric_names[SF_N_PATH_METRICS];

struct sf_path_metrics {
    uint32_t n_layers;     /* Paths of a pair. */
    bool is_per_host;      /* Whether pairs are of a switch and a host. */
    uint64_t n_pairs;      /* Pairs all of whose paths arrive; */
    uint64_t n_incomplete; /* others, which count nowhere else. */
    struct sf_histogram by[SF_N_PATH_METRICS];
};

/* Measures 'routes' of 'network'; where that has no hosts, between all of its
 * switches.  On success the caller owns '*metricsp'; on failure it is NULL.
 * SF_EINVAL: layers that are not for such a network, or not as many in all
 * path sets.  'n_threads' (0: one) does not change the result. O(L V^2 H)
 * time, H the longest path, and the choice of disjoint paths: that is exact,
 * quick in all cases seen, and exponential in L at worst. */
enum sf_status sf_path_metrics_build(const struct sf_network *network,
                                     const struct sf_routes *routes,
                                     uint32_t n_threads,
                                     struct sf_path_metrics **metricsp,
                                     struct sf_error *err);
void sf_path_metrics_free(struct sf_path_metrics *metrics);

/* Adds the pairs, paths and links of 'more', which has as many layers. */
enum sf_status sf_path_metrics_add(struct sf_path_metrics *metrics,
                                   const struct sf_path_metrics *more,
                                   struct sf_error *err);

#pragma GCC visibility pop
#endif
