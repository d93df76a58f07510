/* ip_text.h -- routes as switches have them: as the kernel tells, as 'ip -j'
 * prints and as 'ip -batch' reads them. */
#ifndef SF_IP_CONTROL_IP_TEXT_H
#define SF_IP_CONTROL_IP_TEXT_H

#include "base/mem.h"
#include "ip/control/core.h"
#include "slimfly/port_names.h"

#include <stdio.h>

/* A route as somebody found it on a switch. */
struct sf_found_route {
    struct sf_ip_prefix to;
    uint32_t metric;
    uint32_t out; /* The number of a port; 0: none of ours. */
    bool has_gateway;
    struct sf_ip_address gateway;
    bool is_unreachable;
};

/* Turns it into one of the plan: false if it is none, as one that somebody
 * else has put there.  A next hop that the port does not lead to gets a
 * neighbour that no table has. */
bool sf_found_to_route(const struct sf_found_route *found,
                       const struct sf_fabric *fabric,
                       const struct sf_ip_addresses *addresses, uint32_t s,
                       struct sf_ip_route *route);

/* The routes of a switch. */
struct sf_route_list {
    SF_VEC(struct sf_ip_route) routes;
};

/* Reads what 'ip -j route show table main' printed on switch 's', as far as it
 * is of the plan.  'names' says how ports are called. */
enum sf_status sf_ip_read_routes(const char *text, size_t length,
                                 const char *source,
                                 const struct sf_fabric *fabric,
                                 const struct sf_ip_addresses *addresses,
                                 const struct sf_port_names *names, uint32_t s,
                                 struct sf_route_list *list,
                                 struct sf_error *err);

/* Reads what 'ip -j link show' printed on switch 's': 'runs' is by port of
 * 'fabric', and those of the switch are set; a port that is not named does not
 * run. */
enum sf_status sf_ip_read_links(const char *text, size_t length,
                                const char *source,
                                const struct sf_fabric *fabric,
                                const struct sf_port_names *names, uint32_t s,
                                bool *runs, struct sf_error *err);

/* Writes changes of switch 's' as lines for 'ip -batch'. */
void sf_ip_write_changes(const struct sf_push_item *items, size_t n,
                         const struct sf_ip_tables *tables,
                         const struct sf_port_names *names, FILE *stream);

#endif
