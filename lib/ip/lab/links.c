/* links.c -- which links of a lab carry packets, and where they are sent, as
 * the kernel has it. */
#define _GNU_SOURCE
#include "ip/lab/lab.h"

#include "ip/lab/netns.h"

#include <linux/if.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* Waiting for links: how long at most, and between two looks. */
#define LOOKS      6000
#define PAUSE_NSEC 10000000

struct look {
    const struct sf_node *node;
    bool *runs; /* [n_ports of the node] */
};

static bool
take_link(void *aux, const struct nlmsghdr *message)
{
    struct look *look = aux;
    const struct ifinfomsg *head = sf_netlink_data(message);
    int number = head->ifi_index - SF_LAB_FIRST_INTERFACE;

    if (message->nlmsg_type == RTM_NEWLINK && number >= 1 &&
        (uint32_t)number <= look->node->n_ports) {
        look->runs[number - 1] = (head->ifi_flags & (IFF_UP | IFF_RUNNING)) ==
                                 (IFF_UP | IFF_RUNNING);
    }
    return true;
}

/* Sets 'runs' for the ports of 'node'.  The thread must have left home. */
static enum sf_status
look_links(struct sf_lab *lab, uint32_t node, bool *runs, struct sf_error *err)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    const struct sf_node *of = &fabric->nodes[node];
    struct look look = { of, runs + of->first_port };
    struct sf_netlink nl;

    memset(look.runs, 0, of->n_ports * sizeof *look.runs);
    enum sf_status status = sf_lab_netlink(lab, node, &nl, err);
    if (status == SF_OK) {
        (void)sf_netlink_begin(&nl, RTM_GETLINK, NLM_F_DUMP,
                               sizeof(struct ifinfomsg));
        status = sf_netlink_ask(&nl, take_link, &look, err);
    }
    sf_netlink_close(&nl);
    return status;
}

enum sf_status
sf_lab_look_all_links(struct sf_lab *lab, bool *runs, struct sf_error *err)
{
    struct sf_netns_home home;
    enum sf_status status = sf_netns_leave(&home, err);

    if (status != SF_OK) {
        return status;
    }
    for (uint32_t i = 0; status == SF_OK && i < lab->network->fabric->n_nodes;
         i++) {
        status = look_links(lab, i, runs, err);
    }
    sf_netns_return(&home);
    return status;
}

/* Whether one port has a link that carries packets. */
static enum sf_status
look_at_port(const struct sf_lab *lab, uint32_t port, struct sf_netlink *nl,
             bool *runsp, struct sf_error *err)
{
    const struct sf_port *of = &lab->network->fabric->ports[port];
    const struct sf_node *node = &lab->network->fabric->nodes[of->node];
    bool runs[SF_MAX_PORTS] = { false };
    struct look look = { node, runs };
    struct ifinfomsg *head =
        sf_netlink_begin(nl, RTM_GETLINK, 0, sizeof *head);

    head->ifi_index = SF_LAB_FIRST_INTERFACE + (int)of->number;
    enum sf_status status = sf_netlink_ask(nl, take_link, &look, err);
    *runsp = runs[of->number - 1];
    return status;
}

enum sf_status
sf_lab_await_port(struct sf_lab *lab, uint32_t port, struct sf_netlink *nl,
                  struct sf_error *err)
{
    const struct timespec pause = { 0, PAUSE_NSEC };
    const struct sf_port *of = &lab->network->fabric->ports[port];
    enum sf_status status = SF_OK;
    bool runs = false;

    for (int i = 0; status == SF_OK && !runs && i < LOOKS; i++) {
        if (i) {
            nanosleep(&pause, NULL);
        }
        status = look_at_port(lab, port, nl, &runs, err);
    }
    return status != SF_OK || runs
               ? status
               : sf_fail(err, SF_EIO, "port %u of %s does not come up",
                         of->number, lab->names->names[of->node]);
}

enum sf_status
sf_lab_await_links(struct sf_lab *lab, uint32_t node, struct sf_error *err)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    const struct sf_node *of = &fabric->nodes[node];
    struct sf_netlink nl;
    enum sf_status status = sf_lab_netlink(lab, node, &nl, err);

    for (uint32_t p = of->first_port;
         status == SF_OK && p < of->first_port + of->n_ports; p++) {
        if (fabric->ports[p].peer != SF_NONE) {
            status = sf_lab_await_port(lab, p, &nl, err);
        }
    }
    sf_netlink_close(&nl);
    return status;
}

static bool
take_route(void *aux, const struct nlmsghdr *message)
{
    int *number = aux;
    const struct rtmsg *head = sf_netlink_data(message);
    const struct rtattr *out = sf_netlink_find(message, sizeof *head, RTA_OIF);

    if (message->nlmsg_type == RTM_NEWROUTE && out &&
        head->rtm_type == RTN_UNICAST) {
        memcpy(number, sf_netlink_value(out), sizeof *number);
    }
    return true;
}

enum sf_status
sf_lab_ask_route(struct sf_lab *lab, uint32_t node, struct sf_ip_address to,
                 uint32_t *portp, struct sf_error *err)
{
    int number = 0;
    struct sf_netlink nl;
    enum sf_status status = sf_lab_netlink(lab, node, &nl, err);

    *portp = SF_NONE;
    if (status == SF_OK) {
        struct rtmsg *head =
            sf_netlink_begin(&nl, RTM_GETROUTE, 0, sizeof *head);
        head->rtm_family = to.is_v6 ? AF_INET6 : AF_INET;
        head->rtm_dst_len = to.is_v6 ? 128 : 32;
        sf_netlink_put(&nl, RTA_DST, to.bytes, to.is_v6 ? 16 : 4);
        /* That there is none is an answer. */
        if (sf_netlink_ask(&nl, take_route, &number, NULL) == SF_OK &&
            number > SF_LAB_FIRST_INTERFACE) {
            *portp =
                sf_fabric_port(lab->network->fabric, node,
                               (uint32_t)(number - SF_LAB_FIRST_INTERFACE));
        }
    }
    sf_netlink_close(&nl);
    return status;
}
