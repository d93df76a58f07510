#include "oracle/failures_oracle.h"

#include <stdlib.h>
#include <string.h>

/* Marks the switches that 's' reaches, by going through all links until
 * nothing is new. */
static void
spread(const struct oracle_graph *graph, const bool *dead_links,
       const bool *dead_switches, uint32_t s, bool *reached)
{
    bool is_new = true;

    memset(reached, 0, graph->n * sizeof *reached);
    reached[s] = true;
    while (is_new) {
        is_new = false;
        for (uint32_t l = 0; l < graph->n_links; l++) {
            uint32_t a = graph->links[l].a, b = graph->links[l].b;
            if (!dead_links[l] && !dead_switches[a] && !dead_switches[b] &&
                reached[a] != reached[b]) {
                reached[a] = reached[b] = is_new = true;
            }
        }
    }
}

uint64_t
oracle_joined_pairs(const struct oracle_graph *graph, const uint32_t *n_hosts,
                    const bool *dead_links, const bool *dead_switches)
{
    bool *reached = oracle_calloc(graph->n, sizeof *reached);
    uint64_t n_pairs = 0;

    for (uint32_t s = 0; s < graph->n; s++) {
        if (dead_switches[s]) {
            continue;
        }
        spread(graph, dead_links, dead_switches, s, reached);
        for (uint32_t d = 0; d < graph->n; d++) {
            uint64_t others =
                d == s && n_hosts[d] ? n_hosts[d] - 1 : n_hosts[d];
            n_pairs += reached[d] ? n_hosts[s] * others : 0;
        }
    }
    free(reached);
    return n_pairs;
}

/* Whether two switches with hosts that are alive are apart. */
static bool
are_apart(const struct oracle_graph *graph, const uint32_t *n_hosts,
          const bool *dead_links, const bool *dead_switches)
{
    bool *reached = oracle_calloc(graph->n, sizeof *reached);
    uint32_t first = 0;
    bool are = false;

    while (first < graph->n && (!n_hosts[first] || dead_switches[first])) {
        first++;
    }
    if (first < graph->n) {
        spread(graph, dead_links, dead_switches, first, reached);
    }
    for (uint32_t d = first; d < graph->n; d++) {
        are |= n_hosts[d] && !dead_switches[d] && !reached[d];
    }
    free(reached);
    return are;
}

uint32_t
oracle_until_cut(const struct oracle_graph *graph, const uint32_t *n_hosts,
                 const uint32_t *order)
{
    bool *dead_links = oracle_calloc(graph->n_links, sizeof *dead_links);
    bool *dead_switches = oracle_calloc(graph->n, sizeof *dead_switches);
    uint32_t n = 0;

    while (!are_apart(graph, n_hosts, dead_links, dead_switches)) {
        dead_links[order[n++]] = true;
    }
    free(dead_switches);
    free(dead_links);
    return n;
}

/* The fewest bits of a set of 'n' things that cut; SF_NONE if no set does. */
static uint32_t
least(const struct oracle_graph *graph, const uint32_t *n_hosts, uint32_t n,
      bool *dead, const bool *dead_links, const bool *dead_switches)
{
    uint32_t best = SF_NONE;

    for (uint32_t set = 0; set < 1u << n; set++) {
        uint32_t size = 0;
        for (uint32_t i = 0; i < n; i++) {
            dead[i] = set >> i & 1;
            size += dead[i];
        }
        if (size < best &&
            are_apart(graph, n_hosts, dead_links, dead_switches)) {
            best = size;
        }
    }
    return best;
}

uint32_t
oracle_least_links(const struct oracle_graph *graph, const uint32_t *n_hosts)
{
    bool *dead_links = oracle_calloc(graph->n_links, sizeof *dead_links);
    bool *dead_switches = oracle_calloc(graph->n, sizeof *dead_switches);
    uint32_t best = least(graph, n_hosts, graph->n_links, dead_links,
                          dead_links, dead_switches);

    free(dead_switches);
    free(dead_links);
    return best;
}

uint32_t
oracle_least_switches(const struct oracle_graph *graph,
                      const uint32_t *n_hosts)
{
    bool *dead_links = oracle_calloc(graph->n_links, sizeof *dead_links);
    bool *dead_switches = oracle_calloc(graph->n, sizeof *dead_switches);
    uint32_t best = least(graph, n_hosts, graph->n, dead_switches, dead_links,
                          dead_switches);

    free(dead_switches);
    free(dead_links);
    return best;
}
