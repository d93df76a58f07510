/* lldp_reader.h -- reports of LLDP on their way to a fabric, in this order:
 *
 *   lldp_reports.c  JSON: who says which neighbour is on which port
 *   lldp_systems.c  which of all that are named are the same system
 *   lldp_claims.c   which ports they speak of, and what is claimed to be
 *                   plugged where
 *   lldp_cables.c   which claims make a cable
 *   lldp.c          the fabric, and the functions that others call
 *   lldp_exec.c     reports from commands */
#ifndef SF_IP_LLDP_READER_H
#define SF_IP_LLDP_READER_H

#include "ip/lldp_reports.h"
#include "plan/name_index.h"
#include "slimfly/lldp.h"

/* A system as one report names it: who reports, or a neighbour. */
struct lldp_mention {
    const struct lldp_system *system;
    const char *text;   /* The name that counts, not ended by a NUL: that of */
    size_t length;      /* the plan, or else without its domain; NULL if it
                         * has none. */
    const char *id;     /* Or NULL. */
    const char *called; /* The name as it was told, or NULL. */
    uint32_t planned;   /* The planned node, or SF_NONE. */
    uint32_t entity;    /* Filled in at the end; SF_NONE if it may be one of
                         * several. */
};

/* A system. */
struct lldp_entity {
    const char *text; /* As in a mention. */
    size_t length;
    const char *id;
    const char *called;  /* For people: what it calls itself, or its id. */
    uint32_t planned;    /* Or SF_NONE: a stranger. */
    uint64_t mac;        /* Or 0. */
    bool forwards;       /* It is a bridge or a router. */
    uint32_t n_reports;  /* Of it. */
    uint32_t first_port; /* Its ports are ports[first_port ...]. */
    uint32_t n_ports;
    uint32_t node; /* In the fabric; SF_NONE if it is not in it. */
};

/* A port of an entity: its number by the rule, or else a text.  Neither: some
 * port that is not known. */
struct lldp_socket {
    uint32_t entity;
    uint32_t number;
    const char *text;
};

/* That 'from', on which a neighbour was heard, is joined to 'to'. */
struct lldp_claim {
    struct lldp_socket from, to;
    uint32_t from_port, to_port; /* In ports[]; SF_NONE if not known. */
    bool is_returned;            /* The other port claims the same. */
};

/* A port of which something is claimed. */
struct lldp_port {
    struct lldp_socket socket;
    uint32_t first_out, n_out; /* Its claims, by claims[]. */
    uint32_t first_in, n_in;   /* Claims of others about it, by ins[]. */
    bool is_doubtful;          /* It has claimed several things. */
    uint32_t peer;             /* The port that it is joined to, or SF_NONE. */
};

struct lldp_reader {
    const struct sf_fabric *planned;
    struct sf_name_index *index;
    struct lldp_reports reports;
    SF_VEC(struct lldp_mention)
    mentions;                            /* Reporters, then neighbours in the
                                          * order of the reports. */
    SF_VEC(struct lldp_entity) entities; /* By name, then by id. */
    SF_VEC(struct lldp_claim) claims;    /* By 'from', then by 'to'. */
    SF_VEC(struct lldp_port) ports;      /* By entity, number and text. */
    uint32_t *ins;                       /* [claims] Sorted by 'to'. */
    SF_VEC(struct sf_note) notes;
    uint32_t n_named; /* Ports of planned switches that the rule knows, */
    uint32_t n_odd;   /* and those that it does not know. */
    const char *odd;  /* One of these. */
    uint32_t n_silent;
    bool is_out_of_memory;
};

/* Adds a note. */
void sf_lldp_note(struct lldp_reader *reader, const char *kind,
                  const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes "leaf1 port swp3" into 'text' and returns it. */
#define LLDP_SOCKET_SIZE 700
const char *sf_lldp_describe(const struct lldp_reader *reader,
                             const struct lldp_socket *socket,
                             char text[LLDP_SOCKET_SIZE]);

/* Whether the planned node of an entity is a switch, or a host. */
static inline bool
lldp_is_planned(const struct lldp_reader *reader, uint32_t entity,
                enum sf_node_kind kind)
{
    uint32_t planned = reader->entities.items[entity].planned;
    return planned != SF_NONE && reader->planned->nodes[planned].kind == kind;
}

/* Lists the mentions and gives each its entity. */
void sf_lldp_find_systems(struct lldp_reader *reader);

/* Lists the claims and the ports that they are about. */
void sf_lldp_list_claims(struct lldp_reader *reader);

/* Joins ports. */
void sf_lldp_join_ports(struct lldp_reader *reader);

/* SF_EINVAL if 'planned' does not say what ports are called. */
enum sf_status sf_lldp_check_names(const struct sf_fabric *planned,
                                   struct sf_error *err);

/* The fabric of reports that were read; clears 'reports'. */
enum sf_status sf_lldp_make_fabric(struct lldp_reports *reports,
                                   const struct sf_fabric *planned,
                                   struct sf_fabric **fabricp,
                                   uint32_t *n_silentp, struct sf_error *err);

#endif
