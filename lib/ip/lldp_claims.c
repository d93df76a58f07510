/* lldp_claims.c -- which ports the reports speak of.
 *
 * A port of a planned switch has the number that the rule gives to its name.
 * The name is the port's id, or what is said of the port: some images of SONiC
 * send a MAC address as the id, and the name as the description.  Where
 * neither is a name, the port is not known, and the other report may tell.
 * Ports of others have numbers by the rule, too, or else a text. */
#define _GNU_SOURCE
#include "ip/lldp_reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *
sf_lldp_describe(const struct lldp_reader *reader,
                 const struct lldp_socket *socket, char text[LLDP_SOCKET_SIZE])
{
    const char *called = reader->entities.items[socket->entity].called;
    enum sf_node_kind kind =
        lldp_is_planned(reader, socket->entity, SF_NODE_HOST) ? SF_NODE_HOST
                                                              : SF_NODE_SWITCH;
    char name[SF_PORT_NAME_SIZE];

    if (socket->number) {
        snprintf(text, LLDP_SOCKET_SIZE, "%.255s port %s", called,
                 sf_port_name(&reader->planned->port_names[kind],
                              socket->number, name));
    } else if (socket->text) {
        snprintf(text, LLDP_SOCKET_SIZE, "%.255s port %.255s", called,
                 socket->text);
    } else {
        snprintf(text, LLDP_SOCKET_SIZE, "%.255s", called);
    }
    return text;
}

/* Whether 'name' is one that systems give to ports for management. */
static bool
is_management(const char *name)
{
    static const char *const starts[] = { "eth", "mgmt", "Management", "ma",
                                          "em",  "fxp",  "me",         "vme",
                                          "oob", "bmc",  "en",         "usb" };

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t length = strlen(starts[i]);
        /* "eth0" and "enp3s0", but not "Ethernet0" or "et-0/0/1". */
        if (!strncmp(name, starts[i], length) &&
            (name[length] == '\0' || isdigit((unsigned char)name[length]) ||
             !strcmp(starts[i], "en"))) {
            return true;
        }
    }
    return false;
}

/* The number of the port of that name by the rule of 'kind', up to what a
 * fabric can have; 0 if there is none. */
static uint32_t
number_of(const struct lldp_reader *reader, enum sf_node_kind kind,
          const char *name)
{
    const struct sf_port_names *names = &reader->planned->port_names[kind];
    uint32_t number =
        name && sf_port_names_exist(names) ? sf_port_number(names, name) : 0;

    return number <= SF_MAX_PORTS ? number : 0;
}

/* The port of 'entity' that goes by 'name' or is described by 'descr'; either
 * may be NULL. */
static struct lldp_socket
socket_of(const struct lldp_reader *reader, uint32_t entity, const char *name,
          const char *descr)
{
    enum sf_node_kind kind = lldp_is_planned(reader, entity, SF_NODE_HOST)
                                 ? SF_NODE_HOST
                                 : SF_NODE_SWITCH;
    struct lldp_socket socket = { .entity = entity };

    socket.number = number_of(reader, kind, name);
    if (!socket.number) {
        socket.number = number_of(reader, kind, descr);
    }
    if (!socket.number && !lldp_is_planned(reader, entity, SF_NODE_SWITCH)) {
        socket.text = name ? name : descr;
    }
    return socket;
}

/* Counts a port of a planned switch whose name the rule does not know. */
static void
note_odd(struct lldp_reader *reader, uint32_t entity, const char *name,
         uint32_t *n_oddp)
{
    if ((*n_oddp)++ == 0) {
        sf_lldp_note(
            reader, "unknown_port",
            "%s reports a neighbour on %s, which is no port by the rule "
            "%s; it and others like it are left out.",
            reader->entities.items[entity].called, name,
            reader->planned->port_names[SF_NODE_SWITCH].rule);
    }
    reader->n_odd++;
    reader->odd = name;
}

/* Whether what is claimed of port 'from', called 'name', is about the fabric.
 * Switches use ports by the rule for it.  Hosts do if they have a rule; else
 * it is what leads to something planned, or to a port that is named by the
 * rule of switches.  A stranger may be a switch of the fabric that nobody has
 * named, or the one that all ports for management lead to. */
static bool
is_of_fabric(struct lldp_reader *reader, const struct lldp_claim *claim,
             const char *name, uint32_t *n_oddp)
{
    const struct lldp_socket *from = &claim->from, *to = &claim->to;
    const struct sf_port_names *host_names =
        &reader->planned->port_names[SF_NODE_HOST];

    if (lldp_is_planned(reader, from->entity, SF_NODE_SWITCH)) {
        reader->n_named += from->number > 0;
        if (!from->number && !is_management(name)) {
            note_odd(reader, from->entity, name, n_oddp);
        }
        return from->number > 0;
    }
    if (lldp_is_planned(reader, from->entity, SF_NODE_HOST)) {
        return sf_port_names_exist(host_names)
                   ? from->number > 0
                   : reader->entities.items[to->entity].planned != SF_NONE ||
                         to->number > 0;
    }
    return from->number > 0 ||
           (lldp_is_planned(reader, to->entity, SF_NODE_SWITCH) &&
            to->number > 0);
}

static void
list_claims_of(struct lldp_reader *reader, uint32_t entity,
               const struct lldp_report *report,
               const struct lldp_mention *mentions)
{
    uint32_t n_odd = 0;

    for (size_t i = 0; i < report->neighbours.n; i++) {
        const struct lldp_neighbour *neighbour = &report->neighbours.items[i];
        uint32_t other = mentions[i].entity;
        if (other == SF_NONE) {
            continue; /* It may be one of several. */
        }
        struct lldp_claim claim = {
            .from = socket_of(reader, entity, neighbour->local, NULL),
            .to = socket_of(reader, other, neighbour->port, neighbour->descr),
        };
        if (is_of_fabric(reader, &claim, neighbour->local, &n_odd) &&
            !sf_vec_push(&reader->claims, claim)) {
            reader->is_out_of_memory = true;
            return;
        }
    }
}

static int
compare_sockets(const struct lldp_socket *a, const struct lldp_socket *b)
{
    if (a->entity != b->entity) {
        return a->entity < b->entity ? -1 : 1;
    }
    if (a->number != b->number) {
        return a->number < b->number ? -1 : 1;
    }
    if (!a->text || !b->text) {
        return (a->text != NULL) - (b->text != NULL);
    }
    return strverscmp(a->text, b->text);
}

static int
compare_claims(const void *a, const void *b)
{
    const struct lldp_claim *x = a, *y = b;
    int order = compare_sockets(&x->from, &y->from);

    return order ? order : compare_sockets(&x->to, &y->to);
}

static int
compare_ports(const void *a, const void *b)
{
    return compare_sockets(&((const struct lldp_port *)a)->socket,
                           &((const struct lldp_port *)b)->socket);
}

/* Whether a socket is a certain one. */
static bool
is_known(const struct lldp_socket *socket)
{
    return socket->number || socket->text;
}

static void
add_port(struct lldp_reader *reader, const struct lldp_socket *socket)
{
    struct lldp_port port = { .socket = *socket, .peer = SF_NONE };

    if (is_known(socket) && !sf_vec_push(&reader->ports, port)) {
        reader->is_out_of_memory = true;
    }
}

static uint32_t
find_port(const struct lldp_reader *reader, const struct lldp_socket *socket)
{
    struct lldp_port wanted = { .socket = *socket };
    const struct lldp_port *port =
        is_known(socket)
            ? bsearch(&wanted, reader->ports.items, reader->ports.n,
                      sizeof wanted, compare_ports)
            : NULL;

    return port ? (uint32_t)(port - reader->ports.items) : SF_NONE;
}

/* Sorts the claims and drops those that stand twice. */
static void
sort_claims(struct lldp_reader *reader)
{
    struct lldp_claim *claims = reader->claims.items;
    size_t n = 0;

    qsort(claims, reader->claims.n, sizeof *claims, compare_claims);
    for (size_t i = 0; i < reader->claims.n; i++) {
        if (i == 0 || compare_claims(&claims[i], &claims[n - 1]) != 0) {
            claims[n++] = claims[i];
        }
    }
    reader->claims.n = n;
}

/* Lists the ports that claims are about, each once, entity by entity. */
static void
list_ports(struct lldp_reader *reader)
{
    size_t n = 0;

    for (size_t i = 0; i < reader->claims.n; i++) {
        add_port(reader, &reader->claims.items[i].from);
        add_port(reader, &reader->claims.items[i].to);
    }
    if (reader->is_out_of_memory || reader->ports.n == 0) {
        return;
    }
    struct lldp_port *ports = reader->ports.items;
    qsort(ports, reader->ports.n, sizeof *ports, compare_ports);
    for (size_t i = 0; i < reader->ports.n; i++) {
        if (i == 0 || compare_ports(&ports[i], &ports[n - 1]) != 0) {
            ports[n++] = ports[i];
        }
    }
    reader->ports.n = n;
    for (size_t i = n; i-- > 0;) {
        struct lldp_entity *entity =
            &reader->entities.items[ports[i].socket.entity];
        entity->first_port = (uint32_t)i;
        entity->n_ports++;
    }
}

/* Compares claims by the port that they lead to, then by their own order; for
 * qsort_r(). */
static int
compare_ins(const void *a, const void *b, void *aux)
{
    const struct lldp_claim *claims = aux;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (claims[x].to_port != claims[y].to_port) {
        return claims[x].to_port < claims[y].to_port ? -1 : 1;
    }
    return (x > y) - (x < y);
}

/* Gives each port the claims that it makes, and those about it. */
static void
index_claims(struct lldp_reader *reader)
{
    uint32_t n = (uint32_t)reader->claims.n;
    struct lldp_claim *claims = reader->claims.items;

    for (uint32_t i = n; i-- > 0;) {
        claims[i].from_port = find_port(reader, &claims[i].from);
        claims[i].to_port = find_port(reader, &claims[i].to);
        struct lldp_port *from = &reader->ports.items[claims[i].from_port];
        from->first_out = i;
        from->n_out++;
        reader->ins[i] = i;
    }
    qsort_r(reader->ins, n, sizeof *reader->ins, compare_ins, claims);
    for (uint32_t i = n; i-- > 0;) {
        uint32_t to = claims[reader->ins[i]].to_port;
        if (to != SF_NONE) {
            reader->ports.items[to].first_in = i;
            reader->ports.items[to].n_in++;
        }
    }
}

void
sf_lldp_list_claims(struct lldp_reader *reader)
{
    if (reader->reports.list.n == 0) {
        return;
    }
    /* The mentions of neighbours follow those of reporters. */
    const struct lldp_mention *next =
        reader->mentions.items + reader->reports.list.n;

    for (size_t i = 0; i < reader->reports.list.n; i++) {
        const struct lldp_report *report = &reader->reports.list.items[i];
        uint32_t entity = reader->mentions.items[i].entity;
        if (entity != SF_NONE) {
            list_claims_of(reader, entity, report, next);
        }
        next += report->neighbours.n;
    }
    if (reader->is_out_of_memory || reader->claims.n == 0) {
        return;
    }
    sort_claims(reader);
    list_ports(reader);
    reader->ins = sf_calloc(reader->claims.n, sizeof *reader->ins);
    if (!reader->ins) {
        reader->is_out_of_memory = true;
    }
    if (!reader->is_out_of_memory) {
        index_claims(reader);
    }
}
