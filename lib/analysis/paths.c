#include "analysis/paths.h"

#include "base/distances.h"
#include "slimfly/random.h"

#include <stdio.h>
#include <string.h>

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for paths");
}

enum sf_status
sf_net_build(struct sf_net *net, const struct sf_graph *graph, bool bundled,
             struct sf_error *err)
{
    uint32_t n_arcs = 2 * graph->n_links;

    *net = (struct sf_net){ .graph = graph, .n_nodes = graph->n_nodes };
    net->first = sf_calloc((size_t)graph->n_nodes + 1, sizeof *net->first);
    net->heads = sf_calloc(n_arcs, sizeof *net->heads);
    net->capacities = sf_calloc(n_arcs, sizeof *net->capacities);
    if (!net->first || !net->heads || !net->capacities) {
        sf_net_clear(net);
        return fail_memory(err);
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        net->first[s] = net->n_edges;
        for (uint32_t arc = graph->first[s]; arc < graph->first[s + 1];
             arc++) {
            uint32_t to = graph->arcs[arc].to;
            if (bundled && arc > graph->first[s] &&
                graph->arcs[arc - 1].to == to) {
                net->capacities[net->n_edges - 1] += 1;
                continue;
            }
            net->heads[net->n_edges] = to;
            net->capacities[net->n_edges++] = 1;
        }
    }
    net->first[graph->n_nodes] = net->n_edges;
    return SF_OK;
}

void
sf_net_clear(struct sf_net *net)
{
    free(net->capacities);
    free(net->heads);
    free(net->first);
    *net = (struct sf_net){ 0 };
}

enum sf_status
sf_paths_begin(struct sf_paths *paths, const struct sf_demand *demand,
               struct sf_error *err)
{
    if (paths->first_hop.n == 0 && (!sf_vec_push(&paths->first_hop, 0) ||
                                    !sf_vec_push(&paths->first_path, 0))) {
        return fail_memory(err);
    }
    /* The end of the paths so far, and the start of the next. */
    uint32_t n_paths = (uint32_t)sf_paths_count(paths);
    if (!sf_vec_push(&paths->demands, *demand) ||
        !sf_vec_push(&paths->first_path, n_paths)) {
        return fail_memory(err);
    }
    return SF_OK;
}

/* Whether the demand begun last has the path already. */
static bool
has_path(const struct sf_paths *paths, const uint32_t *hops, uint32_t n_hops)
{
    const uint32_t *first_hop = paths->first_hop.items;

    for (size_t p = paths->first_path.items[paths->demands.n - 1];
         p < sf_paths_count(paths); p++) {
        if (first_hop[p + 1] - first_hop[p] == n_hops &&
            !memcmp(paths->hops.items + first_hop[p], hops,
                    n_hops * sizeof *hops)) {
            return true;
        }
    }
    return false;
}

enum sf_status
sf_paths_append(struct sf_paths *paths, const uint32_t *hops, uint32_t n_hops,
                struct sf_error *err)
{
    size_t limit = paths->max_paths ? paths->max_paths : INT32_MAX / 2;

    if (sf_paths_count(paths) >= limit || paths->hops.n + n_hops > INT32_MAX) {
        return sf_fail(err, SF_ELIMIT,
                       "more than %zu paths, or too long ones, which is more "
                       "than the solvers take",
                       sf_paths_count(paths));
    }
    for (uint32_t i = 0; i < n_hops; i++) {
        if (!sf_vec_push(&paths->hops, hops[i])) {
            return fail_memory(err);
        }
    }
    if (!sf_vec_push(&paths->first_hop, (uint32_t)paths->hops.n)) {
        return fail_memory(err);
    }
    paths->first_path.items[paths->demands.n]++;
    return SF_OK;
}

enum sf_status
sf_paths_add(struct sf_paths *paths, const uint32_t *hops, uint32_t n_hops,
             struct sf_error *err)
{
    return has_path(paths, hops, n_hops)
               ? SF_OK
               : sf_paths_append(paths, hops, n_hops, err);
}

void
sf_paths_clear(struct sf_paths *paths)
{
    free(paths->hops.items);
    free(paths->first_hop.items);
    free(paths->first_path.items);
    free(paths->demands.items);
    *paths = (struct sf_paths){ 0 };
}

enum sf_status
sf_fail_unserved(const struct sf_graph *graph, const struct sf_demand *demand,
                 uint32_t max_hops, struct sf_error *err)
{
    char limit[40] = "";
    if (max_hops) {
        snprintf(limit, sizeof limit, " of at most %u hops", max_hops);
    }
    return sf_fail(err, SF_EUNREACHABLE,
                   "switch %s sends to switch %s, but no path%s leads there",
                   sf_graph_name(graph, demand->source).text,
                   sf_graph_name(graph, demand->destination).text, limit);
}

enum sf_status
sf_paths_of_layers(struct sf_paths *paths, const struct sf_graph *graph,
                   const struct sf_traffic *traffic,
                   const struct sf_routes *routes, struct sf_error *err)
{
    enum sf_status status = SF_OK;
    uint32_t *hops = sf_calloc(graph->n_nodes, sizeof *hops);

    if (!hops) {
        return fail_memory(err);
    }
    for (size_t k = 0; status == SF_OK && k < traffic->n_demands; k++) {
        const struct sf_demand *demand = &traffic->demands[k];
        const struct sf_layers *layers = routes->sets[demand->set];
        status = sf_paths_begin(paths, demand, err);
        for (uint32_t l = 0; status == SF_OK && l < layers->n_layers; l++) {
            uint32_t n_hops = 0, at = demand->source;
            while (at != demand->destination) {
                uint32_t arc =
                    sf_layers_arc(layers, graph, l, at, demand->destination);
                if (arc == SF_NONE || n_hops == graph->n_nodes) {
                    status = sf_fail_unserved(graph, demand, 0, err);
                    break;
                }
                hops[n_hops++] = arc;
                at = graph->arcs[arc].to;
            }
            if (status == SF_OK) {
                status = sf_paths_add(paths, hops, n_hops, err);
            }
        }
    }
    free(hops);
    return status;
}

/* A walk over all paths, depth first. */
struct walk {
    struct sf_paths *paths;
    const struct sf_net *net;
    const uint16_t *to_go; /* [n_nodes] Hops to the destination at least. */
    uint32_t destination, max_hops;
    bool *is_on_path; /* [n_nodes] */
    uint32_t *hops;   /* [n_nodes] */
};

static enum sf_status
walk_from(struct walk *walk, uint32_t at, uint32_t n_hops,
          struct sf_error *err)
{
    const struct sf_net *net = walk->net;
    enum sf_status status = SF_OK;

    if (at == walk->destination) {
        return sf_paths_append(walk->paths, walk->hops, n_hops, err);
    }
    walk->is_on_path[at] = true;
    for (uint32_t e = net->first[at];
         status == SF_OK && e < net->first[at + 1]; e++) {
        uint32_t to = net->heads[e];
        if (!walk->is_on_path[to] &&
            n_hops + 1 + walk->to_go[to] <= walk->max_hops) {
            walk->hops[n_hops] = e;
            status = walk_from(walk, to, n_hops + 1, err);
        }
    }
    walk->is_on_path[at] = false;
    return status;
}

/* The demand number '*kp' of 'traffic' with what follows between the same two
 * switches for other path sets; moves '*kp' behind them. */
static struct sf_demand
merge_sets(const struct sf_traffic *traffic, size_t *kp)
{
    struct sf_demand merged = traffic->demands[(*kp)++];

    merged.set = 0;
    for (; *kp < traffic->n_demands; (*kp)++) {
        const struct sf_demand *next = &traffic->demands[*kp];
        if (next->source != merged.source ||
            next->destination != merged.destination) {
            break;
        }
        merged.amount += next->amount;
    }
    return merged;
}

enum sf_status
sf_paths_enumerate(struct sf_paths *paths, const struct sf_net *net,
                   const struct sf_traffic *traffic, uint32_t max_hops,
                   bool at_least_one, struct sf_error *err)
{
    size_t n = net->n_nodes;
    uint16_t *distances = sf_graph_distances(net->graph);
    struct walk walk = { .paths = paths, .net = net };
    enum sf_status status = SF_OK;

    if (!distances) {
        return fail_memory(err);
    }
    walk.is_on_path = sf_calloc(n, sizeof *walk.is_on_path);
    walk.hops = sf_calloc(n + 1, sizeof *walk.hops);
    if (!walk.is_on_path || !walk.hops) {
        status = fail_memory(err);
        goto done;
    }
    for (size_t k = 0; status == SF_OK && k < traffic->n_demands;) {
        struct sf_demand demand = merge_sets(traffic, &k);
        walk.destination = demand.destination;
        /* Every link goes both ways, so the row of the destination tells the
         * distances towards it. */
        walk.to_go = distances + demand.destination * n;
        uint32_t needed = walk.to_go[demand.source];
        walk.max_hops = at_least_one && needed > max_hops ? needed : max_hops;
        if (needed == SF_OUT_OF_REACH || needed > walk.max_hops) {
            status = sf_fail_unserved(net->graph, &demand, max_hops, err);
            break;
        }
        status = sf_paths_begin(paths, &demand, err);
        if (status == SF_OK) {
            status = walk_from(&walk, demand.source, 0, err);
        }
    }

done:
    free(walk.hops);
    free(walk.is_on_path);
    free(distances);
    return status;
}

void
sf_paths_loads(const struct sf_paths *paths, const struct sf_net *net,
               const double *shares, double *loads)
{
    const uint32_t *first_hop = paths->first_hop.items;

    memset(loads, 0, net->n_edges * sizeof *loads);
    for (size_t k = 0; k < paths->demands.n; k++) {
        for (uint32_t p = paths->first_path.items[k];
             p < paths->first_path.items[k + 1]; p++) {
            double flow = paths->demands.items[k].amount * shares[p];
            for (uint32_t i = first_hop[p]; i < first_hop[p + 1]; i++) {
                loads[paths->hops.items[i]] += flow;
            }
        }
    }
}

double
sf_net_congestion(const struct sf_net *net, const double *loads)
{
    double largest = 0;
    for (uint32_t e = 0; e < net->n_edges; e++) {
        double here = loads[e] / net->capacities[e];
        largest = here > largest ? here : largest;
    }
    return largest;
}

double
sf_paths_cost(const struct sf_paths *paths, const double *prices)
{
    const uint32_t *first_hop = paths->first_hop.items;
    double cost = 0;

    for (size_t k = 0; k < paths->demands.n; k++) {
        double shortest = 0;
        uint32_t first = paths->first_path.items[k];
        for (uint32_t p = first; p < paths->first_path.items[k + 1]; p++) {
            double length = 0;
            for (uint32_t i = first_hop[p]; i < first_hop[p + 1]; i++) {
                length += prices[paths->hops.items[i]];
            }
            if (p == first || length < shortest) {
                shortest = length;
            }
        }
        cost += paths->demands.items[k].amount * shortest;
    }
    return cost;
}

/* Workspace to draw paths that share no link. */
struct draw {
    const struct sf_graph *graph;
    bool *is_used;   /* [n_links] By a path of this pair. */
    uint32_t *to_go; /* [n_nodes] Hops to the destination over free links. */
    double *n_ways;  /* [n_nodes] How many shortest paths lead there. */
    uint32_t *queue; /* [n_nodes] */
    uint32_t *hops;  /* [n_nodes] */
};

/* Searches from 'destination' as far as 'source' and counts the ways. */
static void
search_back(struct draw *draw, uint32_t source, uint32_t destination)
{
    const struct sf_graph *graph = draw->graph;
    uint32_t n_reached = 1;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        draw->to_go[s] = SF_NONE;
        draw->n_ways[s] = 0;
    }
    draw->to_go[destination] = 0;
    draw->n_ways[destination] = 1;
    draw->queue[0] = destination;
    for (uint32_t i = 0; i < n_reached && draw->queue[i] != source; i++) {
        uint32_t at = draw->queue[i];
        for (uint32_t arc = graph->first[at]; arc < graph->first[at + 1];
             arc++) {
            uint32_t to = graph->arcs[arc].to;
            if (draw->is_used[graph->arcs[arc].link]) {
                continue;
            }
            if (draw->to_go[to] == SF_NONE) {
                draw->to_go[to] = draw->to_go[at] + 1;
                draw->queue[n_reached++] = to;
            }
            if (draw->to_go[to] == draw->to_go[at] + 1) {
                draw->n_ways[to] += draw->n_ways[at];
            }
        }
    }
}

/* Draws one of the shortest paths from 'source', each as likely as the next,
 * takes its links and returns its hops. */
static uint32_t
draw_path(struct draw *draw, uint32_t source, struct sf_random *random)
{
    const struct sf_graph *graph = draw->graph;
    uint32_t n_hops = 0;

    for (uint32_t at = source; draw->to_go[at] > 0;) {
        double left = (double)(sf_random_next(random) >> 11) * 0x1p-53 *
                      draw->n_ways[at];
        uint32_t chosen = SF_NONE;
        for (uint32_t arc = graph->first[at];
             arc < graph->first[at + 1] && (chosen == SF_NONE || left >= 0);
             arc++) {
            uint32_t to = graph->arcs[arc].to;
            if (!draw->is_used[graph->arcs[arc].link] &&
                draw->to_go[to] == draw->to_go[at] - 1) {
                left -= draw->n_ways[to];
                chosen = arc;
            }
        }
        draw->hops[n_hops++] = chosen;
        at = graph->arcs[chosen].to;
    }
    for (uint32_t i = 0; i < n_hops; i++) {
        draw->is_used[graph->arcs[draw->hops[i]].link] = true;
    }
    return n_hops;
}

static enum sf_status
add_disjoint(struct sf_paths *paths, struct draw *draw,
             const struct sf_demand *demand, uint32_t n_paths,
             uint32_t max_hops, struct sf_random *random, struct sf_error *err)
{
    enum sf_status status = sf_paths_begin(paths, demand, err);

    memset(draw->is_used, 0, draw->graph->n_links * sizeof *draw->is_used);
    for (uint32_t i = 0; status == SF_OK && i < n_paths; i++) {
        search_back(draw, demand->source, demand->destination);
        uint32_t n_hops = draw->to_go[demand->source];
        if (n_hops == SF_NONE || n_hops > max_hops) {
            return i ? SF_OK
                     : sf_fail_unserved(draw->graph, demand, max_hops, err);
        }
        draw_path(draw, demand->source, random);
        status = sf_paths_append(paths, draw->hops, n_hops, err);
    }
    return status;
}

enum sf_status
sf_paths_disjoint(struct sf_paths *paths, const struct sf_graph *graph,
                  const struct sf_traffic *traffic, uint32_t n_paths,
                  uint32_t max_hops, const uint16_t *losses, uint64_t seed,
                  struct sf_error *err)
{
    struct draw draw = { .graph = graph };
    enum sf_status status = SF_OK;

    draw.is_used = sf_calloc(graph->n_links, sizeof *draw.is_used);
    draw.to_go = sf_calloc(graph->n_nodes, sizeof *draw.to_go);
    draw.n_ways = sf_calloc(graph->n_nodes, sizeof *draw.n_ways);
    draw.queue = sf_calloc(graph->n_nodes, sizeof *draw.queue);
    draw.hops = sf_calloc(graph->n_nodes, sizeof *draw.hops);
    if (!draw.is_used || !draw.to_go || !draw.n_ways || !draw.queue ||
        !draw.hops) {
        status = fail_memory(err);
        goto done;
    }
    for (size_t k = 0; status == SF_OK && k < traffic->n_demands;) {
        struct sf_demand demand = merge_sets(traffic, &k);
        size_t pair = (size_t)demand.source * graph->n_nodes;
        uint32_t lost = losses ? losses[pair + demand.destination] : 0;
        struct sf_random random;
        sf_random_init(&random, seed,
                       (uint64_t)demand.source << 32 | demand.destination);
        status = add_disjoint(paths, &draw, &demand,
                              n_paths > lost ? n_paths - lost : 1, max_hops,
                              &random, err);
    }

done:
    free(draw.hops);
    free(draw.queue);
    free(draw.n_ways);
    free(draw.to_go);
    free(draw.is_used);
    return status;
}
