/* carry_turns.c -- the turns of an earlier state of a network, carried over to
 * its present links. */
#include "base/mem.h"
#include "routing/earlier.h"

struct carrier {
    const struct sf_earlier *earlier;
    const struct sf_turns *before;
    struct sf_turns *now;
    uint32_t *same; /* [2E] The same arc of the earlier network. */
};

/* Copies the VLs of the turns at switch 's'. */
static void
carry_switch(const struct carrier *carrier, uint32_t s)
{
    const struct sf_graph *graph = carrier->earlier->network->graph;
    const struct sf_graph *then = carrier->earlier->earlier->graph;
    const struct sf_turns *before = carrier->before;
    const uint32_t *same = carrier->same + graph->first[s];
    uint32_t degree = sf_graph_degree(graph, s);
    uint32_t from = carrier->earlier->switches[s];
    uint8_t *vls = carrier->now->vls + carrier->now->first[s];

    for (uint32_t i = 0; i < degree; i++) {
        for (uint32_t j = 0; j < degree; j++) {
            if (same[i] != SF_NONE && same[j] != SF_NONE) {
                size_t in = same[i] - then->first[from];
                size_t out = same[j] - then->first[from];
                vls[i * degree + j] =
                    before->vls[before->first[from] +
                                in * sf_graph_degree(then, from) + out];
            }
        }
    }
}

/* Ranks the channels of 'arc': as before, but one up; or of a new link: VL 0
 * below all others, so that paths may start with it, and the other VLs above
 * all, so that paths may end with it. */
static void
rank_arc(const struct carrier *carrier, uint32_t arc, uint32_t top_rank)
{
    uint32_t n_vls = carrier->now->n_vls, same = carrier->same[arc];
    uint32_t *ranks = carrier->now->ranks + (size_t)arc * n_vls;

    for (uint32_t vl = 0; vl < n_vls; vl++) {
        ranks[vl] = same != SF_NONE
                        ? carrier->before->ranks[(size_t)same * n_vls + vl] + 1
                    : vl == 0 ? 0
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
allow_new(const struct carrier *carrier, uint32_t s)
{
    const struct sf_graph *graph = carrier->earlier->network->graph;
    struct sf_turns *turns = carrier->now;
    uint32_t first = graph->first[s], degree = sf_graph_degree(graph, s);
    const uint32_t *same = carrier->same + first;
    uint8_t *vls = turns->vls + turns->first[s];

    for (uint32_t i = 0; i < degree; i++) {
        for (uint32_t j = 0; j < degree; j++) {
            if (i != j && same[j] == SF_NONE) {
                vls[i * degree + j] = (uint8_t)(turns->n_vls - 1);
            } else if (i != j && same[i] == SF_NONE) {
                vls[i * degree + j] = lowest_vl(turns, first + j);
            }
        }
    }
}

static uint32_t
highest_rank(const struct sf_turns *turns, const struct sf_graph *graph)
{
    size_t n = 2 * (size_t)graph->n_links * turns->n_vls;
    uint32_t highest = 0;

    for (size_t i = 0; i < n; i++) {
        highest = turns->ranks[i] > highest ? turns->ranks[i] : highest;
    }
    return highest;
}

enum sf_status
sf_earlier_carry_turns(const struct sf_earlier *earlier,
                       const struct sf_routes *before, struct sf_routes *now,
                       struct sf_error *err)
{
    const struct sf_graph *graph = earlier->network->graph;
    uint32_t top_rank =
        highest_rank(before->turns, earlier->earlier->graph) + 2;
    struct carrier carrier = {
        .earlier = earlier,
        .before = before->turns,
        .same = sf_calloc(2 * (size_t)graph->n_links, sizeof *carrier.same),
    };

    if (!carrier.same) {
        return sf_fail(err, SF_ENOMEM, "out of memory for turns");
    }
    enum sf_status status =
        sf_turns_make(graph, before->turns->n_vls, &now->turns, err);
    carrier.now = now->turns;
    for (uint32_t s = 0; status == SF_OK && s < graph->n_nodes; s++) {
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            carrier.same[i] = sf_earlier_arc(earlier, s, i);
            rank_arc(&carrier, i, top_rank);
        }
        carry_switch(&carrier, s);
        allow_new(&carrier, s);
    }
    free(carrier.same);
    return status;
}
