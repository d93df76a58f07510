/* mptcp.c -- the addresses that MPTCP may use.
 *
 * A host tells its addresses of the layers above 0 to whoever connects to it
 * by its first one.  The other side then adds a subflow to each, and as its
 * routes name the sender's address of the same layer, each subflow has a
 * layer of its own. */
#define _GNU_SOURCE
#include "ip/lab/lab.h"

#include <linux/genetlink.h>
#include <linux/mptcp.h>
#include <string.h>
#include <sys/socket.h>

#define MOST_ENDPOINTS 8 /* Of the kernel, addresses and subflows. */

static void *
begin(struct sf_netlink *nl, uint16_t family, uint8_t command, uint8_t version)
{
    struct genlmsghdr *head = sf_netlink_begin(nl, family, 0, sizeof *head);

    head->cmd = command;
    head->version = version;
    return head;
}

static bool
take_family(void *aux, const struct nlmsghdr *message)
{
    uint16_t *family = aux;
    const struct rtattr *id = sf_netlink_find(
        message, sizeof(struct genlmsghdr), CTRL_ATTR_FAMILY_ID);

    if (message->nlmsg_type == GENL_ID_CTRL && id) {
        memcpy(family, sf_netlink_value(id), sizeof *family);
    }
    return true;
}

/* The number of the kernel's path manager; 0: it has none. */
static uint16_t
find_family(struct sf_netlink *nl)
{
    uint16_t family = 0;

    begin(nl, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
    sf_netlink_put_text(nl, CTRL_ATTR_FAMILY_NAME, MPTCP_PM_NAME);
    (void)sf_netlink_ask(nl, take_family, &family, NULL);
    return family;
}

static enum sf_status
put_endpoint(struct sf_netlink *nl, uint16_t family,
             struct sf_ip_address address, struct sf_error *err)
{
    uint16_t inet = address.is_v6 ? AF_INET6 : AF_INET;

    begin(nl, family, MPTCP_PM_CMD_ADD_ADDR, MPTCP_PM_VER);
    size_t nest = sf_netlink_nest(nl, NLA_F_NESTED | MPTCP_PM_ATTR_ADDR);
    sf_netlink_put(nl, MPTCP_PM_ADDR_ATTR_FAMILY, &inet, sizeof inet);
    sf_netlink_put(nl,
                   address.is_v6 ? MPTCP_PM_ADDR_ATTR_ADDR6
                                 : MPTCP_PM_ADDR_ATTR_ADDR4,
                   address.bytes, address.is_v6 ? 16 : 4);
    sf_netlink_put_u32(nl, MPTCP_PM_ADDR_ATTR_FLAGS,
                       MPTCP_PM_ADDR_FLAG_SIGNAL);
    sf_netlink_end_nest(nl, nest);
    return sf_netlink_end(nl, err);
}

static enum sf_status
put_limits(struct sf_netlink *nl, uint16_t family, struct sf_error *err)
{
    begin(nl, family, MPTCP_PM_CMD_SET_LIMITS, MPTCP_PM_VER);
    sf_netlink_put_u32(nl, MPTCP_PM_ATTR_RCV_ADD_ADDRS, MOST_ENDPOINTS);
    sf_netlink_put_u32(nl, MPTCP_PM_ATTR_SUBFLOWS, MOST_ENDPOINTS);
    return sf_netlink_end(nl, err);
}

/* The endpoints of a port of a host, one a layer above 0. */
static enum sf_status
put_port(const struct sf_lab *lab, uint32_t port, uint16_t family,
         struct sf_netlink *nl, struct sf_error *err)
{
    const struct sf_ip_addresses *plan = &lab->tables->addresses;
    const struct sf_fabric *fabric = lab->network->fabric;
    const struct sf_port *at = &fabric->ports[fabric->ports[port].peer];
    enum sf_status status = SF_OK;

    for (uint32_t l = 1;
         status == SF_OK && l < plan->n_layers && l <= MOST_ENDPOINTS; l++) {
        status = put_endpoint(
            nl, family, sf_ip_port_address(plan, l, at->node, at->number),
            err);
    }
    return status;
}

enum sf_status
sf_lab_put_endpoints(const struct sf_lab *lab, uint32_t node,
                     struct sf_netlink *nl, struct sf_error *err)
{
    const struct sf_node *of = &lab->network->fabric->nodes[node];
    uint32_t port = of->first_port;
    enum sf_status status =
        sf_netlink_open(nl, NETLINK_GENERIC, lab->names->names[node], err);
    uint16_t family = status == SF_OK ? find_family(nl) : 0;

    while (port < of->first_port + of->n_ports &&
           lab->network->fabric->ports[port].peer == SF_NONE) {
        port++;
    }
    if (family && port < of->first_port + of->n_ports) {
        status = put_limits(nl, family, err);
        if (status == SF_OK) {
            status = put_port(lab, port, family, nl, err);
        }
        if (status == SF_OK) {
            status = sf_netlink_flush(nl, err);
        }
    }
    sf_netlink_close(nl);
    return status;
}
