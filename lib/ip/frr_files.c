/* frr_files.c -- the routes of a switch for FRR's staticd: a whole file, since
 * a shell takes hours for what a file does in seconds.  The distance stands
 * for the metric: staticd keeps the route of the least distance whose
 * interface is up. */
#include "ip/writers.h"

enum sf_status
sf_ip_write_staticd(const struct sf_ip_plan *plan, uint32_t node, FILE *stream,
                    struct sf_error *err)
{
    const struct sf_ip_tables *tables = plan->tables;
    const char *word = sf_ip_is_v6(plan) ? "ipv6" : "ip";

    (void)err;
    fprintf(stream,
            "! %s: /etc/frr/staticd.conf, which FRR does not read while "
            "there is an\n! /etc/frr/frr.conf\n!\nhostname %s\n!\n",
            sf_ip_name(plan, node), sf_ip_name(plan, node));
    for (size_t i = tables->first[node]; i < tables->first[node + 1]; i++) {
        const struct sf_ip_route *route = &tables->routes[i];
        fprintf(stream, "%s route %s", word,
                sf_ip_prefix_text(sf_ip_destination(tables, route)).text);
        if (route->neighbour != SF_NONE) {
            fprintf(stream, " %s",
                    sf_ip_address_text(
                        sf_ip_next_hop(&tables->addresses, route->neighbour))
                        .text);
        }
        if (route->out) {
            fprintf(stream, " %s", sf_ip_port(plan, node, route->out).text);
        } else {
            fputs(" reject", stream);
        }
        fprintf(stream, " %u%s\n", sf_ip_metric(route->kind),
                route->neighbour != SF_NONE ? " onlink" : "");
    }
    fputs("!\n", stream);
    return SF_OK;
}
