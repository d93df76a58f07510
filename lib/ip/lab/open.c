/* open.c -- a lab that is up, for all that uses it. */
#define _GNU_SOURCE
#include "ip/lab/lab.h"

#include "base/mem.h"
#include "ip/lab/netns.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Which switch each host is plugged into; the one of its first port that
 * is. */
static void
find_switches(struct sf_lab *lab)
{
    const struct sf_fabric *fabric = lab->network->fabric;

    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        lab->switch_of[i] = i < fabric->n_switches ? i : SF_NONE;
        lab->spaces[i] = -1;
        for (uint32_t p = node->first_port;
             lab->switch_of[i] == SF_NONE &&
             p < node->first_port + node->n_ports;
             p++) {
            if (fabric->ports[p].peer != SF_NONE) {
                lab->switch_of[i] = fabric->ports[fabric->ports[p].peer].node;
            }
        }
    }
}

/* Packets between hosts cross switches: a cable from host to host has no place
 * in the plan of addresses. */
static enum sf_status
check_cables(const struct sf_fabric *fabric, struct sf_error *err)
{
    for (uint32_t p = 0; p < fabric->n_ports; p++) {
        const struct sf_port *port = &fabric->ports[p];
        if (port->node >= fabric->n_switches && port->peer != SF_NONE &&
            fabric->ports[port->peer].node >= fabric->n_switches) {
            return sf_fail(err, SF_EINVAL,
                           "host '%s' is plugged into host '%s'; expected a "
                           "switch at one end of each cable",
                           fabric->nodes[port->node].name,
                           fabric->nodes[fabric->ports[port->peer].node].name);
        }
    }
    return SF_OK;
}

enum sf_status
sf_lab_complete(struct sf_lab *lab, const struct sf_ip_addresses *addresses,
                struct sf_error *err)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    enum sf_status status = check_cables(fabric, err);

    lab->switch_of = sf_calloc(fabric->n_nodes, sizeof *lab->switch_of);
    lab->spaces = sf_calloc(fabric->n_nodes, sizeof *lab->spaces);
    if (!lab->switch_of || !lab->spaces) {
        free(lab->spaces);
        lab->spaces = NULL;
        return sf_fail(err, SF_ENOMEM, "a lab of %u nodes", fabric->n_nodes);
    }
    find_switches(lab);
    if (status == SF_OK) {
        status = sf_ip_names_build(fabric, &lab->names, err);
    }
    if (status == SF_OK) {
        status = sf_ip_encode(lab->network, lab->routes, addresses,
                              lab->has_alternates ? SF_IP_ALTERNATES_LINKS
                                                  : SF_IP_ALTERNATES_NONE,
                              &lab->tables, err);
    }
    return status;
}

void
sf_lab_clear(struct sf_lab *lab)
{
    for (uint32_t i = 0; lab->spaces && i < lab->network->fabric->n_nodes;
         i++) {
        if (lab->spaces[i] >= 0) {
            close(lab->spaces[i]);
        }
    }
    free(lab->spaces);
    free(lab->switch_of);
    sf_ip_names_free(lab->names);
    sf_ip_tables_free(lab->tables);
    sf_routes_free(lab->routes);
    sf_network_free(lab->network);
}

enum sf_status
sf_lab_open(const char *folder, const char *name, enum sf_lab_use use,
            struct sf_lab **labp, struct sf_error *err)
{
    struct sf_lab *lab = sf_calloc(1, sizeof *lab);

    *labp = NULL;
    if (!lab) {
        return sf_fail(err, SF_ENOMEM, "a lab");
    }
    enum sf_status status =
        sf_lab_folder_open(&lab->folder, folder, name, use, err);
    if (status != SF_OK) {
        free(lab);
        return status;
    }
    char *path = sf_lab_folder_path(&lab->folder, SF_LAB_STATE);
    if (!path) {
        status = sf_fail(err, SF_ENOMEM, "a lab");
    } else if (access(path, F_OK)) {
        status = sf_fail(err, SF_EINVAL,
                         "the lab '%s' was never finished; 'slimfly lab down "
                         "--name %s' takes it down",
                         lab->folder.name, lab->folder.name);
    } else {
        status = sf_lab_state_read(lab, path, err);
    }
    free(path);
    if (status != SF_OK) {
        sf_lab_close(lab);
        return status;
    }
    *labp = lab;
    return SF_OK;
}

void
sf_lab_close(struct sf_lab *lab)
{
    if (lab) {
        sf_lab_clear(lab);
        sf_lab_folder_close(&lab->folder);
        free(lab);
    }
}

const struct sf_network *
sf_lab_network(const struct sf_lab *lab)
{
    return lab->network;
}

const struct sf_ip_tables *
sf_lab_tables(const struct sf_lab *lab)
{
    return lab->tables;
}

double
sf_lab_link_rate(const struct sf_lab *lab)
{
    return lab->link_rate;
}

double
sf_lab_host_rate(const struct sf_lab *lab)
{
    return lab->host_rate;
}

void
sf_lab_sizes(const struct sf_lab *lab, struct sf_lab_sizes *sizes)
{
    const struct sf_fabric *fabric = lab->network->fabric;

    *sizes = (struct sf_lab_sizes){
        .n_switches = fabric->n_switches,
        .n_hosts = fabric->n_nodes - fabric->n_switches,
        .n_links = fabric->n_cables,
        .n_layers = lab->routes->n_addresses,
        .n_sets = lab->routes->n_sets,
        .n_routes = lab->tables->first[fabric->n_switches],
    };
}

enum sf_status
sf_lab_set_routes(struct sf_lab *lab, const struct sf_routes *routes,
                  struct sf_error *err)
{
    struct sf_ip_tables *tables = NULL;
    struct sf_routes *copy = NULL, *before = lab->routes;
    enum sf_status status = sf_ip_encode(
        lab->network, routes, &lab->tables->addresses,
        lab->has_alternates ? SF_IP_ALTERNATES_LINKS : SF_IP_ALTERNATES_NONE,
        &tables, err);

    if (status == SF_OK) {
        status = sf_routes_copy(lab->network, routes, &copy, err);
    }
    if (status == SF_OK) {
        lab->routes = copy;
        status = sf_lab_state_write(lab, err);
    }
    if (status != SF_OK) {
        lab->routes = before;
        sf_routes_free(copy);
        sf_ip_tables_free(tables);
        return status;
    }
    sf_routes_free(before);
    sf_ip_tables_free(lab->tables);
    lab->tables = tables;
    return SF_OK;
}

enum sf_status
sf_lab_need_files(uint32_t n, struct sf_error *err)
{
    struct rlimit limit;
    rlim_t needed = (rlim_t)n + 64;

    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed) {
        return SF_OK;
    }
    if (limit.rlim_max < needed) {
        return sf_fail(err, SF_ELIMIT,
                       "this lab needs %llu open files at once, and %llu are "
                       "allowed; raise the limit with 'ulimit -n'",
                       (unsigned long long)needed,
                       (unsigned long long)limit.rlim_max);
    }
    limit.rlim_cur = needed;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0
               ? SF_OK
               : sf_fail(err, SF_EIO,
                         "the limit of open files cannot be "
                         "raised");
}

enum sf_status
sf_lab_open_spaces(struct sf_lab *lab, struct sf_error *err)
{
    uint32_t n_nodes = lab->network->fabric->n_nodes;
    enum sf_status status = sf_lab_need_files(n_nodes, err);
    char name[SF_LAB_NAMESPACE_SIZE];

    for (uint32_t i = 0; status == SF_OK && i < n_nodes; i++) {
        uint64_t inode = 0;
        sf_lab_namespace(lab, i, name);
        lab->spaces[i] = sf_netns_open(name, &inode);
        if (lab->spaces[i] < 0 || !inode) {
            status = sf_fail(err, SF_EIO,
                             "the network namespace %s of the lab is gone; "
                             "take the lab down and up again",
                             name);
        }
    }
    return status;
}

enum sf_status
sf_lab_netlink(struct sf_lab *lab, uint32_t node, struct sf_netlink *nl,
               struct sf_error *err)
{
    enum sf_status status =
        sf_netns_enter(lab->spaces[node], lab->names->names[node], err);

    nl->fd = -1;
    return status == SF_OK ? sf_netlink_open(nl, NETLINK_ROUTE,
                                             lab->names->names[node], err)
                           : status;
}
