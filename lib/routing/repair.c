/* repair.c -- tables after links or switches have gone or come back: as few
 * entries as possible change.
 *
 * A column is the next hops towards one LID.  Where a next hop is gone, its
 * switch must change; those behind it need not, unless their paths become too
 * long.  So first the switches without a next hop get a new one, then those
 * that are still not content, and a path that fits nowhere else becomes a
 * shortest one, which always does.
 *
 * Where turns must be obeyed, a path that does not is as good as none, and
 * what cannot be mended is grown anew. */
#include "slimfly/tables.h"

#include "base/mem.h"
#include "ib/tables.h"
#include "routes/turns.h"

#include <string.h>

/* The mending of one column. */
struct mender {
    const struct sf_graph *graph;
    uint32_t destination;
    uint32_t limit;           /* Hops at most, to it. */
    bool is_minimal;          /* Every path must be a shortest one. */
    const uint32_t *best;     /* [n] Shortest distances to the destination. */
    uint16_t *hops;           /* [n] Next hops as arcs; SF_NO_HOP is none. */
    uint32_t *depths;         /* [n] Hops to go; SF_NONE: it leads nowhere. */
    uint32_t *queue;          /* [n] */
    const uint16_t *recalled; /* [n] Next hops as they were. */
    const struct sf_turns *turns; /* What to obey; NULL for nothing. */
    uint32_t *reverse; /* [2E] Each arc as seen from its other end. */
    uint32_t *ranks;   /* [n] Of the channel after the first turn. */
};

/* Whether 's' may go over its arc 'hop': the rank of the channel after that,
 * or 0. */
static uint32_t
rank_over(const struct mender *mender, uint32_t s, uint32_t hop)
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
measure_from(struct mender *mender, uint32_t s)
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
is_fine(const struct mender *mender, uint32_t s)
{
    uint32_t depth = mender->depths[s];
    return depth != SF_NONE &&
           (depth == mender->best[s] ||
            (!mender->is_minimal && depth <= mender->limit));
}

static void
measure_all(struct mender *mender)
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

/* Follows a change of the next hop of 's' to all whose paths lead through it;
 * false if one of them is not content.  The change closed no circle. */
static bool
measure_again(struct mender *mender, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;
    uint32_t *queue = mender->queue, head = 0, tail = 0;
    bool all_fine = true;

    queue[tail++] = s;
    while (head < tail) {
        uint32_t v = queue[head++], hop = mender->hops[v], depth = SF_NONE;
        mender->ranks[v] = 0;
        if (hop != SF_NO_HOP) {
            depth = mender->depths[graph->arcs[graph->first[v] + hop].to];
            mender->ranks[v] =
                depth == SF_NONE ? 0 : rank_over(mender, v, hop);
        }
        mender->depths[v] = mender->ranks[v] == 0 ? SF_NONE : depth + 1;
        all_fine &= is_fine(mender, v);
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
    return all_fine;
}

/* Whether the path of 'from' leads through 's'. */
static bool
leads_through(const struct mender *mender, uint32_t from, uint32_t s)
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
 * switches that are content themselves. */
static void
mend_switch(struct mender *mender, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;
    uint32_t best_depth = SF_NONE;
    uint16_t best_hop = SF_NO_HOP;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t to = graph->arcs[i].to;
        uint32_t depth = mender->depths[to];
        if (depth < best_depth && is_fine(mender, to) &&
            rank_over(mender, s, i - graph->first[s]) != 0 &&
            !leads_through(mender, to, s)) {
            best_depth = depth;
            best_hop = (uint16_t)(i - graph->first[s]);
        }
    }
    mender->hops[s] = best_hop;
    measure_again(mender, s);
}

/* Turns the path of 's' into a shortest one.  Others whose paths it changes
 * only become shorter. */
static void
force_shortest(struct mender *mender, uint32_t s)
{
    const struct sf_graph *graph = mender->graph;
    uint32_t last = s;

    while (s != mender->destination && mender->depths[s] != mender->best[s]) {
        uint32_t i = graph->first[s];
        while (mender->best[graph->arcs[i].to] != mender->best[s] - 1) {
            i++;
        }
        mender->hops[s] = (uint16_t)(i - graph->first[s]);
        last = s;
        s = graph->arcs[i].to;
    }
    measure_again(mender, last); /* The others lead through it. */
}

/* Grows the column anew: every switch, nearest first, goes to one nearer to
 * the destination by which it may, with the most room for those behind. */
static void
grow(struct mender *mender, const uint32_t *order, uint32_t n)
{
    const struct sf_graph *graph = mender->graph;

    for (uint32_t k = 0; k < n; k++) {
        uint32_t s = order[k];
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
            if (rank > mender->ranks[s]) {
                mender->hops[s] = (uint16_t)hop;
                mender->ranks[s] = rank;
            }
        }
    }
    measure_all(mender);
}

static bool
is_whole(const struct mender *mender, const uint32_t *order, uint32_t n)
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
mend_pass(struct mender *mender, const uint32_t *order, uint32_t n,
          bool only_headless, void (*mend_one)(struct mender *, uint32_t))
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = order[i];
        if (!is_fine(mender, s) &&
            (!only_headless || mender->hops[s] == SF_NO_HOP)) {
            mend_one(mender, s);
        }
    }
}

static bool
are_fine(const struct mender *mender, const uint32_t *order, uint32_t n)
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
take_back(struct mender *mender, const uint32_t *order, uint32_t n)
{
    const struct sf_graph *graph = mender->graph;

    for (uint32_t i = 1; i < n; i++) {
        uint32_t s = order[i];
        uint16_t hop = mender->hops[s], old = mender->recalled[s];
        if (hop == old || old == SF_NO_HOP ||
            leads_through(mender, graph->arcs[graph->first[s] + old].to, s)) {
            continue;
        }
        mender->hops[s] = old;
        if (!measure_again(mender, s)) {
            mender->hops[s] = hop;
            measure_again(mender, s);
        }
    }
}

/* Mends a column; 'order' are the switches that reach the destination, 'n' of
 * them, nearest first.  False if turns leave one of them without a path. */
static bool
mend(struct mender *mender, const uint32_t *order, uint32_t n)
{
    measure_all(mender);
    mend_pass(mender, order, n, true, mend_switch);
    mend_pass(mender, order, n, false, mend_switch);
    bool is_done = true;
    if (!mender->turns) {
        mend_pass(mender, order, n, false, force_shortest);
    } else if (!are_fine(mender, order, n)) {
        grow(mender, order, n);
        is_done = is_whole(mender, order, n);
    }
    if (are_fine(mender, order, n)) {
        take_back(mender, order, n);
    }
    return is_done;
}

/* Shortest distances to 'destination'; 'queue' gets the switches that reach
 * it, nearest first.  Returns their number. */
static uint32_t
search(const struct sf_graph *graph, uint32_t destination, uint32_t *queue,
       uint32_t *distances)
{
    uint32_t head = 0, tail = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        distances[s] = SF_NONE;
    }
    distances[destination] = 0;
    queue[tail++] = destination;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            uint32_t w = graph->arcs[i].to;
            if (distances[w] == SF_NONE) {
                distances[w] = distances[v] + 1;
                queue[tail++] = w;
            }
        }
    }
    return tail;
}

/* The last column of a layer towards a switch: most of its hosts have the
 * same. */
struct memo {
    bool is_set;
    uint16_t *recalled; /* [n] As it was, */
    uint16_t *mended;   /* [n] and as it is now. */
};

/* Everything that the repair of all columns needs. */
struct repairer {
    const struct sf_tables *previous;
    const struct sf_fabric *fabric;
    const struct sf_graph *graph;
    const uint32_t *link_ports;
    uint32_t *before;      /* [n] Number of a switch in the previous tables. */
    uint16_t *hop_of_port; /* [n_ports] Which arc of its switch a port is. */
    uint32_t *order;       /* [n] */
    uint32_t *best;        /* [n] */
    struct mender mender;
    struct memo memos[SF_MAX_LAYERS];
    uint16_t *memo_hops; /* What they point into. */
    uint32_t n_layers;   /* Addresses beyond repeat them. */
    uint32_t usual_hops;
    struct sf_tables *tables;
};

static bool
was_there(const struct sf_tables *previous, uint32_t lid)
{
    return lid <= previous->max_lid && previous->targets[lid] != SF_NONE;
}

/* Takes the next hops towards 'lid' out of the previous tables, as far as
 * their links are still there. */
static void
recall_column(struct repairer *repairer, uint32_t lid)
{
    const struct sf_tables *previous = repairer->previous;

    for (uint32_t s = 0; s < repairer->graph->n_nodes; s++) {
        uint32_t before = repairer->before[s];
        uint32_t port = SF_NONE;
        if (before != SF_NONE && lid != SF_NONE && lid <= previous->max_lid) {
            port = sf_fabric_port(repairer->fabric, s,
                                  sf_tables_of(previous, before)[lid]);
        }
        repairer->mender.hops[s] =
            port == SF_NONE ? SF_NO_HOP : repairer->hop_of_port[port];
    }
}

/* Mends the column that was recalled; false if turns leave no path. */
static bool
mend_recalled(struct repairer *repairer, uint32_t n_reached)
{
    struct mender *mender = &repairer->mender;

    if (!mend(mender, repairer->order, n_reached)) {
        return false;
    }
    for (uint32_t s = 0; s < repairer->graph->n_nodes; s++) {
        if (mender->depths[s] == SF_NONE) {
            mender->hops[s] = SF_NO_HOP; /* Another part of the fabric. */
        }
    }
    return true;
}

/* Repairs the column of 'lid', the address of number 'address' of its port;
 * false if turns leave no path. */
static bool
repair_column(struct repairer *repairer, uint32_t lid, uint32_t recalled_lid,
              uint32_t n_reached, uint32_t last_port, uint32_t address)
{
    struct mender *mender = &repairer->mender;
    struct memo *memo = &repairer->memos[address];
    size_t size = repairer->graph->n_nodes * sizeof *mender->hops;

    recall_column(repairer, was_there(repairer->previous, recalled_lid)
                                ? recalled_lid
                                : SF_NONE);
    if (!memo->is_set || memcmp(memo->recalled, mender->hops, size) != 0) {
        memcpy(memo->recalled, mender->hops, size);
        mender->recalled = memo->recalled;
        mender->is_minimal = address % repairer->n_layers == 0;
        memo->is_set = mend_recalled(repairer, n_reached);
        memcpy(memo->mended, mender->hops, size);
    }
    if (memo->is_set) {
        sf_tables_fill(repairer->tables, lid, repairer->fabric,
                       repairer->graph, repairer->link_ports, memo->mended,
                       mender->destination, last_port);
    }
    return memo->is_set;
}

/* The port of the host on number 'i' of the ports of 'node'; NULL if there is
 * none with a LID. */
static const struct sf_port *
host_port(const struct sf_fabric *fabric, const struct sf_node *node,
          uint32_t i)
{
    uint32_t at = fabric->ports[node->first_port + i].peer;
    const struct sf_port *port = at == SF_NONE ? NULL : &fabric->ports[at];
    return port && port->node >= fabric->n_switches && port->lid ? port : NULL;
}

/* A LID whose paths a new host on 'node' is to have: that of a host beside it
 * that was there before, or SF_NONE. */
static uint32_t
find_sibling(const struct repairer *repairer, const struct sf_node *node)
{
    for (uint32_t i = 0; i < node->n_ports; i++) {
        const struct sf_port *host = host_port(repairer->fabric, node, i);
        if (host && was_there(repairer->previous, host->lid)) {
            return host->lid;
        }
    }
    return SF_NONE;
}

/* Repairs the columns of switch 'd' and of the hosts on it; false if turns
 * leave no path. */
static bool
repair_destination(struct repairer *repairer, uint32_t d)
{
    const struct sf_fabric *fabric = repairer->fabric;
    const struct sf_node *node = &fabric->nodes[d];
    uint32_t sibling = find_sibling(repairer, node);

    repairer->mender.destination = d;
    for (uint32_t k = 0; k < SF_MAX_LAYERS; k++) {
        repairer->memos[k].is_set = false;
    }
    uint32_t n_reached =
        search(repairer->graph, d, repairer->order, repairer->best);
    uint32_t farthest = repairer->best[repairer->order[n_reached - 1]];
    repairer->mender.limit =
        farthest > repairer->usual_hops ? farthest : repairer->usual_hops;
    for (uint32_t k = 0; node->lid && k < 1u << node->lmc; k++) {
        if (!repair_column(repairer, node->lid + k, node->lid + k, n_reached,
                           0, k)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < node->n_ports; i++) {
        const struct sf_port *host = host_port(fabric, node, i);
        if (!host) {
            continue;
        }
        uint32_t recalled =
            sibling == SF_NONE || was_there(repairer->previous, host->lid)
                ? host->lid
                : sibling;
        for (uint32_t k = 0; k < 1u << host->lmc; k++) {
            if (!repair_column(
                    repairer, host->lid + k, recalled + k, n_reached,
                    fabric->ports[node->first_port + i].number, k)) {
                return false;
            }
        }
    }
    return true;
}

enum sf_status
sf_tables_repair(const struct sf_tables *previous,
                 const struct sf_fabric *previous_fabric,
                 const struct sf_fabric *fabric, const struct sf_graph *graph,
                 const uint32_t *link_ports, uint32_t n_layers,
                 uint32_t usual_hops, const struct sf_turns *turns,
                 struct sf_tables **tablesp, struct sf_repair *repair,
                 struct sf_error *err)
{
    uint32_t n = graph->n_nodes;
    struct repairer repairer = {
        .previous = previous,
        .fabric = fabric,
        .graph = graph,
        .link_ports = link_ports,
        .n_layers = n_layers,
        .usual_hops = usual_hops,
        .before = sf_switches_by_guid(fabric, previous_fabric),
        .hop_of_port = sf_calloc(fabric->n_ports, sizeof(uint16_t)),
        .order = sf_calloc(n, sizeof(uint32_t)),
        .best = sf_calloc(n, sizeof(uint32_t)),
        .memo_hops = sf_calloc(n, 2 * SF_MAX_LAYERS * sizeof(uint16_t)),
        .mender = { .graph = graph, .turns = turns },
    };
    struct mender *mender = &repairer.mender;
    enum sf_status status = SF_OK;

    *tablesp = NULL;
    mender->best = repairer.best;
    mender->hops = sf_calloc(n, sizeof(uint16_t));
    mender->depths = sf_calloc(n, sizeof(uint32_t));
    mender->queue = sf_calloc(n, sizeof(uint32_t));
    mender->ranks = sf_calloc(n, sizeof(uint32_t));
    mender->reverse = sf_calloc(2 * (size_t)graph->n_links, sizeof(uint32_t));
    if (!repairer.before || !repairer.hop_of_port || !repairer.order ||
        !repairer.best || !repairer.memo_hops || !mender->hops ||
        !mender->depths || !mender->queue || !mender->ranks ||
        !mender->reverse) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for a repair");
        goto done;
    }
    status = sf_tables_make(fabric, &repairer.tables, err);
    if (status != SF_OK) {
        goto done;
    }
    for (uint32_t k = 0; k < SF_MAX_LAYERS; k++) {
        repairer.memos[k].recalled = repairer.memo_hops + (size_t)2 * k * n;
        repairer.memos[k].mended = repairer.memos[k].recalled + n;
    }
    sf_tables_map_ports(fabric, graph, link_ports, repairer.hop_of_port);
    sf_graph_pair_arcs(graph, mender->reverse);
    for (uint32_t d = 0; status == SF_OK && d < n; d++) {
        if (!repair_destination(&repairer, d)) {
            status = sf_fail(err, SF_ELANES,
                             "the lanes leave switch %s without a path from "
                             "everywhere: the tables must be made anew",
                             fabric->nodes[d].name);
        }
    }
    if (status == SF_OK) {
        status = sf_tables_compare(previous, previous_fabric, repairer.tables,
                                   fabric, repair, err);
    }
    if (status == SF_OK) {
        *tablesp = repairer.tables;
    } else {
        sf_tables_free(repairer.tables);
    }

done:
    free(mender->reverse);
    free(mender->ranks);
    free(mender->queue);
    free(mender->depths);
    free(mender->hops);
    free(repairer.memo_hops);
    free(repairer.best);
    free(repairer.order);
    free(repairer.hop_of_port);
    free(repairer.before);
    return status;
}
