/* flow.c -- how many paths there are at once between two nodes, when each arc
 * carries one: as many as arcs must go to cut the two apart.
 *
 * Shortest paths that can still be added are added level by level [Dinic70],
 * O(links) each; networks of few hops have few levels. */
#include "base/mem.h"
#include "failures/study.h"

#include <string.h>

struct sf_flow_net {
    bool through_switches; /* Switch s is node 2s, where arcs end, and node
                            * 2s + 1, where they start. */
    uint32_t n_nodes, n_arcs;
    uint32_t *first;   /* [n_nodes + 1] */
    uint32_t *to;      /* [n_arcs] */
    uint32_t *reverse; /* [n_arcs] */
    uint8_t *whole;    /* [n_arcs] How many paths an arc carries at first, */
    uint8_t *room;     /* and how many more. */
    uint32_t *level;   /* [n_nodes] Arcs from the start. */
    uint32_t *next;    /* [n_nodes] The arc to try next. */
    uint32_t *queue;   /* [n_nodes] */
    uint32_t *path;    /* [n_nodes] Arcs. */
};

static enum sf_status
make_room(struct sf_flow_net *net, struct sf_error *err)
{
    net->first = sf_calloc((size_t)net->n_nodes + 1, sizeof *net->first);
    net->to = sf_calloc(net->n_arcs, sizeof *net->to);
    net->reverse = sf_calloc(net->n_arcs, sizeof *net->reverse);
    net->whole = sf_calloc(net->n_arcs, sizeof *net->whole);
    net->room = sf_calloc(net->n_arcs, sizeof *net->room);
    net->level = sf_calloc(net->n_nodes, sizeof *net->level);
    net->next = sf_calloc(net->n_nodes, sizeof *net->next);
    net->queue = sf_calloc(net->n_nodes, sizeof *net->queue);
    net->path = sf_calloc(net->n_nodes, sizeof *net->path);
    return net->first && net->to && net->reverse && net->whole && net->room &&
                   net->level && net->next && net->queue && net->path
               ? SF_OK
               : sf_fail(err, SF_ENOMEM, "out of memory to look for cuts");
}

/* Both directions of a link carry a path each, of which one takes back the
 * other. */
static void
fill_links(struct sf_flow_net *net, const struct sf_graph *graph)
{
    memcpy(net->first, graph->first,
           ((size_t)graph->n_nodes + 1) * sizeof *net->first);
    for (uint32_t i = 0; i < net->n_arcs; i++) {
        net->to[i] = graph->arcs[i].to;
        net->whole[i] = 1;
    }
    sf_graph_pair_arcs(graph, net->reverse);
}

/* Adds an arc that carries a path, and the one that takes it back. */
static void
join(struct sf_flow_net *net, uint32_t forth, uint32_t back, uint32_t from,
     uint32_t to)
{
    net->to[forth] = to;
    net->to[back] = from;
    net->reverse[forth] = back;
    net->reverse[back] = forth;
    net->whole[forth] = 1;
}

/* Of a switch s of degree k, node 2s has an arc to 2s + 1, and k that take
 * back what comes from neighbours; node 2s + 1 has one that takes back, and k
 * to neighbours.  'pairs' is the reverse of each arc of the graph. */
static void
fill_switches(struct sf_flow_net *net, const struct sf_graph *graph,
              const uint32_t *pairs)
{
    for (uint32_t s = 0; s <= graph->n_nodes; s++) {
        net->first[2 * s] = 2 * (graph->first[s] + s);
        if (s < graph->n_nodes) {
            net->first[2 * s + 1] =
                net->first[2 * s] + sf_graph_degree(graph, s) + 1;
        }
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        join(net, net->first[2 * s], net->first[2 * s + 1], 2 * s, 2 * s + 1);
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            uint32_t to = graph->arcs[i].to;
            join(net, net->first[2 * s + 1] + 1 + i - graph->first[s],
                 net->first[2 * to] + 1 + pairs[i] - graph->first[to],
                 2 * s + 1, 2 * to);
        }
    }
}

enum sf_status
sf_flow_net_build(const struct sf_graph *graph, bool through_switches,
                  struct sf_flow_net **netp, struct sf_error *err)
{
    uint32_t n = graph->n_nodes, n_arcs = 2 * graph->n_links;
    struct sf_flow_net *net = sf_calloc(1, sizeof *net);
    uint32_t *pairs = sf_calloc(n_arcs, sizeof *pairs);
    enum sf_status status = SF_OK;

    if (!net || !pairs) {
        status = sf_fail(err, SF_ENOMEM, "out of memory to look for cuts");
        goto done;
    }
    net->through_switches = through_switches;
    net->n_nodes = through_switches ? 2 * n : n;
    net->n_arcs = through_switches ? 2 * (n_arcs + n) : n_arcs;
    status = make_room(net, err);
    if (status == SF_OK && through_switches) {
        sf_graph_pair_arcs(graph, pairs);
        fill_switches(net, graph, pairs);
    } else if (status == SF_OK) {
        fill_links(net, graph);
    }

done:
    free(pairs);
    if (status != SF_OK) {
        sf_flow_net_free(net);
        net = NULL;
    }
    *netp = net;
    return status;
}

void
sf_flow_net_free(struct sf_flow_net *net)
{
    if (net) {
        free(net->path);
        free(net->queue);
        free(net->next);
        free(net->level);
        free(net->room);
        free(net->whole);
        free(net->reverse);
        free(net->to);
        free(net->first);
        free(net);
    }
}

/* Finds how far nodes are from 'from'; whether 'to' is reached. */
static bool
find_levels(struct sf_flow_net *net, uint32_t from, uint32_t to)
{
    uint32_t head = 0, tail = 0;

    memset(net->level, 0xff, net->n_nodes * sizeof *net->level);
    net->level[from] = 0;
    net->queue[tail++] = from;
    while (head < tail && net->level[to] == SF_NONE) {
        uint32_t v = net->queue[head++];
        for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) {
            uint32_t w = net->to[i];
            if (net->room[i] && net->level[w] == SF_NONE) {
                net->level[w] = net->level[v] + 1;
                net->queue[tail++] = w;
            }
        }
    }
    return net->level[to] != SF_NONE;
}

/* Adds a path that goes up by one level with each arc; false if there is none
 * left. */
static bool
add_path(struct sf_flow_net *net, uint32_t from, uint32_t to)
{
    uint32_t v = from, n = 0;

    while (v != to) {
        uint32_t i = net->next[v];
        if (i == net->first[v + 1]) {
            if (v == from) {
                return false;
            }
            v = net->to[net->reverse[net->path[--n]]];
            net->next[v]++; /* That arc leads nowhere. */
        } else if (net->room[i] &&
                   net->level[net->to[i]] == net->level[v] + 1) {
            net->path[n++] = i;
            v = net->to[i];
        } else {
            net->next[v]++;
        }
    }
    while (n > 0) {
        uint32_t i = net->path[--n];
        net->room[i]--;
        net->room[net->reverse[i]]++;
    }
    return true;
}

uint32_t
sf_flow_net_count(struct sf_flow_net *net, uint32_t from, uint32_t to,
                  uint32_t limit)
{
    uint32_t n_paths = 0;

    if (net->through_switches) {
        from = 2 * from + 1;
        to = 2 * to;
    }
    memcpy(net->room, net->whole, net->n_arcs * sizeof *net->room);
    while (n_paths < limit && find_levels(net, from, to)) {
        memcpy(net->next, net->first, net->n_nodes * sizeof *net->next);
        while (n_paths < limit && add_path(net, from, to)) {
            n_paths++;
        }
    }
    return n_paths;
}
