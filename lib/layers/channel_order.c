/* channel_order.c -- see channel_order.h. */
#include "layers/channel_order.h"

#include "routes/turn_table.h"
#include <string.h>

/* Channels that a wait may move.  More take long, and most of such searches
 * end in a circle: paths are hardly shorter without the limit. */
#define MOST_MOVED 1000

/* Where paths start: on VL 0.  With more VLs than one, turns lead to others,
 * so that nothing waits for a first channel. */
static uint32_t
first_vl(const struct sf_channel_order *order)
{
    return order->turns->n_vls > 1 ? 1 : 0;
}

static uint32_t
channel_of(const struct sf_channel_order *order, uint32_t arc, uint32_t vl)
{
    return arc * order->turns->n_vls + vl;
}

static uint32_t
tail_of(const struct sf_channel_order *order, uint32_t arc)
{
    return order->graph->arcs[order->reverse[arc]].to;
}

static size_t
turn_of(const struct sf_channel_order *order, uint32_t in, uint32_t out)
{
    return sf_turn_number(order->turns->first, order->graph, order->reverse,
                          in, out);
}

static void
find(struct sf_channel_order *order, uint32_t channel, uint32_t *n_found)
{
    if (!order->is_found[channel]) {
        order->is_found[channel] = true;
        order->found[(*n_found)++] = channel;
    }
}

/* Finds the channels that 'channel' waits for, up to place 'last'. */
static void
find_next(struct sf_channel_order *order, uint32_t channel, uint32_t last,
          uint32_t *n_found)
{
    const struct sf_graph *graph = order->graph;
    uint32_t arc = channel / order->turns->n_vls,
             vl = channel % order->turns->n_vls, at = graph->arcs[arc].to;
    size_t turn = turn_of(order, arc, graph->first[at]);

    for (uint32_t i = graph->first[at]; i < graph->first[at + 1];
         i++, turn++) {
        if (order->arrivals[turn] & 1u << vl) {
            uint32_t next = channel_of(order, i, order->turns->vls[turn]);
            if (order->places[next] <= last) {
                find(order, next, n_found);
            }
        }
    }
}

/* Finds the channels that wait for 'channel', down to place 'first'. */
static void
find_previous(struct sf_channel_order *order, uint32_t channel, uint32_t first,
              uint32_t *n_found)
{
    const struct sf_graph *graph = order->graph;
    uint32_t n_vls = order->turns->n_vls, arc = channel / n_vls,
             vl = channel % n_vls, at = tail_of(order, arc);

    for (uint32_t i = graph->first[at]; i < graph->first[at + 1]; i++) {
        uint32_t in = order->reverse[i];
        size_t turn = turn_of(order, in, arc);
        uint16_t arrivals =
            order->turns->vls[turn] == vl ? order->arrivals[turn] : 0;
        for (uint32_t v = 0; arrivals >> v; v++) {
            uint32_t previous = channel_of(order, in, v);
            if (arrivals & 1u << v && order->places[previous] >= first) {
                find(order, previous, n_found);
            }
        }
    }
}

/* Sorts 'n' channels by their places: few, and nearly sorted. */
static void
sort_by_place(const struct sf_channel_order *order, uint32_t *channels,
              uint32_t n)
{
    for (uint32_t gap = n / 2; gap > 0; gap /= 2) {
        for (uint32_t i = gap; i < n; i++) {
            uint32_t channel = channels[i], j = i;
            while (j >= gap &&
                   order->places[channels[j - gap]] > order->places[channel]) {
                channels[j] = channels[j - gap];
                j -= gap;
            }
            channels[j] = channel;
        }
    }
}

/* Gives the channels of 'found', sorted but for coming in two runs, the places
 * that they have together, in the order of 'found'. */
static void
deal_places(struct sf_channel_order *order, uint32_t n)
{
    uint32_t *places = order->sorted + n;

    memcpy(order->sorted, order->found, n * sizeof *order->sorted);
    sort_by_place(order, order->sorted, n);
    for (uint32_t i = 0; i < n; i++) {
        places[i] = order->places[order->sorted[i]];
    }
    for (uint32_t i = 0; i < n; i++) {
        order->places[order->found[i]] = places[i];
    }
}

static void
forget(const struct sf_channel_order *order, uint32_t n_found)
{
    for (uint32_t i = 0; i < n_found; i++) {
        order->is_found[order->found[i]] = false;
    }
}

/* Moves channels such that 'from' stands before 'to': what waits for 'from'
 * goes in front of what 'to' waits for, within the places between.  False if
 * 'to' waits for 'from'. */
static bool
put_before(struct sf_channel_order *order, uint32_t from, uint32_t to)
{
    uint32_t first = order->places[to], last = order->places[from];
    uint32_t n_before = 0, n = 0;

    if (last < first) {
        return true;
    }
    if (from == to) {
        return false;
    }
    find(order, to, &n);
    for (uint32_t i = 0; i < n && n <= MOST_MOVED; i++) {
        find_next(order, order->found[i], last, &n);
    }
    if (order->is_found[from] || n > MOST_MOVED) {
        forget(order, n);
        return false;
    }
    uint32_t n_after = n;
    find(order, from, &n);
    for (uint32_t i = n_after; i < n; i++) {
        find_previous(order, order->found[i], first, &n);
    }
    n_before = n - n_after;
    forget(order, n);
    /* Those before come first. */
    memcpy(order->sorted, order->found, n_after * sizeof *order->found);
    memmove(order->found, order->found + n_after,
            n_before * sizeof *order->found);
    memcpy(order->found + n_before, order->sorted,
           n_after * sizeof *order->found);
    sort_by_place(order, order->found, n_before);
    sort_by_place(order, order->found + n_before, n_after);
    deal_places(order, n);
    return true;
}

/* Notes how a turn is, before it changes. */
static bool
note(struct sf_channel_order *order, size_t turn)
{
    struct sf_order_change change = { turn, order->arrivals[turn],
                                      order->turns->vls[turn] };
    if (!order->is_full && !sf_vec_push(&order->changes, change)) {
        order->is_full = true;
    }
    return !order->is_full;
}

/* Makes packets that come on 'vl' over 'in' wait for 'out' on 'out_vl'. */
static bool
add_wait(struct sf_channel_order *order, uint32_t in, uint32_t vl,
         uint32_t out, uint32_t out_vl)
{
    size_t turn = turn_of(order, in, out);
    uint16_t pair = (uint16_t)(1u << (vl * SF_MOST_ORDER_VLS + out_vl));

    if (order->turns->vls[turn] == out_vl &&
        order->arrivals[turn] & 1u << vl) {
        return true;
    }
    if (order->refused[turn] & pair) {
        return false;
    }
    if (!put_before(order, channel_of(order, in, vl),
                    channel_of(order, out, out_vl))) {
        order->refused[turn] |= pair;
        return false;
    }
    if (!note(order, turn)) {
        return false;
    }
    order->turns->vls[turn] = (uint8_t)out_vl;
    order->arrivals[turn] |= (uint16_t)(1u << vl);
    return true;
}

/* Whether a turn may lead to 'vl'. */
static bool
may_have(const struct sf_channel_order *order, size_t turn, uint32_t vl)
{
    return order->turns->vls[turn] == SF_NO_TURN ||
           order->turns->vls[turn] == vl;
}

/* Lets 'in', 'out' and 'next' follow each other, by VLs that suit the order as
 * it is if 'is_easy', else by any.  Turns early on a path get low VLs and late
 * ones high VLs, so that there is room between. */
static bool
add_on_some_vls(struct sf_channel_order *order, uint32_t in, uint32_t out,
                uint32_t next, bool is_easy)
{
    size_t turn = turn_of(order, in, out), after = turn_of(order, out, next);
    uint32_t n_vls = order->turns->n_vls;

    for (uint32_t up = n_vls; up-- > first_vl(order);) {
        for (uint32_t vl = n_vls;
             may_have(order, after, up) && vl-- > first_vl(order);) {
            bool is_satisfied = order->places[channel_of(order, out, vl)] <
                                order->places[channel_of(order, next, up)];
            if (!may_have(order, turn, vl) || (is_easy && !is_satisfied) ||
                !add_wait(order, out, vl, next, up)) {
                continue;
            }
            if (order->turns->vls[turn] == vl) {
                return true;
            }
            if (note(order, turn)) {
                order->turns->vls[turn] = (uint8_t)vl;
                return true;
            }
        }
    }
    return false;
}

bool
sf_channel_order_add(struct sf_channel_order *order, uint32_t in, uint32_t out,
                     uint32_t next)
{
    if (order->turns->n_vls == 1) {
        return add_wait(order, in, 0, out, 0);
    }
    return next == SF_NONE || add_on_some_vls(order, in, out, next, true) ||
           add_on_some_vls(order, in, out, next, false);
}

void
sf_channel_order_keep(struct sf_channel_order *order)
{
    order->changes.n = 0;
}

void
sf_channel_order_undo(struct sf_channel_order *order)
{
    while (order->changes.n > 0) {
        const struct sf_order_change *change =
            &order->changes.items[--order->changes.n];
        order->arrivals[change->turn] = change->arrivals;
        order->turns->vls[change->turn] = change->vl;
    }
}

/* Ranks the switches by their distance from a root, one of the most links in
 * each part; 'parents' is set on the way. */
static void
grow_forest(struct sf_channel_order *order, uint32_t *queue, uint32_t *rank)
{
    const struct sf_graph *graph = order->graph;
    uint32_t n = graph->n_nodes, head = 0, tail = 0;

    memset(rank, 0xff, n * sizeof *rank);
    memset(order->parents, 0xff, n * sizeof *order->parents);
    while (head < n) {
        uint32_t root = SF_NONE;
        for (uint32_t s = 0; s < n; s++) {
            if (rank[s] == SF_NONE &&
                (root == SF_NONE ||
                 sf_graph_degree(graph, s) > sf_graph_degree(graph, root))) {
                root = s;
            }
        }
        rank[root] = tail;
        queue[tail++] = root;
        for (; head < tail; head++) {
            uint32_t v = queue[head];
            for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
                uint32_t w = graph->arcs[i].to;
                if (rank[w] == SF_NONE) {
                    order->parents[w] = order->reverse[i];
                    rank[w] = tail;
                    queue[tail++] = w;
                }
            }
        }
    }
}

/* Orders the channels to start with: on each VL first the arcs up, the lowest
 * first, then those down; VLs one above the other. */
static void
begin_places(struct sf_channel_order *order, const uint32_t *by_rank,
             const uint32_t *rank)
{
    const struct sf_graph *graph = order->graph;
    uint32_t place = 0, n = graph->n_nodes;

    for (uint32_t vl = 0; vl < order->turns->n_vls; vl++) {
        for (uint32_t k = 0; k < 2 * n; k++) {
            bool is_up = k < n;
            uint32_t s = by_rank[is_up ? n - 1 - k : k - n];
            for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
                if ((rank[graph->arcs[i].to] < rank[s]) == is_up) {
                    order->places[channel_of(order, i, vl)] = place++;
                }
            }
        }
    }
}

/* Lets all paths along the tree be, by a single VL. */
static void
begin_waits(struct sf_channel_order *order)
{
    const struct sf_graph *graph = order->graph;
    uint32_t vl = first_vl(order);

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            uint32_t a = graph->arcs[i].to;
            bool is_tree = order->parents[s] == i ||
                           order->parents[a] == order->reverse[i];
            for (uint32_t j = graph->first[s];
                 is_tree && j < graph->first[s + 1]; j++) {
                uint32_t b = graph->arcs[j].to;
                if (j != i && (order->parents[s] == j ||
                               order->parents[b] == order->reverse[j])) {
                    size_t turn = turn_of(order, order->reverse[i], j);
                    order->turns->vls[turn] = (uint8_t)vl;
                    order->arrivals[turn] = (uint16_t)(1u << vl);
                }
            }
        }
    }
}

static bool
make_order(struct sf_channel_order *order)
{
    const struct sf_graph *graph = order->graph;
    size_t n_channels = 2 * (size_t)graph->n_links * order->turns->n_vls;
    size_t n_turns = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        size_t degree = sf_graph_degree(graph, s);
        n_turns += degree * degree;
    }
    order->arrivals = sf_calloc(n_turns, sizeof *order->arrivals);
    order->refused = sf_calloc(n_turns, sizeof *order->refused);
    order->places = sf_calloc(n_channels, sizeof *order->places);
    order->parents = sf_calloc(graph->n_nodes, sizeof *order->parents);
    order->found = sf_calloc(n_channels, sizeof *order->found);
    order->sorted = sf_calloc(2 * n_channels, sizeof *order->sorted);
    order->is_found = sf_calloc(n_channels, sizeof *order->is_found);
    return order->arrivals && order->refused && order->places &&
           order->parents && order->found && order->sorted && order->is_found;
}

enum sf_status
sf_channel_order_begin(const struct sf_graph *graph, const uint32_t *reverse,
                       uint32_t n_vls, struct sf_channel_order *order,
                       struct sf_error *err)
{
    *order = (struct sf_channel_order){ .graph = graph, .reverse = reverse };
    enum sf_status status = sf_turns_make(graph, n_vls, &order->turns, err);
    uint32_t *by_rank = sf_calloc(graph->n_nodes, sizeof *by_rank);
    uint32_t *rank = sf_calloc(graph->n_nodes, sizeof *rank);

    if (status == SF_OK && (!make_order(order) || !by_rank || !rank)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for turns");
    }
    if (status == SF_OK) {
        grow_forest(order, by_rank, rank);
        begin_places(order, by_rank, rank);
        begin_waits(order);
    }
    free(rank);
    free(by_rank);
    return status;
}

void
sf_channel_order_clear(struct sf_channel_order *order)
{
    free(order->changes.items);
    free(order->is_found);
    free(order->sorted);
    free(order->found);
    free(order->parents);
    free(order->places);
    free(order->refused);
    free(order->arrivals);
    sf_turns_free(order->turns);
    *order = (struct sf_channel_order){ 0 };
}

/* The VL for a turn that no path needs: the lowest channel of 'out' above the
 * lowest of 'in', else the highest. */
static uint8_t
spare_vl(const struct sf_channel_order *order, uint32_t in, uint32_t out)
{
    uint32_t n_vls = order->turns->n_vls, best = first_vl(order);
    uint32_t least = SF_NONE, best_place = SF_NONE;

    for (uint32_t vl = first_vl(order); vl < n_vls; vl++) {
        uint32_t place = order->places[channel_of(order, in, vl)];
        least = place < least ? place : least;
    }
    for (uint32_t vl = first_vl(order); vl < n_vls; vl++) {
        uint32_t place = order->places[channel_of(order, out, vl)];
        if (place > least && place < best_place) {
            best_place = place;
            best = vl;
        }
    }
    return (uint8_t)best;
}

struct sf_turns *
sf_channel_order_finish(struct sf_channel_order *order)
{
    const struct sf_graph *graph = order->graph;
    struct sf_turns *turns = order->turns;

    for (uint32_t in = 0; in < 2 * graph->n_links; in++) {
        uint32_t at = graph->arcs[in].to;
        for (uint32_t out = graph->first[at]; out < graph->first[at + 1];
             out++) {
            uint8_t *vl = &turns->vls[turn_of(order, in, out)];
            if (out != order->reverse[in] && *vl == SF_NO_TURN) {
                *vl = spare_vl(order, in, out);
            }
        }
        for (uint32_t vl = 0; vl < turns->n_vls; vl++) {
            uint32_t channel = channel_of(order, in, vl);
            turns->ranks[channel] =
                vl < first_vl(order) ? 0 : order->places[channel] + 1;
        }
    }
    order->turns = NULL;
    return turns;
}
