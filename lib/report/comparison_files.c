/* comparison_files.c -- the table of a comparison's files. */
#include "report/comparison_writers.h"

double
sf_comparison_share(const struct sf_path_metrics *metrics, uint64_t n)
{
    uint64_t n_such =
        sf_histogram_count_from(&metrics->by[SF_PATH_DISJOINT], n);
    return metrics->n_pairs ? (double)n_such / (double)metrics->n_pairs : 0;
}

const struct sf_comparison_file sf_comparison_files[] = {
    { "analysis.txt", "text", "tables for people", false,
      sf_comparison_write_text },
    { "analysis.json", "json", "everything, for programs", false,
      sf_comparison_write_json },
    { "analysis.csv", "csv", "one line a routing and traffic", false,
      sf_comparison_write_csv },
    { "histograms.csv", NULL, "one line a bin of each histogram", false,
      sf_comparison_write_histograms },
    { "path-lengths.svg", NULL, "average and longest paths of pairs", false,
      sf_comparison_draw_lengths },
    { "paths-per-link.svg", NULL, "how evenly paths share the links", false,
      sf_comparison_draw_links },
    { "disjoint-paths.svg", NULL, "disjoint paths of pairs", false,
      sf_comparison_draw_disjoint },
    { "throughput.svg", NULL, "throughput over layers", true,
      sf_comparison_draw_throughput },
    { NULL, NULL, NULL, false, NULL },
};

const char *
sf_comparison_lanes(const struct sf_comparison *comparison, uint32_t row)
{
    const struct sf_comparison_row *asked = &comparison->params.rows[row];

    return asked->mode != SF_THROUGHPUT_LAYERS ? NULL
           : asked->given                      ? "tables"
           : asked->routing.without_lanes
               ? "free"
               : comparison->results[row].lanes.scheme;
}

uint32_t
sf_comparison_count_hosts(const struct sf_comparison *comparison)
{
    const struct sf_network *network = comparison->params.network;

    return network->fabric
               ? network->fabric->n_nodes - network->fabric->n_switches
               : sf_network_count_hosts(network);
}
