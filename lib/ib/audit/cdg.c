/* cdg.c -- the channel dependency graph and its shortest cycle.  Here a
 * successor of a channel is one that a path needs next while it holds that
 * channel; predecessors are the other way round. */
#include "ib/audit/cdg.h"

#include "base/mem.h"

#include <string.h>

static bool
is_between_switches(const struct sf_fabric *fabric, uint32_t port)
{
    uint32_t peer = fabric->ports[port].peer;
    return fabric->ports[port].node < fabric->n_switches && peer != SF_NONE &&
           fabric->ports[peer].node < fabric->n_switches;
}

static void
number_arcs(struct sf_cdg *cdg, const struct sf_fabric *fabric)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        cdg->arc_of_port[i] = SF_NONE;
    }
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        const struct sf_node *node = &fabric->nodes[s];
        cdg->first[s] = n;
        for (uint32_t i = 0; i < node->n_ports; i++) {
            uint32_t port = node->first_port + i;
            if (is_between_switches(fabric, port)) {
                uint32_t to = fabric->ports[fabric->ports[port].peer].node;
                cdg->arcs[n] = (struct sf_cdg_arc){ s, to, port, SF_NONE };
                cdg->arc_of_port[port] = n++;
            }
        }
        size_t degree = n - cdg->first[s];
        cdg->table[s] = cdg->n_rows;
        cdg->n_rows += degree * degree * cdg->n_vls;
    }
    cdg->first[fabric->n_switches] = n;
    for (uint32_t i = 0; i < n; i++) {
        cdg->arcs[i].reverse =
            cdg->arc_of_port[fabric->ports[cdg->arcs[i].port].peer];
    }
}

enum sf_status
sf_cdg_build(const struct sf_fabric *fabric, uint32_t n_vls,
             struct sf_cdg **cdgp, struct sf_error *err)
{
    struct sf_cdg *cdg = sf_calloc(1, sizeof *cdg);

    *cdgp = NULL;
    if (!cdg) {
        goto no_memory;
    }
    cdg->n_switches = fabric->n_switches;
    cdg->n_vls = n_vls;
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        cdg->n_arcs += is_between_switches(fabric, i);
    }
    cdg->arcs = sf_calloc(cdg->n_arcs, sizeof *cdg->arcs);
    cdg->first = sf_calloc((size_t)cdg->n_switches + 1, sizeof *cdg->first);
    cdg->arc_of_port = sf_calloc(fabric->n_ports, sizeof *cdg->arc_of_port);
    cdg->table = sf_calloc(cdg->n_switches, sizeof *cdg->table);
    cdg->is_used = sf_calloc((size_t)cdg->n_arcs * n_vls, 1);
    if (!cdg->arcs || !cdg->first || !cdg->arc_of_port || !cdg->table ||
        !cdg->is_used) {
        goto no_memory;
    }
    number_arcs(cdg, fabric);
    cdg->rows = sf_calloc(cdg->n_rows, sizeof *cdg->rows);
    if (!cdg->rows) {
        goto no_memory;
    }
    *cdgp = cdg;
    return SF_OK;

no_memory:
    sf_cdg_free(cdg);
    return sf_fail(err, SF_ENOMEM, "out of memory for channel dependencies");
}

void
sf_cdg_free(struct sf_cdg *cdg)
{
    if (cdg) {
        free(cdg->rows);
        free(cdg->is_used);
        free(cdg->table);
        free(cdg->arc_of_port);
        free(cdg->first);
        free(cdg->arcs);
        free(cdg);
    }
}

void
sf_cdg_clear(struct sf_cdg *cdg)
{
    memset(cdg->rows, 0, cdg->n_rows * sizeof *cdg->rows);
    memset(cdg->is_used, 0, (size_t)cdg->n_arcs * cdg->n_vls);
}

/* A walk over the successors of a channel. */
struct successors {
    const struct sf_cdg *cdg;
    uint32_t in, vl; /* The channel. */
    uint32_t out, end;
    unsigned vls; /* Those of 'out' that are still to come. */
};

static struct successors
successors_of(const struct sf_cdg *cdg, uint32_t channel)
{
    struct successors successors = { .cdg = cdg,
                                     .in = channel / cdg->n_vls,
                                     .vl = channel % cdg->n_vls };
    uint32_t s = cdg->arcs[successors.in].to;
    successors.out = cdg->first[s];
    successors.end = cdg->first[s + 1];
    successors.vls =
        successors.out < successors.end
            ? *sf_cdg_row(cdg, successors.in, successors.vl, successors.out)
            : 0;
    return successors;
}

/* The next successor, or SF_NONE. */
static uint32_t
next_successor(struct successors *successors)
{
    const struct sf_cdg *cdg = successors->cdg;

    while (!successors->vls) {
        if (successors->out >= successors->end ||
            ++successors->out >= successors->end) {
            return SF_NONE;
        }
        successors->vls =
            *sf_cdg_row(cdg, successors->in, successors->vl, successors->out);
    }
    uint32_t vl = (uint32_t)__builtin_ctz(successors->vls);
    successors->vls &= successors->vls - 1;
    return successors->out * cdg->n_vls + vl;
}

/* What the search for cycles works on. */
struct search {
    const struct sf_cdg *cdg;
    uint32_t n_channels;
    bool *is_left;    /* [n_channels] By Kahn's algorithm. */
    uint32_t *counts; /* [n_channels] Predecessors or successors that are
                       * left; then the distance from the start. */
    uint32_t *parent; /* [n_channels] */
    uint32_t *queue;  /* [n_channels] */
    uint32_t *best;   /* [n_best] The shortest cycle so far. */
    uint32_t n_best;
};

/* Takes away, again and again, channels without predecessors that are left;
 * returns how many stay. */
static uint32_t
remove_sources(struct search *search)
{
    uint32_t n_queued = 0;

    for (uint32_t c = 0; c < search->n_channels; c++) {
        struct successors successors = successors_of(search->cdg, c);
        search->is_left[c] = true;
        for (uint32_t d; (d = next_successor(&successors)) != SF_NONE;) {
            search->counts[d]++;
        }
    }
    for (uint32_t c = 0; c < search->n_channels; c++) {
        if (!search->counts[c]) {
            search->queue[n_queued++] = c;
        }
    }
    for (uint32_t i = 0; i < n_queued; i++) {
        struct successors successors =
            successors_of(search->cdg, search->queue[i]);
        search->is_left[search->queue[i]] = false;
        for (uint32_t d; (d = next_successor(&successors)) != SF_NONE;) {
            if (--search->counts[d] == 0) {
                search->queue[n_queued++] = d;
            }
        }
    }
    return search->n_channels - n_queued;
}

/* Takes away, again and again, channels without successors that are left, as
 * remove_sources() does with those without predecessors.  What is left then is
 * on a cycle or leads from one cycle to another. */
static void
remove_sinks(struct search *search)
{
    const struct sf_cdg *cdg = search->cdg;
    uint32_t *n_successors = search->counts;
    uint32_t n_queued = 0;

    for (uint32_t c = 0; c < search->n_channels; c++) {
        struct successors successors = successors_of(cdg, c);
        n_successors[c] = 0;
        for (uint32_t d; (d = next_successor(&successors)) != SF_NONE;) {
            n_successors[c] += search->is_left[d];
        }
        if (search->is_left[c] && !n_successors[c]) {
            search->queue[n_queued++] = c;
        }
    }
    for (uint32_t i = 0; i < n_queued; i++) {
        uint32_t out = search->queue[i] / cdg->n_vls;
        uint32_t vl_out = search->queue[i] % cdg->n_vls;
        uint32_t s = cdg->arcs[out].from;
        search->is_left[search->queue[i]] = false;
        for (uint32_t arc = cdg->first[s]; arc < cdg->first[s + 1]; arc++) {
            uint32_t in = cdg->arcs[arc].reverse;
            for (uint32_t vl = 0; vl < cdg->n_vls; vl++) {
                uint32_t c = in * cdg->n_vls + vl;
                if ((*sf_cdg_row(cdg, in, vl, out) >> vl_out & 1) &&
                    search->is_left[c] && --n_successors[c] == 0) {
                    search->queue[n_queued++] = c;
                }
            }
        }
    }
}

/* Searches for a cycle through 'start' and channels after it that is shorter
 * than the best.  'distance' is all SF_NONE, and is so again afterwards. */
static void
search_from(struct search *search, uint32_t start)
{
    uint32_t *distance = search->counts;
    uint32_t n_queued = 0, last = SF_NONE;

    distance[start] = 0;
    search->queue[n_queued++] = start;
    for (uint32_t i = 0; i < n_queued && last == SF_NONE; i++) {
        uint32_t c = search->queue[i];
        if (distance[c] + 1 >= search->n_best) {
            break; /* Whatever closes here is no shorter. */
        }
        struct successors successors = successors_of(search->cdg, c);
        for (uint32_t d; (d = next_successor(&successors)) != SF_NONE;) {
            if (d == start) {
                last = c;
                break;
            }
            if (d > start && search->is_left[d] && distance[d] == SF_NONE) {
                distance[d] = distance[c] + 1;
                search->parent[d] = c;
                search->queue[n_queued++] = d;
            }
        }
    }
    if (last != SF_NONE) {
        search->n_best = distance[last] + 1;
        for (uint32_t i = search->n_best; i-- > 0;
             last = search->parent[last]) {
            search->best[i] = last;
        }
    }
    for (uint32_t i = 0; i < n_queued; i++) {
        distance[search->queue[i]] = SF_NONE;
    }
}

static void
search_all(struct search *search)
{
    search->n_best = SF_NONE;
    for (uint32_t c = 0; c < search->n_channels; c++) {
        search->counts[c] = SF_NONE;
    }
    /* No cycle has fewer than two channels: there and back again. */
    for (uint32_t c = 0; c < search->n_channels && search->n_best > 2; c++) {
        if (search->is_left[c]) {
            search_from(search, c);
        }
    }
}

enum sf_status
sf_cdg_shortest_cycle(const struct sf_cdg *cdg, uint32_t **channelsp,
                      uint32_t *n_channelsp, struct sf_error *err)
{
    uint32_t n = cdg->n_arcs * cdg->n_vls;
    struct search search = { .cdg = cdg, .n_channels = n };
    enum sf_status status = SF_OK;

    *channelsp = NULL;
    *n_channelsp = 0;
    search.is_left = sf_calloc(n, sizeof *search.is_left);
    search.counts = sf_calloc(n, sizeof *search.counts);
    search.parent = sf_calloc(n, sizeof *search.parent);
    search.queue = sf_calloc(n, sizeof *search.queue);
    search.best = sf_calloc(n, sizeof *search.best);
    if (!search.is_left || !search.counts || !search.parent || !search.queue ||
        !search.best) {
        status = sf_fail(err, SF_ENOMEM, "deadlock check of %u channels", n);
    } else if (remove_sources(&search) > 0) {
        remove_sinks(&search);
        search_all(&search);
        *channelsp = search.best;
        *n_channelsp = search.n_best;
        search.best = NULL;
    }
    free(search.best);
    free(search.queue);
    free(search.parent);
    free(search.counts);
    free(search.is_left);
    return status;
}
