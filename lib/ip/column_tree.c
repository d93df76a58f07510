/* column_tree.c -- see column_tree.h. */
#include "ip/column_tree.h"

#include "base/mem.h"

bool
sf_ip_grove_make(struct sf_ip_grove *grove, const struct sf_graph *graph,
                 uint32_t capacity)
{
    size_t n = graph->n_nodes;

    *grove = (struct sf_ip_grove){ .graph = graph, .capacity = capacity };
    grove->trees = sf_calloc(capacity, sizeof *grove->trees);
    grove->numbers =
        sf_calloc((3 * (size_t)capacity + 4) * n, sizeof *grove->numbers);
    if (!grove->trees || !grove->numbers) {
        sf_ip_grove_clear(grove);
        return false;
    }
    for (uint32_t i = 0; i < capacity; i++) {
        grove->trees[i].number = i;
        grove->trees[i].enter = grove->numbers + 3 * n * i;
        grove->trees[i].leave = grove->trees[i].enter + n;
        grove->trees[i].depth = grove->trees[i].leave + n;
    }
    grove->first_child = grove->numbers + 3 * n * capacity;
    grove->next_child = grove->first_child + n;
    grove->waiting = grove->next_child + n;
    grove->order = grove->waiting + n;
    return true;
}

void
sf_ip_grove_clear(struct sf_ip_grove *grove)
{
    free(grove->trees);
    free(grove->numbers);
    *grove = (struct sf_ip_grove){ 0 };
}

/* Links the switches that have the same next hop into lists. */
static void
find_children(struct sf_ip_grove *grove, const uint16_t *hops,
              uint32_t destination)
{
    const struct sf_graph *graph = grove->graph;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        grove->first_child[s] = SF_NONE;
    }
    for (uint32_t s = graph->n_nodes; s-- > 0;) {
        if (hops[s] != SF_NO_HOP && s != destination) {
            uint32_t to = graph->arcs[graph->first[s] + hops[s]].to;
            grove->next_child[s] = grove->first_child[to];
            grove->first_child[to] = s;
        }
    }
}

uint32_t
sf_ip_grove_add(struct sf_ip_grove *grove, const uint16_t *hops,
                uint32_t destination)
{
    struct sf_ip_tree *tree = &grove->trees[grove->n_trees];
    uint32_t n_seen = 0, n_waiting = 0;

    tree->hops = hops;
    for (uint32_t s = 0; s < grove->graph->n_nodes; s++) {
        tree->enter[s] = tree->leave[s] = tree->depth[s] = SF_NONE;
    }
    find_children(grove, hops, destination);
    tree->depth[destination] = 0;
    grove->waiting[n_waiting++] = destination;
    while (n_waiting > 0) {
        uint32_t s = grove->waiting[--n_waiting];
        tree->enter[s] = n_seen;
        tree->leave[s] = n_seen + 1;
        grove->order[n_seen++] = s;
        for (uint32_t child = grove->first_child[s]; child != SF_NONE;
             child = grove->next_child[child]) {
            tree->depth[child] = tree->depth[s] + 1;
            grove->waiting[n_waiting++] = child;
        }
    }
    /* Who is behind a switch comes right after it; the last one behind it
     * ends where the last one behind that ends. */
    while (n_seen-- > 1) {
        uint32_t s = grove->order[n_seen];
        uint32_t to = grove->graph->arcs[grove->graph->first[s] + hops[s]].to;
        if (tree->leave[s] > tree->leave[to]) {
            tree->leave[to] = tree->leave[s];
        }
    }
    return grove->n_trees++;
}
