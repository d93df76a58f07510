/* graph.h -- a compact undirected graph with parallel links.
 *
 * Nodes are 0..n_nodes-1.  Links are sorted by their ends and numbered in
 * that order, so parallel links have consecutive numbers.  Each link is seen
 * from both ends as an arc; the arcs of a node stand together, sorted by
 * neighbour and then by link.  A graph never changes once built, but may be
 * given names. */
#ifndef SLIMFLY_GRAPH_H
#define SLIMFLY_GRAPH_H

#include "slimfly/error.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/* No node, no link, no such thing; an unreachable distance. */
#define SF_NONE UINT32_MAX

struct sf_link {
    uint32_t a, b; /* The two ends; in a built graph, a < b. */
};

struct sf_arc {
    uint32_t to;   /* The neighbour. */
    uint32_t link; /* The link that leads there. */
};

struct sf_graph {
    uint32_t n_nodes;
    uint32_t n_links;
    struct sf_link *links; /* [n_links] */
    uint32_t *first;       /* [n_nodes + 1] Where a node's arcs start. */
    struct sf_arc *arcs;   /* [2 * n_links] */
    char **names;          /* [n_nodes] For people; NULL if there are none. */
};

/* Builds a graph from 'links', in any order and with any end first; equal
 * entries are parallel links.  SF_EINVAL on a link from a node to itself or
 * to a node that is not there.  O(nodes + links). */
enum sf_status sf_graph_build(uint32_t n_nodes, const struct sf_link *links,
                              uint32_t n_links, struct sf_graph **graphp,
                              struct sf_error *err);

/* Copies 'graph' with its names. */
enum sf_status sf_graph_copy(const struct sf_graph *graph,
                             struct sf_graph **copyp, struct sf_error *err);

/* Frees 'graph', which may be NULL. */
void sf_graph_free(struct sf_graph *graph);

/* What to call 'node' in a sentence, for the length of an expression:
 * sf_graph_name(graph, node).text, its name, shortened if need be, or else its
 * number. */
struct sf_node_name {
    char text[64];
};
struct sf_node_name sf_graph_name(const struct sf_graph *graph, uint32_t node);

/* The number of links at 'node', parallel ones counted each. */
static inline uint32_t
sf_graph_degree(const struct sf_graph *graph, uint32_t node)
{
    return graph->first[node + 1] - graph->first[node];
}

/* Fills 'reverse' [2 * n_links]: each arc as seen from its other end. */
void sf_graph_pair_arcs(const struct sf_graph *graph, uint32_t *reverse);

/* Whether 'link' joins the same two nodes as the link before it: of parallel
 * links, all but the first. */
static inline bool
sf_graph_is_parallel(const struct sf_graph *graph, uint32_t link)
{
    const struct sf_link *links = graph->links;
    return link > 0 && links[link].a == links[link - 1].a &&
           links[link].b == links[link - 1].b;
}

/* Whether links lead from each node to each other.  Without memory to find
 * out, it is assumed. */
bool sf_graph_is_connected(const struct sf_graph *graph);

/* The most arcs that a node has. */
uint32_t sf_graph_max_degree(const struct sf_graph *graph);

#pragma GCC visibility pop
#endif
