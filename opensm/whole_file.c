/* whole_file.c -- see whole_file.h. */
#define _GNU_SOURCE
#include "whole_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

    if (asprintf(&temporary, "%s.XXXXXX", path) < 0) {
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
