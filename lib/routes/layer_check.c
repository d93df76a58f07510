/* layer_check.c -- are layers what they claim to be?  Shares nothing with the
 * schemes: plain walks over every path. */
#include "slimfly/routes.h"

#include "base/mem.h"

struct checker {
    const struct sf_layers *layers;
    const struct sf_graph *graph;
    const struct sf_layers_claims *claims;
    uint32_t *distance; /* [V] From the destination at hand. */
    uint32_t *queue;    /* [V] */
    uint32_t *places;   /* [2E] Of an arc's link, at the switch where the arc
                         * leads to. */
    struct sf_error *err;
};

static void
search(struct checker *checker, uint32_t root)
{
    const struct sf_graph *graph = checker->graph;
    uint32_t head = 0, tail = 0;

    for (uint32_t v = 0; v < graph->n_nodes; v++) {
        checker->distance[v] = SF_NONE;
    }
    checker->distance[root] = 0;
    checker->queue[tail++] = root;
    while (head < tail && tail < graph->n_nodes) {
        uint32_t v = checker->queue[head++];
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            uint32_t w = graph->arcs[i].to;
            if (checker->distance[w] == SF_NONE) {
                checker->distance[w] = checker->distance[v] + 1;
                checker->queue[tail++] = w;
            }
        }
    }
}

static enum sf_status
fail(struct checker *checker, const char *what, uint32_t l, uint32_t s,
     uint32_t d)
{
    return sf_fail(checker->err, SF_EINVAL,
                   "layer %u, switch %s to switch %s: %s", l,
                   sf_graph_name(checker->graph, s).text,
                   sf_graph_name(checker->graph, d).text, what);
}

/* Notes where links stand among those of their switches. */
static void
find_places(struct checker *checker)
{
    const struct sf_graph *graph = checker->graph;

    for (uint32_t i = 0; i < 2 * graph->n_links; i++) {
        uint32_t at = graph->arcs[i].to, place = 0;
        while (graph->arcs[graph->first[at] + place].link !=
               graph->arcs[i].link) {
            place++;
        }
        checker->places[i] = place;
    }
}

/* The VL on which a packet that came over arc 'in' leaves 'at' over arc
 * 'out'. */
static uint8_t
vl_of_turn(const struct checker *checker, uint32_t at, uint32_t in,
           uint32_t out)
{
    const struct sf_graph *graph = checker->graph;
    const struct sf_turns *turns = checker->claims->turns;
    size_t from = checker->places[in];

    return turns->vls[turns->first[at] + from * sf_graph_degree(graph, at) +
                      (out - graph->first[at])];
}

/* Walks from 's' to 'd' in layer 'l' and checks all there is to check. */
static enum sf_status
check_path(struct checker *checker, uint32_t l, uint32_t s, uint32_t d)
{
    const struct sf_graph *graph = checker->graph;
    const struct sf_layers_claims *claims = checker->claims;
    const uint16_t *tree = sf_layers_tree(checker->layers, l, d);
    uint32_t n_hops = 0, previous_rank = 0, in = SF_NONE;

    for (uint32_t v = s; v != d; n_hops++) {
        if (n_hops == graph->n_nodes) {
            return fail(checker, "the path loops", l, s, d);
        }
        if (tree[v] == SF_NO_HOP) {
            return fail(checker, "the path ends early", l, s, d);
        }
        if (tree[v] >= sf_graph_degree(graph, v)) {
            return fail(checker, "a next hop that is not there", l, s, d);
        }
        uint32_t out = graph->first[v] + tree[v];
        if (claims->turns) {
            uint8_t vl = in == SF_NONE ? 0 : vl_of_turn(checker, v, in, out);
            if (vl == SF_NO_TURN) {
                return fail(checker, "a turn that is not allowed", l, s, d);
            }
            uint32_t rank =
                claims->turns->ranks[(size_t)out * claims->turns->n_vls + vl];
            if (in != SF_NONE && rank <= previous_rank) {
                return fail(checker, "ranks do not rise", l, s, d);
            }
            previous_rank = rank;
        }
        in = out;
        v = graph->arcs[out].to;
    }
    if (claims->max_hops && n_hops > claims->max_hops) {
        return fail(checker, "the path is longer than the limit", l, s, d);
    }
    if (claims->minimal_first && l == 0 && n_hops != checker->distance[s]) {
        return fail(checker, "the path is not minimal", l, s, d);
    }
    return SF_OK;
}

static enum sf_status
check_pair(struct checker *checker, uint32_t l, uint32_t s, uint32_t d)
{
    uint16_t hop = sf_layers_tree(checker->layers, l, d)[s];

    if (s == d) {
        return hop == SF_NO_HOP
                   ? SF_OK
                   : fail(checker, "a next hop at the destination", l, s, d);
    }
    if (checker->distance[s] == SF_NONE) {
        if (!checker->claims->within_parts) {
            return fail(checker, "no path can join them", l, s, d);
        }
        return hop == SF_NO_HOP
                   ? SF_OK
                   : fail(checker, "a next hop to another part", l, s, d);
    }
    return check_path(checker, l, s, d);
}

static enum sf_status
check_all(struct checker *checker)
{
    for (uint32_t d = 0; d < checker->layers->n_switches; d++) {
        search(checker, d);
        for (uint32_t l = 0; l < checker->layers->n_layers; l++) {
            for (uint32_t s = 0; s < checker->layers->n_switches; s++) {
                enum sf_status status = check_pair(checker, l, s, d);
                if (status != SF_OK) {
                    return status;
                }
            }
        }
    }
    return SF_OK;
}

enum sf_status
sf_layers_check(const struct sf_layers *layers, const struct sf_graph *graph,
                const struct sf_layers_claims *claims, struct sf_error *err)
{
    struct checker checker = {
        .layers = layers, .graph = graph, .claims = claims, .err = err
    };
    uint32_t n = graph->n_nodes;
    enum sf_status status;

    if (layers->n_switches != n) {
        return sf_fail(err, SF_EINVAL, "layers of %u switches, a graph of %u",
                       layers->n_switches, n);
    }
    checker.distance = sf_calloc(n, sizeof *checker.distance);
    checker.queue = sf_calloc(n, sizeof *checker.queue);
    checker.places =
        sf_calloc(2 * (size_t)graph->n_links, sizeof *checker.places);
    if (!checker.distance || !checker.queue || !checker.places) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
        goto done;
    }
    find_places(&checker);
    status = check_all(&checker);
done:
    free(checker.places);
    free(checker.queue);
    free(checker.distance);
    return status;
}
