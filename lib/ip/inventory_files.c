/* inventory_files.c -- all nodes at once: an inventory and a file of
 * containerlab. */
#include "ip/writers.h"

/* Writes the addresses of 'place' in all layers as a list of JSON. */
static void
write_list(const struct sf_ip_plan *plan, struct sf_ip_place place,
           FILE *stream)
{
    const struct sf_ip_addresses *addresses = &plan->tables->addresses;

    for (uint32_t i = 0; i < addresses->n_layers; i++) {
        fprintf(stream, "%s\"%s\"", i ? ", " : "[",
                sf_ip_address_text(
                    sf_ip_port_address(addresses, i, place.s, place.port))
                    .text);
    }
    fputc(']', stream);
}

/* Writes a port of a node and what is plugged in there. */
static void
write_port(const struct sf_ip_plan *plan, uint32_t index, FILE *stream)
{
    const struct sf_fabric *fabric = plan->network->fabric;
    const struct sf_port *port = &fabric->ports[index];
    const struct sf_port *peer = &fabric->ports[port->peer];
    struct sf_ip_place place;

    fprintf(stream, "{ \"port\": %u, \"interface\": \"%s\", ", port->number,
            sf_ip_port(plan, port->node, port->number).text);
    fprintf(stream, "\"peer\": \"%s\", \"peer_interface\": \"%s\"",
            sf_ip_name(plan, peer->node),
            sf_ip_port(plan, peer->node, peer->number).text);
    if (port->node >= fabric->n_switches && sf_ip_plug(plan, index, &place)) {
        fputs(", \"addresses\": ", stream);
        write_list(plan, place, stream);
    }
    fputs(" }", stream);
}

static void
write_node(const struct sf_ip_plan *plan, uint32_t node, FILE *stream)
{
    const struct sf_fabric *fabric = plan->network->fabric;
    const struct sf_node *self = &fabric->nodes[node];
    const char *comma = "";

    fprintf(stream, "    { \"name\": \"%s\", \"fabric_name\": ",
            sf_ip_name(plan, node));
    sf_ip_write_string(self->name, stream);
    if (node < fabric->n_switches) {
        fputs(", \"addresses\": ", stream);
        write_list(plan, (struct sf_ip_place){ .s = node }, stream);
    }
    fputs(",\n      \"ports\": [", stream);
    for (uint32_t i = 0; i < self->n_ports; i++) {
        if (fabric->ports[self->first_port + i].peer != SF_NONE) {
            fprintf(stream, "%s\n        ", comma);
            write_port(plan, self->first_port + i, stream);
            comma = ",";
        }
    }
    fputs(" ] }", stream);
}

enum sf_status
sf_ip_write_inventory(const struct sf_ip_plan *plan, uint32_t node,
                      FILE *stream, struct sf_error *err)
{
    const struct sf_ip_addresses *addresses = &plan->tables->addresses;
    const struct sf_fabric *fabric = plan->network->fabric;

    (void)err;
    (void)node;
    fprintf(stream,
            "{\n"
            "  \"kind\": \"slimfly-ip-inventory\",\n"
            "  \"prefix\": \"%s\",\n"
            "  \"layers\": %u,\n"
            "  \"bits\": { \"layer\": %u, \"switch\": %u, \"port\": %u },\n"
            "  \"switch_ports\": \"%s\",\n"
            "  \"host_ports\": \"%s\",\n",
            sf_ip_prefix_text(addresses->prefix).text, addresses->n_layers,
            addresses->layer_bits, addresses->switch_bits,
            addresses->port_bits, plan->switch_ports.rule,
            plan->host_ports.rule);
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        fputs(i == 0                    ? "  \"switches\": [\n"
              : i == fabric->n_switches ? " ],\n  \"hosts\": [\n"
                                        : ",\n",
              stream);
        write_node(plan, i, stream);
    }
    fputs(fabric->n_nodes == fabric->n_switches ? " ],\n  \"hosts\": [ ]\n}\n"
                                                : " ]\n}\n",
          stream);
    return SF_OK;
}

enum sf_status
sf_ip_write_addresses(const struct sf_ip_plan *plan, uint32_t node,
                      FILE *stream, struct sf_error *err)
{
    const struct sf_ip_addresses *addresses = &plan->tables->addresses;
    const struct sf_fabric *fabric = plan->network->fabric;

    (void)err;
    (void)node;
    fputs("node,interface,layer,address\n", stream);
    for (uint32_t i = 0; i < fabric->n_switches; i++) {
        for (uint32_t k = 0; k < addresses->n_layers; k++) {
            fprintf(stream, "%s,lo,%u,%s\n", sf_ip_name(plan, i), k,
                    sf_ip_address_text(sf_ip_port_address(addresses, k, i, 0))
                        .text);
        }
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        struct sf_ip_place place;
        if (port->node < fabric->n_switches || !sf_ip_plug(plan, i, &place)) {
            continue;
        }
        for (uint32_t k = 0; k < addresses->n_layers; k++) {
            fprintf(stream, "%s,%s,%u,%s\n", sf_ip_name(plan, port->node),
                    sf_ip_port(plan, port->node, port->number).text, k,
                    sf_ip_address_text(
                        sf_ip_port_address(addresses, k, place.s, place.port))
                        .text);
        }
    }
    return SF_OK;
}

/* Writes a node of containerlab with the files that it loads. */
static void
write_container(const struct sf_ip_plan *plan, uint32_t node, FILE *stream)
{
    bool is_switch = node < plan->network->fabric->n_switches;
    const char *name = sf_ip_name(plan, node);
    const char *folder = is_switch ? "switches" : "hosts";
    static const char *const of_switch[] = { "links.batch", "routes.batch",
                                             NULL };
    static const char *const of_host[] = { "host.batch", NULL };

    fprintf(stream, "    %s:\n      kind: linux\n      binds:\n", name);
    fprintf(stream, "        - ./%s:/etc/slimfly:ro\n", folder);
    fprintf(stream,
            "      exec:\n        - sysctl -p /etc/slimfly/%s.sysctl.conf\n",
            name);
    for (const char *const *file = is_switch ? of_switch : of_host; *file;
         file++) {
        fprintf(stream, "        - ip%s -batch /etc/slimfly/%s.%s\n",
                sf_ip_is_v6(plan) ? " -6" : "", name, *file);
    }
}

enum sf_status
sf_ip_write_containerlab(const struct sf_ip_plan *plan, uint32_t node,
                         FILE *stream, struct sf_error *err)
{
    const struct sf_fabric *fabric = plan->network->fabric;

    (void)err;
    (void)node;
    fputs("# Written for containerlab after its schema; not run.\n"
          "# The image must have iproute2 and sysctl.\n"
          "name: slimfly\n"
          "topology:\n"
          "  defaults:\n"
          "    image: frrouting/frr:latest\n"
          "  nodes:\n",
          stream);
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        write_container(plan, i, stream);
    }
    fputs("  links:\n", stream);
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (port->peer == SF_NONE || port->peer < i) {
            continue;
        }
        const struct sf_port *peer = &fabric->ports[port->peer];
        fprintf(stream, "    - endpoints: [\"%s:%s\", ",
                sf_ip_name(plan, port->node),
                sf_ip_port(plan, port->node, port->number).text);
        fprintf(stream, "\"%s:%s\"]\n", sf_ip_name(plan, peer->node),
                sf_ip_port(plan, peer->node, peer->number).text);
    }
    return SF_OK;
}
