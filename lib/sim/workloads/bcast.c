/* bcast.c -- what rank 0 has, for all.
 *
 * Down a tree, a rank waits for a segment and sends it to its children, one
 * after the other.  Sends are blocking, as those of Open MPI are: one of at
 * most EAGER bytes is over when it has started, a longer one when it has come.
 */
#include "sim/workloads/collective.h"
#include "slimfly/graph.h"

/* The eager limit of Open MPI for InfiniBand, 1.10 (btl_openib_eager_limit).
 */
#define EAGER 12288

#define RADIX 4 /* Of a k-nomial tree: coll_base_bcast.c, 5.0. */

/* The parent of rank 'r' above 0 in a tree. */
typedef uint32_t parent_of(uint32_t r, uint32_t n);

static uint32_t
linear_parent(uint32_t r, uint32_t n)
{
    (void)r, (void)n;
    return 0;
}

static uint32_t
chain_parent(uint32_t r, uint32_t n)
{
    (void)n;
    return r - 1;
}

/* Without its highest bit. */
static uint32_t
binomial_parent(uint32_t r, uint32_t n)
{
    (void)n;
    return r - sf_power_below(r);
}

/* Without its lowest digit that is not 0. */
static uint32_t
knomial_parent(uint32_t r, uint32_t n)
{
    uint32_t place = 1;

    (void)n;
    while (r / place % RADIX == 0) {
        place *= RADIX;
    }
    return r - r / place % RADIX * place;
}

/* Ranks 1 and 2, then 3 to 6, then 7 to 14: those below rank 1 are odd, those
 * below rank 2 even. */
static uint32_t
binary_parent(uint32_t r, uint32_t n)
{
    uint32_t level = sf_power_below(r + 1); /* As many ranks as on it. */

    (void)n;
    return r < 3 ? 0 : r - level / 2 < level - 1 ? r - level / 2 : r - level;
}

static uint32_t
member(const struct sf_group *group, uint32_t i)
{
    return group->first + i * group->stride;
}

/* A tree, and how far its ranks are. */
struct tree {
    uint32_t n;
    uint32_t *parents; /* [n] */
    uint32_t *order;   /* [n - 1] Parents before their children, and for each
                        * parent the children in the order of its sends. */
    uint32_t *got;     /* [n] The message that came last, */
    uint32_t *last;    /* [n] and that which was sent last; SF_NONE. */
};

static void
clear_tree(struct tree *tree)
{
    free(tree->parents);
    free(tree->order);
    free(tree->got);
    free(tree->last);
}

/* Lists ranks by the places of their lowest digits, the highest first: that is
 * how k-nomial trees send. */
static void
order_by_places(struct tree *tree)
{
    uint32_t n_listed = 0;
    uint64_t place = 1;

    while (place < tree->n) {
        place *= RADIX;
    }
    for (; place >= 1; place /= RADIX) {
        for (uint64_t r = place; r < tree->n; r += place) {
            if (r / place % RADIX != 0) {
                tree->order[n_listed++] = (uint32_t)r;
            }
        }
    }
}

static bool
plant(struct tree *tree, uint32_t n, parent_of *parent)
{
    *tree = (struct tree){
        .n = n,
        .parents = sf_calloc(n, sizeof *tree->parents),
        .order = sf_calloc(n, sizeof *tree->order),
        .got = sf_calloc(n, sizeof *tree->got),
        .last = sf_calloc(n, sizeof *tree->last),
    };
    if (!tree->parents || !tree->order || !tree->got || !tree->last) {
        return false;
    }
    for (uint32_t r = 0; r < n; r++) {
        tree->parents[r] = r ? parent(r, n) : 0;
        tree->got[r] = tree->last[r] = SF_NONE;
        tree->order[r ? r - 1 : 0] = r;
    }
    if (parent == knomial_parent) {
        order_by_places(tree);
    }
    return true;
}

/* The parent of rank 'r' sends it a segment, which has come there last. */
static void
send_segment(const struct sf_group *group, struct tree *tree, uint32_t r,
             const struct sf_vector *vector, uint32_t segment)
{
    struct sf_script *script = group->script;
    struct sf_part part = { segment, 1 };
    uint32_t from = tree->parents[r], last = tree->last[from];
    uint32_t number =
        sf_script_post(script, member(group, from), member(group, r),
                       sf_vector_bytes(vector, part), part);

    tree->got[r] = tree->last[from] = number;
    if (number == SF_NONE) {
        return;
    }
    sf_script_wait(script, tree->got[from], number, false);
    if (last == SF_NONE) {
        sf_script_wait_rank(script, member(group, from), number);
    } else {
        sf_script_wait(script, last, number,
                       script->program->messages.items[last].bytes <= EAGER);
    }
}

/* Sends all segments down a tree. */
static void
send_down(const struct sf_group *group, const struct sf_vector *vector,
          parent_of *parent)
{
    struct tree tree;

    if (!plant(&tree, group->n, parent)) {
        group->script->has_failed = true;
    }
    for (uint32_t s = 0; !group->script->has_failed && s < vector->n; s++) {
        for (uint32_t i = 0; i + 1 < group->n; i++) {
            send_segment(group, &tree, tree.order[i], vector, s);
        }
    }
    clear_tree(&tree);
    sf_group_step(group);
}

/* Odd ranks, which have the first 'n_left' segments, and even ones, which have
 * the others, exchange them.  The last rank may have no partner but rank 0. */
static void
exchange_halves(const struct sf_group *group, const struct sf_vector *vector,
                uint32_t n_left)
{
    struct sf_part left = { 0, n_left };
    struct sf_part right = { n_left, vector->n - n_left };

    for (uint32_t r = 1; r < group->n; r += 2) {
        if (r + 1 < group->n) {
            sf_group_send(group, r, r + 1, vector, left);
        }
        sf_group_send(group, r + 1 < group->n ? r + 1 : 0, r, vector, right);
    }
    sf_group_step(group);
}

/* One half goes down each side of a binary tree. */
static void
send_split(const struct sf_group *group, const struct sf_vector *vector)
{
    uint32_t n_left = (vector->n + 1) / 2;
    struct tree tree;

    if (!plant(&tree, group->n, binary_parent)) {
        group->script->has_failed = true;
    }
    for (uint32_t s = 0; !group->script->has_failed && s < n_left; s++) {
        for (uint32_t r = 1; r < group->n; r++) {
            uint32_t segment = r % 2 ? s : n_left + s;
            if (segment < vector->n) {
                send_segment(group, &tree, r, vector, segment);
            }
        }
    }
    clear_tree(&tree);
    sf_group_step(group);
    exchange_halves(group, vector, n_left);
}

/* Blocks are dealt out down a binomial tree, and then gathered by all. */
static void
send_scattered(const struct sf_group *group, uint64_t bytes)
{
    uint32_t n = group->n;
    struct sf_vector vector = { bytes, n, 0 };

    for (uint32_t power = sf_power_below(n - 1); power >= 1; power /= 2) {
        for (uint32_t r = 0; r + power < n; r += 2 * power) {
            uint32_t n_blocks = n - r - power;
            sf_group_send(group, r, r + power, &vector,
                          (struct sf_part){ r + power, n_blocks < power
                                                           ? n_blocks
                                                           : power });
        }
        sf_group_step(group);
    }
    sf_allgather_blocks(group, &vector,
                        sf_power_below(n) == n ? SF_RECURSIVE_DOUBLING
                                               : SF_RING);
}

void
sf_bcast(const struct sf_group *group, uint64_t bytes, struct sf_choice choice)
{
    static parent_of *const parents[SF_N_ALGORITHMS] = {
        [SF_LINEAR] = linear_parent,     [SF_PIPELINE] = chain_parent,
        [SF_BINOMIAL] = binomial_parent, [SF_KNOMIAL] = knomial_parent,
        [SF_BINARY] = binary_parent,     [SF_SPLIT_BINARY] = binary_parent,
    };
    bool is_halved = choice.algorithm == SF_SPLIT_BINARY && !choice.segment;
    struct sf_vector vector =
        sf_vector_cut(bytes, is_halved ? (bytes + 1) / 2 : choice.segment);

    if (choice.algorithm == SF_SCATTER_ALLGATHER) {
        send_scattered(group, bytes);
    } else if (choice.algorithm == SF_SPLIT_BINARY && vector.n > 1 &&
               group->n > 2) {
        send_split(group, &vector);
    } else {
        send_down(group, &vector, parents[choice.algorithm]);
    }
}
