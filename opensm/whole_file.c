/* whole_file.c -- see whole_file.h. */
#define _GNU_SOURCE
#include "whole_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What the name of an unfinished file adds, for mkstemp(). */
#define UNFINISHED ".plugin-XXXXXX"
#define N_RANDOM   (sizeof "XXXXXX" - 1)

/* How old a file is, in seconds, that nobody writes any more. */
#define OLD 60

/* Writes the new file 'path', of the name template that it is; returns an
 * error number. */
static int
write_new(char *path, void (*write)(const void *aux, FILE *stream),
          const void *aux)
{
    int fd = mkstemp(path);
    if (fd < 0) {
        return errno;
    }
    FILE *stream = fchmod(fd, 0644) == 0 ? fdopen(fd, "w") : NULL;
    if (!stream) {
        int code = errno;
        close(fd);
        return code;
    }
    errno = 0;
    write(aux, stream);
    bool is_written = !ferror(stream);
    return fclose(stream) == 0 && is_written ? 0 : errno ? errno : EIO;
}

enum sf_status
sf_whole_file_write(const char *path,
                    void (*write)(const void *aux, FILE *stream),
                    const void *aux, struct sf_error *err)
{
    char *temporary = NULL;

    if (asprintf(&temporary, "%s" UNFINISHED, path) < 0) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %s", path);
    }
    int code = write_new(temporary, write, aux);
    if (code == 0 && rename(temporary, path) != 0) {
        code = errno;
    }
    if (code != 0) {
        unlink(temporary);
        sf_fail(err, SF_EIO, "%s: %s", path, strerror(code));
    }
    free(temporary);
    return code == 0 ? SF_OK : SF_EIO;
}

/* Whether 'name' is one that an unfinished 'file' has. */
static bool
is_unfinished(const char *name, const char *file)
{
    size_t length = strlen(file), mark = sizeof UNFINISHED - 1 - N_RANDOM;

    if (strlen(name) != length + mark + N_RANDOM ||
        strncmp(name, file, length) != 0 ||
        strncmp(name + length, UNFINISHED, mark) != 0) {
        return false;
    }
    for (const char *c = name + length + mark; *c; c++) {
        if (!isalnum((unsigned char)*c)) {
            return false;
        }
    }
    return true;
}

static bool
is_old_file(int folder, const char *name)
{
    struct stat found;

    return fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(found.st_mode) && time(NULL) - found.st_mtime > OLD;
}

void
sf_whole_file_sweep(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    char *folder =
        slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    DIR *listing = folder ? opendir(folder) : NULL;

    free(folder);
    if (!listing) {
        return;
    }
    for (const struct dirent *entry; (entry = readdir(listing));) {
        if (is_unfinished(entry->d_name, file) &&
            is_old_file(dirfd(listing), entry->d_name)) {
            unlinkat(dirfd(listing), entry->d_name, 0);
        }
    }
    closedir(listing);
}
