/* sonic_files.c -- the routes of a switch for SONiC, as a part of config_db
 * that 'config load' merges: STATIC_ROUTE with lists of next hops, interfaces,
 * distances and blackholes, one entry for each route of a destination.
 *
 * SONiC cannot say that a next hop is on the link.  So, with IPv4, the
 * loopback of each neighbour gets a route over the ports that lead there.
 * INTERFACE makes the ports router interfaces, which without an address of
 * their own they would not be. */
#include "ip/writers.h"

/* Writes one list of the routes 'first' to 'last' - 1 of a destination. */
static void
write_list(const struct sf_ip_plan *plan, uint32_t node, size_t first,
           size_t last, const char *key, FILE *stream)
{
    const struct sf_ip_tables *tables = plan->tables;

    fprintf(stream, "\"%s\": \"", key);
    for (size_t i = first; i < last; i++) {
        const struct sf_ip_route *route = &tables->routes[i];
        fputs(i > first ? "," : "", stream);
        switch (key[0]) {
        case 'n': /* nexthop */
            fputs(route->neighbour == SF_NONE
                      ? (sf_ip_is_v6(plan) ? "::" : "0.0.0.0")
                      : sf_ip_address_text(sf_ip_next_hop(&tables->addresses,
                                                          route->neighbour))
                            .text,
                  stream);
            break;
        case 'i': /* ifname */
            fputs(route->out ? sf_ip_port(plan, node, route->out).text : "",
                  stream);
            break;
        case 'd': /* distance */
            fprintf(stream, "%u", sf_ip_metric(route->kind));
            break;
        default: /* blackhole */
            fputs(route->out ? "false" : "true", stream);
        }
    }
    fputc('"', stream);
}

/* The switch that port 'number' of 'node' leads to, or SF_NONE. */
static uint32_t
neighbour_at(const struct sf_ip_plan *plan, uint32_t node, uint32_t number)
{
    const struct sf_fabric *fabric = plan->network->fabric;
    uint32_t peer =
        fabric->ports[fabric->nodes[node].first_port + number - 1].peer;

    return peer != SF_NONE && fabric->ports[peer].node < fabric->n_switches
               ? fabric->ports[peer].node
               : SF_NONE;
}

/* Writes one list of the ports from 'first' on that lead to 'neighbour'. */
static void
write_ports(const struct sf_ip_plan *plan, uint32_t node, uint32_t first,
            const char *key, const char *text, FILE *stream)
{
    uint32_t neighbour = neighbour_at(plan, node, first);

    fprintf(stream, "\"%s\": \"", key);
    for (uint32_t i = first; i <= plan->network->fabric->nodes[node].n_ports;
         i++) {
        if (neighbour_at(plan, node, i) == neighbour) {
            fprintf(stream, "%s%s", i > first ? "," : "",
                    text ? text : sf_ip_port(plan, node, i).text);
        }
    }
    fputc('"', stream);
}

/* Writes the routes to the loopbacks of neighbours. */
static void
write_neighbours(const struct sf_ip_plan *plan, uint32_t node, FILE *stream)
{
    uint32_t n_ports = plan->network->fabric->nodes[node].n_ports;

    for (uint32_t i = 1; i <= n_ports && !sf_ip_is_v6(plan); i++) {
        uint32_t neighbour = neighbour_at(plan, node, i), first = 1;
        while (neighbour_at(plan, node, first) != neighbour) {
            first++;
        }
        if (neighbour == SF_NONE || first < i) {
            continue;
        }
        fprintf(stream, "\n    \"default|%s/32\": { ",
                sf_ip_address_text(
                    sf_ip_loopback(&plan->tables->addresses, neighbour))
                    .text);
        write_ports(plan, node, i, "nexthop", "0.0.0.0", stream);
        fputs(", ", stream);
        write_ports(plan, node, i, "ifname", NULL, stream);
        fputs(", ", stream);
        write_ports(plan, node, i, "distance", "1", stream);
        fputs(", ", stream);
        write_ports(plan, node, i, "blackhole", "false", stream);
        fputs(" },", stream);
    }
}

static bool
is_same_destination(const struct sf_ip_route *a, const struct sf_ip_route *b)
{
    return a->layer == b->layer && a->destination == b->destination &&
           a->port == b->port;
}

/* Writes the ports, and with IPv6 the link-local address that all have. */
static void
write_interfaces(const struct sf_ip_plan *plan, uint32_t node, FILE *stream)
{
    const struct sf_fabric *fabric = plan->network->fabric;
    const struct sf_node *self = &fabric->nodes[node];
    const char *comma = "";

    fputs("  \"INTERFACE\": {", stream);
    for (uint32_t i = 0; i < self->n_ports; i++) {
        if (fabric->ports[self->first_port + i].peer == SF_NONE) {
            continue;
        }
        struct sf_ip_port_text port = sf_ip_port(plan, node, i + 1);
        fprintf(stream, "%s\n    \"%s\": {}", comma, port.text);
        if (sf_ip_is_v6(plan)) {
            fprintf(stream, ",\n    \"%s|%s/64\": {}", port.text,
                    sf_ip_address_text(
                        sf_ip_next_hop(&plan->tables->addresses, node))
                        .text);
        }
        comma = ",";
    }
    fputs("\n  },\n", stream);
}

enum sf_status
sf_ip_write_sonic(const struct sf_ip_plan *plan, uint32_t node, FILE *stream,
                  struct sf_error *err)
{
    static const char *const keys[] = { "nexthop", "ifname", "distance",
                                        "blackhole" };
    const struct sf_ip_tables *tables = plan->tables;
    size_t end = tables->first[node + 1];

    (void)err;
    fputs("{\n", stream);
    write_interfaces(plan, node, stream);
    fputs("  \"LOOPBACK_INTERFACE\": {\n"
          "    \"Loopback0\": {}",
          stream);
    for (uint32_t i = 0; i < tables->addresses.n_layers; i++) {
        fprintf(stream, ",\n    \"Loopback0|%s/%u\": {}",
                sf_ip_address_text(
                    sf_ip_port_address(&tables->addresses, i, node, 0))
                    .text,
                sf_ip_width(plan));
    }
    fputs("\n  },\n  \"STATIC_ROUTE\": {", stream);
    write_neighbours(plan, node, stream);
    for (size_t i = tables->first[node], next; i < end; i = next) {
        const struct sf_ip_route *route = &tables->routes[i];
        for (next = i + 1;
             next < end && is_same_destination(route, &tables->routes[next]);
             next++) {
        }
        fprintf(stream, "%s\n    \"default|%s\": { ",
                i > tables->first[node] ? "," : "",
                sf_ip_prefix_text(sf_ip_destination(tables, route)).text);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            fputs(k ? ", " : "", stream);
            write_list(plan, node, i, next, keys[k], stream);
        }
        fputs(" }", stream);
    }
    fputs("\n  }\n}\n", stream);
    return SF_OK;
}
