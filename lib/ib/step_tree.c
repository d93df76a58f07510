/* step_tree.c -- entries that lead up and down one spanning tree.
 *
 * A path on a tree goes up and then down, so no dependency leads from a link
 * down to a link up: whatever the VLs are, packets cannot wait for each other
 * in a circle.  So SL-to-VL tables can change while all paths are on a tree.
 */
#include "ib/stepper.h"

/* A spanning tree of each part of the fabric. */
struct tree {
    uint32_t *up;   /* [n_switches] The arc to the parent; SF_NONE: a root. */
    uint32_t *root; /* [n_switches] */
    uint32_t *down; /* [n_switches] The arc towards the home that is looked
                     * at, of those above it; else SF_NONE. */
    uint32_t *queue;
};

/* Grows the tree of the part that 'start' is in, breadth first. */
static void
grow(const struct sf_waits *waits, struct tree *tree, uint32_t start)
{
    uint32_t n_queued = 0;

    tree->root[start] = start;
    tree->queue[n_queued++] = start;
    for (uint32_t i = 0; i < n_queued; i++) {
        uint32_t s = tree->queue[i];
        for (uint32_t arc = waits->first[s]; arc < waits->first[s + 1];
             arc++) {
            uint32_t to = waits->arcs[arc].to;
            if (tree->root[to] == SF_NONE) {
                tree->root[to] = start;
                tree->up[to] = waits->arcs[arc].reverse;
                tree->queue[n_queued++] = to;
            }
        }
    }
}

/* The switch of most links that is in no tree yet, or SF_NONE. */
static uint32_t
choose_root(const struct sf_waits *waits, const struct tree *tree)
{
    uint32_t best = SF_NONE, most = 0;

    for (uint32_t s = 0; s < waits->n_switches; s++) {
        uint32_t degree = waits->first[s + 1] - waits->first[s];
        if (tree->root[s] == SF_NONE && (best == SF_NONE || degree > most)) {
            best = s;
            most = degree;
        }
    }
    return best;
}

/* Sets the goal of 'column'. */
static void
aim(const struct sf_waits *waits, struct tree *tree,
    struct step_column *column)
{
    uint32_t home = column->home;

    for (uint32_t s = 0; s < waits->n_switches; s++) {
        tree->down[s] = SF_NONE;
    }
    for (uint32_t at = home; tree->up[at] != SF_NONE;) {
        const struct sf_waits_arc *arc = &waits->arcs[tree->up[at]];
        tree->down[arc->to] = arc->reverse;
        at = arc->to;
    }
    for (uint32_t s = 0; s < waits->n_switches; s++) {
        uint32_t arc = tree->down[s] == SF_NONE ? tree->up[s] : tree->down[s];
        column->goal[s] = tree->root[s] == tree->root[home] && arc != SF_NONE
                              ? waits->arcs[arc].out
                              : SF_NO_PORT;
    }
    column->goal[home] = 0;
}

enum sf_status
sf_stepper_aim_at_tree(struct stepper *stepper)
{
    const struct sf_waits *waits = stepper->waits;
    size_t n = waits->n_switches;
    struct tree tree = { .up = sf_calloc(n, sizeof *tree.up),
                         .root = sf_calloc(n, sizeof *tree.root),
                         .down = sf_calloc(n, sizeof *tree.down),
                         .queue = sf_calloc(n, sizeof *tree.queue) };
    bool is_fine = tree.up && tree.root && tree.down && tree.queue;

    for (uint32_t s = 0; is_fine && s < n; s++) {
        tree.up[s] = tree.root[s] = SF_NONE;
    }
    for (uint32_t s; is_fine && (s = choose_root(waits, &tree)) != SF_NONE;) {
        grow(waits, &tree, s);
    }
    for (size_t i = 0; is_fine && i < stepper->columns.n; i++) {
        aim(waits, &tree, &stepper->columns.items[i]);
    }
    free(tree.queue);
    free(tree.down);
    free(tree.root);
    free(tree.up);
    return is_fine ? SF_OK : sf_stepper_fail_memory(stepper);
}
