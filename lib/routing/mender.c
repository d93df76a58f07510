/* mender.c -- see mender.h.
 *
 * Where a next hop is gone, its switch must change; those behind it need not,
 * unless their paths become too long.  So first the switches without a next
 * hop get a new one, then those that are still not content, and a path that
 * fits nowhere else becomes a shortest one, which always does.
 *
 * Among next hops that are as near, a switch takes the one whose links carry
 * least; the first, if hosts send nothing to the column: then there are few
 * turns that lead up a tree again.  Where turns must be obeyed, a path that
 * does not is as good as none, and what cannot be mended is grown anew. */
#include "routing/mender.h"

#include "routes/turn_table.h"

/* Whether 's' may go over its arc 'hop': the rank of the channel after that,
 * or 0. */
static uint32_t
rank_over(const struct sf_mender *mender, uint32_t s, uint32_t hop)
{
    uint32_t arc = mender->graph->first[s] + hop;
    uint32_t to = mender->graph->arcs[arc].to;
    return to == mender->destination
               ? SF_ANY_RANK
               : sf_turns_rank(mender->turns, mender->graph, mender->reverse,
                               arc, mender->hops[to], mender->ranks[to]);
}

/* Follows next hops from 's' and sets the depths along the way: SF_NONE if
 * they end, go round or may not be taken. */
static void
measure_from(struct sf_mender *mender, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;
    uint32_t n = 0, at = s;

    while (at != mender->destination && mender->depths[at] == SF_NONE - 1 &&
           mender->hops[at] != SF_NO_HOP) {
        mender->depths[at] = SF_NONE; /* Seen: a loop ends here. */
        mender->queue[n++] = at;
        at = graph->arcs[graph->first[at] + mender->hops[at]].to;
    }
    if (at != mender->destination && mender->depths[at] == SF_NONE - 1) {
        mender->depths[at] = SF_NONE;
    }
    uint32_t depth = mender->depths[at];
    while (n > 0) {
        uint32_t v = mender->queue[--n];
        uint32_t rank =
            depth == SF_NONE ? 0 : rank_over(mender, v, mender->hops[v]);
        depth = rank == 0 ? SF_NONE : depth + 1;
        mender->depths[v] = depth;
        mender->ranks[v] = rank;
    }
}

/* Whether a switch is content: with a shortest path always. */
static bool
is_fine(const struct sf_mender *mender, uint32_t s)
{
    uint32_t depth = mender->depths[s];
    return depth != SF_NONE &&
           (depth == mender->best[s] ||
            (!mender->is_minimal && depth <= mender->limit));
}

void
sf_mender_measure(struct sf_mender *mender)
{
    for (uint32_t s = 0; s < mender->graph->n_nodes; s++) {
        mender->depths[s] = SF_NONE - 1; /* Not yet known. */
    }
    mender->depths[mender->destination] = 0;
    for (uint32_t s = 0; s < mender->graph->n_nodes; s++) {
        if (mender->depths[s] == SF_NONE - 1) {
            measure_from(mender, s);
        }
    }
}

/* Lists 's' and all whose paths lead through it in the queue, each behind the
 * one that it goes to; returns their number. */
static uint32_t
list_branch(const struct sf_mender *mender, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;
    uint32_t *queue = mender->queue, head = 0, tail = 0;

    queue[tail++] = s;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            uint32_t from = graph->arcs[i].to;
            if (from != mender->destination &&
                mender->hops[from] != SF_NO_HOP &&
                graph->first[from] + mender->hops[from] ==
                    mender->reverse[i]) {
                queue[tail++] = from;
            }
        }
    }
    return tail;
}

/* Follows a change of the next hop of 's' to all whose paths lead through it;
 * false if one of them is not content.  The change closed no circle. */
static bool
measure_again(struct sf_mender *mender, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;
    uint32_t n = list_branch(mender, s);
    bool all_fine = true;

    for (uint32_t k = 0; k < n; k++) {
        uint32_t v = mender->queue[k], hop = mender->hops[v], depth = SF_NONE;
        mender->ranks[v] = 0;
        if (hop != SF_NO_HOP) {
            depth = mender->depths[graph->arcs[graph->first[v] + hop].to];
            mender->ranks[v] =
                depth == SF_NONE ? 0 : rank_over(mender, v, hop);
        }
        mender->depths[v] = mender->ranks[v] == 0 ? SF_NONE : depth + 1;
        all_fine &= is_fine(mender, v);
    }
    return all_fine;
}

/* Adds what the hosts of 's' send, times 'sign', to the loads of its path, if
 * that is whole. */
static void
load_path(const struct sf_mender *mender, uint32_t s, uint64_t sign)
{
    const struct sf_graph *graph = mender->graph;
    uint64_t routes = mender->n_hosts[s] * mender->weight * sign;

    if (routes == 0 || mender->depths[s] == SF_NONE) {
        return;
    }
    while (s != mender->destination) {
        uint32_t arc = graph->first[s] + mender->hops[s];
        mender->loads[arc] += routes;
        s = graph->arcs[arc].to;
    }
}

#define PUT_ON   UINT64_C(1)
#define TAKE_OFF UINT64_MAX /* Minus 1. */

/* The same for 's' and all whose paths lead through it. */
static void
load_branch(const struct sf_mender *mender, uint32_t s, uint64_t sign)
{
    if (mender->weight == 0 || mender->depths[s] == SF_NONE) {
        return; /* No path through it is whole. */
    }
    uint32_t n = list_branch(mender, s);
    for (uint32_t i = 0; i < n; i++) {
        load_path(mender, mender->queue[i], sign);
    }
}

/* The same for all. */
static void
load_column(const struct sf_mender *mender, uint64_t sign)
{
    for (uint32_t s = 0; s < mender->graph->n_nodes; s++) {
        load_path(mender, s, sign);
    }
}

/* What the links of a path carry. */
struct burden {
    uint64_t most, sum;
};

static void
add_burden(struct burden *burden, uint64_t load)
{
    burden->most = burden->most > load ? burden->most : load;
    burden->sum += load;
}

static bool
is_lighter(const struct burden *a, const struct burden *b)
{
    return a->most != b->most ? a->most < b->most : a->sum < b->sum;
}

/* The burden of the path over 'arc', whole behind it. */
static struct burden
find_burden(const struct sf_mender *mender, uint32_t arc)
{
    const struct sf_graph *graph = mender->graph;
    struct burden burden = { 0 };

    add_burden(&burden, mender->loads[arc]);
    for (uint32_t v = graph->arcs[arc].to; v != mender->destination;
         v = graph->arcs[arc].to) {
        arc = graph->first[v] + mender->hops[v];
        add_burden(&burden, mender->loads[arc]);
    }
    return burden;
}

/* Whether the path of 'from' leads through 's'. */
static bool
leads_through(const struct sf_mender *mender, uint32_t from, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;

    for (uint32_t n = 0; n <= graph->n_nodes; n++) {
        if (from == s) {
            return true;
        }
        if (from == mender->destination || mender->hops[from] == SF_NO_HOP) {
            return false;
        }
        from = graph->arcs[graph->first[from] + mender->hops[from]].to;
    }
    return true; /* Round and round: no way to go. */
}

/* Gives 's' the next hop that leads to the destination soonest, through
 * switches that are content themselves; of several the lightest. */
static void
mend_switch(struct sf_mender *mender, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;
    struct burden lightest = { 0 };
    uint32_t best_depth = SF_NONE;
    uint16_t best_hop = SF_NO_HOP;

    load_branch(mender, s, TAKE_OFF);
    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t to = graph->arcs[i].to;
        uint32_t depth = mender->depths[to];
        if (depth == SF_NONE || depth > best_depth || !is_fine(mender, to) ||
            rank_over(mender, s, i - graph->first[s]) == 0 ||
            leads_through(mender, to, s)) {
            continue;
        }
        struct burden burden = find_burden(mender, i);
        if (depth < best_depth ||
            (mender->weight > 0 && is_lighter(&burden, &lightest))) {
            lightest = burden;
            best_depth = depth;
            best_hop = (uint16_t)(i - graph->first[s]);
        }
    }
    mender->hops[s] = best_hop;
    measure_again(mender, s);
    load_branch(mender, s, PUT_ON);
}

/* The lightest arc of 's' to a switch that is nearer. */
static uint32_t
lightest_nearer(const struct sf_mender *mender, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;
    uint32_t best = SF_NONE;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        if (mender->best[graph->arcs[i].to] == mender->best[s] - 1 &&
            (best == SF_NONE || mender->loads[i] < mender->loads[best])) {
            best = i;
        }
    }
    return best;
}

/* Turns the path of 's' into a shortest one.  Others whose paths it changes
 * only become shorter. */
static void
force_shortest(struct sf_mender *mender, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;
    uint32_t last = s;

    while (s != mender->destination && mender->depths[s] != mender->best[s]) {
        uint32_t arc = lightest_nearer(mender, s);
        mender->hops[s] = (uint16_t)(arc - graph->first[s]);
        last = s;
        s = graph->arcs[arc].to;
    }
    measure_again(mender, last); /* The others lead through it. */
}

/* Grows the column anew: every switch, nearest first, goes to one nearer to
 * the destination by which it may, with the most room for those behind; of
 * several over the lightest link. */
static void
grow(struct sf_mender *mender, const uint32_t *order, uint32_t n)
{
    const struct sf_graph *graph = mender->graph;

    for (uint32_t k = 0; k < n; k++) {
        uint32_t s = order[k], best = SF_NONE;
        mender->hops[s] = SF_NO_HOP;
        mender->ranks[s] = 0;
        for (uint32_t i = graph->first[s];
             s != mender->destination && i < graph->first[s + 1]; i++) {
            uint32_t to = graph->arcs[i].to, hop = i - graph->first[s];
            uint32_t rank = mender->best[to] < mender->best[s] &&
                                    (to == mender->destination ||
                                     mender->hops[to] != SF_NO_HOP)
                                ? rank_over(mender, s, hop)
                                : 0;
            if (rank > mender->ranks[s] ||
                (rank > 0 && rank == mender->ranks[s] &&
                 mender->loads[i] < mender->loads[best])) {
                mender->hops[s] = (uint16_t)hop;
                mender->ranks[s] = rank;
                best = i;
            }
        }
    }
    sf_mender_measure(mender);
}

static bool
is_whole(const struct sf_mender *mender, const uint32_t *order, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        if (mender->depths[order[i]] == SF_NONE) {
            return false;
        }
    }
    return true;
}

/* Goes through the switches that are not content, nearest to the destination
 * first: all, or only those without a next hop. */
static void
mend_pass(struct sf_mender *mender, const uint32_t *order, uint32_t n,
          bool only_headless, void (*mend_one)(struct sf_mender *, uint32_t))
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = order[i];
        if (!is_fine(mender, s) &&
            (!only_headless || mender->hops[s] == SF_NO_HOP)) {
            mend_one(mender, s);
        }
    }
}

bool
sf_mender_is_fine(const struct sf_mender *mender, const uint32_t *order,
                  uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        if (!is_fine(mender, order[i])) {
            return false;
        }
    }
    return true;
}

/* Takes back what turned out to be changed in vain, once others had changed.
 */
static void
take_back(struct sf_mender *mender, const uint32_t *order, uint32_t n)
{
    const struct sf_graph *graph = mender->graph;

    for (uint32_t i = 1; i < n; i++) {
        uint32_t s = order[i];
        uint16_t hop = mender->hops[s], old = mender->before[s];
        if (hop == old || old == SF_NO_HOP ||
            leads_through(mender, graph->arcs[graph->first[s] + old].to, s)) {
            continue;
        }
        load_branch(mender, s, TAKE_OFF);
        mender->hops[s] = old;
        if (!measure_again(mender, s)) {
            mender->hops[s] = hop;
            measure_again(mender, s);
        }
        load_branch(mender, s, PUT_ON);
    }
}

/* Gives all that are not content other paths, whatever that changes.  False if
 * turns leave one of them without. */
static bool
mend_the_rest(struct sf_mender *mender, const uint32_t *order, uint32_t n)
{
    bool is_done = true;

    load_column(mender, TAKE_OFF);
    if (!mender->turns) {
        mend_pass(mender, order, n, false, force_shortest);
    } else {
        grow(mender, order, n);
        is_done = is_whole(mender, order, n);
    }
    load_column(mender, PUT_ON);
    return is_done;
}

/* Mends a column whose depths are known; 'order' are the switches that reach
 * the destination, 'n' of them, nearest first.  False if turns leave one of
 * them without a path. */
bool
sf_mender_mend(struct sf_mender *mender, const uint32_t *order, uint32_t n)
{
    mend_pass(mender, order, n, true, mend_switch);
    mend_pass(mender, order, n, false, mend_switch);
    bool is_done =
        sf_mender_is_fine(mender, order, n) || mend_the_rest(mender, order, n);
    if (sf_mender_is_fine(mender, order, n)) {
        take_back(mender, order, n);
    }
    return is_done;
}

void
sf_mender_load(const struct sf_mender *mender)
{
    load_column(mender, PUT_ON);
}

/* Whether an arc on the path of 's' carries more than 'most'. */
static bool
is_crowded(const struct sf_mender *mender, uint32_t s, uint64_t most)
{
    const struct sf_graph *graph = mender->graph;

    while (s != mender->destination) {
        uint32_t arc = graph->first[s] + mender->hops[s];
        if (mender->loads[arc] > most) {
            return true;
        }
        s = graph->arcs[arc].to;
    }
    return false;
}

/* What goes through 's'. */
static uint64_t
count_flow(const struct sf_mender *mender, uint32_t s)
{
    uint32_t n = list_branch(mender, s);
    uint64_t flow = 0;

    for (uint32_t i = 0; i < n; i++) {
        flow += mender->n_hosts[mender->queue[i]] * mender->weight;
    }
    return flow;
}

/* Whether another layer starts with arc number 'hop' of 's'. */
static bool
is_taken(const struct sf_mender *mender, uint32_t s, uint32_t hop)
{
    for (uint32_t l = 0; l < mender->layers->n_layers; l++) {
        if (l != mender->layer &&
            sf_layers_tree(mender->layers, l, mender->destination)[s] == hop) {
            return true;
        }
    }
    return false;
}

/* Whether 's' may go over its arc 'hop' instead of the present one. */
static bool
can_go_over(const struct sf_mender *mender, uint32_t s, uint32_t hop)
{
    uint32_t to = mender->graph->arcs[mender->graph->first[s] + hop].to;
    uint32_t depth = mender->depths[to];

    return hop != mender->hops[s] && depth != SF_NONE &&
           depth < (mender->is_minimal ? mender->best[s] : mender->limit) &&
           rank_over(mender, s, hop) != 0 && !is_taken(mender, s, hop) &&
           !leads_through(mender, to, s);
}

/* Leads the path of 's', and those through it, over the lightest links that
 * have room for them, if there are such. */
static void
relieve_switch(struct sf_mender *mender, uint32_t s, uint64_t most)
{
    const struct sf_graph *graph = mender->graph;
    uint64_t flow = count_flow(mender, s);
    uint16_t before = mender->hops[s], best = before;
    struct burden lightest = { 0 };

    load_branch(mender, s, TAKE_OFF);
    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        if (!can_go_over(mender, s, i - graph->first[s])) {
            continue;
        }
        struct burden burden = find_burden(mender, i);
        if (burden.most + flow <= most &&
            (best == before || is_lighter(&burden, &lightest))) {
            lightest = burden;
            best = (uint16_t)(i - graph->first[s]);
        }
    }
    mender->hops[s] = best;
    if (best != before && !measure_again(mender, s)) {
        mender->hops[s] = before;
        measure_again(mender, s);
    }
    load_branch(mender, s, PUT_ON);
}

void
sf_mender_relieve(struct sf_mender *mender, const uint32_t *order, uint32_t n,
                  uint64_t most)
{
    /* Farthest first: few paths lead through those. */
    for (uint32_t i = n; i-- > 1;) {
        if (is_crowded(mender, order[i], most)) {
            relieve_switch(mender, order[i], most);
        }
    }
}
