/* ibnetdiscover_lines.h -- nodes and ports as ibnetdiscover prints them, one a
 * line. */
#ifndef SF_IB_IBNETDISCOVER_LINES_H
#define SF_IB_IBNETDISCOVER_LINES_H

#include "base/mem.h"
#include "slimfly/ib_addresses.h"

/* A node line, and what stood before it. */
struct found_node {
    const char *id; /* The word in quotes. */
    struct sf_node node;
    struct sf_ib_node ib;
    uint32_t line;
};

/* A port line. */
struct found_port {
    uint32_t node;        /* Its number among the nodes. */
    uint32_t number;      /* Of the port. */
    const char *peer_id;  /* The node at the other end, */
    uint32_t peer_number; /* and the port there. */
    uint64_t guid;        /* Of the port, hosts only. */
    struct sf_ib_port ib;
    const char *rate; /* "" if not said. */
    uint32_t line;
};

/* What was read so far. */
struct sf_ibnetdiscover_lines {
    const char *path;       /* For messages. */
    uint32_t line;          /* The one that is read. */
    struct found_node next; /* What is known of the next node. */
    SF_VEC(struct found_node) nodes;
    SF_VEC(struct found_port) ports;
    struct sf_error *err;
};

/* Reads all lines of 'text' and writes zero bytes into it: ids, names and
 * rates point to it.  Whether the lines fit together is not checked. SF_EPARSE
 * says path:line. */
enum sf_status
sf_ibnetdiscover_read_lines(struct sf_ibnetdiscover_lines *lines, char *text,
                            size_t length);

#endif
