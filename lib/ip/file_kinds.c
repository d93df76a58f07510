/* file_kinds.c -- the table of files, and what their writers share. */
#include "ip/writers.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const struct sf_ip_classes sf_ip_default_classes = {
    .n = SF_IP_MAX_CLASSES,
    .dscps = { 3, 4, 5, 6, 2, 1, 7, 56 },
    .priorities = { 3, 4, 5, 6, 2, 1, 7, 0 },
};

const struct sf_ip_file sf_ip_files[] = {
    { ".links.batch", "loopback and ports, for ip -batch",
      .subject = SF_IP_OF_SWITCHES, .write = sf_ip_write_links },
    { ".routes.batch", "routes, for ip -batch", .subject = SF_IP_OF_SWITCHES,
      .write = sf_ip_write_routes },
    { ".sysctl.conf", "settings of the kernel, for sysctl -p",
      .subject = SF_IP_OF_SWITCHES, .write = sf_ip_write_sysctls },
    { ".staticd.conf", "the same routes, for FRR's staticd",
      .subject = SF_IP_OF_SWITCHES, .write = sf_ip_write_staticd },
    { ".sonic.json", "the same routes, for SONiC's config_db",
      .subject = SF_IP_OF_SWITCHES, .is_not_run = true,
      .write = sf_ip_write_sonic },
    { ".lanes.nft", "lanes as DSCP, for nft -f", .subject = SF_IP_OF_SWITCHES,
      .needs_lanes = true, .write = sf_ip_write_nft },
    { ".host.batch", "addresses, routes and MPTCP, for ip -batch",
      .subject = SF_IP_OF_HOSTS, .write = sf_ip_write_host },
    { ".macvlan.batch", "the same with an interface for each layer, for MPI",
      .subject = SF_IP_OF_HOSTS, .write = sf_ip_write_macvlans },
    { ".sysctl.conf", "settings of the kernel, for sysctl -p",
      .subject = SF_IP_OF_HOSTS, .write = sf_ip_write_host_sysctls },
    { "inventory.json", "nodes, ports, addresses, for programs",
      .subject = SF_IP_OF_ALL, .write = sf_ip_write_inventory },
    { "addresses.csv", "an address a line, for people",
      .subject = SF_IP_OF_ALL, .write = sf_ip_write_addresses },
    { "lanes.csv", "in port, out port, lane, DSCP, priority",
      .subject = SF_IP_OF_ALL, .needs_lanes = true,
      .write = sf_ip_write_lanes },
    { "topology.clab.yml", "all of it for containerlab",
      .subject = SF_IP_OF_ALL, .is_not_run = true,
      .write = sf_ip_write_containerlab },
    { 0 },
};

enum sf_status
sf_ip_plan_check(const struct sf_ip_plan *plan, struct sf_error *err)
{
    const struct sf_fabric *fabric = plan->network->fabric;
    const struct sf_ip_lanes *lanes = plan->tables->lanes;
    uint32_t most = 1;

    for (uint32_t i = fabric->n_switches; i < fabric->n_nodes; i++) {
        most =
            fabric->nodes[i].n_ports > most ? fabric->nodes[i].n_ports : most;
    }
    enum sf_status status = sf_port_names_check_linux(
        &plan->switch_ports, plan->tables->addresses.max_port, err);
    if (status == SF_OK) {
        status = sf_port_names_check_linux(&plan->host_ports, most, err);
    }
    char name[SF_PORT_NAME_SIZE];
    uint32_t last = plan->tables->addresses.n_layers - 1;
    size_t length =
        strlen(sf_port_name(&plan->host_ports, most, name)) + (last > 99  ? 4
                                                               : last > 9 ? 3
                                                                          : 2);
    if (status == SF_OK && length > 15) {
        status = sf_fail(err, SF_EINVAL,
                         "'%s' leaves no room for the interfaces of layers, "
                         "such as %.20sl%u: Linux takes at most 15 characters",
                         name, name, last);
    }
    if (status == SF_OK && lanes && lanes->n_lanes > plan->classes->n) {
        status = sf_fail(err, SF_ELANES,
                         "the routing has %u lanes, and there are classes for "
                         "%u: use --max-vls %u",
                         lanes->n_lanes, plan->classes->n, plan->classes->n);
    }
    return status;
}

struct sf_ip_port_text
sf_ip_port(const struct sf_ip_plan *plan, uint32_t node, uint32_t number)
{
    struct sf_ip_port_text text = { "" };

    sf_port_name(node < plan->network->fabric->n_switches ? &plan->switch_ports
                                                          : &plan->host_ports,
                 number, text.text);
    return text;
}

void
sf_ip_write_string(const char *text, FILE *stream)
{
    json_t *string = json_string(text);

    if (string) {
        json_dumpf(string, stream, JSON_ENCODE_ANY);
    } else {
        fputs("null", stream); /* Not UTF-8. */
    }
    json_decref(string);
}

bool
sf_ip_plug(const struct sf_ip_plan *plan, uint32_t port,
           struct sf_ip_place *place)
{
    const struct sf_fabric *fabric = plan->network->fabric;
    uint32_t peer = fabric->ports[port].peer;

    if (peer == SF_NONE || fabric->ports[peer].node >= fabric->n_switches) {
        return false;
    }
    *place = (struct sf_ip_place){ .s = fabric->ports[peer].node,
                                   .port = fabric->ports[peer].number };
    return true;
}
