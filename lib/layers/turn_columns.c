#include "layers/turn_columns.h"

#include "base/mem.h"

/* Copies the turns at 's'. */
static void
turn_around(const struct sf_turn_columns *columns,
            const struct sf_graph *graph, const uint32_t *reverse, uint32_t s)
{
    const struct sf_turns *turns = columns->turns;
    uint32_t first = graph->first[s], degree = sf_graph_degree(graph, s);
    const uint8_t *rows = turns->vls + turns->first[s];

    for (uint32_t hop = 0; hop < degree; hop++) {
        const uint32_t *ranks =
            turns->ranks + (size_t)(first + hop) * turns->n_vls;
        uint8_t *column =
            columns->vls + turns->first[s] + (size_t)hop * degree;
        for (uint32_t from = 0; from < degree; from++) {
            uint8_t vl = rows[(size_t)from * degree + hop];
            size_t in = reverse[first + from];
            bool may_start = vl != SF_NO_TURN &&
                             turns->ranks[in * turns->n_vls] < ranks[vl];
            column[from] = may_start ? vl : SF_NO_TURN;
        }
    }
}

bool
sf_turn_columns_init(struct sf_turn_columns *columns,
                     const struct sf_graph *graph, const uint32_t *reverse,
                     const struct sf_turns *turns)
{
    size_t n_turns = 0;

    *columns = (struct sf_turn_columns){ .turns = turns };
    if (!turns) {
        return true;
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        size_t degree = sf_graph_degree(graph, s);
        n_turns += degree * degree;
    }
    columns->vls = sf_calloc(n_turns, sizeof *columns->vls);
    for (uint32_t s = 0; columns->vls && s < graph->n_nodes; s++) {
        turn_around(columns, graph, reverse, s);
    }
    return columns->vls != NULL;
}

void
sf_turn_columns_clear(struct sf_turn_columns *columns)
{
    free(columns->vls);
    columns->vls = NULL;
}
