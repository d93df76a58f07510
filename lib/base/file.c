#define _GNU_SOURCE
#include "base/file.h"

#include "base/mem.h"
#include "slimfly/progress.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_SIZE ((size_t)1 << 30)

char *
sf_file_join(const char *folder, const char *name)
{
    size_t length = strlen(folder), size = length + strlen(name) + 2;
    bool needs_slash = length && folder[length - 1] != '/';
    char *path = sf_calloc(size, 1);

    if (path) {
        snprintf(path, size, "%s%s%s", folder, needs_slash ? "/" : "", name);
    }
    return path;
}

/* Reports how much of a file is read. */
static void
report(FILE *stream, const char *path)
{
    char what[512];
    struct stat status;
    off_t place = ftello(stream);
    bool is_known = fstat(fileno(stream), &status) == 0 &&
                    S_ISREG(status.st_mode) && place >= 0;

    snprintf(what, sizeof what, "reading %s", path);
    sf_progress_report(what, is_known ? (uint64_t)place : 0,
                       is_known ? (uint64_t)status.st_size : 0);
}

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
    report(stream, path);
    enum sf_status status = read_all(stream, path, textp, lengthp, err);
    fclose(stream);
    return status;
}

#define MAX_LINE     4096
#define REPORT_EVERY 8192 /* Lines. */

static enum sf_status
fail_line(struct sf_error *err, const char *path, uint32_t line)
{
    return sf_fail(err, SF_EPARSE,
                   "%s:%u: expected text, found a zero byte or a line of more "
                   "than %d bytes",
                   path, line, MAX_LINE - 2);
}

enum sf_status
sf_text_lines(char *text, size_t length, const char *path, sf_take_line *take,
              void *aux, struct sf_error *err)
{
    char *end = text + length;
    enum sf_status status = SF_OK;

    for (uint32_t line = 1; status == SF_OK && text < end; line++) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        char *line_end = newline ? newline : end;
        if (memchr(text, '\0', (size_t)(line_end - text)) ||
            line_end - text > MAX_LINE - 2) {
            return fail_line(err, path, line);
        }
        *line_end = '\0';
        status = take(aux, line, text);
        text = line_end + 1;
    }
    return status;
}

static enum sf_status
read_lines(FILE *stream, const char *path, sf_take_line *take, void *aux,
           struct sf_error *err)
{
    char text[MAX_LINE];
    enum sf_status status = SF_OK;

    for (uint32_t line = 1;
         status == SF_OK && fgets(text, sizeof text, stream); line++) {
        size_t length = strlen(text);
        if (line % REPORT_EVERY == 1) {
            report(stream, path);
        }
        if (length > 0 && text[length - 1] == '\n') {
            text[length - 1] = '\0';
        } else if (length == 0 || !feof(stream)) {
            return fail_line(err, path, line);
        }
        status = take(aux, line, text);
    }
    if (status == SF_OK && ferror(stream)) {
        return sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno));
    }
    return status;
}

enum sf_status
sf_file_lines(const char *path, sf_take_line *take, void *aux,
              struct sf_error *err)
{
    if (!strcmp(path, "-")) {
        return read_lines(stdin, "standard input", take, aux, err);
    }
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        return sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno));
    }
    enum sf_status status = read_lines(stream, path, take, aux, err);
    fclose(stream);
    return status;
}

char *
sf_text_trim(char *text)
{
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r", text[length - 1])) {
        text[--length] = '\0';
    }
    return text;
}
