#include "sim/wires.h"

#include "base/mem.h"

static void
fill_links(struct sf_wires *wires)
{
    const struct sf_network *network = wires->network;
    const struct sf_graph *graph = network->graph;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t node = wires->n_hosts + s;
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            wires->links[wires->n_hosts + network->first_host[s] + i] =
                (struct sf_sim_link){ node,
                                      wires->n_hosts + graph->arcs[i].to };
        }
        for (uint32_t h = network->first_host[s];
             h < network->first_host[s + 1]; h++) {
            wires->links[h] = (struct sf_sim_link){ h, node };
            wires->links[sf_wires_to_host(wires, s, h)] =
                (struct sf_sim_link){ node, h };
        }
    }
}

enum sf_status
sf_wires_build(const struct sf_network *network, struct sf_wires **wiresp,
               struct sf_error *err)
{
    uint32_t n_hosts = sf_network_count_hosts(network);
    uint32_t n_arcs = 2 * network->graph->n_links;

    *wiresp = NULL;
    struct sf_wires *wires = sf_calloc(1, sizeof *wires);
    if (wires) {
        *wires = (struct sf_wires){
            .network = network,
            .n_hosts = n_hosts,
            .n_nodes = n_hosts + network->graph->n_nodes,
            .n_links = 2 * n_hosts + n_arcs,
            .links =
                sf_calloc(2 * (size_t)n_hosts + n_arcs, sizeof *wires->links),
        };
    }
    if (!wires || !wires->links) {
        sf_wires_free(wires);
        return sf_fail(err, SF_ENOMEM, "out of memory for links");
    }
    fill_links(wires);
    *wiresp = wires;
    return SF_OK;
}

void
sf_wires_free(struct sf_wires *wires)
{
    if (wires) {
        free(wires->links);
        free(wires);
    }
}

uint32_t
sf_wires_arc_of(const struct sf_wires *wires, uint32_t link)
{
    const struct sf_network *network = wires->network;

    if (link < wires->n_hosts) {
        return SF_NONE;
    }
    uint32_t s = wires->links[link].from - wires->n_hosts;
    uint32_t arc = link - wires->n_hosts - network->first_host[s];
    return arc < network->graph->first[s + 1] ? arc : SF_NONE;
}

uint32_t
sf_wires_hops(const struct sf_wires *wires, const struct sf_path *path,
              uint32_t from, uint32_t to,
              struct sf_sim_hop hops[SF_MAX_PATH_LINKS])
{
    uint32_t n = 0;

    hops[n++] = (struct sf_sim_hop){ from, path->first_vl };
    for (uint32_t i = 0; i < path->n_arcs; i++) {
        hops[n++] = (struct sf_sim_hop){ sf_wires_of_arc(wires, path->arcs[i]),
                                         path->vls[i] };
    }
    uint32_t last = sf_wires_switch_of(wires, to);
    hops[n++] = (struct sf_sim_hop){ sf_wires_to_host(wires, last, to),
                                     path->last_vl };
    return n;
}
