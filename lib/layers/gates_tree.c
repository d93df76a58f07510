/* gates_tree.c -- scheme gates: a tree, and what is always true of it.  Gate,
 * rank, depth and rest of a switch follow from its hop and from its parent,
 * the children of a switch from all hops, and its height from them.  Only
 * leaves move, and take their routes from gate to gate: for other switches
 * nothing changes but heights. */
#include "layers/gates.h"

/* No path costs more, however long and overloaded: sums of a few such costs
 * are below SF_GATES_NEVER. */
#define MAX_REST (INT32_MAX / 4)

/* Sets the next hop of 's' and what follows for 's' itself. */
static void
settle(const struct sf_gates_tree *tree, uint32_t s, uint32_t hop)
{
    struct sf_gates_node *node = &tree->nodes[s];
    uint32_t arc = tree->graph->first[s] + hop;
    uint32_t v = tree->graph->arcs[arc].to;
    const struct sf_gates_price *price = &tree->prices[arc];

    tree->hops[s] = (uint16_t)hop;
    node->gate = (uint16_t)sf_gates_gate(tree, arc, v);
    node->rank = sf_gates_turn_rank(tree, arc, v);
    node->may = 0;
    tree->depth[s] = (uint16_t)(tree->depth[v] + 1);
    int32_t rest = v == tree->destination
                       ? price->last
                       : price->middle + tree->nodes[v].rest;
    node->rest = rest < MAX_REST ? rest : MAX_REST;
}

/* Puts 's' among the children of its parent. */
static void
join_parent(const struct sf_gates_tree *tree, uint32_t s)
{
    struct sf_gates_node *nodes = tree->nodes, *node = &nodes[s];
    uint32_t v = sf_gates_parent(tree, s), height = node->height;

    node->previous = SF_NONE;
    node->next = nodes[v].child;
    if (node->next != SF_NONE) {
        nodes[node->next].previous = s;
    }
    nodes[v].child = s;
    while (nodes[v].height <= height) {
        nodes[v].height = (uint16_t)++height;
        if (v == tree->destination) {
            return;
        }
        v = sf_gates_parent(tree, v);
    }
}

static uint16_t
height_over_children(const struct sf_gates_tree *tree, uint32_t v)
{
    const struct sf_gates_node *nodes = tree->nodes;
    uint16_t height = 0;

    for (uint32_t c = nodes[v].child; c != SF_NONE; c = nodes[c].next) {
        if (nodes[c].height >= height) {
            height = (uint16_t)(nodes[c].height + 1);
        }
        if (height == nodes[v].height) {
            break; /* It has not become less. */
        }
    }
    return height;
}

static void
leave_parent(const struct sf_gates_tree *tree, uint32_t s)
{
    struct sf_gates_node *nodes = tree->nodes, *node = &nodes[s];
    uint32_t v = sf_gates_parent(tree, s);

    if (node->previous != SF_NONE) {
        nodes[node->previous].next = node->next;
    } else {
        nodes[v].child = node->next;
    }
    if (node->next != SF_NONE) {
        nodes[node->next].previous = node->previous;
    }
    for (;; v = sf_gates_parent(tree, v)) {
        uint16_t height = height_over_children(tree, v);
        if (height == nodes[v].height) {
            return;
        }
        nodes[v].height = height;
        if (v == tree->destination) {
            return;
        }
    }
}

void
sf_gates_attach(const struct sf_gates_tree *tree, uint32_t s, uint32_t hop)
{
    settle(tree, s, hop);
    join_parent(tree, s);
}

void
sf_gates_move_leaf(const struct sf_gates_tree *tree, uint32_t s, uint32_t hop)
{
    uint64_t routes = sf_gates_routes(tree->task, s, tree->destination);

    leave_parent(tree, s);
    sf_gates_change_load(tree, tree->nodes[s].gate, -routes);
    settle(tree, s, hop);
    sf_gates_change_load(tree, tree->nodes[s].gate, routes);
    join_parent(tree, s);
}

/* Works out anew what follows for all that come over 'v'. */
static void
settle_children(const struct sf_gates_tree *tree, uint32_t v)
{
    for (uint32_t c = tree->nodes[v].child; c != SF_NONE;
         c = tree->nodes[c].next) {
        settle(tree, c, tree->hops[c]);
        settle_children(tree, c);
    }
}

void
sf_gates_change_link(const struct sf_gates_tree *tree, uint32_t s,
                     uint32_t hop)
{
    settle(tree, s, hop);
    settle_children(tree, s);
}

void
sf_gates_clear_tree(const struct sf_gates_tree *tree)
{
    const struct sf_search *search = &tree->worker->search;

    for (uint32_t i = 0; i < search->n_reached; i++) {
        uint32_t s = search->order[i];
        tree->nodes[s].child = SF_NONE;
        tree->nodes[s].height = 0;
        tree->depth[s] = UINT16_MAX;
    }
    tree->depth[tree->destination] = 0;
    tree->nodes[tree->destination].rest = 0;
}

void
sf_gates_restore_tree(const struct sf_gates_tree *tree)
{
    const struct sf_search *search = &tree->worker->search;
    uint32_t *stack = tree->worker->scratch;

    sf_gates_clear_tree(tree);
    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t n = 0, s = search->order[i];
        while (tree->depth[s] == UINT16_MAX) {
            stack[n++] = s;
            s = sf_gates_parent(tree, s);
        }
        while (n > 0) {
            s = stack[--n];
            sf_gates_attach(tree, s, tree->hops[s]);
        }
    }
}

void
sf_gates_find_gates(const struct sf_gates_tree *tree)
{
    const struct sf_search *search = &tree->worker->search;
    const struct sf_graph *graph = tree->graph;
    uint32_t d = tree->destination;

    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t v = search->order[i], arc;
        do {
            arc = graph->first[v] + tree->hops[v];
            v = graph->arcs[arc].to;
        } while (v != d);
        tree->nodes[search->order[i]].gate =
            (uint16_t)(tree->task->job->reverse[arc] - graph->first[d]);
    }
}

/* Where it is noted in how many layers 's' starts as in this tree, and in how
 * many it arrives so. */
static void
find_use(const struct sf_gates_tree *tree, uint32_t s, uint8_t **firstp,
         uint8_t **lastp)
{
    const struct sf_gates_worker *worker = tree->worker;
    size_t at = (size_t)s * tree->task->max_degree + tree->nodes[s].gate;

    *firstp = &worker->first_used[tree->graph->first[s] + tree->hops[s]];
    *lastp = &worker->last_used[at];
}

void
sf_gates_note_use(const struct sf_gates_tree *tree)
{
    const struct sf_search *search = &tree->worker->search;
    uint8_t *wasted = tree->worker->wasted, *first, *last;

    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t s = search->order[i];
        find_use(tree, s, &first, &last);
        wasted[s] = (uint8_t)(wasted[s] + (*first > 0 || *last > 0));
        ++*first;
        ++*last;
    }
}

void
sf_gates_forget_use(const struct sf_gates_tree *tree)
{
    const struct sf_search *search = &tree->worker->search;
    uint8_t *wasted = tree->worker->wasted, *first, *last;

    for (uint32_t i = 1; i < search->n_reached; i++) {
        uint32_t s = search->order[i];
        find_use(tree, s, &first, &last);
        --*first;
        --*last;
        wasted[s] = (uint8_t)(wasted[s] - (*first > 0 || *last > 0));
    }
}
