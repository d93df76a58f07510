/* output.c -- where results go: files that appear only when complete. */
#define _GNU_SOURCE
#include "cli.h"
#include "leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether 'path' is there and is something that cannot be replaced by another
 * file, such as a terminal, a pipe or /dev/null. */
static bool
is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* A file that is written and waits for others to take its place with it, or,
 * without a temporary one, that is to go with them. */
struct waiting {
    char *temporary, *path;
};

/* The temporary file that is being written, and those that wait, for whoever
 * interrupts. */
static char *volatile unfinished;
static struct waiting *volatile waiting;
static volatile size_t n_waiting;
static bool is_waiting; /* Between cli_begin_files() and cli_end_files(). */
static mode_t mask;     /* Permissions that new files do not get. */

/* Whether somebody changes these files or this list.  A thread keeps signals
 * out for itself only: a handler that runs in another one must wait. */
static atomic_flag is_changing = ATOMIC_FLAG_INIT;

static void
begin_change(void)
{
    while (atomic_flag_test_and_set(&is_changing)) {
    }
}

/* Removes what is not finished and the line of progress, and dies of the
 * signal.  Keeps the lock, so that no thread can create another file
 * meanwhile. */
static void
remove_unfinished(int signal_number)
{
    cli_progress_drop();
    begin_change();
    char *path = unfinished;
    if (path) {
        unlink(path);
    }
    for (size_t i = 0; i < n_waiting; i++) {
        if (waiting[i].temporary) {
            unlink(waiting[i].temporary);
        }
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Keeps those who interrupt out until hold_signals(false). */
static void
hold_signals(bool on)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    static sigset_t before;
    sigset_t blocked, now;

    if (!on) {
        now = before;
        atomic_flag_clear(&is_changing);
        pthread_sigmask(SIG_SETMASK, &now, NULL);
        return;
    }
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaddset(&blocked, signals[i]);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &now);
    begin_change();
    before = now;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) == 0 &&
            action.sa_handler == SIG_DFL) {
            action.sa_handler = remove_unfinished;
            action.sa_mask = blocked; /* One at a time. */
            sigaction(signals[i], &action, NULL);
        }
    }
}

void
cli_read_umask(void)
{
    mask = umask(0);
    umask(mask);
}

void
cli_guard_signals(void)
{
    hold_signals(true);
    hold_signals(false);
}

/* Makes a temporary file of the name template 'path' and sees that it does not
 * stay when the program is interrupted, not even between the two. */
static int
make_guarded(char *path)
{
    hold_signals(true);
    int fd = mkstemp(path);
    unfinished = fd < 0 ? NULL : path;
    hold_signals(false);
    return fd;
}

/* Lets the finished file wait, or, if 'temporary' is NULL, the removal of
 * 'path'; false if memory ran out. */
static bool
let_wait(const char *temporary, const char *path)
{
    hold_signals(true);
    struct waiting file = { temporary ? strdup(temporary) : NULL,
                            strdup(path) };
    struct waiting *all = realloc(waiting, (n_waiting + 1) * sizeof *all);
    bool made = all && (file.temporary || !temporary) && file.path;
    if (all) {
        waiting = all;
    }
    if (made) {
        all[n_waiting++] = file;
    } else {
        free(file.path);
        free(file.temporary);
    }
    hold_signals(false);
    return made;
}

void
cli_begin_files(void)
{
    is_waiting = true;
}

FILE *
cli_open_waiting(const char *path)
{
    char *resolved = realpath(path, NULL);
    FILE *stream = NULL;

    for (size_t i = 0; resolved && i < n_waiting; i++) {
        if (waiting[i].temporary && !strcmp(waiting[i].path, resolved)) {
            stream = fopen(waiting[i].temporary, "r");
        }
    }
    free(resolved);
    return stream;
}

static int
compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int
cli_remove_others(const char *folder,
                  bool (*is_ours)(void *aux, const char *name), void *aux)
{
    size_t n = n_waiting;
    const char **paths = calloc(n ? n : 1, sizeof *paths);
    DIR *listing = opendir(folder);
    bool is_done = paths && listing;

    for (size_t i = 0; paths && i < n; i++) {
        paths[i] = waiting[i].path;
    }
    if (paths) {
        qsort(paths, n, sizeof *paths, compare_paths);
    }
    for (const struct dirent *entry; is_done && (entry = readdir(listing));) {
        char *path = NULL, *resolved = NULL;
        if (!is_ours(aux, entry->d_name)) {
            continue;
        }
        if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0) {
            path = NULL;
        }
        /* Files that were there are replaced where links lead to. */
        resolved = path ? realpath(path, NULL) : NULL;
        const char *key = resolved;
        if (!key || !bsearch(&key, paths, n, sizeof *paths, compare_paths)) {
            is_done = path && let_wait(NULL, path);
        }
        free(resolved);
        free(path);
    }
    if (listing) {
        closedir(listing);
    }
    free(paths);
    return is_done ? CLI_FINE : cli_fail("%s: %s", folder, strerror(errno));
}

/* Does what 'file' waits for. */
static bool
take_place(const struct waiting *file)
{
    return file->temporary ? rename(file->temporary, file->path) == 0
                           : unlink(file->path) == 0 || errno == ENOENT;
}

int
cli_end_files(int code)
{
    is_waiting = false;
    if (n_waiting) { /* Removing a large one in its place takes a while. */
        sf_progress_report("putting the files into their places", 0, 0);
    }
    hold_signals(true);
    for (size_t i = 0; i < n_waiting; i++) {
        const struct waiting *file = &waiting[i];
        if (code == CLI_FINE && !take_place(file)) {
            code = cli_fail("%s: %s", file->path, strerror(errno));
        }
        if (code != CLI_FINE && file->temporary) {
            unlink(file->temporary);
        }
        free(file->temporary);
        free(file->path);
    }
    free(waiting);
    waiting = NULL;
    n_waiting = 0;
    hold_signals(false);
    return code;
}

/* Frees what was needed to write 'output', of which nothing is left to be
 * removed. */
static void
release(struct cli_output *output)
{
    hold_signals(true);
    unfinished = NULL;
    hold_signals(false);
    free(output->temporary);
    free(output->resolved);
}

static bool
open_temporary(struct cli_output *output)
{
    if (asprintf(&output->temporary, "%s" CLI_TEMPORARY, output->path) < 0) {
        output->temporary = NULL;
        errno = ENOMEM;
        return false;
    }
    cli_enter_folder(output->path);
    int fd = make_guarded(output->temporary);
    if (fd < 0) {
        return false;
    }
    /* mkstemp() makes private files; this is to be an ordinary one. */
    output->stream = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
    if (!output->stream) {
        close(fd);
        unlink(output->temporary);
        return false;
    }
    return true;
}

bool
cli_output_open(struct cli_output *output, const char *path)
{
    *output = (struct cli_output){ 0 };
    if (!path || !strcmp(path, "-")) {
        cli_progress_end();
        output->stream = stdout;
        return true;
    }
    /* A link stays one: what it leads to is replaced. */
    output->resolved = realpath(path, NULL);
    output->path = output->resolved ? output->resolved : path;
    if (is_special(path)) {
        output->stream = fopen(path, "w");
    } else if (!output->resolved || access(path, W_OK) == 0) {
        open_temporary(output);
    }
    if (!output->stream) {
        cli_fail("%s: %s", path, strerror(errno));
        release(output);
        return false;
    }
    return true;
}

int
cli_output_close(struct cli_output *output, enum sf_status status,
                 const struct sf_error *err)
{
    int code = CLI_FINE;

    if (status != SF_OK) {
        code = cli_fail("%s", err->text);
    }
    if (!output->path) {
        return code; /* main() looks after standard output. */
    }
    bool is_written = !ferror(output->stream);
    is_written = fclose(output->stream) == 0 && is_written;
    bool is_done = is_written;
    if (code == CLI_FINE && is_written && output->temporary) {
        is_done = is_waiting ? let_wait(output->temporary, output->path)
                             : rename(output->temporary, output->path) == 0;
    }
    if (code == CLI_FINE && !is_done) {
        code = cli_fail("%s: %s", output->path, strerror(errno));
    }
    if (code != CLI_FINE && output->temporary) {
        unlink(output->temporary);
    }
    release(output);
    return code;
}

bool
cli_output_check(const char *path)
{
    struct cli_output output;
    struct stat status;

    if (path && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        cli_fail("%s: %s", path, strerror(EISDIR));
        return false;
    }
    if (path && is_special(path)) {
        return true; /* To open it may be more than a look: a pipe. */
    }
    if (!cli_output_open(&output, path)) {
        return false;
    }
    if (output.path) {
        fclose(output.stream);
        if (output.temporary) {
            unlink(output.temporary);
        }
        release(&output);
    }
    return true;
}

/* A file that is being written, and who wants to know how far that is. */
struct written {
    const char *name;
    const struct sf_progress *listener;
};

/* Passes on how far the file is, by its name. */
static void
report_written(void *aux, const char *what, uint64_t done, uint64_t total)
{
    const struct written *written = aux;
    char text[256];

    (void)what;
    snprintf(text, sizeof text, "writing %s", written->name);
    written->listener->report(written->listener->aux, text, done, total);
}

int
cli_write_file(const char *folder, const char *name, cli_writer *write,
               const void *aux)
{
    struct cli_output output;
    struct sf_error err = { 0 };
    char *path = cli_join(folder, name);
    int code = CLI_ERROR;
    struct written written = { name, sf_progress_listen(NULL) };
    struct sf_progress progress = { report_written, &written };

    sf_progress_listen(written.listener ? &progress : NULL);
    if (path && cli_output_open(&output, path)) {
        sf_progress_report("", 0, 0);
        enum sf_status status = write(aux, output.stream, &err);
        code = cli_output_close(&output, status, &err);
    }
    sf_progress_listen(written.listener);
    free(path);
    return code;
}
