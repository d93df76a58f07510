#include "routing_oracle.h"

#include "oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

uint32_t *
oracle_route_distances(const struct sf_graph *graph)
{
    size_t n = graph->n_nodes;
    uint32_t *distance = oracle_calloc(n * n + 1, sizeof *distance);
    bool changed = true;

    for (size_t i = 0; i < n * n; i++) {
        distance[i] = i / n == i % n ? 0 : SF_NONE;
    }
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < 2 * graph->n_links; i++) {
            const struct sf_link *link = &graph->links[i / 2];
            uint32_t a = i % 2 ? link->a : link->b;
            uint32_t b = i % 2 ? link->b : link->a;
            for (size_t d = 0; d < n; d++) {
                uint32_t over = distance[d * n + b];
                if (over != SF_NONE && over + 1 < distance[d * n + a]) {
                    distance[d * n + a] = over + 1;
                    changed = true;
                }
            }
        }
    }
    return distance;
}

/* The links of a path, SF_NONE behind the last; false if it does not arrive
 * within 'max' hops. */
static bool
follow(const struct sf_layers *layers, const struct sf_graph *graph,
       uint32_t l, uint32_t s, uint32_t d, uint32_t *links, uint32_t max)
{
    uint32_t n_hops = 0;

    while (s != d) {
        uint16_t hop =
            layers
                ->hops[((size_t)l * graph->n_nodes + d) * graph->n_nodes + s];
        if (n_hops == max || hop >= graph->first[s + 1] - graph->first[s]) {
            return false;
        }
        const struct sf_arc *arc = &graph->arcs[graph->first[s] + hop];
        const struct sf_link *link = &graph->links[arc->link];
        if (s != link->a && s != link->b) {
            return false;
        }
        links[n_hops++] = arc->link;
        s = arc->to;
    }
    links[n_hops] = SF_NONE;
    return true;
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

bool
oracle_is_valid(const struct sf_layers *layers, const struct sf_graph *graph,
                uint32_t max_hops, bool minimal_first)
{
    uint32_t n = graph->n_nodes;
    uint32_t *distance = oracle_route_distances(graph);
    uint32_t *links = oracle_calloc((size_t)n + 1, sizeof *links);
    bool valid = layers->n_switches == n;

    for (uint32_t l = 0; valid && l < layers->n_layers; l++) {
        for (size_t i = 0; valid && n > 0 && i < (size_t)n * n; i++) {
            uint32_t s = (uint32_t)(i % n), d = (uint32_t)(i / n);
            if (s == d || distance[i] == SF_NONE) {
                valid = layers->hops[(size_t)l * n * n + i] == SF_NO_HOP;
                continue;
            }
            valid = follow(layers, graph, l, s, d, links,
                           max_hops ? max_hops : n - 1) &&
                    (l > 0 || !minimal_first || length(links) == distance[i]);
        }
    }
    free(links);
    free(distance);
    return valid;
}

static bool
share_link(const uint32_t *a, const uint32_t *b)
{
    for (; *a != SF_NONE; a++) {
        for (const uint32_t *c = b; *c != SF_NONE; c++) {
            if (*a == *c) {
                return true;
            }
        }
    }
    return false;
}

/* The most paths from number 'next' on that share no link with each other nor
 * with those in 'taken'. */
static uint32_t
most_disjoint(uint32_t **paths, uint32_t n_paths, uint32_t next,
              uint32_t **taken, uint32_t n_taken)
{
    if (next == n_paths) {
        return n_taken;
    }
    uint32_t without = most_disjoint(paths, n_paths, next + 1, taken, n_taken);
    for (uint32_t i = 0; i < n_taken; i++) {
        if (share_link(paths[next], taken[i])) {
            return without;
        }
    }
    taken[n_taken] = paths[next];
    uint32_t with =
        most_disjoint(paths, n_paths, next + 1, taken, n_taken + 1);
    return with > without ? with : without;
}

uint32_t
oracle_count_disjoint(const struct sf_layers *layers,
                      const struct sf_graph *graph, uint32_t s, uint32_t d)
{
    uint32_t *paths[SF_MAX_LAYERS], *taken[SF_MAX_LAYERS];
    uint32_t most = 0;

    for (uint32_t l = 0; l < layers->n_layers; l++) {
        paths[l] = malloc((graph->n_nodes + 1) * sizeof *paths[l]);
        paths[l][0] = SF_NONE;
        follow(layers, graph, l, s, d, paths[l], graph->n_nodes);
    }
    most = most_disjoint(paths, layers->n_layers, 0, taken, 0);
    for (uint32_t l = 0; l < layers->n_layers; l++) {
        free(paths[l]);
    }
    return most;
}

double
oracle_load_ratio(const struct sf_layers *layers, const struct sf_graph *graph)
{
    uint32_t n = graph->n_nodes, n_arcs = 2 * graph->n_links;
    uint32_t *loads = calloc(n_arcs, sizeof *loads);
    uint32_t *links = oracle_calloc((size_t)n + 1, sizeof *links);
    double sum = 0, most = 0;

    for (uint32_t i = 0; i < layers->n_layers * n * n; i++) {
        uint32_t l = i / (n * n), s = i % n, d = i / n % n, v = s;
        follow(layers, graph, l, s, d, links, n);
        for (uint32_t *link = links; s != d && *link != SF_NONE; link++) {
            bool forward = graph->links[*link].a == v;
            loads[2 * *link + forward]++;
            v = forward ? graph->links[*link].b : graph->links[*link].a;
        }
    }
    for (uint32_t i = 0; i < n_arcs; i++) {
        sum += loads[i];
        most = loads[i] > most ? loads[i] : most;
    }
    free(links);
    free(loads);
    return most / (sum / n_arcs);
}

struct sf_graph *
oracle_remove(const struct sf_graph *graph, uint32_t link, uint32_t node)
{
    struct sf_link *links = malloc((graph->n_links + 1) * sizeof *links);
    uint32_t n = graph->n_nodes, n_left = 0;
    struct sf_graph *smaller;

    for (uint32_t i = 0; i < graph->n_links; i++) {
        struct sf_link left = graph->links[i];
        if (i == link || left.a == node || left.b == node) {
            continue;
        }
        left.a = node != SF_NONE && left.a == n - 1 ? node : left.a;
        left.b = node != SF_NONE && left.b == n - 1 ? node : left.b;
        links[n_left++] = left;
    }
    sf_graph_build(node == SF_NONE ? n : n - 1, links, n_left, &smaller, NULL);
    free(links);
    return smaller;
}
