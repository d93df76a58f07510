/* lost.c -- labs whose folder is gone.
 *
 * The loopback interface of each namespace of a lab has an alias, which names
 * the folder that notes the namespace.  Nothing but a lab writes such an
 * alias.  So what a lab made is known without its folder, and belongs to
 * nobody else when there is no such folder any more. */
#define _GNU_SOURCE
#include "ip/lab/lab.h"

#include "base/mem.h"
#include "ip/lab/netns.h"

#include <dirent.h>
#include <errno.h>
#include <linux/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK "slimfly lab "

/* Of an alias, with its end. */
#define MARK_SIZE 256

/* The alias of what the folder 'path' notes; "" if it is too long for one. */
static void
write_mark(const char *path, char mark[MARK_SIZE])
{
    char *real = realpath(path, NULL);
    int n = real ? snprintf(mark, MARK_SIZE, "%s%s", MARK, real) : MARK_SIZE;

    if (n >= MARK_SIZE) {
        mark[0] = '\0';
    }
    free(real);
}

enum sf_status
sf_lab_put_mark(const struct sf_lab *lab, struct sf_netlink *nl,
                struct sf_error *err)
{
    char mark[MARK_SIZE];

    write_mark(lab->folder.path, mark);
    if (!mark[0]) {
        return SF_OK;
    }
    struct ifinfomsg *head =
        sf_netlink_begin(nl, RTM_NEWLINK, 0, sizeof *head);
    head->ifi_index = 1;
    sf_netlink_put_text(nl, IFLA_IFALIAS, mark);
    return sf_netlink_end(nl, err);
}

static bool
take_mark(void *aux, const struct nlmsghdr *message)
{
    const struct rtattr *alias =
        message->nlmsg_type == RTM_NEWLINK
            ? sf_netlink_find(message, sizeof(struct ifinfomsg), IFLA_IFALIAS)
            : NULL;

    if (alias) {
        snprintf(aux, MARK_SIZE, "%s", (const char *)sf_netlink_value(alias));
    }
    return true;
}

/* Reads the mark of a namespace; "" if it has none.  False if the namespace
 * may not be entered. */
static bool
read_mark(int fd, const char *name, char mark[MARK_SIZE])
{
    struct sf_netlink nl;

    mark[0] = '\0';
    if (sf_netns_enter(fd, name, NULL) != SF_OK) {
        return false;
    }
    if (sf_netlink_open(&nl, NETLINK_ROUTE, name, NULL) == SF_OK) {
        struct ifinfomsg *head =
            sf_netlink_begin(&nl, RTM_GETLINK, 0, sizeof *head);
        head->ifi_index = 1;
        (void)sf_netlink_ask(&nl, take_mark, mark, NULL);
    }
    sf_netlink_close(&nl);
    return true;
}

/* Whether a mark is of the folder that has the mark 'own', or of one that is
 * gone. */
static bool
is_free(const char *mark, const char *own)
{
    struct stat info;

    return strncmp(mark, MARK, sizeof MARK - 1) == 0 &&
           ((*own && !strcmp(mark, own)) ||
            (stat(mark + sizeof MARK - 1, &info) &&
             (errno == ENOENT || errno == ENOTDIR)));
}

/* Whether 'space' is "LAB.NODE" for the lab 'name', or for any if NULL. */
static bool
is_named(const char *space, const char *name)
{
    char lab[SF_LAB_NAME_SIZE];
    const char *dot = strchr(space, '.');

    if (!dot || dot == space || dot - space >= SF_LAB_NAME_SIZE ||
        strlen(space) >= SF_LAB_NAMESPACE_SIZE) {
        return false;
    }
    snprintf(lab, sizeof lab, "%.*s", (int)(dot - space), space);
    return name ? !strcmp(lab, name) : sf_lab_check_name(lab, NULL) == SF_OK;
}

/* Adds a namespace with its identity, if its name is not there yet. */
static enum sf_status
add(struct sf_lab_spaces *spaces, const char *name, uint64_t inode,
    struct sf_error *err)
{
    for (uint32_t i = 0; i < spaces->n; i++) {
        if (!strcmp(spaces->items[i].name, name)) {
            return SF_OK;
        }
    }
    struct sf_lab_space *items =
        sf_realloc(spaces->items, spaces->n + 1, sizeof *items);
    if (!items) {
        return sf_fail(err, SF_ENOMEM, "the namespaces of a lab");
    }
    spaces->items = items;
    snprintf(items[spaces->n].name, sizeof items->name, "%s", name);
    items[spaces->n++].inode = inode;
    return SF_OK;
}

/* Looks at one namespace, and adds it if it may be removed; to 'unseen' if it
 * may not be looked at. */
static enum sf_status
look(const char *name, const char *own, struct sf_lab_spaces *spaces,
     struct sf_lab_spaces *unseen, struct sf_error *err)
{
    char mark[MARK_SIZE] = "";
    uint64_t inode = 0;
    int fd = sf_netns_open(name, &inode);
    bool is_seen = fd < 0 || !inode || read_mark(fd, name, mark);

    if (fd >= 0) {
        close(fd);
    }
    if (!is_seen) {
        return unseen ? add(unseen, name, inode, err) : SF_OK;
    }
    return is_free(mark, own) ? add(spaces, name, inode, err) : SF_OK;
}

enum sf_status
sf_lab_find_marked(const char *name, const char *path,
                   struct sf_lab_spaces *spaces, struct sf_lab_spaces *unseen,
                   struct sf_error *err)
{
    struct sf_netns_home home;
    char own[MARK_SIZE] = "";
    DIR *folder = opendir(SF_NETNS_FOLDER);

    if (!folder) {
        return SF_OK;
    }
    if (path) {
        write_mark(path, own);
    }
    enum sf_status status = sf_netns_leave(&home, err);
    if (status == SF_OK) {
        for (struct dirent *entry;
             status == SF_OK && (entry = readdir(folder));) {
            if (is_named(entry->d_name, name)) {
                status = look(entry->d_name, own, spaces, unseen, err);
            }
        }
        sf_netns_return(&home);
    }
    closedir(folder);
    return status;
}
