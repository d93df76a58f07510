/* ibnetdiscover.c -- the text that ibnetdiscover prints and ibsim loads:
 *
 *     vendid=0x2c9
 *     devid=0xd2f0
 *     sysimgguid=0x2c90200000010
 *     switchguid=0x2c90200000010(2c90200000010)
 *     Switch  8 "S-0002c90200000010"  # "leaf 0" base port 0 lid 1 lmc 0
 *     [1]     "H-0002c90300000100"[1](2c90300000101)  # "n1" lid 5 4xEDR
 *     [5]     "S-0002c90200000020"[5]                 # "leaf 1" lid 2 4xEDR
 *
 *     Ca      1 "H-0002c90300000100"  # "n1"
 *     [1](2c90300000101)  "S-0002c90200000010"[1]  # lid 5 lmc 0 "leaf 0" ...
 *
 * Everything after '#' may be missing, and so may one of the two lines of a
 * cable.  Nodes are known by the word in quotes. */
#include "base/file.h"
#include "base/mem.h"
#include "ib/ibnetdiscover_lines.h"
#include "slimfly/discovery.h"

#include <inttypes.h>
#include <string.h>

/* An id and the node that has it, for sorting and searching. */
struct id_entry {
    const char *id;
    uint32_t node;
};

static int
compare_ids(const void *a, const void *b)
{
    return strcmp(((const struct id_entry *)a)->id,
                  ((const struct id_entry *)b)->id);
}

static enum sf_status
sort_ids(struct sf_ibnetdiscover_lines *lines, struct id_entry *entries)
{
    for (uint32_t i = 0; i < lines->nodes.n; i++) {
        entries[i] = (struct id_entry){ lines->nodes.items[i].id, i };
    }
    qsort(entries, lines->nodes.n, sizeof *entries, compare_ids);
    for (size_t i = 1; i < lines->nodes.n; i++) {
        if (!strcmp(entries[i].id, entries[i - 1].id)) {
            uint32_t a = lines->nodes.items[entries[i].node].line;
            uint32_t b = lines->nodes.items[entries[i - 1].node].line;
            return sf_fail(lines->err, SF_EPARSE,
                           "%s:%u: expected each node once, but \"%.60s\" "
                           "stands in line %u too",
                           lines->path, a > b ? a : b, entries[i].id,
                           a > b ? b : a);
        }
    }
    return SF_OK;
}

static int
compare_node_guids(const void *a, const void *b)
{
    const struct found_node *x = *(const struct found_node *const *)a;
    const struct found_node *y = *(const struct found_node *const *)b;
    return x->node.guid != y->node.guid
               ? (x->node.guid > y->node.guid ? 1 : -1)
               : (x->line > y->line) - (x->line < y->line);
}

/* Refuses two nodes with the same GUID: tables know them by it. */
static enum sf_status
check_guids(const struct sf_ibnetdiscover_lines *lines)
{
    const struct found_node **sorted =
        sf_calloc(lines->nodes.n, sizeof *sorted);
    enum sf_status status = SF_OK;

    if (!sorted) {
        return sf_fail(lines->err, SF_ENOMEM, "%s: out of memory",
                       lines->path);
    }
    for (size_t i = 0; i < lines->nodes.n; i++) {
        sorted[i] = &lines->nodes.items[i];
    }
    qsort(sorted, lines->nodes.n, sizeof *sorted, compare_node_guids);
    for (size_t i = 1; i < lines->nodes.n && status == SF_OK; i++) {
        uint64_t guid = sorted[i]->node.guid;
        if (guid && guid == sorted[i - 1]->node.guid) {
            status = sf_fail(lines->err, SF_EPARSE,
                             "%s:%u: expected each GUID once, but the node of "
                             "line %u has 0x%016" PRIx64 " too",
                             lines->path, sorted[i]->line, sorted[i - 1]->line,
                             guid);
        }
    }
    free(sorted);
    return status;
}

/* Joins the two ends of a port line. */
static enum sf_status
join(struct sf_ibnetdiscover_lines *lines, const struct id_entry *entries,
     const struct found_port *port, struct sf_fabric_builder *builder)
{
    struct id_entry wanted = { port->peer_id, 0 };
    const struct id_entry *peer = bsearch(&wanted, entries, lines->nodes.n,
                                          sizeof *entries, compare_ids);

    if (!peer) {
        return sf_fail(lines->err, SF_EPARSE,
                       "%s:%u: unknown node \"%.60s\"; expected one that has "
                       "a Switch or Ca line",
                       lines->path, port->line, port->peer_id);
    }
    struct sf_port *own =
        sf_fabric_builder_port(builder, port->node, port->number);
    if (own) {
        own->guid = port->guid;
        snprintf(own->rate, sizeof own->rate, "%s", port->rate);
    }
    struct sf_ib_port *own_ib =
        sf_fabric_builder_port_side(builder, port->node, port->number);
    if (own_ib) {
        *own_ib = port->ib;
    }
    /* Port 0 is the switch itself: a cable never ends there. */
    if (!sf_fabric_builder_cable(builder, port->node, port->number, peer->node,
                                 port->peer_number)) {
        return sf_fail(
            lines->err, SF_EPARSE,
            "%s:%u: port %u cannot be joined to port %u of \"%.60s\", which "
            "%s",
            lines->path, port->line, port->number, port->peer_number,
            port->peer_id,
            port->peer_number < 1 ||
                    port->peer_number >
                        lines->nodes.items[peer->node].node.n_ports
                ? "does not exist"
                : "is itself or joined to another port elsewhere in the file");
    }
    return SF_OK;
}

/* A rate may be said at one end only. */
static void
share_rates(struct sf_fabric *fabric)
{
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        struct sf_port *port = &fabric->ports[i];
        if (!port->rate[0] && port->peer != SF_NONE) {
            memcpy(port->rate, fabric->ports[port->peer].rate,
                   sizeof port->rate);
        }
    }
}

static enum sf_status
build(struct sf_ibnetdiscover_lines *lines, struct sf_fabric **fabricp)
{
    struct sf_fabric_builder *builder = NULL;
    struct id_entry *entries = sf_calloc(lines->nodes.n, sizeof *entries);
    enum sf_status status;

    if (!entries) {
        return sf_fail(lines->err, SF_ENOMEM, "%s: out of memory",
                       lines->path);
    }
    status = sort_ids(lines, entries);
    if (status == SF_OK) {
        status = check_guids(lines);
    }
    if (status == SF_OK) {
        status = sf_fabric_builder_new(&sf_ib_side, &builder, lines->err);
    }
    if (status != SF_OK) {
        goto done;
    }
    for (size_t i = 0; i < lines->nodes.n; i++) {
        const struct found_node *found = &lines->nodes.items[i];
        struct sf_ib_node *ib = sf_fabric_builder_node_side(
            builder, sf_fabric_builder_node(builder, &found->node));
        if (ib) {
            *ib = found->ib;
        }
    }
    for (size_t i = 0; status == SF_OK && i < lines->ports.n; i++) {
        status = join(lines, entries, &lines->ports.items[i], builder);
    }
    if (status != SF_OK) {
        sf_fabric_builder_free(builder);
        goto done;
    }
    status = sf_fabric_builder_end(builder, fabricp, lines->err);
    if (status == SF_OK) {
        share_rates(*fabricp);
    }

done:
    free(entries);
    return status;
}

enum sf_status
sf_ibnetdiscover_parse(char *text, size_t length, const char *path,
                       struct sf_fabric **fabricp, struct sf_error *err)
{
    struct sf_ibnetdiscover_lines lines = {
        .path = strcmp(path, "-") ? path : "standard input",
        .err = err,
    };

    *fabricp = NULL;
    enum sf_status status = sf_ibnetdiscover_read_lines(&lines, text, length);
    if (status == SF_OK) {
        status = build(&lines, fabricp);
    }
    free(lines.ports.items);
    free(lines.nodes.items);
    return status;
}

enum sf_status
sf_ibnetdiscover_read(const char *path, struct sf_fabric **fabricp,
                      struct sf_error *err)
{
    char *text;
    size_t length;

    *fabricp = NULL;
    enum sf_status status = sf_file_read(path, &text, &length, err);
    if (status == SF_OK) {
        status = sf_ibnetdiscover_parse(text, length, path, fabricp, err);
    }
    free(text);
    return status;
}

static char
letter_of(const struct sf_node *node)
{
    return node->kind == SF_NODE_SWITCH ? 'S' : 'H';
}

/* The LID of the switch or host port at port 'i'. */
static unsigned
lid_of(const struct sf_fabric *fabric, uint32_t i)
{
    uint32_t node = fabric->ports[i].node;
    return node < fabric->n_switches ? sf_ib_node(fabric, node)->lid
                                     : sf_ib_port(fabric, i)->lid;
}

static void
write_port(const struct sf_fabric *fabric, uint32_t i, FILE *stream)
{
    const struct sf_port *port = &fabric->ports[i];
    const struct sf_node *node = &fabric->nodes[port->node];
    const struct sf_port *peer = &fabric->ports[port->peer];
    const struct sf_node *to = &fabric->nodes[peer->node];

    fprintf(stream, "[%u]", port->number);
    if (node->kind == SF_NODE_HOST) {
        fprintf(stream, "(%" PRIx64 ") ", port->guid);
    }
    fprintf(stream, "\t\"%c-%016" PRIx64 "\"[%u]", letter_of(to), to->guid,
            peer->number);
    if (to->kind == SF_NODE_HOST) {
        /* Two hosts back to back get one more blank. */
        fprintf(stream, "%s(%" PRIx64 ") ",
                node->kind == SF_NODE_HOST ? " " : "", peer->guid);
    }
    fputs("\t\t# ", stream);
    if (node->kind == SF_NODE_HOST) {
        const struct sf_ib_port *ib = sf_ib_port(fabric, i);
        fprintf(stream, "lid %u lmc %u ", ib->lid, ib->lmc);
    }
    fprintf(stream, "\"%s\" lid %u", to->name, lid_of(fabric, port->peer));
    if (port->rate[0]) {
        fprintf(stream, " %s", port->rate);
    }
    fputc('\n', stream);
}

static void
write_node(const struct sf_fabric *fabric, uint32_t i, FILE *stream)
{
    const struct sf_node *node = &fabric->nodes[i];
    const struct sf_ib_node *ib = sf_ib_node(fabric, i);
    bool is_switch = node->kind == SF_NODE_SWITCH;
    /* Planned nodes are systems of their own. */
    uint64_t system_guid =
        sf_ib_has_side(fabric) ? ib->system_guid : node->guid;

    fprintf(stream, "\nvendid=0x%x\ndevid=0x%x\n", ib->vendor, ib->device);
    if (system_guid) {
        fprintf(stream, "sysimgguid=0x%" PRIx64 "\n", system_guid);
    }
    if (is_switch) {
        fprintf(stream, "switchguid=0x%" PRIx64 "(%" PRIx64 ")\n", node->guid,
                node->guid);
        fprintf(stream,
                "Switch\t%u \"S-%016" PRIx64 "\"\t\t# \"%s\" %s port 0 lid %u "
                "lmc %u\n",
                node->n_ports, node->guid, node->name,
                ib->enhanced_port0 ? "enhanced" : "base", ib->lid, ib->lmc);
    } else {
        fprintf(stream, "caguid=0x%" PRIx64 "\n", node->guid);
        fprintf(stream, "Ca\t%u \"H-%016" PRIx64 "\"\t\t# \"%s\"\n",
                node->n_ports, node->guid, node->name);
    }
    for (uint32_t j = 0; j < node->n_ports; j++) {
        uint32_t port = node->first_port + j;
        if (fabric->ports[port].peer != SF_NONE) {
            write_port(fabric, port, stream);
        }
    }
}

void
sf_ibnetdiscover_write(const struct sf_fabric *fabric, const char *comment,
                       FILE *stream)
{
    fprintf(stream, "#\n# Topology file: %s\n#\n", comment);
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        write_node(fabric, i, stream);
    }
}
