/* left.c -- the network that is left, as a discovery would find it: dead
 * switches and hosts are not there at all. */
#include "base/mem.h"
#include "failures/study.h"

#include <string.h>

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for a network");
}

/* Adds node 'old' of 'fabric'. */
static void
add_node(const struct sf_fabric *fabric, uint32_t old,
         struct sf_fabric_builder *builder, uint32_t *numbers)
{
    const struct sf_side_kind *kind = fabric->side.kind;
    const struct sf_node *node = &fabric->nodes[old];
    uint32_t number = numbers[old] = sf_fabric_builder_node(builder, node);

    for (uint32_t k = 1; k <= node->n_ports; k++) {
        uint32_t at = sf_fabric_port(fabric, old, k);
        struct sf_port *port = sf_fabric_builder_port(builder, number, k);
        void *side =
            kind ? sf_fabric_builder_port_side(builder, number, k) : NULL;
        if (port) {
            port->guid = fabric->ports[at].guid;
            memcpy(port->rate, fabric->ports[at].rate, sizeof port->rate);
        }
        if (side) {
            memcpy(side,
                   (const char *)fabric->side.ports + at * kind->port_size,
                   kind->port_size);
        }
    }
    void *side = kind ? sf_fabric_builder_node_side(builder, number) : NULL;
    if (side) {
        memcpy(side, (const char *)fabric->side.nodes + old * kind->node_size,
               kind->node_size);
    }
}

/* Whether the cable at 'port' is there and still works. */
static bool
is_alive(const struct sf_failure_study *study,
         const struct sf_failure_dead *dead, uint32_t port)
{
    const struct sf_fabric *fabric = study->network->fabric;
    uint32_t peer = fabric->ports[port].peer;
    uint32_t link = study->link_of_port[port];

    return peer != SF_NONE && !dead->nodes[fabric->ports[port].node] &&
           !dead->nodes[fabric->ports[peer].node] &&
           (link == SF_NONE || !dead->links[link]);
}

/* Makes the fabric without what is dead; 'numbers' [n_nodes] gets the number
 * in it of each node that is left. */
static enum sf_status
build_fabric(const struct sf_failure_study *study,
             const struct sf_failure_dead *dead, uint32_t *numbers,
             struct sf_fabric **fabricp, struct sf_error *err)
{
    const struct sf_fabric *fabric = study->network->fabric;
    struct sf_fabric_builder *builder;
    enum sf_status status =
        sf_fabric_builder_new(fabric->side.kind, &builder, err);

    *fabricp = NULL;
    if (status != SF_OK) {
        return status;
    }
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        if (!dead->nodes[i]) {
            add_node(fabric, i, builder, numbers);
        }
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (is_alive(study, dead, i) && port->peer > i) {
            const struct sf_port *peer = &fabric->ports[port->peer];
            sf_fabric_builder_cable(builder, numbers[port->node], port->number,
                                    numbers[peer->node], peer->number);
        }
    }
    status = sf_fabric_builder_end(builder, fabricp, err);
    if (status == SF_OK) {
        memcpy((*fabricp)->port_names, fabric->port_names,
               sizeof fabric->port_names);
    }
    return status;
}

/* Finds the numbers that switches and hosts had: switches and hosts each keep
 * their order. */
static void
match(const struct sf_failure_study *study, const struct sf_failure_dead *dead,
      uint32_t *old_nodes, struct sf_failure_left *left)
{
    const struct sf_fabric *before = study->network->fabric;
    const struct sf_fabric *now = left->network->fabric;
    uint32_t n = 0;

    for (uint32_t i = 0; i < before->n_nodes; i++) {
        if (!dead->nodes[i]) {
            old_nodes[n++] = i;
        }
    }
    memcpy(left->switches, old_nodes, now->n_switches * sizeof *old_nodes);
    for (uint32_t h = 0; h < left->n_hosts; h++) {
        const struct sf_port *port = &now->ports[left->network->host_ports[h]];
        left->hosts[h] = study->host_of_port[sf_fabric_port(
            before, old_nodes[port->node], port->number)];
    }
}

/* Numbers the parts; 'queue' [V] is workspace. */
static void
find_parts(const struct sf_graph *graph, uint32_t *parts, uint32_t *queue)
{
    memset(parts, 0xff, graph->n_nodes * sizeof *parts);
    for (uint32_t first = 0; first < graph->n_nodes; first++) {
        uint32_t head = 0, tail = 0;
        if (parts[first] == SF_NONE) {
            parts[first] = first;
            queue[tail++] = first;
        }
        while (head < tail) {
            uint32_t v = queue[head++];
            for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
                uint32_t to = graph->arcs[i].to;
                if (parts[to] == SF_NONE) {
                    parts[to] = first;
                    queue[tail++] = to;
                }
            }
        }
    }
}

static enum sf_status
describe(const struct sf_failure_study *study,
         const struct sf_failure_dead *dead, uint32_t *workspace,
         struct sf_failure_left *left, struct sf_error *err)
{
    const struct sf_network *network = left->network;
    uint32_t n = network->graph->n_nodes;

    left->n_hosts = sf_network_count_hosts(network);
    left->switches = sf_calloc(n, sizeof *left->switches);
    left->hosts = sf_calloc(left->n_hosts, sizeof *left->hosts);
    left->parts = sf_calloc(n, sizeof *left->parts);
    if (!left->switches || !left->hosts || !left->parts) {
        return fail_memory(err);
    }
    for (uint32_t s = 0; s < n; s++) {
        left->n_carriers += network->n_hosts[s] > 0;
    }
    match(study, dead, workspace, left);
    find_parts(network->graph, left->parts, workspace);
    return SF_OK;
}

enum sf_status
sf_failure_left_build(const struct sf_failure_study *study,
                      const struct sf_failure_dead *dead,
                      struct sf_failure_left *left, struct sf_error *err)
{
    const struct sf_fabric *before = study->network->fabric;
    uint32_t *numbers = sf_calloc(before->n_nodes, sizeof *numbers);
    struct sf_fabric *fabric = NULL;
    uint32_t n_alive = 0;

    *left = (struct sf_failure_left){ 0 };
    for (uint32_t s = 0; s < before->n_switches; s++) {
        n_alive += !dead->nodes[s];
    }
    enum sf_status status = numbers ? SF_OK : fail_memory(err);
    if (status == SF_OK && n_alive > 0) {
        status = build_fabric(study, dead, numbers, &fabric, err);
    }
    if (status == SF_OK && n_alive > 0) {
        status = sf_network_build(fabric, &left->network, err);
    }
    if (status == SF_OK && n_alive > 0) {
        status = describe(study, dead, numbers, left, err);
    }
    sf_fabric_free(fabric);
    free(numbers);
    return status;
}

void
sf_failure_left_clear(struct sf_failure_left *left)
{
    free(left->parts);
    free(left->hosts);
    free(left->switches);
    sf_network_free(left->network);
    *left = (struct sf_failure_left){ 0 };
}
