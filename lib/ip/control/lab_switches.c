/* lab_switches.c -- a controller of a lab.  Each switch is a network
 * namespace, in which two netlink sockets stay open: one by which the kernel
 * tells of changes of links, and one for questions and requests.  The lab
 * itself stays unlocked, so that others can break links and mend them. */
#define _GNU_SOURCE
#include "ip/control/control_loop.h"

#include "base/mem.h"
#include "ip/lab/lab.h"
#include "ip/lab/netns.h"
#include "routes/ports.h"

#include <errno.h>
#include <linux/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONGEST_WAIT 1.0 /* Then it is looked whether the lab is gone. */

struct lab {
    const char *folder, *name;
    uint64_t inode; /* Of the first namespace, and when the lab was made: */
    uint64_t made;  /* which lab of this name it is.  Inodes come again. */
    struct sf_network *network;
    struct sf_routes *routes;
    struct sf_ip_addresses addresses;
    bool has_alternates;
    bool is_base; /* 'routes' are what the controller starts from. */
    char (*names)[SF_IP_NAME_SIZE]; /* [n_switches] */
    struct sf_netlink *sockets;     /* [n_switches] */
    struct pollfd *watched;         /* [n_switches] */
    char identity[128];
};

static uint32_t
n_switches(const struct lab *lab)
{
    return lab->network->fabric->n_switches;
}

/* Opens the socket by which the namespace of the calling thread tells of
 * links. */
static enum sf_status
open_watch(const char *where, int *fdp, struct sf_error *err)
{
    struct sockaddr_nl address = { .nl_family = AF_NETLINK,
                                   .nl_groups = RTMGRP_LINK };
    int room = 1 << 18;

    *fdp = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
                  NETLINK_ROUTE);
    if (*fdp < 0 || bind(*fdp, (struct sockaddr *)&address, sizeof address)) {
        return sf_fail(err, SF_EIO, "%s: no netlink socket: %s", where,
                       strerror(errno));
    }
    (void)setsockopt(*fdp, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    return SF_OK;
}

static enum sf_status
open_switch(struct lab *lab, uint32_t s, struct sf_error *err)
{
    char space[SF_LAB_NAMESPACE_SIZE + SF_LAB_NAME_SIZE];
    uint64_t inode = 0;

    snprintf(space, sizeof space, "%s.%s", lab->name, lab->names[s]);
    int fd = sf_netns_open(space, &inode);
    if (fd < 0 || !inode) {
        if (fd >= 0) {
            close(fd);
        }
        return sf_fail(err, SF_EIO,
                       "the network namespace %s of the lab is gone; take the "
                       "lab down and up again",
                       space);
    }
    if (s == 0) {
        lab->inode = inode;
    }
    enum sf_status status = sf_netns_enter(fd, space, err);
    close(fd);
    if (status == SF_OK) {
        status = sf_netlink_open(&lab->sockets[s], NETLINK_ROUTE,
                                 lab->names[s], err);
    }
    return status == SF_OK
               ? open_watch(lab->names[s], &lab->watched[s].fd, err)
               : status;
}

static enum sf_status
open_switches(struct lab *lab, struct sf_error *err)
{
    uint32_t n = n_switches(lab);
    struct sf_netns_home home;
    enum sf_status status = sf_lab_need_files(2 * n + 64, err);

    lab->sockets = sf_calloc(n, sizeof *lab->sockets);
    lab->watched = sf_calloc(n, sizeof *lab->watched);
    if (!lab->sockets || !lab->watched) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
    }
    for (uint32_t s = 0; s < n; s++) {
        lab->sockets[s].fd = -1;
        lab->watched[s] = (struct pollfd){ -1, POLLIN, 0 };
    }
    if (status == SF_OK) {
        status = sf_netns_leave(&home, err);
    }
    if (status != SF_OK) {
        return status;
    }
    for (uint32_t s = 0; status == SF_OK && s < n; s++) {
        status = open_switch(lab, s, err);
    }
    sf_netns_return(&home);
    return status;
}

/* When the lab was made, in nanoseconds: its notes are not changed later.
 * 0: there are no notes. */
static uint64_t
when_made(const struct lab *lab)
{
    char path[4096];
    struct stat info;

    snprintf(path, sizeof path, "%s/lab-%s/%s", lab->folder, lab->name,
             SF_LAB_SPACES);
    return stat(path, &info) == 0
               ? (uint64_t)info.st_mtim.tv_sec * 1000000000 +
                     (uint64_t)info.st_mtim.tv_nsec
               : 0;
}

/* Takes from the lab what is needed, and leaves it to others. */
static enum sf_status
read_lab(struct lab *lab, struct sf_error *err)
{
    struct sf_lab *opened;
    enum sf_status status =
        sf_lab_open(lab->folder, lab->name, SF_LAB_LOOK, &opened, err);

    if (status != SF_OK) {
        return status;
    }
    lab->made = when_made(lab);
    lab->addresses = opened->tables->addresses;
    lab->has_alternates = opened->has_alternates;
    status = sf_network_copy(opened->network, &lab->network, err);
    if (status == SF_OK) {
        status =
            sf_routes_copy(lab->network, opened->routes, &lab->routes, err);
    }
    lab->names = status == SF_OK
                     ? sf_calloc(n_switches(lab), sizeof *lab->names)
                     : NULL;
    if (status == SF_OK && !lab->names) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for names");
    }
    for (uint32_t s = 0; status == SF_OK && s < n_switches(lab); s++) {
        memcpy(lab->names[s], opened->names->names[s], sizeof lab->names[s]);
    }
    sf_lab_close(opened);
    return status;
}

static void
clear(struct lab *lab)
{
    for (uint32_t s = 0; lab->sockets && s < n_switches(lab); s++) {
        sf_netlink_close(&lab->sockets[s]);
        if (lab->watched && lab->watched[s].fd >= 0) {
            close(lab->watched[s].fd);
        }
    }
    free(lab->watched);
    free(lab->sockets);
    free(lab->names);
    sf_routes_free(lab->routes);
    sf_network_free(lab->network);
}

/* What is told is not read: the links are looked at anyway. */
static void
drain(int fd)
{
    char buffer[8192];

    while (recv(fd, buffer, sizeof buffer, 0) > 0 || errno == EINTR ||
           errno == ENOBUFS) {
        errno = 0;
    }
}

static enum sf_status
wait_for_links(void *self, double seconds, bool *hot, struct sf_error *err)
{
    struct lab *lab = self;
    uint32_t n = n_switches(lab);
    double most = seconds < LONGEST_WAIT ? seconds : LONGEST_WAIT;

    if (poll(lab->watched, n, (int)(most * 1000) + 1) < 0 && errno != EINTR) {
        return sf_fail(err, SF_EIO, "waiting for links: %s", strerror(errno));
    }
    for (uint32_t s = 0; s < n; s++) {
        if (lab->watched[s].revents) {
            lab->watched[s].revents = 0;
            drain(lab->watched[s].fd);
            hot[s] = true;
        }
    }
    return SF_OK;
}

/* NLMSG_DATA() and RTA_DATA() for what is not to be changed. */
static const void *
body_of(const struct nlmsghdr *message)
{
    return (const char *)message + NLMSG_LENGTH(0);
}

static const void *
value_of(const struct rtattr *attribute)
{
    return (const char *)attribute + RTA_LENGTH(0);
}

struct look {
    const struct lab *lab;
    uint32_t s;
    bool *runs;
    struct sf_route_list *list;
    bool is_out_of_memory;
};

static bool
take_link(void *aux, const struct nlmsghdr *message)
{
    struct look *look = aux;
    const struct ifinfomsg *head = body_of(message);
    int number = head->ifi_index - SF_LAB_FIRST_INTERFACE;
    uint32_t port = message->nlmsg_type == RTM_NEWLINK && number > 0
                        ? sf_fabric_port(look->lab->network->fabric, look->s,
                                         (uint32_t)number)
                        : SF_NONE;

    if (port != SF_NONE) {
        look->runs[port] = (head->ifi_flags & (IFF_UP | IFF_RUNNING)) ==
                           (IFF_UP | IFF_RUNNING);
    }
    return true;
}

static void
read_links(void *self, const bool *wanted, bool *runs, struct sf_error *errors)
{
    struct lab *lab = self;

    for (uint32_t s = 0; s < n_switches(lab); s++) {
        const struct sf_node *node = &lab->network->fabric->nodes[s];
        struct look look = { .lab = lab, .s = s, .runs = runs };
        if (wanted[s]) {
            memset(runs + node->first_port, 0, node->n_ports * sizeof *runs);
            (void)sf_netlink_begin(&lab->sockets[s], RTM_GETLINK, NLM_F_DUMP,
                                   sizeof(struct ifinfomsg));
            (void)sf_netlink_ask(&lab->sockets[s], take_link, &look,
                                 &errors[s]);
        }
    }
}

static uint32_t
number_in(const struct rtattr *attribute)
{
    uint32_t number = 0;

    if (attribute) {
        memcpy(&number, value_of(attribute), sizeof number);
    }
    return number;
}

static void
address_in(const struct rtattr *attribute, bool is_v6,
           struct sf_ip_address *address)
{
    *address = (struct sf_ip_address){ .is_v6 = is_v6 };
    if (attribute) {
        memcpy(address->bytes, value_of(attribute), is_v6 ? 16 : 4);
    }
}

static bool
take_route(void *aux, const struct nlmsghdr *message)
{
    struct look *look = aux;
    const struct rtmsg *head = body_of(message);
    bool is_v6 = head->rtm_family == AF_INET6;
    struct sf_found_route found = { .is_unreachable =
                                        head->rtm_type == RTN_UNREACHABLE };
    struct sf_ip_route route;

    if (message->nlmsg_type != RTM_NEWROUTE ||
        head->rtm_table != RT_TABLE_MAIN ||
        head->rtm_protocol == RTPROT_KERNEL ||
        head->rtm_flags & RTM_F_CLONED) {
        return true;
    }
    const struct rtattr *gateway =
        sf_netlink_find(message, sizeof *head, RTA_GATEWAY);
    uint32_t out = number_in(sf_netlink_find(message, sizeof *head, RTA_OIF));
    found.to.length = head->rtm_dst_len;
    address_in(sf_netlink_find(message, sizeof *head, RTA_DST), is_v6,
               &found.to.address);
    found.metric =
        number_in(sf_netlink_find(message, sizeof *head, RTA_PRIORITY));
    found.has_gateway = gateway != NULL;
    address_in(gateway, is_v6, &found.gateway);
    found.out = !found.is_unreachable && out > SF_LAB_FIRST_INTERFACE &&
                        out <= SF_LAB_FIRST_INTERFACE + SF_MAX_PORTS
                    ? out - SF_LAB_FIRST_INTERFACE
                    : 0;
    if (sf_found_to_route(&found, look->lab->network->fabric,
                          &look->lab->addresses, look->s, &route)) {
        look->is_out_of_memory |= !sf_vec_push(&look->list->routes, route);
    }
    return true;
}

static void
read_routes(void *self, const bool *wanted, struct sf_route_list *lists,
            struct sf_error *errors)
{
    struct lab *lab = self;

    for (uint32_t s = 0; s < n_switches(lab); s++) {
        struct look look = { .lab = lab, .s = s, .list = &lists[s] };
        if (!wanted[s]) {
            continue;
        }
        struct rtmsg *head = sf_netlink_begin(&lab->sockets[s], RTM_GETROUTE,
                                              NLM_F_DUMP, sizeof *head);
        head->rtm_family =
            lab->addresses.prefix.address.is_v6 ? AF_INET6 : AF_INET;
        if (sf_netlink_ask(&lab->sockets[s], take_route, &look, &errors[s]) ==
                SF_OK &&
            look.is_out_of_memory) {
            (void)sf_fail(&errors[s], SF_ENOMEM, "out of memory for routes");
        }
    }
}

static void
put_address(struct sf_netlink *nl, uint16_t type, struct sf_ip_address address)
{
    sf_netlink_put(nl, type, address.bytes, address.is_v6 ? 16 : 4);
}

/* Puts one change into the buffer of its switch. */
static enum sf_status
put_change(struct lab *lab, const struct sf_ip_change *change,
           const struct sf_ip_tables *tables, struct sf_error *err)
{
    struct sf_netlink *nl = &lab->sockets[change->s];
    const struct sf_ip_route *route =
        change->is_gone ? &change->before : &change->after;
    struct sf_ip_prefix to = sf_ip_destination(tables, route);
    uint16_t flags = change->is_gone ? 0 : NLM_F_CREATE | NLM_F_REPLACE;
    struct rtmsg *head =
        sf_netlink_begin(nl, change->is_gone ? RTM_DELROUTE : RTM_NEWROUTE,
                         flags, sizeof *head);

    head->rtm_family = to.address.is_v6 ? AF_INET6 : AF_INET;
    head->rtm_dst_len = to.length;
    head->rtm_table = RT_TABLE_MAIN;
    head->rtm_protocol = change->is_gone ? RTPROT_UNSPEC : RTPROT_STATIC;
    head->rtm_scope = change->is_gone ? RT_SCOPE_NOWHERE
                      : route->out && route->neighbour == SF_NONE
                          ? RT_SCOPE_LINK
                          : RT_SCOPE_UNIVERSE;
    head->rtm_type = change->is_gone                    ? RTN_UNSPEC
                     : route->kind == SF_IP_UNREACHABLE ? RTN_UNREACHABLE
                                                        : RTN_UNICAST;
    head->rtm_flags =
        !change->is_gone && route->neighbour != SF_NONE ? RTNH_F_ONLINK : 0;
    put_address(nl, RTA_DST, to.address);
    sf_netlink_put_u32(nl, RTA_PRIORITY, sf_ip_metric(route->kind));
    if (route->out && !change->is_gone) {
        sf_netlink_put_u32(nl, RTA_OIF, SF_LAB_FIRST_INTERFACE + route->out);
    }
    if (route->neighbour != SF_NONE && !change->is_gone) {
        put_address(nl, RTA_GATEWAY,
                    sf_ip_next_hop(&tables->addresses, route->neighbour));
    }
    return sf_netlink_end(nl, err);
}

/* Writes the changes of one switch: what is new, then what goes. */
static enum sf_status
write_switch(struct lab *lab, const struct sf_push_item *items, size_t n,
             const struct sf_ip_tables *tables, struct sf_error *err)
{
    struct sf_netlink *nl = &lab->sockets[items[0].change.s];
    enum sf_status status = SF_OK;

    nl->passed_over = 0;
    for (size_t i = 0; status == SF_OK && i < n; i++) {
        if (items[i].change.is_gone && !nl->passed_over) {
            status = sf_netlink_flush(nl, err);
            nl->passed_over = SF_NETLINK_MISSING;
        }
        if (status == SF_OK) {
            status = put_change(lab, &items[i].change, tables, err);
        }
    }
    if (status == SF_OK) {
        status = sf_netlink_flush(nl, err);
    }
    nl->passed_over = 0;
    nl->used = nl->last = 0;
    return status;
}

static void
write_routes(void *self, const struct sf_push_item *items, size_t n,
             const struct sf_ip_tables *tables, struct sf_error *errors)
{
    for (size_t i = 0; i < n;) {
        uint32_t s = items[i].change.s;
        size_t end = i;
        while (end < n && items[end].change.s == s) {
            end++;
        }
        if (errors[s].status == SF_OK) {
            (void)write_switch(self, items + i, end - i, tables, &errors[s]);
        }
        i = end;
    }
}

/* The next hops of 'column', of the network of 'routing', for that of the
 * lab, whose arcs have other numbers. */
static void
translate(const struct sf_network *from, const uint16_t *column,
          const uint16_t *hop_of_port, uint16_t *out)
{
    for (uint32_t s = 0; s < from->graph->n_nodes; s++) {
        uint32_t arc = from->graph->first[s] + column[s];
        out[s] = column[s] == SF_NO_HOP ? SF_NO_HOP
                                        : hop_of_port[from->arc_ports[arc]];
    }
}

/* Copies the routes of the controller to those of the lab's network. */
static enum sf_status
make_lab_routes(const struct lab *lab, const struct sf_core *core,
                struct sf_routes **routesp, struct sf_error *err)
{
    const struct sf_routing *routing = sf_core_routing(core);
    uint16_t *hop_of_port = sf_network_hops_of_ports(lab->network);
    enum sf_status status =
        hop_of_port ? sf_routes_copy(lab->network, lab->routes, routesp, err)
                    : sf_fail(err, SF_ENOMEM, "out of memory for ports");

    if (status == SF_OK && ((*routesp)->n_sets != routing->routes->n_sets ||
                            sf_routes_n_layers(*routesp) !=
                                sf_routes_n_layers(routing->routes))) {
        sf_routes_free(*routesp);
        status = sf_fail(err, SF_EINVAL,
                         "the routes made anew have other path sets than "
                         "those of the lab");
    }
    for (uint32_t i = 0; status == SF_OK && i < (*routesp)->n_sets; i++) {
        for (uint32_t l = 0; l < sf_routes_n_layers(*routesp); l++) {
            for (uint32_t d = 0; d < n_switches(lab); d++) {
                translate(routing->network,
                          sf_layers_tree(routing->routes->sets[i], l, d),
                          hop_of_port,
                          sf_layers_tree((*routesp)->sets[i], l, d));
            }
        }
    }
    free(hop_of_port);
    return status;
}

/* Whether the namespace of the first switch is another one, or none, or the
 * folder of the lab is. */
static const char *
why_gone(void *self, bool *is_alarmingp)
{
    const struct lab *lab = self;
    char space[SF_LAB_NAMESPACE_SIZE + SF_LAB_NAME_SIZE];
    uint64_t inode = 0;

    snprintf(space, sizeof space, "%s.%s", lab->name, lab->names[0]);
    int fd = sf_netns_open(space, &inode);
    if (fd >= 0) {
        close(fd);
    }
    bool is_there = fd >= 0 && inode == lab->inode;
    uint64_t made = when_made(lab);
    *is_alarmingp = is_there && !made;
    return *is_alarmingp
               ? "the folder of the lab is gone, and links that fail "
                 "from now on are not repaired"
           : is_there && made == lab->made ? NULL
                                           : "the switches are gone";
}

/* Tells the lab how it is routed now. */
static enum sf_status
note(void *self, const struct sf_core *core, struct sf_error *err)
{
    struct lab *lab = self;
    struct sf_routes *routes = NULL;
    struct sf_lab *opened;
    bool is_alarming;
    enum sf_status status = make_lab_routes(lab, core, &routes, err);

    if (status == SF_OK) {
        status =
            sf_lab_open(lab->folder, lab->name, SF_LAB_CHANGE, &opened, err);
    }
    if (status == SF_OK) {
        status = why_gone(lab, &is_alarming)
                     ? sf_fail(err, SF_EINVAL,
                               "the lab '%s' is another one now", lab->name)
                     : sf_lab_set_routes(opened, routes, err);
        sf_lab_close(opened);
    }
    sf_routes_free(routes);
    return status;
}

/* The base is kept once; it is not what the lab notes later. */
static enum sf_status
keep(void *self, const struct sf_control_folder *folder, struct sf_error *err)
{
    const struct lab *lab = self;

    return lab->is_base && !sf_control_has_base(folder)
               ? sf_control_write_base(folder, lab->identity, lab->network,
                                       lab->routes, err)
               : SF_OK;
}

static const struct sf_control_ops ops = {
    .wait = wait_for_links,
    .read_links = read_links,
    .read_routes = read_routes,
    .write = write_routes,
    .note = note,
    .keep = keep,
    .why_gone = why_gone,
};

/* A routing of routes of which nobody knows how they were made: paths may be
 * as long as they are, and lanes are not looked at. */
static enum sf_status
wrap(const struct sf_network *network, struct sf_routes *routes,
     struct sf_routing *routing, struct sf_error *err)
{
    struct sf_layer_spec spec;
    enum sf_status status =
        sf_layer_spec_parse(NULL, routes->n_sets, &spec, err);

    if (status != SF_OK) {
        return status;
    }
    *routing = (struct sf_routing){
        .params = { .layers = { .n_layers = sf_routes_n_layers(routes),
                                .max_hops = routes->sets[0]->max_hops,
                                .may_exceed = true,
                                .within_parts = true },
                    .n_path_sets = routes->n_sets,
                    .n_addresses = routes->n_addresses,
                    .n_switch_addresses = routes->n_switch_addresses,
                    .lanes = "none",
                    .without_lanes = true },
        .routes = routes,
        .max_hops = routes->sets[0]->max_hops,
        .is_fitted = true,
    };
    memcpy(routing->specs.layers, spec.text, sizeof spec.text);
    snprintf(routing->specs.lanes, sizeof routing->specs.lanes, "none");
    routing->params.layers.scheme = routing->specs.layers;
    return sf_network_copy(network, &routing->network, err);
}

/* The base: what an earlier controller of this lab started from, or the routes
 * of the lab, which are kept then. */
static enum sf_status
find_base(struct lab *lab, const struct sf_control_folder *folder,
          struct sf_routing *base, struct sf_error *err)
{
    struct sf_routes *kept;
    enum sf_status status =
        sf_control_read_base(folder, lab->identity, lab->network, &kept, err);

    if (status == SF_OK && kept) {
        sf_routes_free(lab->routes);
        lab->routes = kept;
    } else if (status == SF_OK) {
        status = sf_control_write_base(folder, lab->identity, lab->network,
                                       lab->routes, err);
    }
    lab->is_base = status == SF_OK;
    return status == SF_OK ? wrap(lab->network, lab->routes, base, err)
                           : status;
}

/* Whether 'base' is a routing of the lab's network. */
static enum sf_status
check_base(const struct lab *lab, const struct sf_routing *base,
           struct sf_error *err)
{
    const struct sf_fabric *a = lab->network->fabric,
                           *b = base->network->fabric;
    bool is_same = a->n_switches == b->n_switches && a->n_ports == b->n_ports;

    for (uint32_t i = 0; is_same && i < a->n_ports; i++) {
        is_same = a->ports[i].node == b->ports[i].node &&
                  a->ports[i].peer == b->ports[i].peer;
    }
    if (is_same && base->routes->n_addresses == lab->addresses.n_layers) {
        return SF_OK;
    }
    return sf_fail(err, SF_EINVAL,
                   "the tables are of another network than the lab '%s', or "
                   "have another number of layers; expected those that it was "
                   "brought up with",
                   lab->name);
}

static enum sf_status
control(struct lab *lab, const struct sf_routing *given,
        struct sf_control_folder *folder,
        const struct sf_control_params *params, struct sf_error *err)
{
    struct sf_routing base = { 0 };
    struct sf_core core = { 0 };
    struct sf_control_switches switches = { &ops, lab, lab->identity };
    enum sf_status status = given ? check_base(lab, given, err)
                                  : find_base(lab, folder, &base, err);

    if (status == SF_OK) {
        status = sf_core_init(&core, given ? given : &base, &lab->addresses,
                              lab->has_alternates ? SF_IP_ALTERNATES_LINKS
                                                  : SF_IP_ALTERNATES_NONE,
                              err);
    }
    if (status == SF_OK) {
        status = sf_control_run(&core, &switches, folder, params, err);
    }
    sf_core_clear(&core);
    sf_network_free(base.network);
    return status;
}

enum sf_status
sf_control_lab(const char *lab_folder, const char *name,
               const struct sf_routing *base,
               const struct sf_control_params *params, struct sf_error *err)
{
    struct lab lab = { .folder = lab_folder ? lab_folder : SF_LAB_FOLDER,
                       .name = name ? name : SF_LAB_NAME };
    struct sf_control_folder folder;
    struct sf_lab *opened;
    char lock[4096];

    /* Nothing is made for a lab that is not there, or by who may not enter
     * it. */
    enum sf_status status =
        sf_lab_open(lab.folder, lab.name, SF_LAB_LOOK, &opened, err);
    if (status == SF_OK) {
        sf_lab_close(opened);
        status = sf_netns_permitted(err);
    }
    if (status != SF_OK) {
        return status;
    }
    snprintf(lock, sizeof lock, "%s/lab-%s/%s", lab.folder, lab.name,
             SF_LAB_CONTROLLER);
    status = sf_control_lock(params, lock, &folder, err);
    if (status != SF_OK) {
        return status;
    }
    status = read_lab(&lab, err);
    if (status == SF_OK) {
        status = open_switches(&lab, err);
    }
    if (status == SF_OK) {
        snprintf(lab.identity, sizeof lab.identity,
                 "lab %s, namespace %llu, made %llu", lab.name,
                 (unsigned long long)lab.inode, (unsigned long long)lab.made);
        status = control(&lab, base, &folder, params, err);
    }
    clear(&lab);
    sf_control_folder_close(&folder);
    return status;
}
