/* ip_oracle.h -- slow and obvious counterparts for routes of IP: a list of
 * routes with addresses as numbers, searched from end to end. */
#ifndef SF_IP_ORACLE_H
#define SF_IP_ORACLE_H

#include "slimfly/ip.h"

/* What became of a packet. */
enum fate {
    ARRIVED, /* At the host, or at the switch that it was for. */
    DROPPED, /* No route, or one that says unreachable. */
    LOST,    /* At another host or switch than it was for. */
    CIRCLED,
};

/* What is down: a link of the graph, or a switch; SF_NONE: nothing. */
struct broken {
    uint32_t link, s;
};

/* The path of a packet. */
struct trace {
    enum fate fate;
    uint32_t n_hops;
    uint32_t arcs[64];   /* [n_hops] */
    bool took_alternate; /* At least once, */
    bool took_unsafe;    /* and one that does not protect from a switch. */
    uint32_t end;        /* Where it was dropped. */
};

/* Routes as prefixes, to be searched from end to end. */
struct ip_oracle {
    const struct sf_network *network;
    const struct sf_ip_tables *tables;
    struct ip_oracle_prefix *prefixes; /* By route. */
};

struct ip_oracle ip_oracle_make(const struct sf_network *network,
                                const struct sf_ip_tables *tables);
void ip_oracle_clear(struct ip_oracle *oracle);

/* Sends a packet from switch 's' to 'to', by routes whose ports have links
 * only where nothing is broken. */
struct trace ip_oracle_send(const struct ip_oracle *oracle, uint32_t s,
                            struct sf_ip_place to, struct broken broken);

#endif
