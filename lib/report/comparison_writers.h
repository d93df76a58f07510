/* comparison_writers.h -- one writer a file; comparison_files.c lists them. */
#ifndef SF_REPORT_COMPARISON_WRITERS_H
#define SF_REPORT_COMPARISON_WRITERS_H

#include "slimfly/comparison_files.h"

enum sf_status sf_comparison_write_text(const struct sf_comparison *comparison,
                                        FILE *stream, struct sf_error *err);
enum sf_status sf_comparison_write_json(const struct sf_comparison *comparison,
                                        FILE *stream, struct sf_error *err);
enum sf_status sf_comparison_write_csv(const struct sf_comparison *comparison,
                                       FILE *stream, struct sf_error *err);
enum sf_status
sf_comparison_write_histograms(const struct sf_comparison *comparison,
                               FILE *stream, struct sf_error *err);

enum sf_status
sf_comparison_draw_lengths(const struct sf_comparison *comparison,
                           FILE *stream, struct sf_error *err);
enum sf_status sf_comparison_draw_links(const struct sf_comparison *comparison,
                                        FILE *stream, struct sf_error *err);
enum sf_status
sf_comparison_draw_disjoint(const struct sf_comparison *comparison,
                            FILE *stream, struct sf_error *err);
enum sf_status
sf_comparison_draw_throughput(const struct sf_comparison *comparison,
                              FILE *stream, struct sf_error *err);

/* The hosts of the network: machines, or ports where these are not known. */
uint32_t sf_comparison_count_hosts(const struct sf_comparison *comparison);

/* What lanes the routing of a row was made for: the name of a scheme, "free"
 * of any, or "tables" whose lanes are not looked at; NULL for references. */
const char *sf_comparison_lanes(const struct sf_comparison *comparison,
                                uint32_t row);

/* The share of pairs of a row that have 'n' disjoint paths or more. */
double sf_comparison_share(const struct sf_path_metrics *metrics, uint64_t n);

#endif
