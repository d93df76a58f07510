/* copy.c -- routes once more, for who wants to change them and keep them. */
#include "slimfly/routes.h"

#include "base/mem.h"

#include <string.h>

/* A copy of 'n' items, NULL if memory runs out. */
static void *
copy_items(const void *items, size_t n, size_t size)
{
    void *copy = sf_calloc(n, size);

    if (copy) {
        memcpy(copy, items, n * size);
    }
    return copy;
}

/* The squares of the degrees of all switches, each raised by 'more' before,
 * added up. */
static size_t
count_turns(const struct sf_graph *graph, uint32_t more)
{
    size_t n = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        size_t degree = sf_graph_degree(graph, s) + more;
        n += degree * degree;
    }
    return n;
}

static bool
copy_turns(const struct sf_graph *graph, const struct sf_turns *turns,
           struct sf_turns **copyp)
{
    size_t n_arcs = 2 * (size_t)graph->n_links;
    struct sf_turns *copy = sf_calloc(1, sizeof *copy);

    *copyp = copy;
    if (!copy) {
        return false;
    }
    copy->n_vls = turns->n_vls;
    copy->first =
        copy_items(turns->first, graph->n_nodes, sizeof *copy->first);
    copy->vls = copy_items(turns->vls, count_turns(graph, 0), 1);
    copy->ranks =
        copy_items(turns->ranks, n_arcs * turns->n_vls, sizeof *copy->ranks);
    if (turns->gates) {
        copy->gates = copy_items(turns->gates, n_arcs, sizeof *copy->gates);
    }
    return copy->first && copy->vls && copy->ranks &&
           (copy->gates || !turns->gates);
}

static bool
copy_path_sls(const struct sf_routes *routes, struct sf_lanes *copy)
{
    const struct sf_layers *set = routes->sets[0];
    size_t n = (size_t)set->n_switches * set->n_switches * set->n_layers;
    bool made = true;

    copy->path_sls = sf_calloc(routes->n_sets, sizeof *copy->path_sls);
    for (uint32_t i = 0; copy->path_sls && i < routes->n_sets; i++) {
        copy->path_sls[i] = copy_items(routes->lanes->path_sls[i], n, 1);
        made &= copy->path_sls[i] != NULL;
    }
    return copy->path_sls && made;
}

static bool
copy_lanes(const struct sf_graph *graph, const struct sf_routes *routes,
           struct sf_lanes **copyp)
{
    const struct sf_lanes *lanes = routes->lanes;
    struct sf_lanes *copy = sf_calloc(1, sizeof *copy);

    *copyp = copy;
    if (!copy) {
        return false;
    }
    *copy = *lanes;
    copy->path_sls = NULL;
    copy->first =
        copy_items(lanes->first, graph->n_nodes, sizeof *copy->first);
    copy->vls = copy_items(lanes->vls, count_turns(graph, 1), SF_N_SLS);
    return copy->first && copy->vls &&
           (!lanes->path_sls || copy_path_sls(routes, copy));
}

static bool
copy_sets(const struct sf_routes *routes, struct sf_routes *copy)
{
    bool made = true;

    for (uint32_t i = 0; made && i < routes->n_sets; i++) {
        const struct sf_layers *set = routes->sets[i];
        made = sf_layers_make(set->n_layers, set->n_switches, &copy->sets[i],
                              NULL) == SF_OK;
        if (made) {
            copy->sets[i]->max_hops = set->max_hops;
            sf_layers_copy_hops(set, copy->sets[i]);
        }
    }
    return made;
}

void
sf_layers_copy_hops(const struct sf_layers *from, struct sf_layers *to)
{
    size_t n = from->n_switches;
    memcpy(to->hops, from->hops, from->n_layers * n * n * sizeof *to->hops);
}

enum sf_status
sf_routes_copy(const struct sf_network *network,
               const struct sf_routes *routes, struct sf_routes **copyp,
               struct sf_error *err)
{
    const struct sf_graph *graph = network->graph;
    struct sf_routes *copy;
    enum sf_status status =
        sf_routes_make(network, routes->n_sets, &copy, err);

    *copyp = NULL;
    if (status != SF_OK) {
        return status;
    }
    copy->n_addresses = routes->n_addresses;
    copy->n_switch_addresses = routes->n_switch_addresses;
    memcpy(copy->host_sets, routes->host_sets,
           sf_network_count_hosts(network) * sizeof *copy->host_sets);
    if (!copy_sets(routes, copy) ||
        (routes->turns && !copy_turns(graph, routes->turns, &copy->turns)) ||
        (routes->lanes && !copy_lanes(graph, routes, &copy->lanes))) {
        sf_routes_free(copy);
        return sf_fail(err, SF_ENOMEM, "out of memory for a copy of routes");
    }
    *copyp = copy;
    return SF_OK;
}
