/* writers.h -- what writers of files share. */
#ifndef SF_IP_WRITERS_H
#define SF_IP_WRITERS_H

#include "slimfly/ip_files.h"

typedef enum sf_status sf_ip_write(const struct sf_ip_plan *plan,
                                   uint32_t node, FILE *stream,
                                   struct sf_error *err);

sf_ip_write sf_ip_write_links, sf_ip_write_routes, sf_ip_write_sysctls,
    sf_ip_write_host, sf_ip_write_macvlans, sf_ip_write_host_sysctls,
    sf_ip_write_nft, sf_ip_write_staticd, sf_ip_write_sonic,
    sf_ip_write_inventory, sf_ip_write_addresses, sf_ip_write_lanes,
    sf_ip_write_containerlab;

/* The name of port 'number' of a switch or host, for the length of an
 * expression: sf_ip_port(plan, node, number).text. */
struct sf_ip_port_text {
    char text[SF_PORT_NAME_SIZE];
};
struct sf_ip_port_text sf_ip_port(const struct sf_ip_plan *plan, uint32_t node,
                                  uint32_t number);

/* The name of 'node'. */
static inline const char *
sf_ip_name(const struct sf_ip_plan *plan, uint32_t node)
{
    return plan->names->names[node];
}

/* Writes 'text' as a string of JSON, with quotes. */
void sf_ip_write_string(const char *text, FILE *stream);

static inline bool
sf_ip_is_v6(const struct sf_ip_plan *plan)
{
    return plan->tables->addresses.prefix.address.is_v6;
}

/* The bits of an address: 32 or 128. */
static inline uint32_t
sf_ip_width(const struct sf_ip_plan *plan)
{
    return sf_ip_is_v6(plan) ? 128 : 32;
}

/* Writes settings by which no port of 'node' drops packets of which it would
 * send the answers elsewhere. */
void sf_ip_write_no_filter(const struct sf_ip_plan *plan, uint32_t node,
                           FILE *stream);

/* The place of what is plugged into port 'port' (an index into fabric->ports)
 * of a host; false if nothing is or no switch. */
bool sf_ip_plug(const struct sf_ip_plan *plan, uint32_t port,
                struct sf_ip_place *place);

#endif
