/* enter.c -- running something in a node of a lab. */
#define _GNU_SOURCE
#include "ip/lab/lab.h"

#include "ip/lab/netns.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

/* A line for each address: of switches their own, of hosts one a layer. */
static void
write_names(const struct sf_lab *lab, FILE *stream)
{
    const struct sf_ip_addresses *plan = &lab->tables->addresses;
    const struct sf_network *network = lab->network;
    const struct sf_fabric *fabric = network->fabric;

    fputs("127.0.0.1 localhost\n", stream);
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        fprintf(stream, "%s %s\n",
                sf_ip_address_text(sf_ip_loopback(plan, s)).text,
                lab->names->names[s]);
    }
    for (uint32_t h = 0; h < sf_network_count_hosts(network); h++) {
        struct sf_ip_place place = sf_ip_host_place(network, h);
        const struct sf_port *port = &fabric->ports[network->host_ports[h]];
        const char *name = lab->names->names[port->node];
        for (uint32_t l = 0; l < plan->n_layers; l++) {
            struct sf_ip_text text = sf_ip_address_text(
                sf_ip_port_address(plan, l, place.s, place.port));
            fprintf(stream, "%s %s%s%s.l%u\n", text.text, l ? "" : name,
                    l ? "" : " ", name, l);
        }
    }
}

enum sf_status
sf_lab_write_hosts(const struct sf_lab *lab, struct sf_error *err)
{
    char *path = sf_lab_folder_path(&lab->folder, SF_LAB_HOSTS);
    FILE *stream = path ? fopen(path, "we") : NULL;
    bool is_written = false;

    if (stream) {
        write_names(lab, stream);
        is_written = !ferror(stream);
        is_written = fclose(stream) == 0 && is_written;
    }
    free(path);
    return is_written ? SF_OK
                      : sf_fail(err, SF_EIO, "%s/%s: %s", lab->folder.path,
                                SF_LAB_HOSTS, strerror(errno));
}

/* Gives the process a view of files of its own, in which /sys shows the
 * network of the node and /etc/hosts has the names of the lab.  Programs run
 * without, too, so what is refused is done without. */
static enum sf_status
change_files(const struct sf_lab *lab, struct sf_error *err)
{
    char *hosts = sf_lab_folder_path(&lab->folder, SF_LAB_HOSTS);

    if (!hosts) {
        return sf_fail(err, SF_ENOMEM, "the names of a lab");
    }
    if (unshare(CLONE_NEWNS) == 0 &&
        mount("", "/", "none", MS_SLAVE | MS_REC, NULL) == 0) {
        (void)mount(hosts, "/etc/hosts", "none", MS_BIND, NULL);
        if (umount2("/sys", MNT_DETACH) == 0) {
            (void)mount("sysfs", "/sys", "sysfs", 0, NULL);
        }
    }
    free(hosts);
    return SF_OK;
}

enum sf_status
sf_lab_enter(const struct sf_lab *lab, uint32_t node, struct sf_error *err)
{
    const char *name = lab->names->names[node];
    char space[SF_LAB_NAMESPACE_SIZE];
    uint64_t inode = 0;

    sf_lab_namespace(lab, node, space);
    int fd = sf_netns_open(space, &inode);
    if (fd < 0 || !inode) {
        if (fd >= 0) {
            close(fd);
        }
        return sf_fail(err, SF_EIO,
                       "the network namespace %s of the lab is gone", space);
    }
    enum sf_status status = sf_netns_enter(fd, space, err);
    close(fd);
    if (status == SF_OK) {
        status = change_files(lab, err);
    }
    if (status == SF_OK && unshare(CLONE_NEWUTS) == 0) {
        (void)sethostname(name, strlen(name));
    }
    return status;
}
