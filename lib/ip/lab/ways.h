/* ways.h -- the ways of packets through a lab, by its tables and by the links
 * that are up now. */
#ifndef SF_IP_LAB_WAYS_H
#define SF_IP_LAB_WAYS_H

#include "ip/lab/lab.h"
#include "slimfly/path_source.h"

/* Which ports of switches have no link, as sf_ip_look_up() wants it. */
#define SF_LAB_N_NUMBERS 256
struct sf_lab_down {
    bool *is_down;    /* [n_switches * SF_LAB_N_NUMBERS] By port number. */
    uint32_t n_links; /* That are down. */
};

/* Looks at all links.  The namespaces of 'lab' are open.  The caller clears
 * 'down' after success. */
enum sf_status sf_lab_look_down(struct sf_lab *lab, struct sf_lab_down *down,
                                struct sf_error *err);
void sf_lab_down_clear(struct sf_lab_down *down);

/* Whether the link of a host is up. */
bool sf_lab_has_link(const struct sf_lab *lab, const struct sf_lab_down *down,
                     uint32_t host);

/* A way from one host to an address of another. */
struct sf_lab_way {
    uint32_t n; /* Switches; 0: the sender's own link is down. */
    uint32_t switches[SF_MAX_PATH_ARCS];
    uint32_t ports[SF_MAX_PATH_ARCS]; /* By which they send it on, indices into
                                       * fabric->ports; SF_NONE: they do
                                       * not. */
    bool arrives;    /* Else it ends at the last switch, or goes round: */
    uint32_t circle; /* after the last comes this switch again, whose state
                      * packets are in as before; SF_NONE. */
};

void sf_lab_follow(const struct sf_lab *lab, const struct sf_lab_down *down,
                   uint32_t sender, uint32_t target, uint32_t layer,
                   struct sf_lab_way *way);

#endif
