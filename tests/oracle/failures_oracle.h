/* failures_oracle.h -- what parts that fail do to a graph, by looking at all
 * of it again and again.  Nothing here calls the library. */
#ifndef SF_FAILURES_ORACLE_H
#define SF_FAILURES_ORACLE_H

#include "oracle/oracle.h"

/* How many ordered pairs of hosts, n_hosts[] on each switch, are joined where
 * 'dead_links' and 'dead_switches' carry nothing; hosts of dead switches are
 * not there. */
uint64_t oracle_joined_pairs(const struct oracle_graph *graph,
                             const uint32_t *n_hosts, const bool *dead_links,
                             const bool *dead_switches);

/* How many links in 'order' fail one by one until two switches with hosts are
 * apart. */
uint32_t oracle_until_cut(const struct oracle_graph *graph,
                          const uint32_t *n_hosts, const uint32_t *order);

/* The fewest links that cut two switches with hosts apart, by trying all sets
 * of at most 20 links; the fewest switches that cut two others with hosts
 * apart, likewise, SF_NONE if none do. */
uint32_t oracle_least_links(const struct oracle_graph *graph,
                            const uint32_t *n_hosts);
uint32_t oracle_least_switches(const struct oracle_graph *graph,
                               const uint32_t *n_hosts);

#endif
