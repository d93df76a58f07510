#include "design/swaps.h"

#include "base/mem.h"

#define MAX_PASSES 8

struct swaps {
    const struct sf_graph *graph;
    int8_t *side;
    int32_t *gain;       /* [n] Links that cross fewer if a node moves. */
    bool *is_moved;      /* [n] In this pass. */
    uint32_t (*done)[2]; /* [n / 2] Pairs swapped in this pass. */
};

static void
begin_pass(struct swaps *swaps)
{
    const struct sf_graph *graph = swaps->graph;

    for (uint32_t v = 0; v < graph->n_nodes; v++) {
        swaps->gain[v] = 0;
        swaps->is_moved[v] = false;
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            bool crosses = swaps->side[graph->arcs[i].to] != swaps->side[v];
            swaps->gain[v] += crosses ? 1 : -1;
        }
    }
}

/* The node on 'side' that gains the most and has not moved; SF_NONE if all
 * have. */
static uint32_t
best_on(const struct swaps *swaps, int8_t side)
{
    uint32_t best = SF_NONE;

    for (uint32_t v = 0; v < swaps->graph->n_nodes; v++) {
        if (swaps->side[v] == side && !swaps->is_moved[v] &&
            (best == SF_NONE || swaps->gain[v] > swaps->gain[best])) {
            best = v;
        }
    }
    return best;
}

/* Moves 'v' to the other side and returns how many links cross fewer. */
static int32_t
move(struct swaps *swaps, uint32_t v)
{
    const struct sf_graph *graph = swaps->graph;
    int32_t gain = swaps->gain[v];

    swaps->side[v] = (int8_t)-swaps->side[v];
    swaps->is_moved[v] = true;
    swaps->gain[v] = -gain;
    for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
        uint32_t to = graph->arcs[i].to;
        swaps->gain[to] += swaps->side[to] == swaps->side[v] ? -2 : 2;
    }
    return gain;
}

/* Swaps pairs until all nodes have moved, then takes back those after the
 * smallest cut.  True if that is smaller than before. */
static bool
run_pass(struct swaps *swaps)
{
    int32_t total = 0, best = 0;
    uint32_t n_done = 0, n_kept = 0;

    begin_pass(swaps);
    for (;;) {
        uint32_t a = best_on(swaps, -1), b = best_on(swaps, 1);
        if (a == SF_NONE || b == SF_NONE) {
            break;
        }
        total += move(swaps, a);
        b = best_on(swaps, 1); /* Another, now that 'a' has moved. */
        total += move(swaps, b);
        swaps->done[n_done][0] = a;
        swaps->done[n_done++][1] = b;
        if (total > best) {
            best = total;
            n_kept = n_done;
        }
    }
    while (n_done > n_kept) {
        n_done--;
        for (int i = 0; i < 2; i++) {
            int8_t *side = &swaps->side[swaps->done[n_done][i]];
            *side = (int8_t) - *side;
        }
    }
    return best > 0;
}

enum sf_status
sf_swaps_improve(const struct sf_graph *graph, int8_t *side,
                 struct sf_error *err)
{
    uint32_t n = graph->n_nodes;
    enum sf_status status = SF_OK;
    struct swaps swaps = {
        .graph = graph,
        .side = side,
        .gain = sf_calloc(n, sizeof *swaps.gain),
        .is_moved = sf_calloc(n, sizeof *swaps.is_moved),
        .done = sf_calloc(n / 2 + 1, sizeof *swaps.done),
    };

    if (!swaps.gain || !swaps.is_moved || !swaps.done) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for the bisection");
    }
    for (int i = 0; status == SF_OK && i < MAX_PASSES && run_pass(&swaps);
         i++) {
    }
    free(swaps.done);
    free(swaps.is_moved);
    free(swaps.gain);
    return status;
}
