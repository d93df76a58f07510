#include "ip/control/ip_text.h"

#include "base/json_reader.h"

#include <stdlib.h>
#include <string.h>

/* A next hop that is not the neighbour of its port. */
#define WRONG_NEIGHBOUR (SF_NONE - 1)

/* Finds the kind of a route by its metric and place; false if there is no such
 * kind. */
static bool
find_kind(const struct sf_found_route *found, const struct sf_ip_place *place,
          uint32_t s, uint8_t *kind)
{
    if (found->is_unreachable) {
        *kind = SF_IP_UNREACHABLE;
        return found->metric == SF_IP_UNREACHABLE_METRIC;
    }
    *kind = found->metric == SF_IP_ALTERNATE_METRIC ? SF_IP_ALTERNATE
            : place->s == s                         ? SF_IP_LOCAL
                                                    : SF_IP_ROUTE;
    return found->metric == SF_IP_METRIC ||
           found->metric == SF_IP_ALTERNATE_METRIC;
}

/* The switch that port 'out' of 's' leads to, if that is the next hop. */
static uint32_t
find_neighbour(const struct sf_found_route *found,
               const struct sf_fabric *fabric,
               const struct sf_ip_addresses *addresses, uint32_t s)
{
    uint32_t port = sf_fabric_port(fabric, s, found->out);
    uint32_t peer = port == SF_NONE ? SF_NONE : fabric->ports[port].peer;
    uint32_t node = peer == SF_NONE ? SF_NONE : fabric->ports[peer].node;

    if (!found->has_gateway) {
        return SF_NONE;
    }
    return node != SF_NONE && node < fabric->n_switches &&
                   sf_ip_address_equal(found->gateway,
                                       sf_ip_next_hop(addresses, node))
               ? node
               : WRONG_NEIGHBOUR;
}

bool
sf_found_to_route(const struct sf_found_route *found,
                  const struct sf_fabric *fabric,
                  const struct sf_ip_addresses *addresses, uint32_t s,
                  struct sf_ip_route *route)
{
    struct sf_ip_place place;
    uint8_t bits = found->to.address.is_v6 ? 128 : 32, kind;

    if (found->to.address.is_v6 != addresses->prefix.address.is_v6 ||
        !sf_ip_find(addresses, found->to.address, &place) ||
        !find_kind(found, &place, s, &kind)) {
        return false;
    }
    bool is_host = found->to.length == bits && place.port != 0;
    if (!is_host &&
        found->to.length !=
            sf_ip_switch_prefix(addresses, place.layer, place.s).length) {
        return false;
    }
    *route = (struct sf_ip_route){
        .destination = place.s,
        .neighbour = find_neighbour(found, fabric, addresses, s),
        .layer = (uint16_t)place.layer,
        .port = is_host ? (uint8_t)place.port : 0,
        .out = (uint8_t)found->out,
        .kind = kind,
    };
    return true;
}

/* The documents of 'ip -j'. */
static enum sf_status
load(const char *text, size_t length, const char *source, json_t **rootp,
     struct sf_error *err)
{
    json_error_t problem = { 0 };

    /* Without anything to tell, some versions print nothing. */
    size_t blank = strspn(text, " \t\r\n");
    *rootp =
        blank >= length ? json_array() : json_loadb(text, length, 0, &problem);
    if (!*rootp) {
        return sf_fail(err, SF_EPARSE, "%s:%d: %s", source, problem.line,
                       problem.text);
    }
    if (!json_is_array(*rootp)) {
        json_decref(*rootp);
        *rootp = NULL;
        return sf_fail(err, SF_EPARSE,
                       "%s: expected an array, as 'ip -j' prints it", source);
    }
    return SF_OK;
}

/* Reads one route; false if it cannot be one of the plan. */
static bool
read_found(const json_t *item, const struct sf_port_names *names,
           struct sf_found_route *found)
{
    const char *to = json_string_value(json_object_get(item, "dst"));
    const char *type = json_string_value(json_object_get(item, "type"));
    const char *dev = json_string_value(json_object_get(item, "dev"));
    const char *via = json_string_value(json_object_get(item, "gateway"));
    const char *made = json_string_value(json_object_get(item, "protocol"));
    const json_t *metric = json_object_get(item, "metric");

    *found = (struct sf_found_route){ 0 };
    if (!to || !strcmp(to, "default") || (made && !strcmp(made, "kernel")) ||
        sf_ip_prefix_parse(to, &found->to, NULL) != SF_OK ||
        json_integer_value(metric) < 0 ||
        json_integer_value(metric) > UINT32_MAX) {
        return false;
    }
    found->metric = (uint32_t)json_integer_value(metric);
    found->is_unreachable = type && !strcmp(type, "unreachable");
    found->out =
        dev && !found->is_unreachable ? sf_port_number(names, dev) : 0;
    found->has_gateway =
        via && sf_ip_address_parse(via, &found->gateway, NULL) == SF_OK;
    return !type || found->is_unreachable || !strcmp(type, "unicast");
}

enum sf_status
sf_ip_read_routes(const char *text, size_t length, const char *source,
                  const struct sf_fabric *fabric,
                  const struct sf_ip_addresses *addresses,
                  const struct sf_port_names *names, uint32_t s,
                  struct sf_route_list *list, struct sf_error *err)
{
    json_t *root;
    enum sf_status status = load(text, length, source, &root, err);

    for (size_t i = 0; status == SF_OK && i < json_array_size(root); i++) {
        struct sf_found_route found;
        struct sf_ip_route route;
        if (read_found(json_array_get(root, i), names, &found) &&
            sf_found_to_route(&found, fabric, addresses, s, &route) &&
            !sf_vec_push(&list->routes, route)) {
            status = sf_fail(err, SF_ENOMEM, "%s: out of memory", source);
        }
    }
    json_decref(root);
    return status;
}

static bool
has_flag(const json_t *flags, const char *flag)
{
    for (size_t i = 0; i < json_array_size(flags); i++) {
        const char *text = json_string_value(json_array_get(flags, i));
        if (text && !strcmp(text, flag)) {
            return true;
        }
    }
    return false;
}

enum sf_status
sf_ip_read_links(const char *text, size_t length, const char *source,
                 const struct sf_fabric *fabric,
                 const struct sf_port_names *names, uint32_t s, bool *runs,
                 struct sf_error *err)
{
    const struct sf_node *node = &fabric->nodes[s];
    json_t *root;
    enum sf_status status = load(text, length, source, &root, err);

    if (status != SF_OK) {
        return status;
    }
    memset(runs + node->first_port, 0, node->n_ports * sizeof *runs);
    for (size_t i = 0; i < json_array_size(root); i++) {
        const json_t *item = json_array_get(root, i);
        const json_t *flags = json_object_get(item, "flags");
        const char *name = json_string_value(json_object_get(item, "ifname"));
        uint32_t port =
            name ? sf_fabric_port(fabric, s, sf_port_number(names, name))
                 : SF_NONE;
        if (port != SF_NONE) {
            runs[port] = has_flag(flags, "UP") && has_flag(flags, "LOWER_UP");
        }
    }
    json_decref(root);
    return SF_OK;
}

static void
write_change(const struct sf_ip_change *change,
             const struct sf_ip_tables *tables,
             const struct sf_port_names *names, FILE *stream)
{
    const struct sf_ip_route *route =
        change->is_gone ? &change->before : &change->after;
    struct sf_ip_text to = sf_ip_prefix_text(sf_ip_destination(tables, route));
    char name[SF_PORT_NAME_SIZE];

    fprintf(stream, "route %s %s%s", change->is_gone ? "del" : "replace",
            route->kind == SF_IP_UNREACHABLE ? "unreachable " : "", to.text);
    if (route->out && !change->is_gone) {
        if (route->neighbour != SF_NONE) {
            struct sf_ip_address via =
                sf_ip_next_hop(&tables->addresses, route->neighbour);
            fprintf(stream, " via %s", sf_ip_address_text(via).text);
        }
        sf_port_name(names, route->out, name);
        fprintf(stream, " dev %s%s", name,
                route->neighbour != SF_NONE ? " onlink" : " scope link");
    }
    fprintf(stream, " metric %u%s\n", sf_ip_metric(route->kind),
            change->is_gone ? "" : " proto static");
}

void
sf_ip_write_changes(const struct sf_push_item *items, size_t n,
                    const struct sf_ip_tables *tables,
                    const struct sf_port_names *names, FILE *stream)
{
    for (size_t i = 0; i < n; i++) {
        write_change(&items[i].change, tables, names, stream);
    }
}
