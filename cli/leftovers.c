/* leftovers.c -- temporary files of runs that could not remove them, because
 * they were killed or the power went.
 *
 * A run holds a shared lock on every folder that it writes into, until it
 * ends. Whoever gets an exclusive one is alone, so that temporary files in
 * there are of nobody who lives.  Where folders cannot be locked, as on NFS,
 * nothing is removed.  Folders of kept measurements, in which many processes
 * may work at once and for long, have locks of their own too (kept.c). */
#define _GNU_SOURCE
#include "leftovers.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define N_RANDOM (sizeof "XXXXXX" - 1)

/* The folders that are locked. */
static struct locked {
    dev_t device;
    ino_t inode;
} * locked;
static size_t n_locked;

/* Whether 'name' is one that a temporary file has: NAME.slimfly-XXXXXX. */
static bool
is_temporary(const char *name)
{
    size_t length = strlen(name), mark = sizeof CLI_TEMPORARY - 1;

    if (length <= mark) {
        return false;
    }
    const char *end = name + length - N_RANDOM;
    for (const char *c = end; *c; c++) {
        if (!isalnum((unsigned char)*c)) {
            return false;
        }
    }
    return !strncmp(end - (mark - N_RANDOM), CLI_TEMPORARY, mark - N_RANDOM);
}

void
cli_sweep_folder(int fd,
                 bool (*may_remove)(void *aux, const char *name,
                                    const struct stat *file),
                 void *aux)
{
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = copy < 0 ? NULL : fdopendir(copy);

    if (!listing) {
        if (copy >= 0) {
            close(copy);
        }
        return;
    }
    for (const struct dirent *entry; (entry = readdir(listing));) {
        struct stat status;
        if (is_temporary(entry->d_name) &&
            fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
            may_remove(aux, entry->d_name, &status)) {
            unlinkat(fd, entry->d_name, 0);
        }
    }
    closedir(listing);
}

/* Notes that a folder is locked; true if it was already, or if memory ran out,
 * as nothing is lost then but order. */
static bool
was_locked(const struct stat *folder)
{
    for (size_t i = 0; i < n_locked; i++) {
        if (locked[i].device == folder->st_dev &&
            locked[i].inode == folder->st_ino) {
            return true;
        }
    }
    struct locked *all = realloc(locked, (n_locked + 1) * sizeof *all);
    if (!all) {
        return true;
    }
    locked = all;
    locked[n_locked++] = (struct locked){ folder->st_dev, folder->st_ino };
    return false;
}

/* Whether a file is not newer than a lock: who waited for the lock in vain, as
 * lock_shared() may on a machine that is very busy, made a newer one. */
static bool
is_before(void *aux, const char *name, const struct stat *file)
{
    const struct timespec *lock = aux, *made = &file->st_ctim;

    (void)name;
    return made->tv_sec < lock->tv_sec ||
           (made->tv_sec == lock->tv_sec && made->tv_nsec <= lock->tv_nsec);
}

/* Removes what is in a folder that nobody else has locked. */
static void
sweep_alone(int fd)
{
    struct timespec now;

    /* The times of files may be a tick ahead of the coarse clock, or behind
     * the fine one.  Half a second is less than lock_shared() waits. */
    if (clock_gettime(CLOCK_REALTIME, &now) == 0) {
        now.tv_nsec += 500000000;
        now.tv_sec += now.tv_nsec / 1000000000;
        now.tv_nsec %= 1000000000;
        cli_sweep_folder(fd, is_before, &now);
    }
}

/* Waits while another run sweeps, which is quick.  Who locks the folder for
 * longer is most likely not one of ours, and keeps them from sweeping. */
static void
lock_shared(int fd)
{
    struct timespec nap = { .tv_nsec = 10000000 };

    for (int i = 0; i < 100 && flock(fd, LOCK_SH | LOCK_NB) != 0 &&
                    (errno == EINTR || errno == EWOULDBLOCK);
         i++) {
        nanosleep(&nap, NULL);
    }
}

void
cli_enter_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    struct stat status;

    free(folder);
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &status) != 0 || was_locked(&status)) {
        close(fd);
        return;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        sweep_alone(fd);
    }
    /* The descriptor stays open, and the lock with it, until the end. */
    lock_shared(fd);
}
