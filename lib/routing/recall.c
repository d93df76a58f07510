/* recall.c -- the turns of an earlier state of a fabric: carried over to its
 * present links, or found again in its tables. */
#include "routing/recall.h"

#include "base/mem.h"
#include "ib/tables.h"
#include "lanes/columns.h"
#include "routes/turns.h"

#include <string.h>

/* The port of 'arc', which leaves switch 's'. */
static const struct sf_port *
port_of(const struct sf_fabric *fabric, const struct sf_graph *graph,
        const uint32_t *link_ports, uint32_t s, uint32_t arc)
{
    uint32_t link = graph->arcs[arc].link;
    return &fabric->ports[link_ports[2 * link + (graph->links[link].b == s)]];
}

/* The arc of 'base' that is the same cable, plugged into the same ports of the
 * same switches, as 'arc' of switch 's' of 'routing', or SF_NONE.  'before'
 * tells the numbers of the switches in 'base'. */
static uint32_t
same_arc(const struct sf_routing *base, const struct sf_routing *routing,
         const uint32_t *before, uint32_t s, uint32_t arc)
{
    const struct sf_graph *graph = base->graph;
    const struct sf_port *port =
        port_of(routing->fabric, routing->graph, routing->link_ports, s, arc);
    const struct sf_port *peer = &routing->fabric->ports[port->peer];
    uint32_t from = before[s], to = before[routing->graph->arcs[arc].to];

    if (from == SF_NONE || to == SF_NONE) {
        return SF_NONE;
    }
    for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
        const struct sf_port *other =
            port_of(base->fabric, graph, base->link_ports, from, i);
        if (graph->arcs[i].to == to && other->number == port->number &&
            base->fabric->ports[other->peer].number == peer->number) {
            return i;
        }
    }
    return SF_NONE;
}

/* Copies the VLs of the turns at switch 's'; 'same' is same_arc() of all. */
static void
carry_switch(const struct sf_routing *base, struct sf_routing *routing,
             uint32_t s, uint32_t from, const uint32_t *same)
{
    uint32_t first = routing->graph->first[s];
    uint32_t degree = sf_graph_degree(routing->graph, s);
    uint8_t *vls = routing->turns->vls + routing->turns->first[s];

    for (uint32_t i = 0; i < degree; i++) {
        for (uint32_t j = 0; j < degree; j++) {
            uint32_t in = same[first + i], out = same[first + j];
            if (in != SF_NONE && out != SF_NONE) {
                uint32_t base_first = base->graph->first[from];
                vls[i * degree + j] =
                    base->turns->vls[base->turns->first[from] +
                                     (size_t)(in - base_first) *
                                         sf_graph_degree(base->graph, from) +
                                     (out - base_first)];
            }
        }
    }
}

/* Ranks the channels of arc 'i', the same as 'same' of 'base': as before, but
 * one up; or of a new link: VL 0 below all others, so that paths may start
 * with it, and the other VLs above all, so that paths may end with it. */
static void
rank_arc(const struct sf_turns *base, struct sf_turns *turns, uint32_t i,
         uint32_t same, uint32_t top_rank)
{
    uint32_t n_vls = turns->n_vls;

    for (uint32_t vl = 0; vl < n_vls; vl++) {
        turns->ranks[(size_t)i * n_vls + vl] =
            same != SF_NONE ? base->ranks[(size_t)same * n_vls + vl] + 1
            : vl == 0       ? 0
                            : top_rank;
    }
}

/* The VL on which the rank of 'arc' is lowest: from there, most paths can go
 * on. */
static uint8_t
lowest_vl(const struct sf_turns *turns, uint32_t arc)
{
    const uint32_t *ranks = turns->ranks + (size_t)arc * turns->n_vls;
    uint32_t lowest = 0;

    for (uint32_t vl = 1; vl < turns->n_vls; vl++) {
        lowest = ranks[vl] < ranks[lowest] ? vl : lowest;
    }
    return (uint8_t)lowest;
}

/* Allows the turns at switch 's' from and to new links. */
static void
allow_new(const struct sf_routing *routing, uint32_t s, const uint32_t *same)
{
    struct sf_turns *turns = routing->turns;
    uint32_t first = routing->graph->first[s];
    uint32_t degree = sf_graph_degree(routing->graph, s);
    uint8_t *vls = turns->vls + turns->first[s];

    for (uint32_t i = 0; i < degree; i++) {
        for (uint32_t j = 0; j < degree; j++) {
            if (i != j && same[first + j] == SF_NONE) {
                vls[i * degree + j] = (uint8_t)(turns->n_vls - 1);
            } else if (i != j && same[first + i] == SF_NONE) {
                vls[i * degree + j] = lowest_vl(turns, first + j);
            }
        }
    }
}

static uint32_t
highest_rank(const struct sf_routing *base)
{
    size_t n = 2 * (size_t)base->graph->n_links * base->turns->n_vls;
    uint32_t highest = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t rank = base->turns->ranks[i];
        highest = rank > highest ? rank : highest;
    }
    return highest;
}

enum sf_status
sf_turns_carry(const struct sf_routing *base, struct sf_routing *routing,
               struct sf_error *err)
{
    const struct sf_graph *graph = routing->graph;
    uint32_t n_vls = base->turns->n_vls;
    uint32_t *before = sf_switches_by_guid(routing->fabric, base->fabric);
    uint32_t *same = sf_calloc(2 * (size_t)graph->n_links, sizeof *same);
    uint32_t top_rank = highest_rank(base) + 2;
    enum sf_status status = SF_OK;

    if (!before || !same) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for turns");
        goto done;
    }
    status = sf_turns_make(graph, n_vls, &routing->turns, err);
    for (uint32_t s = 0; status == SF_OK && s < graph->n_nodes; s++) {
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            same[i] = same_arc(base, routing, before, s, i);
            rank_arc(base->turns, routing->turns, i, same[i], top_rank);
        }
        carry_switch(base, routing, s, before[s], same);
        allow_new(routing, s, same);
    }

done:
    free(same);
    free(before);
    return status;
}

/* Finding turns again. */
struct recaller {
    const struct sf_graph *graph;
    struct sf_turns *turns;
    uint32_t *reverse;   /* [2E] */
    uint16_t *arrivals;  /* By turn: the VLs, a bit each, that packets which
                          * take it come on. */
    uint32_t *n_waiting; /* [2E * n_vls] Channels before this one whose ranks
                          * are not known yet. */
    uint32_t *ready;     /* [2E * n_vls] */
};

/* Takes the VLs of all turns at switch 's' out of 'sl2vl'. */
static enum sf_status
read_switch(const struct recaller *recaller, const struct sf_fabric *fabric,
            const uint32_t *link_ports, const struct sf_sl2vl *sl2vl,
            uint32_t s, struct sf_error *err)
{
    const struct sf_graph *graph = recaller->graph;
    uint32_t first = graph->first[s], degree = sf_graph_degree(graph, s);
    uint8_t *vls = recaller->turns->vls + recaller->turns->first[s];

    for (uint32_t j = 0; j < degree; j++) {
        uint32_t out =
            port_of(fabric, graph, link_ports, s, first + j)->number;
        for (uint32_t i = 0; i < degree; i++) {
            uint32_t in =
                port_of(fabric, graph, link_ports, s, first + i)->number;
            uint8_t vl = sf_sl2vl_of(sl2vl, s, in, out)[0];
            vls[i * degree + j] =
                vl < recaller->turns->n_vls ? vl : SF_NO_TURN;
        }
        for (uint32_t i = 0; i < fabric->nodes[s].n_ports; i++) {
            const struct sf_port *port =
                &fabric->ports[fabric->nodes[s].first_port + i];
            if (port->peer != SF_NONE &&
                fabric->ports[port->peer].node >= fabric->n_switches &&
                sf_sl2vl_of(sl2vl, s, port->number, out)[0] != 0) {
                return sf_fail(err, SF_ELANES,
                               "switch %s does not put what hosts send on "
                               "VL 0, as lanes by turns do",
                               fabric->nodes[s].name);
            }
        }
    }
    return SF_OK;
}

static size_t
turn_number(const struct recaller *recaller, uint32_t in, uint32_t out)
{
    const struct sf_graph *graph = recaller->graph;
    uint32_t at = graph->arcs[in].to;
    return recaller->turns->first[at] +
           (size_t)(recaller->reverse[in] - graph->first[at]) *
               sf_graph_degree(graph, at) +
           (out - graph->first[at]);
}

/* Follows the path of a column from 's' and notes on which VLs it comes to
 * each turn. */
static void
follow(struct recaller *recaller, const uint16_t *hops, uint32_t s)
{
    const struct sf_graph *graph = recaller->graph;
    uint8_t vl = 0;

    while (hops[s] != SF_NO_HOP) {
        uint32_t in = graph->first[s] + hops[s];
        s = graph->arcs[in].to;
        if (hops[s] == SF_NO_HOP) {
            return;
        }
        uint32_t out = graph->first[s] + hops[s];
        size_t turn = turn_number(recaller, in, out);
        recaller->arrivals[turn] |= (uint16_t)(1u << vl);
        vl = recaller->turns->vls[turn];
        if (vl == SF_NO_TURN) {
            return;
        }
    }
}

/* Does something with every dependency of channel 'from'. */
static void
count_dependencies(struct recaller *recaller, uint32_t from, bool is_known,
                   uint32_t *n_readyp)
{
    const struct sf_graph *graph = recaller->graph;
    uint32_t n_vls = recaller->turns->n_vls;
    uint32_t in = from / n_vls, at = graph->arcs[in].to;

    for (uint32_t out = graph->first[at]; out < graph->first[at + 1]; out++) {
        size_t turn = turn_number(recaller, in, out);
        uint8_t vl = recaller->turns->vls[turn];
        if (vl == SF_NO_TURN ||
            !(recaller->arrivals[turn] & 1u << from % n_vls)) {
            continue;
        }
        uint32_t to = out * n_vls + vl;
        uint32_t *ranks = recaller->turns->ranks;
        if (!is_known) {
            recaller->n_waiting[to]++;
            continue;
        }
        ranks[to] = ranks[from] + 1 > ranks[to] ? ranks[from] + 1 : ranks[to];
        if (--recaller->n_waiting[to] == 0) {
            recaller->ready[(*n_readyp)++] = to;
        }
    }
}

/* Ranks the channels: each above all that are held while it is waited for. */
static enum sf_status
rank_channels(struct recaller *recaller, struct sf_error *err)
{
    uint32_t n = 2 * recaller->graph->n_links * recaller->turns->n_vls;
    uint32_t n_ready = 0;

    for (uint32_t i = 0; i < n; i++) {
        count_dependencies(recaller, i, false, NULL);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (recaller->n_waiting[i] == 0) {
            recaller->ready[n_ready++] = i;
        }
    }
    for (uint32_t i = 0; i < n_ready; i++) {
        count_dependencies(recaller, recaller->ready[i], true, &n_ready);
    }
    return n_ready == n
               ? SF_OK
               : sf_fail(err, SF_ELANES,
                         "the earlier tables are not safe from deadlock with "
                         "all on SL 0");
}

static uint32_t
count_vls(const struct sf_sl2vl *sl2vl)
{
    uint32_t n_vls = 1;

    for (uint32_t s = 0; s < sl2vl->n_switches; s++) {
        size_t n_rows = (size_t)sl2vl->n_ports[s] + 1;
        const uint8_t *vls = sf_sl2vl_of(sl2vl, s, 0, 0);
        for (size_t i = 0; i < n_rows * n_rows; i++) {
            uint8_t vl = vls[i * SF_N_SLS];
            n_vls = vl < SF_DROP_VL && vl >= n_vls ? vl + 1u : n_vls;
        }
    }
    return n_vls;
}

static enum sf_status
make_recaller(struct recaller *recaller, uint32_t n_vls, struct sf_error *err)
{
    const struct sf_graph *graph = recaller->graph;
    size_t n_arcs = 2 * (size_t)graph->n_links, n_turns = 0;
    enum sf_status status = sf_turns_make(graph, n_vls, &recaller->turns, err);

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        n_turns +=
            (size_t)sf_graph_degree(graph, s) * sf_graph_degree(graph, s);
    }
    recaller->reverse = sf_calloc(n_arcs, sizeof *recaller->reverse);
    recaller->arrivals = sf_calloc(n_turns, sizeof *recaller->arrivals);
    recaller->n_waiting =
        sf_calloc(n_arcs, n_vls * sizeof *recaller->n_waiting);
    recaller->ready = sf_calloc(n_arcs, n_vls * sizeof *recaller->ready);
    if (status == SF_OK && (!recaller->reverse || !recaller->arrivals ||
                            !recaller->n_waiting || !recaller->ready)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for turns");
    }
    return status;
}

enum sf_status
sf_turns_recall(const struct sf_fabric *fabric, const struct sf_graph *graph,
                const uint32_t *link_ports, const struct sf_tables *tables,
                const struct sf_sl2vl *sl2vl, struct sf_turns **turnsp,
                struct sf_error *err)
{
    struct recaller recaller = { .graph = graph };
    struct sf_lft_columns *columns = NULL;
    enum sf_status status = make_recaller(&recaller, count_vls(sl2vl), err);

    *turnsp = NULL;
    if (status == SF_OK) {
        sf_graph_pair_arcs(graph, recaller.reverse);
        status = sf_lft_columns_build(fabric, graph, link_ports, tables,
                                      &columns, err);
    }
    for (uint32_t s = 0; status == SF_OK && s < graph->n_nodes; s++) {
        status = read_switch(&recaller, fabric, link_ports, sl2vl, s, err);
    }
    for (uint32_t i = 0; status == SF_OK && i < columns->n_columns; i++) {
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            follow(&recaller, sf_lft_column_hops(columns, i), s);
        }
    }
    if (status == SF_OK) {
        status = rank_channels(&recaller, err);
    }
    if (status == SF_OK) {
        *turnsp = recaller.turns;
        recaller.turns = NULL;
    }
    sf_lft_columns_free(columns);
    free(recaller.ready);
    free(recaller.n_waiting);
    free(recaller.arrivals);
    free(recaller.reverse);
    sf_turns_free(recaller.turns);
    return status;
}
