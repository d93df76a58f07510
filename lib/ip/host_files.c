/* host_files.c -- files for hosts: an address for each layer, a route into
 * each layer that starts from the address there, and MPTCP.
 *
 * What a host sends to an address of layer L has the host's address of layer L
 * as its source, so that answers come back in that layer.  A table for each
 * address does the same for programs that choose their source themselves. */
#include "ip/writers.h"

#define FIRST_TABLE 5300 /* And the priority of its rule. */

/* One address of a host. */
struct own {
    const struct sf_ip_plan *plan;
    uint32_t node, number, layer; /* Number: of the host's port. */
    struct sf_ip_place place;
    char interface[SF_PORT_NAME_SIZE + 8]; /* That has the address. */
};

static void
write_address(const struct own *own, FILE *stream)
{
    const struct sf_ip_addresses *addresses = &own->plan->tables->addresses;
    struct sf_ip_text self = sf_ip_address_text(sf_ip_port_address(
        addresses, own->layer, own->place.s, own->place.port));
    struct sf_ip_text gateway =
        sf_ip_address_text(sf_ip_next_hop(addresses, own->place.s));
    uint32_t table =
        FIRST_TABLE + (own->number - 1) * addresses->n_layers + own->layer;
    const struct {
        struct sf_ip_prefix to;
        const char *table;
    } routes[] = { { sf_ip_layer_prefix(addresses, own->layer), "main" },
                   { addresses->prefix, NULL } };

    fprintf(stream, "address replace %s/%u dev %s%s\n", self.text,
            sf_ip_width(own->plan), own->interface,
            sf_ip_is_v6(own->plan) ? " nodad" : "");
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        fprintf(stream, "route replace %s via %s dev %s src %s metric %u",
                sf_ip_prefix_text(routes[i].to).text, gateway.text,
                own->interface, self.text, SF_IP_METRIC + own->number - 1);
        if (!routes[i].table) {
            fprintf(stream, " table %u", table);
        }
        fputs(" onlink\n", stream);
    }
    fprintf(stream, "rule add from %s lookup %u priority %u\n", self.text,
            table, table);
    if (own->layer > 0) {
        fprintf(stream, "mptcp endpoint add %s dev %s signal\n", self.text,
                own->interface);
    }
}

/* Writes all addresses of a host; with 'one_each' on an interface for each. */
static void
write_addresses(const struct sf_ip_plan *plan, uint32_t node, bool one_each,
                FILE *stream)
{
    const struct sf_node *self = &plan->network->fabric->nodes[node];
    struct own own = { .plan = plan, .node = node };

    for (own.number = 1; own.number <= self->n_ports; own.number++) {
        struct sf_ip_port_text port = sf_ip_port(plan, node, own.number);
        if (!sf_ip_plug(plan, self->first_port + own.number - 1, &own.place)) {
            continue;
        }
        fprintf(stream, "link set dev %s up\n", port.text);
        for (own.layer = 0; own.layer < plan->tables->addresses.n_layers;
             own.layer++) {
            (void)snprintf(own.interface, sizeof own.interface, "%s",
                           port.text);
            if (one_each) {
                (void)snprintf(own.interface, sizeof own.interface, "%sl%u",
                               port.text, own.layer);
                fprintf(stream,
                        "link add link %s name %s type macvlan mode bridge\n"
                        "link set dev %s up\n",
                        port.text, own.interface, own.interface);
            }
            write_address(&own, stream);
        }
    }
}

static void
write_head(const struct sf_ip_plan *plan, uint32_t node, FILE *stream)
{
    fprintf(stream,
            "# %s: load with ip %s-batch, once\n"
            "mptcp limits set subflows 8 add_addr_accepted 8\n",
            sf_ip_name(plan, node), sf_ip_is_v6(plan) ? "-6 " : "");
}

enum sf_status
sf_ip_write_host(const struct sf_ip_plan *plan, uint32_t node, FILE *stream,
                 struct sf_error *err)
{
    (void)err;
    write_head(plan, node, stream);
    write_addresses(plan, node, false, stream);
    return SF_OK;
}

enum sf_status
sf_ip_write_macvlans(const struct sf_ip_plan *plan, uint32_t node,
                     FILE *stream, struct sf_error *err)
{
    (void)err;
    write_head(plan, node, stream);
    write_addresses(plan, node, true, stream);
    return SF_OK;
}

enum sf_status
sf_ip_write_host_sysctls(const struct sf_ip_plan *plan, uint32_t node,
                         FILE *stream, struct sf_error *err)
{
    (void)err;
    fprintf(stream, "# %s: load with sysctl -p\nnet.mptcp.enabled = 1\n",
            sf_ip_name(plan, node));
    if (!sf_ip_is_v6(plan)) {
        fputs("# Each interface answers for its own addresses alone.\n"
              "net.ipv4.conf.all.arp_ignore = 1\n"
              "net.ipv4.conf.all.arp_announce = 2\n"
              "# A connection may arrive in one layer and be answered in "
              "another.\n"
              "net.ipv4.conf.all.rp_filter = 0\n"
              "net.ipv4.conf.default.rp_filter = 0\n",
              stream);
        sf_ip_write_no_filter(plan, node, stream);
    }
    return SF_OK;
}
