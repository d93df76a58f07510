/* faults.c -- links that are taken down and brought back.
 *
 * A veth interface has a carrier while both ends are up, and cannot be told to
 * lose it: so both ends are set down.  The kernel then drops their routes and
 * neighbours, which come back with the link. */
#define _GNU_SOURCE
#include "ip/lab/lab.h"

#include "base/mem.h"
#include "ip/lab/netns.h"

#include <stdlib.h>
#include <string.h>

static enum sf_status
add_link(const struct sf_lab *lab, uint32_t port, struct sf_lab_links *links,
         struct sf_error *err)
{
    uint32_t peer = lab->network->fabric->ports[port].peer;

    for (uint32_t i = 0; i < links->n; i++) {
        if (links->ports[i] == port || links->ports[i] == peer) {
            return SF_OK;
        }
    }
    uint32_t *ports = sf_realloc(links->ports, links->n + 1, sizeof *ports);
    if (!ports) {
        return sf_fail(err, SF_ENOMEM, "the links of a lab");
    }
    ports[links->n++] = port;
    links->ports = ports;
    return SF_OK;
}

/* Adds the links of 'node', to 'other' unless that is SF_NONE; SF_EINVAL if
 * there are none. */
static enum sf_status
add_links(const struct sf_lab *lab, uint32_t node, uint32_t other,
          struct sf_lab_links *links, struct sf_error *err)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    const struct sf_node *of = &fabric->nodes[node];
    enum sf_status status = SF_OK;
    bool has_found = false;

    for (uint32_t p = of->first_port;
         status == SF_OK && p < of->first_port + of->n_ports; p++) {
        uint32_t peer = fabric->ports[p].peer;
        if (peer != SF_NONE &&
            (other == SF_NONE || fabric->ports[peer].node == other)) {
            status = add_link(lab, p, links, err);
            has_found = true;
        }
    }
    return status != SF_OK || has_found
               ? status
               : sf_fail(err, SF_EINVAL, "'%s' has no link to %s", of->name,
                         other == SF_NONE ? "anything"
                                          : fabric->nodes[other].name);
}

static enum sf_status
find_node(const struct sf_lab *lab, const char *name, uint32_t *nodep,
          struct sf_error *err)
{
    *nodep = sf_lab_find(lab, name);
    return *nodep != SF_NONE
               ? SF_OK
               : sf_fail(err, SF_EINVAL, "the lab '%s' has no node '%s'",
                         lab->folder.name, name);
}

/* "NODE:PORT", of which 'colon' is where it says. */
static enum sf_status
find_port(const struct sf_lab *lab, char *word, char *colon,
          struct sf_lab_links *links, struct sf_error *err)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    uint32_t node, port = SF_NONE;

    *colon = '\0';
    enum sf_status status = find_node(lab, word, &node, err);
    if (status == SF_OK) {
        port = sf_fabric_port(fabric, node,
                              sf_lab_port_number(lab, node, colon + 1));
    }
    if (status == SF_OK &&
        (port == SF_NONE || fabric->ports[port].peer == SF_NONE)) {
        status = sf_fail(err, SF_EINVAL,
                         "no cable is plugged into port '%s' of '%s'",
                         colon + 1, word);
    }
    return status == SF_OK ? add_link(lab, port, links, err) : status;
}

static enum sf_status
find_links(const struct sf_lab *lab, char *word, struct sf_lab_links *links,
           struct sf_error *err)
{
    char *dashes = strstr(word, "--"), *colon = strrchr(word, ':');
    uint32_t node, other = SF_NONE;
    enum sf_status status = SF_OK;

    if (sf_lab_find(lab, word) == SF_NONE && colon && !dashes) {
        return find_port(lab, word, colon, links, err);
    }
    if (dashes) {
        *dashes = '\0';
        status = find_node(lab, dashes + 2, &other, err);
    }
    if (status == SF_OK) {
        status = find_node(lab, word, &node, err);
    }
    return status == SF_OK ? add_links(lab, node, other, links, err) : status;
}

enum sf_status
sf_lab_find_links(const struct sf_lab *lab, const char *word,
                  struct sf_lab_links *links, struct sf_error *err)
{
    char *copy = sf_strdup(word);

    if (!copy) {
        return sf_fail(err, SF_ENOMEM, "the links of a lab");
    }
    enum sf_status status = find_links(lab, copy, links, err);
    free(copy);
    return status;
}

void
sf_lab_links_clear(struct sf_lab_links *links)
{
    free(links->ports);
    *links = (struct sf_lab_links){ 0 };
}

enum sf_status
sf_lab_find_down(struct sf_lab *lab, struct sf_lab_links *links,
                 struct sf_error *err)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    bool *runs = sf_calloc(fabric->n_ports, sizeof *runs);

    *links = (struct sf_lab_links){ 0 };
    if (!runs) {
        return sf_fail(err, SF_ENOMEM, "the ports of a lab");
    }
    enum sf_status status = sf_lab_open_spaces(lab, err);
    if (status == SF_OK) {
        status = sf_lab_look_all_links(lab, runs, err);
    }
    for (uint32_t p = 0; status == SF_OK && p < fabric->n_ports; p++) {
        uint32_t peer = fabric->ports[p].peer;
        if (peer != SF_NONE && peer > p && !(runs[p] && runs[peer])) {
            status = add_link(lab, p, links, err);
        }
    }
    free(runs);
    if (status != SF_OK) {
        sf_lab_links_clear(links);
    }
    return status;
}

/* What is done at one end of a link. */
typedef enum sf_status at_end(struct sf_lab *lab, uint32_t port,
                              struct sf_netlink *nl, struct sf_error *err);

static enum sf_status
set_down(struct sf_lab *lab, uint32_t port, struct sf_netlink *nl,
         struct sf_error *err)
{
    return sf_lab_put_flags(lab, port, false, nl, err);
}

static enum sf_status
set_up(struct sf_lab *lab, uint32_t port, struct sf_netlink *nl,
       struct sf_error *err)
{
    return sf_lab_put_flags(lab, port, true, nl, err);
}

static enum sf_status
add_routes(struct sf_lab *lab, uint32_t port, struct sf_netlink *nl,
           struct sf_error *err)
{
    uint32_t node = lab->network->fabric->ports[port].node;

    nl->passed_over = SF_NETLINK_EXISTS;
    return sf_lab_put_routes(lab, node, port, nl, err);
}

/* The same beside a controller, which writes the routes of switches.  What the
 * lab notes is of the network without the link: it would be wrong by now. */
static enum sf_status
add_hosts_routes(struct sf_lab *lab, uint32_t port, struct sf_netlink *nl,
                 struct sf_error *err)
{
    uint32_t node = lab->network->fabric->ports[port].node;

    if (node >= lab->network->fabric->n_switches) {
        return add_routes(lab, port, nl, err);
    }
    nl->passed_over = SF_NETLINK_EXISTS;
    return sf_lab_put_peer(lab, node, port, nl, err);
}

static enum sf_status
run_at(struct sf_lab *lab, uint32_t port, at_end *run, struct sf_error *err)
{
    struct sf_netlink nl;
    enum sf_status status =
        sf_lab_netlink(lab, lab->network->fabric->ports[port].node, &nl, err);

    if (status == SF_OK) {
        status = run(lab, port, &nl, err);
    }
    if (status == SF_OK) {
        status = sf_netlink_flush(&nl, err);
    }
    sf_netlink_close(&nl);
    return status;
}

/* Does 'steps', ended by NULL, one after the other at both ends of all
 * links. */
static enum sf_status
run_steps(struct sf_lab *lab, const struct sf_lab_links *links,
          at_end *const *steps, struct sf_error *err)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    struct sf_netns_home home;
    enum sf_status status = sf_lab_open_spaces(lab, err);

    if (status == SF_OK) {
        status = sf_netns_leave(&home, err);
    }
    if (status != SF_OK) {
        return status;
    }
    for (; status == SF_OK && *steps; steps++) {
        for (uint32_t i = 0; status == SF_OK && i < 2 * links->n; i++) {
            uint32_t port = links->ports[i / 2];
            status = run_at(lab, i % 2 ? fabric->ports[port].peer : port,
                            *steps, err);
        }
    }
    sf_netns_return(&home);
    return status;
}

enum sf_status
sf_lab_fail(struct sf_lab *lab, const struct sf_lab_links *links,
            struct sf_error *err)
{
    at_end *const steps[] = { set_down, NULL };

    return run_steps(lab, links, steps, err);
}

enum sf_status
sf_lab_restore(struct sf_lab *lab, const struct sf_lab_links *links,
               struct sf_error *err)
{
    at_end *const steps[] = { set_up,
                              sf_lab_is_controlled(&lab->folder)
                                  ? add_hosts_routes
                                  : add_routes,
                              sf_lab_await_port, NULL };

    return run_steps(lab, links, steps, err);
}
