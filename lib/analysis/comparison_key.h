/* comparison_key.h -- what a measurement is known by: all that it depends on.
 * Large things stand in there by a hash. */
#ifndef SF_ANALYSIS_COMPARISON_KEY_H
#define SF_ANALYSIS_COMPARISON_KEY_H

#include "slimfly/comparison.h"

uint64_t sf_key_of_network(const struct sf_network *network);

/* Of paths, turns and lanes, and how many addresses there are. */
uint64_t sf_key_of_routes(const struct sf_network *network,
                          const struct sf_routes *routes);
uint64_t sf_key_of_traffic(const struct sf_traffic *traffic);

/* Writes what the routes of 'row' depend on into 'text'; 'n_sets' is how many
 * path sets they have on 'network'. */
enum sf_status sf_key_of_routing(const struct sf_comparison_row *row,
                                 const struct sf_network *network,
                                 uint32_t n_sets, uint64_t seed, char *text,
                                 size_t size, struct sf_error *err);

#endif
