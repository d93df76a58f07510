/* lldp_cables.c -- which claims make a cable.
 *
 * Two ports that name each other are joined, whatever others say of them.  A
 * port that names another which does not name any is joined to it if nobody
 * names either of them otherwise: LLDP may be off in one direction, and hosts
 * and switches that do not report are seen by others only.  All other claims
 * contradict each other.  They are noted, and none of them is believed. */
#include "ip/lldp_reader.h"

#include <stdio.h>

/* The claims that a port makes. */
static struct lldp_claim *
outs_of(const struct lldp_reader *reader, const struct lldp_port *port)
{
    return reader->claims.items + port->first_out;
}

/* Whether one port claims to be joined to another. */
static bool
names(const struct lldp_reader *reader, uint32_t from, uint32_t to)
{
    const struct lldp_port *port = &reader->ports.items[from];
    const struct lldp_claim *outs = outs_of(reader, port);

    for (uint32_t i = 0; i < port->n_out; i++) {
        if (outs[i].to_port == to) {
            return true;
        }
    }
    return false;
}

/* The only port of 'entity' that names 'port'; SF_NONE if there is none, or
 * there are several. */
static uint32_t
port_that_names(const struct lldp_reader *reader, uint32_t entity,
                uint32_t port)
{
    const struct lldp_port *at = &reader->ports.items[port];
    uint32_t only = SF_NONE;

    for (uint32_t i = 0; i < at->n_in; i++) {
        const struct lldp_claim *claim =
            &reader->claims.items[reader->ins[at->first_in + i]];
        if (claim->from.entity != entity) {
            continue;
        }
        if (only != SF_NONE && only != claim->from_port) {
            return SF_NONE;
        }
        only = claim->from_port;
    }
    return only;
}

/* The only port of 'entity' that claims to be joined to 'other' without saying
 * to which port of it; SF_NONE if there is none, or there are several. */
static uint32_t
port_towards(const struct lldp_reader *reader, uint32_t entity, uint32_t other)
{
    const struct lldp_entity *of = &reader->entities.items[entity];
    uint32_t only = SF_NONE;

    for (uint32_t i = 0; i < of->n_ports; i++) {
        uint32_t port = of->first_port + i;
        const struct lldp_port *at = &reader->ports.items[port];
        const struct lldp_claim *outs = outs_of(reader, at);
        for (uint32_t k = 0; k < at->n_out; k++) {
            bool is_open = !outs[k].to.number && !outs[k].to.text;
            if (!is_open || outs[k].to.entity != other ||
                outs[k].to_port != SF_NONE) {
                continue;
            }
            if (only != SF_NONE) {
                return SF_NONE;
            }
            only = port;
        }
    }
    return only;
}

static void
note_unknown_port(struct lldp_reader *reader, const struct lldp_claim *claim)
{
    char here[LLDP_SOCKET_SIZE];

    sf_lldp_note(reader, "unknown_port",
                 "%s is joined to %s, and it is not known to which port: its "
                 "name there is none by the rule %s.",
                 sf_lldp_describe(reader, &claim->from, here),
                 reader->entities.items[claim->to.entity].called,
                 reader->planned->port_names[SF_NODE_SWITCH].rule);
}

/* Finds the port of each claim that names a system but no port of it that is
 * known, from what that system itself reports: it names this port, or it and
 * this system each have one port alone that leads to the other. */
static void
complete_claims(struct lldp_reader *reader)
{
    struct lldp_claim *claims = reader->claims.items;

    for (uint32_t i = 0; i < reader->claims.n; i++) {
        if (claims[i].to_port == SF_NONE) {
            claims[i].to_port = port_that_names(reader, claims[i].to.entity,
                                                claims[i].from_port);
        }
    }
    for (uint32_t i = 0; i < reader->claims.n; i++) {
        if (claims[i].to_port != SF_NONE) {
            continue;
        }
        uint32_t here = claims[i].from.entity, there = claims[i].to.entity;
        uint32_t far = port_towards(reader, there, here);
        if (here == there || far == SF_NONE ||
            port_towards(reader, here, there) != claims[i].from_port) {
            note_unknown_port(reader, &claims[i]);
            continue;
        }
        claims[i].to_port = far;
        struct lldp_claim *reply = outs_of(reader, &reader->ports.items[far]);
        while (reply->to.entity != here || reply->to_port != SF_NONE) {
            reply++; /* It is there: port_towards() has seen it. */
        }
        reply->to_port = claims[i].from_port;
    }
}

/* Whether a claim leads to something that has no name: a network card that
 * sends LLDP on its own, beside the daemon of its host. */
static bool
leads_to_nameless(const struct lldp_reader *reader,
                  const struct lldp_claim *claim)
{
    const struct lldp_entity *entity =
        &reader->entities.items[claim->to.entity];
    return !entity->text && !entity->n_reports;
}

/* Moves the claims of 'port' that 'is_good' accepts to the front and forgets
 * the others, if there are any good ones. */
static void
keep_claims(struct lldp_reader *reader, struct lldp_port *port,
            bool (*is_good)(const struct lldp_reader *,
                            const struct lldp_claim *))
{
    struct lldp_claim *outs = outs_of(reader, port);
    uint32_t n = 0;

    for (uint32_t i = 0; i < port->n_out; i++) {
        n += is_good(reader, &outs[i]);
    }
    if (n == 0) {
        return;
    }
    n = 0;
    for (uint32_t i = 0; i < port->n_out; i++) {
        if (is_good(reader, &outs[i])) {
            outs[n++] = outs[i];
        }
    }
    port->n_out = n;
}

static bool
has_name(const struct lldp_reader *reader, const struct lldp_claim *claim)
{
    return !leads_to_nameless(reader, claim);
}

static bool
is_returned(const struct lldp_reader *reader, const struct lldp_claim *claim)
{
    (void)reader;
    return claim->is_returned;
}

/* Sees that 'port' claims one thing at most. */
static void
settle_port(struct lldp_reader *reader, struct lldp_port *port)
{
    char here[LLDP_SOCKET_SIZE], one[LLDP_SOCKET_SIZE],
        other[LLDP_SOCKET_SIZE];

    if (port->n_out > 1) {
        keep_claims(reader, port, has_name);
    }
    if (port->n_out < 2) {
        return;
    }
    const struct lldp_claim *outs = outs_of(reader, port);
    sf_lldp_describe(reader, &port->socket, here);
    sf_lldp_describe(reader, &outs[0].to, one);
    sf_lldp_describe(reader, &outs[port->n_out - 1].to, other);
    keep_claims(reader, port, is_returned);
    bool is_settled = port->n_out == 1 && is_returned(reader, outs);
    sf_lldp_note(reader, "contradiction",
                 "%s has several neighbours, such as %s and %s; %s.", here,
                 one, other,
                 is_settled ? "one of them names it, too, and is taken"
                            : "none is taken");
    if (!is_settled) {
        port->is_doubtful = true;
        port->n_out = 0;
    }
}

static void
join(struct lldp_reader *reader, uint32_t a, uint32_t b)
{
    reader->ports.items[a].peer = b;
    reader->ports.items[b].peer = a;
}

/* The port that 'port' names, or SF_NONE. */
static uint32_t
named_by(const struct lldp_reader *reader, uint32_t port)
{
    const struct lldp_port *at = &reader->ports.items[port];
    return at->n_out ? outs_of(reader, at)->to_port : SF_NONE;
}

/* A port other than 'but' that claims to be joined to 'port'; SF_NONE if there
 * is none. */
static uint32_t
other_claimant(const struct lldp_reader *reader, uint32_t port, uint32_t but)
{
    const struct lldp_port *at = &reader->ports.items[port];

    for (uint32_t i = 0; i < at->n_in; i++) {
        const struct lldp_claim *claim =
            &reader->claims.items[reader->ins[at->first_in + i]];
        if (claim->from_port != but &&
            named_by(reader, claim->from_port) == port) {
            return claim->from_port;
        }
    }
    return SF_NONE;
}

/* Joins 'from' to the port 'to' that does not name it, or notes what speaks
 * against it. */
static void
join_one_sided(struct lldp_reader *reader, uint32_t from, uint32_t to)
{
    struct lldp_port *ports = reader->ports.items;
    char a[LLDP_SOCKET_SIZE], b[LLDP_SOCKET_SIZE], c[LLDP_SOCKET_SIZE];
    uint32_t reply = named_by(reader, to);
    uint32_t third =
        reply != SF_NONE ? reply : other_claimant(reader, to, from);

    sf_lldp_describe(reader, &ports[from].socket, a);
    sf_lldp_describe(reader, &ports[to].socket, b);
    if (third != SF_NONE) {
        sf_lldp_describe(reader, &ports[third].socket, c);
        sf_lldp_note(reader, "contradiction",
                     reply != SF_NONE ? "%s names %s as its neighbour, which "
                                        "names %s."
                                      : "%s names %s as its neighbour, and so "
                                        "does %s.",
                     a, b, c);
        return;
    }
    third = other_claimant(reader, from, to);
    if (third != SF_NONE || ports[to].is_doubtful) {
        sf_lldp_note(reader, "contradiction",
                     "%s names %s as its neighbour, and %s.", a, b,
                     third != SF_NONE ? "is named by another port"
                                      : "that has several");
        return;
    }
    join(reader, from, to);
    if (reader->entities.items[ports[to].socket.entity].n_reports) {
        sf_lldp_note(reader, "one_sided",
                     "%s names %s as its neighbour, which reports nothing on "
                     "that port.",
                     a, b);
    }
}

void
sf_lldp_join_ports(struct lldp_reader *reader)
{
    uint32_t n = (uint32_t)reader->ports.n;

    complete_claims(reader);
    for (uint32_t i = 0; i < reader->claims.n; i++) {
        struct lldp_claim *claim = &reader->claims.items[i];
        claim->is_returned = claim->to_port != SF_NONE &&
                             names(reader, claim->to_port, claim->from_port);
    }
    for (uint32_t i = 0; i < n; i++) {
        settle_port(reader, &reader->ports.items[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = named_by(reader, i);
        /* A port that hears itself has no neighbour. */
        if (to != SF_NONE && to != i && named_by(reader, to) == i) {
            join(reader, i, to);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = named_by(reader, i);
        if (to != SF_NONE && reader->ports.items[i].peer == SF_NONE &&
            to != i) {
            join_one_sided(reader, i, to);
        }
    }
}
