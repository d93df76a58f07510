#include "paths_oracle.h"

#include "oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

/* The switches and links of a path, SF_NONE behind the last link; false if it
 * comes to a switch for the second time or to one without a next hop. */
static bool
walk(const struct sf_graph *graph, const struct sf_layers *layers, uint32_t l,
     uint32_t s, uint32_t d, uint32_t *nodes, uint32_t *links)
{
    size_t n = graph->n_nodes;
    bool *seen = oracle_calloc(n, sizeof *seen);
    bool is_fine = true;

    while (s != d && is_fine) {
        uint16_t hop = layers->hops[(l * n + d) * n + s];
        is_fine = hop != SF_NO_HOP && !seen[s];
        if (is_fine) {
            struct sf_arc arc = graph->arcs[graph->first[s] + hop];
            seen[s] = true;
            *nodes++ = s;
            *links++ = arc.link;
            s = arc.to;
        }
    }
    *links = SF_NONE;
    free(seen);
    return is_fine;
}

static uint32_t
length(const uint32_t *links)
{
    uint32_t n = 0;

    while (links[n] != SF_NONE) {
        n++;
    }
    return n;
}

static bool
share(const uint32_t *a, const uint32_t *b)
{
    for (uint32_t i = 0; a[i] != SF_NONE; i++) {
        for (uint32_t j = 0; b[j] != SF_NONE; j++) {
            if (a[i] == b[j]) {
                return true;
            }
        }
    }
    return false;
}

uint32_t
oracle_independent(const bool *conflicts, uint32_t n)
{
    uint32_t most = 0;

    for (uint32_t subset = 0; subset < UINT32_C(1) << n; subset++) {
        uint32_t size = 0;
        bool is_fine = true;
        for (uint32_t i = 0; i < n && is_fine; i++) {
            size += subset >> i & 1;
            for (uint32_t j = 0; subset >> i & 1 && j < i && is_fine; j++) {
                is_fine = !(subset >> j & 1) || !conflicts[i * n + j];
            }
        }
        most = is_fine && size > most ? size : most;
    }
    return most;
}

/* Leaves only different paths among 'n'; returns their number. */
static uint32_t
leave_distinct(uint32_t **paths, uint32_t n)
{
    uint32_t n_left = 0;

    for (uint32_t i = 0; i < n; i++) {
        bool is_new = true;
        for (uint32_t j = 0; j < n_left; j++) {
            size_t size = (length(paths[i]) + 1) * sizeof *paths[i];
            is_new = is_new && (length(paths[i]) != length(paths[j]) ||
                                memcmp(paths[i], paths[j], size) != 0);
        }
        if (is_new) {
            uint32_t *path = paths[n_left];
            paths[n_left++] = paths[i];
            paths[i] = path;
        }
    }
    return n_left;
}

static uint32_t
most_disjoint(uint32_t **paths, uint32_t n)
{
    bool *conflicts = oracle_calloc((size_t)n * n, sizeof *conflicts);

    for (uint32_t i = 0; i < n * n; i++) {
        conflicts[i] = share(paths[i / n], paths[i % n]);
    }
    uint32_t most = oracle_independent(conflicts, n);
    free(conflicts);
    return most;
}

struct oracle_pair
oracle_look_at_pair(const struct sf_graph *graph,
                    const struct sf_layers *layers, uint32_t s, uint32_t d,
                    uint32_t *loads)
{
    struct oracle_pair pair = { .is_complete = true };
    size_t size = graph->n_nodes + 1;
    uint32_t n = layers->n_layers;
    uint32_t **paths = oracle_calloc(n, sizeof *paths);
    uint32_t *nodes = oracle_calloc(n * size, sizeof *nodes);

    for (uint32_t l = 0; l < n; l++) {
        paths[l] = oracle_calloc(size, sizeof *paths[l]);
        pair.is_complete =
            walk(graph, layers, l, s, d, nodes + l * size, paths[l]) &&
            pair.is_complete;
    }
    if (!pair.is_complete) {
        goto done;
    }
    for (uint32_t l = 0; l < n; l++) {
        uint32_t n_links = length(paths[l]);
        pair.total += n_links;
        pair.longest = n_links > pair.longest ? n_links : pair.longest;
        for (uint32_t i = 0; i < n_links; i++) {
            const struct sf_link *link = &graph->links[paths[l][i]];
            loads[2 * paths[l][i] + (nodes[l * size + i] == link->b)]++;
        }
    }
    pair.distinct = leave_distinct(paths, n);
    pair.disjoint = most_disjoint(paths, pair.distinct);

done:
    for (uint32_t l = 0; l < n; l++) {
        free(paths[l]);
    }
    free(nodes);
    free(paths);
    return pair;
}
