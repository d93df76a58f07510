/* down.c -- takes labs down, and lists them. */
#define _GNU_SOURCE
#include "ip/lab/lab.h"

#include "base/mem.h"
#include "ip/lab/netns.h"
#include "slimfly/progress.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long processes have to end by themselves. */
#define GRACE_SECONDS 3

/* The namespaces of the lab that are there, by identity. */
struct inodes {
    uint64_t *items;
    size_t n;
};

static int
compare_inodes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Whether a process is in one of the namespaces. */
static bool
is_inside(const char *pid, const struct inodes *inodes)
{
    char path[300];
    struct stat info;

    snprintf(path, sizeof path, "/proc/%s/ns/net", pid);
    if (stat(path, &info)) {
        return false;
    }
    uint64_t inode = info.st_ino;
    return bsearch(&inode, inodes->items, inodes->n, sizeof inode,
                   compare_inodes) != NULL;
}

/* Sends 'number' to all processes inside, 0 to count them only. */
static uint32_t
signal_all(const struct inodes *inodes, int number)
{
    DIR *folder = opendir("/proc");
    uint32_t n = 0;

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (isdigit((unsigned char)entry->d_name[0]) &&
            is_inside(entry->d_name, inodes)) {
            pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
            n += pid != getpid() && kill(pid, number) == 0;
        }
    }
    if (folder) {
        closedir(folder);
    }
    return n;
}

static uint32_t
end_processes(const struct inodes *inodes)
{
    const struct timespec pause = { 0, 20000000 };
    uint32_t n = inodes->n ? signal_all(inodes, SIGTERM) : 0;

    for (int i = 0; n && i < GRACE_SECONDS * 50; i++) {
        if (!signal_all(inodes, 0)) {
            return n;
        }
        nanosleep(&pause, NULL);
    }
    if (n) {
        signal_all(inodes, SIGKILL);
    }
    return n;
}

/* Which of 'spaces' are there and ours; the others lose their names. */
static enum sf_status
find_own(struct sf_lab_spaces *spaces, struct inodes *inodes,
         struct sf_lab_removed *removed, struct sf_error *err)
{
    inodes->items = sf_calloc(spaces->n, sizeof *inodes->items);
    if (!inodes->items) {
        return sf_fail(err, SF_ENOMEM, "%u namespaces", spaces->n);
    }
    for (uint32_t i = 0; i < spaces->n; i++) {
        struct sf_lab_space *space = &spaces->items[i];
        uint64_t inode = 0;
        int fd = sf_netns_open(space->name, &inode);
        if (fd >= 0) {
            close(fd);
        }
        if (fd >= 0 && space->inode && inode && inode != space->inode) {
            removed->n_foreign++;
            space->name[0] = '\0';
        } else if (fd < 0) {
            space->name[0] = '\0';
        } else if (inode) {
            inodes->items[inodes->n++] = inode;
        }
    }
    qsort(inodes->items, inodes->n, sizeof *inodes->items, compare_inodes);
    return SF_OK;
}

static enum sf_status
remove_spaces(struct sf_lab_spaces *spaces, struct sf_lab_removed *removed,
              struct sf_error *err)
{
    struct inodes inodes = { 0 };
    enum sf_status status = find_own(spaces, &inodes, removed, err);

    if (status == SF_OK) {
        removed->n_processes = end_processes(&inodes);
    }
    for (uint32_t i = 0; status == SF_OK && i < spaces->n; i++) {
        sf_progress_report("removing namespaces", i, spaces->n);
        if (spaces->items[i].name[0]) {
            status = sf_netns_remove(spaces->items[i].name, err);
            removed->n_namespaces++;
        }
    }
    free(inodes.items);
    return status;
}

/* Opens the folder of a lab.  One that is gone is made anew if namespaces are
 * left, so that nobody else works on them. */
static enum sf_status
open_folder(struct sf_lab_folder *own, const char *folder, const char *name,
            struct sf_error *err)
{
    struct sf_lab_spaces spaces = { 0 }, unseen = { 0 };
    enum sf_status status =
        sf_lab_folder_open(own, folder, name, SF_LAB_CHANGE, err);

    if (status == SF_EINVAL &&
        sf_lab_find_marked(name ? name : SF_LAB_NAME, NULL, &spaces, &unseen,
                           NULL) == SF_OK) {
        if (spaces.n) {
            status = sf_lab_folder_make(own, folder, name, err);
        } else if (unseen.n) {
            status = sf_netns_permitted(err);
        }
    }
    sf_lab_spaces_clear(&spaces);
    sf_lab_spaces_clear(&unseen);
    return status;
}

enum sf_status
sf_lab_down(const char *folder, const char *name,
            struct sf_lab_removed *removed, struct sf_error *err)
{
    struct sf_lab_folder own;
    struct sf_lab_spaces spaces = { 0 };
    enum sf_status status = open_folder(&own, folder, name, err);

    *removed = (struct sf_lab_removed){ 0 };
    if (status != SF_OK) {
        return status;
    }
    status = sf_netns_permitted(err);
    if (status == SF_OK) {
        status = sf_lab_spaces_read(&own, &spaces, err);
    }
    if (status == SF_OK) {
        status = sf_lab_find_marked(own.name, own.path, &spaces, NULL, err);
    }
    if (status == SF_OK) {
        status = remove_spaces(&spaces, removed, err);
    }
    if (status == SF_OK) {
        status = sf_lab_folder_remove(&own, err);
    }
    sf_lab_spaces_clear(&spaces);
    sf_lab_folder_close(&own);
    return status;
}
