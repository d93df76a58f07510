#include "slimfly/graph.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* Sorts 'links' into 'sorted' by one end, keeping the order of equals: a
 * counting sort with 'counts' [n_nodes + 1] as its workspace. */
static void
sort_by_end(uint32_t n_nodes, const struct sf_link *links, uint32_t n_links,
            uint32_t (*end)(const struct sf_link *), uint32_t *counts,
            struct sf_link *sorted)
{
    for (uint32_t v = 0; v <= n_nodes; v++) {
        counts[v] = 0;
    }
    for (uint32_t i = 0; i < n_links; i++) {
        counts[end(&links[i]) + 1]++;
    }
    for (uint32_t v = 0; v < n_nodes; v++) {
        counts[v + 1] += counts[v];
    }
    for (uint32_t i = 0; i < n_links; i++) {
        sorted[counts[end(&links[i])]++] = links[i];
    }
}

static uint32_t
lower_end(const struct sf_link *link)
{
    return link->a < link->b ? link->a : link->b;
}

static uint32_t
upper_end(const struct sf_link *link)
{
    return link->a < link->b ? link->b : link->a;
}

/* Lays out the arcs.  Going through the sorted links in order gives each node
 * its lower neighbours first, in order, then its upper ones: sorted. */
static void
fill_arcs(struct sf_graph *graph, uint32_t *next)
{
    for (uint32_t i = 0; i < graph->n_links; i++) {
        graph->first[graph->links[i].a + 1]++;
        graph->first[graph->links[i].b + 1]++;
    }
    for (uint32_t v = 0; v < graph->n_nodes; v++) {
        graph->first[v + 1] += graph->first[v];
        next[v] = graph->first[v];
    }
    for (uint32_t i = 0; i < graph->n_links; i++) {
        const struct sf_link *link = &graph->links[i];
        graph->arcs[next[link->a]++] = (struct sf_arc){ link->b, i };
        graph->arcs[next[link->b]++] = (struct sf_arc){ link->a, i };
    }
}

static enum sf_status
check_links(uint32_t n_nodes, const struct sf_link *links, uint32_t n_links,
            struct sf_error *err)
{
    if (n_nodes == SF_NONE || n_links > UINT32_MAX / 2) {
        return sf_fail(err, SF_ELIMIT, "%u nodes and %u links are too many",
                       n_nodes, n_links);
    }
    for (uint32_t i = 0; i < n_links; i++) {
        const struct sf_link *link = &links[i];
        if (link->a == link->b) {
            return sf_fail(err, SF_EINVAL, "link %u joins node %u to itself",
                           i, link->a);
        }
        if (upper_end(link) >= n_nodes) {
            return sf_fail(err, SF_EINVAL,
                           "link %u goes to node %u, but there are %u nodes",
                           i, upper_end(link), n_nodes);
        }
    }
    return SF_OK;
}

enum sf_status
sf_graph_build(uint32_t n_nodes, const struct sf_link *links, uint32_t n_links,
               struct sf_graph **graphp, struct sf_error *err)
{
    struct sf_link *half_sorted = NULL;
    uint32_t *counts = NULL;
    struct sf_graph *graph = NULL;

    *graphp = NULL;
    enum sf_status status = check_links(n_nodes, links, n_links, err);
    if (status != SF_OK) {
        return status;
    }

    half_sorted = sf_calloc(n_links, sizeof *half_sorted);
    counts = sf_calloc((size_t)n_nodes + 1, sizeof *counts);
    graph = sf_calloc(1, sizeof *graph);
    if (!half_sorted || !counts || !graph) {
        goto no_memory;
    }
    graph->n_nodes = n_nodes;
    graph->n_links = n_links;
    graph->links = sf_calloc(n_links, sizeof *graph->links);
    graph->first = sf_calloc((size_t)n_nodes + 1, sizeof *graph->first);
    graph->arcs = sf_calloc(2 * (size_t)n_links, sizeof *graph->arcs);
    if (!graph->links || !graph->first || !graph->arcs) {
        goto no_memory;
    }

    sort_by_end(n_nodes, links, n_links, upper_end, counts, half_sorted);
    sort_by_end(n_nodes, half_sorted, n_links, lower_end, counts,
                graph->links);
    for (uint32_t i = 0; i < n_links; i++) {
        struct sf_link link = graph->links[i];
        graph->links[i].a = lower_end(&link);
        graph->links[i].b = upper_end(&link);
    }
    fill_arcs(graph, counts);
    *graphp = graph;
    graph = NULL;
    goto done;

no_memory:
    status = sf_fail(err, SF_ENOMEM,
                     "out of memory for a graph of %u nodes and %u links",
                     n_nodes, n_links);
done:
    sf_graph_free(graph);
    free(counts);
    free(half_sorted);
    return status;
}

enum sf_status
sf_graph_copy(const struct sf_graph *graph, struct sf_graph **copyp,
              struct sf_error *err)
{
    enum sf_status status = sf_graph_build(graph->n_nodes, graph->links,
                                           graph->n_links, copyp, err);

    if (status != SF_OK || !*copyp || !graph->names) {
        return status;
    }
    struct sf_graph *copy = *copyp;
    copy->names = sf_calloc(graph->n_nodes, sizeof *copy->names);
    bool is_ready = copy->names != NULL;
    for (uint32_t i = 0; is_ready && i < graph->n_nodes; i++) {
        copy->names[i] = sf_strdup(graph->names[i]);
        is_ready = copy->names[i] != NULL;
    }
    if (!is_ready) {
        sf_graph_free(copy);
        *copyp = NULL;
        return sf_fail(err, SF_ENOMEM, "out of memory for names");
    }
    return SF_OK;
}

void
sf_graph_pair_arcs(const struct sf_graph *graph, uint32_t *reverse)
{
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            uint32_t j = graph->first[graph->arcs[i].to];
            while (graph->arcs[j].link != graph->arcs[i].link) {
                j++;
            }
            reverse[i] = j;
        }
    }
}

void
sf_graph_free(struct sf_graph *graph)
{
    if (graph) {
        for (uint32_t i = 0; graph->names && i < graph->n_nodes; i++) {
            free(graph->names[i]);
        }
        free(graph->names);
        free(graph->arcs);
        free(graph->first);
        free(graph->links);
        free(graph);
    }
}

struct sf_node_name
sf_graph_name(const struct sf_graph *graph, uint32_t node)
{
    struct sf_node_name name;
    const char *text = graph->names ? graph->names[node] : NULL;
    int room = (int)sizeof name.text - 4;

    if (!text) {
        snprintf(name.text, sizeof name.text, "%u", node);
    } else {
        snprintf(name.text, sizeof name.text, "%.*s%s", room, text,
                 strlen(text) > (size_t)room ? "..." : "");
    }
    return name;
}

uint32_t
sf_graph_max_degree(const struct sf_graph *graph)
{
    uint32_t most = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t degree = sf_graph_degree(graph, s);
        most = degree > most ? degree : most;
    }
    return most;
}

bool
sf_graph_is_connected(const struct sf_graph *graph)
{
    uint32_t *reached = sf_calloc(graph->n_nodes, sizeof *reached);
    bool *is_reached = sf_calloc(graph->n_nodes, sizeof *is_reached);
    bool is_known = reached && is_reached && graph->n_nodes;
    uint32_t n = 0;

    if (is_known) {
        reached[n++] = 0;
        is_reached[0] = true;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t arc = graph->first[reached[i]];
             arc < graph->first[reached[i] + 1]; arc++) {
            uint32_t peer = graph->arcs[arc].to;
            if (!is_reached[peer]) {
                is_reached[peer] = true;
                reached[n++] = peer;
            }
        }
    }
    free(is_reached);
    free(reached);
    return !is_known || n == graph->n_nodes;
}
