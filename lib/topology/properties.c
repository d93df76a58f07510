#include "slimfly/properties.h"

#include "base/mem.h"
#include "slimfly/progress.h"

#include <math.h>
#include <string.h>

/* Searches start from a batch of switches at once: one bit for each, in
 * blocks that fill a cache line and that compilers turn into vector code. */
#define WORDS      8
#define BATCH_SIZE (64 * WORDS)

struct bits {
    uint64_t word[WORDS];
};

/* What the search of a batch works with, a set of sources for each node. */
struct batch {
    struct bits *seen;     /* Sources that have reached the node. */
    struct bits *frontier; /* Those that did so in the last step. */
    struct bits *next;     /* Those that do so in this step. */
};

static void
count_degrees(const struct sf_topology *topo, struct sf_properties *properties)
{
    const struct sf_graph *graph = topo->graph;

    properties->min_degree = graph->n_nodes ? SF_NONE : 0;
    for (uint32_t v = 0; v < graph->n_nodes; v++) {
        uint32_t degree = sf_graph_degree(graph, v);
        uint32_t ports = degree + topo->n_hosts[v];
        if (degree < properties->min_degree) {
            properties->min_degree = degree;
        }
        if (degree > properties->max_degree) {
            properties->max_degree = degree;
        }
        if (ports > properties->radix) {
            properties->radix = ports;
        }
    }
    properties->regular = properties->min_degree == properties->max_degree;
    for (uint32_t i = 0; i < graph->n_links; i++) {
        properties->n_parallel_links += sf_graph_is_parallel(graph, i);
    }
}

/* Counts the connected components; 'queue' and 'seen' are workspace. */
static uint32_t
count_parts(const struct sf_graph *graph, uint32_t *queue, uint32_t *seen)
{
    uint32_t n_parts = 0;

    memset(seen, 0, graph->n_nodes * sizeof *seen);
    for (uint32_t root = 0; root < graph->n_nodes; root++) {
        if (seen[root]) {
            continue;
        }
        n_parts++;
        uint32_t head = 0, tail = 0;
        queue[tail++] = root;
        seen[root] = 1;
        while (head < tail) {
            uint32_t v = queue[head++];
            for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
                uint32_t w = graph->arcs[i].to;
                if (!seen[w]) {
                    seen[w] = 1;
                    queue[tail++] = w;
                }
            }
        }
    }
    return n_parts;
}

/* The length of a cycle that a search from 'root' finds, no shorter than the
 * shortest and equal to it if 'root' is on one; 'best' if there is none below
 * that.  'distance' is SF_NONE everywhere, before and after; 'via' is the link
 * over which a node was reached. */
static uint32_t
shortest_cycle_from(const struct sf_graph *graph, uint32_t root, uint32_t best,
                    uint32_t *queue, uint32_t *distance, uint32_t *via)
{
    uint32_t head = 0, tail = 0;

    queue[tail++] = root;
    distance[root] = 0;
    via[root] = SF_NONE;
    while (head < tail) {
        uint32_t v = queue[head++];
        if (2 * (uint64_t)distance[v] + 1 >= best) {
            break; /* From here on cycles are at least that long. */
        }
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            uint32_t w = graph->arcs[i].to;
            if (graph->arcs[i].link == via[v]) {
                continue;
            }
            if (distance[w] == SF_NONE) {
                distance[w] = distance[v] + 1;
                via[w] = graph->arcs[i].link;
                queue[tail++] = w;
            } else if (distance[v] + distance[w] + 1 < best) {
                best = distance[v] + distance[w] + 1;
            }
        }
    }
    for (uint32_t i = 0; i < tail; i++) {
        distance[queue[i]] = SF_NONE;
    }
    return best;
}

static uint32_t
measure_girth(const struct sf_graph *graph, uint32_t *queue,
              uint32_t *distance, uint32_t *via)
{
    uint32_t girth = SF_NONE;

    for (uint32_t v = 0; v < graph->n_nodes; v++) {
        distance[v] = SF_NONE;
    }
    for (uint32_t root = 0; root < graph->n_nodes && girth > 2; root++) {
        if (root % 1024 == 0) {
            sf_progress_report("looking for short cycles", root,
                               graph->n_nodes);
        }
        girth = shortest_cycle_from(graph, root, girth, queue, distance, via);
    }
    sf_progress_report("looking for short cycles", graph->n_nodes,
                       graph->n_nodes);
    return girth;
}

static uint32_t
count_bits(const struct bits *bits)
{
    uint32_t n = 0;
    for (int i = 0; i < WORDS; i++) {
        n += (uint32_t)__builtin_popcountll(bits->word[i]);
    }
    return n;
}

static bool
is_subset(const struct bits *a, const struct bits *b)
{
    uint64_t missing = 0;
    for (int i = 0; i < WORDS; i++) {
        missing |= a->word[i] & ~b->word[i];
    }
    return missing == 0;
}

/* The sources that reach 'v' in this step: those that reached a neighbour in
 * the last one and have not been at 'v' before. */
static struct bits
arrivals(const struct sf_graph *graph, const struct batch *batch, uint32_t v)
{
    struct bits sum = { { 0 } };

    for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
        const struct bits *from = &batch->frontier[graph->arcs[i].to];
        for (int j = 0; j < WORDS; j++) {
            sum.word[j] |= from->word[j];
        }
    }
    for (int j = 0; j < WORDS; j++) {
        sum.word[j] &= ~batch->seen[v].word[j];
    }
    return sum;
}

/* Adds 'n' pairs at 'distance' to 'distances', whose array holds n_switches
 * entries while it is being filled. */
static void
add_pairs(struct sf_distances *distances, uint32_t distance, uint64_t n)
{
    if (n) {
        distances->n_pairs[distance] += n;
        if (distance >= distances->n_distances) {
            distances->n_distances = distance + 1;
        }
    }
}

/* Searches from the switches first..first+n-1 all at once. */
static void
search_batch(const struct sf_topology *topo, uint32_t first, uint32_t n,
             struct batch *batch, struct sf_properties *properties)
{
    const struct sf_graph *graph = topo->graph;
    struct bits everyone = { { 0 } }; /* All sources of this batch */
    struct bits hosting = { { 0 } };  /* and those that carry hosts. */

    memset(batch->seen, 0, graph->n_nodes * sizeof *batch->seen);
    memset(batch->frontier, 0, graph->n_nodes * sizeof *batch->frontier);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bit = UINT64_C(1) << i % 64;
        everyone.word[i / 64] |= bit;
        hosting.word[i / 64] |= topo->n_hosts[first + i] ? bit : 0;
        batch->seen[first + i].word[i / 64] |= bit;
        batch->frontier[first + i].word[i / 64] |= bit;
    }

    uint64_t n_arrived;
    uint32_t distance = 1;
    do {
        uint64_t n_hosting = 0;
        n_arrived = 0;
        for (uint32_t v = 0; v < graph->n_nodes; v++) {
            if (is_subset(&everyone, &batch->seen[v])) {
                batch->next[v] = (struct bits){ { 0 } };
                continue;
            }
            struct bits arrived = arrivals(graph, batch, v);
            batch->next[v] = arrived;
            n_arrived += count_bits(&arrived);
            if (topo->n_hosts[v]) {
                for (int j = 0; j < WORDS; j++) {
                    arrived.word[j] &= hosting.word[j];
                }
                n_hosting += count_bits(&arrived);
            }
        }
        for (uint32_t v = 0; v < graph->n_nodes; v++) {
            for (int j = 0; j < WORDS; j++) {
                batch->seen[v].word[j] |= batch->next[v].word[j];
            }
        }
        struct bits *swap = batch->frontier;
        batch->frontier = batch->next;
        batch->next = swap;
        add_pairs(&properties->all, distance, n_arrived);
        add_pairs(&properties->hosts, distance, n_hosting);
        distance++;
    } while (n_arrived);
}

static double
average_of(const struct sf_distances *distances, double n_pairs)
{
    double sum = 0;
    for (uint32_t d = 0; d < distances->n_distances; d++) {
        sum += (double)d * (double)distances->n_pairs[d];
    }
    return n_pairs > 0 ? sum / n_pairs : 0;
}

/* Concludes from the numbers of pairs at each distance. */
static void
summarize_distances(struct sf_distances *distances, uint32_t n_switches)
{
    uint64_t n_pairs =
        (uint64_t)n_switches * (n_switches ? n_switches - 1 : 0);
    uint64_t n_reached = 0;

    if (n_switches && !distances->n_distances) {
        distances->n_distances = 1; /* A switch alone, at distance 0. */
    }
    for (uint32_t d = 0; d < distances->n_distances; d++) {
        n_reached += distances->n_pairs[d];
    }
    if (n_reached < n_pairs) {
        distances->diameter = SF_NONE;
        distances->average = (double)NAN;
    } else {
        distances->diameter =
            distances->n_distances ? distances->n_distances - 1 : 0;
        distances->average = average_of(distances, (double)n_pairs);
    }
}

/* 1 + k + k (k - 1) + ... + k (k - 1)^(D - 1). */
static double
moore_bound(uint32_t degree, uint32_t diameter)
{
    double bound = 1, shell = degree;

    for (uint32_t i = 0; i < diameter && isfinite(bound); i++) {
        bound += shell;
        shell *= (double)degree - 1;
    }
    return bound;
}

static enum sf_status
measure_distances(const struct sf_topology *topo,
                  struct sf_properties *properties, struct sf_error *err)
{
    uint32_t n = topo->graph->n_nodes;
    enum sf_status status = SF_OK;

    struct batch batch = {
        .seen = sf_calloc(n, sizeof *batch.seen),
        .frontier = sf_calloc(n, sizeof *batch.frontier),
        .next = sf_calloc(n, sizeof *batch.next),
    };
    properties->all.n_pairs = sf_calloc((size_t)n + 1, sizeof(uint64_t));
    properties->hosts.n_pairs = sf_calloc((size_t)n + 1, sizeof(uint64_t));
    if (!batch.seen || !batch.frontier || !batch.next ||
        !properties->all.n_pairs || !properties->hosts.n_pairs) {
        status = sf_fail(err, SF_ENOMEM,
                         "out of memory for the distances of %u switches", n);
        goto done;
    }
    uint32_t n_hosting = 0;
    for (uint32_t first = 0; first < n; first += BATCH_SIZE) {
        uint32_t n_left = n - first;
        sf_progress_report("measuring distances", first, n);
        search_batch(topo, first, n_left < BATCH_SIZE ? n_left : BATCH_SIZE,
                     &batch, properties);
    }
    for (uint32_t v = 0; v < n; v++) {
        n_hosting += topo->n_hosts[v] > 0;
    }
    sf_progress_report("measuring distances", n, n);
    summarize_distances(&properties->all, n);
    summarize_distances(&properties->hosts, n_hosting);
    double with_itself =
        average_of(&properties->hosts, (double)n_hosting * n_hosting);
    properties->full_bandwidth_p =
        properties->hosts.diameter != SF_NONE && with_itself > 0
            ? 2.0 * topo->graph->n_links / (n_hosting * with_itself)
            : (double)NAN;

done:
    free(batch.next);
    free(batch.frontier);
    free(batch.seen);
    return status;
}

enum sf_status
sf_properties_measure(const struct sf_topology *topo,
                      struct sf_properties *properties, struct sf_error *err)
{
    const struct sf_graph *graph = topo->graph;
    uint32_t n = graph->n_nodes;
    enum sf_status status;

    *properties = (struct sf_properties){ 0 };
    uint32_t *queue = sf_calloc(n, sizeof *queue);
    uint32_t *distance = sf_calloc(n, sizeof *distance);
    uint32_t *via = sf_calloc(n, sizeof *via);
    if (!queue || !distance || !via) {
        status = sf_fail(err, SF_ENOMEM,
                         "out of memory for the check of %u switches", n);
        goto done;
    }

    properties->n_switches = n;
    properties->n_links = graph->n_links;
    properties->n_endpoints = topo->n_endpoints;
    properties->concentration = sf_topology_concentration(topo);
    count_degrees(topo, properties);
    properties->n_parts = count_parts(graph, queue, distance);
    status = measure_distances(topo, properties, err);
    if (status != SF_OK) {
        goto done;
    }
    properties->girth = measure_girth(graph, queue, distance, via);
    properties->moore_bound =
        properties->n_parts == 1
            ? moore_bound(properties->max_degree, properties->all.diameter)
            : (double)NAN;

done:
    free(via);
    free(distance);
    free(queue);
    if (status != SF_OK) {
        sf_properties_clear(properties);
    }
    return status;
}

void
sf_properties_clear(struct sf_properties *properties)
{
    free(properties->all.n_pairs);
    free(properties->hosts.n_pairs);
    *properties = (struct sf_properties){ 0 };
}
