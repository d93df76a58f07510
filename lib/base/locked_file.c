/* locked_file.c -- see locked_file.h. */
#define _GNU_SOURCE
#include "base/locked_file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE 0644

static enum sf_status
fail_io(const char *path, int code, struct sf_error *err)
{
    return sf_fail(err, SF_EIO, "%s: %s", path, strerror(code));
}

/* 'path' with 'end' behind it, which the caller frees; NULL if out of memory.
 */
static char *
path_with(const char *path, const char *end)
{
    size_t size = strlen(path) + strlen(end) + 1;
    char *joined = sf_calloc(size, 1);

    if (joined) {
        snprintf(joined, size, "%s%s", path, end);
    }
    return joined;
}

enum sf_status
sf_locked_file_take(const char *path, int *lockp, struct sf_error *err)
{
    char *beside = path_with(path, ".lock");
    enum sf_status status = SF_OK;
    int code;

    *lockp = -1;
    if (!beside) {
        return sf_fail(err, SF_ENOMEM, "%s: out of memory", path);
    }
    *lockp = open(beside, O_RDWR | O_CREAT | O_CLOEXEC, MODE);
    if (*lockp < 0 && errno == ENOENT) {
        status = sf_fail(err, SF_EIO,
                         "%s: No such file or directory: expected a folder "
                         "that is there",
                         path);
    } else if (*lockp < 0) {
        status = fail_io(beside, errno, err);
    } else {
        while ((code = flock(*lockp, LOCK_EX)) != 0 && errno == EINTR) {
        }
        if (code != 0) {
            status = fail_io(beside, errno, err);
        }
    }
    free(beside);
    return status;
}

/* Writes all to 'stream', which is closed; returns an error number. */
static int
write_all(void (*write)(const void *aux, FILE *stream), const void *aux,
          FILE *stream)
{
    errno = 0;
    write(aux, stream);
    bool is_written =
        !ferror(stream) && fflush(stream) == 0 && fsync(fileno(stream)) == 0;
    int code = errno;
    is_written = fclose(stream) == 0 && is_written;
    return is_written ? 0 : code ? code : EIO;
}

/* Writes a file of a name of its own, with the mode of the present one, and
 * renames it. */
static int
replace(const char *path, char *temporary,
        void (*write)(const void *aux, FILE *stream), const void *aux)
{
    struct stat present;
    mode_t mode = stat(path, &present) == 0 ? present.st_mode & 0777 : MODE;
    int fd = mkostemp(temporary, O_CLOEXEC);

    if (fd < 0) {
        return errno;
    }
    FILE *stream = fchmod(fd, mode) == 0 ? fdopen(fd, "w") : NULL;
    int code = stream ? write_all(write, aux, stream) : errno;
    if (!stream) {
        close(fd);
    }
    if (code == 0 && rename(temporary, path) != 0) {
        code = errno;
    }
    if (code != 0) {
        unlink(temporary);
    }
    return code;
}

enum sf_status
sf_locked_file_replace(const char *path,
                       void (*write)(const void *aux, FILE *stream),
                       const void *aux, struct sf_error *err)
{
    char *temporary = path_with(path, ".XXXXXX");

    if (!temporary) {
        return sf_fail(err, SF_ENOMEM, "%s: out of memory", path);
    }
    int code = replace(path, temporary, write, aux);
    free(temporary);
    return code == 0 ? SF_OK : fail_io(path, code, err);
}
