/* permutation.c -- bounds for traffic in which each host sends to one other.
 *
 * From above.  Let the p hosts of a switch send to those of a switch d hops
 * away, each with a share x of its rate.  If c links of either switch lie on
 * paths of d hops, these carry at most c; what is more goes over at least
 * d + 1 hops.  So the pair loads links with x p (d + 1) - min(x p, c) or more,
 * and all pairs together load them with no more than there are directions of
 * links.
 *
 * Also from above: the hosts of the smaller side of a cut may all send to the
 * other side. */
#include "design/permutation.h"

#include "base/distances.h"
#include "base/mem.h"

#include <math.h>

/* The distances of all pairs of more switches would take seconds. */
#define MAX_PAIRED 2048

#define HALVINGS 40 /* Of the interval from 0 to 1. */

/* Distances between the switches of a permutation that is being made. */
struct pairing {
    const struct sf_graph *graph;
    const uint16_t *distances;
    struct switch_pair *pairs;
    uint32_t n;
    bool *is_taken; /* [n] Whether a pair leads to the switch of pairs[i]. */
};

static uint32_t
hops_between(const struct pairing *pairing, uint32_t a, uint32_t b)
{
    return pairing->distances[(size_t)a * pairing->graph->n_nodes + b];
}

/* How many links of 'a' begin a shortest path to 'b'. */
static uint32_t
links_towards(const struct pairing *pairing, uint32_t a, uint32_t b)
{
    const struct sf_graph *graph = pairing->graph;
    uint32_t n = 0;

    for (uint32_t i = graph->first[a]; i < graph->first[a + 1]; i++) {
        n += hops_between(pairing, graph->arcs[i].to, b) + 1 ==
             hops_between(pairing, a, b);
    }
    return n;
}

/* Which switch that is not taken is the farthest from that of pair 'i'; of
 * equals the one with the fewest shortest paths, then the first after half a
 * round, so that not all go for the same. */
static uint32_t
find_farthest(const struct pairing *pairing, uint32_t i)
{
    uint32_t n = pairing->n, from = pairing->pairs[i].from;
    uint32_t best = SF_NONE, most = 0, fewest = SF_NONE;

    for (uint32_t j = 0; j < n; j++) {
        if (j != i && !pairing->is_taken[j]) {
            uint32_t to = pairing->pairs[j].from;
            uint32_t hops = hops_between(pairing, from, to);
            most = hops > most ? hops : most;
        }
    }
    for (uint32_t step = 0; step < n && fewest > 1; step++) {
        uint32_t j = (i + n / 2 + step) % n, to = pairing->pairs[j].from;
        if (j == i || pairing->is_taken[j] ||
            hops_between(pairing, from, to) < most) {
            continue;
        }
        uint32_t n_direct = links_towards(pairing, from, to);
        if (n_direct < fewest) {
            best = j;
            fewest = n_direct;
        }
    }
    return best;
}

/* Exchanges the destination of pair 'i' with that of the pair where the sum of
 * hops grows most, if it does with any. */
static void
exchange(struct pairing *pairing, uint32_t i)
{
    struct switch_pair *one = &pairing->pairs[i], *best = NULL;
    uint32_t most = 0;

    for (uint32_t k = 0; k < pairing->n; k++) {
        struct switch_pair *two = &pairing->pairs[k];
        uint32_t before = hops_between(pairing, one->from, one->to) +
                          hops_between(pairing, two->from, two->to);
        uint32_t after = hops_between(pairing, one->from, two->to) +
                         hops_between(pairing, two->from, one->to);
        if (one->from != two->to && two->from != one->to &&
            after > before + most) {
            best = two;
            most = after - before;
        }
    }
    if (best) {
        uint32_t to = one->to;
        one->to = best->to;
        best->to = to;
    }
}

static void
pair_switches(struct pairing *pairing)
{
    struct switch_pair *pairs = pairing->pairs;

    for (uint32_t i = 0; i < pairing->n; i++) {
        uint32_t j = find_farthest(pairing, i);
        if (j == SF_NONE) { /* The last one, and only itself is left. */
            pairs[i].to = pairs[0].to;
            pairs[0].to = pairs[i].from;
        } else {
            pairs[i].to = pairs[j].from;
            pairing->is_taken[j] = true;
        }
    }
    for (uint32_t i = 0; i < pairing->n; i++) {
        exchange(pairing, i);
    }
    for (uint32_t i = 0; i < pairing->n; i++) {
        uint32_t out = links_towards(pairing, pairs[i].from, pairs[i].to);
        uint32_t in = links_towards(pairing, pairs[i].to, pairs[i].from);
        pairs[i].hops = hops_between(pairing, pairs[i].from, pairs[i].to);
        pairs[i].n_direct = out < in ? out : in;
    }
}

enum sf_status
sf_permutation_make(const struct sf_topology *topo,
                    struct permutation *permutation, struct sf_error *err)
{
    uint32_t n_nodes = topo->graph->n_nodes;
    uint16_t *distances = sf_graph_distances(topo->graph);
    struct pairing pairing = {
        .graph = topo->graph,
        .distances = distances,
        .pairs = sf_calloc(n_nodes, sizeof *pairing.pairs),
        .is_taken = sf_calloc(n_nodes, sizeof *pairing.is_taken),
    };
    enum sf_status status = SF_OK;

    *permutation = (struct permutation){ 0 };
    if (!distances || !pairing.pairs || !pairing.is_taken) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for a permutation");
        free(pairing.pairs);
    } else {
        for (uint32_t s = 0; s < n_nodes; s++) {
            if (topo->n_hosts[s]) {
                pairing.pairs[pairing.n++].from = s;
            }
        }
        pair_switches(&pairing);
        *permutation = (struct permutation){ pairing.n, pairing.pairs };
    }
    free(pairing.is_taken);
    free(distances);
    return status;
}

void
sf_permutation_clear(struct permutation *permutation)
{
    free(permutation->pairs);
    *permutation = (struct permutation){ 0 };
}

double
sf_permutation_share(const struct sf_topology *topo,
                     const struct permutation *permutation)
{
    double p = sf_topology_concentration(topo), low = 0, high = 2;

    for (int i = 0; i < HALVINGS; i++) {
        double share = (low + high) / 2, load = 0;
        for (uint32_t k = 0; k < permutation->n; k++) {
            const struct switch_pair *pair = &permutation->pairs[k];
            load += share * p * (pair->hops + 1.0) -
                    fmin(share * p, pair->n_direct);
        }
        if (load > 2.0 * topo->graph->n_links) {
            high = share;
        } else {
            low = share;
        }
    }
    return fmin(high, 1);
}

/* What links allow hosts that send over their mean distance.  Of all shifts
 * of switches one sends at least that far, as they have each pair once. */
static double
share_by_mean(const struct sf_topology *topo, double average)
{
    return fmin(2.0 * topo->graph->n_links / (topo->n_endpoints * average), 1);
}

enum sf_status
sf_permutation_bound(const struct sf_topology *topo,
                     const struct bisection *bisection, double average,
                     double *at_mostp, struct sf_error *err)
{
    struct permutation permutation;

    *at_mostp = (double)NAN;
    if (!(average > 0)) {
        return SF_OK; /* Not connected, or one switch has all hosts. */
    }
    double share = share_by_mean(topo, average);
    if (topo->graph->n_nodes <= MAX_PAIRED) {
        enum sf_status status = sf_permutation_make(topo, &permutation, err);
        if (status != SF_OK) {
            return status;
        }
        share = fmin(share, sf_permutation_share(topo, &permutation));
        sf_permutation_clear(&permutation);
    }
    *at_mostp = fmin(share, (double)bisection->at_most / bisection->n_half);
    return SF_OK;
}

/* A Fat Tree whose switches have as many links up as hosts and links down:
 * each spreads what goes up evenly over its links up.  The families join
 * levels evenly, so what comes down to a switch is spread as evenly over the
 * links that lead there, which carry it as they carry what goes up.
 * [Leiserson85] */
bool
sf_permutation_is_never_blocked(const struct sf_topology *topo)
{
    const struct sf_graph *graph = topo->graph;
    uint32_t coord = topo->family->level_coord, top = 0;

    if (coord == SF_NONE) {
        return false;
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t level = sf_topology_place(topo, s)[coord];
        top = level > top ? level : top;
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t level = sf_topology_place(topo, s)[coord], n_up = 0;
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            uint32_t to = graph->arcs[i].to;
            n_up += sf_topology_place(topo, to)[coord] > level;
        }
        uint32_t n_down = sf_graph_degree(graph, s) - n_up + topo->n_hosts[s];
        if (level < top && n_up < n_down) {
            return false;
        }
    }
    return true;
}
