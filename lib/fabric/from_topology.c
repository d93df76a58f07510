/* from_topology.c -- gives every link of a topology its two ports. */
#include "base/mem.h"
#include "slimfly/fabric.h"

#include <stdio.h>
#include <string.h>

/* Placeholder GUIDs, to be replaced by those of the real devices: "SLF" under
 * a locally administered first byte, then switches and hosts. */
#define SWITCH_GUID UINT64_C(0x02534c4600000000)
#define HOST_GUID   UINT64_C(0x02534c4680000000)
#define GUID_STEP   16 /* Leaves room for the GUIDs of a node's ports. */

/* A link as its switch sees it, with what its port number is decided by. */
struct outlet {
    enum sf_reach reach;
    uint32_t group;    /* Of the neighbour. */
    uint32_t position; /* Of the neighbour, see position_of(). */
    uint32_t link;
};

static int
compare_outlets(const void *a, const void *b)
{
    const struct outlet *x = a, *y = b;

    if (x->reach != y->reach) {
        return x->reach < y->reach ? -1 : 1;
    }
    if (x->group != y->group) {
        return x->group < y->group ? -1 : 1;
    }
    if (x->position != y->position) {
        return x->position < y->position ? -1 : 1;
    }
    return (x->link > y->link) - (x->link < y->link);
}

/* Where neighbour 'to' stands among those of 's' with the same reach.  Near
 * ones are counted onwards from 's', going round, so that the same port means
 * the same distance on every switch. */
static uint32_t
position_of(const struct sf_topology *topo, uint32_t s, uint32_t to,
            enum sf_reach reach)
{
    uint32_t last = topo->n_coords - 1;
    uint32_t mine = sf_topology_place(topo, s)[last];
    uint32_t its = sf_topology_place(topo, to)[last];

    if (reach != SF_REACH_NEAR) {
        return to;
    }
    return its > mine ? its - mine : its - mine + topo->graph->n_nodes;
}

/* Decides the port numbers of the links of 's': port_of[2 * link + 1] for the
 * end b of a link, else [2 * link]. */
static void
number_ports(const struct sf_topology *topo, uint32_t s,
             struct outlet *outlets, uint32_t *port_of)
{
    const struct sf_graph *graph = topo->graph;
    const struct sf_arc *arcs = graph->arcs + graph->first[s];
    uint32_t degree = sf_graph_degree(graph, s);

    for (uint32_t i = 0; i < degree; i++) {
        enum sf_reach reach = sf_topology_reach(topo, s, arcs[i].to);
        outlets[i] = (struct outlet){
            .reach = reach,
            .group = reach == SF_REACH_BEYOND
                         ? sf_topology_group(topo, arcs[i].to)
                         : 0,
            .position = position_of(topo, s, arcs[i].to, reach),
            .link = arcs[i].link,
        };
    }
    qsort(outlets, degree, sizeof *outlets, compare_outlets);
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t link = outlets[i].link;
        bool is_b = graph->links[link].b == s;
        port_of[2 * link + is_b] = topo->n_hosts[s] + 1 + i;
    }
}

static void
add_switches(const struct sf_topology *topo, uint32_t switch_ports,
             struct sf_fabric_builder *builder)
{
    for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
        char name[SF_MAX_NAME];
        uint64_t guid = SWITCH_GUID + (uint64_t)GUID_STEP * s;
        uint32_t n_used = sf_graph_degree(topo->graph, s) + topo->n_hosts[s];
        struct sf_node node = {
            .kind = SF_NODE_SWITCH,
            .name = sf_topology_switch_name(topo, s, name),
            .guid = guid,
            .n_ports = switch_ports ? switch_ports : n_used,
            .origin = s,
            .rack = SF_NONE,
            .unit = SF_NONE,
        };
        sf_fabric_builder_node(builder, &node);
    }
}

/* Adds the hosts, the first n_kept[] of each switch, and joins them to ports
 * 1... of it. */
static void
add_hosts(const struct sf_topology *topo, const uint32_t *n_kept,
          const char *rate, struct sf_fabric_builder *builder)
{
    uint32_t host = 0;

    for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
        for (uint32_t i = 0; i < topo->n_hosts[s]; i++, host++) {
            if (i >= n_kept[s]) {
                continue;
            }
            char name[SF_MAX_NAME];
            uint64_t guid = HOST_GUID + (uint64_t)GUID_STEP * host;
            snprintf(name, sizeof name, "node%04u", host);
            struct sf_node node = {
                .kind = SF_NODE_HOST,
                .name = name,
                .guid = guid,
                .n_ports = 1,
                .origin = host,
                .rack = SF_NONE,
                .unit = SF_NONE,
            };
            uint32_t index = sf_fabric_builder_node(builder, &node);
            struct sf_port *port = sf_fabric_builder_port(builder, index, 1);
            if (port) {
                port->guid = guid + 1;
                snprintf(port->rate, sizeof port->rate, "%s", rate);
            }
            port = sf_fabric_builder_port(builder, s, i + 1);
            if (port) {
                snprintf(port->rate, sizeof port->rate, "%s", rate);
            }
            sf_fabric_builder_cable(builder, s, i + 1, index, 1);
        }
    }
}

static void
add_links(const struct sf_topology *topo, const uint32_t *port_of,
          const char *rate, struct sf_fabric_builder *builder)
{
    for (uint32_t i = 0; i < topo->graph->n_links; i++) {
        const struct sf_link link = topo->graph->links[i];
        uint32_t ends[2] = { link.a, link.b };
        for (int j = 0; j < 2; j++) {
            struct sf_port *port = sf_fabric_builder_port(
                builder, ends[j], port_of[2 * i + (uint32_t)j]);
            if (port) {
                snprintf(port->rate, sizeof port->rate, "%s", rate);
            }
        }
        sf_fabric_builder_cable(builder, link.a, port_of[2 * i], link.b,
                                port_of[2 * i + 1]);
    }
}

static enum sf_status
check_switches(const struct sf_topology *topo, uint32_t switch_ports,
               uint32_t *max_degreep, struct sf_error *err)
{
    uint32_t most = switch_ports ? switch_ports : SF_MAX_PORTS;

    *max_degreep = 0;
    if (switch_ports > SF_MAX_PORTS) {
        return sf_fail(err, SF_ELIMIT,
                       "switches of %u ports: slimfly numbers at most %d, as "
                       "InfiniBand does",
                       switch_ports, SF_MAX_PORTS);
    }
    for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
        char name[SF_MAX_NAME];
        if (strpbrk(sf_topology_switch_name(topo, s, name), "\"=\\")) {
            return sf_fail(err, SF_EINVAL,
                           "%s: the name %s cannot be that of a switch: "
                           "quotes, backslashes and '=' mean something to "
                           "the tools of InfiniBand",
                           topo->spec, name);
        }
        uint32_t degree = sf_graph_degree(topo->graph, s);
        uint32_t needed = degree + topo->n_hosts[s];
        *max_degreep = degree > *max_degreep ? degree : *max_degreep;
        if (needed > most) {
            return sf_fail(err, SF_ELIMIT,
                           "%s needs switches of %u ports (%u links, %u "
                           "hosts); %s %u%s",
                           topo->spec, needed, degree, topo->n_hosts[s],
                           switch_ports ? "these have"
                                        : "slimfly numbers at most",
                           most, switch_ports ? "" : ", as InfiniBand does");
        }
    }
    return SF_OK;
}

enum sf_status
sf_fabric_from_topology(const struct sf_topology *topo,
                        const struct sf_fabric_params *params,
                        struct sf_fabric **fabricp, struct sf_error *err)
{
    uint32_t switch_ports = params ? params->switch_ports : 0;
    const char *rate = params && params->rate ? params->rate : "4xEDR";
    uint32_t n_hosts =
        params && params->n_hosts ? params->n_hosts : topo->n_endpoints;
    struct sf_fabric_builder *builder = NULL;
    uint32_t max_degree;

    *fabricp = NULL;
    enum sf_status status =
        check_switches(topo, switch_ports, &max_degree, err);
    if (status != SF_OK) {
        return status;
    }
    if (n_hosts > topo->n_endpoints) {
        return sf_fail(err, SF_EINVAL, "%s has %u hosts, not %u", topo->spec,
                       topo->n_endpoints, n_hosts);
    }
    uint32_t *n_kept = sf_calloc(topo->graph->n_nodes, sizeof *n_kept);
    uint32_t *port_of =
        sf_calloc(2 * (size_t)topo->graph->n_links, sizeof *port_of);
    struct outlet *outlets = sf_calloc(max_degree, sizeof *outlets);
    if (!n_kept || !port_of || !outlets) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for a fabric");
        goto done;
    }
    status = sf_fabric_builder_new(NULL, &builder, err);
    if (status != SF_OK) {
        goto done;
    }
    for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
        number_ports(topo, s, outlets, port_of);
    }
    add_switches(topo, switch_ports, builder);
    sf_topology_keep_hosts(topo, n_hosts, n_kept);
    add_hosts(topo, n_kept, rate, builder);
    add_links(topo, port_of, rate, builder);
    status = sf_fabric_builder_end(builder, fabricp, err);
    if (status == SF_OK && params) {
        memcpy((*fabricp)->port_names, params->port_names,
               sizeof params->port_names);
    }

done:
    free(outlets);
    free(port_of);
    free(n_kept);
    return status;
}
