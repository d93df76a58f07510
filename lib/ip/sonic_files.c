/* sonic_files.c -- the routes of a switch for SONiC, as a part of config_db
 * that 'config load' merges: STATIC_ROUTE with lists of next hops, interfaces,
 * distances and blackholes, one entry for each route of a destination. */
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

static bool
is_same_destination(const struct sf_ip_route *a, const struct sf_ip_route *b)
{
    return a->layer == b->layer && a->destination == b->destination &&
           a->port == b->port;
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
    fprintf(stream, "{\n"
                    "  \"LOOPBACK_INTERFACE\": {\n"
                    "    \"Loopback0\": {}");
    for (uint32_t i = 0; i < tables->addresses.n_layers; i++) {
        fprintf(stream, ",\n    \"Loopback0|%s/%u\": {}",
                sf_ip_address_text(
                    sf_ip_port_address(&tables->addresses, i, node, 0))
                    .text,
                sf_ip_width(plan));
    }
    fputs("\n  },\n  \"STATIC_ROUTE\": {", stream);
    for (size_t i = tables->first[node], next = i; i < end; i = next) {
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
