#include "slimfly/fabric.h"

#include "base/mem.h"

#include <string.h>

/* Growing side records, as many as there are nodes or ports. */
struct records {
    void *items;
    size_t capacity;
};

struct sf_fabric_builder {
    SF_VEC(struct sf_node) nodes;
    SF_VEC(struct sf_port) ports;    /* Of the nodes in the order of adding. */
    const struct sf_side_kind *side; /* May be NULL. */
    struct records node_side, port_side;
    bool is_out_of_memory;
};

enum sf_status
sf_fabric_builder_new(const struct sf_side_kind *side,
                      struct sf_fabric_builder **builderp,
                      struct sf_error *err)
{
    *builderp = sf_calloc(1, sizeof **builderp);
    if (!*builderp) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    (*builderp)->side = side;
    return SF_OK;
}

void
sf_fabric_builder_free(struct sf_fabric_builder *builder)
{
    if (builder) {
        for (size_t i = 0; i < builder->nodes.n; i++) {
            free(builder->nodes.items[i].name);
        }
        free(builder->nodes.items);
        free(builder->ports.items);
        free(builder->node_side.items);
        free(builder->port_side.items);
        free(builder);
    }
}

/* Record 'i' of side records of 'size' bytes. */
static void *
record_at(void *records, size_t i, size_t size)
{
    return (unsigned char *)records + i * size;
}

/* Adds record 'i', which is the next one. */
static bool
add_record(struct records *records, size_t i, size_t size)
{
    if (i >= records->capacity &&
        !sf_vec_grow(&records->items, &records->capacity, size)) {
        return false;
    }
    memset(record_at(records->items, i, size), 0, size);
    return true;
}

static bool
add_port(struct sf_fabric_builder *builder, uint32_t node, uint32_t number)
{
    struct sf_port port = { .node = node, .number = number, .peer = SF_NONE };

    return (!builder->side || add_record(&builder->port_side, builder->ports.n,
                                         builder->side->port_size)) &&
           sf_vec_push(&builder->ports, port);
}

uint32_t
sf_fabric_builder_node(struct sf_fabric_builder *builder,
                       const struct sf_node *node)
{
    struct sf_node added = *node;
    uint32_t index = (uint32_t)builder->nodes.n;

    added.first_port = (uint32_t)builder->ports.n;
    added.name = sf_strdup(node->name);
    if (!added.name) {
        builder->is_out_of_memory = true;
        return index;
    }
    if ((builder->side &&
         !add_record(&builder->node_side, index, builder->side->node_size)) ||
        !sf_vec_push(&builder->nodes, added)) {
        free(added.name);
        builder->is_out_of_memory = true;
        return index;
    }
    for (uint32_t i = 1; i <= node->n_ports; i++) {
        if (!add_port(builder, index, i)) {
            builder->is_out_of_memory = true;
            return index;
        }
    }
    return index;
}

struct sf_port *
sf_fabric_builder_port(struct sf_fabric_builder *builder, uint32_t node,
                       uint32_t number)
{
    if (builder->is_out_of_memory || number < 1 ||
        number > builder->nodes.items[node].n_ports) {
        return NULL;
    }
    return &builder->ports
                .items[builder->nodes.items[node].first_port + number - 1];
}

void *
sf_fabric_builder_node_side(struct sf_fabric_builder *builder, uint32_t node)
{
    return !builder->side || builder->is_out_of_memory
               ? NULL
               : record_at(builder->node_side.items, node,
                           builder->side->node_size);
}

void *
sf_fabric_builder_port_side(struct sf_fabric_builder *builder, uint32_t node,
                            uint32_t number)
{
    const struct sf_port *port = sf_fabric_builder_port(builder, node, number);

    return !builder->side || !port
               ? NULL
               : record_at(builder->port_side.items,
                           (size_t)(port - builder->ports.items),
                           builder->side->port_size);
}

bool
sf_fabric_builder_cable(struct sf_fabric_builder *builder, uint32_t node_a,
                        uint32_t number_a, uint32_t node_b, uint32_t number_b)
{
    if (builder->is_out_of_memory) {
        return true; /* Said at the end. */
    }
    struct sf_port *a = sf_fabric_builder_port(builder, node_a, number_a);
    struct sf_port *b = sf_fabric_builder_port(builder, node_b, number_b);
    if (!a || !b || a == b) {
        return false;
    }
    uint32_t index_a = (uint32_t)(a - builder->ports.items);
    uint32_t index_b = (uint32_t)(b - builder->ports.items);
    if (a->peer == index_b && b->peer == index_a) {
        return true;
    }
    if (a->peer != SF_NONE || b->peer != SF_NONE) {
        return false;
    }
    a->peer = index_b;
    b->peer = index_a;
    return true;
}

/* Where the nodes of 'builder' go, switches first: new_number[old]. */
static void
number_nodes(const struct sf_fabric_builder *builder, uint32_t *new_number,
             uint32_t *n_switchesp)
{
    uint32_t next = 0;

    for (size_t i = 0; i < builder->nodes.n; i++) {
        if (builder->nodes.items[i].kind == SF_NODE_SWITCH) {
            new_number[i] = next++;
        }
    }
    *n_switchesp = next;
    for (size_t i = 0; i < builder->nodes.n; i++) {
        if (builder->nodes.items[i].kind != SF_NODE_SWITCH) {
            new_number[i] = next++;
        }
    }
}

/* Copies the side records of 'builder' to where move_nodes() put nodes and
 * ports. */
static void
move_side(const struct sf_fabric_builder *builder, const uint32_t *new_number,
          struct sf_fabric *fabric)
{
    const struct sf_side_kind *kind = builder->side;

    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        memcpy(record_at(fabric->side.nodes, new_number[i], kind->node_size),
               record_at(builder->node_side.items, i, kind->node_size),
               kind->node_size);
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &builder->ports.items[i];
        uint32_t to =
            sf_fabric_port(fabric, new_number[port->node], port->number);
        memcpy(record_at(fabric->side.ports, to, kind->port_size),
               record_at(builder->port_side.items, i, kind->port_size),
               kind->port_size);
    }
}

/* Fills 'fabric', whose arrays are there, with what 'builder' holds. */
static void
move_nodes(struct sf_fabric_builder *builder, const uint32_t *new_number,
           struct sf_fabric *fabric)
{
    const struct sf_node *old_nodes = builder->nodes.items;
    const struct sf_port *old_ports = builder->ports.items;
    uint32_t next_port = 0;

    for (size_t i = 0; i < builder->nodes.n; i++) {
        fabric->nodes[new_number[i]] = old_nodes[i];
    }
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        fabric->nodes[i].first_port = next_port;
        next_port += fabric->nodes[i].n_ports;
    }
    for (size_t i = 0; i < builder->ports.n; i++) {
        struct sf_port port = old_ports[i];
        uint32_t node = new_number[port.node];
        port.node = node;
        if (port.peer != SF_NONE) {
            const struct sf_port *peer = &old_ports[port.peer];
            port.peer = fabric->nodes[new_number[peer->node]].first_port +
                        peer->number - 1;
            fabric->n_cables +=
                port.peer > fabric->nodes[node].first_port + port.number - 1;
        }
        fabric->ports[fabric->nodes[node].first_port + port.number - 1] = port;
    }
    builder->nodes.n = 0; /* The names belong to the fabric now. */
}

enum sf_status
sf_fabric_builder_end(struct sf_fabric_builder *builder,
                      struct sf_fabric **fabricp, struct sf_error *err)
{
    enum sf_status status = SF_OK;
    uint32_t *new_number = sf_calloc(builder->nodes.n, sizeof *new_number);
    struct sf_fabric *fabric = sf_calloc(1, sizeof *fabric);

    *fabricp = NULL;
    if (fabric) {
        fabric->nodes = sf_calloc(builder->nodes.n, sizeof *fabric->nodes);
        fabric->ports = sf_calloc(builder->ports.n, sizeof *fabric->ports);
    }
    if (!new_number || !fabric || !fabric->nodes || !fabric->ports ||
        builder->is_out_of_memory) {
        sf_fabric_free(fabric);
        status = sf_fail(err, SF_ENOMEM, "out of memory for a fabric");
        goto done;
    }
    fabric->n_nodes = (uint32_t)builder->nodes.n;
    fabric->n_ports = (uint32_t)builder->ports.n;
    if (builder->side) {
        status = sf_fabric_add_side(fabric, builder->side, err);
    }
    if (status != SF_OK) {
        sf_fabric_free(fabric);
        goto done;
    }
    number_nodes(builder, new_number, &fabric->n_switches);
    move_nodes(builder, new_number, fabric);
    if (builder->side) {
        move_side(builder, new_number, fabric);
    }
    *fabricp = fabric;

done:
    free(new_number);
    sf_fabric_builder_free(builder);
    return status;
}

enum sf_status
sf_fabric_add_side(struct sf_fabric *fabric, const struct sf_side_kind *kind,
                   struct sf_error *err)
{
    if (fabric->side.kind == kind) {
        return SF_OK;
    }
    if (fabric->side.kind) {
        return sf_fail(err, SF_EINVAL, "the fabric is one of %s, not of %s",
                       fabric->side.kind->name, kind->name);
    }
    struct sf_side_table side = {
        .kind = kind,
        .nodes = sf_calloc(fabric->n_nodes, kind->node_size),
        .ports = sf_calloc(fabric->n_ports, kind->port_size),
    };
    if (!side.nodes || !side.ports) {
        free(side.nodes);
        free(side.ports);
        return sf_fail(err, SF_ENOMEM, "out of memory for a fabric");
    }
    fabric->side = side;
    return SF_OK;
}

/* Copies the side table of 'fabric', if it has one. */
static bool
copy_side(const struct sf_fabric *fabric, struct sf_fabric *copy)
{
    const struct sf_side_kind *kind = fabric->side.kind;

    if (!kind) {
        return true;
    }
    if (sf_fabric_add_side(copy, kind, NULL) != SF_OK) {
        return false;
    }
    memcpy(copy->side.nodes, fabric->side.nodes,
           fabric->n_nodes * kind->node_size);
    memcpy(copy->side.ports, fabric->side.ports,
           fabric->n_ports * kind->port_size);
    return true;
}

enum sf_status
sf_fabric_copy(const struct sf_fabric *fabric, struct sf_fabric **copyp,
               struct sf_error *err)
{
    struct sf_fabric *copy = sf_calloc(1, sizeof *copy);

    *copyp = NULL;
    if (!copy) {
        goto no_memory;
    }
    copy->nodes = sf_calloc(fabric->n_nodes, sizeof *copy->nodes);
    copy->ports = sf_calloc(fabric->n_ports, sizeof *copy->ports);
    if (!copy->nodes || !copy->ports) {
        goto no_memory;
    }
    copy->n_switches = fabric->n_switches;
    copy->n_ports = fabric->n_ports;
    copy->n_cables = fabric->n_cables;
    memcpy(copy->port_names, fabric->port_names, sizeof copy->port_names);
    memcpy(copy->ports, fabric->ports, fabric->n_ports * sizeof *copy->ports);
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        copy->nodes[i] = fabric->nodes[i];
        copy->nodes[i].name = sf_strdup(fabric->nodes[i].name);
        copy->n_nodes = i + 1;
        if (!copy->nodes[i].name) {
            goto no_memory;
        }
    }
    if (!copy_side(fabric, copy)) {
        goto no_memory;
    }
    *copyp = copy;
    return SF_OK;

no_memory:
    sf_fabric_free(copy);
    return sf_fail(err, SF_ENOMEM, "out of memory for a fabric");
}

void
sf_fabric_free(struct sf_fabric *fabric)
{
    if (fabric) {
        for (uint32_t i = 0; fabric->nodes && i < fabric->n_nodes; i++) {
            free(fabric->nodes[i].name);
        }
        free(fabric->nodes);
        free(fabric->ports);
        free(fabric->side.nodes);
        free(fabric->side.ports);
        for (uint32_t i = 0; i < fabric->n_notes; i++) {
            free(fabric->notes[i].text);
        }
        free(fabric->notes);
        free(fabric);
    }
}

enum sf_status
sf_fabric_add_note(struct sf_fabric *fabric, const char *kind,
                   const char *text, struct sf_error *err)
{
    struct sf_note note = { kind, sf_strdup(text) };
    struct sf_note *notes =
        sf_realloc(fabric->notes, (size_t)fabric->n_notes + 1, sizeof *notes);

    if (notes) {
        fabric->notes = notes;
    }
    if (!notes || !note.text) {
        free(note.text);
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    notes[fabric->n_notes++] = note;
    return SF_OK;
}

void
sf_fabric_plug(struct sf_fabric *fabric, uint32_t a, uint32_t b)
{
    fabric->ports[a].peer = b;
    fabric->ports[b].peer = a;
    fabric->n_cables++;
}

void
sf_fabric_unplug(struct sf_fabric *fabric, uint32_t port)
{
    fabric->ports[fabric->ports[port].peer].peer = SF_NONE;
    fabric->ports[port].peer = SF_NONE;
    fabric->n_cables--;
}

static bool
name_nodes(struct sf_graph *graph, const struct sf_fabric *fabric)
{
    graph->names = sf_calloc(graph->n_nodes, sizeof *graph->names);
    for (uint32_t i = 0; graph->names && i < graph->n_nodes; i++) {
        graph->names[i] = sf_strdup(fabric->nodes[i].name);
        if (!graph->names[i]) {
            return false;
        }
    }
    return graph->names != NULL;
}

enum sf_status
sf_fabric_graph(const struct sf_fabric *fabric, struct sf_graph **graphp,
                uint32_t **link_portsp, struct sf_error *err)
{
    SF_VEC(struct sf_link) links = { 0 };
    uint32_t *link_ports = NULL, *next = NULL;
    enum sf_status status = SF_OK;

    *graphp = NULL;
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (port->peer == SF_NONE || port->peer < i) {
            continue;
        }
        uint32_t a = port->node, b = fabric->ports[port->peer].node;
        /* A cable from a switch to itself leads nowhere. */
        if (a < fabric->n_switches && b < fabric->n_switches && a != b &&
            !sf_vec_push(&links, ((struct sf_link){ a, b }))) {
            goto no_memory;
        }
    }
    status = sf_graph_build(fabric->n_switches, links.items, (uint32_t)links.n,
                            graphp, err);
    if (status != SF_OK) {
        goto done;
    }
    if (!name_nodes(*graphp, fabric)) {
        goto no_memory;
    }
    if (!link_portsp) {
        goto done;
    }

    /* Links are numbered by their ends, parallel ones in the order of the
     * ports at the lower end: hand them out in that order. */
    link_ports = sf_calloc(2 * links.n, sizeof *link_ports);
    next = sf_calloc(fabric->n_switches, sizeof *next);
    if (!link_ports || !next) {
        goto no_memory;
    }
    const struct sf_graph *graph = *graphp;
    for (uint32_t a = 0; a < fabric->n_switches; a++) {
        const struct sf_node *node = &fabric->nodes[a];
        for (uint32_t i = graph->first[a]; i < graph->first[a + 1]; i++) {
            next[graph->arcs[i].to] = SF_NONE;
        }
        for (uint32_t i = graph->first[a + 1]; i-- > graph->first[a];) {
            next[graph->arcs[i].to] = graph->arcs[i].link;
        }
        for (uint32_t i = 0; i < node->n_ports; i++) {
            uint32_t port = node->first_port + i;
            uint32_t peer = fabric->ports[port].peer;
            uint32_t b = peer == SF_NONE ? SF_NONE : fabric->ports[peer].node;
            if (b != SF_NONE && b < fabric->n_switches && b > a) {
                link_ports[2 * next[b]] = port;
                link_ports[2 * next[b] + 1] = peer;
                next[b]++;
            }
        }
    }
    *link_portsp = link_ports;
    link_ports = NULL;
    goto done;

no_memory:
    sf_graph_free(*graphp);
    *graphp = NULL;
    status = sf_fail(err, SF_ENOMEM, "out of memory for a graph");
done:
    free(next);
    free(link_ports);
    free(links.items);
    return status;
}

void
sf_fabric_count_hosts(const struct sf_fabric *fabric, uint32_t *n_hosts)
{
    memset(n_hosts, 0, fabric->n_switches * sizeof *n_hosts);
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (port->node < fabric->n_switches && port->peer != SF_NONE &&
            fabric->ports[port->peer].node >= fabric->n_switches) {
            n_hosts[port->node]++;
        }
    }
}

char *
sf_fabric_port_name(const struct sf_fabric *fabric, uint32_t node,
                    uint32_t number, char name[SF_PORT_NAME_SIZE])
{
    return sf_port_name(&fabric->port_names[fabric->nodes[node].kind], number,
                        name);
}

uint32_t
sf_fabric_find(const struct sf_fabric *fabric, const char *name)
{
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        if (!strcmp(fabric->nodes[i].name, name)) {
            return i;
        }
    }
    return SF_NONE;
}
