/* test_turn_columns.c -- turns as trees ask for them, against those that were
 * designed. */
#include "base/mem.h"
#include "helpers.h"
#include "layers/turn_columns.h"
#include "slimfly/lanes.h"
#include "slimfly/topology.h"
#include "test.h"

#include <stdlib.h>

/* Compares all turns at the head of arc 'in', for a few ranks that follow. */
static void
compare(const struct sf_network *network,
        const struct sf_turn_columns *columns, uint32_t in)
{
    const struct sf_graph *graph = network->graph;
    const struct sf_turns *turns = columns->turns;
    uint32_t at = graph->arcs[in].to, first = graph->first[at];
    uint32_t from = network->reverse[in] - first;

    for (uint32_t hop = 0; first + hop < graph->first[at + 1]; hop++) {
        uint32_t next = SF_ANY_RANK, rank;
        do {
            rank =
                sf_turns_rank(turns, graph, network->reverse, in, hop, next);
            CHECK_EQ(sf_turn_columns_rank(columns, graph, network->reverse, in,
                                          hop, next),
                     rank);
            uint64_t may = sf_turn_columns_may(columns, graph, at, hop, next);
            CHECK(from >= 64 || (may >> from & 1) == (rank != 0));
            next = rank;
        } while (rank != 0);
        next = turns->ranks[(size_t)(first + hop) * turns->n_vls] + 1;
        rank = sf_turns_rank(turns, graph, network->reverse, in, hop, next);
        CHECK_EQ(sf_turn_columns_rank(columns, graph, network->reverse, in,
                                      hop, next),
                 rank);
    }
}

TEST(turn_columns_are_the_turns)
{
    static const char *const specs[] = { "sf:q=4", "sf:q=5", "hx2:3x3,links=2",
                                         "df:a=4,h=2", "hx2:2x66" };
    struct sf_error err;

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_lanes_params params = { .max_vls = i % 2 ? 4 : 2,
                                          .seed = i };
        struct sf_topology *topo;
        struct sf_turns *turns;
        struct sf_turn_columns columns;
        CHECK_EQ(sf_topology_build(specs[i], &topo, NULL), SF_OK);
        struct sf_network *network = network_of(topo->graph, NULL);
        CHECK_FOR(sf_turns_design(network, &params, 3, &turns, &err) == SF_OK,
                  "%s: %s", specs[i], err.text);
        /* Some are not allowed, and some arcs start no path. */
        turns->vls[turns->first[1] + 1] = SF_NO_TURN;
        turns->ranks[0] = SF_ANY_RANK - 1;
        CHECK(sf_turn_columns_init(&columns, topo->graph, network->reverse,
                                   turns));
        for (uint32_t in = 0; in < 2 * topo->graph->n_links; in++) {
            compare(network, &columns, in);
        }
        sf_turn_columns_clear(&columns);
        sf_turns_free(turns);
        sf_network_free(network);
        sf_topology_free(topo);
    }
}
