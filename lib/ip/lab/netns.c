#define _GNU_SOURCE
#include "ip/lab/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN "/proc/thread-self/ns/net"

static void
write_path(const char *name, char path[SF_NETNS_PATH_SIZE])
{
    snprintf(path, SF_NETNS_PATH_SIZE, "%s/%s", SF_NETNS_FOLDER, name);
}

/* Tries in a child, so that nothing of this process changes; its exit code is
 * the error. */
static int
try_unshare(void)
{
    int code = 0;
    pid_t child = fork();

    if (child < 0) {
        return errno;
    }
    if (child == 0) {
        _exit(unshare(CLONE_NEWNET | CLONE_NEWNS) ? errno : 0);
    }
    while (waitpid(child, &code, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(code) ? WEXITSTATUS(code) : EINTR;
}

static enum sf_status
fail_refused(int code, struct sf_error *err)
{
    return sf_fail(err, SF_EIO,
                   "a lab needs network namespaces and root, and this process "
                   "may not make one: %s",
                   strerror(code));
}

enum sf_status
sf_netns_allowed(struct sf_error *err)
{
    int code = try_unshare();

    return code == 0 ? SF_OK : fail_refused(code, err);
}

enum sf_status
sf_netns_permitted(struct sf_error *err)
{
    int code = try_unshare();

    return code != EPERM ? SF_OK : fail_refused(code, err);
}

enum sf_status
sf_netns_leave(struct sf_netns_home *home, struct sf_error *err)
{
    home->fd = open(OWN, O_RDONLY | O_CLOEXEC);
    return home->fd >= 0
               ? SF_OK
               : sf_fail(err, SF_EIO, "%s: %s", OWN, strerror(errno));
}

/* Whether the calling thread is at home. */
static bool
is_at_home(const struct sf_netns_home *home)
{
    struct stat own, there;

    return fstat(home->fd, &own) == 0 && stat(OWN, &there) == 0 &&
           own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

void
sf_netns_return(struct sf_netns_home *home)
{
    /* Who may not enter a namespace has not left, and may not come back. */
    if (setns(home->fd, CLONE_NEWNET) && !is_at_home(home)) {
        abort();
    }
    close(home->fd);
    home->fd = -1;
}

enum sf_status
sf_netns_prepare(struct sf_error *err)
{
    if ((mkdir(SF_NETNS_FOLDER, 0755) && errno != EEXIST) ||
        (mount("", SF_NETNS_FOLDER, "none", MS_SHARED | MS_REC, NULL) &&
         (errno != EINVAL ||
          mount(SF_NETNS_FOLDER, SF_NETNS_FOLDER, "none", MS_BIND | MS_REC,
                NULL) ||
          mount("", SF_NETNS_FOLDER, "none", MS_SHARED | MS_REC, NULL)))) {
        return sf_fail(err, SF_EIO,
                       "%s cannot be made the folder of network namespaces: "
                       "%s",
                       SF_NETNS_FOLDER, strerror(errno));
    }
    return SF_OK;
}

/* Puts a new namespace, in which the thread is then, into the file 'path'. */
static enum sf_status
fill_name(const char *path, int *fdp, uint64_t *inodep, struct sf_error *err)
{
    struct stat info;

    if (unshare(CLONE_NEWNET)) {
        return sf_fail(err, SF_EIO, "no more network namespaces: %s",
                       strerror(errno));
    }
    *fdp = open(OWN, O_RDONLY | O_CLOEXEC);
    if (*fdp < 0 || fstat(*fdp, &info) ||
        mount(OWN, path, "none", MS_BIND, NULL)) {
        return sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno));
    }
    *inodep = info.st_ino;
    return SF_OK;
}

enum sf_status
sf_netns_make(const char *name, int *fdp, uint64_t *inodep,
              struct sf_error *err)
{
    char path[SF_NETNS_PATH_SIZE];

    *fdp = -1;
    write_path(name, path);
    int file = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
    if (file < 0) {
        return errno == EEXIST
                   ? sf_fail(err, SF_EINVAL,
                             "the network namespace %s is there already, and "
                             "is not of this lab",
                             name)
                   : sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno));
    }
    close(file);
    enum sf_status status = fill_name(path, fdp, inodep, err);
    if (status != SF_OK) {
        if (*fdp >= 0) {
            close(*fdp);
            *fdp = -1;
        }
        unlink(path);
    }
    return status;
}

int
sf_netns_open(const char *name, uint64_t *inodep)
{
    char path[SF_NETNS_PATH_SIZE];
    struct stat info;
    struct statfs system;

    write_path(name, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && inodep) {
        bool is_namespace = !fstatfs(fd, &system) &&
                            system.f_type == NSFS_MAGIC && !fstat(fd, &info);
        *inodep = is_namespace ? info.st_ino : 0;
    }
    return fd;
}

enum sf_status
sf_netns_enter(int fd, const char *name, struct sf_error *err)
{
    if (setns(fd, CLONE_NEWNET) == 0) {
        return SF_OK;
    }
    return errno == EPERM
               ? sf_fail(err, SF_EIO,
                         "a lab needs root, and this process may not enter "
                         "the network namespace of %s: %s",
                         name, strerror(errno))
               : sf_fail(err, SF_EIO, "%s: %s", name, strerror(errno));
}

enum sf_status
sf_netns_remove(const char *name, struct sf_error *err)
{
    char path[SF_NETNS_PATH_SIZE];

    write_path(name, path);
    while (umount2(path, MNT_DETACH) == 0) {
    }
    if (unlink(path) && errno != ENOENT) {
        return sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno));
    }
    return SF_OK;
}
