/* config.c -- links, addresses, routes and rates as requests to the kernel.
 *
 * Links have no addresses.  A switch has its loopback address, and names
 * neighbours as next hops by theirs; who has which MAC address is known and
 * written down for good, so that nobody asks by broadcast and no table of
 * neighbours overflows. */
#define _GNU_SOURCE
#include "ip/lab/lab.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_ether.h>
#include <linux/pkt_sched.h>
#include <linux/veth.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A packet on the wire at the usual MTU of 1500. */
#define FULL_PACKET 1514

/* What waits for a shaped link: time, and at least so many packets.  Less, and
 * TCP cannot keep the link busy; more, and it waits for seconds. */
#define QUEUE_SECONDS .02
#define QUEUE_PACKETS 24
#define BURST_SECONDS .001
#define BURST_PACKETS 2

/* Writes 'value' to a setting below /proc/sys/net; one that this kernel does
 * not have is passed over. */
static enum sf_status
write_setting(const char *path, const char *value, struct sf_error *err)
{
    char full[128];
    ssize_t n = -1;

    snprintf(full, sizeof full, "/proc/sys/net/%s", path);
    int fd = open(full, O_WRONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        return SF_OK;
    }
    if (fd >= 0) {
        n = write(fd, value, strlen(value));
    }
    int code = errno;
    if (fd >= 0) {
        close(fd);
    }
    return n >= 0 ? SF_OK
                  : sf_fail(err, SF_EIO, "%s cannot be set to %s: %s", full,
                            value, strerror(code));
}

enum sf_status
sf_lab_put_settings(const struct sf_lab *lab, struct sf_error *err)
{
    /* The limits of ICMP are lifted by type: that holds for the limit of the
     * machine, too, which older kernels do not keep by namespace. */
    static const char *const common[][2] = {
        { "ipv4/ip_forward", "1" },
        { "ipv4/icmp_ratemask", "0" },
        { "ipv4/conf/all/rp_filter", "0" },
        { "ipv4/conf/default/rp_filter", "0" },
        { "ipv4/conf/all/send_redirects", "0" },
        { "ipv4/conf/default/send_redirects", "0" },
        { "ipv4/conf/all/ignore_routes_with_linkdown", "1" },
        { "ipv4/conf/default/ignore_routes_with_linkdown", "1" },
    };
    static const char *const v6[][2] = {
        { "ipv6/conf/all/forwarding", "1" },
        { "ipv6/conf/default/accept_dad", "0" },
        { "ipv6/icmp/ratemask", "0" },
        { "ipv6/conf/all/ignore_routes_with_linkdown", "1" },
        { "ipv6/conf/default/ignore_routes_with_linkdown", "1" },
    };
    static const char *const no_v6[][2] = {
        { "ipv6/conf/all/disable_ipv6", "1" },
        { "ipv6/conf/default/disable_ipv6", "1" },
    };
    bool is_v6 = lab->tables->addresses.prefix.address.is_v6;
    const char *const(*more)[2] = is_v6 ? v6 : no_v6;
    size_t n_more =
        is_v6 ? sizeof v6 / sizeof *v6 : sizeof no_v6 / sizeof *no_v6;
    enum sf_status status = SF_OK;

    for (size_t i = 0; status == SF_OK && i < sizeof common / sizeof *common;
         i++) {
        status = write_setting(common[i][0], common[i][1], err);
    }
    for (size_t i = 0; status == SF_OK && i < n_more; i++) {
        status = write_setting(more[i][0], more[i][1], err);
    }
    return status;
}

static const struct sf_ip_addresses *
plan_of(const struct sf_lab *lab)
{
    return &lab->tables->addresses;
}

static bool
is_switch(const struct sf_lab *lab, uint32_t node)
{
    return lab->network->fabric->nodes[node].kind == SF_NODE_SWITCH;
}

/* The number of the interface of a port. */
static int
number_of(const struct sf_lab *lab, uint32_t port)
{
    return SF_LAB_FIRST_INTERFACE +
           (int)lab->network->fabric->ports[port].number;
}

static void
put_address(struct sf_netlink *nl, uint16_t type, struct sf_ip_address address)
{
    sf_netlink_put(nl, type, address.bytes, address.is_v6 ? 16 : 4);
}

static uint8_t
family_of(struct sf_ip_address address)
{
    return address.is_v6 ? AF_INET6 : AF_INET;
}

static uint8_t
bits_of(struct sf_ip_address address)
{
    return address.is_v6 ? 128 : 32;
}

/* The MAC address of a port: that of the place, or of what is plugged in
 * there. */
static void
put_mac(const struct sf_lab *lab, uint32_t port, struct sf_netlink *nl,
        uint16_t type)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    const struct sf_port *of = &fabric->ports[port];
    bool is_host = !is_switch(lab, of->node);
    const struct sf_port *at = is_host ? &fabric->ports[of->peer] : of;
    struct sf_ip_place place = { 0, at->node, at->number };
    struct sf_ip_text text = sf_ip_mac_text(place, is_host);
    unsigned parts[ETH_ALEN] = { 0 };
    uint8_t bytes[ETH_ALEN];

    (void)sscanf(text.text, "%x:%x:%x:%x:%x:%x", &parts[0], &parts[1],
                 &parts[2], &parts[3], &parts[4], &parts[5]);
    for (size_t i = 0; i < ETH_ALEN; i++) {
        bytes[i] = (uint8_t)parts[i];
    }
    sf_netlink_put(nl, type, bytes, sizeof bytes);
}

static enum sf_status
put_own_address(struct sf_netlink *nl, int interface,
                struct sf_ip_address address, uint8_t length,
                struct sf_error *err)
{
    struct ifaddrmsg *head = sf_netlink_begin(
        nl, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, sizeof *head);

    head->ifa_family = family_of(address);
    head->ifa_prefixlen = length;
    head->ifa_index = (unsigned)interface;
    head->ifa_flags = address.is_v6 ? IFA_F_NODAD : 0;
    put_address(nl, IFA_LOCAL, address);
    put_address(nl, IFA_ADDRESS, address);
    return sf_netlink_end(nl, err);
}

enum sf_status
sf_lab_put_flags(const struct sf_lab *lab, uint32_t port, bool is_up,
                 struct sf_netlink *nl, struct sf_error *err)
{
    struct ifinfomsg *head =
        sf_netlink_begin(nl, RTM_NEWLINK, 0, sizeof *head);

    head->ifi_index = port == SF_NONE ? 1 : number_of(lab, port);
    head->ifi_change = IFF_UP;
    head->ifi_flags = is_up ? IFF_UP : 0;
    return sf_netlink_end(nl, err);
}

enum sf_status
sf_lab_put_loopback(const struct sf_lab *lab, uint32_t node,
                    struct sf_netlink *nl, struct sf_error *err)
{
    enum sf_status status = sf_lab_put_flags(lab, SF_NONE, true, nl, err);

    for (uint32_t l = 0;
         status == SF_OK && is_switch(lab, node) && l < plan_of(lab)->n_layers;
         l++) {
        struct sf_ip_address own =
            sf_ip_port_address(plan_of(lab), l, node, 0);
        status = put_own_address(nl, 1, own, bits_of(own), err);
    }
    return status;
}

/* One end of a cable: what both ends of a veth pair have. */
static void
put_end(const struct sf_lab *lab, uint32_t port, struct ifinfomsg *head,
        struct sf_netlink *nl)
{
    const struct sf_port *of = &lab->network->fabric->ports[port];
    char name[SF_LAB_PORT_SIZE];

    sf_lab_interface(lab, port, name);
    head->ifi_index = number_of(lab, port);
    sf_netlink_put_text(nl, IFLA_IFNAME, name);
    sf_netlink_put_u32(nl, IFLA_NET_NS_FD, (uint32_t)lab->spaces[of->node]);
    sf_netlink_put_u32(nl, IFLA_NUM_TX_QUEUES, 1);
    sf_netlink_put_u32(nl, IFLA_NUM_RX_QUEUES, 1);
    put_mac(lab, port, nl, IFLA_ADDRESS);
}

static enum sf_status
put_cable(const struct sf_lab *lab, uint32_t port, struct sf_netlink *nl,
          struct sf_error *err)
{
    struct ifinfomsg *head = sf_netlink_begin(
        nl, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof *head);

    put_end(lab, port, head, nl);
    size_t info = sf_netlink_nest(nl, IFLA_LINKINFO);
    sf_netlink_put_text(nl, IFLA_INFO_KIND, "veth");
    size_t data = sf_netlink_nest(nl, IFLA_INFO_DATA);
    size_t peer = sf_netlink_nest(nl, VETH_INFO_PEER);
    put_end(lab, lab->network->fabric->ports[port].peer,
            sf_netlink_reserve(nl, sizeof *head), nl);
    sf_netlink_end_nest(nl, peer);
    sf_netlink_end_nest(nl, data);
    sf_netlink_end_nest(nl, info);
    return sf_netlink_end(nl, err);
}

enum sf_status
sf_lab_put_cables(const struct sf_lab *lab, uint32_t node,
                  struct sf_netlink *nl, struct sf_error *err)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    const struct sf_node *of = &fabric->nodes[node];
    enum sf_status status = SF_OK;

    for (uint32_t p = of->first_port;
         status == SF_OK && p < of->first_port + of->n_ports; p++) {
        uint32_t peer = fabric->ports[p].peer;
        if (peer != SF_NONE && peer > p) {
            status = put_cable(lab, p, nl, err);
        }
    }
    return status;
}

/* Whether the port is one of 'wanted', SF_NONE for all, and plugged in. */
static bool
is_wanted(const struct sf_lab *lab, uint32_t port, uint32_t wanted)
{
    return (wanted == SF_NONE || wanted == port) &&
           lab->network->fabric->ports[port].peer != SF_NONE;
}

/* A token bucket on what leaves by 'port'.  Without a name for the link layer
 * the kernel would want a table of times as well. */
static enum sf_status
put_bucket(const struct sf_lab *lab, uint32_t port, double rate,
           struct sf_netlink *nl, struct sf_error *err)
{
    double bytes = rate / 8;
    double limit = bytes * QUEUE_SECONDS, burst = bytes * BURST_SECONDS;
    struct tc_tbf_qopt options = { .rate = { .linklayer =
                                                 TC_LINKLAYER_ETHERNET } };
    uint64_t rate64 = (uint64_t)bytes;
    struct tcmsg *head = sf_netlink_begin(
        nl, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE, sizeof *head);

    head->tcm_ifindex = number_of(lab, port);
    head->tcm_handle = 1 << 16;
    head->tcm_parent = TC_H_ROOT;
    options.rate.rate = rate64 > UINT32_MAX ? UINT32_MAX : (uint32_t)rate64;
    options.limit = limit < QUEUE_PACKETS * FULL_PACKET
                        ? QUEUE_PACKETS * FULL_PACKET
                        : (uint32_t)limit;
    sf_netlink_put_text(nl, TCA_KIND, "tbf");
    size_t nest = sf_netlink_nest(nl, TCA_OPTIONS);
    sf_netlink_put(nl, TCA_TBF_PARMS, &options, sizeof options);
    if (rate64 > UINT32_MAX) {
        sf_netlink_put(nl, TCA_TBF_RATE64, &rate64, sizeof rate64);
    }
    sf_netlink_put_u32(nl, TCA_TBF_BURST,
                       burst < BURST_PACKETS * FULL_PACKET
                           ? BURST_PACKETS * FULL_PACKET
                           : (uint32_t)burst);
    sf_netlink_end_nest(nl, nest);
    return sf_netlink_end(nl, err);
}

enum sf_status
sf_lab_put_up(const struct sf_lab *lab, uint32_t node, struct sf_netlink *nl,
              struct sf_error *err)
{
    const struct sf_node *of = &lab->network->fabric->nodes[node];
    enum sf_status status = SF_OK;

    for (uint32_t p = of->first_port;
         status == SF_OK && p < of->first_port + of->n_ports; p++) {
        if (is_wanted(lab, p, SF_NONE)) {
            status = sf_lab_put_flags(lab, p, true, nl, err);
        }
    }
    return status;
}

enum sf_status
sf_lab_put_rate(const struct sf_lab *lab, uint32_t node, uint32_t port,
                struct sf_netlink *nl, struct sf_error *err)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    const struct sf_node *of = &fabric->nodes[node];
    enum sf_status status = SF_OK;

    for (uint32_t p = of->first_port;
         status == SF_OK && p < of->first_port + of->n_ports; p++) {
        if (!is_wanted(lab, p, port)) {
            continue;
        }
        uint32_t other = fabric->ports[fabric->ports[p].peer].node;
        bool is_link = is_switch(lab, node) && is_switch(lab, other);
        double rate = is_link ? lab->link_rate : lab->host_rate;
        if (rate > 0) {
            status = put_bucket(lab, p, rate, nl, err);
        }
    }
    return status;
}

static enum sf_status
put_neighbour(const struct sf_lab *lab, uint32_t port,
              struct sf_ip_address address, struct sf_netlink *nl,
              struct sf_error *err)
{
    struct ndmsg *head = sf_netlink_begin(
        nl, RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, sizeof *head);

    head->ndm_family = family_of(address);
    head->ndm_ifindex = number_of(lab, port);
    head->ndm_state = NUD_PERMANENT;
    put_address(nl, NDA_DST, address);
    put_mac(lab, lab->network->fabric->ports[port].peer, nl, NDA_LLADDR);
    return sf_netlink_end(nl, err);
}

/* Where a route leads: a gateway or none, over a port or none, and what the
 * sender's address is or not. */
struct way {
    uint32_t port; /* SF_NONE: unreachable. */
    const struct sf_ip_address *gateway, *source;
    uint32_t metric;
};

static enum sf_status
put_route(const struct sf_lab *lab, struct sf_ip_prefix to,
          const struct way *way, struct sf_netlink *nl, struct sf_error *err)
{
    struct rtmsg *head = sf_netlink_begin(
        nl, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, sizeof *head);

    head->rtm_family = family_of(to.address);
    head->rtm_dst_len = to.length;
    head->rtm_table = RT_TABLE_MAIN;
    head->rtm_protocol = RTPROT_STATIC;
    head->rtm_scope = way->port != SF_NONE && !way->gateway
                          ? RT_SCOPE_LINK
                          : RT_SCOPE_UNIVERSE;
    head->rtm_type = way->port == SF_NONE ? RTN_UNREACHABLE : RTN_UNICAST;
    head->rtm_flags = way->gateway ? RTNH_F_ONLINK : 0;
    put_address(nl, RTA_DST, to.address);
    sf_netlink_put_u32(nl, RTA_PRIORITY, way->metric);
    if (way->port != SF_NONE) {
        sf_netlink_put_u32(nl, RTA_OIF, (uint32_t)number_of(lab, way->port));
    }
    if (way->gateway) {
        put_address(nl, RTA_GATEWAY, *way->gateway);
    }
    if (way->source) {
        put_address(nl, RTA_PREFSRC, *way->source);
    }
    return sf_netlink_end(nl, err);
}

/* With IPv6 each port of a switch has the address that neighbours name. */
static enum sf_status
put_link_local(const struct sf_lab *lab, uint32_t s, uint32_t port,
               struct sf_netlink *nl, struct sf_error *err)
{
    struct sf_ip_address own = sf_ip_next_hop(plan_of(lab), s);

    return own.is_v6 ? put_own_address(nl, number_of(lab, port), own, 64, err)
                     : SF_OK;
}

enum sf_status
sf_lab_put_peer(const struct sf_lab *lab, uint32_t s, uint32_t port,
                struct sf_netlink *nl, struct sf_error *err)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    uint32_t other = fabric->ports[fabric->ports[port].peer].node;
    uint32_t number = fabric->ports[port].number;
    enum sf_status status = put_link_local(lab, s, port, nl, err);

    if (status == SF_OK && is_switch(lab, other)) {
        return put_neighbour(lab, port, sf_ip_next_hop(plan_of(lab), other),
                             nl, err);
    }
    for (uint32_t l = 0; status == SF_OK && l < plan_of(lab)->n_layers; l++) {
        status = put_neighbour(lab, port,
                               sf_ip_port_address(plan_of(lab), l, s, number),
                               nl, err);
    }
    return status;
}

static enum sf_status
put_switch_routes(const struct sf_lab *lab, uint32_t s, uint32_t port,
                  struct sf_netlink *nl, struct sf_error *err)
{
    const struct sf_ip_tables *tables = lab->tables;
    const struct sf_node *of = &lab->network->fabric->nodes[s];
    enum sf_status status = SF_OK;

    for (uint32_t p = of->first_port;
         status == SF_OK && p < of->first_port + of->n_ports; p++) {
        if (is_wanted(lab, p, port)) {
            status = sf_lab_put_peer(lab, s, p, nl, err);
        }
    }
    for (size_t i = tables->first[s];
         status == SF_OK && i < tables->first[s + 1]; i++) {
        const struct sf_ip_route *route = &tables->routes[i];
        struct sf_ip_address gateway;
        struct way way = { .port = SF_NONE,
                           .metric = sf_ip_metric(route->kind) };
        if (route->out) {
            way.port = of->first_port + route->out - 1;
        }
        if (route->neighbour != SF_NONE) {
            gateway = sf_ip_next_hop(plan_of(lab), route->neighbour);
            way.gateway = &gateway;
        }
        if (port == SF_NONE || port == way.port) {
            status = put_route(lab, sf_ip_destination(tables, route), &way, nl,
                               err);
        }
    }
    return status;
}

/* The addresses of a host behind one of its ports, and its way out: a route
 * for each layer, so that the address of the receiver chooses that of the
 * sender, too. */
static enum sf_status
put_host_port(const struct sf_lab *lab, uint32_t port, struct sf_netlink *nl,
              struct sf_error *err)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    const struct sf_port *at = &fabric->ports[fabric->ports[port].peer];
    struct sf_ip_address gateway = sf_ip_next_hop(plan_of(lab), at->node);
    enum sf_status status = put_neighbour(lab, port, gateway, nl, err);

    for (uint32_t l = 0; status == SF_OK && l < plan_of(lab)->n_layers; l++) {
        struct sf_ip_address own =
            sf_ip_port_address(plan_of(lab), l, at->node, at->number);
        struct way way = { port, &gateway, &own,
                           SF_IP_METRIC + fabric->ports[port].number - 1 };
        status =
            put_own_address(nl, number_of(lab, port), own, bits_of(own), err);
        if (status == SF_OK) {
            status = put_route(lab, sf_ip_layer_prefix(plan_of(lab), l), &way,
                               nl, err);
        }
    }
    return status;
}

enum sf_status
sf_lab_put_routes(const struct sf_lab *lab, uint32_t node, uint32_t port,
                  struct sf_netlink *nl, struct sf_error *err)
{
    const struct sf_node *of = &lab->network->fabric->nodes[node];
    enum sf_status status = SF_OK;

    if (is_switch(lab, node)) {
        return put_switch_routes(lab, node, port, nl, err);
    }
    for (uint32_t p = of->first_port;
         status == SF_OK && p < of->first_port + of->n_ports; p++) {
        if (is_wanted(lab, p, port)) {
            status = put_host_port(lab, p, nl, err);
        }
    }
    return status;
}
