#include "analysis/bounds.h"

#include <math.h>
#include <string.h>

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for bounds");
}

/* What demands ask of the edges: of all together, and of those of a switch. */
struct asked {
    double hops;      /* Amounts times lengths of shortest paths. */
    double *out, *in; /* [n_nodes] What a switch sends and receives. */
};

static bool
reserve_asked(struct asked *asked, const struct sf_net *net)
{
    asked->hops = 0;
    asked->out = sf_calloc(net->n_nodes, sizeof *asked->out);
    asked->in = sf_calloc(net->n_nodes, sizeof *asked->in);
    return asked->out && asked->in;
}

static void
clear_asked(struct asked *asked)
{
    free(asked->in);
    free(asked->out);
}

static void
ask(struct asked *asked, const struct sf_demand *demand, uint32_t n_hops)
{
    asked->hops += demand->amount * n_hops;
    asked->out[demand->source] += demand->amount;
    asked->in[demand->destination] += demand->amount;
}

/* What must be asked of some edge. */
static double
find_needed(const struct asked *asked, const struct sf_net *net)
{
    double all = 0, needed = 0;

    for (uint32_t s = 0; s < net->n_nodes; s++) {
        double capacity = 0;
        for (uint32_t e = net->first[s]; e < net->first[s + 1]; e++) {
            capacity += net->capacities[e];
        }
        /* Every link goes both ways, so that as much comes in. */
        if (capacity > 0) {
            needed = fmax(needed, asked->out[s] / capacity);
            needed = fmax(needed, asked->in[s] / capacity);
        }
        all += capacity;
    }
    return all > 0 ? fmax(needed, asked->hops / all) : needed;
}

/* The shortest paths from one switch, all of them. */
struct fan {
    const struct sf_net *net;
    uint32_t *hops;   /* [n_nodes] SF_NONE: out of reach. */
    uint32_t *queue;  /* [n_nodes] Switches, the nearest first. */
    uint32_t n_queue; /* In reach. */
    double *ways;     /* [n_nodes] Shortest paths, by capacity. */
    double *flows;    /* [n_nodes] What passes or ends here. */
    double *loads;    /* [n_edges] Of all switches so far. */
};

static bool
reserve_fan(struct fan *fan, const struct sf_net *net)
{
    fan->net = net;
    fan->hops = sf_calloc(net->n_nodes, sizeof *fan->hops);
    fan->queue = sf_calloc(net->n_nodes, sizeof *fan->queue);
    fan->ways = sf_calloc(net->n_nodes, sizeof *fan->ways);
    fan->flows = sf_calloc(net->n_nodes, sizeof *fan->flows);
    fan->loads = sf_calloc(net->n_edges, sizeof *fan->loads);
    return fan->hops && fan->queue && fan->ways && fan->flows && fan->loads;
}

static void
clear_fan(struct fan *fan)
{
    free(fan->loads);
    free(fan->flows);
    free(fan->ways);
    free(fan->queue);
    free(fan->hops);
}

/* Finds the paths from 'source', with nothing flowing yet. */
static void
open_fan(struct fan *fan, uint32_t source)
{
    const struct sf_net *net = fan->net;

    for (uint32_t s = 0; s < net->n_nodes; s++) {
        fan->hops[s] = SF_NONE;
        fan->ways[s] = 0;
        fan->flows[s] = 0;
    }
    fan->hops[source] = 0;
    fan->ways[source] = 1;
    fan->queue[0] = source;
    fan->n_queue = 1;
    for (uint32_t i = 0; i < fan->n_queue; i++) {
        uint32_t at = fan->queue[i];
        for (uint32_t e = net->first[at]; e < net->first[at + 1]; e++) {
            uint32_t to = net->heads[e];
            if (fan->hops[to] == SF_NONE) {
                fan->hops[to] = fan->hops[at] + 1;
                fan->queue[fan->n_queue++] = to;
            }
            if (fan->hops[to] == fan->hops[at] + 1) {
                fan->ways[to] += fan->ways[at] * net->capacities[e];
            }
        }
    }
}

/* Lets 'flows' come from the source, over all shortest paths alike.  From the
 * farthest switch on, each asks its predecessors for what it needs. */
static void
fill_fan(struct fan *fan)
{
    const struct sf_net *net = fan->net;

    for (uint32_t i = fan->n_queue; i-- > 0;) {
        uint32_t at = fan->queue[i];
        for (uint32_t e = net->first[at]; e < net->first[at + 1]; e++) {
            uint32_t to = net->heads[e];
            if (fan->hops[to] == fan->hops[at] + 1 && fan->flows[to] > 0) {
                double flow = fan->flows[to] * fan->ways[at] *
                              net->capacities[e] / fan->ways[to];
                fan->loads[e] += flow;
                fan->flows[at] += flow;
            }
        }
    }
}

enum sf_status
sf_bounds_of_net(const struct sf_net *net, const struct sf_traffic *traffic,
                 struct sf_bounds *bounds, uint32_t *longestp,
                 uint64_t *n_pairsp, struct sf_error *err)
{
    struct asked asked = { 0 };
    struct fan fan = { 0 };
    enum sf_status status = SF_OK;

    *longestp = 0;
    *n_pairsp = 0;
    if (!reserve_asked(&asked, net) || !reserve_fan(&fan, net)) {
        status = fail_memory(err);
        goto done;
    }
    for (size_t k = 0, first = 0; k < traffic->n_demands; k++) {
        const struct sf_demand *demand = &traffic->demands[k];
        if (k == 0 || demand->source != demand[-1].source) {
            open_fan(&fan, demand->source);
            first = k;
        }
        uint32_t n_hops = fan.hops[demand->destination];
        if (n_hops == SF_NONE) {
            *longestp = SF_NONE;
            goto done;
        }
        ask(&asked, demand, n_hops);
        *longestp = n_hops > *longestp ? n_hops : *longestp;
        *n_pairsp +=
            k == first || demand->destination != demand[-1].destination;
        fan.flows[demand->destination] += demand->amount;
        if (k + 1 == traffic->n_demands ||
            demand[1].source != demand->source) {
            fill_fan(&fan);
        }
    }
    bounds->suffices = sf_net_congestion(net, fan.loads);
    bounds->needed = find_needed(&asked, net);

done:
    clear_fan(&fan);
    clear_asked(&asked);
    return status;
}

/* The length of the shortest path of demand 'k', in 'hops'. */
static uint32_t
find_shortest(const struct sf_paths *paths, size_t k)
{
    const uint32_t *first_hop = paths->first_hop.items;
    uint32_t shortest = UINT32_MAX;

    for (uint32_t p = paths->first_path.items[k];
         p < paths->first_path.items[k + 1]; p++) {
        uint32_t n_hops = first_hop[p + 1] - first_hop[p];
        shortest = n_hops < shortest ? n_hops : shortest;
    }
    return shortest;
}

/* Shares each demand out over its paths alike, of which those longer than the
 * shortest count only if 'all' of them do. */
static void
share_evenly(const struct sf_paths *paths, bool all, double *shares)
{
    const uint32_t *first_hop = paths->first_hop.items;

    for (size_t k = 0; k < paths->demands.n; k++) {
        uint32_t first = paths->first_path.items[k], n = 0;
        uint32_t end = paths->first_path.items[k + 1];
        uint32_t longest = all ? UINT32_MAX : find_shortest(paths, k);
        for (uint32_t p = first; p < end; p++) {
            n += first_hop[p + 1] - first_hop[p] <= longest;
        }
        for (uint32_t p = first; p < end; p++) {
            bool counts = first_hop[p + 1] - first_hop[p] <= longest;
            shares[p] = counts ? 1.0 / n : 0;
        }
    }
}

enum sf_status
sf_bounds_of_paths(const struct sf_paths *paths, const struct sf_net *net,
                   bool grow, struct sf_bounds *bounds, double *shares,
                   struct sf_error *err)
{
    struct asked asked = { 0 };
    double *loads = sf_calloc(net->n_edges, sizeof *loads);
    enum sf_status status = SF_OK;

    if (!reserve_asked(&asked, net) || !loads) {
        status = fail_memory(err);
        goto done;
    }
    for (size_t k = 0; k < paths->demands.n; k++) {
        ask(&asked, &paths->demands.items[k],
            grow ? 0 : find_shortest(paths, k));
    }
    bounds->needed = find_needed(&asked, net);
    share_evenly(paths, false, shares);
    sf_paths_loads(paths, net, shares, loads);
    bounds->suffices = sf_net_congestion(net, loads);
    share_evenly(paths, true, shares);
    sf_paths_loads(paths, net, shares, loads);
    double congestion = sf_net_congestion(net, loads);
    if (congestion <= bounds->suffices) {
        bounds->suffices = congestion;
    } else {
        share_evenly(paths, false, shares);
    }

done:
    free(loads);
    clear_asked(&asked);
    return status;
}
