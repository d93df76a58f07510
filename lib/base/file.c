#include "base/file.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAX_SIZE ((size_t)1 << 30)

static enum sf_status
read_all(FILE *stream, const char *path, char **textp, size_t *lengthp,
         struct sf_error *err)
{
    SF_VEC(char) text = { 0 };

    for (;;) {
        /* One byte is kept for the NUL. */
        if (text.n + 1 >= text.capacity &&
            !sf_vec_grow((void **)&text.items, &text.capacity, 1)) {
            free(text.items);
            return sf_fail(err, SF_ENOMEM, "%s: out of memory", path);
        }
        text.n +=
            fread(text.items + text.n, 1, text.capacity - text.n - 1, stream);
        if (ferror(stream)) {
            free(text.items);
            return sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno));
        }
        if (text.n > MAX_SIZE) {
            free(text.items);
            return sf_fail(err, SF_ELIMIT, "%s: larger than 1 GiB", path);
        }
        if (feof(stream)) {
            text.items[text.n] = '\0';
            *textp = text.items;
            *lengthp = text.n;
            return SF_OK;
        }
    }
}

enum sf_status
sf_file_read(const char *path, char **textp, size_t *lengthp,
             struct sf_error *err)
{
    *textp = NULL;
    *lengthp = 0;
    if (!strcmp(path, "-")) {
        return read_all(stdin, "standard input", textp, lengthp, err);
    }
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        return sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno));
    }
    enum sf_status status = read_all(stream, path, textp, lengthp, err);
    fclose(stream);
    return status;
}
