/* up.c -- brings a lab up: namespaces, then cables, then what goes into
 * each.
 *
 * All requests are written to netlink sockets inside of the namespaces, in
 * batches.  A program such as 'ip -batch' for each namespace does the same and
 * takes longer, as each start of it costs milliseconds; both ends of a cable
 * are made where they belong, and never seen outside. */
#define _GNU_SOURCE
#include "ip/lab/lab.h"

#include "base/mem.h"
#include "ip/lab/netns.h"
#include "slimfly/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct builder {
    struct sf_lab *lab;
    bool (*is_cancelled)(void);
    FILE *notes;
    struct sf_netlink nl;
};

static enum sf_status
check_cancelled(const struct builder *builder, struct sf_error *err)
{
    return builder->is_cancelled && builder->is_cancelled()
               ? sf_fail(err, SF_EIO, "interrupted")
               : SF_OK;
}

/* What can be refused is refused before anything is made. */
static enum sf_status
check_names(struct sf_lab *lab, struct sf_error *err)
{
    char name[SF_LAB_NAMESPACE_SIZE];

    for (uint32_t i = 0; i < lab->network->fabric->n_nodes; i++) {
        sf_lab_namespace(lab, i, name);
        int fd = sf_netns_open(name, NULL);
        if (fd >= 0) {
            close(fd);
            return sf_fail(err, SF_EINVAL,
                           "there is a network namespace %s already, and no "
                           "lab made it; choose another name with --name",
                           name);
        }
    }
    return SF_OK;
}

static enum sf_status
fail_notes(const struct builder *builder, struct sf_error *err)
{
    return sf_fail(err, SF_EIO, "%s/%s: %s", builder->lab->folder.path,
                   SF_LAB_SPACES, strerror(errno));
}

/* Notes all names before the first namespace is made. */
static enum sf_status
note_names(struct builder *builder, struct sf_error *err)
{
    struct sf_lab *lab = builder->lab;
    char name[SF_LAB_NAMESPACE_SIZE];
    char *path = sf_lab_folder_path(&lab->folder, SF_LAB_SPACES);

    builder->notes = path ? fopen(path, "we") : NULL;
    free(path);
    if (!builder->notes) {
        return fail_notes(builder, err);
    }
    for (uint32_t i = 0; i < lab->network->fabric->n_nodes; i++) {
        sf_lab_namespace(lab, i, name);
        fprintf(builder->notes, "%s\n", name);
    }
    return fflush(builder->notes) ? fail_notes(builder, err) : SF_OK;
}

/* Makes the namespace of a node, with its settings and loopback interface. */
static enum sf_status
make_node(struct builder *builder, uint32_t node, struct sf_error *err)
{
    struct sf_lab *lab = builder->lab;
    char name[SF_LAB_NAMESPACE_SIZE];
    uint64_t inode = 0;

    sf_lab_namespace(lab, node, name);
    enum sf_status status =
        sf_netns_make(name, &lab->spaces[node], &inode, err);
    if (status != SF_OK) {
        return status;
    }
    fprintf(builder->notes, "%s %llu\n", name, (unsigned long long)inode);
    if (fflush(builder->notes)) {
        return fail_notes(builder, err);
    }
    status = sf_lab_put_settings(lab, err);
    if (status == SF_OK) {
        status = sf_netlink_open(&builder->nl, NETLINK_ROUTE, name, err);
    }
    if (status == SF_OK) {
        status = sf_lab_put_mark(lab, &builder->nl, err);
    }
    if (status == SF_OK) {
        status = sf_lab_put_loopback(lab, node, &builder->nl, err);
    }
    if (status == SF_OK) {
        status = sf_netlink_flush(&builder->nl, err);
    }
    sf_netlink_close(&builder->nl);
    return status;
}

static enum sf_status
make_cables(struct builder *builder, uint32_t node, struct sf_error *err)
{
    enum sf_status status =
        sf_lab_netlink(builder->lab, node, &builder->nl, err);

    if (status == SF_OK) {
        status = sf_lab_put_cables(builder->lab, node, &builder->nl, err);
    }
    if (status == SF_OK) {
        status = sf_netlink_flush(&builder->nl, err);
    }
    sf_netlink_close(&builder->nl);
    return status;
}

/* Interfaces come up before there are routes: a route over one that has no
 * carrier yet would wait for the kernel to notice that it has. */
static enum sf_status
raise_node(struct builder *builder, uint32_t node, struct sf_error *err)
{
    struct sf_lab *lab = builder->lab;
    enum sf_status status = sf_lab_netlink(lab, node, &builder->nl, err);

    if (status == SF_OK) {
        status = sf_lab_put_rate(lab, node, SF_NONE, &builder->nl, err);
    }
    if (status == SF_OK) {
        status = sf_lab_put_up(lab, node, &builder->nl, err);
    }
    if (status == SF_OK) {
        status = sf_netlink_flush(&builder->nl, err);
    }
    sf_netlink_close(&builder->nl);
    return status;
}

static enum sf_status
await_node(struct builder *builder, uint32_t node, struct sf_error *err)
{
    return sf_lab_await_links(builder->lab, node, err);
}

static enum sf_status
fill_node(struct builder *builder, uint32_t node, struct sf_error *err)
{
    struct sf_lab *lab = builder->lab;
    enum sf_status status = sf_lab_netlink(lab, node, &builder->nl, err);

    if (status == SF_OK) {
        status = sf_lab_put_routes(lab, node, SF_NONE, &builder->nl, err);
    }
    if (status == SF_OK) {
        status = sf_netlink_flush(&builder->nl, err);
    }
    sf_netlink_close(&builder->nl);
    if (status == SF_OK && node >= lab->network->fabric->n_switches) {
        status = sf_lab_put_endpoints(lab, node, &builder->nl, err);
    }
    return status;
}

/* The steps that go over all nodes, one after the other. */
static const struct step {
    const char *what;
    enum sf_status (*run)(struct builder *builder, uint32_t node,
                          struct sf_error *err);
} steps[] = {
    { "making namespaces", make_node },
    { "plugging cables", make_cables },
    { "setting interfaces up", raise_node },
    { "setting routes", fill_node },
    { "waiting for links", await_node },
};

static enum sf_status
run_steps(struct builder *builder, struct sf_error *err)
{
    uint32_t n_nodes = builder->lab->network->fabric->n_nodes;
    enum sf_status status = SF_OK;

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        for (uint32_t node = 0; status == SF_OK && node < n_nodes; node++) {
            sf_progress_report(steps[i].what, node, n_nodes);
            status = check_cancelled(builder, err);
            if (status == SF_OK) {
                status = steps[i].run(builder, node, err);
            }
        }
    }
    return status;
}

static enum sf_status
build(struct builder *builder, struct sf_error *err)
{
    struct sf_lab *lab = builder->lab;
    struct sf_netns_home home;
    enum sf_status status = check_names(lab, err);

    if (status == SF_OK) {
        status = sf_lab_need_files(lab->network->fabric->n_nodes, err);
    }
    if (status == SF_OK) {
        status = sf_netns_prepare(err);
    }
    if (status == SF_OK) {
        status = note_names(builder, err);
    }
    if (status == SF_OK) {
        status = sf_netns_leave(&home, err);
    }
    if (status == SF_OK) {
        status = run_steps(builder, err);
        sf_netns_return(&home);
    }
    if (builder->notes) {
        fclose(builder->notes);
    }
    if (status == SF_OK) {
        status = sf_lab_write_hosts(lab, err);
    }
    return status == SF_OK ? sf_lab_state_write(lab, err) : status;
}

static enum sf_status
prepare(struct sf_lab *lab, const struct sf_lab_params *params,
        const struct sf_network *network, const struct sf_routes *routes,
        struct sf_error *err)
{
    struct sf_ip_params plan = params->addresses;
    struct sf_ip_addresses addresses;

    plan.n_layers = routes->n_addresses;
    lab->link_rate = params->link_rate;
    lab->host_rate = params->host_rate;
    lab->has_alternates = !params->without_alternates;
    enum sf_status status =
        sf_ip_plan_addresses(network->fabric, &plan, &addresses, err);
    if (status == SF_OK) {
        status = sf_network_copy(network, &lab->network, err);
    }
    if (status == SF_OK) {
        status = sf_lab_read_rules(lab, params->switch_ports,
                                   params->host_ports, err);
    }
    if (status == SF_OK) {
        status = sf_routes_copy(network, routes, &lab->routes, err);
    }
    return status == SF_OK ? sf_lab_complete(lab, &addresses, err) : status;
}

/* Removes what was made before something went wrong. */
static void
give_up(struct sf_lab *lab, const struct sf_lab_params *params)
{
    char *path = lab->folder.path;
    struct sf_lab_removed removed;

    lab->folder.path = NULL;
    sf_lab_folder_close(&lab->folder);
    (void)sf_lab_down(params->folder, params->name, &removed, NULL);
    free(path);
}

/* Refuses a name of which namespaces are left. */
static enum sf_status
check_lost(const char *name, struct sf_error *err)
{
    struct sf_lab_spaces spaces = { 0 };
    enum sf_status status = sf_lab_find_marked(name, NULL, &spaces, NULL, err);

    if (status == SF_OK && spaces.n) {
        status = sf_fail(err, SF_EINVAL,
                         "there was a lab '%s' whose folder is gone; 'slimfly "
                         "lab down --name %s' removes what is left of it",
                         name, name);
    }
    sf_lab_spaces_clear(&spaces);
    return status;
}

enum sf_status
sf_lab_allowed(const struct sf_lab_params *params, struct sf_error *err)
{
    struct sf_lab_folder folder;
    const char *name = params->name ? params->name : SF_LAB_NAME;
    enum sf_status status = sf_lab_check_name(name, err);

    if (status == SF_OK) {
        status = sf_netns_allowed(err);
    }
    if (status == SF_OK &&
        sf_lab_folder_open(&folder, params->folder, params->name, SF_LAB_LOOK,
                           NULL) == SF_OK) {
        status = sf_lab_fail_taken(&folder, err);
        sf_lab_folder_close(&folder);
    }
    return status == SF_OK ? check_lost(name, err) : status;
}

enum sf_status
sf_lab_up(const struct sf_lab_params *params, const struct sf_network *network,
          const struct sf_routes *routes, struct sf_lab_sizes *sizes,
          struct sf_error *err)
{
    struct sf_lab lab = { .folder = { .fd = -1 } };
    struct builder builder = { .lab = &lab,
                               .is_cancelled = params->is_cancelled };

    builder.nl.fd = -1;
    enum sf_status status = sf_lab_allowed(params, err);
    if (status == SF_OK) {
        status = prepare(&lab, params, network, routes, err);
    }
    if (status == SF_OK) {
        status =
            sf_lab_folder_make(&lab.folder, params->folder, params->name, err);
    }
    if (status == SF_OK) {
        status = build(&builder, err);
        if (status == SF_OK) {
            sf_lab_sizes(&lab, sizes);
        } else {
            give_up(&lab, params);
        }
    }
    sf_lab_clear(&lab);
    sf_lab_folder_close(&lab.folder);
    return status;
}
