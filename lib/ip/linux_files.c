/* linux_files.c -- files for ip(8) and sysctl(8) on switches that run Linux.
 * Batches replace what is there, so that they can be loaded again. */
#include "ip/writers.h"

static void
write_head(const struct sf_ip_plan *plan, uint32_t node, FILE *stream)
{
    fprintf(stream, "# %s: load with ip%s -batch\n", sf_ip_name(plan, node),
            sf_ip_is_v6(plan) ? " -6" : "");
}

/* A packet without a route is not to leave by the default route, which a
 * switch may have for those who manage it. */
static void
write_bounds(const struct sf_ip_plan *plan, FILE *stream)
{
    const struct sf_ip_addresses *addresses = &plan->tables->addresses;

    for (uint32_t layer = 0; layer < addresses->n_layers; layer++) {
        fprintf(stream, "route replace unreachable %s metric %u\n",
                sf_ip_prefix_text(sf_ip_layer_prefix(addresses, layer)).text,
                sf_ip_metric(SF_IP_UNREACHABLE));
    }
}

enum sf_status
sf_ip_write_links(const struct sf_ip_plan *plan, uint32_t node, FILE *stream,
                  struct sf_error *err)
{
    const struct sf_ip_addresses *addresses = &plan->tables->addresses;
    const struct sf_fabric *fabric = plan->network->fabric;
    const struct sf_node *self = &fabric->nodes[node];

    (void)err;
    write_head(plan, node, stream);
    fputs("link set dev lo up\n", stream);
    for (uint32_t layer = 0; layer < addresses->n_layers; layer++) {
        fprintf(
            stream, "address replace %s/%u dev lo\n",
            sf_ip_address_text(sf_ip_port_address(addresses, layer, node, 0))
                .text,
            sf_ip_width(plan));
    }
    for (uint32_t i = 0; i < self->n_ports; i++) {
        if (fabric->ports[self->first_port + i].peer == SF_NONE) {
            continue;
        }
        struct sf_ip_port_text port = sf_ip_port(plan, node, i + 1);
        fprintf(stream, "link set dev %s up\n", port.text);
        if (sf_ip_is_v6(plan)) {
            fprintf(stream, "address replace %s/64 dev %s nodad\n",
                    sf_ip_address_text(sf_ip_next_hop(addresses, node)).text,
                    port.text);
        }
    }
    write_bounds(plan, stream);
    return SF_OK;
}

enum sf_status
sf_ip_write_routes(const struct sf_ip_plan *plan, uint32_t node, FILE *stream,
                   struct sf_error *err)
{
    const struct sf_ip_tables *tables = plan->tables;

    (void)err;
    write_head(plan, node, stream);
    for (size_t i = tables->first[node]; i < tables->first[node + 1]; i++) {
        const struct sf_ip_route *route = &tables->routes[i];
        fprintf(stream, "route replace %s%s",
                route->kind == SF_IP_UNREACHABLE ? "unreachable " : "",
                sf_ip_prefix_text(sf_ip_destination(tables, route)).text);
        if (route->neighbour != SF_NONE) {
            fprintf(stream, " via %s",
                    sf_ip_address_text(
                        sf_ip_next_hop(&tables->addresses, route->neighbour))
                        .text);
        }
        if (route->out) {
            fprintf(stream, " dev %s",
                    sf_ip_port(plan, node, route->out).text);
        }
        fprintf(stream, " metric %u%s\n", sf_ip_metric(route->kind),
                route->neighbour != SF_NONE ? " onlink" : "");
    }
    return SF_OK;
}

enum sf_status
sf_ip_write_sysctls(const struct sf_ip_plan *plan, uint32_t node, FILE *stream,
                    struct sf_error *err)
{
    const char *family = sf_ip_is_v6(plan) ? "ipv6" : "ipv4";

    (void)err;
    fprintf(stream, "# %s: load with sysctl -p\n", sf_ip_name(plan, node));
    fprintf(stream, "net.%s.conf.all.forwarding = 1\n", family);
    fputs("# Routes over links that are down do not count: alternates do.\n",
          stream);
    fprintf(stream, "net.%s.conf.all.ignore_routes_with_linkdown = 1\n",
            family);
    fprintf(stream, "net.%s.conf.default.ignore_routes_with_linkdown = 1\n",
            family);
    if (!sf_ip_is_v6(plan)) {
        fputs("# There and back are different paths.  The greater of two "
              "values\n"
              "# counts, that of 'all' and that of the port.\n"
              "net.ipv4.conf.all.rp_filter = 0\n"
              "net.ipv4.conf.default.rp_filter = 0\n",
              stream);
        sf_ip_write_no_filter(plan, node, stream);
    }
    return SF_OK;
}

void
sf_ip_write_no_filter(const struct sf_ip_plan *plan, uint32_t node,
                      FILE *stream)
{
    const struct sf_fabric *fabric = plan->network->fabric;
    const struct sf_node *self = &fabric->nodes[node];

    for (uint32_t i = 0; i < self->n_ports; i++) {
        if (fabric->ports[self->first_port + i].peer != SF_NONE) {
            /* The name of a port may have dots in it. */
            fprintf(stream, "net/ipv4/conf/%s/rp_filter = 0\n",
                    sf_ip_port(plan, node, i + 1).text);
        }
    }
}
