/* channel_orders.c -- orders of channels under which routes stand beside
 * others. */
#include "slimfly/claims.h"
#include "slimfly/routing.h"

#include <string.h>

static bool
obey(const struct sf_routes *routes, const struct sf_graph *graph,
     const struct sf_turns *turns)
{
    struct sf_layers_claims claims = { .within_parts = true, .turns = turns };
    bool does = turns != NULL;

    for (uint32_t i = 0; does && i < routes->n_sets; i++) {
        does = sf_layers_check(routes->sets[i], graph, &claims, NULL) == SF_OK;
    }
    return does;
}

/* Whether the turns of 'b' are those of 'a', on the same VLs. */
static bool
are_same(const struct sf_graph *graph, const struct sf_turns *a,
         const struct sf_turns *b)
{
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        size_t degree = sf_graph_degree(graph, s);
        for (size_t i = 0; i < degree * degree; i++) {
            uint8_t vl = b->vls[b->first[s] + i];
            if (vl != SF_NO_TURN && vl != a->vls[a->first[s] + i]) {
                return false;
            }
        }
    }
    return a->n_vls == b->n_vls;
}

bool
sf_routing_allows(const struct sf_routing *routing,
                  const struct sf_routes *routes)
{
    return obey(routes, routing->network->graph, routing->routes->turns);
}

bool
sf_routing_take_order(struct sf_routing *routing,
                      const struct sf_routing *other)
{
    const struct sf_graph *graph = routing->network->graph;
    struct sf_turns *turns = routing->routes->turns;
    const struct sf_turns *others = other->routes->turns;

    if (!turns || !others || !are_same(graph, turns, others) ||
        !obey(routing->routes, graph, others)) {
        return false;
    }
    memcpy(turns->ranks, others->ranks,
           2 * (size_t)graph->n_links * turns->n_vls * sizeof *turns->ranks);
    return true;
}
