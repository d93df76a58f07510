/* folder.c -- the folder of a lab.
 *
 * Its lock is on the folder itself, so that nothing stays behind when it is
 * removed.  Who gets the lock looks whether the folder is still the one of
 * that name.
 *
 * The names of all namespaces are noted before the first is made.  A line with
 * the inode follows each that is made.  So after a crash anywhere, what is
 * noted is all that can be there. */
#define _GNU_SOURCE
#include "ip/lab/lab.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_NAMESPACES 1000000

#define LOCK_TRIES      50
#define LOCK_PAUSE_NSEC 20000000

static char *
join(const char *base, const char *prefix, const char *name)
{
    size_t size = strlen(base) + strlen(prefix) + strlen(name) + 2;
    char *path = sf_calloc(size, 1);

    if (path) {
        snprintf(path, size, "%s/%s%s", base, prefix, name);
    }
    return path;
}

char *
sf_lab_folder_path(const struct sf_lab_folder *folder, const char *file)
{
    return join(folder->path, "", file);
}

static enum sf_status
begin(struct sf_lab_folder *folder, const char *base, const char *name,
      struct sf_error *err)
{
    name = name ? name : SF_LAB_NAME;
    *folder = (struct sf_lab_folder){ .fd = -1 };
    enum sf_status status = sf_lab_check_name(name, err);
    if (status != SF_OK) {
        return status;
    }
    snprintf(folder->name, sizeof folder->name, "%s", name);
    folder->path = join(base ? base : SF_LAB_FOLDER, "lab-", name);
    return folder->path ? SF_OK
                        : sf_fail(err, SF_ENOMEM, "the folder of a lab");
}

/* Makes the folder 'path' and those above it. */
static bool
make_folders(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        bool is_made = mkdir(path, 0755) == 0 || errno == EEXIST;
        *slash = '/';
        if (!is_made) {
            return false;
        }
    }
    return mkdir(path, 0755) == 0;
}

static bool
is_same_folder(const struct sf_lab_folder *folder)
{
    struct stat own, named;

    return !fstat(folder->fd, &own) && !stat(folder->path, &named) &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

/* Takes the lock.  Who only enters a node or looks is done in a moment, so
 * that is waited for. */
static bool
try_lock(int fd, int how)
{
    const struct timespec pause = { 0, LOCK_PAUSE_NSEC };

    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, how | LOCK_NB) == 0) {
            return true;
        }
        if (errno != EWOULDBLOCK) {
            return false;
        }
        nanosleep(&pause, NULL);
    }
    errno = EWOULDBLOCK;
    return false;
}

static enum sf_status
lock(struct sf_lab_folder *folder, enum sf_lab_use use, struct sf_error *err)
{
    folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->fd < 0) {
        return errno == ENOENT || errno == ENOTDIR
                   ? sf_fail(err, SF_EINVAL, "there is no lab '%s'",
                             folder->name)
                   : sf_fail(err, SF_EIO, "%s: %s", folder->path,
                             strerror(errno));
    }
    if (!try_lock(folder->fd, use == SF_LAB_CHANGE ? LOCK_EX : LOCK_SH)) {
        return errno == EWOULDBLOCK
                   ? sf_fail(err, SF_EIO,
                             "somebody else works on the lab '%s'; try again "
                             "later",
                             folder->name)
                   : sf_fail(err, SF_EIO, "%s: %s", folder->path,
                             strerror(errno));
    }
    return is_same_folder(folder)
               ? SF_OK
               : sf_fail(err, SF_EINVAL, "there is no lab '%s'", folder->name);
}

bool
sf_lab_is_controlled(const struct sf_lab_folder *folder)
{
    int fd = openat(folder->fd, SF_LAB_CONTROLLER, O_RDONLY | O_CLOEXEC);
    bool is_held =
        fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

    if (fd >= 0) {
        close(fd);
    }
    return is_held;
}

enum sf_status
sf_lab_fail_taken(const struct sf_lab_folder *folder, struct sf_error *err)
{
    return sf_fail(err, SF_EINVAL,
                   "there is a lab '%s' already; 'slimfly lab down --name "
                   "%s' takes it down",
                   folder->name, folder->name);
}

enum sf_status
sf_lab_folder_make(struct sf_lab_folder *folder, const char *base,
                   const char *name, struct sf_error *err)
{
    enum sf_status status = begin(folder, base, name, err);

    if (status == SF_OK && !make_folders(folder->path)) {
        status = errno == EEXIST ? sf_lab_fail_taken(folder, err)
                                 : sf_fail(err, SF_EIO, "%s: %s", folder->path,
                                           strerror(errno));
    }
    if (status == SF_OK) {
        status = lock(folder, SF_LAB_CHANGE, err);
    }
    if (status != SF_OK) {
        sf_lab_folder_close(folder);
    }
    return status;
}

enum sf_status
sf_lab_folder_open(struct sf_lab_folder *folder, const char *base,
                   const char *name, enum sf_lab_use use, struct sf_error *err)
{
    enum sf_status status = begin(folder, base, name, err);

    if (status == SF_OK) {
        status = lock(folder, use, err);
    }
    if (status != SF_OK) {
        sf_lab_folder_close(folder);
    }
    return status;
}

void
sf_lab_folder_close(struct sf_lab_folder *folder)
{
    if (folder->fd >= 0) {
        close(folder->fd);
    }
    free(folder->path);
    folder->fd = -1;
    folder->path = NULL;
}

enum sf_status
sf_lab_folder_remove(struct sf_lab_folder *folder, struct sf_error *err)
{
    /* The note of what was made goes last. */
    static const char *const files[] = { SF_LAB_STATE, SF_LAB_NEW_STATE,
                                         SF_LAB_HOSTS, SF_LAB_CONTROLLER,
                                         SF_LAB_SPACES };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (unlinkat(folder->fd, files[i], 0) && errno != ENOENT) {
            return sf_fail(err, SF_EIO, "%s/%s: %s", folder->path, files[i],
                           strerror(errno));
        }
    }
    return rmdir(folder->path) == 0
               ? SF_OK
               : sf_fail(err, SF_EIO, "%s: %s", folder->path, strerror(errno));
}

/* One line: a name, or a name and its inode. */
static enum sf_status
take_line(void *aux, uint32_t line, char *text)
{
    struct sf_lab_spaces *spaces = aux;
    char *blank = strchr(text, ' ');
    (void)line;

    if (blank) {
        *blank = '\0';
    }
    if (!*text || strlen(text) >= SF_LAB_NAMESPACE_SIZE || strchr(text, '/')) {
        return SF_OK; /* Cut off by a crash. */
    }
    uint64_t inode = blank ? strtoull(blank + 1, NULL, 10) : 0;
    for (uint32_t i = 0; blank && i < spaces->n; i++) {
        if (!strcmp(spaces->items[i].name, text)) {
            spaces->items[i].inode = inode;
            return SF_OK;
        }
    }
    if (blank || spaces->n == MOST_NAMESPACES) {
        return SF_OK;
    }
    struct sf_lab_space *items =
        sf_realloc(spaces->items, spaces->n + 1, sizeof *items);
    if (!items) {
        return SF_ENOMEM;
    }
    spaces->items = items;
    items[spaces->n].inode = 0;
    snprintf(items[spaces->n++].name, SF_LAB_NAMESPACE_SIZE, "%s", text);
    return SF_OK;
}

enum sf_status
sf_lab_spaces_read(const struct sf_lab_folder *folder,
                   struct sf_lab_spaces *spaces, struct sf_error *err)
{
    char *path = sf_lab_folder_path(folder, SF_LAB_SPACES);
    enum sf_status status = SF_OK;

    *spaces = (struct sf_lab_spaces){ 0 };
    if (!path) {
        return sf_fail(err, SF_ENOMEM, "the namespaces of a lab");
    }
    if (access(path, F_OK) == 0) {
        status = sf_file_lines(path, take_line, spaces, err);
    }
    free(path);
    if (status != SF_OK) {
        sf_lab_spaces_clear(spaces);
    }
    return status;
}

void
sf_lab_spaces_clear(struct sf_lab_spaces *spaces)
{
    free(spaces->items);
    *spaces = (struct sf_lab_spaces){ 0 };
}
